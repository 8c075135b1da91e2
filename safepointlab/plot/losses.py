"""What a stop costs each kind of thread (nb10_threads.losses.losses) -> a dot a pair of forks, beside the stop.

    plot.losses(threads_losses.losses(scores))

Columns used: jdk, thread, lost_ms, and stopped_ms, the stop by the log. A dot below 0 is a pair in which the fork with
stops was the faster one: forks differ by other things, too. The short line is the median of a kind's dots; the
key names it once.
"""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from safepointlab.plot import style
from safepointlab.plot._picture import picture
from safepointlab.plot.style import COLORS, MARKERS

ASIDE, WIDTH = 0.22, 0.16  # of the distance between two JDKs: from kind to kind, and half of a median's line


@picture("nb10_threads.losses.losses", "jdk", "thread", "lost_ms", "stopped_ms")
def losses(frame: pd.DataFrame, ax: Axes | None = None, title: str | None = None) -> Axes:
    """Draw the dots by JDK and kind of thread; a dotted line is the median stop of the JDK's log."""
    ax = style.canvas(ax, height=4.6)
    if frame.empty:
        return style.empty(ax, title or "Nothing was measured")
    jdks, kinds = sorted(frame["jdk"].unique()), list(dict.fromkeys(frame["thread"]))
    for number, kind in enumerate(kinds):
        shift = ASIDE * (number - (len(kinds) - 1) / 2)
        _dots(ax, str(kind), frame[frame["thread"] == kind], {jdk: n + shift for n, jdk in enumerate(jdks)}, number)
    for place, jdk in enumerate(jdks):
        _stop(ax, place, float(frame.loc[frame["jdk"] == jdk, "stopped_ms"].median()))
    ax.axhline(0, color=style.MUTED, lw=1)
    ax.set_xticks(range(len(jdks)), [f"JDK {jdk}" for jdk in jdks])
    ax.set_xlim(-0.6, len(jdks) - 0.4)
    style.axis_names(ax, "", "time lost to a collection, ms")
    style.line_key(ax)
    style.finding(ax, title or _finding(frame, kinds))
    return ax


def _dots(ax: Axes, name: str, rows: pd.DataFrame, places: dict[Any, float], number: int) -> None:
    color = COLORS[number % len(COLORS)]
    at = [places[jdk] for jdk in rows["jdk"]]
    ax.plot(at, rows["lost_ms"], MARKERS[number % len(MARKERS)], ls="", ms=10, color=color, alpha=0.8, label=name)
    for place, (jdk, median) in enumerate(rows.groupby("jdk")["lost_ms"].median().items()):
        said = "a median" if number == place == 0 else None
        ax.plot([places[jdk] - WIDTH / 2, places[jdk] + WIDTH / 2], [median, median], color=color, lw=2.5, label=said)


def _stop(ax: Axes, place: int, ms: float) -> None:
    """A dotted line; the key names it, as a word beside it would hide dots."""
    name = "the stop, by the log" if place == 0 else None
    ax.plot([place - 0.42, place + 0.42], [ms, ms], color=style.INK, lw=1.8, ls=":", label=name)


def _finding(frame: pd.DataFrame, kinds: list[Any]) -> str:
    """On the newest JDK: the stop, and what it costs each kind."""
    newest = frame[frame["jdk"] == frame["jdk"].max()]
    lost = newest.groupby("thread")["lost_ms"].median()
    costs = ", ".join(f"{kind} {style.ms(float(lost[kind]))}" for kind in kinds if kind in lost)
    stop = style.ms(float(newest["stopped_ms"].median()))
    return f"On JDK {newest['jdk'].iloc[0]} a stop of {stop} costs the thread that\n{costs}"
