"""A function that makes a run, and a budget -> the quietest of a few runs: one that others disturbed is made again."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from safepointlab.process import recording
from safepointlab.run import launch, profile
from safepointlab.run.run import Run

MOST = 2  # how often one run is made again at most
RECENT: deque[bool] = deque(maxlen=8)  # were the latest runs disturbed? If all were, one more would be disturbed, too
AnyRun = TypeVar("AnyRun", bound=Run)


@dataclass
class Budget:
    """How many runs of one sweep may still be made again: on a machine that is always busy a sweep must end, too."""

    left: int

    @classmethod
    def of(cls, runs: int, jobs: int = 1) -> "Budget":
        """For a sweep of so many runs: half as many again; none in the quick profile, or for runs side by side."""
        return cls(profile.by_effort(quick=0, standard=max(MOST, runs // 2)) if jobs == 1 else 0)


def quietest(make: Callable[[bool], AnyRun], budget: Budget) -> tuple[AnyRun, int]:
    """The quietest run, which `reuse` and a replay answer with from now on, and how many were made.

    On a machine that is disturbed all the time a series takes its normal time, and each run says so.

    Args:
        make: makes the run; it is told whether this is one more, which no earlier run may stand for.
    """
    runs: list[AnyRun] = []
    for number in range(MOST + 1):
        run = make(number > 0)
        runs.append(run)
        disturbed = bool(run.quiet and run.quiet.disturbed_by_others and not run.finished.replayed)
        RECENT.append(disturbed)
        always = len(RECENT) == RECENT.maxlen and all(RECENT)
        if number == MOST or not disturbed or always or budget.left < 1:
            break
        budget.left -= 1
    best = min(runs, key=lambda run: run.quiet.lost_percent if run.quiet else 0.0)
    launch.remember(best)
    for other in (run for run in runs if run is not best):
        recording.set_aside(other.folder)
    return best, len(runs)
