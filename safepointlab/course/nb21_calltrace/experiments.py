"""A JDK and a sample's program -> a run under a sampling profiler, and which part of its samples says what.

    experiments.guilty(17)                 KnownGuilty: the busy method, by signals and by thread dumps
    experiments.stub("copy", 17)           StubTime: all the work is done in a stub; AsyncGetCallTrace walks its stacks
    experiments.stub("copy", 17, WALKED)   the same, walked by VMStructs
    experiments.share(run, "^unknown_Java$", "lost", MAIN)
    experiments.lost_by_work(sweep)        what a sweep over StubTime's work lost, on each JDK

How fair, how many, and at which lines is in counts. honest-profiler, which the post uses, is in no registry.
async-profiler with cstack=no calls AsyncGetCallTrace and does nothing else, and calls its failures by the same names,
but for ticks_unknown_not_Java, which it calls no_Java_frame; cstack=vm walks the stack by itself and is the control.
Each run is made once a session.
"""

from typing import TYPE_CHECKING, Any

from safepointlab.errors import BadInput
from safepointlab.logs import collapsed
from safepointlab.run import jmh, launch
from safepointlab.run.load import runs
from safepointlab.run.run import Run

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pandas import DataFrame

MS = 800  # how long a program runs: some 200 samples where the kernel's timers tick each 4 ms
AGCT, WALKED = "cstack=no", "cstack=vm"
CPU, PERF, WALL = "ctimer", "cpu", "wall"  # `cpu` rings more often than `ctimer` where the kernel allows perf_event
JFR = "jfr=ExecutionSample:10ms"
BATCH = "-Xbatch"  # the thread waits for C2, so that on a busy machine, too, it is C2's code that is sampled
NOTES_OFF, NOTES_ON = "-XX:-DebugNonSafepoints", "-XX:+DebugNonSafepoints"
NOTES_DEFAULT = ""  # what the JDK does by itself
BUSY = {  # what the VM is made to do: the flags and the collector that make sure of it
    "calm": ("", None),
    "gc": ("-Xmx64m", "Parallel"),
    "compile": ("", None),
    "deopt": ("-XX:-OmitStackTraceInFastThrow", None),
}
MAIN = "^(?:main|DestroyJavaVM|java)"  # the profiler looks names up at the end, when main has another one
PARTS = ("guilty()", "innocent() and the loop")  # of the time of Neighbours' loop
ENDS = (r"(?:;|$)", r";Neighbours\.guilty$", r";Neighbours\.innocent$")  # of a stack of that loop
BENCHMARK, OPTIONS = "calltrace.ManySmall", "-f 1 -wi 4 -w 200ms -i 20 -r 50ms"
BENCHMARK_DEADLINE_S = 60


def guilty(jdk: int) -> Run:
    """KnownGuilty with Serial: a loop without a poll, and a thread that takes dumps of it; counts in its values."""
    return _profiled("KnownGuilty", jdk, f"{MS}", gc="Serial")


def stub(work: str, jdk: int, walker: str = AGCT, flags: str = "", log: str = "", ms: int = MS) -> Run:
    """StubTime under async-profiler, with further logs; its work is copy, crc32, adler32, or loop, the control."""
    return _profiled("StubTime", jdk, f"{work} {ms}", walker=walker, flags=flags, log=f" {log}")


def unprofiled(jdk: int, repeat: int = 0) -> Run:
    """StubTime's loop without a profiler, its safepoints logged."""
    return launch.java("calltrace/StubTime", jdk, args=f"loop {MS}", log="safepoint", repeat=repeat, reuse=True)


def profiled(jdk: int, repeat: int = 0) -> Run:
    """The same under AsyncGetCallTrace."""
    log = f"async={CPU},{AGCT},interval=1ms,threads safepoint"
    return launch.java("calltrace/StubTime", jdk, args=f"loop {MS}", log=log, repeat=repeat, reuse=True)


def by_jfr(work: str, jdk: int) -> Run:
    """StubTime while JFR samples it every 10 ms."""
    return launch.java("calltrace/StubTime", jdk, args=f"{work} {MS}", log=JFR, reuse=True)


def busy(what: str, jdk: int, ms: int = MS) -> Run:
    """VmTime, whose time goes into the VM, with one of BUSY."""
    flags, gc = BUSY[what]
    return _profiled("VmTime", jdk, f"{what} {ms}", clock=PERF, flags=flags, gc=gc)


def awake(jdk: int, clock: str = CPU, ms: int = MS) -> Run:
    """OneAwake: twenty threads sleep and one works; sampled by CPU time, or by the clock on the WALL."""
    return _profiled("OneAwake", jdk, f"20 {ms}", walker=WALKED, clock=clock)


def neighbours(jdk: int) -> Run:
    """Neighbours: of two methods in one loop one divides, which takes long; then the loop without the division."""
    return _profiled("Neighbours", jdk, f"{MS} 200", flags=BATCH)


def noted(jdk: int, notes: str) -> "DataFrame":
    """JFR's samples of Neighbours with NOTES_ON or NOTES_OFF: whether C2 notes places between polls and calls."""
    run = launch.java("calltrace/Neighbours", jdk, f"{BATCH} {notes}".strip(), args=f"{MS} 1", log=JFR, reuse=True)
    return run.jfr("ExecutionSample")


