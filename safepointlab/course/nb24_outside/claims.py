"""What no post says, as the cause is outside of the program: claims 002-26 to -29, the lab's own."""

from safepointlab.claims.base import Claim, Evidence, Judgement, decide, differs, holds, unclear
from safepointlab.course.nb24_outside import experiments as outside
from safepointlab.errors import FlagRejected
from safepointlab.run import launch
from safepointlab.run.run import Run

AT = "at the safepoint"
SAID = {"at": AT}  # of a phase, where the evidence has another word for it
PHASES = {"gc*": AT, "safepoint": "none", "safepoint=debug": "reaching"}  # where the claim says that the wait is
LONG_MS, SHORT_MS = 3 * outside.LONG_MS, outside.LONG_MS  # of two seconds; of a JVM that waits for nothing
SHORTER, AS_LONG = 3.0, 2.0  # times
ASYNC = 17  # the first JDK with -Xlog:async (JDK-8229517)
CALL_MS = "longest System.gc() with a pipe that isn't read, ms"
WHOLE_MS = "longest stop as a whole with safepoint, ms"
WAITS = {what: f"{what} read from disk, longest wait with Serial and with G1, ms" for what in ("copy", "pages")}
FETCHED = "least that was read from disk, mib"
PHASES_MS = {
    "reaching": "longest reaching, ms",
    "at": "longest operation, ms",
    "between": "longest time between two stops, ms",
}


def _run(jdk: int, args: str, flags: str = "", gc: str = "Serial") -> Run:
    return launch.java(outside.SAMPLE, jdk, flags, gc=gc, args=args, log="safepoint", reuse=True)


def _phases(jdk: int, flags: str = "") -> Evidence:
    runs = {what: _run(jdk, f"log {what}", flags) for what in PHASES}
    return {
        **{f"long phase with {what}": SAID.get(outside.blamed(run), outside.blamed(run)) for what, run in runs.items()},
        WHOLE_MS: float(outside.stops(runs["safepoint"])["total_ms"].max()),
        CALL_MS: [run.values["call_ms"] for run in runs.values()],
    }


def _depends(measured: Evidence) -> Judgement:
    found = {what: measured[f"long phase with {what}"] for what in PHASES}
    told = ", ".join(f"{what}: {phase}" for what, phase in found.items())
    waited = f"; with safepoint a whole stop took {measured[WHOLE_MS]:,.0f} ms at most"
    waited += f"; the call took {min(measured[CALL_MS]):,.0f} ms or more"
    return decide(
        (max(measured[CALL_MS]) < SHORT_MS, differs(f"the call took {max(measured[CALL_MS]):,.0f} ms at most")),
        (min(measured[CALL_MS]) < SHORT_MS, unclear(f"not each of the calls had to wait; {told}")),
        (found == PHASES and measured[WHOLE_MS] < SHORT_MS, holds(told + waited)),
        otherwise=differs(told + waited),
    )


def _async(jdk: int, cure: str = "-Xlog:async", what: str = "gc*") -> Evidence:
    if jdk < ASYNC:
        raise FlagRejected(f"JDK {jdk} does not know -Xlog:async, which came with JDK {ASYNC} (JDK-8229517).")
    return {CALL_MS: [_run(jdk, f"log {what}", flags).values["call_ms"] for flags in ("", cure)]}


def _cured(measured: Evidence) -> Judgement:
    plain, cured = measured[CALL_MS]
    told = f"the longest call took {plain:,.0f} ms, and {cured:,.0f} ms with the flag"
    return decide(
        (plain < LONG_MS, unclear(told)),
        (cured < SHORT_MS, holds(told)),
        (cured >= LONG_MS, differs(told)),
        otherwise=unclear(told),
    )


def _cold(jdk: int, copy: str = "copy") -> Evidence:
    ways = {"copy": copy, "pages": "pages"}
    runs = {what: [_run(jdk, f"file {how}", "-Xmx1g", gc) for gc in ("Serial", "G1")] for what, how in ways.items()}
    return {
        **{WAITS[what]: [run.values["cold_ms"] for run in both] for what, both in runs.items()},
        FETCHED: min(float(run.values["cold_mib"]) for both in runs.values() for run in both),
    }


def _stub(measured: Evidence) -> Judgement:
    (copy, copy_g1), (pages, pages_g1) = (measured[WAITS[what]] for what in WAITS)
    told = (
        f"the longest wait of a stop is for the copy {copy:,.0f} ms with Serial and {copy_g1:,.0f} ms with G1, for the "
        f"loop {pages:,.0f} and {pages_g1:,.0f} ms (medians of three readings)"
    )
    return decide(
        (measured[FETCHED] < 1, unclear("the file was in memory")),
        (pages < SHORTER * pages_g1, unclear(f"G1 didn't help the loop either; {told}")),
        (copy_g1 >= SHORTER * pages_g1, holds(told)),
        (copy_g1 < AS_LONG * pages_g1, differs(told)),
        otherwise=unclear(told),
    )


