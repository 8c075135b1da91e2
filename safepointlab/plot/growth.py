"""Durations by the size of the run -> a dot each, and a line through the medians: which grow, and which do not.

    plot.growth(stops, x="threads", y={"ttsp_ms": "reaching the safepoint", "operation_ms": "the operation"})
    plot.growth(stops, x="k", y="ttsp_ms", by="gc")
    plot.growth(stops, x="threads", y="ttsp_ms", by="jdk", cores=4)

One row of the frame is one safepoint (or one run). The values of `x` stand side by side at equal distance, since they
are mostly powers of ten and 0 may be among them; durations are on a log axis. Missing durations and those of 0, which
a log axis cannot show, are left out.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from safepointlab.plot import style
from safepointlab.plot._picture import picture
from safepointlab.plot.stop_parts import border, plain
from safepointlab.plot.style import COLORS, MARKERS, STYLES

WIDTH = 0.24  # of the space of one value of x: the part that the series may occupy
NAME_HEIGHT = 0.07  # of the axis: how far apart the names at its right end are
LEVEL = 1.1  # times: a median that changes by less stays where it is
MOST_NAMED = 3  # lines that the title tells one by one
MOST_DOTS = 200  # per series and value of x; of more, evenly chosen ranks are drawn


@picture("logs.safepoint, with a column that says how large each row's run was", labels=("x", "y", "by"))
def growth(
    frame: pd.DataFrame,
    x: str,
    y: "str | Mapping[str, str]" = "total_ms",
    by: str | None = None,
    ax: Axes | None = None,
    title: str | None = None,
    what: str = "time to safepoint",
    unit: str = "ms",
    x_name: str = "",
    apart: bool = True,
    cores: int | None = None,
) -> Axes:
    """Draw one line for each value of `by`, for each column of the mapping `y`, which gives it its name, or for both.

    Args:
        apart: the series stand side by side at each value of `x`; without it all of them stand on its tick.
        cores: where `x` is a number of threads, a broken line separates those that have a core each from the others.
    """
    only = _only(frame, y, by)
    series = {name: data for name, data in _series(frame, x, y, None if only else by).items() if len(data)}
    ax = style.canvas(ax, height=4.6)
    if not series:
        return style.empty(ax, title or "Nothing was measured")
    sizes = sorted({size for data in series.values() for size in data["x"]})
    places = {size: place for place, size in enumerate(sizes)}
    width = WIDTH / len(series) if apart else 0.0
    shifts = [width * (number + 0.5 - len(series) / 2) for number in range(len(series))]
    ends = [_draw(ax, name, series[name], places, number, shifts[number]) for number, name in enumerate(series)]
    style.log_axis(ax)
    ax.set_xticks(list(places.values()), [plain(value) for value in places])
    ax.set_xlim(-0.5, len(places) - 0.5 + 0.36 * len(places))
    ax.spines["bottom"].set_bounds(-0.5, len(places) - 0.5)  # the axis ends where the names of the lines begin
    _name(ax, ends, series, len(places) - 0.7, f"{style.MS[0]}{unit}")
    border(ax, sizes, cores)
    ax.grid(axis="y", color=style.LINE)
    ax.axvspan(len(places) - 0.5, ax.get_xlim()[1], color=style.PAPER, lw=0, zorder=1.6)  # no grid beside the axis
    style.axis_names(ax, x_name or x, f"{what}, {unit}, logarithmic")
    finding = _finding(series, x_name or x, what, unit)
    style.finding(ax, title or (f"{only}, {finding[0].lower()}{finding[1:]}" if only else finding))
    return ax


def _series(frame: pd.DataFrame, x: str, y: "str | Mapping[str, str]", by: str | None) -> dict[str, pd.DataFrame]:
    """Frames with the columns x and y, one per line of the picture."""
    columns = {y: "" if by else y} if isinstance(y, str) else y
    groups = {_value(by, value): rows for value, rows in frame.groupby(by, sort=False)} if by else {"": frame}
    return {
        ", ".join(filter(None, [group, name])): _clean(rows, x, column)
        for group, rows in groups.items()
        for column, name in columns.items()
    }


def _value(by: str, value: object) -> str:
    return f"JDK {value}" if by == "jdk" else str(value)


def _only(frame: pd.DataFrame, y: "str | Mapping[str, str]", by: str | None) -> str:
    """The one value of `by`, where there are names for the columns: it is enough to name it once, in the title."""
    values = [] if by is None or isinstance(y, str) else list(frame[by].unique())
    return _value(str(by), values[0]) if len(values) == 1 else ""


def _clean(frame: pd.DataFrame, x: str, y: str) -> pd.DataFrame:
    data = pd.DataFrame({"x": frame[x], "y": style.numbers(frame, y)})
    return data[data["y"] > 0]


def _draw(ax: Axes, name: str, data: pd.DataFrame, places: Mapping[Any, int], number: int, shift: float) -> float:
    """Draw the dots and the line; returns where the line ends."""
    look: dict[str, Any] = {"color": COLORS[number % len(COLORS)], "marker": MARKERS[number % len(MARKERS)]}
    for value, rows in data.groupby("x"):
        dots = _thinned(rows["y"].to_numpy())
        ax.plot([places[value] + shift] * len(dots), dots, ls="", ms=4, alpha=0.35, mew=0, **look)
    medians = data.groupby("x")["y"].median()
    middle = [places[value] + shift for value in medians.index]
    ax.plot(middle, medians, STYLES[number % len(STYLES)], lw=2.5, ms=9, label=name, **look)
    return float(medians.iloc[-1])


def _name(ax: Axes, ends: Sequence[float], names: Iterable[str], x: float, unit: str) -> None:
    """Write each line's name and last median at the right, beside the line's end; names never overlap."""
    low, high = np.log10(ax.get_ylim())
    step = (high - low) * NAME_HEIGHT
    lines = sorted(zip(np.log10(ends), range(len(ends)), names, strict=True), reverse=True)
    ceiling = high
    for place, (end, number, name) in enumerate(lines):
        below = len(lines) - 1 - place  # how many names still need room further down
        ceiling = max(min(end, ceiling), low + below * step)
        look: dict[str, Any] = {"color": COLORS[number % len(COLORS)], "fontweight": "bold"}
        style.label(ax, x, 10**ceiling, f"{name} {_plain(10**end)}{unit}", **look)
        ceiling -= step


def _thinned(values: "np.ndarray[Any, Any]") -> "np.ndarray[Any, Any]":
    if len(values) <= MOST_DOTS:
        return values
    kept: np.ndarray[Any, Any] = np.sort(values)[np.linspace(0, len(values) - 1, MOST_DOTS).astype(int)]
    return kept


def _plain(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 else f"{value:.2g}"


def _finding(series: Mapping[str, pd.DataFrame], x: str, what: str, unit: str) -> str:
    """From what to what each line's median goes; of many lines, by which factors the flattest and the steepest do."""
    medians = {name: data.groupby("x")["y"].median() for name, data in series.items()}
    sizes = sorted(set().union(*(values.index for values in medians.values())))
    first, last = sizes[0], sizes[-1]
    ends = {
        name: (values[first], values[last]) for name, values in medians.items() if {first, last} <= set(values.index)
    }
    if first == last or not ends:
        return f"The {what} is {_range(medians, unit)}"
    span = f"From {plain(first)} to {plain(last)} {x}"
    if len(ends) <= MOST_NAMED:
        return f"{span}:\n" + ", ".join(f"{name} {_from_to(*pair, unit)}".strip() for name, pair in ends.items())
    times = sorted((after / before, name) for name, (before, after) in ends.items())
    (least, flattest), (most, steepest) = times[0], times[-1]
    return f"{span} the {what} is\n{_plain(least)} times ({flattest}) to {_plain(most)} times ({steepest}) as long"


def _range(medians: "Mapping[str, pd.Series[float]]", unit: str) -> str:
    """The smallest and the largest median of all lines, with their names."""
    found = sorted((value, name) for name, values in medians.items() for value in values)
    ends = dict.fromkeys(f"{_plain(value)} {unit} ({name})" for value, name in (found[0], found[-1]))
    return " to ".join(ends)


def _from_to(before: float, after: float, unit: str) -> str:
    """How a duration changes.

    >>> _from_to(0.1, 40.4, "ms"), _from_to(0.1, 0.103, "ms")
    ('0.1 to 40 ms', 'stays at 0.1 ms')
    """
    if max(before, after) < LEVEL * min(before, after):
        return f"stays at {_plain(after)} {unit}"
    return f"{_plain(before)} to {_plain(after)} {unit}"
