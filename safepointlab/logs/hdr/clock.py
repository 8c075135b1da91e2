"""A safepoint log and a program's notes -> the JVM's safepoints on the clock of the program's HDR log.

An HDR log counts from a time of day, a safepoint log from the JVM's start or by System.nanoTime(). The
program's note `load,<nanos>,start` has the moment at which its HDR log's time was 0.
"""

import pandas as pd

from safepointlab.logs import marks


def stops(notes: pd.DataFrame, safepoints: pd.DataFrame, longer_than_ms: float = 20.0) -> pd.DataFrame:
    """The safepoints longer than that: begin_s (since the HDR log's start), total_ms, ttsp_ms, operation.

    Args:
        notes: rows of logs.marks with the note of the start.
        safepoints: rows of logs.safepoint of the same run.
    """
    start = int(notes.loc[(notes["thread"] == "load") & (notes["mark"] == "start"), "nanos"].iloc[0])
    long = safepoints[(safepoints["kind"] == "safepoint") & (safepoints["total_ms"] > longer_than_ms)]
    begins = [(marks.began_ns(notes, stop) - start) / 1e9 for _, stop in long.iterrows()]
    long_stops = long[["total_ms", "ttsp_ms", "operation"]].assign(begin_s=begins)
    return long_stops[long_stops["begin_s"] > 0].reset_index(drop=True)


def asked(notes: pd.DataFrame) -> pd.DataFrame:
    """The collections that the program requested, from its request until it was done: begin_s, total_ms."""
    times = {
        mark: notes.loc[notes["mark"] == mark, "nanos"].astype("int64").to_numpy() for mark in ("asks", "answered")
    }
    start = int(notes.loc[(notes["thread"] == "load") & (notes["mark"] == "start"), "nanos"].iloc[0])
    done = times["answered"]
    requested = times["asks"][: len(done)]
    return pd.DataFrame({"begin_s": (requested - start) / 1e9, "total_ms": (done - requested) / 1e6})
