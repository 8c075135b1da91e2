"""Sweeps whose runs are known to the lesson without a JVM."""

from types import SimpleNamespace

import pandas as pd
import pytest

from safepointlab.course.nb12_cost import experiments
from safepointlab.run import stops


def logged(operation, stopped_ms, ttsp_ms=0.1):
    """The safepoint log of a run: an odd stop first, then those for its operation, each so long."""
    rows = [("Cleanup", 0.0, 50.0), *((operation, ttsp_ms, ms) for ms in stopped_ms)]
    table = pd.DataFrame(rows, columns=["operation", "ttsp_ms", "stopped_ms"])
    return table.assign(total_ms=table["ttsp_ms"] + table["stopped_ms"]).drop(columns="stopped_ms")


@pytest.fixture
def sweep(monkeypatch):
    """sweep(sample, operation, {(jdk, args): stops in ms}): the table of lab.sweep, its runs ready to be loaded."""
    runs = {}
    monkeypatch.setattr(experiments, "load", runs.__getitem__)
    monkeypatch.setattr(stops, "load", runs.__getitem__)

    def make(sample, operation, times, ttsp_ms=0.1, **columns):
        rows = []
        for (jdk, args), stopped_ms in times.items():
            name = f"run-{len(runs)}"
            request = SimpleNamespace(sample=sample, args=tuple(str(args).split()))
            log = logged(operation, stopped_ms, ttsp_ms)
            runs[name] = SimpleNamespace(request=request, safepoints=log, name=sample.partition("/")[2])
            rows.append({"jdk": jdk, "gc": "default", "flags": "", "args": args, "run": name, **columns})
        return pd.DataFrame(rows)

    return make
