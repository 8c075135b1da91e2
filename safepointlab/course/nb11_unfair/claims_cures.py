"""What brings a poll into the long loop, and at what price: claims 000-26 to -28, -44 and -57, each on one JDK.

A cure is judged by the wait and the unfairness beside a thread that asks, and by its price: how many times as long the
same loop takes with it, alone on the machine, in pairs of forks that ran by turns.
"""

from safepointlab.claims.base import Claim, Evidence, Judgement, fails, holds, not_asked, unclear
from safepointlab.course.nb11_unfair import experiments as unfair
from safepointlab.course.nb11_unfair.experiments import (
    BYTES,
    EXCLUDE,
    KEEP_CALL,
    KEEP_POLLS,
    KEEP_POLLS_IN_ONE,
    somebody_asks,
    ttsp_ms,
)
from safepointlab.errors import FlagRejected, LabError
from safepointlab.run import forks
from safepointlab.run.forks import least, most

SHORTER, STILL_LONG = 10.0, 3.0  # how many times shorter the wait is
FAIR, UNFAIR = 1.5, 2.0  # a search of contains1 by one of contains1ToK; the post's is 1.07 and 1.19 with a cure
FASTER, VISIBLE, DEAR = 0.8, 1.05, 2.0  # kept polls cost 20 to 31 % in the post; what makes a loop faster is noise
FREE = 1.15  # the post's call costs -8 to 5 %
SUCKS = 2.0
SMALL = 16  # bytes
PRICED = ["", KEEP_POLLS, KEEP_CALL, EXCLUDE]  # run by turns with each other

ILL, WELL, UNFAIRNESS = "TTSP without it, ms", "TTSP with it, ms", "contains1 by contains1ToK, a search with it, times"
PRICE, PRICE_SMALL = "price", f"price, searches of {SMALL} bytes"
REFUSED = "refused"


def _cured(jdk: int, flags: str) -> Evidence:
    """The wait without and with the flags, the unfairness that is left, and the price."""
    with_it = somebody_asks(jdk, flags=flags, forks=1)
    waits = {ILL: ttsp_ms(somebody_asks(jdk, forks=1)), WELL: ttsp_ms(with_it)}
    return {**waits, UNFAIRNESS: float(unfair.unfairness(with_it).median()), **_price(jdk, flags)}


def _price(jdk: int, flags: str, name: str = PRICE, size: int = BYTES) -> Evidence:
    together = ["", KEEP_CALL] if size == SMALL else PRICED
    prices = unfair.prices(jdk, together, size)
    return forks.range_of(name, unfair.price(prices, flags))


def _bounds(measured: Evidence, name: str = PRICE) -> tuple[float, float]:
    """The range of the pairs of fast forks."""
    return measured[least(name)], measured[most(name)]


def _not_well(measured: Evidence) -> Judgement | None:
    """What there is to say if the wait or the unfairness is still there, or may be."""
    if measured[WELL] > measured[ILL] / STILL_LONG:
        return fails("the safepoint still waits")
    if measured[UNFAIRNESS] > UNFAIR:
        return fails("contains1 is still slowed")
    if measured[WELL] > measured[ILL] / SHORTER or measured[UNFAIRNESS] > FAIR:
        return unclear("a part of the wait or of the unfairness is left: other work on this machine can be it")
    return None


def _kept_polls(jdk: int) -> Evidence:
    return _cured(jdk, KEEP_POLLS)


def _for_some_speed(measured: Evidence, jdk: int) -> Judgement:
    if trouble := _not_well(measured):
        return trouble
    lowest, highest = _bounds(measured)
    if lowest > FASTER and highest < VISIBLE:
        return fails(f"the wait is gone, and the loop takes {lowest:.2f} to {highest:.2f} times as long")
    if lowest > DEAR:
        return fails("the wait is gone, and the loop takes more than twice as long")
    if lowest > VISIBLE and highest < DEAR:
        return holds("the wait is gone, and the loop pays for its polls")
    return unclear("the wait is gone; the pairs of forks leave the price open")


def _kept_call(jdk: int) -> Evidence:
    return _cured(jdk, KEEP_CALL)


def _for_nothing(measured: Evidence, jdk: int) -> Judgement:
    if trouble := _not_well(measured):
        return trouble
    lowest, highest = _bounds(measured)
    if lowest > FREE:
        return fails("it costs the loop some of its speed")
    if highest < FREE:
        return holds("the poll is on the return of the call that is no longer inlined, once a search")
    return unclear("the wait is gone; the pairs of forks leave the price open")


