"""An HDR log's intervals (rows of read.hdr) -> latency over time, one line per tag, with the JVM's stops behind it.

    plot.latency(hdr.split(log)["read-rt"], stops=stops)
    plot.latency({"service": parts["read-st"], "response": parts["read-rt"]}, value="max")

Columns used: start_s, length_s and the one named by `value`. An interval is as wide as it was long: while the JVM is
stopped no interval is written, and the next one is late. With `ends` it is a point at its end. Of stops: begin_s and
total_ms, on the log's own clock (read.hdr_clock).
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from safepointlab.plot import style
from safepointlab.plot._picture import picture
from safepointlab.plot.style import MARKERS, STYLES
from safepointlab.read import hdr

WORDS = {"max": "maximum", "mean": "mean", "p50": "median"}
STOP = style.Look("the JVM stands still", "#F2D7C4", "")


@picture("read.hdr, or a mapping of such tables", "start_s", "length_s", labels=("value",))
def latency(
    source: pd.DataFrame | Mapping[str, pd.DataFrame],
    ax: Axes | None = None,
    title: str | None = None,
    value: str = "max",
    stops: pd.DataFrame | None = None,
    unit: str = "ms",
    linear: bool = False,
    ends: bool = False,
) -> Axes:
    """Draw one line for each tag of a log, or for each named part of one.

    Args:
        linear: draw the values on a linear axis, which shows a steady growth as it is.
        ends: draw each interval as a point at its end, where its requests have their answers.
    """
    parts = hdr.split(source) if isinstance(source, pd.DataFrame) else source
    lines = {name: part[style.numbers(part, value) > 0] for name, part in parts.items()}
    lines = {name: line for name, line in lines.items() if not line.empty}
    ax = style.canvas(ax)
    if not lines:
        return style.empty(ax, title or "Nothing was recorded")
    _stops(ax, stops)
    for number, (name, line) in enumerate(lines.items()):
        color = style.line_color(name, number)
        (_points if ends else _line)(ax, number, line, value, color)
        _name(ax, line, value, name, color, 0 if linear else 8 if number % 2 else -8)
    _scale(ax, linear)
    ax.margins(x=0.01)
    word = WORDS.get(value, value.replace("_", "."))
    style.axis_names(ax, "time, s", f"{word} of each\ninterval, {unit}{'' if linear else ' (log)'}")
    if stops is not None and len(stops):
        style.key(ax, [STOP])
    style.finding(ax, title or _finding(lines, value, unit))
    return ax


def _stops(ax: Axes, stops: pd.DataFrame | None) -> None:
    if stops is not None:
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


def _finding(lines: Mapping[str, pd.DataFrame], value: str, unit: str) -> str:
    name = max(lines, key=lambda name: lines[name][value].max())
    worst = lines[name].iloc[int(lines[name][value].to_numpy().argmax())]
    typical = lines[name][value].median()
    when = style.at(worst["start_s"] + worst["length_s"])
    return f"{name}: {typical:.2g} {unit} most of the time, {worst[value]:,.0f} {unit} around {when}"
