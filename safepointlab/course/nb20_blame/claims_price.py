"""What sampling at safepoints stops and costs: claims 003d-07 to -09, -14, -17 and -18, each run again on one JDK."""

from statistics import median

from safepointlab.claims.base import Claim, Evidence, Judgement, fails, holds, refuted, unclear
from safepointlab.course import pairs
from safepointlab.course.nb20_blame import experiments, looks
from safepointlab.course.nb20_blame.experiments import DEEP, FEW, MANY, SHALLOW
from safepointlab.course.nb20_blame.looks import CALLS

HANDSHAKES = (
    "between 11 and 17 GetStackTrace became a handshake with that thread (JEP 312); for all stacks all still stop"
)
CLEANUP = "the cleanup at each safepoint walks all stacks, as on 8 and 11 (mark_active_nmethods)"
LOOKS = {f"{mode} of {threads}, stop_ms": (mode, threads) for mode in ("all", "some") for threads in (FEW, MANY)}
MORE, LESS_DEEP = (
    f"with {MANY // FEW} times the threads, stop_ms",
    f"of these {DEEP // SHALLOW} times less deep, stop_ms",
)
PAUSES, AT_LEAST, AT_MOST = "time in pauses, percent", "work lost at least, percent", "work lost at most, percent"
ONE, ALL, SELF = (f"stops for {CALLS} stacks of {whom}" for whom in ("one thread", "all threads", "the caller"))
ANSWERED = "calls answered"
TIMES, FEWER, SHARE_OF_IT = "each 100 ms, looks", "each 400 ms, looks", "each 400 ms, part of the stopped time, percent"
STOP, CAPPED, RUNNING = "all stacks, stop_ms", "ten frames of each, stop_ms", "threads that ran, stop_ms"


def _overhead(jdk: int) -> Evidence:
    """Looks and none, block by block in one JVM; the interval is over the pairs of blocks."""
    run = looks.in_turns(jdk)
    stops = looks.dump_stops(run)[:-1]  # the last dump checks the sleepers
    low, high = pairs.lost_percent(*looks.blocks(run))
    return {PAUSES: 100 * sum(stops) / (looks.TURNS_MS / 2), AT_LEAST: low, AT_MOST: high}


def _more_than_the_pauses(measured: Evidence, jdk: int) -> Judgement:
    if measured[AT_LEAST] > measured[PAUSES]:
        return holds("more work is lost than the pauses take")
    if measured[AT_MOST] < 0.9 * measured[PAUSES]:
        return fails("less work is lost than the pauses take")
    return unclear("the pauses are lost; whether more is, this measurement cannot tell")


def _grows(jdk: int) -> Evidence:
    sizes = {STOP: (FEW, DEEP), MORE: (MANY, DEEP), LESS_DEEP: (MANY, SHALLOW)}
    return {name: experiments.stop_ms(jdk, "all", *size) for name, size in sizes.items()}


def _open_ended(measured: Evidence, jdk: int) -> Judgement:
    base, many, shallow = (measured[name] for name in (STOP, MORE, LESS_DEEP))
    if many > 2.5 * base and many > 1.5 * shallow:
        return holds("each stack of each thread is walked while all stand still")
    return fails("the stop hardly grows") if many < 1.5 * base or many < 1.2 * shallow else unclear("it grows a little")


def _asked(jdk: int) -> Evidence:
    return {name: looks.stops(looks.asked(jdk, whom)) for name, whom in ((ONE, "one"), (ALL, "all"))}


def _global(measured: Evidence, jdk: int) -> Judgement:
    one, everyone = measured[ONE], measured[ALL]
    if one >= 0.9 * CALLS and everyone >= 0.9 * CALLS:  # two that wait at once share a stop
        return holds("each call is a safepoint, for one thread's stack as well")
    if everyone < CALLS / 2:
        return fails("not even all stacks take a stop of all")
    if one < CALLS / 10:
        return refuted("one thread's stack takes no safepoint", jdk, 12, HANDSHAKES)
    return unclear("some calls are safepoints, others are not")


def _self(jdk: int) -> Evidence:
    run = looks.asked(jdk, "self")
    return {SELF: looks.stops(run), ANSWERED: int(float(run.values["answered"]))}


