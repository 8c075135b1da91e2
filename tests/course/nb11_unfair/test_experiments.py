"""Who waits for whom: the relations of notebook 11 hold on each JDK."""

import pandas as pd
import pytest

from safepointlab import claims, jdks
from safepointlab.course.nb11_unfair import experiments as unfair
from safepointlab.course.nb11_unfair import post as unfair_post
from safepointlab.course.nb11_unfair.claims import TTSP_OWN, VICTIM_OWN, least, most
from safepointlab.course.nb11_unfair.claims_cures import PRICE, REFUSED
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


def test_the_averages_of_the_stops_are_of_the_same_rows_so_that_a_handshake_makes_no_stop_shorter(monkeypatch):
    log = pd.DataFrame({"total_ms": [41.0, 43.0, 0.1], "ttsp_ms": [40.0, 42.0, None]})
    monkeypatch.setattr(unfair, "stops", lambda scores: log)
    scores = pd.DataFrame({"metric": ["contains1"], "score": [5.0]})
    assert list(unfair._averages(scores))[-2:] == [42.0, 41.0]


@pytest.mark.live
@pytest.mark.timed
def test_the_posts_table_has_its_numbers_beside_ours(monkeypatch):
    monkeypatch.setenv("SAFEPOINTLAB_PROFILE", "quick")
    table = unfair.table(JDKS[-1], "keep the call", lines=[1])
    assert table.loc[1, ("contains1ToK, us", "post")] == 40.0 and (table.loc[1].xs("here", level=1) > 0).all()


def test_all_lines_of_the_posts_tables_are_there():
    assert {tuple(table) for table in unfair_post.POST.values()} == {unfair_post.KS}
    assert set(unfair_post.POST) - {unfair_post.NOBODY, unfair_post.ZING} <= set(unfair.CURES.values())


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
