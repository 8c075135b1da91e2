"""HDR logs (of a Run, or rows of logs.hdr) -> percentiles on the axis of nines: 90, 99, 99.9 %, evenly spaced.

    plot.hdr_percentiles(run)                                   one line per tag of the log that the program wrote
    plot.hdr_percentiles({"limiter": first, "schedule": second}, tags=["read-st", "read-rt"])
    plot.hdr_percentiles(hdr.read(path))
    plot.hdr_percentiles({"service": parts["read-st"], "response": parts["read-rt"]})

Drawn from every count in the histograms, not from the rows' own percentiles.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from safepointlab.logs import hdr
from safepointlab.plot import _alternative, _hdr_lines, style
from safepointlab.plot import _nines as nines
from safepointlab.plot._picture import picture
from safepointlab.plot.style import MARKERS, STYLES


@picture("a Run that wrote an HDR log, logs.hdr, or a mapping of these", "histogram", kind="hdr")
def hdr_percentiles(
    source: Any,
    ax: Axes | None = None,
    title: str | None = None,
    unit: str = "ms",
    level: tuple[str, float] | None = None,
    tags: str | Iterable[str] = (),
) -> Axes:
    """Draw one line for each tag of a log, or for each named part of one.

    Args:
        level: a name and a value to hold the lines against.
        tags: those of a log to draw, such as "read-rt" or ["read-st", "read-rt"]; by default all.
    """
    lines = {name: hdr.values(part) for name, part in _hdr_lines.lines(source, tags).items()}
    lines = {name: line for name, line in lines.items() if not line.empty}
    ax = style.canvas(ax)
    if not lines:
        return style.empty(ax, title or "Nothing was recorded")
    colors = [style.line_color(name, number) for number, name in enumerate(lines)]
    ends = [_line(ax, number, name, line, colors[number]) for number, (name, line) in enumerate(lines.items())]
    style.log_axis(ax)
    rarest = max(x for x, _ in ends)
    nines.ticks(ax, int(rarest))
    ax.set_xlim(0, rarest)
    if level:
        _level(ax, f"{level[0]}: {_short(level[1])} {unit}", level[1])
    style.axis_names(ax, "percentile of the requests", f"latency, {unit} (log)")
    style.finding(ax, title or _hdr_lines.condition(source) + _finding(lines, unit))
    nines.names(ax, list(lines), [(rarest, y) for _, y in ends], colors)
    return ax


def _level(ax: Axes, text: str, value: float) -> None:
    """Draw a thin line across at that value, with its name at the left."""
    ax.axhline(value, color=style.INK, lw=1, ls=(0, (4, 3)))
    style.label(ax, 0, value, text, offset=(6, -12))


def _line(ax: Axes, number: int, name: str, line: pd.DataFrame, color: str) -> tuple[float, float]:
    """Draw the line and return its end. A value is drawn at the percentile of the rarest of its requests."""
    total = line["count"].sum()
    rarity = np.log10(total / (total - line["count"].cumsum() + 1))
    look: dict[str, Any] = {"color": color, "marker": MARKERS[number % len(MARKERS)], "label": str(name)}
    [drawn] = ax.plot(rarity, line["value"], STYLES[number % 4], lw=2.5, markevery=[-1], ms=8, clip_on=False, **look)
    _alternative.series(drawn, _in_words(line))
    return float(rarity.iloc[-1]), float(line["value"].iloc[-1])


def _in_words(line: pd.DataFrame) -> str:
    """What is read off the curve. Its steps are unlike in their counts, so their median is no percentile."""
    said = {"median": _at(line, 50), "p99": _at(line, 99), "maximum": float(line["value"].iloc[-1])}
    return ", ".join(f"{name} {_alternative.number(value)}" for name, value in said.items())


def _finding(lines: Mapping[str, pd.DataFrame], unit: str) -> str:
    tails = {name: _at(line, 99) for name, line in lines.items()}
    least, most = min(tails, key=lambda name: tails[name]), max(tails, key=lambda name: tails[name])
    if least == most:
        maximum = float(lines[most]["value"].iloc[-1])
        return f"{most} p99 is {_with(unit, tails[most])}, its maximum {_with(unit, maximum)}"
    return f"p99 from {_with(unit, tails[least])} ({least}) to {_with(unit, tails[most])} ({most})"


def _with(unit: str, value: float) -> str:
    return f"{_short(value)}\N{NO-BREAK SPACE}{unit}"


def _short(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 else f"{value:.2g}"


def _at(line: pd.DataFrame, percent: float) -> float:
    rank = np.ceil(percent / 100 * line["count"].sum())
    return float(line["value"].iloc[int(np.searchsorted(line["count"].cumsum(), rank))])
