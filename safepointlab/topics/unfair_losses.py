"""Scores of the unfair pair, with and without questions -> what each thread pays for them, in one unit.

    unfair_losses.losses(unfair.nobody_asks(17), unfair.somebody_asks(17))      what lab.plot.victim_culprit draws

One call of contains1 or contains1ToK takes so many times as long as when nobody asks; so does a call of the thread that
parks. The one that asks has no call without questions: it pays the time to safepoint of each.
"""

from typing import TYPE_CHECKING, Any

from safepointlab.run import forks
from safepointlab.topics import unfair

if TYPE_CHECKING:
    from pandas import DataFrame

ROLES = {"contains1ToK": "culprit", "contains1": "victim", "park": "bystander"}
ASKER = "findDeadlocks"
COLUMNS = {"thread": "string", "role": "string", "alone_us": "float64", "asked_us": "float64", "times": "float64"}


def losses(alone: "DataFrame", asked: "DataFrame", k: int = unfair.MOST) -> "DataFrame":
    """One row a thread: its role, and the median call when nobody asks and when somebody does.

    Args:
        alone, asked: rows of lab.jmh with one JDK and collector, of `unfair.nobody_asks` and `unfair.somebody_asks`.

    Returns:
        thread, role ("culprit", "victim", "bystander", "asker"), alone_us, asked_us, times; and k, ttsp_ms (the median
        wait of a question), the same in all rows. The asker has only asked_us.
    """
    import pandas as pd

    frames = [frame[frame["k"] == k] for frame in (alone, asked)]
    rows = [_row(thread, role, *(_median(frame, thread) for frame in frames)) for thread, role in ROLES.items()]
    rows.append(_row(ASKER, "asker", float("nan"), _median(frames[1], ASKER)))
    table = pd.DataFrame(rows, columns=list(COLUMNS)).astype(COLUMNS)
    return table.assign(k=k, ttsp_ms=unfair.ttsp_ms(frames[1]))


def _row(thread: str, role: str, alone_us: float, asked_us: float) -> list[Any]:
    return [thread, role, alone_us, asked_us, asked_us / alone_us]


def _median(frame: "DataFrame", thread: str) -> float:
    return float(forks.iterations(frame, thread)["value"].median())
