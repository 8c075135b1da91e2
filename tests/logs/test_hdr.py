"""HDR interval logs: what Java said of its own histograms comes out again, and splitting and adding lose nothing."""

import base64
import struct
import subprocess
import zlib

import numpy as np
import pandas as pd
import pytest

from safepointlab import jdks
from safepointlab.errors import DamagedLog
from safepointlab.jdks import jars
from safepointlab.logs import hdr
from safepointlab.logs.hdr import counts
from safepointlab.logs.hdr.counts import HEAD, Counts, Settings
from tests.logs.conftest import DATA

HERE = DATA / "hdr"
TOLD = pd.read_csv(HERE / "told-by-java.csv")  # printed by the program at its end, from Java's own histograms
LOGS = sorted(TOLD["log"].unique())
STALL = HERE / "jdk17-stall.hlog"
LINES = STALL.read_text().splitlines()


def counted(frame):
    return hdr.values(frame).set_index("value")["count"].to_dict()


@pytest.mark.each("log", LOGS)
def test_intervals_say_what_java_said_of_the_whole_run_and_stand_in_its_log(log):
    told, frame = TOLD[TOLD["log"] == log].set_index("tag").drop(columns="log"), hdr.read(HERE / log, strict=True)
    found = hdr.unite(frame).set_index("tag")
    for column in told:
        assert found[column].astype(float).round(3).to_dict() == told[column].to_dict(), column
    assert len(frame) == (HERE / log).read_text().count(",HIST")
    assert (frame["max"].round(3) == frame["logged_max"]).all()
    pd.testing.assert_frame_equal(hdr.union(hdr.split(frame)), frame)


def test_three_loaders_add_count_by_count():
    loaders = [hdr.read(HERE / f"jdk{jdk}-stall.hlog") for jdk in (8, 17, 25)]
    sums = pd.Series(dtype=int)
    for loader in loaders:
        sums = sums.add(pd.Series(counted(hdr.split(loader)["read-rt"])), fill_value=0)
    together = hdr.split(hdr.union(loaders))["read-rt"]
    assert counted(together) == sums.astype(int).to_dict()
    assert counted(hdr.unite(together)) == counted(together)  # also when encoded as one histogram


def test_slots_of_time_hold_every_value_once():
    whole = hdr.read(STALL)
    slots = hdr.unite(whole, by=None, every_s=2)
    assert (np.diff(slots["start_s"]) > 0).all() and 3 < len(slots) < len(whole)
    assert counted(slots) == counted(whole)


def test_histograms_of_different_precision_add_too():
    coarse, fine = counts.of([1_000_000, 5], figures=1), counts.of([1_000_000, 7], figures=3)
    both = counts.united([coarse, fine])
    assert both.total == 4 and both.settings.digits == 3
    assert counts.decode(counts.encode(both)).total == 4


def test_an_interval_before_the_logs_start_is_a_row_and_is_counted():
    frame = hdr.read(STALL)
    assert frame.attrs["before_start"] == 6 == (frame["start_s"] < 0).sum()


def test_a_distribution_ends_at_100_per_cent_for_each_tag():
    told = hdr.distribution(hdr.read(STALL)).groupby("tag")
    assert len(told) == 6 and (told["percentile"].max() == 100).all()
    assert told["percentile"].apply(lambda share: share.is_monotonic_increasing).all()


def test_a_log_without_tags_and_with_stamps_from_1970_on_starts_at_its_start_time():
    head = "#[StartTime: 1700000000.5 (seconds since epoch)]"
    frame = hdr.read([head, f"1700000002.750,1.0,9.5,{hdr.read(STALL)['histogram'][0]}"], strict=True)
    assert frame["start_s"][0] == 2.25 and pd.isna(frame["tag"][0]) and frame["time"][0].year == 2023
    assert list(hdr.split(frame)) == [""]


def test_values_are_in_the_unit_of_the_logs_own_maximum():
    frame = hdr.read(STALL)
    line = f"0.1,1.0,{1000 * frame['logged_max'][0]:.3f},{frame['histogram'][0]}"  # written with a ratio of 1000
    assert hdr.read([line])["p50"][0] == pytest.approx(1000 * frame["p50"][0])


@pytest.mark.each("kept", [1, 4, 9, 14, 20, 25, 31, 60, -1])
def test_a_last_line_that_is_cut_off_anywhere_is_counted_and_with_strict_refused(kept, write):
    log = write("\n".join([*LINES[:-1], LINES[-1][:kept]]))
    assert (len(hdr.read(log)), hdr.read(log).attrs["damaged"]) == (35, 1)
    with pytest.raises(DamagedLog, match=r"bad\.log:41"):
        hdr.read(log, strict=True)


