"""What the post says of compiled code: claims 002-04, -13, -15, and -19 to -21 on one JDK."""

from collections.abc import Iterator

from safepointlab.claims.base import Claim, Evidence, Judgement, fails, holds, refuted, unclear
from safepointlab.course.nb06_biased import code as biased_code
from safepointlab.course.nb06_biased import experiments as biased
from safepointlab.run.run import Run

POSTS_RATE = 2.5  # bytes read and added in a nanosecond


def _osr(jdk: int) -> Evidence:
    """One run in eight or so goes to C2 at once and keeps its first version: then a small one is asked again."""
    runs = 0
    for run in _warm_ups(jdk):
        runs += 1
        sums = run.compilations[run.compilations["method"].eq("ByteSummer::sum") & run.compilations["osr"]]
        if len(gone := sums[sums["event"].eq("made not entrant")]):
            break
    printed = ", ".join(sorted({f"@ {bci}" for bci in gone["osr_bci"].dropna()}))
    compiled = int(sums["event"].eq("compiled").sum())
    return {"runs until one showed it": runs, "compiled by OSR": compiled, "made not entrant": len(gone), "as": printed}


def _warm_ups(jdk: int) -> Iterator[Run]:
    yield biased.full_length(jdk)
    for n in range(4):
        yield biased.warm_up(jdk, repeat=n)


def _came_and_went(measured: Evidence, jdk: int) -> Judgement:
    if not (measured["compiled by OSR"] and measured["made not entrant"]):
        return fails("no such pair of lines in five runs")
    runs = measured["runs until one showed it"]
    again = "in the first run" if runs == 1 else f"in the last of {runs} runs"
    return holds(f"{again}; 8 prints “@ -2” (InvalidOSREntryBci), later JDKs the loop's bytecode index")


CASES = {  # the method of CountersAdd -> what is done to it
    "fewCalls": "150 calls",
    "manyCalls": "1,000 calls",
    "theSum": "150 calls of 100 iterations",
    "oneLoop": "one call of 200,000 iterations, by OSR",
}


def _thresholds(jdk: int) -> Evidence:
    run = biased_code.counted(jdk)
    compiles = {what: biased_code.compiles(run, method) for method, what in CASES.items()}
    return {what: osr if "OSR" in what else standard for what, (standard, osr) in compiles.items()}


def _counted(measured: Evidence, jdk: int) -> Judgement:
    few, many, both, loop = (bool(measured[what]) for what in CASES.values())
    if many and both and loop and not few:
        return holds("calls alone count, the sum of calls and jumps back counts, and so do jumps back within one call")
    if few:
        return unclear("150 calls were enough already: the limit was passed before anything was added")
    return fails("one of the three was not compiled, though the counters had passed the limits")


def _rate(jdk: int) -> Evidence:
    runs = {"rate, bytes_per_ns": biased.full_length(jdk), "without vectors, bytes_per_ns": biased.without_vectors(jdk)}
    return {name: run.values["bytes_per_ns"] for name, run in runs.items()}


def _about_the_same(measured: Evidence, jdk: int) -> Judgement:
    rate, plain = (float(value) / POSTS_RATE for value in measured.values())
    if 0.5 < rate < 2:
        return holds("within twice the rate of the post's processor, and half of it")
    if rate >= 2 and plain < rate / 1.5:
        vectors = "C2 makes vector code of such sums, probably since JDK-8302652"
        return refuted(f"{rate:.1f} times as many, {plain:.1f} times without vectors", jdk, 21, vectors)
    if rate < 0.1:
        return fails("far slower than compiled code should be")
    return unclear("another processor, or a busy one")


def _invalidated(jdk: int) -> Evidence:
    run = biased_code.not_entrant(jdk)
    values = run.values
    return {
        "from OSR compile to made not entrant, s": biased_code.osr_life_s(run),
        "the call lasted, s": float(values["once_ms"]) / 1000,
        "calls that ran on in code made not entrant": int(values["left_ms"]),
        "of such a call, ms": values["shared_ms"],
        "its longest gap, ms": values["gap_ms"],
    }


