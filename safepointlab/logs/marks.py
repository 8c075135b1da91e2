"""Time notes that a program's threads took (CSV) -> a frame, one row per note; and how long each thread ran on.

A sample keeps its notes in arrays that exist before, and writes them at its end, so that they disturb nothing.

    java -cp classes RunningStoppedRunning notes.csv        samples of the topic `safepoint`

>>> notes = read(["thread,nanos,mark", "polling,1000000,runs", "asleep,1000500,leaves"])
>>> notes.values.tolist()
[['polling', 1000000, 'runs'], ['asleep', 1000500, 'leaves']]

thread     "jvm" for notes about the JVM itself
nanos      System.nanoTime(), the clock of a log's decoration timenanos
mark       "runs": it made progress. "leaves", "returns": it went to sleep, or into native code, and came back to Java.
           "asks", "answered": its request for a safepoint, and the return. "start", of jvm: when the uptime was 0

`ran_on(notes, stops)` compares the notes with the log's safepoints, `pauses(notes, stops)` also with the time after.
`stops(notes, safepoints)` and `asked(notes)` have safepoints and requests on the clock of the program's HDR log.
"""

import re
from typing import Any

import pandas as pd

from safepointlab.logs.lines.source import Source, fields, with_counts

__all__ = ["COLUMNS", "MARK", "NAME", "asked", "began_ns", "pauses", "ran_on", "read", "stops"]

NAME = "marks"
COLUMNS = {"thread": "string", "nanos": "Int64", "mark": "string"}

# counted,3164654883357,runs
MARK = re.compile(r"^([A-Za-z][\w-]*),([0-9]{1,18}),([a-z]+)$", re.MULTILINE)
_HEADER = "thread,nanos,mark\n"
HAD_CORE_NS = 10_000_000  # a busy thread that has left no note for longer than this had no core
_START = re.compile(r"^[A-Za-z][\w-]*,\d{3}", re.MULTILINE)


def read(source: Source, strict: bool = False) -> pd.DataFrame:
    """Read notes; with strict, stop at the first that is damaged.

    Raises:
        DamagedLog, ForeignLog: when strict. UnreadableLog: the file cannot be opened.
    """
    rows, count = fields(source, NAME, MARK, _START, _HEADER, strict)
    frame = pd.DataFrame(rows, columns=list(COLUMNS)).astype({"nanos": "int64"}).astype(COLUMNS)
    return with_counts(frame, count)


def ran_on(notes: pd.DataFrame, stops: pd.DataFrame) -> pd.DataFrame:
    """How long each thread still made progress after the VM had begun to stop the threads.

    Args:
        stops: rows of `safepoint.read`: total_ms, and nanotime_ns or (8) begin_s.

    Returns:
        One row per safepoint and thread that noted progress: stop (the index of its row), thread, ran_on_ms, ttsp_ms.
    """
    running, rows = notes[notes["mark"] == "runs"], []
    for place, stop in stops.iterrows():
        begin = began_ns(notes, stop)
        reached = begin + 1e6 * stop["ttsp_ms"]
        late = running[running["nanos"].between(begin, reached)].groupby("thread")["nanos"].max()
        delays = ((late - begin) / 1e6).reindex(running["thread"].unique()).fillna(0.0)
        rows += [(place, thread, delay, stop["ttsp_ms"]) for thread, delay in delays.items()]
    return pd.DataFrame(rows, columns=["stop", "thread", "ran_on_ms", "ttsp_ms"])


def pauses(notes: pd.DataFrame, stops: pd.DataFrame) -> pd.DataFrame:
    """How long each thread made no progress because of a stop, and whether it had a core just before.

    Returns:
        One row per safepoint and thread that noted progress: stop, thread, ran_on_ms, paused_ms (the longest gap
        between two notes that overlaps the stop; NaN if it noted nothing after it), had_core (it noted something in
        the 10 ms before the request).
    """
    running, rows = notes[notes["mark"] == "runs"], []
    for place, stop in stops.iterrows():
        begin = began_ns(notes, stop)
        reached = begin + 1e6 * stop["ttsp_ms"]
        end = begin + 1e6 * stop["total_ms"]
        for thread, unordered in running.groupby("thread")["nanos"]:
            own = unordered.astype("int64").sort_values()
            before, met = own[own <= reached], (own > begin) & (own.shift() < end)
            paused = float((own.diff() / 1e6)[met].max()) if (own > end).any() else float("nan")
            had_core = bool(own.between(begin - HAD_CORE_NS, begin).any())
            ran_on = max(float(before.max() - begin) / 1e6, 0.0) if len(before) else 0.0
            rows.append((place, thread, ran_on, paused, had_core))
    return pd.DataFrame(rows, columns=["stop", "thread", "ran_on_ms", "paused_ms", "had_core"])


def began_ns(notes: pd.DataFrame, stop: Any) -> float:
    """When the VM began to stop the threads, by System.nanoTime(); a log of 8 needs the note of the JVM's start."""
    if pd.notna(stop["nanotime_ns"]):
        return float(stop["nanotime_ns"]) - 1e6 * float(stop["total_ms"])
    start = notes.loc[notes["thread"] == "jvm", "nanos"]
    return float(start.iloc[0]) + 1e9 * float(stop["begin_s"])


def stops(notes: pd.DataFrame, safepoints: pd.DataFrame, longer_than_ms: float = 20.0) -> pd.DataFrame:
    """The safepoints longer than that: begin_s (since the HDR log's start), total_ms, ttsp_ms, operation.

    Args:
        notes: with the note `load,<nanos>,start`, the moment at which the HDR log's time was 0.
        safepoints: rows of logs.safepoint of the same run.
    """
    start = _load_start(notes)
    long = safepoints[(safepoints["kind"] == "safepoint") & (safepoints["total_ms"] > longer_than_ms)]
    begins = [(began_ns(notes, stop) - start) / 1e9 for _, stop in long.iterrows()]
    long_stops = long[["total_ms", "ttsp_ms", "operation"]].assign(begin_s=begins)
    return long_stops[long_stops["begin_s"] > 0].reset_index(drop=True)


def asked(notes: pd.DataFrame) -> pd.DataFrame:
    """The collections that the program requested, from its request until it was done: begin_s, total_ms."""
    nanos = notes["nanos"].astype("int64")
    done = nanos[notes["mark"] == "answered"].to_numpy()
    requested = nanos[notes["mark"] == "asks"].to_numpy()[: len(done)]
    return pd.DataFrame({"begin_s": (requested - _load_start(notes)) / 1e9, "total_ms": (done - requested) / 1e6})


def _load_start(notes: pd.DataFrame) -> int:
    return int(notes.loc[(notes["thread"] == "load") & (notes["mark"] == "start"), "nanos"].iloc[0])
