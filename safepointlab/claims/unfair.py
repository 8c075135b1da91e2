"""Who waits for whom at a safepoint: claims 000-23 to 000-28 and 000-42, each run again on one JDK.

Two threads search the same bytes: contains1 once a call, contains1ToK K times. A third one asks for a safepoint each
50 ms. On a machine that does other things as well, times of two runs can't be compared. But both threads do the same
work, search after search: how much longer a search takes the one than the other within a run is its `unfairness`.
"""

from typing import TYPE_CHECKING

from safepointlab.claims.base import Claim, Evidence, Judgement, changed, fails, holds, unclear
from safepointlab.topics import unfair
from safepointlab.topics.unfair import MOST, STRIPS, nobody_asks, somebody_asks, ttsp_ms, unfairness

if TYPE_CHECKING:
    from pandas import DataFrame

STRIP_MINING = "JDK-8186027 (JDK 10) cuts counted loops into strips where the collector asks for it, as G1 does"
FAIR = 2.0  # how much longer one's search may take than the other's, on a machine that does other things as well
LONGER_1, LONGER_MOST = "contains1ToK by contains1, K=1", f"contains1ToK by contains1, K={MOST}"
TTSP_1, TTSP_MOST, TTSP_G1 = "ttsp_ms, K=1", f"ttsp_ms, K={MOST}", "the same with G1"
CALL = "a call of contains1ToK, ms"


def _of(scores: "DataFrame", metric: str, column: str = "score") -> float:
    """The score of this method."""
    return float(scores.set_index("metric")[column][metric])


def _price(jdk: int, flags: str) -> tuple[float, float]:
    """How much longer contains1ToK takes with these flags, alone on the machine: by the best iterations, and for sure.

    For sure is what JMH's intervals leave: the lower end of the one by the upper end of the other.
    """
    scores = unfair.prices(jdk, ["", flags])
    calm = scores[scores["metric"] == "score"].sort_values("best").drop_duplicates("flags").set_index("flags")
    likely = calm["best"][flags] / calm["best"][""]
    return float(likely), float(calm["low"][flags] / calm["high"][""])


def _nobody_asks(jdk: int) -> Evidence:
    """Two threads, K=1 and the largest K: how much longer the one's call is, and the other one's time."""
    one, most = nobody_asks(jdk, 1), nobody_asks(jdk, MOST)
    longer = {LONGER_1: float(1 / unfairness(one).median()), LONGER_MOST: float(MOST / unfairness(most).median())}
    times = {"contains1 us, K=1": _of(one, "contains1", "best")}
    return {**longer, **times, f"contains1 us, K={MOST}": _of(most, "contains1", "best")}


def _linear_and_flat(measured: Evidence, jdk: int) -> Judgement:
    one, most = measured[LONGER_1], measured[LONGER_MOST]
    if not (1 / 3 < one < 3 and MOST / 3 < most < MOST * 3):
        return fails(f"with K={MOST:,} the call is {most:,.0f} times as long as the other thread's, with K=1 {one:.1f}")
    return holds("beside each other both take the same time for a search, whatever K is")


def _ttsp_by_k(jdk: int) -> Evidence:
    one, most, capped = somebody_asks(jdk, 1), somebody_asks(jdk), somebody_asks(jdk, gc=STRIPS)
    waits = {TTSP_1: ttsp_ms(one), TTSP_MOST: ttsp_ms(most), TTSP_G1: ttsp_ms(capped)}
    return {**waits, CALL: _of(most, "contains1ToK") / 1000}


def _grows_with_k(measured: Evidence, jdk: int) -> Judgement:
    one, most, capped, call = (measured[name] for name in (TTSP_1, TTSP_MOST, TTSP_G1, CALL))
    if not (most > 10 * one and most > call / 20):
        return fails("the safepoint does not wait for the long loop")
    if most > 2 * call:
        return unclear("longer than two calls: other threads than the one with the loop were late, too")
    if capped > most / 10:
        return holds("whoever asks waits for the rest of the call that is under way")
    return changed(f"{STRIP_MINING}; with Serial or Parallel it is as it was") if jdk >= 10 else fails("not with G1")


def _who_pays(jdk: int) -> Evidence:
    asked, alone, capped = somebody_asks(jdk), nobody_asks(jdk), somebody_asks(jdk, gc=STRIPS)
    slower = {"unfairness": unfairness(asked).median(), "at least": unfairness(asked).min()}
    slower |= {"not asked, at most": unfairness(alone).max(), "with G1, at most": unfairness(capped).max()}
    methods = ("contains1", "contains1ToK")
    return {**slower, **{f"{name} asked by not asked": _of(asked, name) / _of(alone, name) for name in methods}}


def _the_victim(measured: Evidence, jdk: int) -> Judgement:
    least = measured["at least"]
    if measured["unfairness"] < FAIR:
        return fails("both are slowed alike")
    if least < measured["not asked, at most"]:
        return unclear("the iterations differ too much: the worst one without a safepoint is worse than the best with")
    if jdk >= 10 and measured["with G1, at most"] < least:
        return changed(f"{STRIP_MINING}, and both are slowed alike; with Serial or Parallel it is as it was")
    return holds("who polls stands still while the one that does not poll goes on")


def _cured(jdk: int, flags: str) -> dict[str, float]:
    """TTSP and fairness without and with the flags, and what they cost."""
    ill, well = somebody_asks(jdk), somebody_asks(jdk, flags=flags)
    waits = {"ttsp_ms": ttsp_ms(ill), "ttsp_ms cured": ttsp_ms(well)}
    slower = {"unfairness": unfairness(ill).median(), "unfairness cured": unfairness(well).median()}
    likely, least = _price(jdk, flags)
    return {**waits, **slower, "price": likely, "at least": least}


