"""Several runs: side by side, made again where others disturbed them, and rows for those that a replay lacks."""

import threading
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest

from safepointlab.errors import CompileFailed, FlagRejected, NotRecorded, RunFailed
from safepointlab.process import machine, recording
from safepointlab.process.quiet import Quiet
from safepointlab.run import again, launch
from safepointlab.run import sweep as sweeping
from safepointlab.run.again import Budget
from safepointlab.run.sweep import sweep, together, whole


def test_functions_run_side_by_side_and_answer_in_their_order():
    meeting = threading.Barrier(2, timeout=30)  # neither passes it alone

    def met(name):
        meeting.wait()
        return name

    assert together([partial(met, name) for name in "ab"], jobs=2) == ["a", "b"]


def test_an_error_of_one_is_the_error_of_all():
    def refuse():
        raise RunFailed("it failed")

    with pytest.raises(RunFailed, match="it failed"):
        together([refuse, lambda: 1], jobs=1)


@pytest.fixture
def replay(monkeypatch):
    """A replay that has the runs with Serial alone."""

    def java(sample, gc, **_):
        if gc != "Serial":
            raise NotRecorded(f"no run with {gc}")
        about = {"outcome": "exited", "exit_code": 0, "wall_ms": 9.0, "values": {}, "quiet": None, "id": "r"}
        return SimpleNamespace(**about, finished=SimpleNamespace(cpu_ms=1.0))

    monkeypatch.setattr(sweeping, "java", java)
    monkeypatch.setattr(launch, "remember", lambda run: None)
    return partial(sweep, "hang/KillerTask", jdk=17)


def test_a_run_that_was_not_recorded_is_a_row_that_says_so_unless_the_sweep_has_to_be_whole(replay):
    runs = replay(gc=["Serial", "G1"])
    assert list(runs["outcome"]) == ["exited", "not recorded"] and runs["reason"].iloc[1] == "no run with G1"
    with pytest.raises(NotRecorded, match="no run with Z"):
        replay(gc=["Z", "G1"])
    with whole(), pytest.raises(NotRecorded, match="no run with G1"):
        replay(gc=["Serial", "G1"])


def test_a_jdk_that_cannot_compile_the_program_is_a_row_unless_none_can(monkeypatch):
    def java(sample, jdk, **_):
        if jdk == 8:
            raise CompileFailed("javac 8 refused it")
        raise FlagRejected("unknown flag")

    monkeypatch.setattr(sweeping, "java", java)
    runs = sweep("hang/KillerTask", jdk=[8, 17])
    assert list(runs["outcome"]) == ["does not compile", "not possible"]
    assert runs["reason"].iloc[0] == "javac 8 refused it"
    with pytest.raises(CompileFailed, match="javac 8 refused it"):
        sweep("hang/KillerTask", jdk=[8, 8])


def test_runs_go_side_by_side_where_a_deadline_asks_which_of_them_end(monkeypatch):
    monkeypatch.setattr(machine, "usable_cores", lambda: 8)
    chosen = []
    monkeypatch.setattr(sweeping, "together", lambda makes, jobs: chosen.append(jobs) or [])
    for settings in ({"deadline": 3}, {}, {"deadline": 120}, {"deadline": 3, "repeat": 2}, {"deadline": 3, "jobs": 1}):
        sweep("hang/KillerTask", **settings)
    assert chosen == [4, 1, 1, 1, 1]


def run(lost_percent, replayed=False, folder=Path("no-such-folder")):
    quiet = Quiet(1000.0, 1, lost_percent * 10.0, 0.0, 0.0)
    return SimpleNamespace(quiet=quiet, finished=SimpleNamespace(replayed=replayed), folder=folder)


@pytest.fixture
def quietest(monkeypatch):
    """`again.quietest` of these runs, made one after the other; `launch.remember` keeps the run that counts."""
    kept = []
    monkeypatch.setattr(launch, "remember", kept.append)
    again.RECENT.clear()

    def choose(*runs, budget=None):
        made = iter(runs)
        best, attempts = again.quietest(lambda again: next(made), budget or Budget(9))
        assert kept[-1] is best
        return best, attempts

    return choose


def test_a_disturbed_run_is_made_again_at_most_twice_and_the_quietest_counts(quietest):
    calm, least = run(1), run(20)
    assert quietest(calm) == (calm, 1)
    assert quietest(run(50), calm) == (calm, 2)
    assert quietest(run(50), least, run(60)) == (least, 3)
    assert quietest(run(50, replayed=True))[1] == 1


def test_a_replay_answers_with_the_run_that_counted_though_a_disturbed_one_is_newer(quietest, tmp_path):
    record = {"command": [], "outcome": "exited", "exit_code": 0, "started": "", "wall_ms": 1, "cpu_ms": 1}
    folders = [tmp_path / f"k-2026112{day}T0-abc" for day in (1, 2, 3)]
    for folder in folders:
        folder.mkdir()
        recording.write_json(folder / "run.json", record | {"max_rss_mib": None})
    quietest(*(run(lost, folder=folder) for lost, folder in zip((50, 20, 60), folders, strict=True)))
    assert next(recording.recorded("k", tmp_path)).folder == folders[1]


def test_a_sweep_on_a_busy_machine_ends(quietest, monkeypatch):
    budget = Budget(1)
    assert [quietest(*[run(50)] * 3, budget=budget)[1] for _ in range(3)] == [2, 1, 1]
    monkeypatch.setenv("SAFEPOINTLAB_PROFILE", "standard")
    assert (Budget.of(20, jobs=4).left, Budget.of(20).left) == (0, 10)


def test_on_a_machine_that_is_always_disturbed_nothing_is_made_again_until_one_run_is_quiet(quietest):
    assert [quietest(*[run(50)] * 3)[1] for _ in range(5)] == [3, 3, 2, 1, 1]
    assert quietest(run(0))[1] == 1
    assert quietest(*[run(50)] * 3)[1] == 3
