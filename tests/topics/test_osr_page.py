"""Notebook 04's questions: by what a run shows, which of the outcomes came."""

import pandas as pd
import pytest

from safepointlab.topics import osr, osr_measured, osr_page
from safepointlab.topics.hang import TOP

JDKS, SERIAL, G1 = (8, 17, 25), "Serial", "G1"


def pasts(cold, warm):
    """Two runs on each JDK, with these outcomes."""
    rows = [(jdk, past, fate) for jdk in JDKS for past, fate in zip(osr.PASTS.values(), (cold, warm), strict=True)]
    return pd.DataFrame(rows, columns=["jdk", "past", "outcome"])


@pytest.mark.parametrize(
    ("cold", "warm", "key"),
    [
        ("exited", "exited", "both-exit"),
        ("hung", "hung", "both-hang"),
        ("hung", "exited", "test"),
        ("exited", "hung", "production"),
    ],
)
def test_a_past_is_told_by_who_hangs(cold, warm, key):
    assert osr_page.PAST.came(pasts(cold, warm)).keys == {key}


def test_jdks_that_disagree_about_the_past_are_none_of_these():
    mixed = pd.concat([pasts("exited", "hung"), pasts("exited", "exited")])
    assert osr_page.PAST.came(mixed).keys == set()


def heard(deaf):
    """A row for each JDK, collector and past; `deaf` says which collections waited for the end of the loop."""
    points = [(jdk, gc, past) for jdk in JDKS for gc in (SERIAL, G1) for past in ("once", "often")]
    rows = [(*point, "at_its_end" if deaf(*point) else "in_mid_loop") for point in points]
    table = pd.DataFrame(rows, columns=["jdk", "gc", "args", "heard"])
    return table.assign(gc_ms=[900.0 if deaf(*point) else 2.0 for point in points])


@pytest.mark.parametrize(
    ("deaf", "keys"),
    [
        (lambda jdk, gc, past: False, {"nowhere"}),
        (lambda jdk, gc, past: past == "often", {"often"}),
        (lambda jdk, gc, past: past == "often" and (gc == SERIAL or jdk == 8), {"strips"}),
        (lambda jdk, gc, past: gc == SERIAL, {"serial"}),
        (lambda jdk, gc, past: past == "once", set()),
    ],
)
def test_a_request_is_told_by_where_it_waits(deaf, keys):
    assert osr_page.HEARD.came(heard(deaf)).keys == keys


def ways(default=False, forbidden=False, beforehand=False):
    hung = {osr.WAYS[""]: default, osr.WAYS[osr.NO_OSR]: forbidden, osr.WAYS[TOP]: beforehand}
    rows = [(way, "hung" if hung[way] else "exited") for way in hung for _ in range(3)]
    return pd.DataFrame(rows, columns=["way", "outcome"])


@pytest.mark.parametrize(
    ("runs", "keys"),
    [
        (ways(), {"neither"}),
        (ways(forbidden=True), {"forbidden"}),
        (ways(beforehand=True), {"beforehand"}),
        (ways(forbidden=True, beforehand=True), {"both"}),
        (ways(default=True, beforehand=True), set()),
    ],
)
def test_a_way_around_osr_is_told_by_who_hangs(runs, keys):
    assert osr_page.WAYS.came(runs).keys == keys


def test_variants_that_disagree_are_none_of_these():
    runs = ways(beforehand=True)
    runs.loc[runs.index[-1], "outcome"] = "exited"
    assert osr_page.WAYS.came(runs).keys == set()


def table(*inline):
    """The method takes 40 to 44 ns on each JDK, the loop in the harness from and to these ns."""
    rows = [
        (jdk, place, *ends)
        for jdk, found in zip(JDKS, inline, strict=False)
        for place, ends in ((osr.INLINE, found), (osr.METHOD, (40, 44)))
    ]
    return pd.DataFrame(rows, columns=["jdk", "place", "low", "high"])


LONGER, LESS, ALIKE = (76, 80), (20, 30), (30, 60)


@pytest.mark.parametrize(
    ("inline", "key"),
    [
        ([ALIKE, ALIKE], "alike"),
        ([LONGER, LONGER], "longer"),
        ([LESS, LESS], "less"),
        ([LESS, LONGER], "depends"),
        ([ALIKE, LONGER], "depends"),
    ],
)
def test_two_kinds_are_told_apart_where_all_jvms_of_one_beat_all_of_the_other(inline, key):
    assert osr_page.MEASURED.came(table(*inline)).keys == {key}


def test_the_title_names_the_jdks_on_either_side():
    title = osr_measured.finding(table(LESS, LONGER, ALIKE))
    assert title.endswith("takes longer on JDK 17, takes less on JDK 8, is not told apart on JDK 25")


def test_a_title_counts_the_hangs_of_each_group_and_those_that_have_none_together():
    assert osr.hanging(ways(beforehand=True), "way") == "compiled beforehand: 3 of 3 hang\nin all other cases: 0 of 6"
    assert osr.hanging(ways(), "way") == "no run hangs"
