"""What a long index and a kept poll take from a loop: claims 000-34, -37 to -39 and -45, run again on one JDK.

Of each fork its shortest iteration counts: what else the machine does can only make one longer. The forks of all loops
run by turns. What is lost, and what came back, is read from the machine code.
"""

from collections.abc import Mapping
from statistics import median
from typing import TYPE_CHECKING, Any

from safepointlab.claims.base import Change, Claim, Evidence, Judgement, differs, holds, spread, unclear
from safepointlab.course.nb13_optimisation import experiments as optimisation
from safepointlab.course.nb13_optimisation.experiments import POLLS
from safepointlab.jdks import flags as known_flags
from safepointlab.logs.assembly import loop_work
from safepointlab.run import forks, launch

if TYPE_CHECKING:
    from pandas import DataFrame

UNROLLED_AGAIN = "JDK-8223051 (JDK 16): C2 makes a nest of a loop with a long index and unrolls the inner loop"
SHORT_AGAIN = "JDK-8342692 (JDK 26): a loop with a long index that never ran long is compiled as one with an int index"
POLLS_LATE = "JDK-8281322 (JDK 19): C2 puts the poll into the loop after it has made the vectors"
POST_BENCHMARK = "optimisation.IntAgainstLong under JMH, 1,000 ints; "
NO_STRIPS = "Serial on all JDKs, whose counted loops have no poll, as with the post's JDK 8. "
LOOPS = ("copy", "equals", "fill")
HALF_WAY = 1.5  # between no effect and the smallest of the post's three, 2.2
LONG, INT = "sum with a long index, ns", "sum with an int index, ns"
SAME_CODE = "both sums have the same main loop"
WITH_POLL, WITHOUT_POLL = "copy with the poll, ns", "copy without the poll, ns"
ONE_PASS, NEST = "optimisation/OnePass", "optimisation/NestByHand"
FILL, BARE = "-XX:+OptimizeFill", "-XX:-OptimizeFill -XX:-UseSuperWord"
SHORT_LOOPS = "ShortRunningLongLoop"
KINDS = {"vector": "on vectors", "unrolled": "unrolled", "one by one": "one by one", "stub": "the fill routine"}


def _nanoseconds(frame: "DataFrame", value: str, column: str = "method") -> list[float]:
    """The shortest iteration of each fork of these rows of each_fork, the shortest first."""
    return sorted(float(best) for best in forks.bests(frame[frame[column] == value]))


def _spread(times: list[float]) -> str:
    return f"{spread(times, 'ns')} in {len(times)} forks"


def _loops(sample: str, jdk: int, flags: str = "") -> Mapping[str, Mapping[Any, Any]]:
    """By method, what one pass of its main loop does: rows of loop_work. Nothing is inlined, -Xbatch waits for C2."""
    program = sample.rpartition("/")[2]
    apart = f"-Xbatch -XX:CompileCommand=dontinline,{program}::* {flags}"
    run = launch.java(sample, jdk, apart, gc=optimisation.GC, log=f"assembly={program}.*", reuse=True)
    rows = loop_work.standard(run.assembly)
    values = rows[["work", "poll"]].to_dict("records")
    return {name.rpartition("::")[2]: row for name, row in zip(rows["method"], values, strict=True)}


def _long_by_int(jdk: int) -> Evidence:
    """How many times as long each loop takes with a long index: the range over pairs of forks that ran in turn."""
    frame = optimisation.each_fork(f"({'|'.join(LOOPS)})(Int|Long)", jdk)
    best = {method: forks.bests(rows) for method, rows in frame.groupby("method")}
    ratios = [forks.range_of(loop, best[f"{loop}Long"] / best[f"{loop}Int"]) for loop in LOOPS]
    return {name: value for each in ratios for name, value in each.items()}


def _much_longer(measured: Evidence) -> Judgement:
    ranges = {loop: (measured[forks.least(loop)], measured[forks.most(loop)]) for loop in LOOPS}
    said = ", ".join(f"{loop} takes {low:.3g} to {high:.3g} times as long" for loop, (low, high) in ranges.items())
    if all(low >= HALF_WAY for low, _ in ranges.values()):
        return holds(said)
    if any(high < HALF_WAY for _, high in ranges.values()):
        return differs(said, Change(26, SHORT_AGAIN))
    return unclear(said)


def _sums(jdk: int) -> Evidence:
    frame = optimisation.each_fork("sum(Int|Long)", jdk)
    code = optimisation.work(frame)[["work", "per_pass", "range_checks"]].astype(object)
    return {
        INT: _nanoseconds(frame, "sumInt"),
        LONG: _nanoseconds(frame, "sumLong"),
        SAME_CODE: len(code) == 2 and len(code.drop_duplicates()) == 1,
    }


def _longer(measured: Evidence) -> Judgement:
    long, short = measured[LONG], measured[INT]
    said = f"{_spread(long)} with a long index, {_spread(short)} with an int index"
    if min(long) > max(short):
        return holds(said)
    if max(long) < min(short):
        return differs(said, Change(26, SHORT_AGAIN))
    if measured[SAME_CODE]:
        return differs(f"{said}, and both have the same main loop", Change(26, SHORT_AGAIN))
    return unclear(f"{said}: the ranges overlap")


