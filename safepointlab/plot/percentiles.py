"""Durations (columns of a frame, or named series) -> percentiles on the axis of nines: 90, 99, 99.9 %, evenly spaced.

    plot.percentiles({"JDK 8": jitter8, "JDK 17": jitter17}, unit="ms")
    plot.percentiles({"on": bench.histogram, "off": other.histogram}, unit="us")

A series may also be a histogram: a frame with the columns `value` and `count`, as JMH's sampling mode and HdrHistogram
write them; each value counts as often as it was measured.

A mean hides the effect of a single pause. Here rare, long durations are at the right; each step is ten times as rare.
"""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from safepointlab.plot import _nines as nines
from safepointlab.plot import style
from safepointlab.plot._picture import picture
from safepointlab.plot.style import COLORS, MARKERS, STYLES


@picture("a frame of durations, or a mapping of columns and histograms")
def percentiles(
    values: Any,
    ax: Axes | None = None,
    title: str | None = None,
    unit: str = "ms",
    what: str = "duration",
) -> Axes:
    """Draw one line for each column of a frame (or each named series or histogram of a mapping) of durations."""
    columns = {str(name): _Sample(data) for name, data in values.items()}
    columns = {name: data for name, data in columns.items() if data.count}
    ax = style.canvas(ax)
    if not columns:
        return style.empty(ax, title or "Nothing was measured")
    ends = [_line(ax, data, number) for number, data in enumerate(columns.values())]
    most = max(data.count for data in columns.values())
    _axis(ax, int(np.ceil(np.log10(most))))
    style.log_axis(ax)
    style.axis_names(ax, "percentile", f"{what}, {unit} (log)")
    style.finding(ax, title or _finding(columns, unit))
    nines.names(ax, list(columns), ends)
    return ax


class _Sample:
    """Durations, longest first, each with the number of those that are at least as long; only durations above 0."""

    def __init__(self, data: Any) -> None:
        values, counts = _counted(data)
        kept = (values > 0) & (counts > 0)
        order = np.argsort(-values[kept], kind="stable")
        self.values = values[kept][order]
        self.at_least = np.cumsum(counts[kept][order])
        self.count = int(self.at_least[-1]) if len(order) else 0

    def at(self, rank: Any) -> Any:
        """The duration of a rank, or of each of several; 1 is the longest."""
        return self.values[np.searchsorted(self.at_least, rank)]


def _counted(data: Any) -> tuple[np.ndarray, np.ndarray]:
    """The durations, without missing ones, and how often each was measured."""
    if isinstance(data, pd.DataFrame):
        histogram = data[["value", "count"]].apply(pd.to_numeric, errors="coerce").dropna()
        return histogram["value"].to_numpy(float), histogram["count"].to_numpy(int)
    values = pd.to_numeric(pd.Series(data), errors="coerce").dropna().to_numpy(float)
    return values, np.ones(len(values), dtype=int)


def _line(ax: Axes, data: _Sample, number: int) -> tuple[float, float]:
    """Draw the line; returns its end."""
    rank = np.unique(np.geomspace(1, data.count, 200).astype(int))[::-1]  # from the top: 1 is the longest
    x = -np.log10(rank / data.count)
    y = data.at(rank)
    look = number % len(COLORS)
    ax.plot(x, y, STYLES[number % 4], color=COLORS[look], lw=2.5, marker=MARKERS[look], markevery=[-1], ms=9)
    return float(x[-1]), float(y[-1])


def _axis(ax: Axes, most: int) -> None:
    """Ticks at 0, 90, 99, 99.9 %, as far as the number of values allows."""
    if most > 4:  # from 99.999 on the labels would overlap
        ax.tick_params(axis="x", labelsize=style.SMALL_PT - (most > 5))
    nines.ticks(ax, max(1, most))
    ax.set_xlim(0, max(1, most) + 0.5)


def _finding(columns: dict[str, _Sample], unit: str) -> str:
    worst = max(columns, key=lambda name: columns[name].values[0])
    data = columns[worst]
    typical, longest = float(data.at((data.count + 1) // 2)), float(data.at(1))
    longest_text = f"{longest:,.0f}" if longest >= 1000 else f"{longest:.4g}"
    rest = f"the longest {longest_text} {unit}, {longest / typical:,.0f} times as long"
    return f"{worst}: half take under {typical:.2g} {unit}, {rest}"
