"""Durations (columns of a frame, or named series) -> percentiles on the axis of nines: 90, 99, 99.9 %, evenly spaced.

    plot.percentiles({"JDK 8": jitter8, "JDK 17": jitter17}, unit="ms")

A mean hides what one pause does; here the rare and long stand at the right, each factor of ten in rarity one step on.
"""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from safepointlab.plot import style

STYLES = ["-", "--", "-.", ":"]
COLORS = ["#0B3C6F", "#D55E00", "#4F9BC7", "#8C6D00", "#6B1414", "#1A1A1A"]
MARKERS = "os^DvP"


def percentiles(
    values: Any,
    ax: Axes | None = None,
    title: str | None = None,
    unit: str = "ms",
    what: str = "duration",
) -> Axes:
    """Draw one line for each column of a frame (or each named series of a mapping) of durations."""
    columns = {str(name): _clean(data) for name, data in values.items()}
    columns = {name: data for name, data in columns.items() if len(data)}
    ax = style.canvas(ax)
    if not columns:
        return style.empty(ax, title or "Nothing was measured")
    for number, (name, data) in enumerate(columns.items()):
        _line(ax, name, data, number)
    most = max(len(data) for data in columns.values())
    _nines(ax, int(np.ceil(np.log10(most))))
    style.log_axis(ax)
    style.axis_names(ax, "percentile", f"{what}, {unit} (log)")
    style.finding(ax, title or _finding(columns, unit))
    return ax


def _clean(data: Any) -> np.ndarray:
    """Sorted, without missing values; not above 0 has no place on a log axis."""
    found = pd.to_numeric(pd.Series(data), errors="coerce").dropna().astype(float).to_numpy()
    return np.sort(found[found > 0])


def _line(ax: Axes, name: str, data: np.ndarray, number: int) -> None:
    count = len(data)
    rank = np.unique(np.geomspace(1, count, 200).astype(int))[::-1]  # from the top: 1 is the longest
    x = -np.log10(rank / count)
    y = data[count - rank]
    look = number % len(COLORS)
    ax.plot(x, y, STYLES[number % 4], color=COLORS[look], lw=2.5, marker=MARKERS[look], markevery=[-1], ms=9)
    style.label(ax, x[-1], y[-1], name, offset=(10, 0), color=COLORS[look], fontweight="bold")


def _nines(ax: Axes, most: int) -> None:
    """Ticks at 0, 90, 99, 99.9 %, as far as the number of values allows."""
    ticks = range(max(2, most + 1))
    ax.set_xticks(list(ticks), [f"{100 * (1 - 10.0**-n):.10g}" + (" %" if n == 0 else "") for n in ticks])
    ax.set_xlim(0, max(1, most) + 0.5)
    ax.grid(axis="x", color=style.LINE)


def _finding(columns: dict[str, np.ndarray], unit: str) -> str:
    worst = max(columns, key=lambda name: columns[name][-1])
    data = columns[worst]
    typical, longest = float(np.median(data)), float(data[-1])
    rest = f"the longest {longest:,.4g} {unit}, {longest / typical:,.0f} times as long"
    return f"{worst}: half take under {typical:.2g} {unit}, {rest}"
