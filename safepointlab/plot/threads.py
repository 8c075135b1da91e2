"""Threads' time stamps and one safepoint of the log -> one row per thread: running, late, stopped, running again.

    plot.threads(notes, stop)

`notes` has one row per note: thread, nanos (System.nanoTime), mark: "runs" if the thread just made progress, or a pair
around a time outside of Java, "leaves" and "returns" ("asks" and "answered" of the thread that requests the safepoint,
and sleeps until it asks again). Instead it may have one row per pause: thread, from_ns, to_ns. `stop` is one row of
`logs.safepoint`: ttsp_ms, operation_ms, if logged cleanup_ms and leaving_ms, and total_ms with nanotime_ns (the
decoration timenanos) at its end; without nanotime_ns begin_s, and a note of the thread "jvm" with the mark "start" that
says when the uptime was 0.

A thread that still runs after the VM requested the safepoint is late: all others wait for it. A thread outside of Java
need not stop at all.
"""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from safepointlab.plot import _lanes, style
from safepointlab.plot._picture import picture

Span = tuple[str, float, float]
Stop = Any  # a Series or a mapping: both have get() and []
LOOKS = {
    "running": style.Look("running", "#CDE7D8"),
    "late": style.Look("late", "#D55E00", "///"),
    "stopped": style.Look("stopped", "#0B3C6F"),
    "outside": style.Look("not in Java", "#7CC4EC", "..."),
    "idle": style.Look("no progress", "#F2F2F2"),
}
AWAY = {"leaves": "returns", "asks": "answered", "answered": "asks"}
SLACK = 0.03  # of the stop: the log line is written a moment after the event
SILENT_NS = 500_000  # no note for half a millisecond, from a thread that notes many in that time: it did not run
STOP_PARTS = ("ttsp_ms", "cleanup_ms", "operation_ms", "leaving_ms")


@picture("nb01_safepoint.output.notes", "thread", "nanos|from_ns", "mark|to_ns")
def threads(
    notes: pd.DataFrame,
    stop: Stop,
    ax: Axes | None = None,
    title: str | None = None,
    margin: float = 0.5,
) -> Axes:
    """Draw one safepoint, and `margin` times its length before and after it; its begin is 0 on the axis."""
    pauses = notes if "from_ns" in notes else pauses_of(notes)
    names = list(pauses["thread"].astype(str).unique())
    ax = style.canvas(ax, height=2.0 + 0.5 * (len(names) + 1))
    if not names:
        return style.empty(ax, title or "No thread left a note")
    phases, begin = _phases(stop), _begin_ns(notes, stop)
    end = phases[-1][2] if phases else 1.0
    window = (-margin * end, end * (1 + margin))
    drawn = {name: _row(ax, row, _of(pauses, name, begin), window, phases) for row, name in enumerate(names)}
    for phase, start, until in phases:
        _lanes.bar(ax, len(names), start, until, style.PHASES[phase])
    edges = {0.0, *(until for _, _, until in phases)}
    _lanes.frame(ax, [*names, "the JVM’s log"], window, edges)
    kinds = {kind for spans in drawn.values() for kind, _, _ in spans}
    style.key(ax, [look for kind, look in LOOKS.items() if kind in kinds])
    style.finding(ax, title or _finding({name: _lateness(spans) for name, spans in drawn.items()}, phases))
    return ax


def pauses_of(notes: pd.DataFrame) -> pd.DataFrame:
    """One row per span without progress of a thread: thread, from_ns, to_ns, state ("outside" of Java, or NA)."""
    ordered = _asleep_at_both_ends(notes).sort_values(["thread", "nanos"], kind="stable")
    after = ordered.groupby("thread", sort=False)[["nanos", "mark"]].shift(-1)
    away = ordered["mark"].map(AWAY).eq(after["mark"]).fillna(False).astype(bool)
    silent = (after["nanos"] - ordered["nanos"] > SILENT_NS).fillna(False).astype(bool)
    times = {"thread": ordered["thread"], "from_ns": ordered["nanos"], "to_ns": after["nanos"]}
    pauses = pd.DataFrame({**times, "state": pd.Series("outside", index=ordered.index).where(away)})[away | silent]
    return pauses.sort_values("thread", key=lambda names: names.map(_first_seen(notes)), kind="stable")


