"""A JDK, and a number of idle threads -> JMH's scores of those who work beside dumps of all threads.

The set-up is that of the post's third example: one thread searches 32 KiB, one parks for 100 ms, one parks for 100 ms
and then asks for a dump; the idle threads are 256 calls deep. The forks of all numbers run by turns.
"""

from typing import TYPE_CHECKING, Any

from safepointlab.course.nb12_cost.experiments import DUMP, LOG
from safepointlab.course.pairs import repeats
from safepointlab.run import forks, jmh, profile
from safepointlab.run.stops import stops

if TYPE_CHECKING:
    from pandas import DataFrame, Series

BENCHMARK = "cost.BesideDumps"
NONE, MANY = 0, 1000  # idle threads
PARKED_MS = 100.0  # what park and dumpAll park for


def options() -> str:
    """JMH's own options for the profile in force; `full` has the post's ten iterations of a second."""
    return profile.by_effort(
        quick="-f 1 -wi 1 -w 300ms -i 3 -r 500ms",
        standard="-f 1 -wi 1 -w 500ms -i 4 -r 700ms",
        full="-f 1 -wi 3 -w 1s -i 10 -r 1s",
    )


def beside(jdk: int) -> "DataFrame":
    """The rows of lab.jmh in us, one row a fork and metric: contains1, park, dumpAll (with its parking)."""
    asked: dict[str, Any] = {
        "params": {"idle": [NONE, MANY]},
        "options": options(),
        "repeat": repeats(),
        "deadline": 120,
    }
    return jmh.jmh(BENCHMARK, jdk=jdk, **asked, log=LOG, reuse=True)


def times(jdk: int, metric: str) -> "Series[float]":
    """How many times as long it takes beside MANY idle threads as beside NONE: one ratio for each pair of forks."""
    frame = beside(jdk)
    none, many = (forks.middles(frame[frame["idle"] == idle], metric) for idle in (NONE, MANY))
    return many / none


def stops_of(frame: "DataFrame") -> "DataFrame":
    """The dumps' stops in these runs: one row a stop; in front jdk, idle and repeat."""
    return stops(frame, DUMP, labels=["jdk", "idle", "repeat"])


def round_ms(jdk: int) -> float:
    """How long the asker's parking and its call take beside MANY idle threads: the median of the forks."""
    frame = beside(jdk)
    return float(forks.middles(frame[frame["idle"] == MANY], "dumpAll").median()) / 1000


def slowed(frame: "DataFrame", thread: str) -> float:
    """How many times as long a call of this thread takes beside the most idle threads as beside the fewest."""
    rows = frame[frame["metric"] == thread].groupby("idle")["median"].median().sort_index()
    return float(rows.iloc[-1] / rows.iloc[0])


def stopped_share(frame: "DataFrame") -> float:
    """The part of all time (0 to 1) for which all are stopped beside the most idle threads: median stop by round."""
    most = frame[frame["idle"] == frame["idle"].max()]
    round_us = float(most.loc[most["metric"] == "dumpAll", "median"].median())
    return 1000 * float(stops_of(most)["total_ms"].median()) / round_us
