"""A frame of `lab.jmh` or `lab.sweep`, an operation's name -> one row per safepoint of all its runs, with labels."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from safepointlab.run.load import load
from safepointlab.run.run import Run

if TYPE_CHECKING:
    from pandas import DataFrame


def stops(frame: "DataFrame", operation: str = "", labels: Sequence[str] = ("jdk",)) -> "DataFrame":
    """The safepoints of the runs that the frame names in its column `run`, as one table.

    Args:
        frame: its runs captured the safepoint log; rows without a run (no JDK, not possible) have no safepoints.
        operation: a regular expression, such as "Deadlock" or "GC|Collect"; "" is all operations.
        labels: the frame's columns that identify the run of a safepoint; they come first.

    Returns:
        logs.safepoint's columns, and stopped_ms: from the moment when the last thread has reached the safepoint until
        all threads run again. Every JDK logs it; JDK 8 logs the operation alone in whole ms only, and 11 not at all.
    """
    import pandas as pd

    tables = []
    for _, row in frame[frame["run"].astype("string").fillna("") != ""].drop_duplicates("run").iterrows():
        chosen = of_run(load(row["run"]), operation)
        own = pd.DataFrame({name: row[name] for name in labels}, index=chosen.index)
        tables.append(pd.concat([own, chosen], axis=1))
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=list(labels))


def of_run(run: Run, operation: str = "") -> "DataFrame":
    """The safepoints of one run, as `stops` has them, without labels."""
    safepoints, wanted = run.safepoints, re.compile(operation)  # pandas warns of a pattern with groups
    matches = safepoints["operation"].map(lambda name: isinstance(name, str) and bool(wanted.search(name)))
    chosen = safepoints[matches.astype(bool)]
    return chosen.assign(stopped_ms=chosen["total_ms"] - chosen["ttsp_ms"])


def median_line(run: Run, operation: str = "") -> str:
    """The line of the log, JDK 13 and later, whose stop is the median in length; of two the shorter; "" without one."""
    lengths_ms = of_run(run, operation)["total_ms"].dropna().sort_values()
    if lengths_ms.empty:
        return ""
    total_ns = round(float(lengths_ms.iloc[(len(lengths_ms) - 1) // 2]) * 1e6)
    return run.raw("safepoint", lines=1, around=f"Total: +{total_ns} ns")
