"""Threads that run while others collect garbage: claims 000-17 to 000-22, each run again on one JDK, with Parallel.

Four groups of the benchmark BesideGc say who pays for a stop, and a sweep over ScanAndCollect how the time to reach a
safepoint grows with the number of running threads. Both are compared within one JDK and one minute.
"""

import math
from collections.abc import Mapping

from safepointlab.claims.base import Claim, Evidence, Judgement, changed, fails, holds, unclear
from safepointlab.errors import RunFailed
from safepointlab.run.jmh_run import BenchRun
from safepointlab.session import profile
from safepointlab.session.machine import cores
from safepointlab.topics import threads
from safepointlab.topics.threads import PARKED_MS, beside, middle

QUIET_MS = 2.0  # a TTSP beyond this, with a core for each thread, is the machine's doing and not the JVM's


def _stop(measured: BenchRun) -> Mapping[str, float]:
    """The median stop and its TTSP, and the share of all time that was stopped."""
    stops = threads.collections(measured)
    if len(stops) < 3:
        raise RunFailed(f"{measured!r} logged {len(stops)} collections")
    stopped, ttsp = float(stops["total_ms"].median()), float(stops["ttsp_ms"].median())
    return {"stop_ms": stopped, "ttsp_ms": ttsp, "share": stopped / (stopped + PARKED_MS)}


def _baseline(jdk: int) -> Evidence:
    measured = beside(jdk, gc=1)
    return {"gc_ms": middle(measured, "gc") / 1000, **_stop(measured)}


def _is_park_and_stop(measured: Evidence, jdk: int) -> Judgement:
    beyond = measured["gc_ms"] - PARKED_MS
    if beyond < 0.6 * measured["stop_ms"] or beyond > 3 * measured["stop_ms"] + 5:
        return fails("what the request takes beyond its 100 ms of parking is not the stop")
    if measured["ttsp_ms"] > 0.2 * measured["stop_ms"]:
        return fails("a good part of the stop goes into reaching it, with nobody running")
    return holds("nearly all of it is the collection: where nobody runs, nobody is waited for")


def _parker(jdk: int) -> Evidence:
    measured = beside(jdk, gc=1, park=1)
    return {"park_ms": middle(measured, "park") / 1000, "gc_ms": middle(measured, "gc") / 1000}


def _is_spared(measured: Evidence, jdk: int) -> Judgement:
    parker, requester = (measured[name] - PARKED_MS for name in ("park_ms", "gc_ms"))
    if requester < 2:
        return unclear("the collections are too short here to be told from the parking")
    if parker < requester / 2:
        return holds("a parked thread is late only if it wakes up during a stop")
    return fails("the parked thread is as late as the one that asks for collections")


def _scanner(jdk: int) -> Evidence:
    alone, beside_parker = beside(jdk, scan=1), beside(jdk, park=1, scan=1)
    return {"alone_us": middle(alone, "scan"), "beside a parked thread_us": middle(beside_parker, "scan")}


def _costs_nothing(measured: Evidence, jdk: int) -> Judgement:
    ratio = measured["beside a parked thread_us"] / measured["alone_us"]
    if 0.75 < ratio < 1.33:
        return holds("the time itself is the processor's; that nobody disturbs the scan is the point")
    if ratio < 2:  # nobody gets faster by a parked neighbour
        return unclear(f"{ratio:.2f} times as long: the machine did other work meanwhile")
    return fails(f"{ratio:.2f} times as long beside a thread that does nothing")


def _share(jdk: int) -> Evidence:
    """How much slower the scan is beside collections: by the scores, and at least and at most by their intervals."""
    quiet, beside_gc = beside(jdk, park=1, scan=1), beside(jdk, gc=1, park=1, scan=1)
    alone, disturbed = quiet.score("scan"), beside_gc.score("scan")
    share = _stop(beside_gc)["share"]
    most = disturbed["high"] / alone["low"] if alone["low"] > 0 else math.inf
    slower = {
        "slower": disturbed["score"] / alone["score"],
        "at least": disturbed["low"] / alone["high"],
        "at most": most,
    }
    return {"stopped share": share, "explains": 1 / (1 - share), **slower}


def _more_than_its_share(measured: Evidence, jdk: int) -> Judgement:
    if measured["at least"] > 1.1 * measured["explains"]:
        return holds("the scan is slowed down by more than the time it is stopped")
    if measured["at most"] < 1 + 2.5 * (measured["explains"] - 1):
        return fails(
            "the scan is slower by about the share of time it is stopped: on this machine nothing else is lost"
        )
    return unclear("the intervals of the two scores leave both open")


