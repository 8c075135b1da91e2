"""What page 12, its claims and its exercises share: programs whose stops have something to walk, and tables of them.

Each program asks for the same operation several times, and logs its safepoints. In all of them the column to look at is
stopped_ms: from the moment when the last thread has stopped until all run again. Equal runs of one session are shared.
"""

from typing import TYPE_CHECKING

from safepointlab.errors import BadInput
from safepointlab.run import launch
from safepointlab.run.load import load
from safepointlab.run.run import Run
from safepointlab.run.stops import of_run

if TYPE_CHECKING:
    from pandas import DataFrame

THREADS, LIVE = "cost/IdleThreads", "cost/LiveHeap"
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
CONCURRENT = "^[XZ]|^Shenandoah"  # the stops of a collector that has no full collection in one stop
SMALL_HEAP = "-Xms256m -Xmx256m"  # so that what the process takes beyond it is the dump's

ASKED = {"dump": DUMP, "deadlocks": SEARCH, "collect": COLLECTION}  # IdleThreads: its first argument
SIZES = {  # a program, and the place of the argument that is its size -> what that counts
    (THREADS, 1): "threads",
    (THREADS, 2): "calls on a stack",
    (LIVE, 0): "live MiB",
    (MONITORS, 0): "monitors",
}
FLOOR_MS = 0.2  # a median stop below it tells nothing of its work
GROWS = 3.0  # times as long, from the smallest size to the largest


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


def dump(jdk: int) -> Run:
    """Ten dumps of 1,000 idle threads in a JVM with a small heap: part 3's run, and exercise 3's."""
    args = _asked(1000)
    return launch.java(THREADS, jdk, SMALL_HEAP, gc="Serial", args=args, log=LOG, reuse=True)


def by_size(*sweeps: "DataFrame") -> "DataFrame":
    """The stops of sweeps in each of which one argument of a program grows: a row a stop.

    Unused monitors are taken back in the first of two stops after each inflation, if in a stop at all: only those are
    here.

    Returns:
        what (what the argument counts: "threads", "live MiB", ...), size (its value), jdk, who (the JDK, and what else
        differs between the runs of a sweep), ttsp_ms, stopped_ms.

    Raises:
        BadInput: a table is none of lab.sweep, or more than one argument grows.
    """
    import pandas as pd

    tables = [_by_size(sweep) for sweep in sweeps]
    columns = ["what", "size", "jdk", "who", "ttsp_ms", "stopped_ms"]
    return pd.concat([pd.DataFrame(columns=columns), *tables], ignore_index=True) if tables else pd.DataFrame()


def _by_size(sweep: "DataFrame") -> "DataFrame":
    import pandas as pd

    if missing := {"jdk", "gc", "flags", "args", "run"} - set(sweep):
        raise BadInput(f"This is no table of lab.sweep: it has no column {', '.join(sorted(missing))}.")
    rows = sweep[sweep["run"].astype("string").fillna("") != ""]
    words = rows["args"].astype(str).str.split()
    grown = [place for place, values in enumerate(zip(*words, strict=False)) if len(set(values)) > 1]
    if len(grown) > 1:
        raise BadInput(
            f"These runs differ in more than one argument: {', '.join(map(repr, sorted(set(rows['args']))))}. "
            "Let one number grow, and keep the others."
        )
    others = [name for name in ("gc", "flags") if rows[name].nunique() > 1]
    tables = [
        _stops(load(row["run"]), grown).assign(
            jdk=row["jdk"], who=", ".join([f"JDK {row['jdk']}", *(str(row[name] or "no flag") for name in others)])
        )
        for _, row in rows.iterrows()
    ]
    return pd.concat(tables) if tables else pd.DataFrame()


def _stops(run: Run, grown: list[int]) -> "DataFrame":
    """The stops of one run for its operation, with what and size."""
    sample, args = run.request.sample, run.request.args
    places = grown or [place for name, place in SIZES if name == sample][:1]
    if not places:
        raise BadInput(f"{sample} has no argument that grows in these runs. Give a list of args.")
    operation = {THREADS: ASKED.get(args[0], ""), LIVE: f"{COLLECTION}|{CONCURRENT}", MONITORS: SEARCH}.get(sample, "")
    stops = first_stops(run) if sample == MONITORS else of_run(run, operation)
    what = SIZES.get((sample, places[0]), f"argument {places[0] + 1} of {run.name}")
    return stops[["ttsp_ms", "stopped_ms"]].assign(what=what, size=float(args[places[0]]))


def times(stopped: "DataFrame") -> "DataFrame":
    """How many times as long the median stop is with the largest size as with the smallest: a row a JDK, by `what`.

    A stop below FLOOR_MS counts as that long: of two so short ones the longer one is so by chance.
    """
    middle = stopped.groupby(["what", "jdk", "size"], sort=False)["stopped_ms"].median()
    medians = middle.clip(lower=FLOOR_MS).reset_index()
    ordered = medians.sort_values("size").groupby(["jdk", "what"])["stopped_ms"]
    return (ordered.last() / ordered.first()).unstack()


def short(stopped: "DataFrame", jdk: int) -> list[str]:
    """What grows without a median stop of FLOOR_MS or more on this JDK."""
    middle = stopped[stopped["jdk"] == jdk].groupby(["what", "size"], sort=False)["stopped_ms"].median()
    longest = middle.groupby("what").max()
    return [str(what) for what in longest.index[longest < FLOOR_MS]]
