"""JMH scores -> points with their error bars: over a parameter's values one line per group, over names points alone.

    plot.scores(frame, x="k", by="gc")             numbers of a wide range get a logarithmic axis
    plot.scores(frame, x="jdk", by="benchmark", log=True)
    plot.scores(frame, x="rung", by="loop", steps="copy")   from each point of the copy to the next, how many times

Columns used (see `read.jmh`): metric, score, low, high, best, unit, and those named by `x` and `by`. The bar goes from
`low` to `high`, JMH's 99.9 % interval or a range of forks; without them the point has no bar. A small tick is the best
raw value, where the mark is another: on a busy machine the one that was disturbed least.
"""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from safepointlab.plot import style
from safepointlab.plot._picture import picture
from safepointlab.plot.style import COLORS, MARKERS, STYLES

FIT = 66  # characters of the lab's usual text that fit side by side under the x axis
SIDEWAYS = 0.36  # of the distance between two ticks: the part over which the groups of one name spread


@picture("read.jmh", "metric", "score", "low", "high", "unit", labels=("x", "by"))
def scores(
    frame: pd.DataFrame,
    ax: Axes | None = None,
    x: str = "jdk",
    by: str = "benchmark",
    metric: str = "score",
    title: str | None = None,
    log: bool = False,
    what: str = "time",
    steps: str | None = None,
    note: str = "",
) -> Axes:
    """Draw one score per row of that metric; rows without a score (failed, hung) leave a gap.

    Args:
        x, by: the columns that give a point's place, and the line of points that it belongs to.
        log: draw the scores on a logarithmic axis.
        what: what is measured, for the name of the y axis; its unit comes from the frame.
        steps: the line of which each point says how many times the best value of the one before it its own is.
        note: what a mark and its bar are, below the x axis.
    """
    measured = frame[(frame["metric"] == metric) & frame["score"].notna()].reset_index(drop=True)
    ax = style.canvas(ax)
    if measured.empty:
        return style.empty(ax, title or "Nothing was measured")
    places = _Places(measured[x], measured[by].nunique())
    for number, (name, group) in enumerate(measured.groupby(by, sort=False)):
        _points(ax, str(name), group, places.of(group[x], number), number, places.numeric)
        if name == steps:
            _steps(ax, group, places.of(group[x], number), COLORS[number % len(COLORS)])
    places.ticks(ax, x)
    _scale(ax, measured, log)
    style.axis_names(ax, "" if x == "jdk" else x, f"{what}, {measured['unit'].iloc[0]}" + (" (log)" if log else ""))
    style.note(ax, note)
    _explain_ticks(ax, measured)
    style.line_key(ax)
    style.finding(ax, title or _finding(measured, x, by))
    return ax


class _Places:
    """The place of a value on the x axis: its number, or its position among the names."""

    def __init__(self, values: "pd.Series[Any]", groups: int) -> None:
        numbers = pd.to_numeric(values, errors="coerce")
        self.names = list(dict.fromkeys(values))
        self.groups = groups
        low, high = float(numbers.min()), float(numbers.max())
        self.numeric = bool(numbers.notna().all()) and len(self.names) > 2 and low > 0 and high / low >= 16

    def of(self, values: "pd.Series[Any]", group: int) -> np.ndarray:
        """The places of these values, with the groups side by side."""
        if self.numeric:
            return pd.to_numeric(values).to_numpy(float)
        shift = SIDEWAYS * (group / max(1, self.groups - 1) - 0.5) if self.groups > 1 else 0.0
        return np.array([self.names.index(value) for value in values]) + shift

    def ticks(self, ax: Axes, x: str) -> None:
        """Draw the values as the ticks of the x axis."""
        if self.numeric:
            style.log_axis(ax, "x")
            return
        prefix = "JDK " if x == "jdk" else ""
        names = [f"{prefix}{name}" for name in self.names]
        widest = max(len(line) for name in names for line in name.splitlines())
        size = style.TEXT_PT if widest * len(names) <= FIT else style.SMALL_PT
        ax.set_xticks(range(len(names)), names, fontsize=size)
        ax.set_xlim(-0.5, len(names) - 0.5)


def _points(ax: Axes, name: str, group: pd.DataFrame, x: np.ndarray, number: int, line: bool) -> None:
    order = np.argsort(x)
    columns = ("score", "low", "high", "best")
    score, low, high, best = (style.numbers(group, column).to_numpy()[order] for column in columns)
    color = COLORS[number % len(COLORS)]
    look: dict[str, Any] = {"fmt": MARKERS[number % 6], "ls": STYLES[number % 4] if line else "", "lw": 1.6, "ms": 9}
    bars: dict[str, Any] = {"yerr": np.nan_to_num(np.array([score - low, high - score])), "capsize": 5}
    ax.errorbar(x[order], score, **bars, elinewidth=2.2, **look, color=color, label=name)
    ax.plot(x[order], np.where(best == score, np.nan, best), "_", color=color, ms=12, mew=2)


def _steps(ax: Axes, group: pd.DataFrame, x: np.ndarray, color: str) -> None:
    """Write above each point how many times the best value before it its own is."""
    best, top = style.numbers(group, "best").to_numpy(), group[["score", "high"]].max(axis=1).to_numpy(float)
    for place, high, factor in zip(x[1:], top[1:], best[1:] / best[:-1], strict=True):
        style.label(ax, place, high, f"×{factor:.1f}", offset=(0, 15), ha="center", fontweight="bold", color=color)


def _explain_ticks(ax: Axes, measured: pd.DataFrame) -> None:
    """Say what a tick is, where it is more than an end of its bar."""
    score, low, high, best = (style.numbers(measured, name) for name in ("score", "low", "high", "best"))
    if (best.notna() & (best != low) & (best != high) & (best != score)).any():
        ax.plot([], [], "_", color=style.INK, ms=12, mew=2, label="best")


def _scale(ax: Axes, measured: pd.DataFrame, log: bool) -> None:
    """Begin the axis at 0; the points set a log axis, since an interval may reach below zero."""
    score = style.numbers(measured, "score")
    if log:
        style.log_axis(ax)
        ax.set_ylim(score.min() / 2, score.max() * 2)
        return
    top = np.nanmax([score.max(), min(style.numbers(measured, "high").max(), 2 * score.max())])
    ax.set_ylim(0, top * 1.08)


def _finding(measured: pd.DataFrame, x: str, by: str) -> str:
    """The ratio of the largest to the smallest score if their intervals do not overlap, or that it is not certain."""
    shortest, *_, longest = measured.sort_values("score").to_dict("records") * (1 if len(measured) > 1 else 2)
    if not longest["low"] > shortest["high"]:
        return "The error bars overlap: the scores are not told apart by this measurement"
    names = [f"{row[by]} {_place(x, row[x])}" for row in (longest, shortest)]
    return f"{names[0]}: {longest['score'] / shortest['score']:,.1f} times the score of {names[1]}"


def _place(x: str, value: object) -> str:
    return f"on JDK {value}" if x == "jdk" else f"at {x} {value}"
