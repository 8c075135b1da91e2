"""HDR interval logs: what Java said of its own histograms comes out again, and splitting and adding lose nothing."""

import json
import subprocess
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from safepointlab import cli, jdks
from safepointlab.errors import DamagedLog, ForeignLog
from safepointlab.jdks import jars
from safepointlab.logs import hdr
from safepointlab.logs.hdr import counts
from safepointlab.logs.readers import guess

HERE = Path(__file__).parent.parent / "data" / "hdr"
TOLD = pd.read_csv(HERE / "told-by-java.csv")  # printed by the program at its end, from Java's own histograms
LOGS = sorted(TOLD["log"].unique())
STALL = HERE / "jdk17-stall.hlog"

each_log = pytest.mark.parametrize("log", LOGS)


def counted(frame):
    return hdr.values(frame).set_index("value")["count"].to_dict()


@each_log
def test_united_intervals_say_what_java_said_of_the_whole_run(log):
    told = TOLD[TOLD["log"] == log].set_index("tag").drop(columns="log")
    found = hdr.unite(hdr.read(HERE / log, strict=True)).set_index("tag")
    for column in told:
        assert found[column].astype(float).round(3).to_dict() == told[column].to_dict(), column


@each_log
def test_every_interval_is_a_row_with_the_maximum_that_stands_in_its_line(log):
    frame = hdr.read(HERE / log, strict=True)
    assert len(frame) == (HERE / log).read_text().count(",HIST")
    assert (frame["max"].round(3) == frame["logged_max"]).all()


@each_log
def test_a_log_that_is_split_by_tag_and_put_together_again_is_the_same_log(log):
    whole = hdr.read(HERE / log)
    pd.testing.assert_frame_equal(hdr.union(hdr.split(whole)), whole)


@each_log
def test_a_log_that_is_written_and_read_again_is_the_same_log(log, tmp_path):
    whole = hdr.read(HERE / log)
    pd.testing.assert_frame_equal(hdr.read(hdr.write(whole, tmp_path / log), strict=True), whole)


def test_parts_written_to_a_file_for_each_tag_add_up_to_the_whole(tmp_path):
    whole = hdr.read(STALL)
    files = [hdr.write(part, tmp_path / f"{tag}.hlog") for tag, part in hdr.split(whole).items()]
    assert len(files) == 6
    pd.testing.assert_frame_equal(hdr.union([hdr.read(file) for file in files]), whole)


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
    assert both.total == 4 and both.settings[2] == 3
    assert counts.decode(counts.encode(both)).total == 4


def test_an_interval_before_the_logs_start_is_a_row_and_is_counted():
    frame = hdr.read(STALL)
    assert frame.attrs["before_start"] == 6 == (frame["start_s"] < 0).sum()


def test_a_distribution_ends_at_100_per_cent_for_each_tag():
    told = hdr.distribution(hdr.read(STALL)).groupby("tag")
    assert len(told) == 6 and (told["percentile"].max() == 100).all()
    assert told["percentile"].apply(lambda share: share.is_monotonic_increasing).all()


def test_a_log_without_tags_and_with_stamps_from_1970_on_starts_at_its_start_time():
    text = hdr.read(STALL)["histogram"][0]
    head = "#[StartTime: 1700000000.5 (seconds since epoch)]"
    frame = hdr.read([head, f"1700000002.750,1.0,9.5,{text}"], strict=True)
    assert frame["start_s"][0] == 2.25 and pd.isna(frame["tag"][0]) and frame["time"][0].year == 2023
    assert list(hdr.split(frame)) == [""]


def test_values_are_in_the_unit_of_the_logs_own_maximum_or_in_the_one_asked_for():
    frame = hdr.read(STALL)
    line = f"0.1,1.0,{1000 * frame['logged_max'][0]:.3f},{frame['histogram'][0]}"  # written with a ratio of 1000
    assert hdr.read([line])["p50"][0] == pytest.approx(1000 * frame["p50"][0])
    assert hdr.read([line], ratio=1e6)["p50"][0] == frame["p50"][0]


