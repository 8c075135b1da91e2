"""The pictures of page 01: threads around one safepoint, and which loops have a poll."""

from collections.abc import Mapping

import pandas as pd
from matplotlib.axes import Axes

from safepointlab.course.nb01_safepoint import experiments, polls, thread_lanes
from safepointlab.course.nb01_safepoint.thread_lanes import OPERATION_MS, TTSP_MS
from safepointlab.errors import BadInput
from safepointlab.phrases import listed
from safepointlab.plot import _tiles, style
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


def by_the_rules() -> Axes:
    """Draw one safepoint as the rules have it: a drawing to compare a measured one with, no run.

    A thread that polls often stops at the request. One that polls rarely stops at its next poll, and that is when the
    safepoint is reached. A thread outside of Java doesn't stop; if it comes back too early, it's held until the end.
    """
    end = TTSP_MS + OPERATION_MS
    back, far = TTSP_MS + OPERATION_MS / 2, 10 * end
    rows: list[tuple[str, float, float, object]] = [
        ("main", -far, far, "outside"),
        ("polls often", 0.0, end, pd.NA),
        ("polls rarely", TTSP_MS, end, pd.NA),
        ("asleep", -far, far, "outside"),
        ("in native code", -far, back, "outside"),
        ("in native code", back, end, "stopped"),
    ]
    return thread_lanes.by_the_rules(rows, "The safepoint is reached when the last thread\nin Java code gets to a poll")


def loops_with_polls(runs: Mapping[str, Run]) -> Axes:
    """Draw which loops of safepoint/Polls have a poll, by compiler and collector; `runs` by their collectors' names."""
    frame = polls.by_code(runs)
    bare = frame[~frame["polled"].astype(bool)]
    names = [f"{row['method']}, compiled by {row['code'].replace(', ', ' with ')}," for row in bare.to_dict("records")]
    title = f"Only {listed(names)}\n{'has' if len(names) == 1 else 'have'} no poll in any loop" if names else None
    return _draw_polls(frame, title or "Each of these methods has a poll in a loop")


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
