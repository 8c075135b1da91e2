"""Who waits for whom at a safepoint, and what brings a poll into the long loop: 000-23 to -28, -42, -44, -47 and -57.

Two threads search the same bytes: contains1 once a call, contains1ToK K times. A third one parks, and a fourth parks
and asks for a safepoint. What is compared ran by turns, in more than one pair of forks: a claim's ratios are the
smallest and the largest of these pairs. The collector is Parallel, which 8 chose by itself; where the JDK's own choice
of today decides, it is run, too: one fork, whose two searches are compared with each other.

A cure is judged by the wait and the unfairness beside a thread that asks, and by its price: how many times as long the
same loop takes with it, alone on the machine, in pairs of forks that ran by turns.
"""

from functools import partial
from typing import TYPE_CHECKING

from safepointlab import jdks
from safepointlab.claims.base import Change, Claim, Evidence, Judgement, differs, holds, not_applicable, unclear
from safepointlab.course.nb11_unfair import experiments as unfair
from safepointlab.course.nb11_unfair.experiments import GC, KEEP_CALL, KEEP_POLLS, MOST, searches
from safepointlab.errors import FlagRejected
from safepointlab.run import forks, jmh, launch, profile
from safepointlab.run.forks import least, most
from safepointlab.run.stops import stops

if TYPE_CHECKING:
    from pandas import DataFrame, Series

STRIP_MINING = "JDK-8186027 (JDK 10) cuts counted loops into strips with G1; with Serial or Parallel it is as it was"
ALONE, ONE = {**unfair.ASKED, "findDeadlocks": 0}, {"contains1": 0, "contains1ToK": 1, "findDeadlocks": 0, "park": 0}
KS = (1, 10, 100, 1_000, MOST)  # the post's
LINEAR, FLAT, BENT = 1.25, 1.5, 2.0  # of K times as long, and of its own time with K=1; the post's are 1.04 and 1.29
SLOWED, SAME = 1.5, 1.25  # the post's contains1 takes 4.4 times as long if asked, contains1ToK 1.03
RISES, STOPS_RISING = 30.0, 10.0  # from K=1 to 10,000; the post's wait gets 1,500 times as long
PARKS = 1.3  # times its time; the post's takes 1.95 times as long
SHORTER, STILL_LONG = 10.0, 3.0  # how many times shorter the wait is
FAIR, UNFAIR = 1.5, 2.0  # a search of contains1 by one of contains1ToK; the post's is 1.07 and 1.19 with a cure
FASTER, VISIBLE, DEAR = 0.8, 1.05, 2.0  # kept polls cost 20 to 31 % in the post; what makes a loop faster is noise
FREE = 1.15  # the post's call costs -8 to 5 %
SMALL = 16  # bytes
BRIEF = "-f 1 -wi 1 -w 100ms -i 5 -r 100ms"  # the best one of many short iterations is hardly disturbed

DIFFER = "the pairs of forks differ too much"
OWN = "with the JDK's own collector"
TTSP_OWN = f"TTSP with K={MOST} {OWN}, ms"
OFF_LINE = "contains1ToK with the largest K, nobody asks, by K times its time with K=1"
OTHER = "contains1 beside it by its time beside K=1"
VICTIM, CULPRIT = "contains1 asked by not asked", "contains1ToK asked by not asked"
VICTIM_OWN = f"a search of contains1 by one of contains1ToK {OWN}, quartiles"
PARK_1, PARK_MOST = "parking by its time, K=1", f"parking by its time, K={MOST}"
STILL, LATE, IDLE = "longest gap of the spinner, ms", "longest TTSP, ms", "longest TTSP with nobody late, ms"
ILL, WELL, UNFAIRNESS = "TTSP without it, ms", "TTSP with it, ms", "contains1 by contains1ToK, a search with it, times"
PRICE, PRICE_SMALL = "price", f"price, searches of {SMALL} bytes"
REFUSED = "refused"


def _ends(measured: Evidence, name: str) -> tuple[float, float]:
    """The smallest and the largest of these ratios."""
    return measured[least(name)], measured[most(name)]


def _ks(*few: int) -> list[int]:
    """These Ks, and in `full` all of the post's."""
    return list(profile.by_effort(quick=few, standard=few, full=KS))


