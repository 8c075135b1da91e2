"""The load generator: its clocks add up, and the stop that it makes shows in one of them only, as arithmetic says."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from safepointlab import jdks
from safepointlab.course.nb22_omission import experiments as omission
from safepointlab.course.nb22_omission import queueing
from safepointlab.logs import hdr, marks

JDKS = sorted({jdk.major for jdk in jdks.find()} & {8, 11, 17, 21, 25})
NOTES = marks.read(
    ["jvm,1000000000,start", "load,1500000000,start", "stopper,2000000000,asks", "stopper,2600000000,answered"]
)
STOPS = pd.DataFrame(
    {
        "kind": "safepoint",
        "operation": ["GenCollectFull", "Cleanup"],
        "total_ms": [600.0, 0.1],
        "ttsp_ms": [590.0, 0.05],
        "begin_s": [1.0, 3.0],
        "nanotime_ns": pd.array([2_600_000_000, 4_000_100_000], dtype="Int64"),
    }
)

each_jdk = pytest.mark.parametrize("jdk", JDKS)


def small(jdk, mode="fixed"):
    return omission.run_load(jdk, f"{mode} 400 3 2 400 2000 1000 1")


def test_a_stop_is_placed_on_the_clock_of_the_hdr_log_by_nanotime_or_uptime_as_the_programs_own_timer_has_it():
    for stops in (STOPS, STOPS.assign(nanotime_ns=pd.NA)):
        assert marks.stops(NOTES, stops)[["begin_s", "total_ms"]].values.tolist() == [[0.5, 600.0]]
    assert marks.asked(NOTES).values.tolist() == [[0.5, 600.0]]


@pytest.mark.live
@pytest.mark.timed
@each_jdk
def test_a_schedule_has_two_clocks_and_only_one_of_them_tells_of_the_stop(jdk):
    run = small(jdk)
    log = hdr.read(run.folder / "load.hlog", strict=True)
    assert len(hdr.split(log)) == 6 and log.attrs["before_start"] == 0
    assert omission.times(run, "rt")["p99"] > 5 * omission.times(run, "st")["p90"]
    assert run.values["responded_ns"] == run.values["waited_ns"] + run.values["served_ns"]


@pytest.mark.live
@pytest.mark.timed
@each_jdk
def test_the_log_and_the_programs_timer_agree_on_the_stop(jdk):
    run = small(jdk)
    logged = omission.stops_of(run)
    timed = omission.timed(run)
    assert len(logged) == len(timed) == 1
    assert abs(logged["begin_s"][0] - timed["begin_s"][0]) < 0.1
    assert 0.7 < logged["total_ms"][0] / timed["total_ms"][0] < 1.1


@pytest.mark.live
@pytest.mark.parametrize(
    ("mode", "summarised"), [("closed", "st"), ("limit", "st"), ("throttle", "st"), ("fixed", "rt")]
)
def test_each_clock_of_a_mode_has_each_request_once_and_the_summary_prints_one_of_them(mode, summarised):
    run = small(JDKS[-1], mode)
    clocks = {tag.partition("-")[2] for tag in hdr.split(run.hdr)}
    assert clocks == ({"st", "wt", "rt"} if mode in omission.OPEN else {"st"})
    assert {omission.times(run, clock)["count"] for clock in clocks} == {run.values["operations"]}
    assert omission.times(run, summarised)["p50"] == pytest.approx(run.values["latency_p50_ms"], rel=0.01)


def test_a_setting_is_read_from_the_arguments_and_those_left_out_are_the_samples_own():
    whole, none = (
        SimpleNamespace(request=SimpleNamespace(args=args.split())) for args in ("limit 900 3 1 0 9 500 1", "")
    )
    setting = omission.setting(whole)
    assert (setting.mode, setting.rate, setting.read_us, setting.servers) == ("limit", 900, 500, 1)
    assert setting.mean_ms == 0.625 and omission.setting(none) == omission.Setting() and omission.Setting().servers == 4


STALLED = queueing.serve(queueing.schedule(100, 50_000), 0.005, 1, [(at, 1) for at in range(5, 500, 10)])


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


def test_a_write_takes_twice_as_long_and_is_every_fourth():
    first = [takes for takes, _ in zip(queueing.services(0.001), range(8), strict=False)]
    assert pd.Series(first).mean() == 0.00125 and queueing.capacity(2, 0.001) == 1600
