"""Runs of the lesson's benchmark whose safepoints are made up."""

from types import SimpleNamespace

import pandas as pd
import pytest

from safepointlab.run import stops


@pytest.fixture
def logged(monkeypatch):
    """logged(40.0, 38.0): the name of a run whose stops for deadlocks took so many ms to be reached."""
    runs = {}
    monkeypatch.setattr(stops, "load", runs.__getitem__)

    def add(*ttsp_ms, **columns):
        table = {"operation": "FindDeadlocks", "ttsp_ms": ttsp_ms, "total_ms": ttsp_ms, **columns}
        runs[name := f"run {len(runs)}"] = SimpleNamespace(safepoints=pd.DataFrame(table))
        return name

    return add
