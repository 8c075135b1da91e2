"""The load generator: its logs are whole, its clocks add up, and the stop that it makes shows in one of them only."""

from types import SimpleNamespace

import pandas as pd
import pytest

from safepointlab import jdks
from safepointlab.course.nb22_omission import experiments as omission
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


def small(jdk, mode="fixed", gc="Serial"):
    return omission.loaded(jdk, mode, rate=400, seconds=2, stall_ms=400, every_ms=2000, gc=gc)


def test_a_stop_is_placed_on_the_clock_of_the_hdr_log():
    stops = marks.stops(NOTES, STOPS)
    assert stops[["begin_s", "total_ms"]].values.tolist() == [[0.5, 600.0]]


def test_a_log_without_nanotime_is_placed_by_its_uptime():
    assert marks.stops(NOTES, STOPS.assign(nanotime_ns=pd.NA))["begin_s"].tolist() == [0.5]


def test_the_programs_own_timer_says_the_same():
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
@pytest.mark.parametrize(("mode", "summary"), [("throttle", "st"), ("fixed", "rt")])
def test_both_modes_with_a_schedule_record_all_times_and_differ_in_what_they_print(mode, summary):
    run = small(JDKS[-1], mode)
    assert omission.measures(run) == ["rt", "st", "wt"]
    assert run.values["latency_p50_ms"] == pytest.approx(omission.times(run, summary)["p50"], rel=0.01)


@pytest.mark.live
def test_the_noted_requests_have_the_log_s_response_times():
    run = small(JDKS[-1])
    noted = omission.requests_of(run)
    assert len(noted) == run.values["operations"]
    response = (noted["answered_ms"] - noted["due_ms"]).mean()
    assert response == pytest.approx(omission.times(run, "rt")["mean"], rel=0.01)


@pytest.mark.live
def test_an_hgrm_table_counts_each_request_once_and_ends_at_the_maximum():
    run = small(JDKS[-1])
    log = hdr.split(run.hdr)["read-st"]
    table = omission.hgrm(log)
    assert table["total_count"].iloc[-1] == log["count"].sum() and table["percentile"].iloc[-1] == 1
    assert table["value"].iloc[-1] == pytest.approx(log["max"].max())


@pytest.mark.live
@pytest.mark.parametrize("mode", ["closed", "limit"])
def test_without_a_schedule_there_is_one_clock(mode):
    assert list(hdr.split(small(JDKS[-1], mode).hdr)) == ["read-st", "write-st"]


def test_a_setting_is_read_from_the_arguments_and_those_left_out_are_the_samples_own():
    whole, none = (
        SimpleNamespace(request=SimpleNamespace(args=args.split())) for args in ("limit 900 3 1 0 9 500 1", "")
    )
    setting = omission.setting(whole)
    assert (setting.mode, setting.rate, setting.read_us, setting.servers) == ("limit", 900, 500, 1)
    assert setting.mean_ms == 0.625 and omission.setting(none) == omission.Setting() and omission.Setting().servers == 4
