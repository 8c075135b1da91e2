"""Notebook 14's questions: by what a run shows, which of the outcomes came."""

from types import SimpleNamespace

import pandas as pd
import pytest

from safepointlab.course import lessons
from safepointlab.course.nb14_guaranteed import experiments as guaranteed
from safepointlab.course.nb14_guaranteed import when as guaranteed_when

BUSY, REST = (guaranteed_when.CASES[args] for args in (guaranteed.CHANGING, guaranteed.AT_REST))
JDKS = (8, 11, 17, 21, 25)


def once(often, jdks=JDKS, collections=0):
    """A row for each JDK and case; `often` says where there are five stops."""
    points = [(jdk, case) for jdk in jdks for case in (BUSY, REST)]
    rows = [(jdk, case, 5 if often(jdk, case) else 1, collections) for jdk, case in points]
    return pd.DataFrame(rows, columns=["jdk", "case", "stops", "collections"])


@pytest.mark.parametrize(
    ("often", "key"),
    [
        (lambda jdk, case: True, "clock"),
        (lambda jdk, case: case == BUSY, "change"),
        (lambda jdk, case: case == BUSY and jdk < 23, "old"),
        (lambda jdk, case: False, "never"),
    ],
)
def test_who_is_stopped_each_second_tells_what_for(often, key):
    assert lessons.prediction("14-once").classify(once(often)).keys == {key}


def test_collections_are_an_outcome_of_their_own():
    assert lessons.prediction("14-once").classify(once(lambda jdk, case: True, collections=2)).keys == {"gc"}


def test_stops_at_rest_only_are_none_of_these():
    assert lessons.prediction("14-once").classify(once(lambda jdk, case: case == REST)).keys == set()


def test_without_a_new_jdk_the_change_of_call_sites_decides():
    assert lessons.prediction("14-once").classify(once(lambda jdk, case: case == BUSY, jdks=(8, 17))).keys == {"change"}


def collected(begins_s, requested_s=2.5):
    """A run with periodic stops at these times, and a collection."""
    rows = [("Cleanup", begin_s) for begin_s in begins_s] + [("GenCollectFull", requested_s)]
    log = pd.DataFrame(rows, columns=["operation", "begin_s"]).sort_values("begin_s", ignore_index=True)
    return SimpleNamespace(safepoints=log.assign(total_ms=0.1, ttsp_ms=0.01, kind="safepoint"))


@pytest.mark.parametrize(
    ("begins_s", "keys"),
    [
        ((1.03, 2.03, 3.03, 4.03), {"none"}),
        ((1.03, 2.03, 3.51, 4.51), {"after"}),
        ((1.03, 2.03, 4.03, 5.03), {"skipped"}),
        ((1.03, 2.43, 3.51, 4.9), {"spread"}),
        ((1.03, 2.03, 3.25, 4.25), set()),
        ((1.03, 2.03), set()),
    ],
)
def test_where_the_stops_come_after_a_collection_tells_what_they_count_from(begins_s, keys):
    assert lessons.prediction("14-phase").classify({"asked": collected(begins_s)}).keys == keys


def test_places_in_the_second_are_compared_round_the_clock():
    across = collected((1.99, 2.99, 4.01, 5.01), requested_s=3.2)
    assert lessons.prediction("14-phase").classify({"asked": across}).keys == {"none"}


@pytest.mark.parametrize(
    ("begins_s", "elsewhere"), [((1.03, 2.03, 3.03, 4.03), False), ((1.03, 2.03, 3.51, 4.51), True)]
)
def test_the_title_says_that_the_stops_moved_only_where_they_did(begins_s, elsewhere):
    title = guaranteed_when.shifted({"asked": collected(begins_s)})
    assert ("at another place" in title) is elsewhere


def grown(piles_up):
    rows = [(jdk, ms, 200.0 if ms == 0 and piles_up(jdk) else 50.0) for jdk in JDKS for ms in (0, 1000)]
    return pd.DataFrame(rows, columns=["jdk", "interval", "grown_mib"])


@pytest.mark.parametrize(
    ("piles_up", "keys"),
    [
        (lambda jdk: False, {"none"}),
        (lambda jdk: jdk < 15, {"old"}),
        (lambda jdk: jdk < 23, {"all"}),
        (lambda jdk: 15 <= jdk < 23, {"new"}),
        (lambda jdk: jdk == 25, set()),
    ],
)
def test_where_the_process_grows_tells_who_takes_monitors_back(piles_up, keys):
    assert lessons.prediction("14-grown").classify(grown(piles_up)).keys == keys


@pytest.mark.parametrize(
    ("often", "title"),
    [
        (lambda jdk, case: case == BUSY and jdk < 23, "JDK 8 to 21 stop everybody once a second"),
        (lambda jdk, case: case == BUSY and jdk == 8, "JDK 8 stops everybody once a second"),
        (lambda jdk, case: False, "no JDK stops everybody each second"),
    ],
)
def test_the_title_names_the_jdks_that_stop_while_call_sites_change(often, title):
    assert title in guaranteed_when.who_is_stopped(once(often)).replace("\n", " ")


def test_the_title_names_the_jdks_that_never_stop():
    table = once(lambda jdk, case: jdk < 23)
    table.loc[table["jdk"] > 22, "stops"] = 0
    assert guaranteed_when.who_is_stopped(table).endswith("once a second; JDK 25 never")
