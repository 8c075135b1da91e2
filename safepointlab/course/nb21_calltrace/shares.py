"""Whose each sample is (one row per share) -> stacked bars of 100 %, each part with its name and number.

    shares(frame)

Columns used: by (a bar for each value), who (a part of the bar for each value), share (0 to 1). Bars and parts are in
the order of their first rows; the first `who` has the loud colour. A share of 0 has a label and no stripe; a missing
one has neither.
"""

from itertools import cycle, islice
from typing import Any, NamedTuple

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.textpath import TextPath

from safepointlab.errors import BadInput
from safepointlab.plot import _alternative, style
from safepointlab.plot._picture import picture

OTHERS = (("#A9D3EC", ""), ("#F2F2F2", ""), (style.COLORS[0], ""), ("#CDE7D8", "xx"), (style.COLORS[3], "//"))
PERCENT = "\N{NO-BREAK SPACE}%"
HIGH = 0.44  # of a bar; the rest of its row is for labels
GAP = 10.0  # points between two labels, and between a label and the end of its part
ROUNDING = 1.005  # parts add up to at most this
COLUMNS = ("by", "who", "share")


class Part(NamedTuple):
    """A part of a bar, in percent: whose, where it begins, and how long it is."""

    who: str
    begin: float
    length: float

    @property
    def middle(self) -> float:
        """Where its line begins, if its label has no room inside."""
        return self.begin + self.length / 2

    @property
    def label(self) -> str:
        """Its name and number."""
        return f"{self.who} {percent(self.length)}"


Bars = dict[str, list[Part]]


@picture("shares", *COLUMNS)
def shares(
    frame: pd.DataFrame, ax: Axes | None = None, title: str | None = None, what: str = "share of the samples"
) -> Axes:
    """Draw a bar for each value of `by`; `what` they are shares of is the name of the axis."""
    names = [str(who) for who in frame["who"].dropna().unique()]
    colors = [(style.COLORS[1], ""), *islice(cycle(OTHERS), max(0, len(names) - 1))]
    looks = {who: style.Look(who, *color) for who, color in zip(names, colors, strict=False)}
    bars = _bars(frame, names)
    ax = style.canvas(ax, 9.0, 1.7 + 1.2 * max(len(bars), 1))
    if not any(bars.values()):
        return style.empty(ax, title or "There are no shares")
    ax.set(xlim=(0, 100), ylim=(len(bars) - 0.5, -0.5))
    ax.set_yticks(range(len(bars)), list(bars))
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    style.axis_names(ax, f"{what}, %")
    for who, look in looks.items():
        own = [(row, part) for row, parts in enumerate(bars.values()) for part in parts if part.who == who]
        edge: dict[str, Any] = {"edgecolor": style.INK, "linewidth": 1.0, "hatch": look.hatch, "clip_on": False}
        lengths, begins = [part.length for _, part in own], [part.begin for _, part in own]
        if own:
            ax.barh([row for row, _ in own], lengths, HIGH, begins, label=who, color=look.color, **edge)
    figure, point = ax.get_figure(root=True), 0.2
    if figure is not None:  # a point, in percent, once the names at the side of the Axes have their room
        figure.draw_without_rendering()
        point = 100 / (72 * ax.get_window_extent().width / figure.dpi)
    for row, parts in enumerate(bars.values()):
        _draw_labels(ax, row, parts, looks, point)
    heights = [text.get_position()[1] for text in ax.texts]
    ax.set_ylim(max(*heights, len(bars) - 0.8) + 0.16, min(*heights, -0.2) - 0.16)
    style.finding(ax, title or _finding(bars))
    said = (f"{by}: {', '.join(part.label for part in parts)}." for by, parts in bars.items() if parts)
    _alternative.own(ax, f"Of each bar, {what}: {' '.join(said)}")
    return ax


def _bars(frame: pd.DataFrame, order: list[str]) -> Bars:
    """The known parts of each bar, side by side in the order in which they are first named."""
    bars: Bars = {}
    known = frame.assign(share=100 * style.numbers(frame, "share"), who=frame["who"].astype("string"))
    for by in known["by"].unique():
        lengths = known[known["by"] == by].dropna(subset=["share", "who"]).groupby("who", sort=False)["share"].sum()
        if lengths.sum() > 100 * ROUNDING:
            raise BadInput(f"pictures.shares: the shares of “{by}” add up to more than 1. A share is from 0 to 1.")
        lengths = lengths.reindex([who for who in order if who in lengths])
        begins = lengths.cumsum().shift(fill_value=0.0)
        bars[str(by)] = [Part(*part) for part in zip(lengths.index, begins, lengths, strict=True)]
    return bars


