"""Notebook 11's exercises: what solves them, and what comes near it and does not."""

import math
from types import SimpleNamespace

import pandas as pd
import pytest

from safepointlab.course import lessons
from safepointlab.course.exercises import Untouched
from safepointlab.course.nb11_unfair import answers as unfair_exercises
from safepointlab.course.nb11_unfair import experiments as unfair
from safepointlab.errors import BadInput
from safepointlab.run import launch

TEMPLATES = lessons.folder_of("11") / "templates"

FIXED = "return 30;"


@pytest.mark.parametrize(
    ("times", "call_us", "holds"),
    [(1.0, 51_000, True), (1.4, 100_000, True), (1.6, 50_000, False), (1.0, 110_000, False), (math.nan, 50_000, False)],
)
def test_a_flag_must_make_parallel_fair_and_leave_the_search_fast(monkeypatch, times, call_us, holds):
    monkeypatch.setattr(unfair, "somebody_asks", lambda jdk, flags="", **_: flags)
    monkeypatch.setattr(unfair, "unfairness", lambda _: pd.Series([times]))
    iterations = lambda flags, _: pd.DataFrame({"value": [call_us if flags else 53_000.0]})  # noqa: E731
    monkeypatch.setattr(unfair_exercises.forks, "iterations", iterations)
    assert lessons.exercise("11-1").judge("-XX:+Some").holds is holds


@pytest.mark.parametrize(
    ("flag", "told"),
    [
        ("-XX:+UseG1GC", "has chosen one: Parallel"),
        ("-XX:-UseParallelGC", "has chosen one: Parallel"),
        (unfair.KEEP_POLLS, "keeps the calls"),
        ("-XX:LoopStripMiningIter=1000", "keeps the calls"),
        (unfair.KEEP_CALL, "needs the name of a method"),
        (unfair.EXCLUDE, "needs the name of a method"),
    ],
)
def test_another_collector_and_the_cures_of_the_page_are_no_answer(flag, told):
    with pytest.raises(BadInput, match=told):
        lessons.exercise("11-1").judge(flag)


@pytest.mark.live
@pytest.mark.timed
def test_without_inlining_the_search_polls_at_its_return_and_is_as_fast():
    judged = lessons.exercise("11-1").judge("-XX:-Inline")
    assert judged.holds, judged.does


@pytest.mark.live
@pytest.mark.timed
def test_without_c2_the_search_is_fair_and_too_slow():
    judged = lessons.exercise("11-1").judge("-XX:TieredStopAtLevel=1")
    assert not judged.holds, judged.does


@pytest.fixture
def monitor(tmp_path):
    """monitor(pause): the exercise's file with that pause in place of its own."""

    def write(pause):
        path = tmp_path / "PoliteMonitor.java"
        path.write_text((TEMPLATES / path.name).read_text().replace(FIXED, pause))
        return path

    return write


def ran(monkeypatch, stood, late, often):
    """What the program prints where one thread is late, and where none is."""
    values = [{"stood_percent": stood, "questions": late}, {"stood_percent": 0.1, "questions": often}]
    runs = iter(SimpleNamespace(hung=False, values=each) for each in values)
    monkeypatch.setattr(launch, "java", lambda *_, **__: next(runs))


@pytest.mark.parametrize(
    ("stood", "late", "often", "holds"),
    [
        (10.0, 5, 80, True),
        (75.0, 30, 80, False),
        (10.0, 4, 3, False),
        (0.0, 0, 80, False),
        (float("nan"), 5, 80, False),
    ],
)
def test_a_polite_monitor_spares_the_victim_and_asks_often_otherwise(monkeypatch, monitor, stood, late, often, holds):
    ran(monkeypatch, stood, late, often)
    assert lessons.exercise("11-2").judge(monitor("return 31;")).holds is holds


def test_the_file_as_it_was_written_is_no_answer(monitor):
    with pytest.raises(Untouched):
        lessons.exercise("11-2").judge(monitor(FIXED))


@pytest.mark.live
def test_the_template_tells_how_long_its_victim_stood(monitor):
    stood, questions = unfair_exercises._asked(str(monitor("return 50;")), [10, 500])
    assert 0 <= stood <= 100 and questions > 0


@pytest.mark.parametrize(("answer", "holds"), [(1, True), (1.05, True), (1.15, False), (2.0, False)])
def test_a_round_with_twice_the_parking_is_as_long_as_the_call(monkeypatch, answer, holds):
    monkeypatch.setattr(unfair, "round_ms", lambda *_: 54.0)
    assert lessons.exercise("11-3").judge(answer).holds is holds


def test_the_ratio_of_the_parkings_alone_is_too_far_from_what_a_run_measures(monkeypatch):
    usual = unfair.setup()["intervalMs"]
    monkeypatch.setattr(unfair, "round_ms", lambda jdk, interval: 51.0 if interval == usual else 51.5)
    naive = (2 * usual + 40) / (usual + 40)
    assert not lessons.exercise("11-3").judge(naive).holds and lessons.exercise("11-3").judge(1).holds


@pytest.mark.parametrize("odd", ["1", True, None, -1, float("nan")])
def test_what_is_no_ratio_is_no_answer(odd):
    with pytest.raises(BadInput, match="Give a ratio"):
        lessons.exercise("11-3").judge(odd)
