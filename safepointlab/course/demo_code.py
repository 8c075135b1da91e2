"""A sample and the first line of a method -> that method's few lines, as a page shows them."""

import re
import textwrap

from safepointlab.run.excerpt import excerpt

MOST_LINES = 12
TALK = re.compile(r"\s*// .*$")  # a comment at the end of a line of code


def lines(sample: str, around: str, most: int = MOST_LINES) -> tuple[str, ...]:
    """The method's lines without comments, moved to the left.

    Raises:
        SampleNotFound: no such sample, or no such line in it.
    """
    block = [TALK.sub("", line) for _, line in excerpt(sample, around).lines]
    return tuple(textwrap.dedent("\n".join(block)).splitlines()[:most])
