"""The samples that get lost in stubs and in the VM, and what is left: claims 003b-03 to -05, -07 to -09 and -20.

async-profiler calls ticks_no_Java_frame, ticks_unknown_not_Java and threads without a JNIEnv no_Java_frame.
"""

from contextlib import suppress
from typing import Any

from safepointlab.claims.base import Change, Claim, Evidence, Judgement, decide, differs, holds, unclear
from safepointlab.course.nb21_calltrace.claims import STAND_IN
from safepointlab.course.nb21_calltrace.experiments import MAIN, MS, PERF, WALKED, run_profiled, share, stub
from safepointlab.errors import LabError
from safepointlab.run import launch
from safepointlab.run.run import Run

ADLER = Change(17, "JDK-8266332 (JDK 17): Adler32 has a stub on x86, too, so that its samples are lost as well")
COOPERATIVE = Change(25, "JEP 518 (JDK 25): JFR walks the stack from the thread's next poll, so few samples are lost")
SMALL, LARGE = 64, 1 << 16  # bytes of an array; the larger one is StubTime's own
COPY, LOOP, CRC32, ADLER32 = (f"{work}, percent" for work in ("copy", "loop", "crc32", "adler32"))
COPY_SMALL, COPY_WALKED = f"copy of {SMALL} bytes, percent", "copy, walked by VMStructs, percent"
IN_STUB, NAMED_LOST = "in the checksum's stub, by perf events, percent", "lost by AsyncGetCallTrace, percent"
LOSSES = ("DataLoss", "CPUTimeSamplesLost")  # JFR's events about what it lost; the second one is of 25 and later
OF_LOOP, OF_COPY, NAME_COPY = "samples of loop", "samples of copy", "of these name copy"
TOLD = "events that tell of losses"
COMPILERS = "C[12] Comp"  # 28 shortens the end of "C2 CompilerThread0"
OF_COMPILERS, NO_JAVA = "on threads of the compilers, percent", "of these, without a Java stack, percent"
CALM = "on them when calm, percent"
DEOPT, DEOPT_CALM = "as deoptimization", "as deoptimization when calm"
LOST, LOST_CALM = "lost, percent", "lost when calm, percent"
STUB_TIME = f"The lab's program StubTime, for {MS} ms of CPU time."
NO_FRAME = "AsyncGetCallTrace finds no frame size of a stub, and so no way to its caller (JDK-8178287)."


def lost(run: Run) -> float:
    """The percentage of main's samples whose top frame could not be understood: unknown_Java."""
    return 100 * share(run, "^unknown_Java$", "lost", MAIN)


def _copied(jdk: int, work: str = "copy") -> Evidence:
    return {
        COPY: lost(stub(work, jdk)),
        COPY_SMALL: lost(run_profiled("calltrace/StubTime", jdk, f"{work} {MS} {SMALL}")),
        LOOP: lost(stub("loop", jdk)),
        COPY_WALKED: lost(stub(work, jdk, WALKED)),
    }


def _judge_copied(seen: Evidence) -> Judgement:
    told = (
        f"lost are {seen[COPY]:.0f} % of the samples of copies of {LARGE:,} bytes and {seen[COPY_SMALL]:.0f} % of "
        f"{SMALL} bytes; of a loop {seen[LOOP]:.0f} %, and of copies walked by VMStructs {seen[COPY_WALKED]:.0f} %"
    )
    return decide(
        (max(seen[LOOP], seen[COPY_WALKED]) > 20, unclear(f"the controls are lost, too: {told}")),
        (seen[COPY] > 50 and seen[COPY] > seen[COPY_SMALL] + 15, holds(told)),
        (seen[COPY] < 30 or seen[COPY] < seen[COPY_SMALL], differs(told)),
        otherwise=unclear(told),
    )


