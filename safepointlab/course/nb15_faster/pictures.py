"""The pictures of notebook 15 alone.

    pictures.request_parts(crowd)    a table of lab.sweep: a bar for each JDK, and above it how long the caller waited
    pictures.averages(pairs)         a table of lab.jmh: the post's averages, a dot for each JDK

A bar has the phases of all stops in a request ("after reaching" where a log does not split what comes then), the
handshakes, and in grey the rest of the caller's wait. Several JVMs of one bar are drawn by their medians. A part that
the JDK does not log is not drawn: a missing value is never 0. The key names the parts that are long enough to be seen.
"""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from safepointlab.course.nb15_faster import experiments
from safepointlab.phrases import listed
from safepointlab.plot import style
from safepointlab.plot._picture import picture
from safepointlab.plot.by_jdk import by_jdk

NEARLY = 0.8  # of the longest wait: medians so close are not told apart
WIDTH = 0.62  # of the space of one bar
LABELS = {"ttsp_ms": "reaching", "operation_ms": "operation", "leaving_ms": "leaving", "rest_ms": "after reaching"}
PARTS = {
    **{name: replace(style.PHASES[name], label=label) for name, label in LABELS.items()},
    "handshakes_ms": style.Look("handshakes", "#E69F00", "\\\\"),
}
UNLOGGED = style.Look("not in the log", style.LINE, "")
SEEN = 0.01  # of its bar: a shorter part is a line without a colour


def request_parts(frame: pd.DataFrame) -> Axes:
    """Draw the stacked bars of the requests of a sweep, and above each a line where the caller's wait ends.

    Raises:
        BadInput: the table is none of lab.sweep with gc_ms.
    """
    return _request_parts(experiments.bill(frame))


@picture("lab.sweep, with gc_ms", "gc_ms", "bar")
def _request_parts(frame: pd.DataFrame) -> Axes:
    columns = {name: style.numbers(frame, name) for name in (*PARTS, "gc_ms")}
    medians = pd.DataFrame(columns).groupby(frame["bar"], sort=False).median().dropna(axis="columns", how="all")
    ax = style.canvas(None, width=9.0, height=4.6)
    if medians.empty:
        return style.empty(ax, "Nothing was measured")
    parts = [name for name in PARTS if name in medians]
    below = np.zeros(len(medians))
    for part in parts:
        below = below + _bars(ax, medians[part].fillna(0).to_numpy(), below, PARTS[part])
    waits = medians["gc_ms"].to_numpy()
    rest = _bars(ax, np.clip(waits - below, 0, None), below, UNLOGGED)
    _waits(ax, waits)
    ax.set_xticks(range(len(medians)), list(medians.index))
    ax.set_xlim(-0.6, len(medians) - 0.4)
    ax.set_ylim(0, 1.12 * max(float(below.max()), float(medians["gc_ms"].max())))
    style.axis_names(ax, "", "time of one request, ms")
    seen = [PARTS[part] for part in parts if (medians[part] / waits).max() > SEEN]
    style.key(ax, seen + [UNLOGGED] * bool(rest.max() > SEEN * waits.max()))
    style.finding(ax, _finding(medians, parts, _collector(frame)))
    return ax


def averages(frame: pd.DataFrame) -> Axes:
    """Draw the averages of the JVMs of a benchmark: reaching a safepoint, and Shenandoah's gross pause.

    Raises:
        BadInput: the table is none of lab.jmh.
    """
    table = experiments.averages(frame)
    return by_jdk(table, y="average_ms", by="of", what="average", title=_reached(table))


def _reached(averages: pd.DataFrame) -> str | None:
    """What the averages are on JDK 11 and on the later ones; None where there are not both."""
    told = []
    for what in (experiments.REACHING, experiments.WHOLE):
        before, since = experiments.before_and_since(averages, what)
        if before.empty or since.empty:
            return None
        ends = [" to ".join(dict.fromkeys(f"{ms:.2g}" for ms in (each.min(), each.max()))) for each in (before, since)]
        told.append(f"{ends[0]} ms on JDK 11, {ends[1]} later")
    return f"Reaching takes {told[0]};\na gross pause {told[1]}"


def _collector(frame: pd.DataFrame) -> str:
    """The collector, if it is the only one; the JDK's own has no name."""
    names = set(frame["gc"].astype(str)) - {"default"} if "gc" in frame and frame["gc"].nunique() == 1 else set()
    return f"{names.pop()}: t" if names else "T"


def _bars(ax: Axes, heights: np.ndarray, below: np.ndarray, look: style.Look) -> np.ndarray:
    edge: dict[str, Any] = {"edgecolor": style.ink_on(look.color), "linewidth": 0}
    ax.bar(range(len(heights)), heights, WIDTH, bottom=below, color=look.color, hatch=look.hatch, **edge)
    return heights


def _waits(ax: Axes, values: np.ndarray) -> None:
    """A thick line for what the caller waited, with its number."""
    for place, value in enumerate(values):
        ax.plot([place - WIDTH / 2, place + WIDTH / 2], [value, value], color=style.INK, lw=3)
        style.label(ax, place, value, f"caller: {style.ms(value)}", offset=(0, 11), ha="center")


def _finding(medians: pd.DataFrame, parts: list[str], begin: str) -> str:
    """Where the caller waits longest, or longer than elsewhere if in several, and the largest part of that wait."""
    longest = medians[medians["gc_ms"] > NEARLY * medians["gc_ms"].max()]
    others = medians.index.difference(longest.index, sort=False)
    logged = longest[parts].astype("float64").mean().dropna()
    part = "" if logged.empty else PARTS[str(logged.idxmax())].label
    where = _where(longest.index)
    if len(longest) > 1 and len(others):
        largest = f"; the log's largest part: {part}" if part else ""
        return f"{begin}he caller waits longer on {where}\nthan on {_where(others)}{largest}"
    return f"{begin}he caller waits longest on {where}" + (f":\nthe largest part in the log is {part}" if part else "")


def _where(bars: "pd.Index[Any]") -> str:
    """ "JDK 17 and 25", or "JDK 17, Z and JDK 25, Z"."""
    names = [str(name).replace("\n", ", ") for name in bars]
    jdks = [name.removeprefix("JDK ") for name in names]
    return f"JDK {listed(jdks)}" if all(name.isdigit() for name in jdks) else listed(names)
