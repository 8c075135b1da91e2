"""What operations cost while all threads stand: claims 000-29 to 000-31, 000-33, 000-40 and 000-43, on one JDK.

(000-32, on dumps of a single thread, is with the claims of topic `safepoint`.) All of them look at `stopped_ms`, from
the moment when the last thread has come until all run again.
"""

from typing import TYPE_CHECKING, Any

import pandas as pd

from safepointlab.claims.base import Claim, Evidence, Judgement, changed, fails, holds, unclear
from safepointlab.errors import FlagRejected
from safepointlab.run import jmh, launch
from safepointlab.run.stops import of_run
from safepointlab.session import profile

if TYPE_CHECKING:
    from pandas import DataFrame

OLD_FLAGS = "-XX:+PrintSafepointStatistics -XX:PrintSafepointStatisticsCount=1"
HEAP = "-Xms1g -Xmx1g"
SEVERAL = 5.0  # what grows a hundredfold grows at least so much, also on a busy machine; what does not, less
BUSY_MS = 3.0  # who waits that long for a thread that polls each few microseconds waits for a core
SHORTEST_MS = 0.1  # of a stop: below that a single interruption by the system counts for more than any work


def idle(jdk: int, threads: int, depth: int = 256, what: str = "dump") -> "DataFrame":
    """Ten dumps (or searches for deadlocks) beside idle threads; the first one, which warms up, is left out."""
    run = launch.java("cost/IdleThreads", jdk, args=[what, threads, depth, 10], log="safepoint", reuse=True)
    return of_run(run, "ThreadDump|Deadlock").iloc[1:]


def heap(jdk: int, mib: int) -> "DataFrame":
    """Seven full collections of a heap in which nothing is garbage."""
    run = launch.java("cost/LiveHeap", jdk, HEAP, gc="Serial", args=[mib], log="safepoint", reuse=True)
    return of_run(run, "GC|Collect")


def monitors(jdk: int, objects: int) -> "DataFrame":
    """The first of two stops after so many objects got monitors that nobody uses any more."""
    run = launch.java("cost/InflatedMonitors", jdk, args=[objects], log="safepoint", reuse=True)
    return of_run(run, "Deadlock").iloc[::2]


def huge(jdk: int, what: str) -> "DataFrame":
    """Sixteen stops while a thread works on an array of 600 MiB."""
    flags = "-Xms2400m -Xmx2400m"
    run = launch.java("cost/HugeArray", jdk, flags, gc="Serial", args=[what, 600, 16], log="safepoint", reuse=True)
    return of_run(run, "Deadlock")


def contains1(jdk: int, threads: int) -> dict[str, float]:
    """JMH's score of a search, in us, and its interval, beside dumps of all threads, of which so many are idle."""
    options = profile.by_effort(quick="-f 1 -wi 1 -w 200ms -i 4 -r 400ms", standard="-f 1 -wi 2 -w 500ms -i 8 -r 1s")
    asked: dict[str, Any] = {"params": {"idle": threads}, "log": "safepoint", "deadline": 60, "reuse": True}
    found = jmh.jmh("cost.BesideDumps", jdk, options=options, **asked)
    [row] = found[found["metric"] == "contains1"].to_dict("records")
    return {name: float(row[name]) for name in ("score", "low", "high")}


def _middle(frame: "DataFrame", column: str = "stopped_ms") -> float:
    return float(pd.to_numeric(frame[column]).median())


def _dumps(jdk: int) -> Evidence:
    return {f"stopped ms, {n} threads": _middle(idle(jdk, n)) for n in (10, 100, 1000)}


def _linear(measured: Evidence, jdk: int) -> Judgement:
    few, some, many = measured.values()
    if many > 3 * some > 6 * few:
        return holds(f"a hundred times the threads take {many / few:,.0f} times as long: each stack is walked")
    return fails("more idle threads do not make a dump longer")


def _reached(jdk: int) -> Evidence:
    dumps = idle(jdk, 1000)
    return {"ttsp_ms, 1000 threads": _middle(dumps, "ttsp_ms"), "stopped ms": _middle(dumps)}


def _short_and_long(measured: Evidence, jdk: int) -> Judgement:
    ttsp, stopped = measured.values()
    if ttsp > stopped / SEVERAL:
        return fails("it takes a good part of the stop to reach it")
    return holds("threads that sleep are at a safepoint already: nobody is waited for")


def _victim(jdk: int) -> Evidence:
    none, many = contains1(jdk, 0), contains1(jdk, 1000)
    found = {"contains1 us, no idle threads": none["score"], "at most": none["high"]}
    return {**found, "1000 idle threads": many["score"], "at least": many["low"]}


