"""Notebook 22's questions: by what a run shows, which of the outcomes came."""

from types import SimpleNamespace

import pandas as pd
import pytest

from safepointlab.course import lessons
from safepointlab.course.nb22_omission import experiments as omission
from safepointlab.errors import BadInput

ALONE = {"p50": 1.2, "p99": 2.5, "max": 6.0}


@pytest.fixture
def said(monkeypatch):
    """said(run): a stand-in for a run whose times and stops are these."""
    monkeypatch.setattr(omission, "times", lambda run, clock: run.times[clock])
    monkeypatch.setattr(omission, "measures", lambda run: sorted(run.times))
    monkeypatch.setattr(omission, "stops_of", lambda run: pd.DataFrame({"total_ms": run.stops}))
    rates = {"target": 1063.0, "achieved": 798.4}
    return lambda stops=(800.0,), **times: SimpleNamespace(times=times, stops=list(stops), values=rates)


@pytest.mark.parametrize(
    ("service", "response", "keys"),
    [(2.5, 790, {"response"}), (700, 790, {"both"}), (2.5, 4, {"neither"}), (200, 790, set())],
)
def test_the_clocks_are_told_apart_by_the_longest_stop(said, service, response, keys):
    run = said(st={**ALONE, "p99": service}, rt={**ALONE, "p99": response})
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
    assert lessons.prediction("22-closed").classify(said(stops=[500.0], st=times)).keys == keys


def test_an_overload_is_seen_by_the_clocks_whose_median_has_grown(said):
    limiter, schedule = said(st={"p50": 4.0}), said(st={"p50": 4.0}, rt={"p50": 300.0}, wt={"p50": 296.0})
    came = lessons.prediction("22-overload").classify(limiter, schedule)
    assert came.keys == {"response"} and came.facts.endswith("asked for 1,063 requests per second and reached 798.")
    assert lessons.prediction("22-overload").classify(said(st={"p50": 90.0}), schedule).keys == {"limiter", "response"}


def test_runs_in_the_wrong_order_or_without_a_stop_are_not_what_is_asked_for(said):
    schedule = said(st=ALONE, rt=ALONE)
    with pytest.raises(BadInput, match="has a schedule"):
        lessons.prediction("22-overload").classify(schedule, said(st=ALONE))
    with pytest.raises(BadInput, match="no long stop"):
        lessons.prediction("22-closed").classify(said(stops=(), st=ALONE))
