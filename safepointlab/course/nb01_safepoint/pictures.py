"""The pictures of page 01: threads around one safepoint, how long the wait for one is, and which loops have a poll."""

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from safepointlab.course.nb01_safepoint import experiments, polls
from safepointlab.errors import BadInput
from safepointlab.phrases import listed
from safepointlab.plot import _tiles, style, thread_lanes
from safepointlab.plot._picture import picture
from safepointlab.plot.by_jdk import by_jdk
from safepointlab.run.run import Run
from safepointlab.run.stops import stops as stops_of

COMPILERS = {"": "both compilers", "-XX:TieredStopAtLevel=1": "C1 alone", "-Xint": "interpreter alone"}
LONG_MS = 10.0  # a time to safepoint that the title of `waits` counts as long
WIDE = 0.2  # of the picture: room for the words in the log's bar
POLLS = {"a poll": style.OUTCOMES["on time"], "NO POLL": style.OUTCOMES["hung"]}


def threads(run: Run) -> Axes:
    """Draw the stop with the median time to safepoint of a run of RunningStoppedRunning, thread by thread.

    Raises:
        BadInput: the run has logged no collection, or it is no run.
    """
    if not isinstance(run, Run) or (stops := experiments.collections(run)).empty:
        raise BadInput("pictures.threads draws a run of safepoint/RunningStoppedRunning with a collection in its log.")
    stop = stops.sort_values("ttsp_ms").iloc[len(stops) // 2]
    ax = thread_lanes.threads(experiments.notes(run), stop)
    reached, lane = float(stop["ttsp_ms"]), len(ax.get_yticks()) - 1
    left, right = ax.get_xlim()
    if reached > WIDE * (right - left):  # as in the drawing
        box = {"facecolor": style.PAPER, "edgecolor": "none", "pad": 1.5}
        font: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": style.SMALL_PT}
        ax.text(reached / 2, lane, "time to safepoint", bbox=box, **font)
        style.label(ax, right / (1 + thread_lanes.MARGIN), lane, "operation", offset=(5, 0))
    style.axis_names(ax, f"ms since the request (the safepoint with the median wait of {len(stops)})")
    return ax


@picture("a sweep over safepoint/RunningStoppedRunning with the safepoint log", "run", "flags", "gc")
def waits(who: pd.DataFrame) -> Axes:
    """Draw the time to safepoint of each collection, and their median, by compiler and collector."""
    stops = stops_of(who, experiments.COLLECTION, labels=["flags", "gc"])
    if stops.empty:
        return style.empty(style.canvas(None), "No safepoint was logged")
    stops["code"] = stops["flags"].map(lambda flags: COMPILERS.get(flags, _tiles.short(flags)))
    medians = stops.groupby(["code", "gc"], sort=False)["ttsp_ms"].median()
    return by_jdk(stops, x="code", runs=True, each="safepoint", title=_long_waits(medians))


def _long_waits(medians: "pd.Series[float]") -> str:
    """ "The median time to safepoint is over 10 ms / only with Serial and both compilers"."""
    start, where = f"The median time to safepoint is over {style.ms(LONG_MS)}", list(medians.index[medians > LONG_MS])
    if len(where) == 1:
        [(code, gc)] = where
        return f"{start}\nonly with {gc} and {code}"
    return f"{start}\nin {len(where)} of {len(medians)} combinations"


def loops_with_polls(runs: Mapping[str, Run]) -> Axes:
    """Draw which loops of safepoint/Polls have a poll, by compiler and collector; `runs` by their collectors' names."""
    frame = polls.by_code(runs)
    bare = frame[~frame["polled"].astype(bool)]
    names = [f"{row['method']}, compiled by {row['code'].replace(', ', ' with ')}," for row in bare.to_dict("records")]
    finding = f"only {listed(names)}\n{'has' if len(names) == 1 else 'have'} no poll in any loop"
    if not names:
        finding = "each of these methods has a poll in a loop"
    jdks = {run.jdk.major for run in runs.values()}
    title = f"on JDK {jdks.pop()}, {finding}" if len(jdks) == 1 else finding
    return _draw_polls(frame, title[0].upper() + title[1:])


@picture("loops, with a column that says whether their code has a poll", "method", "code", "polled")
def _draw_polls(frame: pd.DataFrame, title: str) -> Axes:
    """Draw a tile per method and kind of code: a poll, NO POLL if one of its loops has none, or "–" if unknown."""
    words = frame["polled"].astype("boolean").map({True: "a poll", False: "NO POLL"}).astype("string")
    cells = _tiles.matrix(frame, "method", "code", words)
    ax = _tiles.canvas(None, cells)
    if cells.empty:
        return style.empty(ax, title)
    _tiles.draw(ax, cells, POLLS)
    style.finding(ax, title)
    return ax
