"""A block of a log -> its lines that can be trusted; and a frame -> the same frame with its counts."""

import re

import pandas as pd

from safepointlab.logs.lines.source import Block, Count, refuse_foreign, with_counts


def trusted(block: Block, count: Count, mark: re.Pattern[str], strict: bool) -> str:
    """The block, without a half line at the end of a file: such a line may lack a part of its message.

    Raises:
        DamagedLog: when strict, and the half line has the mark of this kind of log.
    """
    count.taste(block)
    count.lines += block.text.count("\n")
    if not block.cut:
        return block.text
    start = block.text.rfind("\n", 0, len(block.text) - 1) + 1
    if mark.search(block.text, start):
        count.damage(block, start, strict)
    return block.text[:start]


def finished(frame: pd.DataFrame, count: Count, kind: str, own_lines: int, strict: bool) -> pd.DataFrame:
    """The frame with its counts; a line counts as skipped if it is neither this log's own nor damaged.

    Raises:
        ForeignLog: when strict, and no line is of this kind.
    """
    count.own |= own_lines > 0
    count.skipped = count.lines - own_lines - count.damaged
    if strict:
        refuse_foreign(count, kind)
    return with_counts(frame, count)
