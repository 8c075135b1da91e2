"""Notebook 11's exercises: what solves them, and what comes near it and does not."""

import math
from types import SimpleNamespace

import pandas as pd
import pytest

from safepointlab.course import lessons
from safepointlab.course.nb11_unfair import answers
from safepointlab.course.nb11_unfair import experiments as unfair
from safepointlab.errors import BadInput
from safepointlab.run import launch

TEMPLATE = lessons.folder_of("11") / "templates" / "PoliteMonitor.java"


@pytest.mark.parametrize(
    ("times", "call_us", "holds"),
    [(1.0, 51_000, True), (1.4, 100_000, True), (1.6, 50_000, False), (1.0, 110_000, False), (math.nan, 50_000, False)],
)
def test_a_flag_must_make_parallel_fair_and_leave_the_search_fast(monkeypatch, times, call_us, holds):
    monkeypatch.setattr(unfair, "searches", lambda jdk, flags="", **_: flags)
    monkeypatch.setattr(unfair, "unfairness", lambda _: pd.Series([times]))
    iterations = lambda flags, _: pd.DataFrame({"value": [call_us if flags else 53_000.0]})  # noqa: E731
    monkeypatch.setattr(answers.forks, "iterations", iterations)
    assert lessons.exercise("11-1").judge("-XX:+Some").holds is holds


def test_another_collector_and_the_cures_of_the_page_are_no_answer():
    advice = {"-XX:-UseParallelGC": "one: Parallel", unfair.KEEP_POLLS: "keeps the calls", unfair.EXCLUDE: "a method"}
    for flag, says in advice.items():
        with pytest.raises(BadInput, match=says):
            lessons.exercise("11-1").judge(flag)


@pytest.mark.live
@pytest.mark.timed
@pytest.mark.parametrize(("flag", "holds"), [("-XX:-Inline", True), ("-XX:TieredStopAtLevel=1", False)])
def test_calls_that_poll_make_the_search_fair_and_c1_makes_it_too_slow(flag, holds):
    judged = lessons.exercise("11-1").judge(flag)
    assert judged.holds is holds, judged.does


@pytest.fixture
def monitor(tmp_path):
    """monitor(pause): the exercise's file with that pause in place of its own."""

    def write(pause):
        (path := tmp_path / TEMPLATE.name).write_text(TEMPLATE.read_text().replace("return 30;", pause))
        return path

    return write


@pytest.mark.parametrize(
    ("stood", "late", "often", "holds"),
    [(10.0, 5, 80, True), (75.0, 30, 80, False), (10.0, 4, 3, False), (0.0, 0, 80, False), (math.nan, 5, 80, False)],
)
def test_a_polite_monitor_spares_the_victim_and_asks_often_otherwise(monkeypatch, monitor, stood, late, often, holds):
    prints = [{"stood_percent": stood, "questions": late}, {"stood_percent": 0.1, "questions": often}]
    runs = iter(SimpleNamespace(hung=False, values=each) for each in prints)
    monkeypatch.setattr(launch, "java", lambda *_, **__: next(runs))
    assert lessons.exercise("11-2").judge(monitor("return 31;")).holds is holds


@pytest.mark.live
def test_a_monitor_that_asks_every_30_ms_makes_the_victim_stand(monitor):
    judged = lessons.exercise("11-2").judge(monitor("return 31;"))
    assert not judged.holds and "the victim stands for" in judged.does


@pytest.mark.parametrize(("answer", "holds"), [(1, True), (1.05, True), (1.15, False), (2.0, False), (60 / 50, False)])
def test_a_round_with_twice_the_parking_is_as_long_as_the_call(monkeypatch, answer, holds):
    usual = unfair.setup()["intervalMs"]
    monkeypatch.setattr(answers, "round_ms", lambda interval: 51.0 if interval == usual else 51.5)
    assert lessons.exercise("11-3").judge(answer).holds is holds