def _asleep_at_both_ends(notes: pd.DataFrame) -> pd.DataFrame:
    """The notes, and two more of a thread that asks: it sleeps before its first request, and after its last one."""
    own = notes.loc[notes["thread"] != "jvm", ["thread", "nanos", "mark"]]
    asking = own.loc[own["mark"] == "asks", "thread"].unique()
    ends = {"answered": own["nanos"].min(), "asks": own["nanos"].max()}
    more = [(thread, nanos, mark) for thread in asking for mark, nanos in ends.items()]
    return pd.concat([own, pd.DataFrame(more, columns=own.columns).astype(own.dtypes)]) if more else own


def _first_seen(notes: pd.DataFrame) -> dict[Any, int]:
    """The threads in the order in which the notes name them, which is the program's own."""
    return {name: place for place, name in enumerate(notes["thread"].unique())}


def _phases(stop: Stop) -> list[tuple[str, float, float]]:
    """The logged phases in their order: (column, from, to) in ms since the begin."""
    phases, start = [], 0.0
    for part in STOP_PARTS:
        length = stop.get(part)
        if length is not None and pd.notna(length):
            phases.append((part, start, start + float(length)))
            start += float(length)
    return phases


def _begin_ns(notes: pd.DataFrame, stop: Stop) -> float:
    """The System.nanoTime() at which the VM began to stop the threads."""
    end = stop.get("nanotime_ns")
    if end is not None and pd.notna(end):
        return float(end) - 1e6 * float(stop["total_ms"])
    start = notes.loc[notes["thread"] == "jvm", "nanos"]
    return float(start.iloc[0]) + 1e9 * float(stop["begin_s"])


def _of(pauses: pd.DataFrame, name: str, begin: float) -> pd.DataFrame:
    """This thread's pauses in ms since the begin of the safepoint."""
    own = pauses[pauses["thread"].astype(str) == name]
    times = {side: (own[f"{column}_ns"] - begin) / 1e6 for side, column in (("start", "from"), ("end", "to"))}
    return pd.DataFrame({**times, "state": own.get("state", pd.NA)})


def _row(ax: Axes, row: int, pauses: pd.DataFrame, window: tuple[float, float], phases: list[Any]) -> list[Span]:
    """Draw one thread; returns what was drawn."""
    spans = [span for span in spans_of(pauses, window, phases) if span[2] - span[1] > (window[1] - window[0]) / 400]
    for kind, start, end in spans:
        _lanes.bar(ax, row, start, end, LOOKS[kind])
    return spans


def spans_of(pauses: pd.DataFrame, window: tuple[float, float], phases: list[Any]) -> list[Span]:
    """What a thread did, as (kind, from, to), each drawn over those before it."""
    reached, over = (phases[0][2], phases[-1][2]) if phases else (0.0, 0.0)
    # the safepoint's own pauses; in others the thread had no CPU
    held = (pauses["start"] <= reached) & (pauses["end"] >= reached - SLACK * over)
    halt = float(np.clip(pauses["start"][held].min(), 0, reached)) if held.any() else reached
    spans: list[Span] = [("running", *window), ("late", 0.0, halt)]
    for start, end, state, stops in zip(pauses["start"], pauses["end"], pauses["state"], held, strict=True):
        first, last = max(start, window[0]), min(end, window[1])
        if stops and pd.isna(state):
            spans += _around(first, last, max(start, 0.0), min(end, over))
        else:
            spans.append((str(state) if pd.notna(state) else "idle", first, last))
    return spans


def _around(first: float, last: float, halt: float, over: float) -> list[Span]:
    """A thread's stop, and what of its pause lies before and after: then it had no CPU."""
    spans = [("idle", first, halt), ("stopped", halt, over), ("idle", over, last)]
    return [span for span in spans if span[2] > span[1]]


def _lateness(spans: list[Span]) -> float:
    return sum(end - start for kind, start, end in spans if kind == "late")


def _finding(late: dict[str, float], phases: list[Any]) -> str:
    reached = phases[0][2] if phases else 0.0
    last = max(late, key=lambda name: late[name])
    if late[last] <= reached / 10:
        return f"No thread ran on for long: the safepoint was reached in {style.ms(reached)}"
    return f"All wait for {last}: it runs on for {late[last]:.1f} of the {reached:.1f} ms to the safepoint"
