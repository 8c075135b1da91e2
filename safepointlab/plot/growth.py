"""Durations by the size of the run -> a dot each, and a line through the medians: which grow, and which do not.

    plot.growth(stops, x="threads", y={"ttsp_ms": "reaching the safepoint", "operation_ms": "the operation"})
    plot.growth(stops, x="k", y="ttsp_ms", by="gc")

One row of the frame is one safepoint (or one run). The values of `x` stand side by side at equal distance, since they
are mostly powers of ten and 0 may be among them; durations are on a log axis. Missing durations and those of 0, which
a log axis cannot show, are left out.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from safepointlab.plot import style
from safepointlab.plot._picture import picture
from safepointlab.plot.style import COLORS, MARKERS, STYLES

WIDTH = 0.24  # of the space of one value of x: the part that the series may occupy
NAME_HEIGHT = 0.07  # of the axis: how far apart the names at its right end are
MOST_DOTS = 200  # per series and value of x; of more, evenly chosen ranks are drawn


@picture("read.safepoint, with a column that says how large each row's run was", labels=("x", "y", "by"))
def growth(
    frame: pd.DataFrame,
    x: str,
    y: "str | Mapping[str, str]" = "total_ms",
    by: str | None = None,
    ax: Axes | None = None,
    title: str | None = None,
    what: str = "time to safepoint",
    unit: str = "ms",
    x_name: str = "",
    apart: bool = True,
) -> Axes:
    """Draw one line for each value of `by`, or for each column of the mapping `y`, which gives it its name.

    Args:
        apart: the series stand side by side at each value of `x`; without it all of them stand on its tick.
    """
    series = {name: data for name, data in _series(frame, x, y, by).items() if len(data)}
    ax = style.canvas(ax, height=4.6)
    if not series:
        return style.empty(ax, title or "Nothing was measured")
    sizes = sorted({size for data in series.values() for size in data["x"]})
    places = {size: place for place, size in enumerate(sizes)}
    width = WIDTH / len(series) if apart else 0.0
    shifts = [width * (number + 0.5 - len(series) / 2) for number in range(len(series))]
    ends = [_draw(ax, name, series[name], places, number, shifts[number]) for number, name in enumerate(series)]
    style.log_axis(ax)
    ax.set_xticks(list(places.values()), [f"{value:,}" if not isinstance(value, str) else value for value in places])
    ax.set_xlim(-0.5, len(places) - 0.5 + 0.36 * len(places))
    ax.spines["bottom"].set_bounds(-0.5, len(places) - 0.5)  # the axis ends where the names of the lines begin
    _name(ax, ends, series, len(places) - 0.7, f"{style.MS[0]}{unit}")
    ax.grid(axis="y", color=style.LINE)
    ax.axvspan(len(places) - 0.5, ax.get_xlim()[1], color=style.PAPER, lw=0, zorder=1.6)  # no grid beside the axis
    style.axis_names(ax, x_name or x, f"{what}, {unit}, logarithmic")
    style.finding(ax, title or _finding(series, x_name or x))
    return ax


def _series(frame: pd.DataFrame, x: str, y: "str | Mapping[str, str]", by: str | None) -> dict[str, pd.DataFrame]:
    """Frames with the columns x and y, one per line of the picture."""
    if not isinstance(y, str):
        return {name: _clean(frame, x, column) for column, name in y.items()}
    if by is None:
        return {y: _clean(frame, x, y)}
    return {str(value): _clean(rows, x, y) for value, rows in frame.groupby(by, sort=False)}


def _clean(frame: pd.DataFrame, x: str, y: str) -> pd.DataFrame:
    data = pd.DataFrame({"x": frame[x], "y": style.numbers(frame, y)})
    return data[data["y"] > 0]


def _draw(ax: Axes, name: str, data: pd.DataFrame, places: Mapping[Any, int], number: int, shift: float) -> float:
    """Draw the dots and the line; returns where the line ends."""
    look: dict[str, Any] = {"color": COLORS[number % len(COLORS)], "marker": MARKERS[number % len(MARKERS)]}
    for value, rows in data.groupby("x"):
        dots = _thinned(rows["y"].to_numpy())
        ax.plot([places[value] + shift] * len(dots), dots, ls="", ms=4, alpha=0.35, mew=0, **look)
    medians = data.groupby("x")["y"].median()
    middle = [places[value] + shift for value in medians.index]
    ax.plot(middle, medians, STYLES[number % len(STYLES)], lw=2.5, ms=9, label=name, **look)
    return float(medians.iloc[-1])


def _name(ax: Axes, ends: Sequence[float], names: Iterable[str], x: float, unit: str) -> None:
    """Write each line's name and last median at the right, beside the line's end; names never overlap."""
    low, high = np.log10(ax.get_ylim())
    step = (high - low) * NAME_HEIGHT
    lines = sorted(zip(np.log10(ends), range(len(ends)), names, strict=True), reverse=True)
    ceiling = high
    for place, (end, number, name) in enumerate(lines):
        below = len(lines) - 1 - place  # how many names still need room further down
        ceiling = max(min(end, ceiling), low + below * step)
        look: dict[str, Any] = {"color": COLORS[number % len(COLORS)], "fontweight": "bold"}
        style.label(ax, x, 10**ceiling, f"{name} {_plain(10**end)}{unit}", **look)
        ceiling -= step


def _thinned(values: "np.ndarray[Any, Any]") -> "np.ndarray[Any, Any]":
    if len(values) <= MOST_DOTS:
        return values
    kept: np.ndarray[Any, Any] = np.sort(values)[np.linspace(0, len(values) - 1, MOST_DOTS).astype(int)]
    return kept


def _plain(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 else f"{value:.2g}"


def _finding(series: Mapping[str, pd.DataFrame], x: str) -> str:
    """The factor by which each line's median grows from the first value of x to the last."""
    medians = {name: data.groupby("x")["y"].median() for name, data in series.items()}
    factors = [f"{name}: {_times(values.iloc[-1] / values.iloc[0])}" for name, values in medians.items()]
    first = next(iter(medians.values())).index
    return f"From {first[0]:,} to {first[-1]:,} {x}, " + "; ".join(factors) if len(first) > 1 else "; ".join(factors)


def _times(factor: float) -> str:
    return f"× {factor:,.0f}" if factor >= 10 else f"× {factor:.1f}"
