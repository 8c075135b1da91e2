"""On-stack replacement, and what goes without: claims 003e-07 to -12, -15 and -19, each run again on one JDK.

OSR enters a loop at its jump back, standard code enters the method at its top. With Serial, which never polls counted
loops, a poll in C2's code says which of the two it is. What the post saw hang runs with the JDK's own collector, too.

Two kinds of a benchmark are told apart only where all JVMs of one kind were faster than all of the other.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from safepointlab.claims.base import Change, Claim, Evidence, Judgement, differs, holds, unclear
from safepointlab.course.nb02_hang import experiments as hang
from safepointlab.course.nb02_hang.experiments import COMPILERS, JOBS, NO_POLLS, compile_log, fate
from safepointlab.course.nb04_osr import benchmark
from safepointlab.course.nb04_osr import experiments as osr
from safepointlab.jdks import flags as known_flags
from safepointlab.run import forensics, launch
from safepointlab.run.run import Run
from safepointlab.run.sweep import together

STRIPS = "JDK-8186027 (JDK 10), loop strip mining, which the JDK's own collector (G1) asks for"
FIRST_PASS = [1000, 300_000_000, 0]  # main sleeps for 1 s; the inner loop's first pass ends meanwhile; no call before
TOLD_APART = 2  # bodies, of three: one alone does not make a "mostly"


def _career(jdk: int) -> Evidence:
    """The post's nested loops, cold, with a limit that ends the first pass of the inner one while main sleeps."""
    run = launch.java(hang.KILLER, jdk, gc=NO_POLLS, args=FIRST_PASS, log="compilation", reuse=True)
    own = compile_log(run, "::countOdds$").query("osr")
    made, gone = own[own["event"] == "compiled"], own[own["event"] == "made not entrant"]
    by_c2 = made[made["tier"] == 4]
    lost = gone.loc[gone["compile_id"].isin(by_c2["compile_id"]), "uptime_ms"].min()
    again = int((by_c2["uptime_ms"] >= lost).sum())  # none where nothing was lost: NaN is less than no number
    return {"OSR by C1": int((made["tier"] == 3).sum()), "OSR by C2": len(by_c2), "after a deoptimisation": again}


def _whole_career(measured: Evidence) -> Judgement:
    missing = [name for name, count in measured.items() if not count]
    if missing:
        return differs(f"none {', none '.join(missing)}")
    return holds("C2's first OSR version is thrown away when the inner loop first ends, and another one is made")


def _switched_off(jdk: int) -> Evidence:
    known = known_flags.known(launch.jdk_of(jdk))
    names = ("UseOnStackReplacement", "CICompileOSR")
    kinds = {name: known[name].kind if name in known else "unknown" for name in names}
    run = osr.entered(jdk, "once", osr.NO_OSR, osr.COMPILED)
    return {**kinds, "compiles by OSR": int(run.compilations["osr"].sum())}


def _impossible(measured: Evidence) -> Judgement:
    if measured["UseOnStackReplacement"] == "product" and not measured["compiles by OSR"]:
        return differs("-XX:-UseOnStackReplacement does it; only CICompileOSR needs a debug build")
    return holds("OSR goes on, whatever the flag")


def _top(jdk: int) -> Evidence:
    """The post's three variants, by either compiler; only their own methods are compiled beforehand with Serial."""
    settings: dict[str, Any] = {"gc": NO_POLLS, "log": hang.LOG, "deadline": hang.HANGS_S, "reuse": True}
    make = partial(launch.java, hang.POST, jdk, f"{hang.TOP} {hang.ALONE}", **settings)
    points = [(place, by) for by in COMPILERS.values() for place in hang.PLACES]
    first, *others = [partial(make, compiler=by, args=[place, hang.SLEEP_MS]) for place, by in points]
    runs = together([first, *(partial(_in_short, other) for other in others)], JOBS)
    fates = {f"{place}, {by}": fate(run) for (place, by), run in zip(points, runs, strict=True)}
    return {**_counted(fates), "the JDK's own collector": fate(hang.top(jdk))}


def _in_short(make: Callable[[], Run]) -> Run:
    """Examine the JVM in short if it hangs: only the first of several is examined patiently."""
    with forensics.short():
        return make()


def _counted(fates: Mapping[str, str]) -> dict[str, object]:
    exited = [name for name, outcome in fates.items() if outcome != "hung"]
    return {"runs with Serial": len(fates), "hung": len(fates) - len(exited), "exited": "; ".join(exited) or "none"}


def _all_hang(measured: Evidence) -> Judgement:
    if measured["hung"] < measured["runs with Serial"]:
        return differs(f"not with Serial: {measured['exited']}")
    if measured["the JDK's own collector"] == "hung":
        return holds("with the JDK's own collector, and with Serial by both compilers")
    return differs("with Serial all of them hang, with the JDK's own collector they exit", Change(10, STRIPS))