def _lost(jdk: int) -> Evidence:
    both, bare = _loops(ONE_PASS, jdk, FILL), _loops(ONE_PASS, jdk, BARE)
    return {
        "copy with an int index": KINDS[both["copyInt"]["work"]],
        "copy with an int index, vectors switched off": KINDS[bare["copyInt"]["work"]],
        "copy with a long index": KINDS[both["copyLong"]["work"]],
        "poll of the copy with a long index": both["copyLong"]["poll"],
        "fill with an int index": KINDS[both["fillInt"]["work"]],
        "fill with a long index": KINDS[both["fillLong"]["work"]],
    }


def _all_three_lost(measured: Evidence) -> Judgement:
    copy, poll, fill = (
        measured[name]
        for name in ("copy with a long index", "poll of the copy with a long index", "fill with a long index")
    )
    has = [measured[name] for name in ("copy with an int index", "copy with an int index, vectors switched off")]
    if [*has, measured["fill with an int index"]] != ["on vectors", "unrolled", "the fill routine"]:
        return unclear("the loops with an int index do not have all three here")
    said = f"with a long index the copy is {copy} (poll: {poll}), the fill {fill}"
    if copy == "one by one" and fill == "one by one":
        return holds(f"{said}; with an int index there are vectors, unrolling and the fill routine")
    lost = {
        "unrolling": copy == "one by one",
        "vectors": copy != "on vectors",
        "the fill routine": fill != "the fill routine",
    }
    said += f"; still lost: {' and '.join(what for what, is_lost in lost.items() if is_lost) or 'nothing'}"
    if "on vectors" in (copy, fill):
        return differs(said, Change(26, SHORT_AGAIN))
    return differs(said, Change(16, UNROLLED_AGAIN))


def _nests(jdk: int) -> Evidence:
    """What C2 makes of a copy with a long index, and of the nest that one writes by hand."""
    loops = _loops(NEST, jdk)
    measured = {
        "copy with a long index": KINDS[loops["copyLong"]["work"]],
        "its outer loop": loops["copyLong"]["poll"] == "around",
        "nest written by hand": KINDS[loops["copyNested"]["work"]],
    }
    if SHORT_LOOPS not in known_flags.known(launch.jdk_of(jdk)):
        return measured
    nest = _loops(NEST, jdk, f"-XX:-{SHORT_LOOPS}")["copyLong"]
    return {**measured, f"copy with -XX:-{SHORT_LOOPS}": KINDS[nest["work"]], "its nest": nest["poll"] == "around"}


def _needs_an_outer_loop(measured: Evidence) -> Judgement:
    copy, outer = measured["copy with a long index"], measured["its outer loop"]
    by_hand = measured["nest written by hand"]
    said = f"the copy with a long index is {copy}, {'with an' if outer else 'without an'} outer loop; "
    said += f"the nest written by hand is {by_hand}"
    if undone := measured.get(f"copy with -XX:-{SHORT_LOOPS}"):
        nest = "a nest" if measured["its nest"] else "one loop"
        said += f"; with -XX:-{SHORT_LOOPS} the copy is {undone} in {nest}"
    if copy == "on vectors" and not outer:
        return differs(said, Change(26, SHORT_AGAIN))
    if by_hand == "on vectors":
        return holds(said)
    return unclear(f"{said}: neither has vectors")


def _kept_polls(jdk: int) -> Evidence:
    frame = optimisation.each_fork("copyInt", jdk, ["", POLLS])
    code = optimisation.work(frame)
    kinds = dict(zip(code["flags"], code["work"], strict=True))
    return {
        "vectors without the poll": kinds[""] == "vector",
        "vectors with the poll": kinds[POLLS] == "vector",
        WITHOUT_POLL: _nanoseconds(frame, "", "flags"),
        WITH_POLL: _nanoseconds(frame, POLLS, "flags"),
    }


def _a_bad_idea(measured: Evidence) -> Judgement:
    kept, without = measured[WITH_POLL], measured[WITHOUT_POLL]
    said = f"{_spread(kept)} with the poll, {_spread(without)} without"
    if not measured["vectors without the poll"]:
        return unclear("the loop has no vectors to lose here")
    if measured["vectors with the poll"]:
        times = median(kept) / max(median(without), 1e-9)
        return differs(f"with the poll the loop still has vectors; {said}, {times:.2f} times", Change(19, POLLS_LATE))
    if min(kept) > max(without):
        return holds(f"vectors without the poll, none with it; {said}")
    if max(kept) < min(without):
        return differs(f"no vectors with the poll, and yet faster: {said}")
    return unclear(f"no vectors with the poll; {said}: the ranges overlap")


