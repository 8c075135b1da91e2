"""A stop by the log and by the program's threads (topics.threads_losses.silences) -> two bars a number of threads.

    plot.silences(silences[silences["jdk"] == 25])

Columns used: threads; ttsp_ms, operation_ms and leaving_ms, which are stacked; everybody_silent_ms, the bar beside
them: how long no thread of the program made progress. A phase that the JDK does not log is not drawn.
"""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from safepointlab.plot import style
from safepointlab.plot._picture import picture

WIDTH = 0.38  # of the space of one number of threads: a bar
PHASES = ("ttsp_ms", "operation_ms", "leaving_ms")
SILENT = style.Look("all threads are silent", "#6B1414", "")


@picture("topics.threads_losses.silences", "threads", "ttsp_ms", "everybody_silent_ms")
def silences(frame: pd.DataFrame, ax: Axes | None = None, title: str | None = None) -> Axes:
    """Draw a stack of the log's phases, and beside it what the threads say; one JDK's rows."""
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
    _bars(ax, places + WIDTH / 2, style.numbers(rows, "everybody_silent_ms").to_numpy(), SILENT, None)
    ax.set_xticks(places, [f"{count:,}" for count in rows["threads"]])
    ax.set_xlim(-0.6, len(rows) - 0.4)
    style.axis_names(ax, "scanning threads", "median, ms")
    style.key(ax, [*(style.PHASES[part] for part in shown), SILENT])
    style.finding(ax, title or _finding(rows, below))
    return ax


def _bars(ax: Axes, at: np.ndarray, heights: np.ndarray, look: style.Look, below: np.ndarray | None) -> None:
    edge: dict[str, Any] = {"edgecolor": style.ink_on(look.color), "linewidth": 0}
    ax.bar(at, heights, WIDTH, bottom=below, color=look.color, hatch=look.hatch, **edge)


def _finding(rows: pd.DataFrame, logged: np.ndarray) -> str:
    """The stop with most threads, by the log and by the threads."""
    last = rows.iloc[-1]
    stop, silent = style.ms(float(logged[-1])), style.ms(float(last["everybody_silent_ms"]))
    return f"With {last['threads']:,.0f} threads the log has a stop of {stop},\nand all threads are silent for {silent}"
