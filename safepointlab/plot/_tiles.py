"""Rows with a word each -> a matrix of tiles, one per combination of labels: its worst word, and how often."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from safepointlab.plot import style

LETTER = 0.095  # inches: the width of one in a column's name
Labels = str | Sequence[str]
OTHER = style.Look("other", style.PAPER)
SAME = {"jdk": "JDK {}", "gc": "{}"}  # what a note says if all JVMs have it in common


def matrix(frame: pd.DataFrame, rows: Labels, columns: Labels, words: "pd.Series[Any]") -> pd.DataFrame:
    """The frame with `row` and `column`, which name its tile, and `word`, the word of the row in that tile."""
    return frame.assign(row=_names(frame, rows), column=_names(frame, columns), word=words)


def grouped(frame: pd.DataFrame, rows: Labels) -> pd.DataFrame:
    """The frame ordered by the first of these labels, then by the next, each in the order in which its values come."""
    names = [rows] if isinstance(rows, str) else list(rows)
    return frame.iloc[np.lexsort([pd.factorize(frame[name], use_na_sentinel=False)[0] for name in reversed(names)])]


def note(cells: pd.DataFrame, labels: Sequence[Labels], said: str = "") -> str:
    """How many JVMs a tile stands for: "JDK 25, Serial, 3 JVMs per tile"; "" without any, or without their outcomes.

    Args:
        cells: those of the JVMs that ran.
        labels: what names the tiles; a JDK or a collector that all JVMs have is named as well,
        said: unless this title does so.
    """
    if cells.empty or "outcome" not in cells:
        return ""
    named = {name for label in labels for name in ([label] if isinstance(label, str) else label)}
    alone = {name: set(cells[name].dropna()) for name in SAME if name in cells and name not in named}
    same = [SAME[name].format(*values) for name, values in alone.items() if len(values) == 1]
    counts = set(cells.groupby(["row", "column"]).size())
    each = "one JVM" if counts == {1} else style.count_of(counts, "JVM")
    return ", ".join([*(word for word in same if word != "default" and word not in said), f"{each} per tile"])


def _names(frame: pd.DataFrame, labels: Labels) -> "pd.Series[Any]":
    """The name of each row's tile: "JDK 8 Serial"; "no flag" or "default" where all labels are empty."""
    names, parts = [labels] if isinstance(labels, str) else list(labels), list[Any]()
    for name in names:
        text = frame[name].astype("string").fillna("")
        if name == "gc":  # no line may break within the name
            text = text.replace("default", "JDK's own collector".replace(" ", "\N{NO-BREAK SPACE}"))
        parts.append("JDK " + text if name == "jdk" else text)
    joined = parts[0].str.cat(parts[1:], sep=" ").str.strip() if len(parts) > 1 else parts[0]
    named: pd.Series[Any] = joined.where(joined != "", "no flag" if "flags" in names else "default")
    return named


def canvas(ax: Axes | None, cells: pd.DataFrame, least: float = 8.0) -> Axes:
    """Axes with tiles as wide as the longest word below them, in a figure of at least so many inches."""
    words = [word for name in cells["column"].unique() for word in _break_lines(name).split()]
    tile = min(max(1.25, 0.095 * max(map(len, words), default=0)), 2.4)
    width = min(11.0, max(least, 1.4 + tile * cells["column"].nunique()))
    return style.canvas(ax, width, 1.8 + 0.6 * max(cells["row"].nunique(), 2))


def draw(
    ax: Axes,
    cells: pd.DataFrame,
    looks: Mapping[str, style.Look],
    detail: Callable[[str, pd.DataFrame], str] = lambda *_: "",
) -> None:
    """Draw the tiles; `looks` are by word, the worst one last; `detail` adds to the word a detail of its rows.

    A tile reads "HUNG", "HUNG 2 of 3", or "–" where nothing is known.
    """
    order = list(looks)

    def text_and_look(tile_rows: pd.DataFrame) -> tuple[str, style.Look]:
        known = tile_rows["word"].dropna()
        if known.empty:
            return "–", OTHER
        worst = max(known, key=lambda word: order.index(word) if word in looks else len(order))
        same = tile_rows[tile_rows["word"] == worst]
        count = f" {len(same)} of {len(known)}" if len(same) < len(known) else ""
        return f"{worst}{count}{detail(worst, same)}", looks.get(worst, OTHER)

    lay(ax, cells, text_and_look)


