"""A run with a trace of its safepoints -> one of its stops: one row per thread, and how long the VM found it running.

    plot.arrivals(run)              log="safepoint=trace straggler=0"
    plot.arrivals(frame, stop=3)

Columns used (see `logs.safepoint.arrivals`; a run has it as `arrivals`): stop, operation, thread, running_ms, ttsp_ms.
Without `stop` it draws the one with the middle time to safepoint of those at which some thread was found running.
"""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from safepointlab.plot import _lanes, style
from safepointlab.plot._picture import picture

LATE = style.Look("not stopped yet, the VM finds", "#D55E00", "///")
STOPPED = style.Look("stopped, and waiting for the others", "#0B3C6F")


@picture("run.arrivals", "stop", "operation", "thread", "running_ms", "ttsp_ms", kind="arrivals")
def arrivals(subject: Any, stop: int | None = None, ax: Axes | None = None, title: str | None = None) -> Axes:
    """Draw one stop, from the request to the moment when the last thread had stopped; the last one is at the top."""
    frame = style.table(subject, "arrivals")
    if frame.empty:
        return style.empty(style.canvas(ax), title or "The VM found no thread running")
    own = frame[frame["stop"] == (_middle(frame) if stop is None else stop)].sort_values("running_ms", ascending=False)
    ax = style.canvas(ax, height=2.0 + 0.5 * max(len(own), 2))
    if own.empty:
        return style.empty(ax, title or f"Stop {stop} found no thread running")
    reached = float(own["ttsp_ms"].iloc[0])
    for row, running in enumerate(own["running_ms"]):
        _lanes.bar(ax, row, 0.0, float(running), LATE)
        _lanes.bar(ax, row, float(running), reached, STOPPED)
    _lanes.frame(ax, list(own["thread"]), (0, reached * 1.02), [reached])
    style.key(ax, [LATE, STOPPED])
    style.finding(ax, title or _finding(own, reached))
    return ax


def _middle(frame: pd.DataFrame) -> int:
    """The stop with the middle time to safepoint."""
    waits = frame.groupby("stop")["ttsp_ms"].first().sort_values(kind="stable")
    return int(waits.index[len(waits) // 2])


def _finding(own: pd.DataFrame, reached: float) -> str:
    last = own.iloc[0]
    if last["running_ms"] < reached / 2:
        return f"{last['operation']}: no thread was found running for long; reached after {style.ms(reached)}"
    others = own["running_ms"].iloc[1:].max() if len(own) > 1 else 0.0
    rest = f"; the others had stopped after {style.ms(others)}" if len(own) > 1 else ""
    return f"All wait {style.ms(reached)} for {last['thread']}{rest}"
