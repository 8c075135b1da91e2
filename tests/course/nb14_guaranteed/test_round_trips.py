"""The stops that come by themselves, told from the others; and the round trips that they fall into."""

from types import SimpleNamespace

import pandas as pd
import pytest

from safepointlab.course.nb14_guaranteed import experiments as guaranteed
from safepointlab.course.nb14_guaranteed import round_trips
from safepointlab.errors import BadInput

LOG = pd.DataFrame(
    [
        (1.25, "safepoint", "Cleanup", 0.1, 1_250_100_000),
        (2.0, "safepoint", "GenCollectFull", 3.0, 2_003_000_000),
        (3.003, "safepoint", "Cleanup", 2.0, 3_005_000_000),
        (4.005, "safepoint", "Cleanup", 0.1, 4_005_100_000),
        (4.5, "handshake", "Deoptimize", 0.1, 4_500_100_000),
        (4.9, "safepoint", "no vm operation", None, None),
    ],
    columns=["begin_s", "kind", "operation", "total_ms", "nanotime_ns"],
)
SLOW = """begin_ns,length_ns
1000000000,30000
1249990000,140000
3002900000,2300000
3600000000,25000
4004900000,300000
4900000000,21000
"""
TRIPS = pd.DataFrame({"begin_s": [0.0, 0.5, 0.99, 1.5, 2.0], "trip_us": [30.0, 900.0, 60_000.0, 40.0, 25.0]})
STOPS = pd.DataFrame({"begin_s": [1.0], "total_ms": [50.0]})


@pytest.fixture
def run(tmp_path):
    """A game with six slow round trips, three of which meet a stop."""
    (tmp_path / "slow.csv").write_text(SLOW)
    return SimpleNamespace(folder=tmp_path, major=17, safepoints=LOG)


def test_a_request_and_the_exit_are_no_periodic_stops(run):
    assert guaranteed.stops(run)["uptime_s"].tolist() == [1.25, 3.003, 4.005]


def test_the_interval_counts_from_the_end_of_what_the_vm_did_before(run):
    assert guaranteed.spacing(run).round(3).tolist() == [1.0, 1.0]


def test_the_longest_round_trip_that_touches_a_stop_is_laid_beside_it_and_beside_the_time_between(run):
    stops = round_trips.beside(run)
    assert stops["stop_us"].round().tolist() == [100, 2000, 100] and stops["at_us"].tolist() == [140, 2300, 300]
    assert set(stops["between_us"]) == {round_trips.FLOOR_US}  # none was noted: it was shorter than the floor
    run.major, run.values = 8, {"start_ns": 0.0}  # the program's note says when the JVM of 8 started
    run.safepoints = LOG.assign(nanotime_ns=pd.NA)
    assert round_trips.beside(run)["at_us"].tolist() == [140, 2300, 300]


def test_moved_by_a_quarter_of_the_interval_no_round_trip_meets_a_stop(run):
    assert set(round_trips.beside(run, later=0.25)["at_us"]) == {round_trips.FLOOR_US}


def test_the_usual_longest_trip_is_that_of_half_of_the_windows_and_none_noted_is_as_quick_as_the_floor(run):
    assert round_trips.usually_longest_us(run) == round_trips.FLOOR_US
    (run.folder / "slow.csv").write_text("begin_ns,length_ns\n0,30000\n20000000,90000\n60000000,50000\n100000000,1\n")
    assert round_trips.usually_longest_us(run) == 70.0


def test_trips_and_stops_are_on_the_clock_of_the_first_trip_until_the_end_of_the_last(run):
    assert round_trips.trips(run)["begin_s"].iloc[0] == 0.0
    assert round_trips.trip_stops(run)["begin_s"].round(3).tolist() == [0.25, 2.003, 3.005]
    (run.folder / "slow.csv").write_text("begin_ns,length_ns\n2000000000,30000\n3000000000,50000000\n")
    assert round_trips.trip_stops(run)["begin_s"].round(3).tolist() == [1.003]  # it begins within the last trip


def test_a_game_has_a_row_for_each_stop_and_one_for_each_span_without(run):
    spans = round_trips.longest(run)
    assert spans.loc[spans["at_stop"], "trip_us"].tolist() == [140, 2300, 300]
    assert spans.loc[~spans["at_stop"], "trip_us"].max() == 30


def test_a_run_of_another_program_is_refused(tmp_path):
    with pytest.raises(BadInput, match="has no round trips. Give a run of guaranteed/PingPong"):
        round_trips.longest(SimpleNamespace(folder=tmp_path, major=17))


def test_a_round_trip_at_a_stop_is_in_no_span_elsewhere_and_a_span_without_one_is_as_quick_as_the_quickest():
    spans = round_trips.elsewhere(TRIPS, STOPS, 2e-5)
    assert spans["trip_us"].max() == 900.0 and not spans["begin_s"].between(0.95, 1.04).any()
    assert spans["trip_us"].median() == 25.0
    steady = pd.DataFrame({"begin_s": [n / 1000 for n in range(1000)], "trip_us": [100.0] * 1000})
    assert len(round_trips.elsewhere(steady, STOPS.assign(begin_s=0.5, total_ms=1.0), 0.0)) >= 997


def test_of_several_round_trips_at_one_stop_the_longest_counts_and_one_within_the_clocks_blur_touches_it():
    both = STOPS.assign(begin_s=0.9, total_ms=700.0)
    assert round_trips.at_stops(TRIPS, both, 2e-5)["trip_us"].tolist() == [60_000.0]
    near = STOPS.assign(begin_s=1.5001, total_ms=1.0)
    assert round_trips.at_stops(TRIPS, near, 2e-5).empty
    assert round_trips.at_stops(TRIPS, near, 1e-3)["trip_us"].tolist() == [40.0]
