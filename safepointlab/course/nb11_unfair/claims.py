"""Who waits for whom at a safepoint, and what cures it: claims 000-23 to -28, -42 and -44, each run again on one JDK.

Two threads search the same bytes: contains1 once a call, contains1ToK K times. A third one parks, and a fourth parks
and requests a safepoint. Ratios are of pairs of JVMs that ran by turns; a claim is decided where all pairs agree.

A cure is judged by the wait and the unfairness beside a thread that requests safepoints, and by its price: how many
times as long the same loop takes with it, alone on the machine.
"""

from collections.abc import Mapping
from functools import partial
from statistics import median
from typing import TYPE_CHECKING

from safepointlab.claims.base import (
    Change,
    Claim,
    Evidence,
    Judgement,
    decide,
    differs,
    holds,
    quantity,
    spread,
    unclear,
)
from safepointlab.course.nb11_unfair import experiments as unfair
from safepointlab.course.nb11_unfair.experiments import ASKED, EXCLUDE, KEEP_CALL, KEEP_POLLS, MOST
from safepointlab.run import forks, jmh, launch
from safepointlab.run.stops import stops

if TYPE_CHECKING:
    from pandas import DataFrame

STRIPS = Change(10, "JDK-8186027 (JDK 10): with G1, C2 keeps a poll between strips of 1,000 iterations")
JVMS = 3  # of each setting
PRICED, FASTEST = 4, 2  # JVMs of each setting whose price is asked, and how many of them count
searches = partial(unfair.searches, standard="-f 1 -wi 1 -w 100ms -i 3 -r 300ms")
GC = "Serial"  # of the cures: like the post's Parallel it leaves no poll in a counted loop
ALONE = {**ASKED, "findDeadlocks": 0}
ONLY_THE_LOOP = {**ALONE, "contains1": 0, "park": 0}
NO_POLLS = "-XX:-UseCountedLoopSafepoints"
C1_ALONE = "-XX:TieredStopAtLevel=1"  # its code polls in all loops, and is slower
SLOWED = 1.3  # times; the post calls 1.29, from 32.3 to 41.7 us, not that significant
LITTLE = 1.15  # times; the post calls 1.05 no loss, and 1.2, of the same loop with another cure, a visible one
TENTH, HUNDREDTH = 0.1, 0.01  # of a call of contains1ToK; the post's median wait is 0.44 of it
SUCKS = 2  # times; the post gives no number
SMALL = 4  # bytes; with 16, JDK 25 takes as long with the call as without on one of two machines
BRIEF = "-f 1 -wi 1 -w 100ms -i 4 -r 100ms"  # of many short iterations the best one is hardly disturbed

SEARCH = f"a search within contains1ToK, K={MOST:,} by K=1, by pair of JVMs, times"
BESIDE = f"contains1, next to K={MOST:,} by next to K=1, by pair of JVMs, times"
FIRST, LAST = "time to safepoint with K=1, median, ms", f"time to safepoint with K={MOST:,}, median by JVM, ms"
CALL = f"call of contains1ToK with K={MOST:,}, median, ms"
VICTIM, CULPRIT, PARKER = (
    f"{name}, with requests by without, by pair of JVMs, times" for name in ("contains1", "contains1ToK", "parking")
)
STILL, LATE, IDLE = "longest gap of the spinner, ms", "longest time to safepoint, ms", "longest with no thread late, ms"
ILL, WELL = "time to safepoint without the cure, median by JVM, ms", "time to safepoint with the cure, median, ms"
UNFAIR_ILL, UNFAIR = (
    f"a search of contains1 by one of contains1ToK {which} the cure, by iteration, times"
    for which in ("without", "with")
)
PLAIN, WITH_CURE = (f"loop of searches of 32 KiB {which} the cure, fastest JVMs, us" for which in ("without", "with"))
PLAIN_SMALL, WITH_CURE_SMALL = (
    f"loop of searches of {SMALL} bytes {which} the cure, fastest JVMs, us" for which in ("without", "with")
)


def _nobody_requests(jdk: int, gc: str | None, groups: Mapping[str, int] = ALONE) -> Evidence:
    ran = searches(jdk, [1, MOST], groups, gc=gc, repeat=JVMS)
    one, many = (ran[ran["k"] == k] for k in (1, MOST))
    search = forks.middles(many, "contains1ToK") / MOST / forks.middles(one, "contains1ToK")
    return {SEARCH: list(search), BESIDE: list(forks.middles(many, "contains1") / forks.middles(one, "contains1"))}


