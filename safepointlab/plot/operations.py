"""The VM operations that calls caused -> tiles, one per call and JDK: a safepoint for all, a handshake, or nothing.

    plot.operations(frame)

Columns used (see `nb01_safepoint.output.operations`, with a column jdk added): call, jdk, kind ("safepoint",
"handshake", "nothing"), operations (a list of names, of which the first is shown). Where neighbouring JDKs do the same
for a call, their tiles are one.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from safepointlab.plot import _alternative, style
from safepointlab.plot._picture import picture

LOOKS = {
    "safepoint": style.Look("safepoint, for all", "#0B3C6F"),
    "handshake": style.Look("handshake", "#7CC4EC", "..."),
    "nothing": style.Look("nothing", "#F2F2F2"),
}


NOTHING = "–"
LINE = 13  # letters that fit into the width of one JDK


@dataclass(frozen=True)
class Tile:
    """What a call made the VM do on the JDKs from one column to another."""

    row: int
    first: int
    last: int
    kind: str
    word: str

    @property
    def text(self) -> str:
        """Its word, in two lines where one would be too long."""
        return _broken(self.word, LINE * (self.last - self.first + 1))


@picture("nb01_safepoint.output.operations, with a column jdk", "call", "jdk", "kind", "operations")
def operations(frame: pd.DataFrame, ax: Axes | None = None, title: str | None = None) -> Axes:
    """Draw the tiles, calls downwards and JDKs to the right, in the order of the frame."""
    calls, jdks = list(frame["call"].unique()), list(frame["jdk"].unique())
    names = 0.105 * max((len(str(call)) for call in calls), default=0)
    ax = style.canvas(ax, width=names + max(1.45 * len(jdks), 4.9), height=1.9 + 0.44 * max(len(calls), 3))
    if frame.empty:
        return style.empty(ax, title or "No call was made")
    tiles = list(_tiles(frame, calls, jdks))
    for tile in tiles:
        _draw(ax, tile)
    _frame(ax, calls, jdks)
    style.key(ax, [look for kind, look in LOOKS.items() if (frame["kind"] == kind).any()])
    style.finding(ax, title or _finding(frame))
    _alternative.own(
        ax, " ".join(_spoken(call, [tile for tile in tiles if calls[tile.row] == call], jdks) for call in calls)
    )
    return ax


def _tiles(frame: pd.DataFrame, calls: list[Any], jdks: list[Any]) -> Iterator[Tile]:
    """The tiles of each call from left to right."""
    made = {(row["call"], row["jdk"]): (str(row["kind"]), _word(row["operations"])) for row in frame.to_dict("records")}
    for row, call in enumerate(calls):
        whats = [made.get((call, jdk)) for jdk in jdks]
        for what, columns in groupby(range(len(jdks)), key=whats.__getitem__):
            places = list(columns)
            if what:
                yield Tile(row, places[0], places[-1], *what)


def _word(names: Any) -> str:
    return f"{names[0]} and {len(names) - 1} more" if len(names) > 1 else names[0] if names else NOTHING


def _draw(ax: Axes, tile: Tile) -> None:
    look, width = LOOKS[tile.kind], tile.last - tile.first + 0.96
    ink = style.ink_on(look.color)
    box: dict[str, Any] = {"facecolor": look.color, "edgecolor": ink, "hatch": look.hatch, "linewidth": 0}
    ax.add_patch(Rectangle((tile.first - 0.48, tile.row - 0.46), width, 0.92, **box))
    patch = {"facecolor": look.color, "edgecolor": "none", "pad": 2.0}
    at: dict[str, Any] = {"ha": "center", "va": "center", "linespacing": 0.95, "fontsize": style.SMALL_PT}
    ax.text((tile.first + tile.last) / 2, tile.row, tile.text, color=ink, bbox=patch if look.hatch else None, **at)


def _frame(ax: Axes, calls: list[Any], jdks: list[Any]) -> None:
    ax.set(xlim=(-0.5, len(jdks) - 0.5), ylim=(len(calls) - 0.5, -0.5))
    ax.set_xticks(range(len(jdks)), [f"JDK {jdk}" for jdk in jdks])
    ax.set_yticks(range(len(calls)), calls)
    ax.tick_params(length=0, labelsize=style.SMALL_PT)
    ax.spines[["left", "bottom"]].set_visible(False)


def _spoken(call: Any, tiles: list[Tile], jdks: list[Any]) -> str:
    """One call in words: "another.getStackTrace(): safepoint ThreadDump on 8 to 17, handshake Deoptimize on 21."."""
    return f"{call}: {', '.join(_does(tile, jdks) for tile in tiles)}."


def _does(tile: Tile, jdks: list[Any]) -> str:
    what = tile.kind if tile.word == NOTHING else f"{tile.kind} {tile.word}"
    if tile.last - tile.first == len(jdks) - 1:
        return what
    return f"{what} on {' to '.join(dict.fromkeys([str(jdks[tile.first]), str(jdks[tile.last])]))}"


def _broken(name: str, letters: int) -> str:
    """A name that is longer than a line, split between two of its words.

    >>> _broken("GetStackTraceClosure", 13), _broken("PrintThreads and 2 more", 13)
    ('GetStack\\nTraceClosure', 'PrintThreads\\nand 2 more')
    """
    if len(name) <= letters:
        return name
    gaps = [match.start() for match in re.finditer(r"(?<=[a-z_])(?=[A-Z])| (?=and \d)", name)]
    middle = min(gaps, key=lambda gap: abs(gap - len(name) / 2), default=len(name))
    return f"{name[:middle]}\n{name[middle:].lstrip()}".rstrip()


def _finding(frame: pd.DataFrame) -> str:
    """How many calls stop all threads, on the first JDK and on the last one."""
    stops = (frame["kind"] == "safepoint").groupby(frame["jdk"], sort=False).sum()
    calls, first, last = frame["call"].nunique(), stops.index[0], stops.index[-1]
    first_part = f"{stops[first]} of {calls} calls stop all threads\non JDK {first}"
    return first_part if first == last else f"{first_part}, and {stops[last]} on JDK {last}"
