"""What `counted/LoopShapes` prints -> a frame, one row per shape of loop.

    java -XX:+UseSerialGC -cp classes LoopShapes 40000000

>>> read(["intParameter           412 ms  unpolled", "longIndex                3 ms  polled"]).values.tolist()
[['intParameter', 412, False], ['longIndex', 3, True]]

shape     the method with the loop
ms        how long System.gc() took while the loop ran
polled    whether it came back before the loop was over; missing where the loop was over too soon
"""

import re

import pandas as pd

from safepointlab.logs.lines.source import Count, Source, blocks, with_counts

__all__ = ["COLUMNS", "NAME", "read"]

NAME = "shapes"
COLUMNS = {"shape": "string", "ms": "Int64", "polled": "boolean"}
ANSWERS = {"polled": True, "unpolled": False, "too short": None}

# intParameter           412 ms  unpolled
_LINE = re.compile(r"^([A-Za-z]\w*) +(\d+) ms +(polled|unpolled|too short)$", re.MULTILINE)


def read(source: Source, strict: bool = False) -> pd.DataFrame:  # noqa: ARG001 - every reader takes it
    """Read the program's output; what else it prints is skipped, and no line of it can be damaged."""
    count, rows = Count(), list[tuple[str, str, str]]()
    for block in blocks(source):
        count.lines += block.text.count("\n")
        rows += _LINE.findall(block.text)
    count.skipped = count.lines - len(rows)
    frame = pd.DataFrame(rows, columns=list(COLUMNS))
    frame["polled"] = frame["polled"].map(ANSWERS)
    return with_counts(frame.astype({"ms": "int64"}).astype(COLUMNS), count)
