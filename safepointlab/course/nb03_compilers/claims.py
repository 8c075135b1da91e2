"""One source, javac's class and Eclipse's: claims 003e-01 to -06 and -16 to -18, each run again on one JDK.

The verdicts are about the post's own program as the post ran it: default flags, main sleeps 5 s. Two others stand
beside it, with Serial, which never polls counted loops: the same with a sleep of 0.3 s, in which Eclipse's class is
late, and EclipseHangs, a shape in which the old hang lives on.
"""

from collections.abc import Callable

from safepointlab.claims.base import Claim, Evidence, Judgement, differs, holds, unclear
from safepointlab.course.nb02_hang import experiments as hang
from safepointlab.course.nb02_hang.claims import first_hung_build
from safepointlab.course.nb02_hang.experiments import COMPILERS, ECJ, fate
from safepointlab.course.nb03_compilers import experiments as compilers
from safepointlab.course.nb03_compilers.experiments import hangs
from safepointlab.logs import bytecode
from safepointlab.run import build, launch

LAMBDA, STATIC, PARAMETER = hang.PLACES
NOT_TRIED = (
    "no build of 8 of those years is tried here (it would be, once `safepoint jdks install zulu:8u60` has fetched one)"
)
STRING_CONSTRUCTOR = 'StringBuilder."<init>":(Ljava/lang/String;)V'  # as javap prints the call of it
DIGITS = ("2 digits", "14 digits", "19 digits")


def _by_class(name: str, value: Callable[[str], object]) -> Evidence:
    """The value of each compiler, under a name that begins or ends with whose class it is."""
    return {name.format(whose): value(compiler) for whose, compiler in COMPILERS.items()}


def _late(jdk: int, place: str) -> Evidence:
    return _by_class("{} late after 0.3 s, ms", lambda compiler: compilers.late_ms(jdk, compiler, place))


def _both(jdk: int) -> Evidence:
    shape = _by_class("EclipseHangs, {}", lambda compiler: fate(hangs(jdk, compiler)))
    return {**hang.fates(jdk), **shape, **_late(jdk, LAMBDA), **hang.fates_of_old(jdk)}


def _only_eclipses(measured: Evidence) -> Judgement:
    fates = measured["Eclipse's class"], measured["javac's class"]
    if fates == ("hung", "exited"):
        return holds("the post's program, as the post ran it")
    if old := first_hung_build(measured):
        return unclear(f"on this machine {old} hangs where today's build exits")
    why = f"after the post's 5 s {'both classes exit' if fates == ('exited', 'exited') else ' and '.join(fates)}"
    late, soon = (measured[f"{name} late after 0.3 s, ms"] for name in COMPILERS)
    if late > 3 * max(soon, 1.0):
        why += ". With Serial and a sleep of 0.3 s Eclipse's alone is late"
    if (measured["EclipseHangs, Eclipse's class"], measured["EclipseHangs, javac's class"]) == ("hung", "exited"):
        why += ". In the shape of EclipseHangs, with Serial, Eclipse's hangs"
    tried = any(name.startswith("8u") for name in measured)
    return differs(why if tried else f"{why}; {NOT_TRIED}")


def _tests(jdk: int) -> Evidence:
    edges = _by_class("{}", lambda compiler: bytecode.back_edges(hangs(jdk, compiler).bytecode)["test"])
    return {name: ", ".join(sorted(set(tests))) for name, tests in edges.items()}


def _top_and_bottom(measured: Evidence) -> Judgement:
    if (measured["Eclipse's class"], measured["javac's class"]) == ("bottom", "top"):
        return holds("javac branches back to a test at the top, Eclipse's compiler tests at the bottom")
    return differs("the loops' tests stand elsewhere")


def _constructors(jdk: int) -> Evidence:
    def calls(compiler: str) -> int:
        program = build.compile_with(compiler, "compilers/ConcatTwoWays", launch.jdk_of(jdk))
        return program.javap().count(STRING_CONSTRUCTOR)

    return _by_class("{}, calls of it", calls)


def _two_constructors(measured: Evidence) -> Judgement:
    if measured["Eclipse's class, calls of it"] and not measured["javac's class, calls of it"]:
        return holds("Eclipse's class calls new StringBuilder(first part), javac's new StringBuilder(), then append")
    return differs("both compilers begin a concatenation alike")


def _osr_polls(jdk: int) -> Evidence:
    """Loop polls of the optimised version that is entered in the middle of the loop; None if there is none."""

    def polls(compiler: str) -> int | None:
        code = hangs(jdk, compiler).assembly
        versions = code[code["osr_bci"].notna() & (code["tier"].isna() | (code["tier"] == 4))]
        last = versions[versions["compile_id"] == versions["compile_id"].max()]
        return None if last.empty else int((last["poll"] == "loop").sum())

    return _by_class("loop polls, {}", polls)