def _slowed(measured: Evidence, jdk: int) -> Judgement:
    none, most, many, least = measured.values()
    if many < 1.2 * none:
        return fails("it is as fast as without idle threads")
    if not least > most:
        return unclear("the two scores' intervals overlap")
    return holds(f"the scores' intervals are apart; it takes {many / none:.1f} times as long")


def _sweeps(jdk: int) -> Evidence:
    """Factors by which a stop grows with what it has to do."""
    deep = _middle(idle(jdk, 1000)) / max(_middle(idle(jdk, 1000, 16)), SHORTEST_MS)
    inflated = max(_middle(monitors(jdk, 500_000)), SHORTEST_MS) / max(_middle(monitors(jdk, 5_000)), SHORTEST_MS)
    collected = _middle(heap(jdk, 400)) / _middle(heap(jdk, 10))
    dumped = _middle(idle(jdk, 1000)) / _middle(idle(jdk, 10))
    return {"heap x40": collected, "threads x100": dumped, "stack x16": deep, "monitors x100": inflated}


def _each_grows(measured: Evidence, jdk: int) -> Judgement:
    *others, inflated = measured.values()
    if min(others) < 2:
        return fails("one of the first three does not grow")
    if inflated > SEVERAL:
        return holds("each of the four grows with what it has to do")
    if jdk >= 15:
        return changed("JDK-8153224 (JDK 15) has another thread deflate monitors, beside the program")
    return fails("the number of monitors does not matter")


def _statistics(jdk: int) -> Evidence:
    asked = {"old flags": OLD_FLAGS} | ({"-Xlog:safepoint+stats": "-Xlog:safepoint+stats"} if jdk > 11 else {})
    return {name: _names_operations(jdk, flags) for name, flags in asked.items()}


def _names_operations(jdk: int, flags: str) -> str:
    try:
        run = launch.java("cost/IdleThreads", jdk, flags, args=["dump", 3, 8, 2], reuse=True)
    except FlagRejected:
        return "the VM does not start"
    return "names ThreadDump" if "ThreadDump" in run.output else "no operation"


def _named(measured: Evidence, jdk: int) -> Judgement:
    old, *new = measured.values()
    if old == "names ThreadDump":
        return holds("deprecated on 11, and the table is still printed" if jdk >= 11 else "one row a stop")
    if new == ["names ThreadDump"]:
        return changed("the flags are gone with the old logging (JEP 158); -Xlog:safepoint+stats prints the same table")
    return fails("nothing names the operation")


def _huge(jdk: int) -> Evidence:
    """What three of four stops took at least: one in four may be late for other reasons, on a busy machine."""
    return {f"ttsp_ms, {what}": float(huge(jdk, what)["ttsp_ms"].quantile(0.25)) for what in ("copy", "chunks")}


def _waits(measured: Evidence, jdk: int) -> Judgement:
    whole, chunks = measured.values()
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
        refuted_by=({"10": 5.0, "100": 5.5, "1000": 6.0}, 8),
    ),
    Claim(
        "000-30",
        "The time to safepoint stays short then: it is the operation that takes long",
        then="0.0 to 1.0 ms",
        measure=_reached,
        judge=_short_and_long,
        refuted_by=({"ttsp_ms": 200.0, "stopped ms": 250.0}, 8),
    ),
    Claim(
        "000-31",
        "A thread that has nothing to do with the dumps pays for them",
        then="contains1 38 to 204 us",
        measure=_victim,
        judge=_slowed,
        refuted_by=({"none": 38.0, "at most": 40.0, "many": 39.0, "at least": 38.0}, 8),
    ),
    Claim(
        "000-33",
        "Operations grow: a collection with the heap, a dump with threads and stacks, deflation with monitors",
        then="said, not measured",
        measure=_sweeps,
        judge=_each_grows,
        refuted_by=({"heap": 20.0, "threads": 80.0, "stack": 8.0, "monitors": 1.0}, 17),
    ),
    Claim(
        "000-40",
        "-XX:+PrintSafepointStatistics names the operation of each stop",
        then="a table, with PrintSafepointStatisticsCount=1 a row a stop",
        measure=_statistics,
        judge=_named,
        refuted_by=({"old": "the VM does not start", "new": "names ThreadDump"}, 17),
    ),
    Claim(
        "000-43",
        "Work on one huge array without a poll makes everybody wait for its end",
        then="pauses of 15 s, in a comment",
        measure=_huge,
        judge=_waits,
        refuted_by=({"copy": 0.2, "chunks": 0.2}, 8),
    ),
]
