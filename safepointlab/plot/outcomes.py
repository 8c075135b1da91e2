"""A sweep (a frame of `lab.sweep`) -> tiles, one per combination: on time, late, still running, HUNG.

    plot.outcomes(frame, rows="jdk", columns=["gc", "flags"], late_ms=2000)
    plot.outcomes(frame, columns=["gc", "args"], late_ms=200, time="gc_ms", what="the collection")
    plot.outcomes(frame, rows=["args", "jdk"], columns="aot")  # the title has a line for each value of args
    plot.outcomes({"the program": cured, "a variant": called}, late_ms=2000)

Columns used: outcome ("exited", "hung", "still running", "failed", "does not compile", "not possible", "no JDK"), and
those named by `time`, `rows` and `columns`. HUNG is a JVM that answered nothing at its deadline; one that answered
was still running. Repeats of one combination share a tile: the worst of them gives the colour, the words count them.
The names of several tables stand above their columns.
"""

import re
from collections.abc import Mapping
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
    "still running": style.OUTCOMES["still running"],
    "HUNG": style.OUTCOMES["hung"],
    "failed": style.Look("failed", "#C9C9C9"),
}
FEW = 3  # JDKs: fewer are named, even if they are all that there are
HUNG = " (HUNG: at its deadline, the JVM still ran and didn't respond)"
NO_JVM = ("does not compile", "not possible", "no JDK", "not recorded")
LONG_NAME = 3  # words of "with no flag": of more, the place stands before the name
WIDE = 10.0  # inches: room for a title with a line for each of several names
MOST_LETTERS = 92  # of such a line: of a longer one, what does not hang is left out


@picture("lab.sweep", "outcome", labels=("rows", "columns"))
def outcomes(
    frame: pd.DataFrame | Mapping[str, pd.DataFrame],
    rows: _tiles.Labels = "jdk",
    columns: _tiles.Labels = "flags",
    late_ms: float | None = None,
    ax: Axes | None = None,
    title: str | None = None,
    time: str = "wall_ms",
    what: str = "",
) -> Axes:
    """Draw the matrix; a run that exited counts as late if its `time`, a column in ms, is more than `late_ms`.

    Args:
        what: whose time it is, in words; by default that of the JVM until it exits.
    """
    tables = frame if isinstance(frame, Mapping) else {"": frame}
    tables = {str(name): table.assign(table=str(name)) for name, table in tables.items() if len(table)}
    if not tables:
        return style.empty(_tiles.canvas(ax, pd.DataFrame(columns=["row", "column"])), title or "Nothing was run")
    runs = pd.concat(tables.values(), ignore_index=True) if len(tables) > 1 else next(iter(tables.values()))
    runs = _tiles.grouped(runs, ["table", *([rows] if isinstance(rows, str) else rows)])
    cells = _tiles.matrix(runs, rows, columns, words(runs, late_ms, time))
    of_several = cells.groupby("column")["table"].transform("nunique") > 1
    cells["column"] = cells["column"].mask(of_several, cells["table"] + " " + cells["column"])
    lines = [title] if title else _findings(cells, rows, columns, f"over {late_ms or 0:,.0f} ms", what)
    ax = _tiles.canvas(ax, cells, WIDE if len(lines) > 1 else 8.0)
    _tiles.draw(ax, cells, LOOKS, lambda word, runs: f"\n{runs[time].median() / 1000:.1f} s" if word == "late" else "")
    said = _tiles.note(cells[~cells["word"].isin(NO_JVM)], (rows, columns), " ".join(lines))
    style.note(ax, said + HUNG * bool(said and (cells["word"] == "HUNG").any()))
    if len(tables) > 1:
        _name_tables(ax, list(cells.drop_duplicates("column")["table"]))
    style.finding(ax, "\n".join(lines), lines_above=len(tables) > 1)
    return ax


def _name_tables(ax: Axes, owners: list[str]) -> None:
    """Write the names of the tables above their columns, with a line between two; `owners` has one for each column."""
    for name in dict.fromkeys(owners):
        first, count = owners.index(name), owners.count(name)
        at: dict[str, Any] = {"ha": "center", "va": "bottom", "fontsize": style.SMALL_PT, "color": style.INK}
        ax.text(first + (count - 1) / 2, -0.58, name, **at)
        if first:
            ax.axvline(first - 0.5, color=style.INK, lw=2)


def words(frame: pd.DataFrame, late_ms: float | None = None, time: str = "wall_ms") -> "pd.Series[Any]":
    """The word for each run: "on time", "late", "still running", "HUNG", or the reason why it has no result."""
    named = frame["outcome"].astype("object").map({"exited": "on time", "hung": "HUNG"}).fillna(frame["outcome"])
    late = (frame["outcome"] == "exited") & (style.numbers(frame, time) > (late_ms or np.inf))
    return named.mask(late, "late").astype("string")


