"""Whose each sample is (one row per share) -> stacked bars of 100 %, each part with its name and number.

    plot.shares(frame)
    plot.shares({"calm": run, "gc": other})     runs under async-profiler: what became of their samples

Columns used: by (a bar for each value), who (a part of the bar for each value), share (0 to 1). Bars and parts are in
the order of their first rows; the first `who` has the loud colour. A share of 0 has a label and no stripe; a missing
one has neither. Of a run, the parts are its samples with a stack and the reasons why others have none; a run's reasons
below one percent are put together.
"""

from collections.abc import Mapping
from itertools import cycle, islice
from typing import Any, NamedTuple

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.textpath import TextPath

from safepointlab.errors import BadInput
from safepointlab.logs import collapsed
from safepointlab.plot import style
from safepointlab.plot._picture import picture

OTHERS = (("#A9D3EC", ""), ("#F2F2F2", ""), (style.COLORS[0], ""), ("#CDE7D8", "xx"), (style.COLORS[3], "//"))
PERCENT = "\N{NO-BREAK SPACE}%"
HIGH = 0.44  # of a bar; the rest of its row is for labels
GAP = 10.0  # points between two labels, and between a label and the end of its part
ROUNDING = 1.005  # parts add up to at most this
RARE = 0.01  # a run's reasons below that are put together
COLUMNS = ("by", "who", "share")
WALKED, OTHER = "with a stack", "other reasons"


class Part(NamedTuple):
    """A part of a bar, in percent: whose, where it begins, and how long it is."""

    who: str
    begin: float
    length: float

    @property
    def middle(self) -> float:
        """Where its line begins, if its label has no room inside."""
        return self.begin + self.length / 2


Label = tuple[Part, float]  # what it names, and its width in percent


@picture("shares, or runs under async-profiler by name", *COLUMNS, kind="stacks")
def shares(subject: Any, ax: Axes | None = None, title: str | None = None, what: str = "share of the samples") -> Axes:
    """Draw a bar for each value of `by`, or for each run; `what` they are shares of is the name of the axis."""
    frame = _outcomes(subject) if isinstance(subject, Mapping) else subject
    bars, looks = _bars(frame), _looks(frame)
    ax = style.canvas(ax, 9.0, 1.7 + 1.2 * max(len(bars), 1))
    if not any(bars.values()):
        return style.empty(ax, title or "There are no shares")
    _axes(ax, list(bars), what)
    for who, look in looks.items():
        _stripes(ax, who, look, bars)
    point = 100 / _points(ax)
    for row, parts in enumerate(bars.values()):
        _labels(ax, row, parts, looks, point)
    heights = [text.get_position()[1] for text in ax.texts]
    ax.set_ylim(max(*heights, len(bars) - 0.8) + 0.16, min(*heights, -0.2) - 0.16)
    style.finding(ax, title or _finding(bars))
    return ax


def _outcomes(runs: Mapping[str, Any]) -> pd.DataFrame:
    """What became of the samples of each run: the reason that the most samples are lost for comes first."""
    parts = pd.concat([_of_run(run).assign(by=name) for name, run in runs.items()] or [pd.DataFrame(columns=COLUMNS)])
    most = parts.groupby("who")["share"].max()
    order = sorted(most.index, key=lambda who: (who == WALKED, who == OTHER, -most[who]))
    every = parts.set_index(["by", "who"])["share"].reindex([(by, who) for by in runs for who in order])
    return every.rename_axis(["by", "who"]).reset_index()


def _of_run(run: Any) -> pd.DataFrame:
    parts = collapsed.lost(run.stacks).rename(columns={"outcome": "who"}).replace({"who": {"walked": WALKED}})
    rare = (parts["share"] < RARE) & (parts["who"] != WALKED)
    parts["who"] = parts["who"].mask(rare, OTHER) if rare.sum() > 1 else parts["who"]
    return parts.groupby("who", sort=False)["share"].sum().reset_index()


def _bars(frame: pd.DataFrame) -> dict[str, list[Part]]:
    """The known parts of each bar, side by side in the order in which they are first named."""
    known = frame.assign(share=style.numbers(frame, "share"))
    bars = {str(by): _parts(known[known["by"] == by]) for by in known["by"].unique()}
    over = [by for by, parts in bars.items() if sum(part.length for part in parts) > 100 * ROUNDING]
    if over:
        raise BadInput(f"plot.shares: the shares of “{over[0]}” add up to more than 1. A share is from 0 to 1.")
    order = list(_looks(frame))
    return {by: _side_by_side(sorted(parts, key=lambda part: order.index(part.who))) for by, parts in bars.items()}


def _parts(rows: pd.DataFrame) -> list[Part]:
    summed = rows.dropna(subset="share").groupby("who", sort=False)["share"].sum()
    return [Part(str(who), 0.0, 100 * float(share)) for who, share in summed.items()]


def _side_by_side(parts: list[Part]) -> list[Part]:
    begins = [sum(part.length for part in parts[:number]) for number in range(len(parts))]
    return [part._replace(begin=begin) for part, begin in zip(parts, begins, strict=True)]


def _looks(frame: pd.DataFrame) -> dict[str, style.Look]:
    names = [str(who) for who in frame["who"].dropna().unique()]
    looks = [(style.COLORS[1], ""), *islice(cycle(OTHERS), max(0, len(names) - 1))]
    return {who: style.Look(who, color, hatch) for who, (color, hatch) in zip(names, looks, strict=False)}


