"""Notebook 14: which outcome of a question comes by what the runs show, and what solves an exercise."""

from types import SimpleNamespace

import pandas as pd
import pytest

from safepointlab.course import lessons
from safepointlab.course.nb14_guaranteed import experiments as guaranteed
from tests.course.conftest import classify

BUSY, REST = "5 10", "5 0"
JDKS = (8, 11, 17, 21, 25)
EACH_SECOND = (1.0, 2.0, 3.0, 4.0)


@pytest.fixture
def once(sweep):
    """A run for each JDK and case; `often` says where there is a stop each second."""

    def made(often, jdks=JDKS, collected=(), cases=(BUSY, REST)):
        points = [(jdk, case) for jdk in jdks for case in cases]
        return sweep(*[(jdk, case, EACH_SECOND if often(jdk, case) else (1.0,), collected) for jdk, case in points])

    return made


@pytest.mark.parametrize(
    ("often", "collected", "keys"),
    [
        (lambda jdk, case: True, (), {"clock"}),
        (lambda jdk, case: case == BUSY, (), {"change"}),
        (lambda jdk, case: case == BUSY and jdk < 23, (), {"old"}),
        (lambda jdk, case: False, (), {"never"}),
        (lambda jdk, case: case == REST, (), set()),
        (lambda jdk, case: True, [0.5], {"gc"}),
    ],
)
def test_who_is_stopped_each_second_tells_what_for(often, collected, keys, once):
    assert classify("14-once", once(often, collected=collected)).keys == keys


def test_with_other_call_sites_it_is_compared_and_with_one_case_alone_it_is_not(once):
    more = once(lambda jdk, case: case == "5 40", cases=("5 40", REST))
    assert classify("14-once", more).keys == {"change"} and "40 call-site changes" in classify("14-once", more).facts
    alone = classify("14-once", once(lambda jdk, case: True, cases=(BUSY,)))
    assert alone.keys == set() and "4 on JDK 8" in alone.facts


@pytest.mark.parametrize(
    ("clock_s", "keys"),
    [
        ((1.03, 2.03, 3.03, 4.03), {"none"}),
        ((1.03, 2.03, 3.51, 4.51), {"after"}),
        ((1.03, 2.03, 4.03, 5.03), {"skipped"}),
        ((1.03, 2.43, 3.51, 4.9), {"spread"}),
        ((1.03, 2.03, 3.25, 4.25), set()),
        ((1.03, 2.03), set()),
    ],
)
def test_where_the_stops_come_after_a_collection_tells_what_they_count_from(clock_s, keys, sweep):
    assert classify("14-phase", sweep((17, "5 10 0 2500", clock_s, [2.5]))).keys == keys


def test_places_are_compared_round_the_clock_and_without_a_collection_or_stops_not_at_all(sweep):
    across = sweep((17, "5 10 0 3200", (1.99, 2.99, 4.01, 5.01), [3.2]))
    assert classify("14-phase", across).keys == {"none"}
    assert classify("14-phase", sweep((17, BUSY, EACH_SECOND, []))).keys == set()
    assert classify("14-phase", sweep((25, "5 10 0 2500", (), [2.5]))).keys == set()


def grown(piles_up, intervals=(0, 1000)):
    rows = [
        (jdk, f"-Xms256m -XX:GuaranteedSafepointInterval={ms}", 200.0 if ms == 0 and piles_up(jdk) else 50.0)
        for jdk in JDKS
        for ms in intervals
    ]
    return pd.DataFrame(rows, columns=["jdk", "flags", "grown_mib"])


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
    assert classify("14-grown", grown(piles_up)).keys == keys
    assert classify("14-grown", grown(piles_up, (0, 200))).keys == keys


def test_without_one_of_the_two_kinds_of_runs_there_is_nothing_to_compare():
    assert classify("14-grown", grown(lambda jdk: True, (0,))).keys == set()
    assert classify("14-grown", grown(lambda jdk: True).assign(flags="")).keys == set()


FLAG, UNTIDY, OPERATION = (lessons.exercise(name) for name in ("14-1", "14-2", "14-3"))
MINE = "call(sites.get(0), triangle, 1); // only this method is yours to change"


@pytest.mark.live
@pytest.mark.parametrize(("flag", "solves"), [("-XX:+SafepointALot", True), ("-XX:+PrintCompilation", False)])
def test_a_flag_brings_the_stops_back_or_does_not(flag, solves):
    assert FLAG.judge(flag).holds is solves


@pytest.mark.live
@pytest.mark.parametrize(
    ("statement", "solves"),
    [
        ("call(sites.get(n), square, 1);", True),
        ("call(sites.get(n), triangle, 1);", False),
        ("call(sites.get(0), square, 1);", False),
        ("System.gc();", False),
    ],
)
def test_only_call_sites_that_still_change_leave_something_to_tidy_up(edited, statement, solves):
    assert UNTIDY.judge(edited("14-2", MINE, statement)).holds is solves


@pytest.mark.parametrize(
    ("name", "solves"),
    [("EnableBiasedLocking", True), ("enablebiasedlocking", True), ("no vm operation", False), ("Deoptimize", False)],
)
def test_the_operation_is_the_one_at_four_seconds(monkeypatch, name, solves):
    rows = [(2.0, "Deoptimize"), (4.03, "no vm operation"), (4.1, "EnableBiasedLocking")]
    log = pd.DataFrame(rows, columns=["begin_s", "operation"])
    monkeypatch.setattr(guaranteed, "once_a_second", lambda _: SimpleNamespace(safepoints=log))
    assert OPERATION.judge(name).holds is solves
