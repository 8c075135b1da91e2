"""A sweep (a frame of `lab.sweep`) -> tiles, one per combination, that say in words: on time, late, HUNG.

    plot.outcomes(frame, rows="jdk", columns=["gc", "flags"], late_ms=2000)

Columns used: outcome ("exited", "hung", "failed", "not possible", "no JDK"), wall_ms, and those named by `rows` and
`columns`. Repeats of one combination share a tile: the worst of them gives the colour, the words count them.
"""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from safepointlab.phrases import listed
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
    """Where it hangs, column by column: "It hangs with Serial on every JDK, with G1 on JDK 8 only"; or how it exits."""
    known = cells[cells["word"].isin(["on time", "late", "HUNG"])]
    if known.empty:
        return "No run came to an outcome"
    places = {str(column): _where_it_hangs(tiles, known["row"].nunique()) for column, tiles in _by(known, "column")}
    grouped: dict[str, list[str]] = {}
    for column, place in places.items():
        grouped.setdefault(place, []).append(column)
    exits = grouped.pop("", [])
    if not grouped:
        late = int((known["word"] == "late").sum())
        return f"It exits everywhere, late in {late} of {len(known)} runs" if late else "It exits on time everywhere"
    alone = cells["column"].nunique() == 1
    told = [place if alone else f"with {_named(columns)} {place}" for place, columns in grouped.items()]
    rest = f";\nit exits with {_named(exits) if len(exits) < 3 else f'the {len(exits)} others'}" if exits else ""
    return f"It hangs {', '.join(told)}{rest}"


def _by(cells: pd.DataFrame, level: str) -> Any:
    return cells.groupby(level, sort=False)


def _where_it_hangs(column: pd.DataFrame, rows: int) -> str:
    """In which rows of one column a run hung: "on every JDK", "on JDK 8 and 11", "in 2 of 3 rows"; "" in none."""
    tiles = {str(row): tiles["word"] == "HUNG" for row, tiles in _by(column, "row")}
    hung = {row: words for row, words in tiles.items() if words.any()}
    if not hung:
        return ""
    some = "" if all(words.all() for words in hung.values()) else ", though not in each run"
    if not all(row.startswith("JDK ") for row in hung):
        return ("in every row" if len(hung) == rows else f"in {len(hung)} of {rows} rows") + some
    numbers = listed(row.removeprefix("JDK ") for row in hung)
    return ("on every JDK" if len(hung) == rows > 1 else f"on JDK {numbers}") + some


def _named(columns: list[str]) -> str:
    """ "Serial and G1", "the JDK's own collector", "no flag and -Xint"."""
    names = (_tiles.short(name).replace("\N{NO-BREAK SPACE}", " ") for name in columns)
    return listed(f"the {name}" if name.startswith("JDK's") else name for name in names)