def _shown_by_jfr(jdk: int, work: str = "copy") -> Evidence:
    """JFR's samples of the work and of a loop in Java, for the same CPU time, and its events about losses."""
    log = f"jfr=ExecutionSample:10ms,{','.join(LOSSES)}"
    loop, copy = (
        launch.java("calltrace/StubTime", jdk, args=f"{name} {MS}", log=log, reuse=True) for name in ("loop", work)
    )
    samples = copy.jfr("ExecutionSample")
    return {
        OF_LOOP: len(loop.jfr("ExecutionSample")),
        OF_COPY: len(samples),
        NAME_COPY: int((samples["method"] == f"StubTime::{work}").sum()),
        TOLD: sum(_count_events(copy, event) for event in LOSSES),
    }


def _count_events(run: Run, event: str) -> int:
    """None, too, if the JDK knows no such event."""
    with suppress(LabError):
        return len(run.jfr(event))
    return 0


def _judge_jfr(seen: Evidence) -> Judgement:
    told = (
        f"for the same CPU time JFR has {seen[OF_LOOP]} samples of a loop and {seen[OF_COPY]} of copies, "
        f"{seen[NAME_COPY]} of which name the copying method; {seen[TOLD]} events tell of losses ({', '.join(LOSSES)})"
    )
    return decide(
        (seen[OF_LOOP] < 20, unclear(f"hardly a sample of the control: {told}")),
        (seen[OF_COPY] < seen[OF_LOOP] / 3 and not seen[TOLD], holds(told)),
        (seen[OF_COPY] < seen[OF_LOOP] / 3, differs(told)),
        (seen[OF_COPY] < seen[OF_LOOP] / 2, unclear(told)),
        otherwise=differs(told, COOPERATIVE),
    )


def _judge_checksums(seen: Evidence) -> Judgement:
    told = (
        f"lost are {seen[CRC32]:.0f} % of CRC32's samples, {seen[ADLER32]:.0f} % of Adler32's and {seen[LOOP]:.0f} % "
        "of a loop's"
    )
    return decide(
        (seen[LOOP] > 20, unclear(f"the control is lost, too: {told}")),
        (seen[CRC32] > 50 and seen[ADLER32] < seen[CRC32] / 3, holds(told)),
        (seen[CRC32] > 50 and seen[ADLER32] > 50, differs(told, ADLER)),
        (seen[CRC32] < 30, differs(told)),
        otherwise=unclear(told),
    )


def _by_perf_events(jdk: int, work: str = "crc32") -> Evidence:
    """The part of main's samples that perf events find in the stub of a checksum, and what AsyncGetCallTrace loses."""
    native = run_profiled("calltrace/StubTime", jdk, f"{work} {MS}", WALKED, "cpu-clock")
    return {IN_STUB: 100 * share(native, r"(?i)^[^.]*crc32[^.]*$", "leaf", MAIN), NAMED_LOST: lost(stub(work, jdk))}


def _judge_perf_events(seen: Evidence) -> Judgement:
    told = (
        f"perf events have {seen[IN_STUB]:.0f} % of the samples in the stub; AsyncGetCallTrace loses "
        f"{seen[NAMED_LOST]:.0f} %"
    )
    return decide(
        (seen[IN_STUB] > 50 and seen[NAMED_LOST] > 50, holds(told)),
        (min(seen[IN_STUB], seen[NAMED_LOST]) < 20, differs(told)),
        otherwise=unclear(told),
    )


def busy(what: str, jdk: int, ms: int = MS) -> Run:
    """VmTime, whose time goes into the VM, with the flags and the collector that make sure of it, or "calm"."""
    settings: dict[str, dict[str, Any]] = {
        "gc": {"flags": "-Xmx64m", "gc": "Parallel"},
        "deopt": {"flags": "-XX:-OmitStackTraceInFastThrow"},
    }
    return run_profiled("calltrace/VmTime", jdk, f"{what} {ms}", clock=PERF, **settings.get(what, {}))


def _compiling(jdk: int, what: str = "compile") -> Evidence:
    run, calm = busy(what, jdk), busy("calm", jdk)
    rows = run.stacks[run.stacks["thread"].str.contains(COMPILERS).fillna(False).astype(bool)]
    without = int(rows.loc[rows["lost"] == "no_Java_frame", "count"].sum())
    shares = {OF_COMPILERS: 100 * share(run, COMPILERS, "thread"), CALM: 100 * share(calm, COMPILERS, "thread")}
    return {**shares, NO_JAVA: 100 * without / max(1, int(rows["count"].sum()))}


