"""On-stack replacement, and what goes without: claims 003e-07 to 003e-12 and 003e-15, each run again on one JDK.

OSR enters a loop at its jump back, standard code enters the method at its top. All with Serial, which never polls
counted loops, so that a poll in C2's code says which of the two it is.
"""

from safepointlab.claims.base import Claim, Evidence, Judgement, fails, holds, unclear
from safepointlab.run.run import Run
from safepointlab.topics import osr
from safepointlab.topics.compilers import ECJ
from safepointlab.topics.hang import NO_POLLS, TOP, WARM_UP, fate, post, warmed

LEVELS = {"-client": "C1", "-server": "C2"}


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
    fates = {f"{place}, javac": _posts(jdk, "javac", place) for place in osr.PLACES}
    return {**fates, "run, ecj": _posts(jdk, ECJ, "run")}


def _posts(jdk: int, compiler: str, place: str) -> str:
    return fate(post(jdk, TOP, gc=NO_POLLS, place=place, compiler=compiler))


def _all_hang(measured: Evidence, jdk: int) -> Judgement:
    exited = [name for name, outcome in measured.items() if outcome != "hung"]
    if exited:
        return fails(f"{'; '.join(exited)}: exited")
    return holds("with Serial; from 10 on G1's strip mining (JDK-8186027) lets them exit")


def _killers(jdk: int) -> Evidence:
    warm = {f"warmed up, {compiler}": fate(warmed(jdk, WARM_UP, compiler)) for compiler in ("javac", ECJ)}
    return {**warm, "never called before, javac": fate(warmed(jdk, 0))}


def _warm_hangs(measured: Evidence, jdk: int) -> Judgement:
    if measured["warmed up, javac"] != "hung" or measured[f"warmed up, {ECJ}"] != "hung":
        return fails("the warmed-up method can be stopped")
    if measured["never called before, javac"] == "hung":
        return unclear("it hangs without a warm-up, too: the warm-up is not what does it")
    return holds("whichever compiler; without the warm-up javac's class exits")


def _standard(jdk: int) -> Evidence:
    """Loops of one method as it is entered at its top: by C2 after a past, by C1 where nothing else compiles."""
    by_both, by_c1 = osr.entered(jdk, "often"), osr.entered(jdk, "often", osr.C1_ONLY)
    return {"polled by C2": _polled(by_both, 4), "polled by C1": _polled(by_c1, 1)}


def _polled(run: Run, tier: int) -> str | None:
    """ "1 of 1" loops of the standard version; None if no listing of it could be had."""
    loops = osr.standard_loops(run, tier)
    return f"{int(loops['polled'].sum())} of {len(loops)} loops" if len(loops) else None


def _both_count(measured: Evidence, jdk: int) -> Judgement:
    if None in measured.values():
        return unclear("no listing of a standard version: it needs hsdis on 8 and 11, and a compile in time")
    bare = {name for name, loops in measured.items() if str(loops).startswith("0 ")}
    if len(bare) == len(measured):
        return holds("neither leaves a poll in the loop")
    return fails("C2 drops the poll, C1 keeps it in every loop" if bare == {"polled by C2"} else "C2's loop is polled")


def _harness(jdk: int) -> Evidence:
    inline, method = osr.harness(jdk, osr.INLINE), osr.harness(jdk, osr.METHOD)
    log = inline.compilations
    by_osr = log["method"].str.endswith("::measureInline", na=False) & log["osr"] & (log["tier"] == 4)
    times = {"inline ns": osr.best_ns(inline), "method ns": osr.best_ns(method)}
    return {"C2 versions by OSR": int(by_osr.sum()), **times}


def _measures_osr(measured: Evidence, jdk: int) -> Judgement:
    ratio = measured["inline ns"] / max(measured["method ns"], 1.0)
    if not measured["C2 versions by OSR"]:
        return fails("C2 made no OSR version of the harness")
    cost = f"{ratio:.1f} times the number of the same loop in a method" if ratio > 1.3 else "at no cost on this JDK"
    return holds(f"the loop around the code, called once, only ever runs in OSR versions: {cost}")


def _which_compilers(jdk: int) -> Evidence:
    return {flag: _compilers(jdk, flag) for flag in LEVELS}


def _compilers(jdk: int, flag: str) -> str:
    tiers = set(osr.entered(jdk, "once", flag, osr.COMPILED).compilations["tier"].dropna())
    return " and ".join(name for name, has in {"C1": tiers & {1, 2, 3}, "C2": tiers & {4}}.items() if has)


def _chosen(measured: Evidence, jdk: int) -> Judgement:
    if measured == LEVELS:
        return holds("each flag leaves one compiler")
    return fails(
        "a 64-bit VM takes both flags and ignores them; -XX:TieredStopAtLevel=1 and -XX:-TieredCompilation choose"
    )


CLAIMS = [
    Claim(
        "003e-07",
        "The compile log shows two OSR versions, C1's and C2's, then a deoptimisation and a new compile",
        then="tiers 3 and 4 with a %, made not entrant after 1.9 s, compiled again",
        measure=_career,
        judge=_whole_career,
        refuted_by=({"OSR by C1": 1, "OSR by C2": 1, "after a deoptimisation": 0}, 8),
    ),
    Claim(
        "003e-08",
        "OSR cannot be switched off in a product build",
        then="impossible, CICompileOSR is a develop flag",
        measure=_switched_off,
        judge=_impossible,
        refuted_by=({"UseOnStackReplacement": "product", "CICompileOSR": "unknown", "compiles by OSR": 0}, 8),
    ),
    Claim(
        "003e-09",
        "Compiled by C2 before their first call, all three variants hang, whichever compiler made the class",
        then="all hang with -XX:-TieredCompilation -Xcomp",
        measure=_top,
        judge=_all_hang,
        refuted_by=(
            {"run, javac": "hung", "static, javac": "exited", "parameter, javac": "hung", "run, ecj": "hung"},
            8,
        ),
    ),
    Claim(
        "003e-10",
        "A method warmed up with a small limit hangs with a huge one, whichever compiler made the class",
        then="both hang",
        measure=_killers,
        judge=_warm_hangs,
        refuted_by=(
            {"warmed up, javac": "hung", f"warmed up, {ECJ}": "exited", "never called before, javac": "exited"},
            8,
        ),
    ),
    Claim(
        "003e-11",
        "In standard code, without OSR, C1 and C2 both take the loop for a counted one, without a poll",
        then="no poll in either",
        measure=_standard,
        judge=_both_count,
        refuted_by=({"polled by C2": "0 of 2 loops", "polled by C1": "1 of 1 loops"}, 8),
    ),
    Claim(
        "003e-12",
        "A home-made benchmark, a loop around the code, measures OSR code",
        then="a warning, without numbers",
        measure=_harness,
        judge=_measures_osr,
        refuted_by=({"C2 versions by OSR": 0, "inline ns": 60.0, "method ns": 60.0}, 8),
    ),
    Claim(
        "003e-15",
        "-client chooses C1, and -server C2",
        then="said in passing",
        measure=_which_compilers,
        judge=_chosen,
        refuted_by=({"-client": "C1 and C2", "-server": "C1 and C2"}, 8),
    ),
]
