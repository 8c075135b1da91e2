"""A JDK, and when biased locking is switched on -> one run of the topic's programs; several JDKs or flags -> a table.

ByteSummer adds up bytes in a long pass without a poll, while a second thread sleeps for a millisecond at a time.
The collector is Parallel throughout, 8's default: C2 puts no poll into its counted loops on any JDK, so that what
differs between the JDKs is who requests a safepoint. Equal runs of one session are shared; `repeat` makes another one.
"""

from collections.abc import Sequence
from typing import Any

import pandas as pd

from safepointlab import jdks
from safepointlab.jdks import flags as vm_flags
from safepointlab.programs.jars import JOL
from safepointlab.run import launch
from safepointlab.run.run import Run
from safepointlab.run.sweep import sweep
from safepointlab.session import profile
from safepointlab.topics import safepoint, safepoint_polls

SUMMER, MARK_WORDS = "biased/ByteSummer", "biased/MarkWords"
GC = "Parallel"
LOGS = "safepoint straggler=100 compilation gc"
BRIEF: dict[str, Any] = {"begins_ms": 650, "lasts_ms": 400}  # of the long pass; the run takes a second or so
BRIEF_DELAY_MS = 700  # within the brief run's long pass
THEN_DELAY_MS = 4000  # 8's default
NOBODY_ELSE = "-XX:GuaranteedSafepointInterval=0"  # in a run that short the JVM's own stop at 1 s would come between
ON, OFF, DELAY = "-XX:+UseBiasedLocking", "-XX:-UseBiasedLocking", "-XX:BiasedLockingStartupDelay="
WAYS_OUT = ("", f"{DELAY}0", OFF, "-XX:+UseCountedLoopSafepoints")
OUT_OF_REACH = "-XX:Tier3BackEdgeThreshold=2000000000 -XX:Tier4BackEdgeThreshold=2000000000"
FOUR_CALLS = "loadClass revokeBias threadPrint fullCollection"
REMOVED = 18  # the first JDK without biased locks: JDK-8256425
SWITCH = "EnableBiasedLocking"
MOMENTS = (
    "early", "early_later", "fresh", "locked", "unlocked", "other_locked", "other_unlocked", "contended", "hashed",
)  # fmt: skip


def switched_on(delay_ms: int) -> str:
    """The flags that switch biased locking on, so many ms after the JVM's start."""
    return f"{ON} {DELAY}{delay_ms}"


def summer(
    jdk: int,
    flags: str = "",
    *,
    begins_ms: int = 3800,
    lasts_ms: int = 800,
    log: str = LOGS,
    gc: str = GC,
    sample: str = SUMMER,
    repeat: int = 0,
) -> Run:
    """ByteSummer, or a changed copy of it.

    Args:
        begins_ms, lasts_ms: when the long pass begins, after the JVM's start, and how long it takes on the CPU.

    Returns:
        A run with jitter.csv (begin_s, overslept_ms: one row a sleep) in its folder. Its values: overslept_ms (the
        worst sleep), typical_ms (the median one), waited_ms (the adding thread, without a CPU), passes_from_s,
        pass1_ms, pass2_ms, bytes_per_ns.
    """
    args = _arguments(begins_ms, lasts_ms)
    return launch.java(sample, jdk, flags, gc=gc, args=args, log=log, repeat=repeat, reuse=True)


def _arguments(begins_ms: int = 3800, lasts_ms: int = 800) -> str:
    return f"{begins_ms} {lasts_ms} jitter.csv"


def today(jdk: int) -> Run:
    """ByteSummer with this JDK's own flags; its long pass is under way when the JVM is four seconds old."""
    return summer(jdk)


def as_then(jdk: int) -> Run:
    """The same with biased locking switched on after four seconds, as on 8 by default."""
    return summer(jdk, "" if jdk < 9 else switched_on(THEN_DELAY_MS))


def brief(jdk: int, flags: str = "", *, gc: str = GC, sample: str = SUMMER, repeat: int = 0) -> Run:
    """A run of a second with the safepoint log; `flags` say whether and when biased locking is switched on in it."""
    wanted = f"{NOBODY_ELSE} {flags}"
    return summer(jdk, wanted, **BRIEF, log="safepoint", gc=gc, sample=sample, repeat=repeat)


