"""What page 10, its answers and its claims share: runs beside a thread that requests collections, and their tables.

The benchmark BesideGc has a thread that parks for 100 ms and then requests a collection, one that only parks, and one
or more that scan 32 KB; a line-up says how many of each run. Collector and heap are the post's: Parallel, which was
JDK 8's own choice and leaves no poll in a counted loop on any JDK, and 1 GB. ScanAndCollect is a plain program with
scanning threads and objects that are alive. Equal runs are shared in a session.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from safepointlab.course.pairs import repeats
from safepointlab.process.machine import cores
from safepointlab.run import forks, jmh, launch, profile
from safepointlab.run.run import Run
from safepointlab.run.stops import of_run, stops

if TYPE_CHECKING:
    from pandas import DataFrame

BENCHMARK, PROGRAM = "threads.BesideGc.side", "threads/ScanAndCollect"
GC, HEAP = "Parallel", "-Xms1g -Xmx1g"
LOG = "safepoint"
COLLECTIONS = "GC|Collect"  # what the stops of a collection are called
PARKED_MS = 100.0  # what gc and park park for
METHODS = ("gc", "park", "scan")
LINEUPS = ((1, 0, 0), (1, 1, 0), (0, 0, 1), (0, 1, 1), (1, 1, 1))  # threads of each of METHODS
USUAL = (10, 100, 32)  # collections, ms between them, KiB that each thread scans
LONG_KIB = 64 * 1024  # an array for which a scan takes milliseconds
ASKS, PARKS, SCANS = THREADS = "asks", "parks", "scans"  # what the thread of each of METHODS does
PHASES = ["ttsp_ms", "operation_ms", "leaving_ms", "total_ms"]
LARGEST = 32  # times the cores: page 10's largest crowd


def options() -> str:
    """JMH's own options for the profile in force; a second holds nine collections. `full` has ten seconds."""
    return profile.by_effort(
        quick="-f 1 -wi 1 -w 300ms -i 3 -r 400ms",
        standard="-f 1 -wi 1 -w 300ms -i 4 -r 400ms",
        full="-f 1 -wi 5 -w 1s -i 10 -r 1s",
    )


def side_by_side(jdk: object, *lineups: Sequence[int], forks: int | None = None) -> "DataFrame":
    """The benchmark in each of these line-ups, or in all LINEUPS: the rows of lab.jmh, metrics gc, park and scan.

    Scores are in us an operation; groups names the line-up, as in "gc=1 park=1 scan=0". Each has `repeats` forks.
    """
    groups = [dict(zip(METHODS, lineup, strict=True)) for lineup in lineups or LINEUPS]
    asked = {"gc": GC, "groups": groups, "log": LOG, "repeat": forks or repeats(), "reuse": True}
    return jmh.jmh(BENCHMARK, jdk, HEAP, options(), **asked)  # type: ignore[arg-type]


def beside(jdk: int, gc: int = 0, park: int = 0, scan: int = 0) -> "DataFrame":
    """The same for one line-up: so many threads of each method.

    One fork, but in `full`: enough for what is seen within a run, or differs several times over.
    """
    few = profile.by_effort(quick=1, standard=1, full=repeats())
    return side_by_side(jdk, (gc, park, scan), forks=few)


def compared(jdk: int, collecting: bool) -> "DataFrame":
    """A parked and a scanning thread, beside collections or not: all forks of both, by turns; the rows of one."""
    return line_up(side_by_side(jdk, (0, 1, 1), (1, 1, 1)), (int(collecting), 1, 1))


def line_up(scores: "DataFrame", counts: Sequence[int]) -> "DataFrame":
    """The rows of one line-up: so many threads of each of METHODS."""
    rows: DataFrame = scores[scores["groups"] == _named(counts)]
    return rows


def middle(scores: "DataFrame", method: str, quantile: float = 0.5) -> float:
    """The median of a method's iterations in us, or another quantile: of a few bad moments it knows nothing."""
    return float(forks.iterations(scores, method)["value"].quantile(quantile))


def slower(scores: "DataFrame") -> "DataFrame":
    """How many times as long a scan takes beside collections as without, in forks that ran by turns.

    Returns:
        One row a JDK: the smallest and the largest ratio of the pairs of forks, and what the stops alone explain.
    """
    import pandas as pd

    rows = {jdk: _slower(frame) for jdk, frame in scores.groupby("jdk")}
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("jdk")


def _slower(scores: "DataFrame") -> dict[str, float]:
    quiet, collecting = (line_up(scores, line) for line in ((0, 1, 1), (1, 1, 1)))
    ratios = forks.middles(collecting, "scan") / forks.middles(quiet, "scan")
    stopped_ms = float(stops(collecting, COLLECTIONS)["total_ms"].median())
    least, most = float(ratios.min()), float(ratios.max())
    return {"smallest": least, "largest": most, "explained": 1 + stopped_ms / PARKED_MS}


def within() -> int:
    """A power of two of threads that leaves a third of the cores to others, as the post's 32 did on 48 cores."""
    return max([1, *(1 << n for n in range(10) if 3 << n <= 2 * cores())])


