"""A sweep (a frame of `lab.sweep`) -> tiles, one per combination, that say in words: on time, late, HUNG.

    plot.outcomes(frame, rows="jdk", columns=["gc", "flags"], late_ms=2000)

Columns used: outcome ("exited", "hung", "failed", "not possible", "no JDK"), wall_ms, and those named by `rows` and
`columns`. Repeats of one combination share a tile: the worst of them gives the colour, the words count them.
"""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from safepointlab.plot import _tiles, style
from safepointlab.plot._picture import picture

LOOKS = {
    "on time": style.OUTCOMES["on time"],
    "late": style.OUTCOMES["late"],
    "HUNG": style.OUTCOMES["hung"],
    "failed": style.Look("failed", "#C9C9C9"),
}


@picture("lab.sweep", "outcome", labels=("rows", "columns"))
def outcomes(
    frame: pd.DataFrame,
    rows: _tiles.Labels = "jdk",
    columns: _tiles.Labels = "flags",
    late_ms: float | None = None,
    ax: Axes | None = None,
    title: str | None = None,
) -> Axes:
    """Draw the matrix; a run that exited counts as late beyond `late_ms`."""
    cells = _tiles.matrix(frame, rows, columns, words(frame, late_ms))
    ax = _tiles.canvas(ax, cells)
    if cells.empty:
        return style.empty(ax, title or "Nothing was run")
    _tiles.draw(ax, cells, LOOKS, _how_late)
    style.finding(ax, title or _finding(cells))
    return ax


def words(frame: pd.DataFrame, late_ms: float | None = None) -> "pd.Series[Any]":
    """The word for each run: "on time", "late", "HUNG", or the reason why it has no result."""
    named = frame["outcome"].astype("object").map({"exited": "on time", "hung": "HUNG"}).fillna(frame["outcome"])
    late = (frame["outcome"] == "exited") & (style.numbers(frame, "wall_ms") > (late_ms or np.inf))
    return named.mask(late, "late").astype("string")


def _how_late(word: str, runs: pd.DataFrame) -> str:
    return f"\n{runs['wall_ms'].median() / 1000:.1f} s" if word == "late" else ""


def _finding(cells: pd.DataFrame) -> str:
    hung, tiles = _tiles.count(cells, "HUNG")
    if hung:
        where = _tiles.where(cells, "HUNG", others=True)
        return f"{hung} of {tiles} combinations {'hangs' if hung == 1 else 'hang'}{where}"
    late = int((cells["word"] == "late").sum())
    return f"None of {tiles} combinations hangs" + (f", {late} runs exit late" if late else "")
