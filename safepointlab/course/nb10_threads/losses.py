"""Runs of `threads.side_by_side` and `threads.crowded` -> which thread loses how much to a stop, and who is stopped.

threads_losses.losses(scores)        one scanning thread, one that parks, one that asks: what each loses
threads_losses.silences(runs)        a crowd: how long all of its threads are silent, beside the phases of the log
"""

from collections.abc import Iterable

import pandas as pd

from safepointlab.course.nb10_threads import experiments as threads
from safepointlab.run import forks
from safepointlab.run.stops import stops
from safepointlab.session import profile

ASKS, PARKS, SCANS = "asks", "parks", "scans"
THREADS = (ASKS, PARKS, SCANS)
PHASES = ["ttsp_ms", "operation_ms", "leaving_ms", "total_ms"]


def measured(jdks: Iterable[int]) -> pd.DataFrame:
    """A parked and a scanning thread with a thread that asks for collections, and without, by turns: for `losses`."""
    pairs = profile.by_effort(quick=1, standard=3)
    return threads.side_by_side(list(jdks), (0, 1, 1), (1, 1, 1), forks=pairs)


def losses(scores: pd.DataFrame) -> pd.DataFrame:
    """What a collection costs each of the three threads in the interval that ends with it, in forks that ran by turns.

    The one that asks: its call beyond the 100 ms of parking. The one that parks: how much later it wakes up than
    without collections. The one that scans: the share of its scans that are missing, of the interval.

    Returns:
        A row each: jdk, repeat, thread, lost_ms, and stopped_ms, the median stop of the log on that JDK.
    """
    rows = [row for jdk, frame in scores.groupby("jdk") for row in _losses(int(str(jdk)), frame)]
    return pd.DataFrame(rows, columns=["jdk", "repeat", "thread", "lost_ms", "stopped_ms"])


def _losses(jdk: int, scores: pd.DataFrame) -> list[tuple[int, object, str, float, float]]:
    quiet, collecting = (threads.line_up(scores, line) for line in ((0, 1, 1), (1, 1, 1)))
    stopped_ms = float(stops(collecting, threads.COLLECTIONS)["total_ms"].median())
    call_ms = forks.middles(collecting, "gc") / 1000
    missing = 1 - forks.middles(quiet, "scan") / forks.middles(collecting, "scan")
    lost = {
        ASKS: call_ms - threads.PARKED_MS,
        PARKS: (forks.middles(collecting, "park") - forks.middles(quiet, "park")) / 1000,
        SCANS: missing * call_ms,
    }
    return [(jdk, n, who, float(ms), stopped_ms) for who, values in lost.items() for n, ms in values.dropna().items()]


def silences(runs: pd.DataFrame) -> pd.DataFrame:
    """The stops by the log, and by the threads of the crowd: medians of both, over the collections of a run.

    A run reports the median of its silences and not each of them, so that no phase may be taken from a single stop.

    Returns:
        A row each JDK and number of threads: jdk, threads; the medians of ttsp_ms, operation_ms, leaving_ms (missing
        where it is not logged) and total_ms, each by itself: their sum need not be the total; everybody_silent_ms and
        gc_ms, the program's own medians; lost_share, the part of its scans that are missing in intervals with a
        collection, and logged_share, the part of these intervals that the log calls a stop.
    """
    found = threads.all_collections(runs, "threads")
    stop = found.groupby(["jdk", "threads"])[PHASES].median().reset_index()
    told = runs[["jdk", "threads", "everybody_silent_ms", "gc_ms", "quiet_scans_per_s", "scans_per_s"]]
    table = stop.merge(told, on=["jdk", "threads"])
    lost = 1 - table["scans_per_s"] / table["quiet_scans_per_s"]
    logged = table["total_ms"] / (table["total_ms"] + threads.PARKED_MS)
    return table.assign(lost_share=lost, logged_share=logged)


def most(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of the largest crowd."""
    largest: pd.DataFrame = table[table["threads"] == table["threads"].max()]
    return largest
