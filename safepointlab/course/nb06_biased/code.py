"""A JDK and flags -> runs about what the post says around its pause: compilers, native calls, locks, rarer stops.

Each sample prints its own times as `name=value`; what the JVM compiled, threw away and stopped for is in the logs.
"""

import pandas as pd

from safepointlab.course.nb06_biased.experiments import GC, OFF, switched_on
from safepointlab.run import launch
from safepointlab.run.run import Run
from safepointlab.run.sweep import sweep

REASONS, NATIVE, LOCKS = "biased/RarerReasons", "biased/LongNativeCall", "biased/LockAgain"
COUNTERS, NOT_ENTRANT, COMPILERS = "biased/CountersAdd", "biased/NotEntrant", "biased/WhoCompiles"
SMALL_CACHE = "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=3m"  # C1 alone, and room for some 2,000 methods
BATCH = "-Xbatch"
BIASED = switched_on(0)
FORKS = 3
NATIVE_CALLS = ("sleep", "deflate", "read")


def redefined(jdk: int) -> Run:
    """A class that is in use gets new code; safepoint log."""
    return launch.java(REASONS, jdk, args="redefine", log="safepoint", reuse=True)


def cache_full(jdk: int) -> Run:
    """Thousands of methods are compiled once and forgotten, until the code cache is full; all three logs."""
    return launch.java(
        REASONS, jdk, SMALL_CACHE, gc="Serial", args="fill", log="safepoint compilation gc", deadline=30, reuse=True
    )


def counted(jdk: int) -> Run:
    """Four copies of a method, called and looped so often; compilation log."""
    return launch.java(COUNTERS, jdk, log="compilation", reuse=True)


def compiles(run: Run, method: str) -> tuple[int, int]:
    """How many standard and how many OSR versions of CountersAdd's method were compiled."""
    own = run.compilations[run.compilations["method"].eq(f"CountersAdd::{method}")]
    made = own[own["event"].eq("compiled")]
    return int((~made["osr"]).sum()), int(made["osr"].sum())


def native(jdk: int) -> Run:
    """Stops beside one long native call of each of NATIVE_CALLS, and beside a loop without polls.

    Returns:
        Its values for each: sleep_ms (the call), sleep_stop_ms (the longest stop asked for meanwhile), sleep_stops.
    """
    return launch.java(NATIVE, jdk, gc=GC, reuse=True)


def locks(jdk: int) -> pd.DataFrame:
    """Locks taken again by their thread, and for the first time by another one: a row a JVM, settings alternating.

    Returns:
        sweep's columns; flags is BIASED or OFF; again_ns, other_us.
    """
    return sweep(LOCKS, jdk=jdk, flags=[BIASED, OFF], repeat=FORKS, reuse=True)


def not_entrant(jdk: int) -> Run:
    """A call of four seconds entered once, then one in the middle of which its code is made not entrant.

    Returns:
        A run with the compilation log and the values once_ms, shared_ms (the two calls), gap_ms (the longest pause
        between two passes of the second), left_ms (1 if it went on when its code was made not entrant).
    """
    return launch.java(NOT_ENTRANT, jdk, log="compilation", reuse=True)


def osr_life_s(run: Run) -> float:
    """How long C2's OSR version of NotEntrant's first call was in use, in s; NaN if it was not made not entrant."""
    log = run.compilations
    made = log[log["method"].eq("NotEntrant::once") & log["osr"] & log["tier"].eq(4) & log["event"].eq("compiled")]
    gone = log[log["compile_id"].isin(made["compile_id"]) & log["event"].eq("made not entrant")]
    lives = gone["uptime_ms"] - gone["compile_id"].map(made.set_index("compile_id")["uptime_ms"])
    return float(lives.max()) / 1000


def compilers(jdk: int, flags: str = "") -> Run:
    """A bit of everything; its values: compiled_ms (what the compilers worked), waited_ms (the program stood still)."""
    return launch.java(COMPILERS, jdk, flags, reuse=True)
