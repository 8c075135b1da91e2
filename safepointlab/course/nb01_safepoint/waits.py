"""A JDK -> runs of what a safepoint waits for, and of what it does not: a core, memory, blocked threads, native code.

All with Serial, whose counted loops have no poll. Equal runs of one session are shared.
"""

from io import StringIO

import pandas as pd

from safepointlab.course.nb01_safepoint.experiments import A_CPU, CROWDS, LOG, NO_POLLS, collections
from safepointlab.errors import RunFailed
from safepointlab.process.machine import cores
from safepointlab.run import launch
from safepointlab.run.run import Run

FAULTS, DESCHEDULED = "safepoint/PageFaults", "safepoint/Descheduled"
BLOCKED, AT_ONCE = "safepoint/BlockedFourWays", "safepoint/ManyAskAtOnce"
REPEATS, STOPS = 2, 4  # of each crowd, one after the other in turn
ROUNDS = 5
ASKING, DUMPS = 8, 50
BLOCKED_S = 30
ROUNDED_S = 0.0015  # the program's uptime and that of 8's log are whole ms
LIVE = 250_000  # objects in the heap of the long native calls: a stop shorter than a call
CLEANUP_LINES = {8: "-XX:+TraceSafepointCleanupTime"}  # from 9 on the log has them


def page_faults(jdk: int) -> pd.DataFrame:
    """A counted loop over pages that the kernel has still to find, and over the same pages again, a stop during each.

    Returns:
        One row a walk: pages ("absent", "present"), walk_ms, faults, ttsp_ms.
    """
    return _with_ttsp(launch.java(FAULTS, jdk, gc=NO_POLLS, log=LOG, reuse=True))


def descheduled(jdk: int) -> pd.DataFrame:
    """A polling thread in SCHED_IDLE on one core, without and with native code that wants the same core.

    Returns:
        One row a stop: core ("alone", "crowded"), queued_ms (the thread waited for its core, during the request),
        ttsp_ms.
    """
    return _with_ttsp(launch.java(DESCHEDULED, jdk, gc=NO_POLLS, log=LOG, cores=1, reuse=True))


def _with_ttsp(run: Run) -> pd.DataFrame:
    """The table that the program printed, with the longest time to safepoint of the stops during each request.

    By the time, not by the name: on 8 and 11 a collection may be done at a stop that was for something else.
    """
    table = pd.read_csv(StringIO(run.output))
    begins, waits = run.safepoints["begin_s"], run.safepoints["ttsp_ms"].astype("float64")
    asked = zip(table["asked_s"] - ROUNDED_S, table["answered_s"] + ROUNDED_S, strict=True)
    return table.assign(ttsp_ms=[waits[begins.between(*times)].max() for times in asked])


def blocked(jdk: int) -> Run:
    """Threads that wait for a lock, in wait(), parked, in a read, and a collection meanwhile: `values` has counts."""
    return launch.java(BLOCKED, jdk, gc=NO_POLLS, args=[ROUNDS], log=LOG, deadline=BLOCKED_S, reuse=True)


def asked_at_once(jdk: int) -> Run:
    """Eight threads that ask for dumps of all threads at the same time."""
    flags = CLEANUP_LINES.get(jdk, "")
    return launch.java(AT_ONCE, jdk, flags, gc=NO_POLLS, args=[ASKING, DUMPS], log=LOG, reuse=True)


def reading(jdk: int) -> pd.DataFrame:
    """One thread in long calls of native code, and collections that take some ms.

    Returns:
        One row a stop: took_ms of the request, cpu_ms of the native thread meanwhile, stopped_ms of the log without the
        time to safepoint.

    Raises:
        RunFailed: the collections and the stops of the log cannot be matched.
    """
    run = launch.java(CROWDS, jdk, gc=NO_POLLS, args=["reading", 1, ROUNDS, LIVE], log=LOG, reuse=True)
    stops = collections(run)
    stopped = (stops["total_ms"] - stops["ttsp_ms"]).astype("float64").tolist()
    table = pd.read_csv(StringIO(run.output))
    if len(stopped) != len(table):
        raise RunFailed(f"{len(table)} collections at {len(stopped)} stops: one was done at a stop for something else")
    return table.assign(stopped_ms=stopped)


def oversubscribed(jdk: int) -> dict[int, "pd.Series[float]"]:
    """All times to safepoint, ms, of one thread that runs Java and of sixteen a CPU, in runs that take turns."""
    waits: dict[int, list[pd.Series[float]]] = {1: [], 2 * A_CPU * cores(): []}
    for repeat in range(REPEATS):
        for threads, reached in waits.items():
            args = ["running", threads, STOPS]
            run = launch.java(CROWDS, jdk, gc=NO_POLLS, args=args, log=LOG, repeat=repeat, reuse=True)
            reached.append(collections(run)["ttsp_ms"].astype("float64"))
    return {threads: pd.concat(reached, ignore_index=True) for threads, reached in waits.items()}
