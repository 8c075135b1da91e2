"""JMH scores -> points with their error bars: over a parameter's values one line per group, over names points alone.

    plot.scores(frame, x="k", by="gc")             numbers of a wide range get a logarithmic axis
    plot.scores(frame, x="jdk", by="benchmark", log=True)
    plot.scores(frame, by=["gc", "flags"])
    plot.scores(frame, x="flags", by="method", steps="copy")   from each point of the copy to the next, how many times

Columns used (see `logs.jmh`): metric, score, low, high, best, unit, and those named by `x` and `by`. The bar goes from
`low` to `high`, JMH's 99.9 % interval; without them the point has no bar. A small tick is the best raw value, where the
mark is another: on a busy machine the one that was disturbed least. Repetitions, which `lab.jmh(..., repeat=3)` makes,
are one point: see `_forks`. Lines of flags, each of which goes on from the one before, are named by what they add.
"""

import re
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from safepointlab.phrases import listed
from safepointlab.plot import _forks, _tiles, style
from safepointlab.plot._picture import picture
from safepointlab.plot.style import COLORS, MARKERS, STYLES

FIT = 66  # characters of the lab's usual text that fit side by side under the x axis
SIDEWAYS = 0.36  # of the distance between two ticks: the part over which the groups of one name spread
LINE = 11  # characters of a flag's name side by side
FAR = 2.0  # times: ratios that differ by more are told in two groups


@picture("logs.jmh", "metric", "score", "low", "high", "unit", labels=("x", "by"))
def scores(
    frame: pd.DataFrame,
    ax: Axes | None = None,
    x: str = "jdk",
    by: _tiles.Labels = "benchmark",
    metric: str = "score",
    title: str | None = None,
    log: bool = False,
    what: str = "time",
    steps: str | None = None,
    note: str = "",
) -> Axes:
    """Draw one score per row of that metric; rows without a score (failed, hung) leave a gap.

    Args:
        x: the column that gives a point's place.
        by: the column, or several, that give the line of points that it belongs to.
        log: draw the scores on a logarithmic axis.
        what: what is measured, for the name of the y axis; its unit comes from the frame.
        steps: the line of which each point says how many times the best value of the one before it its own is.
        note: what a mark and its bar are, below the x axis.
    """
    measured = _named(frame[(frame["metric"] == metric) & frame["score"].notna()].reset_index(drop=True), by)
    repeated = _forks.repeated(measured, [x, LABEL])
    ax = style.canvas(ax, 10.0 if x == "flags" and measured[x].nunique() > 4 else 8.0)
    if measured.empty:
        return style.empty(ax, title or "Nothing was measured")
    measured = _forks.pooled(measured, [x, LABEL]) if repeated else measured
    places = _Places(measured[x], measured[LABEL].nunique())
    for number, (name, group) in enumerate(measured.groupby(LABEL, sort=False)):
        _points(ax, str(name), group, places.of(group[x], number), number, places.numeric)
        if name == steps:
            _steps(ax, group, places.of(group[x], number), COLORS[number % len(COLORS)])
    places.ticks(ax, x)
    _scale(ax, measured, log)
    style.axis_names(
        ax, "" if x in ("jdk", "flags") else x, f"{what}, {measured['unit'].iloc[0]}" + (" (log)" if log else "")
    )
    style.note(ax, note or (_forks.NOTE if repeated else ""))
    _explain_ticks(ax, measured)
    style.line_key(ax)
    style.finding(ax, title or _title(measured, x, steps, repeated))
    return ax


LABEL = "label"  # the column with the name of a point's line


def _named(measured: pd.DataFrame, by: _tiles.Labels) -> pd.DataFrame:
    """The rows with the name of their line: "copyInt", or "Serial +UseCountedLoopSafepoints" of two columns."""
    if isinstance(by, str):
        return measured.assign(**{LABEL: measured[by]})
    return measured.assign(**{LABEL: _tiles.matrix(measured, by, by, measured["metric"])["row"].map(_tiles.short)})


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
        names = flag_names(self.names) if x == "flags" else [f"{prefix}{name}" for name in self.names]
        widest = max(len(line) for name in names for line in name.splitlines())
        size = style.TEXT_PT if widest * len(names) <= FIT else style.SMALL_PT
        ax.set_xticks(range(len(names)), names, fontsize=size)
        ax.set_xlim(-0.5, len(names) - 0.5)


def flag_names(lines: list[Any]) -> list[str]:
    """Lines of flags as the ticks name them; of one that goes on from the line before it, what it adds.

    >>> flag_names(["", "-XX:-OptimizeFill", "-XX:-OptimizeFill -XX:LoopUnrollLimit=0", "long index"])
    ['no flag', '-Optimize\\nFill', 'and\\nLoopUnroll\\nLimit=0', 'long\\nindex']
    """
    added = _added(lines)
    ands = ["and\n" if name not in (line, "no flag") else "" for name, line in zip(added, lines, strict=True)]
    return [more + "\n".join(map(_broken, _words(name))) for more, name in zip(ands, added, strict=True)]


