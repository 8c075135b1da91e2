"""JMH scores in pairs -> for each name and JDK both scores, and the ratio between them.

    plot.ratios(frame, pair="index", by="loop", then={"copy": (76.9, 796.6)})

Columns used (see `read.jmh`): score, low, high, best, unit, jdk, and those named by `pair` (two values; the one that
comes first in the frame is the reference) and `by`. On the logarithmic axis equal distances are equal ratios.
A mark is the best raw value, which a busy machine disturbs least, and the number above a pair is the ratio of its
marks. A bar goes from the mark to `high`, the end of JMH's 99.9 % interval or the slowest of several forks (from `low`
where that is less). The number is bold where the bars do not overlap: elsewhere the two are not told apart. `then`
holds pairs as they were once published: the first pair of their name, hollow.
"""

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from safepointlab.plot import style
from safepointlab.plot._picture import picture

FIRST, SECOND = style.Look("", "#0B3C6F", "", "o"), style.Look("", "#D55E00", "", "s")
GAP = 1.0  # between the groups, in pairs
Bar = tuple[float, float, float]


@picture("read.jmh", "score", "jdk", "low", "high", "best", "unit", labels=("pair", "by"))
def ratios(
    frame: pd.DataFrame,
    ax: Axes | None = None,
    pair: str = "index",
    by: str = "loop",
    then: Mapping[str, tuple[float, float]] | None = None,
    then_label: str = "then",
    title: str | None = None,
    note: str = "",
) -> Axes:
    """Draw the pairs; a score that is missing (the run failed or hung) leaves a gap. `note` stands below the axis."""
    measured = frame[frame["score"].notna() & frame[pair].notna()]
    names, jdks = list(dict.fromkeys(measured[by])), list(dict.fromkeys(measured["jdk"]))
    ax = style.canvas(ax, min(12.0, max(9.5, 2.0 + 0.52 * len(names) * (len(jdks) + bool(then) + GAP))), 5.0)
    if measured.empty:
        return style.empty(ax, title or "Nothing was measured")
    kinds = list(dict.fromkeys(measured[pair]))[:2]
    style.log_axis(ax)
    spots = _spots(names, ([then_label] if then else []) + [str(jdk) for jdk in jdks])
    for (name, jdk), group in measured.groupby([by, "jdk"], sort=False):
        _pair(ax, spots[name, str(jdk)], [group[group[pair] == kind] for kind in kinds])
    for name, values in (then or {}).items():
        if (name, then_label) in spots:
            _published(ax, spots[name, then_label], *values)
    _frame(ax, spots, names, measured, kinds, note)
    style.finding(ax, title or _finding(measured, pair, by, kinds))
    return ax


def _spots(names: list[Any], columns: list[str]) -> dict[tuple[Any, str], float]:
    width = len(columns) + GAP
    groups, steps = enumerate(names), list(enumerate(columns))
    return {(name, column): group * width + step for group, name in groups for step, column in steps}


def _pair(ax: Axes, x: float, groups: list[pd.DataFrame]) -> None:
    rows = [group.iloc[0] for group in groups if not group.empty]
    for row, look in zip(rows, (FIRST, SECOND), strict=False):
        low, best, high = _bar(row)
        bars = [[best - max(low, best / 100)], [high - best]]
        style_of: dict[str, Any] = {"fmt": look.marker, "color": look.color, "ms": 8, "capsize": 4, "zorder": 3}
        ax.errorbar(x, best, yerr=bars, elinewidth=1.8, **style_of)
    if len(rows) == 2:
        _ratio(ax, x, rows[0]["best"], rows[1]["best"], *_ratio_text(*map(_bar, rows)))


def _bar(row: Any) -> Bar:
    """The lower end of a score's bar, its mark, and the upper end."""
    low, high = (row[end] if pd.notna(row[end]) else row["score"] for end in ("low", "high"))
    return min(low, row["best"]), row["best"], max(high, row["best"])


def _ratio_text(first: Bar, second: Bar) -> tuple[str, str]:
    sure = second[0] > first[2] or first[0] > second[2]
    return _number(second[1] / first[1]), "bold" if sure else "normal"


def _number(ratio: float) -> str:
    """Two digits, or three of a number near 1.

    >>> _number(15.3), _number(2.74), _number(1.04)
    ('15', '2.7', '1.04')
    """
    return f"{ratio:.0f}" if ratio >= 9.5 else f"{ratio:.1f}" if ratio >= 1.2 else f"{ratio:.2f}"


def _ratio(ax: Axes, x: float, first: float, second: float, text: str, weight: str) -> None:
    """Draw the distance as a bar, and the ratio in the row above all pairs."""
    ax.plot([x, x], [first, second], color=style.LINE, lw=5, solid_capstyle="butt", zorder=1)
    at: dict[str, Any] = {"transform": ax.get_xaxis_transform(), "ha": "center", "va": "top"}
    ax.text(x, 0.99, text, fontsize=style.SMALL_PT, color=style.INK, fontweight=weight, **at)


def _published(ax: Axes, x: float, first: float, second: float) -> None:
    _ratio(ax, x, first, second, _number(second / first), "normal")
    for value, look in ((first, FIRST), (second, SECOND)):
        ax.plot(x, value, look.marker, ms=8, mfc=style.PAPER, mec=style.MUTED, mew=2, zorder=3)


def _frame(
    ax: Axes, spots: Mapping[tuple[Any, str], float], names: list[Any], measured: Any, kinds: list[Any], note: str
) -> None:
    """Room for the row of ratios above, the JDKs and the names below, the two kinds in the key."""
    ax.set_ylim(measured["best"].min() / 2, measured["best"].max() * 5)
    ax.set_xlim(-0.8, max(spots.values()) + 0.8)
    ax.set_xticks(list(spots.values()), [column for _, column in spots], fontsize=style.SMALL_PT)
    for name in names:
        places = [x for (other, _), x in spots.items() if other == name]
        at: dict[str, Any] = {"transform": ax.get_xaxis_transform(), "ha": "center", "va": "top"}
        ax.text(sum(places) / len(places), -0.1, str(name), fontsize=style.TEXT_PT, fontweight="bold", **at)
    style.axis_names(ax, "\nJDK", f"time, {measured['unit'].iloc[0]} (log)")
    style.note(ax, note and f"\n\nJDK   ({note})")
    for kind, look in zip(kinds, (FIRST, SECOND), strict=False):
        ax.plot([], [], look.marker, color=look.color, ms=8, label=str(kind))
    if len(kinds) == 2:
        said = f"{kinds[1]} / {kinds[0]}: the number above, bold where the whiskers don't overlap"
        ax.plot([], [], "s", color=style.LINE, ms=9, label=said)
    ax.legend(ncols=3, fontsize=style.SMALL_PT, frameon=False, columnspacing=1.2, **style.KEY_PLACE)


def _finding(measured: pd.DataFrame, pair: str, by: str, kinds: list[Any]) -> str:
    """The largest ratio of the last JDK."""
    last = measured[measured["jdk"] == measured["jdk"].iloc[-1]]
    table = last.pivot_table(index=by, columns=pair, values="best", aggfunc="min")
    if len(kinds) < 2 or not set(kinds) <= set(table):
        return f"Only {kinds[0]} was measured"
    ratio = (table[kinds[1]] / table[kinds[0]]).dropna().sort_values()
    return (
        f"JDK {last['jdk'].iloc[0]}: {kinds[1]} takes up to {_number(ratio.iloc[-1])} times as long ({ratio.index[-1]})"
    )
