"""What stops grow with (nb12_cost.growth.grown) -> a small picture for each thing that varies, a line for each JDK.

    plot.walks(cost_growth.grown([8, 17]))

Columns used: what (a picture for each value), size, jdk, stopped_ms. A dot is the median stop. Both axes are
logarithmic: a line that rises as steeply as the dotted one grows in proportion. The title takes no growth below 0.2 ms
for one: stops that short differ by chance. A picture may have fewer JDKs than another.
"""

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from safepointlab.plot import style
from safepointlab.plot._picture import picture

SEVERAL = 3.0  # times as long at the last size as at the first: it grows
FLOOR_MS = 0.2  # stops below it count as this long: their differences are the scheduler's
ROWS = 2


@picture("nb12_cost.growth.grown", "what", "size", "jdk", "stopped_ms")
def walks(frame: pd.DataFrame, title: str | None = None) -> Axes:
    """Draw the panels in the order of the frame; returns the first one."""
    if frame.empty:
        return style.empty(style.canvas(None), title or "Nothing was measured")
    medians = frame.assign(stopped_ms=style.numbers(frame, "stopped_ms"))
    medians = medians.groupby(["what", "jdk", "size"], sort=False)["stopped_ms"].median().dropna().reset_index()
    names, jdks = list(dict.fromkeys(medians["what"])), sorted(dict.fromkeys(medians["jdk"]))
    panels = _panels(len(names))
    for ax, name in zip(panels, names, strict=True):
        _panel(ax, str(name), medians[medians["what"] == name], jdks)
    figure = panels[0].get_figure(root=True)
    if figure is not None:
        look: dict[str, Any] = {"fontsize": style.SMALL_PT, "frameon": False, "ncols": len(jdks)}
        figure.legend(*_key(panels), loc="outside lower center", **look)
        words: dict[str, Any] = {"fontsize": style.TITLE_PT, "fontweight": "bold", "color": style.INK}
        figure.suptitle(title or _finding(medians), x=0.01, ha="left", **words)
    return panels[0]


def _panels(count: int) -> list[Axes]:
    """So many Axes of a new figure, in two rows."""
    columns = -(-count // ROWS)
    size = (4.4 * max(columns, 2), 6.4)
    figure, grid = plt.subplots(ROWS, columns, figsize=size, dpi=style.DPI, layout="constrained", squeeze=False)
    figure.set_facecolor(style.PAPER)
    panels: list[Axes] = list(grid.flat)
    for ax in panels[count:]:
        ax.remove()
    return panels[:count]


def _key(panels: list[Axes]) -> tuple[list[Any], list[str]]:
    """The handles and the names of the panel with the most lines."""
    handles, names = max((ax.get_legend_handles_labels() for ax in panels), key=lambda key: len(key[1]))
    return list(handles), list(names)


def _panel(ax: Axes, name: str, medians: pd.DataFrame, jdks: list[Any]) -> None:
    style.canvas(ax)
    style.log_axis(ax)
    style.log_axis(ax, "x")
    for number, jdk in enumerate(jdks):
        rows = medians[medians["jdk"] == jdk].sort_values("size")
        look: dict[str, Any] = {"color": style.COLORS[number % len(style.COLORS)], "lw": 2.2, "ms": 8}
        marker, dashes = style.MARKERS[number % len(style.MARKERS)], style.STYLES[number % len(style.STYLES)]
        ax.plot(rows["size"], rows["stopped_ms"], dashes, marker=marker, label=f"JDK {jdk}", **look)
    sizes = sorted(set(medians["size"]))
    ax.set_xticks(sizes, [f"{size:,}" for size in sizes])
    ax.minorticks_off()
    ax.margins(x=0.12, y=0.18)
    ax.grid(axis="y", color=style.LINE)
    first = medians.loc[medians["size"] == sizes[0], "stopped_ms"]
    _slopes(ax, sizes, first)
    style.axis_names(ax, name, "stop, ms (log)")


def _slopes(ax: Axes, sizes: list[Any], first: "pd.Series[float]") -> None:
    """Dotted lines that grow in proportion to the size, from the longest and from the shortest stop, and their name."""
    low, high = ax.get_ylim()
    ends = np.array([sizes[0], sizes[-1]], dtype=float)
    for start in sorted({first.min(), first.max()}):
        ax.plot(ends, start * ends / ends[0], color=style.MUTED, lw=1.5, ls=":", zorder=0)
    ax.set_ylim(low, high)
    style.label(ax, 0.97, 0.05, "dotted: in proportion", xycoords="axes fraction", ha="right")


def _finding(medians: pd.DataFrame) -> str:
    """With what the stop grows on each JDK, on some, or on none."""
    counted = medians.assign(stopped_ms=medians["stopped_ms"].clip(lower=FLOOR_MS))
    ordered = counted.sort_values("size").groupby(["what", "jdk"], sort=False)["stopped_ms"]
    grows = (ordered.last() / ordered.first() > SEVERAL).reset_index(name="grows")
    where = {what: [str(jdk) for jdk in sorted(rows.loc[rows["grows"], "jdk"])] for what, rows in grows.groupby("what")}
    every = {what: len(rows) for what, rows in grows.groupby("what")}
    order = list(dict.fromkeys(medians["what"]))
    everywhere = [str(what) for what in order if len(where[what]) == every[what]]
    some = [f"with {what} on {_listed(where[what])} only" for what in order if 0 < len(where[what]) < every[what]]
    none = [f"not with {what}" for what in order if not where[what]]
    told = [f"with {_listed(everywhere)}"] + some if everywhere else some
    who = _who(medians)
    return f"{who} grows " + ",\n".join([*told, *none]) if told else "No stop grows with what is varied"


def _who(medians: pd.DataFrame) -> str:
    """Whose stop it is: that of the JDK which some pictures have alone, if others have more of them."""
    jdks = medians.groupby("what")["jdk"].unique()
    alone = {jdks_[0] for jdks_ in jdks if len(jdks_) == 1}
    return f"On {alone.pop()} a stop" if len(alone) == 1 and jdks.map(len).max() > 1 else "A stop"


def _listed(names: list[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
