"""One source, javac's class and Eclipse's: claims 003e-01 to 003e-06, each run again on one JDK.

Two programs carry them. EclipseStalls is the post's own; its Eclipse class is late today and no longer hangs.
EclipseHangs is a shape in which the old hang lives on. All with Serial, which never polls counted loops.
"""

from safepointlab.claims.base import Claim, Evidence, Judgement, fails, holds, unclear
from safepointlab.run.run import Run
from safepointlab.topics import compilers
from safepointlab.topics.compilers import ECJ, hangs, late_ms

SOURCE_ORDER = {"javac": "top", ECJ: "bottom"}


def _both(jdk: int) -> Evidence:
    own = {compiler: late_ms(compilers.stall(jdk, compiler)) for compiler in compilers.BOTH}
    late = {f"the post's own, {compiler}: late by ms": ms for compiler, ms in own.items()}
    return {"ecj": hangs(jdk, ECJ).outcome, "javac": hangs(jdk, "javac").outcome, **late}


def _only_eclipses(measured: Evidence, jdk: int) -> Judgement:
    if (measured["ecj"], measured["javac"]) == ("hung", "exited"):
        return holds("in the shape of EclipseHangs; the post's own program is late with Eclipse's class, and ends")
    return fails(f"ecj's class {measured['ecj']}, javac's {measured['javac']}")


def _tests(jdk: int) -> Evidence:
    from safepointlab.read import bytecode

    edges = {name: bytecode.back_edges(hangs(jdk, name).bytecode) for name in SOURCE_ORDER}
    return {name: ", ".join(sorted(set(frame["test"]))) for name, frame in edges.items()}


def _top_and_bottom(measured: Evidence, jdk: int) -> Judgement:
    if measured == SOURCE_ORDER:
        return holds("javac branches back to a test at the top, Eclipse's compiler tests at the bottom")
    return fails("the loops' tests stand elsewhere")


def _constructors(jdk: int) -> Evidence:
    texts = {name: compilers.concatenating(jdk, name).javap() for name in compilers.BOTH}
    return {name: compilers.STRING_CONSTRUCTOR in text for name, text in texts.items()}


def _two_constructors(measured: Evidence, jdk: int) -> Judgement:
    if measured == {"javac": False, ECJ: True}:
        return holds("True: new StringBuilder(first part); False: new StringBuilder(), then append")
    return fails("both compilers begin a concatenation alike")


def _osr_polls(jdk: int) -> Evidence:
    return {f"loop polls, {name}": _polls_of_last_osr(hangs(jdk, name)) for name in SOURCE_ORDER}


def _polls_of_last_osr(run: Run) -> int | None:
    """Loop polls of the optimised version that is entered in the middle of the loop; None if there is none."""
    code = run.assembly
    versions = code[code["osr_bci"].notna() & (code["tier"].isna() | (code["tier"] == 4))]
    last = versions[versions["compile_id"] == versions["compile_id"].max()]
    return None if last.empty else int((last["poll"] == "loop").sum())


def _only_javacs(measured: Evidence, jdk: int) -> Judgement:
    ecj, javac = measured[f"loop polls, {ECJ}"], measured["loop polls, javac"]
    if ecj is None or javac is None:
        return unclear("C2 made no OSR version before main returned")
    return (
        holds("of C2's OSR versions only javac's keeps a poll in its loops") if ecj == 0 < javac else fails("as shown")
    )


def _places(jdk: int) -> Evidence:
    return {f"ecj, {place}: late by ms": late_ms(compilers.variant(jdk, ECJ, place)) for place in ("run", "static")}


def _same_place(measured: Evidence, jdk: int) -> Judgement:
    sooner, later = sorted([measured["ecj, run: late by ms"], measured["ecj, static: late by ms"]])
    if sooner <= 0 or later / sooner > 4:
        return fails("one of the two is several times as late")
    return holds("late alike: it is the same loop, wherever it stands")


def _parameter(jdk: int) -> Evidence:
    late = {name: late_ms(compilers.variant(jdk, name, "parameter")) for name in compilers.BOTH}
    return {f"{name}: late by ms": ms for name, ms in late.items()}


def _as_javac(measured: Evidence, jdk: int) -> Judgement:
    ratio = measured[f"{ECJ}: late by ms"] / max(measured["javac: late by ms"], 1.0)
    if ratio < 2:
        return holds("with a limit that is a parameter the two are alike")
    return fails(f"Eclipse's class is {ratio:.0f} times as late as javac's, parameter or not")


CLAIMS = [
    Claim(
        "003e-01",
        "Compiled by Eclipse a program never exits, compiled by javac it does",
        then="Eclipse's class hangs, javac's exits (tiered compilation, 8u60)",
        measure=_both,
        judge=_only_eclipses,
        refuted_by=({"ecj": "exited", "javac": "exited"}, 8),
    ),
    Claim(
        "003e-02",
        "Eclipse's compiler puts a loop's test at the bottom, javac at the top",
        then="goto, then if_icmplt back; if_icmpge out, then goto back",
        measure=_tests,
        judge=_top_and_bottom,
        refuted_by=({"javac": "bottom", ECJ: "bottom"}, 8),
    ),
    Claim(
        "003e-03",
        "The two compilers concatenate strings with different calls",
        then="StringBuilder(String) and StringBuilder() with append",
        measure=_constructors,
        judge=_two_constructors,
        refuted_by=({"javac": False, ECJ: False}, 8),
    ),
    Claim(
        "003e-04",
        "The compiled loop of Eclipse's class has no poll, that of javac's has one",
        then="{poll_return} only; {poll} and {poll_return}",
        measure=_osr_polls,
        judge=_only_javacs,
        refuted_by=({f"loop polls, {ECJ}": 1, "loop polls, javac": 1}, 8),
    ),
    Claim(
        "003e-05",
        "It does not matter whether the loop stands in the lambda or in a method of its own",
        then="the same hang",
        measure=_places,
        judge=_same_place,
        refuted_by=({"ecj, run: late by ms": 2000.0, "ecj, static: late by ms": 30.0}, 8),
    ),
    Claim(
        "003e-06",
        "With the limit as a parameter Eclipse's class behaves like javac's",
        then="both exit",
        measure=_parameter,
        judge=_as_javac,
        refuted_by=({"javac: late by ms": 100.0, f"{ECJ}: late by ms": 1900.0}, 8),
    ),
]