def _frozen(jdk: int, what: str = "freeze") -> Evidence:
    run = _run(jdk, what)
    longest = outside.longest_ms(run)
    return {
        **{name: longest[phase] for phase, name in PHASES_MS.items()},
        "longest silence of the clock inside, ms": run.values["inside_ms"],
        "of the clock outside, ms": run.values["outside_ms"],
    }


def _between(measured: Evidence) -> Judgement:
    reaching, at, between, inside_ms, outside_ms = measured.values()
    told = f"reaching {reaching:,.0f} ms, operation {at:,.0f} ms, between two stops {between:,.0f} ms at most"
    return decide(
        (
            inside_ms < LONG_MS or outside_ms >= SHORT_MS,
            unclear(f"{told}; clocks: {inside_ms:,.0f} and {outside_ms:,.0f} ms"),
        ),
        (max(reaching, at) < SHORT_MS and between >= LONG_MS, holds(f"{told}; clock outside: {outside_ms:,.0f} ms")),
        otherwise=differs(told),
    )


PIPE = (
    "The lab's own program, with Serial. It fills a pipe, switches a log into it on as `jcmd VM.log` does, and calls "
    "System.gc() again and again. After two seconds another process reads the pipe. A second log of the stops goes to "
    "a file."
)
STALLS = 25  # the first of the lab's JDKs with JDK-8323807
STALLING = "-Xlog:async:stall -XX:AsyncLogBufferSize=102400"  # asynchronous, until its buffer is full
SYNCHRONOUS = "The thread that logs a line also writes and flushes it (logFileStreamOutput.cpp)."

CLAIMS = [
    Claim(
        id="002-26",
        statement="Which phase of a stop waits for a log that isn't read depends on the lines that are logged",
        as_published="in no post: there, a stop is long because a thread is late",
        measure=_phases,
        judge=_depends,
        rule=(
            "a wait of half a second or more is at the safepoint with gc*, in no phase with safepoint, where no stop "
            "as a whole takes that long, and in reaching with safepoint=debug; and System.gc() takes that long each "
            "time"
        ),
        mechanism=(
            f"{SYNCHRONOUS} The collector's lines are written during the operation, the line of `safepoint` after the "
            "threads were released, and the first one of `safepoint=debug` when the stop has begun and no thread was "
            "asked yet (SafepointSynchronize::begin and ::end)."
        ),
        setup=PIPE,
        refuted_by=lambda jdk: _phases(jdk, "-Xlog:async"),
        ours=True,
        version=4,
    ),
    Claim(
        id="002-27",
        statement="With -Xlog:async, a log into a named pipe that isn't read holds up no collection",
        as_published="in no post: the flag came with JDK 17",
        measure=_async,
        judge=_cured,
        rule="the longest System.gc() takes 1.5 s or more without the flag, and less than 0.5 s with it",
        mechanism=(
            "JDK-8229517 (JDK 17): the line goes into a buffer, and a thread of its own writes it. What doesn't fit "
            "into the buffer is dropped. On JDK 25 and later -Xlog:async:stall drops nothing and waits instead "
            "(JDK-8323807), so with it a full buffer holds up collections."
        ),
        setup=PIPE,
        refuted_by=lambda jdk: _async(max(jdk, STALLS), STALLING, "gc*=debug"),
        ours=True,
        version=3,
    ),
    Claim(
        id="002-28",
        statement="G1 shortens the wait for a loop over a file that isn't in memory, but not for a bulk copy of it",
        as_published="in no post: there, a loop reads memory",
        measure=_cold,
        judge=_stub,
        rule=(
            "the longest wait for the loop is at least three times as long with Serial as with G1, and with G1 the one "
            "for the copy is at least three times as long as that for the loop (a disk's speed may differ by as much "
            "from one JVM to the next); each is the median of three readings"
        ),
        mechanism=(
            "With G1, C2 keeps a poll for each strip of a counted loop (JDK-8186027). MappedByteBuffer.get(byte[]) "
            "is one call of a stub, and a stub has no poll."
        ),
        setup=(
            "The lab's own program reads a mapped file of 256 MiB, which the kernel was told to forget. The loop reads "
            "one byte in 4,096; a thread requests a stop every millisecond."
        ),
        refuted_by=lambda jdk: _cold(jdk, "pages"),  # a loop in the place of the copy
        times=True,
        ours=True,
        version=2,
    ),
    Claim(
        id="002-29",
        statement=(
            "If a signal stops the whole process while no stop is under way, no stop in the log is long, only the time "
            "between two stops"
        ),
        as_published="in no post: there, the JVM itself stops the threads",
        measure=_frozen,
        judge=_between,
        rule=(
            "no stop takes 0.5 s or more to reach or in its operation, and two stops are 1.5 s or more apart; the "
            "clock inside is silent for as long, and the one outside the JVM isn't"
        ),
        mechanism=(
            "SIGSTOP stops all threads of the process, the VM thread among them. A stop that hasn't been requested has "
            "no phase; the log has the two seconds as the time since the last one."
        ),
        setup=(
            "The lab's own program, with Serial. It requests no stop when the signal comes. The statement is refuted "
            "if the same signal comes while a stop is waiting for a loop."
        ),
        refuted_by=lambda jdk: _frozen(jdk, "freeze waiting"),
        ours=True,
        version=3,
    ),
]