def warm_up(jdk: int, repeat: int = 0) -> Run:
    """A run of a third of a second with the compilation log: how sum() is compiled while it runs."""
    return summer(jdk, begins_ms=300, lasts_ms=50, log="compilation", repeat=repeat)


def compiled(jdk: int, flags: str = "") -> Run:
    """A run of a second with the compilation log."""
    return summer(jdk, flags, **BRIEF, log="compilation")


def ways_out(jdk: int) -> pd.DataFrame:
    """The whole ByteSummer with each of WAYS_OUT, the first of which is no flag at all: one row a run.

    Returns:
        sweep's columns, and switched_at_s, switch_ms: when biased locking was switched on, and how long that stop was.
    """
    return _wholes(jdk, profile.by_effort(quick=WAYS_OUT[::3], standard=WAYS_OUT))


def own_and_old(jdks: Sequence[int]) -> pd.DataFrame:
    """The whole ByteSummer on each JDK (9 or later), with its own flags and with those of 8: two rows a JDK.

    Returns:
        The columns of `ways_out`; flags is "its own" or "those of 8".
    """
    old = switched_on(THEN_DELAY_MS)
    runs = _wholes(jdks, ("", old))
    return runs.assign(flags=runs["flags"].replace({"": "its own", old: "those of 8"}))


def _wholes(jdk: int | Sequence[int], flags: Sequence[str]) -> pd.DataFrame:
    columns = {
        "switched_at_s": lambda run: switches(run)["begin_s"].max(),
        "switch_ms": lambda run: switches(run)["total_ms"].max(),
    }
    return sweep(SUMMER, jdk=jdk, flags=list(flags), gc=GC, args=_arguments(), log=LOGS, also=columns, reuse=True)


def switches(run: Run) -> pd.DataFrame:
    """The stops in which biased locking was switched on, of run.safepoints; never more than one has been seen."""
    return run.safepoints[run.safepoints["operation"].eq(SWITCH)]


def switch_ms(run: Run, column: str = "total_ms") -> float:
    """How long the longest of those stops was, or one part of it; 0 if there was none."""
    values = switches(run)[column].dropna()
    return float(values.max()) if len(values) else 0.0


def default(jdk: int, flag: str) -> str:
    """The flag's value on this JDK when nobody sets it; "unknown" where the JDK has no such flag."""
    known = vm_flags.known(jdks.get(jdk))
    return known[flag].default if flag in known else "unknown"


def mark_words(jdk: int, delay_ms: int = 500) -> Run:
    """MarkWords, which locks objects in all ways there are; its values say what their headers mean, one a moment.

    Args:
        delay_ms: when biased locking is switched on, where the JDK has it; the program waits until twice that time.
    """
    return launch.java(MARK_WORDS, jdk, **_marking(jdk < REMOVED, delay_ms))


def marks(jdks: Sequence[int]) -> pd.DataFrame:
    """The values of `mark_words`: one row a JDK, by its number, one column each of MOMENTS."""
    groups = {biased: [jdk for jdk in jdks if (jdk < REMOVED) == biased] for biased in (True, False)}
    runs = pd.concat(sweep(MARK_WORDS, jdk=group, **_marking(biased)) for biased, group in groups.items())
    return runs.set_index("jdk")[list(MOMENTS)]


def _marking(biased: bool, delay_ms: int = 500) -> dict[str, Any]:
    """Where there are no biased locks, their flags would keep the JVM from its start."""
    return {"flags": switched_on(delay_ms) if biased else "", "args": str(2 * delay_ms), "jars": [JOL], "reuse": True}


def who(jdk: int) -> Run:
    """A program loads a class, takes another's lock, asks for a thread dump and for a collection; safepoint log."""
    chosen = "" if default(jdk, "UseBiasedLocking") == "unknown" else switched_on(0)
    return launch.java(safepoint.CALLS, jdk, chosen, args=FOUR_CALLS, log="safepoint", reuse=True)


def uncounted_loop(jdk: int) -> Run:
    """The machine code of a loop whose iterations C2 cannot count."""
    return launch.java(safepoint_polls.POLLS, jdk, safepoint_polls.APART, log="assembly=Polls.untilFound", reuse=True)
