"""What calls cause -> tiles, one per call and JDK.

Columns used (see `output.operations`, with a column jdk added): call, jdk, kind ("safepoint", "handshake", "nothing"),
operations (a list of names, of which the first is shown), and gc, which the title names if all rows have the same.
Where neighbouring JDKs do the same for a call, their tiles are one.
"""

import re
from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from safepointlab.plot import _alternative, _tiles, style
from safepointlab.plot._picture import picture

LOOKS = {
    "safepoint": style.Look("all threads stop", "#0B3C6F"),
    "handshake": style.Look("handshake", "#7CC4EC", "..."),
    "nothing": style.Look("no stop", "#F2F2F2"),
}
NOTHING = "–"
CLOSURE = re.compile(r"(Handshake)?Closure$")  # the end of a handshake's name, which differs by JDK
LINE = 13  # letters that fit into the width of one JDK


class Tile(NamedTuple):
    """What a call made the VM do on the JDKs from one column to another."""

    row: int
    first: int
    last: int
    kind: str
    word: str


@picture("output.operations, with a column jdk", "call", "jdk", "kind", "operations")
def operations(frame: pd.DataFrame) -> Axes:
    """Draw the tiles, calls downwards and JDKs to the right: a safepoint for all, a handshake, or nothing."""
    calls, jdks = list(frame["call"].unique()), list(frame["jdk"].unique())
    names = 0.105 * max((len(str(call)) for call in calls), default=0)
    ax = style.canvas(None, width=names + max(1.45 * len(jdks), 4.9), height=1.9 + 0.44 * max(len(calls), 3))
    if frame.empty:
        return style.empty(ax, "No call was made")
    tiles = list(_operation_tiles(frame, calls, jdks))
    for tile in tiles:
        look, width = LOOKS[tile.kind], tile.last - tile.first + 0.96
        ink = style.ink_on(look.color)
        box: dict[str, Any] = {"facecolor": look.color, "edgecolor": ink, "hatch": look.hatch, "linewidth": 0}
        ax.add_patch(Rectangle((tile.first - 0.48, tile.row - 0.46), width, 0.92, **box))
        patch = {"facecolor": look.color, "edgecolor": "none", "pad": 2.0} if look.hatch else None
        at: dict[str, Any] = {"ha": "center", "va": "center", "linespacing": 0.95, "fontsize": style.SMALL_PT}
        text = _break_name(tile.word, LINE * (tile.last - tile.first + 1))
        ax.text((tile.first + tile.last) / 2, tile.row, text, color=ink, bbox=patch, **at)
    _tiles.frame(ax, [f"JDK {jdk}" for jdk in jdks], calls)
    style.note(ax, "each call was made once, in one JVM of each JDK")
    style.key(ax, [look for kind, look in LOOKS.items() if (frame["kind"] == kind).any()])
    style.finding(ax, _finding(frame))
    _alternative.own(ax, _words(tiles, calls, jdks))
    return ax


def _operation_tiles(frame: pd.DataFrame, calls: list[Any], jdks: list[Any]) -> Iterator[Tile]:
    """The tiles of each call from left to right."""
    made = {}
    for row in frame.to_dict("records"):
        names = [CLOSURE.sub("", name) for name in row["operations"]]
        word = f"{names[0]} and {len(names) - 1} more" if len(names) > 1 else names[0] if names else NOTHING
        made[row["call"], row["jdk"]] = str(row["kind"]), word
    for number, call in enumerate(calls):
        whats = [made.get((call, jdk)) for jdk in jdks]
        for what, columns in groupby(range(len(jdks)), key=whats.__getitem__):
            places = list(columns)
            if what:
                yield Tile(number, places[0], places[-1], *what)


def _break_name(name: str, letters: int) -> str:
    """A name that is longer than a line, split between two of its words.

    >>> _break_name("GetThreadSnapshot", 13), _break_name("PrintThreads and 2 more", 13)
    ('GetThread\\nSnapshot', 'PrintThreads\\nand 2 more')
    """
    if len(name) <= letters:
        return name
    gaps = [match.start() for match in re.finditer(r"(?<=[a-z_])(?=[A-Z])| (?=and \d)", name)]
    middle = min(gaps, key=lambda gap: abs(gap - len(name) / 2), default=len(name))
    return f"{name[:middle]}\n{name[middle:].lstrip()}".rstrip()


def _finding(frame: pd.DataFrame) -> str:
    """How many calls stop all threads, on the first JDK and on the last one, and with which collector."""
    stops = (frame["kind"] == "safepoint").groupby(frame["jdk"], sort=False).sum()
    calls, first, last = frame["call"].nunique(), stops.index[0], stops.index[-1]
    verb = "stops" if stops[first] == 1 else "stop"
    whose = f"With {gc}, " if (gc := style.collector(frame)) else ""
    first_part = f"{whose}{stops[first]} of {calls} calls {verb} all threads\non JDK {first}"
    if stops.nunique() == 1:
        return first_part if first == last else f"{first_part} to {last}"
    return f"{first_part}, and {stops[last]} on JDK {last}"


def _words(tiles: list[Tile], calls: list[Any], jdks: list[Any]) -> str:
    """Call by call: "stackOfOne: safepoint ThreadDump up to JDK 17, handshake GetStackTrace on JDK 21 to 27."

    Neighbouring calls that do the same are named together, and a kind isn't repeated: the words have to be short.
    """
    said = []
    for row, call in enumerate(calls):
        parts, kind = [], ""
        for tile in (tile for tile in tiles if tile.row == row):
            words = [tile.kind] * (tile.kind != kind) + [tile.word] * (tile.word != NOTHING)
            kind = tile.kind
            parts.append(" ".join([*words, *_where(tile, jdks)]))
        said.append((str(call), ", ".join(parts)))
    same = ((list(neighbours), did) for did, neighbours in groupby(said, key=itemgetter(1)))
    return " ".join(f"{', '.join(call for call, _ in each)}: {did}." for each, did in same)


def _where(tile: Tile, jdks: list[Any]) -> list[str]:
    """The JDKs of a tile; none if these are all."""
    first, last = jdks[tile.first], jdks[tile.last]
    if tile.last - tile.first == len(jdks) - 1:
        return []
    if tile.first == tile.last:
        return [f"on JDK {first}"]
    return [f"up to JDK {last}" if tile.first == 0 else f"on JDK {first} to {last}"]
