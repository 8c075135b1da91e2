"""Scores of the unfair pair, with and without questions -> what each thread pays for them, in one unit.

    unfair_losses.losses(unfair.nobody_asks(17), unfair.somebody_asks(17))      what lab.plot.victim_culprit draws

One call of contains1 or contains1ToK takes so many times as long as when nobody asks; so does a call of the thread that
parks. The one that asks has no call without questions: it pays the time to safepoint of each.

    unfair_losses.by_k(17)                      how the wait grows with K, with and without strip mining
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from safepointlab.course.nb11_unfair import experiments as unfair
from safepointlab.course.nb22_omission import queueing
from safepointlab.run import forks

if TYPE_CHECKING:
    from pandas import DataFrame

COLLECTORS = ("Parallel", "G1")  # one that never asks for strip mining, one that does from JDK 10 on
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


def rounds(asked: "DataFrame", count: int = 2) -> "DataFrame":
    """Rounds of the thread that asks, a lane for it and for each of the two that search: for lab.plot.round_lanes.

    Between two stops everybody runs for a while, and then waits for the last thread: both are medians of the log.

    Returns:
        lane, what ("parks", "runs", "waits"), begin_ms, end_ms, and text, which only the first round has.
    """
    import pandas as pd

    medians = unfair.waits(asked)[["time_since_last_ms", "ttsp_ms"]].median()
    runs_ms, waits_ms = (float(ms) for ms in medians)
    call = f"one call without a poll: {_median(asked, 'contains1ToK') / 1000:.0f} ms by JMH"
    lanes = [
        ("findDeadlocks\nasks", ["parks", "waits"], [f"{runs_ms:.0f} ms", f"{waits_ms:.0f} ms"]),
        ("contains1\npolls early", ["runs", "waits"], [f"{runs_ms:.0f} ms", f"stands still for {waits_ms:.0f} ms"]),
        ("contains1ToK\npolls late", ["runs"], [call]),
    ]
    rows = [row for name, kinds, texts in lanes for row in _lane(name, kinds, texts, runs_ms, waits_ms, count)]
    return pd.DataFrame(rows, columns=["lane", "what", "begin_ms", "end_ms", "text"])


def _lane(
    name: str, kinds: list[str], texts: list[str], runs_ms: float, waits_ms: float, count: int
) -> "Iterator[tuple[str, str, float, float, str]]":
    """A thread that does one thing in a whole round, or one until the request and another from there on."""
    whole = runs_ms + waits_ms
    edges = [0, whole] if len(kinds) == 1 else [0, runs_ms, whole]
    for number in range(count):
        for what, text, begin, end in zip(kinds, texts, edges, edges[1:], strict=False):
            yield name, what, number * whole + begin, number * whole + end, "" if number else text


def as_a_stall(asked: "DataFrame") -> "DataFrame":
    """One question per second, and in the victim's place a server with a request each 2.5 ms: for lab.plot.stall."""
    return queueing.stalled(
        rate=400, stall_ms=max(1, round(unfair.ttsp_ms(asked))), service_ms=1.25, servers=2, period_s=1
    )


def by_k(jdk: int, ks: object = None) -> "DataFrame":
    """The stops for questions with each K of the profile and each of COLLECTORS: one row a stop, k and gc in front."""
    asked = unfair.somebody_asks(jdk, ks or unfair.ks(), gc=list(COLLECTORS))
    return unfair.waits(asked, "k", "gc")


def grown(waits: "DataFrame") -> str:
    """From what to what the median wait goes with each collector, from the smallest K to the largest: the title."""
    medians = waits.groupby(["gc", "k"], sort=False)["ttsp_ms"].median().unstack().sort_index(axis=1)
    ends = [f"with {gc} {_from_to(row.iloc[0], row.iloc[-1])}" for gc, row in medians.iterrows()]
    first, last = medians.columns[[0, -1]]
    return f"From K={first:,} to {last:,} the median time to safepoint\n{', '.join(ends)}"


def _from_to(first: float, last: float) -> str:
    """How a time changes, in ms.

    >>> _from_to(0.1, 40.4), _from_to(0.098, 0.1)
    ('grows from 0.1 to 40 ms', 'stays at 0.1 ms')
    """
    ends = [f"{value:.0f}" if value >= 9.5 else f"{value:.1f}" for value in (first, last)]
    verb = "grows" if last > first else "falls"
    return f"stays at {ends[0]} ms" if ends[0] == ends[1] else f"{verb} from {ends[0]} to {ends[1]} ms"


def _row(thread: str, role: str, alone_us: float, asked_us: float) -> list[Any]:
    return [thread, role, alone_us, asked_us, asked_us / alone_us]


def _median(frame: "DataFrame", thread: str) -> float:
    return float(forks.iterations(frame, thread)["value"].median())
