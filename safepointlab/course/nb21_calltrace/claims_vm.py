"""Samples of the VM's own work, and in which bucket they are: claims 003b-07 to 003b-09 on one JDK.

async-profiler calls ticks_unknown_not_Java, and what it asks no AsyncGetCallTrace for, no_Java_frame: threads that are
none of Java's, to which honest-profiler itself gives the code of ticks_unknown_not_Java.
"""

from safepointlab.claims.base import Claim, Evidence, Judgement, fails, holds, unclear
from safepointlab.course.nb21_calltrace import experiments
from safepointlab.course.nb21_calltrace.experiments import MAIN, share
from safepointlab.run.run import Run

COLLECTOR = "GC |Gang|G1|VM Thread"
DEOPT_MS = 2400  # so rare a moment takes many samples
COMPILERS = "C[12] Comp"  # 28 shortens the end of "C2 CompilerThread0"
OF_GC, ACTIVE = "on threads of the collector, percent", "of all, as GC_active, percent"
OF_COMPILERS, NO_JAVA = "on threads of the compilers, percent", "of these, as no_Java_frame, percent"
CALM = "on them when calm, percent"
DEOPT, DEOPT_CALM = "as deoptimization", "as deoptimization when calm"
LOST, LOST_CALM = "lost, percent", "lost when calm, percent"


def _collecting(jdk: int) -> Evidence:
    run = experiments.busy("gc", jdk)
    threads = {OF_GC: 100 * share(run, COLLECTOR, "thread"), CALM: _when_calm(jdk, COLLECTOR)}
    return {**threads, ACTIVE: 100 * share(run, "^GC_active$", "lost")}


def _when_calm(jdk: int, threads: str) -> float:
    return 100 * share(experiments.busy("calm", jdk), threads, "thread")


def _in_its_bucket(measured: Evidence, jdk: int) -> Judgement:
    if measured[OF_GC] < measured[CALM] + 20:
        return unclear("the collector was hardly at work")
    if measured[ACTIVE] > measured[OF_GC] / 2:
        return holds("that is where the collector's time is")
    if measured[ACTIVE] < measured[OF_GC] / 10:
        return fails(
            "it is on the collector's threads, as no_Java_frame; GC_active is for a Java thread that runs beside"
        )
    return unclear("a part of it")


def _compiling(jdk: int) -> Evidence:
    run = experiments.busy("compile", jdk)
    rows = run.stacks[run.stacks["thread"].str.contains(COMPILERS).fillna(False).astype(bool)]
    without = int(rows.loc[rows["lost"] == "no_Java_frame", "count"].sum())
    shares = {OF_COMPILERS: 100 * share(run, COMPILERS, "thread"), CALM: _when_calm(jdk, COMPILERS)}
    return {**shares, NO_JAVA: 100 * without / max(1, int(rows["count"].sum()))}


def _no_java(measured: Evidence, jdk: int) -> Judgement:
    if measured[OF_COMPILERS] < measured[CALM] + 10:
        return unclear("the compilers were hardly at work")
    if measured[NO_JAVA] > 80:
        return holds("a compiler's thread has no Java frame, and that is all AsyncGetCallTrace says of it")
    return fails("they are elsewhere") if measured[NO_JAVA] < 50 else unclear("a part of them")


def _undoing(jdk: int) -> Evidence:
    undone, calm = experiments.busy("deopt", jdk, ms=DEOPT_MS), experiments.busy("calm", jdk)
    counts = {DEOPT: _deoptimised(undone), DEOPT_CALM: _deoptimised(calm), "samples": int(undone.stacks["count"].sum())}
    shares = {LOST: undone, LOST_CALM: calm}
    return {**counts, **{name: 100 * share(run, ".", "lost", MAIN) for name, run in shares.items()}}


def _deoptimised(run: Run) -> int:
    return int(run.stacks.loc[run.stacks["lost"] == "deoptimization", "count"].sum())


def _taken_apart(measured: Evidence, jdk: int) -> Judgement:
    """Counts of rare events: 5 against 0 is beyond chance, and so is 0 where a hundred others are lost."""
    if measured[DEOPT] >= 5 and measured[DEOPT] > 4 * measured[DEOPT_CALM]:
        return holds(_hit(measured))
    more = (measured[LOST] - measured[LOST_CALM]) / 100 * measured["samples"]
    if measured[DEOPT] <= 1 and more > 30:
        return fails("more samples are lost than in the calm program, but none under that name")
    return unclear(f"{measured[DEOPT]} of {measured['samples']} samples hit the moment")


def _hit(measured: Evidence) -> str:
    """How small a part of the samples hit the moment, and whether more are lost under other names."""
    few = "under 1 % of the samples" if 100 * measured[DEOPT] < measured["samples"] else "some samples"
    others = measured[LOST] / 100 * measured["samples"] - measured[DEOPT]
    more = "; more are lost under other names" if others > measured[DEOPT] else ""
    return f"{few} hit a frame that was just being taken apart, and say so{more}"


CLAIMS = [
    Claim(
        "003b-07",
        "The CPU time of the collector shows as ticks_GC_active",
        as_published="an exercise: should show as ticks_GC_active",
        measure=_collecting,
        judge=_in_its_bucket,
        refuted_by=({OF_GC: 80.0, CALM: 1.0, ACTIVE: 0.2}, 8),
    ),
    Claim(
        "003b-08",
        "Much of a program that compiles shows as ticks_unknown_not_Java: a thread that is none of Java's",
        as_published="an exercise: a lot of ticks_unknown_not_Java",
        measure=_compiling,
        judge=_no_java,
        refuted_by=({OF_COMPILERS: 55.0, CALM: 2.0, NO_JAVA: 10.0}, 8),
    ),
    Claim(
        "003b-09",
        "A program that spends its time deoptimising shows the error ticks_deopt",
        as_published="an exercise: look for it",
        measure=_undoing,
        judge=_taken_apart,
        refuted_by=({DEOPT: 0, DEOPT_CALM: 0, "samples": 900, LOST: 10.0, LOST_CALM: 1.0}, 8),
    ),
]
