"""The picture that only page 12 needs: what pauses grow with.

    pictures.walks(idle, depth, live, locks)      tables of lab.sweep, in each of which one argument grows

A small picture for each thing that grows, a line for each JDK. A dot is the median stop. Both axes are
logarithmic: a line that rises as steeply as the dotted one grows in proportion. The title ignores growth below 0.2 ms:
pauses that short differ by chance. A picture may have fewer JDKs than another.
"""

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from safepointlab.course.nb12_cost.experiments import FLOOR_MS, GROWS, by_size
from safepointlab.phrases import listed, listed_jdks
from safepointlab.plot import style
from safepointlab.plot._picture import picture

ROWS = 2
IN_PROPORTION: dict[str, Any] = {"color": style.MUTED, "lw": 1.5, "ls": ":"}


def walks(*sweeps: pd.DataFrame) -> Axes:
    """Draw a panel for each sweep, in this order; returns the first one.

    Raises:
        BadInput: a table isn't from lab.sweep, or more than one of its arguments grows.
    """
    return _walks(by_size(*sweeps))


@picture("lab.sweep, with an argument that grows", "what", "size", "who", "stopped_ms")
def _walks(stops: pd.DataFrame) -> Axes:
    if stops.empty:
        return style.empty(style.canvas(None), "Nothing was measured")
    medians = stops.assign(stopped_ms=style.numbers(stops, "stopped_ms"))
    stops_of = medians.dropna(subset="stopped_ms").groupby(["what", "who", "size"], sort=False)["stopped_ms"]
    medians, counts = stops_of.median().reset_index(), stops_of.size()
    names = list(dict.fromkeys(medians["what"]))
    # a line has one look in all panels; those of the panel with the most lines come first
    by_panel = sorted((list(dict.fromkeys(rows["who"])) for _, rows in medians.groupby("what")), key=len, reverse=True)
    lines = list(dict.fromkeys(who for panel in by_panel for who in panel))
    columns = -(-len(names) // ROWS)
    size = (4.4 * max(columns, 2), 6.4)
    figure, grid = plt.subplots(ROWS, columns, figsize=size, dpi=style.DPI, layout="constrained", squeeze=False)
    figure.set_facecolor(style.PAPER)
    panels: list[Axes] = list(grid.flat)
    for ax in panels[len(names) :]:
        ax.remove()
    handles: dict[str, Any] = {}
    for ax, name in zip(panels, names, strict=False):
        _panel(ax, str(name), medians[medians["what"] == name], lines)
        handles |= {who: handle for handle, who in zip(*ax.get_legend_handles_labels(), strict=True)}
    handles = {who: handles[who] for who in lines} | {"in proportion": Line2D([], [], **IN_PROPORTION)}
    said = f"each mark: the median of {style.count_of(counts, 'stop')}"
    look: dict[str, Any] = {"fontsize": style.SMALL_PT, "frameon": False, "columnspacing": 1.2, "title": said}
    look["title_fontsize"] = style.SMALL_PT
    figure.legend([*handles.values()], [*handles], ncols=min(len(handles), 7), loc="outside lower center", **look)
    words: dict[str, Any] = {"fontsize": style.TITLE_PT, "fontweight": "bold", "color": style.INK}
    figure.suptitle(_finding(medians), x=0.01, ha="left", **words)
    return panels[0]


def _panel(ax: Axes, name: str, medians: pd.DataFrame, lines: list[str]) -> None:
    style.canvas(ax)
    style.log_axis(ax)
    style.log_axis(ax, "x")
    for number, who in enumerate(lines):
        rows = medians[medians["who"] == who].sort_values("size")
        if len(rows):
            look: dict[str, Any] = {"color": style.COLORS[number % len(style.COLORS)], "lw": 2.2, "ms": 8}
            marker, dashes = style.MARKERS[number % len(style.MARKERS)], style.STYLES[number % len(style.STYLES)]
            ax.plot(rows["size"], rows["stopped_ms"], dashes, marker=marker, label=who, **look)
    sizes = sorted(set(medians["size"]))
    ax.set_xticks(sizes, [f"{size:,.0f}" for size in sizes])
    ax.tick_params(axis="x", which="minor", bottom=False, labelbottom=False)
    ax.margins(x=0.12, y=0.18)
    ax.grid(axis="y", color=style.LINE)
    low, high = ax.get_ylim()
    first, ends = medians.loc[medians["size"] == sizes[0], "stopped_ms"], np.array([sizes[0], sizes[-1]], dtype=float)
    ax.plot(ends, first.max() * ends / ends[0], **IN_PROPORTION, zorder=0)  # from the uppermost line on
    ax.set_ylim(low, high)
    style.axis_names(ax, name, "pause, ms (log)")


def _finding(medians: pd.DataFrame) -> str:
    """With what the pause grows on each JDK, on some, or on none."""
    counted = medians.assign(stopped_ms=medians["stopped_ms"].clip(lower=FLOOR_MS))
    ordered = counted.sort_values("size").groupby(["what", "who"], sort=False)["stopped_ms"]
    grows = (ordered.last() / ordered.first() > GROWS).reset_index(name="grows")
    grows = grows.sort_values("who", key=lambda names: names.str.extract(r"(\d+)", expand=False).astype(float))
    everywhere, some, short, none, alone = [], [], [], [], set()
    for what in dict.fromkeys(medians["what"]):
        lines = grows[grows["what"] == what]
        those = list(lines.loc[lines["grows"], "who"])
        alone |= set(lines["who"]) if len(lines) == 1 else set()
        if len(those) == len(lines):
            everywhere.append(str(what))
        elif those:
            others = medians[(medians["what"] == what) & ~medians["who"].isin(those)]
            most_ms, jdks = float(others["stopped_ms"].max()), listed_jdks(those)
            if everywhere and most_ms < FLOOR_MS:  # so short ones differ by chance, and may seem to grow
                short.append(f"with {what} it stays below {style.ms(FLOOR_MS)} except on {jdks}")
            else:
                some.append(f"with {what} only on {jdks} (on the others {style.ms(most_ms)} at most)")
        else:
            none.append(f"not with {what}")
    told = [f"with {listed(everywhere)}", *some] if everywhere else some
    whose = f"On {alone.pop()} a pause" if len(alone) == 1 else "A pause"
    if not told:
        return "No pause grows with what is varied"
    return f"{whose} grows " + ",\n".join([*told, *none]) + "".join(f";\n{each}" for each in short)
