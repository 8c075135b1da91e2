"""What a long index takes from a loop: claims 000-34 to 000-39, each run again on one JDK, with Serial.

Times are compared by their best iterations; a time counts as longer only where JMH's intervals do not overlap. What is
lost, and what came back, is read from the machine code of the very runs that were timed.
"""

from typing import TYPE_CHECKING

from safepointlab.claims.base import Claim, Evidence, Judgement, apart, changed, fails, holds, unclear
from safepointlab.topics import optimisation

if TYPE_CHECKING:
    from pandas import DataFrame

UNROLLED_AGAIN = (
    "JDK-8223051 (JDK 16): the long loop is a nest, whose inner loop is unrolled but keeps its range checks"
)
ALL_BACK = "JDK-8342692 (JDK 26): a long loop that never ran long is compiled as one with an int index"
SAME = 1.3  # two times this close are one: what is left is the machine's noise


def _scores(methods: str, jdk: int) -> "DataFrame":
    """The methods that have a score, by name."""
    return optimisation.scores(methods, jdk).dropna(subset="score").set_index("method", drop=False)


def _pair(loop: str, jdk: int) -> Evidence:
    scores = _scores(f"{loop}(Int|Long)", jdk)
    short, long = scores.loc[f"{loop}Int"], scores.loc[f"{loop}Long"]
    ratio = long["best"] / short["best"]
    return {"int ns": short["best"], "long ns": long["best"], "ratio": ratio, "bars apart": apart(short, long)}


def _costs(measured: Evidence, jdk: int, least: float) -> Judgement:
    """At least `least` times as long, and certainly longer."""
    ratio = measured["ratio"]
    if ratio >= least and measured["bars apart"]:
        return holds(f"the long index takes {ratio:.1f} times as long")
    if jdk >= 26 and ratio < SAME:
        return changed(ALL_BACK)
    if ratio >= least:
        return unclear("the error bars overlap")
    return fails(f"only {ratio:.1f} times as long") if ratio < least / 2 else unclear(f"only {ratio:.1f} times as long")


def _sum_costs(measured: Evidence, jdk: int) -> Judgement:
    judgement = _costs(measured, jdk, SAME)
    if judgement.state in ("holds", "changed") or measured["ratio"] >= SAME:
        return judgement
    return unclear("each addition waits for the one before, and this processor does all the rest meanwhile")


def _causes(jdk: int) -> Evidence:
    """The code of both, and how much slower copyInt gets without vectors, and without unrolling either."""
    default = _scores("(copy|fill)(Int|Long)", jdk)
    less = optimisation.taken_away("copyInt", jdk, ["+ vectors", "+ unrolling"]).set_index("without")["best"]
    slower = less / default["best"]["copyInt"]
    code = dict(optimisation.work(default).set_index("method")["work"])
    return {**code, "copyInt without vectors": slower["+ vectors"], "nor unrolling": slower["+ unrolling"]}


def _each_removes_a_part(measured: Evidence, jdk: int) -> Judgement:
    lost = {measured[f"{loop}Int"] for loop in ("copy", "fill")} & {"vector", "stub"}
    if not lost or measured["copyInt without vectors"] < SAME or measured["nor unrolling"] < SAME:
        return fails("the int loop has neither vectors nor unrolling to lose")
    kept = {measured["copyLong"], measured["fillLong"]}
    if kept == {"one by one"}:
        return holds("the int loop has vectors, unrolling, the fill routine; the long one goes one by one")
    return changed(ALL_BACK if kept <= {"vector", "stub"} else UNROLLED_AGAIN)


def _batches(jdk: int) -> Evidence:
    scores = _scores("copy(Int|Long|LongInBatches)", jdk)
    best = scores["best"]
    gap = best["copyLong"] - best["copyInt"]
    won = (best["copyLong"] - best["copyLongInBatches"]) / gap if gap > 0 else 0.0
    sure = apart(scores.loc["copyLongInBatches"], scores.loc["copyLong"])
    times = {"int ns": best["copyInt"], "long ns": best["copyLong"], "in batches ns": best["copyLongInBatches"]}
    return {**times, "won back": won, "bars apart": sure}


def _most_won_back(measured: Evidence, jdk: int) -> Judgement:
    if jdk >= 26 and measured["long ns"] < 2 * measured["int ns"]:
        return changed(ALL_BACK)
    if not measured["bars apart"]:
        return unclear("the error bars overlap")
    if measured["won back"] >= 0.5:
        return holds(f"batches win back {measured['won back']:.0%} of what the long index costs")
    return fails(f"batches win back only {measured['won back']:.0%}")


CLAIMS = [
    Claim(
        "000-34",
        "To copy an array with a long index takes many times as long",
        then="76.9 against 796.6 ns: 10 times",
        measure=lambda jdk: _pair("copy", jdk),
        judge=lambda measured, jdk: _costs(measured, jdk, 3),
        refuted_by=({"int ns": 75.0, "long ns": 80.0, "ratio": 1.07, "bars apart": False}, 8),
    ),
    Claim(
        "000-35",
        "To compare two arrays with a long index takes about twice as long",
        then="367 against 806 ns: 2.2 times",
        measure=lambda jdk: _pair("equals", jdk),
        judge=lambda measured, jdk: _costs(measured, jdk, SAME),
        refuted_by=({"int ns": 240.0, "long ns": 120.0, "ratio": 0.5, "bars apart": False}, 8),
    ),
    Claim(
        "000-36",
        "To fill an array with a long index takes many times as long",
        then="84 against 568 ns: 6.8 times",
        measure=lambda jdk: _pair("fill", jdk),
        judge=lambda measured, jdk: _costs(measured, jdk, 3),
        refuted_by=({"int ns": 75.0, "long ns": 80.0, "ratio": 1.07, "bars apart": True}, 17),
    ),
    Claim(
        "000-37",
        "To add up an array with a long index takes longer",
        then="338 against 586 ns: 1.7 times",
        measure=lambda jdk: _pair("sum", jdk),
        judge=_sum_costs,
        refuted_by=({"int ns": 24.0, "long ns": 25.0, "ratio": 1.04, "bars apart": False}, 28),
    ),
    Claim(
        "000-38",
        "What the long index takes away is unrolling, vectors (UseSuperWord) and the fill routine (OptimizeFill)",
        then="named as the causes",
        measure=_causes,
        judge=_each_removes_a_part,
        refuted_by=(
            {"copyInt": "unrolled", "copyLong": "one by one", "fillInt": "unrolled", "fillLong": "one by one"}
            | {"copyInt without vectors": 1.0, "nor unrolling": 1.0},
            8,
        ),
    ),
    Claim(
        "000-39",
        "A long copy in batches, with an int index inside, wins most of it back",
        then="a version in the post's repository, without a number",
        measure=_batches,
        judge=_most_won_back,
        refuted_by=(
            {"int ns": 50.0, "long ns": 400.0, "in batches ns": 390.0, "won back": 0.03, "bars apart": True},
            17,
        ),
    ),
]
