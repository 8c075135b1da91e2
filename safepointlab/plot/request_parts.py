"""A request's time by the log (nb15_faster.bill.bill) -> a bar for each JDK, and above it how long the caller waited.

    plot.request_parts(bill, x="jdk")

Columns used: the phases of the stops in a request (ttsp_ms, operation_ms, leaving_ms, or rest_ms where a log does not
split what comes after reaching), handshakes_ms, gc_ms (what the caller waited), and the one named by `x`. Several rows
of one x are one bar, of their medians. A part that the JDK does not log is not drawn: a missing value is never 0. The
rest of the wait is a grey part. The key names the parts that are long enough to be seen.
"""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from safepointlab.plot import style
from safepointlab.plot._picture import picture

NEARLY = 0.8  # of the longest wait: medians so close are not told apart
WIDTH = 0.62  # of the space of one bar
LABELS = {"ttsp_ms": "reaching", "operation_ms": "operation", "leaving_ms": "leaving", "rest_ms": "after reaching"}
PARTS = {
    **{name: replace(style.PHASES[name], label=label) for name, label in LABELS.items()},
    "handshakes_ms": style.Look("handshakes", "#E69F00", "\\\\"),
}
UNLOGGED = style.Look("not in the log", style.LINE, "")
SEEN = 0.01  # of its bar: a shorter part is a line without a colour


@picture("nb15_faster.bill.bill", "gc_ms", labels=("x",))
def request_parts(frame: pd.DataFrame, x: str = "jdk", ax: Axes | None = None, title: str | None = None) -> Axes:
    """Draw the stacked bars, and above each a line where the caller's wait ends."""
    columns = {name: style.numbers(frame, name) for name in (*PARTS, "gc_ms")}
    medians = pd.DataFrame(columns).groupby(frame[x] if x in frame else pd.Series(dtype="int64")).median()
    medians = medians.dropna(axis="columns", how="all")
    ax = style.canvas(ax, width=9.0, height=4.6)
    if medians.empty or "gc_ms" not in medians:
        return style.empty(ax, title or "Nothing was measured")
    parts = [name for name in PARTS if name in medians]
    below = np.zeros(len(medians))
    for part in parts:
        below = below + _bars(ax, medians[part].fillna(0).to_numpy(), below, PARTS[part])
    waits = medians["gc_ms"].to_numpy()
    rest = _bars(ax, np.clip(waits - below, 0, None), below, UNLOGGED)
    _waits(ax, waits)
    ax.set_xticks(range(len(medians)), [f"JDK {value}" if x == "jdk" else f"{value}" for value in medians.index])
    ax.set_xlim(-0.6, len(medians) - 0.4)
    ax.set_ylim(0, 1.12 * max(float(below.max()), float(medians["gc_ms"].max())))
    style.axis_names(ax, "", "time of one request, ms")
    seen = [PARTS[part] for part in parts if (medians[part] / waits).max() > SEEN]
    style.key(ax, seen + [UNLOGGED] * bool(rest.max() > SEEN * waits.max()))
    style.finding(ax, title or _finding(medians, parts, x))
    return ax


def _bars(ax: Axes, heights: np.ndarray, below: np.ndarray, look: style.Look) -> np.ndarray:
    edge: dict[str, Any] = {"edgecolor": style.ink_on(look.color), "linewidth": 0}
    ax.bar(range(len(heights)), heights, WIDTH, bottom=below, color=look.color, hatch=look.hatch, **edge)
    return heights


def _waits(ax: Axes, values: np.ndarray) -> None:
    """A thick line for what the caller waited, with its number."""
    for place, value in enumerate(values):
        ax.plot([place - WIDTH / 2, place + WIDTH / 2], [value, value], color=style.INK, lw=3)
        style.label(ax, place, value, f"caller: {style.ms(value)}", offset=(0, 11), ha="center")


def _finding(medians: pd.DataFrame, parts: list[str], x: str) -> str:
    """Where the caller waits longest, with what is hardly shorter, and the largest part of that wait."""
    longest = medians[medians["gc_ms"] > NEARLY * medians["gc_ms"].max()]
    names = [str(name) for name in longest.index]
    listed = " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
    largest = PARTS[str(longest[parts].astype("float64").mean().idxmax())].label
    where = f"on JDK {listed}" if x == "jdk" else f"at {listed}"
    return f"The caller waits longest {where}:\nthe largest part in the log is {largest}"
