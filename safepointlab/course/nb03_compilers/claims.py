"""One source, javac's class and Eclipse's: claims 003e-01, -02, -04 to -06 and -18, each run again on one JDK.

The verdicts are about the post's own program as the post ran it: default flags, main sleeps 5 s. Two others stand
beside it, with Serial, which never polls counted loops: the same with a sleep of 0.3 s, in which Eclipse's class is
late, and EclipseHangs, a shape in which the old hang lives on.
"""

from safepointlab.claims.base import Claim, Evidence, Judgement, changed, fails, holds, unclear
from safepointlab.course.nb02_hang import post as hang_post
from safepointlab.course.nb02_hang.claims import first_that_hung
from safepointlab.course.nb02_hang.experiments import fate
from safepointlab.course.nb03_compilers import experiments as compilers
from safepointlab.course.nb03_compilers.experiments import ECJ, hangs, late_ms
from safepointlab.logs import bytecode
from safepointlab.run.run import Run

CLASSES = hang_post.COMPILERS
LAMBDA, STATIC, PARAMETER = hang_post.PLACES
NOT_TRIED = (
    "no build of 8 of those years is tried here (it would be, once `safepoint jdks install zulu:8u60` has fetched one)"
)


def _both(jdk: int) -> Evidence:
    shape = {f"EclipseHangs, {name}": fate(hangs(jdk, compiler)) for name, compiler in CLASSES.items()}
    late = {f"{name} late after 0.3 s, ms": _late(jdk, compiler, LAMBDA) for name, compiler in CLASSES.items()}
    return {**hang_post.fates(jdk), **shape, **late, **hang_post.fates_of_old(jdk)}


def _late(jdk: int, compiler: str, place: str) -> float:
    return round(late_ms(compilers.variant(jdk, compiler, place)))


def _only_eclipses(measured: Evidence, jdk: int) -> Judgement:
    eclipses, javacs = measured["Eclipse's class"], measured["javac's class"]
    if (eclipses, javacs) == ("hung", "exited"):
        return holds("the post's program, as the post ran it")
    if old := first_that_hung(measured):
        return changed(f"on this machine {old} hangs where today's build exits")
    what = "both classes exit" if (eclipses, javacs) == ("exited", "exited") else f"{eclipses} and {javacs}"
    asked = any(name.startswith("8u") for name in measured)
    return fails(f"after the post's 5 s {what}{_what_is_left(measured)}{'' if asked else f'; {NOT_TRIED}'}")


def _what_is_left(measured: Evidence) -> str:
    """What the two other programs say of the effect."""
    late, soon = (measured[f"{name} late after 0.3 s, ms"] for name in CLASSES)
    stall = ". With Serial and a sleep of 0.3 s Eclipse's alone is late" if late > 3 * max(soon, 1.0) else ""
    alive = (measured["EclipseHangs, Eclipse's class"], measured["EclipseHangs, javac's class"]) == ("hung", "exited")
    return f"{stall}{'. In the shape of EclipseHangs, with Serial, Eclipse' + chr(39) + 's hangs' if alive else ''}"


def _tests(jdk: int) -> Evidence:
    return {name: _where_tested(hangs(jdk, compiler)) for name, compiler in CLASSES.items()}


def _where_tested(run: Run) -> str:
    return ", ".join(sorted(set(bytecode.back_edges(run.bytecode)["test"])))


def _top_and_bottom(measured: Evidence, jdk: int) -> Judgement:
    if (measured["Eclipse's class"], measured["javac's class"]) == ("bottom", "top"):
        return holds("javac branches back to a test at the top, Eclipse's compiler tests at the bottom")
    return fails("the loops' tests stand elsewhere")


def _osr_polls(jdk: int) -> Evidence:
    return {f"loop polls, {name}": _polls_of_last_osr(hangs(jdk, compiler)) for name, compiler in CLASSES.items()}


def _polls_of_last_osr(run: Run) -> int | None:
    """Loop polls of the optimised version that is entered in the middle of the loop; None if there is none."""
    code = run.assembly
    versions = code[code["osr_bci"].notna() & (code["tier"].isna() | (code["tier"] == 4))]
    last = versions[versions["compile_id"] == versions["compile_id"].max()]
    return None if last.empty else int((last["poll"] == "loop").sum())


def _only_javacs(measured: Evidence, jdk: int) -> Judgement:
    ecj, javac = measured["loop polls, Eclipse's class"], measured["loop polls, javac's class"]
    if ecj is None or javac is None:
        return unclear("C2 made no OSR version before main returned, or its code is printed only with hsdis")
    if ecj == 0 < javac:
        return holds("of C2's OSR versions only that of javac's class keeps a poll in its loops")
    return fails("not so in C2's OSR versions")


def _places(jdk: int) -> Evidence:
    fates = {place: fate(hang_post.as_posted(jdk, ECJ, place)) for place in (LAMBDA, STATIC)}
    late = {f"{place} late after 0.3 s, ms": _late(jdk, ECJ, place) for place in (LAMBDA, STATIC)}
    return {**fates, **late}