def _judge_compiling(seen: Evidence) -> Judgement:
    told = (
        f"{seen[OF_COMPILERS]:.0f} % of the samples are on the compilers' threads ({seen[CALM]:.0f} % in a calm one), "
        f"and {seen[NO_JAVA]:.0f} % of these have no Java stack"
    )
    return decide(
        (seen[OF_COMPILERS] > seen[CALM] + 20 and seen[NO_JAVA] > 80, holds(told)),
        (seen[OF_COMPILERS] < seen[CALM] + 5 or seen[NO_JAVA] < 20, differs(told)),
        otherwise=unclear(told),
    )


def _undoing(jdk: int, what: str = "deopt") -> Evidence:
    undone, calm = (busy(each, jdk, ms=2400) for each in (what, "calm"))  # so rare a moment takes many samples
    counts = {
        name: int(run.stacks.loc[run.stacks["lost"] == "deoptimization", "count"].sum())
        for name, run in ((DEOPT, undone), (DEOPT_CALM, calm))
    }
    shares = {name: 100 * share(run, ".", "lost", MAIN) for name, run in ((LOST, undone), (LOST_CALM, calm))}
    return {**counts, "samples": int(undone.stacks["count"].sum()), **shares}


def _judge_undoing(seen: Evidence) -> Judgement:
    """Counts of rare events: of equal rates 5 against 0 come in 3 of 100 cases, and more against 0 in fewer."""
    told = (
        f"{seen[DEOPT]} of {seen['samples']} samples are counted as deoptimization ({seen[DEOPT_CALM]} in a calm "
        f"program); {seen[LOST]:.1f} % are lost in all ({seen[LOST_CALM]:.1f} % in the calm one)"
    )
    return decide(
        (seen[DEOPT] >= 5 and seen[DEOPT] > 4 * seen[DEOPT_CALM], holds(told)),
        (seen["samples"] > 1000 and seen[DEOPT] <= 1, differs(told)),
        otherwise=unclear(told),
    )


