"""On-stack replacement, and what goes without: claims 003e-07 to -12, -15 and -19, each run again on one JDK.

OSR enters a loop at its jump back, standard code enters the method at its top. With Serial, which never polls counted
loops, a poll in C2's code says which of the two it is.
"""

import re
from functools import partial

from safepointlab.claims.base import Change, Claim, Evidence, Judgement, differs, holds, unclear
from safepointlab.course.nb02_hang import experiments as hang
from safepointlab.course.nb02_hang.experiments import COMPILERS, JOBS, compile_log, fate, in_short
from safepointlab.course.nb04_osr import benchmark
from safepointlab.course.nb04_osr import experiments as osr
from safepointlab.jdks import flags as known_flags
from safepointlab.run import launch
from safepointlab.run.sweep import together

STRIPS = Change(10, "JDK-8186027 (JDK 10): with G1 counted loops are cut into strips, with a poll between two of them")
HUNG = "hung"
FIRST_PASS, NO_END = 300_000_000, 2**31 - 1  # iterations of KillerTask's inner loop: the first end while main sleeps
CAREER = ("OSR by C1", "OSR by C2", "OSR by C2 after a deoptimisation")
C1_FIRST = "compiled by C1 before its first call"
OSR_VERSIONS, STANDARD_VERSIONS = "OSR versions by C2", "standard versions by C2"
BY_OSR, IN_METHOD = " by OSR: least, middle, most, ns", " in a method: least, middle, most, ns"


def _career(jdk: int, limit: int = FIRST_PASS, sleep_ms: int = 2000) -> Evidence:
    """The post's nested loops, cold, while main sleeps: OSR versions, and those made after one was lost."""
    run = launch.java(hang.KILLER, jdk, args=[sleep_ms, limit, 0], log="compilation", reuse=True)
    own = compile_log(run, "::countOdds$").query("osr")
    made, gone = own[own["event"] == "compiled"], own[own["event"] == "made not entrant"]
    by_c2 = made[made["tier"] == 4]
    lost = gone.loc[gone["compile_id"].isin(by_c2["compile_id"]), "uptime_ms"].min()
    again = int((by_c2["uptime_ms"] >= lost).sum())  # none where nothing was lost: NaN is less than no number
    return dict(zip(CAREER, (int((made["tier"] == 3).sum()), len(by_c2), again), strict=True))


def _whole_career(measured: Evidence) -> Judgement:
    by_c1, by_c2, again = (measured[name] for name in CAREER)
    said = f"OSR versions: {by_c1} by C1 and {by_c2} by C2, {again} of these after one of C2's was made not entrant"
    return holds(said) if all(measured[name] for name in CAREER) else differs(said)


def _switched_off(jdk: int, flag: str = osr.NO_OSR) -> Evidence:
    known = known_flags.known(launch.jdk_of(jdk))
    names = ("UseOnStackReplacement", "CICompileOSR")
    kinds = {name: known[name].kind if name in known else "unknown" for name in names}
    logs = [osr.entered(jdk, "once", flags, osr.COMPILED).compilations for flags in ("", flag)]
    default, off = (int((log["osr"] & log["event"].eq("compiled")).sum()) for log in logs)
    return {**kinds, "compiles by OSR": default, "compiles by OSR with the flag": off}


def _impossible(measured: Evidence) -> Judgement:
    default, off = measured["compiles by OSR"], measured["compiles by OSR with the flag"]
    said = f"{default} compiles by OSR without the flag, {off} with it"
    if not default:
        return unclear(f"{said}: nothing to switch off")
    return holds(said) if off else differs(said)


def _top(jdk: int, gc: str | None) -> Evidence:
    """The post's three variants, by either compiler; only their own methods are compiled beforehand."""
    points = [(place, name) for place in hang.PLACES for name in COMPILERS]
    makes = [partial(hang.compiled_first, jdk, COMPILERS[name], place, gc=gc) for place, name in points]
    runs = together([partial(in_short, make) for make in makes], JOBS)
    return {f"{place}, {name}": fate(run) for (place, name), run in zip(points, runs, strict=True)}


def _all_hang(measured: Evidence) -> Judgement:
    hung = list(measured.values()).count(HUNG)
    said = f"{hung} of {len(measured)} hang"
    if 0 < hung < len(measured):
        return unclear(f"{said}: the programs disagree")
    return holds(said) if hung else differs(said, STRIPS)


