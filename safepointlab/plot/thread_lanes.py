"""Threads' time stamps and one safepoint of the log -> one row per thread: running, late, stopped, running again.

    threads(notes, stop)
    plot.one_safepoint({"often": 0, "seldom": 60, "asleep": None})  # a drawing: nothing is measured

`notes` has one row per note: thread, nanos (System.nanoTime), mark: "runs" if the thread just made progress, or a pair
around a time outside of Java, "leaves" and "returns" ("asks" and "answered" of the thread that requests the safepoint,
and sleeps until it asks again). Instead it may have one row per pause: thread, from_ns, to_ns. `stop` is one row of
`logs.safepoint`: ttsp_ms, operation_ms, if logged cleanup_ms and leaving_ms, and total_ms with nanotime_ns (the
decoration timenanos) at its end; without nanotime_ns begin_s, and a note of the thread "jvm" with the mark "start" that
says when the uptime was 0.

A thread that still runs after the VM requested the safepoint is late: all others wait for it. A thread outside of Java
need not stop at all. After its last note nothing is known of a thread, so nothing is drawn.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from safepointlab.plot import _lanes, style
from safepointlab.plot._picture import picture
from safepointlab.plot.safepoints import PARTS

Span = tuple[str, float, float]  # a key of LOOKS, or a phase; from and to in ms since the begin
Stop = Any  # a Series or a mapping: both have get() and []
LOOKS = {
    "running": style.Look("running", "#CDE7D8"),
    "late": style.Look("late", "#D55E00", "///"),
    "stopped": style.Look("stopped", "#76838F"),
    "outside": style.Look("not in Java", "#7CC4EC", "..."),
    "idle": style.Look("no progress", "#F2F2F2"),
}
OPERATION_MS = 40.0  # of the drawn stop
NARROW = 0.2  # of the stop: its word is beside the operation that takes less
AWAY = {"leaves": "returns", "asks": "answered", "answered": "asks"}
SLACK = 0.03  # of the stop: the log line is written a moment after the event
SILENT_NS = 500_000  # no note for half a millisecond, from a thread that notes many in that time: it did not run
MARGIN = 0.5  # of the stop's length: what is drawn before it and after it


@picture("output.notes", "thread", "nanos|from_ns", "mark|to_ns")
def threads(
    notes: pd.DataFrame, stop: Stop, ax: Axes | None = None, title: str | None = None, bottom: str = "the JVM’s log"
) -> Axes:
    """Draw one safepoint; the request is 0 on the axis. `bottom` names the row of `stop` itself."""
    pauses = notes if "from_ns" in notes else pauses_of(notes)
    names = list(pauses["thread"].astype(str).unique())
    ax = style.canvas(ax, height=2.0 + 0.5 * (len(names) + 1))
    if not names:
        return style.empty(ax, title or "No thread left a note")
    phases: list[Span] = []
    for part in PARTS:
        length, start = stop.get(part), phases[-1][2] if phases else 0.0
        if length is not None and pd.notna(length):
            phases.append((part, start, start + float(length)))
    begin, end = _begin_ns(notes, stop), phases[-1][2] if phases else 1.0
    window, late, kinds = (-MARGIN * end, end * (1 + MARGIN)), {}, set()
    for row, name in enumerate(names):
        own = pauses[pauses["thread"].astype(str) == name]
        times = {"start": (own["from_ns"] - begin) / 1e6, "end": (own["to_ns"] - begin) / 1e6}
        until = window[1]
        if "nanos" in notes:
            last_note = notes.loc[notes["thread"].astype(str) == name, "nanos"].max()
            until = min(until, (max(last_note, own["to_ns"].max()) - begin) / 1e6)
        spans = spans_of(pd.DataFrame({**times, "state": own.get("state", pd.NA)}), (window[0], until), phases)
        spans = [span for span in spans if span[2] - span[1] > (window[1] - window[0]) / 400]
        for kind, first, last in spans:
            _lanes.bar(ax, row, first, last, LOOKS[kind])
        kinds |= {kind for kind, _, _ in spans}
        late[name] = sum(last - first for kind, first, last in spans if kind == "late")
    for phase, first, last in phases:
        _lanes.bar(ax, len(names), first, last, style.PHASES[phase])
    _lanes.frame(ax, [*names, bottom], window, {0.0, *(last for _, _, last in phases)})
    style.key(ax, [look for kind, look in LOOKS.items() if kind in kinds])
    reached, latest = phases[0][2] if phases else 0.0, max(late, key=lambda name: late[name])
    finding = f"The safepoint waits for {latest}, which runs on for {late[latest]:.1f} of the {reached:.1f} ms"
    if late[latest] <= reached / 10:
        finding = f"No thread ran on for long: the safepoint was reached in {style.ms(reached)}"
    style.finding(ax, title or finding)
    return ax


@picture("the ms until each thread gets to its next poll, by the threads' names")
def one_safepoint(next_poll_ms: Mapping[str, float | None], returns_ms: Mapping[str, float] | None = None) -> Axes:
    """Draw one safepoint by the rules, without a run; its operation takes OPERATION_MS.

    Args:
        next_poll_ms: a thread -> when it gets to its next poll, in ms after the request; None for one outside of Java.
        returns_ms: a thread that's outside of Java -> when it comes back, in ms after the request.
    """
    reached = max((polls for polls in next_poll_ms.values() if polls is not None), default=0.0)
    end = reached + OPERATION_MS
    rows: list[tuple[str, float, float, object]] = []
    for thread, polls in next_poll_ms.items():
        rows.append((thread, -10 * end, 10 * end, "outside") if polls is None else (thread, polls, end, pd.NA))
    for thread, back in (returns_ms or {}).items():
        rows += [(thread, -10 * end, back, "outside"), (thread, back, max(back, end), "stopped")]
    pauses = pd.DataFrame(rows, columns=["thread", "from_ns", "to_ns", "state"])
    pauses[["from_ns", "to_ns"]] *= 1e6
    stop = {"ttsp_ms": reached, "operation_ms": OPERATION_MS, "total_ms": end, "nanotime_ns": 1e6 * end}
    title = "The safepoint is reached when the last thread\nin Java code gets to a poll"
    ax = threads(pauses, stop, title=title, bottom="the VM thread")
    font: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": style.SMALL_PT}
    lane = len(pauses["thread"].unique())
    box = {"facecolor": style.PAPER, "edgecolor": "none", "pad": 1.5}
    ax.text(reached / 2, lane, "time to safepoint", bbox=box, **font)
    if end * NARROW > OPERATION_MS:
        ax.text(end, lane, " operation", **font | {"ha": "left"})
    else:
        ax.text(reached + OPERATION_MS / 2, lane, "operation", color=style.PAPER, **font)
    return ax


def pauses_of(notes: pd.DataFrame) -> pd.DataFrame:
    """One row per span without progress of a thread: thread, from_ns, to_ns, state ("outside" of Java, or NA).

    The threads come in the order in which the notes name them, which is the program's own.
    """
    own = notes.loc[notes["thread"] != "jvm", ["thread", "nanos", "mark"]]
    asking = own.loc[own["mark"] == "asks", "thread"].unique()
    ends = {"answered": own["nanos"].min(), "asks": own["nanos"].max()}  # it sleeps before its first request, and after
    more = [(thread, nanos, mark) for thread in asking for mark, nanos in ends.items()]
    own = pd.concat([own, pd.DataFrame(more, columns=own.columns).astype(own.dtypes)]) if more else own
    ordered = own.sort_values(["thread", "nanos"], kind="stable")
    after = ordered.groupby("thread", sort=False)[["nanos", "mark"]].shift(-1)
    away = ordered["mark"].map(AWAY).eq(after["mark"]).fillna(False).astype(bool)
    silent = (after["nanos"] - ordered["nanos"] > SILENT_NS).fillna(False).astype(bool)
    times = {"thread": ordered["thread"], "from_ns": ordered["nanos"], "to_ns": after["nanos"]}
    pauses = pd.DataFrame({**times, "state": pd.Series("outside", index=ordered.index).where(away)})[away | silent]
    first_seen = {name: place for place, name in enumerate(notes["thread"].unique())}
    return pauses.sort_values("thread", key=lambda names: names.map(first_seen), kind="stable")


def _begin_ns(notes: pd.DataFrame, stop: Stop) -> float:
    """The System.nanoTime() at which the VM began to stop the threads."""
    end = stop.get("nanotime_ns")
    if end is not None and pd.notna(end):
        return float(end) - 1e6 * float(stop["total_ms"])
    start = notes.loc[notes["thread"] == "jvm", "nanos"]
    return float(start.iloc[0]) + 1e9 * float(stop["begin_s"])


def spans_of(pauses: pd.DataFrame, window: tuple[float, float], phases: list[Span]) -> list[Span]:
    """What a thread did, as (kind, from, to), each drawn over those before it."""
    reached, over = (phases[0][2], phases[-1][2]) if phases else (0.0, 0.0)
    # the safepoint's own pauses; in others the thread had no CPU
    held = (pauses["start"] <= reached) & (pauses["end"] >= reached - SLACK * over)
    halt = float(np.clip(pauses["start"][held].min(), 0, reached)) if held.any() else reached
    spans: list[Span] = [("running", *window), ("late", 0.0, min(halt, window[1]))]
    for start, end, state, stops in zip(pauses["start"], pauses["end"], pauses["state"], held, strict=True):
        first, last = max(start, window[0]), min(end, window[1])
        if stops and pd.isna(state):  # what of the pause lies before the stop and after it: then it had no CPU
            stopped = max(start, 0.0), min(end, over)
            parts = [("idle", first, stopped[0]), ("stopped", *stopped), ("idle", stopped[1], last)]
            spans += [part for part in parts if part[2] > part[1]]
        else:
            spans.append((str(state) if pd.notna(state) else "idle", first, last))
    return spans