def _kept_polls(jdk: int) -> Evidence:
    return _cured(jdk, unfair.KEEP_POLLS)


def _kept_call(jdk: int) -> Evidence:
    return _cured(jdk, unfair.KEEP_CALL)


def _excluded(jdk: int) -> Evidence:
    both, _ = _price(jdk, unfair.EXCLUDE_BOTH)
    return {**_cured(jdk, unfair.EXCLUDE_OUTER), "price of excluding the inner one, too": both}


def _well(measured: Evidence) -> bool:
    return bool(
        measured["ttsp_ms cured"] < measured["ttsp_ms"] / 10
        and measured["unfairness cured"] < min(FAIR, measured["unfairness"])
    )


def _removed(measured: Evidence, jdk: int) -> Judgement:
    if not _well(measured):
        return fails("the safepoint still waits, or one is slowed more than the other")
    return holds(f"a poll a turn; the loop takes {measured['price']:.2f} times as long as without")


def _removed_for_nothing(measured: Evidence, jdk: int) -> Judgement:
    if not _well(measured):
        return fails("the safepoint still waits, or one is slowed more than the other")
    if measured["at least"] > 1.5:
        return fails(f"it costs: the loop takes {measured['price']:.2f} times as long")
    if measured["price"] > 1.5:
        return unclear("it seems to cost something, but the intervals overlap: this machine is too busy just now")
    return holds("the poll is on the return of the call that is no longer inlined, once a search")


def _slow(measured: Evidence, jdk: int) -> Judgement:
    if not _well(measured):
        return fails("the safepoint still waits, or one is slowed more than the other")
    outer, both = measured["price"], measured["price of excluding the inner one, too"]
    if outer > 3 or both < 3:
        return fails("the prices are not as one would think")
    return holds("free where only the outer loop is interpreted, and the inner one's code called; else very slow")


def _spinner(jdk: int) -> Evidence:
    late, early = (unfair.spinner_ms(unfair.spinner(jdk, iterations)) for iterations in (300, 0))
    return {**late, **{f"{name}, nobody late": value for name, value in early.items()}}


def _stands_still(measured: Evidence, jdk: int) -> Judgement:
    ttsp = measured["ttsp_ms"]
    if measured["ttsp_ms, nobody late"] > ttsp / 3:
        return fails("the spinning thread itself comes late")
    if not 0.8 < measured["still_ms"] / ttsp < 1.5:
        return fails("it stood still for another time than the safepoint took")
    return holds("its loop is not counted and polls, so that it stops at once, and waits for the last")


CURED = {
    "ttsp_ms": 150.0,
    "ttsp_ms cured": 0.2,
    "unfairness": 5.0,
    "unfairness cured": 1.0,
    "price": 1.1,
    "at least": 0.9,
}
CLAIMS = [
    Claim(
        "000-23",
        "Without a safepoint contains1ToK takes K times as long, and contains1 beside it is not slowed",
        then="34.8 to 336,112 us for K=1 to 10,000; contains1 32 to 42 us",
        measure=_nobody_asks,
        judge=_linear_and_flat,
        refuted_by=({LONGER_1: 1.0, LONGER_MOST: 1_800.0}, 8),
    ),
    Claim(
        "000-24",
        "When somebody asks for safepoints, the time to safepoint grows with K, to half a call of contains1ToK",
        then="0.1, 0.2, 2.0, 20.7, 152.8 ms for K=1 to 10,000",
        measure=_ttsp_by_k,
        judge=_grows_with_k,
        refuted_by=({TTSP_1: 0.1, TTSP_MOST: 0.3, TTSP_G1: 0.2, CALL: 336.0}, 8),
    ),
    Claim(
        "000-25",
        "It is contains1 that pays: it is slowed, and contains1ToK keeps its speed",
        then="contains1 39.7 to 183.4 us",
        measure=_who_pays,
        judge=_the_victim,
        refuted_by=({"unfairness": 1.1, "at least": 1.0, "not asked, at most": 1.0, "with G1, at most": 1.0}, 8),
    ),
    Claim(
        "000-26",
        "Keeping safepoints in counted loops removes the wait and the unfairness, for a part of the loop's speed",
        then="TTSP 0 to 0.6 ms, contains1ToK 20 to 25 % slower (an option of Zing)",
        measure=_kept_polls,
        judge=_removed,
        refuted_by=({**CURED, "ttsp_ms cured": 140.0}, 8),
    ),
    Claim(
        "000-27",
        "Not inlining the inner method removes both and costs nothing",
        then="TTSP 0.1 ms",
        measure=_kept_call,
        judge=_removed_for_nothing,
        refuted_by=({**CURED, "price": 3.0, "at least": 2.5}, 8),
    ),
    Claim(
        "000-28",
        "Excluding the looping method from compilation makes it responsive, and slow",
        then="said, not measured",
        measure=_excluded,
        judge=_slow,
        refuted_by=({**CURED, "price of excluding the inner one, too": 1.0}, 8),
    ),
    Claim(
        "000-42",
        "A loop that spins on a compare-and-set is not counted: it polls, and stands still until the last thread comes",
        then="said in a comment",
        measure=_spinner,
        judge=_stands_still,
        refuted_by=(
            {"still_ms": 3.0, "ttsp_ms": 400.0, "still_ms, nobody late": 2.0, "ttsp_ms, nobody late": 0.2},
            8,
        ),
    ),
]  # fmt: skip
