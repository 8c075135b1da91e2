"""A JDK and a number of threads -> a run in which some thread asks for collections, or a table of such runs.

The benchmark BesideGc has a thread that parks for 100 ms and then asks for a collection, one that only parks, and one
that scans 32 KB; a line-up says which of the three run. ScanAndCollect has many scanning threads. The collector is
Parallel, the post's: 8's own choice, and one that polls no counted loop on any JDK. Equal runs are shared in a session.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from safepointlab.errors import RunFailed
from safepointlab.run import jmh, launch
from safepointlab.run.jmh_run import BenchRun
from safepointlab.run.load import load
from safepointlab.run.run import Run
from safepointlab.run.stops import of_run, stops
from safepointlab.run.sweep import sweep
from safepointlab.session import profile
from safepointlab.session.machine import cores
from safepointlab.topics import safepoint

if TYPE_CHECKING:
    from pandas import DataFrame

BENCHMARK, PROGRAM = "threads.BesideGc.side", "threads/ScanAndCollect"
GC = "Parallel"
LOG = "safepoint"
COLLECTIONS = "GC|Collect"  # what the stops of a collection are called
PARKED_MS = 100.0  # what gc and park park for
METHODS = ("gc", "park", "scan")
LINEUPS = ((1, 0, 0), (1, 1, 0), (0, 0, 1), (0, 1, 1), (1, 1, 1))  # threads of each of METHODS
USUAL = (10, 100, 32)  # collections, ms between them, KiB that each thread scans


def options() -> str:
    """JMH's own options for the profile in force; a second holds nine collections."""
    return profile.by_effort(quick="-f 1 -wi 1 -w 600ms -i 4 -r 600ms", standard="-f 1 -wi 2 -w 500ms -i 6 -r 600ms")


def side_by_side(jdk: object, *lineups: Sequence[int]) -> "DataFrame":
    """The benchmark in each of these line-ups, or in all LINEUPS: the rows of lab.jmh, metrics gc, park and scan.

    Scores are in us an operation; groups names the line-up, as in "gc=1 park=1 scan=0".
    """
    groups = [dict(zip(METHODS, lineup, strict=True)) for lineup in lineups or LINEUPS]
    return jmh.jmh(BENCHMARK, jdk, options=options(), gc=GC, groups=groups, log=LOG, reuse=True)


def beside(jdk: int, gc: int = 0, park: int = 0, scan: int = 0) -> BenchRun:
    """The run of one line-up: so many threads of each method, with its scores and its fork's safepoint log.

    Raises:
        RunFailed: JMH left no score.
    """
    return _bench(side_by_side(jdk, (gc, park, scan))["run"].iloc[0])


def _bench(name: object) -> BenchRun:
    run = load(str(name))
    if not isinstance(run, BenchRun):
        raise RunFailed(f"{run!r} is no JMH run")
    return run


def middle(run: BenchRun, method: str) -> float:
    """The median of a method's iterations in us: of a busy machine's bad moments it knows nothing."""
    values = run.iterations
    return float(values[values["metric"] == method]["value"].median())


def medians(scores: "DataFrame") -> "DataFrame":
    """The same of all runs of `side_by_side`: one row a line-up and JDK, columns gc and park in ms, scan in us."""
    import pandas as pd

    labels = ["groups", "jdk"]
    hosts = scores.drop_duplicates("run").set_index("run")[labels]
    runs = (_bench(name).iterations.assign(**dict(row)) for name, row in hosts.iterrows())
    table: pd.DataFrame = pd.concat(runs).groupby([*labels, "metric"])["value"].median().unstack()
    return table[list(METHODS)].assign(gc=table["gc"] / 1000, park=table["park"] / 1000)


def collections(run: Run) -> "DataFrame":
    """The stops of a run in which its collections happened, as run.safepoints has them, and stopped_ms."""
    return of_run(run, COLLECTIONS)


def all_collections(runs: "DataFrame", label: str) -> "DataFrame":
    """The same of all runs of a table: one row a stop; in front jdk, and the table's column `label`."""
    return stops(runs, COLLECTIONS, labels=["jdk", label])


def scan(
    jdk: int, threads: int, collections: int = USUAL[0], pause_ms: int = USUAL[1], size_kib: int = USUAL[2]
) -> Run:
    """ScanAndCollect: so many threads scan an array each, for a second in peace, then beside so many collections.

    Returns:
        A run with the safepoint log and the values gc_ms (the median request), quiet_scans_per_s, scans_per_s,
        quiet_silence_ms, silence_ms (the longest time between two scans of a thread).
    """
    args = [threads, collections, pause_ms, size_kib]
    return launch.java(PROGRAM, jdk, gc=GC, args=args, log=LOG, reuse=True)


def crowds() -> list[int]:
    """Numbers of threads: one, and multiples of this machine's cores."""
    times = profile.by_effort(quick=[1, 4, 16], standard=[1, 2, 4, 8, 32])
    return sorted({1, *(cores() * many for many in times)})


def crowded(jdk: Sequence[int], threads: Sequence[int]) -> "DataFrame":
    """The runs of `scan` for each JDK and number of threads: one row a run, with its values as columns."""
    args = [" ".join(map(str, (count, *USUAL))) for count in threads]
    runs = sweep(PROGRAM, jdk=list(jdk), gc=GC, args=args, log=LOG, reuse=True)
    return runs.astype({"threads": int})


def sixty_four(jdk: int, state: str) -> Run:
    """Five collections beside 64 threads that are "running", "asleep" or in "native" code; safepoint log."""
    return launch.java(safepoint.CROWDS, jdk, gc=GC, args=[state, 64, 5, 1000], log=LOG, reuse=True)