def _only_javacs(measured: Evidence) -> Judgement:
    ecj, javac = measured["loop polls, Eclipse's class"], measured["loop polls, javac's class"]
    if ecj is None or javac is None:
        return unclear("C2 made no OSR version before main returned, or its code is printed only with hsdis")
    if ecj == 0 < javac:
        return holds("of C2's OSR versions only that of javac's class keeps a poll in its loops")
    return differs("not so in C2's OSR versions")


def _places(jdk: int) -> Evidence:
    fates = {place: fate(hang.as_posted(jdk, ECJ, place)) for place in (LAMBDA, STATIC)}
    late = {f"{place} late after 0.3 s, ms": compilers.late_ms(jdk, ECJ, place) for place in (LAMBDA, STATIC)}
    return {**fates, **late}


def _same_place(measured: Evidence) -> Judgement:
    if measured["lambda"] != measured["static"]:
        return differs("with the post's sleep of 5 s one hangs and the other exits")
    late = [measured[f"{place} late after 0.3 s, ms"] for place in (LAMBDA, STATIC)]
    if not max(late) <= 4 * max(min(late), 1.0):
        return unclear("with the post's sleep both end alike, with one of 0.3 s one is several times as late")
    both = "hang" if measured["lambda"] == "hung" else "exit, on this JDK,"
    return holds(f"both {both} with the post's sleep, and with one of 0.3 s they are late alike")


def _as_javac(measured: Evidence) -> Judgement:
    eclipses, javacs = measured["Eclipse's class"], measured["javac's class"]
    if eclipses != javacs:
        return differs(f"with the post's sleep of 5 s {eclipses} and {javacs}")
    late, soon = (measured[f"{name} late after 0.3 s, ms"] for name in COMPILERS)
    but = "; but with Serial and a sleep of 0.3 s Eclipse's is later" if late > 2 * max(soon, 1.0) else ""
    return holds(f"with the post's sleep of 5 s both {eclipses}{but}")


def _interpreted_bytes(jdk: int) -> Evidence:
    sizes = _by_class("{}", lambda compiler: compilers.concat_bytes(jdk, compiler, compilers.INTERPRETED))
    keys = {digits: f"long_{digits.replace(' ', '_')}" for digits in DIGITS}
    return {f"{name}, {digits}, bytes": size[key] for digits, key in keys.items() for name, size in sizes.items()}


def _larger(measured: Evidence) -> Judgement:
    more = {
        digits: measured[f"Eclipse's class, {digits}, bytes"] - measured[f"javac's class, {digits}, bytes"]
        for digits in DIGITS
    }
    if not more["2 digits"] > 0:
        return differs("where neither array has to grow, Eclipse's class allocates no more")
    less = [digits for digits, difference in more.items() if difference < 0]
    but = f"; with {' and '.join(less)} it is javac's array that grows, and allocates more" if less else ""
    return holds(f"the array that Eclipse's class begins with is larger, as the numbers with 2 digits show{but}")


def _compiled_bytes(jdk: int) -> Evidence:
    flags = {"optimised": compilers.BATCH, "not optimised": f"{compilers.BATCH} -XX:-OptimizeStringConcat"}
    sizes = {
        (name, how): compilers.concat_bytes(jdk, compiler, flag)
        for name, compiler in COMPILERS.items()
        for how, flag in flags.items()
    }
    return {
        f"{name}, {kind}, {how}, bytes": size[f"{kind}_2_digits"]
        for kind in ("int", "long")
        for (name, how), size in sizes.items()
    }


def _missed(measured: Evidence) -> Judgement:
    def saves(name: str, kind: str) -> bool:
        optimised, plain = (measured[f"{name}, {kind}, {how}, bytes"] for how in ("optimised", "not optimised"))
        return bool(optimised < plain)

    if not saves("javac's class", "int"):
        return unclear("C2 does not optimise javac's concatenation either, so there is nothing to miss")
    if not saves("Eclipse's class", "int"):
        return holds("OptimizeStringConcat spares javac's class the builder, and not Eclipse's")
    spared = [name for name in COMPILERS if saves(name, "long")]
    rest = f"with a long, as in the post's line, {' and '.join(spared) or 'neither'}"
    return differs(f"with an int OptimizeStringConcat spares both classes the builder; {rest}")


def _structure(jdk: int) -> Evidence:
    """The post's loop by Eclipse's compiler, in the lambda and with its limit as a parameter."""
    runs = {place: hang.as_posted(jdk, ECJ, place) for place in (LAMBDA, PARAMETER)}
    edges = bytecode.back_edges(runs[LAMBDA].bytecode)
    methods = {LAMBDA: r"::lambda\$", PARAMETER: "::countOddsBelow"}
    tests = {
        f"tests, {place}": " ".join(sorted(edges[edges["method"].str.contains(own)]["test"]))
        for place, own in methods.items()
    }
    return {**tests, **{place: fate(run) for place, run in runs.items()}}


