"""Who waits for whom: the relations of notebook 11 hold on each JDK."""

import pandas as pd
import pytest

from safepointlab import jdks
from safepointlab.course import verdicts as claims
from safepointlab.course.nb11_unfair import experiments as unfair
from safepointlab.course.nb11_unfair.claims import TTSP_OWN, VICTIM_OWN, least, most
from safepointlab.course.nb11_unfair.claims_cures import PRICE, REFUSED
from safepointlab.errors import BadInput
from safepointlab.run import forks

JDKS = sorted({jdk.major for jdk in jdks.find()} & {8, 11, 17, 21, 25})


def judged(id, changes, jdk):
    """The verdict on the claim's own false evidence, with these numbers changed."""
    [claim] = claims.named([id])
    return claim.judge({**claim.refuted_by[0], **changes}, jdk).state


@pytest.mark.live
@pytest.mark.timed
@pytest.mark.parametrize("jdk", sorted({8, 17} & set(JDKS)))
def test_without_strip_mining_a_safepoint_waits_for_the_long_call(jdk):
    one, most = (unfair.ttsp_ms(unfair.somebody_asks(jdk, k)) for k in (1, unfair.MOST))
    assert most > 5 * one


@pytest.mark.live
@pytest.mark.timed
@pytest.mark.parametrize("jdk", JDKS)
def test_a_spinning_thread_stands_still_until_the_late_one_comes(jdk):
    late, nobody = (unfair.spinner_ms(unfair.spinner(jdk, iterations)) for iterations in (300, 0))
    assert late["still_ms"] > 0.8 * late["ttsp_ms"] > 2 * nobody["ttsp_ms"]


def measured(*flags, **settings):
    rows = {"flags": list(flags), "outcome": "measured", "jdk": 17, "gc": "Parallel", "k": unfair.MOST}
    return pd.DataFrame({**rows, **settings})


@pytest.fixture
def priced(monkeypatch):
    monkeypatch.setattr(unfair, "price", lambda frame, flags: pd.Series([1.0, 1.2 if flags else 1.01]))
    monkeypatch.setattr(unfair, "typical_unfairness", lambda frame, *by: pd.Series(4.0, index=frame["flags"]))
    waits = lambda frame, *by: frame.assign(ttsp_ms=[0.1 if flags else 40.0 for flags in frame["flags"]])  # noqa: E731
    monkeypatch.setattr(unfair, "waits", waits)


def test_what_a_cure_gives_and_costs_stands_in_one_row_and_without_a_cure_is_the_first(priced):
    table = unfair.cures_and_prices(measured("", unfair.KEEP_POLLS), measured(unfair.KEEP_POLLS, "", "-XX:+Own"))
    assert table["cure"].tolist() == ["no cure", "keep polls", "-XX:+Own"]
    assert table["ttsp_ms"].fillna(-1).tolist() == [40.0, 0.1, -1]
    assert table["largest_price"].tolist() == [1.01, 1.2, 1.2]


def test_a_cure_that_a_jdk_refuses_has_no_row(priced):
    flags = ["", unfair.KEEP_STRIPS]
    refused = measured(*flags, outcome=["measured", "not possible"])
    assert unfair.cures_and_prices(refused, refused)["cure"].tolist() == ["no cure"]


def test_prices_without_the_loop_as_it_is_or_of_two_jdks_are_refused(priced):
    with pytest.raises(BadInput, match="against the loop without one"):
        unfair.cures_and_prices(measured(unfair.KEEP_POLLS), measured(unfair.KEEP_POLLS))
    with pytest.raises(BadInput, match="one jdk at a time, and here are 8, 17"):
        unfair.cures_and_prices(measured(""), measured("", jdk=8))


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


def test_a_price_compares_the_two_fastest_forks_of_each_only(monkeypatch):
    """A host may run a core at half its speed for seconds: such forks are left out."""
    each = {"": [800.0, 1600.0, 810.0, 1590.0], "-XX:+Cure": [1700.0, 880.0, 1650.0, 880.0]}
    monkeypatch.setattr(forks, "bests", lambda frame, metric="score": pd.Series(each[frame["flags"].iloc[0]]))
    prices = pd.DataFrame({"flags": list(each)})
    assert unfair.price(prices, "-XX:+Cure").round(2).tolist() == [1.1, 1.09, 1.1, 1.09]
