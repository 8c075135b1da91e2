"""What page 02, its claims, its panel and its demo run: the programs that should exit and don't.

WhenWillItExit is the post's own idea: its thread runs OSR code, which polls, unless -Xcomp compiles it beforehand.
KillerTask, warmed up before its one long call, enters the code without a poll on every JDK that makes such code.
In all of them main sleeps, then returns. Equal runs of one session are shared.
"""

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from safepointlab.errors import RunFailed
from safepointlab.process import machine
from safepointlab.run import forensics, launch
from safepointlab.run.request import Words
from safepointlab.run.run import Run
from safepointlab.run.sweep import together

if TYPE_CHECKING:
    from pandas import DataFrame

POST, KILLER = "hang/WhenWillItExit", "hang/KillerTask"
NO_POLLS = "Serial"  # the collector that never asks for polls in counted loops, on any JDK
LOG, WARMED_LOG = "safepoint", "safepoint compilation"
LISTED_LOG = "safepoint compilation assembly=WhenWillItExit.*"

SLEEP_MS = 600  # how long main sleeps before it returns
LIMIT, WARM_UP = 2**31 - 1, 100_000  # KillerTask's defaults: iterations of each loop, calls before the long one
LATE_MS = 2_000  # what page 02 calls late, in its pictures too
CORES = machine.usable_cores()
JOBS = max(min(CORES, 2), CORES // 2)  # JVMs side by side where only the outcome counts: each has a core to spin on
HANGS_S = 3.0  # a program that should end after its sleep and lives this long does not end
CURED_S = 10.0  # patience with a flag: the interpreter and a busy machine take their time
ASKED_S = 4.0  # a port for JMX takes some tenths of a second more to open
LONG_S = 60.0  # a stall that ends
SHORT_CALL, LONG_CALL = 100, 3_000_000_000  # iterations; the long one is beyond what one int loop of a nest can do
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
SLEEP_S, LONGER_S = 5, 10  # the post's sleep, and the shortest of its comment
STALL_S = 15  # a first pass of the inner loop takes one to two seconds, on a busy machine several times as long


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


def in_short(make: Callable[[], Run]) -> Run:
    """Make a run, and examine it in short if it hangs: for those who ask no more than whether it does."""
    with forensics.short():
        return make()


def latest_exit_ms(sample: str, jdk: int, flags: Words = "", gc: str = NO_POLLS) -> float:
    """How long the latest of three JVMs lived beyond main's sleep, their start included; infinite if one does not exit.

    A request falls anywhere between two polls: one that comes soon says nothing, the latest of three says enough.
    """
    settings: dict[str, Any] = {"flags": flags, "gc": gc, "args": [SLEEP_MS], "deadline": CURED_S, "reuse": True}
    runs = [launch.java(sample, jdk, repeat=n, **settings) for n in range(3)]
    return math.inf if any(run.overdue for run in runs) else max(run.wall_ms for run in runs) - SLEEP_MS


def in_strips(iterations: int) -> float:
    """The latest exit of the killer task on 17 with G1, its strips of that length; 0 leaves them as they are."""
    return latest_exit_ms(KILLER, 17, f"-XX:LoopStripMiningIter={iterations}" if iterations else "", gc="G1")


def long_index(jdk: int, flags: Words = "", gc: str | None = NO_POLLS, last_call: int = SHORT_CALL) -> Run:
    """A loop with a long index, and three requests for a collection while it runs.

    Args:
        last_call: the iterations of the last call before the long one: what the profile has seen at most.
    """
    args = [3, 20_000_000_000, 200, last_call]
    return launch.java("hang/LongIndexStalls", jdk, flags, gc=gc, args=args, log=LOG, deadline=LONG_S, reuse=True)


def as_posted(
    jdk: int | str,
    compiler: str,
    place: str = ORIGINAL,
    gc: str | None = None,
    flags: Words = "",
    sleep_s: float = SLEEP_S,
) -> Run:
    """The post's program as the post ran it, unless told otherwise: the JDK's own collector, no flags, a sleep of 5 s.

    The JVM also prints its machine code. We wait so long that a stall which ends is told from a hang.
    """
    args, deadline = [place, int(sleep_s * 1000)], sleep_s + STALL_S
    settings: dict[str, Any] = {"compiler": compiler, "gc": gc, "args": args, "log": LISTED_LOG}
    return launch.java(POST, jdk, flags, deadline=deadline, reuse=True, **settings)


def compiled_first(
    jdk: int, compiler: str, place: str = ORIGINAL, flags: str = TOP, gc: str | None = None, patience_s: float = HANGS_S
) -> Run:
    """The post's program, its methods compiled before their first call, so that the loop is entered at its top."""
    settings: dict[str, Any] = {"compiler": compiler, "gc": gc, "args": [place, SLEEP_MS], "log": WARMED_LOG}
    return launch.java(POST, jdk, f"{flags} {ALONE}", deadline=patience_s, reuse=True, **settings)


def posts_build(jdk: int) -> int | str:
    """The post's 8u60 for 8, which a newer build of 8 can't stand for; any other JDK as it is."""
    return "8u60" if jdk == 8 else jdk


def posted(jdk: int | str, gc: str | None = None, flags: Words = "") -> dict[str, str | list[int]]:
    """`fates_and_polls` of both compilers' classes of the post's program."""
    makes = {name: partial(as_posted, jdk, compiler, gc=gc, flags=flags) for name, compiler in COMPILERS.items()}
    return fates_and_polls(makes)


def fates_and_polls(makes: Mapping[str, Callable[[], Run]]) -> dict[str, str | list[int]]:
    """By name "exited" or "hung", and how many loops poll in each of C2's OSR versions, the oldest first.

    The runs go side by side. There is no version where the machine code is not listed: 8 and 11 need hsdis.
    """
    runs = dict(zip(makes, together(makes.values(), JOBS), strict=True))
    fates = {name: fate(run) for name, run in runs.items()}
    return fates | {f"polled loops by OSR version, {name}": polled_loops(run) for name, run in runs.items()}


def polled_loops(run: Run) -> list[int]:
    """How many loops poll in each of the versions that C2 made to be entered in mid-loop, the oldest first."""
    loops = run.loops[(run.loops["tier"] == 4) & run.loops["osr_bci"].notna()]
    return [int(polled) for polled in loops.groupby("compile_id")["polled"].sum()]


def fate(run: Run) -> str:
    """ "exited", or "hung" if the examination of a JVM past its deadline names a thread that all others wait for.

    Raises:
        RunFailed: it was still there and nobody held it up, so that the verdict is `unclear`, and not a false hang.
    """
    if run.overdue and run.forensics.holdup is None:
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
