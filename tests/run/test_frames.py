"""Frames of `lab.sweep` and `lab.jmh` -> the runs that they name, their stops with labels, and ratios of forks."""

import re
from types import SimpleNamespace

import pandas as pd
import pytest

from safepointlab.errors import BadInput, NotRecorded, RunFailed
from safepointlab.logs import safepoint
from safepointlab.run import forks, load, stops
from safepointlab.run.jmh_run import BenchRun
from safepointlab.run.run import Run

FRAME = pd.DataFrame(
    {"jdk": 8, "gc": ["Serial", "Serial", "G1", "Z"], "k": [1, 1, 100, 1], "run": ["a", "a", "b", pd.NA]}
)
LOGS = {
    "a": pd.DataFrame({"operation": ["FindDeadlocks", "Exit"], "ttsp_ms": [150.0, 0.1], "total_ms": [150.5, 0.2]}),
    "b": pd.DataFrame({"operation": ["FindDeadlocks", pd.NA], "ttsp_ms": [0.2, 0.1], "total_ms": [0.3, 0.2]}),
}
VALUES = {"with-1": [9.0, 3.0, 4.0], "with-2": [5.0, 5.0, 6.0], "without-1": [2.0, 2.0, 8.0], "silent": []}


class FakeRun(BenchRun):
    """A JMH run that is nothing but its raw iterations."""

    def __init__(self, name):
        values = VALUES[name]
        self.iterations = pd.DataFrame({"metric": "score", "iteration": range(1, len(values) + 1), "value": values})

    def __repr__(self):
        return "a run"

    def complaint(self):
        return "out of memory"


@pytest.fixture(autouse=True)
def recorded(monkeypatch):
    monkeypatch.setattr(stops, "load", lambda name: SimpleNamespace(safepoints=LOGS[name]))
    monkeypatch.setattr(forks, "load", FakeRun)


def test_each_run_is_read_once_and_its_stops_carry_the_labels(recwarn):
    table = stops.stops(FRAME, "Deadlock", ["gc", "k"])
    assert table[["gc", "k", "ttsp_ms"]].values.tolist() == [["Serial", 1, 150.0], ["G1", 100, 0.2]]
    assert table["stopped_ms"].round(3).tolist() == [0.5, 0.1]  # after the last thread has come
    assert len(stops.stops(FRAME, "^(Find|Look)")) == 2 and not recwarn.list  # a pattern may have groups


def test_runs_without_a_stop_give_tables_without_a_row():
    assert stops.stops(FRAME.iloc[3:], labels=["gc"]).empty
    unmatched = stops.stops(FRAME, "Shenandoah", ["gc", "k"])
    assert unmatched.empty and {"gc", "k", "ttsp_ms"} <= set(unmatched)
    none = SimpleNamespace(safepoints=safepoint.read([]))
    assert {"operation", "total_ms", "stopped_ms"} <= set(stops.of_run(none, "GC|Collect"))


def test_the_line_of_the_median_stop_is_not_that_of_the_first():
    lines = [f'Safepoint "GC", Total: {ms}500000 ns' for ms in (9, 4, 6, 5)]
    log = pd.DataFrame({"operation": "GC", "ttsp_ms": 0.1, "total_ms": [9.5, 4.5, 6.5, 5.5]})
    run = SimpleNamespace(safepoints=log, raw=lambda kind, lines, around: around)
    assert [line for line in lines if re.search(stops.median_line(run, "GC"), line)] == [lines[3]]
    assert stops.median_line(run, "Deadlock") == ""


def bench(*names):
    rows = [{"benchmark": "a.B", "repeat": n, "run": name, "reason": "refused"} for n, name in enumerate(names)]
    return pd.DataFrame(rows * 2)  # a run has a row for each metric


def test_a_fork_is_compared_with_the_one_that_ran_in_its_turn_and_one_without_a_partner_with_none():
    both = bench("with-1", "with-2")
    assert forks.middles(both).to_dict() == {0: 4.0, 1: 5.0} and forks.bests(both).to_dict() == {0: 3.0, 1: 5.0}
    assert len(forks.iterations(both)) == 6 and forks.fastest(both) == [3.0, 5.0]
    ratios = forks.middles(both) / forks.middles(bench("without-1"))
    assert forks.range_of("price", ratios) == {"price, at least, times": 2.0, "price, at most, times": 2.0}


@pytest.mark.each(("name", "why"), [("silent", "a run left no score of score: out of memory"), ("", "refused")])
def test_a_run_without_values_says_why_it_has_none(name, why):
    with pytest.raises(RunFailed, match=why):
        forks.iterations(bench(name))


def test_the_runs_of_a_sweep_are_those_that_its_rows_name(monkeypatch):
    monkeypatch.setattr(load, "load", lambda name: name)
    frame, one = pd.DataFrame({"run": ["a", "", None, "b", "a"]}), Run.__new__(Run)
    assert load.runs(frame, [one, {"G1": one}]) == ["a", "b", one, one]
    assert load.runs(pd.DataFrame()) == load.runs() == []


@pytest.mark.each(("wrong", "says"), [
    (pd.DataFrame({"odd": [1]}), "no column run. It has odd"), (17, "type int names no"), ("a", "type str names no")
])  # fmt: skip
def test_what_names_no_runs_is_refused(wrong, says):
    with pytest.raises(BadInput, match=says):
        load.runs(wrong)


def test_loading_a_run_that_is_not_there_is_a_clear_error(tmp_path, monkeypatch):
    monkeypatch.setenv("SAFEPOINTLAB_RUNS", str(tmp_path))
    with pytest.raises(NotRecorded, match="no readable record"):
        load.load("nothing-like-it")