def test_program_output_between_the_lines_is_skipped():
    lines = STALL.read_text().splitlines()
    frame = hdr.read([*lines[:7], "stall 1472.4 ms", *lines[7:]], strict=True)
    assert (len(frame), frame.attrs["skipped"], frame.attrs["damaged"]) == (36, 6, 0)


@pytest.mark.each("kept", [1, 4, 9, 14, 20, 25, 31, 60, -1])
def test_a_last_line_that_is_cut_off_anywhere_is_counted_and_with_strict_refused(kept, tmp_path):
    *whole, last = STALL.read_text().splitlines()
    (tmp_path / "cut.hlog").write_text("\n".join([*whole, last[:kept]]))
    frame = hdr.read(tmp_path / "cut.hlog")
    assert (len(frame), frame.attrs["damaged"]) == (35, 1)
    with pytest.raises(DamagedLog, match="cut.hlog:41"):
        hdr.read(tmp_path / "cut.hlog", strict=True)


def test_one_wrong_letter_in_a_histogram_is_found():
    lines = STALL.read_text().splitlines()
    lines[10] = lines[10][:80] + ("A" if lines[10][80] != "A" else "B") + lines[10][81:]
    frame = hdr.read(lines)
    assert (len(frame), frame.attrs["damaged"]) == (35, 1)


def test_output_without_a_newline_spoils_its_line_and_no_other():
    lines = STALL.read_text().splitlines()
    lines[10] = "stall 3.1 ms" + lines[10]
    frame = hdr.read(lines)
    assert (len(frame), frame.attrs["damaged"]) == (35, 1)


def test_another_log_is_foreign():
    with pytest.raises(ForeignLog, match="safepoint log"):
        hdr.read(HERE.parent / "safepoint" / "jdk25-info.log", strict=True)


@each_log
def test_such_logs_are_recognised_and_parsed_by_the_command(log, capsys):
    assert guess((HERE / log).read_text())[0] == "hdr"
    assert cli.main(["parse", "hdr", str(HERE / log), "--to", "json", "--strict"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert rows[0]["tag"].startswith("read-") and rows[0]["histogram"].startswith("HISTF")


def test_a_log_without_an_interval_is_an_empty_frame_with_the_columns():
    frame = hdr.read(["#[Histogram log format version 1.3]", hdr.LEGEND], strict=True)
    assert frame.empty and list(frame) == list(hdr.COLUMNS)
    assert hdr.unite(frame).empty and hdr.values(frame).empty and hdr.distribution(frame).empty


@pytest.mark.live
def test_hdrhistograms_own_tool_counts_the_same_in_a_log_that_was_written_here(tmp_path):
    whole = hdr.read(STALL)
    log = hdr.write(hdr.unite(whole[whole["start_s"] > 0]), tmp_path / "sum.hlog")
    jar = jars.fetch("org.hdrhistogram:HdrHistogram:2.2.2")
    java = str(jdks.find()[-1].java)
    tool = [java, "-cp", str(jar), "org.HdrHistogram.HistogramLogProcessor", "-tag", "read-rt", "-i", str(log)]
    said = subprocess.run(tool, capture_output=True, text=True, check=True).stdout
    expected = hdr.unite(whole[whole["start_s"] > 0]).set_index("tag").loc["read-rt"]
    assert f"#[Max     = {expected['max']:12.3f}, Total count    = {expected['count']:12d}]" in said


def test_the_correction_adds_the_requests_that_a_closed_loop_would_have_sent_meanwhile():
    plain = counts.encode(counts.of([5_000_000, 32_000_000, 32_000_000]))
    told = hdr.corrected(hdr.read([f"0.1,1.0,32.0,{plain}"]), expected=10.0)
    assert told["value"].round(0).tolist() == [5, 12, 22, 32]  # and not 2: less than the interval, as in Java
    assert told["count"].tolist() == [1, 2, 2, 2]


@pytest.mark.timed(cores=1)
def test_lines_of_no_histogram_cost_no_look_at_the_rest_of_the_log(tmp_path):
    (tmp_path / "log").write_text("\n \n" * 60_000)
    begin = time.process_time()
    assert hdr.read(tmp_path / "log").attrs["skipped"] == 120_000
    assert time.process_time() - begin < 3  # a look each took more than ten times as long
