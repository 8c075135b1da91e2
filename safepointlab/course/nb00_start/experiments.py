"""A JDK -> runs of the lab's first program, start/HelloSafepoint: one stop for each collection that it asks for."""

import re
from statistics import median
from typing import TYPE_CHECKING

from safepointlab.errors import BadInput
from safepointlab.run import launch
from safepointlab.run.request import Words
from safepointlab.run.run import Run

if TYPE_CHECKING:
    from pandas import DataFrame

HELLO = "start/HelloSafepoint"
SERIAL = "Serial"
LOG = "safepoint"
DEADLINE_S = 30
STOPPED_TIME = "-XX:+PrintGCApplicationStoppedTime"  # the post's flag; JDK 9 took it away (JEP 158, JEP 271)


def hello(jdk: int, gc: str = SERIAL, args: Words = ()) -> Run:
    """The first run; an equal one of this session is used again.

    Args:
        args: collections (5) and the sleep before each of them in ms (100).
    """
    return launch.java(HELLO, jdk, gc=gc, args=args, log=LOG, deadline=DEADLINE_S, reuse=True)


def with_flag(jdk: int, flag: str) -> Run:
    """The same program with one more flag, and no log of the lab's: what the flag prints is in the output."""
    return launch.java(HELLO, jdk, flag, gc=SERIAL, deadline=DEADLINE_S, reuse=True)


def flagged(jdk: int, flag: str) -> Run:
    """The first run with one more flag: its stops are logged as in `hello`."""
    return launch.java(HELLO, jdk, flag, gc=SERIAL, log=LOG, deadline=DEADLINE_S, reuse=True)


def stopped_time(jdk: int) -> Run:
    """The same program with the flag with which JDK 8 prints how long it stopped its threads.

    Raises:
        FlagRejected: the JDK no longer has it; the message names what replaces it.
    """
    return with_flag(jdk, STOPPED_TIME)


def operations(run: Run) -> str:
    """The names of the VM operations of the run, each once, and how often it came: "GenCollectFull ×5, Halt"."""
    counts = run.safepoints["operation"].value_counts()
    return ", ".join(f"{name} ×{count}" if count > 1 else str(name) for name, count in sorted(counts.items()))


def collections(run: Run) -> "DataFrame":
    """The run's stops for a collection: rows of its safepoint log."""
    return run.safepoints[run.safepoints["operation"].str.contains("Collect")]


def requests(run: Run) -> int:
    """How many collections the program itself says that it asked for."""
    return run.output.count("collection ")


def call_us(run: Run) -> float:
    """The median time that the program measured around its calls of System.gc(), in us.

    Raises:
        BadInput: the program printed no such time.
    """
    times = [int(us) for us in re.findall(r"^collection \d+: (\d+) us", run.output, re.MULTILINE)]
    if not times:
        raise BadInput(f"{run!r} printed no time of a collection")
    return float(median(times))
