"""An HDR log's intervals (of a Run, or rows of logs.hdr) -> latency over time, one line per tag, with the JVM's stops.

    plot.latency(run, tags=["read-st", "read-rt"])
    plot.latency(hdr.split(log)["read-rt"], stops=stops)
    plot.latency({"service": parts["read-st"], "response": parts["read-rt"]}, value="max")

Columns used: start_s, length_s and the one named by `value`. An interval is as wide as it was long: while the JVM is
stopped no interval is written, and the next one is late. With `ends` it is a point at its end. Of stops: begin_s and
total_ms, on the log's own clock (logs.marks.stops). A Run that logged its safepoints, and noted in marks.csv when its
HDR log begins, has its stops drawn.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from safepointlab.logs import marks
from safepointlab.plot import _hdr_lines, style
from safepointlab.plot._picture import picture
from safepointlab.plot.style import MARKERS, STYLES

WORDS = {"max": "maximum", "mean": "mean", "p50": "median"}
STOP = style.Look("the JVM stands still", "#F2D7C4", "")
SHOWN = 0.5  # of a stop: a value that is this part of it shows it, in an interval that ends this part of it later
GROWN = 2  # times the first value is the last of a line that only grows


@picture(
    "a Run that wrote an HDR log, logs.hdr, or a mapping of these",
    "start_s",
    "length_s",
    labels=("value",),
    kind="hdr",
)
def latency(
    source: Any,
    ax: Axes | None = None,
    title: str | None = None,
    value: str = "max",
    stops: pd.DataFrame | None = None,
    unit: str = "ms",
    linear: bool = False,
    ends: bool = False,
    tags: str | Iterable[str] = (),
) -> Axes:
    """Draw one line for each tag of a log, or for each named part of one.

    Args:
        value: "max", "mean", "p50", "p99", ... of each interval.
        stops: of the JVM; a Run's own are found by themselves.
        linear: draw the values on a linear axis, which shows a steady growth as it is.
        ends: draw each interval as a point at its end, where its requests have their answers.
        tags: those of a log to draw, such as "read-rt" or ["read-st", "read-rt"]; by default all.
    """
    parts = _hdr_lines.lines(source, tags)
    lines = {name: part[style.numbers(part, value) > 0] for name, part in parts.items()}
    lines = {name: line for name, line in lines.items() if not line.empty}
    ax = style.canvas(ax)
    if not lines:
        return style.empty(ax, title or "Nothing was recorded")
    stops = _stops_of(source) if stops is None else stops
    _shade(ax, stops)
    for number, (name, line) in enumerate(lines.items()):
        color = style.line_color(name, number)
        (_points if ends else _line)(ax, number, line, value, color)
        _name(ax, line, value, name, color, 0 if linear else 8 if number % 2 else -8)
    _scale(ax, linear)
    ax.margins(x=0.01)
    style.axis_names(ax, "time, s", f"{_word(value)} of each\ninterval, {unit}{'' if linear else ' (log)'}")
    if len(stops):
        style.key(ax, [STOP])
    style.finding(ax, title or _hdr_lines.condition(source) + _finding(lines, value, unit, stops))
    return ax


def _stops_of(source: Any) -> pd.DataFrame:
    """A Run's long stops on the clock of its HDR log; no row if it did not log or note them."""
    notes = source.folder / "marks.csv" if hasattr(source, "request") else None
    if notes is None or not notes.exists() or "safepoint" not in [log.kind for log in source.request.log]:
        return pd.DataFrame(columns=["begin_s", "total_ms"])
    return marks.stops(marks.read(notes), source.safepoints)


def _shade(ax: Axes, stops: pd.DataFrame) -> None:
    for begin, total in zip(stops["begin_s"], stops["total_ms"], strict=True):
        ax.axvspan(begin, begin + total / 1000, color=STOP.color, lw=0, zorder=0)


def _scale(ax: Axes, linear: bool) -> None:
    if linear:
        ax.set_ylim(0, 1.08 * ax.dataLim.ymax)
    else:
        style.log_axis(ax)


def _line(ax: Axes, number: int, line: pd.DataFrame, value: str, color: str) -> None:
    """Draw steps: level from an interval's begin to its end, then vertical to the next one."""
    times = np.stack([line["start_s"], line["start_s"] + line["length_s"]], axis=1).ravel()
    ax.plot(times, np.repeat(line[value], 2), STYLES[number % 4], color=color, lw=2.2)


def _points(ax: Axes, number: int, line: pd.DataFrame, value: str, color: str) -> None:
    """Draw a point at each interval's end, and a thin line from one to the next."""
    look: dict[str, Any] = {
        "marker": MARKERS[number % len(MARKERS)],
        "ms": 6 if number else 9,
        "mfc": style.PAPER if number else color,
    }
    ax.plot(line["start_s"] + line["length_s"], line[value], STYLES[number % 4], color=color, lw=1.2, mew=2, **look)


def _name(ax: Axes, line: pd.DataFrame, value: str, name: str, color: str, shift: int) -> None:
    """Write the line's name at its end, outside of the Axes."""
    last = line.iloc[-1]
    end = last["start_s"] + last["length_s"]
    style.label(ax, end, last[value], name, offset=(8, shift), color=color, fontweight="bold")


def _finding(lines: Mapping[str, pd.DataFrame], value: str, unit: str, stops: pd.DataFrame) -> str:
    if len(stops):
        return _shown(lines, value, stops)
    name = max(lines, key=lambda name: lines[name][value].max())
    values = lines[name][value]
    worst = lines[name].iloc[int(values.to_numpy().argmax())]
    when = style.at(worst["start_s"] + worst["length_s"])
    if len(values) > 3 and values.is_monotonic_increasing and values.iloc[-1] > GROWN * values.iloc[0]:
        first, last = (f"{values.iloc[place]:,.0f}\N{NO-BREAK SPACE}{unit}" for place in (0, -1))
        return f"{name} {_word(value)} grows from {first} to {last} in {when}"
    most, top = f"{values.median():.2g}\N{NO-BREAK SPACE}{unit}", f"{worst[value]:,.0f}\N{NO-BREAK SPACE}{unit}"
    return f"{name} {_word(value)} is {most} most of the time, {top} around {when}"


def _shown(lines: Mapping[str, pd.DataFrame], value: str, stops: pd.DataFrame) -> str:
    """How many of the stops each line shows."""
    counts = {name: sum(_shows(line, value, stop) for stop in stops.to_dict("records")) for name, line in lines.items()}
    all_stops = (
        f"{len(stops)} stop{'s' * (len(stops) > 1)} of {stops['total_ms'].median() / 1000:.1f}\N{NO-BREAK SPACE}s"
    )
    (first, count), *others = counts.items()
    rest = "".join(f", {name} {_word(value)} {shown}" for name, shown in others)
    return f"{first} {_word(value)} shows {count} of {all_stops}{rest}"


def _shows(line: pd.DataFrame, value: str, stop: Mapping[Any, float]) -> bool:
    """Is an interval that ends with the stop, or soon after it, at least half as long as the stop?"""
    ends_s, length_s = line["start_s"] + line["length_s"], stop["total_ms"] / 1000
    soon = ends_s.between(stop["begin_s"] + 0.9 * length_s, stop["begin_s"] + (1 + SHOWN) * length_s)
    return bool((line.loc[soon, value] > SHOWN * stop["total_ms"]).any())


def _word(value: str) -> str:
    """
    >>> _word("max"), _word("p99_9")
    ('maximum', 'p99.9')
    """
    return WORDS.get(value, value.replace("_", "."))
