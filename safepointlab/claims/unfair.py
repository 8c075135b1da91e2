"""Who waits for whom at a safepoint: claims 000-23 to 000-28 and 000-42, each run again on one JDK.

Two threads search the same bytes: contains1 once a call, contains1ToK K times. A third one asks for a safepoint each
50 ms. On a machine that does other things as well, times of two runs can't be compared. But both threads do the same
work, search after search: how much longer a search takes the one than the other within a run is its `unfairness`.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from safepointlab.claims.base import Claim, Evidence, Judgement, changed, fails, holds, unclear
from safepointlab.run import jmh, launch
from safepointlab.run.jmh_run import BenchRun
from safepointlab.run.load import load
from safepointlab.run.stops import of_run, stops
from safepointlab.session import profile

if TYPE_CHECKING:
    from pandas import DataFrame, Series

BESIDE, PRICE = "unfair.Contains", 100  # the price of a cure is measured with K=100: many calls an iteration
BRIEF = "-f 1 -wi 2 -w 100ms -i 6 -r 100ms"  # the best one of many short iterations is hardly disturbed
MOST = 10_000  # the largest K
ASKED = {"contains1": 1, "contains1ToK": 1, "findDeadlocks": 1}
ALONE = {"contains1": 1, "contains1ToK": 1, "findDeadlocks": 0}
ONE = {"contains1": 0, "contains1ToK": 1, "findDeadlocks": 0}
KEEP_POLLS = "-XX:+UseCountedLoopSafepoints"
KEEP_CALL = "-XX:CompileCommand=dontinline,unfair.Contains::contains"
EXCLUDE_OUTER = "-XX:CompileCommand=exclude,unfair.Contains::missing"
EXCLUDE_BOTH = "-XX:CompileCommand=exclude,unfair.Contains::*"
STRIP_MINING = "JDK-8186027 (JDK 10) cuts counted loops into strips where the collector asks for it, as G1 does"
FAIR = 2.0  # how much longer one's search may take than the other's, on a machine that does other things as well


def options() -> str:
    """JMH's options, as the notebook has them: so that `reuse` finds its runs."""
    return profile.by_effort(quick="-f 1 -wi 1 -w 200ms -i 3 -r 300ms", standard="-f 1 -wi 2 -w 300ms -i 6 -r 300ms")


def scores(jdk: int, k: int, groups: Mapping[str, int], flags: str = "", gc: str = "Serial") -> "DataFrame":
    """One host's scores: a row a method of the group, named by it."""
    asked: dict[str, Any] = {"jdk": jdk, "gc": gc, "flags": flags, "params": {"k": k}, "groups": dict(groups)}
    return jmh.jmh(BESIDE, **asked, options=options(), log="safepoint", deadline=60, reuse=True).set_index("metric")


def ttsp_ms(frame: "DataFrame") -> float:
    """The median time to safepoint of the searches for deadlocks in that run."""
    return float(stops(frame, "Deadlock")["ttsp_ms"].median())


def unfairness(frame: "DataFrame") -> "Series[float]":
    """In each iteration, how much longer a search takes the thread that does one a call than the one that does K."""
    run = cast(BenchRun, load(frame["run"].iloc[0]))
    values = run.iterations.pivot(index=["fork", "iteration"], columns="metric", values="value")
    return values["contains1"] / values["contains1ToK"] * int(frame["k"].iloc[0])


def price(jdk: int, flags: str) -> tuple[float, float]:
    """How much longer contains1ToK takes with these flags, alone on the machine: by the best iterations, and for sure.

    For sure is what JMH's intervals leave: the lower end of the one by the upper end of the other.
    """
    asked: dict[str, Any] = {"flags": ["", flags], "params": {"k": PRICE}, "groups": ONE, "options": BRIEF}
    repeat = profile.by_effort(quick=1, standard=2)  # repetitions lie apart: a busy second does not hit both
    found = jmh.jmh(BESIDE, jdk=jdk, gc="Serial", repeat=repeat, **asked, deadline=60, reuse=True)
    calm = found[found["metric"] == "score"].sort_values("best").drop_duplicates("flags").set_index("flags")
    return _of(calm, flags, "best") / _of(calm, "", "best"), _of(calm, flags, "low") / _of(calm, "", "high")


def _of(frame: "DataFrame", metric: str, column: str = "score") -> float:
    return float(frame[column][metric])


def _nobody_asks(jdk: int) -> Evidence:
    """Two threads, K=1 and the largest K: how much longer the one's call is, and the other one's time."""
    runs = {k: scores(jdk, k, ALONE) for k in (1, MOST)}
    longer = {f"contains1ToK by contains1, K={k}": float(k / unfairness(f).median()) for k, f in runs.items()}
    return {**longer, **{f"contains1 us, K={k}": _of(f, "contains1", "best") for k, f in runs.items()}}


def _linear_and_flat(measured: Evidence, jdk: int) -> Judgement:
    one, most, *_ = measured.values()
    if not (1 / 3 < one < 3 and MOST / 3 < most < MOST * 3):
        return fails(f"with K={MOST:,} the call is {most:,.0f} times as long as the other thread's, with K=1 {one:.1f}")
    return holds("beside each other both take the same time for a search, whatever K is")


