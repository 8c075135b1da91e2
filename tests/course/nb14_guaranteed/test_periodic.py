"""The stops that come by themselves, told from the others; and the round trips that they fall into."""

import pandas as pd
import pytest

from safepointlab.course.nb14_guaranteed import experiments as guaranteed

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
).assign(ttsp_ms=0.01)
SLOW = pd.DataFrame(
    [
        (1_000_000_000, 30_000),
        (1_249_990_000, 140_000),  # the first stop is in here
        (3_002_900_000, 2_300_000),
        (3_600_000_000, 25_000),
        (4_004_900_000, 300_000),
        (4_900_000_000, 21_000),
    ],
    columns=["begin_ns", "length_ns"],
)


class PingPongRun:
    """As much of a Run as is looked at."""

    major = 17
    safepoints = LOG

    def __init__(self, folder):
        self.folder = folder
        SLOW.to_csv(folder / "slow.csv", index=False)


@pytest.fixture
def run(tmp_path):
    return PingPongRun(tmp_path)


def test_a_request_and_the_exit_are_no_periodic_stops(run):
    assert guaranteed.stops(run)["uptime_s"].tolist() == [1.25, 3.003, 4.005]


def test_the_phase_is_what_has_passed_of_the_second(run):
    assert guaranteed.stops(run)["phase_ms"].round().tolist() == [250, 3, 5]


def test_the_interval_counts_from_the_end_of_what_the_vm_did_before(run):
    assert guaranteed.spacing(run).round(3).tolist() == [1.0, 1.0]


def test_the_longest_round_trip_that_touches_a_stop_is_laid_beside_it(run):
    stops = guaranteed.beside(run)
    assert stops["stop_us"].round().tolist() == [100, 2000, 100] and stops["at_us"].tolist() == [140, 2300, 300]


def test_where_no_round_trip_was_noted_it_was_shorter_than_the_floor(run):
    assert set(guaranteed.beside(run)["between_us"]) == {guaranteed.FLOOR_US}


def test_on_8_the_programs_note_of_the_jvms_start_says_when_a_stop_began(run):
    run.major, run.values = 8, {"start_ns": 0.0}
    run.safepoints = LOG.assign(nanotime_ns=pd.NA)
    assert guaranteed.beside(run)["at_us"].tolist() == [140, 2300, 300]
