"""The titles of notebook 22's pictures: each says what was measured, with numbers of the run that is drawn."""

import pandas as pd
import pytest

from safepointlab.course.nb22_omission import experiments as omission
from safepointlab.course.nb22_omission import titles as omission_titles
from safepointlab.read import hdr

STOPS = pd.DataFrame({"begin_s": [2.0, 6.0], "total_ms": [800.0, 800.0]})
NONE = "none over 100 ms after it was sent"


def intervals(*p99s):
    """An interval each 0.25 s from 2.6 s on, and the like after the second stop."""
    starts = [2.6, 2.85, 3.1, 6.6, 6.85, 7.1]
    return pd.DataFrame({"start_s": starts, "length_s": 0.25, "p99": p99s, "p50": p99s})


@pytest.mark.parametrize(
    ("service_ms", "sent"),
    [
        ([1.0, 2.0, 101.0, 1.0], "one over 100 ms after it was sent"),
        ([1.0, 2.0, 99.0, 1.0], NONE),
        ([1.0, 200.0, 201.0, 1.0], "2 over 100 ms after they were sent"),
    ],
)
def test_the_title_counts_the_late_reads_by_either_clock(monkeypatch, service_ms, sent):
    lines = {"service": service_ms, "response": [1.0, 700.0, 800.0, 2.0]}
    monkeypatch.setattr(hdr, "values", lambda name: pd.DataFrame({"value": lines[name], "count": 1}))
    title = omission_titles.late_by_clock({name: name for name in lines}).replace("\n", " ")
    assert title == f"2 of 4 reads were answered over 100 ms after they were due, {sent}"


def test_a_stop_is_seen_by_the_measure_whose_p99_is_half_as_long_soon_after_it():
    clocks = {"service": intervals(1, 1, 1, 790, 1, 1), "response": intervals(2, 780, 100, 790, 770, 90)}
    title = omission_titles.stops_seen(clocks, STOPS).replace("\n", " ")
    assert title == "Response p99 is 780 ms or more after both stops of 0.8 s; service p99 shows only one of them"


def test_a_measure_that_shows_no_stop_and_one_that_shows_all_are_told_so():
    response = intervals(2, 780, 100, 790, 770, 90)
    unseen = omission_titles.stops_seen({"service": intervals(1, 1, 1, 1, 1, 1), "response": response}, STOPS)
    same = omission_titles.stops_seen({"service": response, "response": response}, STOPS)
    assert unseen.endswith("service p99 shows none of them") and same.endswith("service p99 shows the same")


def test_the_growth_is_told_by_the_first_and_the_last_median():
    title = omission_titles.growing(intervals(34.4, 93, 156, 220, 348, 473))
    assert title == "A third too many requests: the median response\ngrows from 34 to 473 ms in 7 s"


@pytest.fixture
def whole(monkeypatch):
    """Intervals are named by what all of them together say."""
    monkeypatch.setattr(hdr, "unite", lambda part, by: pd.DataFrame([part]))


def test_a_closed_loop_is_told_by_its_99th_percentile_and_its_maximum(monkeypatch, whole):
    monkeypatch.setattr(omission, "clocks", lambda run: {"service": {"p99": 4.1, "max": 529.3}})
    title = omission_titles.closed(None).replace("\n", " ")
    assert title == "A closed loop: 99 % of the reads took 4.1 ms at most, the few under way in a stop up to 529 ms"


def test_an_overload_is_told_by_the_medians(whole):
    medians = {"limiter, service": 4.0, "schedule, service": 3.9, "schedule, response": 256.4}
    title = omission_titles.overload({name: {"p50": median} for name, median in medians.items()})
    assert title.endswith("shows the overload:\nmedian 256 ms, the other two 4 ms")
