"""JMH scores -> points with their error bars, the groups of each JDK, or of each value of another column, side by side.

    plot.scores(frame, x="jdk", by="benchmark", log=True)
    plot.scores(frame, by=["gc", "flags"])
    plot.scores(frame, x="flags", by="method", steps="copy")   from each point of the copy to the next, how many times

Columns used (see `logs.jmh`): metric, score, low, high, best, unit, and those named by `x` and `by`. The bar goes from
`low` to `high`, JMH's 99.9 % interval; without them the point has no bar. A small tick is the best raw value, where the
mark is another: on a busy machine the one that was disturbed least. Lines of flags, each of which goes on from the one
before, are named by what they add.

Repetitions, which `lab.jmh(..., repeat=3)` makes, are one point, whose mark is the shortest iteration of all. Each
repetition is a JVM of its own, a fork, and its median is its typical iteration: the bar reaches from the mark to the
median of the fork that is farthest from it.
"""

import re
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from safepointlab.phrases import listed
from safepointlab.plot import _tiles, style
from safepointlab.plot._picture import picture
from safepointlab.plot.style import COLORS, MARKERS

NOTE = "mark: the shortest JMH iteration · whisker: up to the slowest JVM's median"
FIT = 66  # characters of the lab's usual text that fit side by side under the x axis
SIDEWAYS = 0.36  # of the distance between two ticks: the part over which the groups of one name spread
LINE = 11  # characters of a flag's name side by side
FAR = 2.0  # times: ratios that differ by more are told in two groups
LABEL = "label"  # the column with the name of a point's line


@picture("logs.jmh", "metric", "score", "low", "high", "unit", labels=("x", "by"))
def scores(
    frame: pd.DataFrame,
    ax: Axes | None = None,
    x: str = "jdk",
    by: _tiles.Labels = "benchmark",
    title: str | None = None,
    log: bool = False,
    what: str = "time",
    steps: str | None = None,
) -> Axes:
    """Draw one point per score; rows without a score (failed, hung) leave a gap.

    Args:
        x: the column that gives a point's place.
        by: the column, or several, that give the line of points that it belongs to.
        log: draw the scores on a logarithmic axis.
        what: what is measured, for the name of the y axis; its unit comes from the frame.
        steps: the line of which each point says how many times the best value of the one before it its own is.
    """
    rows = frame[(frame["metric"] == "score") & frame["score"].notna()].reset_index(drop=True)
    labels = rows[by] if isinstance(by, str) else _tiles.matrix(rows, by, by, rows["metric"])["row"].map(_tiles.short)
    measured = rows.assign(**{LABEL: labels})
    repeated = bool(measured.duplicated([x, LABEL]).any()) and "median" in measured
    ax = style.canvas(ax, 10.0 if x == "flags" and measured[x].nunique() > 4 else 8.0)
    if measured.empty:
        return style.empty(ax, title or "Nothing was measured")
    measured = pooled(measured, [x, LABEL]) if repeated else measured
    values, groups = list(dict.fromkeys(measured[x])), measured[LABEL].nunique()
    for number, (name, group) in enumerate(measured.groupby(LABEL, sort=False)):
        shift = SIDEWAYS * (number / (groups - 1) - 0.5) if groups > 1 else 0.0  # the groups stand side by side
        places = np.array([values.index(value) + shift for value in group[x]])
        _draw_points(ax, str(name), group, places, number, name == steps)
    names = flag_names(values) if x == "flags" else [f"{'JDK ' * (x == 'jdk')}{value}" for value in values]
    widest = max(len(line) for name in names for line in name.splitlines())
    size = style.TEXT_PT if widest * len(names) <= FIT else style.SMALL_PT
    ax.set_xticks(range(len(names)), names, fontsize=size)
    ax.set_xlim(-0.5, len(names) - 0.5)
    score, low, high, best = (style.numbers(measured, column) for column in ("score", "low", "high", "best"))
    if log:  # the points set its ends, since an interval may reach below zero
        style.log_axis(ax)
        ax.set_ylim(score.min() / 2, score.max() * 2)
    else:
        ax.set_ylim(0, 1.08 * np.nanmax([score.max(), min(high.max(), 2 * score.max())]))
    unit = f"{measured['unit'].iloc[0]}{' (log)' if log else ''}"
    style.axis_names(ax, "" if x in ("jdk", "flags") else x, f"{what}, {unit}")
    style.note(ax, NOTE if repeated else "")
    if (best.notna() & (best != low) & (best != high) & (best != score)).any():  # a tick is more than an end of its bar
        ax.plot([], [], "_", color=style.INK, ms=12, mew=2, label="best")
    style.line_key(ax)
    if steps is not None and (measured[LABEL] == steps).sum() > 1:
        finding = _largest_step(measured, x, steps)
    else:
        finding = _largest_ratio(measured, x) if repeated and groups > 1 else _farthest_scores(measured, x)
    style.finding(ax, title or finding)
    return ax


def pooled(frame: pd.DataFrame, point: list[str]) -> pd.DataFrame:
    """The first row of each point; its score is the best iteration of all, and low and high are the bar's ends."""
    rows = []
    for _, group in frame.groupby(point, sort=False, dropna=False):
        throughput = "mode" in group and group["mode"].iloc[0] == "thrpt"
        best = group["best"].max() if throughput else group["best"].min()
        low, high = min(best, group["median"].min()), max(best, group["median"].max())
        rows.append({**group.iloc[0], "score": best, "best": best, "low": low, "high": high})
    return pd.DataFrame(rows) if rows else frame