def _same_place(measured: Evidence, jdk: int) -> Judgement:
    if measured["lambda"] != measured["static"]:
        return fails("with the post's sleep of 5 s one hangs and the other exits")
    late = [measured[f"{place} late after 0.3 s, ms"] for place in (LAMBDA, STATIC)]
    if not max(late) <= 4 * max(min(late), 1.0):
        return unclear("with the post's sleep both end alike, with one of 0.3 s one is several times as late")
    both = "hang" if measured["lambda"] == "hung" else "exit, on this JDK,"
    return holds(f"both {both} with the post's sleep, and with one of 0.3 s they are late alike")


def _parameter(jdk: int) -> Evidence:
    late = {f"{name} late after 0.3 s, ms": _late(jdk, compiler, PARAMETER) for name, compiler in CLASSES.items()}
    return {**hang_post.fates(jdk, PARAMETER), **late}


def _as_javac(measured: Evidence, jdk: int) -> Judgement:
    eclipses, javacs = measured["Eclipse's class"], measured["javac's class"]
    if eclipses != javacs:
        return fails(f"with the post's sleep of 5 s {eclipses} and {javacs}")
    late, soon = (measured[f"{name} late after 0.3 s, ms"] for name in CLASSES)
    but = "; but with Serial and a sleep of 0.3 s Eclipse's is later" if late > 2 * max(soon, 1.0) else ""
    return holds(f"with the post's sleep of 5 s both {eclipses}{but}")


def _structure(jdk: int) -> Evidence:
    """The post's loop by Eclipse's compiler, in the lambda and with its limit as a parameter."""
    runs = {place: hang_post.as_posted(jdk, ECJ, place) for place in (LAMBDA, PARAMETER)}
    edges = bytecode.back_edges(runs[LAMBDA].bytecode)
    methods = {LAMBDA: r"::lambda\$", PARAMETER: "::countOddsBelow"}
    tests = {
        f"tests, {place}": sorted(edges[edges["method"].str.contains(own)]["test"]) for place, own in methods.items()
    }
    return {
        **{name: " ".join(found) for name, found in tests.items()},
        **{place: fate(run) for place, run in runs.items()},
    }


def _other_behaviour(measured: Evidence, jdk: int) -> Judgement:
    if measured["tests, lambda"] != "bottom bottom" or measured["tests, parameter"] != "bottom bottom":
        return fails("their loops are built differently")
    if measured["lambda"] != measured["parameter"]:
        return holds("the same tests at the bottom, and one hangs while the other exits")
    return fails(f"the same tests at the bottom, and the same behaviour: both {measured['lambda']} after 5 s")


CLAIMS = [
    Claim(
        "003e-01",
        "The post's program, main's sleep 5 s: compiled by Eclipse it never exits, compiled by javac it does",
        as_published="Eclipse's class hung every time, javac's did not (default flags; no build is named)",
        measure=_both,
        judge=_only_eclipses,
        refuted_by=(
            {
                "Eclipse's class": "exited",
                "javac's class": "exited",
                "EclipseHangs, Eclipse's class": "hung",
                "EclipseHangs, javac's class": "exited",
                "Eclipse's class late after 0.3 s, ms": 1200.0,
                "javac's class late after 0.3 s, ms": 70.0,
            },
            8,
        ),
    ),
    Claim(
        "003e-02",
        "Eclipse's compiler puts a loop's test at the bottom, javac at the top",
        as_published="conditions checked at the end of the loop; upfront, with the backedge at the end",
        measure=_tests,
        judge=_top_and_bottom,
        refuted_by=({"Eclipse's class": "bottom", "javac's class": "bottom"}, 8),
    ),
    Claim(
        "003e-04",
        "The compiled loop of Eclipse's class has no poll, that of javac's has one (in the shape of EclipseHangs)",
        as_published="{poll_return} and no {poll}; javac's has that poll",
        measure=_osr_polls,
        judge=_only_javacs,
        refuted_by=({"loop polls, Eclipse's class": 1, "loop polls, javac's class": 1}, 8),
    ),
    Claim(
        "003e-05",
        "Eclipse's class behaves the same whether the loop stands in the lambda or in a method of its own",
        as_published="similar bytecode, same behaviour: it hangs",
        measure=_places,
        judge=_same_place,
        refuted_by=(
            {
                "lambda": "hung",
                "static": "exited",
                "lambda late after 0.3 s, ms": 1200.0,
                "static late after 0.3 s, ms": 1100.0,
            },
            8,
        ),
    ),
    Claim(
        "003e-06",
        "With the limit as a parameter Eclipse's class behaves like javac's",
        as_published="'this time it behaved like the javac version', that is, it exits",
        measure=_parameter,
        judge=_as_javac,
        refuted_by=(
            {
                "Eclipse's class": "hung",
                "javac's class": "exited",
                "Eclipse's class late after 0.3 s, ms": 1200.0,
                "javac's class late after 0.3 s, ms": 70.0,
            },
            8,
        ),
    ),
    Claim(
        "003e-18",
        "With the limit as a parameter Eclipse's loop has the same structure, and yet it behaves otherwise",
        as_published="'the same funky loop structure'; the lambda hangs, this one exits",
        measure=_structure,
        judge=_other_behaviour,
        refuted_by=(
            {
                "tests, lambda": "bottom bottom",
                "tests, parameter": "bottom bottom",
                "lambda": "exited",
                "parameter": "exited",
            },
            8,
        ),
    ),
]
