"""A JDK, and when biased locking is switched on -> one run of the topic's programs; several JDKs or flags -> a table.

ByteSummer adds up bytes in a long call without a poll, while a second thread sleeps for a millisecond at a time.
The collector is Parallel throughout, 8's default: C2 puts no poll into its counted loops on any JDK, so that what
differs between the JDKs is who requests a safepoint. Equal runs of one session are shared; `repeat` makes another one.
"""

from typing import Any

import pandas as pd

from safepointlab import jdks
from safepointlab.course.nb01_safepoint import experiments as safepoint
from safepointlab.course.nb01_safepoint import polls as safepoint_polls
from safepointlab.jdks import flags as vm_flags
from safepointlab.run import launch
from safepointlab.run.load import load
from safepointlab.run.run import Run

SUMMER = "biased/ByteSummer"
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
LATE_MS = 100.0  # what a reader notices: far above what a busy machine does to a sleep, far below the long call
NO_VECTORS = "-XX:-UseSuperWord"
CALLS = "loadClass revokeBias threadPrint findDeadlocks heapDump fullCollection"
REMOVED = 18  # the first JDK without biased locks: JDK-8256425
SWITCH = "EnableBiasedLocking"
UNKNOWN = "unknown"  # the default of a flag that the JDK does not have


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
    args = f"{begins_ms} {lasts_ms} {SLEEPS}"
    return launch.java(sample, jdk, flags, gc=gc, args=args, log=log, repeat=repeat, deadline=deadline, reuse=True)


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


def sleeps(run: Run) -> pd.DataFrame:
    """One row a sleep of the second thread: begin_s, overslept_ms."""
    return run.csv(SLEEPS)


def long_calls_s(run: Run) -> tuple[float, float, float]:
    """The uptime at which the first long call begins, at which the second does, and at which it ends."""
    begin, first, second = (float(run.values[name]) for name in ("passes_from_s", "pass1_ms", "pass2_ms"))
    return begin, begin + first / 1000, begin + (first + second) / 1000


def stops(run: Run) -> pd.DataFrame:
    """The safepoints of the run up to the end of its second long call, of run.safepoints."""
    log = run.safepoints[run.safepoints["kind"].eq("safepoint")].dropna(subset=["ttsp_ms", "total_ms"])
    return log[log["begin_s"].astype(float) < long_calls_s(run)[-1]]


def reached_ms(frame: pd.DataFrame, switch: bool = False) -> "pd.Series[float]":
    """Of each run of a sweep of ByteSummer: the longest time to safepoint, in ms.

    Args:
        switch: of the stop alone in which biased locking is switched on.

    Returns:
        A value for each row: 0 without such a stop, NaN without a run.
    """
    names = frame["run"] if "run" in frame else pd.Series(None, frame.index, object)
    return pd.Series([_reached_ms(name, switch) for name in names], frame.index, float)


def _reached_ms(name: object, switch: bool) -> float:
    if not isinstance(name, str) or not name:
        return float("nan")
    run = load(name)
    return switch_ms(run, "ttsp_ms") if switch else max(map(float, stops(run)["ttsp_ms"]), default=0.0)


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


def who(jdk: int) -> Run:
    """CALLS, one after the other: class loading, a lock's bias, four questions about all; with the safepoint log."""
    chosen = "" if default(jdk, LOCKING_FLAG) == UNKNOWN else switched_on(0)
    return launch.java(safepoint.CALLS, jdk, chosen, args=CALLS, log="safepoint", reuse=True)


def uncounted_loop(jdk: int) -> Run:
    """The machine code of a loop whose iterations C2 cannot count."""
    return launch.java(safepoint_polls.POLLS, jdk, safepoint_polls.APART, log="assembly=Polls.untilFound", reuse=True)
