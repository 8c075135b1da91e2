"""The pictures of page 24: who was silent and what the log says of that, and how long stops wait for a cold file."""

from collections.abc import Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from safepointlab.course.nb24_outside import experiments
from safepointlab.phrases import listed
from safepointlab.plot import _alternative, _lanes, style
from safepointlab.plot._picture import picture
from safepointlab.plot.amounts import amounts
from safepointlab.run.run import Run

SHORTEST_MS = 100.0  # of what is drawn as a bar
BEFORE_S = 0.4  # what is drawn of the time before it happened
LOOKS = {
    "reaching": style.PHASES["ttsp_ms"],
    "at": style.PHASES["operation_ms"],
    "silent": style.Look("silent", style.MUTED, "xx"),
    "writing": style.Look("in a write", style.COLORS[3], ".."),
}
LANES = {
    "log": "stops in the log",
    "inside": "clock inside",
    "virtual": "virtual clock",
    "outside": "clock outside",
    "writing": "VM thread",
}


def silences(runs: Sequence[Run], names: Sequence[str], clocks: Sequence[str] = ("inside",), it: str = "it") -> Axes:
    """Draw what the log and these clocks say of each run: each stop as a tick, its phases and the silences as bars.

    Phases and silences of a tenth of a second or more are bars; a clock that isn't silent is a line.

    Args:
        names: what the runs are called.
        clocks: "inside", "virtual" (JDK 21 and later) or "outside"; "writing" is when the VM thread waits for a pipe.
        it: what happens at 0.
    """
    lanes = ("log", *clocks)
    blamed, rows = dict[str, list[str]](), list[tuple[Any, ...]]()
    for run, name in zip(runs, names, strict=True):
        rows += [((name, LANES[lane]), *mark) for lane in lanes for mark in _marks(run, lane)]
        phase = experiments.blamed(run)
        blamed.setdefault("nothing" if phase == "none" else experiments.WORDS[phase], []).append(name)
    told = [f"{phase}{style.MS[0]}({listed(which)})" for phase, which in blamed.items()]
    conditions = {f"JDK {run.major}, {run.request.gc}" for run in runs}
    title = f"{f'{conditions.pop()}: the' if len(conditions) == 1 else 'The'} log blames {listed(told)}"
    frame = pd.DataFrame(rows, columns=["lane", "kind", "begin_s", "end_s"])
    return _drawn(frame, [(name, LANES[lane]) for name in names for lane in lanes], title, it)


def _marks(run: Run, lane: str) -> list[tuple[str, float, float]]:
    """What there is to draw in a lane: kind, begin_s, end_s."""
    stops = experiments.stops(run, BEFORE_S)
    if lane == "log":
        marks = [("stop", begin, begin) for begin in stops["begin_s"]]
        for stop in stops.to_dict("records"):
            begin = stop["begin_s"]
            for phase, column in experiments.LOG.items():
                if stop[column] >= SHORTEST_MS:
                    marks.append((phase, begin, begin + stop[column] / 1000))
                begin += stop[column] / 1000
        return marks
    found = run.csv("silences.csv").query("clock == @lane and ms >= @SHORTEST_MS")
    kind = "writing" if lane == "writing" else "silent"
    bars = [(kind, begin, begin + ms / 1000) for begin, ms in zip(found["begin_s"], found["ms"], strict=True)]
    if lane == "writing":
        return bars
    ends = [-BEFORE_S, *(end for _, _, end in bars)]
    begins = [*(begin for _, begin, _ in bars), float((stops["begin_s"] + stops["total_ms"] / 1000).max())]
    return bars + [("ticks", begin, end) for begin, end in zip(ends, begins, strict=True) if begin < end]


@picture("runs of outside/Silence", "lane", "kind", "begin_s", "end_s")
def _drawn(frame: pd.DataFrame, lanes: Sequence[tuple[str, str]], title: str, it: str) -> Axes:
    ax = style.canvas(None, width=10.5, height=1.9 + 0.42 * len(lanes))
    for lane, kind, begin_s, end_s in frame.to_numpy().tolist():
        y = lanes.index(lane)
        if kind == "stop":
            ax.plot(begin_s, y, "|", color=style.INK, ms=9, mew=1)
        elif kind == "ticks":
            ax.plot([begin_s, end_s], [y, y], color=style.INK, lw=1.5)
        else:
            _lanes.bar(ax, y, begin_s, end_s, LOOKS[kind])
    first = next(name for name, _ in lanes)
    own = sum(name == first for name, _ in lanes)
    for y in range(own, len(lanes), own):
        ax.axhline(y - 0.5, color=style.LINE, lw=1)
    ax.axvline(0, color=style.INK, ls=":", lw=1.5)
    ax.set(ylim=(len(lanes) - 0.4, -0.6), xlim=(-BEFORE_S - 0.1, max(3.0, *frame["end_s"])))
    ax.set_yticks(range(len(lanes)), [f"{name}: {lane}" for name, lane in lanes])
    ax.tick_params(axis="y", length=0)
    style.axis_names(ax, f"time since {it}, s (one JVM each)")
    style.key(ax, [look for kind, look in LOOKS.items() if (frame["kind"] == kind).any()])
    style.finding(ax, title)
    said = [
        f"{': '.join(lane)}: {LOOKS[kind].label} for {end_s - begin_s:.1f} s."
        for lane, kind, begin_s, end_s in frame.to_numpy().tolist()
        if kind in LOOKS
    ]
    _alternative.own(ax, " ".join(said))
    return ax


@picture("a sweep over outside/Silence that reads a file", "args", "flags", "warm_ms", "cold_ms")
def waits(runs: pd.DataFrame, limit_ms: float = 60) -> Axes:
    """Draw how long stops waited at most for a thread that reads a file; a wait above the limit is loud."""
    args, flags = (runs[name].astype("string") for name in ("args", "flags"))
    has_polls = (args != "file copy") & flags.str.contains("G1|CountedLoop")
    title = None
    if runs["warm_ms"].max() <= limit_ms and ((runs["cold_ms"] > limit_ms) != has_polls).all():
        title = f"A cold file makes stops wait more than {limit_ms:g} ms,\nunless it's read by a loop with polls"
    setting = flags.str.replace(r"-XX:\+Use(\w+)GC", r"\1", regex=True)
    both = [
        runs.assign(how=args.str.removeprefix("file ") + f", {name}", setting=setting, wait_ms=runs[column])
        for name, column in {"file in memory": "warm_ms", "cold file": "cold_ms"}.items()
    ]
    look: dict[str, Any] = {"limit": limit_ms, "what": "longest wait for worker", "title": title}
    return amounts(pd.concat(both, ignore_index=True), "wait_ms", rows="how", columns="setting", **look)
