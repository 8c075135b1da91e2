"""Forks that ran in turn: the typical iteration of each, and their ratios."""

import pandas as pd
import pytest

from safepointlab.errors import RunFailed
from safepointlab.run import forks
from safepointlab.run.jmh_run import BenchRun

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
def runs(monkeypatch):
    monkeypatch.setattr(forks, "load", FakeRun)


def frame(*names):
    rows = [{"benchmark": "a.B", "repeat": n, "run": name, "reason": "refused"} for n, name in enumerate(names)]
    return pd.DataFrame(rows * 2)  # a run has a row for each metric


def test_each_fork_has_one_median_and_one_best_iteration():
    both = frame("with-1", "with-2")
    assert forks.middles(both).to_dict() == {0: 4.0, 1: 5.0} and forks.bests(both).to_dict() == {0: 3.0, 1: 5.0}


def test_iterations_of_a_run_count_once_however_many_rows_it_has():
    assert len(forks.iterations(frame("with-1", "with-2"))) == 6


def test_a_fork_is_compared_with_the_one_that_ran_in_its_turn_and_one_without_a_partner_with_none():
    ratios = forks.middles(frame("with-1", "with-2")) / forks.middles(frame("without-1"))
    assert forks.range_of("price", ratios) == {"price, at least, times": 2.0, "price, at most, times": 2.0}


@pytest.mark.parametrize(("name", "why"), [("silent", "a run left no score of score: out of memory"), ("", "refused")])
def test_a_run_without_values_says_why_it_has_none(name, why):
    with pytest.raises(RunFailed, match=why):
        forks.iterations(frame(name))