def _findings(cells: pd.DataFrame, rows: _tiles.Labels, columns: _tiles.Labels, late: str, what: str) -> list[str]:
    """The finding, under the collector that all runs have.

    There's a line for each value that names rows before the JDK does, or columns besides the collector.
    """
    above = [] if isinstance(rows, str) or "jdk" not in rows else list(rows)[: list(rows).index("jdk")]
    beside = [] if isinstance(columns, str) or "gc" not in columns else [name for name in columns if name != "gc"]
    if not (other := above + beside):
        found, gc = _finding(cells, late, what), style.collector(cells)
        return [f"With {gc}, {found[0].lower()}{found[1:]}" if gc else found]
    lines = []
    for values, own in cells.groupby(other, sort=False):
        name = " ".join(map(str, values)) or "no flag"
        if other == ["compiler"]:
            name = f"compiled by {name.replace('-', ' ')}"  # "ecj-4.6.1"
        tiles = _tiles.matrix(own, rows[len(above) :] if above else rows, "gc" if beside else columns, own["word"])
        found = _finding(tiles, late, what)
        lines.append(f"{name[:1].upper()}{name[1:]}: {found[:1].lower()}{found[1:]}")
    if len(lines) == 1:
        return lines
    short = (line.partition(";\n")[0] if len(line) > MOST_LETTERS else line for line in lines)
    return [line.replace("\n", " ") for line in short]


def _finding(cells: pd.DataFrame, late: str, what: str) -> str:
    """Where it hangs, else where it is late: "The JVM hangs with Serial on every JDK, and with G1 on JDK 8".

    `late` says what late means: "over 2,000 ms"; `what` is late: "the collection", "" for the JVM.
    """
    subject = f"{what[:1].upper()}{what[1:]}" or "The JVM"
    known = cells[cells["word"].isin(["on time", "late", "still running", "HUNG"])]
    if known.empty:
        return "No run came to an outcome"
    if (known["word"] == "HUNG").any():
        return f"The JVM hangs {_places(cells, known, 'HUNG', 'it exits')}"
    if (known["word"] == "still running").any():
        return f"The JVM is still running at its deadline {_places(cells, known, 'still running', 'it exits')}"
    if (known["word"] == "late").any():
        return f"{subject} is late ({late})\n{_places(cells, known, 'late', 'on time')}"
    return f"{subject} {'is' if what else 'exits'} on time everywhere"


def _places(cells: pd.DataFrame, known: pd.DataFrame, word: str, otherwise: str) -> str:
    """With which columns a run came to this word, on which JDKs, and with which it did not."""
    places: dict[str, list[str]] = {}
    for column, tiles in known.groupby("column", sort=False):
        places.setdefault(_where(tiles, known["row"].nunique(), word), []).append(str(column))
    others = places.pop("", [])
    alone = cells["column"].nunique() == 1
    told = [place if alone else f"{_with(columns)} {place}" for place, columns in places.items()]
    if not alone and len(places) == 1:
        [(place, columns)] = places.items()
        if place == "on every JDK" and len(_with(columns).split()) > LONG_NAME:  # or the place would seem a part of it
            told = [f"{place} {_with(columns)}"]
    rest = [_with([one]) for one in others]
    if len(others) > 2:
        told_ones = known[~known["column"].astype(str).isin(others)]
        whole = (told_ones["word"] == word).all()
        rest = [f"in the other {len(others)} cases" if whole else "in all other cases"]
    return ", and ".join(told) + (f";\n{otherwise} {' and '.join(rest)}" if rest else "")


def _where(column: pd.DataFrame, rows: int, word: str) -> str:
    """The rows of a column where a run says the word: "on every JDK", "on JDK 8 and 11", "in 2 of 3 rows"; "": none."""
    found = {str(row): tiles["word"] == word for row, tiles in column.groupby("row", sort=False)}
    found = {row: words for row, words in found.items() if words.any()}
    if not found:
        return ""
    some = "" if all(words.all() for words in found.values()) else ", though not in each run"
    if not all(row.startswith("JDK ") for row in found):
        return ("in every row" if len(found) == rows else f"in {len(found)} of {rows} rows") + some
    names = [row.removeprefix("JDK ") for row in found]
    if len(found) < rows:
        return f"on JDK {listed(names)}{some}"
    jdks = list(dict.fromkeys(name.split(" ")[0] for name in names))
    return (f"on JDK {listed(jdks)}" if len(jdks) < FEW else "on every JDK") + some


def _with(columns: list[str]) -> str:
    """ "with Serial and G1", or "after 10 calls" and "without calls" where the name says so itself."""
    link = "" if all(name.startswith(("after ", "without ")) for name in columns) else "with "
    first, *rest = (re.sub(r",(?! |\d{3}\b)|\N{NO-BREAK SPACE}", " ", _tiles.short(name)) for name in columns)
    names = [first, *(f"with {name}" for name in rest)] if first.startswith("no ") else [first, *rest]
    return link + listed(f"the {name}" if name.startswith("JDK's") else name for name in names)
