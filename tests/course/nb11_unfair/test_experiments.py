"""Who waits for whom: the relations of notebook 11 hold on each JDK, and its judges see them."""

import pandas as pd
import pytest

from safepointlab import jdks
from safepointlab.course import verdicts as claims
from safepointlab.course.nb11_unfair import experiments as unfair
from safepointlab.course.nb11_unfair.claims import (
    CULPRIT,
    IDLE,
    LATE,
    PRICE,
    REFUSED,
    STILL,
    TTSP_OWN,
    VICTIM_OWN,
    least,
    most,
)
from safepointlab.errors import BadInput
from safepointlab.run import forks

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


ALIKE, OWN = {most(CULPRIT): 1.1, least(CULPRIT): 1.0}, {least(VICTIM_OWN): 1.0, most(VICTIM_OWN): 1.1}


@pytest.mark.parametrize(
    ("id", "changes", "jdk", "state"),
    [
        # where the JDK's own collector polls the loop, what the post says is no longer so
        ("000-24", {"TTSP with K=1, ms": 0.1, TTSP_OWN: 0.2}, 8, "fails"),
        ("000-25", {**ALIKE, **OWN}, 17, "changed"),
        # all pairs of forks judge the price of kept polls
        ("000-26", {least(PRICE): 1.2, most(PRICE): 1.3}, 17, "holds"),
        ("000-26", {least(PRICE): 0.9, most(PRICE): 1.3}, 17, "unclear"),
        ("000-26", {least(PRICE): 0.9, most(PRICE): 1.02}, 17, "fails"),
        ("000-57", {REFUSED: "JDK 17 cannot parse it"}, 17, "not asked"),
    ],
)
def test_the_claims_own_false_evidence_is_judged_by_the_numbers_that_changed(id, changes, jdk, state):
    [claim] = claims.find([id])
    assert claim.judge({**claim.refuted_by[0], **changes}, jdk).state == state
