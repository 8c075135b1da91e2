"""What a long index and a kept poll take from a loop: claims 000-34 to 000-39 and 000-45, run again on one JDK, Serial.

A ratio is that of the shortest iterations of two forks which ran in turn; several such pairs give its range. What is
lost, and what came back, is read from the machine code of the very runs that were timed.
"""

from collections.abc import Callable
from math import inf
from typing import TYPE_CHECKING

from safepointlab.claims.base import Claim, Evidence, Judgement, fails, holds, not_asked, refuted, unclear
from safepointlab.course.nb13_optimisation import experiments as optimisation
from safepointlab.errors import FlagRejected
from safepointlab.run import forks
from safepointlab.run.forks import least, most

if TYPE_CHECKING:
    from pandas import DataFrame, Series

UNROLLED_AGAIN = "JDK-8223051 (JDK 16): the long loop is a nest, and its inner loop is unrolled"
SHORT_AGAIN = "JDK-8342692 (JDK 26): a long loop that never ran long is compiled as one with an int index"
POLLS_LATE = "JDK-8281322 (JDK 19): the poll is put in after the vectors"
LONG_BY_INT, WITH_POLL = "long by int", "copyInt with the poll"
AT_LEAST, AT_MOST = least(LONG_BY_INT), most(LONG_BY_INT)
SHORTER, LONGER = "shorter", "longer"
FILL = "-XX:+OptimizeFill"  # whatever this JDK's default is
LOST = ("vectors", "unrolling", "the fill routine")  # what a long index is said to take away
MULTIPLE = 3.0  # "many times as long" at least
ABOUT_TWICE = (1.5, 3.0)
TENTH = 1.1  # what takes no more than a tenth longer is not counted as longer


def _pair(loop: str, jdk: int) -> Evidence:
    frame = optimisation.each_fork(f"{loop}(Int|Long)", jdk)
    return forks.range_of(LONG_BY_INT, optimisation.times(frame, f"{loop}Long", f"{loop}Int"))


def _within(measured: Evidence, lowest: float, highest: float = inf) -> str | None:
    """Are all ratios within these limits ("yes"), or all beyond the same one ("shorter", "longer")? None: neither."""
    low, high = measured[AT_LEAST], measured[AT_MOST]
    if lowest <= low <= high <= highest:
        return "yes"
    return SHORTER if low <= high < lowest else LONGER if high >= low > highest else None


def _said(measured: Evidence) -> str:
    return f"{measured[AT_LEAST]:.3g} to {measured[AT_MOST]:.3g} times as long, by pairs of forks"


def _longer_by(times: float, words: str) -> Callable[[Evidence, int], Judgement]:
    """A judge of "at least so many times as long"; `words` say the limit."""

    def judge(measured: Evidence, jdk: int) -> Judgement:
        answer = _within(measured, times)
        if answer is None:
            return unclear(f"{_said(measured)}: on both sides of {words}")
        if answer == "yes":
            return holds(_said(measured))
        return refuted(f"only {_said(measured)}", jdk, since=26, cause=SHORT_AGAIN)

    return judge


_many_times = _longer_by(MULTIPLE, f"{MULTIPLE:g}")
_longer = _longer_by(TENTH, "a tenth more")


def _about_twice(measured: Evidence, jdk: int) -> Judgement:
    low, high = ABOUT_TWICE
    answer = _within(measured, low, high)
    if answer is None:
        return unclear(f"{_said(measured)}: not all of {low:g} to {high:g}, and not all beyond")
    if answer == "yes":
        return holds(_said(measured))
    return refuted(_said(measured), jdk, since=26, cause=SHORT_AGAIN) if answer == SHORTER else fails(_said(measured))


def _codes(frame: "DataFrame") -> dict[str, str]:
    """What the main loop of each method does: "vector", "unrolled", "one by one", "stub"."""
    return dict(optimisation.work(frame).set_index("method")["work"])


