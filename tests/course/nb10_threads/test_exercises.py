"""Notebook 10's exercises: what solves them, and what comes near it and does not."""

import math
from types import SimpleNamespace

import pandas as pd
import pytest

from safepointlab.course import lessons
from safepointlab.course.nb10_threads import experiments as threads
from safepointlab.errors import BadInput

TEMPLATES = lessons.folder_of("10") / "templates"

LOOP = "            beat(number);\n"


def run(ttsp_ms):
    log = pd.DataFrame({"operation": ["ParallelGCCollect"] * 4, "ttsp_ms": ttsp_ms, "total_ms": 20.0})
    return SimpleNamespace(safepoints=log)


@pytest.fixture
def reached(monkeypatch):
    """reached(ms): the time to safepoint with any flag; without one it is 5 ms."""
    monkeypatch.setattr(threads, "collections", lambda run: run.safepoints)
    return lambda ms: monkeypatch.setattr(threads, "straggling", lambda _, flags: run(ms if flags else 5.0))


@pytest.mark.parametrize(("ms", "holds"), [(0.1, True), (0.9, True), (1.1, False), (5.0, False), (math.nan, False)])
def test_a_flag_must_bring_the_time_to_safepoint_down_to_a_fifth(reached, ms, holds):
    reached(ms)
    assert lessons.exercise("10-1").judge("-XX:TieredStopAtLevel=1").holds is holds


@pytest.mark.parametrize("answer", ["-XX:+UseG1GC", "-XX:+UseCountedLoopSafepoints", "two words", None])
def test_another_collector_and_the_flag_of_notebook_01_are_no_answer(reached, answer):
    reached(0.1)
    with pytest.raises(BadInput):
        lessons.exercise("10-1").judge(answer)


@pytest.fixture
def on_17(monkeypatch):
    """A stop of 240 ms on 17, in which all threads are silent for 40."""
    run = SimpleNamespace(values={"everybody_silent_ms": 40.0}, safepoints=pd.DataFrame({"total_ms": [240.0]}))
    monkeypatch.setattr(threads, "scan", lambda jdk, count: run)
    monkeypatch.setattr(threads, "collections", lambda run: run.safepoints)


@pytest.mark.parametrize(
    ("answer", "holds"), [(200, True), (200.0, True), (150, True), (240, True), (40, False), (0, False), (400, False)]
)
def test_what_the_log_of_17_hides_is_the_stop_without_the_silence(on_17, answer, holds):
    assert lessons.exercise("10-3").judge(answer).holds is holds


@pytest.mark.parametrize("answer", ["200", True, math.nan, None])
def test_what_is_no_number_is_told_so(on_17, answer):
    with pytest.raises(BadInput):
        lessons.exercise("10-3").judge(answer)


def edited(tmp_path, body):
    source = (TEMPLATES / "Sleepers.java").read_text()
    assert LOOP in source
    path = tmp_path / "Sleepers.java"
    path.write_text(source.replace(LOOP, f"            {body}\n"))
    return path


@pytest.mark.live
@pytest.mark.timed
@pytest.mark.parametrize("flag", ["-XX:TieredStopAtLevel=1", "-Xint"])
def test_without_c2_the_long_scan_polls(flag):
    judged = lessons.exercise("10-1").judge(flag)
    assert judged.holds, judged.does


@pytest.mark.live
@pytest.mark.timed
def test_threads_that_park_between_two_beats_are_spared(tmp_path):
    judged = lessons.exercise("10-2").judge(edited(tmp_path, "beat(number); LockSupport.parkNanos(20_000_000);"))
    assert judged.holds, judged.does


@pytest.mark.live
def test_threads_that_sleep_too_long_are_no_answer(tmp_path):
    judged = lessons.exercise("10-2").judge(edited(tmp_path, "beat(number); LockSupport.parkNanos(400_000_000);"))
    assert not judged.holds and "times a second" in judged.does
