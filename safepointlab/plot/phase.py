"""Stops (frames of periodic or all safepoints) -> where in the second each of them falls: one line per run.

    plot.phase({"JDK 8": run8.safepoints, "JDK 17": run17.safepoints})

Safepoints at intervals of a second form a level line. A stop that was requested (x) begins a new line: the JVM counts
its interval from there again.
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
CLOSE_MS = 125.0  # where all of them fall so early in the second, the picture ends there
STEADY_MS = 30.0  # what a timer and a busy machine add to a second


@picture("a mapping of tables of read.safepoint", "operation", "begin_s|uptime_s")
def phase(stops: Mapping[str, pd.DataFrame], ax: Axes | None = None, title: str | None = None, unit: str = "s") -> Axes:
    """Draw one line per frame of safepoints: its uptime to the right, the milliseconds past the full second upwards."""
    placed = {str(name): _placed(frame) for name, frame in stops.items()}
    placed = {name: frame for name, frame in placed.items() if frame["periodic"].any()}
    ax = style.canvas(ax)
    if not placed:
        return style.empty(ax, title or "No stop came by itself")
    for number, (name, frame) in enumerate(placed.items()):
        _line(ax, name, frame, number)
    early = all(frame["past_ms"].max() < CLOSE_MS for frame in placed.values())
    ax.set(ylim=(0, CLOSE_MS if early else SECOND_MS), yticks=range(0, 126, 25) if early else range(0, 1001, 250))
    ax.set_xlim(0, 1.22 * max(float(frame["begin_s"].max()) for frame in placed.values()))
    ax.grid(axis="y", color=style.LINE)
    style.axis_names(ax, f"uptime, {unit}   (x: somebody asked for this stop)", "past the full second, ms")
    style.finding(ax, title or _finding(placed))
    return ax


def _placed(frame: pd.DataFrame) -> pd.DataFrame:
    begin_s = style.numbers(frame, "begin_s").fillna(style.numbers(frame, "uptime_s"))
    stops = frame.get("kind", pd.Series("safepoint", index=frame.index)) == "safepoint"
    complete = style.numbers(frame, "total_ms").notna()  # the last of 8 is its exit
    periodic = frame["operation"].isin(PERIODIC).astype(bool)
    placed = pd.DataFrame({"begin_s": begin_s, "past_ms": 1000 * (begin_s % 1), "periodic": periodic})
    return placed[stops & complete & begin_s.notna()]


def _line(ax: Axes, name: str, frame: pd.DataFrame, number: int) -> None:
    look = number % len(COLORS)
    periodic, requested = frame[frame["periodic"]], frame[~frame["periodic"]]
    line = pd.concat([requested.assign(past_ms=np.nan), frame]).sort_values("begin_s", kind="stable")
    ax.plot(line["begin_s"], line["past_ms"], STYLES[number % 4], color=COLORS[look], lw=2)
    ax.plot(periodic["begin_s"], periodic["past_ms"], MARKERS[look], color=COLORS[look], ms=9)
    ax.plot(requested["begin_s"], requested["past_ms"], "x", color=COLORS[look], ms=10, mew=2.5)
    last = periodic.iloc[-1]
    style.label(ax, last["begin_s"], last["past_ms"], name, offset=(10, 0), color=COLORS[look], fontweight="bold")


def _finding(placed: Mapping[str, pd.DataFrame]) -> str:
    """How many gaps between periodic neighbours, without a request between them, are whole seconds."""
    gaps_s = pd.concat([frame["begin_s"].diff()[frame["periodic"] & frame["periodic"].shift(1, fill_value=False)]
                       for frame in placed.values()]).dropna()  # fmt: skip
    deviation_ms = (1000 * (gaps_s - gaps_s.round())).abs()
    steady = int((deviation_ms <= STEADY_MS).sum())
    all_steady = steady == len(deviation_ms)
    within = max(1.0, float(np.ceil(deviation_ms.max()))) if all_steady and len(deviation_ms) else STEADY_MS
    share = f"All {len(deviation_ms)}" if all_steady else f"{steady} of {len(deviation_ms)}"
    return f"{share} gaps between neighbours are whole seconds, to within {within:.0f}{style.MS}"
