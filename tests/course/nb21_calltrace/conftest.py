"""Runs under a sampling profiler that no JVM made."""

from pathlib import Path

import pandas as pd
import pytest

from safepointlab.process.recording import Finished
from safepointlab.run.run import Run

AGCT = "async=ctimer,cstack=no,interval=1ms,threads"


class Sampled(Run):
    """A run with so many samples of each stack, by AsyncGetCallTrace; those in `lost` have none."""

    def __init__(self, counts, lost=(), thread="main", work="", jdk=17, log=AGCT, **values):
        request = {"sample": "calltrace/StubTime", "args": [work, "800"] if work else [], "log": [log] if log else []}
        about = {"request": request, "jdk": {"major": jdk, "version": str(jdk)}}
        super().__init__(Finished((), Path("run"), "exited", 0, "", 1.0, 1.0, 1.0, about=about))
        self.given, self.said = [(thread, counts, lost)], values

    @property
    def values(self):
        return self.said

    @property
    def stacks(self):
        rows = [
            (thread, frames, frames.rpartition(";")[2], count, frames.strip("[]") if frames in lost else None)
            for thread, counts, lost in self.given
            for frames, count in counts.items()
        ]
        stacks = pd.DataFrame(rows, columns=["thread", "frames", "leaf", "count", "lost"])
        return stacks.astype(dict.fromkeys(("thread", "frames", "leaf", "lost"), "string"))

    def jfr(self, event):
        rows = [(frames, 35) for _, counts, _ in self.given for frames, count in counts.items() for _ in range(count)]
        return pd.DataFrame(rows, columns=["method", "line"]).astype({"method": "string"})


@pytest.fixture
def sampled():
    """sampled(counts, lost, thread, work, jdk, log, **values): such a run."""
    return Sampled