def _killers(jdk: int) -> Evidence:
    warm = partial(hang.warmed, jdk, hang.WARM_UP)
    makes = [partial(warm, by, gc=gc) for gc in (NO_POLLS, None) for by in COMPILERS.values()]
    *fates, cold = map(fate, together([*makes, partial(hang.warmed, jdk, 0)], JOBS))
    with_serial, own = dict(zip(COMPILERS, fates, strict=False)), fates[len(COMPILERS) :]
    counts = {"hung with the JDK's own collector": own.count("hung"), "never called before": cold}
    return {**_counted(with_serial), **counts}


def _warm_hangs(measured: Evidence) -> Judgement:
    if measured["hung"] < measured["runs with Serial"]:
        return differs(f"not with Serial: {measured['exited']}")
    if measured["never called before"] == "hung":
        return unclear("with Serial it hangs without a warm-up, too: the warm-up is not what does it")
    if measured["hung with the JDK's own collector"] < measured["runs with Serial"]:
        return differs("with Serial both hang, with the JDK's own collector they do not", Change(10, STRIPS))
    return holds("whichever compiler and collector; without the warm-up javac's class exits")


def _standard(jdk: int) -> Evidence:
    """Loops of one method as it is entered at its top: by C2 after many calls, by C1 where nothing else compiles.

    The program waits for the compiler (-Xbatch): by itself it may be over before the code is made and printed, and
    200,000 short calls may ask for an OSR version, too. No loops where no listing could be had.
    """
    counts = dict[str, int]()
    for name, tier, flags in (("C2", 4, "-Xbatch"), ("C1", 1, f"-Xbatch {hang.C1_ONLY}")):
        loops = osr.standard_loops(osr.entered(jdk, "often", flags), tier)
        counts |= {f"loops by {name}": len(loops), f"polled by {name}": int(loops["polled"].sum())}
    return counts


def _both_count(measured: Evidence) -> Judgement:
    if not measured["loops by C2"] or not measured["loops by C1"]:
        return unclear("no listing of a standard version (8 and 11 print one only with hsdis)")
    if not measured["polled by C2"] and not measured["polled by C1"]:
        return holds("neither leaves a poll in the loop")
    return differs("C1 keeps polls, C2 drops them" if not measured["polled by C2"] else "C2's loop is polled")


def _which_compilers(jdk: int) -> Evidence:
    compilers = {}
    for flag in ("-client", "-server"):
        tiers = set(osr.entered(jdk, "once", flag, osr.COMPILED).compilations["tier"].dropna())
        used = {"C1": tiers & {1, 2, 3}, "C2": tiers & {4}}
        compilers[flag] = " and ".join(name for name, own in used.items() if own)
    return compilers


def _chosen(measured: Evidence) -> Judgement:
    if measured["-client"] == "C1" and measured["-server"] == "C2":
        return holds("each flag leaves one compiler")
    return differs(
        "a 64-bit JDK has one VM with both (jvm.cfg: -client IGNORE); TieredStopAtLevel=1 and -TieredCompilation choose"
    )


def _harness(jdk: int) -> Evidence:
    times, jmh = benchmark.best_times(benchmark.homemade_runs(jdk)), benchmark.jmh_runs(jdk)
    args = [osr.INLINE, osr.LONG_ROUNDS, 8]
    run = launch.java(osr.HOME_MADE, jdk, gc=NO_POLLS, args=args, log="compilation", reuse=True)
    by_osr = compile_log(run, "::measureInline$").query("event == 'compiled' and osr and tier == 4")
    best = times.groupby("place")["best_ns"]
    ranges = {"least": best.min(), "most": best.max()}
    ends = {f"{place}, {end}, ns": float(ranges[end][place]) for place in (osr.INLINE, osr.METHOD) for end in ranges}
    return {"C2 versions by OSR": len(by_osr), **ends, "JMH, best iteration, ns": float(jmh["best"].median())}


def _measures_osr(measured: Evidence) -> Judgement:
    if not measured["C2 versions by OSR"]:
        return differs("C2 made no OSR version of the harness")
    inline, method = ([measured[f"{place}, {end}, ns"] for end in ("least", "most")] for place in ("inline", "method"))
    score, jmh = measured["JMH, best iteration, ns"], ""
    if min(score, inline[0], method[0]) > 0:  # to which of the two is JMH's best iteration nearer, as a ratio?
        by_inline, by_method = (max(score / each, each / score) for each in (inline[0], method[0]))
        jmh = f"; JMH's best is nearer to {'the method' if by_method < by_inline else 'the home-made one'}'s"
    if inline[0] > method[1] or inline[1] < method[0]:
        which = "longer" if inline[0] > method[1] else "less"
        return holds(f"only OSR versions run, and they take {which} than the same loop in a method{jmh}")
    return unclear(f"only OSR versions run, but their times are not told apart from those in a method{jmh}")


