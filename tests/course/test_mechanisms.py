"""What drawings of mechanisms are made of: trips and stops on one clock, the formula of a run."""

from types import SimpleNamespace

import pandas as pd
import pytest

from safepointlab.course.nb14_guaranteed import experiments as guaranteed
from safepointlab.course.nb22_omission import experiments as omission
from safepointlab.course.nb22_omission import queueing


@pytest.fixture
def game(tmp_path):
    """A PingPong run with three slow round trips, a stop between the first two and one after the game."""
    (tmp_path / "slow.csv").write_text("begin_ns,length_ns\n2000000000,30000\n3000000000,50000000\n4000000000,20000\n")
    stops = {"operation": "Cleanup", "kind": "safepoint", "total_ms": [10.0, 1.0], "nanotime_ns": [3.01e9, 9e9]}
    return SimpleNamespace(folder=tmp_path, major=17, safepoints=pd.DataFrame(stops))


def test_round_trips_and_stops_are_on_the_clock_of_the_first_trip(game):
    assert guaranteed.trips(game)["begin_s"].tolist() == [0.0, 1.0, 2.0]
    assert guaranteed.trip_stops(game).values.tolist() == [[pytest.approx(1.0), 10.0]]


def test_a_stop_in_the_last_round_trip_is_one_of_the_game(game):
    (game.folder / "slow.csv").write_text("begin_ns,length_ns\n2000000000,30000\n3000000000,50000000\n")
    assert guaranteed.trip_stops(game)["total_ms"].tolist() == [10.0]  # it begins within the last trip


def test_a_runs_setting_is_that_of_its_arguments_and_a_write_takes_two_reads(monkeypatch):
    monkeypatch.setattr(omission, "times", lambda *_: {"p50": 0.2, "p90": 511.0, "p99": 768.0, "p99_9": 795.0})
    args = ["fixed", "400", "2", "8", "800", "4000", "1000", "0"]
    table = omission.by_formula(SimpleNamespace(request=SimpleNamespace(args=args)))
    wanted = queueing.stalled(rate=400, stall_ms=800, service_ms=1.25, servers=2, period_s=4)
    assert table.drop(columns="measured_ms").equals(wanted.astype(table.dtypes.drop("measured_ms")))
    assert table["measured_ms"].tolist() == [0.2, 511.0, 768.0, 795.0]
    closed = omission.by_formula(SimpleNamespace(request=SimpleNamespace(args=["closed", *args[1:]])))
    assert closed["measured_ms"].isna().all()


def test_more_than_can_be_done_has_a_load_and_no_percentiles():
    table = queueing.stalled(rate=2000, stall_ms=800, service_ms=1.25, servers=2, period_s=4)
    assert table["load"].iloc[0] == 1.25 and table["wait_ms"].isna().all()