def _excluded(jdk: int) -> Evidence:
    return _cured(jdk, EXCLUDE)


def _responsive_and_slow(measured: Evidence, jdk: int) -> Judgement:
    if trouble := _not_well(measured):
        return trouble
    lowest, highest = _bounds(measured)
    if highest < SUCKS:
        return fails("responsive, and hardly slower: the interpreter runs the outer loop, and calls compiled code")
    if lowest > SUCKS:
        return holds("responsive, and slow")
    return unclear("responsive; the pairs of forks leave the price open")


def _small_array(jdk: int) -> Evidence:
    large, small = _price(jdk, KEEP_CALL), _price(jdk, KEEP_CALL, PRICE_SMALL, SMALL)
    return {most(PRICE): large[most(PRICE)], **small}


def _another_story(measured: Evidence, jdk: int) -> Judgement:
    lowest, highest = _bounds(measured, PRICE_SMALL)
    if highest < max(VISIBLE, measured[most(PRICE)]):
        return fails(f"a call of its own makes so short a search {lowest:.2f} to {highest:.2f} times as long")
    if lowest > max(VISIBLE, measured[most(PRICE)]):
        return holds(f"{lowest:.2f} to {highest:.2f} times as long, more than with 32 KiB: the call is a part of it")
    return unclear("the pairs of forks leave it open")


def _polls_in_one(jdk: int) -> Evidence:
    try:
        with_it = ttsp_ms(somebody_asks(jdk, flags=KEEP_POLLS_IN_ONE, forks=1))
        return {ILL: ttsp_ms(somebody_asks(jdk, forks=1)), WELL: with_it}
    except FlagRejected as refusal:
        return {REFUSED: _sentence(refusal)}


def _sentence(refusal: LabError) -> str:
    return str(refusal).splitlines()[0]


def _in_one(measured: Evidence, jdk: int) -> Judgement:
    if REFUSED in measured:
        return not_asked("this JDK has no such option for one method, and says so")
    if measured[WELL] > measured[ILL] / STILL_LONG:
        return fails("this JDK takes an option of any name, and this one has no effect: its flag is for all methods")
    if measured[WELL] < measured[ILL] / SHORTER:
        return holds("the wait is gone")
    return unclear("a part of the wait is left")


CURED: Evidence = {ILL: 150.0, WELL: 0.2, UNFAIRNESS: 1.0}
CLAIMS = [
    Claim(
        "000-26",
        "Keeping safepoint polls in counted loops removes wait and unfairness, and its price is visible "
        "(judged: 5 to 100 %)",
        as_published="K=10,000, on Zing: stopped 113.4 -> 0.0 ms, contains1 159.0 -> 40.2 us; contains1ToK 20 "
        "to 31 % longer",
        measure=_kept_polls,
        judge=_for_some_speed,
        refuted_by=({**CURED, least(PRICE): 1.0, most(PRICE): 1.02}, 8),
    ),
    Claim(
        "000-27",
        "Not inlining the inner method removes wait and unfairness, and costs the loop nothing (judged: under 15 %)",
        as_published="K=10,000: TTSP 152.8 -> 0.0 ms, contains1 183.4 -> 39.1 us; contains1ToK 8 % shorter to 5 "
        "% longer",
        measure=_kept_call,
        judge=_for_nothing,
        refuted_by=({**CURED, least(PRICE): 1.2, most(PRICE): 1.3}, 8),
    ),
    Claim(
        "000-28",
        "With contains1ToK excluded from compilation the application is responsive, and the loop's performance sucks "
        "(judged: twice as long)",
        as_published="said, not measured",
        measure=_excluded,
        judge=_responsive_and_slow,
        refuted_by=({**CURED, least(PRICE): 1.0, most(PRICE): 1.2}, 8),
    ),
    Claim(
        "000-44",
        "With many searches of a small array not inlining is a very different story (judged: 16 bytes, against the "
        "price with 32 KiB)",
        as_published="said, not measured",
        measure=_small_array,
        judge=_another_story,
        refuted_by=(
            {most(PRICE): 1.12, least(PRICE_SMALL): 1.02, most(PRICE_SMALL): 1.1},
            8,
        ),
    ),
    Claim(
        "000-57",
        "A CompileCommand of the form option,Class.method,… keeps the polls in the counted loops of one method",
        as_published="on Zing, K=10,000: stopped 113.4 -> 0.0 ms",
        measure=_polls_in_one,
        judge=_in_one,
        refuted_by=({ILL: 150.0, WELL: 140.0}, 8),
    ),
]  # fmt: skip
