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
"""

import re
from typing import Any

import pandas as pd

from safepointlab.logs.lines.source import Source, fields, with_counts

__all__ = ["COLUMNS", "MARK", "NAME", "pauses", "ran_on", "read"]

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
    running = notes[notes["mark"] == "runs"]
    rows = [row for place, stop in stops.iterrows() for row in _ran_on(running, notes, place, stop)]
    return pd.DataFrame(rows, columns=["stop", "thread", "ran_on_ms", "ttsp_ms"])


def _ran_on(running: pd.DataFrame, notes: pd.DataFrame, place: Any, stop: Any) -> list[dict[str, Any]]:
    begin = began_ns(notes, stop)
    reached = begin + 1e6 * stop["ttsp_ms"]
    late = running[running["nanos"].between(begin, reached)].groupby("thread")["nanos"].max()
    delays = ((late - begin) / 1e6).reindex(running["thread"].unique()).fillna(0.0)
    about = {"stop": place, "ttsp_ms": stop["ttsp_ms"]}
    return [{**about, "thread": thread, "ran_on_ms": delay} for thread, delay in delays.items()]


def pauses(notes: pd.DataFrame, stops: pd.DataFrame) -> pd.DataFrame:
    """How long each thread made no progress because of a stop, and whether it had a core just before.

    Returns:
        One row per safepoint and thread that noted progress: stop, thread, ran_on_ms, paused_ms (from its last note
        before the safepoint was reached to its first after), had_core (it noted something in the 10 ms before the
        request).
    """
    running = notes[notes["mark"] == "runs"]
    rows = [row for place, stop in stops.iterrows() for row in _paused(running, notes, place, stop)]
    return pd.DataFrame(rows, columns=["stop", "thread", "ran_on_ms", "paused_ms", "had_core"])


def _paused(running: pd.DataFrame, notes: pd.DataFrame, place: Any, stop: Any) -> list[dict[str, Any]]:
    begin, rows = began_ns(notes, stop), []
    reached = begin + 1e6 * stop["ttsp_ms"]
    for thread, own in running.groupby("thread")["nanos"]:
        before, after = own[own <= reached], own[own > reached]
        paused = (after.min() - before.max()) / 1e6 if len(before) and len(after) else float("nan")
        had_core = bool(own.between(begin - HAD_CORE_NS, begin).any())
        ran_on = max(float(before.max() - begin) / 1e6, 0.0) if len(before) else 0.0
        rows += [{"stop": place, "thread": thread, "ran_on_ms": ran_on, "paused_ms": paused, "had_core": had_core}]
    return rows


def began_ns(notes: pd.DataFrame, stop: Any) -> float:
    """When the VM began to stop the threads, by System.nanoTime(); a log of 8 needs the note of the JVM's start."""
    if pd.notna(stop["nanotime_ns"]):
        return float(stop["nanotime_ns"]) - 1e6 * float(stop["total_ms"])
    start = notes.loc[notes["thread"] == "jvm", "nanos"]
    return float(start.iloc[0]) + 1e9 * float(stop["begin_s"])
