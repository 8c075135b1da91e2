"""A JDK, flags and a collector -> runs of the programs that should exit and do not, and of what cures them.

WhenWillItExit is the post's own idea: its thread runs OSR code, which polls, unless -Xcomp compiles it beforehand.
KillerTask, warmed up before its one long call, enters the code without a poll on every JDK that makes such code.
In all of them main sleeps, then returns. Equal runs of one session are shared.
"""

import math
from collections.abc import Iterable
from typing import Any

import pandas as pd

from safepointlab.errors import RunFailed
from safepointlab.process import limits
from safepointlab.run import launch
from safepointlab.run.request import Words
from safepointlab.run.run import Run
from safepointlab.run.sweep import sweep
from safepointlab.session.profile import by_effort

POST, KILLER, INNER_CALL = "hang/WhenWillItExit", "hang/KillerTask", "hang/KillerTaskInnerCall"
IN_CHUNKS, LONG_INDEX = "hang/KillerTaskInChunks", "hang/LongIndexStalls"
NO_POLLS = "Serial"  # the collector that never asks for polls in counted loops, on any JDK
LOG, WARMED_LOG = "safepoint", "safepoint compilation"

SLEEP_MS = 600  # how long main sleeps before it returns
LIMIT, WARM_UP = 2**31 - 1, 100_000  # KillerTask's defaults: iterations of each loop, calls before the long one
CORES = limits.cores()
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
CURES = (INTERPRETED, EXCLUDED, C1_ONLY, KEEP_POLLS)
DONT_INLINE = {name: f"-XX:CompileCommand=dontinline,KillerTaskInnerCall.{name}" for name in ("countOdds", "isOdd")}
VARIANT = "variant with isOdd(): "  # the loop of KillerTaskInnerCall calls it
CURE_NAMES = {
    "": "no cure",
    **dict(zip(CURES, ("-Xint", "exclude", "C1 only", "keep polls"), strict=True)),
    **{flag: f"{VARIANT}{name} not inlined" for name, flag in DONT_INLINE.items()},
}
OWN = "JDK's\u00a0own collector"  # what a picture says where no flag chooses one


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


def posts(jdks: Iterable[int]) -> pd.DataFrame:
    """The post's program without a flag, with the JDK's own collector and with Serial: one row a run of `sweep`."""
    args = f"run {SLEEP_MS}"
    together: dict[str, Any] = {"jobs": JOBS, "reuse": True}
    runs = sweep(POST, jdk=list(jdks), gc=[None, NO_POLLS], args=args, log=LOG, deadline=CURED_S, **together)
    return runs.assign(gc=runs["gc"].replace("default", OWN))


def collector(gc: str) -> str:
    """How a sentence names it: "G1", or "the JDK's own collector"."""
    return f"the {gc}".replace("\u00a0", " ") if gc == OWN else gc


def posts_code(jdk: int) -> Run:
    """The post's program with its compile log and machine code; outside of the quick profile main sleeps for 4 s."""
    args = ["run", by_effort(quick=SLEEP_MS, standard=4000)]
    log = "compilation assembly=WhenWillItExit.run"
    return launch.java(POST, jdk, gc=NO_POLLS, args=args, log=log, deadline=2 * TOP_S, reuse=True)


def killer(jdk: int, flags: Words = "", gc: str | None = NO_POLLS) -> Run:
    """The killer task, the safepoint log on; with a flag, which may cure it, we wait longer."""
    patience = CURED_S if flags else HANGS_S
    return launch.java(KILLER, jdk, flags, gc=gc, args=[SLEEP_MS], log=LOG, deadline=patience, reuse=True)


def managed_killer(jdk: int, healthy: bool = False) -> Run:
    """The killer task with a port for JMX, asked at its deadline; healthy: with polls kept, and main still asleep."""
    flags, sleep_ms = ([*JMX, KEEP_POLLS], ALIVE_MS) if healthy else (JMX, SLEEP_MS)
    return launch.java(KILLER, jdk, flags, gc=NO_POLLS, args=[sleep_ms], log=LOG, deadline=ASKED_S, reuse=True)


def killers(jdks: Iterable[int]) -> pd.DataFrame:
    """The killer task with Serial and with G1: one row a run of `sweep`."""
    return _swept(jdks, "", [NO_POLLS, "G1"], HANGS_S)


def cures(jdks: Iterable[int]) -> pd.DataFrame:
    """The killer task with Serial, first uncured (flags ""), then with each of CURES: one row a run of `sweep`."""
    uncured, cured = _swept(jdks, "", NO_POLLS, HANGS_S), _swept(jdks, CURES, NO_POLLS, CURED_S)
    return pd.concat([uncured, cured], ignore_index=True)


def _swept(jdks: Iterable[int], flags: object, gc: object, patience: float) -> pd.DataFrame:
    args = str(SLEEP_MS)
    settings: dict[str, Any] = {"args": args, "log": LOG, "deadline": patience, "jobs": JOBS, "reuse": True}
    return sweep(KILLER, jdk=list(jdks), flags=flags, gc=gc, **settings)


def warmed(jdk: int, calls: int, compiler: str = "javac", gc: str | None = NO_POLLS) -> Run:
    """The killer task after so many short calls (none: its code comes from OSR), safepoint and compile log on."""
    args, log = [SLEEP_MS, LIMIT, calls], WARMED_LOG
    return launch.java(KILLER, jdk, compiler=compiler, gc=gc, args=args, log=log, deadline=HANGS_S, reuse=True)


def killers_code(jdk: int, gc: str = NO_POLLS) -> Run:
    """The machine code of the killer task's method; its last call has a small limit, so that the program ends."""
    log = "assembly=KillerTask.countOdds"
    return launch.java(KILLER, jdk, gc=gc, args="300 1000", log=log, deadline=30, reuse=True)


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


def inner_calls(jdks: Iterable[int]) -> pd.DataFrame:
    """A loop that calls a method, itself not inlined, and what it calls not inlined: one row a run of `sweep`."""
    settings: dict[str, Any] = {"args": str(SLEEP_MS), "log": LOG, "deadline": HANGS_S, "jobs": JOBS, "reuse": True}
    return sweep(INNER_CALL, jdk=list(jdks), gc=NO_POLLS, flags=list(DONT_INLINE.values()), **settings)


def named(*tables: pd.DataFrame) -> pd.DataFrame:
    """The rows of `cures` and `inner_calls` together, their flags by the names of CURE_NAMES."""
    return pd.concat(tables, ignore_index=True).replace({"flags": CURE_NAMES})


def in_chunks(jdk: int) -> Run:
    """The killer task with its loop cut by hand."""
    return launch.java(IN_CHUNKS, jdk, gc=NO_POLLS, args=[SLEEP_MS], deadline=CURED_S, reuse=True)


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
