"""The picture of notebook 15 alone.

    pictures.request_parts(crowd)    a table of lab.sweep: a bar for each JDK, and above it how long the caller waited

A bar has the phases of all stops in a request ("after reaching" where a log does not split what comes then), the
handshakes, and in grey the rest of the caller's wait. Several JVMs of one bar are drawn by their medians. A part that
the JDK does not log is not drawn: a missing value is never 0.
"""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from safepointlab.course.nb15_faster import experiments
from safepointlab.phrases import listed, listed_jdks
from safepointlab.plot import style
from safepointlab.plot._picture import picture

NEARLY = 0.8  # of the longest wait, or of the largest part: medians so close count as equal
WIDTH = 0.62  # of the space of one bar
LABELS = {"ttsp_ms": "reaching", "operation_ms": "operation", "leaving_ms": "leaving", "rest_ms": "after reaching"}
PARTS = {
    **{name: replace(style.PHASES[name], label=label) for name, label in LABELS.items()},
    "handshakes_ms": style.Look("handshakes", "#E69F00", "\\\\"),
}
LEAVING_COUNTS = 13  # the JDK since which the log's clock runs until the threads are let go
UNLOGGED = style.Look("not in the log", style.LINE, "")


def request_parts(frame: pd.DataFrame) -> Axes:
    """Draw the stacked bars of the requests of a sweep, and above each a line where the caller's wait ends.

    Raises:
        BadInput: the table isn't one of lab.sweep with gc_ms.
    """
    return _request_parts(experiments.bill(frame))


@picture("lab.sweep, with gc_ms", "gc_ms", "bar")
def _request_parts(frame: pd.DataFrame) -> Axes:
    columns = {name: style.numbers(frame, name) for name in (*PARTS, "gc_ms")}
    medians = pd.DataFrame(columns).groupby(frame["bar"], sort=False).median().dropna(axis="columns", how="all")
    ax = style.canvas(None, width=10.0, height=4.6)
    if medians.empty:
        return style.empty(ax, "Nothing was measured")
    heights = {PARTS[name]: medians[name].fillna(0).to_numpy() for name in PARTS if name in medians}
    waits_ms = medians["gc_ms"].to_numpy()
    logged_ms = np.sum(list(heights.values()), axis=0)
    heights[UNLOGGED] = np.clip(waits_ms - logged_ms, 0, None)
    below = np.zeros(len(medians))
    for look, height in heights.items():
        edge: dict[str, Any] = {"edgecolor": style.ink_on(look.color), "linewidth": 0}
        ax.bar(range(len(height)), height, WIDTH, bottom=below, color=look.color, hatch=look.hatch, **edge)
        below = below + height
    each_ms = columns["gc_ms"].groupby(frame["bar"], sort=False)
    least_ms, most_ms = each_ms.min().to_numpy(), each_ms.max().to_numpy()
    for place, wait_ms in enumerate(waits_ms):  # a thick line for what the caller waited, a thin one for the JVMs
        ax.plot([place - WIDTH / 2, place + WIDTH / 2], [wait_ms, wait_ms], color=style.INK, lw=3)
        style.label(ax, place, most_ms[place], f"caller: {style.ms(wait_ms)}", offset=(0, 11), ha="center")
    ax.vlines(range(len(medians)), least_ms, most_ms, color=style.INK, lw=1.5)
    ax.set_xticks(range(len(medians)), list(medians.index))
    ax.set_xlim(-0.6, len(medians) - 0.4)
    ax.set_ylim(0, 1.12 * max(float(logged_ms.max()), float(most_ms.max())))
    ax.yaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    style.axis_names(ax, "", "time of one request, ms")
    said = []
    if (jvms := each_ms.size()).max() > 1:
        said.append(f"medians of {style.count_of(jvms, 'JVM')} · thin line: the caller's wait in each of them")
    if "jdk" in frame and (old := sorted(jdk for jdk in frame["jdk"].unique() if jdk < LEAVING_COUNTS)):
        said.append(f"{listed_jdks(f'JDK {jdk}' for jdk in old)}: leaving is in the grey part")
    if said:
        style.note(ax, "\n".join(said))
    style.key(ax, [look for look, height in heights.items() if height.max() > 0])
    style.finding(ax, _finding(medians, f"{gc}: t" if (gc := style.collector(frame)) else "T"))
    return ax


def _finding(medians: pd.DataFrame, begin: str) -> str:
    """Where the caller waits longest, or longer than elsewhere if in several, and the largest part of that wait."""
    longest = medians[medians["gc_ms"] > NEARLY * medians["gc_ms"].max()]
    others = medians.index.difference(longest.index, sort=False)
    logged = longest[[name for name in PARTS if name in medians]].astype("float64").mean().dropna()
    large = [PARTS[str(name)].label for name in logged.index[logged > NEARLY * logged.max()]]
    largest = f"the largest part{'s' * (len(large) > 1)} in the log {'are' if len(large) > 1 else 'is'} {listed(large)}"
    where, elsewhere = (listed_jdks(bar.replace("\n", ", ") for bar in bars) for bars in (longest.index, others))
    if len(longest) > 1 and len(others):
        return f"{begin}he caller waits longer on {where}\nthan on {elsewhere}" + f"; {largest}" * bool(large)
    return f"{begin}he caller waits longest on {where}" + f";\nthere, {largest}" * bool(large)
