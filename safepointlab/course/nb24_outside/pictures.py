"""The picture of page 24: who was silent, and what the log says of that time."""

from collections.abc import Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from safepointlab.course.nb24_outside import experiments
from safepointlab.plot import style
from safepointlab.plot._picture import picture
from safepointlab.run.run import Run

SHORTEST_MS = 100.0  # of what is drawn
SILENT = style.Look("a clock is silent", style.MUTED, "xx")
LOOKS = {"reaching": style.PHASES["ttsp_ms"], "at": style.PHASES["operation_ms"], "silent": SILENT}
WORDS = {"reaching": "reaching", "at": "at a safepoint", "none": "in no phase"}
LANES = {"log": "the log", "inside": "inside", "virtual": "virtual", "beside": "outside"}


def silences(runs: Sequence[Run], names: Sequence[str], clocks: Sequence[str] = ("inside",)) -> Axes:
    """Draw what the log and these clocks say of each run, from the moment when something happened to it.

    Phases of a stop and silences of a tenth of a second or more are drawn.

    Args:
        names: what the runs are called.
        clocks: "inside", "virtual" (JDK 21 and later) or "beside" (outside the JVM).
    """
    rows = [
        {"lane": f"{name}: {LANES[lane]}", **bar}
        for run, name in zip(runs, names, strict=True)
        for lane in ("log", *clocks)
        for bar in _bars(run, lane)
    ]
    lanes = [f"{name}: {LANES[lane]}" for name in names for lane in ("log", *clocks)]
    told = "; ".join(f"{name}: {WORDS[experiments.blamed(run)]}" for run, name in zip(runs, names, strict=True))
    columns = ["lane", "kind", "begin_s", "end_s"]
    return _lanes(pd.DataFrame(rows, columns=columns), lanes, f"Where the log puts the wait: {told}")


def _bars(run: Run, lane: str) -> list[dict[str, Any]]:
    """What there is to draw in a lane: kind, begin_s, end_s."""
    if lane != "log":
        found = run.csv("silences.csv").query("clock == @lane and ms >= @SHORTEST_MS")
        return [
            {"kind": "silent", "begin_s": begin, "end_s": begin + ms / 1000}
            for begin, ms in zip(found["begin_s"], found["ms"], strict=True)
        ]
    bars: list[dict[str, Any]] = []
    for stop in experiments.stops(run).to_dict("records"):
        begin = stop["begin_s"]
        for phase, column in experiments.LOG.items():
            if stop[column] >= SHORTEST_MS:
                bars.append({"kind": phase, "begin_s": begin, "end_s": begin + stop[column] / 1000})
            begin += stop[column] / 1000
    return bars


@picture("runs of outside/Silence", "lane", "kind", "begin_s", "end_s")
def _lanes(frame: pd.DataFrame, lanes: Sequence[str], title: str) -> Axes:
    ax = style.canvas(None, width=9.0, height=1.6 + 0.42 * len(lanes))
    for kind, look in LOOKS.items():
        bars = frame[frame["kind"] == kind]
        if bars.empty:
            continue
        ends = bars["end_s"] - bars["begin_s"]
        edge = style.ink_on(look.color)
        places = [lanes.index(lane) for lane in bars["lane"]]
        looks: dict[str, Any] = {"color": look.color, "hatch": look.hatch, "edgecolor": edge, "linewidth": 0}
        ax.barh(places, ends, 0.62, bars["begin_s"], label=look.label, **looks)
    ax.set(ylim=(len(lanes) - 0.4, -0.6), xlim=(-0.1, max(3.0, *frame["end_s"], 0.0)))
    ax.set_yticks(range(len(lanes)), lanes)
    ax.tick_params(axis="y", length=0)
    style.axis_names(ax, "time since it happened, s")
    style.key(ax, [look for kind, look in LOOKS.items() if (frame["kind"] == kind).any()])
    style.finding(ax, title)
    return ax
