"""Who waits for whom: the relations of notebook 11 hold on each JDK, and its judges see them."""

import pandas as pd
import pytest

from safepointlab import jdks
from safepointlab.course import verdicts as claims
from safepointlab.course.nb11_unfair import experiments as unfair
from safepointlab.course.nb11_unfair.claims import IDLE, LATE, PRICE, REFUSED, STILL, TTSP_OWN, VICTIM_OWN, least, most
from safepointlab.errors import BadInput
from safepointlab.run import forks
from safepointlab.run.stops import stops

JDKS = sorted({jdk.major for jdk in jdks.find()} & {8, 11, 17, 21, 25})
CURE = "-XX:+Cure"


def judged(id, changes, jdk):
    """The verdict on the claim's own false evidence, with these numbers changed."""
    [claim] = claims.named([id])
    return claim.judge({**claim.refuted_by[0], **changes}, jdk).state


@pytest.mark.live
@pytest.mark.timed
@pytest.mark.parametrize("jdk", sorted({8, 17} & set(JDKS)))
def test_without_strip_mining_a_safepoint_waits_for_the_long_call(jdk):
    waits = [stops(unfair.searches(jdk, k), unfair.DEADLOCKS)["ttsp_ms"].median() for k in (1, unfair.MOST)]
    assert waits[1] > 5 * waits[0]


@pytest.mark.live
@pytest.mark.timed
@pytest.mark.parametrize("jdk", JDKS)
def test_a_spinning_thread_stands_still_until_the_late_one_comes(jdk):
    measured = claims.named(["000-42"])[0].measure(jdk)
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


@pytest.mark.parametrize(("jdk", "state"), [(8, "fails"), (17, "changed"), (28, "changed")])
def test_where_the_jdks_own_collector_polls_the_loop_what_the_post_says_is_no_longer_so(jdk, state):
    assert judged("000-24", {"TTSP with K=1, ms": 0.1, TTSP_OWN: 0.2}, jdk) == state
    others = {most("contains1ToK asked by not asked"): 1.1, least("contains1ToK asked by not asked"): 1.0}
    assert judged("000-25", {**others, least(VICTIM_OWN): 1.0, most(VICTIM_OWN): 1.1}, jdk) == state


def test_an_option_that_a_jdk_refuses_is_not_asked():
    assert judged("000-57", {REFUSED: "JDK 17 cannot parse it"}, 17) == "not asked"


@pytest.mark.parametrize(
    ("low", "high", "state"), [(1.2, 1.3, "holds"), (0.9, 1.3, "unclear"), (0.9, 1.02, "fails"), (0.5, 1.0, "unclear")]
)
def test_the_price_of_kept_polls_is_judged_by_all_pairs_of_forks(low, high, state):
    assert judged("000-26", {least(PRICE): low, most(PRICE): high}, 17) == state
