"""A JDK -> samples counted: at which line, of which thread, how many of how many that were due, and how many are lost.

    calltrace_counts.blamed(run)            Neighbours: who takes the time, by the clock and by samples
    calltrace_counts.lines(17)              KnownGuilty: the lines that AsyncGetCallTrace names
    calltrace_counts.fairness(17, "itimer") EqualThreads: samples of each thread for each ms of CPU that it had
    calltrace_counts.taken(17, 100)         OneAwake: samples of a program that works all of the time
    calltrace_counts.copied(17, 65536)      StubTime: copies of this many bytes

Each of these is run once a session for each choice.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from safepointlab.course.nb21_calltrace import experiments as calltrace
from safepointlab.course.nb21_calltrace.experiments import AGCT, CPU, JFR, MS, NOTES_OFF, NOTES_ON
from safepointlab.logs import async_profiler, flight
from safepointlab.phrases import listed
from safepointlab.programs import build
from safepointlab.read import collapsed, jfr
from safepointlab.run import launch
from safepointlab.run.run import Run

if TYPE_CHECKING:
    from pandas import DataFrame

GUILTY = "calltrace/KnownGuilty"
THREADS, FAIR_MS = 4, 2_000
RATE_MS = 10
PARTS = ("guilty()", "innocent() and the loop")
ENDS = (r"(?:;|$)", r";Neighbours\.guilty$", r";Neighbours\.innocent$")  # of a stack of Neighbours
MOST = 0.5  # of all samples
SMALL, LARGE = 64, 1 << 16  # bytes of an array; the larger one is StubTime's own
LEFT_MS = 4 * MS  # most samples are lost, and of those that are left some tens are wanted


def blamed(run: Run) -> "DataFrame":
    """Who takes the time of the loop with the division in Neighbours, by the clock and by samples: for plot.shares.

    Returns:
        by ("time" or "samples"), who ("guilty()", or "innocent() and the loop") and share, 0 to 1. The clock gives the
        division what an iteration with it takes beyond one without.
    """
    from pandas import DataFrame

    both, without = (float(run.values[name]) for name in ("both_ns", "innocent_ns"))
    loop, guilty, _ = _of_street(run)
    shares = {"time": 1 - without / both, "samples": guilty / max(1, loop)}
    rows = [
        (by, who, part) for by, share in shares.items() for who, part in zip(PARTS, (share, 1 - share), strict=True)
    ]
    return DataFrame(rows, columns=["by", "who", "share"])


def mains(run: Run) -> float:
    """The part of the samples without a Java frame that are of `main`; NaN without any."""
    return collapsed.share(run.stacks.query("lost == 'no_Java_frame'"), calltrace.MAIN, "thread")


def _of_street(run: Run) -> tuple[int, ...]:
    """Samples of the loop with the division, and of these the ones that name guilty and innocent."""
    frames, count = run.stacks["frames"].fillna(""), run.stacks["count"]
    return tuple(int(count[frames.str.contains(rf"Neighbours\.street{end}")].sum()) for end in ENDS)


def by_jfr(jdks: Iterable[int]) -> "DataFrame":
    """JFR's samples of StubTime's loop and of its copy, as long in CPU time, on each JDK; with jdk and work."""
    from pandas import concat

    runs = [(jdk, work, calltrace.by_jfr(work, jdk)) for jdk in jdks for work in ("loop", "copy")]
    return concat([run.jfr("ExecutionSample").assign(jdk=jdk, work=work) for jdk, work, run in runs])


def by_work(lost: "DataFrame") -> "DataFrame":
    """The table of `calltrace.unknown_over`, a row a JDK and work, with lost in percent: for plot.by_jdk."""
    return (100 * lost).rename_axis("jdk").reset_index().melt("jdk", var_name="work", value_name="lost")


def unseen(lost: "DataFrame") -> str:
    """Which work of `calltrace.unknown_over` is lost on every JDK, and which on some: a picture's title."""
    works = _always(lost)
    verb = "loses" if len(works) == 1 else "lose"
    said = [f"{listed(works)} {verb} {_span(lost[works])} on every JDK"] if works else []
    for work in lost.columns.difference(works, sort=False):
        if (mostly := lost[work] > MOST).any():
            said.append(f"{work} {_span(lost.loc[mostly, [work]])} on {listed(lost.index[mostly])}")
    return ",\n".join(said) or "Nothing is lost on any JDK"


