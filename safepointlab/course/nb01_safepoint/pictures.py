"""The pictures of page 01: threads around one safepoint, and which loops have a poll."""

from collections.abc import Mapping

import pandas as pd
from matplotlib.axes import Axes

from safepointlab.course.nb01_safepoint import experiments, poll_tiles, polls, thread_lanes
from safepointlab.errors import BadInput
from safepointlab.phrases import listed
from safepointlab.run.run import Run

TTSP_MS, OPERATION_MS = 60.0, 40.0  # of the made stop


def threads(run: Run, ax: Axes | None = None) -> Axes:
    """Draw the stop with the median time to safepoint of a run of RunningStoppedRunning, thread by thread.

    Raises:
        BadInput: the run has logged no collection, or it is no run.
    """
    if not isinstance(run, Run) or (stops := experiments.collections(run)).empty:
        raise BadInput("pictures.threads draws a run of safepoint/RunningStoppedRunning with a collection in its log.")
    return thread_lanes.threads(experiments.notes(run), stops.sort_values("ttsp_ms").iloc[len(stops) // 2], ax)


def by_the_rules(ax: Axes | None = None) -> Axes:
    """Draw one safepoint as the rules have it: a drawing to compare a measured one with, no run.

    A thread that polls often stops at the request. One that polls rarely stops at its next poll, and that is when the
    safepoint is reached. A thread outside of Java doesn't stop; if it comes back too early, it's held until the end.
    """
    end = TTSP_MS + OPERATION_MS
    back, far = TTSP_MS + OPERATION_MS / 2, 10 * end
    rows = [
        ("main", -far, far, "outside"),
        ("polls often", 0.0, end, pd.NA),
        ("polls rarely", TTSP_MS, end, pd.NA),
        ("asleep", -far, far, "outside"),
        ("in native code", -far, back, "outside"),
        ("in native code", back, end, "stopped"),
    ]
    notes = pd.DataFrame(rows, columns=["thread", "from_ns", "to_ns", "state"])
    notes[["from_ns", "to_ns"]] *= 1e6
    stop = {"ttsp_ms": TTSP_MS, "operation_ms": OPERATION_MS, "total_ms": end, "nanotime_ns": 1e6 * end}
    title = "The safepoint is reached when the last thread\nin Java code gets to a poll"
    return thread_lanes.threads(notes, stop, ax, title=title)


def loops_with_polls(runs: Mapping[str, Run], ax: Axes | None = None) -> Axes:
    """Draw which loops of safepoint/Polls have a poll, by compiler and collector; `runs` by their collectors' names."""
    frame = polls.by_code(runs)
    bare = frame[~frame["polled"].astype(bool)]
    names = [f"{row['method']}, compiled by {row['code'].replace(', ', ' with ')}," for row in bare.to_dict("records")]
    title = f"Only {listed(names)}\n{'polls' if len(names) == 1 else 'poll'} in none of its loops" if names else None
    return poll_tiles.draw(frame, "method", "code", title or "Each of these methods polls in a loop", ax)
