"""The name of a demo -> the demo, which is in its lesson's folder."""

import difflib

from safepointlab.course import lessons
from safepointlab.course.demo_script import Demo
from safepointlab.errors import BadInput

NAMES = ("hang", "ecj", "osr", "pause", "nepotism", "faster", "line", "late")


def named(name: str) -> Demo:
    """The demo of that name.

    Raises:
        BadInput: there is none; with the names that there are.
    """
    if name not in NAMES:
        close = difflib.get_close_matches(name, NAMES, 1)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        raise BadInput(f"no demo is called {name!r}.{hint} There are: {', '.join(NAMES)}.")
    demo = lessons.demos()[name]
    assert isinstance(demo, Demo)
    return demo


def every() -> list[Demo]:
    """All demos, in the order of the notebooks."""
    return list(lessons.demos().values())
