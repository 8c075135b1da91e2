"""The pictures of page 01: threads around one stop, who has a poll, and which call stops whom."""

from collections.abc import Iterable, Mapping

from matplotlib.axes import Axes

from safepointlab.course.nb01_safepoint import call_tiles, experiments, polls, rules, thread_lanes
from safepointlab.errors import BadInput
from safepointlab.phrases import listed
from safepointlab.run.run import Run


def threads(run: Run, ax: Axes | None = None) -> Axes:
    """Draw the stop with the median time to safepoint of a run of RunningStoppedRunning, thread by thread.

    Raises:
        BadInput: the run has logged no collection, or it is no run.
    """
    if not isinstance(run, Run) or experiments.collections(run).empty:
        raise BadInput("pictures.threads draws a run of safepoint/RunningStoppedRunning with a collection in its log.")
    return thread_lanes.threads(experiments.notes(run), experiments.median_stop(run), ax)


def by_the_rules(ax: Axes | None = None) -> Axes:
    """Draw one stop as the rules have it, without noise: no run, a drawing."""
    return thread_lanes.threads(*rules.stop(), ax, title=rules.TITLE)


def loops_with_polls(runs: Mapping[str, Run], ax: Axes | None = None) -> Axes:
    """Draw which loops of safepoint/Polls have a poll, by compiler and collector; `runs` by their collectors' names."""
    frame = polls.by_code(runs)
    bare = frame[~frame["polled"].astype(bool)]
    named = [f"{row['method']}, compiled by {row['code'].replace(', ', ' with ')}," for row in bare.to_dict("records")]
    title = f"Only {listed(named)}\n{'has' if len(named) == 1 else 'have'} a loop without any poll" if named else None
    return call_tiles.polls(frame, "method", "code", title or "Every loop has a poll", ax)


def operations(runs: Iterable[Run], ax: Axes | None = None) -> Axes:
    """Draw what each call of WhoCallsWhichOperation made the VM do, a column for each run's JDK."""
    return call_tiles.operations(experiments.calls_by_jdk(runs), ax)