def beyond() -> int:
    """The first power of two that is more than the cores, as the post's 64 were."""
    return 1 << cores().bit_length()


def _named(lineup: Sequence[int]) -> str:
    return " ".join(f"{name}={count}" for name, count in zip(METHODS, lineup, strict=True))


def collections(run: Run) -> "DataFrame":
    """The stops of a run in which its collections happened, as run.safepoints has them, and stopped_ms."""
    return of_run(run, COLLECTIONS)


def scan(
    jdk: int,
    threads: int,
    collections: int = USUAL[0],
    pause_ms: int = USUAL[1],
    size_kib: int = USUAL[2],
    flags: str = "",
) -> Run:
    """ScanAndCollect: so many threads scan an array each; so many intervals end with a collection, as many without.

    Returns:
        A run with the safepoint log and the values gc_ms (the median request), quiet_scans_per_s, scans_per_s,
        everybody_silent_ms (how long no thread made progress in the median request; silences of more than 1 ms count),
        load and load_before (the system's load average of a minute at the end and at the start), ran_s.
    """
    args = [threads, collections, pause_ms, size_kib]
    return launch.java(PROGRAM, jdk, flags, gc=GC, args=args, log=LOG, reuse=True)


def straggling(jdk: int, flags: str = "") -> Run:
    """Two threads that scan LONG_KIB each: a counted loop that goes on for milliseconds."""
    return scan(jdk, 2, size_kib=LONG_KIB, flags=flags)


def for_a_while(jdk: int, threads: int) -> Run:
    """The same for some 25 s, in which the load average can be seen to move: the kernel updates it each 5 s."""
    return scan(jdk, threads, collections=120)


def losses(scores: "DataFrame") -> "DataFrame":
    """What a collection costs each of the three threads in the interval that ends with it, in JVMs that took turns.

    The one that asks: its call beyond the 100 ms of parking. The one that parks: how much later it wakes up than
    without collections. The one that scans: the share of its scans that are missing, of the interval.

    Args:
        scores: rows of lab.jmh for BesideGc, once with a thread that asks and once without, and with a safepoint log.

    Returns:
        A row for each JDK, collector, pair of JVMs and thread: jdk, gc, repeat, thread, lost_ms, and stopped_ms, the
        median stop of the log on that JDK. No row where one of the two is missing.
    """
    import pandas as pd

    columns = ["jdk", "gc", "repeat", "thread", "lost_ms", "stopped_ms"]
    found = scores.dropna(subset="median")
    asked = found["groups"].str.contains(r"\bgc=[1-9]")
    (quiet, collecting) = (_typical(found[rows]) for rows in (~asked, asked))
    if not {"park", "scan"} <= set(quiet) or not set(METHODS) <= set(collecting):
        return pd.DataFrame(columns=columns)
    call_ms = collecting["gc"] / 1000
    lost = {
        ASKS: call_ms - PARKED_MS,
        PARKS: (collecting["park"] - quiet["park"]) / 1000,
        SCANS: (1 - quiet["scan"] / collecting["scan"]) * call_ms,
    }
    pair = ["jdk", "gc", "repeat"]
    table = pd.DataFrame(lost).reset_index().melt(pair, var_name="thread", value_name="lost_ms").dropna()
    stopped = stops(found[asked], COLLECTIONS, ["jdk", "gc"]).groupby(["jdk", "gc"])["total_ms"].median()
    return table.join(stopped.rename("stopped_ms"), on=["jdk", "gc"])[columns]


def _typical(scores: "DataFrame") -> "DataFrame":
    """The median iteration of each method in us, one row for each JDK, collector and repetition."""
    return scores.pivot_table("median", ["jdk", "gc", "repeat"], "metric", aggfunc="median")


def silences(runs: "DataFrame") -> "DataFrame":
    """The stops by the log, and by the threads of the crowd: medians of both, over the collections of a run.

    A run reports the median of its silences and not each of them, so that no phase may be taken from a single stop.

    Args:
        runs: rows of lab.sweep for ScanAndCollect, with the safepoint log.

    Returns:
        A row for each JDK and number of threads: jdk, threads; the medians of ttsp_ms, operation_ms, leaving_ms
        (missing where it is not logged) and total_ms, each by itself: their sum need not be the total;
        everybody_silent_ms and gc_ms, the program's own medians; lost_share, the part of its scans that are missing in
        intervals with a collection, and logged_share, the part of these intervals that the log calls a stop.
    """
    measured = runs.dropna(subset="threads")
    stop = stops(measured, COLLECTIONS, ["jdk", "threads"]).groupby(["jdk", "threads"])[PHASES].median().reset_index()
    told = measured[["jdk", "threads", "everybody_silent_ms", "gc_ms", "quiet_scans_per_s", "scans_per_s"]]
    table = stop.merge(told, on=["jdk", "threads"])
    lost = 1 - table["scans_per_s"] / table["quiet_scans_per_s"]
    logged = table["total_ms"] / (table["total_ms"] + PARKED_MS)
    return table.assign(lost_share=lost, logged_share=logged)
