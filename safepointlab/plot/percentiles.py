"""Durations (columns of a frame, or named series) -> percentiles on the axis of nines: 90, 99, 99.9 %, evenly spaced.

    plot.percentiles({"JDK 8": jitter8, "JDK 17": jitter17}, unit="ms")
    plot.percentiles({"on": bench.histogram, "off": other.histogram}, unit="us")

A series may also be a histogram: a frame with the columns `value` and `count`, as JMH's sampling mode and HdrHistogram
write them; each value counts as often as it was measured.

A mean hides the effect of a single pause. Here rare, long durations are at the right; each step is ten times as rare.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from safepointlab.plot import style
from safepointlab.plot._picture import picture
from safepointlab.plot.style import COLORS, MARKERS, STYLES

NAME_PT = 15.0  # the height of a name beside a line


@picture("a frame of durations, or a mapping of columns and histograms")
def percentiles(values: Any, ax: Axes | None = None, title: str | None = None, unit: str = "ms") -> Axes:
    """Draw one line for each column of a frame (or each named series or histogram of a mapping) of durations."""
    samples = {str(name): _Sample(data) for name, data in values.items()}
    samples = {name: sample for name, sample in samples.items() if sample.count}
    ax = style.canvas(ax)
    if not samples:
        return style.empty(ax, title or "Nothing was measured")
    ends = []
    for number, sample in enumerate(samples.values()):
        rank = np.unique(np.geomspace(1, sample.count, 200).astype(int))[::-1]  # from the top: 1 is the longest
        x, y, look = -np.log10(rank / sample.count), sample.at(rank), number % len(COLORS)
        ax.plot(x, y, STYLES[number % 4], color=COLORS[look], lw=2.5, marker=MARKERS[look], markevery=[-1], ms=9)
        ends.append((float(x[-1]), float(y[-1])))
    nines = max(1, int(np.ceil(np.log10(max(sample.count for sample in samples.values())))))
    if nines > 4:  # from 99.999 on the labels would overlap
        ax.tick_params(axis="x", labelsize=style.SMALL_PT - (nines > 5))
    tick_nines(ax, nines)
    ax.set_xlim(0, nines + 0.5)
    style.log_axis(ax)
    style.axis_names(ax, "percentile", f"duration, {unit} (log)")
    style.finding(ax, title or _finding(samples, unit))
    name_ends(ax, list(samples), ends)
    return ax


class _Sample:
    """Durations, longest first, each with the number of those that are at least as long; only durations above 0."""

    def __init__(self, data: Any) -> None:
        if isinstance(data, pd.DataFrame):
            histogram = data[["value", "count"]].apply(pd.to_numeric, errors="coerce").dropna()
            values, counts = histogram["value"].to_numpy(float), histogram["count"].to_numpy(int)
        else:
            values = pd.to_numeric(pd.Series(data), errors="coerce").dropna().to_numpy(float)
            counts = np.ones(len(values), dtype=int)
        kept = (values > 0) & (counts > 0)
        order = np.argsort(-values[kept], kind="stable")
        self.values = values[kept][order]
        self.at_least = np.cumsum(counts[kept][order])
        self.count = int(self.at_least[-1]) if len(order) else 0

    def at(self, rank: Any) -> Any:
        """The duration of a rank, or of each of several; 1 is the longest."""
        return self.values[np.searchsorted(self.at_least, rank)]


def tick_nines(ax: Axes, last: int) -> None:
    """Ticks from 0 % to so many nines."""
    labels = [f"{100 * (1 - 10.0**-nines):.10g}" + (" %" if nines == 0 else "") for nines in range(last + 1)]
    ax.set_xticks(range(last + 1), labels)
    ax.grid(axis="x", color=style.LINE)


def name_ends(
    ax: Axes, texts: Sequence[str], ends: Sequence[tuple[float, float]], colors: Sequence[str] = COLORS
) -> None:
    """Write each line's name at its end (x, y), or lower if two names would overlap. Comes after the title."""
    figure = ax.get_figure(root=True)
    if figure is None:
        return
    figure.draw_without_rendering()  # the height of the Axes under their title is known only now
    heights = ax.transData.transform(ends)[:, 1] * 72 / figure.dpi
    ceiling = np.inf
    for number in np.argsort(-heights, kind="stable"):
        place, (x, y) = min(heights[number], ceiling), ends[number]
        offset = (10, place - heights[number])
        style.label(ax, x, y, texts[number], offset=offset, color=colors[number % len(colors)], fontweight="bold")
        ceiling = place - NAME_PT


def _finding(samples: dict[str, _Sample], unit: str) -> str:
    """The line with the longest duration: its median, and how many times that the longest is."""
    worst = max(samples, key=lambda name: samples[name].values[0])
    typical, longest = (float(samples[worst].at(rank)) for rank in ((samples[worst].count + 1) // 2, 1))
    longest_text = f"{longest:,.0f}" if longest >= 1000 else f"{longest:.4g}"
    rest = f"the longest {longest_text} {unit}, {style.short(longest / typical)} times as long"
    return f"{worst}: half take under {style.short(typical)} {unit}, {rest}"
