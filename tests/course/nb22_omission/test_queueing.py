"""Requests by arithmetic: a schedule, a closed loop, stalls, and the formula of what a stall does to a schedule."""

import numpy as np
import pandas as pd
import pytest

from safepointlab.course.nb22_omission import queueing

STALLED = queueing.serve(queueing.schedule(100, 50_000), 0.005, 1, [(at, 1) for at in range(5, 500, 10)])


def test_of_100000_requests_submitted_at_once_95_per_cent_wait_for_a_second_or_longer():
    requests = queueing.serve([0.0] * 100_000, 1 / 5_000)
    assert (requests["wait_ms"] >= 1_000).sum() == 95_000
    assert requests["wait_ms"].iloc[-1] == pytest.approx(19_999.8)


def test_wait_and_service_add_up_to_the_response_and_an_idle_server_keeps_nobody_waiting():
    assert np.allclose(STALLED["wait_ms"] + STALLED["service_ms"], STALLED["response_ms"])
    idle = queueing.serve(queueing.schedule(10, 100), 0.05)
    assert (idle["wait_ms"] == 0).all() and (idle["response_ms"] == 50).all()


def test_two_servers_work_at_once_and_a_third_request_waits_for_the_first_that_is_free():
    requests = queueing.serve([0.0, 0.0, 0.0], [0.1, 0.3, 0.1], servers=2)
    assert requests["start_s"].tolist() == [0.0, 0.0, 0.1]


def test_nothing_begins_and_nothing_ends_in_a_stall():
    requests = queueing.serve(queueing.schedule(100, 200), 0.005, 1, [(0.5, 0.3)])
    for moment in ("start_s", "end_s"):
        assert not requests[moment].between(0.5, 0.7999999).any()


@pytest.mark.parametrize("percent", [90.5, 95, 99, 99.9])
def test_the_formula_says_what_the_simulation_finds(percent):
    simulated = np.percentile(STALLED["wait_ms"], percent)
    assert queueing.wait_ms(percent, stall_s=1, period_s=10, load=0.5) == pytest.approx(simulated, abs=11)


def test_the_service_time_hides_a_stall_but_for_the_requests_that_were_under_way():
    assert (STALLED["service_ms"] > 5.001).sum() <= 50
    assert np.percentile(STALLED["service_ms"], 99.8) == pytest.approx(5)


def test_a_reservoir_keeps_every_value_with_equal_chance():
    kept = np.concatenate([queueing.reservoir(range(1000), 100, seed) for seed in range(200)])
    assert len(kept) == 20_000 and abs(kept.mean() - 499.5) < 10


def test_a_samples_tail_jumps_and_a_histograms_does_not():
    tails = queueing.sampled_tails(runs=8)
    spread = {name: (tails[name] / tails["true"]).std() for name in ("reservoir", "histogram")}
    assert spread["reservoir"] > 50 * spread["histogram"]


def test_a_write_takes_twice_as_long_and_is_every_fourth():
    first = [takes for takes, _ in zip(queueing.services(0.001), range(8), strict=False)]
    assert pd.Series(first).mean() == 0.00125 and queueing.capacity(2, 0.001) == 1600
