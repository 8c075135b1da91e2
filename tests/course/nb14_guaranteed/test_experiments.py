"""The stop once a second: its samples, small, on every JDK that is here; and its judges, without any."""

import pytest

from safepointlab import jdks
from safepointlab.course import verdicts as claims
from safepointlab.course.nb14_guaranteed import experiments as guaranteed
from safepointlab.course.nb14_guaranteed import logs as guaranteed_logs
from safepointlab.course.nb14_guaranteed.claims_noticed import ENOUGH_PAIRS, NAMES

JDKS = sorted({jdk.major for jdk in jdks.find()})
OFTEN_MS, SHORT = 100, "1 40"  # a second, with ten stops instead of one; 40 call sites change in it

each_jdk = pytest.mark.parametrize("jdk", JDKS or [8])


def judged(id, measured, jdk=17):
    return claims.named([id])[0].judge(measured, jdk).state


def stops(jdk, ms):
    return guaranteed.stops(guaranteed.once_a_second(jdk, guaranteed.interval(ms), SHORT))


@pytest.mark.live
@each_jdk
def test_a_program_that_leaves_something_to_tidy_up_is_stopped_up_to_22_and_not_after(jdk):
    assert (len(stops(jdk, OFTEN_MS)) >= 3) == (jdk < 23)


@pytest.mark.live
@pytest.mark.parametrize("jdk", [jdk for jdk in JDKS if jdk < 23] or [8])
def test_without_an_interval_there_is_no_such_stop(jdk):
    assert stops(jdk, 0).empty


@pytest.mark.live
@pytest.mark.parametrize("jdk", [jdk for jdk in JDKS if jdk < 23] or [8])
def test_a_round_trip_lasts_as_long_as_the_stop_that_it_met(jdk):
    beside = guaranteed.beside(guaranteed.ping_pong(jdk, OFTEN_MS, SHORT))
    assert len(beside) >= 3 and (beside["at_us"] > 0.7 * beside["stop_us"]).mean() > 0.5


def longest(with_stops, without, **more):
    ends = dict(zip(NAMES, (*with_stops, *without), strict=True))
    return {"stops": 4, "pairs": ENOUGH_PAIRS, "a stop, us": 90.0, **ends, **more}


@pytest.mark.live
@pytest.mark.parametrize("jdk", [jdk for jdk in JDKS if jdk < 23] or [8])
def test_bursts_of_changes_two_seconds_apart_leave_seconds_without_a_stop(jdk):
    assert guaranteed.spacing(guaranteed.now_and_then(jdk)).max() > 1.5


@pytest.mark.live
@pytest.mark.parametrize("jdk", [jdk for jdk in JDKS if jdk < 23] or [8])
def test_each_stop_is_in_both_logs(jdk):
    run = guaranteed_logs.with_table(jdk)
    assert len(guaranteed_logs.apart_ms(run)) == len(guaranteed.stops(run)) >= 2


def test_a_maximum_among_noise_that_is_longer_than_a_stop_is_nobodys_verdict():
    assert judged("001-06", longest((9000.0, 9900.0), (4000.0, 4100.0))) == "unclear"
    assert judged("001-06", longest((100.0, 140.0), (50.0, 55.0))) == "holds"
    assert judged("001-06", longest((100.0, 140.0), (50.0, 120.0))) == "unclear"


def test_a_maximum_that_is_lower_in_each_of_two_pairs_of_jvms_is_not_told_apart_whichever_way():
    lower, higher = longest((100.0, 140.0), (50.0, 55.0)), longest((60.0, 62.0), (64.0, 66.0))
    for pairs, states in ((2, ("unclear", "unclear")), (ENOUGH_PAIRS, ("holds", "fails"))):
        for id, more in (("001-06", {}), ("001-07", {"median operation, us": 40.0})):
            found = tuple(judged(id, {**each, **more, "pairs": pairs}) for each in (lower, higher))
            assert found == states


def test_where_there_are_no_stops_their_length_is_gone_and_the_rest_is_not_asked():
    nan = float("nan")
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


def test_all_statements_of_the_post_have_an_entry():
    assert [claim.id for claim in claims.everything() if claim.id.startswith("001-")] == [
        f"001-{n:02}" for n in range(1, 14)
    ]
