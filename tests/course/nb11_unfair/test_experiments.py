"""Who waits for whom: the relations of notebook 11 hold on each JDK, and its judges see them."""

import pandas as pd
import pytest

from safepointlab import jdks
from safepointlab.course import verdicts as claims
from safepointlab.course.nb11_unfair import experiments as unfair
from safepointlab.course.nb11_unfair.claims import (
    BESIDE,
    CALL,
    CULPRIT,
    FIRST,
    IDLE,
    ILL,
    LAST,
    LATE,
    PARKER,
    PRICE,
    PRICE_SMALL,
    SEARCH,
    STILL,
    UNFAIR,
    VICTIM,
    WELL,
)
from safepointlab.errors import BadInput
from safepointlab.run import forks
from tests.course.conftest import answer_of

JDKS = sorted({jdk.major for jdk in jdks.find()} & {8, 11, 17, 21, 25})
CURE = "-XX:+Cure"


@pytest.mark.live
@pytest.mark.timed
@pytest.mark.parametrize("jdk", JDKS)
def test_a_spinning_thread_stands_still_until_the_late_one_comes(jdk):
    measured = claims.find(["000-42"])[0].measure(jdk)
    assert measured[STILL] > 0.8 * measured[LATE] > 2 * measured[IDLE]


@pytest.fixture
def cured(monkeypatch, logged):
    """cured({flags: ttsp_ms}): rows of lab.jmh with these waits; a search takes the victim four times as long."""
    searches = {"contains1": 4.0, "contains1ToK": 1.0 * unfair.MOST}
    iterations = lambda _, name: pd.DataFrame({"repeat": [0], "iteration": [0], "value": searches[name]})  # noqa: E731
    monkeypatch.setattr(forks, "iterations", iterations)
    settings = {"outcome": "measured", "jdk": 17, "gc": "Parallel", "k": unfair.MOST, "repeat": 0}
    return lambda waits: pd.DataFrame([{"flags": name, "run": logged(ms), **settings} for name, ms in waits.items()])


@pytest.fixture
def prices(monkeypatch):
    """prices("", flags): rows of lab.jmh; with flags the two fastest forks take 1.1 times as long."""
    calls = {True: [800.0, 1600.0, 810.0, 1590.0], False: [1700.0, 880.0, 1650.0, 880.0]}
    monkeypatch.setattr(forks, "bests", lambda rows, metric="score": pd.Series(calls[rows["flags"].iloc[0] == ""]))
    settings = {"outcome": "measured", "jdk": 17, "gc": "Parallel"}
    return lambda *flags: pd.DataFrame({"flags": list(flags), **settings})


def test_what_a_cure_gives_and_costs_is_one_row_and_that_without_a_cure_is_the_first(cured, prices):
    waits = cured({"": 40.0, unfair.KEEP_POLLS: 0.1})
    table = unfair.cures_and_prices(waits, prices(unfair.KEEP_POLLS, "", CURE))
    assert table["cure"].tolist() == ["no cure", "keep polls", CURE]
    assert table["ttsp_ms"].fillna(-1).tolist() == [40.0, 0.1, -1]
    assert table["unfairness"].fillna(-1).tolist() == [4.0, 4.0, -1]
    assert table["largest_price"].round(2).tolist() == [1.01, 1.1, 1.1]


def test_a_price_compares_the_two_fastest_forks_of_each_only(prices):
    """A host may run a core at half its speed for seconds: such forks are left out."""
    assert unfair.price(prices("", CURE), CURE).round(2).tolist() == [1.1, 1.09, 1.1, 1.09]


def test_a_cure_that_a_jdk_refuses_has_no_row(cured, prices):
    outcomes = ["measured", "not possible"]
    waits = cured({"": 40.0, unfair.KEEP_STRIPS: 0.1}).assign(outcome=outcomes)
    refused = prices("", unfair.KEEP_STRIPS).assign(outcome=outcomes)
    assert unfair.cures_and_prices(waits, refused)["cure"].tolist() == ["no cure"]


