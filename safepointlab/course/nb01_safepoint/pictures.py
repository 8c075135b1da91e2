"""The pictures of page 01: threads around one safepoint, and which loops have a poll."""

from collections.abc import Mapping

import pandas as pd
from matplotlib.axes import Axes

from safepointlab.course.nb01_safepoint import experiments, polls
from safepointlab.errors import BadInput
from safepointlab.phrases import listed
from safepointlab.plot import _tiles, style, thread_lanes
from safepointlab.plot._picture import picture
from safepointlab.run.run import Run

POLLS = {"a poll": style.OUTCOMES["on time"], "NO POLL": style.OUTCOMES["hung"]}


def threads(run: Run) -> Axes:
    """Draw the stop with the median time to safepoint of a run of RunningStoppedRunning, thread by thread.

    Raises:
        BadInput: the run has logged no collection, or it is no run.
    """
    if not isinstance(run, Run) or (stops := experiments.collections(run)).empty:
        raise BadInput("pictures.threads draws a run of safepoint/RunningStoppedRunning with a collection in its log.")
    return thread_lanes.threads(experiments.notes(run), stops.sort_values("ttsp_ms").iloc[len(stops) // 2])


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
