"""JMH scores -> points with their error bars, over a parameter or over names, one line of points a group.

    plot.scores(frame, x="k", by="gc")             numbers that span much get a logarithmic axis
    plot.scores(frame, x="jdk", by="benchmark", log=True)

Columns used (see `read.jmh`): metric, score, low, high, best, unit, and those named by `x` and `by`. The bar is JMH's
99.9 % interval; where JMH gives none (fewer than three raw values) there is a point and no bar. A small tick is the
best raw value: on a busy machine the one that was disturbed least.
"""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from safepointlab.plot import style
from safepointlab.plot._picture import picture
from safepointlab.plot.style import COLORS, MARKERS, STYLES

SIDEWAYS = 0.36  # how far the groups of one name spread around its tick, of the way to the next one


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
) -> Axes:
    """Draw one score a row of that metric; rows without a score (failed, hung) leave a gap.

    Args:
        x, by: the columns that say where a point stands, and to which line of points it belongs.
        log: draw the scores on a logarithmic axis.
        what: what is measured, for the name of the y axis; its unit comes from the frame.
    """
    shown = frame[(frame["metric"] == metric) & frame["score"].notna()].reset_index(drop=True)
    ax = style.canvas(ax)
    if shown.empty:
        return style.empty(ax, title or "Nothing was measured")
    places = _Places(shown[x], shown[by].nunique())
    for number, (name, group) in enumerate(shown.groupby(by, sort=False)):
        _points(ax, str(name), group, places.of(group[x], number), number)
    places.ticks(ax, x)
    _scale(ax, shown, log)
    style.axis_names(ax, "" if x == "jdk" else x, f"{what}, {shown['unit'].iloc[0]}" + (" (log)" if log else ""))
    style.line_key(ax)
    style.finding(ax, title or _finding(shown, x, by))
    return ax


class _Places:
    """Where on the x axis a value stands: at its number, or at its turn among the names."""

    def __init__(self, values: "pd.Series[Any]", groups: int) -> None:
        numbers = pd.to_numeric(values, errors="coerce")
        self.names = list(dict.fromkeys(values))
        self.groups = groups
        low, high = float(numbers.min()), float(numbers.max())
        self.numeric = bool(numbers.notna().all()) and len(self.names) > 2 and low > 0 and high / low >= 16

    def of(self, values: "pd.Series[Any]", group: int) -> np.ndarray:
        """The places of these values, those of the several groups side by side."""
        if self.numeric:
            return pd.to_numeric(values).to_numpy(float)
        shift = SIDEWAYS * (group / max(1, self.groups - 1) - 0.5) if self.groups > 1 else 0.0
        return np.array([self.names.index(value) for value in values]) + shift

    def ticks(self, ax: Axes, x: str) -> None:
        """The values as they are called."""
        if self.numeric:
            style.log_axis(ax, "x")
            return
        prefix = "JDK " if x == "jdk" else ""
        ax.set_xticks(range(len(self.names)), [f"{prefix}{name}" for name in self.names])
        ax.set_xlim(-0.5, len(self.names) - 0.5)


def _points(ax: Axes, name: str, group: pd.DataFrame, x: np.ndarray, number: int) -> None:
    order = np.argsort(x)
    columns = ("score", "low", "high", "best")
    score, low, high, best = (style.numbers(group, column).to_numpy()[order] for column in columns)
    color = COLORS[number % len(COLORS)]
    line: dict[str, Any] = {"fmt": MARKERS[number % 6], "ls": STYLES[number % 4], "lw": 1.6, "ms": 9}
    bars: dict[str, Any] = {"yerr": np.nan_to_num(np.array([score - low, high - score])), "capsize": 5}
    ax.errorbar(x[order], score, **bars, elinewidth=2.2, **line, color=color, label=name)
    ax.plot(x[order], best, "_", color=color, ms=12, mew=2)


def _scale(ax: Axes, shown: pd.DataFrame, log: bool) -> None:
    """The axis begins at nothing; on a log axis the points set it, as an interval may reach below zero."""
    score = style.numbers(shown, "score")
    if log:
        style.log_axis(ax)
        ax.set_ylim(score.min() / 2, score.max() * 2)
        return
    top = np.nanmax([score.max(), min(style.numbers(shown, "high").max(), 2 * score.max())])
    ax.set_ylim(0, top * 1.08)


def _finding(shown: pd.DataFrame, x: str, by: str) -> str:
    """The largest ratio that the intervals leave no doubt about, or that there is none."""
    shortest, *_, longest = shown.sort_values("score").to_dict("records") * (1 if len(shown) > 1 else 2)
    if not longest["low"] > shortest["high"]:
        return "The error bars overlap: no difference is certain"
    names = [f"{row[by]} {_place(x, row[x])}" for row in (longest, shortest)]
    return f"{names[0]}: {longest['score'] / shortest['score']:,.1f} times the score of {names[1]}"


def _place(x: str, value: object) -> str:
    return f"on JDK {value}" if x == "jdk" else f"at {x} {value}"