def _ran_on(measured: Evidence, jdk: int) -> Judgement:
    life, call = measured["from OSR compile to made not entrant, s"], measured["the call lasted, s"]
    gap = measured["its longest gap, ms"] / max(measured["of such a call, ms"], 0.001)
    if gap > 0.5:
        return fails("the thread inside stood still for most of what was left of its call")
    if not life > 1 or not measured["calls that ran on in code made not entrant"]:
        return unclear("no version of the code was made not entrant while a call of it was under way")
    if gap < 0.1 and life > 0.7 * call:
        return holds("the loop ran in it for seconds, until its end; and made not entrant, a thread inside runs on")
    return unclear("a gap that other programs may have made, or a version that was replaced before the loop ended")


def _zombies(jdk: int) -> Evidence:
    run = biased_code.cache_full(jdk)
    return {
        "made zombie": int(run.compilations["event"].eq("made zombie").sum()),
        "collections for the code cache": int(run.gc["cause"].str.contains("CodeCache").sum()),
    }


def _marked(measured: Evidence, jdk: int) -> Judgement:
    if measured["made zombie"]:
        return holds("a line “made zombie” when no thread's stack has the old version any more")
    if measured["collections for the code cache"]:
        why = "dead code goes in collections, and no line says so"
        return refuted(why, jdk, 20, "JDK-8290025 removed the sweeper and the state zombie")
    return unclear("no old code was thrown away in this run")


def _who_waits(jdk: int) -> Evidence:
    ways = {"by default": biased_code.compilers(jdk), "with -Xbatch": biased_code.compilers(jdk, biased_code.BATCH)}
    return {
        f"{way}: waited of the compilers' time, percent": 100
        * float(run.values["waited_ms"])
        / float(run.values["compiled_ms"])
        for way, run in ways.items()
    }


def _in_the_background(measured: Evidence, jdk: int) -> Judgement:
    default, batch = measured.values()
    if not batch > 50:
        return unclear("not even with -Xbatch did the program wait: nothing to tell apart")
    if default < batch / 3:
        return holds("the program runs on while its methods are compiled; with -Xbatch it waits")
    return (
        fails("it waits as with -Xbatch") if default > 0.8 * batch else unclear("it waited for a part: a busy machine")
    )


CLAIMS = [
    Claim(
        "002-04",
        "The loop is compiled while it runs (OSR, marked %), and a version of it made not entrant",
        as_published="a line with 2%, later “2% made not entrant … @ -2”",
        measure=_osr,
        judge=_came_and_went,
        refuted_by=({"runs until one showed it": 5, "compiled by OSR": 2, "made not entrant": 0, "as": ""}, 8),
    ),
    Claim(
        "002-13",
        "A method is compiled when the sum of its calls and jumps back passes a limit, and in a loop by OSR",
        as_published="stated",
        measure=_thresholds,
        judge=_counted,
        refuted_by=(dict(zip(CASES.values(), (0, 1, 0, 1), strict=True)), 8),
    ),
    Claim(
        "002-15",
        "A core reads and adds 2.5 bytes in a nanosecond",
        as_published="2.5 bytes per ns",
        measure=_rate,
        judge=_about_the_same,
        refuted_by=({"rate, bytes_per_ns": 16.0, "without vectors, bytes_per_ns": 4.0}, 8),
    ),
    Claim(
        "002-19",
        "OSR code is made not entrant seconds after it was compiled; a thread inside such code is not stopped by that",
        as_published="compiled at 2.632 s, made not entrant at 6.709 s: 4.1 s later",
        measure=_invalidated,
        judge=_ran_on,
        refuted_by=(
            {
                "from OSR compile to made not entrant, s": 4.1,
                "the call lasted, s": 4.1,
                "calls that ran on in code made not entrant": 1,
                "of such a call, ms": 600.0,
                "its longest gap, ms": 400.0,
            },
            8,
        ),
    ),
    Claim(
        "002-20",
        "Old code becomes a zombie in the end, ready to be cleaned out",
        as_published="“mark the old version as a zombie”",
        measure=_zombies,
        judge=_marked,
        refuted_by=({"made zombie": 0, "collections for the code cache": 9}, 21),
    ),
    Claim(
        "002-21",
        "By default methods are compiled in the background, while the program runs on",
        as_published="stated",
        measure=_who_waits,
        judge=_in_the_background,
        refuted_by=(
            {
                "by default: waited of the compilers' time, percent": 88.0,
                "with -Xbatch: waited of the compilers' time, percent": 90.0,
            },
            8,
        ),
    ),
]
