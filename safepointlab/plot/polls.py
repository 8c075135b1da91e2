"""Loops and whether their code has a poll (a frame) -> tiles, one per combination: a poll, or NO POLL.

    plot.polls(frame, rows="shape", columns=["jdk", "gc"])

Columns used: polled (true, false, NA if unknown), and those named by `rows` and `columns`. A tile with several loops
says NO POLL if a single one has none: that is enough to make every other thread wait.
"""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from safepointlab.plot import _tiles, style
from safepointlab.plot._picture import picture

POLLED, BARE = "a poll", "NO POLL"
LOOKS = {POLLED: style.OUTCOMES["on time"], BARE: style.OUTCOMES["hung"]}


@picture("loops, with a column that says whether their code has a poll", "polled", labels=("rows", "columns"))
def polls(
    frame: pd.DataFrame,
    rows: _tiles.Labels = "shape",
    columns: _tiles.Labels = "jdk",
    ax: Axes | None = None,
    title: str | None = None,
) -> Axes:
    """Draw the poll map."""
    cells = _tiles.matrix(frame, rows, columns, _words(frame))
    ax = _tiles.canvas(ax, cells)
    if cells.empty:
        return style.empty(ax, title or "No loop was looked at")
    _tiles.draw(ax, cells, LOOKS)
    unpolled, tiles = _tiles.count(cells, BARE)
    finding = f"{unpolled or 'None'} of {tiles} have a loop without a poll{_tiles.where(cells, BARE)}"
    style.finding(ax, title or finding)
    return ax


def _words(frame: pd.DataFrame) -> "pd.Series[Any]":
    return frame["polled"].astype("boolean").map({True: POLLED, False: BARE}).astype("string")