def _axes(ax: Axes, names: list[str], what: str) -> None:
    ax.set(xlim=(0, 100), ylim=(len(names) - 0.5, -0.5))
    ax.set_yticks(range(len(names)), names)
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    style.axis_names(ax, f"{what}, %")


def _stripes(ax: Axes, who: str, look: style.Look, bars: dict[str, list[Part]]) -> None:
    """The parts of all bars that are of one colour."""
    own = [(row, part) for row, parts in enumerate(bars.values()) for part in parts if part.who == who]
    rows, begins, lengths = ([row for row, _ in own], [part.begin for _, part in own], [part.length for _, part in own])
    drawn: dict[str, Any] = {"color": look.color, "edgecolor": style.INK, "linewidth": 1.0, "hatch": look.hatch}
    if own:
        ax.barh(rows, lengths, HIGH, begins, label=who, clip_on=False, **drawn)


def _labels(ax: Axes, row: int, parts: list[Part], looks: dict[str, style.Look], point: float) -> None:
    """Names and numbers: inside the parts that are long enough, of the others beside the bar with a thin line."""
    inside = [part for part in parts if (_width(f"{part.who}\n{_number(part)}") + GAP) * point < part.length]
    for part in inside:
        _inside(ax, row, part, looks)
    outside = [(part, _width(_one_line(part)) * point) for part in parts if part not in inside]
    for side, labels in zip((-1, 1), _two_rows(outside, GAP * point), strict=True):  # above the bar, and below
        lefts = _lefts([(part.middle, width) for part, width in labels], GAP * point)
        for (part, width), left in zip(labels, lefts, strict=True):
            _outside(ax, row, side, part, left, width)


def _inside(ax: Axes, row: int, part: Part, looks: dict[str, style.Look]) -> None:
    look = looks[part.who]
    paper: dict[str, Any] = {"facecolor": look.color, "edgecolor": "none", "pad": 1.5}  # no hatch behind letters
    at: dict[str, Any] = {"ha": "center", "va": "center", "bbox": paper, "color": style.ink_on(look.color)}
    ax.text(part.middle, row, f"{part.who}\n{_number(part)}", fontsize=style.SMALL_PT, linespacing=1.25, **at)


def _outside(ax: Axes, row: int, side: int, part: Part, left: float, width: float) -> None:
    """A label above or below the bar, and a line from it to the part."""
    edge = row + side * HIGH / 2
    ax.text(left, edge + side * 0.2, _one_line(part), fontsize=style.SMALL_PT, color=style.INK, ha="left", va="center")
    end = min(max(part.middle, left + 0.5), left + width - 0.5)  # where the line leaves the label
    ax.plot([end, part.middle], [edge + side * 0.11, edge], color=style.INK, lw=1.0, clip_on=False, label="_line")


def _two_rows(labels: list[Label], gap: float) -> tuple[list[Label], list[Label]]:
    """Labels for above the bar, and for below it those that would touch the one before."""
    above, below = list[Label](), list[Label]()
    for label in labels:
        free = not above or _left(label) >= _left(above[-1]) + above[-1][1] + gap
        (above if free or len(below) > len(above) else below).append(label)
    return above, below


def _left(label: Label) -> float:
    """Where a label would begin that is over the middle of its part, and within the Axes."""
    part, width = label
    return min(max(0.0, part.middle - width / 2), 100.0 - width)


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


def _one_line(part: Part) -> str:
    return f"{part.who} {_number(part)}"


def _number(part: Part) -> str:
    return percent(part.length)


def percent(value: float) -> str:
    """A percentage with one digit where it, or what is left of 100, is small: so a large and a small part add up.

    >>> [percent(value).replace(PERCENT, "") for value in (99.0, 98.5, 100.0, 47.6, 1.5, 1.0, 0.0)]
    ['99', '98.5', '100', '48', '1.5', '1', '0']
    """
    exact = 0 < value < 9.95 or 90.05 < value < 99.95
    return (f"{value:.1f}".removesuffix(".0") if exact else f"{value:.0f}") + PERCENT


def _points(ax: Axes) -> float:
    """The width of the Axes, once the names at its side have their room."""
    figure = ax.get_figure(root=True)
    if figure is None:
        return 500.0
    figure.draw_without_rendering()
    return float(72 * ax.get_window_extent().width / figure.dpi)


def _width(text: str) -> float:
    """How wide a small text is, in points: its longest line. On the screen letters begin at whole pixels."""
    paths = (TextPath((0, 0), line, size=style.SMALL_PT) for line in text.split("\n"))
    return 1.05 * max(float(path.get_extents().width) for path in paths)


def _finding(bars: dict[str, list[Part]]) -> str:
    """The first part of each bar: "worker: 99 % (by CPU time), 2.5 % (by the clock)" where it is the same."""
    firsts = {by: parts[0] for by, parts in bars.items() if parts}
    if len({part.who for part in firsts.values()}) == 1 < len(firsts):
        numbers = ", ".join(f"{_number(part)} ({by})" for by, part in firsts.items())
        return f"{next(iter(firsts.values())).who}: {numbers}"
    return "; ".join(f"{by}: {_one_line(part)}" for by, part in firsts.items())
