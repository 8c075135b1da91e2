"""What dumps and searches cost while all threads are stopped: claims 000-29 to -31, -40, -48 and -56, on one JDK.

(000-32, on dumps of a single thread, is with the claims of topic `safepoint`; what grows with the heap, and 000-33, are
in cost_walks.) All of them look at `stopped_ms`, from the moment when the last thread has stopped until all run again.
"""

from math import isfinite
from typing import TYPE_CHECKING

import pandas as pd

from safepointlab.claims.base import Claim, Evidence, Judgement, fails, holds, not_asked, unclear
from safepointlab.course.nb12_cost import beside
from safepointlab.course.nb12_cost import experiments as cost
from safepointlab.errors import FlagRejected
from safepointlab.run import forks

if TYPE_CHECKING:
    from pandas import DataFrame

ONE_DUMP = "stopped by a dump of {} threads, ms"
TTSP, STOP = "time to safepoint, ms", "stopped, ms"
SHALLOW = 16  # calls on a stack: a worker of a benchmark, not of a web server
SEARCH, COLLECTION = "stopped by a search beside {} threads, ms", "stopped by a collection beside 1000 threads, ms"
SLOWER, LATER = "contains1 beside 1000 threads by none", "park beside 1000 threads by none"
ROUND = "the asker's round beside 1000 threads, ms"  # its parking and its call
IN_STEP = 0.15  # of a park: a round that is so near to whole parks keeps step with them
NAMED, NOT_NAMED, REJECTED = "names ThreadDump", "names no operation", "the VM does not start"


def _middle(frame: "DataFrame", column: str = "stopped_ms") -> float:
    return float(pd.to_numeric(frame[column]).median())


def _idle(jdk: int, threads: int, depth: int = cost.DEPTH, what: str = "dump") -> "DataFrame":
    return cost.of_idle(cost.idle(jdk, threads, depth, what))


def _dumps(jdk: int) -> Evidence:
    return {ONE_DUMP.format(count): _middle(_idle(jdk, count)) for count in (10, 100, 1000)}


def _linear(measured: Evidence, jdk: int) -> Judgement:
    few, some, many = (measured[ONE_DUMP.format(count)] for count in (10, 100, 1000))
    if many > 3 * some > 9 * few:
        return holds("each time ten times the threads take several times as long: every stack is walked")
    if many < 1.5 * few:
        return fails("a hundred times the threads do not make a dump longer")
    return unclear("longer with more threads, but not at each step")


def _reached(jdk: int) -> Evidence:
    dumps = _idle(jdk, 1000)
    return {TTSP: _middle(dumps, "ttsp_ms"), STOP: _middle(dumps)}


def _short_and_long(measured: Evidence, jdk: int) -> Judgement:
    if measured[TTSP] > measured[STOP] / 5:
        return fails("it takes a good part of the stop to reach it")
    if measured[TTSP] < measured[STOP] / 20:
        return holds("threads that sleep are at a safepoint already: nobody is waited for")
    return unclear("it takes some of the time to reach it")


def _victim(jdk: int) -> Evidence:
    return forks.range_of(SLOWER, beside.times(jdk, "contains1"))


def _slowed(measured: Evidence, jdk: int) -> Judgement:
    low, high = measured[forks.least(SLOWER)], measured[forks.most(SLOWER)]
    if low > 1.2:
        return holds(f"{low:.2g} times as slow or more, in each pair of forks")
    if high < 1.1:
        return fails(f"not told apart: at most {high:.2g} times as slow")
    return unclear(f"{low:.2g} to {high:.2g} times as slow, by pairs of forks")


def _parks(jdk: int) -> Evidence:
    return {ROUND: beside.round_ms(jdk), **forks.range_of(LATER, beside.times(jdk, "park"))}


def _late(measured: Evidence, jdk: int) -> Judgement:
    least, most = measured[forks.least(LATER)], measured[forks.most(LATER)]
    if least > 1.05:
        return holds("its time ends during a stop, again and again: it returns after that stop")
    if most >= 1.02:
        return unclear(f"{least:.3g} to {most:.3g} times as long: too near to 1 to say")
    if _in_step(measured[ROUND]):
        return unclear("not late; but the asker's round lasts nearly two parks, so that a park may end between stops")
    return fails("a thread that only parks is not late")


