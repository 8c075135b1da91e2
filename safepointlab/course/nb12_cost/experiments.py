"""What page 12, its claims and its exercises share: programs whose pauses have something to walk, and their tables.

Each program requests the same operation several times, and logs its safepoints. The column to look at is stopped_ms:
from the moment when the last thread has stopped until the threads run again. Equal runs of one session are shared.
"""

from typing import TYPE_CHECKING

from safepointlab.errors import BadInput
from safepointlab.run import launch
from safepointlab.run.load import load
from safepointlab.run.run import Run
from safepointlab.run.stops import of_run

if TYPE_CHECKING:
    from pandas import DataFrame

THREADS, LIVE, MONITORS = "cost/IdleThreads", "cost/LiveHeap", "cost/InflatedMonitors"
LOG = "safepoint"
DEPTH = 256  # calls on each idle thread's stack: the post's
HEAP = "-Xms1g -Xmx1g"
DUMP, SEARCH = "ThreadDump", "Deadlock"  # what the stops are called
COLLECTION = "CollectFull|SystemGC|(?:Serial|Parallel)GCCollect"  # a full one; ...CollectForAllocation is a young one
CONCURRENT = "^[XZ]|^Shenandoah"  # the stops of a collector that has no full collection in one stop
ASKED = {"dump": DUMP, "deadlocks": SEARCH, "collect": COLLECTION}  # IdleThreads: its first argument
SIZES = {  # a program, and the place of the argument that is its size -> what that counts
    (THREADS, 1): "threads",
    (THREADS, 2): "calls on a stack",
    (LIVE, 0): "live MiB",
    (MONITORS, 0): "monitors",
}
FLOOR_MS = 0.2  # a median stop below it tells nothing of its work
GROWS = 3.0  # times as long, from the smallest size to the largest


def idle(jdk: int, threads: int, depth: int = DEPTH) -> Run:
    """Ten dumps of all threads with so many parked ones, `depth` calls deep; call_ms is the median of the calls."""
    return launch.java(THREADS, jdk, args=f"dump {threads} {depth}", log=LOG, reuse=True)


def dump_ms(run: Run) -> float:
    """The median stop of its dumps, in ms."""
    return float(of_run(run, DUMP)["stopped_ms"].median())


def collections(jdk: int, *size: int, gc: str = "Serial") -> "DataFrame":
    """The stops for full collections in a heap with so many MiB of objects, all of them alive.

    Args:
        size: MiB alive; after it may come how many collections (7), and the bytes of an object (256).
    """
    return of_run(launch.java(LIVE, jdk, HEAP, gc=gc, args=list(size), log=LOG, reuse=True), COLLECTION)


def first_stops(run: Run) -> "DataFrame":
    """Of a run of InflatedMonitors, the first of each two searches: the second finds nothing left to take back."""
    return of_run(run, SEARCH).iloc[::2]


def slowed(frame: "DataFrame", thread: str) -> float:
    """How many times as long a call of this thread takes with the most idle threads as with the fewest."""
    rows = frame[frame["metric"] == thread].groupby("idle")["median"].median().sort_index()
    return float(rows.iloc[-1] / rows.iloc[0])


def by_size(*sweeps: "DataFrame") -> "DataFrame":
    """The stops of sweeps in each of which one argument of a program grows: one row per stop.

    Unused monitors are taken back in the first of two stops after each inflation, if in a stop at all: only those are
    here.

    Returns:
        what (what the argument counts: "threads", "live MiB", ...), size (its value), jdk, who (the JDK, and what else
        differs between the runs of a sweep), ttsp_ms, stopped_ms.

    Raises:
        BadInput: a table isn't from lab.sweep, or more than one argument grows.
    """
    import pandas as pd

    tables = [pd.DataFrame(columns=["what", "size", "jdk", "who", "ttsp_ms", "stopped_ms"])]
    for sweep in sweeps:
        if missing := {"jdk", "gc", "flags", "args", "run"} - set(sweep):
            raise BadInput(f"This isn't a table of lab.sweep: it lacks the columns {', '.join(sorted(missing))}.")
        rows = sweep[sweep["run"].astype("string").fillna("") != ""]
        words = rows["args"].astype(str).str.split()
        grown = [place for place, values in enumerate(zip(*words, strict=False)) if len(set(values)) > 1]
        if len(grown) > 1:
            raise BadInput(
                f"These runs differ in more than one argument: {', '.join(map(repr, sorted(set(rows['args']))))}. "
                "Let one number grow, and keep the others."
            )
        others = [name for name in ("gc", "flags") if rows[name].nunique() > 1]
        for _, row in rows.iterrows():
            who = ", ".join([f"JDK {row['jdk']}", *(str(row[name] or "no flag") for name in others)])
            tables.append(_stops(load(row["run"]), grown).assign(jdk=row["jdk"], who=who))
    return pd.concat(tables, ignore_index=True)


def _stops(run: Run, grown: list[int]) -> "DataFrame":
    """The stops of one run for its operation, with what and size."""
    sample, args = run.request.sample, run.request.args
    places = grown or [place for name, place in SIZES if name == sample][:1]
    if not places:
        raise BadInput(f"No argument of {sample} grows in these runs. Give a list of args.")
    operation = {THREADS: ASKED.get(args[0], ""), LIVE: f"{COLLECTION}|{CONCURRENT}"}.get(sample, "")
    stops = first_stops(run) if sample == MONITORS else of_run(run, operation)
    what = SIZES.get((sample, places[0]), f"argument {places[0] + 1} of {run.name}")
    return stops[["ttsp_ms", "stopped_ms"]].assign(what=what, size=float(args[places[0]]))


def times(stopped: "DataFrame") -> "DataFrame":
    """How many times as long the median stop is with the largest size as with the smallest: by JDK (rows) and `what`.

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