def _causes(jdk: int) -> Evidence:
    """Which loop has what, and how much slower copyInt gets without each of two of them."""
    code = _codes(optimisation.each_fork("copy(Int|Long)", jdk))
    fill = _codes(optimisation.each_fork("fill(Int|Long)", jdk, FILL, options=optimisation.BRIEF, repeat=1))
    steps = optimisation.each_fork("copyInt", jdk, list(optimisation.STEPS.values()))
    bare = _codes(steps[steps["flags"] == optimisation.STEPS["and vectors"]])
    int_has = (code["copyInt"] == "vector", bare["copyInt"] == "unrolled", fill["fillInt"] == "stub")
    long_has = (code["copyLong"] == "vector", code["copyLong"] != "one by one", fill["fillLong"] == "stub")
    loops = {"int": int_has, "long": long_has}
    has = {f"the {loop} loop has {what}": h for loop, all_ in loops.items() for what, h in zip(LOST, all_, strict=True)}
    return {**has, **_worth("vectors", "nothing", steps), **_worth("unrolling", "and vectors", steps)}


def _worth(what: str, before: str, steps: "DataFrame") -> Evidence:
    names = optimisation.STEPS
    ratios: Series[float] = optimisation.times(steps, names[f"and {what}"], names[before], column="flags")
    return forks.range_of(f"copyInt without {what}", ratios)


def _each_removes_a_part(measured: Evidence, jdk: int) -> Judgement:
    if never := [what for what in LOST if not measured[f"the int loop has {what}"]]:
        return fails(f"the int loop has no {', '.join(never)} to lose")
    if kept := [what for what in LOST if measured[f"the long loop has {what}"]]:
        return refuted(f"the long loop keeps {', '.join(kept)}", jdk, since=16, cause=UNROLLED_AGAIN)
    if min(measured[least(f"copyInt without {what}")] for what in LOST[:2]) > TENTH:
        return holds(
            "the int loop has all three and the long one none; without vectors, and then unrolling, it is slower"
        )
    if min(measured[most(f"copyInt without {what}")] for what in LOST[:2]) <= TENTH:
        return fails("the long loop lacks all three, but vectors or unrolling are worth nothing here")
    return unclear("the long loop lacks all three; what they are worth differs too much from fork to fork")


def _batches(jdk: int) -> Evidence:
    """The part of the difference between the long and the int index that batches win back, in each round of forks."""
    frame = optimisation.each_fork("copy(Int|Long|LongInBatches)", jdk)
    int_, long, batches = (
        forks.bests(frame[frame["method"] == f"copy{name}"]) for name in ("Int", "Long", "LongInBatches")
    )
    won = 100 * (long - batches) / (long - int_).clip(lower=0.01 * int_)
    costs = {AT_LEAST: float((long / int_).min())}
    return {**costs, "won back, at least, percent": float(won.min()), "won back, at most, percent": float(won.max())}


def _most_won_back(measured: Evidence, jdk: int) -> Judgement:
    low, high = measured["won back, at least, percent"], measured["won back, at most, percent"]
    if measured[AT_LEAST] < TENTH:
        return refuted("the long index costs next to nothing that could be won back", jdk, since=26, cause=SHORT_AGAIN)
    if low > 50:
        return holds(f"batches win back {low:.0f} % or more of what the long index costs")
    if high < 50:
        return fails(f"batches win back {high:.0f} % at most")
    return unclear(f"batches win back {low:.0f} to {high:.0f} %, by rounds of forks")


def _kept_polls(jdk: int) -> Evidence:
    """Whether the copy is on vectors with its poll and without, and how much longer it takes with the poll."""
    try:
        frame = optimisation.each_fork("copyInt", jdk, ["", optimisation.POLLS])
    except FlagRejected:
        return {"this JDK knows the flag": False}
    vectors = {name: _codes(frame[frame["flags"] == flags])["copyInt"] == "vector" for name, flags in _FLAGS.items()}
    on_vectors = {f"vectors, {name}": each for name, each in vectors.items()}
    ratios = optimisation.times(frame, optimisation.POLLS, "", column="flags")
    return {"this JDK knows the flag": True, **on_vectors, **forks.range_of(WITH_POLL, ratios)}


