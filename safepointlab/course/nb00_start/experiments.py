"""A JDK -> runs of the lab's first program, start/HelloSafepoint: one stop for each collection that it requests."""

from typing import TYPE_CHECKING

from safepointlab.logs.capture import LATE_AFTER_MS
from safepointlab.run import launch
from safepointlab.run.request import Words
from safepointlab.run.run import Run

if TYPE_CHECKING:
    from pandas import DataFrame

STOPPED_TIME = "-XX:+PrintGCApplicationStoppedTime"  # the post's flag; JDK 9 took it away (JEP 158, JEP 271)


def hello(jdk: int, flags: Words = "", gc: str = "Serial", args: Words = (), log: Words = "safepoint") -> Run:
    """The first run; an equal one of this session is used again.

    Args:
        args: collections (5) and the sleep before each of them in ms (100).
    """
    return launch.java("start/HelloSafepoint", jdk, flags, gc=gc, args=args, log=log, deadline=30, reuse=True)


def returned_s(run: Run) -> float:
    """The uptime in s at which the killer task's main returned: when the safepoint of the exit was requested.

    The log has that moment if the safepoint was never reached, and SafepointTimeout tells it of one that was late.
    Without either no thread held the exit up, so it's the end of the run.

    Raises:
        LabError: this run has no safepoint log.
    """
    ended_s = run.wall_ms / 1000
    named_s = run.stragglers["uptime_s"].dropna().astype(float)
    late_s = named_s.iloc[-1] - LATE_AFTER_MS / 1000 if len(named_s) else ended_s
    return min(ended_s, float(run.safepoints.attrs.get("begun_s", late_s)))


def collections(run: Run) -> "DataFrame":
    """The run's stops for a collection: rows of its safepoint log."""
    return run.safepoints[run.safepoints["operation"].str.contains("Collect")]


def requests(run: Run) -> int:
    """How many collections the program itself says that it requested."""
    return run.output.count("collection ")
