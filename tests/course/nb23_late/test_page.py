"""Notebook 23's questions: by what a report says, which of the outcomes came."""

from types import SimpleNamespace

import pandas as pd
import pytest

from safepointlab.course import lessons
from safepointlab.course.nb23_late import experiments as late
from safepointlab.errors import BadInput


def report(waits, late_stops=(), output=""):
    stops = pd.DataFrame(late_stops, columns=["over", "witnesses"])
    return SimpleNamespace(all_stops=pd.DataFrame({"waited_ms": waits}), stops=stops, output=output)


def prices(*ratios):
    """A table of prices: the scores with polls as parts of what they were; each within 1 %."""
    settings = {late.AS_IT_WAS: [1.0] * len(ratios), late.WITH_POLLS: ratios}
    rows = [
        {"computation": f"K{n}", "loops": loops, "score": 100 * value, "low": 99 * value, "high": 101 * value}
        for loops, values in settings.items()
        for n, value in enumerate(values)
    ]
    return pd.DataFrame(rows).assign(jdk=17, runs=4)


@pytest.fixture(autouse=True)
def a_measurement_of_400_ms(monkeypatch):
    monkeypatch.setattr(late, "seconds", lambda: 0.4)


@pytest.mark.parametrize(("longest", "key"), [(0.4, "short"), (12.0, "some"), (90.0, "long")])
def test_the_slowest_stop_is_held_against_the_length_of_a_measurement(longest, key):
    assert lessons.prediction("23-scimark").classify(report([0.1, longest])).keys == {key}


@pytest.mark.parametrize(
    ("after", "ratios", "key"),
    [(1.0, (1.0, 0.99), "free"), (1.0, (1.0, 0.8), "costs"), (380.0, (1.0, 0.8), "stays"), (1.0, (1.2, 0.97), "free")],
)
def test_the_cure_is_free_or_costs_something_or_is_none(after, ratios, key):
    assert lessons.prediction("23-cure").classify(report([400.0]), report([after]), prices(*ratios)).keys == {key}


@pytest.mark.parametrize(("delayed", "key"), [(0, "hardly"), (1, "hardly"), (2, "some"), (8, "most")])
def test_stops_with_a_late_thread_are_counted(delayed, key):
    assert lessons.prediction("23-ecj").classify(report([1.0] * 10, [(True, "ttsp")] * delayed)).keys == {key}


def test_the_witnesses_of_a_stop_that_is_not_over_are_those_that_can_speak():
    hung = report([3000.0], [(True, "ttsp"), (False, "timeout, agent, native, kernel")])
    assert lessons.prediction("23-silent").classify(hung).keys == {"timeout", "agent", "kernel"}


def test_a_report_without_what_is_asked_for_is_refused():
    for question in (lessons.prediction("23-scimark"), lessons.prediction("23-ecj"), lessons.prediction("23-silent")):
        with pytest.raises(BadInput):
            question.classify(report([]))


def test_scores_are_read_from_what_scimark_prints():
    lines = "Composite Score: 2800.85\nFFT (1024): 1964.23\nMonte Carlo : 1056.83\njava.version: 17.0.15\n"
    assert late.scores(report([], output=lines)) == {"Composite Score": 2800.85, "FFT": 1964.23, "Monte Carlo": 1056.83}


def test_scores_that_overlap_are_not_told_apart():
    assert late.apart(prices(1.0, 0.99, 0.5)) == {"K2": pytest.approx(-50)}


def test_a_range_goes_from_the_slowest_with_polls_against_the_fastest_without_to_the_reverse():
    row = late.changes(prices(0.8)).iloc[0]
    ends = [100 * (0.8 * 99 / 101 - 1), -20, 100 * (0.8 * 101 / 99 - 1)]
    assert row[["low_percent", "percent", "high_percent"]].tolist() == pytest.approx(ends)


def test_a_single_run_of_each_setting_has_no_range_and_tells_nothing_apart():
    single = prices(0.5).assign(runs=1)
    assert late.changes(single)[["low_percent", "high_percent"]].isna().all(axis=None) and late.apart(single) == {}


def test_the_cause_that_the_reader_is_to_find_is_left_out():
    rows = pd.DataFrame({"method": ["CRC32::update", "a::b"], "worst_ms": [1.23, 2.0], "cause": ["stub", "pages"]})
    assert late.all_but(SimpleNamespace(culprits=rows), "CRC32")["cause"].tolist() == ["?", "pages"]


def test_the_stops_of_a_run_are_counted_by_their_operation():
    stops = pd.DataFrame({"operation": ["Cleanup", "PrintCompileQueue", "PrintCompileQueue"]})
    assert late.requests(SimpleNamespace(all_stops=stops)) == "2 PrintCompileQueue, 1 Cleanup"


def test_a_witness_that_was_silent_in_each_run_has_no_row():
    told = pd.DataFrame({"witness": ["log", "agent", "ttsp"], "times": pd.array([2, 0, None], dtype="Int64")})
    assert list(late.said({"JDK 17": SimpleNamespace(witnesses=told)}).index) == ["log"]


def test_a_witness_that_a_jdk_does_not_have_is_a_dash_there():
    told = {"JDK 17": [2, None], "JDK 25": [3, 4]}
    tables = {jdk: pd.DataFrame({"witness": ["log", "latency"], "times": pd.array(times, dtype="Int64")})
              for jdk, times in told.items()}  # fmt: skip
    rows = late.said({jdk: SimpleNamespace(witnesses=table) for jdk, table in tables.items()})
    assert rows.loc["latency", ["JDK 17", "JDK 25"]].tolist() == ["–", 4]


@pytest.mark.parametrize(
    ("ratios", "title"),
    [
        ((1.0, 0.8), "JDK 17, Serial: polls cost K1 20 %;\nfor the other computation no change can be told"),
        ((0.9, 0.8, 1.1), "JDK 17, Serial: polls cost K1 20 % and K0 10 %;\nK2 gains 10 %"),
        ((1.0, 0.8, 1.0), "JDK 17, Serial: polls cost K1 20 %;\nfor the other 2 computations no change can be told"),
        (
            (1.0, 1.1),
            "JDK 17, Serial: polls cost nothing that can be told;\n"
            "K1 gains 10 %, for the other computation no change can be told",
        ),
        ((1.0, 1.0), "JDK 17, Serial: polls cost nothing that can be told"),
    ],
)
def test_the_title_names_the_computations_that_pay_and_those_that_gain(ratios, title):
    assert late.costliest(prices(*ratios)) == title
