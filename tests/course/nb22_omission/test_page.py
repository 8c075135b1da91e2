"""Notebook 22's questions: by what a run shows, which of the outcomes came."""

from types import SimpleNamespace

import pandas as pd
import pytest

from safepointlab.course import lessons
from safepointlab.course.nb22_omission import experiments as omission

ALONE = {"p50": 1.2, "p99": 2.5, "max": 6.0}


FIXED, CLOSED, LIMIT = "fixed 400 2 8 800 4000 1000 0", "closed 0 3 4 500 2000 1000 1", "limit 1063 3 1.5 0 2000 1000 1"
OVERLOAD = LIMIT.replace("limit", "fixed")


@pytest.fixture
def said(monkeypatch):
    """said(args): a stand-in for a run with these arguments, whose times and stops are these."""
    monkeypatch.setattr(omission, "times", lambda run, clock: run.times[clock.removeprefix("read-")])
    monkeypatch.setattr(omission, "stops_of", lambda run: pd.DataFrame({"total_ms": run.stops}))
    rates = {"target": 1063.0, "achieved": 798.4}

    def make(args, stops=(800.0,), **times):
        request = SimpleNamespace(args=tuple(args.split()))
        return SimpleNamespace(times=times, stops=list(stops), values=rates, request=request)

    return make


@pytest.mark.parametrize(
    ("service", "response", "keys"),
    [(2.5, 790, {"response"}), (700, 790, {"both"}), (2.5, 4, {"neither"}), (200, 790, set())],
)
def test_the_clocks_are_told_apart_by_the_longest_stop(said, service, response, keys):
    run = said(FIXED, st={**ALONE, "p99": service}, rt={**ALONE, "p99": response})
    assert lessons.prediction("22-clocks").classify(run).keys == keys


@pytest.mark.parametrize(
    ("times", "keys"),
    [
        ({**ALONE, "max": 560}, {"max"}),
        ({**ALONE, "p99": 550, "max": 560}, {"p99"}),
        ({"p50": 540, "p99": 550, "max": 560}, {"median"}),
        (ALONE, set()),
    ],
)
def test_the_first_number_that_is_as_long_as_a_stop_is_what_came(said, times, keys):
    assert lessons.prediction("22-closed").classify(said(CLOSED, stops=[500.0], st=times)).keys == keys


def test_an_overload_is_seen_by_the_clocks_whose_median_has_grown(said):
    classify = lessons.prediction("22-overload").classify
    limiter, schedule = said(LIMIT, st={"p50": 4.0}), said(OVERLOAD, st={"p50": 4.0}, rt={"p50": 300.0})
    came = classify(limiter, schedule)
    assert came.keys == {"response"} and came.facts.endswith("asked for 1,063 requests per second and reached 798.")
    assert classify(said(LIMIT, st={"p50": 90.0}), schedule).keys == {"limiter", "response"}


def test_with_more_clients_a_longer_queue_is_no_overload(said):
    many = [args.replace(" 3 1.5", " 30 1.5") for args in (LIMIT, OVERLOAD)]
    runs = said(many[0], st={"p50": 40.0}), said(many[1], st={"p50": 40.0}, rt={"p50": 300.0})
    assert lessons.prediction("22-overload").classify(*runs).keys == {"response"}


def test_a_reader_who_changes_the_mode_gets_facts_and_no_outcome(said):
    service, both = {"st": ALONE}, {"st": ALONE, "rt": ALONE}
    clocks = lessons.prediction("22-clocks").classify(said(FIXED.replace("fixed", "closed"), **service))
    assert clocks.keys == frozenset() and clocks.facts.endswith("nobody knows when they were due.")
    closed = lessons.prediction("22-closed").classify(said(CLOSED.replace("closed", "limit"), stops=[5.0], **service))
    assert closed.keys == frozenset() and "maximum 6 ms; the longest stop took 5 ms" in closed.facts
    for first, second in (
        (said(OVERLOAD, **both), said(LIMIT, **service)),
        (said(LIMIT, **service), said(LIMIT, **service)),
    ):
        came = lessons.prediction("22-overload").classify(first, second)
        assert came.keys == frozenset() and came.facts.startswith("Medians: limiter 1.2 ms, service 1.2 ms.")


def test_with_a_collector_that_keeps_the_polls_there_is_no_stop_to_compare(said):
    clocks = lessons.prediction("22-clocks").classify(said(FIXED, stops=(), st=ALONE, rt=ALONE))
    closed = lessons.prediction("22-closed").classify(said(CLOSED, stops=(), st=ALONE))
    assert clocks.keys == closed.keys == frozenset()
    assert clocks.facts.endswith("No stop was long.") and closed.facts.endswith("no stop was long.")