def _linear_and_apart(measured: Evidence) -> Judgement:
    search, beside = measured[SEARCH], measured[BESIDE]
    bent = [ratio > SLOWED or ratio * SLOWED < 1 for ratio in search]
    slowed = [ratio > SLOWED for ratio in beside]
    why = (
        f"with K={MOST:,} a search within contains1ToK takes {spread(search)} times as long as with K=1, one of "
        f"contains1 next to it {spread(beside)} times, in {len(search)} pairs of JVMs"
    )
    return decide(
        (not any(bent) and not any(slowed), holds(why)),
        (all(bent) or all(slowed), differs(why)),
        otherwise=unclear(f"the pairs disagree: {why}"),
    )


def _with_and_without(jdk: int, gc: str | None) -> "tuple[DataFrame, DataFrame]":
    """The searches with the largest K, with a thread that requests safepoints and without one: JVM by JVM in turn."""
    ran = searches(jdk, MOST, [ALONE, ASKED], gc=gc, repeat=JVMS)
    asked = ran["groups"].str.contains("findDeadlocks=1")
    return ran[asked], ran[~asked]


def _waits_ms(scores: "DataFrame") -> list[float]:
    """The median time to safepoint, JVM by JVM."""
    return list(stops(scores, unfair.DEADLOCKS, ["repeat"]).groupby("repeat")["ttsp_ms"].median().astype(float))


def _by_k(jdk: int, gc: str | None) -> Evidence:
    asked, _ = _with_and_without(jdk, gc)
    [first] = _waits_ms(searches(jdk, 1, gc=gc, repeat=1))
    call_us = forks.iterations(asked, "contains1ToK")["value"].median()
    return {FIRST: first, LAST: _waits_ms(asked), CALL: float(call_us) / 1000}


def _grows_with_k(measured: Evidence) -> Judgement:
    first, last, call = measured[FIRST], measured[LAST], measured[CALL]
    why = (
        f"the time to safepoint is {quantity(FIRST, first)} with K=1, and {spread(last)} ms with K={MOST:,} (medians "
        f"of {len(last)} JVMs), where a call of contains1ToK takes {quantity(CALL, call)}"
    )
    return decide(
        (min(last) > TENTH * call and TENTH * min(last) > first, holds(why)),
        (max(last) < HUNDREDTH * call, differs(why, STRIPS)),
        otherwise=unclear(f"neither a tenth nor below a hundredth of the call: {why}"),
    )


def _who_pays(jdk: int, gc: str | None) -> Evidence:
    asked, alone = _with_and_without(jdk, gc)
    metrics = {VICTIM: "contains1", CULPRIT: "contains1ToK", PARKER: "park"}
    return {name: list(forks.middles(asked, each) / forks.middles(alone, each)) for name, each in metrics.items()}


def _the_others(measured: Evidence) -> Judgement:
    victim, culprit, parker = (measured[name] for name in (VICTIM, CULPRIT, PARKER))
    why = (
        f"with requests contains1 takes {spread(victim)} times as long, parking {spread(parker)} times, contains1ToK "
        f"{spread(culprit)} times, in {len(victim)} pairs of JVMs"
    )
    return decide(
        (min(*victim, *parker) > SLOWED > max(culprit), holds(why)),
        (min(culprit) > SLOWED, differs(why)),
        (max(*victim, *parker) < SLOWED, differs(why, STRIPS)),
        otherwise=unclear(f"the pairs disagree: {why}"),
    )


def _spinner(jdk: int) -> Evidence:
    """Four stops next to a thread that spins on a compare-and-set; another is late by so many million iterations."""
    sample = "unfair/SpinnerIsStopped"
    runs = (launch.java(sample, jdk, NO_POLLS, args=[4, late_by], log=unfair.LOG, reuse=True) for late_by in (300, 0))
    late, idle = map(unfair.spinner_ms, runs)
    return {STILL: late["still_ms"], LATE: late["ttsp_ms"], IDLE: idle["ttsp_ms"]}


def _stands_still(measured: Evidence) -> Judgement:
    still, late, idle = (measured[name] for name in (STILL, LATE, IDLE))
    why = (
        f"of four stops the longest time to safepoint is {quantity(LATE, late)}, the spinner's longest gap "
        f"{quantity(STILL, still)}; with no thread late the longest is {quantity(IDLE, idle)}"
    )
    return decide(
        (idle > late / 3, unclear(f"no thread is late, or the spinner itself: {why}")),
        (still < late / 2, differs(why)),
        (0.9 * late < still < 1.5 * late, holds(why)),
        otherwise=unclear(f"the gap is another one than the wait: {why}"),
    )


