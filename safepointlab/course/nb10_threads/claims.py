"""One thread beside another that collects garbage: claims 000-17 to 000-20 and 000-58, each run again on one JDK.

Line-ups of the benchmark BesideGc, as in the post's first example: an empty heap of 1 GB, Parallel, and a collection
each 100 ms. Times are medians over the iterations of all forks, or their quartiles where a bound decides.
"""

from safepointlab.claims.base import Claim, Evidence, Judgement, differs, holds, unclear
from safepointlab.course.nb10_threads import experiments as threads
from safepointlab.course.nb10_threads.experiments import PARKED_MS, beside, middle
from safepointlab.errors import RunFailed
from safepointlab.run import forks
from safepointlab.run.stops import stops

HARDLY_PERCENT = 2.0  # of a stop; the post's time to safepoint is 0.4 %
LATE_MS = 2.0  # the post's parked thread is 1 ± 0.8 ms late
ASKER_MS = 4.0  # a collection that delays even its caller by less is no test of whom it spares
EMPTY_STOP_MS, BEYOND_MS = (10.0, 24.0), (1.0, 4.0)  # about the post's 15 to 16 ms, and its "2 ms more"
FAR_MORE = 2.0  # the post's scan loses four times the share that the stops explain

CALL, CALL_LEAST = "parking and collecting, ms", "parking and collecting, lower quartile, ms"
STOP, TTSP = "stop, ms", "of it TTSP, ms"
PARK_LOW, PARK_HIGH = "parking beside it, lower quartile, ms", "parking beside it, upper quartile, ms"
PARK_ALONE, SHORTEST = "parking without collections, ms", "shortest stop, ms"
SCAN, PARK = "scan, us", "parking beside it, ms"
EXPLAINED, LEAST, MOST = "explained by the stops, times", "slower, at least, times", "slower, at most, times"


def _alone(jdk: int, *names: str) -> Evidence:
    """Of the thread that parks and collects, with no other thread: these of its numbers."""
    scores = beside(jdk, gc=1)
    found = stops(scores, threads.COLLECTIONS)
    if len(found) < 3:
        raise RunFailed(f"the log has {len(found)} collections")
    numbers = {
        CALL: middle(scores, "gc") / 1000,
        CALL_LEAST: middle(scores, "gc", 0.25) / 1000,
        STOP: float(found["total_ms"].median()),
        SHORTEST: float(found["total_ms"].min()),
        TTSP: float(found["ttsp_ms"].median()),
    }
    return {name: numbers[name] for name in names}


def _is_park_and_stop(measured: Evidence) -> Judgement:
    stop, beyond = measured[STOP], measured[CALL] - PARKED_MS
    if measured[TTSP] > 5 * HARDLY_PERCENT / 100 * stop:
        return differs("a good part of the stop goes into reaching it, with nobody running")
    if beyond < 0.6 * stop or measured[CALL_LEAST] - PARKED_MS > 2 * stop + BEYOND_MS[1]:
        return differs("what the request takes beyond its 100 ms of parking is not the stop")
    if measured[TTSP] <= HARDLY_PERCENT / 100 * stop and beyond <= 1.25 * stop + BEYOND_MS[1]:
        return holds("nearly all of it is the collection: where nobody runs, nobody is waited for")
    return unclear("near the limits: a busy machine makes both longer")


def _two_ms_more(measured: Evidence) -> Judgement:
    stop, beyond = measured[STOP], measured[CALL] - PARKED_MS - measured[STOP]
    if stop < EMPTY_STOP_MS[0] or measured[SHORTEST] > EMPTY_STOP_MS[1]:
        return unclear(f"an empty heap of 1 GB stops this JVM for {stop:.1f} ms: another machine than the post's")
    if stop > EMPTY_STOP_MS[1]:
        return unclear(
            "some stops are as short as the post's, and most are longer: other work on this machine can be it"
        )
    if beyond < BEYOND_MS[0]:
        return differs(f"the call takes {beyond:.1f} ms more than parking and stop")
    if beyond > BEYOND_MS[1]:
        return unclear(f"{beyond:.1f} ms more than parking and stop: a busy machine makes the call longer, too")
    return holds(f"{beyond:.1f} ms for waking the VM thread and the caller, and what the parking takes longer")


def _parker(jdk: int) -> Evidence:
    scores, (quiet, _) = beside(jdk, gc=1, park=1), threads.paired(jdk)
    return {
        CALL: middle(scores, "gc") / 1000,
        PARK_LOW: middle(scores, "park", 0.25) / 1000,
        PARK_HIGH: middle(scores, "park", 0.75) / 1000,
        PARK_ALONE: middle(quiet, "park") / 1000,
    }


