"""A JDK, and a number of idle threads -> JMH's scores of those who work beside dumps of all threads.

The set-up is that of the post's third example: one thread searches 32 KiB, one parks for 100 ms, one parks for 100 ms
and then asks for a dump; the idle threads are 256 calls deep. The forks of all numbers run by turns.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from safepointlab.course.nb12_cost.experiments import DUMP, LOG
from safepointlab.course.nb22_omission import queueing
from safepointlab.course.pairs import repeats
from safepointlab.run import forks, jmh
from safepointlab.run.stops import stops
from safepointlab.session import profile

if TYPE_CHECKING:
    from pandas import DataFrame, Series

Row = tuple[float, float, float, float, float]  # of COLUMNS
BENCHMARK = "cost.BesideDumps"
NONE, MANY = 0, 1000  # idle threads
ROLES = {"contains1": "victim", "park": "bystander", "dumpAll": "asker"}
PARKED_MS = 100.0  # what park and dumpAll park for
IN_2015: dict[int, Row] = {  # idle threads -> the post's row, JDK 8u60 on 48 cores: us, then ms
    0: (38.0, 100.0, 100.5, 0.2, 0.0),
    1: (40.7, 100.1, 102.2, 0.6, 0.0),
    10: (44.7, 100.2, 117.2, 5.5, 0.0),
    100: (75.5, 122.6, 261.9, 61.3, 0.1),
    1000: (204.5, 257.5, 1414.2, 313.0, 1.0),
}
NUMBERS = tuple(IN_2015)
COLUMNS = ["contains1_us", "park_ms", "dump_ms", "stopped_ms", "ttsp_ms"]  # dump_ms: with its 100 ms of parking


def options() -> str:
    """JMH's own options for the profile in force; `full` has the post's ten iterations of a second."""
    return profile.by_effort(
        quick="-f 1 -wi 1 -w 300ms -i 3 -r 500ms",
        standard="-f 1 -wi 1 -w 500ms -i 4 -r 700ms",
        full="-f 1 -wi 3 -w 1s -i 10 -r 1s",
    )


def beside(jdk: object, threads: object = (NONE, MANY)) -> "DataFrame":
    """The rows of lab.jmh in us, one row a fork and metric: contains1, park, dumpAll (with its parking)."""
    idle = list(threads) if isinstance(threads, tuple) else threads
    asked: dict[str, Any] = {"params": {"idle": idle}, "options": options(), "repeat": repeats(), "deadline": 120}
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
    return _us(frame[frame["idle"] == MANY], "dumpAll") / 1000


def losses(jdk: int) -> "DataFrame":
    """What each thread pays beside MANY idle threads, against NONE: the rows that lab.plot.victim_culprit draws."""
    import pandas as pd

    frame = beside(jdk)
    none, many = (frame[frame["idle"] == idle] for idle in (NONE, MANY))
    rows = [(thread, role, *(_us(rows, thread) for rows in (none, many))) for thread, role in ROLES.items()]
    table = pd.DataFrame(rows, columns=["thread", "role", "alone_us", "asked_us"])
    return table.assign(times=table["asked_us"] / table["alone_us"])


def _us(rows: "DataFrame", metric: str) -> float:
    return float(forks.middles(rows, metric).median())


def finding(losses: "DataFrame") -> str:
    """What the search pays, which asks for nothing: the title of the picture of JDK 17's losses."""
    slower = float(losses.set_index("role")["times"]["victim"])
    beside = f"JDK 17, beside {MANY:,} idle threads: a search takes"
    return f"{beside}\n{slower:.1f} times as long, though it asks for nothing"


def stopped_share(jdk: int) -> float:
    """The part of all time (0 to 1) for which all are stopped beside MANY idle threads: median stop by median round."""
    return float(stops_of(beside(jdk)).query("idle == @MANY")["total_ms"].median()) / round_ms(jdk)


def as_a_stall(jdk: int) -> "DataFrame":
    """One dump per second beside MANY idle threads, in a server with a request each 2.5 ms: for lab.plot.stall."""
    stop_ms = round(float(stops_of(beside(jdk)).query("idle == @MANY")["total_ms"].median()))
    return queueing.stalled(rate=400, stall_ms=stop_ms, service_ms=1.25, servers=2, period_s=1)


def table(jdks: Sequence[int], numbers: Sequence[int] = NUMBERS) -> "DataFrame":
    """The post's table again: one row a number of idle threads and JDK, the post's own row first; COLUMNS, medians."""
    import pandas as pd

    frame = beside(list(jdks), list(numbers))
    rows = {(idle, "2015"): IN_2015[idle] for idle in numbers}
    for idle in numbers:
        rows |= {(idle, f"JDK {jdk}"): _row(frame[(frame["idle"] == idle) & (frame["jdk"] == jdk)]) for jdk in jdks}
    order = [(idle, who) for idle in numbers for who in ("2015", *(f"JDK {jdk}" for jdk in jdks))]
    index = pd.MultiIndex.from_tuples(order, names=["idle", "measured"])
    return pd.DataFrame([rows[place] for place in order], index=index, columns=COLUMNS)


def _row(rows: "DataFrame") -> Row:
    contains1, park, dump = (forks.middles(rows, metric).median() for metric in ("contains1", "park", "dumpAll"))
    stopped = stops_of(rows)[["stopped_ms", "ttsp_ms"]].median()
    ttsp_ms, stopped_ms = float(stopped["ttsp_ms"]), float(stopped["stopped_ms"])
    return float(contains1), float(park) / 1000, float(dump) / 1000, stopped_ms, ttsp_ms
