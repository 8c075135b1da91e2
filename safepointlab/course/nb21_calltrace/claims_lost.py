"""The samples that get lost in stubs and in the VM, and what is left: claims 003b-03 to -05, -07 to -09, -17 and -18.

async-profiler calls ticks_unknown_not_Java, and what it asks no AsyncGetCallTrace for, no_Java_frame: threads that are
none of Java's, to which honest-profiler itself gives the code of ticks_unknown_not_Java.
"""

from math import isnan
from typing import Any

from safepointlab.claims.base import Change, Claim, Evidence, Judgement, decide, differs, holds, unclear
from safepointlab.course.nb21_calltrace.experiments import MAIN, MS, PERF, WALKED, by_jfr, run_profiled, share, stub
from safepointlab.run.run import Run

ADLER = "JDK-8266332 (17): Adler32 has a stub, too, and looks as much better than it is"
COOPERATIVE = "JEP 518 (25): the thread samples itself at its next poll, so the caller is named"
SMALL, LARGE = 64, 1 << 16  # bytes of an array; the larger one is StubTime's own
COPY, LOOP, CRC32, ADLER32 = (f"{work}, percent" for work in ("copy", "loop", "crc32", "adler32"))
COPY_WALKED = "copy, walked by VMStructs, percent"
LEFT, IN_COPY = "samples that JFR shows", "in the method that copies, percent"
FEWER, LARGER = f"lost of copies of {SMALL} bytes, percent", f"lost of copies of {LARGE:,} bytes, percent"
COLLECTOR = "GC |Gang|G1|VM Thread"
COMPILERS = "C[12] Comp"  # 28 shortens the end of "C2 CompilerThread0"
OF_GC, ACTIVE = "on threads of the collector, percent", "of all, as GC_active, percent"
OF_COMPILERS, NO_JAVA = "on threads of the compilers, percent", "of these, as no_Java_frame, percent"
CALM = "on them when calm, percent"
ON_ITS_THREADS = "it is on the collector's threads, as no_Java_frame; GC_active is for a Java thread that runs beside"
DEOPT, DEOPT_CALM = "as deoptimization", "as deoptimization when calm"
LOST, LOST_CALM = "lost, percent", "lost when calm, percent"


def lost(run: Run) -> float:
    """The percentage of main's samples whose top frame could not be understood: unknown_Java."""
    return 100 * share(run, "^unknown_Java$", "lost", MAIN)


def _hidden(jdk: int) -> Evidence:
    samples = {work: by_jfr(f"{work} {MS}", jdk) for work in ("loop", "copy")}
    counts = {f"samples of {work}": len(frame) for work, frame in samples.items()}
    return {**counts, "of these name copy": int((samples["copy"]["method"] == "StubTime::copy").sum())}


def _left_over(jdk: int) -> Evidence:
    """What JFR shows of small copies; most are lost, so it takes four times as long to have some tens."""
    left = by_jfr(f"copy {4 * MS} {SMALL}", jdk)
    in_copy = float((left["method"] == "StubTime::copy").fillna(False).astype(bool).mean())  # NaN without a sample
    return {LEFT: len(left), IN_COPY: 100 * in_copy}


def busy(what: str, jdk: int, ms: int = MS) -> Run:
    """VmTime, whose time goes into the VM, with the flags and the collector that make sure of it, or "calm"."""
    settings: dict[str, dict[str, Any]] = {
        "gc": {"flags": "-Xmx64m", "gc": "Parallel"},
        "deopt": {"flags": "-XX:-OmitStackTraceInFastThrow"},
    }
    return run_profiled("calltrace/VmTime", jdk, f"{what} {ms}", clock=PERF, **settings.get(what, {}))


def _collecting(jdk: int) -> Evidence:
    run, calm = busy("gc", jdk), busy("calm", jdk)
    threads = {OF_GC: 100 * share(run, COLLECTOR, "thread"), CALM: 100 * share(calm, COLLECTOR, "thread")}
    return {**threads, ACTIVE: 100 * share(run, "^GC_active$", "lost")}


