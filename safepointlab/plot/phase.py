"""Stops (frames of periodic or all safepoints) -> where in the second each of them falls: one line a run.

    plot.phase({"JDK 8": run8.safepoints, "JDK 17": run17.safepoints})

What comes about each second draws a level line. A stop that somebody asked for (x) begins another one: the JVM counts
its interval anew from there.
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from safepointlab.plot import style
from safepointlab.plot._picture import picture
from safepointlab.plot.style import COLORS, MARKERS, STYLES
from safepointlab.read.safepoint import PERIODIC

SECOND_MS = 1000.0
STEADY_MS = 30.0  # what a timer and a busy machine add to a second


@picture("a mapping of tables of read.safepoint", "operation", "begin_s|uptime_s")
def phase(stops: Mapping[str, pd.DataFrame], ax: Axes | None = None, title: str | None = None, unit: str = "s") -> Axes:
    """Draw one line a frame of safepoints: its uptime to the right, the milliseconds past the full second upwards."""
    found = {str(name): _placed(frame) for name, frame in stops.items()}
    found = {name: frame for name, frame in found.items() if frame["periodic"].any()}
    ax = style.canvas(ax)
    if not found:
        return style.empty(ax, title or "No stop came by itself")
    for number, (name, frame) in enumerate(found.items()):
        _line(ax, name, frame, number)
    ax.set(ylim=(0, SECOND_MS), yticks=range(0, 1001, 250))
    ax.set_xlim(0, 1.22 * max(float(frame["begin_s"].max()) for frame in found.values()))
    ax.grid(axis="y", color=style.LINE)
    style.axis_names(ax, f"uptime, {unit}   (x: somebody asked for this stop)", "past the full second, ms")
    style.finding(ax, title or _finding(found))
    return ax


def _placed(frame: pd.DataFrame) -> pd.DataFrame:
    begun = style.numbers(frame, "begin_s").fillna(style.numbers(frame, "uptime_s"))
    stops = frame.get("kind", pd.Series("safepoint", index=frame.index)) == "safepoint"
    told = style.numbers(frame, "total_ms").notna()  # the last of 8 is its exit
    periodic = frame["operation"].isin(PERIODIC).astype(bool)
    placed = pd.DataFrame({"begin_s": begun, "past_ms": 1000 * (begun % 1), "periodic": periodic})
    return placed[stops & told & begun.notna()]


def _line(ax: Axes, name: str, frame: pd.DataFrame, number: int) -> None:
    look = number % len(COLORS)
    mine, asked = frame[frame["periodic"]], frame[~frame["periodic"]]
    line = pd.concat([asked.assign(past_ms=np.nan), frame]).sort_values("begin_s", kind="stable")
    ax.plot(line["begin_s"], line["past_ms"], STYLES[number % 4], color=COLORS[look], lw=2)
    ax.plot(mine["begin_s"], mine["past_ms"], MARKERS[look], color=COLORS[look], ms=9)
    ax.plot(asked["begin_s"], asked["past_ms"], "x", color=COLORS[look], ms=10, mew=2.5)
    last = mine.iloc[-1]
    style.label(ax, last["begin_s"], last["past_ms"], name, offset=(10, 0), color=COLORS[look], fontweight="bold")


def _finding(found: Mapping[str, pd.DataFrame]) -> str:
    """How far from whole seconds apart two neighbours are that no request lies between."""
    apart = pd.concat([frame["begin_s"].diff()[frame["periodic"] & frame["periodic"].shift(1, fill_value=False)]
                       for frame in found.values()]).dropna()  # fmt: skip
    off = (1000 * (apart - apart.round())).abs()
    steady = int((off <= STEADY_MS).sum())
    all_of_them = steady == len(off)
    within = max(1.0, float(np.ceil(off.max()))) if all_of_them and len(off) else STEADY_MS
    many = f"All {len(off)}" if all_of_them else f"{steady} of {len(off)}"
    return f"{many} gaps between neighbours are whole seconds, to within {within:.0f}{style.MS}"
