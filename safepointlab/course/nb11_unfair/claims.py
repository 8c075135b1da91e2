"""Who waits for whom at a safepoint: claims 000-23 to -25, -42 and -47, each run again on one JDK.

Two threads search the same bytes: contains1 once a call, contains1ToK K times. A third one parks, and a fourth parks
and asks for a safepoint. What is compared ran by turns, in more than one pair of forks: a claim's ratios are the
smallest and the largest of these pairs. The collector is Parallel, which 8 chose by itself; where the JDK's own choice
of today decides, it is run, too: one fork, whose two searches are compared with each other.
"""

from typing import TYPE_CHECKING

from safepointlab import jdks
from safepointlab.claims.base import Claim, Evidence, Judgement, fails, holds, refuted, unclear
from safepointlab.course.nb11_unfair import experiments as unfair
from safepointlab.course.nb11_unfair.experiments import ALONE, ASKED, KS, MOST, by_turns, chosen, somebody_asks
from safepointlab.run import forks
from safepointlab.run.forks import least, most

if TYPE_CHECKING:
    from pandas import DataFrame, Series

STRIP_MINING = "JDK-8186027 (JDK 10) cuts counted loops into strips with G1; with Serial or Parallel it is as it was"
ENDS = (1, MOST)  # the Ks that are compared; in `full` all of the post's are run
LINEAR, FLAT, BENT = 1.25, 1.5, 2.0  # of K times as long, and of its own time with K=1; the post's are 1.04 and 1.29
SLOWED, SAME, SLOWED_TOO = 1.5, 1.25, 1.5  # the post's contains1 takes 4.4 times as long if asked, contains1ToK 1.03
RISES, STOPS_RISING = 30.0, 10.0  # from K=1 to 10,000; the post's wait gets 1,500 times as long
PARKS = 1.3  # times its time; the post's takes 1.95 times as long
OWN = "with the JDK's own collector"
TTSP_OWN = f"TTSP with K={MOST} {OWN}, ms"
OFF_LINE = "contains1ToK with the largest K, nobody asks, by K times its time with K=1"
OTHER = "contains1 beside it by its time beside K=1"
VICTIM, CULPRIT = "contains1 asked by not asked", "contains1ToK asked by not asked"
VICTIM_OWN = f"a search of contains1 by one of contains1ToK {OWN}, quartiles"
PARK_1, PARK_MOST = "parking by its time, K=1", f"parking by its time, K={MOST}"
STILL, LATE, IDLE = "longest gap of the spinner, ms", "longest TTSP, ms", "longest TTSP with nobody late, ms"


def _ttsp(k: int) -> str:
    return f"TTSP with K={k}, ms"


def _nobody_asks(jdk: int) -> Evidence:
    ran = by_turns(jdk, unfair.ks(ENDS))
    scores = {k: chosen(ran, ALONE, k) for k in unfair.ks(ENDS)}
    first = scores.pop(1)
    lines = [_searches(frame) / _searches(first) for frame in scores.values()]
    others = [forks.bests(frame, "contains1") / forks.bests(first, "contains1") for frame in scores.values()]
    return {**_worst(OFF_LINE, [ratios.map(_off) for ratios in lines]), **_worst(OTHER, others)}


def _searches(scores: "DataFrame") -> "Series[float]":
    """A search of contains1ToK by one of contains1 beside it, which a busy machine slows as well; one a fork."""
    return 1 / unfair.unfairness(scores).groupby("repeat").median()


def _off(ratio: float) -> float:
    return max(ratio, 1 / ratio)


def _worst(name: str, each: "list[Series[float]]") -> dict[str, float]:
    """Of the K with the largest ratios: the smallest of its pairs; and the largest of all."""
    return {least(name): float(max(ratios.min() for ratios in each)), most(name): float(max(map(max, each)))}


def _linear_and_flat(measured: Evidence, jdk: int) -> Judgement:
    if measured[least(OFF_LINE)] > BENT:
        return fails("contains1ToK does not take K times as long")
    if measured[least(OTHER)] > BENT:
        return fails("contains1 is slowed by its neighbour, though nobody asks for a safepoint")
    if measured[most(OFF_LINE)] < LINEAR and measured[most(OTHER)] < FLAT:
        return holds("two threads, nothing shared that is written")
    return unclear("the pairs of forks differ too much")


def _ttsp_by_k(jdk: int) -> Evidence:
    waits = {_ttsp(k): unfair.ttsp_ms(somebody_asks(jdk, k, forks=1)) for k in unfair.ks()}
    return {**waits, TTSP_OWN: unfair.ttsp_ms(_with_own_collector(jdk))}


def _with_own_collector(jdk: int) -> "DataFrame":
    """One fork; where the JDK's own choice is the post's collector, it is the run with that."""
    own = jdks.get(jdk).collector
    return somebody_asks(jdk, gc=unfair.GC if own == unfair.GC else None, forks=1)


def _grows_with_k(measured: Evidence, jdk: int) -> Judgement:
    waits = [measured[name] for name in map(_ttsp, KS) if name in measured]
    own, first, last = measured[TTSP_OWN], waits[0], waits[-1]
    if last < STOPS_RISING * first:
        return fails("the safepoint does not wait for the long loop")
    if last < RISES * first or any(longer < shorter / 2 for shorter, longer in zip(waits, waits[1:], strict=False)):
        return unclear("other threads than the one with the loop were late, too")
    if own < last / 10:
        return refuted(f"it grows with Parallel, and not {OWN}", jdk, since=10, cause=STRIP_MINING)
    if own < last / 3:
        return unclear(f"it grows with Parallel, and less {OWN}")
    return holds("the request waits for the rest of the call that is under way")


