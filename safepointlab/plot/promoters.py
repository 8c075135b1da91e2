"""A sweep over queues -> a bar for each: does it keep its dead nodes, and how much was promoted for them.

    plot.promoters(nepotism.libraries(versions))

Where a queue does otherwise on some JDK than on the others, there is a tile for each queue and JDK instead.

Columns used: promoted_mib (all that young collections moved to the old generation), and those named by `rows` and
`columns`. A queue keeps its dead nodes where a run promotes more than NOTICEABLE_MIB. The program offers and polls one
element at a time, so of what it needs there is next to nothing to promote.
"""

import pandas as pd
from matplotlib.axes import Axes

from safepointlab.plot import _alternative, _tiles, style
from safepointlab.plot._picture import picture
from safepointlab.plot.nepotism import LOOKS

NOTICEABLE_MIB = 50
NAME_INCHES, MOST_INCHES = 0.115, 11.0  # of a queue's name, a letter; of the picture
BARS_INCHES, ROOM = 5.2, 1.7  # of the bars; of their scale, for the words beside the longest


@picture("a sweep of nb07_nepotism.experiments", "promoted_mib", labels=("rows", "columns"))
def promoters(
    frame: pd.DataFrame,
    rows: _tiles.Labels = "queue",
    columns: _tiles.Labels = "jdk",
    ax: Axes | None = None,
    title: str | None = None,
) -> Axes:
    """Draw the bars, or the matrix: below the word is what was promoted, in MiB."""
    promoted = style.numbers(frame, "promoted_mib")
    words = (promoted > NOTICEABLE_MIB).map({True: "NEPOTISM", False: "immune"}).where(promoted.notna())
    cells = _tiles.matrix(frame, rows, columns, words.astype("string"))
    if cells.empty:
        return style.empty(style.canvas(ax), title or "Nothing was run")
    alike = bool(cells.groupby("row")["word"].nunique(dropna=False).eq(1).all())
    across = BARS_INCHES if alike else 1.35 * cells["column"].nunique()
    ax = style.canvas(ax, _width(cells, across), 1.4 + (0.5 if alike else 0.62) * cells["row"].nunique())
    if alike:
        _bars(ax, cells)
    else:
        _tiles.draw(ax, cells, LOOKS, _promoted)
        style.axis_names(ax, "promoted, MiB")
    style.finding(ax, title or _finding(cells))
    return ax


def _width(cells: pd.DataFrame, across: float) -> float:
    names = max(len(line) for name in cells["row"].unique() for line in str(name).split("\n"))
    return min(MOST_INCHES, 1.0 + NAME_INCHES * names + across)


def _promoted(_word: str, rows: pd.DataFrame) -> str:
    return f"\n{rows['promoted_mib'].median():,.0f}"


def _bars(ax: Axes, cells: pd.DataFrame) -> None:
    """A bar for each queue, with its word and its number, or the least and the most of the runs."""
    queues = {str(name): rows for name, rows in cells.groupby("row", sort=False)}
    said = {name: _said(rows) for name, rows in queues.items()}
    for place, (name, rows) in enumerate(queues.items()):
        word, most = rows["word"].iloc[0], float(rows["promoted_mib"].max())
        ax.barh(place, most, 0.62, color=LOOKS[word].color if pd.notna(word) else style.PAPER)
        style.label(ax, most, place, said[name], offset=(6, 0), fontsize=style.TEXT_PT)
    ax.set(ylim=(len(queues) - 0.4, -0.6), xlim=(0, ROOM * max(float(cells["promoted_mib"].max()), NOTICEABLE_MIB)))
    ax.set_yticks(range(len(queues)), list(queues))
    ax.tick_params(axis="y", length=0, labelsize=style.SMALL_PT)
    style.axis_names(ax, f"promoted, MiB, on {_all_of(cells['column'])}")
    _alternative.own(ax, " ".join(f"{' '.join(name.split())}: {words}." for name, words in said.items()))


def _said(rows: pd.DataFrame) -> str:
    """A queue's word and its number, or the least and the most: "NEPOTISM: 254–255 MiB"."""
    numbers = dict.fromkeys(f"{value:,.0f}" for value in sorted(rows["promoted_mib"].dropna()))
    if not numbers:
        return "–"
    least, *more = numbers
    return f"{rows['word'].iloc[0]}: {least}{f'–{more[-1]}' if more else ''}\N{NO-BREAK SPACE}MiB"


def _all_of(columns: "pd.Series[str]") -> str:
    """The columns in one word: "JDK 8–25"."""
    first, *more = dict.fromkeys(str(name) for name in columns)
    return f"{first}–{more[-1].removeprefix('JDK ')}" if more else first


def _finding(cells: pd.DataFrame) -> str:
    keeping = cells[cells["word"] == "NEPOTISM"]
    if keeping.empty:
        return "No queue keeps its dead nodes"
    names = dict.fromkeys(str(name).replace("\n", " of ") for name in keeping["row"])
    many = f"{len(names)} of {cells['row'].nunique()} queues"
    tiles, _ = _tiles.count(cells, "NEPOTISM")
    where = "" if tiles == len(names) * cells["column"].nunique() else f", in {tiles} tiles"
    return f"Dead nodes are kept by {many if len(names) > 1 else next(iter(names))}{where}"
