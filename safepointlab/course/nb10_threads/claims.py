"""What a collection costs the threads beside it: claims 000-17, -18 and -20, each run again on one JDK.

Line-ups of the benchmark BesideGc, as in the post's first example: an empty heap of 1 GB, Parallel, and a collection
every 100 ms. Each value is of one JVM, and a claim is decided where all JVMs say the same.
"""

from statistics import mean

from safepointlab.claims.base import Claim, Evidence, Judgement, decide, differs, holds, spread, unclear
from safepointlab.course.nb10_threads.experiments import (
    ENOUGH_CORES,
    PARKED_MS,
    SCANNED,
    beside,
    beyond_ms,
    by_jvm,
    late_ms,
    need_cores,
)
from safepointlab.run import forks

MOST_OF_IT = 0.75  # of what the call takes beyond its parking; the post's pause is 0.85 of it
HARDLY = 0.1  # of the pause; the post's time to safepoint is 0.004 of it
SPARED = 0.2  # of what the request takes; the post's parked thread is late by 1 ms, where the request takes 18
PARKERS = 5  # JVMs a side: a late park is a rare one
FAR_MORE = 2  # times what the pauses explain; the post's scan loses four times that

BEYOND = "call beyond its 100 ms of parking, by JVM, ms"
PAUSE = "pause, median by JVM, ms"
REACHED = "time to safepoint, median by JVM, ms"
LATE = "parking beyond its 100 ms during collections, by JVM, ms"
LATE_ALONE = "parking beyond its 100 ms without collections, by JVM, ms"
SLOWER = "scan during collections by scan without, by pair of JVMs, times"
EXPLAINED = "explained by the pauses, by pair of JVMs, times"

SETUP = (
    "The lab's benchmark BesideGc, with fewer and shorter iterations than the post's. Parallel on each JDK, which was "
    "the post's default: what is measured is the pause of a known collector."
)


def _call_and_pause(jdk: int, scanning: int = 0, size: int = SCANNED) -> Evidence:
    [scores] = beside(jdk, (1, 1, scanning), size=size)
    return {BEYOND: beyond_ms(scores, "gc"), PAUSE: by_jvm(scores, "total_ms"), REACHED: by_jvm(scores, "ttsp_ms")}


def _pause_and_little_more(measured: Evidence) -> Judgement:
    beyond, pause, reached = measured[BEYOND], measured[PAUSE], measured[REACHED]
    explained = [one > MOST_OF_IT * call for one, call in zip(pause, beyond, strict=True)]
    at_once = [ttsp < HARDLY * one for ttsp, one in zip(reached, pause, strict=True)]
    why = (
        f"the call takes {spread(beyond)} ms beyond its parking, the pause {spread(pause)} ms, and reaching it "
        f"{spread(reached)} ms, in {len(beyond)} JVMs"
    )
    return decide(
        (all(explained) and all(at_once), holds(why)),
        (not any(explained) or not any(at_once), differs(why)),
        otherwise=unclear(f"the JVMs disagree: {why}"),
    )


def _parker(jdk: int) -> Evidence:
    quiet, collecting = beside(jdk, (0, 1, 1), (1, 1, 1), repeat=PARKERS)
    return {LATE: late_ms(collecting), LATE_ALONE: late_ms(quiet), BEYOND: beyond_ms(collecting, "gc")}


def _is_spared(measured: Evidence) -> Judgement:
    late, alone, beyond = measured[LATE], measured[LATE_ALONE], measured[BEYOND]
    later = [parks - never for parks, never in zip(late, alone, strict=True)]
    limit = SPARED * mean(beyond)
    above = sum(each >= limit for each in later)
    why = (
        f"a thread that only parks is late by {spread(late)} ms on average during collections and by {spread(alone)} "
        f"without, and one that parks and collects by {spread(beyond)} ms; in {above} of {len(late)} pairs of JVMs "
        "collections make it later by more than a fifth of that"
    )
    return decide(
        (min(*late, *alone) < 0, unclear(f"a park ended before its time: {why}")),
        (max(alone) > limit, unclear(f"without collections it is late as well: {why}")),
        (mean(later) < limit and above <= 1, holds(why)),
        (above == len(later), differs(why)),
        otherwise=unclear(f"the JVMs disagree: {why}"),
    )


def _share(jdk: int) -> Evidence:
    need_cores()
    quiet, collecting = beside(jdk, (0, 1, 1), (1, 1, 1))
    ratios = forks.middles(collecting, "scan") / forks.middles(quiet, "scan")
    return {SLOWER: list(ratios), EXPLAINED: [1 + ms / PARKED_MS for ms in by_jvm(collecting, "total_ms")]}