def _who_pays(jdk: int) -> Evidence:
    ran = by_turns(jdk, unfair.ks(ENDS))
    asked, alone = chosen(ran, ASKED), chosen(ran, ALONE)
    own = unfair.unfairness(_with_own_collector(jdk)).quantile([0.25, 0.75])
    return {
        **forks.range_of(VICTIM, forks.middles(asked, "contains1") / forks.middles(alone, "contains1")),
        **forks.range_of(CULPRIT, forks.bests(asked, "contains1ToK") / forks.bests(alone, "contains1ToK")),
        **forks.range_of(VICTIM_OWN, own),
    }


def _the_victim(measured: Evidence, jdk: int) -> Judgement:
    if measured[most(VICTIM)] < SLOWED:
        return fails("contains1 is hardly slowed")
    if measured[least(CULPRIT)] > SLOWED_TOO:
        return fails("contains1ToK is slowed, too")
    if measured[least(VICTIM)] < SLOWED or measured[most(CULPRIT)] > SAME:
        return unclear("the pairs of forks differ too much")
    if measured[most(VICTIM_OWN)] < SLOWED:
        return refuted(f"so it is with Parallel, and not {OWN}", jdk, since=10, cause=STRIP_MINING)
    if measured[least(VICTIM_OWN)] < SLOWED:
        return unclear(f"so it is with Parallel; {OWN} the iterations differ too much")
    return holds("the thread that polls stands still while the one without a poll goes on")


def _who_parks(jdk: int) -> Evidence:
    parked_us = unfair.setup()["intervalMs"] * 1000
    ran = by_turns(jdk, unfair.ks(ENDS))
    times = {PARK_1: chosen(ran, ASKED, 1), PARK_MOST: chosen(ran, ASKED)}
    return {
        name: value
        for label, frame in times.items()
        for name, value in forks.range_of(label, forks.middles(frame, "park") / parked_us).items()
    }


def _pays_too(measured: Evidence, jdk: int) -> Judgement:
    if measured[most(PARK_MOST)] < PARKS:
        return fails("parking takes hardly longer beside the long loop")
    if measured[least(PARK_1)] > PARKS:
        return unclear("parking takes longer beside the short loop, too: the machine did other work meanwhile")
    if measured[least(PARK_MOST)] > PARKS and measured[most(PARK_1)] < PARKS:
        return holds("nobody waits for a parked thread, but it may not return before the stop is over")
    return unclear("the pairs of forks differ too much")


def _spinner(jdk: int) -> Evidence:
    late, early = (unfair.spinner_ms(unfair.spinner(jdk, iterations)) for iterations in (300, 0))
    return {STILL: late["still_ms"], LATE: late["ttsp_ms"], IDLE: early["ttsp_ms"]}


def _stands_still(measured: Evidence, jdk: int) -> Judgement:
    still, late, idle = (measured[name] for name in (STILL, LATE, IDLE))
    if idle > 0.8 * late:
        return fails("the spinning thread itself comes late, or nobody does")
    if still < 0.8 * late:
        return fails("it goes on while the safepoint waits for the late thread")
    if idle < late / 3 and still < 1.5 * late:
        return holds("it stops between two attempts that fail, and stands until the late thread has come")
    return unclear("it stood still for longer than the safepoint took, or was late itself: other work on this machine")


CLAIMS = [
    Claim(
        "000-23",
        "Without a safepoint contains1ToK takes K times as long, and contains1 beside it is not slowed significantly",
        as_published="contains1ToK 34.8, 349.7, 3,453, 33,420, 336,113 us for K=1 to 10,000; contains1 32.3 to 41.7 us",
        measure=_nobody_asks,
        judge=_linear_and_flat,
        refuted_by=({least(OFF_LINE): 2.1, most(OFF_LINE): 2.3, least(OTHER): 1.0, most(OTHER): 1.2}, 8),
    ),
    Claim(
        "000-24",
        "When somebody asks for safepoints, the time to safepoint grows with K",
        as_published="0.1, 0.2, 2.0, 20.7, 152.8 ms for K=1, 10, 100, 1,000, 10,000",
        measure=_ttsp_by_k,
        judge=_grows_with_k,
        refuted_by=({_ttsp(1): 12.0, _ttsp(100): 15.0, _ttsp(MOST): 100.0, TTSP_OWN: 100.0}, 8),
    ),
    Claim(
        "000-25",
        "It is contains1 that pays: it is slowed, and contains1ToK keeps its speed",
        as_published="K=10,000: contains1 41.7 -> 183.4 us, contains1ToK 336,113 -> 346,049 us",
        measure=_who_pays,
        judge=_the_victim,
        refuted_by=(
            {
                least(VICTIM): 4.0, most(VICTIM): 5.0, least(CULPRIT): 1.6, most(CULPRIT): 1.7,
                least(VICTIM_OWN): 4.0, most(VICTIM_OWN): 5.0,
            },
            8,
        ),
    ),
    Claim(
        "000-42",
        "A loop that repeats a compare-and-set is not counted and polls: its thread is held for as long as another one "
        "stays away from the safepoint",
        as_published="said, not measured",
        measure=_spinner,
        judge=_stands_still,
        refuted_by=({STILL: 300.0, LATE: 400.0, IDLE: 20.0}, 8),
    ),
    Claim(
        "000-47",
        "A thread that only parks pays, too: beside the long loop its parking takes much longer",
        as_published="park 100.0 -> 194.9 ms, K=1 -> 10,000",
        measure=_who_parks,
        judge=_pays_too,
        refuted_by=({least(PARK_1): 1.0, most(PARK_1): 1.0, least(PARK_MOST): 1.1, most(PARK_MOST): 1.2}, 8),
    ),
]  # fmt: skip
