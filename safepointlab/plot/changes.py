"""Scores of two settings -> how many per cent each has changed: a row a name, with its range.

    plot.changes(late.changes(prices))

Columns used: name, percent (of the medians), low_percent and high_percent. A mark is hollow if its range contains 0, or
if it has none (a single run): the two settings are not told apart by this measurement.
"""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from safepointlab.plot import style
from safepointlab.plot._picture import picture

MINUS = "\N{MINUS SIGN}"
CLEAR, UNCLEAR = style.Look("told apart", style.COLORS[0]), style.Look("not told apart", style.MUTED)


@picture("nb23_late.experiments.changes", "name", "percent", "low_percent", "high_percent")
def changes(frame: pd.DataFrame, ax: Axes | None = None, title: str | None = None, what: str = "change") -> Axes:
    """Draw one row a name, the first at the top, with its number behind its range; `what` names the axis."""
    ax = style.canvas(ax, height=3.6)
    if frame.empty:
        return style.empty(ax, title or "Nothing was measured")
    ax.axvline(0, color=style.INK, lw=1.2)
    rows = frame.to_dict("records")
    for place, row in enumerate(rows):
        _row(ax, len(rows) - 1 - place, row)
    ax.set_yticks(range(len(rows)), [str(row["name"]) for row in reversed(rows)])
    ax.set_ylim(-0.6, len(rows) - 0.2)
    ax.margins(x=0.14)
    ax.xaxis.set_major_formatter(lambda value, _: _number(value))
    style.axis_names(ax, f"{what}, %", "")
    style.finding(ax, title or _finding(frame))
    return ax


def _row(ax: Axes, y: int, row: dict[Any, Any]) -> None:
    look = CLEAR if told_apart(row) else UNCLEAR
    ends = np.nan_to_num([[row["percent"] - row["low_percent"]], [row["high_percent"] - row["percent"]]])
    fill = look.color if look is CLEAR else style.PAPER
    bar: dict[str, Any] = {"fmt": look.marker, "ms": 10, "mfc": fill, "mew": 2, "elinewidth": 2.4, "capsize": 5}
    ax.errorbar([row["percent"]], [y], xerr=ends, color=look.color, label=str(row["name"]), **bar)
    weight = "bold" if look is CLEAR else "normal"
    right = row["percent"] + ends[1][0]
    style.label(ax, right, y, _signed(row["percent"]), offset=(9, 0), ha="left", va="center", fontweight=weight)


def told_apart(row: Any) -> bool:
    """Does the range leave out 0?

    >>> told_apart({"low_percent": -18.0, "high_percent": -12.0})
    True
    """
    return bool(row["low_percent"] > 0 or row["high_percent"] < 0)


def _finding(frame: pd.DataFrame) -> str:
    clear = [row for row in frame.to_dict("records") if told_apart(row)]
    if not clear:
        return f"None of the {len(frame)} is told apart from no change"
    most = max(clear, key=lambda row: abs(row["percent"]))
    return f"{most['name']} changes most: by {_signed(most['percent'])}"


def _signed(percent: float) -> str:
    """
    >>> _signed(-12.6), _signed(-0.3)
    ('−13 %', '0 %')
    """
    return f"{_number(percent)} %"


def _number(value: float) -> str:
    return f"{value:+.0f}".replace("-", MINUS) if round(value) else "0"
