"""The stop once a second: its samples, small, on every JDK that is here; and its judges, without any."""

import pytest

from safepointlab import claims, jdks
from safepointlab.topics import guaranteed

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


def test_a_maximum_among_noise_that_is_longer_than_a_stop_is_nobodys_verdict():
    measured = {"longest us": 9000.0, "longest us with 0": 4000.0, "a stop, us": 90.0}
    assert judged("001-06", measured) == "unclear"


def test_where_there_are_no_stops_the_claims_about_them_have_changed():
    nan = float("nan")
    gone = {
        "001-01": {"seconds": 4, "collections": 0, "stops": 0, "stops, nothing to do": 0, "median us": nan},
        "001-02": {"gaps": 0, "off a multiple of 1 s, median ms": nan},
        "001-03": {"name": "no such stop"},
        "001-05": {"stops": 0, "with 300000": 0},
        "001-10": {"stop_us": nan, "at_us": nan, "between_us": nan},
    }
    assert {judged(id, measured, 25) for id, measured in gone.items()} == {"changed"}


def test_all_ten_statements_of_the_post_have_an_entry():
    assert [claim.id for claim in claims.everything() if claim.id.startswith("001-")] == [
        f"001-{n:02}" for n in range(1, 11)
    ]