def test_output_between_the_lines_is_skipped_and_within_one_it_spoils_that_line_alone():
    frame = hdr.read([*LINES[:7], "stall 1472.4 ms", *LINES[7:]], strict=True)
    assert (len(frame), frame.attrs["skipped"], frame.attrs["damaged"]) == (36, 6, 0)
    other = "A" if LINES[10][80] != "A" else "B"
    for broken in (f"stall 3.1 ms{LINES[10]}", LINES[10][:80] + other + LINES[10][81:]):  # no newline; a wrong letter
        frame = hdr.read([*LINES[:10], broken, *LINES[11:]])
        assert (len(frame), frame.attrs["damaged"]) == (35, 1)


def test_a_log_without_an_interval_is_an_empty_frame():
    frame = hdr.read(["#[Histogram log format version 1.3]"], strict=True)
    assert frame.empty and hdr.unite(frame).empty and hdr.values(frame).empty and hdr.distribution(frame).empty


@pytest.mark.live
def test_hdrhistograms_own_tool_counts_the_same_in_a_histogram_that_was_encoded_here(tmp_path):
    whole = hdr.unite(hdr.read(STALL).query("start_s > 0 and tag == 'read-rt'")).iloc[0]
    log = tmp_path / "sum.hlog"
    log.write_text(
        f"#[Histogram log format version 1.3]\n{whole['start_s']:.3f},9.0,{whole['max']:.3f},{whole['histogram']}\n"
    )
    jar = jars.fetch("org.hdrhistogram:HdrHistogram:2.2.2")
    tool = [str(jdks.find()[-1].java), "-cp", str(jar), "org.HdrHistogram.HistogramLogProcessor", "-i", str(log)]
    said = subprocess.run(tool, capture_output=True, text=True, check=True).stdout
    assert f"#[Max     = {whole['max']:12.3f}, Total count    = {whole['count']:12d}]" in said


def test_the_correction_adds_the_requests_that_a_closed_loop_would_have_sent_meanwhile():
    plain = counts.encode(counts.of([5_000_000, 32_000_000, 32_000_000]))
    told = hdr.corrected(hdr.read([f"0.1,1.0,32.0,{plain}"]), expected=10.0)
    assert told["value"].round(0).tolist() == [5, 12, 22, 32]  # and not 2: less than the interval, as in Java
    assert told["count"].tolist() == [1, 2, 2, 2]


@pytest.mark.each(  # with three digits: 2,048 ranges of one unit, then 1,024 to each power of two
    ("value", "index"),
    [(0, 0), (1, 1), (2047, 2047), (2048, 2048), (2049, 2048), (2050, 2049), (4095, 3071), (4096, 3072), (4100, 3073)],
)
def test_a_value_has_the_place_of_its_range(value, index):
    settings = Settings(1, 3_600_000_000, 3)
    assert settings.index(np.array([value])).tolist() == [index]
    low, high = settings.ranges(np.array([index]))
    assert low[0] <= value <= high[0]


@pytest.mark.each("seed", range(5))
def test_what_is_encoded_comes_back(seed):
    dice, settings = np.random.default_rng(seed), Settings(1, 10**12, 1 + seed)
    index = np.unique(settings.index(dice.integers(0, 10**12, 200)))
    given = Counts(*settings.ranges(index), 2 ** dice.integers(0, 62, len(index)), settings)
    again = counts.decode(counts.encode(given))
    assert again.settings == settings and again.low.tolist() == given.low.tolist()
    assert again.count.tolist() == given.count.tolist()


def text(body: bytes, cookie=counts.COMPRESSED, own=counts.PLAIN, digits=3, least=1, most=3_600_000_000):
    plain = zlib.compress(HEAD.pack(own, len(body), 0, digits, least, most, 1.0) + body)
    return base64.b64encode(struct.pack(">ii", cookie, len(plain)) + plain).decode()


@pytest.mark.each(
    "broken",
    [
        *("", "HISTFAAA", "no base64!", text(b"\x02")[:-8], text(b"\x82")),
        *(text(b"\x02", cookie=0x1C849304), text(b"\x02", own=0x1C849301)),
        *(text(b"\x02", digits=9), text(b"\x02", least=9, most=2)),
        text(bytes.fromhex("ffffb3ccd4dfc603") + b"\x02"),  # a gap of 10^15 ranges
        text(bytes(2 * counts.MOST_BYTES)),  # a bomb is not unpacked
    ],
)
def test_a_damaged_text_is_a_value_error(broken):
    with pytest.raises(ValueError, match="histogram|padding|base64|Incorrect"):
        counts.decode(broken)