def _cured(jdk: int, flags: str) -> Evidence:
    """The wait and the unfairness without and with the flags."""
    asked, _ = _with_and_without(jdk, GC)
    with_it = searches(jdk, flags=flags, gc=GC, repeat=1)
    [wait_ms] = _waits_ms(with_it)
    return {
        ILL: _waits_ms(asked),
        WELL: wait_ms,
        UNFAIR_ILL: list(unfair.unfairness(asked)),
        UNFAIR: list(unfair.unfairness(with_it)),
    }


def _is_cured(measured: Evidence) -> Judgement:
    ill, well, before, after = (measured[name] for name in (ILL, WELL, UNFAIR_ILL, UNFAIR))
    why = (
        f"the time to safepoint is {spread(ill)} ms without the cure and {quantity('', well)} with it; a search takes "
        f"contains1 {spread(before)} times as long as contains1ToK without it, and {spread(after)} times with it"
    )
    return decide(
        (min(before) < SLOWED, unclear(f"there is no unfairness to cure: {why}")),
        (well < TENTH * min(ill) and median(after) < SLOWED, holds(why)),
        (well > min(ill) / 2 or min(after) > SLOWED, differs(why)),
        otherwise=unclear(f"a part of the wait or of the unfairness is left: {why}"),
    )