def _profiled(
    sample: str,
    jdk: int,
    args: str,
    walker: str = AGCT,
    clock: str = CPU,
    flags: str = "",
    gc: str | None = None,
    log: str = "",
) -> Run:
    """One run under async-profiler, with its threads kept apart; `log` goes on after that, with a blank or a comma."""
    wanted = f"async={clock},{walker},interval=1ms,threads{log}"
    return launch.java(f"calltrace/{sample}", jdk, flags, gc=gc, args=args, log=wanted, reuse=True)


def own(source: str, jdk: int) -> Run:
    """A reader's program of one class under AsyncGetCallTrace, for MS of CPU time."""
    return launch.java(source, jdk, args=f"{MS}", log=f"async={CPU},{AGCT},interval=1ms,threads", reuse=True)


def share(run: Run, pattern: str, column: str = "frames", thread: str = "") -> float:
    """The part of the samples (of a thread) that match, 0 to 1."""
    return round(collapsed.share(_of(run, thread), pattern, column), 3)


def _of(run: Run, thread: str) -> "DataFrame":
    return run.stacks[run.stacks["thread"].str.contains(thread).fillna(False).astype(bool)] if thread else run.stacks


def unknown(work: str, jdk: int, walker: str = AGCT, thread: str = MAIN) -> float:
    """The part of StubTime's samples whose top frame could not be understood: unknown_Java."""
    return share(stub(work, jdk, walker), "^unknown_Java$", "lost", thread)


def lost_by_work(*results: Any) -> "DataFrame":
    """The part of all samples that is unknown_Java, of runs of StubTime: one row per JDK, one column per work."""
    from pandas import DataFrame

    rows = [(run.major, _work(run), share(run, "^unknown_Java$", "lost")) for run in runs(*results)]
    table = DataFrame(rows, columns=["jdk", "work", "lost"])
    return table.pivot_table(index="jdk", columns="work", values="lost", aggfunc="mean")


def by_work(*results: Any) -> "Mapping[str, Run]":
    """These runs by what their program was told to do, the first of its arguments."""
    return {_work(run): run for run in runs(*results)}


def _work(run: Run) -> str:
    return run.request.args[0] if run.request.args else ""


def outcomes(by_name: "Mapping[str, Run]") -> "DataFrame":
    """What became of each run's samples, as parts of all: one row an outcome ("walked", or why not), a column a run."""
    from pandas import DataFrame

    parts = {name: collapsed.lost(run.stacks).set_index("outcome")["share"] for name, run in by_name.items()}
    return DataFrame(parts).fillna(0)


def mains(run: Run) -> float:
    """The part of the samples without a Java frame that are of `main`; NaN without any."""
    return collapsed.share(run.stacks.query("lost == 'no_Java_frame'"), MAIN, "thread")


def caught(*results: Any) -> "DataFrame":
    """JFR's samples of runs of StubTime, one row per JDK and work: samples, and how many name the method at work."""
    from pandas import DataFrame

    rows = []
    for run in runs(*results):
        samples = run.jfr("ExecutionSample")
        named = int((samples["method"] == f"StubTime::{_work(run)}").sum())
        rows.append((run.major, _work(run), len(samples), named))
    counts = DataFrame(rows, columns=["jdk", "work", "samples", "named"])
    return counts.drop_duplicates(["jdk", "work"]).set_index(["jdk", "work"])


def blamed(run: Run) -> "DataFrame":
    """Who takes the time of the loop with the division in Neighbours, by the clock and by samples: for `shares`.

    Returns:
        by ("time" or "samples"), who ("guilty()", or "innocent() and the loop") and share, 0 to 1. The clock gives the
        division what an iteration with it takes beyond one without.

    Raises:
        BadInput: the run is none of Neighbours under async-profiler.
    """
    from pandas import DataFrame

    if not isinstance(run, Run) or "both_ns" not in run.values or "async" not in {log.kind for log in run.request.log}:
        raise BadInput(f"This is no run of Neighbours under async-profiler: {run!r}"[:200])
    both, without = (float(run.values[name]) for name in ("both_ns", "innocent_ns"))
    loop, guilty, _ = samples_of_street(run)
    taken = {"time": 1 - without / both, "samples": guilty / max(1, loop)}
    rows = [(by, who, part) for by, share in taken.items() for who, part in zip(PARTS, (share, 1 - share), strict=True)]
    return DataFrame(rows, columns=["by", "who", "share"])


def samples_of_street(run: Run) -> tuple[int, ...]:
    """Samples of the loop with the division in Neighbours, and of these the ones that name guilty and innocent."""
    frames, count = run.stacks["frames"].fillna(""), run.stacks["count"]
    return tuple(int(count[frames.str.contains(rf"Neighbours\.street{end}")].sum()) for end in ENDS)


def stops(run: Run) -> int:
    """How many safepoints the run had."""
    return int((run.safepoints["kind"] == "safepoint").sum())


def dumped(run: Run) -> float:
    """The part of KnownGuilty's own thread dumps that show the busy method; NaN without any dump."""
    guilty, elsewhere = (float(run.values[name]) for name in ("dump_guilty", "dump_elsewhere"))
    return guilty / (guilty + elsewhere) if guilty + elsewhere else float("nan")


def many_small(jdk: int, repeat: int = 1) -> "DataFrame":
    """JMH's scores of many small methods that call each other, in us, with NOTES_OFF and NOTES_ON."""
    flags = [NOTES_OFF, NOTES_ON]
    return jmh.jmh(BENCHMARK, jdk, flags, OPTIONS, BENCHMARK_DEADLINE_S, repeat=repeat, reuse=True)
