"""again.py: a disturbed run is made again, within bounds, and the quietest counts."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from safepointlab.process import recording
from safepointlab.process.quiet import Quiet
from safepointlab.run import again, launch
from safepointlab.run.again import Budget


def run(lost_percent, replayed=False, folder=Path("no-such-folder")):
    quiet = Quiet(1000.0, 1, lost_percent * 10.0, 0.0, 0.0)
    return SimpleNamespace(quiet=quiet, finished=SimpleNamespace(replayed=replayed), folder=folder)


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


def test_a_replay_answers_with_the_run_that_counted_though_a_disturbed_one_is_newer(tmp_path):
    record = {"command": [], "outcome": "exited", "exit_code": 0, "started": "", "wall_ms": 1, "cpu_ms": 1}
    folders = [tmp_path / f"k-2026112{day}T0-abc" for day in (1, 2, 3)]
    for folder in folders:
        folder.mkdir()
        recording.write_json(folder / "run.json", record | {"max_rss_mib": None})
    runs = [run(lost, folder=folder) for lost, folder in zip((50, 20, 60), folders, strict=True)]
    again.quietest(made(*runs), Budget(9))
    assert next(recording.recorded("k", tmp_path)).folder == folders[1]


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
