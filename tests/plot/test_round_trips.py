"""Round trips over time: which of them touch a stop, and the medians of both kinds."""

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


def test_the_title_compares_medians_and_no_maxima():
    assert title(plot.round_trips(TRIPS, STOPS)) == (
        "A round trip at a stop takes 60 ms, others that were noted 35 µs (medians)"
    )


def test_a_stop_that_nobody_notices_is_told():
    later = STOPS.assign(begin_s=1.49, total_ms=20.0)
    assert title(plot.round_trips(TRIPS, later)).startswith("A round trip at a stop, 40 µs, hardly differs from")


def test_of_several_round_trips_at_one_stop_the_longest_counts():
    both = STOPS.assign(begin_s=0.9, total_ms=700.0)
    assert title(plot.round_trips(TRIPS, both)).startswith("A round trip at a stop takes 60 ms")


def test_a_trip_within_the_clocks_blur_of_a_stop_touches_it():
    near = STOPS.assign(begin_s=1.5001, total_ms=1.0)
    assert title(plot.round_trips(TRIPS, near)) == "No round trip touches a stop"
    assert "at a stop, 40 µs" in title(plot.round_trips(TRIPS, near, blur_s=1e-3))


def test_of_many_in_a_moment_the_longest_is_drawn():
    many = pd.DataFrame({"begin_s": [n / 1e6 for n in range(5000)] + [10.0], "trip_us": [30.0] * 4999 + [99.0, 30.0]})
    [dots] = plot.round_trips(many, STOPS.iloc[:0]).collections
    assert len(dots.get_offsets()) == 2 and dots.get_offsets()[:, 1].max() == 99.0


def test_the_words_tell_of_both_kinds_apart():
    words = _alternative.of(plot.round_trips(TRIPS, STOPS).figure).replace("\N{NO-BREAK SPACE}", " ")
    assert "1 stop, 50 ms to 50 ms long. 1 noted round trips touch one" in words
    assert "4 others were noted; their median is 35 µs" in words