def test_prices_without_the_loop_as_it_is_or_of_two_jdks_are_refused(cured, prices):
    with pytest.raises(BadInput, match="against the loop without one"):
        unfair.cures_and_prices(cured({CURE: 0.1}), prices(CURE))
    with pytest.raises(BadInput, match="one jdk at a time, and here are 8, 17"):
        unfair.cures_and_prices(cured({"": 40.0}), prices("").assign(jdk=8))


CURED = {ILL: [40.0, 41.0, 42.0], WELL: 0.1, UNFAIR: [0.98, 1.0, 1.05]}
PAYS = {VICTIM: [4.4, 4.5, 5.0], CULPRIT: [1.0, 1.03, 1.1], PARKER: [2.6, 2.7, 2.7]}


@pytest.mark.parametrize(
    ("id", "evidence", "answer"),
    [
        ("000-23", {SEARCH: [0.97, 1.0, 1.02], BESIDE: [1.0, 1.1, 1.29]}, "holds"),
        ("000-23", {SEARCH: [0.97, 1.0, 1.02], BESIDE: [1.0, 1.1, 1.5]}, "unclear"),
        ("000-23", {SEARCH: [0.4, 0.5, 0.5], BESIDE: [1.0, 1.0, 1.0]}, "differs"),
        ("000-24", {FIRST: 0.1, LAST: [152.8, 150.0, 155.0], CALL: 346.0}, "holds"),
        ("000-24", {FIRST: 0.1, LAST: [0.1, 0.1, 0.1], CALL: 50.0}, "differs"),
        ("000-24", {FIRST: 12.0, LAST: [40.0, 40.0, 40.0], CALL: 50.0}, "unclear"),
        ("000-25", PAYS, "holds"),
        ("000-25", {**PAYS, VICTIM: [1.0, 1.0, 1.1], PARKER: [1.0, 1.0, 1.1]}, "differs"),
        ("000-25", {**PAYS, VICTIM: [1.0, 1.0, 1.1]}, "unclear"),
        ("000-25", {**PAYS, PARKER: [1.0, 1.0, 1.1]}, "unclear"),
        ("000-25", {**PAYS, CULPRIT: [1.4, 2.0, 3.0]}, "differs"),
        ("000-25", {**PAYS, CULPRIT: [1.0, 1.0, 1.4]}, "unclear"),
        ("000-42", {STILL: 210.0, LATE: 211.0, IDLE: 0.1}, "holds"),
        ("000-42", {STILL: 0.2, LATE: 0.2, IDLE: 0.1}, "unclear"),
        ("000-26", CURED, "holds"),
        ("000-26", {**CURED, WELL: 40.0}, "differs"),
        ("000-26", {**CURED, UNFAIR: [1.0, 1.0, 1.5]}, "unclear"),
        ("000-27", {**CURED, PRICE: [0.93, 1.0, 1.05]}, "holds"),
        ("000-27", {**CURED, PRICE: [0.93, 1.0, 1.2]}, "unclear"),
        ("000-27", {**CURED, PRICE: [1.09, 1.3, 1.4]}, "unclear"),
        ("000-27", {**CURED, PRICE: [1.31, 1.35, 1.4]}, "differs"),
        ("000-27", {**CURED, WELL: 40.0, PRICE: [0.93, 1.0, 1.05]}, "differs"),
        ("000-28", {**CURED, PRICE: [60.0, 61.0, 62.0]}, "holds"),
        ("000-28", {**CURED, PRICE: [1.0, 1.0, 1.1]}, "differs"),
    ],
)
def test_the_claims_are_decided_where_all_pairs_say_the_same(id, evidence, answer):
    assert answer_of(id, evidence) == answer


@pytest.mark.parametrize("price", [0.99, 1.04, 1.07, 1.09, 1.13, 1.3])
def test_no_price_is_nothing_with_a_large_array_and_another_story_with_a_small_one(price):
    """000-27 and 000-44 speak of one ratio, so the word of one excludes that of the other."""
    nothing, another = (claims.find([id])[0].judge for id in ("000-27", "000-44"))
    prices = [price] * 3
    free = nothing({**CURED, PRICE: prices}).answer == "holds"
    dear = another({PRICE: [0.9, 0.9, 0.9], PRICE_SMALL: prices}).answer == "holds"
    assert free != dear
