"""What operations cost while all threads stand: claims 000-29 to 000-31, 000-33, 000-40 and 000-43, on one JDK.

(000-32, on dumps of a single thread, is with the claims of topic `safepoint`.) All of them look at `stopped_ms`, from
the moment when the last thread has come until all run again.
"""

from typing import TYPE_CHECKING

import pandas as pd

from safepointlab.claims.base import Claim, Evidence, Judgement, changed, fails, holds, unclear
from safepointlab.errors import FlagRejected
from safepointlab.topics import cost

if TYPE_CHECKING:
    from pandas import DataFrame

SEVERAL = 5.0  # what grows a hundredfold grows at least so much, also on a busy machine; what does not, less
BUSY_MS = 3.0  # who waits that long for a thread that polls each few microseconds waits for a core
SHORTEST_MS = 0.1  # of a stop: below that a single interruption by the system counts for more than any work
ONE_DUMP = "stopped ms, {} threads"
MONITORS = "monitors x100"
NAMED, REJECTED = "names ThreadDump", "the VM does not start"


def _middle(frame: "DataFrame", column: str = "stopped_ms") -> float:
    return float(pd.to_numeric(frame[column]).median())


def _dumps(jdk: int) -> Evidence:
    return {ONE_DUMP.format(count): _middle(_idle(jdk, count)) for count in (10, 100, 1000)}


def _idle(jdk: int, threads: int, depth: int = cost.DEPTH) -> "DataFrame":
    return cost.of_idle(cost.idle(jdk, threads, depth))


def _linear(measured: Evidence, jdk: int) -> Judgement:
    few, some, many = (measured[ONE_DUMP.format(count)] for count in (10, 100, 1000))
    if many > 3 * some > 6 * few:
        return holds(f"a hundred times the threads take {many / few:,.0f} times as long: each stack is walked")
    return fails("more idle threads do not make a dump longer")


def _reached(jdk: int) -> Evidence:
    dumps = _idle(jdk, 1000)
    return {"ttsp_ms, 1000 threads": _middle(dumps, "ttsp_ms"), "stopped ms": _middle(dumps)}


def _short_and_long(measured: Evidence, jdk: int) -> Judgement:
    if measured["ttsp_ms, 1000 threads"] > measured["stopped ms"] / SEVERAL:
        return fails("it takes a good part of the stop to reach it")
    return holds("threads that sleep are at a safepoint already: nobody is waited for")


def _victim(jdk: int) -> Evidence:
    none, many = cost.contains1(jdk, 0), cost.contains1(jdk, 1000)
    alone = {"contains1 us, no idle threads": none["score"], "at most": none["high"]}
    return {**alone, "1000 idle threads": many["score"], "at least": many["low"]}


def _slowed(measured: Evidence, jdk: int) -> Judgement:
    none, many = measured["contains1 us, no idle threads"], measured["1000 idle threads"]
    if many < 1.2 * none:
        return fails("it is as fast as without idle threads")
    if not measured["at least"] > measured["at most"]:
        return unclear("the two scores' intervals overlap")
    return holds(f"the scores' intervals are apart; it takes {many / none:.1f} times as long")


def _sweeps(jdk: int) -> Evidence:
    """Factors by which a stop grows with what it has to do."""
    deep = _middle(_idle(jdk, 1000)) / max(_middle(_idle(jdk, 1000, 16)), SHORTEST_MS)
    dumped = _middle(_idle(jdk, 1000)) / _middle(_idle(jdk, 10))
    little, much = (_middle(cost.collections(cost.heap(jdk, mib))) for mib in cost.SIZES_MIB)
    few, many = (_middle(cost.first_stops(cost.monitors(jdk, count))) for count in cost.MONITOR_COUNTS)
    inflated = max(many, SHORTEST_MS) / max(few, SHORTEST_MS)
    return {"heap x40": much / little, "threads x100": dumped, "stack x16": deep, MONITORS: inflated}


def _each_grows(measured: Evidence, jdk: int) -> Judgement:
    if min(factor for name, factor in measured.items() if name != MONITORS) < 2:
        return fails("one of the first three does not grow")
    if measured[MONITORS] > SEVERAL:
        return holds("each of the four grows with what it has to do")
    if jdk >= 15:
        return changed("JDK-8153224 (JDK 15) has another thread deflate monitors, beside the program")
    return fails("the number of monitors does not matter")


