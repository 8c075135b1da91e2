"""A log's rows or lines -> those of each JVM: after a restart, or where a collector of logs has mixed several.

A JVM's uptime begins at 0 and never falls. Where the rows have the time of day as well, time - uptime is the JVM's
start, and tells JVMs apart whatever the order of the lines. Else a fall of the uptime is a restart; in a log without
uptimes, where the collections are counted from 0 again.
"""

import re
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, TextIO

import numpy as np
import numpy.typing as npt
import pandas as pd

from safepointlab.logs.lines.source import blocks

FALL_S, LITTLE_S = 1.0, 0.1  # lines of one JVM may be out of order by less: a stop's line comes at its end
NEAR_IDS = 10  # numbers of collections that overlap, as a major one and the minor ones beside it, differ by less
MOSTLY = 0.5  # of the steps of a log in reverse fall; of JVMs with short steps that follow one another a few do
SELDOM = 0.001  # falls per row; in a long log, JVMs that started one after another have fewer
SMALLER = 10  # times smaller are the steps of the uptimes if lines that alternate are given to the right JVMs
APART_S = 5.0  # starts that differ by more are of two JVMs, or of a machine that slept
# [pod/shop-a/app] of `kubectl logs --prefix`, and "app-1  | " of Docker Compose
STREAM = re.compile(r"\[(?P<pod>pod/[^\]\s]+)\] |(?P<service>[\w.-]{1,64}) +\| ")
Numbers = npt.NDArray[np.int64]
MOST_STREAMS, ENOUGH_LINES = 50, 200  # a prefix that so many lines have, all others have, too


def split(frame: pd.DataFrame) -> list[pd.DataFrame]:
    """The rows of each JVM, the one that began first in front."""
    numbers = _numbers(frame)
    if not numbers.any():
        return [frame]
    parts = [frame[numbers == number].reset_index(drop=True) for number in pd.unique(numbers)]
    for part in parts[:-1]:
        part.attrs = {**frame.attrs, "rows": len(part), "begun_s": None}  # only the last can have been left hanging
    parts[-1].attrs = {**frame.attrs, "rows": len(parts[-1])}
    return parts


def count(frame: pd.DataFrame) -> int:
    """How many JVMs wrote these rows, as far as their uptimes tell."""
    return len(np.unique(_numbers(frame))) or 1


def _numbers(frame: pd.DataFrame) -> Numbers:
    if "uptime_ms" in frame and len(frame):  # compiles
        return _by_fall(frame["uptime_ms"] / 1000)
    if len(frame) < 2 or "uptime_s" not in frame or not frame["uptime_s"].notna().any():
        ids = frame.get("gc_id", pd.Series(0, index=frame.index)).astype("float64").ffill().fillna(0).to_numpy()
        return np.cumsum(np.append(False, (ids[1:] < ids[:-1] / 2) & (ids[1:] < ids[:-1] - NEAR_IDS))[: len(frame)])
    return _by_start(frame) if "time" in frame and frame["time"].notna().all() else _by_fall(frame["uptime_s"])


def _by_start(frame: pd.DataFrame) -> Numbers:
    """The number of each row's JVM, by when it started; a machine that slept in between leaves the uptime rising."""
    clock_s = (frame["time"] - frame["time"].min()).dt.total_seconds().to_numpy()
    uptime_s = frame["uptime_s"].astype(float).ffill().bfill().to_numpy()
    start_s = clock_s - uptime_s
    order = np.argsort(start_s, kind="stable")
    groups = np.split(order, np.flatnonzero(np.diff(start_s[order]) > APART_S) + 1)
    numbers, number = np.zeros(len(frame), dtype=np.int64), 0
    for before, group in zip([groups[0], *groups], groups, strict=False):
        number += bool(group is not before and uptime_s[group].min() < uptime_s[before].max())
        numbers[group] = number
    return numbers


def _by_fall(uptime_s: "pd.Series[float]") -> Numbers:
    """The number of each row's JVM, by where the uptime falls; a log in reverse, which hardly ever rises, is of one.

    Where the falls are those of several JVMs whose lines alternate, a row is of the JVM whose uptime it follows.
    """
    values = uptime_s.astype(float).ffill().bfill().to_numpy()
    falls = np.append(False, _has_fallen(values[:-1], values[1:]))
    steps = np.diff(values)
    if len(steps) > 1 and (steps <= LITTLE_S).all() and (steps < 0).mean() > MOSTLY:
        return np.zeros(len(values), dtype=np.int64)
    restarted = np.cumsum(falls)
    if not falls.any() or falls.mean() < SELDOM:
        return restarted
    latest, alternating = list[float](), np.zeros(len(values), dtype=np.int64)
    for uptime in values.tolist():
        gaps = [np.inf if _has_fallen(last, uptime) else abs(uptime - last) for last in latest]
        jvm = int(np.argmin(gaps)) if gaps and min(gaps) < np.inf else len(latest)
        latest[jvm:] = [uptime, *latest[jvm + 1 :]]
        if len(latest) > MOST_STREAMS:
            return restarted
    for row in range(len(values) - 1, -1, -1):  # and backwards, as the first lines had no JVM yet to follow
        gaps = [np.inf if _has_fallen(values[row], last) else abs(values[row] - last) for last in latest]
        alternating[row] = np.argmin(gaps)
        latest[alternating[row]] = float(values[row])
    leaps = [pd.Series(values).groupby(numbers).diff().abs().sum() for numbers in (alternating, restarted)]
    return alternating if leaps[0] * SMALLER < leaps[1] else restarted


def _has_fallen(before: Any, after: Any) -> Any:
    """Whether an uptime is another JVM's: lower by more than lines may be out of order, or low as at a start."""
    return (after < before - FALL_S) | ((after < before - LITTLE_S) & (after < before / 2))


def stream_names(paths: Sequence[Path]) -> set[str]:
    """The names of the pods or services, where every line has one in front and there are several."""
    first = next(blocks(paths, named=True), None)
    lines = first.text.splitlines()[:ENOUGH_LINES] if first else []
    prefixes = [STREAM.match(line) for line in lines]
    names = {_name(prefix) for prefix in prefixes if prefix}
    return names if all(prefixes) and 1 < len(names) <= MOST_STREAMS else set()


def streams(paths: Sequence[Path], folder: Path) -> dict[str, Path]:
    """A file for each JVM, where every line has the name of its pod or service in front; else nothing.

    Args:
        folder: where the files are written; the names are those of the pods or services.
    """
    names = stream_names(paths)
    found: dict[str, Path] = {}
    with ExitStack() as stack:
        files: dict[str, TextIO] = {}
        for block in blocks(paths, named=True) if names else ():
            for line in block.text.splitlines(keepends=True):
                prefix = STREAM.match(line)
                name = _name(prefix) if prefix else next(iter(names))
                if name not in files and len(files) < MOST_STREAMS:
                    found[name] = folder / f"{len(files)}.log"
                    files[name] = stack.enter_context(found[name].open("w", encoding="utf-8"))
                if name in files:
                    files[name].write(line[prefix.end() :] if prefix else line)
    return found


def _name(prefix: "re.Match[str]") -> str:
    return str(prefix["pod"] or prefix["service"])
