"""The picture of page 16: which call stops which threads, by JDK."""

from collections.abc import Iterable

from matplotlib.axes import Axes

from safepointlab.course.nb16_calls import call_tiles, experiments
from safepointlab.run.run import Run


def operations(runs: Iterable[Run]) -> Axes:
    """Draw what each call of a program made the VM do, one column for each run's JDK."""
    several = list(runs)
    made = experiments.calls_by_jdk(several)
    return call_tiles.operations(made.assign(gc=made["jdk"].map({run.major: run.request.gc for run in several})))
