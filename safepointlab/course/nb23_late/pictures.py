"""Pictures that only page 23 needs.

changes(before, after)       two lists of reports of lab.late: by how many per cent SciMark's speeds have changed
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from safepointlab.course.nb23_late import experiments
from safepointlab.plot import style
from safepointlab.plot._picture import picture

if TYPE_CHECKING:
    from safepointlab.culprit.report import Late

NAMED = 2  # computations that a title has room for
MINUS = "\N{MINUS SIGN}"
CLEAR, UNCLEAR = style.Look("a change", style.COLORS[0]), style.Look("perhaps no change", style.MUTED)


def changes(before: "Sequence[Late]", after: "Sequence[Late]", ax: Axes | None = None) -> Axes:
    """Draw one row per computation, the first at the top, with its number behind its range.

    A mark is hollow if its range contains 0, or if it has none (a single run): these runs cannot tell a change.

    Raises:
        BadInput: not two lists of reports of `lab.late`.
    """
    table = experiments.changes(before, after)
    return _rows(table, ax, _finding(table, before, after))


@picture("the speeds of two settings", "name", "percent", "low_percent", "high_percent")
def _rows(frame: pd.DataFrame, ax: Axes | None, title: str) -> Axes:
    ax = style.canvas(ax, height=3.6)
    if frame.empty:
        return style.empty(ax, title)
    ax.axvline(0, color=style.INK, lw=1.2)
    rows = frame.to_dict("records")
    clear = experiments.clear(frame)
    for place, row in enumerate(rows):
        _row(ax, len(rows) - 1 - place, row, CLEAR if row["name"] in clear else UNCLEAR)
    ax.set_yticks(range(len(rows)), [str(row["name"]) for row in reversed(rows)])
    ax.set_ylim(-0.6, len(rows) - 0.2)
    ax.margins(x=0.14)
    ax.xaxis.set_major_formatter(lambda value, _: _number(value))
    style.axis_names(ax, "change of speed, %", "")
    style.finding(ax, title)
    return ax


def _row(ax: Axes, y: int, row: dict[Any, Any], look: style.Look) -> None:
    ends = np.nan_to_num([[row["percent"] - row["low_percent"]], [row["high_percent"] - row["percent"]]])
    fill = look.color if look is CLEAR else style.PAPER
    bar: dict[str, Any] = {"fmt": look.marker, "ms": 10, "mfc": fill, "mew": 2, "elinewidth": 2.4, "capsize": 5}
    ax.errorbar([row["percent"]], [y], xerr=ends, color=look.color, label=str(row["name"]), **bar)
    weight = "bold" if look is CLEAR else "normal"
    right = row["percent"] + ends[1][0]
    text = f"{_number(row['percent'])} %"
    style.label(ax, right, y, text, offset=(9, 0), ha="left", va="center", fontweight=weight)


def _number(value: float) -> str:
    """
    >>> _number(-12.6), _number(-0.3), _number(7.9)
    ('−13', '0', '+8')
    """
    return f"{value:+.0f}".replace("-", MINUS) if round(value) else "0"


def _finding(table: pd.DataFrame, before: "Sequence[Late]", after: "Sequence[Late]") -> str:
    """The largest of the changes that these runs can tell, and of how many computations they tell none.

    A replay that plays one recording again and again has one run of each setting.
    """
    if table.empty:
        return "No speed of SciMark's was printed"
    clear = sorted(experiments.clear(table).items(), key=lambda each: -abs(each[1]))
    if table["low_percent"].isna().all():
        return f"{_condition(before, after)}one run each, so no change is certain"
    told = [f"{name} {_number(percent)}\N{NO-BREAK SPACE}%" for name, percent in clear[:NAMED]]
    told += [f"{len(clear) - NAMED} more"] if len(clear) > NAMED else []
    rest = len(table) - len(clear)
    others = f"the other {rest} uncertain" if clear else f"no change is certain in any of the {rest}"
    return _condition(before, after) + "; ".join([", ".join(told)] * bool(told) + [others] * bool(rest))


def _condition(before: "Sequence[Late]", after: "Sequence[Late]") -> str:
    """What all runs have in common, and what only the later ones have: "JDK 17, Serial, with polls: "."""
    run = {f"JDK {report.jdk.major}, {report.plan.gc}, " for report in (*before, *after)}
    polls = "-XX:+UseCountedLoopSafepoints" in experiments.added_flags(before[0], after[0])
    return f"{run.pop() if len(run) == 1 else ''}{'with polls' if polls else 'the later runs'}: "