def _ttsp_by_k(jdk: int) -> Evidence:
    one, most, capped = scores(jdk, 1, ASKED), scores(jdk, MOST, ASKED), scores(jdk, MOST, ASKED, gc="G1")
    found = {"ttsp_ms, K=1": ttsp_ms(one), f"ttsp_ms, K={MOST}": ttsp_ms(most), "the same with G1": ttsp_ms(capped)}
    return {**found, "a call of contains1ToK, ms": _of(most, "contains1ToK") / 1000}


def _grows_with_k(measured: Evidence, jdk: int) -> Judgement:
    one, most, capped, call = measured.values()
    if not (most > 10 * one and most > call / 20):
        return fails("the safepoint does not wait for the long loop")
    if most > 2 * call:
        return unclear("longer than two calls: other threads than the one with the loop were late, too")
    if capped > most / 10:
        return holds("whoever asks waits for the rest of the call that is under way")
    return changed(f"{STRIP_MINING}; with Serial or Parallel it is as it was") if jdk >= 10 else fails("not with G1")


def _who_pays(jdk: int) -> Evidence:
    asked, alone, capped = scores(jdk, MOST, ASKED), scores(jdk, MOST, ALONE), scores(jdk, MOST, ASKED, gc="G1")
    found = {"unfairness": unfairness(asked).median(), "at least": unfairness(asked).min()}
    found |= {"not asked, at most": unfairness(alone).max(), "with G1, at most": unfairness(capped).max()}
    methods = ("contains1", "contains1ToK")
    return {**found, **{f"{name} asked by not asked": _of(asked, name) / _of(alone, name) for name in methods}}


def _the_victim(measured: Evidence, jdk: int) -> Judgement:
    typical, least, alone, capped, *_ = measured.values()
    if typical < FAIR:
        return fails("both are slowed alike")
    if least < alone:
        return unclear("the iterations differ too much: the worst one without a safepoint is worse than the best with")
    if jdk >= 10 and capped < least:
        return changed(f"{STRIP_MINING}, and both are slowed alike; with Serial or Parallel it is as it was")
    return holds("who polls stands still while the one that does not poll goes on")


def _cured(jdk: int, flags: str) -> dict[str, float]:
    """TTSP and fairness without and with the flags, and what they cost."""
    ill, well = scores(jdk, MOST, ASKED), scores(jdk, MOST, ASKED, flags)
    found = {"ttsp_ms": ttsp_ms(ill), "ttsp_ms cured": ttsp_ms(well)}
    fair = {"unfairness": unfairness(ill).median(), "unfairness cured": unfairness(well).median()}
    likely, least = price(jdk, flags)
    return {**found, **fair, "price": likely, "at least": least}


def _kept_polls(jdk: int) -> Evidence:
    return _cured(jdk, KEEP_POLLS)


def _kept_call(jdk: int) -> Evidence:
    return _cured(jdk, KEEP_CALL)


def _excluded(jdk: int) -> Evidence:
    return {**_cured(jdk, EXCLUDE_OUTER), "price of excluding the inner one, too": price(jdk, EXCLUDE_BOTH)[0]}


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


def spinner(jdk: int, turns: int) -> dict[str, float]:
    """The longest time that the spinning thread stood still, and the longest time to safepoint, in ms."""
    run = launch.java("unfair/SpinnerIsStopped", jdk, gc="Serial", args=[4, turns], log="safepoint", reuse=True)
    return {"still_ms": float(run.values["still_ms"]), "ttsp_ms": float(of_run(run, "Deadlock")["ttsp_ms"].max())}


def _spinner(jdk: int) -> Evidence:
    late, early = spinner(jdk, 300), spinner(jdk, 0)
    return {**late, **{f"{name}, nobody late": value for name, value in early.items()}}


def _stands_still(measured: Evidence, jdk: int) -> Judgement:
    still, ttsp, _, soon = measured.values()
    if soon > ttsp / 3:
        return fails("the spinning thread itself comes late")
    if not 0.8 < still / ttsp < 1.5:
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
        refuted_by=({"K=1": 1.0, "K=10000": 1_800.0}, 8),
    ),
    Claim(
        "000-24",
        "When somebody asks for safepoints, the time to safepoint grows with K, to half a call of contains1ToK",
        then="0.1, 0.2, 2.0, 20.7, 152.8 ms for K=1 to 10,000",
        measure=_ttsp_by_k,
        judge=_grows_with_k,
        refuted_by=({"K=1": 0.1, "K=10000": 0.3, "G1": 0.2, "call": 336.0}, 8),
    ),
    Claim(
        "000-25",
        "It is contains1 that pays: it is slowed, and contains1ToK keeps its speed",
        then="contains1 39.7 to 183.4 us",
        measure=_who_pays,
        judge=_the_victim,
        refuted_by=({"unfairness": 1.1, "at least": 1.0, "not asked": 1.0, "with G1": 1.0}, 8),
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
        refuted_by=({"still_ms": 3.0, "ttsp_ms": 400.0, "still": 2.0, "soon": 0.2}, 8),
    ),
]  # fmt: skip
