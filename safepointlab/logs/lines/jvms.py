"""A log's rows or lines -> those of each JVM: after a restart, or where a collector of logs has mixed several.

A JVM's uptime begins at 0 and never falls. Where the rows have the time of day as well, time - uptime is the JVM's
start, and tells JVMs apart whatever the order of the lines. Else a fall of the uptime is a restart.
"""

import re
from contextlib import ExitStack
from pathlib import Path
from typing import TextIO

import numpy as np
import pandas as pd

from safepointlab.logs.lines.source import blocks

FALL_S = 1.0  # lines of one JVM may be out of order by less: a stop's line comes at its end
APART_S = 5.0  # starts that differ by more are of two JVMs, or of a machine that slept
# [pod/shop-a/app] of `kubectl logs --prefix`, and "app-1  | " of Docker Compose
STREAM = re.compile(r"\[(?P<pod>pod/[^\]\s]+)\] |(?P<service>[\w.-]{1,64}) +\| ")
MOST_STREAMS, ENOUGH_LINES = 50, 200  # a prefix that so many lines have, all others have, too


def split(frame: pd.DataFrame) -> list[pd.DataFrame]:
    """The rows of each JVM, the one that began first in front; a frame without uptimes is one JVM's."""
    if len(frame) < 2 or "uptime_s" not in frame or not frame["uptime_s"].notna().any():
        return [frame]
    numbers = _by_start(frame) if "time" in frame and frame["time"].notna().all() else _by_fall(frame["uptime_s"])
    parts = [frame[numbers == number].reset_index(drop=True) for number in pd.unique(numbers)]
    for part in parts[:-1]:
        part.attrs = {**frame.attrs, "rows": len(part), "begun_s": None}  # only the last can have been left hanging
    parts[-1].attrs = {**frame.attrs, "rows": len(parts[-1])}
    return parts


def _by_start(frame: pd.DataFrame) -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
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


def _by_fall(uptime_s: "pd.Series[float]") -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
    """The number of each row's JVM, by where the uptime falls; a log in reverse, which falls everywhere, is of one."""
    falls = uptime_s.astype(float).ffill().diff().to_numpy() < -FALL_S
    if falls[1:].all() and len(falls) > 2:
        return np.zeros(len(uptime_s), dtype=np.int64)
    return np.cumsum(falls)


def streams(path: Path, folder: Path) -> dict[str, Path]:
    """A file for each JVM, where every line has the name of its pod or service in front; else nothing.

    Args:
        folder: where the files are written; the names are those of the pods or services.
    """
    first = next(blocks(path, named=True), None)
    lines = first.text.splitlines()[:ENOUGH_LINES] if first else []
    prefixes = [STREAM.match(line) for line in lines]
    names = {_name(prefix) for prefix in prefixes if prefix}
    if not all(prefixes) or not 1 < len(names) <= MOST_STREAMS:
        return {}
    found: dict[str, Path] = {}
    with ExitStack() as stack:
        files: dict[str, TextIO] = {}
        for block in blocks(path, named=True):
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