def _statistics(jdk: int) -> Evidence:
    asked = {"old flags": cost.OLD_FLAGS} | ({cost.NEW_FLAG: cost.NEW_FLAG} if jdk > 11 else {})
    return {name: _names_operations(jdk, flags) for name, flags in asked.items()}


def _names_operations(jdk: int, flags: str) -> str:
    try:
        return NAMED if "ThreadDump" in cost.statistics(jdk, flags).output else "no operation"
    except FlagRejected:
        return REJECTED


def _named(measured: Evidence, jdk: int) -> Judgement:
    if measured["old flags"] == NAMED:
        return holds("deprecated on 11, and the table is still printed" if jdk >= 11 else "one row a stop")
    if measured.get(cost.NEW_FLAG) == NAMED:
        return changed("the flags are gone with the old logging (JEP 158); -Xlog:safepoint+stats prints the same table")
    return fails("nothing names the operation")


def _huge(jdk: int) -> Evidence:
    """What three of four stops took at least: one in four may be late for other reasons, on a busy machine."""
    stops = {what: cost.searches(cost.huge(jdk, what)) for what in ("copy", "chunks")}
    return {f"ttsp_ms, {what}": float(rows["ttsp_ms"].quantile(0.25)) for what, rows in stops.items()}


def _waits(measured: Evidence, jdk: int) -> Judgement:
    whole, chunks = measured["ttsp_ms, copy"], measured["ttsp_ms, chunks"]
    if chunks > BUSY_MS:
        return unclear("most stops are late even without a long copy: this machine is too busy just now")
    if whole < SEVERAL * max(chunks, SHORTEST_MS):
        return fails("whoever asks does not wait for the copy")
    return holds("System.arraycopy is one step without a poll; the same bytes in chunks have one after each")


CLAIMS = [
    Claim(
        "000-29",
        "A thread dump takes longer the more threads there are, though they do nothing",
        then="0.2, 0.6, 5.5, 61.3, 313 ms for 0 to 1,000 threads, 256 deep",
        measure=_dumps,
        judge=_linear,
        refuted_by=({ONE_DUMP.format(10): 5.0, ONE_DUMP.format(100): 5.5, ONE_DUMP.format(1000): 6.0}, 8),
    ),
    Claim(
        "000-30",
        "The time to safepoint stays short then: it is the operation that takes long",
        then="0.0 to 1.0 ms",
        measure=_reached,
        judge=_short_and_long,
        refuted_by=({"ttsp_ms, 1000 threads": 200.0, "stopped ms": 250.0}, 8),
    ),
    Claim(
        "000-31",
        "A thread that has nothing to do with the dumps pays for them",
        then="contains1 38 to 204 us",
        measure=_victim,
        judge=_slowed,
        refuted_by=(
            {"contains1 us, no idle threads": 38.0, "at most": 40.0, "1000 idle threads": 39.0, "at least": 38.0},
            8,
        ),
    ),
    Claim(
        "000-33",
        "Operations grow: a collection with the heap, a dump with threads and stacks, deflation with monitors",
        then="said, not measured",
        measure=_sweeps,
        judge=_each_grows,
        refuted_by=({"heap x40": 20.0, "threads x100": 80.0, "stack x16": 8.0, MONITORS: 1.0}, 17),
    ),
    Claim(
        "000-40",
        "-XX:+PrintSafepointStatistics names the operation of each stop",
        then="a table, with PrintSafepointStatisticsCount=1 a row a stop",
        measure=_statistics,
        judge=_named,
        refuted_by=({"old flags": REJECTED, cost.NEW_FLAG: NAMED}, 17),
    ),
    Claim(
        "000-43",
        "Work on one huge array without a poll makes everybody wait for its end",
        then="pauses of 15 s, in a comment",
        measure=_huge,
        judge=_waits,
        refuted_by=({"ttsp_ms, copy": 0.2, "ttsp_ms, chunks": 0.2}, 8),
    ),
]
