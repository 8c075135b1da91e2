"""What page 06, its claims, its answers, its demo and page 91 share: runs of ByteSummer, and the stops in them.

ByteSummer adds up bytes in a long call without a poll, while a second thread sleeps for a millisecond at a time.
The collector is Parallel if nothing else is said, 8's default on a machine of two cores or more: C2 then puts no poll
into its counted loops on any JDK, so that what differs between the JDKs is who requests a safepoint. Claims ask for the
JDK's own collector and for Serial. Equal runs of one session are shared; `repeat` makes another one.
"""

import pandas as pd

from safepointlab import jdks
from safepointlab.jdks import flags as vm_flags
from safepointlab.run import launch
from safepointlab.run.load import load
from safepointlab.run.run import Run

SUMMER = "biased/ByteSummer"
GC = "Parallel"
LOGS = "safepoint straggler=100 compilation gc"
BRIEF_DELAY_MS = 700  # within the brief run's long call
THEN_DELAY_MS = 4000  # 8's default
LONG_MS = 1300  # of the long call on the CPU, so that about 1 s of it is left when the JVM is four seconds old
NOBODY_ELSE = "-XX:GuaranteedSafepointInterval=0"  # in a run that short the JVM's own stop at 1 s would come between
LOCKING_FLAG, DELAY_FLAG = "UseBiasedLocking", "BiasedLockingStartupDelay"
ON, OFF = f"-XX:+{LOCKING_FLAG}", f"-XX:-{LOCKING_FLAG}"
SLEEPS = "jitter.csv"  # where ByteSummer leaves its sleeps, in the run's folder: begin_s, overslept_ms
LATE_MS = 100.0  # what a reader notices: far above what a busy machine does to a sleep, far below the long call
REMOVED = 18  # the first JDK without biased locks: JDK-8256425
SWITCH = "EnableBiasedLocking"
UNKNOWN = "unknown"  # the default of a flag that the JDK does not have


def switched_on(delay_ms: int) -> str:
    """The flags that switch biased locking on, so many ms after the JVM's start."""
    return f"{ON} -XX:{DELAY_FLAG}={delay_ms}"


def summer(
    jdk: int,
    flags: str = "",
    *,
    begins_ms: int = 3800,
    lasts_ms: int = 800,
    log: str = LOGS,
    gc: str | None = GC,
    repeat: int = 0,
) -> Run:
    """ByteSummer, whose long call is under way when the JVM is four seconds old.

    Args:
        begins_ms, lasts_ms: when the long call begins, after the JVM's start, and how long it takes on the CPU.

    Returns:
        A run with jitter.csv (begin_s, overslept_ms: one row per sleep) in its folder. Its values: overslept_ms (the
        worst sleep), typical_ms (the median one), waited_ms (the adding thread, without a CPU), passes_from_s,
        pass1_ms, pass2_ms, bytes_per_ns.
    """
    args = f"{begins_ms} {lasts_ms} {SLEEPS}"
    return launch.java(SUMMER, jdk, flags, gc=gc, args=args, log=log, repeat=repeat, reuse=True)


def own_flags(jdk: int, gc: str | None) -> Run:
    """ByteSummer with the JDK's own flags, and a call of which about 1 s is left at four seconds."""
    return summer(jdk, lasts_ms=LONG_MS, gc=gc)


def delayed(jdk: int, gc: str | None, *, delay_ms: int = THEN_DELAY_MS, repeat: int = 0) -> Run:
    """The same with biased locking switched on after the delay, which is 4 s by default on JDK 8.

    Raises:
        FlagRejected: this JDK has no biased locking.
    """
    is_default = default(jdk, DELAY_FLAG) == str(delay_ms)
    return summer(jdk, "" if is_default else switched_on(delay_ms), lasts_ms=LONG_MS, gc=gc, repeat=repeat)


def brief(jdk: int, flags: str = "", *, gc: str | None = GC, repeat: int = 0) -> Run:
    """A run of a second with the safepoint log; `flags` say whether and when biased locking is switched on in it."""
    flags = f"{NOBODY_ELSE} {flags}"
    return summer(jdk, flags, begins_ms=650, lasts_ms=400, log="safepoint", gc=gc, repeat=repeat)


def long_calls_s(run: Run) -> tuple[float, float, float]:
    """The uptime at which the first long call begins, at which the second does, and at which it ends."""
    begin, first, second = (float(run.values[name]) for name in ("passes_from_s", "pass1_ms", "pass2_ms"))
    return begin, begin + first / 1000, begin + (first + second) / 1000


def stops(run: Run) -> pd.DataFrame:
    """The safepoints of the run up to the end of its second long call, of run.safepoints."""
    log = run.safepoints[run.safepoints["kind"].eq("safepoint")].dropna(subset=["ttsp_ms", "total_ms"])
    return log[log["begin_s"].astype(float) < long_calls_s(run)[-1]]


def switches(run: Run) -> pd.DataFrame:
    """The stops in which biased locking was switched on, of run.safepoints; never more than one has been seen."""
    return run.safepoints[run.safepoints["operation"].eq(SWITCH)]


def switch_ms(run: Run, column: str = "total_ms") -> float:
    """How long the longest of those stops was, or one part of it; 0 if there was none."""
    values = switches(run)[column].dropna()
    return float(values.max()) if len(values) else 0.0


def reached_ms(frame: pd.DataFrame, switch: bool = False) -> "pd.Series[float]":
    """Of each run of a sweep of ByteSummer: the longest time to safepoint, in ms.

    Args:
        switch: of the stop alone in which biased locking is switched on.

    Returns:
        A value for each row: 0 without such a stop, NaN without a run.
    """
    values = []
    for name in frame["run"] if "run" in frame else [""] * len(frame):
        if not isinstance(name, str) or not name:
            values.append(float("nan"))
        elif switch:
            values.append(switch_ms(load(name), "ttsp_ms"))
        else:
            values.append(max(map(float, stops(load(name))["ttsp_ms"]), default=0.0))
    return pd.Series(values, frame.index, float)


def default(jdk: int, flag: str) -> str:
    """The flag's value on this JDK by default; "unknown" where the JDK has no such flag."""
    known = vm_flags.known(jdks.get(jdk))
    return known[flag].default if flag in known else UNKNOWN
