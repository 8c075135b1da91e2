"""Pictures that only page 23 needs.

changes(before, after)       two lists of reports of lab.late: by how many per cent SciMark's speeds have changed
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from safepointlab.course.nb23_late import experiments
from safepointlab.plot import _alternative, style
from safepointlab.plot._picture import picture

if TYPE_CHECKING:
    from safepointlab.culprit.report import Late

NAMED = 2  # computations that a title has room for
MINUS = "\N{MINUS SIGN}"
CLEAR, UNCLEAR = style.Look("a change", style.COLORS[0]), style.Look("perhaps no change", style.MUTED)


def changes(before: "Sequence[Late]", after: "Sequence[Late]") -> Axes:
    """Draw one row per computation, the first at the top, with its number behind its range.

    A mark is hollow if its range contains 0, or if it has none (a single run): these runs cannot tell a change.

    Raises:
        BadInput: not two lists of reports of `lab.late`.
    """
    table = experiments.changes(before, after)
    alike = table["low_percent"].isna().all()
    counts = dict.fromkeys([1] if alike else sorted((len(before), len(after))))
    each = f"{' and '.join(map(str, counts))} run{'s' * (max(counts) > 1)} of each setting"
    return _rows(table, _finding(table, before, after), each)


@picture("the speeds of two settings", "name", "percent", "low_percent", "high_percent")
def _rows(frame: pd.DataFrame, title: str, each: str) -> Axes:
    ax = style.canvas(None, height=3.6)
    if frame.empty:
        return style.empty(ax, title)
    ax.axvline(0, color=style.INK, lw=1.2)
    clear, words = experiments.clear(frame), list[str]()
    for place, row in enumerate(frame.to_dict("records")):
        y = len(frame) - 1 - place
        name, percent, low, high = row["name"], row["percent"], row["low_percent"], row["high_percent"]
        ends = np.nan_to_num([[percent - low], [high - percent]])
        look, fill, weight = (CLEAR, CLEAR.color, "bold") if name in clear else (UNCLEAR, style.PAPER, "normal")
        mark: dict[str, Any] = {"fmt": look.marker, "ms": 10, "mfc": fill, "mew": 2, "elinewidth": 2.4, "capsize": 5}
        ax.errorbar([percent], [y], xerr=ends, color=look.color, label=name, **mark)
        style.label(ax, percent + ends[1][0], y, f"{_number(percent)} %", offset=(9, 0), fontweight=weight)
        extent = "" if np.isnan(low) else f" ({_number(low)} to {_number(high)})"
        words.append(f"{name} {_number(percent)} %{extent}")
    ax.set_yticks(range(len(frame)), [str(name) for name in frame["name"][::-1]])
    ax.set_ylim(-0.6, len(frame) - 0.2)
    ax.margins(x=0.14)
    ax.xaxis.set_major_formatter(lambda value, _: _number(value))
    style.axis_names(ax, f"change of speed, % ({each}; bars: least to most)", "")
    style.finding(ax, title)
    _alternative.own(ax, f"The change of speed (and its range): {'; '.join(words)}.")
    return ax


def _number(value: float) -> str:
    """
    >>> _number(-12.6), _number(-0.3), _number(7.9)
    ('−13', '0', '+8')
    """
    return f"{value:+.0f}".replace("-", MINUS) if round(value) else "0"


def _finding(table: pd.DataFrame, before: "Sequence[Late]", after: "Sequence[Late]") -> str:
    """The largest of the changes that these runs can tell, and of how many computations they tell none.

    It begins with what all runs have in common, and what only the later ones have: "JDK 17, Serial, with polls: ".
    A replay that plays one recording again and again has one run of each setting.
    """
    if table.empty:
        return "No speed of SciMark's was printed"
    runs = {f"JDK {report.jdk.major}, {report.plan.gc}, " for report in (*before, *after)}
    polls = "-XX:+UseCountedLoopSafepoints" in experiments.added_flags(before[0], after[0])
    condition = f"{runs.pop() if len(runs) == 1 else ''}{'with polls' if polls else 'the later runs'}: "
    if table["low_percent"].isna().all():
        return f"{condition}one run each, so no change is certain"
    clear = sorted(experiments.clear(table).items(), key=lambda each: -abs(each[1]))
    rest = len(table) - len(clear)
    if not clear:
        return f"{condition}no change is certain in any of the {rest}"
    told = ", ".join(f"{name} {_number(percent)}\N{NO-BREAK SPACE}%" for name, percent in clear[:NAMED])
    more = f", {len(clear) - NAMED} more" if len(clear) > NAMED else ""
    others = f";\nno clear change in the other {rest}" if rest else ""
    return f"{condition}{told}{more}{others}"
