"""Runs of KnownAnswer that no JVM made."""

from pathlib import Path

import pandas as pd
import pytest

from safepointlab.process.recording import Finished
from safepointlab.run.run import Run


class Profiled(Run):
    """A run whose profiler saw these methods, 20 samples each: {"farAway": "level9"}, or {"farAway": {"sum": 12}}."""

    def __init__(self, methods, jdk=8, gc="Serial", flags=(), log=(), args=("250", "dumps")):
        request = {"sample": "blame/KnownAnswer", "gc": gc, "flags": list(flags), "log": list(log), "args": list(args)}
        about = {"request": request, "jdk": {"major": jdk, "version": str(jdk)}}
        super().__init__(Finished((), Path("run"), "exited", 0, "", 1.0, 1.0, 1.0, about=about))
        self.samples = [
            (case, method, count)
            for case, named in methods.items()
            for method, count in (named if isinstance(named, dict) else {named: 20}).items()
        ]

    @property
    def output(self):
        return "".join(f"blamed {case} {method} 42 {count}\n" for case, method, count in self.samples)

    @property
    def stacks(self):
        rows = [(case, f"KnownAnswer.{method}", count) for case, method, count in self.samples]
        return pd.DataFrame(rows, columns=["thread", "leaf", "count"])

    def jfr(self, event):
        rows = [(case, f"KnownAnswer::{method}", 42) for case, method, count in self.samples for _ in range(count)]
        return pd.DataFrame(rows, columns=["thread", "method", "line"])


@pytest.fixture
def profiled():
    """profiled(methods, jdk, gc, flags, log): such a run."""
    return Profiled