def flag_names(lines: list[Any]) -> list[str]:
    """Lines of flags as the ticks name them; of one that goes on from the line before it, what it adds.

    >>> flag_names(["", "-XX:-OptimizeFill", "-XX:-OptimizeFill -XX:LoopUnrollLimit=0", "long index"])
    ['no flag', '-Optimize\\nFill', 'and\\nLoopUnroll\\nLimit=0', 'long\\nindex']
    """
    names = []
    for name, line in zip(_additions(lines), lines, strict=True):
        words = ["no flag"] if name == "no flag" else _tiles.short(name).split()
        names.append("and\n" * (name not in (line, "no flag")) + "\n".join(map(_break_flag, words)))
    return names


def _additions(lines: list[Any]) -> list[str]:
    """What each line of flags adds to the one before it, if it goes on from that one; else the line."""
    pairs = zip(["", *lines], lines, strict=False)
    return [(line.removeprefix(f"{before} ") if before else line) or "no flag" for before, line in pairs]


def _break_flag(flag: str) -> str:
    """The flag in lines of at most LINE characters, where its words allow it."""
    lines = [""]
    for word in re.split(r"(?<=[a-z])(?=[A-Z])", flag):
        lines = [*lines[:-1], lines[-1] + word] if len(lines[-1] + word) <= LINE or not lines[-1] else [*lines, word]
    return "\n".join(lines)


def _draw_points(ax: Axes, name: str, group: pd.DataFrame, x: np.ndarray, number: int, steps: bool) -> None:
    """Points with their bars, and ticks at their best values; with `steps` the factor from each point to the next."""
    score, low, high, best = (style.numbers(group, column).to_numpy() for column in ("score", "low", "high", "best"))
    color, bars = COLORS[number % len(COLORS)], np.nan_to_num(np.array([score - low, high - score]))
    look: dict[str, Any] = {"fmt": MARKERS[number % 6], "ls": "", "lw": 1.6, "ms": 9, "capsize": 5, "elinewidth": 2.2}
    ax.errorbar(x, score, yerr=bars, **look, color=color, label=name)
    ax.plot(x, np.where(best == score, np.nan, best), "_", color=color, ms=12, mew=2)
    if steps:
        for place, top, factor in zip(x[1:], np.fmax(score, high)[1:], best[1:] / best[:-1], strict=True):
            at: dict[str, Any] = {"offset": (0, 15), "ha": "center", "fontweight": "bold"}
            style.label(ax, place, top, f"×{factor:.1f}", color=color, **at)


def _largest_step(measured: pd.DataFrame, x: str, steps: str) -> str:
    """From which point of the line to the next the best value grows most, and what the last step adds."""
    line = measured[measured[LABEL] == steps]
    flags = x == "flags"
    names = (
        [_tiles.short(name) for name in _additions(list(line[x]))] if flags else [_place(x, value) for value in line[x]]
    )
    factors = (line["best"] / line["best"].shift()).iloc[1:].tolist()
    largest = factors.index(max(factors))
    jdk = f"JDK {measured['jdk'].iloc[0]}, " if "jdk" in measured and measured["jdk"].nunique() == 1 else ""
    head = f"{jdk}{steps}: the largest step is ×{factors[largest]:.1f} ({names[1 + largest]})"
    return head if largest == len(factors) - 1 else f"{head},\nthe last one is ×{factors[-1]:.1f} ({names[-1]})"


def _largest_ratio(measured: pd.DataFrame, x: str) -> str:
    """Which line is farthest above the first one, and how far at which places; in two groups, if ratios differ much."""
    best = measured.pivot(index=x, columns=LABEL, values="best").reindex(list(dict.fromkeys(measured[x])))
    first, *others = dict.fromkeys(measured[LABEL])
    ratios = best[others].div(best[first], axis=0)
    if ratios.isna().all(axis=None):
        return _farthest_scores(measured, x)
    name = str(ratios.max().idxmax())
    told = []
    for part in in_two_groups(ratios[name].dropna()):
        ends = " to ".join(dict.fromkeys(f"{end:.1f}" for end in (part.min(), part.max())))
        told.append((ends, f"on JDK {listed(part.index)}" if x == "jdk" else f"at {listed(part.index)}"))
    (much, where), rest = told[0], "".join(f";\n{more} times {there}" for more, there in told[1:])
    long = str(measured["unit"].iloc[0]).endswith("/op")  # or a number of operations: more is better
    if name.startswith(f"{first} "):  # the same with a flag
        takes, as_much = (" a call takes", "as long") if long else ("", "the score")
        return f"{first}: with {name.removeprefix(f'{first} ')}{takes}\n{much} times {as_much} {where}{rest}"
    what = f"takes {much} times as long as" if long else f"has {much} times the score of"
    return f"{name} {what} {first}\n{where}{rest}"


def in_two_groups(times: "pd.Series[float]") -> list["pd.Series[float]"]:
    """The ratios, parted at their widest gap if they differ much, the group of the first one first."""
    if times.max() < FAR * times.min():
        return [times]
    ordered = times.sort_values()
    border = ordered.iloc[int((ordered / ordered.shift()).fillna(1).to_numpy().argmax())]
    return sorted([times[times >= border], times[times < border]], key=lambda part: times.index[0] not in part)


def _farthest_scores(measured: pd.DataFrame, x: str) -> str:
    """The ratio of the largest to the smallest score if their intervals do not overlap, or that it is not certain."""
    ordered = measured.sort_values("score").to_dict("records")
    shortest, longest = ordered[0], ordered[-1]
    if not longest["low"] > shortest["high"]:
        return "The error bars overlap: this measurement can't tell which score is higher"
    names = [f"{row[LABEL]} {_place(x, row[x])}" for row in (longest, shortest)]
    return f"{names[0]}: {longest['score'] / shortest['score']:,.1f} times the score of {names[1]}"


def _place(x: str, value: object) -> str:
    return f"on JDK {value}" if x == "jdk" else f"at {x} {value}"
