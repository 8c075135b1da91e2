"""A JDK, a collector and a profiler -> runs of programs of which we know where the time goes, and whom they blame.

    experiments.dumps(8)          whom the thread dumps that KnownAnswer takes of itself blame
    experiments.by_jfr(25)        whom JFR blames, experiments.by_async(25) whom async-profiler
    experiments.blamed(sweep)     the same of each run of a lab.sweep, whichever profiler it had
    experiments.run_looks(17, "all 800 100 1000")   PriceOfLooking: what looks at the stacks of many threads cost

The tables are those of output: one row per case and place. Serial stands for the collectors without strip mining, G1
for those with it. Each run is made once per session.
"""

import re
from typing import TYPE_CHECKING, Any

from safepointlab.course.nb20_blame import output
from safepointlab.run import launch
from safepointlab.run.excerpt import excerpt
from safepointlab.run.load import runs
from safepointlab.run.run import Run

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pandas import DataFrame

SAMPLE, GC = "blame/KnownAnswer", "Serial"
APART = "-XX:CompileCommand=dontinline,*::*Apart"
LINES = "-XX:+DebugNonSafepoints"
MILLIS = 250  # per case
EVENTS = {"JFR": "ExecutionSample", "CPU-time": "CPUTimeSample"}
CPU_TIME_FROM = 25  # JEP 509
DUMPS, ASYNC = "thread dumps", "async-profiler"  # profilers, as EVENTS names the others
SIGNALS = "async=ctimer,threads,interval=5ms"
BURNS = re.compile(r"hash = 31 \* hash")  # the line that takes the time
FEW_SAMPLES = 5  # below that nothing is said
DEADLINE_S = 60


def run(
    jdk: int, gc: str | None = GC, flags: str = APART, args: str = f"{MILLIS}", log: str = "", repeat: int = 0
) -> Run:
    """KnownAnswer: four ways to call one hot loop, a quarter of a second each. By default *Apart is not inlined."""
    return launch.java(SAMPLE, jdk, flags, gc=gc, args=args, log=log, deadline=DEADLINE_S, repeat=repeat, reuse=True)


def dumps(jdk: int, gc: str | None = GC, flags: str = "", args: str = f"{MILLIS} dumps") -> "DataFrame":
    """Whom the thread dumps blame that KnownAnswer takes of itself; flags come after APART."""
    return output.read(run(jdk, gc, f"{APART} {flags}".strip(), args).output.splitlines())


def by_jfr(jdk: int, gc: str | None = GC) -> "DataFrame":
    """Whom JFR's samples blame."""
    event = EVENTS["JFR"]
    return output.of_jfr(run(jdk, gc, log=f"jfr={event}").jfr(event))


def all_inlined(jdk: int) -> Run:
    """KnownAnswer under JFR with every method inlined, *Apart too."""
    return run(jdk, flags="", log=f"jfr={EVENTS['JFR']}")


def by_async(jdk: int, how: str = SIGNALS, gc: str | None = GC) -> "DataFrame":
    """Whom async-profiler blames, which takes its samples by signals, anywhere in the code."""
    return output.of_async(run(jdk, gc, log=how).stacks)


def blamed(*results: Any) -> "DataFrame":
    """Whom the profiler of each run of KnownAnswer blames.

    Args:
        results: runs and frames of `lab.sweep`; a run that failed or hung has no rows.

    Returns:
        The columns of output, and profiler (DUMPS, ASYNC, or a name of EVENTS; with " +lines" if C2 was told to keep
        more lines), jdk, gc ("default" for the JDK's own choice) and flags.
    """
    import pandas as pd

    tables = [output.read([]).assign(profiler="", jdk=0, gc="", flags="")]
    for each in runs(*results):
        if each.outcome == "exited" and not each.exit_code:
            gc, flags = each.request.gc or "default", " ".join(each.request.flags)
            named = profiles(each).items()
            tables += [table.assign(profiler=name, jdk=each.major, gc=gc, flags=flags) for name, table in named]
    return pd.concat([table for table in tables if len(table)] or tables[:1], ignore_index=True)


def profiles(run: Run) -> "Mapping[str, DataFrame]":
    """Whom each profiler of one run of KnownAnswer blames: a table of output by the profiler's name."""
    lines = " +lines" if LINES in run.request.flags else ""
    names = {event: name for name, event in EVENTS.items()}
    tables = {}
    for log in run.request.log:
        if log.kind == "async":
            tables[ASYNC] = output.of_async(run.stacks)
        elif log.kind == "jfr":
            for event in (each.partition(":")[0] for each in log.argument.split(",")):
                tables[names.get(event, event) + lines] = output.of_jfr(run.jfr(event))
    return tables or {DUMPS: output.read(run.output.splitlines())}


def hot_line(method: str) -> int:
    """The line of KnownAnswer's method that takes the time."""
    lines = excerpt(SAMPLE, rf"static int {method}\(").lines
    return next(number for number, text in lines if BURNS.search(text))


def share(frame: "DataFrame", of: str, *methods: str) -> float:
    """The part of a case's samples that name one of these methods; NaN of too few samples."""
    samples = frame[frame["case"] == of]
    count = int(samples["samples"].sum())
    named = float(samples.loc[samples["method"].isin(methods), "samples"].sum())
    return named / count if count >= FEW_SAMPLES else float("nan")


def run_looks(jdk: int, args: str, log: str = "safepoint", repeat: int = 0) -> Run:
    """PriceOfLooking: work next to a profiler that reads stacks; mode, threads, depth, ms, and the period in ms."""
    return launch.java("blame/PriceOfLooking", jdk, args=args, log=log, deadline=90, repeat=repeat, reuse=True)
