"""A JDK, and when biased locking is switched on -> one run of the topic's programs; several JDKs or flags -> a table.

ByteSummer adds up bytes in a long call without a poll, while a second thread sleeps for a millisecond at a time.
The collector is Parallel throughout, 8's default: C2 puts no poll into its counted loops on any JDK, so that what
differs between the JDKs is who requests a safepoint. Equal runs of one session are shared; `repeat` makes another one.
"""

from collections.abc import Sequence
from typing import Any

import pandas as pd

from safepointlab import jdks
from safepointlab.course.nb01_safepoint import experiments as safepoint
from safepointlab.course.nb01_safepoint import polls as safepoint_polls
from safepointlab.jdks import flags as vm_flags
from safepointlab.programs.jars import JOL
from safepointlab.run import launch
from safepointlab.run.run import Run
from safepointlab.run.sweep import sweep
from safepointlab.session import profile

SUMMER, MARK_WORDS = "biased/ByteSummer", "biased/MarkWords"
GC = "Parallel"
LOGS = "safepoint straggler=100 compilation gc"
BRIEF: dict[str, Any] = {"begins_ms": 650, "lasts_ms": 400}  # of the long call; the run takes a second or so
BRIEF_DELAY_MS = 700  # within the brief run's long call
THEN_DELAY_MS = 4000  # 8's default
THEN_MS = 2700  # of the long call, so that some 2.4 s of it are left when the JVM is four seconds old
NOBODY_ELSE = "-XX:GuaranteedSafepointInterval=0"  # in a run that short the JVM's own stop at 1 s would come between
LOCKING_FLAG, DELAY_FLAG = "UseBiasedLocking", "BiasedLockingStartupDelay"
ON, OFF, DELAY = f"-XX:+{LOCKING_FLAG}", f"-XX:-{LOCKING_FLAG}", f"-XX:{DELAY_FLAG}="
SLEEPS = "jitter.csv"  # where ByteSummer leaves its sleeps, in the run's folder
WAYS_OUT = ("", f"{DELAY}0", OFF, "-XX:+UseCountedLoopSafepoints")
NO_VECTORS = "-XX:-UseSuperWord"
CALLS = "loadClass revokeBias threadPrint findDeadlocks heapDump fullCollection"
REMOVED = 18  # the first JDK without biased locks: JDK-8256425
SWITCH = "EnableBiasedLocking"
UNKNOWN = "unknown"  # the default of a flag that the JDK does not have
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
    deadline: float = 60,
) -> Run:
    """ByteSummer, or a changed copy of it.

    Args:
        begins_ms, lasts_ms: when the long call begins, after the JVM's start, and how long it takes on the CPU.

    Returns:
        A run with jitter.csv (begin_s, overslept_ms: one row a sleep) in its folder. Its values: overslept_ms (the
        worst sleep), typical_ms (the median one), waited_ms (the adding thread, without a CPU), passes_from_s,
        pass1_ms, pass2_ms, bytes_per_ns.
    """
    args = _arguments(begins_ms, lasts_ms)
    return launch.java(sample, jdk, flags, gc=gc, args=args, log=log, repeat=repeat, deadline=deadline, reuse=True)


def _arguments(begins_ms: int = 3800, lasts_ms: int = 800) -> str:
    return f"{begins_ms} {lasts_ms} {SLEEPS}"


def today(jdk: int) -> Run:
    """ByteSummer with this JDK's own flags; its call of 0.8 s is under way when the JVM is four seconds old."""
    return summer(jdk)


def full_length(jdk: int) -> Run:
    """The same with a call as long as the post's, of which some 2.4 s are left at four seconds."""
    return summer(jdk, lasts_ms=THEN_MS)


def as_then(jdk: int) -> Run:
    """The same as full_length with biased locking switched on after four seconds, which is 8's default.

    Raises:
        FlagRejected: this JDK has no biased locking.
    """
    return summer(
        jdk, "" if default(jdk, DELAY_FLAG) == str(THEN_DELAY_MS) else switched_on(THEN_DELAY_MS), lasts_ms=THEN_MS
    )


def longest_stop(run: Run) -> str:
    """The operation of the run's longest stop, as its log names it."""
    stops = run.safepoints
    return str(stops["operation"].iloc[int(stops["total_ms"].argmax())])


def sleeps(run: Run) -> pd.DataFrame:
    """One row a sleep of the second thread: begin_s, overslept_ms."""
    return pd.read_csv(run.folder / SLEEPS)


def worst_by_second(run: Run) -> list[float]:
    """The longest delay of each whole second before the long call begins, in ms: what is usual without the pause."""
    before = sleeps(run).query("0.5 < begin_s < @run.values['passes_from_s']")
    return before.groupby(before["begin_s"].floordiv(1))["overslept_ms"].max().tolist()


def brief(
    jdk: int, flags: str = "", *, gc: str = GC, sample: str = SUMMER, repeat: int = 0, deadline: float = 60
) -> Run:
    """A run of a second with the safepoint log; `flags` say whether and when biased locking is switched on in it."""
    wanted = f"{NOBODY_ELSE} {flags}"
    return summer(jdk, wanted, **BRIEF, log="safepoint", gc=gc, sample=sample, repeat=repeat, deadline=deadline)


def warm_up(jdk: int, repeat: int = 0) -> Run:
    """A run of a third of a second with the compilation log: how sum() is compiled while it runs."""
    return summer(jdk, begins_ms=300, lasts_ms=50, log="compilation", repeat=repeat)


def without_vectors(jdk: int) -> Run:
    """A run of a second in whose code C2 adds one byte at a time, with no vector instructions."""
    return summer(jdk, NO_VECTORS, **BRIEF, log="safepoint")


def ways_out(jdk: int) -> pd.DataFrame:
    """The whole ByteSummer with each of WAYS_OUT, the first of which is no flag at all: one row a run.

    Returns:
        sweep's columns, and switched_at_s, switch_ms: when biased locking was switched on, and how long that stop was.
    """
    return _wholes(jdk, profile.by_effort(quick=WAYS_OUT[::3], standard=WAYS_OUT))


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
    return known[flag].default if flag in known else UNKNOWN


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
    """CALLS, one after the other: class loading, a lock's bias, four questions about all; with the safepoint log."""
    chosen = "" if default(jdk, LOCKING_FLAG) == UNKNOWN else switched_on(0)
    return launch.java(safepoint.CALLS, jdk, chosen, args=CALLS, log="safepoint", reuse=True)


def uncounted_loop(jdk: int) -> Run:
    """The machine code of a loop whose iterations C2 cannot count."""
    return launch.java(safepoint_polls.POLLS, jdk, safepoint_polls.APART, log="assembly=Polls.untilFound", reuse=True)
