"""What `counted/LoopShapes` prints -> a frame, one row a shape of loop; and the same question put to its machine code.

    java -XX:+UseSerialGC -cp classes LoopShapes 40000000

>>> read(["intParameter           412 ms  unpolled", "longIndex                3 ms  polled"]).values.tolist()
[['intParameter', 412, False], ['longIndex', 3, True]]

shape     the method with the loop
ms        how long System.gc() took while the loop ran
polled    whether it came back before the loop was over; missing where the loop was over too soon

`by_code(loops)` answers from the poll map of the compiled code, `agreement(output, loops)` lays both side by side.
"""

import re

import pandas as pd

from safepointlab.logs.lines.source import Count, Source, blocks, with_counts

__all__ = ["COLUMNS", "NAME", "agreement", "by_code", "read"]

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


def by_code(loops: pd.DataFrame) -> pd.DataFrame:
    """One row a shape, from the loops of its last version that C2 made to be entered at the top: shape, polled.

    A loop that makes a call in each turn counts as polled: what is called polls before it returns.
    """
    standard = loops[loops["osr_bci"].isna() & (loops["tier"].isna() | (loops["tier"] == 4)) & (loops["depth"] == 1)]
    last = standard[standard["compile_id"] == standard.groupby("method")["compile_id"].transform("max")]
    asks = last["polled"] | (last["calls"] > 0)
    polled = asks.groupby(last["method"].str.rpartition("::")[2]).any().rename("polled")
    return polled.rename_axis("shape").reset_index().astype({"shape": "string", "polled": "boolean"})


def agreement(output: Source, loops: pd.DataFrame) -> pd.DataFrame:
    """Both answers side by side, one row a shape that both know: shape, ms, by_code, by_clock, agree."""
    printed, coded = read(output).rename(columns={"polled": "by_clock"}), by_code(loops)
    both = coded.rename(columns={"polled": "by_code"}).merge(printed, on="shape")
    return both.assign(agree=both["by_code"] == both["by_clock"])[["shape", "ms", "by_code", "by_clock", "agree"]]
