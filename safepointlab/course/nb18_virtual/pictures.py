"""The pictures of page 18: how long stops take with so many parked threads, and who falls silent when."""

from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from safepointlab.course.nb18_virtual import experiments as virtual
from safepointlab.phrases import counted, listed
from safepointlab.plot import _alternative, style
from safepointlab.plot._picture import picture

PANELS = {  # of `parked`: column -> what takes that long, its unit, and how many of them a millisecond has
    "reaching_ms": ("time to safepoint", "µs", 1000),
    "collection_ms": ("a full collection", "ms", 1),
}
PLATFORM_COLOR, VIRTUAL_COLOR, SPIN_COLOR = style.COLORS[0], style.COLORS[1], "#E0E0E0"
KINDS = {"virtual": VIRTUAL_COLOR, "platform": PLATFORM_COLOR}  # of threads, in the order of the rows
ASIDE = 0.24  # of the distance between two rows: that between two JDKs
FALL_SILENT = {
    virtual.NOBODY: "no heart falls silent",
    virtual.VIRTUAL: "the virtual hearts fall silent",
    virtual.ALL: "all hearts fall silent",
    "platform": "the platform heart falls silent",
}


@picture("a sweep over virtual/ParkedThreads", "jdk", "run")
def parked(runs: pd.DataFrame) -> Axes:
    """Draw the time to safepoint and, below it, a full collection: one row per number of threads, one mark per JDK.

    The colours are those of the kinds of threads, as in the other pictures of the page.
    """
    table = virtual.parked(runs).sort_values(["kind", "threads"], ascending=[False, True])
    if table.empty:
        return style.empty(style.canvas(None), "Nothing was measured")
    table = table.assign(name=[f"{row.threads:,} {row.kind}" for row in table.itertuples()])
    figure, panels = plt.subplots(2, 1, figsize=(10.0, 8.5), dpi=style.DPI, layout="constrained")
    figure.set_facecolor(style.PAPER)
    first: Axes = panels[0]
    of_one = ", ".join(filter(None, [style.collector(runs), "median of one JVM"]))
    for ax, (column, (what, unit, of_ms)) in zip(panels, PANELS.items(), strict=True):
        _panel(style.canvas(ax), table.assign(time=table[column] * of_ms).dropna(subset="time"))
        style.axis_names(ax, f"{what}, {unit}, logarithmic ({of_one})")
        style.finding(ax, f"{what.capitalize()}:\n{_compared(table, column)}")
    return first


def _panel(ax: Axes, table: pd.DataFrame) -> None:
    names, jdks, marks = list(dict.fromkeys(table["name"])), sorted(set(table["jdk"])), list[Line2D]()
    for number, (jdk, own) in enumerate(table.groupby("jdk")):
        aside = ASIDE * (number - (len(jdks) - 1) / 2)
        look: dict[str, Any] = {"marker": style.MARKERS[number % len(style.MARKERS)], "ls": "", "ms": 9}
        for kind, same in own.groupby("kind", sort=False):
            places = [names.index(name) + aside for name in same["name"]]
            ax.plot(same["time"], places, color=KINDS[str(kind)], label=f"{kind}, JDK {jdk}", **look)
        marks.append(Line2D([], [], color=style.INK, label=f"JDK {jdk}", **look))
    style.log_axis(ax, "x")
    ax.set_yticks(range(len(names)), names)
    ax.set_ylim(len(names) - 0.5, -0.5)
    ax.grid(axis="both", color=style.LINE)
    ax.legend(handles=marks, ncols=len(marks), **style.KEY)


def _compared(table: pd.DataFrame, column: str) -> str:
    """For each kind, how many times as long the most threads take as the fewest; on the JDK where that is least."""
    lines = []
    for kind, own in table.groupby("kind", sort=False):
        times = own.pivot_table(column, "jdk", "threads")
        few, many = times.columns.min(), times.columns.max()
        ratios = times[many] / times[few]
        as_long = "about" if ratios.max() < virtual.ALIKE else f"at least {style.short(ratios.min())} times"
        lines.append(f"{many:,} {kind} threads take {as_long} as long as {few:,}")
    return ";\n".join(lines)


@picture("a sweep over virtual/Heartbeats", "jdk", "run")
def heartbeats(runs: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Draw the beats of each thread of each run, one run below the other; grey is the time in which others spin."""
    found = virtual.heartbeats(runs)
    ax = style.canvas(ax, width=9.0, height=1.4 + 1.25 * max(1, len(found)))
    if not found:
        return style.empty(ax, "Nothing was run")
    row, places, told = 0.0, {}, []
    silent: dict[tuple[str, str], list[str]] = {}  # what happens, with a request or without -> how many spin
    jdks = sorted({run.major for run in found})
    for run in found:
        beats, values = virtual.beats_ms(run), run.values
        spinners = int((run.request.args or ("1",))[0])
        name = counted(spinners, "spinner") + (f", JDK {run.major}" if len(jdks) > 1 else "")
        ax.broken_barh([(0, float(values["spin_ms"]))], (row - 0.6, len(beats) + 0.2), fc=SPIN_COLOR)
        for number, (heart, own) in enumerate(beats.items()):
            color = PLATFORM_COLOR if heart == "platform" else VIRTUAL_COLOR
            ax.plot(own, [row + number] * len(own), "|", color=color, ms=9, mew=0.8)
        asked = "no stop is\nrequested"
        if "request_ms" in values:
            request_ms = float(values["request_ms"])
            ax.plot([request_ms] * 2, [row - 0.6, row + len(beats) - 0.4], "--", color=style.INK, lw=1.5)
            asked = f"a stop is\nrequested at {request_ms:.0f} ms"
        places[row + (len(beats) - 1) / 2] = f"{name},\n{asked}"
        what = FALL_SILENT[virtual.who_is_silent(values)]
        told.append(f"{name}, {' '.join(asked.split())}: {what}.")
        silent.setdefault((what, " and a request" * ("request_ms" in values)), []).append(str(spinners))
        row += len(beats) + 1
    ax.set_yticks(list(places), list(places.values()), fontsize=style.SMALL_PT)
    ax.set_ylim(row - 0.8, -1)
    ax.xaxis.set_major_formatter("{x:,.0f}")
    where = ", ".join(filter(None, [f"JDK {listed(jdks)}", style.collector(runs)]))
    style.axis_names(ax, f"time since the spinners began, ms ({where}; a mark is a beat)")
    marks = {"the platform heart": PLATFORM_COLOR, "the virtual hearts": VIRTUAL_COLOR, "the spinners run": SPIN_COLOR}
    style.key(ax, [style.Look(label, color) for label, color in marks.items()])
    title = [
        f"{' or '.join(dict.fromkeys(counts))} spinner{'s' * (counts[-1] != '1')}{asked}: {what}"
        for (what, asked), counts in silent.items()
    ]
    style.finding(ax, "\n".join(title))
    _alternative.own(ax, " ".join(told))
    return ax
