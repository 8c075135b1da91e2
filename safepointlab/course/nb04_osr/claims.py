"""On-stack replacement, and what goes without: claims 003e-07 to 003e-11 and 003e-15, each run again on one JDK.

OSR enters a loop at its jump back, standard code enters the method at its top. With Serial, which never polls counted
loops, a poll in C2's code says which of the two it is. What the post saw hang runs with the JDK's own collector, too.
"""

from collections.abc import Mapping
from functools import partial

from safepointlab.claims.base import Claim, Evidence, Judgement, fails, holds, refuted, unclear
from safepointlab.course.nb02_hang.experiments import C1_ONLY, JOBS, NO_POLLS, WARM_UP, fate, top, warmed
from safepointlab.course.nb02_hang.post import COMPILERS
from safepointlab.course.nb04_osr import experiments as osr
from safepointlab.run.run import Run
from safepointlab.run.sweep import together

FLAGS = ("-client", "-server")
STRIPS = "JDK-8186027 (JDK 10), loop strip mining, which the JDK's own collector (G1) asks for"


def _career(jdk: int) -> Evidence:
    """The post's nested loops, cold, with a limit that ends the first pass of the inner one while main sleeps."""
    log = osr.first_pass_ends(jdk).compilations
    own = log[log["method"].str.endswith("::countOdds", na=False) & log["osr"].fillna(False).astype(bool)]
    made, gone = own[own["event"] == "compiled"], own[own["event"] == "made not entrant"]
    by_c2 = made[made["tier"] == 4]
    lost = gone.loc[gone["compile_id"].isin(by_c2["compile_id"]), "uptime_ms"].min()
    again = int((by_c2["uptime_ms"] >= lost).sum())  # none where nothing was lost: NaN is less than no number
    return {"OSR by C1": int((made["tier"] == 3).sum()), "OSR by C2": len(by_c2), "after a deoptimisation": again}


def _whole_career(measured: Evidence, jdk: int) -> Judgement:
    missing = [name for name, count in measured.items() if not count]
    if missing:
        return fails(f"none {', none '.join(missing)}")
    return holds("C2's first OSR version is thrown away when the inner loop first ends, and another one is made")


def _switched_off(jdk: int) -> Evidence:
    kinds = {name: osr.flag_kind(jdk, name) for name in ("UseOnStackReplacement", "CICompileOSR")}
    return {**kinds, "compiles by OSR": int(osr.without_osr(jdk).compilations["osr"].sum())}


def _impossible(measured: Evidence, jdk: int) -> Judgement:
    if measured["UseOnStackReplacement"] == "product" and not measured["compiles by OSR"]:
        return fails("-XX:-UseOnStackReplacement does it; only CICompileOSR needs a debug build")
    return holds("OSR goes on, whatever the flag")


def _top(jdk: int) -> Evidence:
    return {**_counted(osr.top_fates(jdk)), "the JDK's own collector": fate(top(jdk))}


def _counted(fates: Mapping[str, str]) -> dict[str, object]:
    exited = [name for name, outcome in fates.items() if outcome != "hung"]
    return {"runs with Serial": len(fates), "hung": len(fates) - len(exited), "exited": "; ".join(exited) or "none"}


def _all_hang(measured: Evidence, jdk: int) -> Judgement:
    if measured["hung"] < measured["runs with Serial"]:
        return fails(f"not with Serial: {measured['exited']}")
    if measured["the JDK's own collector"] == "hung":
        return holds("with the JDK's own collector, and with Serial by both compilers")
    return refuted("with Serial all of them hang, with the JDK's own collector they exit", jdk, 10, STRIPS)


def _killers(jdk: int) -> Evidence:
    warm = partial(warmed, jdk, WARM_UP)
    makes = [partial(warm, by, gc=gc) for gc in (NO_POLLS, None) for by in COMPILERS.values()]
    *fates, cold = map(fate, together([*makes, partial(warmed, jdk, 0)], JOBS))
    with_serial, own = dict(zip(COMPILERS, fates, strict=False)), fates[len(COMPILERS) :]
    counts = {"hung with the JDK's own collector": own.count("hung"), "never called before": cold}
    return {**_counted(with_serial), **counts}


def _warm_hangs(measured: Evidence, jdk: int) -> Judgement:
    if measured["hung"] < measured["runs with Serial"]:
        return fails(f"not with Serial: {measured['exited']}")
    if measured["never called before"] == "hung":
        return unclear("with Serial it hangs without a warm-up, too: the warm-up is not what does it")
    if measured["hung with the JDK's own collector"] < measured["runs with Serial"]:
        return refuted("with Serial both hang, with the JDK's own collector they do not", jdk, 10, STRIPS)
    return holds("whichever compiler and collector; without the warm-up javac's class exits")


