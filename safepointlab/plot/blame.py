"""Whom profilers blame -> tiles, one per case and profiler: the place named first, right or wrong.

    plot.blame(frame, columns=["jdk", "gc"])

Columns used: case, method, line, samples, share, right, and those named by `columns` (and `rows`). Each tile holds the
place that most of its samples name, and their share; a place that is known without samples has no share.
"""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from safepointlab.plot import _tiles, style
from safepointlab.plot._picture import picture

LOOKS = {True: style.Look("the hot loop", "#CDE7D8"), False: style.Look("another method", "#6B1414")}


@picture(
    "what nb20_blame.experiments measures",
    "method",
    "line",
    "samples",
    "share",
    "right",
    labels=("columns", "rows"),
)
def blame(
    frame: pd.DataFrame,
    columns: _tiles.Labels = "profiler",
    rows: _tiles.Labels = "case",
    ax: Axes | None = None,
    title: str | None = None,
) -> Axes:
    """Draw the place that each profiler blames in each case."""
    cells = _tiles.matrix(frame, rows, columns, _places(frame))
    cells = cells.reset_index(drop=True)  # frames put together keep their numbers, and the order goes by these
    first = cells.sort_values("samples", ascending=False, kind="stable").drop_duplicates(["row", "column"]).sort_index()
    ax = style.canvas(
        ax, min(12.0, 2.3 + 1.65 * max(first["column"].nunique(), 2)), 2.2 + 0.62 * first["row"].nunique()
    )
    if first.empty:
        return style.empty(ax, title or "Nobody was sampled")
    looks = {str(row["word"]): LOOKS[bool(row["right"])] for row in first.to_dict("records")}
    _tiles.draw(ax, first, looks, _share)
    style.key(ax, [look for right, look in LOOKS.items() if (first["right"] == right).any()])
    style.finding(ax, title or _finding(first))
    return ax


def _places(frame: pd.DataFrame) -> "pd.Series[Any]":
    """The method, with its line where the profiler tells it: "setResult:62"."""
    line = (":" + frame["line"].astype("string")).fillna("")
    return frame["method"].astype("string") + line


def _share(_word: str, same: pd.DataFrame) -> str:
    share = same["share"].iloc[0]
    return "" if pd.isna(share) else f"\n{share:.0%}"


def _finding(first: pd.DataFrame) -> str:
    wrong, tiles = int((~first["right"].astype(bool)).sum()), len(first)
    if wrong == tiles:
        return f"The hot loop is never blamed: all {tiles} are wrong"
    return f"{wrong or 'None'} of {tiles} blame another method than that of the hot loop"
