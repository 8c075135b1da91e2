"""Round trips over time: which of them touch a stop, and the longest of both kinds."""

import matplotlib

matplotlib.use("agg")

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from safepointlab import plot
from safepointlab.plot import _alternative

TRIPS = pd.DataFrame({"begin_s": [0.0, 0.5, 0.99, 1.5, 2.0], "trip_us": [30.0, 900.0, 60_000.0, 40.0, 25.0]})
STOPS = pd.DataFrame({"begin_s": [1.0], "total_ms": [50.0]})


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def title(ax) -> str:
    return " ".join(ax.get_title(loc="left").split())


def test_the_longest_of_both_kinds_are_in_the_title():
    wanted = "The longest round trip, 60 ms, touches a stop; between stops it is 900 µs"
    assert title(plot.round_trips(TRIPS, STOPS)) == wanted


def test_a_longer_one_between_the_stops_is_told():
    later = STOPS.assign(begin_s=1.49, total_ms=20.0)
    assert title(plot.round_trips(TRIPS, later)) == "The longest round trip, 60 ms, is no stop's: at a stop it is 40 µs"


def test_a_trip_within_the_clocks_blur_of_a_stop_touches_it():
    near = STOPS.assign(begin_s=1.5001, total_ms=1.0)
    assert title(plot.round_trips(TRIPS, near)).startswith("No round trip touches a stop")
    assert "at a stop it is 40 µs" in title(plot.round_trips(TRIPS, near, blur_s=1e-3))


def test_of_many_in_a_moment_the_longest_is_drawn():
    many = pd.DataFrame({"begin_s": [n / 1e6 for n in range(5000)] + [10.0], "trip_us": [30.0] * 4999 + [99.0, 30.0]})
    [dots] = plot.round_trips(many, STOPS.iloc[:0]).collections
    assert len(dots.get_offsets()) == 2 and dots.get_offsets()[:, 1].max() == 99.0


def test_the_words_count_the_stops_and_what_touches_them():
    words = _alternative.of(plot.round_trips(TRIPS, STOPS).figure).replace("\N{NO-BREAK SPACE}", " ")
    assert "1 stops, the longest of 50 ms; 1 of 5 noted round trips touch one" in words