def _in_step(round_ms: float) -> bool:
    """Do both begin their parks at the same moment again and again, so that no park ends during a stop?"""
    parks = round_ms / beside.PARKED_MS
    return isfinite(parks) and abs(parks - round(parks)) < IN_STEP


def _searches(jdk: int) -> Evidence:
    """What three of four stops took at least: some are late on a busy machine."""
    searches = {SEARCH.format(count): _idle(jdk, count, SHALLOW, "deadlocks") for count in (10, 1000)}
    frames = {**searches, COLLECTION: _idle(jdk, 1000, SHALLOW, "collect")}
    return {name: float(frame["stopped_ms"].quantile(0.25)) for name, frame in frames.items()}


def _a_little_dearer(measured: Evidence, jdk: int) -> Judgement:
    few, many, collection = measured[SEARCH.format(10)], measured[SEARCH.format(1000)], measured[COLLECTION]
    if many < 1.1 * few:
        return fails("a hundred times the threads do not make a search longer")
    if many > 2 * collection:
        return fails("beside a thousand threads a search takes longer than a collection")
    if many > 1.5 * few and many < collection:
        return holds("longer beside a hundred times the threads, and still cheaper than a collection")
    return unclear("too close to one of the two to say")


def _statistics(jdk: int) -> Evidence:
    try:
        named = "ThreadDump" in cost.statistics(jdk, cost.OLD_FLAGS).output
    except FlagRejected:
        return {"with the flags": REJECTED}
    return {"with the flags": NAMED if named else NOT_NAMED}


def _named(measured: Evidence, jdk: int) -> Judgement:
    if measured["with the flags"] == REJECTED:
        return not_asked("this JDK refuses the flags")
    return holds("one row a stop") if measured["with the flags"] == NAMED else fails("nothing names the operation")


CLAIMS = [
    Claim(
        "000-29",
        "A thread dump takes longer the more threads there are, though they do nothing",
        as_published="0.2, 0.6, 5.5, 61.3, 313.0 ms for 0, 1, 10, 100, 1,000 threads, 256 deep: averages of all stops",
        measure=_dumps,
        judge=_linear,
        refuted_by=({ONE_DUMP.format(10): 5.0, ONE_DUMP.format(100): 5.5, ONE_DUMP.format(1000): 6.0}, 8),
    ),
    Claim(
        "000-30",
        "The time to safepoint stays short then: it is the operation that takes long",
        as_published="0.0 to 1.0 ms",
        measure=_reached,
        judge=_short_and_long,
        refuted_by=({TTSP: 200.0, STOP: 250.0}, 8),
    ),
    Claim(
        "000-31",
        "A thread that has nothing to do with the dumps pays for them",
        as_published="contains1 takes 38.0 us beside no idle thread, 204.5 us beside 1,000",
        measure=_victim,
        judge=_slowed,
        refuted_by=({f"{SLOWER}, at least, times": 0.9, f"{SLOWER}, at most, times": 1.05}, 8),
    ),
    Claim(
        "000-40",
        "-XX:+PrintSafepointStatistics names the operation of each stop",
        as_published="said, of PrintSafepointStatistics and PrintSafepointStatisticsCount=X",
        measure=_statistics,
        judge=_named,
        refuted_by=({"with the flags": NOT_NAMED}, 8),
    ),
    Claim(
        "000-48",
        "A thread that only parks pays for the dumps, too",
        as_published="park takes 100.0 ms beside no idle thread, 257.5 ms beside 1,000",
        measure=_parks,
        judge=_late,
        refuted_by=({ROUND: 250.0, forks.least(LATER): 1.0, forks.most(LATER): 1.01}, 8),
    ),
    Claim(
        "000-56",
        "A search for deadlocks gets more expensive with the threads, but not by much: it is lighter than a collection",
        as_published="said of findDeadlockedThreads, not measured",
        measure=_searches,
        judge=_a_little_dearer,
        refuted_by=({SEARCH.format(10): 1.0, SEARCH.format(1000): 1.0, COLLECTION: 2.0}, 8),
    ),
]
