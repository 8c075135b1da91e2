"""Durations by the size of the run -> what grows with it: phases of stops as stacked bars, or lines through medians.

    plot.stop_parts(stops, x="threads", cores=2)
    plot.stop_parts(stops, x="threads", beside={"everybody_silent_ms": "all threads are silent"})
    plot.growth(stops, x="threads", y={"ttsp_ms": "reaching the safepoint", "operation_ms": "the operation"})
    plot.growth(stops, x="threads", y="ttsp_ms", by="jdk", cores=4)

One row of the frame is one safepoint (or one run), with a column that says how large its run was. The sizes stand side
by side at equal distance, since they are mostly powers of ten and 0 may be among them; where all are powers of two,
`growth` leaves room for those that were left out. Medians are drawn, so that one disturbed stop does not shape a
picture; the sum of the phases' medians need not be the length of any stop. A missing duration is never 0, and a log
axis shows none of 0.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from safepointlab.plot import _alternative, style
from safepointlab.plot._picture import picture
from safepointlab.plot.safepoints import PARTS
from safepointlab.plot.style import COLORS, MARKERS, STYLES

SOURCE = "logs.safepoint, with a column that says how large each row's run was"
BAR = 0.7  # of the space of one size: the part that its bars occupy
BESIDE = "#6B1414"
APART = 0.24  # of that space: the part that the series of dots may occupy
NAME_HEIGHT = 0.07  # of the axis: how far apart the names at its right end are
LEVEL = 1.1  # times: a median that changes by less stays where it is
MOST_NAMED = 3  # lines that the title tells one by one
MOST_LETTERS = 54  # of the title's second line
FEW = 5  # so few durations of a size are drawn on top of their median
MOST_DOTS = 300  # per series and size; of more, evenly chosen ranks are drawn


@picture(SOURCE, "ttsp_ms", labels=("x", "beside"))
def stop_parts(
    frame: pd.DataFrame,
    x: str,
    ax: Axes | None = None,
    title: str | None = None,
    x_name: str = "",
    cores: int | None = None,
    beside: Mapping[str, str] | None = None,
) -> Axes:
    """Draw one stacked bar per value of `x`: the median of each phase, one on top of the other.

    Args:
        cores: a broken line separates the values of `x` up to that from those beyond.
        beside: a column of durations in ms and what it is, such as the program's own measurement, for a bar beside each
            stack; then each bar has its number above it, that of the stack being the median of total_ms.
    """
    frame = frame[frame["kind"] != "handshake"] if "kind" in frame else frame
    by_size = pd.DataFrame({part: style.numbers(frame, part) for part in (*PARTS, "total_ms")}).groupby(frame[x])
    medians = by_size[list(PARTS)].median().dropna(axis="columns", how="all")
    ax = style.canvas(ax, width=9.0 if beside else 8.0)
    if medians.empty or medians.columns.empty:
        return style.empty(ax, title or "No phase was logged")
    places, width = np.arange(len(medians), dtype=float), BAR / 2 if beside else BAR
    left, below = places - width / 2 if beside else places, np.zeros(len(medians))
    looks = [style.PHASES[str(part)] for part in medians]
    for part, look in zip(medians, looks, strict=True):
        heights = medians[part].fillna(0).to_numpy()
        _bars(ax, left, heights, width, below, look)
        below = below + heights
    finding = _phase_that_grew(medians, x_name or x)
    for column, name in (beside or {}).items():
        total = by_size["total_ms"].median().fillna(pd.Series(below, index=medians.index))
        other = style.numbers(frame, column).groupby(frame[x]).median()
        looks.append(style.Look(name, BESIDE, ""))
        _bars(ax, left + width, other.fillna(0).to_numpy(), width, np.zeros(len(medians)), looks[-1])
        most = by_size["total_ms"].max().fillna(total)
        ax.vlines(left, by_size["total_ms"].min().fillna(total), most, color=style.INK, lw=1.5)
        tops_ms = np.fmax(below, most.to_numpy())
        for bars, tops, values in ((left, tops_ms, total), (left + width, other, other)):
            for place, top, value in zip(bars, tops, values, strict=True):
                if pd.notna(value):
                    text = f"{value:.0f}" if value >= 10 else f"{value:.1f}"
                    style.label(ax, place, top, text, offset=(0, 9), ha="center")
        ax.set_ylim(0, 1.13 * max(ax.get_ylim()[1], *tops_ms))  # for the numbers above the bars
        stop_ms, beside_ms = style.ms(float(total.iloc[-1])), style.ms(float(other.iloc[-1]))
        largest = f"{_size(total.index[-1])} {x_name or x}"
        finding = f"{largest}: the log's median pause is {stop_ms},\n{name} for {beside_ms}"
    ax.set_xticks(places, [_size(value) for value in medians.index])
    ax.set_xlim(-0.6, len(medians) - 0.4)
    style.axis_names(ax, x_name or x, "median of each phase, ms")
    stops = style.count_of(by_size.size(), "pause")
    said = f"number: the median of {stops} · thin line: from the shortest to the longest" if beside else f"{stops} each"
    style.note(ax, f"{x_name or x}\n{said}")
    _border(ax, list(medians.index), cores)
    style.key(ax, looks)
    whose = "".join(f"{_value(name, frame[name].iloc[0])}, " for name in ("jdk", "gc") if _is_of_one(frame, name, x))
    style.finding(ax, title or whose + (finding[0].lower() + finding[1:] if whose else finding))
    return ax


@picture(SOURCE, labels=("x", "y", "by"))
def growth(
    frame: pd.DataFrame,
    x: str,
    y: "str | Mapping[str, str]" = "total_ms",
    by: str | None = None,
    ax: Axes | None = None,
    title: str | None = None,
    what: str = "time to safepoint",
    x_name: str = "",
    apart: bool = True,
    cores: int | None = None,
) -> Axes:
    """Draw a dot for each duration, and a line through the medians.

    There is one line for each value of `by`, for each column of the mapping `y`, which gives it its name, or for both.

    Args:
        apart: the series stand side by side at each value of `x`; without it all of them stand on its tick.
        cores: where `x` is a number of threads, a broken line separates those that have a core each from the others.
    """
    values = [] if by is None or isinstance(y, str) else list(frame[by].unique())
    only = _value(str(by), values[0]) if len(values) == 1 else ""  # it is enough to name it once, in the title
    series = _series(frame, x, y, "" if only else by or "")
    ax = style.canvas(ax, height=4.6)
    if not series:
        return style.empty(ax, title or "Nothing was measured")
    sizes = sorted({size for data in series.values() for size in data["x"]})
    places, ends = _places(sizes), list[float]()
    step = APART / len(series) if apart else 0.0
    for number, (name, data) in enumerate(series.items()):
        shift = step * (number + 0.5 - len(series) / 2)
        ends.append(_draw_series(ax, name, data, {size: place + shift for size, place in places.items()}, number))
    style.log_axis(ax)
    ax.set_xticks(list(places.values()), [_size(value) for value in places])
    edge = max(places.values()) + 0.5
    ax.set_xlim(-0.5, edge)
    _name_lines(ax, ends, series, edge)
    _border(ax, sizes, cores, list(places.values()))
    ax.grid(axis="y", color=style.LINE)
    style.axis_names(ax, x_name or x, f"{what}, ms (log)")
    counts = [count for data in series.values() for count in data["x"].value_counts()]
    style.marks_note(ax, counts, "stop" if {"operation", "ttsp_ms"} <= set(frame) else "run", x_name or x)
    finding = _changes(series, x_name or x, what)
    style.finding(ax, title or (f"{only}, {finding[0].lower()}{finding[1:]}" if only else finding))
    _alternative.own(ax, _words(series, x_name or x, what))
    return ax


def _places(sizes: Sequence[Any]) -> dict[Any, float]:
    """Where each size stands: side by side; each doubling is a step if all are powers of two, however many are missing.

    >>> _places([1, 10, 100]), _places([1, 2, 4, 16])
    ({1: 0.0, 10: 1.0, 100: 2.0}, {1: 0.0, 2: 1.0, 4: 2.0, 16: 4.0})
    """
    if all(not isinstance(size, str) and size >= 1 and float(np.log2(size)).is_integer() for size in sizes):
        return {size: float(np.log2(size / sizes[0])) for size in sizes}
    return {size: float(place) for place, size in enumerate(sizes)}


def _series(frame: pd.DataFrame, x: str, y: "str | Mapping[str, str]", by: str) -> dict[str, pd.DataFrame]:
    """Frames with the columns x and y, one per line of the picture that has a value above 0."""
    columns = {y: "" if by else y} if isinstance(y, str) else y
    groups = {_value(by, value): rows for value, rows in frame.groupby(by, sort=False)} if by else {"": frame}
    series = {}
    for group, rows in groups.items():
        for column, name in columns.items():
            data = pd.DataFrame({"x": rows[x], "y": style.numbers(rows, column)})
            if (data["y"] > 0).any():
                series[", ".join(filter(None, [group, name]))] = data[data["y"] > 0]
    return series


def _draw_series(ax: Axes, name: str, data: pd.DataFrame, places: Mapping[Any, float], number: int) -> float:
    """Draw the dots and the line through their medians; returns where the line ends."""
    look: dict[str, Any] = {"color": COLORS[number % len(COLORS)], "marker": MARKERS[number % len(MARKERS)]}
    for size, rows in data.groupby("x"):
        dots = rows["y"].to_numpy()
        if len(dots) > MOST_DOTS:
            dots = np.sort(dots)[np.linspace(0, len(dots) - 1, MOST_DOTS).astype(int)]
        small: dict[str, Any] = {"alpha": 0.45, "mew": 0}
        if 1 < len(dots) <= FEW:
            small = {"mew": 0.8, "mec": "white", "zorder": 3}  # on the median's mark, which would cover them
        ax.plot([places[size]] * len(dots), dots, ls="", ms=5, **small, **look)
    medians = data.groupby("x")["y"].median()
    middle = [places[size] for size in medians.index]
    ax.plot(middle, medians, STYLES[number % len(STYLES)], lw=2.5, ms=9, label=name, **look)
    return float(medians.iloc[-1])


def _bars(ax: Axes, places: Any, heights: Any, width: float, below: Any, look: style.Look) -> None:
    edge: dict[str, Any] = {"edgecolor": style.ink_on(look.color), "linewidth": 0}
    ax.bar(places, heights, width, bottom=below, color=look.color, hatch=look.hatch, **edge)


def _size(value: object) -> str:
    """A size as it is written: 64 for 64.0, 10,000, and a name as it is."""
    if isinstance(value, str):
        return value
    number = float(value)  # type: ignore[arg-type]
    return f"{number:,.0f}" if number.is_integer() else f"{number:g}"


def _value(column: str, value: object) -> str:
    return f"JDK {value}" if column == "jdk" else str(value)


def _is_of_one(frame: pd.DataFrame, column: str, x: str) -> bool:
    """Whether the table says that all stops are of one JDK, or of one collector."""
    return column in frame and column != x and frame[column].nunique() == 1 and frame[column].iloc[0] != "default"


def _border(ax: Axes, sizes: list[Any], cores: int | None, places: Sequence[float] = ()) -> None:
    """Draw a line between the sizes that the machine has cores for and the others, if there are both."""
    within = sum(size <= cores for size in sizes) if cores is not None else 0
    if 0 < within < len(sizes):
        middle = (places[within - 1] + places[within]) / 2 if places else within - 0.5
        ax.axvline(middle, color=style.MUTED, ls="--", lw=1.5)
        low, high = ax.get_ylim()
        top = high * (low / high) ** 0.05 if ax.get_yscale() == "log" else 0.94 * high
        style.label(ax, middle, top, f"beyond {cores} cores", offset=(6, 0))


def _name_lines(ax: Axes, ends: Sequence[float], names: Iterable[str], x: float) -> None:
    """Write each line's name and last median right of the axes, next to the line's end; names never overlap."""
    low, high = np.log10(ax.get_ylim())
    step = (high - low) * NAME_HEIGHT
    lines = sorted(zip(np.log10(ends), range(len(ends)), names, strict=True), reverse=True)
    ceiling = high
    for place, (end, number, name) in enumerate(lines):
        below = len(lines) - 1 - place  # how many names still need room further down
        ceiling = max(min(end, ceiling), low + below * step)
        look: dict[str, Any] = {"color": COLORS[number % len(COLORS)], "fontweight": "bold"}
        said = f"{name}: {style.short(10**end)}{style.MS}".removeprefix(": ")
        style.label(ax, x, 10**ceiling, said, (6, 0), **look)
        ceiling -= step


def _phase_that_grew(medians: pd.DataFrame, x: str) -> str:
    """The phase that grew most between the smallest and the largest size."""
    part = str((medians.iloc[-1] - medians.iloc[0]).dropna().idxmax())
    first, last = (style.ms(medians[part].iloc[place]) for place in (0, -1))
    what = style.PHASES[part].label.capitalize()
    return f"{what} takes {first} at {_size(medians.index[0])}\nand {last} at {_size(medians.index[-1])} {x}"


def _changes(series: Mapping[str, pd.DataFrame], x: str, what: str) -> str:
    """From what to what each line's median goes; of many lines, by which factors the flattest and the steepest do."""
    medians = {name: data.groupby("x")["y"].median() for name, data in series.items()}
    sizes = sorted(set().union(*(values.index for values in medians.values())))
    first, last = sizes[0], sizes[-1]
    ends = {name: (found[first], found[last]) for name, found in medians.items() if {first, last} <= set(found.index)}
    if first == last or not ends:
        found = sorted((value, name) for name, values in medians.items() for value in values)
        least_and_most = dict.fromkeys(f"{style.short(value)} ms ({name})" for value, name in (found[0], found[-1]))
        return f"The {what} is {' to '.join(least_and_most)}"
    span = f"From {_size(first)} to {_size(last)} {x}"
    if len(ends) <= MOST_NAMED:
        told = [(name, _from_to(*pair)) for name, pair in ends.items()]
        short = ", ".join(f"{name} {change}".strip() for name, change in told)
        verbs = ("" if change.startswith("stays") else "goes from " for _, change in told)
        whole = ", ".join(f"{name} {verb}{change}" for (name, change), verb in zip(told, verbs, strict=True))
        return f"{span}:\n{whole if len(whole) <= MOST_LETTERS and all(ends) else short}"
    times = sorted((after / before, name) for name, (before, after) in ends.items())
    (least, flattest), (most, steepest) = times[0], times[-1]
    factors = f"{style.short(least)} ({flattest}) to {style.short(most)} times ({steepest})"
    return f"{span}, the {what}\nbecomes {factors} as long"


def _words(series: Mapping[str, pd.DataFrame], x: str, what: str) -> str:
    """Each line's medians by size; of several durations also the least and the most."""
    lines = []
    for name, data in series.items():
        parts = []
        for size, durations in data.groupby("x")["y"]:
            ends = " to ".join(dict.fromkeys(style.short(end) for end in (durations.min(), durations.max())))
            spread = f" ({ends})" if " to " in ends else ""
            parts.append(f"{_size(size)}: {style.short(durations.median())}{spread}")
        lines.append(f" {name or what}: {'; '.join(parts)}.")
    return f"{what[:1].upper()}{what[1:]}, ms, by {x}: median (least to most).{''.join(lines)}"


def _from_to(before: float, after: float) -> str:
    """How a duration in ms changes.

    >>> _from_to(0.1, 40.4), _from_to(0.1, 0.103)
    ('0.1 to 40 ms', 'stays at 0.1 ms')
    """
    if max(before, after) < LEVEL * min(before, after):
        return f"stays at {style.short(after)} ms"
    return f"{style.short(before)} to {style.short(after)} ms"
