"""What page 10, its answers and its claims share: runs with a thread that requests collections, and their tables.

The benchmark BesideGc has a thread that parks for 100 ms and then requests a collection, one that only parks, and one
or more that scan 32 KB; a line-up says how many of each run. Collector and heap are the post's: Parallel, which was
JDK 8's own choice and leaves no poll in a counted loop on any JDK, and 1 GB. ScanAndCollect is a plain program with
scanning threads and objects that are alive. Equal runs are shared in a session.
"""

from typing import TYPE_CHECKING

from safepointlab.errors import RunFailed
from safepointlab.process.machine import cores
from safepointlab.run import forks, jmh, launch, profile
from safepointlab.run.run import Run
from safepointlab.run.stops import stops

if TYPE_CHECKING:
    from pandas import DataFrame

GC, HEAP, LOG = "Parallel", "-Xms1g -Xmx1g", "safepoint"
# what the stops of a collection that was requested are called, and not those for an allocation, before the crowd starts
COLLECTIONS = "SystemGC|CollectFull|GCCollect"
PARKED_MS = 100.0  # what gc and park park for
ENOUGH_CORES = 8  # fewer leave no room between one thread and a thread a core
JVMS = 3  # of each line-up: a difference counts where all of one are beyond all of the other
SCANNED = 32_768  # bytes, the post's
METHODS = ("gc", "park", "scan")
ASKS, PARKS, SCANS = THREADS = "asks", "parks", "scans"  # what the thread of each of METHODS does
METHOD_OF = dict(zip(THREADS, METHODS, strict=True))
LARGEST = 32  # times the cores: page 10's largest crowd


def need_cores() -> None:
    """Refuse to measure where threads that should run at the same time would wait for each other's core.

    Raises:
        RunFailed: this machine has fewer than ENOUGH_CORES.
    """
    if cores() < ENOUGH_CORES:
        raise RunFailed(f"this needs {ENOUGH_CORES} cores or more, and this machine has {cores()}")


def beside(jdk: int, *lineups: tuple[int, int, int], size: int = SCANNED, repeat: int = JVMS) -> "list[DataFrame]":
    """The benchmark with so many threads of each of METHODS, in each of these line-ups: their rows of lab.jmh.

    Scores are in us per operation. Each line-up has `repeat` JVMs, by turns with the others; a second holds nine
    collections.

    Args:
        size: how many bytes a thread scans.
    """
    brief = "-f 1 -wi 1 -w 200ms -i 3 -r 400ms"
    options = profile.by_effort(quick=brief, standard=brief, full="-f 1 -wi 5 -w 1s -i 10 -r 1s")
    groups = [dict(zip(METHODS, lineup, strict=True)) for lineup in lineups]
    params = {} if size == SCANNED else {"size": size}
    scores = jmh.jmh(
        "threads.BesideGc.side",
        jdk,
        HEAP,
        options,
        gc=GC,
        params=params,
        groups=groups,
        log=LOG,
        repeat=repeat,
        reuse=True,
    )
    return [scores[scores["groups"] == " ".join(f"{name}={n}" for name, n in group.items())] for group in groups]


def beyond_ms(scores: "DataFrame", method: str) -> list[float]:
    """By how much a method that parks takes longer than its 100 ms, JVM by JVM: the middle one of its iterations.

    An iteration may end in mid-call, whose time is then counted in the next one.
    """
    return [round(us / 1000 - PARKED_MS, 4) for us in forks.middles(scores, method)]


def late_ms(scores: "DataFrame") -> list[float]:
    """By how much parking takes longer than its 100 ms, JVM by JVM: the average, as a late park is a rare one."""
    by_jvm = forks.iterations(scores, "park").groupby("repeat")["value"].mean()
    return [round(float(us) / 1000 - PARKED_MS, 4) for us in by_jvm]


def by_jvm(scores: "DataFrame", phase: str) -> list[float]:
    """A phase of the collections' pauses in ms, "ttsp_ms" or "total_ms": the median, JVM by JVM."""
    phases = stops(scores, COLLECTIONS, ["repeat"]).groupby("repeat")[phase]
    return [float(ms) for ms in phases.median()]


def scan(
    jdk: int, threads: int, collections: int = 10, pause_ms: int = 100, size_kib: int = 32, flags: str = ""
) -> Run:
    """ScanAndCollect: so many threads scan an array each; so many intervals end with a collection, as many without.

    Returns:
        A run with the safepoint log and the values gc_ms (the median request), quiet_scans_per_s, scans_per_s,
        everybody_silent_ms (how long no thread made progress in the median request; silences of more than 1 ms count),
        load and load_before (the system's load average of a minute at the end and at the start), ran_s.
    """
    args = [threads, collections, pause_ms, size_kib]
    return launch.java("threads/ScanAndCollect", jdk, flags, gc=GC, args=args, log=LOG, reuse=True)


def losses(scores: "DataFrame") -> "DataFrame":
    """What a collection costs each of the three threads in the interval that ends with it, in JVMs that took turns.

    For the thread that requests it, the time of its call beyond the 100 ms of parking; for the one that parks, how much
    later it wakes up than without collections; for the one that scans, its share of missing scans, times the interval.

    Args:
        scores: rows of lab.jmh for BesideGc with a safepoint log, once with a thread that requests and once without.

    Returns:
        A row for each JDK, collector, pair of JVMs and thread: jdk, gc, repeat, thread, lost_ms, and stopped_ms, the
        median stop of the log on that JDK. No row where one of the two is missing.
    """
    import pandas as pd

    columns = ["jdk", "gc", "repeat", "thread", "lost_ms", "stopped_ms"]
    pair = ["jdk", "gc", "repeat"]
    found = scores.dropna(subset="median")
    asked = found["groups"].str.contains(r"\bgc=[1-9]")
    quiet, collecting = (
        found[rows].pivot_table("median", pair, "metric", aggfunc="median") for rows in (~asked, asked)
    )
    if not {"park", "scan"} <= set(quiet) or not set(METHODS) <= set(collecting):
        return pd.DataFrame(columns=columns)
    call_ms = collecting["gc"] / 1000
    lost = {
        ASKS: call_ms - PARKED_MS,
        PARKS: (collecting["park"] - quiet["park"]) / 1000,
        SCANS: (1 - quiet["scan"] / collecting["scan"]) * call_ms,
    }
    table = pd.DataFrame(lost).reset_index().melt(pair, var_name="thread", value_name="lost_ms").dropna()
    stopped = stops(found[asked], COLLECTIONS, ["jdk", "gc"]).groupby(["jdk", "gc"])["total_ms"].median()
    return table.join(stopped.rename("stopped_ms"), on=["jdk", "gc"])[columns]


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
    crowd, phases = ["jdk", "threads"], ["ttsp_ms", "operation_ms", "leaving_ms", "total_ms"]
    measured = runs.dropna(subset="threads")
    stop = stops(measured, COLLECTIONS, crowd).groupby(crowd)[phases].median().reset_index()
    told = measured[[*crowd, "everybody_silent_ms", "gc_ms", "quiet_scans_per_s", "scans_per_s"]]
    table = stop.merge(told, on=crowd)
    lost = 1 - table["scans_per_s"] / table["quiet_scans_per_s"]
    logged = table["total_ms"] / (table["total_ms"] + PARKED_MS)
    return table.assign(lost_share=lost, logged_share=logged)
