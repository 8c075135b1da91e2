"""A picture -> the same in words: its finding, its axes, its series with their numbers, and what is written in it.

Readers who can't see the picture hear this text instead: it is the `alt` of the image, and the picture's plain text.
`_spoken` shows a figure with it.
"""

import re
from collections.abc import Iterator
from textwrap import shorten
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.collections import PathCollection
from matplotlib.colors import to_hex
from matplotlib.container import BarContainer, Container, ErrorbarContainer
from matplotlib.figure import Figure
from matplotlib.text import Annotation
from matplotlib.ticker import FixedLocator

from safepointlab.phrases import listed_jdks

LONGEST = 1000  # characters: about a minute of listening
FEW = 8  # values are listed; of more the range and the median are told
NOTHING = "–"  # the word of an empty tile
NUMBER = re.compile(r"[\d.,]+")  # the label of a point, rounded: its series has it
_OWN: "WeakKeyDictionary[Axes, str]" = WeakKeyDictionary()
_OWN_SERIES: "WeakKeyDictionary[Artist, str]" = WeakKeyDictionary()
Point = tuple[float, float]
Places = dict[float, str]  # the names along an axis by where they stand


def own(ax: Axes, words: str) -> None:
    """Say these words of the Axes, after its finding, in place of those that are made from what was drawn."""
    _OWN[ax] = words


def series(line: Artist, words: str) -> None:
    """Say these words of the line, after its name: its points are no sample of what was measured."""
    _OWN_SERIES[line] = words


def of(figure: Figure) -> str:
    """The figure in words, on one line."""
    said = [_sentence(figure.get_suptitle()), *map(_drawing, figure.axes)]
    return shorten(" ".join(filter(None, said)), LONGEST, placeholder=" …")


def number(value: float) -> str:
    """A number as it is read aloud.

    >>> number(2324.0), number(0.1234), number(12)
    ('2,324', '0.123', '12')
    """
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def _drawing(ax: Any) -> str:
    """One drawing, and those that are set into it: words of its own, or its tiles, or its axes and series."""
    finding = _sentence(ax.get_title(loc="left") or ax.get_title())
    if ax in _OWN:
        return f"{finding} {_OWN[ax]}"
    across, up = _places(ax.xaxis), _places(ax.yaxis)
    plain = {text.get_position(): _line(text.get_text()) for text in ax.texts if not isinstance(text, Annotation)}
    tiles = [(up[y], across[x], word) for (x, y), word in plain.items() if across.get(x) and up.get(y)]
    said = [*_rows([tile for tile in tiles if tile[2] != NOTHING])]
    if said:
        said.append(_sentence(ax.get_xlabel()))
    else:
        axes = [("Across", ax.xaxis, ax.dataLim.intervalx), ("Up", ax.yaxis, ax.dataLim.intervaly)]
        said = [_axis(*axis) for axis in axes if ax.axison] + [*_series(ax, across)]
    together = " ".join(said)
    texts = dict.fromkeys(_line(text.get_text()) for text in ax.texts if text.get_visible())
    rest = [word for word in texts if word not in f"{together} {NOTHING}" and not NUMBER.fullmatch(word)]
    written = f"Written in it: {'; '.join(rest)}." if rest else ""
    return " ".join(filter(None, [finding, *said, written, *map(_drawing, ax.child_axes)]))


def _rows(tiles: list[tuple[str, str, str]]) -> Iterator[str]:
    """A sentence for each row of tiles: each word once, with the columns that have it.

    >>> list(_rows([("Serial", "JDK 8", "HUNG"), ("Serial", "JDK 17", "HUNG"), ("G1", "JDK 8", "HUNG")]))
    ['Serial: HUNG (JDK 8 and 17).', 'G1: HUNG (JDK 8).']
    """
    rows: dict[str, dict[str, list[str]]] = {}
    for row, column, word in tiles:
        rows.setdefault(row, {}).setdefault(word, []).append(column)
    for row, words in rows.items():
        yield f"{row}: {', '.join(f'{word} ({listed_jdks(columns)})' for word, columns in words.items())}."


def _sentence(text: str) -> str:
    line = _line(text)
    return f"{line}." if line and line[-1] not in ".?!" else line


def _line(text: str) -> str:
    return " ".join(text.split())


