"""Notebook 11's questions: by what the runs show, which of the outcomes came, and what an edited cell gets."""

import pandas as pd
import pytest

from safepointlab.course import lessons
from safepointlab.course.nb11_unfair import experiments as unfair

SETTINGS = {"jdk": 17, "gc": "Parallel", "flags": "", "k": unfair.MOST}


def scores(victim=3.0, culprit=1.0, **settings):
    """Rows of lab.jmh without and with a thread that asks: how many times as long the two searches take then."""
    calls = {"contains1": (5.0, victim), "contains1ToK": (50_000.0, culprit), "park": (10_000.0, 2.0)}
    rows = [(f"contains1=1 findDeadlocks={n} park=1", name, us * (times if n else 1), f"run {n}")
            for n in (0, 1) for name, (us, times) in calls.items()]  # fmt: skip
    return pd.DataFrame(rows, columns=["groups", "metric", "median", "run"]).assign(**{**SETTINGS, **settings})


def payer(frame):
    return lessons.prediction("11-payer").classify(frame)


@pytest.mark.parametrize(
    ("victim", "culprit", "key"), [(3, 1, "victim"), (1, 3, "culprit"), (3, 3, "both"), (1.1, 0.9, "neither")]
)
def test_who_pays_is_told_by_both_searches(victim, culprit, key):
    assert payer(scores(victim, culprit)).keys == {key}


def test_with_another_collector_who_pays_is_still_told_by_both_searches():
    assert payer(scores(1.05, 1.0, gc="G1")).keys == {"neither"}


@pytest.mark.parametrize(
    ("edit", "says"),
    [
        (lambda frame: frame[frame["groups"].str.contains("=0")], "were not measured with and without"),
        (lambda frame: frame.iloc[:0], "were not measured with and without"),
        (lambda frame: pd.concat([frame, scores(jdk=8)]), "3.0 times as long as before"),
        (lambda frame: pd.concat([frame, scores(k=1)]), "3.0 times as long as before"),
    ],
    ids=["nobody asks", "nothing", "two JDKs", "two Ks"],
)
def test_where_the_two_settings_cannot_be_compared_no_outcome_came(edit, says):
    came = payer(edit(scores()))
    assert came.keys == frozenset() and says in came.facts


@pytest.fixture
def waits(monkeypatch):
    """waits(grows, collectors, ks): rows of lab.jmh whose log has waits that grow with K for some collectors."""

    def rows(grows, collectors=("Parallel", "G1"), ks=(1, unfair.MOST), **settings):
        points = [(gc, k, 40.0 if gc in grows and k > 1 else 0.1) for gc in collectors for k in ks]
        log = pd.DataFrame(points, columns=["gc", "k", "ttsp_ms"])
        monkeypatch.setattr(unfair, "waits", lambda *_: log)
        return log.drop(columns="ttsp_ms").assign(**{"jdk": 17, "flags": "", **settings})

    return rows


def by_k(frame):
    return lessons.prediction("11-k").classify(frame)


@pytest.mark.parametrize(
    ("grows", "key"), [(("Parallel",), "parallel"), (("G1",), "g1"), (("Parallel", "G1"), "both"), ((), "neither")]
)
def test_the_wait_grows_with_k_with_some_collectors(waits, grows, key):
    assert by_k(waits(grows)).keys == {key}


def test_the_facts_say_from_what_to_what_the_wait_goes(waits):
    said = "From K=1 to 10,000 the median wait goes from 0.1 to 40.0 ms with Parallel, from 0.1 to 0.1 ms with G1."
    assert by_k(waits(("Parallel",))).facts == said


def test_with_other_collectors_or_one_k_there_are_facts_and_no_outcome(waits):
    other = by_k(waits(("Serial",), collectors=("Serial", "Z")))
    assert other.keys == frozenset() and "40.0 ms with Serial, from 0.1 to 0.1 ms with Z" in other.facts
    one = by_k(waits(("Parallel",), ks=(100,)))
    assert (
        one.keys == frozenset() and one.facts == "With K=100 the median wait is 40.0 ms with Parallel, 0.1 ms with G1."
    )
    assert by_k(pd.concat([waits(("Parallel",)), waits(("Parallel",), jdk=8)])).keys == frozenset()


def prices(*flags, **settings):
    return pd.DataFrame({**SETTINGS, "flags": list(flags), "outcome": "measured", **settings})


@pytest.mark.parametrize(("times", "key"), [(1.02, "hardly"), (2.0, "some"), (9.0, "many"), (50.0, "most")])
def test_the_price_of_the_exclusion_is_the_median_of_its_pairs(monkeypatch, times, key):
    monkeypatch.setattr(unfair, "price", lambda *_: pd.Series([times, times, 99.0]))
    assert lessons.prediction("11-exclude").classify(prices("", unfair.EXCLUDE)).keys == {key}


def test_prices_without_that_exclusion_or_of_two_jdks_are_no_answer(monkeypatch):
    monkeypatch.setattr(unfair, "price", lambda *_: pd.Series([9.0]))
    classify = lessons.prediction("11-exclude").classify
    assert "was not measured with and without" in classify(prices("")).facts
    refused = prices("", unfair.EXCLUDE, outcome=["measured", "not possible"])
    both = pd.concat([prices("", unfair.EXCLUDE), prices("", unfair.EXCLUDE, jdk=8)])
    assert [classify(frame).keys for frame in (prices(""), refused, both)] == [frozenset()] * 3


def spin(monkeypatch, still, wait, usual):
    found = {"late": {"still_ms": still, "ttsp_ms": wait}, "idle": {"still_ms": 1.0, "ttsp_ms": usual}}
    monkeypatch.setattr(unfair, "spinner_ms", found.__getitem__)
    return lessons.prediction("11-spin").classify("late", "idle")


@pytest.mark.parametrize(
    ("still", "usual", "key"),
    [(300.0, 1.0, "stands"), (20.0, 1.0, "spins"), (100.0, 1.0, "moment"), (300.0, 250.0, "late")],
)
def test_a_spinner_stands_spins_on_or_is_late_itself(monkeypatch, still, usual, key):
    assert spin(monkeypatch, still, 300.0, usual).keys == {key}


def test_where_nobody_is_late_nothing_is_learnt_of_the_spinner(monkeypatch):
    came = spin(monkeypatch, still=0.3, wait=0.2, usual=0.2)
    assert came.keys == frozenset() and came.facts == "Nobody was late: the longest time to safepoint was 0.2 ms."
