"""A JDK -> runs that show a safepoint from inside: which threads ran on, and which one the others waited for.

In RunningStoppedRunning four threads in four states note the time, and in NativeAndBlocked a crowd does one thing. Both
run with Serial, whose counted loops have no poll. Equal runs are shared. Where compiled code polls is in polls.py.
"""

import pandas as pd

from safepointlab.course.nb16_calls.experiments import API, CALLS, calls, operations
from safepointlab.logs import marks
from safepointlab.run import launch
from safepointlab.run.request import Words
from safepointlab.run.run import Run

__all__ = ["API", "CALLS", "calls", "operations"]  # of notebook 16: the claims of this lesson use them too
NO_POLLS = "Serial"  # the collector that never asks for polls in counted loops
NOTES = "marks.csv"  # where RunningStoppedRunning leaves its notes, in the run's folder
STOPS = 5
COLLECTION = "CollectFull|GCCollect"  # the names of a requested collection's operation


def stopping(jdk: int, flags: Words = "", stops: int = STOPS, millions: int = 100) -> Run:
    """Four threads in four states, and some collections.

    Args:
        millions: iterations of the counted loop, in millions.
    """
    args = [NOTES, stops, millions]
    return launch.java(
        "safepoint/RunningStoppedRunning", jdk, flags, gc=NO_POLLS, args=args, log="safepoint", reuse=True
    )


def notes(run: Run) -> pd.DataFrame:
    """What the threads of a `stopping` run noted, as logs.marks has it."""
    return marks.read(run.folder / NOTES)


def collections(run: Run) -> pd.DataFrame:
    """The stops for a collection that was requested: rows of the safepoint log."""
    return run.safepoints[run.safepoints["operation"].str.contains(COLLECTION).fillna(False).astype(bool)]


def ran_on(run: Run) -> pd.DataFrame:
    """One row per stop and thread: stop, thread, ran_on_ms after the request, ttsp_ms."""
    return marks.ran_on(notes(run), collections(run))


def pauses(run: Run) -> pd.DataFrame:
    """How long each busy thread stood still at each collection: rows of logs.marks.pauses."""
    return marks.pauses(notes(run), collections(run))


def crowd(jdk: int, doing: str, threads: int, *more: int, flags: Words = "") -> Run:
    """Many threads that all do the same, and some collections.

    Args:
        doing: "asleep", "native", "pinning", "reading" or "running".
        more: how many collections, and how many objects live in the heap meanwhile.
    """
    args = [doing, threads, *(more or [STOPS])]
    sample, log = "safepoint/NativeAndBlocked", "safepoint"
    return launch.java(sample, jdk, flags, gc=NO_POLLS, args=args, log=log, reuse=True)