def _by_turns(jdk: int) -> "dict[str, dict[int, DataFrame]]":
    """The searches by K, "alone" and with a thread that asks ("asked"): fork by fork in turn."""
    ks = _ks(1, MOST)
    ran = searches(jdk, ks, [ALONE, unfair.ASKED])
    asked = ran["groups"].str.contains("findDeadlocks=1")
    both = {"alone": ran[~asked], "asked": ran[asked]}
    return {name: {k: rows[rows["k"] == k] for k in ks} for name, rows in both.items()}


def _with_own_collector(jdk: int) -> "DataFrame":
    """One fork; where the JDK's own choice is the post's collector, it is the run with that."""
    return searches(jdk, gc=GC if jdks.get(jdk).collector == GC else None, repeat=1)


def _ttsp_ms(scores: "DataFrame") -> float:
    return float(stops(scores, unfair.DEADLOCKS)["ttsp_ms"].median())


def _ttsp(k: int) -> str:
    return f"TTSP with K={k}, ms"


def _nobody_asks(jdk: int) -> Evidence:
    alone = _by_turns(jdk)["alone"]
    # a search of contains1ToK by one of contains1 beside it, which a busy machine slows as well; one per fork
    searched = {k: 1 / unfair.unfairness(scores).groupby("repeat").median() for k, scores in alone.items()}
    others = {k: forks.bests(scores, "contains1") for k, scores in alone.items()}
    lines = [searched[k] / searched[1] for k in alone if k > 1]
    off_line = [ratios.where(ratios > 1, 1 / ratios) for ratios in lines]
    return {**_worst(OFF_LINE, off_line), **_worst(OTHER, [others[k] / others[1] for k in alone if k > 1])}


def _worst(name: str, by_k: "list[Series[float]]") -> dict[str, float]:
    """Of the K with the largest ratios: the smallest of its pairs; and the largest of all."""
    return {least(name): float(max(ratios.min() for ratios in by_k)), most(name): float(max(map(max, by_k)))}


def _linear_and_flat(measured: Evidence) -> Judgement:
    (off_line, off_line_most), (other, other_most) = _ends(measured, OFF_LINE), _ends(measured, OTHER)
    if off_line > BENT:
        return differs("contains1ToK does not take K times as long")
    if other > BENT:
        return differs("contains1 is slowed by its neighbour, though nobody asks for a safepoint")
    if off_line_most < LINEAR and other_most < FLAT:
        return holds("two threads, nothing shared that is written")
    return unclear(DIFFER)


def _ttsp_by_k(jdk: int) -> Evidence:
    waits = {_ttsp(k): _ttsp_ms(searches(jdk, k, repeat=1)) for k in _ks(1, 100, MOST)}
    return {**waits, TTSP_OWN: _ttsp_ms(_with_own_collector(jdk))}


def _grows_with_k(measured: Evidence) -> Judgement:
    waits = [measured[name] for name in map(_ttsp, KS) if name in measured]
    own, first, last = measured[TTSP_OWN], waits[0], waits[-1]
    if last < STOPS_RISING * first:
        return differs("the safepoint does not wait for the long loop")
    if last < RISES * first or any(longer < shorter / 2 for shorter, longer in zip(waits, waits[1:], strict=False)):
        return unclear("other threads than the one with the loop were late, too")
    if own < last / 10:
        return differs(f"it grows with Parallel, and not {OWN}", Change(10, STRIP_MINING))
    if own < last / 3:
        return unclear(f"it grows with Parallel, and less {OWN}")
    return holds("the request waits for the rest of the call that is under way")


def _who_pays(jdk: int) -> Evidence:
    ran = _by_turns(jdk)
    alone, asked = ran["alone"][MOST], ran["asked"][MOST]
    own = unfair.unfairness(_with_own_collector(jdk)).quantile([0.25, 0.75])
    return {
        **forks.range_of(VICTIM, forks.middles(asked, "contains1") / forks.middles(alone, "contains1")),
        **forks.range_of(CULPRIT, forks.bests(asked, "contains1ToK") / forks.bests(alone, "contains1ToK")),
        **forks.range_of(VICTIM_OWN, own),
    }


