"""Round trips over time: the longest at each stop against the longest in as much time without one."""

from types import SimpleNamespace

import matplotlib

matplotlib.use("agg")

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from safepointlab.course.nb14_guaranteed.pictures.round_trips import round_trips, trips
from safepointlab.errors import BadInput
from safepointlab.plot import _alternative

STOPS = pd.DataFrame({"begin_s": [1.0], "total_ms": [50.0]})
SPANS = pd.DataFrame(
    {"begin_s": [0.99, 0.0, 0.5, 1.5], "trip_us": [60_000.0, 30.0, 900.0, 25.0], "at_stop": [True, False, False, False]}
)
MANY = pd.DataFrame({"begin_s": [n / 1000 for n in range(2000)], "trip_us": 100.0, "at_stop": False})


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def title(ax) -> str:
    return " ".join(ax.get_title(loc="left").split())


def of(frame, at_stop):
    return frame[frame["at_stop"] == at_stop]


def test_the_title_compares_the_longest_at_a_stop_with_the_others():
    assert title(trips(SPANS, STOPS)) == (
        "The longest round trip during a stop takes 60 ms (median of 1), in as much time without one 30 µs"
    )


def test_without_a_stop_or_without_a_trip_that_meets_one_the_title_says_so():
    assert title(trips(of(SPANS, False), STOPS)) == "No round trip touches a stop"
    assert title(trips(of(SPANS, False), STOPS[:0])).startswith("There was no stop")
    assert title(trips(of(SPANS, True), STOPS)).endswith("there are no others")


def test_of_many_spans_some_are_drawn_and_of_the_stops_all():
    ax = trips(pd.concat([SPANS[:1], MANY]), STOPS)
    drawn = {len(dots.get_offsets()) for dots in ax.collections} - {0}
    assert min(drawn) == 1 and 400 < max(drawn) <= 900


def test_the_axis_tells_which_part_of_the_spans_is_drawn_and_how_many_are_as_long_as_at_a_stop():
    some = pd.concat([SPANS[:1].assign(trip_us=150.0), MANY, MANY[:20].assign(trip_us=200.0)])
    assert "drawn is one dot of 3; 1.0 % of all 2,020 are" in trips(some, STOPS).get_xlabel()
    assert "drawn" not in trips(SPANS, STOPS).get_xlabel()


def test_where_trips_take_a_tenth_of_a_second_the_axis_counts_milliseconds():
    long = SPANS.assign(trip_us=[160_000.0, 700.0, 900.0, 800.0])
    names = [trips(frame, STOPS).get_ylabel() for frame in (SPANS, long)]
    assert names == ["round trip, µs (log)", "round trip, ms (log)"]


def test_the_words_tell_of_both_kinds_apart():
    words = _alternative.of(trips(SPANS, STOPS).figure).replace("\N{NO-BREAK SPACE}", " ")
    assert "1 stop, 50 ms to 50 ms long. Noted round trips touch 1 of them; the longest at each takes 60 ms" in words
    assert "In 3 spans elsewhere, each as long as a stop, it is 30 µs (median). 0.0 % of these spans" in words


def test_a_run_of_another_program_is_refused(tmp_path):
    run = SimpleNamespace(folder=tmp_path, major=17)
    with pytest.raises(BadInput, match="has no round trips. Give a run of guaranteed/PingPong"):
        round_trips(run)


def test_without_a_round_trip_it_draws_nothing():
    assert title(trips(SPANS[:0], STOPS)) == "No round trip was noted"
