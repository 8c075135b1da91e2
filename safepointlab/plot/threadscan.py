"""Stops by the number of running threads -> a line per JDK through their median, and the number of cores.

    plot.threadscan(stops, cores=2)
    plot.threadscan(stops, cores=2, line=0.25)     through the lower quartile, which other programs disturb least
    plot.threadscan(stops, y="total_ms", by="gc", what="the whole stop", cores=2)

One row of the frame is one safepoint (see `read.safepoint`), with a column `threads`. The bar at each point spans the
middle half of the stops: a few that another program disturbed lie outside and do not move the line. Numbers of threads
have equal distances, since they are mostly powers of two; durations are on a log axis, which cannot show 0.
"""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from safepointlab.plot import style
from safepointlab.plot._picture import picture
from safepointlab.plot.style import COLORS, MARKERS, STYLES

SIDEWAYS = 0.3  # of the space of one number of threads: the part over which the lines spread


@picture("read.safepoint, with a column threads", "threads", labels=("y", "by"))
def threadscan(
    frame: pd.DataFrame,
    ax: Axes | None = None,
    y: str = "ttsp_ms",
    by: str = "jdk",
    title: str | None = None,
    what: str = "time to safepoint",
    cores: int | None = None,
    line: float = 0.5,
) -> Axes:
    """Draw one line for each value of `by`, through that quantile of its stops.

    With `cores` a broken line separates the numbers of threads that have a core each from those beyond.
    """
    stops = pd.DataFrame({"by": frame[by], "threads": frame["threads"], "ms": style.numbers(frame, y)})
    stops = stops[stops["ms"] > 0]
    ax = style.canvas(ax, height=4.6)
    if stops.empty:
        return style.empty(ax, title or "Nothing was measured")
    counts = sorted(stops["threads"].unique())
    names = list(stops["by"].unique())
    for number, name in enumerate(names):
        shift = SIDEWAYS * ((number + 0.5) / len(names) - 0.5)
        _line(ax, f"JDK {name}" if by == "jdk" else str(name), stops[stops["by"] == name], counts, line, shift, number)
    _axes(ax, counts, what)
    _border(ax, counts, cores)
    style.line_key(ax)
    style.finding(ax, title or _finding(stops, counts, line))
    return ax


def _line(ax: Axes, name: str, rows: pd.DataFrame, counts: list[Any], line: float, shift: float, number: int) -> None:
    parts = rows.groupby("threads")["ms"].quantile(np.unique([0.25, line, 0.75])).unstack()
    middle = parts[line].to_numpy()
    around = [middle - parts[0.25].to_numpy(), parts[0.75].to_numpy() - middle]
    look: dict[str, Any] = {"color": COLORS[number % len(COLORS)], "label": name, "ls": STYLES[number % len(STYLES)]}
    size: dict[str, Any] = {"marker": MARKERS[number % len(MARKERS)], "ms": 9, "lw": 2.2, "elinewidth": 1.6}
    ax.errorbar([counts.index(value) + shift for value in parts.index], middle, yerr=around, **look, **size)


def _axes(ax: Axes, counts: list[Any], what: str) -> None:
    style.log_axis(ax)
    ax.set_xticks(range(len(counts)), [f"{value:,.0f}" for value in counts])
    ax.set_xlim(-0.5, len(counts) - 0.5)
    ax.grid(axis="y", color=style.LINE)
    style.axis_names(ax, "running threads", f"{what}, ms, logarithmic")


def _border(ax: Axes, counts: list[Any], cores: int | None) -> None:
    within = sum(value <= cores for value in counts) if cores is not None else 0
    if 0 < within < len(counts):
        ax.axvline(within - 0.5, color=style.MUTED, ls="--", lw=1.5)
        at: dict[str, Any] = {"transform": ax.get_xaxis_transform(), "fontsize": style.SMALL_PT, "va": "top"}
        ax.text(within - 0.47, 0.98, f"beyond {cores} cores", color=style.INK, **at)


def _finding(stops: pd.DataFrame, counts: list[Any], line: float) -> str:
    """The quantile over all lines, at the smallest and at the largest number of threads."""
    middle = stops.groupby("threads")["ms"].quantile(line)
    first, last = (style.ms(middle[value]) for value in (counts[0], counts[-1]))
    return f"{first} with {counts[0]:,.0f} thread{'s' if counts[0] != 1 else ''}, {last} with {counts[-1]:,.0f}"