def _the_victim(measured: Evidence) -> Judgement:
    (victim, victim_most), (culprit, culprit_most) = _ends(measured, VICTIM), _ends(measured, CULPRIT)
    own, own_most = _ends(measured, VICTIM_OWN)
    if victim_most < SLOWED:
        return differs("contains1 is hardly slowed")
    if culprit > SLOWED:
        return differs("contains1ToK is slowed, too")
    if victim < SLOWED or culprit_most > SAME:
        return unclear(DIFFER)
    if own_most < SLOWED:
        return differs(f"so it is with Parallel, and not {OWN}", Change(10, STRIP_MINING))
    if own < SLOWED:
        return unclear(f"so it is with Parallel; {OWN} the iterations differ too much")
    return holds("the thread that polls stands still while the one without a poll goes on")


def _who_parks(jdk: int) -> Evidence:
    asked, parked_us = _by_turns(jdk)["asked"], unfair.setup()["intervalMs"] * 1000
    one, many = (forks.middles(asked[k], "park") / parked_us for k in (1, MOST))
    return {**forks.range_of(PARK_1, one), **forks.range_of(PARK_MOST, many)}


def _pays_too(measured: Evidence) -> Judgement:
    (short, short_most), (long, long_most) = _ends(measured, PARK_1), _ends(measured, PARK_MOST)
    if long_most < PARKS:
        return differs("parking takes hardly longer beside the long loop")
    if short > PARKS:
        return unclear("parking takes longer beside the short loop, too: the machine did other work meanwhile")
    if long > PARKS and short_most < PARKS:
        return holds("nobody waits for a parked thread, but it may not return before the stop is over")
    return unclear(DIFFER)


def _spinner(jdk: int) -> Evidence:
    """Four stops beside a thread that spins on a compare-and-set; another is late by so many million iterations."""
    sample = "unfair/SpinnerIsStopped"
    runs = (launch.java(sample, jdk, gc=GC, args=[4, late_by], log=unfair.LOG, reuse=True) for late_by in (300, 0))
    late, idle = map(unfair.spinner_ms, runs)
    return {STILL: late["still_ms"], LATE: late["ttsp_ms"], IDLE: idle["ttsp_ms"]}


def _stands_still(measured: Evidence) -> Judgement:
    still, late, idle = (measured[name] for name in (STILL, LATE, IDLE))
    if idle > 0.8 * late:
        return differs("the spinning thread itself comes late, or nobody does")
    if still < 0.8 * late:
        return differs("it goes on while the safepoint waits for the late thread")
    if idle < late / 3 and still < 1.5 * late:
        return holds("it stops between two attempts that fail, and stands until the late thread has come")
    return unclear("it stood still for longer than the safepoint took, or was late itself: other work on this machine")


def _cured(jdk: int, flags: str) -> Evidence:
    """The wait without and with the flags, the unfairness that is left, and the price."""
    with_it = searches(jdk, flags=flags, repeat=1)
    waits = {ILL: _ttsp_ms(searches(jdk, repeat=1)), WELL: _ttsp_ms(with_it)}
    return {**waits, UNFAIRNESS: float(unfair.unfairness(with_it).median()), **_price(jdk, flags)}


