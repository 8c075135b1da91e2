"""A JDK -> samples counted: at which line, of which thread, how many of how many that were due, and how many are lost.

    counts.lines(17)              KnownGuilty: the lines that AsyncGetCallTrace names
    counts.fairness(17, "itimer") EqualThreads: samples of each thread for each ms of CPU that it had
    counts.taken(17, 100)         OneAwake: samples of a program that works all of the time
    counts.copied(17, 65536)      StubTime: copies of this many bytes

Each of these is run once a session for each choice.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from safepointlab.course.nb21_calltrace import experiments
from safepointlab.course.nb21_calltrace.experiments import AGCT, CPU, JFR, MS, NOTES_OFF, NOTES_ON
from safepointlab.logs import async_profiler, flight, jfr
from safepointlab.run import build, launch
from safepointlab.run.run import Run

if TYPE_CHECKING:
    from pandas import DataFrame

GUILTY = "calltrace/KnownGuilty"
THREADS, FAIR_MS = 4, 2_000
RATE_MS = 10
SMALL, LARGE = 64, 1 << 16  # bytes of an array; the larger one is StubTime's own
LEFT_MS = 4 * MS  # most samples are lost, and of those that are left some tens are wanted


def lines(jdk: int) -> "DataFrame":
    """AsyncGetCallTrace's samples of KnownGuilty's worker, with method and line, which async-profiler writes as JFR."""
    options = f"start,event={CPU},{AGCT},interval=1ms,jfr,file={flight.RECORDING}"
    agent = f"-agentpath:{async_profiler.library()}={options}"
    run = launch.java(GUILTY, jdk, agent, gc="Serial", args=f"{MS}", reuse=True)
    samples = jfr.read(flight.printed(Path(run.folder), "ExecutionSample", ""))
    return samples[samples["thread"] == "worker"]


def busy_line() -> int:
    """The line of KnownGuilty in which all the work is done."""
    text = build.find_sample(GUILTY).read_text("utf-8").splitlines()
    return next(number for number, line in enumerate(text, 1) if "31 * sum + cells" in line)


def _fair(jdk: int, clock: str) -> Run:
    log = f"async={clock},{AGCT},interval={RATE_MS}ms,threads"
    return launch.java("calltrace/EqualThreads", jdk, args=f"{THREADS} {FAIR_MS}", log=log, reuse=True)


def fairness(jdk: int, clock: str) -> tuple[list[int], list[float]]:
    """The samples of each thread of EqualThreads, and the seconds of CPU that it had; `itimer` or `ctimer`."""
    run = _fair(jdk, clock)
    counts = run.stacks.groupby("thread")["count"].sum()
    samples = [int(counts.get(f"equal-{n}", 0)) for n in range(THREADS)]
    return samples, [float(run.values[f"cpu_ms_{n}"]) / 1000 for n in range(THREADS)]


def spread(samples: Sequence[int], cpu_s: Sequence[float]) -> float:
    """How far samples are from a fair share, in units of what chance alone makes of them (chi-square / freedom).

    >>> round(spread([100, 100], [1.0, 1.0]), 1), round(spread([150, 50], [1.0, 1.0]), 1)
    (0.0, 50.0)
    """
    due = [sum(samples) * cpu / sum(cpu_s) for cpu in cpu_s]
    return sum((one - fair) ** 2 / fair for one, fair in zip(samples, due, strict=True)) / (len(due) - 1)


def taken(jdk: int, percent: int) -> float:
    """Samples by CPU time of OneAwake, whose thread works for so many percent of the time, of those due to one core."""
    log = f"async={CPU},{AGCT},interval={RATE_MS}ms,threads"
    run = launch.java("calltrace/OneAwake", jdk, args=f"20 {MS} {percent}", log=log, reuse=True)
    return int(run.stacks["count"].sum()) / (MS / RATE_MS)


def copied(jdk: int, size: int) -> Run:
    """StubTime's copy of this many bytes at a time, under AsyncGetCallTrace."""
    log = f"async={CPU},{AGCT},interval=1ms,threads"
    return launch.java("calltrace/StubTime", jdk, args=f"copy {MS} {size}", log=log, reuse=True)


def left_over(jdk: int, size: int) -> "DataFrame":
    """What JFR shows of that program: the samples that it could walk."""
    run = launch.java("calltrace/StubTime", jdk, args=f"copy {LEFT_MS} {size}", log=JFR, reuse=True)
    return run.jfr("ExecutionSample")


def scores(jdk: int, forks: int) -> Mapping[str, list[float]]:
    """Of ManySmall the best iteration of each fork, in us; with the notes and without, fork by fork in turns."""
    frame = experiments.many_small(jdk, forks)
    rows = frame[frame["metric"] == "score"].to_dict("records")
    return {flags: [float(row["best"]) for row in rows if row["flags"] == flags] for flags in (NOTES_OFF, NOTES_ON)}
