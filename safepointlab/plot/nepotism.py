"""A sweep over a queue that keeps its links and one that cuts them -> tiles, per JDK and collector: nepotism or not.

    plot.nepotism(frame, rows="jdk", columns="gc")

Columns used: args (a line whose first word names the queue), stopped_ms (how long the collector made the program wait),
and those named by `rows` and `columns`. It is nepotism where keeping the links costs the program both NOTICEABLE_MS and
WORSE times as much waiting as cutting them.
"""

import pandas as pd
from matplotlib.axes import Axes

from safepointlab.plot import _tiles, style
from safepointlab.plot._picture import picture
from safepointlab.plot.chain import KEPT_DEAD

KEEPS = "NepotismQueue"
NOTICEABLE_MS, WORSE = 200, 10  # a busy machine alone makes a collector wait for some tens of ms
LOOKS = {"immune": style.OUTCOMES["on time"], "NEPOTISM": style.Look("nepotism", KEPT_DEAD)}


@picture("a sweep of nb07_nepotism.experiments", "args", "stopped_ms", labels=("rows", "columns"))
def nepotism(
    frame: pd.DataFrame,
    rows: _tiles.Labels = "jdk",
    columns: _tiles.Labels = "gc",
    ax: Axes | None = None,
    title: str | None = None,
) -> Axes:
    """Draw the matrix; below the word is the wait in ms, with links kept and with links cut."""
    pairs = compared(frame, rows, columns)
    cells = _tiles.matrix(pairs, rows, columns, pairs["word"])
    ax = _tiles.canvas(ax, cells)
    if cells.empty:
        return style.empty(ax, title or "Nothing was run")
    _tiles.draw(ax, cells, LOOKS, _waits)
    style.axis_names(ax, "ms that the program had to wait for the collector: links kept / links cut")
    affected, tiles = _tiles.count(cells, "NEPOTISM")
    style.finding(ax, title or f"{affected} of {tiles} combinations keep a queue's dead nodes")
    return ax


def compared(frame: pd.DataFrame, rows: _tiles.Labels = "jdk", columns: _tiles.Labels = "gc") -> pd.DataFrame:
    """One row per combination: kept_ms and cut_ms, the medians of its runs, and word, the verdict on them."""
    names = [name for part in (rows, columns) for name in ([part] if isinstance(part, str) else part)]
    keeps = frame["args"].astype("string").str.split(" ").str[0] == KEEPS
    waits = style.numbers(frame, "stopped_ms")
    sides = {"kept_ms": waits.where(keeps), "cut_ms": waits.where(~keeps)}
    medians = frame[names].assign(**sides).groupby(names, sort=False).median().reset_index()
    worse = (medians["kept_ms"] > NOTICEABLE_MS) & (medians["kept_ms"] > WORSE * medians["cut_ms"])
    known = medians[["kept_ms", "cut_ms"]].notna().all(axis=1)
    return medians.assign(word=worse.map({True: "NEPOTISM", False: "immune"}).where(known).astype("string"))


def _waits(_word: str, pair: pd.DataFrame) -> str:
    kept, cut = pair[["kept_ms", "cut_ms"]].median()
    return f"\n{kept:,.0f} / {cut:,.0f}"