def _is_spared(measured: Evidence) -> Judgement:
    if measured[CALL] - PARKED_MS < ASKER_MS:
        return unclear("the collections are too short here to be told from the parking")
    if measured[PARK_LOW] - max(PARKED_MS, measured[PARK_ALONE]) > LATE_MS:
        return differs("the parked thread is late by more than the post's 1 ± 0.8 ms")
    if measured[PARK_HIGH] - PARKED_MS <= LATE_MS:
        return holds("a parked thread is blocked: it is late only if its time is up during a stop")
    return unclear("some iterations are late by more than the post's, and some by less")


def _scanner(jdk: int) -> Evidence:
    quiet, _ = threads.paired(jdk)
    return {SCAN: middle(quiet, "scan"), PARK: middle(quiet, "park", 0.25) / 1000}


def _in_microseconds(measured: Evidence) -> Judgement:
    if not 1 <= measured[SCAN] < 1000:
        return differs("the scan's time is not one of microseconds")
    if not PARKED_MS - 0.1 < measured[PARK] < PARKED_MS + 5:
        return differs("parking takes another time than it was asked to, with nobody who collects")
    if measured[PARK] > PARKED_MS + 1:
        return unclear("parking takes some ms longer: other work on this machine can be it")
    return holds("neither thread makes the other one wait")


def _share(jdk: int) -> Evidence:
    """By how much the scan is slower beside collections, in forks that ran by turns; and what the stops explain."""
    quiet, collecting = threads.paired(jdk)
    ratios = forks.middles(collecting, "scan") / forks.middles(quiet, "scan")
    stopped_ms = float(stops(collecting, threads.COLLECTIONS)["total_ms"].median())
    return {EXPLAINED: 1 + stopped_ms / PARKED_MS, LEAST: float(ratios.min()), MOST: float(ratios.max())}


def _far_more_than_its_share(measured: Evidence) -> Judgement:
    border = 1 + FAR_MORE * (measured[EXPLAINED] - 1)
    if measured[LEAST] > border:
        return holds("the scan loses more than twice the time that it is stopped")
    if measured[MOST] < border:
        return differs("the scan loses less than twice the time that it is stopped")
    return unclear("the pairs of forks leave both open")


CLAIMS = [
    Claim(
        "000-17",
        "Parking for 100 ms and then collecting takes 100 ms and the stop, of which hardly any goes into reaching it",
        as_published="119 ± 1.0 ms; stopped 16.1 ms, of which TTSP 0.07 ms",
        measure=lambda jdk: _alone(jdk, CALL, CALL_LEAST, STOP, TTSP),
        judge=_is_park_and_stop,
        refuted_by={CALL: 119.0, CALL_LEAST: 118.5, STOP: 16.0, TTSP: 3.0},
    ),
    Claim(
        "000-18",
        "A thread that only parks for 100 ms hardly notices the collections beside it",
        as_published="parking 101 ± 0.8 ms, parking and collecting 118 ± 1.4 ms",
        measure=_parker,
        judge=_is_spared,
        refuted_by={CALL: 118.0, PARK_LOW: 106.0, PARK_HIGH: 107.0, PARK_ALONE: 100.1},
    ),
    Claim(
        "000-19",
        "Without collections scanning 32 KB takes microseconds, and parking for 100 ms beside it takes 100 ms",
        as_published="scan 32.2 ± 0.02 us, parking 100.1 ± 0.0 ms",
        measure=_scanner,
        judge=_in_microseconds,
        refuted_by={SCAN: 1200.0, PARK: 100.1},
    ),
    Claim(
        "000-20",
        "A stop each 100 ms costs the scan far more than the share of time that it takes (judged: more than twice)",
        as_published="32.2 -> 51.4 us, 60 % more, by 15 ms in each 100 ms",
        measure=_share,
        judge=_far_more_than_its_share,
        refuted_by={EXPLAINED: 1.15, LEAST: 1.1, MOST: 1.2},
    ),
    Claim(
        "000-58",
        "The call takes some 2 ms more than parking and stop, and an empty heap of 1 GB is stopped for 15 to 16 ms",
        as_published="119 ms of 100 + 16.1, and 118 of 100 + 15.9",
        measure=lambda jdk: _alone(jdk, CALL, STOP, SHORTEST),
        judge=_two_ms_more,
        refuted_by={CALL: 116.5, STOP: 16.0, SHORTEST: 15.0},
    ),
]