def _axis(where: str, axis: Axis, extent: Any) -> str:
    """What the axis is about: its quantity and the range of the data, or the names along it."""
    quantity, names = _line(axis.get_label_text()), [name for name in _places(axis).values() if name]
    if names:
        return f"{where}: {f'{quantity}: ' if quantity else ''}{', '.join(names)}."
    if not quantity or not np.isfinite(extent).all():
        return ""
    low, high = sorted(extent)
    return f"{where}: {quantity}, {number(low)} to {number(high)}."


def _places(axis: Axis) -> Places:
    """The names along an axis; {} for an axis of numbers."""
    if not isinstance(axis.get_major_locator(), FixedLocator):
        return {}
    names = (_line(label.get_text()) for label in axis.get_majorticklabels())
    return dict(zip(map(float, axis.get_majorticklocs()), names, strict=False))


def _series(ax: Axes, across: Places) -> Iterator[str]:
    """Bars by the meaning of their colour, then lines and points by their names."""
    for name, (points, names) in _bars(ax).items():
        yield _describe(name, points, names)
    error_bars = [each for each in ax.containers if isinstance(each, ErrorbarContainer)]
    for container in error_bars:
        yield _describe(_label_of(container, "Points"), _of_line(container.lines[0]), across)
    parts = [line for bars in error_bars for line in (bars.lines[0], *bars.lines[1])]
    labels = [text for text in ax.texts if isinstance(text, Annotation)]
    for line in ax.get_lines():
        if line.get_transform() != ax.transData or line in parts:  # a rule, or of an error bar
            continue
        points = _of_line(line)
        beside = (text for text in labels if any(np.allclose(text.xy, point) for point in points))  # written at a point
        name = _label_of(line, "") or next((_line(text.get_text()) for text in beside), "")
        kind = "Points" if line.get_linestyle() == "None" else "Line"
        name = name or (kind if len(set(points)) > 2 else "")
        if name:
            yield f"{name}: {_OWN_SERIES[line]}." if line in _OWN_SERIES else _describe(name, points, across)
    for dots in ax.collections:
        if isinstance(dots, PathCollection):
            yield _describe(_label_of(dots, "Points"), _finite(dots.get_offsets()), across)


def _label_of(drawn: Artist | Container, otherwise: str) -> str:
    label = _line(str(drawn.get_label() or ""))
    return otherwise if label.startswith("_") or not label else label


def _of_line(line: Any) -> list[Point]:
    return [] if line is None else _finite(np.column_stack(line.get_data()))


def _finite(points: Any) -> list[Point]:
    numbers: Any = np.ma.filled(np.ma.asarray(points, dtype=float), np.nan)
    return [(float(x), float(y)) for x, y in numbers if np.isfinite([x, y]).all()]


def _bars(ax: Axes) -> dict[str, tuple[list[Point], Places]]:
    """Where each bar stands and how long it is, by the name of its colour in the key; and the names of the places.

    A bar of a moment begins there; one in a row of numbers has its number in the middle.
    """
    legend = ax.get_legend()
    patches = [] if legend is None else zip(legend.get_patches(), legend.get_texts(), strict=False)
    key = {to_hex(patch.get_facecolor()): _line(text.get_text()) for patch, text in patches}
    bars: dict[str, tuple[list[Point], Places]] = {}
    for container in (each for each in ax.containers if isinstance(each, BarContainer)):
        upright = container.orientation != "horizontal"
        names = _places(ax.xaxis if upright else ax.yaxis)
        for bar in container.patches:
            name = key.get(to_hex(bar.get_facecolor()), _label_of(container, "Bars"))
            (start, width), length = (bar.get_x(), bar.get_width()), bar.get_height()
            if not upright:
                (start, width), length = (bar.get_y(), bar.get_height()), bar.get_width()
            middle = start + width / 2
            place = middle if abs(middle - round(middle)) < 1e-6 else start
            bars.setdefault(name, ([], names))[0].extend(_finite([(place, length)]))
    return bars


def _describe(name: str, points: list[Point], names: Places) -> str:
    """A series: few numbers each with its place, of many the range and the median."""
    if not points:
        return ""
    if len(points) > FEW:
        low, middle, high = np.quantile([height for _, height in points], [0, 0.5, 1])
        return f"{name}: {len(points)} values, {number(low)} to {number(high)}, median {number(middle)}."
    said = []
    for place, height in points:
        near = min(names, key=lambda tick: abs(tick - place), default=np.inf)
        where = names[near] if abs(near - place) <= 0.5 else f"at {number(place)}"
        said.append(f"{where}: {number(height)}")
    return f"{name}: {'; '.join(said)}."
