"""Notebook 11's questions: by what a run shows, which of the outcomes came."""

import pandas as pd
import pytest

from safepointlab.course import lessons
from safepointlab.course.nb11_unfair import experiments as unfair
from safepointlab.course.nb11_unfair import losses as unfair_losses
from safepointlab.errors import BadInput


def losses(victim, culprit):
    times = {"role": ["culprit", "victim", "bystander", "asker"], "times": [culprit, victim, 1.2, None]}
    return pd.DataFrame(times)


@pytest.mark.parametrize(
    ("victim", "culprit", "key"), [(3, 1, "victim"), (1, 3, "culprit"), (3, 3, "both"), (1.1, 0.9, "neither")]
)
def test_who_pays_is_told_by_both_searches(victim, culprit, key):
    assert lessons.prediction("11-payer").classify(losses(victim, culprit)).keys == {key}


def waits(grows):
    rows = [
        (gc, k, 40.0 if gc in grows and k > 1 else 0.1) for gc in unfair_losses.COLLECTORS for k in (1, unfair.MOST)
    ]
    return pd.DataFrame(rows, columns=["gc", "k", "ttsp_ms"])


@pytest.mark.parametrize(
    ("grows", "key"), [(("Parallel",), "parallel"), (("G1",), "g1"), (("Parallel", "G1"), "both"), ((), "neither")]
)
def test_the_wait_grows_with_k_with_some_collectors(grows, key):
    assert lessons.prediction("11-k").classify(waits(grows)).keys == {key}


def test_the_facts_say_from_what_to_what_the_wait_goes():
    said = "From K=1 to 10,000 the median wait goes from 0.1 to 40.0 ms with Parallel, from 0.1 to 0.1 ms with G1."
    assert lessons.prediction("11-k").classify(waits(("Parallel",))).facts == said


def test_in_a_round_everybody_runs_until_the_request_and_the_victim_waits_until_the_call_ends(monkeypatch):
    stops = pd.DataFrame({"time_since_last_ms": [500.0, 12.0, 11.0], "ttsp_ms": [60.0, 40.0, 38.0]})
    monkeypatch.setattr(unfair, "waits", lambda *_: stops)
    monkeypatch.setattr(unfair_losses, "_median", lambda *_: 53_000.0)
    rows = unfair_losses.rounds(pd.DataFrame(), count=1).set_index(["lane", "what"])
    victim, culprit = ("contains1\npolls early", "waits"), ("contains1ToK\npolls late", "runs")
    assert rows.loc[victim].to_list() == [12.0, 52.0, "stands still for 40 ms"]
    assert rows.loc[culprit].to_list() == [0.0, 52.0, "one call without a poll: 53 ms by JMH"]


@pytest.mark.parametrize(("times", "key"), [(1.02, "hardly"), (2.0, "some"), (9.0, "many"), (50.0, "most")])
def test_the_price_of_the_exclusion_is_the_median_of_its_pairs(monkeypatch, times, key):
    monkeypatch.setattr(unfair, "price", lambda *_: pd.Series([times, times, 99.0]))
    assert lessons.prediction("11-exclude").classify(pd.DataFrame({"flags": ["", unfair.EXCLUDE]})).keys == {key}


def test_prices_without_that_exclusion_are_no_answer():
    with pytest.raises(BadInput):
        lessons.prediction("11-exclude").classify(pd.DataFrame({"flags": [""]}))


@pytest.mark.parametrize(
    ("still", "usual", "key"),
    [(300.0, 1.0, "stands"), (20.0, 1.0, "spins"), (100.0, 1.0, "moment"), (300.0, 250.0, "late")],
)
def test_a_spinner_stands_spins_on_or_is_late_itself(monkeypatch, still, usual, key):
    found = {"late": {"still_ms": still, "ttsp_ms": 300.0}, "idle": {"still_ms": 1.0, "ttsp_ms": usual}}
    monkeypatch.setattr(unfair, "spinner_ms", found.__getitem__)
    assert lessons.prediction("11-spin").classify("late", "idle").keys == {key}