def _standard(jdk: int) -> Evidence:
    """Loops of one method as it is entered at its top: by C2 after many calls, by C1 where nothing else compiles.

    The program waits for the compiler: by itself it may be over before the code is made and printed.
    """
    by_both, by_c1 = osr.with_past(jdk, "often"), osr.with_past(jdk, "often", C1_ONLY)
    return {**_polled(by_both, 4, "C2"), **_polled(by_c1, 1, "C1")}


def _polled(run: Run, tier: int, name: str) -> dict[str, int]:
    """Loops of the standard version, and how many of them are polled; no loops if no listing of it could be had."""
    loops = osr.standard_loops(run, tier)
    return {f"loops by {name}": len(loops), f"polled by {name}": int(loops["polled"].sum())}


def _both_count(measured: Evidence, jdk: int) -> Judgement:
    if not measured["loops by C2"] or not measured["loops by C1"]:
        return unclear("no listing of a standard version (8 and 11 print one only with hsdis)")
    if not measured["polled by C2"] and not measured["polled by C1"]:
        return holds("neither leaves a poll in the loop")
    return fails("C1 keeps polls, C2 drops them" if not measured["polled by C2"] else "C2's loop is polled")


def _which_compilers(jdk: int) -> Evidence:
    return {flag: _compilers(jdk, flag) for flag in FLAGS}


def _compilers(jdk: int, flag: str) -> str:
    tiers = set(osr.entered(jdk, "once", flag, osr.COMPILED).compilations["tier"].dropna())
    return " and ".join(name for name, has in {"C1": tiers & {1, 2, 3}, "C2": tiers & {4}}.items() if has)


def _chosen(measured: Evidence, jdk: int) -> Judgement:
    if measured["-client"] == "C1" and measured["-server"] == "C2":
        return holds("each flag leaves one compiler")
    return fails(
        "a 64-bit JDK has one VM with both (jvm.cfg: -client IGNORE); TieredStopAtLevel=1 and -TieredCompilation choose"
    )


CLAIMS = [
    Claim(
        "003e-07",
        "The compile log shows two OSR versions, C1's and C2's, then a deoptimisation and a new compile",
        as_published="tiers 3 and 4 with a %, made not entrant after 1.9 s, compiled again",
        measure=_career,
        judge=_whole_career,
        refuted_by=({"OSR by C1": 1, "OSR by C2": 1, "after a deoptimisation": 0}, 8),
    ),
    Claim(
        "003e-08",
        "OSR cannot be switched off in a product build",
        as_published="impossible, CICompileOSR is a develop flag",
        measure=_switched_off,
        judge=_impossible,
        refuted_by=({"UseOnStackReplacement": "product", "CICompileOSR": "unknown", "compiles by OSR": 0}, 8),
    ),
    Claim(
        "003e-09",
        "Compiled by C2 before their first call, all three variants hang, whichever compiler made the class",
        as_published="all hang with -XX:-TieredCompilation -Xcomp",
        measure=_top,
        judge=_all_hang,
        refuted_by=(
            {"runs with Serial": 6, "hung": 5, "exited": "static, javac", "the JDK's own collector": "hung"},
            8,
        ),
    ),
    Claim(
        "003e-10",
        "A method warmed up with a small limit hangs with a huge one, whichever compiler made the class",
        as_published="both hang",
        measure=_killers,
        judge=_warm_hangs,
        refuted_by=(
            {
                "runs with Serial": 2,
                "hung": 1,
                "exited": "Eclipse's class",
                "hung with the JDK's own collector": 1,
                "never called before": "exited",
            },
            8,
        ),
    ),
    Claim(
        "003e-11",
        "In standard code, without OSR, C1 and C2 both take the loop for a counted one, without a poll",
        as_published="no poll in either",
        measure=_standard,
        judge=_both_count,
        refuted_by=({"loops by C2": 2, "polled by C2": 0, "loops by C1": 1, "polled by C1": 1}, 8),
    ),
    Claim(
        "003e-15",
        "-client chooses C1, and -server C2",
        as_published="said in passing",
        measure=_which_compilers,
        judge=_chosen,
        refuted_by=({"-client": "C1 and C2", "-server": "C1 and C2"}, 8),
    ),
]
