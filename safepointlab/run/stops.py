"""A frame of `lab.jmh` or `lab.sweep`, an operation's name -> one row a stop of all its runs, with their labels."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from safepointlab.run.load import load
from safepointlab.run.run import Run

if TYPE_CHECKING:
    from pandas import DataFrame


def stops(frame: "DataFrame", operation: str = "", labels: Sequence[str] = ("jdk",)) -> "DataFrame":
    """The stops of the runs that the frame names in its column `run`, one table under the other.

    Args:
        frame: its runs captured the safepoint log; rows without a run (no JDK, not possible) have no stops.
        operation: a regular expression, such as "Deadlock" or "GC|Collect"; all operations where it is empty.
        labels: the frame's columns that say which run a stop comes from; they come first.

    Returns:
        read.safepoint's columns, and stopped_ms: from the moment when the last thread had come until all ran again.
        Every JDK logs that much, whereas 8 tells the operation alone in whole ms only, and 11 not at all.
    """
    import pandas as pd

    runs = frame[frame["run"].astype("string").fillna("") != ""].drop_duplicates("run")
    tables = [_labelled(row["run"], {name: row[name] for name in labels}, operation) for _, row in runs.iterrows()]
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=list(labels))


def of_run(found: Run, operation: str = "") -> "DataFrame":
    """The stops of one run, as `stops` has them, without labels."""
    table = found.safepoints
    chosen = table[table["operation"].astype("string").str.contains(operation).fillna(False).astype(bool)]
    return chosen.assign(stopped_ms=chosen["total_ms"] - chosen["ttsp_ms"])


def _labelled(name: str, labels: dict[str, object], operation: str) -> "DataFrame":
    import pandas as pd

    chosen = of_run(load(name), operation)
    return pd.concat([pd.DataFrame([labels] * len(chosen), index=chosen.index), chosen], axis=1)
