"""A sweep over a queue that keeps its links and one that cuts them -> tiles, one a JDK and collector: nepotism or not.

    plot.nepotism(frame, rows="jdk", columns="gc")

Columns used: args (a line whose first word names the queue), stopped_ms (how long the collector made the program wait),
and those named by `rows` and `columns`. It is nepotism where keeping the links costs the program both NOTICEABLE_MS and
WORSE times as much waiting as cutting them.
"""

import pandas as pd
from matplotlib.axes import Axes

from safepointlab.plot import _tiles, style
from safepointlab.plot._picture import picture

KEEPS = "NepotismQueue"
NOTICEABLE_MS, WORSE = 200, 10  # a busy machine alone makes a collector wait for some tens of ms
LOOKS = {"immune": style.OUTCOMES["on time"], "NEPOTISM": style.Look("nepotism", "#E69F00")}


@picture("a sweep of topics.nepotism", "args", "stopped_ms", labels=("rows", "columns"))
def nepotism(
    frame: pd.DataFrame,
    rows: _tiles.Labels = "jdk",
    columns: _tiles.Labels = "gc",
    ax: Axes | None = None,
    title: str | None = None,
) -> Axes:
    """Draw the matrix; below the word stands the wait in ms, links kept and links cut."""
    pairs = compared(frame, rows, columns)
    cells = _tiles.matrix(pairs, rows, columns, pairs["word"])
    ax = _tiles.canvas(ax, cells)
    if cells.empty:
        return style.empty(ax, title or "Nothing was run")
    _tiles.draw(ax, cells, LOOKS, _waits)
    style.axis_names(ax, "ms that the program had to wait for the collector: links kept / links cut")
    found, tiles = _tiles.count(cells, "NEPOTISM")
    style.finding(ax, title or f"{found} of {tiles} combinations keep a queue's dead nodes")
    return ax


def compared(frame: pd.DataFrame, rows: _tiles.Labels = "jdk", columns: _tiles.Labels = "gc") -> pd.DataFrame:
    """One row a combination: kept_ms and cut_ms, the medians of its runs, and word, what they amount to."""
    names = [name for part in (rows, columns) for name in ([part] if isinstance(part, str) else part)]
    keeps = frame["args"].astype("string").str.split(" ").str[0] == KEEPS
    waits = style.numbers(frame, "stopped_ms")
    sides = {"kept_ms": waits.where(keeps), "cut_ms": waits.where(~keeps)}
    found = frame[names].assign(**sides).groupby(names, sort=False).median().reset_index()
    worse = (found["kept_ms"] > NOTICEABLE_MS) & (found["kept_ms"] > WORSE * found["cut_ms"])
    known = found[["kept_ms", "cut_ms"]].notna().all(axis=1)
    return found.assign(word=worse.map({True: "NEPOTISM", False: "immune"}).where(known).astype("string"))


def _waits(_word: str, pair: pd.DataFrame) -> str:
    kept, cut = pair[["kept_ms", "cut_ms"]].median()
    return f"\n{kept:,.0f} / {cut:,.0f}"
