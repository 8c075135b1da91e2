"""The pictures of page 01: threads around one stop, who has a poll, and which call stops whom."""

from collections.abc import Iterable, Mapping

from matplotlib.axes import Axes

from safepointlab import plot
from safepointlab.course.nb01_safepoint import experiments, polls, rules
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
    axes: Axes = plot.threads(experiments.notes(run), experiments.median_stop(run), ax)
    return axes


def by_the_rules(ax: Axes | None = None) -> Axes:
    """Draw one stop as the rules have it, without noise: no run, a drawing."""
    axes: Axes = plot.threads(*rules.stop(), ax, title=rules.TITLE)
    return axes


def loops_with_polls(runs: Mapping[str, Run], ax: Axes | None = None) -> Axes:
    """Draw which loops of safepoint/Polls have a poll, by compiler and collector; `runs` by their collectors' names."""
    frame = polls.by_code(runs)
    bare = frame[~frame["polled"].astype(bool)]
    named = [f"{row['method']}, compiled by {row['code'].replace(', ', ' with ')}," for row in bare.to_dict("records")]
    title = f"Only {listed(named)}\n{'has' if len(named) == 1 else 'have'} a loop without any poll" if named else None
    axes: Axes = plot.polls(frame, rows="method", columns="code", ax=ax, title=title or "Every loop has a poll")
    return axes


def operations(runs: Iterable[Run], ax: Axes | None = None) -> Axes:
    """Draw what each call of WhoCallsWhichOperation made the VM do, a column for each run's JDK."""
    axes: Axes = plot.operations(experiments.calls_by_jdk(runs), ax)
    return axes