def _other_behaviour(measured: Evidence) -> Judgement:
    if measured["tests, lambda"] != "bottom bottom" or measured["tests, parameter"] != "bottom bottom":
        return differs("their loops are built differently")
    if measured["lambda"] != measured["parameter"]:
        return holds("the same tests at the bottom, and one hangs while the other exits")
    return differs(f"the same tests at the bottom, and the same behaviour: both {measured['lambda']} after 5 s")


CLAIMS = [
    Claim(
        "003e-01",
        "The post's program, main's sleep 5 s: compiled by Eclipse it never exits, compiled by javac it does",
        as_published="Eclipse's class hung every time, javac's did not (default flags; no build is named)",
        measure=_both,
        judge=_only_eclipses,
        refuted_by={
            "Eclipse's class": "exited",
            "javac's class": "exited",
            "EclipseHangs, Eclipse's class": "hung",
            "EclipseHangs, javac's class": "exited",
            "Eclipse's class late after 0.3 s, ms": 1200.0,
            "javac's class late after 0.3 s, ms": 70.0,
        },
    ),
    Claim(
        "003e-02",
        "Eclipse's compiler puts a loop's test at the bottom, javac at the top",
        as_published="conditions checked at the end of the loop; upfront, with the backedge at the end",
        measure=_tests,
        judge=_top_and_bottom,
        refuted_by={"Eclipse's class": "bottom", "javac's class": "bottom"},
    ),
    Claim(
        "003e-04",
        "The compiled loop of Eclipse's class has no poll, that of javac's has one (in the shape of EclipseHangs)",
        as_published="{poll_return} and no {poll}; javac's has that poll",
        measure=_osr_polls,
        judge=_only_javacs,
        refuted_by={"loop polls, Eclipse's class": 1, "loop polls, javac's class": 1},
    ),
    Claim(
        "003e-05",
        "Eclipse's class behaves the same whether the loop stands in the lambda or in a method of its own",
        as_published="similar bytecode, same behaviour: it hangs",
        measure=_places,
        judge=_same_place,
        refuted_by={
            "lambda": "hung",
            "static": "exited",
            "lambda late after 0.3 s, ms": 1200.0,
            "static late after 0.3 s, ms": 1100.0,
        },
    ),
    Claim(
        "003e-06",
        "With the limit as a parameter Eclipse's class behaves like javac's",
        as_published="'this time it behaved like the javac version', that is, it exits",
        measure=lambda jdk: {**hang.fates(jdk, PARAMETER), **_late(jdk, PARAMETER)},
        judge=_as_javac,
        refuted_by={
            "Eclipse's class": "hung",
            "javac's class": "exited",
            "Eclipse's class late after 0.3 s, ms": 1200.0,
            "javac's class late after 0.3 s, ms": 70.0,
        },
    ),
    Claim(
        "003e-18",
        "With the limit as a parameter Eclipse's loop has the same structure, and yet it behaves otherwise",
        as_published="'the same funky loop structure'; the lambda hangs, this one exits",
        measure=_structure,
        judge=_other_behaviour,
        refuted_by={
            "tests, lambda": "bottom bottom",
            "tests, parameter": "bottom bottom",
            "lambda": "exited",
            "parameter": "exited",
        },
    ),
    Claim(
        "003e-03",
        "The two compilers concatenate strings with different calls",
        as_published="StringBuilder(String); StringBuilder(), then append",
        measure=_constructors,
        judge=_two_constructors,
        refuted_by={"Eclipse's class, calls of it": 0, "javac's class, calls of it": 0},
    ),
    Claim(
        "003e-16",
        "Eclipse's StringBuilder(String) allocates a larger array than javac's StringBuilder()",
        as_published="said, not measured: 'a larger char[]'",
        measure=_interpreted_bytes,
        judge=_larger,
        refuted_by={
            "Eclipse's class, 2 digits, bytes": 136.0,
            "javac's class, 2 digits, bytes": 136.0,
            "Eclipse's class, 14 digits, bytes": 184.0,
            "javac's class, 14 digits, bytes": 248.0,
            "Eclipse's class, 19 digits, bytes": 312.0,
            "javac's class, 19 digits, bytes": 256.0,
        },
    ),
    Claim(
        "003e-17",
        "Eclipse's pattern misses the optimisation of string concatenation that javac's gets",
        as_published="'it may also be', not measured",
        measure=_compiled_bytes,
        judge=_missed,
        refuted_by={
            "Eclipse's class, int, optimised, bytes": 56.0,
            "Eclipse's class, int, not optimised, bytes": 128.0,
            "javac's class, int, optimised, bytes": 56.0,
            "javac's class, int, not optimised, bytes": 112.0,
            "Eclipse's class, long, optimised, bytes": 128.0,
            "Eclipse's class, long, not optimised, bytes": 128.0,
            "javac's class, long, optimised, bytes": 112.0,
            "javac's class, long, not optimised, bytes": 112.0,
        },
    ),
]