def _bodies(jdk: int) -> Evidence:
    times = benchmark.bodies(jdk)
    by_name = benchmark.compare_bodies(times)
    sides, medians = list(by_name.values()), times.groupby("args")[list(by_name)].median()
    ratios = (medians.loc[osr.INLINE] / medians.loc[osr.METHOD]).to_dict()
    return {
        "bodies": len(by_name),
        "slower by OSR": sides.count(benchmark.LONGER),
        "faster by OSR": sides.count(benchmark.LESS),
        **{f"{str(name).removesuffix('_ns')}, times": float(ratio) for name, ratio in ratios.items()},
    }


def _mostly_worse(measured: Evidence) -> Judgement:
    slower, faster = measured["slower by OSR"], measured["faster by OSR"]
    alike = measured["bodies"] - slower - faster
    medians = [float(value) for name, value in measured.items() if name.endswith(", times")]
    told = f"of {measured['bodies']} bodies {slower} slower by OSR, {faster} faster, {alike} not told apart"
    told += f"; medians from {min(medians):.2g} to {max(medians):.2g} times those in a method"
    if slower + faster < TOLD_APART:
        return unclear(told)
    return holds(told) if slower > faster else differs(told)


CLAIMS = [
    Claim(
        "003e-07",
        "The compile log shows two OSR versions, C1's and C2's, then a deoptimisation and a new compile",
        as_published="tiers 3 and 4 with a %, made not entrant after 1.9 s, compiled again",
        measure=_career,
        judge=_whole_career,
        refuted_by={"OSR by C1": 1, "OSR by C2": 1, "after a deoptimisation": 0},
    ),
    Claim(
        "003e-08",
        "OSR cannot be switched off in a product build",
        as_published="impossible, CICompileOSR is a develop flag",
        measure=_switched_off,
        judge=_impossible,
        refuted_by={"UseOnStackReplacement": "product", "CICompileOSR": "unknown", "compiles by OSR": 0},
    ),
    Claim(
        "003e-09",
        "Compiled by C2 before their first call, all three variants hang, whichever compiler made the class",
        as_published="all hang with -XX:-TieredCompilation -Xcomp",
        measure=_top,
        judge=_all_hang,
        refuted_by={"runs with Serial": 6, "hung": 5, "exited": "static, javac", "the JDK's own collector": "hung"},
    ),
    Claim(
        "003e-10",
        "A method warmed up with a small limit hangs with a huge one, whichever compiler made the class",
        as_published="both hang",
        measure=_killers,
        judge=_warm_hangs,
        refuted_by={
            "runs with Serial": 2,
            "hung": 1,
            "exited": "Eclipse's class",
            "hung with the JDK's own collector": 1,
            "never called before": "exited",
        },
    ),
    Claim(
        "003e-11",
        "In standard code, without OSR, C1 and C2 both take the loop for a counted one, without a poll",
        as_published="no poll in either",
        measure=_standard,
        judge=_both_count,
        refuted_by={"loops by C2": 2, "polled by C2": 0, "loops by C1": 1, "polled by C1": 1},
    ),
    Claim(
        "003e-15",
        "-client chooses C1, and -server C2",
        as_published="said in passing",
        measure=_which_compilers,
        judge=_chosen,
        refuted_by={"-client": "C1 and C2", "-server": "C1 and C2"},
    ),
    Claim(
        "003e-12",
        "A home-made benchmark, a loop around the code, measures OSR code, and so another time than the usual",
        as_published="said, without numbers: OSR code, 'different from the code they will be running normally'",
        measure=_harness,
        judge=_measures_osr,
        refuted_by={
            "C2 versions by OSR": 0,
            "inline, least, ns": 76.0,
            "inline, most, ns": 80.0,
            "method, least, ns": 40.0,
            "method, most, ns": 44.0,
            "JMH, best iteration, ns": 42.0,
        },
    ),
    Claim(
        "003e-19",
        "Where OSR code differs in speed from standard code it is mostly slower (tried on three bodies of a loop)",
        as_published="'for better or worse, mostly worse'; without numbers",
        measure=_bodies,
        judge=_mostly_worse,
        refuted_by={
            "bodies": 3,
            "slower by OSR": 1,
            "faster by OSR": 2,
            "add, times": 0.7,
            "odds, times": 1.5,
            "hash, times": 0.8,
        },
    ),
]