def _compiling(jdk: int) -> Evidence:
    run, calm = busy("compile", jdk), busy("calm", jdk)
    rows = run.stacks[run.stacks["thread"].str.contains(COMPILERS).fillna(False).astype(bool)]
    without = int(rows.loc[rows["lost"] == "no_Java_frame", "count"].sum())
    shares = {OF_COMPILERS: 100 * share(run, COMPILERS, "thread"), CALM: 100 * share(calm, COMPILERS, "thread")}
    return {**shares, NO_JAVA: 100 * without / max(1, int(rows["count"].sum()))}


def _undoing(jdk: int) -> Evidence:
    undone, calm = busy("deopt", jdk, ms=2400), busy("calm", jdk)  # so rare a moment takes many samples
    counts = {
        name: int(run.stacks.loc[run.stacks["lost"] == "deoptimization", "count"].sum())
        for name, run in ((DEOPT, undone), (DEOPT_CALM, calm))
    }
    shares = {name: 100 * share(run, ".", "lost", MAIN) for name, run in ((LOST, undone), (LOST_CALM, calm))}
    return {**counts, "samples": int(undone.stacks["count"].sum()), **shares}


def _taken_apart(seen: Evidence) -> Judgement:
    """Counts of rare events: 5 against 0 is beyond chance, and so is 0 where a hundred others are lost."""
    few = "under 1 % of the samples" if 100 * seen[DEOPT] < seen["samples"] else "some samples"
    others = seen[LOST] / 100 * seen["samples"] - seen[DEOPT]
    more = "; more are lost under other names" if others > seen[DEOPT] else ""
    return decide(
        (
            seen[DEOPT] >= 5 and seen[DEOPT] > 4 * seen[DEOPT_CALM],
            holds(f"{few} hit a frame that was just being taken apart, and say so{more}"),
        ),
        (
            seen[DEOPT] <= 1 and (seen[LOST] - seen[LOST_CALM]) / 100 * seen["samples"] > 30,
            differs("more samples are lost than in the calm program, but none under that name"),
        ),
        otherwise=unclear(f"{seen[DEOPT]} of {seen['samples']} samples hit the moment"),
    )


