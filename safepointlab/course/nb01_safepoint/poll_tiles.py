"""Which loops have a poll -> tiles, one per method and kind of code."""

import pandas as pd
from matplotlib.axes import Axes

from safepointlab.plot import _tiles, style
from safepointlab.plot._picture import picture

POLLS = {"a poll": style.OUTCOMES["on time"], "NO POLL": style.OUTCOMES["hung"]}


@picture("loops, with a column that says whether their code has a poll", "polled", labels=("rows", "columns"))
def draw(frame: pd.DataFrame, rows: str, columns: str, title: str, ax: Axes | None = None) -> Axes:
    """Draw a tile per combination: a poll, NO POLL if a single one of its loops has none, or "–" if unknown."""
    words = frame["polled"].astype("boolean").map({True: "a poll", False: "NO POLL"}).astype("string")
    cells = _tiles.matrix(frame, rows, columns, words)
    ax = _tiles.canvas(ax, cells)
    if cells.empty:
        return style.empty(ax, title)
    _tiles.draw(ax, cells, POLLS)
    style.finding(ax, title)
    return ax