CLAIMS = [
    Claim(
        "003b-03",
        "Most samples in System.arraycopy are lost as ticks_unknown_java, and more of larger arrays",
        as_published="62.9 %; with a larger array more",
        measure=_copied,
        judge=_judge_copied,
        rule=f"over half of the samples of copies of {LARGE:,} bytes are lost, and over 15 percentage points more than "
        f"of {SMALL} bytes; it does not hold if it is less than 30 %, or less than of {SMALL} bytes. Nothing follows "
        "if over a fifth is lost of a loop in Java, or of the same copies where the stack is walked by VMStructs and "
        "not by AsyncGetCallTrace",
        mechanism=NO_FRAME,
        setup=f"{STUB_TIME} {STAND_IN}",
        refuted_by=lambda jdk: _copied(jdk, "loop"),
        version=2,
    ),
    Claim(
        "003b-04",
        "Java Mission Control (JFR) loses most samples in System.arraycopy and does not tell how many",
        as_published="2,617 samples in 60 s, shown as 66.0, 12.6, 7.9, 3.6, 3.4 %",
        measure=_shown_by_jfr,
        judge=_judge_jfr,
        rule="of copies JFR has less than a third of a loop's samples for the same CPU time, and no event says so",
        mechanism="Until JDK 24 the sampler dropped a stack that it could not walk. JEP 518 (25) lets it be walked "
        "from the next poll. That poll comes after the copy, in the caller: the sample is kept, and blames the caller. "
        "jdk.CPUTimeSamplesLost (JEP 509, 25) counts the losses of JFR's other sampler alone.",
        setup=f"{STUB_TIME} JFR records execution samples, one each 10 ms, and its events about losses.",
        refuted_by=lambda jdk: _shown_by_jfr(jdk, "loop"),
        version=2,
    ),
    Claim(
        "003b-05",
        "AsyncGetCallTrace is blind to CRC32, so a program that goes from Adler32 to CRC32 looks better than it is",
        as_published="said of Cassandra 2 and 3; what CRC32 and arraycopy have in common is that they are intrinsics",
        measure=lambda jdk: {f"{work}, percent": lost(stub(work, jdk)) for work in ("crc32", "adler32", "loop")},
        judge=_judge_checksums,
        rule="over half of CRC32's samples are lost, and less than a third as many of Adler32's",
        mechanism=f"CRC32 is a stub. {NO_FRAME} Adler32 was a native method, whose caller leaves a note in the thread, "
        "until JDK-8266332 (17) made a stub of it on x86.",
        setup=f"{STUB_TIME} {STAND_IN}",
    ),
    Claim(
        "003b-07",
        "The CPU time of the collector shows as ticks_GC_active",
        as_published="an exercise: should show as ticks_GC_active",
        not_run="honest-profiler is in no registry, and its stand-in can't say yes: async-profiler asks "
        "AsyncGetCallTrace about Java's threads alone, so no run of it can show the collector's time as GC_active",
        mechanism="The collector's threads are none of Java's, and have no JNIEnv. AsyncGetCallTrace would answer "
        "ticks_thread_exit to them, before it checks whether a collection runs: GC_active is its answer for a Java "
        "thread that is interrupted meanwhile (forte.cpp). But neither profiler asks it about such a thread: "
        "honest-profiler itself gives it the code of ticks_unknown_not_Java (profiler.cpp of May 2016, later "
        "processor.cpp), async-profiler calls it no_Java_frame.",
    ),
    Claim(
        "003b-08",
        "A program that compiles a lot has many samples without a Java stack, on its compilers' threads",
        as_published="an exercise: a lot of ticks_unknown_not_Java",
        measure=_compiling,
        judge=_judge_compiling,
        rule="the compilers' threads have over 20 percentage points more of the samples than in a calm program, and "
        "over 80 % of these have no Java stack",
        mechanism="A compiler's thread has no Java frame to find. HotSpot counts it among its JavaThreads, so a "
        "profiler gets a JNIEnv for it and asks AsyncGetCallTrace, which answers ticks_unknown_not_Java or "
        "ticks_no_Java_frame (forte.cpp). async-profiler calls both no_Java_frame, so which of the two it was is not "
        "measured.",
        setup=f"The lab's program VmTime, which defines one class again and again. {STAND_IN}",
        refuted_by=lambda jdk: _compiling(jdk, "calm"),
        version=2,
    ),
    Claim(
        "003b-09",
        "A program that spends its time deoptimising shows the error ticks_deopt",
        as_published="an exercise: look for it",
        measure=_undoing,
        judge=_judge_undoing,
        rule="at least 5 samples are counted as deoptimization, over 4 times as many as in a calm program",
        mechanism="While a thread is in the deoptimisation handler, its compiled frame is being taken apart, and "
        "AsyncGetCallTrace answers ticks_deopt at once (in_deopt_handler, asked in forte.cpp).",
        setup="The lab's program VmTime: an index out of bounds every other time, for 2,400 ms, with "
        "OmitStackTraceInFastThrow off, so that each of them can deoptimise; the calm one for as long. How much of "
        "that time is spent in the handler, and how much on the exceptions and in the interpreter after it, isn't "
        f"measured: the error shows that there is deoptimisation, not how much of it. {STAND_IN}",
        refuted_by=lambda jdk: _undoing(jdk, "calm"),
        version=2,
    ),
    Claim(
        "003b-20",
        "A native profiler confirms that the checksum's cost is still prominent, where AsyncGetCallTrace loses it",
        as_published="said of Cassandra's CRC32 in one set-up, not shown",
        measure=_by_perf_events,
        judge=_judge_perf_events,
        rule="perf events have over half of the samples in CRC32's stub, and AsyncGetCallTrace loses over half",
        mechanism="A sample by perf events is an address, and the address alone names the stub: async-profiler learns "
        f"the stubs' names and ranges from DynamicCodeGenerated events, where perf would need a map. {NO_FRAME}",
        setup=f"{STUB_TIME} async-profiler's cpu-clock (the kernel's perf_events) stands in for perf; its stacks are "
        "walked by VMStructs.",
        refuted_by=lambda jdk: _by_perf_events(jdk, "loop"),
        version=2,
    ),
]