def _price(jdk: int, flags: str, name: str = PRICE, size: int = unfair.BYTES) -> dict[str, float]:
    """How many times as long contains1ToK takes with the flags as without, by itself: the range of pairs of fast forks.

    Four forks of each cure, by turns, of which the two fastest count. Searches of `size` bytes; however many there are,
    a call looks at the same number of bytes, as many as a hundred of the post's searches do.
    """
    together = ["", KEEP_CALL] if size == SMALL else ["", KEEP_POLLS, KEEP_CALL, unfair.EXCLUDE]
    params = {"bytes": size, "intervalMs": 30, "k": 100 * unfair.BYTES // size}
    repeat = profile.by_effort(quick=1, standard=4, full=6)
    prices = jmh.jmh(
        unfair.BENCHMARK, jdk, together, BRIEF, 120, gc=GC, params=params, groups=ONE, repeat=repeat, reuse=True
    )
    return forks.range_of(name, unfair.price(prices, flags))


def _not_well(measured: Evidence) -> Judgement | None:
    """What there is to say if the wait or the unfairness is still there, or may be."""
    if measured[WELL] > measured[ILL] / STILL_LONG:
        return differs("the safepoint still waits")
    if measured[UNFAIRNESS] > UNFAIR:
        return differs("contains1 is still slowed")
    if measured[WELL] > measured[ILL] / SHORTER or measured[UNFAIRNESS] > FAIR:
        return unclear("a part of the wait or of the unfairness is left: other work on this machine can be it")
    return None


def _for_some_speed(measured: Evidence) -> Judgement:
    if trouble := _not_well(measured):
        return trouble
    lowest, highest = _ends(measured, PRICE)
    if lowest > FASTER and highest < VISIBLE:
        return differs(f"the wait is gone, and the loop takes {lowest:.2f} to {highest:.2f} times as long")
    if lowest > DEAR:
        return differs("the wait is gone, and the loop takes more than twice as long")
    if lowest > VISIBLE and highest < DEAR:
        return holds("the wait is gone, and the loop pays for its polls")
    return unclear("the wait is gone; the pairs of forks leave the price open")


def _for_nothing(measured: Evidence) -> Judgement:
    dear = differs("it costs the loop some of its speed")
    free = holds("the poll is on the return of the call that is no longer inlined, once a search")
    undecided = unclear("the wait is gone; the pairs of forks leave the price open")
    return _not_well(measured) or _by_limit(_ends(measured, PRICE), FREE, dear, free, undecided)


def _responsive_and_slow(measured: Evidence) -> Judgement:
    slow = holds("responsive, and slow")
    fast = differs("responsive, and hardly slower: the interpreter runs the outer loop, and calls compiled code")
    undecided = unclear("responsive; the pairs of forks leave the price open")
    return _not_well(measured) or _by_limit(_ends(measured, PRICE), DEAR, slow, fast, undecided)


def _by_limit(
    ends: tuple[float, float], limit: float, above: Judgement, below: Judgement, between: Judgement
) -> Judgement:
    """Which of the judgements is that of a range: wholly above the limit, wholly below it, or on both sides."""
    return above if ends[0] > limit else below if ends[1] < limit else between


def _small_array(jdk: int) -> Evidence:
    large = _price(jdk, KEEP_CALL)
    return {most(PRICE): large[most(PRICE)], **_price(jdk, KEEP_CALL, PRICE_SMALL, SMALL)}


def _another_story(measured: Evidence) -> Judgement:
    lowest, highest = ends = _ends(measured, PRICE_SMALL)
    times = f"{lowest:.2f} to {highest:.2f} times as long"
    dearer = holds(f"{times}, more than with 32 KiB: the call is a part of it")
    alike = differs(f"a call of its own makes so short a search {times}")
    limit = max(VISIBLE, measured[most(PRICE)])
    return _by_limit(ends, limit, dearer, alike, unclear("the pairs of forks leave it open"))


def _polls_in_one(jdk: int) -> Evidence:
    option = f"{unfair.COMMAND}option,{unfair.METHOD},UseCountedLoopSafepoints"
    try:
        with_it = _ttsp_ms(searches(jdk, flags=option, repeat=1))
        return {ILL: _ttsp_ms(searches(jdk, repeat=1)), WELL: with_it}
    except FlagRejected as refusal:
        return {REFUSED: str(refusal).splitlines()[0]}


def _in_one(measured: Evidence) -> Judgement:
    if REFUSED in measured:
        return not_applicable("this JDK has no such option for one method, and says so")
    if measured[WELL] > measured[ILL] / STILL_LONG:
        return differs("this JDK takes an option of any name, and this one has no effect: its flag is for all methods")
    if measured[WELL] < measured[ILL] / SHORTER:
        return holds("the wait is gone")
    return unclear("a part of the wait is left")


CURED: Evidence = {ILL: 150.0, WELL: 0.2, UNFAIRNESS: 1.0}
CLAIMS = [
    Claim(
        "000-23",
        "Without a safepoint contains1ToK takes K times as long, and contains1 beside it is not slowed significantly",
        as_published="contains1ToK 34.8, 349.7, 3,453, 33,420, 336,113 us for K=1 to 10,000; contains1 32.3 to 41.7 us",
        measure=_nobody_asks,
        judge=_linear_and_flat,
        refuted_by={least(OFF_LINE): 2.1, most(OFF_LINE): 2.3, least(OTHER): 1.0, most(OTHER): 1.2},
    ),
    Claim(
        "000-24",
        "When somebody asks for safepoints, the time to safepoint grows with K",
        as_published="0.1, 0.2, 2.0, 20.7, 152.8 ms for K=1, 10, 100, 1,000, 10,000",
        measure=_ttsp_by_k,
        judge=_grows_with_k,
        refuted_by={_ttsp(1): 12.0, _ttsp(100): 15.0, _ttsp(MOST): 100.0, TTSP_OWN: 100.0},
    ),
    Claim(
        "000-25",
        "It is contains1 that pays: it is slowed, and contains1ToK keeps its speed",
        as_published="K=10,000: contains1 41.7 -> 183.4 us, contains1ToK 336,113 -> 346,049 us",
        measure=_who_pays,
        judge=_the_victim,
        refuted_by={
                least(VICTIM): 4.0, most(VICTIM): 5.0, least(CULPRIT): 1.6, most(CULPRIT): 1.7,
                least(VICTIM_OWN): 4.0, most(VICTIM_OWN): 5.0,
            },
    ),
    Claim(
        "000-42",
        "A loop that repeats a compare-and-set is not counted and polls: its thread is held for as long as another one "
        "stays away from the safepoint",
        as_published="said, not measured",
        measure=_spinner,
        judge=_stands_still,
        refuted_by={STILL: 300.0, LATE: 400.0, IDLE: 20.0},
    ),
    Claim(
        "000-47",
        "A thread that only parks pays, too: beside the long loop its parking takes much longer",
        as_published="park 100.0 -> 194.9 ms, K=1 -> 10,000",
        measure=_who_parks,
        judge=_pays_too,
        refuted_by={least(PARK_1): 1.0, most(PARK_1): 1.0, least(PARK_MOST): 1.1, most(PARK_MOST): 1.2},
    ),
    Claim(
        "000-26",
        "Keeping safepoint polls in counted loops removes wait and unfairness, and its price is visible "
        "(judged: 5 to 100 %)",
        as_published="K=10,000, on Zing: stopped 113.4 -> 0.0 ms, contains1 159.0 -> 40.2 us; "
        "contains1ToK 20 to 31 % longer",
        measure=partial(_cured, flags=KEEP_POLLS),
        judge=_for_some_speed,
        refuted_by={**CURED, least(PRICE): 1.0, most(PRICE): 1.02},
    ),
    Claim(
        "000-27",
        "Not inlining the inner method removes wait and unfairness, and costs the loop nothing (judged: under 15 %)",
        as_published="K=10,000: TTSP 152.8 -> 0.0 ms, contains1 183.4 -> 39.1 us; "
        "contains1ToK 8 % shorter to 5 % longer",
        measure=partial(_cured, flags=KEEP_CALL),
        judge=_for_nothing,
        refuted_by={**CURED, least(PRICE): 1.2, most(PRICE): 1.3},
    ),
    Claim(
        "000-28",
        "With contains1ToK excluded from compilation the application is responsive, and the loop's performance sucks "
        "(judged: twice as long)",
        as_published="said, not measured",
        measure=partial(_cured, flags=unfair.EXCLUDE),
        judge=_responsive_and_slow,
        refuted_by={**CURED, least(PRICE): 1.0, most(PRICE): 1.2},
    ),
    Claim(
        "000-44",
        "With many searches of a small array not inlining is a very different story (judged: 16 bytes, against the "
        "price with 32 KiB)",
        as_published="said, not measured",
        measure=_small_array,
        judge=_another_story,
        refuted_by={most(PRICE): 1.12, least(PRICE_SMALL): 1.02, most(PRICE_SMALL): 1.1},
    ),
    Claim(
        "000-57",
        "A CompileCommand of the form option,Class.method,… keeps the polls in the counted loops of one method",
        as_published="on Zing, K=10,000: stopped 113.4 -> 0.0 ms",
        measure=_polls_in_one,
        judge=_in_one,
        refuted_by={ILL: 150.0, WELL: 140.0},
    ),
]  # fmt: skip
