"""Stops of many runs in one table, each with the labels of its run."""

import re
from types import SimpleNamespace

import pandas as pd
import pytest

from safepointlab.logs import safepoint
from safepointlab.run import stops as module
from safepointlab.run.stops import median_line, of_run, stops

FRAME = pd.DataFrame(
    {"jdk": 8, "gc": ["Serial", "Serial", "G1", "Z"], "k": [1, 1, 100, 1], "run": ["a", "a", "b", pd.NA]}
)
LOGS = {
    "a": pd.DataFrame({"operation": ["FindDeadlocks", "Exit"], "ttsp_ms": [150.0, 0.1], "total_ms": [150.5, 0.2]}),
    "b": pd.DataFrame({"operation": ["FindDeadlocks", pd.NA], "ttsp_ms": [0.2, 0.1], "total_ms": [0.3, 0.2]}),
}


@pytest.fixture(autouse=True)
def recorded(monkeypatch):
    monkeypatch.setattr(module, "load", lambda name: SimpleNamespace(safepoints=LOGS[name]))


def test_each_run_is_read_once_and_its_stops_carry_the_labels():
    table = stops(FRAME, "Deadlock", ["gc", "k"])
    assert table[["gc", "k", "ttsp_ms"]].values.tolist() == [["Serial", 1, 150.0], ["G1", 100, 0.2]]


def test_a_pattern_may_have_groups(recwarn):
    assert len(stops(FRAME, "^(Find|Look)")) == 2 and not recwarn.list


def test_what_comes_after_the_last_thread_is_the_time_for_which_all_are_stopped():
    assert stops(FRAME, "Deadlock")["stopped_ms"].round(3).tolist() == [0.5, 0.1]


def test_the_line_of_the_median_stop_is_not_that_of_the_first():
    lines = [f'Safepoint "GC", Total: {ms}500000 ns' for ms in (9, 4, 6, 5)]
    log = pd.DataFrame({"operation": "GC", "ttsp_ms": 0.1, "total_ms": [9.5, 4.5, 6.5, 5.5]})
    run = SimpleNamespace(safepoints=log, raw=lambda kind, lines, around: around)
    assert [line for line in lines if re.search(median_line(run, "GC"), line)] == [lines[3]]
    assert median_line(run, "Deadlock") == ""


def test_a_frame_without_runs_has_no_stops():
    assert stops(FRAME.iloc[3:], labels=["gc"]).empty


def test_a_run_without_a_safepoint_gives_a_table_with_all_columns():
    none = SimpleNamespace(safepoints=safepoint.read([]))
    assert {"operation", "total_ms", "stopped_ms"} <= set(of_run(none, "GC|Collect"))
