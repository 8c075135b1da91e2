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

    def spend(self) -> bool:
        """Take one; false if there is none left."""
        self.left -= 1
        return self.left >= 0


def quietest(make: Callable[[bool], AnyRun], budget: Budget) -> tuple[AnyRun, int]:
    """The quietest run, which `reuse` and a replay answer with from now on, and how many were made.

    Args:
        make: makes the run; it is told whether this is one more, which no earlier run may stand for.
    """
    runs = [_noted(make(False))]
    while len(runs) <= MOST and _disturbed(runs[-1]) and not _always() and budget.spend():
        runs.append(_noted(make(True)))
    best = min(runs, key=_lost_percent)
    launch.remember(best)
    for other in (run for run in runs if run is not best):
        recording.set_aside(other.folder)
    return best, len(runs)


def _noted(run: AnyRun) -> AnyRun:
    RECENT.append(_disturbed(run))
    return run


def _always() -> bool:
    """Whether the machine is disturbed all the time: then a series takes its normal time, and each run says so."""
    return len(RECENT) == RECENT.maxlen and all(RECENT)


def _disturbed(run: Run) -> bool:
    return not run.finished.replayed and run.quiet is not None and run.quiet.disturbed and not run.quiet.beside


def _lost_percent(run: Run) -> float:
    return run.quiet.lost_percent if run.quiet else 0.0
