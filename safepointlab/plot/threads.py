"""Progress marks of threads and one safepoint of the log -> one row a thread: running, late, stopped, running again.

    plot.threads(gaps, stop)

`gaps` has one row a time in which a thread made no progress: thread, from_ns, to_ns by System.nanoTime(); where the
program knows why, also state ("asleep", "native"). `stop` is one row of `read.safepoint` from a log with the decoration
timenanos, which is the same clock: nanotime_ns (the end), total_ms, ttsp_ms, operation_ms, and cleanup_ms and
leaving_ms where the JDK logs them. A thread that still makes progress after the begin is late: all the others wait for
it. One in native code needs not stop at all.
"""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from safepointlab.plot import style

Span = tuple[str, float, float]
Stop = Any  # a Series or a mapping: both have get() and []
LOOKS = {
    "running": style.Look("running", "#CDE7D8"),
    "late": style.Look("late: the others wait", "#D55E00", "///"),
    "stopped": style.Look("stopped", "#0B3C6F"),
    "native": style.Look("in native code", "#7CC4EC", "..."),
    "idle": style.Look("no progress", "#F2F2F2"),
    "asleep": style.Look("asleep", "#F5E663", "\\\\"),
}
SLACK = 0.03  # of the stop: the log is written a moment after what it tells
STOP_PARTS = ("ttsp_ms", "cleanup_ms", "operation_ms", "leaving_ms")


def threads(
    gaps: pd.DataFrame,
    stop: Stop,
    ax: Axes | None = None,
    title: str | None = None,
    margin: float = 0.5,
) -> Axes:
    """Draw the time around one safepoint, and as much before and after as `margin` times its length; 0 is its begin."""
    names = list(gaps["thread"].astype(str).unique())
    ax = style.canvas(ax, height=2.0 + 0.5 * (len(names) + 1))
    if not names:
        return style.empty(ax, title or "No thread left a mark")
    phases = _phases(stop)
    end = phases[-1][2] if phases else 1.0
    window = (-margin * end, end * (1 + margin))
    drawn = {name: _row(ax, row, _of(gaps, name, stop), window, phases) for row, name in enumerate(names)}
    for phase, start, until in phases:
        _bar(ax, len(names), start, until, style.PHASES[phase])
    _frame(ax, [*names, "the JVM’s log"], window, phases)
    kinds = {kind for spans in drawn.values() for kind, _, _ in spans}
    style.key(ax, [look for kind, look in LOOKS.items() if kind in kinds])
    style.finding(ax, title or _finding({name: _lateness(spans) for name, spans in drawn.items()}, phases))
    return ax


def _phases(stop: Stop) -> list[tuple[str, float, float]]:
    """The phases that were logged, one after the other: (column, from, to) in ms since the begin."""
    found, start = [], 0.0
    for part in STOP_PARTS:
        length = stop.get(part)
        if length is not None and pd.notna(length):
            found.append((part, start, start + float(length)))
            start += float(length)
    return found


def _of(gaps: pd.DataFrame, name: str, stop: Stop) -> pd.DataFrame:
    """This thread's gaps in ms since the begin of the safepoint."""
    mine, begin = gaps[gaps["thread"].astype(str) == name], stop["nanotime_ns"] - 1e6 * stop["total_ms"]
    times = {side: (mine[f"{column}_ns"] - begin) / 1e6 for side, column in (("start", "from"), ("end", "to"))}
    return pd.DataFrame({**times, "state": mine.get("state", pd.NA)})


def _row(ax: Axes, row: int, gaps: pd.DataFrame, window: tuple[float, float], phases: list[Any]) -> list[Span]:
    """Draw one thread; returns what was drawn."""
    spans = [span for span in spans_of(gaps, window, phases) if span[2] - span[1] > (window[1] - window[0]) / 400]
    for kind, start, end in spans:
        _bar(ax, row, start, end, LOOKS[kind])
    return spans


def spans_of(gaps: pd.DataFrame, window: tuple[float, float], phases: list[Any]) -> list[Span]:
    """What a thread did, as (kind, from, to), each one laid over those before it."""
    reached, over = (phases[0][2], phases[-1][2]) if phases else (0.0, 0.0)
    halt = _halt(gaps, reached, over)
    late = [("late", 0.0, reached if halt is None else min(halt, reached))] if halt is None or halt > 0 else []
    spans: list[Span] = [("running", *window), *late]
    for start, end, state in gaps[["start", "end", "state"]].itertuples(index=False):
        stopped = start <= reached and end >= reached - SLACK * over  # one that ends before is a lack of a CPU
        kind = str(state) if pd.notna(state) else "idle"
        spans += [(kind, max(start, window[0]), min(end, window[1]))]
        spans += [("stopped", max(start, 0.0), min(end, over))] if stopped and pd.isna(state) else []
    return spans


def _halt(gaps: pd.DataFrame, reached: float, over: float) -> float | None:
    """When the thread paused for the safepoint; None if it never did."""
    during = gaps[(gaps["start"] <= reached) & (gaps["end"] >= reached - SLACK * over)]
    return None if during.empty else float(during["start"].min())


def _bar(ax: Axes, row: int, start: float, end: float, look: style.Look) -> None:
    edge: dict[str, Any] = {"edgecolor": style.ink_on(look.color), "linewidth": 0, "hatch": look.hatch}
    ax.barh(row, end - start, 0.62, start, color=look.color, **edge)


def _frame(ax: Axes, names: list[str], window: tuple[float, float], phases: list[Any]) -> None:
    ax.set(ylim=(len(names) - 0.4, -0.6), xlim=window)
    ax.set_yticks(range(len(names)), names)
    ax.tick_params(axis="y", length=0)
    for edge in {0.0, *(until for _, _, until in phases)}:
        ax.axvline(edge, color=style.INK, lw=1, ls=":")
    style.axis_names(ax, "ms since the VM asked the threads to stop")


def _lateness(spans: list[Span]) -> float:
    return sum(end - start for kind, start, end in spans if kind == "late")


def _finding(late: dict[str, float], phases: list[Any]) -> str:
    reached = phases[0][2] if phases else 0.0
    last = max(late, key=lambda name: late[name])
    if late[last] <= reached / 10:
        return f"No thread ran on for long: the safepoint was reached in {style.ms(reached)}"
    return f"All wait for {last}: it ran on for {style.ms(late[last])} of the {style.ms(reached)} to the safepoint"
