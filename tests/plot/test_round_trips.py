"""Round trips over time: the longest at each stop against the longest in as much time elsewhere."""

import matplotlib

matplotlib.use("agg")

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from safepointlab import plot
from safepointlab.plot import _alternative, _spans

TRIPS = pd.DataFrame({"begin_s": [0.0, 0.5, 0.99, 1.5, 2.0], "trip_us": [30.0, 900.0, 60_000.0, 40.0, 25.0]})
STOPS = pd.DataFrame({"begin_s": [1.0], "total_ms": [50.0]})
STEADY = pd.DataFrame({"begin_s": [n / 1000 for n in range(1000)], "trip_us": [100.0] * 1000})


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def title(ax) -> str:
    return " ".join(ax.get_title(loc="left").split())


def test_the_title_compares_the_longest_at_a_stop_with_the_longest_in_as_much_time_elsewhere():
    rare = STEADY.assign(trip_us=[30.0, 30.0, 30.0, 900.0] * 250)  # in each span of 10 ms there is one of 900 µs
    stop = STOPS.assign(begin_s=0.503, total_ms=10.0)
    told = "Stops of 10 ms hardly make round trips longer: at each 900 µs in the median, elsewhere 900 µs"
    assert title(plot.round_trips(rare, stop)) == told
    rare.loc[503, "trip_us"] = 9_000.0
    assert "10 ms make round trips longer: at each 9.0 ms in the median, elsewhere 900 µs" in title(
        plot.round_trips(rare, stop)
    )


def test_spans_in_which_none_was_noted_are_at_most_as_slow_as_the_quickest_noted():
    assert title(plot.round_trips(TRIPS, STOPS)) == (
        "Stops of 50 ms make round trips longer: at each 60 ms in the median, elsewhere 25 µs or less"
    )


def test_a_round_trip_at_a_stop_is_in_no_span_elsewhere():
    spans = _spans.elsewhere(TRIPS, STOPS, 2e-5)
    assert spans["trip_us"].max() == 900.0 and not spans["begin_s"].between(0.95, 1.04).any()
    assert len(_spans.elsewhere(STEADY, STOPS.assign(begin_s=0.5, total_ms=1.0), 0.0)) >= 997


def test_of_several_round_trips_at_one_stop_the_longest_counts():
    both = STOPS.assign(begin_s=0.9, total_ms=700.0)
    assert title(plot.round_trips(TRIPS, both)).endswith("at each 60 ms in the median, elsewhere 900 µs")


def test_a_trip_within_the_clocks_blur_of_a_stop_touches_it():
    near = STOPS.assign(begin_s=1.5001, total_ms=1.0)
    assert title(plot.round_trips(TRIPS, near)) == "No round trip touches a stop"
    assert "at each 40 µs" in title(plot.round_trips(TRIPS, near, blur_s=1e-3))


def test_of_many_spans_some_are_drawn_and_of_the_stops_all():
    dots, crosses = plot.round_trips(STEADY, STOPS.assign(begin_s=0.5, total_ms=0.2)).collections
    assert 400 < len(dots.get_offsets()) <= 900 and len(crosses.get_offsets()) == 1


def test_the_words_tell_of_both_kinds_apart():
    words = _alternative.of(plot.round_trips(TRIPS, STOPS).figure).replace("\N{NO-BREAK SPACE}", " ")
    assert "1 stop, 50 ms to 50 ms long. Noted round trips touch 1 of them; the longest at each takes 60 ms" in words
    assert (
        "spans elsewhere, each as long as a stop, it is 25 µs (median). 0.0% of these spans have one as long" in words
    )