CLAIMS = [
    Claim(
        "000-34",
        "With Serial, copying, comparing or filling an array takes much longer with a long index than with an int one",
        as_published="ns for 1,000 ints, int against long: copy 76.9 / 796.6, equals 367.2 / 806.4, fill 84.1 / 567.9",
        measure=_long_by_int,
        judge=_much_longer,
        rule="each of the three loops takes at least 1.5 times as long with a long index, in each pair of forks that "
        "ran in turn (three pairs; 1.5 is half-way between no effect and the post's smallest, 2.2); it does not hold "
        "if one of them takes less than that in each pair",
        mechanism="Up to JDK 15 C2 counts no loop with a long index (JDK-8223051), so there are neither vectors nor "
        "unrolling, and each iteration has a range check and a poll. From JDK 16 on the inner loop of a nest is "
        "unrolled, but keeps its range checks. From JDK 26 on a loop whose profile shows few iterations is compiled "
        "with an int index behind a guard (JDK-8342692, -XX:+ShortRunningLongLoop); one that ran long before gets its "
        "nest back.",
        setup=f"{POST_BENCHMARK}the loops are those of the post's benchmark, written again. {NO_STRIPS}Each method "
        "has three forks, 18 in all.",
        times=True,
        version=2,
    ),
    Claim(
        "000-37",
        "With Serial, adding up an array takes longer with a long index than with an int index",
        as_published="338.2 against 585.7 ns: 1.7 times",
        measure=_sums,
        judge=_longer,
        rule="the fastest of three forks with a long index is slower than the slowest of three with an int index; it "
        "does not hold if it is the other way round, or if the ranges overlap and C2's main loops are the same",
        mechanism="Each addition waits for the one before it, and meanwhile the processor has time for a part of the "
        "long loop's test, range check and poll; so they cost less than in 000-34. From JDK 16 on the inner loop of a "
        "nest is unrolled. From JDK 26 on the long loop is compiled as one with an int index (JDK-8342692), and both "
        "add up on vectors (JDK-8340093).",
        setup=f"{POST_BENCHMARK}{NO_STRIPS}".rstrip(),
        times=True,
        version=2,
    ),
    Claim(
        "000-38",
        "A long index takes away unrolling, vectors (UseSuperWord) and the fill routine (OptimizeFill)",
        as_published="named as the optimisations that are negated",
        measure=_lost,
        judge=_all_three_lost,
        rule="in C2's code the copy with an int index is on vectors, and unrolled without them, the fill is the JVM's "
        "routine, and with a long index both loops do one element in an iteration",
        mechanism="Up to JDK 15 C2 does none of this for a loop that it doesn't count. From JDK 16 on it makes a nest "
        "of a loop with a long index, and the inner loop is unrolled (JDK-8223051); its range checks keep vectors out. "
        "From JDK 26 on there is no nest if the profile shows few iterations: the loop is compiled with an int index "
        "(JDK-8342692), and has vectors.",
        setup="optimisation/OnePass, whose code is read, not timed: 1,000 ints, each loop in a method of its own, "
        "-Xbatch. -XX:+OptimizeFill is given on all JDKs, since it is off on JDK 17 (JDK-8247307). Serial on all JDKs: "
        "a poll around a loop is then that of a nest, and not of a strip.",
        version=2,
    ),
    Claim(
        "000-39",
        "A copy with a long index gets vectors only as the inner loop of a nest",
        as_published="vectors will “probably require the compiler to construct an outer loop with an inner superword "
        "loop”; no number",
        measure=_nests,
        judge=_needs_an_outer_loop,
        rule="in C2's code the copy with a long index has no vectors, or has them within an outer loop, while the "
        "same copy written by hand as an outer and an inner loop has them; it does not hold if there are vectors and "
        "no outer loop",
        mechanism="A nest alone is not enough: in JDK 16 and later C2 builds one by itself (JDK-8223051), and up to "
        "JDK 25 its inner loop has no vectors, since each index that is cast to int is a range check in it. From JDK "
        "26 on (JDK-8342692) there are vectors, and no outer loop: C2 assumes, behind a guard, that the loop runs "
        "for few iterations.",
        setup="optimisation/NestByHand, whose code is read, not timed: 1,000 ints, -Xbatch. Serial on all JDKs: a "
        "poll around a loop is then that of a nest, and not of a strip.",
        version=2,
    ),
    Claim(
        "000-45",
        "With Serial, keeping polls by UseCountedLoopSafepoints costs a loop its vectors (mov instead of vmovdqu) and "
        "makes it slower",
        as_published="a reader: “probably a really bad idea”, to be seen by “vmovdqu vs the mov”; Zing, which kept "
        "the inner loop unrolled, is not run here",
        measure=_kept_polls,
        judge=_a_bad_idea,
        rule="C2's main loop of copyInt has vectors without the flag and none with it, and the fastest of three forks "
        "with the flag is slower than the slowest of three without",
        mechanism="Up to JDK 18 the poll is in the loop before C2 looks for vectors, and is in the way. From JDK 19 on "
        "C2 makes each counted loop ready for strips, and puts the poll back into it at the end (JDK-8281322). With "
        "G1, in JDK 10 and later, the flag is on by default and the poll is between strips (JDK-8186027).",
        setup=f"{POST_BENCHMARK}{NO_STRIPS}With G1 on JDK 10 and later, the flag is on by default, with strips: such "
        "a loop is not what is asked about here.",
        times=True,
        version=2,
    ),
]