def _killers(jdk: int, gc: str | None) -> Evidence:
    warm = [partial(hang.warmed, jdk, hang.WARM_UP, compiler, gc=gc) for compiler in COMPILERS.values()]
    makes = [*warm, partial(hang.warmed, jdk, 0, gc=gc)]
    *warmed, cold = map(fate, together([partial(in_short, make) for make in makes], JOBS))
    return {**dict(zip(COMPILERS, warmed, strict=True)), "javac's class, never called before": cold}


def _warm_hangs(measured: Evidence) -> Judgement:
    cold = measured["javac's class, never called before"]
    fates = [measured[name] for name in COMPILERS]
    said = f"warmed up {fates.count(HUNG)} of {len(fates)} hang; javac's class without the warm-up {cold}"
    if not fates.count(HUNG):
        return differs(said, STRIPS)
    if fates.count(HUNG) < len(fates):
        return unclear(f"{said}: the two classes disagree")
    return unclear(f"{said}: the warm-up is not what does it") if cold == HUNG else holds(said)


def _standard(jdk: int, gc: str | None) -> Evidence:
    """Loops of one method as it is entered at its top: by C2 after many calls, by C1 where nothing else compiles.

    The program waits for the compiler (-Xbatch): by itself it may be over before the code is made and printed, and
    200,000 short calls may ask for an OSR version, too. No loops where no listing could be had.
    """
    measured = dict[str, object]()
    for name, tier, flags in (("C2", 4, "-Xbatch"), ("C1", 1, f"-Xbatch {hang.C1_ONLY}")):
        loops = osr.standard_loops(osr.entered(jdk, "often", flags, gc=gc), tier)
        measured |= {f"loops by {name}": len(loops), f"polled by {name}": int(loops["polled"].sum())}
    return {**measured, C1_FIRST: fate(hang.compiled_first(jdk, "javac", flags=f"{hang.C1_ONLY} -Xcomp", gc=gc))}


def _both_count(measured: Evidence) -> Judgement:
    counts = {name: (measured[f"loops by {name}"], measured[f"polled by {name}"]) for name in ("C1", "C2")}
    said = ", ".join(f"{polled} of {loops} loops by {name} polled" for name, (loops, polled) in counts.items())
    said += f"; compiled by C1 before its first call the post's program {measured[C1_FIRST]}"
    if not all(loops for loops, _ in counts.values()):
        return unclear("no listing of a standard version (8 and 11 print one only with hsdis)")
    polled, hung = any(polled for _, polled in counts.values()), measured[C1_FIRST] == HUNG
    if polled and hung:
        return unclear(f"{said}: polled, and yet it hangs")
    return differs(said) if polled or not hung else holds(said)


def _which_compilers(
    jdk: int, client: str = "-XX:-TieredCompilation -client", server: str = "-XX:-TieredCompilation -server"
) -> Evidence:
    return {"with -client": _compilers(jdk, client), "with -server": _compilers(jdk, server)}


def _compilers(jdk: int, flags: str) -> str:
    """Who compiled the loop's method, by the heads of its listings: PrintCompilation names no tier without tiers."""
    heads = osr.entered(jdk, "once", flags).raw("assembly", lines=1_000_000)
    return " and ".join(sorted(set(re.findall(r"Compiled method \((c[12])\)", heads)))).replace("c", "C") or "neither"


def _chosen(measured: Evidence) -> Judgement:
    said = ", ".join(f"{name} {by}" for name, by in measured.items())
    if "neither" in measured.values():
        return unclear(f"{said}: no listing names a compiler")
    if measured["with -client"] == "C1" and measured["with -server"] == "C2":
        return holds(said)
    return differs(said)


def _versions(jdk: int, place: str = osr.INLINE, method: str = "measureInline") -> Evidence:
    """What C2 made of the method with the measured loop."""
    args = [place, osr.LONG_ROUNDS, 8]
    run = launch.java(osr.HOME_MADE, jdk, args=args, log="compilation", reuse=True)
    made = compile_log(run, f"::{method}$").query("event == 'compiled' and tier == 4")
    return {OSR_VERSIONS: int(made["osr"].sum()), STANDARD_VERSIONS: int((~made["osr"]).sum())}


def _by_osr_alone(measured: Evidence) -> Judgement:
    by_osr, standard = measured[OSR_VERSIONS], measured[STANDARD_VERSIONS]
    said = f"{by_osr} OSR versions and {standard} standard versions by C2 of the method with the loop"
    if not by_osr and not standard:
        return unclear(f"{said}: it was over before C2 had made code")
    return differs(said) if standard else holds(said)