def _loop_us(jdk: int, flags: str, size: int = unfair.BYTES) -> tuple[list[float], list[float]]:
    """A call of contains1ToK alone, without the flags and with them: of each the fastest JVMs, which ran by turns.

    Searches of `size` bytes; however many there are, a call looks at the same number of bytes, as many as a hundred of
    the post's searches do.
    """
    cures = ["", KEEP_CALL] if size == SMALL else ["", KEEP_CALL, EXCLUDE]
    params = {"bytes": size, "intervalMs": 30, "k": 100 * unfair.BYTES // size}
    asked = list(dict.fromkeys([*cures, flags]))
    ran = jmh.jmh(
        unfair.BENCHMARK, jdk, asked, BRIEF, 120, gc=GC, params=params, groups=ONLY_THE_LOOP, repeat=PRICED, reuse=True
    )
    without, with_it = (forks.fastest(ran[ran["flags"] == each], count=FASTEST) for each in ("", flags))
    return without, with_it


def _price(without: list[float], with_it: list[float]) -> list[float]:
    """How many times as long it takes with the cure: each JVM with it by each without."""
    return [cured / max(plain, 1e-9) for cured in with_it for plain in without]


def _scatter(*settings: list[float]) -> float:
    """The most by which the fastest JVMs with equal flags differ, times."""
    return max(max(alike) / max(min(alike), 1e-9) for alike in settings)


def _cured_and_priced(jdk: int, flags: str) -> Evidence:
    without, with_it = _loop_us(jdk, flags)
    return {**_cured(jdk, flags), PLAIN: without, WITH_CURE: with_it}


def _told_price(measured: Evidence) -> str:
    price, scatter = _price(measured[PLAIN], measured[WITH_CURE]), _scatter(measured[PLAIN], measured[WITH_CURE])
    beyond = "beyond" if min(price) > scatter else "within"
    return (
        f"{_is_cured(measured).why}; the loop takes {min(price):.3f} to {max(price):.3f} times as long with the cure, "
        f"{beyond} what the fastest JVMs with equal flags differ by ({scatter:.3f} times)"
    )


def _for_little(measured: Evidence) -> Judgement:
    cured, price, why = _is_cured(measured), _price(measured[PLAIN], measured[WITH_CURE]), _told_price(measured)
    return decide(
        (cured.answer != "holds", Judgement(cured.answer, why)),
        (max(price) < LITTLE, holds(why)),
        (min(price) >= LITTLE, differs(why)),
        otherwise=unclear(f"the pairs leave the price open: {why}"),
    )


def _responsive_and_slow(measured: Evidence) -> Judgement:
    cured, price, why = _is_cured(measured), _price(measured[PLAIN], measured[WITH_CURE]), _told_price(measured)
    return decide(
        (cured.answer != "holds", Judgement(cured.answer, why)),
        (min(price) >= SUCKS, holds(why)),
        (max(price) < SUCKS, differs(why)),
        otherwise=unclear(f"the pairs leave the price open: {why}"),
    )


def _small_array(jdk: int, size: int = SMALL) -> Evidence:
    names = (PLAIN, WITH_CURE, PLAIN_SMALL, WITH_CURE_SMALL)
    return dict(zip(names, (*_loop_us(jdk, KEEP_CALL), *_loop_us(jdk, KEEP_CALL, size)), strict=True))


def _another_story(measured: Evidence) -> Judgement:
    large, small = (
        _price(measured[PLAIN], measured[WITH_CURE]),
        _price(measured[PLAIN_SMALL], measured[WITH_CURE_SMALL]),
    )
    scatter = _scatter(*(measured[name] for name in (PLAIN, WITH_CURE, PLAIN_SMALL, WITH_CURE_SMALL)))
    why = (
        f"with the call kept the loop takes {spread(small)} times as long with searches of {SMALL} bytes, and "
        f"{spread(large)} times with 32 KiB; the fastest JVMs with equal flags differ by up to "
        f"{quantity('_times', scatter)}"
    )
    return decide(
        (min(small) > max(large), holds(why)),
        (median(small) <= median(large), differs(why)),
        otherwise=unclear(f"the pairs overlap: {why}"),
    )


POLLS = (
    "Both loops are counted, and C2 inlines the inner method: without strip mining the next poll comes after the last "
    "of K searches. G1 has had strip mining since JDK 10 (JDK-8186027), Serial and Parallel have none."
)
SETUP = (
    "The lab's benchmark Contains: contains1 searches once a call, contains1ToK K times. The asking thread parks for "
    "10 ms where the post's parks for 100, since a search takes a fraction of the post's 32 us, and a first phase of "
    "short calls gets contains1ToK its standard version."
)
CURE_SETUP = (
    f"{SETUP} Serial on each JDK, which like the post's Parallel leaves no poll in a counted loop: with G1 there has "
    "been no wait to cure since JDK 10 (000-24)."
)
CURED = "the median time to safepoint is less than a tenth of that in any of three JVMs without the cure"
PAIRS = f"pair of a JVM with the cure and one without, of the {FASTEST} fastest of {PRICED} of each, by turns"
FAIR = "a search of contains1 takes less than 1.3 times as long as one of contains1ToK in the median iteration"

CLAIMS = [
    Claim(
        "000-23",
        "Without safepoint requests a loop of K searches takes K times as long, and hardly slows a neighbouring thread",
        as_published="contains1ToK 34.8 to 336,113 us for K=1 to 10,000; contains1 32.3 to 41.7 us",
        measure=_nobody_requests,
        judge=_linear_and_apart,
        rule="in each of three pairs of JVMs a search within contains1ToK takes less than 1.3 times as long with "
        "K=10,000 as with K=1, and not less than 1/1.3 of it, and one of contains1 next to it less than 1.3 times as "
        "long (the post calls 1.29 not that significant)",
        mechanism="The two threads share nothing that is written.",
        setup=SETUP,
        collectors=True,
        times=True,
        refuted_by=lambda jdk: _nobody_requests(jdk, "Serial", ASKED),
        version=3,
    ),
    Claim(
        "000-24",
        "With safepoint requests the time to safepoint grows with the number K of searches in a counted loop",
        as_published="0.1, 0.2, 2.0, 20.7, 152.8 ms for K=1, 10, 100, 1,000, 10,000",
        measure=_by_k,
        judge=_grows_with_k,
        rule="with K=10,000 the median time to safepoint is more than a tenth of a call of contains1ToK in each of "
        "three JVMs, and more than ten times that with K=1; it is refuted below a hundredth of a call",
        mechanism=f"The request waits for the rest of the call that is under way. {POLLS}",
        setup=f"{SETUP} Of the post's five K the first and the last are compared. The requests keep step with the "
        "loop: a stop comes at the end of a call, so the next request comes 10 ms into the next call, and waits for "
        "all the rest of it, not for half a call on average. In the post it is the same after 100 ms: parking and "
        "asking take 348.4 ms, which is one call (346.0 ms).",
        collectors=True,
        times=True,
        version=3,
    ),
    Claim(
        "000-25",
        "Safepoint requests slow the threads next to a long counted loop, even a parked one, and not the loop",
        as_published="K=10,000: contains1 41.7 -> 183.4 us, parking 100.5 -> 194.9 ms; contains1ToK 336,113 -> "
        "346,049 us",
        measure=_who_pays,
        judge=_the_others,
        rule="in each of three pairs of JVMs, with requests and without, a call of contains1 and parking take more "
        "than 1.3 times as long, and a call of contains1ToK less than that",
        mechanism="contains1 polls after each search and stands still until the last thread has stopped, while "
        "contains1ToK goes on. A parked thread counts as stopped, and may not return to Java before the operation is "
        f"over (safepoint.cpp, arm_safepoint). {POLLS}",
        setup=SETUP,
        collectors=True,
        times=True,
        version=3,
    ),
    Claim(
        "000-42",
        "A thread that repeats a compare-and-set is held for as long as another one stays away from the safepoint",
        as_published="said, not measured",
        measure=_spinner,
        judge=_stands_still,
        rule="the spinner's longest gap is 0.9 to 1.5 times the longest time to safepoint, which is more than three "
        "times that of a run with no thread late",
        mechanism="It can't be told how often a compare-and-set fails, so the loop is not counted, and C2 keeps its "
        "poll, between two attempts.",
        setup=f"The lab's program SpinnerIsStopped with the JDK's own collector. {NO_POLLS} keeps the other thread's "
        "counted loop without a poll with G1, too, so that a thread is late.",
        times=True,
        refuted_by={STILL: 0.2, LATE: 210.0, IDLE: 0.1},
        version=2,
    ),
    Claim(
        "000-26",
        "-XX:+UseCountedLoopSafepoints, HotSpot's counterpart to Zing's option, ends the wait and the unfairness",
        as_published="on Zing, +KeepSafepointsInCountedLoops for contains1ToK, K=10,000: stopped 113.4 -> 0.0 ms, "
        "contains1 159.0 -> 40.2 us",
        measure=partial(_cured, flags=KEEP_POLLS),
        judge=_is_cured,
        rule=f"in one JVM with the flag {CURED}, and {FAIR}",
        mechanism="C2 keeps the poll of a counted loop (JDK-6869327, 8u92 and 9).",
        setup=f"{CURE_SETUP} What Zing's option cost there, 20 to 31 %, says nothing of HotSpot's. The option for one "
        "method exists on Zing alone.",
        times=True,
        refuted_by=partial(_cured, flags=NO_POLLS),
        ours=True,
        version=4,
    ),
    Claim(
        "000-27",
        "Not inlining the search within the long loop ends the wait and the unfairness, and costs the loop little",
        as_published="“contains1toK() performance didn't suffer for it”: 8 % shorter to 5 % longer; K=10,000: time to "
        "safepoint 152.8 -> 0.0 ms, contains1 183.4 -> 39.1 us",
        measure=partial(_cured_and_priced, flags=KEEP_CALL),
        judge=_for_little,
        rule=f"with the call kept {CURED}, {FAIR}, and the loop takes less than 1.15 times as long (the post "
        f"calls 1.05 no loss, and 1.2 a visible one) in each {PAIRS}; it does not hold if it takes longer in each. "
        "The reason says whether the price is beyond what the fastest JVMs with equal flags differ by",
        mechanism="A method that is not inlined has a return of its own, which polls: once a search.",
        setup=f"{CURE_SETUP} The price is that of K=100 with no other thread.",
        times=True,
        refuted_by=partial(_cured_and_priced, flags=C1_ALONE),
        version=5,
    ),
    Claim(
        "000-28",
        "Excluding the long loop's method from compilation makes the application respond, and the loop much slower",
        as_published="expected, and not run",
        measure=partial(_cured_and_priced, flags=EXCLUDE),
        judge=_responsive_and_slow,
        rule=f"with the exclusion {CURED}, {FAIR}, and the loop takes at least twice as long in each {PAIRS} (the post "
        "gives no number)",
        mechanism="An exclusion is for the named method alone. The interpreter runs the outer loop, and calls C2's "
        "code for each search.",
        setup=f"{CURE_SETUP} The price is that of K=100 with no other thread.",
        times=True,
        supported_by=partial(_cured_and_priced, flags=C1_ALONE),
        version=5,
    ),
    Claim(
        "000-44",
        "Not inlining the search costs a loop of searches of 4 bytes more than a loop of searches of 32 KiB",
        as_published='"a very different story" with a small array, not measured; 8 % shorter to 5 % longer with 32 KiB',
        measure=_small_array,
        judge=_another_story,
        rule=f"how many times as long the loop takes with the call kept is more with 4 bytes, in each {PAIRS}, than "
        "with 32 KiB in any; it does not hold if the median pair with 4 bytes is not above that with 32 KiB",
        mechanism="The call and the poll at its return are paid once a search, however short it is.",
        setup=f"{CURE_SETUP} As many bytes a call with either size: K is 100 with 32 KiB, and 819,200 with 4 bytes. 4 "
        "bytes is the extreme: with 16, JDK 25 took as long with the call as without on one of two machines. Whether "
        "32 KiB costs nothing is 000-27.",
        times=True,
        refuted_by=lambda jdk: _small_array(jdk, unfair.BYTES),
        version=4,
    ),
]