def lay(ax: Axes, cells: pd.DataFrame, text_and_look: Callable[[pd.DataFrame], tuple[str, style.Look]]) -> None:
    """Draw the tiles; `text_and_look` says what the rows of one look like. A text in capitals is bold."""
    rows, columns = list(cells["row"].unique()), list(cells["column"].unique())
    for y, row in enumerate(rows):
        for x, column in enumerate(columns):
            text, look = text_and_look(cells[(cells["row"] == row) & (cells["column"] == column)])
            edge: dict[str, Any] = {"edgecolor": style.PAPER, "linewidth": 3}
            if look is OTHER:  # over the edges of its neighbours, which would hide a part of its own
                edge |= {"edgecolor": style.LINE, "zorder": 1.5, "clip_on": False}
            ax.add_patch(Rectangle((x - 0.5, y - 0.5), 1, 1, facecolor=look.color, **edge))
            weight = "bold" if text.split()[0].isupper() else "normal"
            at: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": style.TEXT_PT, "fontweight": weight}
            ax.text(x, y, text, color=style.ink_on(look.color), **at)
    frame(ax, [_break_lines(name, _room(ax, columns, rows)) for name in columns], rows)


def frame(ax: Axes, columns: Sequence[str], rows: Sequence[str]) -> None:
    """Axes of names without lines around tiles of size 1, the first row at the top."""
    ax.set(xlim=(-0.5, len(columns) - 0.5), ylim=(len(rows) - 0.5, -0.5))
    ax.set_xticks(range(len(columns)), columns)
    ax.set_yticks(range(len(rows)), rows)
    ax.tick_params(length=0, labelsize=style.SMALL_PT)
    if any("\n" in name for name in columns):
        ax.xaxis.labelpad = 12.0  # or the note below would read as one more line of the name above it
    ax.spines[["left", "bottom"]].set_visible(False)


def short(name: str) -> str:
    """A line of flags without the parts that each of them has.

    >>> short("-XX:+UseG1GC -XX:CompileCommand=exclude,A.b")
    '+UseG1GC exclude,A.b'
    """
    return re.sub(r"-XX:(CompileCommand=)?", "", name)


def _room(ax: Axes, columns: Sequence[str], rows: Sequence[str]) -> int:
    """How many letters fit below a tile, beside the names of the rows."""
    figure, spec = ax.get_figure(root=True), ax.get_subplotspec()
    share = 1.0 if spec is None else len(spec.colspan) / spec.get_gridspec().ncols  # of the figure's width
    width = figure.get_size_inches()[0] * share - 0.4 - LETTER * max(map(len, rows), default=0) if figure else 0.0
    return int(width / max(len(columns), 1) / LETTER) - 1


def _break_lines(name: str, room: int = 0) -> str:
    """One flag per line, and in lines of like length what is longer than `room` letters.

    Neighbouring names then do not overlap.
    """
    text = re.sub(r"(?<=\d) (?=[mnµ]?s\b)", "\N{NO-BREAK SPACE}", short(name))  # "0.3 s" stays whole
    glued = "JDK" if "\N{NO-BREAK SPACE}" in name else "JDK|an?|the"  # a name may say itself what stays together
    text = re.sub(rf"\b({glued}) ", "\\1\N{NO-BREAK SPACE}", text)
    words = re.sub(r",(?! |\d{3}\b)", "\n", text).split(" ")
    fitting = _join(words, room)
    even = next(lines for letters in range(room + 1) if len(lines := _join(words, letters)) == len(fitting))
    split = (re.sub(r"(.{10,}?[a-z])(?=[A-Z])", r"\1\n", line, count=1) if len(line) > room else line for line in even)
    return "\n".join(split)


def _join(words: Sequence[str], letters: int) -> list[str]:
    """The words in lines of at most so many letters where that's possible; a flag begins a line."""
    lines = list(words[:1])
    for word in words[1:]:
        if len(lines[-1]) + 1 + len(word) > letters or word[:1] in ("-", "+"):
            lines.append(word)
        else:
            lines[-1] += f" {word}"
    return lines