def _no_stop(measured: Evidence, jdk: int) -> Judgement:
    if measured[ANSWERED] < CALLS / 2:
        return unclear("the calls had no answer")
    if measured[SELF] == 0:
        return holds("it stands still while it asks, so its stack can be read at once")
    return (
        fails("the calls are safepoints, too") if measured[SELF] > CALLS / 2 else unclear("some calls are safepoints")
    )


def _capped(jdk: int) -> Evidence:
    return {name: experiments.stop_ms(jdk, mode, threads, DEEP) for name, (mode, threads) in LOOKS.items()}


def _flat(measured: Evidence, jdk: int) -> Judgement:
    all_few, all_many, some_few, some_many = (measured[name] for name in LOOKS)
    if all_many < 2 * all_few:
        return unclear("not even the stop for all grew")
    if some_many > 0.6 * all_many:
        return fails("the stop for a few threads is as long as the one for all")
    if some_many < 2 * max(some_few, 0.5):
        return holds("the stop is as long as the sample is large, not as the JVM")
    return holds(f"far shorter than for all; it grows where {CLEANUP}")


def _cheaper(jdk: int) -> Evidence:
    stops = {name: looks.dump_stops(run)[:-1] for name, run in looks.cheaper(jdk).items()}
    part = 100 * sum(stops["longer"]) / max(sum(stops["all"]), 1e-9)
    counts = {TIMES: len(stops["all"]), FEWER: len(stops["longer"]), SHARE_OF_IT: part}
    medians = {STOP: "all", CAPPED: "capped", RUNNING: "running"}
    return {**counts, **{name: median(stops[way]) if stops[way] else 0.0 for name, way in medians.items()}}


def _boxed(measured: Evidence, jdk: int) -> Judgement:
    fewer, longest = measured[FEWER] <= measured[TIMES] / 2, max(measured[CAPPED], measured[RUNNING])
    if fewer and measured[SHARE_OF_IT] < 60 and longest < 0.6 * measured[STOP]:
        return holds("each of them: fewer stops and as many samples less, shallower stacks, fewer threads")
    if not fewer or measured[SHARE_OF_IT] > 90 or longest > 0.9 * measured[STOP]:
        return fails("one of them does not help")
    return unclear("one of them helps a little only")


CLAIMS = [
    Claim(
        "003d-07",
        "A pause of 5 ms in each 100 ms costs 5 % of the work, and likely more",
        as_published="5 %, by arithmetic; actual damage is likely worse",
        measure=_overhead,
        judge=_more_than_the_pauses,
        refuted_by=({PAUSES: 9.0, AT_LEAST: 1.0, AT_MOST: 4.0}, 8),
    ),
    Claim(
        "003d-08",
        "The cost is open-ended: it grows with the number of threads, and with the depth of their stacks",
        as_published="said, not measured",
        measure=_grows,
        judge=_open_ended,
        refuted_by=({STOP: 5.0, MORE: 5.2, LESS_DEEP: 5.1}, 8),
    ),
    Claim(
        "003d-09",
        "JVMTI's sampling brings the whole JVM to a safepoint, for one thread's stack as well as for all",
        as_published="said of OpenJDK",
        measure=_asked,
        judge=_global,
        refuted_by=({ONE: 0, ALL: 0}, 8),
    ),
    Claim(
        "003d-14",
        "Looking at a few threads, chosen at random each time, would cap the cost",
        as_published="a proposal: 100 of them",
        measure=_capped,
        judge=_flat,
        refuted_by=(dict(zip(LOOKS, (4.0, 25.0, 4.0, 24.0), strict=True)), 8),
    ),
    Claim(
        "003d-17",
        "JVMTI's GetStackTrace needs no safepoint for the thread that calls it",
        as_published="said, not measured",
        measure=_self,
        judge=_no_stop,
        refuted_by=({SELF: CALLS, ANSWERED: CALLS}, 8),
    ),
    Claim(
        "003d-18",
        "A longer interval cuts the cost and the number of samples; less depth, or only threads that run, cut it, too",
        as_published="said, not measured; the last two as advice",
        measure=_cheaper,
        judge=_boxed,
        refuted_by=({TIMES: 16, FEWER: 16, SHARE_OF_IT: 100.0, STOP: 9.0, CAPPED: 9.0, RUNNING: 8.5}, 8),
    ),
]