_FLAGS = {"without the poll": "", "with the poll": optimisation.POLLS}


def _a_bad_idea(measured: Evidence, jdk: int) -> Judgement:
    if not measured["this JDK knows the flag"]:
        return not_asked(f"this JDK refuses {optimisation.POLLS}")
    if not measured["vectors, without the poll"]:
        return unclear("the loop has no vectors to lose here")
    if measured["vectors, with the poll"]:
        at_least = measured[least(WITH_POLL)]
        why = f"the loop keeps its vectors beside the poll, and takes {at_least:.3g} times as long at least"
        return refuted(why, jdk, since=19, cause=POLLS_LATE)
    if measured[least(WITH_POLL)] > TENTH:
        return holds("mov in the place of vmovdqu, and slower")
    if measured[most(WITH_POLL)] <= TENTH:
        return fails("mov in the place of vmovdqu, but no slower")
    return unclear("mov in the place of vmovdqu, but not slower in each pair of forks")


CLAIMS = [
    Claim(
        "000-34",
        "To copy an array with a long index takes many times as long (three times or more)",
        as_published="76.9 against 796.6 ns: 10 times",
        measure=lambda jdk: _pair("copy", jdk),
        judge=_many_times,
        refuted_by=({AT_LEAST: 1.0, AT_MOST: 1.1}, 8),
    ),
    Claim(
        "000-35",
        "To compare two arrays with a long index takes about twice as long (1.5 to 3 times)",
        as_published="367.2 against 806.4 ns: 2.2 times",
        measure=lambda jdk: _pair("equals", jdk),
        judge=_about_twice,
        refuted_by=({AT_LEAST: 3.2, AT_MOST: 3.6}, 8),
    ),
    Claim(
        "000-36",
        "To fill an array with a long index takes many times as long (three times or more)",
        as_published="84.1 against 567.9 ns: 6.8 times",
        measure=lambda jdk: _pair("fill", jdk),
        judge=_many_times,
        refuted_by=({AT_LEAST: 1.0, AT_MOST: 1.1}, 17),
    ),
    Claim(
        "000-37",
        "To add up an array with a long index takes longer, by more than a tenth",
        as_published="338.2 against 585.7 ns: 1.7 times",
        measure=lambda jdk: _pair("sum", jdk),
        judge=_longer,
        refuted_by=({AT_LEAST: 0.98, AT_MOST: 1.04}, 8),
    ),
    Claim(
        "000-38",
        "A long index takes away unrolling, vectors (UseSuperWord) and the fill routine (OptimizeFill)",
        as_published="named as the optimisations that are negated",
        measure=_causes,
        judge=_each_removes_a_part,
        refuted_by=(
            {f"the int loop has {what}": True for what in LOST}
            | {f"the long loop has {what}": what == "unrolling" for what in LOST}
            | {f"copyInt without {what}, {end}, times": 2.0 for what in LOST[:2] for end in ("at least", "at most")},
            8,
        ),
    ),
    Claim(
        "000-39",
        "An outer loop with a long index around one with an int index, written by hand, wins most of it back",
        as_published="the compiler will “probably” have “to construct an outer loop with an inner superword "
        "loop”; no number",
        measure=_batches,
        judge=_most_won_back,
        refuted_by=({AT_LEAST: 8.0, "won back, at least, percent": 2.0, "won back, at most, percent": 4.0}, 17),
    ),
    Claim(
        "000-45",
        "Polls kept by OpenJDK's UseCountedLoopSafepoints take a loop's vectors (mov for vmovdqu) and make it slower",
        as_published="a reader: “probably a really bad idea”, to be seen by “vmovdqu vs the mov”; Zing, which "
        "kept the inner "
        "loop unrolled, is not run here",
        measure=_kept_polls,
        judge=_a_bad_idea,
        refuted_by=(
            {"this JDK knows the flag": True, "vectors, without the poll": True, "vectors, with the poll": True}
            | {"copyInt with the poll, at least, times": 1.0, "copyInt with the poll, at most, times": 1.1},
            8,
        ),
    ),
]