def _reached_ms(jdk: int, count: int) -> float:
    """The TTSP in ms that a quarter of the stops keep below, with so many scanning threads.

    A quarter and not half: other programs on the machine make a TTSP longer, never shorter.
    """
    return float(threads.collections(threads.scan(jdk, count))["ttsp_ms"].quantile(0.25))


def _below_the_cores(jdk: int) -> Evidence:
    many = cores() * 2 // 3
    evidence = {"cores": cores(), "1 thread_ms": _reached_ms(jdk, 1)}
    return evidence | {_with(many): _reached_ms(jdk, many)} if many > 1 else evidence


def _with(count: int) -> str:
    return f"{count} threads_ms"


def _grows_below(measured: Evidence, jdk: int) -> Judgement:
    if measured["cores"] < 8:
        return unclear(f"{measured['cores']} cores leave no room between one thread and a thread a core")
    if measured[_with(measured["cores"] * 2 // 3)] > 2 * measured["1 thread_ms"]:
        return holds("each thread that has to be seen stopping adds its part")
    if jdk >= 13:
        return changed("JDK-8203469 (JDK 13): threads stop without taking a lock from each other")
    return fails("it does not grow")


def _beyond_the_cores(jdk: int) -> Evidence:
    many = profile.by_effort(quick=16, standard=32)
    each = {"one a core_ms": _reached_ms(jdk, cores()), "many a core_ms": _reached_ms(jdk, many * cores())}
    return {"cores": cores(), "many": many, **each}


def _jumps(measured: Evidence, jdk: int) -> Judgement:
    few, many = measured["one a core_ms"], measured["many a core_ms"]
    if few > QUIET_MS:
        return unclear(f"{few:.1f} ms with a core for each thread: the machine did other work meanwhile")
    if many > 3 * few:
        return holds("a thread that waits for a CPU can't look whether it should stop")
    return fails("the threads that wait for a CPU stop as soon as those that have one")


CLAIMS = [
    Claim(
        "000-17",
        "Parking for 100 ms and then collecting takes 100 ms and the stop, of which hardly any goes into reaching it",
        then="119 ± 1 ms; stopped 16.1 ms, of which TTSP 0.07 ms",
        measure=_baseline,
        judge=_is_park_and_stop,
        refuted_by=({"gc_ms": 119.0, "stop_ms": 16.0, "ttsp_ms": 9.0, "share": 0.14}, 8),
    ),
    Claim(
        "000-18",
        "A thread that only parks for 100 ms hardly notices the collections",
        then="parking 101 ± 0.8 ms beside 118 ± 1.4 ms",
        measure=_parker,
        judge=_is_spared,
        refuted_by=({"park_ms": 118.0, "gc_ms": 119.0}, 8),
    ),
    Claim(
        "000-19",
        "Scanning 32 KB takes some tens of microseconds, and a parked thread beside it costs nothing",
        then="32.2 us",
        measure=_scanner,
        judge=_costs_nothing,
        refuted_by=({"alone_us": 12.0, "beside a parked thread_us": 30.0}, 8),
    ),
    Claim(
        "000-20",
        "A stop of 15 ms in each 100 ms costs the scan far more than 15 %",
        then="32 -> 51 us, 60 % more",
        measure=_share,
        judge=_more_than_its_share,
        refuted_by=({"stopped share": 0.14, "explains": 1.16, "slower": 1.2, "at least": 1.1, "at most": 1.3}, 8),
    ),
    Claim(
        "000-21",
        "The time to reach a safepoint grows with the number of running threads, even with a core for each",
        then="0.1 -> 0.7 ms from 1 to 32 threads on 48 cores",
        measure=_below_the_cores,
        judge=_grows_below,
        refuted_by=({"cores": 48, "1 thread_ms": 0.1, "32 threads_ms": 0.11}, 8),
    ),
    Claim(
        "000-22",
        "With more running threads than cores it jumps",
        then="0.7 ms with 32 threads, 5.4 with 64, 10.0 with 512, on 48 cores",
        measure=_beyond_the_cores,
        judge=_jumps,
        refuted_by=({"cores": 2, "many": 32, "one a core_ms": 0.1, "many a core_ms": 0.12}, 17),
    ),
]
