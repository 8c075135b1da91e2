"""Runs side by side: several functions are called at a time, and answer in their order."""

import threading
from functools import partial
from types import SimpleNamespace

import pytest

from safepointlab.errors import NotRecorded, RunFailed
from safepointlab.process import limits
from safepointlab.run import sweep as sweeping
from safepointlab.run.sweep import sweep, together, whole


def test_functions_run_side_by_side_and_answer_in_their_order():
    meeting = threading.Barrier(2, timeout=30)  # neither passes it alone

    def met(name):
        meeting.wait()
        return name

    assert together([partial(met, name) for name in "ab"], jobs=2) == ["a", "b"]


def test_with_one_job_they_run_one_after_the_other():
    seen = []
    makes = [partial(lambda name: seen.append(name) or len(seen), name) for name in "abc"]
    assert together(makes, jobs=1) == [1, 2, 3] and seen == ["a", "b", "c"]


def test_an_error_of_one_is_the_error_of_all():
    def refuse():
        raise RunFailed("it failed")

    with pytest.raises(RunFailed, match="it failed"):
        together([refuse, lambda: 1], jobs=1)


def recorded(monkeypatch, *gcs):
    """A replay that has the runs of these collectors alone."""

    def java(sample, gc, **_):
        if gc not in gcs:
            raise NotRecorded(f"no run with {gc}")
        finished = SimpleNamespace(cpu_ms=1.0)
        return SimpleNamespace(
            outcome="exited", exit_code=0, wall_ms=9.0, finished=finished, values={}, quiet=None, id="r"
        )

    monkeypatch.setattr(sweeping, "java", java)
    monkeypatch.setattr(sweeping, "quietest", lambda make, _: (make(False), 1))


def test_a_run_that_was_not_recorded_is_a_row_that_says_so(monkeypatch):
    recorded(monkeypatch, "Serial")
    runs = sweep("hang/KillerTask", jdk=17, gc=["Serial", "G1"])
    assert list(runs["outcome"]) == ["exited", "not recorded"] and runs["reason"].iloc[1] == "no run with G1"


def test_a_sweep_of_which_nothing_was_recorded_fails_and_so_does_a_part_of_one_that_has_to_be_whole(monkeypatch):
    recorded(monkeypatch, "Serial")
    with pytest.raises(NotRecorded, match="no run with Z"):
        sweep("hang/KillerTask", jdk=17, gc=["Z", "G1"])
    with whole(), pytest.raises(NotRecorded, match="no run with G1"):
        sweep("hang/KillerTask", jdk=17, gc=["Serial", "G1"])


def test_runs_go_side_by_side_where_a_deadline_asks_which_of_them_end(monkeypatch):
    monkeypatch.setattr(limits, "cores", lambda: 8)
    jobs = []
    monkeypatch.setattr(sweeping, "_here", lambda *given: jobs.append(given[-1]) or [])
    for settings in ({"deadline": 3}, {}, {"deadline": 120}, {"deadline": 3, "repeat": 2}, {"deadline": 3, "jobs": 1}):
        sweep("hang/KillerTask", **settings)
    assert jobs == [4, 1, 1, 1, 1]
