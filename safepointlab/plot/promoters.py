"""A sweep over queues -> tiles, per queue and JDK: does it keep its dead nodes, and how much was promoted for them.

    plot.promoters(nepotism.libraries(versions))

Columns used: promoted_mib (all that young collections moved to the old generation), and those named by `rows` and
`columns`. A queue keeps its dead nodes where a run promotes more than NOTICEABLE_MIB. The program offers and polls one
element at a time, so of what it needs there is next to nothing to promote.
"""

import pandas as pd
from matplotlib.axes import Axes

from safepointlab.plot import _tiles, style
from safepointlab.plot._picture import picture
from safepointlab.plot.nepotism import LOOKS

NOTICEABLE_MIB = 50
NAME_INCHES, MOST_INCHES = 0.115, 11.0  # of a queue's name, a letter; of the picture


@picture("a sweep of topics.nepotism", "promoted_mib", labels=("rows", "columns"))
def promoters(
    frame: pd.DataFrame,
    rows: _tiles.Labels = "queue",
    columns: _tiles.Labels = "jdk",
    ax: Axes | None = None,
    title: str | None = None,
) -> Axes:
    """Draw the matrix; below the word is what was promoted, in MiB."""
    promoted = style.numbers(frame, "promoted_mib")
    words = (promoted > NOTICEABLE_MIB).map({True: "NEPOTISM", False: "immune"}).where(promoted.notna())
    cells = _tiles.matrix(frame, rows, columns, words.astype("string"))
    if cells.empty:
        return style.empty(style.canvas(ax), title or "Nothing was run")
    ax = style.canvas(ax, _width(cells), 1.4 + 0.62 * cells["row"].nunique())
    _tiles.draw(ax, cells, LOOKS, _promoted)
    style.axis_names(ax, "promoted, MiB")
    style.finding(ax, title or _finding(cells))
    return ax


def _width(cells: pd.DataFrame) -> float:
    names = max(len(line) for name in cells["row"].unique() for line in str(name).split("\n"))
    return min(MOST_INCHES, 1.0 + NAME_INCHES * names + 1.35 * cells["column"].nunique())


def _promoted(_word: str, rows: pd.DataFrame) -> str:
    return f"\n{rows['promoted_mib'].median():,.0f}"


def _finding(cells: pd.DataFrame) -> str:
    keeping = cells[cells["word"] == "NEPOTISM"]
    if keeping.empty:
        return "No queue keeps its dead nodes"
    names = dict.fromkeys(str(name).replace("\n", " of ") for name in keeping["row"])
    many = f"{len(names)} of {cells['row'].nunique()} queues"
    tiles, _ = _tiles.count(cells, "NEPOTISM")
    where = "" if tiles == len(names) * cells["column"].nunique() else f", in {tiles} tiles"
    return f"Dead nodes are kept by {many if len(names) > 1 else next(iter(names))}{where}"