def _always(lost: "DataFrame") -> list[str]:
    return [str(work) for work in lost.columns if (lost[work] > MOST).all()]


def _span(lost: "DataFrame") -> str:
    ends = f"{100 * lost.min().min():.0f}", f"{100 * lost.max().max():.0f}"
    return " to ".join(dict.fromkeys(ends)) + " %"


def caught(events: "DataFrame") -> "DataFrame":
    """Of `by_jfr` one row a JDK and work: samples, and how many of them name the method at work."""
    named = events["method"] == "StubTime::" + events["work"]
    by = [events["jdk"], events["work"]]
    counts = named.groupby(by).agg(["size", "sum"]).set_axis(["samples", "named"], axis=1)
    every = [(jdk, work) for jdk in events["jdk"].unique() for work in ("loop", "copy")]
    return counts.reindex(every, fill_value=0).rename_axis(["jdk", "work"])


def lost(run: Run) -> str:
    """How many stacks AsyncGetCallTrace lost of a program that copies: a picture's title."""
    part = _percent(run, "^unknown_Java$", "lost")
    return f"{run.jdk.label}, System.arraycopy: AsyncGetCallTrace loses {part} of the stacks"


def found(run: Run) -> str:
    """Whom a walker names as called by main in most samples, and in how many it names copy: a picture's title."""
    called = run.stacks["frames"].str.extract(r"StubTime\.main;([^;]+)")[0]
    most = str(run.stacks["count"].groupby(called).sum().idxmax())
    parts = {name: _percent(run, rf"StubTime\.main;{re.escape(name)}(?:;|$)") for name in (most, "StubTime.copy")}
    first, *others = (f"{part} name {name.rpartition('/')[2]}" for name, part in parts.items())
    return f"{run.jdk.label}, async-profiler's own walker: {', '.join([first, *others])}"


def whose(run: Run) -> str:
    """What the division takes, and whom the samples of its loop name: a picture's title."""
    taken, (loop, _, innocent) = float(blamed(run)["share"].iloc[0]), _of_street(run)
    return (
        f"{run.jdk.label}: the division in guilty() takes {100 * taken:.0f} % of the time;\n"
        f"{innocent:,} of {loop:,} samples name its neighbour, innocent()"
    )


def visible(run: Run, method: str) -> str:
    """How many samples name a method on top of the stack: a picture's title."""
    part = _percent(run, rf"\.{method}$", "leaf")
    return f"{run.jdk.label}, without the intrinsic: {part} of the samples name {method}"


def _percent(run: Run, pattern: str, column: str = "frames") -> str:
    return _words(collapsed.share(run.stacks, pattern, column))


def _words(share: float) -> str:
    """A share as it is written in a title: with a digit where it, or what is left of 100 %, is small.

    >>> _words(0.985), _words(0.025), _words(0.99), _words(0.0)
    ('98.5 %', '2.5 %', '99 %', '0 %')
    """
    part = 100 * share
    exact = 0 < part < 9.95 or 90.05 < part < 99.95
    return (f"{part:.1f}".removesuffix(".0") if exact else f"{part:.0f}") + " %"


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
    frame = calltrace.many_small(jdk, forks)
    rows = frame[frame["metric"] == "score"].to_dict("records")
    return {flags: [float(row["best"]) for row in rows if row["flags"] == flags] for flags in (NOTES_OFF, NOTES_ON)}