def _added(lines: list[Any]) -> list[str]:
    """What each line of flags adds to the one before it, if it goes on from that one; else the line."""
    pairs = zip(["", *lines], lines, strict=False)
    return [(line.removeprefix(f"{before} ") if before else line) or "no flag" for before, line in pairs]


def _words(line: str) -> list[str]:
    return ["no flag"] if line == "no flag" else _tiles.short(line).split()


def _broken(flag: str) -> str:
    """The flag in lines of at most LINE characters, where its words allow it."""
    lines = [""]
    for word in re.split(r"(?<=[a-z])(?=[A-Z])", flag):
        lines = [*lines[:-1], lines[-1] + word] if len(lines[-1] + word) <= LINE or not lines[-1] else [*lines, word]
    return "\n".join(lines)


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


def _title(measured: pd.DataFrame, x: str, steps: str | None, repeated: bool) -> str:
    if steps is not None and (measured[LABEL] == steps).sum() > 1:
        return _largest_step(measured, x, steps)
    if repeated and measured[LABEL].nunique() > 1:
        return _largest_ratio(measured, x)
    return _finding(measured, x)


def _largest_step(measured: pd.DataFrame, x: str, steps: str) -> str:
    """From which point of the line to the next the best value grows most, and what the last step adds."""
    line = measured[measured[LABEL] == steps]
    names = [_place(x, value) for value in line[x]]
    names = [_tiles.short(name) for name in _added(list(line[x]))] if x == "flags" else names
    factors = (line["best"] / line["best"].shift()).iloc[1:].tolist()
    largest = factors.index(max(factors))
    head = f"{_jdk(measured)}{steps}: the largest step is ×{factors[largest]:.1f}, {names[1 + largest]}"
    last = "the last flag's" if x == "flags" else "the last"
    return head if largest == len(factors) - 1 else f"{head};\n{last} is ×{factors[-1]:.1f}, {names[-1]}"


def _jdk(measured: pd.DataFrame) -> str:
    """ "JDK 8, ", where all is of one JDK."""
    return f"JDK {measured['jdk'].iloc[0]}, " if "jdk" in measured and measured["jdk"].nunique() == 1 else ""


def _largest_ratio(measured: pd.DataFrame, x: str) -> str:
    """Which line is farthest above the first one, and how far at which places."""
    best = measured.pivot(index=x, columns=LABEL, values="best").reindex(list(dict.fromkeys(measured[x])))
    first, *others = dict.fromkeys(measured[LABEL])
    ratios = best[others].div(best[first], axis=0)
    if ratios.isna().all(axis=None):
        return _finding(measured, x)
    name = str(ratios.max().idxmax())
    (times, where), *others = [(_range(part), _places(x, part)) for part in _parts(ratios[name].dropna())]
    rest = "".join(f"; {more} times {there}" for more, there in others)
    long = str(measured["unit"].iloc[0]).endswith("/op")  # or a number of operations: more is better
    if name.startswith(f"{first} "):  # the same with a flag
        much = f"{times} times as long" if long else f"{times} times the score"
        return f"{first}: with {name.removeprefix(f'{first} ')} {much}\n{where}{rest}"
    what = f"takes {times} times as long as" if long else f"has {times} times the score of"
    return f"{name} {what} {first}\n{where}{rest}"


def _parts(ratios: "pd.Series[float]") -> list["pd.Series[float]"]:
    """The ratios in two groups, where they differ much; the group of the first one comes first."""
    if ratios.max() < FAR * ratios.min():
        return [ratios]
    ordered = ratios.sort_values()
    border = ordered.iloc[int((ordered / ordered.shift()).fillna(1).to_numpy().argmax())]
    high, low = ratios[ratios >= border], ratios[ratios < border]
    return [high, low] if ratios.iloc[0] >= border else [low, high]


def _range(ratios: "pd.Series[float]") -> str:
    return " to ".join(dict.fromkeys(f"{end:.1f}" for end in (ratios.min(), ratios.max())))


def _places(x: str, part: "pd.Series[float]") -> str:
    return f"on JDK {listed(part.index)}" if x == "jdk" else f"at {listed(part.index)}"


def _finding(measured: pd.DataFrame, x: str) -> str:
    """The ratio of the largest to the smallest score if their intervals do not overlap, or that it is not certain."""
    shortest, *_, longest = measured.sort_values("score").to_dict("records") * (1 if len(measured) > 1 else 2)
    if not longest["low"] > shortest["high"]:
        return "The error bars overlap: the scores are not told apart by this measurement"
    names = [f"{row[LABEL]} {_place(x, row[x])}" for row in (longest, shortest)]
    return f"{names[0]}: {longest['score'] / shortest['score']:,.1f} times the score of {names[1]}"


def _place(x: str, value: object) -> str:
    return f"on JDK {value}" if x == "jdk" else f"at {x} {value}"
