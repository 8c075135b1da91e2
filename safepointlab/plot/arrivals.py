"""A run with a trace of its safepoints -> one of its stops: one row per thread, and how long the VM found it running.

    plot.arrivals(run)              log="safepoint=trace straggler=0"
    plot.arrivals(frame, stop=3)

Columns used (see `logs.safepoint.arrivals`; a run has it as `arrivals`): stop, operation, thread, running_ms, ttsp_ms.
Without `stop` it draws the one with the middle time to safepoint of those at which some thread was found running.
"""

from typing import Any

from matplotlib.axes import Axes

from safepointlab.plot import _lanes, style
from safepointlab.plot._picture import picture

LATE = style.Look("not stopped yet, the VM finds", "#D55E00", "///")
STOPPED = style.Look("stopped, and waiting for the others", "#76838F")


@picture("run.arrivals", "stop", "operation", "thread", "running_ms", "ttsp_ms", kind="arrivals")
def arrivals(subject: Any, stop: int | None = None, ax: Axes | None = None, title: str | None = None) -> Axes:
    """Draw one stop, from the request to the moment when the last thread had stopped; the last one is at the top."""
    frame = style.table(subject, "arrivals")
    if frame.empty:
        return style.empty(style.canvas(ax), title or "The VM found no thread running")
    waits = frame.groupby("stop")["ttsp_ms"].first().sort_values(kind="stable")
    chosen = waits.index[len(waits) // 2] if stop is None else stop
    own = frame[frame["stop"] == chosen].sort_values("running_ms", ascending=False)
    ax = style.canvas(ax, height=2.0 + 0.5 * max(len(own), 2))
    if own.empty:
        return style.empty(ax, title or f"Stop {stop} found no thread running")
    reached, running, last = float(own["ttsp_ms"].iloc[0]), list(own["running_ms"].astype(float)), own.iloc[0]
    for row, ms in enumerate(running):
        _lanes.bar(ax, row, 0.0, ms, LATE)
        _lanes.bar(ax, row, ms, reached, STOPPED)
    _lanes.frame(ax, list(own["thread"]), (0, reached * 1.02), [reached])
    style.key(ax, [LATE, STOPPED])
    rest = f"; the others had stopped after {style.ms(max(running[1:]))}" if len(own) > 1 else ""
    finding = f"All wait {style.ms(reached)} for {last['thread']}{rest}"
    if running[0] < reached / 2:
        finding = f"{last['operation']}: no thread was found running for long; reached after {style.ms(reached)}"
    style.finding(ax, title or finding)
    return ax
