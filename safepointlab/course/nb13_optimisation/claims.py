"""What a long index and a kept poll take from a loop: claims 000-34 to 000-39 and 000-45, run again on one JDK, Serial.

A ratio is that of the shortest iterations of two forks which ran in turn; several such pairs give its range. What is
lost, and what came back, is read from the machine code of the very runs that were timed.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from safepointlab.claims.base import Change, Claim, Evidence, Judgement, differs, holds, not_applicable, unclear
from safepointlab.course.nb13_optimisation import experiments as optimisation
from safepointlab.course.nb13_optimisation.experiments import POLLS
from safepointlab.errors import FlagRejected
from safepointlab.run import forks
from safepointlab.run.forks import least, most

if TYPE_CHECKING:
    from pandas import DataFrame

UNROLLED_AGAIN = "JDK-8223051 (JDK 16): the long loop is a nest, and its inner loop is unrolled"
SHORT_AGAIN = "JDK-8342692 (JDK 26): a long loop that never ran long is compiled as one with an int index"
POLLS_LATE = "JDK-8281322 (JDK 19): the poll is put in after the vectors"
LONG_BY_INT, WITH_POLL = "long by int", "copyInt with the poll"
AT_LEAST, AT_MOST = least(LONG_BY_INT), most(LONG_BY_INT)
WON_LEAST, WON_MOST = "won back, at least, percent", "won back, at most, percent"
NO_VECTORS = "-XX:-OptimizeFill -XX:-UseSuperWord"
NOT_UNROLLED = f"{NO_VECTORS} -XX:LoopUnrollLimit=0"
LOST = ("vectors", "unrolling", "the fill routine")  # what a long index is said to take away
MULTIPLE = 3.0  # "many times as long" at least
ABOUT_TWICE = (1.5, 3.0)
TENTH = 1.1  # what takes no more than a tenth longer is not counted as longer


def _ratios(name: str, frame: "DataFrame", longer: str, shorter: str, column: str = "flags") -> dict[str, float]:
    """How many times as long one row of each_fork takes as another: the range over pairs of forks in turn."""
    long, short = (forks.bests(frame[frame[column] == value]) for value in (longer, shorter))
    return forks.range_of(name, long / short)


def _pair(loop: str) -> Callable[[int], Evidence]:
    """Measure the loop with a long index against the same with an int index."""
    return lambda jdk: _ratios(
        LONG_BY_INT, optimisation.each_fork(f"{loop}(Int|Long)", jdk), f"{loop}Long", f"{loop}Int", "method"
    )


def _longer(limit: float, words: str) -> Callable[[Evidence], Judgement]:
    """A judge of "at least so many times as long"; `words` say the limit."""

    def judge(measured: Evidence) -> Judgement:
        low, high = measured[AT_LEAST], measured[AT_MOST]
        if limit <= low <= high:
            return holds(_times_as_long(measured))
        if low <= high < limit:
            return differs(f"only {_times_as_long(measured)}", Change(26, SHORT_AGAIN))
        return unclear(f"{_times_as_long(measured)}: on both sides of {words}")

    return judge


def _about_twice(measured: Evidence) -> Judgement:
    (lowest, highest), low, high = ABOUT_TWICE, measured[AT_LEAST], measured[AT_MOST]
    if lowest <= low <= high <= highest:
        return holds(_times_as_long(measured))
    if low <= high < lowest:
        return differs(_times_as_long(measured), Change(26, SHORT_AGAIN))
    if high >= low > highest:
        return differs(_times_as_long(measured))
    return unclear(f"{_times_as_long(measured)}: not all of {lowest:g} to {highest:g}, and not all beyond")


def _times_as_long(measured: Evidence) -> str:
    return f"{measured[AT_LEAST]:.3g} to {measured[AT_MOST]:.3g} times as long, by pairs of forks"


def _work(frame: "DataFrame", method: str = "copyInt") -> str:
    """What the main loop of a method does: "vector", "unrolled", "one by one", "stub"."""
    return str(optimisation.work(frame[frame["method"] == method])["work"].item())


def _causes(jdk: int) -> Evidence:
    """Which loop has what, and how much slower copyInt gets without vectors, and then without unrolling."""
    copy = optimisation.each_fork("copy(Int|Long)", jdk)
    # with the fill routine, whatever this JDK's default is
    fill = optimisation.each_fork("fill(Int|Long)", jdk, "-XX:+OptimizeFill", options=optimisation.BRIEF, repeat=1)
    steps = optimisation.each_fork("copyInt", jdk, ["", NO_VECTORS, NOT_UNROLLED])
    bare, long = _work(steps[steps["flags"] == NO_VECTORS]), _work(copy, "copyLong")
    return {
        "the int loop has vectors": _work(copy) == "vector",
        "the int loop has unrolling": bare == "unrolled",
        "the int loop has the fill routine": _work(fill, "fillInt") == "stub",
        "the long loop has vectors": long == "vector",
        "the long loop has unrolling": long != "one by one",
        "the long loop has the fill routine": _work(fill, "fillLong") == "stub",
        **_ratios("copyInt without vectors", steps, NO_VECTORS, ""),
        **_ratios("copyInt without unrolling", steps, NOT_UNROLLED, NO_VECTORS),
    }


def _each_removes_a_part(measured: Evidence) -> Judgement:
    if never := [what for what in LOST if not measured[f"the int loop has {what}"]]:
        return differs(f"the int loop has no {', '.join(never)} to lose")
    if kept := [what for what in LOST if measured[f"the long loop has {what}"]]:
        return differs(f"the long loop keeps {', '.join(kept)}", Change(16, UNROLLED_AGAIN))
    if min(measured[least(f"copyInt without {what}")] for what in LOST[:2]) > TENTH:
        return holds(
            "the int loop has all three and the long one none; without vectors, and then unrolling, it is slower"
        )
    if min(measured[most(f"copyInt without {what}")] for what in LOST[:2]) <= TENTH:
        return differs("the long loop lacks all three, but vectors or unrolling are worth nothing here")
    return unclear("the long loop lacks all three; what they are worth differs too much from fork to fork")


def _batches(jdk: int) -> Evidence:
    """The part of the difference between the long and the int index that batches win back, in each round of forks."""
    frame = optimisation.each_fork("copy(Int|Long|LongInBatches)", jdk)
    int_, long, batches = (
        forks.bests(frame[frame["method"] == f"copy{name}"]) for name in ("Int", "Long", "LongInBatches")
    )
    won = 100 * (long - batches) / (long - int_).clip(lower=0.01 * int_)
    return {AT_LEAST: float((long / int_).min()), WON_LEAST: float(won.min()), WON_MOST: float(won.max())}


def _most_won_back(measured: Evidence) -> Judgement:
    low, high = measured[WON_LEAST], measured[WON_MOST]
    if measured[AT_LEAST] < TENTH:
        return differs("the long index costs next to nothing that could be won back", Change(26, SHORT_AGAIN))
    if low > 50:
        return holds(f"batches win back {low:.0f} % or more of what the long index costs")
    if high < 50:
        return differs(f"batches win back {high:.0f} % at most")
    return unclear(f"batches win back {low:.0f} to {high:.0f} %, by rounds of forks")


def _kept_polls(jdk: int) -> Evidence:
    """Whether the copy is on vectors with its poll and without, and how much longer it takes with the poll."""
    try:
        frame = optimisation.each_fork("copyInt", jdk, ["", POLLS])
    except FlagRejected:
        return {"this JDK knows the flag": False}
    return {
        "this JDK knows the flag": True,
        "vectors, without the poll": _work(frame[frame["flags"] == ""]) == "vector",
        "vectors, with the poll": _work(frame[frame["flags"] == POLLS]) == "vector",
        **_ratios(WITH_POLL, frame, POLLS, ""),
    }


def _a_bad_idea(measured: Evidence) -> Judgement:
    if not measured["this JDK knows the flag"]:
        return not_applicable(f"this JDK refuses {POLLS}")
    if not measured["vectors, without the poll"]:
        return unclear("the loop has no vectors to lose here")
    if measured["vectors, with the poll"]:
        at_least = measured[least(WITH_POLL)]
        why = f"the loop keeps its vectors beside the poll, and takes {at_least:.3g} times as long at least"
        return differs(why, Change(19, POLLS_LATE))
    if measured[least(WITH_POLL)] > TENTH:
        return holds("mov in the place of vmovdqu, and slower")
    if measured[most(WITH_POLL)] <= TENTH:
        return differs("mov in the place of vmovdqu, but no slower")
    return unclear("mov in the place of vmovdqu, but not slower in each pair of forks")


CLAIMS = [
    Claim(
        "000-34",
        "To copy an array with a long index takes many times as long (three times or more)",
        as_published="76.9 against 796.6 ns: 10 times",
        measure=_pair("copy"),
        judge=_longer(MULTIPLE, f"{MULTIPLE:g}"),
        refuted_by={AT_LEAST: 1.0, AT_MOST: 1.1},
    ),
    Claim(
        "000-35",
        "To compare two arrays with a long index takes about twice as long (1.5 to 3 times)",
        as_published="367.2 against 806.4 ns: 2.2 times",
        measure=_pair("equals"),
        judge=_about_twice,
        refuted_by={AT_LEAST: 3.2, AT_MOST: 3.6},
    ),
    Claim(
        "000-36",
        "To fill an array with a long index takes many times as long (three times or more)",
        as_published="84.1 against 567.9 ns: 6.8 times",
        measure=_pair("fill"),
        judge=_longer(MULTIPLE, f"{MULTIPLE:g}"),
        refuted_by={AT_LEAST: 1.0, AT_MOST: 1.1},
    ),
    Claim(
        "000-37",
        "To add up an array with a long index takes longer, by more than a tenth",
        as_published="338.2 against 585.7 ns: 1.7 times",
        measure=_pair("sum"),
        judge=_longer(TENTH, "a tenth more"),
        refuted_by={AT_LEAST: 0.98, AT_MOST: 1.04},
    ),
    Claim(
        "000-38",
        "A long index takes away unrolling, vectors (UseSuperWord) and the fill routine (OptimizeFill)",
        as_published="named as the optimisations that are negated",
        measure=_causes,
        judge=_each_removes_a_part,
        refuted_by={f"the int loop has {what}": True for what in LOST}
        | {f"the long loop has {what}": what == "unrolling" for what in LOST}
        | {f"copyInt without {what}, {end}, times": 2.0 for what in LOST[:2] for end in ("at least", "at most")},
    ),
    Claim(
        "000-39",
        "An outer loop with a long index around one with an int index, written by hand, wins most of it back",
        as_published="the compiler will “probably” have “to construct an outer loop with an inner superword "
        "loop”; no number",
        measure=_batches,
        judge=_most_won_back,
        refuted_by={AT_LEAST: 8.0, WON_LEAST: 2.0, WON_MOST: 4.0},
    ),
    Claim(
        "000-45",
        "Polls kept by OpenJDK's UseCountedLoopSafepoints take a loop's vectors (mov for vmovdqu) and make it slower",
        as_published="a reader: “probably a really bad idea”, to be seen by “vmovdqu vs the mov”; Zing, which "
        "kept the inner "
        "loop unrolled, is not run here",
        measure=_kept_polls,
        judge=_a_bad_idea,
        refuted_by={"this JDK knows the flag": True, "vectors, without the poll": True, "vectors, with the poll": True}
        | {"copyInt with the poll, at least, times": 1.0, "copyInt with the poll, at most, times": 1.1},
    ),
]