def _bodies(jdk: int) -> Evidence:
    times = benchmark.nine_bodies(jdk)
    ends = {
        place: times.loc[place].agg(["min", "median", "max"]).T.to_numpy().tolist()
        for place in (osr.INLINE, osr.METHOD)
    }
    names = [str(name).removesuffix("_ns") for name in times]
    by_osr = {name + BY_OSR: values for name, values in zip(names, ends[osr.INLINE], strict=True)}
    return by_osr | {name + IN_METHOD: values for name, values in zip(names, ends[osr.METHOD], strict=True)}


def _mostly_worse(measured: Evidence) -> Judgement:
    names = [name.removesuffix(BY_OSR) for name in measured if name.endswith(BY_OSR)]
    slower, faster, alike = list[str](), list[str](), list[str]()
    for name in names:
        (low, middle, high), (least, typical, most) = measured[name + BY_OSR], measured[name + IN_METHOD]
        far = middle * least > typical * most or typical * least > middle * most
        apart = far and (low > most or high < least)
        (alike if not apart else slower if low > most else faster).append(name)
    said = (
        f"of {len(names)} bodies {_counted(slower)} slower by OSR, {_counted(faster)} faster, {len(alike)} without a "
        "difference"
    )
    times = [measured[name + BY_OSR][1] / max(measured[name + IN_METHOD][1], 1e-9) for name in slower + faster]
    said += f" ({min(times):.2f} to {max(times):.2f} times)" if times else ""
    if len(slower) + len(faster) < len(names) / 3:
        return unclear(f"too few differ: {said}")
    if len(slower) > 2 * len(faster):
        return holds(said)
    return differs(said) if len(faster) > 2 * len(slower) else unclear(f"some are slower, some faster: {said}")


def _counted(names: list[str]) -> str:
    """How many, and which.

    >>> _counted(["odds", "max"]), _counted([])
    ('2 (odds, max)', '0')
    """
    return f"{len(names)} ({', '.join(names)})" if names else "0"