def _far_more_than_its_share(measured: Evidence) -> Judgement:
    slower, explained = measured[SLOWER], measured[EXPLAINED]
    more = [ratio - 1 > FAR_MORE * (share - 1) for ratio, share in zip(slower, explained, strict=True)]
    why = (
        f"a scan takes {spread(slower)} times as long during collections, and the pauses explain {spread(explained)} "
        f"times, in {len(slower)} pairs of JVMs"
    )
    return decide(
        (all(more), holds(why)),
        (not any(more), differs(why)),
        otherwise=unclear(f"the pairs disagree: {why}"),
    )


CLAIMS = [
    Claim(
        "000-17",
        "Parking for 100 ms and then collecting takes 100 ms plus the pause and little more; the safepoint is reached "
        "at once",
        as_published="119 ± 1.0 ms, 2 ms more than 100 and the pause of 16.1 ms, of which 0.07 ms to reach it",
        measure=_call_and_pause,
        judge=_pause_and_little_more,
        rule="in each of three JVMs the pause is more than three quarters of what the call takes beyond its 100 ms, "
        "and the time to safepoint is less than a tenth of the pause, by their medians",
        mechanism="No other thread runs Java code. A parked thread is blocked, and the VM thread counts it as stopped "
        "without waiting for it (safepoint.cpp: thread_not_running; up to JDK 12 examine_state_of_thread). What is "
        "left is the collection.",
        setup=f"{SETUP} A second thread parks, as in the post's next run. That the pause itself lasts 15 to 16 ms, as "
        "the post has it, is a number of its machine. Medians of all pauses and of the middle iteration's calls, "
        "where the post has averages that include the warm-up.",
        times=True,
        refuted_by=lambda jdk: _call_and_pause(jdk, scanning=1, size=1 << 28),
        version=5,
    ),
    Claim(
        "000-18",
        "A thread that only parks for 100 ms hardly notices the collections that run meanwhile",
        as_published="parking 101 ± 0.8 ms (100.1 without collections), parking and collecting 118 ± 1.4 ms",
        measure=_parker,
        judge=_is_spared,
        rule="on average over five pairs of JVMs collections make the thread that only parks later by less than a "
        "fifth of what the call that requests them takes beyond its 100 ms, and by more than that in at most one of "
        "the five",
        mechanism="A blocked thread may not return to Java before the operation is over (safepoint.cpp, "
        "arm_safepoint). So it is late only where its 100 ms end within a pause.",
        setup=f"{SETUP} A third thread scans, as in the post's run without collections. With many that do, see 000-64. "
        "In each iteration both threads begin to park at the same moment, so the first park ends just as the request "
        "comes. If the pause catches it, both threads stay in step until the iteration ends, and if not, they drift "
        "apart. So a JVM is late by next to nothing, or by a third of the pause where that happened in one of its "
        "three iterations.",
        times=True,
        refuted_by={LATE: [6.0, 6.2, 6.3, 6.4, 6.6], LATE_ALONE: [0.1, 0.1, 0.1, 0.2, 0.2], BEYOND: [18.0] * PARKERS},
        version=5,
    ),
    Claim(
        "000-20",
        "A pause every 100 ms costs a scanning thread far more than the share of time that the pause takes",
        as_published="32.2 -> 51.4 us, 60 % more, by 15 ms in each 100 ms",
        measure=_share,
        judge=_far_more_than_its_share,
        rule="in each of three pairs of JVMs the scan loses more than twice what the pauses explain, 1 + pause / 100 "
        "ms; in the post it loses four times that",
        mechanism="The post names no reason. On its machine a scan took 40 us already next to a thread that asked for "
        "stops of 0.1 ms (its second example, K=1), so that a part of it was not the collections.",
        setup=f"{SETUP} The post's machine had 48 cores, and as many more threads of the collector. It needs "
        f"{ENOUGH_CORES} cores or more to itself: on fewer the scanning thread, the one that requests and the "
        "machine's other work share cores, and what they lose to each other is as large as what is asked.",
        times=True,
        supported_by={SLOWER: [1.5, 1.6, 1.69], EXPLAINED: [1.15, 1.15, 1.16]},
        refuted_by={SLOWER: [1.05, 1.06, 1.08], EXPLAINED: [1.1, 1.1, 1.1]},
        version=4,
    ),
]
