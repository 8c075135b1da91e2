"""The stop once a second: its samples, small, on every JDK that is here; and its judges, without any."""

from math import nan

import pytest

import safepointlab as lab
from safepointlab import jdks
from safepointlab.course import verdicts as claims
from safepointlab.course.nb14_guaranteed import experiments as guaranteed
from safepointlab.course.nb14_guaranteed import round_trips
from safepointlab.course.nb14_guaranteed.claims import (
    APART,
    EACH,
    HDR,
    LINES,
    OFF,
    OTHER,
    PERIODIC_ROWS,
    ROWS,
    WITH,
    WITHOUT,
)
from tests.course.conftest import answer_of

JDKS = sorted({jdk.major for jdk in jdks.find()})
OLD = [jdk for jdk in JDKS if jdk < 23] or [8]
OFTEN, SHORT = guaranteed.interval(100), "1 40"  # a second, with ten stops instead of one; 40 call sites change in it


@pytest.mark.live
@pytest.mark.parametrize("jdk", JDKS or [8])
def test_a_program_that_leaves_something_to_tidy_up_is_stopped_up_to_22_and_not_after(jdk):
    assert (len(guaranteed.stops(guaranteed.once_a_second(jdk, OFTEN, SHORT))) >= 3) == (jdk < 23)
    assert guaranteed.stops(guaranteed.once_a_second(jdk, guaranteed.interval(0), SHORT)).empty


@pytest.mark.live
@pytest.mark.parametrize("jdk", OLD)
def test_a_round_trip_lasts_as_long_as_the_stop_that_it_met(jdk):
    beside = round_trips.beside(
        lab.java("guaranteed/PingPong", jdk, OFTEN, gc="Serial", args=SHORT, jars=HDR, log="safepoint", deadline=60)
    )
    assert len(beside) >= 3 and (beside["at_us"] > 0.7 * beside["stop_us"]).mean() > 0.5


@pytest.mark.live
@pytest.mark.parametrize("jdk", OLD)
def test_bursts_of_changes_leave_seconds_without_a_stop_and_each_stop_is_in_both_logs(jdk):
    gaps, logged = (claims.find([id])[0].measure(jdk) for id in ("001-02", "001-03"))
    assert max(gaps[OTHER]) > 1.5 * min(gaps[EACH])
    assert logged["rows of the table"] - logged["lines of the log on a stop"] in (0, 1)
    assert logged["rows of guaranteed stops"] >= 2


@pytest.mark.parametrize(("idle_mib", "said"), [(22.0, "differs"), (12.0, "unclear"), (None, "differs")])
def test_monitors_do_not_pile_up_only_where_without_any_who_takes_them_back_they_would(idle_mib, said):
    grown = {f"grown {WITH}, mib": [10.0, 11.0, 10.0], f"grown {WITHOUT}, mib": [10.0, 10.0, 11.0]}
    assert answer_of("001-08", grown | {"with no thread either, mib": idle_mib}) == said


QUIET = [48.0, 50.0, 55.0]  # the longest times of three JVMs without the stops, us


@pytest.mark.parametrize(
    ("with_stops", "without", "answer"),
    [
        ([100.0, 140.0, 220.0], QUIET, "holds"),
        ([47.0, 49.0, 58.0], QUIET, "differs"),
        ([52.0, 90.0, 140.0], QUIET, "unclear"),  # one of them is as quick as those without
        ([4000.0, 4100.0, 9000.0], [50.0, 60.0, 3000.0], "unclear"),  # noise that is longer than a stop
        ([100.0, 140.0], QUIET, "unclear"),  # chance can be it
        ([100.0, 140.0, 220.0], [], "unclear"),
    ],
)
def test_the_longest_times_of_jvms_are_compared_where_those_without_the_stops_agree(with_stops, without, answer):
    evidence = {"stops": 60, "a stop, us": 90.0, f"longest {WITH}, us": with_stops, f"longest {WITHOUT}, us": without}
    assert answer_of("001-06", evidence) == answer_of("001-07", evidence) == answer


def test_where_there_are_no_stops_what_is_said_of_them_is_not_applicable():
    none = {"stops": 0, "a stop, us": None, f"longest {WITH}, us": [50.0], f"longest {WITHOUT}, us": []}
    gone = {
        "001-02": {EACH: [], OTHER: [], OFF: None},
        "001-03": {LINES: 1, ROWS: 1, PERIODIC_ROWS: 0, "their name": "", APART: nan},
        "001-05": {"stops": 0, "stops with the interval raised": 0},
        "001-06": none,
        "001-07": none,
    }
    assert {answer_of(id, measured) for id, measured in gone.items()} == {"not applicable"}


def test_a_claim_that_there_are_stops_differs_without_any_and_one_stop_at_the_start_decides_nothing():
    evidence = {"collections": 0, "stops": 0, "a stop, us": None, "stops with an interval of 1000 ms": 0}
    assert answer_of("001-01", evidence) == "differs"
    assert answer_of("001-01", {**evidence, "stops": 1, "a stop, us": 90.0}) == "unclear"
