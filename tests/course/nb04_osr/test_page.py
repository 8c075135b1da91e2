"""Notebook 04's questions: by what a run shows, which of the outcomes came."""

import pandas as pd
import pytest

from safepointlab.course import lessons
from safepointlab.course.nb02_hang.experiments import TOP
from safepointlab.course.nb04_osr import experiments as osr

JDKS = (8, 17, 25)
LONGER, LESS, ALIKE = (76, 80), (20, 30), (30, 60)  # ns of two JVMs; the method takes 40 and 44


def pasts(cold, warm):
    """Two runs on each JDK, with these outcomes."""
    rows = [(jdk, f"600 2147483647 {n}", fate) for jdk in JDKS for n, fate in ((0, cold), (100_000, warm))]
    return pd.DataFrame(rows, columns=["jdk", "args", "outcome"]).assign(gc="Serial")


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
    assert lessons.prediction("04-past").classify(pasts(cold, warm)).keys == {key}


def test_jdks_that_disagree_about_the_past_are_none_of_these():
    mixed = pd.concat([pasts("exited", "hung"), pasts("exited", "exited")])
    assert lessons.prediction("04-past").classify(mixed).keys == set()


def test_without_a_third_argument_the_killer_task_makes_its_100_000_calls():
    short = pasts("exited", "hung").replace({"args": {"600 2147483647 100000": "600"}})
    assert lessons.prediction("04-past").classify(short).keys == {"production"}


@pytest.mark.parametrize(
    ("edited", "facts"),
    [
        (pasts("exited", "exited").assign(gc="G1"), "0 calls before: exited; 100,000 calls before: exited."),
        (pasts("exited", "hung").query("args.str.endswith(' 0')"), "0 calls before: exited."),
        (
            pasts("exited", "hung").replace({"args": {"600 2147483647 100000": "600 2147483647 2000"}}),
            "0 calls before: exited; 2,000 calls before: hung.",
        ),
    ],
)
def test_another_collector_or_number_of_calls_gives_facts_and_no_outcome(edited, facts):
    came = lessons.prediction("04-past").classify(edited)
    assert came.keys == frozenset() and came.facts == facts


def ways(default=False, forbidden=False, beforehand=False):
    hung = {"": default, osr.NO_OSR: forbidden, TOP: beforehand}
    rows = [(flags, "hung" if hung[flags] else "exited") for flags in hung for _ in range(3)]
    return pd.DataFrame(rows, columns=["flags", "outcome"]).assign(gc="Serial")


@pytest.mark.parametrize(
    ("runs", "keys"),
    [
        (ways(), {"neither"}),
        (ways(forbidden=True), {"forbidden"}),
        (ways(beforehand=True), {"beforehand"}),
        (ways(forbidden=True, beforehand=True), {"both"}),
        (ways(default=True, beforehand=True), set()),
        (ways(beforehand=True).assign(gc="G1"), set()),
        (ways(beforehand=True).query("flags != ''"), set()),
    ],
)
def test_a_way_around_osr_is_told_by_who_hangs(runs, keys):
    assert lessons.prediction("04-ways").classify(runs).keys == keys


def test_variants_that_disagree_are_none_of_these():
    runs = ways(beforehand=True)
    runs.loc[runs.index[-1], "outcome"] = "exited"
    came = lessons.prediction("04-ways").classify(runs)
    assert came.keys == set() and came.facts.endswith(f"and 2 of 3 with {TOP}.")


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
def test_two_kinds_are_told_apart_where_all_jvms_of_one_beat_all_of_the_other(homemade, inline, key):
    assert lessons.prediction("04-measured").classify(homemade(*inline)).keys == {key}


def test_what_came_names_the_jdks_of_each_side_together(homemade):
    assert lessons.prediction("04-measured").classify(homemade(LESS, LONGER, LONGER)).facts == (
        "In the harness the loop takes less time on 8 and takes longer on 17 and 25."
    )


def test_one_jvm_of_each_kind_tells_nothing_apart(homemade):
    alone = homemade(LONGER, LONGER).query("repeat == 0")
    assert lessons.prediction("04-measured").classify(alone).keys == {"alike"}


def test_a_kind_that_is_missing_or_there_with_two_collectors_gives_no_outcome(homemade):
    for edited in (
        homemade(LONGER).query("args.str.startswith('inline')"),
        pd.concat([homemade(LONGER), homemade(LONGER).assign(gc="G1")]),
    ):
        came = lessons.prediction("04-measured").classify(edited)
        assert came.keys == frozenset() and came.facts == "There are not two kinds to compare."
