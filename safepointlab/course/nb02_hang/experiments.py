"""What page 02, its claims, its panel and its demo run: the programs that should exit and don't.

WhenWillItExit is the post's own idea: its thread runs OSR code, which polls, unless -Xcomp compiles it beforehand.
KillerTask, warmed up before its one long call, enters the code without a poll on every JDK that makes such code.
In all of them main sleeps, then returns. Equal runs of one session are shared.
"""

import math
from typing import Any

from safepointlab.errors import RunFailed
from safepointlab.process import machine
from safepointlab.run import launch
from safepointlab.run.request import Words
from safepointlab.run.run import Run

POST, KILLER = "hang/WhenWillItExit", "hang/KillerTask"
IN_CHUNKS, LONG_INDEX = "hang/KillerTaskInChunks", "hang/LongIndexStalls"
NO_POLLS = "Serial"  # the collector that never asks for polls in counted loops, on any JDK
LOG, WARMED_LOG = "safepoint", "safepoint compilation"

SLEEP_MS = 600  # how long main sleeps before it returns
LIMIT, WARM_UP = 2**31 - 1, 100_000  # KillerTask's defaults: iterations of each loop, calls before the long one
CORES = machine.usable_cores()
JOBS = max(min(CORES, 2), CORES // 2)  # JVMs side by side where only the outcome counts: each has a core to spin on
HANGS_S = 3.0  # a program that should end after its sleep and lives this long does not end
CURED_S = 10.0  # patience with a flag: the interpreter and a busy machine take their time
ASKED_S = 4.0  # a port for JMX takes some tenths of a second more to open
LONG_S = 60.0  # a stall that ends
SOON_MS = 300  # what a busy machine may add to an exit; a stall of 2^31 iterations is longer in most of its JVMs
TOP_S, TOP_LONGER_S = 6.0, 25.0  # -Xcomp compiles hundreds of the JDK's own methods before main; 8 is slow at that
ALIVE_MS = 60_000  # a sleep of main during which a healthy JVM can be asked

TOP = "-XX:-TieredCompilation -Xcomp"  # C2 compiles each method before its first call, so that no loop needs OSR
ALONE = "-XX:CompileCommand=quiet -XX:CompileCommand=compileonly,WhenWillItExit.*"  # spares TOP the JDK's own methods
KEEP_POLLS = "-XX:+UseCountedLoopSafepoints"
INTERPRETED, EXCLUDED = "-Xint", "-XX:CompileCommand=exclude,KillerTask.countOdds"
JMX = [
    f"-Dcom.sun.management.jmxremote.{setting}"
    for setting in ("port=0", "authenticate=false", "ssl=false", "host=127.0.0.1")
]
C1_ONLY = "-XX:TieredStopAtLevel=1"


def post(jdk: int, flags: Words = "", gc: str | None = None, place: str = "run", compiler: str = "javac") -> Run:
    """The post's program, the safepoint log on.

    Args:
        place: where its loop stands: "run", "lambda", "static" or "parameter".
    """
    args, patience = [place, SLEEP_MS], TOP_S if flags == TOP else CURED_S
    return launch.java(POST, jdk, flags, compiler=compiler, gc=gc, args=args, log=LOG, deadline=patience, reuse=True)


def top(jdk: int, compiler: str = "javac") -> Run:
    """The post's program, entered at the top, with the JDK's own collector; once more, and longer, if need be."""
    run = post(jdk, TOP, place="lambda", compiler=compiler)
    if not run.hung or run.forensics.holdup:
        return run
    settings: dict[str, Any] = {"args": ["lambda", SLEEP_MS], "deadline": TOP_LONGER_S, "log": LOG, "reuse": True}
    return launch.java(POST, jdk, TOP, compiler=compiler, **settings)


def killer(jdk: int, flags: Words = "", gc: str | None = NO_POLLS) -> Run:
    """The killer task, the safepoint log on; with a flag, which may cure it, we wait longer."""
    patience = CURED_S if flags else HANGS_S
    return launch.java(KILLER, jdk, flags, gc=gc, args=[SLEEP_MS], log=LOG, deadline=patience, reuse=True)


def managed_killer(jdk: int, healthy: bool = False) -> Run:
    """The killer task with a port for JMX, asked at its deadline; healthy: with polls kept, and main still asleep."""
    flags, sleep_ms = ([*JMX, KEEP_POLLS], ALIVE_MS) if healthy else (JMX, SLEEP_MS)
    return launch.java(KILLER, jdk, flags, gc=NO_POLLS, args=[sleep_ms], log=LOG, deadline=ASKED_S, reuse=True)


def warmed(jdk: int, calls: int, compiler: str = "javac", gc: str | None = NO_POLLS) -> Run:
    """The killer task after so many short calls (none: its code comes from OSR), safepoint and compile log on."""
    args, log = [SLEEP_MS, LIMIT, calls], WARMED_LOG
    return launch.java(KILLER, jdk, compiler=compiler, gc=gc, args=args, log=log, deadline=HANGS_S, reuse=True)


def latest_exit_ms(sample: str, jdk: int, flags: Words = "", gc: str = NO_POLLS, jvms: int = 3) -> float:
    """How long the latest of some JVMs lived beyond main's sleep, their start included; infinite if one hangs.

    A request falls anywhere between two polls: one that comes soon says nothing, the latest of three says enough.
    """
    settings: dict[str, Any] = {"flags": flags, "gc": gc, "args": [SLEEP_MS], "deadline": CURED_S, "reuse": True}
    runs = [launch.java(sample, jdk, repeat=n, **settings) for n in range(jvms)]
    return math.inf if any(run.hung for run in runs) else max(run.wall_ms for run in runs) - SLEEP_MS


def in_strips(iterations: int) -> float:
    """The latest exit of the killer task on 17 with G1, its strips of that length; 0 leaves them as they are."""
    return latest_exit_ms(KILLER, 17, f"-XX:LoopStripMiningIter={iterations}" if iterations else "", gc="G1")


def long_index(jdk: int, flags: Words = "", gc: str = NO_POLLS, requests: int = 2) -> Run:
    """A loop with a long index, and some requests for a collection while it runs."""
    return launch.java(LONG_INDEX, jdk, flags, gc=gc, args=[requests], log=LOG, deadline=LONG_S, reuse=True)


def longest_ttsp_ms(run: Run) -> float:
    """The longest time to safepoint of the run, in ms."""
    return float(run.safepoints["ttsp_ms"].max())


def median_ttsp_ms(run: Run) -> float:
    """The median time to safepoint of the run's collections, in ms; NaN if none was logged."""
    collections = run.safepoints[run.safepoints["operation"].str.contains("Collect|GC", regex=True)]
    return float(collections["ttsp_ms"].median())


def fate(run: Run) -> str:
    """ "exited", or "hung" if the examination of a JVM past its deadline names a thread that all others wait for.

    Raises:
        RunFailed: it was still there and nobody held it up, so that the verdict is `unclear`, and not a false hang.
    """
    if run.hung and run.forensics.holdup is None:
        raise RunFailed(
            f"still at work after {run.wall_ms / 1000:.0f} s, and not on its way to a safepoint: "
            f"{run.forensics.holdup_why}; this machine is too busy just now"
        )
    return run.outcome
