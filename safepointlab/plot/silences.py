"""A stop by the log and by the program's threads (nb10_threads.losses.silences) -> two bars a number of threads.

    plot.silences(silences[silences["jdk"] == 25], cores=4)

Columns used: threads; ttsp_ms, operation_ms and leaving_ms, which are stacked; everybody_silent_ms, the bar beside
them: how long no thread of the program made progress; and total_ms, if it is there, the number above the stack. All are
medians, so that the stack need not be as high as that number. A phase that the JDK does not log is not drawn.
"""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from safepointlab.plot import style
from safepointlab.plot._picture import picture
from safepointlab.plot.stop_parts import border

WIDTH = 0.38  # of the space of one number of threads: a bar
PHASES = ("ttsp_ms", "operation_ms", "leaving_ms")
SILENT = style.Look("all threads are silent", "#6B1414", "")


@picture("nb10_threads.losses.silences", "threads", "ttsp_ms", "everybody_silent_ms")
def silences(frame: pd.DataFrame, ax: Axes | None = None, title: str | None = None, cores: int | None = None) -> Axes:
    """Draw a stack of the log's phases, and beside it what the threads say; one JDK's rows.

    With `cores` a line separates the crowds that have a core for each thread from those beyond.
    """
    rows = frame.sort_values("threads") if "threads" in frame else frame
    ax = style.canvas(ax, width=9.0, height=4.6)
    if rows.empty:
        return style.empty(ax, title or "Nothing was measured")
    places = np.arange(len(rows), dtype=float)
    below = np.zeros(len(rows))
    shown = [part for part in PHASES if part in rows and rows[part].notna().any()]
    for part in shown:
        heights = style.numbers(rows, part).fillna(0).to_numpy()
        _bars(ax, places - WIDTH / 2, heights, style.PHASES[part], below)
        below = below + heights
    silent = style.numbers(rows, "everybody_silent_ms").to_numpy()
    _bars(ax, places + WIDTH / 2, silent, SILENT, None)
    stopped = style.numbers(rows, "total_ms").fillna(pd.Series(below, index=rows.index)).to_numpy()
    _heights(ax, places - WIDTH / 2, below, stopped)
    _heights(ax, places + WIDTH / 2, silent, silent)
    ax.set_xticks(places, [f"{count:,}" for count in rows["threads"]])
    ax.set_xlim(-0.6, len(rows) - 0.4)
    ax.set_ylim(top=1.1 * ax.get_ylim()[1])  # for the numbers above the bars
    style.axis_names(ax, "scanning threads", "medians, ms")
    border(ax, list(rows["threads"]), cores)
    style.key(ax, [*(style.PHASES[part] for part in shown), SILENT])
    style.finding(ax, title or _finding(rows, stopped))
    return ax


def _bars(ax: Axes, at: np.ndarray, heights: np.ndarray, look: style.Look, below: np.ndarray | None) -> None:
    edge: dict[str, Any] = {"edgecolor": style.ink_on(look.color), "linewidth": 0}
    ax.bar(at, heights, WIDTH, bottom=below, color=look.color, hatch=look.hatch, **edge)


def _heights(ax: Axes, at: np.ndarray, tops: np.ndarray, values: np.ndarray) -> None:
    """Write a bar's number above it."""
    for x, top, value in zip(at, tops, values, strict=True):
        style.label(ax, x, top, f"{value:.0f}" if value >= 10 else f"{value:.1f}", offset=(0, 9), ha="center")


def _finding(rows: pd.DataFrame, logged: np.ndarray) -> str:
    """The stop with most threads, by the log and by the threads."""
    last = rows.iloc[-1]
    stop, silent = style.ms(float(logged[-1])), style.ms(float(last["everybody_silent_ms"]))
    whose = f"JDK {last['jdk']:.0f}, " if "jdk" in rows else ""
    crowd = f"{whose}{last['threads']:,.0f} threads"
    return f"{crowd}: the log's median stop is {stop},\nall threads are silent for {silent}"
