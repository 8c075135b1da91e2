"""What page 02, its claims, its panel and its demo run: the programs that should exit and don't.

WhenWillItExit is the post's own idea: its thread runs OSR code, which polls, unless -Xcomp compiles it beforehand.
KillerTask, warmed up before its one long call, enters the code without a poll on every JDK that makes such code.
In all of them main sleeps, then returns. Equal runs of one session are shared.
"""

import math
import re
from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

from safepointlab import jdks
from safepointlab.errors import RunFailed
from safepointlab.jdks import Jdk
from safepointlab.process import machine
from safepointlab.run import launch
from safepointlab.run.request import Words
from safepointlab.run.run import Run
from safepointlab.run.sweep import together

if TYPE_CHECKING:
    from pandas import DataFrame

POST, KILLER = "hang/WhenWillItExit", "hang/KillerTask"
NO_POLLS = "Serial"  # the collector that never asks for polls in counted loops, on any JDK
LOG, WARMED_LOG = "safepoint", "safepoint compilation"

SLEEP_MS = 600  # how long main sleeps before it returns
LIMIT, WARM_UP = 2**31 - 1, 100_000  # KillerTask's defaults: iterations of each loop, calls before the long one
LATE_MS = 2_000  # what page 02 calls late, in its pictures too
CORES = machine.usable_cores()
JOBS = max(min(CORES, 2), CORES // 2)  # JVMs side by side where only the outcome counts: each has a core to spin on
HANGS_S = 3.0  # a program that should end after its sleep and lives this long does not end
CURED_S = 10.0  # patience with a flag: the interpreter and a busy machine take their time
ASKED_S = 4.0  # a port for JMX takes some tenths of a second more to open
LONG_S = 60.0  # a stall that ends
TOP_S, TOP_LONGER_S = 6.0, 25.0  # -Xcomp compiles hundreds of the JDK's own methods before main; 8 is slow at that
ALIVE_MS = 60_000  # a sleep of main during which a healthy JVM can be asked

TOP = "-XX:-TieredCompilation -Xcomp"  # C2 compiles each method before its first call, so that no loop needs OSR
ALONE = "-XX:CompileCommand=quiet -XX:CompileCommand=compileonly,WhenWillItExit.*"  # spares TOP the JDK's own methods
KEEP_POLLS = "-XX:+UseCountedLoopSafepoints"
INTERPRETED, EXCLUDED = "-Xint", "-XX:CompileCommand=exclude,KillerTask.countOdds"
C1_ONLY = "-XX:TieredStopAtLevel=1"
JMX = [
    f"-Dcom.sun.management.jmxremote.{setting}"
    for setting in ("port=0", "authenticate=false", "ssl=false", "host=127.0.0.1")
]

ECJ = "ecj-4.6.1"  # the posts' compiler; the newest makes the same loops
COMPILERS = {"Eclipse's class": ECJ, "javac's class": "javac"}
ORIGINAL, PLACES = "lambda", ("lambda", "static", "parameter")  # where the loop stands, in the post's order
SLEEP_S, LONGER_S = 5, (10, 15, 20)  # the post's sleep, and those of its comment
STALL_S = 15  # a first pass of the inner loop takes one to two seconds, on a busy machine several times as long
POSTS_UPDATE = 92  # 8u60 was that of the post of 2015; its last comment speaks of 8u92


def top(jdk: int) -> Run:
    """The post's program, entered at the top, with the JDK's own collector; once more, and longer, if need be."""
    settings: dict[str, Any] = {"args": [ORIGINAL, SLEEP_MS], "log": LOG, "reuse": True}
    run = launch.java(POST, jdk, TOP, deadline=TOP_S, **settings)
    if not run.hung or run.forensics.holdup:
        return run
    return launch.java(POST, jdk, TOP, deadline=TOP_LONGER_S, **settings)


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


def latest_exit_ms(sample: str, jdk: int, flags: Words = "", gc: str = NO_POLLS) -> float:
    """How long the latest of three JVMs lived beyond main's sleep, their start included; infinite if one hangs.

    A request falls anywhere between two polls: one that comes soon says nothing, the latest of three says enough.
    """
    settings: dict[str, Any] = {"flags": flags, "gc": gc, "args": [SLEEP_MS], "deadline": CURED_S, "reuse": True}
    runs = [launch.java(sample, jdk, repeat=n, **settings) for n in range(3)]
    return math.inf if any(run.hung for run in runs) else max(run.wall_ms for run in runs) - SLEEP_MS


def in_strips(iterations: int) -> float:
    """The latest exit of the killer task on 17 with G1, its strips of that length; 0 leaves them as they are."""
    return latest_exit_ms(KILLER, 17, f"-XX:LoopStripMiningIter={iterations}" if iterations else "", gc="G1")


def long_index(jdk: int, flags: Words = "") -> Run:
    """A loop with a long index, and two requests for a collection while it runs."""
    return launch.java("hang/LongIndexStalls", jdk, flags, gc=NO_POLLS, args=[2], log=LOG, deadline=LONG_S, reuse=True)


def as_posted(jdk: int | str, compiler: str, place: str = ORIGINAL, sleep_s: int = SLEEP_S) -> Run:
    """The post's program as the post ran it: the JDK's own collector, default flags, main sleeps 5 s.

    We wait so long that a stall which ends is told from a hang.
    """
    args, deadline = [place, sleep_s * 1000], sleep_s + STALL_S
    return launch.java(POST, jdk, compiler=compiler, args=args, log=WARMED_LOG, deadline=deadline, reuse=True)


def fates(jdk: int | str, place: str = ORIGINAL) -> dict[str, str]:
    """ "exited" or "hung" of either compiler's class of the post's program; they run side by side."""
    runs = together([partial(as_posted, jdk, compiler, place) for compiler in COMPILERS.values()], JOBS)
    return dict(zip(COMPILERS, map(fate, runs), strict=True))


def fates_of_old(jdk: int) -> dict[str, str]:
    """`fates` of a build of 8 from the years of the posts, named by it; {} beside another JDK, or if there is none."""
    old = old_build() if jdk == 8 else None
    return {f"8u{_update(old)}, {name}": outcome for name, outcome in fates(str(old.home)).items()} if old else {}


def old_build() -> Jdk | None:
    """The newest build of JDK 8 up to 8u92, if there is one on this machine."""
    old = [jdk for jdk in jdks.find() if jdk.major == 8 and _update(jdk) <= POSTS_UPDATE]
    return max(old, key=_update, default=None)


def _update(jdk: Jdk) -> int:
    """60 of "8u60"."""
    numbers = re.findall(r"\d+", jdk.version)
    return int(numbers[1]) if len(numbers) > 1 else 0


def hung_after(jdk: int, sleeps_s: Iterable[int]) -> int:
    """How many of the runs with these sleeps hang, by either compiler's class."""
    points = [(sleep_s, compiler) for sleep_s in sleeps_s for compiler in COMPILERS.values()]
    runs = together([partial(as_posted, jdk, compiler, sleep_s=sleep_s) for sleep_s, compiler in points], JOBS)
    return sum(fate(run) == "hung" for run in runs)


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


def compile_log(run: Run, method: str) -> "DataFrame":
    """The rows of the run's compile log whose method's name matches that regular expression; osr is true or false."""
    log = run.compilations
    own = log[log["method"].str.contains(method, na=False)]
    return own.assign(osr=own["osr"].fillna(False).astype(bool))
