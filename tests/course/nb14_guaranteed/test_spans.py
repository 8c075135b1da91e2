"""The longest round trip at each stop, and in each equally long time without one."""

from types import SimpleNamespace

import pandas as pd
import pytest

from safepointlab.course.nb14_guaranteed import spans as guaranteed_spans

TRIPS = pd.DataFrame({"begin_s": [0.0, 0.5, 0.99, 1.5, 2.0], "trip_us": [30.0, 900.0, 60_000.0, 40.0, 25.0]})
STOPS = pd.DataFrame({"begin_s": [1.0], "total_ms": [50.0]})
STEADY = pd.DataFrame({"begin_s": [n / 1000 for n in range(1000)], "trip_us": [100.0] * 1000})


def test_a_round_trip_at_a_stop_is_in_no_span_elsewhere():
    spans = guaranteed_spans.elsewhere(TRIPS, STOPS, 2e-5)
    assert spans["trip_us"].max() == 900.0 and not spans["begin_s"].between(0.95, 1.04).any()
    assert len(guaranteed_spans.elsewhere(STEADY, STOPS.assign(begin_s=0.5, total_ms=1.0), 0.0)) >= 997


def test_spans_in_which_none_was_noted_are_at_most_as_slow_as_the_quickest_noted():
    assert guaranteed_spans.elsewhere(TRIPS, STOPS, 2e-5)["trip_us"].median() == 25.0


def test_of_several_round_trips_at_one_stop_the_longest_counts():
    both = STOPS.assign(begin_s=0.9, total_ms=700.0)
    assert guaranteed_spans.at_stops(TRIPS, both, 2e-5)["trip_us"].tolist() == [60_000.0]


def test_a_trip_within_the_clocks_blur_of_a_stop_touches_it():
    near = STOPS.assign(begin_s=1.5001, total_ms=1.0)
    assert guaranteed_spans.at_stops(TRIPS, near, 2e-5).empty
    assert guaranteed_spans.at_stops(TRIPS, near, 1e-3)["trip_us"].tolist() == [40.0]


@pytest.fixture
def game(tmp_path):
    """A PingPong run with three slow round trips, the second of which meets a stop."""
    (tmp_path / "slow.csv").write_text("begin_ns,length_ns\n2000000000,30000\n3000000000,50000000\n4000000000,20000\n")
    stops = {"operation": "Cleanup", "kind": "safepoint", "total_ms": [10.0], "nanotime_ns": [3.02e9]}
    return SimpleNamespace(folder=tmp_path, major=17, safepoints=pd.DataFrame(stops))


def test_a_game_has_a_row_for_each_stop_and_one_for_each_span_without(game):
    spans = guaranteed_spans.longest(game)
    assert spans.loc[spans["at_stop"], "trip_us"].tolist() == [50_000.0]
    assert spans.loc[~spans["at_stop"], "trip_us"].max() == 30.0
