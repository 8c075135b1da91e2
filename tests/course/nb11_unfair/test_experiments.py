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
    PLAIN,
    PLAIN_SMALL,
    SEARCH,
    STILL,
    UNFAIR,
    UNFAIR_ILL,
    VICTIM,
    WELL,
    WITH_CURE,
    WITH_CURE_SMALL,
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


CURED = {ILL: [40.0, 41.0, 42.0], WELL: 0.1, UNFAIR_ILL: [4.6, 4.8], UNFAIR: [0.98, 1.0, 1.05]}
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
        ("000-26", {**CURED, UNFAIR: [1.0, 1.4, 1.5]}, "unclear"),
        ("000-26", {**CURED, UNFAIR_ILL: [1.2, 4.8]}, "unclear"),  # there is nothing to cure
        ("000-27", {**CURED, PLAIN: [10.0, 10.1, 10.2], WITH_CURE: [11.0, 11.3, 11.4]}, "holds"),
        ("000-27", {**CURED, PLAIN: [10.0, 10.1, 10.2], WITH_CURE: [11.4, 11.5, 11.8]}, "unclear"),
        ("000-27", {**CURED, PLAIN: [10.0, 10.1, 10.2], WITH_CURE: [13.4, 14.0, 14.2]}, "differs"),
        ("000-27", {**CURED, WELL: 40.0, PLAIN: [10.0] * 3, WITH_CURE: [10.0] * 3}, "differs"),
        ("000-28", {**CURED, PLAIN: [1.0, 1.0, 1.1], WITH_CURE: [60.0, 61.0, 62.0]}, "holds"),
        ("000-28", {**CURED, PLAIN: [1.0, 1.0, 1.1], WITH_CURE: [1.0, 1.0, 1.1]}, "differs"),
    ],
)
def test_the_claims_are_decided_where_all_pairs_say_the_same(id, evidence, answer):
    assert answer_of(id, evidence) == answer


@pytest.mark.parametrize(("price", "said"), [(0.95, "differs"), (1.02, "unclear"), (1.2, "holds")])
def test_a_price_with_a_small_array_counts_where_all_its_pairs_are_above_those_with_a_large_one(price, said):
    small = dict(zip((PLAIN_SMALL, WITH_CURE_SMALL), priced(price).values(), strict=True))
    assert answer_of("000-44", {**priced(1.0), **small}) == said


@pytest.mark.parametrize(("price", "word"), [(1.01, "within"), (1.14, "beyond")])
def test_the_reason_says_whether_a_price_is_more_than_the_jvms_own_scatter(price, word):
    [claim] = claims.find(["000-27"])
    why = claim.judge({**CURED, **priced(price)}).why
    assert f"{word} what the fastest JVMs with equal flags differ by (1.020 times)" in why


def priced(price):
    """Three JVMs without the cure, which differ by 2 %, and three with it."""
    return {PLAIN: [100.0, 101.0, 102.0], WITH_CURE: [price * us for us in (100.0, 101.0, 102.0)]}
