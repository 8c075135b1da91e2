"""The pictures of page 01: threads around one stop, who has a poll, and which call stops whom."""

from collections.abc import Iterable, Mapping

import pandas as pd
from matplotlib.axes import Axes

from safepointlab.course.nb01_safepoint import call_tiles, experiments, polls, thread_lanes
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
    """Draw one stop as the rules have it: no run, a drawing, beside which the measured one can be laid.

    A thread that polls stops at the request. One in a loop without a poll stops at the loop's end, and that is when the
    safepoint is reached. One outside of Java does not stop; if it comes back meanwhile it is held until the end.
    """
    end = TTSP_MS + OPERATION_MS
    back, far = TTSP_MS + OPERATION_MS / 2, 10 * end
    rows = [
        ("main", -far, far, "outside"),
        ("polling", 0.0, end, pd.NA),
        ("counted", TTSP_MS, end, pd.NA),
        ("asleep", -far, far, "outside"),
        ("inNative", -far, back, "outside"),
        ("inNative", back, end, "stopped"),
    ]
    notes = pd.DataFrame(rows, columns=["thread", "from_ns", "to_ns", "state"])
    notes[["from_ns", "to_ns"]] *= 1e6
    stop = {"ttsp_ms": TTSP_MS, "operation_ms": OPERATION_MS, "total_ms": end, "nanotime_ns": 1e6 * end}
    title = "By the rules: all wait for counted, nobody\nwaits for asleep and inNative"
    return thread_lanes.threads(notes, stop, ax, title=title)


def loops_with_polls(runs: Mapping[str, Run], ax: Axes | None = None) -> Axes:
    """Draw which loops of safepoint/Polls have a poll, by compiler and collector; `runs` by their collectors' names."""
    frame = polls.by_code(runs)
    bare = frame[~frame["polled"].astype(bool)]
    names = [f"{row['method']}, compiled by {row['code'].replace(', ', ' with ')}," for row in bare.to_dict("records")]
    title = f"Only {listed(names)}\n{'has' if len(names) == 1 else 'have'} a loop without any poll" if names else None
    return call_tiles.polls(frame, "method", "code", title or "Every loop has a poll", ax)


def operations(runs: Iterable[Run], ax: Axes | None = None) -> Axes:
    """Draw what each call of WhoCallsWhichOperation made the VM do, one column for each run's JDK."""
    return call_tiles.operations(experiments.calls_by_jdk(runs), ax)
