"""A JDK -> runs of the lab's first program, start/HelloSafepoint: one stop for each collection that it requests."""

from typing import TYPE_CHECKING

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


def collections(run: Run) -> "DataFrame":
    """The run's stops for a collection: rows of its safepoint log."""
    return run.safepoints[run.safepoints["operation"].str.contains("Collect")]


def requests(run: Run) -> int:
    """How many collections the program itself says that it requested."""
    return run.output.count("collection ")
