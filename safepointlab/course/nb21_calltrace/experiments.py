"""A JDK and a sample's program -> a run under a sampling profiler, and which part of its samples says what.

    experiments.stub("copy", 17)           StubTime: all the work is done in a stub; AsyncGetCallTrace walks its stacks
    experiments.stub("copy", 17, WALKED)   the same, walked by VMStructs
    experiments.share(run, "^unknown_Java$", "lost", MAIN)
    experiments.lost_by_work(sweep)        what a sweep over StubTime's work lost, on each JDK

honest-profiler, which the post uses, is in no registry. async-profiler with cstack=no calls AsyncGetCallTrace and does
nothing else, and calls its failures by the same names, but for ticks_unknown_not_Java, which it calls no_Java_frame;
cstack=vm walks the stack by itself and is the control. Each run is made once per session.
"""

from typing import TYPE_CHECKING, Any

from safepointlab.errors import BadInput
from safepointlab.logs import collapsed
from safepointlab.phrases import listed
from safepointlab.run import launch
from safepointlab.run.load import runs
from safepointlab.run.run import Run

if TYPE_CHECKING:
    from pandas import DataFrame

MS = 800  # how long a program runs: some 200 samples where the kernel's timers tick each 4 ms
AGCT, WALKED = "cstack=no", "cstack=vm"
CPU, PERF = "ctimer", "cpu"  # `cpu` rings more often than `ctimer` where the kernel allows perf_event
JFR = "jfr=ExecutionSample:10ms"
MAIN = "^(?:main|DestroyJavaVM|java)"  # the profiler looks names up at the end, when main has another one
MOST = 0.5  # of all samples
PARTS = ("guilty()", "innocent() and the loop")  # of the time of Neighbours' loop
ENDS = (r"(?:;|$)", r";Neighbours\.guilty$", r";Neighbours\.innocent$")  # of a stack of that loop


def run_profiled(
    sample: str,
    jdk: int,
    args: str,
    walker: str = AGCT,
    clock: str = CPU,
    every_ms: int = 1,
    log: str = "",
    **more: Any,
) -> Run:
    """A sample of this lesson, or a reader's program, under async-profiler, which keeps the threads apart.

    Args:
        clock: "ctimer" or "cpu" for CPU time, "itimer" for one timer of the process, "wall" for the clock on the wall.
        log: further logs.
        more: flags, gc and repeat of `lab.java`.
    """
    wanted = f"async={clock},{walker},interval={every_ms}ms,threads {log}".strip()
    return launch.java(sample, jdk, args=args, log=wanted, reuse=True, **more)


def stub(work: str, jdk: int, walker: str = AGCT, flags: str = "") -> Run:
    """StubTime under async-profiler; its work is copy, crc32, adler32, or loop, the control."""
    return run_profiled("calltrace/StubTime", jdk, f"{work} {MS}", walker, flags=flags)


def by_jfr(work: str, jdk: int) -> "DataFrame":
    """JFR's samples of StubTime, one every 10 ms."""
    return launch.java("calltrace/StubTime", jdk, args=work, log=JFR, reuse=True).jfr("ExecutionSample")


def share(run: Run, pattern: str, column: str = "frames", thread: str = "") -> float:
    """The part of the samples (of a thread) that match, 0 to 1."""
    stacks = run.stacks
    if thread:
        stacks = stacks[stacks["thread"].str.contains(thread).fillna(False).astype(bool)]
    return round(collapsed.share(stacks, pattern, column), 3)


def lost_by_work(*results: Any) -> "DataFrame":
    """The part of all samples that is unknown_Java, of runs of StubTime: one row per JDK, one column per work."""
    from pandas import DataFrame

    rows = [(run.major, work_of(run), share(run, "^unknown_Java$", "lost")) for run in runs(*results)]
    table = DataFrame(rows, columns=["jdk", "work", "lost"])
    return table.pivot_table(index="jdk", columns="work", values="lost", aggfunc="mean")


def where_lost(table: "DataFrame") -> str:
    """On which JDKs each kind of work loses most of its samples, in words; the table is that of `lost_by_work`."""
    places: dict[str, list[str]] = {}
    for work in (table > MOST).sum().sort_values(ascending=False, kind="stable").index:
        jdks = list(table.index[table[work] > MOST])
        where = "every JDK" if len(jdks) == len(table) else f"JDK {listed(jdks)}" if jdks else "no JDK"
        places.setdefault(where, []).append(work)
    return f"Most samples are lost: {'; '.join(f'{listed(works)} on {where}' for where, works in places.items())}"


def work_of(run: Run) -> str:
    """What the run's program was told to do, the first of its arguments."""
    return run.request.args[0] if run.request.args else ""


def caught(*results: Any) -> "DataFrame":
    """JFR's samples of runs of StubTime, one row per JDK and work: samples, and how many name the method at work."""
    from pandas import DataFrame

    rows = []
    for run in runs(*results):
        samples = run.jfr("ExecutionSample")
        named = int((samples["method"] == f"StubTime::{work_of(run)}").sum())
        rows.append((run.major, work_of(run), len(samples), named))
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
        raise BadInput(f"This isn't a run of Neighbours under async-profiler: {run!r}"[:200])
    both, without = (float(run.values[name]) for name in ("both_ns", "innocent_ns"))
    loop, guilty, _ = samples_of_street(run)
    taken = {"time": 1 - without / both, "samples": guilty / max(1, loop)}
    rows = [(by, who, part) for by, share in taken.items() for who, part in zip(PARTS, (share, 1 - share), strict=True)]
    return DataFrame(rows, columns=["by", "who", "share"])


def samples_of_street(run: Run) -> tuple[int, ...]:
    """Samples of the loop with the division in Neighbours, and of these the ones that name guilty and innocent."""
    frames, count = run.stacks["frames"].fillna(""), run.stacks["count"]
    return tuple(int(count[frames.str.contains(rf"Neighbours\.street{end}")].sum()) for end in ENDS)
