"""A JDK and a kind of load -> one run of omission/LoadGenerator, and what its logs say.

    omission.flat_out(17)                 as many requests as the clients can send
    omission.overloaded(17, "throttled")  twice as many are wanted as they can send
    omission.on_schedule(17)              72 % of that on a fixed schedule
    omission.stalled(17, 400, 800)        400 requests a second, and a stall of 800 ms in each four seconds

Two clients, a server that answers a read after a millisecond and a write after two, and stops of the client's own JVM,
each held up by a counted loop.
"""

import pandas as pd

from safepointlab.read import hdr, marks
from safepointlab.read.hdr import clock
from safepointlab.run import launch
from safepointlab.run.run import Run
from safepointlab.topics import queueing

SAMPLE, JARS = "omission/LoadGenerator", ["org.hdrhistogram:HdrHistogram:2.2.2"]
NO_POLLS = "Serial"  # the collector whose counted loops have no poll on any JDK
THREADS, SERVICE_MS, SECONDS = 2, 1.0, 4
STALL_MS, EVERY_MS = 500, 2000
PERIOD_S = 4  # of the stalls that a reader chooses


def loaded(
    jdk: int,
    mode: str,
    rate: float = 0,
    threads: int = THREADS,
    seconds: float = SECONDS,
    stall_ms: float = STALL_MS,
    every_ms: float = EVERY_MS,
    gc: str = NO_POLLS,
) -> Run:
    """One run of the generator; an equal one of this session is used again.

    Args:
        mode: "closed", "throttled" or "fixed".
        rate: requests a second; a closed loop needs none.
        stall_ms, every_ms: how long the JVM is to be stopped each time, and how often.
    """
    args = [mode, *(f"{number:.6g}" for number in (rate, threads, seconds, stall_ms, every_ms, 1000 * SERVICE_MS))]
    return launch.java(SAMPLE, jdk, gc=gc, args=args, log="safepoint", jars=JARS, deadline=90, reuse=True)


def flat_out(jdk: int) -> Run:
    """As many requests as the clients can send: what is called the maximum throughput."""
    return loaded(jdk, "closed")


def overloaded(jdk: int, mode: str) -> Run:
    """Twice as many requests are asked for as the clients can send at the best; without stalls."""
    return loaded(jdk, mode, 2 * queueing.capacity(THREADS, SERVICE_MS / 1000), seconds=1.5, stall_ms=0)


def on_schedule(jdk: int) -> Run:
    """72 % of the throughput on a fixed schedule, with the same stalls."""
    return loaded(jdk, "fixed", round(0.72 * float(flat_out(jdk).values["achieved"])))


def stalled(
    jdk: int, rate: float, stall_ms: float, threads: int = THREADS, gc: str = NO_POLLS, periods: int = 2
) -> Run:
    """A fixed schedule with a stall of that length in each PERIOD_S seconds."""
    seconds, every_ms = periods * PERIOD_S, 1000 * PERIOD_S
    return loaded(jdk, "fixed", rate, threads, seconds, stall_ms, every_ms, gc)


def all_at_once(requests: int = 100_000, rate: float = 5_000) -> pd.DataFrame:
    """The post's example by arithmetic: so many requests are due at once at a server that does `rate` a second."""
    return queueing.serve(due_s=[0.0] * requests, service_s=1 / rate)


def log_of(run: Run) -> pd.DataFrame:
    """The HDR log that the run wrote, one row an interval and measure."""
    return hdr.read(run.folder / "load.hlog")


def times(run: Run, measure: str) -> dict[str, float]:
    """What the whole run says of "st", "wt" or "rt", in ms, reads and writes together."""
    log = log_of(run)
    row = hdr.unite(log[log["tag"].str.endswith(measure)], by=None).iloc[0]
    return {name: float(row[name]) for name in ("count", "mean", "p50", "p90", "p99", "p99_9", "max")}


def stops_of(run: Run) -> pd.DataFrame:
    """The long stops in the run's safepoint log, on the clock of its HDR log."""
    return clock.stops(marks.read(run.folder / "marks.csv"), run.safepoints, longer_than_ms=STALL_MS / 5)


def timed(run: Run) -> pd.DataFrame:
    """The same stops as the program's own stopwatch has them: begin_s on that clock, and total_ms."""
    return clock.asked(marks.read(run.folder / "marks.csv"))


def computed(run: Run) -> pd.DataFrame:
    """The run's schedule again by arithmetic, with the stops of its safepoint log: rows of queueing.serve."""
    notes = marks.read(run.folder / "marks.csv")
    start, begins = (_noted(notes, mark) for mark in ("start", "begins"))
    stops = stops_of(run)
    stalls = list(zip(stops["begin_s"] - (begins - start), stops["total_ms"] / 1000, strict=True))
    _, rate, threads, *_ = run.request.args
    due = queueing.schedule(float(rate), int(run.values["operations"]))
    return queueing.serve(due, queueing.services(SERVICE_MS / 1000), int(threads), stalls)


def _noted(notes: pd.DataFrame, mark: str) -> float:
    """When the load generator noted this, in seconds."""
    return float(notes.loc[(notes["thread"] == "load") & (notes["mark"] == mark), "nanos"].iloc[0]) / 1e9


def after_stops(intervals: pd.DataFrame, stops: pd.DataFrame) -> "pd.Series[bool]":
    """For each interval: does it lie in a stop, or in the time in which what piled up is worked off?"""
    near = pd.Series(False, index=intervals.index)
    for begin, total in zip(stops["begin_s"], stops["total_ms"] / 1000, strict=True):
        near |= (intervals["start_s"] + intervals["length_s"] > begin) & (intervals["start_s"] < begin + 4 * total)
    return near
