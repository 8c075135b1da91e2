"""A JDK, and how much an operation has to walk -> a run with stops for that operation, or a table of such runs.

Each program asks for the same operation several times, and logs its safepoints. In all of them the column to look at is
stopped_ms: from the moment when the last thread has stopped until all run again. Equal runs of one session are shared.
"""

from typing import TYPE_CHECKING

from safepointlab.run import launch
from safepointlab.run.run import Run
from safepointlab.run.stops import of_run

if TYPE_CHECKING:
    from pandas import DataFrame

THREADS, SOME, LIVE = "cost/IdleThreads", "cost/DumpSomeThreads", "cost/LiveHeap"
MONITORS, ARRAY, MAP = "cost/InflatedMonitors", "cost/HugeArray", "cost/MarkedMap"
LOG = "safepoint"
DEPTH = 256  # calls on each idle thread's stack: the post's
HEAP, LARGE_HEAP = "-Xms1g -Xmx1g", "-Xms2400m -Xmx2400m"
SIZES_MIB = (10, 400)  # alive in the heap
MANY_SMALL = (200, 5, 64)  # MiB alive, collections, bytes of an object: a usual size
MAP_ENTRIES_M = 50  # millions: the post's
MAP_HEAP = "-Xms3g -Xmx3g -Xmn256m -XX:MaxTenuringThreshold=0 -XX:+ExplicitGCInvokesConcurrent"
NO_PAUSE_BEFORE_REMARK = "-XX:CMSMaxAbortablePrecleanTime=10"  # ms; by default CMS waits for up to 5 s in mid-cycle
MONITOR_COUNTS = (5_000, 500_000)
ARRAY_MIB = 600
OLD_FLAGS = "-XX:+PrintSafepointStatistics -XX:PrintSafepointStatisticsCount=1"
DUMP, SEARCH = "ThreadDump", "Deadlock"  # what the stops are called
COLLECTION = "CollectFull|SystemGC|(?:Serial|Parallel)GCCollect"  # a full one; ...CollectForAllocation is a young one


def idle(jdk: int, threads: int, depth: int = DEPTH, what: str = "dump") -> Run:
    """Ten dumps of all threads beside parked threads, `depth` calls deep; call_ms is the median of the calls.

    Or ten searches for deadlocks (what="deadlocks"), or ten collections ("collect").
    """
    return launch.java(THREADS, jdk, args=_asked(threads, depth, what), log=LOG, reuse=True)


def _asked(threads: int, depth: int = DEPTH, what: str = "dump") -> str:
    return f"{what} {threads} {depth}"


def of_idle(run: Run) -> "DataFrame":
    """The stops of one run of `idle` without the first one, which warms up."""
    return of_run(run, f"{DUMP}|{SEARCH}|{COLLECTION}").iloc[1:]


def some(jdk: int, threads: int = 1000, depth: int = DEPTH, sample: str = SOME) -> Run:
    """As `idle`, but by a program that looks at ten threads a time; or by a copy of IdleThreads of one's own."""
    return launch.java(sample, jdk, args=_asked(threads, depth), log=LOG, reuse=True)


def dump_ms(run: Run) -> float:
    """The median stop of its dumps, in ms."""
    return float(of_run(run, DUMP)["stopped_ms"].median())


def heap(jdk: int, mib: int, gc: str = "Serial") -> Run:
    """Seven full collections of a heap with so many MiB of objects, all of them alive."""
    return launch.java(LIVE, jdk, HEAP, gc=gc, args=str(mib), log=LOG, reuse=True)


def small_objects(jdk: int, gc: str) -> Run:
    """Full collections of a heap with MANY_SMALL objects, all of them alive."""
    return launch.java(LIVE, jdk, HEAP, gc=gc, args=list(MANY_SMALL), log=LOG, reuse=True)


def marked(jdk: int, gc: str, millions: int = MAP_ENTRIES_M) -> Run:
    """A cycle of a concurrent collector ("CMS", "G1") over one map with so many million entries.

    Returns:
        A run with asked_ms (the longest of the safepoints asked for meanwhile), silence_ms (the longest time for which
        a running thread stood), marked_ms (what the cycle took).

    Raises:
        FlagRejected: the JDK has no such collector.
    """
    flags = f"{MAP_HEAP} {NO_PAUSE_BEFORE_REMARK}" if gc == "CMS" else MAP_HEAP
    return launch.java(MAP, jdk, flags, gc=gc, args=str(millions), deadline=120, reuse=True)


def collections(run: Run) -> "DataFrame":
    """The stops of one run of `heap` that are full collections: young ones, and a concurrent collector's, are not."""
    return of_run(run, COLLECTION)


def every_stop(run: Run) -> "DataFrame":
    """All stops of one run whose length is known."""
    return of_run(run).dropna(subset="stopped_ms")


def monitors(jdk: int, objects: int) -> Run:
    """Three times: so many objects get monitors that nobody uses any more, and two searches for deadlocks follow."""
    return launch.java(MONITORS, jdk, args=str(objects), log=LOG, reuse=True)


def first_stops(run: Run) -> "DataFrame":
    """Of one run of `monitors`, the first of each two stops: the second finds nothing left to do."""
    return of_run(run, SEARCH).iloc[::2]


def huge(jdk: int, what: str, mib: int = ARRAY_MIB) -> Run:
    """Sixteen stops while a thread copies an array over and over, as a whole ("copy") or 64 KiB a time ("chunks")."""
    return launch.java(ARRAY, jdk, LARGE_HEAP, gc="Serial", args=f"{what} {mib}", log=LOG, reuse=True)


def searches(run: Run) -> "DataFrame":
    """The stops of one run of `huge`."""
    return of_run(run, SEARCH)


def statistics(jdk: int, flags: str) -> Run:
    """Two dumps; with `flags` the VM prints what each stop was for.

    Raises:
        FlagRejected: the JDK does not know them.
    """
    return launch.java(THREADS, jdk, flags, args="dump 3 8 2", reuse=True)