CLAIMS = [
    Claim(
        "003b-03",
        "Most samples in System.arraycopy are lost as ticks_unknown_java",
        as_published="62.9 %",
        measure=lambda jdk: {
            COPY: lost(stub("copy", jdk)),
            LOOP: lost(stub("loop", jdk)),
            COPY_WALKED: lost(stub("copy", jdk, WALKED)),
        },
        judge=lambda seen: decide(
            (seen[LOOP] > 20 or seen[COPY_WALKED] > 20, unclear("the controls are lost, too")),
            (seen[COPY] > 50, holds("the stub has no frame that AsyncGetCallTrace could size (JDK-8178287)")),
            (seen[COPY] < 30, differs("the copying stub is walked like any other code")),
            otherwise=unclear("a part"),
        ),
        refuted_by={COPY: 10.0, LOOP: 0.0, COPY_WALKED: 0.0},
    ),
    Claim(
        "003b-04",
        "Java Mission Control (JFR) does not tell how many samples it lost",
        as_published="2,617 samples in 60 s, shown as 66.0, 12.6, 7.9, 3.6, 3.4 %",
        measure=_hidden,
        judge=lambda seen: decide(
            (
                seen["samples of loop"] < 10,
                unclear("JFR took hardly any sample of the control, on a machine this busy"),
            ),
            (
                seen["samples of copy"] < seen["samples of loop"] / 3,
                holds("what JFR could not walk it dropped: no event, no count"),
            ),
            (
                seen["of these name copy"] < seen["samples of copy"] / 2,
                differs("the samples are there, under another name", Change(25, COOPERATIVE)),
            ),
            otherwise=differs("the samples of the stub are there"),
        ),
        refuted_by={"samples of loop": 60, "samples of copy": 60, "of these name copy": 58},
    ),
    Claim(
        "003b-05",
        "CRC32 is the same blind spot, so a program that goes from Adler32 to CRC32 looks better than it is",
        as_published="said of Cassandra 2 and 3; what CRC32 and arraycopy have in common is that they are intrinsics",
        measure=lambda jdk: {f"{work}, percent": lost(stub(work, jdk)) for work in ("crc32", "adler32", "loop")},
        judge=lambda seen: decide(
            (seen[LOOP] > 20, unclear("the control is lost, too")),
            (
                seen[CRC32] > 50 and seen[ADLER32] < seen[CRC32] / 3,
                holds("CRC32 is a stub; Adler32 is a native method, whose caller leaves a note in the thread"),
            ),
            (seen[CRC32] > 50, differs("both are lost", Change(17, ADLER))),
            (seen[CRC32] < 30, differs("CRC32 is seen")),
            otherwise=unclear("a part of CRC32 is lost"),
        ),
        refuted_by={CRC32: 0.0, ADLER32: 0.0, LOOP: 0.0},
    ),
    Claim(
        "003b-07",
        "The CPU time of the collector shows as ticks_GC_active",
        as_published="an exercise: should show as ticks_GC_active",
        measure=_collecting,
        judge=lambda seen: decide(
            (seen[OF_GC] < seen[CALM] + 20, unclear("the collector was hardly at work")),
            (seen[ACTIVE] > seen[OF_GC] / 2, holds("that is where the collector's time is")),
            (seen[ACTIVE] < seen[OF_GC] / 10, differs(ON_ITS_THREADS)),
            otherwise=unclear("a part of it"),
        ),
        refuted_by={OF_GC: 80.0, CALM: 1.0, ACTIVE: 0.2},
    ),
    Claim(
        "003b-08",
        "Much of a program that compiles shows as ticks_unknown_not_Java: a thread that is none of Java's",
        as_published="an exercise: a lot of ticks_unknown_not_Java",
        measure=_compiling,
        judge=lambda seen: decide(
            (seen[OF_COMPILERS] < seen[CALM] + 10, unclear("the compilers were hardly at work")),
            (
                seen[NO_JAVA] > 80,
                holds("a compiler's thread has no Java frame, and that is all AsyncGetCallTrace says of it"),
            ),
            (seen[NO_JAVA] < 50, differs("they are elsewhere")),
            otherwise=unclear("a part of them"),
        ),
        refuted_by={OF_COMPILERS: 55.0, CALM: 2.0, NO_JAVA: 10.0},
    ),
    Claim(
        "003b-09",
        "A program that spends its time deoptimising shows the error ticks_deopt",
        as_published="an exercise: look for it",
        measure=_undoing,
        judge=lambda seen: _taken_apart(seen),
        refuted_by={DEOPT: 0, DEOPT_CALM: 0, "samples": 900, LOST: 10.0, LOST_CALM: 1.0},
    ),
    Claim(
        "003b-17",
        "With a larger array more samples of System.arraycopy are lost",
        as_published="said: pick one to prove the point",
        measure=lambda jdk: {
            name: lost(run_profiled("calltrace/StubTime", jdk, f"copy {MS} {size}"))
            for name, size in ((FEWER, SMALL), (LARGER, LARGE))
        },
        judge=lambda seen: decide(
            (
                seen[LARGER] > seen[FEWER] + 15,
                holds("the more time goes into the stub, the more samples hit it: the missing ones are the copy's"),
            ),
            (seen[LARGER] < seen[FEWER] + 5, differs("no more are lost")),
            otherwise=unclear("hardly more"),
        ),
        refuted_by={FEWER: 60.0, LARGER: 58.0},
    ),
    Claim(
        "003b-18",
        "Mission Control (JFR) divides the rest as if no sample had failed: most is not in the method that copies",
        as_published="66.0 % at the measurement loop's line 165; 20.6 % in systemArrayCopy, lines 41 and 42",
        measure=_left_over,
        judge=lambda seen: decide(
            (
                seen[LEFT] < 5 or isnan(seen[IN_COPY]),
                unclear(f"of copies of {SMALL} bytes JFR shows fewer than 5 samples: too few to be divided"),
            ),
            (seen[IN_COPY] < 40, holds("what is left is elsewhere, and its percentages add up to 100 all the same")),
            (seen[IN_COPY] > 60, differs("the method that copies has its share")),
            otherwise=unclear("about half"),
        ),
        refuted_by={LEFT: 60, IN_COPY: 95.0},
    ),
]
