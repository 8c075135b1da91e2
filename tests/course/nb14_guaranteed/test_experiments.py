"""The stop once a second: its samples, small, on every JDK that is here; and its judges, without any."""

from math import nan

import pytest

import safepointlab as lab
from safepointlab import jdks
from safepointlab.course import verdicts as claims
from safepointlab.course.nb14_guaranteed import experiments as guaranteed
from safepointlab.course.nb14_guaranteed import round_trips
from safepointlab.course.nb14_guaranteed.claims import ENOUGH_PAIRS, HDR, NAMES

JDKS = sorted({jdk.major for jdk in jdks.find()})
OLD = [jdk for jdk in JDKS if jdk < 23] or [8]
OFTEN, SHORT = guaranteed.interval(100), "1 40"  # a second, with ten stops instead of one; 40 call sites change in it


def judged(id, measured, jdk=17):
    return claims.find([id])[0].judge(measured, jdk).state


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
    irregular, named, stamps = (claims.find([id])[0].measure(jdk) for id in ("001-11", "001-03", "001-12"))
    assert irregular["longest gap, s"] > 1.5
    assert stamps["stops in both logs"] == named["stops"] >= 2


LOWER, HIGHER = (100.0, 140.0, 50.0, 55.0), (60.0, 62.0, 64.0, 66.0)  # lowest and highest, with stops and without


@pytest.mark.parametrize(
    ("ends", "pairs", "state"),
    [
        (LOWER, ENOUGH_PAIRS, "holds"),
        (HIGHER, ENOUGH_PAIRS, "fails"),
        ((100.0, 140.0, 50.0, 120.0), ENOUGH_PAIRS, "unclear"),
        ((9000.0, 9900.0, 4000.0, 4100.0), ENOUGH_PAIRS, "unclear"),  # noise that is longer than a stop
        (LOWER, 2, "unclear"),  # chance can be it
        (HIGHER, 2, "unclear"),
    ],
)
def test_maxima_are_told_apart_by_enough_pairs_of_jvms_where_a_stop_is_long_enough_to_show(ends, pairs, state):
    evidence = {"stops": 4, "pairs": pairs, "a stop, us": 90.0, **dict(zip(NAMES, ends, strict=True))}
    assert judged("001-06", evidence) == state
    assert judged("001-07", {**evidence, "median operation, us": 40.0}) == state


def test_where_there_are_no_stops_their_length_is_gone_and_the_rest_is_not_asked():
    none = {"stops": 0, "pairs": 0, "a stop, us": nan, **dict.fromkeys(NAMES, nan)}
    gone = {
        "001-02": {"gaps": 0, "off a whole second, ms": nan},
        "001-03": {"stops": 0, "name": ""},
        "001-05": {"stops": 0, "with 300000": 0},
        "001-06": none,
        "001-07": {**none, "median operation, us": 70.0},
        "001-11": {"gaps": 0, "longest gap, s": nan, "off a whole second, ms": nan},
        "001-12": {"stops in both logs": 0, "farthest apart, ms": nan},
    }
    assert {judged(id, measured, 25) for id, measured in gone.items()} == {"not asked"}
    assert judged("001-01", {"collections": 0, "stops": 0, "median_us": nan}, 25) == "changed"
