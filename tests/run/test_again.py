"""again.py: a disturbed run is made again, within bounds, and the quietest counts."""

from types import SimpleNamespace

import pytest

from safepointlab.process.quiet import Quiet
from safepointlab.run import again, launch
from safepointlab.run.again import Budget


def run(lost_percent, replayed=False):
    quiet = Quiet(1000.0, 1, lost_percent * 10.0, 0.0, 0.0)
    return SimpleNamespace(quiet=quiet, finished=SimpleNamespace(replayed=replayed))


@pytest.fixture(autouse=True)
def remembered(monkeypatch):
    runs = []
    monkeypatch.setattr(launch, "remember", runs.append)
    again.RECENT.clear()
    return runs


def made(*runs):
    """A function that makes these runs one after the other."""
    left = list(runs)
    return lambda again: left.pop(0)


def test_a_quiet_run_is_made_once():
    assert again.quietest(made(run(0)), Budget(9))[1] == 1


def test_a_disturbed_run_is_made_again_and_the_quiet_one_counts(remembered):
    calm = run(1)
    assert again.quietest(made(run(50), calm), Budget(9)) == (calm, 2)
    assert remembered == [calm]


def test_of_runs_that_are_all_disturbed_the_quietest_counts_and_there_are_at_most_three():
    least = run(20)
    assert again.quietest(made(run(50), least, run(60)), Budget(9)) == (least, 3)


def test_a_sweep_on_a_busy_machine_ends():
    budget = Budget(1)
    assert [again.quietest(made(run(50), run(50), run(50)), budget)[1] for _ in range(3)] == [2, 1, 1]


def test_a_recording_is_not_made_again():
    assert again.quietest(made(run(50, replayed=True)), Budget(9))[1] == 1


def test_runs_side_by_side_are_not_made_again(monkeypatch):
    monkeypatch.setenv("SAFEPOINTLAB_PROFILE", "standard")
    assert (Budget.of(20, jobs=4).left, Budget.of(20).left) == (0, 10)


def test_on_a_machine_that_is_always_disturbed_nothing_is_made_again_until_one_run_is_quiet():
    busy = [again.quietest(made(*[run(50)] * 3), Budget(99))[1] for _ in range(5)]
    assert busy == [3, 3, 2, 1, 1]
    assert again.quietest(made(run(0)), Budget(99))[1] == 1
    assert again.quietest(made(*[run(50)] * 3), Budget(99))[1] == 3