CLAIMS = [
    Claim(
        "003e-07",
        "The compile log shows two OSR versions, C1's and C2's, then a deoptimisation and a new compile",
        as_published="tiers 3 and 4 with a %, made not entrant after 1.9 s, compiled again",
        measure=_career,
        judge=_whole_career,
        rule="the log has an OSR version of the loops' method by C1, one by C2, and one by C2 after an earlier one of "
        "C2's was made not entrant; it does not hold if one of them is missing",
        mechanism="C2 leaves out code that has not run yet: behind the inner loop it puts an uncommon trap. The first "
        "time that the inner loop ends, the thread falls into the trap, goes on in the interpreter, and is compiled "
        "again.",
        setup="hang/KillerTask without a warm-up, whose loops are the post's; their limit is 300,000,000, so that the "
        "first pass of the inner loop ends while main sleeps (2 s).",
        refuted_by=lambda jdk: _career(jdk, NO_END, sleep_ms=500),
        version=2,
    ),
    Claim(
        "003e-08",
        "OSR cannot be switched off in a product build",
        as_published="impossible, CICompileOSR is a develop flag",
        measure=_switched_off,
        judge=_impossible,
        rule="with -XX:-UseOnStackReplacement the compile log has OSR versions, as it has without the flag",
        mechanism="HotSpot's globals declare UseOnStackReplacement as a product flag (product_pd) and CICompileOSR as "
        "a develop flag (develop_pd), which a product build does not know, as the post says.",
        setup="osr/EnteredOnce, whose loop is entered once; Serial.",
        supported_by=lambda jdk: _switched_off(jdk, "-XX:+UseOnStackReplacement"),
        version=3,
    ),
    Claim(
        "003e-09",
        "Compiled by C2 before their first call, all three variants hang, whichever compiler made the class",
        as_published="all hang with -XX:-TieredCompilation -Xcomp",
        measure=_top,
        judge=_all_hang,
        rule="all six programs (three places of the loop, javac and Eclipse's compiler 4.6.1) hang: they live 3 s, "
        "though main returns after 0.6 s, and another thread waits for the one in the loop",
        mechanism="Standard code is entered at the top, so C2 takes the loop for counted and drops its poll; -Xcomp "
        "makes that code before the first call. From JDK 10 on G1 keeps a poll between strips (JDK-8186027), Serial "
        "and Parallel do not.",
        setup="hang/WhenWillItExit, main sleeps 0.6 s, not 5 s; only its own methods are compiled beforehand "
        "(compileonly). The post's -client half is in 003e-11 and 003e-15. Six programs for each collector and 3 s "
        "for each that hangs: some 15 s.",
        collectors=True,
        version=3,
    ),
    Claim(
        "003e-10",
        "A method warmed up with a small limit hangs with a huge one, whichever compiler made the class",
        as_published="both hang",
        measure=_killers,
        judge=_warm_hangs,
        rule="after 100,000 short calls javac's and Eclipse's class both hang, and javac's does not without them",
        mechanism="The short calls bring a standard version by C2, in which the loop is counted and has no poll. A "
        "long first call is entered by OSR, and that version of javac's class polls. From 10 on G1 keeps a poll "
        "between strips (JDK-8186027).",
        setup="hang/KillerTask, main sleeps 0.6 s; a program that lives 3 s while another thread waits for it hangs.",
        collectors=True,
        version=2,
    ),
    Claim(
        "003e-11",
        "In standard code, without OSR, C1 and C2 both take the loop for a counted one, without a poll",
        as_published="“C1/C2 non-OSR compilations of the loop treat it as a counted loop”; all hang with -Xcomp and "
        "-server or -client",
        measure=_standard,
        judge=_both_count,
        rule="no loop in the machine code of either compiler's standard version has a poll, and the post's program "
        "hangs when C1 compiles it before its first call",
        mechanism="C1 knows no counted loops: it polls at each jump back (c1_LIRGenerator, do_Goto and do_If). With "
        "G1 on JDK 10 and later, C2's code has a poll between strips, too (JDK-8186027). The post's -client did not "
        "choose C1, see 003e-15.",
        setup="osr/EnteredOnce after 200,000 calls, -Xbatch, C1 by -XX:TieredStopAtLevel=1; hang/WhenWillItExit with "
        "-Xcomp and C1 alone. 8 and 11 print machine code with hsdis only.",
        collectors=True,
        supported_by={"loops by C2": 2, "polled by C2": 0, "loops by C1": 1, "polled by C1": 0, C1_FIRST: HUNG},
        version=3,
    ),
    Claim(
        "003e-15",
        "On a 64-bit JDK, -client chooses C1, and -server C2",
        as_published="said in passing, and used: -XX:-TieredCompilation -server/client -Xcomp",
        measure=_which_compilers,
        judge=_chosen,
        rule="the listings of the loop's code name C1 alone with -client, and C2 alone with -server",
        mechanism="A 64-bit JDK has one VM with both compilers, and jvm.cfg has it ignore -client. What chooses C2 is "
        "-XX:-TieredCompilation, with either word; -XX:TieredStopAtLevel=1 leaves C1 alone. Separate client VMs were "
        "in 32-bit JDKs.",
        setup="osr/EnteredOnce on 64-bit builds, with the post's -XX:-TieredCompilation; Serial.",
        supported_by=lambda jdk: _which_compilers(jdk, hang.C1_ONLY, "-XX:-TieredCompilation"),
        version=4,
    ),
    Claim(
        "003e-12",
        "A home-made benchmark with the code right in its loop measures code made by OSR",
        as_published="“often that means the code they are measuring is OSR compiled code”",
        measure=_versions,
        judge=_by_osr_alone,
        rule="of the method with clock and loop the compile log has OSR versions by C2, and no standard version",
        mechanism="The harness is called once: its method is entered in the interpreter, and compiled code can only "
        "be entered at a jump back.",
        setup="osr/HomeMadeBenchmark: 8 rounds of 300,000 repetitions over 1,000 ints. The code is in the loop "
        "itself, in a method that is called once; code in a method of its own gets a standard version, which is the "
        "control.",
        refuted_by=lambda jdk: _versions(jdk, osr.METHOD, "addOne"),
        version=2,
    ),
    Claim(
        "003e-19",
        "Where code made by OSR differs in speed from standard code, it is mostly slower",
        as_published="“different (for better or worse, mostly worse)”; without numbers",
        measure=_bodies,
        judge=_mostly_worse,
        rule="of nine bodies of a loop a third or more differ, and more than twice as many are slower by OSR as are "
        "faster; it does not hold if more than twice as many are faster. A body differs if all four JVMs by OSR are "
        "on one side of all eight with a method, and the medians are further apart than those eight are among "
        "themselves",
        mechanism="Why is not looked into body by body. An OSR version is entered in mid-loop: there C2 does not turn "
        "the loop's head around (ciTypeFlow::clone_loop_heads), and takes its values from the interpreter's frame.",
        setup="osr/NineBodies; nine small loops over 1,000 ints stand for all code. Serial, as strips would be one "
        "more difference. Of each JVM the best of 16 rounds counts.",
        times=True,
        refuted_by={f"{name}{BY_OSR}": [80.0, 81.0, 82.0] for name in ("add", "max", "odds")}
        | {f"{name}{IN_METHOD}": [100.0, 101.0, 102.0] for name in ("add", "max", "odds")},
        version=2,
    ),
]
