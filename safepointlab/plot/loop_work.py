"""The work of loops per iteration (`read.assembly.loop_work`) -> tiles: vector ×64, unrolled ×4, with their polls.

    plot.loop_work(frame, rows="loop", columns="jdk")

Columns used: work, per_pass, range_checks, poll, and those named by `rows` and `columns`. The darker a tile, the more
the loop does at once. A dot is a poll in every pass, a dot in brackets one in a loop around it.
"""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from safepointlab.plot import _tiles, style
from safepointlab.plot._picture import picture

LOOKS = {
    "no loop": style.Look("no loop", "#F2F2F2"),
    "vector": style.Look("vector", "#0B3C6F"),
    "stub": style.Look("stub", "#4F9BC7"),
    "unrolled": style.Look("unrolled", "#E69F00"),
    "one by one": style.Look("one by one", "#F5E663"),
}
POLLS = {"each pass": "●", "around": "(●)"}
NOTE = "×: elements in one pass of the compiled loop · ● a poll in every pass · (●) in a loop around it"


@picture("read.assembly.loop_work", "work", "per_pass", "range_checks", "poll", labels=("rows", "columns"))
def loop_work(
    frame: pd.DataFrame,
    rows: _tiles.Labels = "method",
    columns: _tiles.Labels = "jdk",
    ax: Axes | None = None,
    title: str | None = None,
) -> Axes:
    """Draw one tile per combination; of several loops in it the one that does least at once."""
    cells = _tiles.matrix(frame, rows, columns, frame["work"])
    down, across = max(cells["row"].nunique(), 2), max(cells["column"].nunique(), 4)
    ax = style.canvas(ax, 1.9 + 1.5 * across, 1.4 + 0.62 * down)
    if cells.empty:
        return style.empty(ax, title or "No loop was looked at")
    _tiles.draw(ax, cells, LOOKS, _detail)
    style.note(ax, NOTE)
    vectors, tiles = _tiles.count(cells, "vector")
    style.finding(ax, title or f"{vectors or 'None'} of {tiles} work on vectors{_tiles.where(cells, 'vector')}")
    return ax


def _detail(_word: str, same: pd.DataFrame) -> str:
    """How many elements at once; in the line below the range checks and polls on the way: " ×4", "8 checks (●)"."""
    row: Any = same.iloc[0]
    factor = f" ×{row['per_pass']}" if pd.notna(row["per_pass"]) and row["per_pass"] > 1 else ""
    checks = _checks(int(row["range_checks"]))
    below = " ".join(filter(None, [checks, POLLS.get(row["poll"])]))
    return factor + (f"\n{below}" if below else "")


def _checks(number: int) -> str:
    return f"{number} check{'s' * (number > 1)}" if number else ""