def _draw_labels(ax: Axes, row: int, parts: list[Part], looks: dict[str, style.Look], point: float) -> None:
    """Names and numbers: inside the parts that are long enough; for the others next to the bar, with a thin line."""
    outside: list[tuple[Part, float]] = []  # and the width of its label, in percent
    for part in parts:
        text, look = f"{part.who}\n{percent(part.length)}", looks[part.who]
        if (_width(text) + GAP) * point >= part.length:
            outside.append((part, _width(part.label) * point))
            continue
        paper: dict[str, Any] = {"facecolor": look.color, "edgecolor": "none", "pad": 1.5}  # no hatch behind letters
        at: dict[str, Any] = {"ha": "center", "va": "center", "bbox": paper, "color": style.ink_on(look.color)}
        ax.text(part.middle, row, text, fontsize=style.SMALL_PT, linespacing=1.25, **at)
    gap, free = GAP * point, 0.0
    above, below = list[tuple[Part, float]](), list[tuple[Part, float]]()
    for part, width in outside:  # below the bar are those that would touch the one before
        left = min(max(0.0, part.middle - width / 2), 100.0 - width)
        if not above or left >= free or len(below) > len(above):
            above.append((part, width))
            free = left + width + gap
        else:
            below.append((part, width))
    for side, labels in ((-1, above), (1, below)):
        edge = row + side * HIGH / 2
        lefts = _lefts([(part.middle, width) for part, width in labels], gap)
        for (part, width), left in zip(labels, lefts, strict=True):
            small: dict[str, Any] = {"fontsize": style.SMALL_PT, "color": style.INK, "ha": "left", "va": "center"}
            ax.text(left, edge + side * 0.2, part.label, **small)
            end = min(max(part.middle, left + 0.5), left + width - 0.5)  # where the line leaves the label
            line: dict[str, Any] = {"color": style.INK, "lw": 1.0, "clip_on": False, "label": "_line"}
            ax.plot([end, part.middle], [edge + side * 0.11, edge], **line)


def _lefts(labels: list[tuple[float, float]], gap: float) -> list[float]:
    """Where labels begin, each given as middle and width, so that they are near to their middles and do not touch.

    >>> _lefts([(1.0, 20.0), (99.0, 20.0), (99.5, 30.0)], gap=2.0)
    [0.0, 48.0, 70.0]
    """
    lefts, free = list[float](), 0.0
    for middle, width in labels:
        lefts.append(max(free, middle - width / 2))
        free = lefts[-1] + width + gap
    limit = 100.0
    for number, (_, width) in reversed(list(enumerate(labels))):
        lefts[number] = min(lefts[number], limit - width)
        limit = lefts[number] - gap
    return lefts


def percent(value: float) -> str:
    """A percentage with one digit where it, or what is left of 100, is small: so a large and a small part add up.

    >>> [percent(value).replace(PERCENT, "") for value in (99.0, 98.5, 100.0, 47.6, 1.5, 1.0, 0.0)]
    ['99', '98.5', '100', '48', '1.5', '1', '0']
    """
    exact = 0 < value < 9.95 or 90.05 < value < 99.95
    return (f"{value:.1f}".removesuffix(".0") if exact else f"{value:.0f}") + PERCENT


def _width(text: str) -> float:
    """How wide a small text is, in points: its longest line. On the screen letters begin at whole pixels."""
    paths = (TextPath((0, 0), line, size=style.SMALL_PT) for line in text.split("\n"))
    return 1.05 * max(float(path.get_extents().width) for path in paths)


def _finding(bars: Bars) -> str:
    """The first part of each bar: "worker: 99 % (by CPU time), 2.5 % (by the clock)" where it is the same."""
    firsts = {by: parts[0] for by, parts in bars.items() if parts}
    if len({part.who for part in firsts.values()}) == 1 < len(firsts):
        numbers = ", ".join(f"{percent(part.length)} ({by})" for by, part in firsts.items())
        return f"{next(iter(firsts.values())).who}: {numbers}"
    return "; ".join(f"{by}: {part.label}" for by, part in firsts.items())
