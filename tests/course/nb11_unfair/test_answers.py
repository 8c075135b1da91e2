"""Notebook 11: which outcome of a question comes by what the runs show, and what solves an exercise."""

import math
from types import SimpleNamespace

import pandas as pd
import pytest

from safepointlab.course.nb11_unfair import answers
from safepointlab.course.nb11_unfair import experiments as unfair
from safepointlab.errors import BadInput
from safepointlab.run import launch
from tests.course.conftest import classify, graded

SETTINGS = {"jdk": 17, "gc": "Parallel", "flags": "", "k": unfair.MOST}


def scores(victim=3.0, culprit=1.0, **settings):
    """Rows of lab.jmh without and with a thread that asks: how many times as long the two searches take then."""
    calls = {"contains1": (5.0, victim), "contains1ToK": (50_000.0, culprit), "park": (10_000.0, 2.0)}
    rows = [
        (f"contains1=1 findDeadlocks={n} park=1", name, us * (times if n else 1), f"run {n}")
        for n in (0, 1)
        for name, (us, times) in calls.items()
    ]
    return pd.DataFrame(rows, columns=["groups", "metric", "median", "run"]).assign(**{**SETTINGS, **settings})


@pytest.mark.parametrize(
    ("victim", "culprit", "key"), [(3, 1, "victim"), (1, 3, "culprit"), (3, 3, "both"), (1.1, 0.9, "neither")]
)
def test_who_pays_is_told_by_both_searches_whatever_the_collector(victim, culprit, key):
    for gc in ("Parallel", "G1"):
        assert classify("11-payer", scores(victim, culprit, gc=gc)).keys == {key}


def test_where_the_two_settings_cannot_be_compared_no_outcome_came():
    frame = scores()
    for some in (frame[frame["groups"].str.contains("=0")], frame.iloc[:0]):
        assert classify("11-payer", some).keys == set()
        assert "were not both measured" in classify("11-payer", some).facts
    for other in ({"jdk": 8}, {"k": 1}):
        came = classify("11-payer", pd.concat([frame, scores(**other)]))
        assert came.keys == set() and "3.0 times as long as before" in came.facts


@pytest.fixture
def by_k(logged):
    """by_k(grows, collectors, ks): rows of lab.jmh whose log has waits that grow with K for some collectors."""

    def rows(grows, collectors=("Parallel", "G1"), ks=(1, unfair.MOST), jdk=17):
        points = [(gc, k, logged(40.0 if gc in grows and k > 1 else 0.1)) for gc in collectors for k in ks]
        return pd.DataFrame(points, columns=["gc", "k", "run"]).assign(jdk=jdk, flags="")

    return rows


@pytest.mark.parametrize(
    ("grows", "key"), [(("Parallel",), "parallel"), (("G1",), "g1"), (("Parallel", "G1"), "both"), ((), "neither")]
)
def test_the_wait_grows_with_k_with_some_collectors(by_k, grows, key):
    assert classify("11-k", by_k(grows)).keys == {key}


def test_with_other_collectors_jdks_or_one_k_there_are_facts_and_no_outcome(by_k):
    frames = {
        "goes from 0.1 to 40.0 ms with Serial and stays at 0.1 ms with Z.": by_k(["Serial"], ("Serial", "Z")),
        "time to safepoint is 40.0 ms with Parallel, 0.1 ms with G1.": by_k(["Parallel"], ks=(100,)),
        "from 0.1 to 40.0 ms with Parallel": pd.concat([by_k(["Parallel"]), by_k(["Parallel"], jdk=8)]),
    }
    for facts, frame in frames.items():
        came = classify("11-k", frame)
        assert came.keys == set() and facts in came.facts


def prices(*flags, **settings):
    return pd.DataFrame({**SETTINGS, "flags": list(flags), "outcome": "measured", **settings})


@pytest.mark.parametrize(("times", "key"), [(1.02, "hardly"), (2.0, "some"), (9.0, "many"), (50.0, "most")])
def test_the_price_of_the_exclusion_is_the_median_of_its_pairs(monkeypatch, times, key):
    monkeypatch.setattr(unfair, "price", lambda *_: pd.Series([times, times, 99.0]))
    assert classify("11-exclude", prices("", unfair.EXCLUDE)).keys == {key}
    two_jdks = pd.concat([prices("", unfair.EXCLUDE), prices("", unfair.EXCLUDE, jdk=8)])
    assert classify("11-exclude", two_jdks).keys == set()


def test_prices_without_that_exclusion_are_no_answer():
    refused = prices("", unfair.EXCLUDE, outcome=["measured", "not possible"])
    for frame in (prices(""), refused):
        came = classify("11-exclude", frame)
        assert came.keys == set() and "was not measured both with and without" in came.facts


@pytest.mark.parametrize(
    ("times", "call_us", "holds"),
    [(1.0, 51_000, True), (1.4, 100_000, True), (1.6, 50_000, False), (1.0, 110_000, False), (math.nan, 50_000, False)],
)
def test_a_flag_must_make_parallel_fair_and_leave_the_search_fast(monkeypatch, times, call_us, holds):
    monkeypatch.setattr(unfair, "searches", lambda jdk, flags="", **_: flags)
    monkeypatch.setattr(unfair, "unfairness", lambda _: pd.Series([times]))
    iterations = lambda flags, _: pd.DataFrame({"value": [call_us if flags else 53_000.0]})  # noqa: E731
    monkeypatch.setattr(answers.forks, "iterations", iterations)
    assert graded("11-1", "-XX:+Some").holds is holds


def test_another_collector_and_the_cures_of_the_page_are_no_answer():
    advice = {"-XX:-UseParallelGC": "one: Parallel", unfair.KEEP_POLLS: "keeps the calls", unfair.EXCLUDE: "a method"}
    for flag, says in advice.items():
        with pytest.raises(BadInput, match=says):
            graded("11-1", flag)


@pytest.mark.live
@pytest.mark.timed
@pytest.mark.parametrize(("flag", "holds"), [("-XX:-Inline", True), ("-XX:TieredStopAtLevel=1", False)])
def test_calls_that_poll_make_the_search_fair_and_c1_makes_it_too_slow(flag, holds):
    judged = graded("11-1", flag)
    assert judged.holds is holds, judged.does


@pytest.mark.parametrize(
    ("stood", "late", "often", "holds"),
    [(10.0, 5, 80, True), (75.0, 30, 80, False), (10.0, 4, 3, False), (0.0, 0, 80, False), (math.nan, 5, 80, False)],
)
def test_a_polite_monitor_spares_the_victim_and_asks_often_otherwise(monkeypatch, edited, stood, late, often, holds):
    prints = [{"stood_percent": stood, "questions": late}, {"stood_percent": 0.1, "questions": often}]
    runs = iter(SimpleNamespace(overdue=False, values=each) for each in prints)
    monkeypatch.setattr(launch, "java", lambda *_, **__: next(runs))
    assert graded("11-2", edited("11-2", "return 30;", "return 31;")).holds is holds


@pytest.mark.parametrize(("answer", "holds"), [(1, True), (1.05, True), (1.15, False), (2.0, False), (60 / 50, False)])
def test_a_round_with_twice_the_parking_is_as_long_as_the_call(monkeypatch, answer, holds):
    usual = unfair.setup()["intervalMs"]
    monkeypatch.setattr(answers, "round_ms", lambda interval: 51.0 if interval == usual else 51.5)
    assert graded("11-3", answer).holds is holds
