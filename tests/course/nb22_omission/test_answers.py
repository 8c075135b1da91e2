"""Notebook 22: which outcome a run shows, and what solves its exercises or comes near it and does not."""

from types import SimpleNamespace

import pandas as pd
import pytest

from safepointlab.course import lessons
from safepointlab.course.nb22_omission import answers
from safepointlab.course.nb22_omission import experiments as omission
from safepointlab.errors import BadInput
from tests.course.conftest import classify

COLLECTOR, CLOCK, PUT_BACK = (lessons.exercise(f"22-{number}") for number in (1, 2, 3))
SENT = "return System.nanoTime(); // only this method is yours to change"
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
    assert classify("22-clocks", run).keys == keys


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
    assert classify("22-closed", said(CLOSED, stops=[500.0], st=times)).keys == keys


def test_an_overload_is_seen_by_the_clocks_whose_median_has_grown(said):
    limiter, schedule = said(LIMIT, st={"p50": 4.0}), said(OVERLOAD, st={"p50": 4.0}, rt={"p50": 300.0})
    came = classify("22-overload", limiter, schedule)
    assert came.keys == {"response"} and came.facts.endswith("set to 1,063 requests per second and reached 798.")
    assert classify("22-overload", said(LIMIT, st={"p50": 90.0}), schedule).keys == {"limiter", "response"}


def test_with_more_clients_a_longer_queue_is_no_overload(said):
    many = [args.replace(" 3 1.5", " 30 1.5") for args in (LIMIT, OVERLOAD)]
    runs = said(many[0], st={"p50": 40.0}), said(many[1], st={"p50": 40.0}, rt={"p50": 300.0})
    assert classify("22-overload", *runs).keys == {"response"}


def test_a_reader_who_changes_the_mode_gets_facts_and_no_outcome(said):
    service, both = {"st": ALONE}, {"st": ALONE, "rt": ALONE}
    clocks = classify("22-clocks", said(FIXED.replace("fixed", "closed"), **service))
    assert clocks.keys == frozenset() and clocks.facts.endswith("without a schedule, they were never due.")
    closed = classify("22-closed", said(CLOSED.replace("closed", "limit"), stops=[5.0], **service))
    assert closed.keys == frozenset() and "maximum 6 ms; the longest stop took 5 ms" in closed.facts
    for first, second in (
        (said(OVERLOAD, **both), said(LIMIT, **service)),
        (said(LIMIT, **service), said(LIMIT, **service)),
    ):
        came = classify("22-overload", first, second)
        assert came.keys == frozenset() and came.facts.startswith("Medians: limiter 1.2 ms, service 1.2 ms.")


def test_with_a_collector_that_keeps_the_polls_there_is_no_stop_to_compare(said):
    clocks = classify("22-clocks", said(FIXED, stops=(), st=ALONE, rt=ALONE))
    closed = classify("22-closed", said(CLOSED, stops=(), st=ALONE))
    assert clocks.keys == closed.keys == frozenset()
    assert clocks.facts.endswith("No stop was long.") and closed.facts.endswith("no stop was long.")


def test_by_arithmetic_the_median_is_a_quick_one_and_the_tail_is_the_stop():
    percentiles = answers.by_arithmetic()
    assert percentiles[50] < 5 and 300 < percentiles[90] < percentiles[99] < 500


@pytest.mark.live
@pytest.mark.timed
@pytest.mark.parametrize(
    ("statement", "solves"),
    [
        ("return start + n * INTERVAL;", True),
        ("return System.nanoTime() - 400_000_000;", False),  # everybody waits: the median gives it away
        ("return start;", False),
        ("return System.nanoTime() + 1;", False),
    ],
)
def test_a_clock_is_honest_if_it_starts_when_the_request_is_due(edited, statement, solves):
    assert CLOCK.judge(edited("22-2", SENT, statement)).holds is solves


def test_the_server_is_not_the_reader_s_to_mend(edited):
    with pytest.raises(BadInput, match="a part that is not yours"):
        CLOCK.judge(edited("22-2", SENT, "return start;", "500_000_000", "1_000_000"))


@pytest.mark.live
@pytest.mark.parametrize(("gc", "solves"), [("Parallel", False), ("G1", True)])
def test_a_collector_solves_it_whose_counted_loops_are_left(gc, solves):
    assert COLLECTOR.judge(gc).holds is solves


def test_the_corrected_percentile_is_not_the_quantile_that_forgets_the_counts(monkeypatch):
    monkeypatch.setattr(answers, "corrected_p90", lambda: 480.1)
    assert PUT_BACK.judge(480).holds and not PUT_BACK.judge(495.1).holds and not PUT_BACK.judge(5).holds
    with pytest.raises(BadInput, match="number of ms"):
        PUT_BACK.judge("500")
