"""A JDK, K and flags -> JMH's scores of two threads that search the same bytes, and how unfair a run is to one of them.

contains1 searches once a call, contains1ToK K times; a third thread may ask for a safepoint each 50 ms. Each function
takes one value or a list for the JDK, K, the collector and the flags. Equal runs of one session are shared.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from safepointlab.run import jmh, launch
from safepointlab.run.jmh_run import BenchRun
from safepointlab.run.load import load
from safepointlab.run.run import Run
from safepointlab.run.stops import of_run, stops
from safepointlab.session import profile

if TYPE_CHECKING:
    from pandas import DataFrame, Series

BENCHMARK, SPINNER = "unfair.Contains", "unfair/SpinnerIsStopped"
ASKED = {"contains1": 1, "contains1ToK": 1, "findDeadlocks": 1}  # threads of each method
ALONE = {"contains1": 1, "contains1ToK": 1, "findDeadlocks": 0}
ONE = {"contains1": 0, "contains1ToK": 1, "findDeadlocks": 0}
GC, STRIPS = "Serial", "G1"  # without strip mining, and with it
MOST, PRICE_K = 10_000, 100  # the largest K; the price of a cure is measured with many calls an iteration
BRIEF = "-f 1 -wi 2 -w 100ms -i 6 -r 100ms"  # the best one of many short iterations is hardly disturbed
LONG = "-f 1 -wi 0 -i 3 -r 1s"  # long enough for questions that are a second apart
DEADLINE_S = 60
KEEP_POLLS = "-XX:+UseCountedLoopSafepoints"
KEEP_CALL = "-XX:CompileCommand=dontinline,unfair.Contains::contains"
EXCLUDE_OUTER = "-XX:CompileCommand=exclude,unfair.Contains::missing"
EXCLUDE_BOTH = "-XX:CompileCommand=exclude,unfair.Contains::*"
CURES = {  # flags -> the cure's name
    "": "no cure",
    KEEP_POLLS: "keep polls",
    KEEP_CALL: "keep the call",
    EXCLUDE_OUTER: "exclude outer",
    EXCLUDE_BOTH: "exclude both",
}


def options() -> str:
    """JMH's own options for the profile in force."""
    return profile.by_effort(quick="-f 1 -wi 1 -w 200ms -i 3 -r 300ms", standard="-f 1 -wi 2 -w 300ms -i 6 -r 300ms")


def nobody_asks(jdk: object, k: object = MOST) -> "DataFrame":
    """Two threads and no safepoint: lab.jmh's rows, metrics contains1 and contains1ToK in us a call."""
    return _scores(jdk, k, ALONE)


def somebody_asks(jdk: object, k: object = MOST, gc: object = GC, flags: object = "") -> "DataFrame":
    """The same beside a thread that calls findDeadlockedThreads each 50 ms; the forks have safepoint logs."""
    return _scores(jdk, k, ASKED, gc, flags)


def _scores(jdk: object, k: object, groups: Mapping[str, int], gc: object = GC, flags: object = "") -> "DataFrame":
    asked: dict[str, Any] = {"jdk": jdk, "gc": gc, "flags": flags, "params": {"k": k}, "groups": dict(groups)}
    return jmh.jmh(BENCHMARK, **asked, options=options(), log="safepoint", deadline=DEADLINE_S, reuse=True)


def cured(jdk: int) -> "DataFrame":
    """`somebody_asks` with each of CURES that shortens the wait, and without: the largest K."""
    return somebody_asks(jdk, flags=[flags for flags in CURES if flags != EXCLUDE_BOTH])


def seldom(jdk: int, interval_ms: int) -> "DataFrame":
    """`somebody_asks` with another interval between two questions than 50 ms: the largest K, over three seconds."""
    params = {"k": MOST, "intervalMs": interval_ms}
    asked: dict[str, Any] = {"params": params, "groups": ASKED, "options": LONG, "deadline": DEADLINE_S}
    return jmh.jmh(BENCHMARK, jdk, gc=GC, **asked, reuse=True)


def prices(jdk: int, flags: object = tuple(CURES)) -> "DataFrame":
    """contains1ToK without neighbours, with each of these flags: lab.jmh's rows, the metric is "score" in us a call."""
    asked: dict[str, Any] = {"params": {"k": PRICE_K}, "groups": ONE, "options": BRIEF, "deadline": DEADLINE_S}
    repeat = profile.by_effort(quick=1, standard=2)  # repetitions lie apart: a busy second does not hit both
    return jmh.jmh(BENCHMARK, jdk, flags, gc=GC, repeat=repeat, **asked, reuse=True)


def waits(frame: "DataFrame", *labels: str) -> "DataFrame":
    """The stops for a search for deadlocks of all runs: one row a stop; the frame's columns `labels` in front."""
    return stops(frame, "Deadlock", labels=labels or ["jdk"])


def ttsp_ms(frame: "DataFrame") -> float:
    """The median time to safepoint of those."""
    return float(waits(frame)["ttsp_ms"].median())


def unfairness(frame: "DataFrame") -> "Series[float]":
    """In each iteration, how much longer a search takes the thread that does one a call than the one that does K."""
    run = cast(BenchRun, load(frame["run"].iloc[0]))
    values = run.iterations.pivot(index=["fork", "iteration"], columns="metric", values="value")
    return values["contains1"] / values["contains1ToK"] * int(frame["k"].iloc[0])


def typical_unfairness(frame: "DataFrame", *by: str) -> "Series[float]":
    """The median of a run's iterations, for each value of these columns."""
    return frame.groupby(list(by))[["run", "k"]].apply(lambda rows: float(unfairness(rows).median()))


def spinner(jdk: int, iterations: int = 300) -> Run:
    """Four stops beside a thread that spins on a compare-and-set; another one is late by so many million iterations.

    Returns:
        A run with the safepoint log, and still_ms: the longest time between two iterations of the spinning thread.
    """
    return launch.java(SPINNER, jdk, gc=GC, args=[4, iterations], log="safepoint", reuse=True)


def spinner_ms(run: Run) -> dict[str, float]:
    """Of such a run, in ms: still_ms, and ttsp_ms, the longest time to safepoint."""
    return {"still_ms": float(run.values["still_ms"]), "ttsp_ms": float(of_run(run, "Deadlock")["ttsp_ms"].max())}
