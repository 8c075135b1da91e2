"""The pictures of page 18: how long stops take with so many parked threads, and who falls silent when."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from safepointlab.course.nb18_virtual import experiments as virtual
from safepointlab.phrases import listed
from safepointlab.plot import _alternative, style
from safepointlab.plot._picture import picture

REACHING, COLLECTION = "reaching_ms", "collection_ms"  # what `parked` draws
WHAT = {REACHING: "time to safepoint", COLLECTION: "a full collection"}  # medians of the run
UNITS = {REACHING: ("µs", 1000), COLLECTION: ("ms", 1)}  # and how many of them a millisecond has
PLATFORM_COLOR, VIRTUAL_COLOR, SPIN_COLOR = style.COLORS[0], style.COLORS[1], "#F2F2F2"
FALL_SILENT = {
    virtual.NOBODY: "no heart falls silent",
    virtual.VIRTUAL: "the virtual hearts fall silent",
    virtual.ALL: "all hearts fall silent",
    "platform": "the platform heart falls silent",
}


@picture("a sweep over virtual/ParkedThreads", "jdk", "run")
def parked(runs: pd.DataFrame, what: str = REACHING, ax: Axes | None = None) -> Axes:
    """Draw one row per kind and number of threads, one mark per JDK.

    Args:
        what: REACHING, the time to safepoint, or COLLECTION, how long a full collection stops the threads.
    """
    table = virtual.parked(runs).dropna(subset=what).sort_values(["kind", "threads"], ascending=[False, True])
    ax = style.canvas(ax, height=3.9)
    if table.empty:
        return style.empty(ax, "Nothing was measured")
    unit, of_ms = UNITS[what]
    table[what] *= of_ms
    table = table.assign(name=[f"{row.threads:,} {row.kind}" for row in table.itertuples()])
    names = list(dict.fromkeys(table["name"]))
    for number, (jdk, own) in enumerate(table.groupby("jdk")):
        look: dict[str, Any] = {
            "color": style.COLORS[number % 6],
            "marker": style.MARKERS[number % 6],
            "ls": "",
            "ms": 10,
        }
        ax.plot(own[what], [names.index(name) for name in own["name"]], label=f"JDK {jdk}", **look)
    style.log_axis(ax, "x")
    ax.set_yticks(range(len(names)), names)
    ax.set_ylim(len(names) - 0.5, -0.5)
    ax.grid(axis="both", color=style.LINE)
    style.axis_names(ax, f"{WHAT[what]} (median of the run), {unit}, logarithmic")
    style.line_key(ax)
    style.finding(ax, _most(table, what, unit))
    return ax


def _most(table: pd.DataFrame, what: str, unit: str) -> str:
    """The most threads of each kind, with the range of their times over the JDKs."""
    lines = []
    for _, own in table.groupby("kind", sort=False):
        most = own[own["threads"] == own["threads"].max()]
        ends = dict.fromkeys(style.short(value) for value in (most[what].min(), most[what].max()))
        lines.append(f"with {most['name'].iloc[0]} threads {' to '.join(ends)}{style.MS[0]}{unit}")
    text = ",\n".join(lines)
    return text[:1].upper() + text[1:]


@picture("a sweep over virtual/Heartbeats", "jdk", "run")
def heartbeats(runs: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Draw the beats of each thread of each run, one run below the other; grey is the time in which others spin."""
    found = virtual.heartbeats(runs)
    ax = style.canvas(ax, width=9.0, height=1.4 + 1.25 * max(1, len(found)))
    if not found:
        return style.empty(ax, "Nothing was run")
    row, places, told, silences = 0.0, {}, [], []
    jdks = sorted({run.major for run in found})
    for run in found:
        beats, values = virtual.beats_ms(run), run.values
        silences.append(virtual.who_is_silent(values))
        spinners = int((run.request.args or ("1",))[0])
        name = f"{spinners} spinner{'s' * (spinners != 1)}" + (f", JDK {run.major}" if len(jdks) > 1 else "")
        ax.broken_barh([(0, float(values["spin_ms"]))], (row - 0.6, len(beats) + 0.2), fc=SPIN_COLOR)
        for number, (heart, own) in enumerate(beats.items()):
            color = PLATFORM_COLOR if heart == "platform" else VIRTUAL_COLOR
            ax.plot(own, [row + number] * len(own), "|", color=color, ms=9, mew=1.2)
        asked = "no stop is\nrequested"
        if "request_ms" in values:
            request_ms = float(values["request_ms"])
            ax.plot([request_ms] * 2, [row - 0.6, row + len(beats) - 0.4], "--", color=style.INK, lw=1.5)
            asked = f"a stop is\nrequested at {request_ms:.0f} ms"
        places[row + (len(beats) - 1) / 2] = f"{name},\n{asked}"
        told.append(f"{name}, {' '.join(asked.split())}: {FALL_SILENT[silences[-1]]}.")
        row += len(beats) + 1
    ax.set_yticks(list(places), list(places.values()), fontsize=style.SMALL_PT)
    ax.set_ylim(row - 0.8, -1)
    style.axis_names(ax, "time since the spinners began, ms")
    marks = {"the platform heart": PLATFORM_COLOR, "the virtual hearts": VIRTUAL_COLOR, "others spin": SPIN_COLOR}
    style.key(ax, [style.Look(label, color) for label, color in marks.items()])
    both = sum(silent in (virtual.ALL, virtual.VIRTUAL) for silent in silences)
    platform = sum(silent in (virtual.ALL, "platform") for silent in silences)
    style.finding(
        ax,
        f"JDK {listed(jdks)}: the virtual hearts fall silent in {both} of {len(found)} runs,\n"
        f"the platform heart in {platform}",
    )
    _alternative.own(ax, " ".join(told))
    return ax
