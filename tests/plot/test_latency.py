"""Percentiles on the axis of nines, of durations and of an HDR log; and latency over time with the JVM's stops."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from safepointlab import plot
from safepointlab.errors import BadInput
from safepointlab.logs import hdr

LOG = hdr.read(Path(__file__).parent.parent / "data" / "hdr" / "jdk17-stall.hlog")
PARTS = hdr.split(LOG)
CLOCKS = {"service": PARTS["read-st"], "response": PARTS["read-rt"]}
STOPS = pd.DataFrame({"begin_s": [2.0, 5.2], "total_ms": [1470.0, 1413.0]})

each_picture = pytest.mark.parametrize("draw", [plot.hdr_percentiles, plot.latency])


@pytest.fixture
def run(tmp_path):
    """run(gc): a run that wrote the log, and notes of its two stops."""
    (tmp_path / "marks.csv").write_text("jvm,1000000000,start\nload,1500000000,start\n")
    begins_ns = (1e9 * STOPS["begin_s"] + 1.5e9 + 1e6 * STOPS["total_ms"]).astype("Int64")
    stops = STOPS.assign(kind="safepoint", operation="GenCollectFull", ttsp_ms=1400.0, nanotime_ns=begins_ns)

    def make(gc="Serial", logs=("safepoint",), major=17):
        request = SimpleNamespace(gc=gc, log=[SimpleNamespace(kind=kind) for kind in logs])
        return SimpleNamespace(folder=tmp_path, request=request, major=major, hdr=LOG, safepoints=stops)

    return make


@each_picture
def test_a_line_is_named_by_its_time_and_by_its_operation_or_run_where_there_are_several(draw, run, words):
    every = words(draw(LOG))
    assert all(f"{operation} {time}" in every for operation in ("read", "write") for time in ("service", "response"))
    one = words(draw(run(), tags=["read-st", "read-rt"]))
    assert "service" in one and "response" in one and "read" not in one and "wait" not in one
    two = words(draw({"limiter": run(), "schedule": run()}, tags="read-rt"))
    assert "limiter, response" in two and "schedule, response" in two
    assert "login" in words(draw(LOG.assign(tag="login")))


@each_picture
def test_a_tag_that_a_log_lacks_is_left_out_and_one_that_no_log_could_mean_is_refused(draw, run, words):
    assert "service" in words(draw(run(), tags=["read-st", "read-xt"]))
    with pytest.raises(BadInput, match=r"no tag read-xt in this log\. It has .*read-st"):
        draw(run(), tags="read-xt")


@each_picture
def test_the_title_has_the_condition_that_all_runs_share(draw, run, title):
    finding = title(draw(run(), tags="read-rt"))
    assert finding.startswith("JDK 17, Serial: ") and "response" in finding
    assert "JDK" not in title(draw({"a": run(), "b": run(gc="G1")}, tags="read-rt"))
    assert title(draw({"a": run(gc=""), "b": run(gc="")}, tags="read-rt")).startswith("JDK 17: ")


def test_the_title_says_what_each_clock_makes_of_the_same_run_or_the_maximum_of_one(title):
    assert title(plot.hdr_percentiles(CLOCKS)) == "service p99 is 8.1 ms, response p99 1,417 ms"
    three = title(plot.hdr_percentiles({**CLOCKS, "wait": PARTS["read-wt"]}))
    assert three == "p99 is 1,417 ms (response), and at most 1,411 ms for the others"
    alone = title(plot.hdr_percentiles({"response": PARTS["read-rt"]}))
    assert alone == "response p99 is 1,417 ms, its maximum 1,485 ms"


def test_the_largest_value_stands_at_one_in_all_requests():
    [line] = plot.hdr_percentiles({"response": PARTS["read-rt"]}).lines
    assert line.get_xdata()[-1] == pytest.approx(np.log10(1320))
    assert line.get_ydata()[-1] == pytest.approx(1484.783615)


def test_a_level_to_hold_the_lines_against_has_its_name_and_value(words):
    assert "stop: 527 ms" in words(plot.hdr_percentiles(CLOCKS, level=("stop", 527.3)))


def test_the_title_says_when_it_was_worst(title):
    assert title(plot.latency(CLOCKS)) == "response maximum is 35 ms most of the time, 1,485 ms around 4.5 s"


def test_an_interval_is_as_wide_as_it_was_long_or_a_point_at_its_end():
    rows = PARTS["read-st"]
    ends = rows["start_s"] + rows["length_s"]
    steps, points = (plot.latency({"service": rows}, ends=ends).lines[0].get_xdata() for ends in (False, True))
    assert steps[:2].tolist() == [rows["start_s"].iloc[0], ends.iloc[0]] and points.tolist() == ends.tolist()


def test_stops_lie_behind_the_lines_and_a_run_brings_its_own_if_it_logged_them(run, words):
    ax = plot.latency(CLOCKS, stops=STOPS)
    assert len(ax.patches) == 2 and "the JVM is stopped" in words(ax)
    assert len(plot.latency(run(), tags="read-rt").patches) == 2
    assert not plot.latency(run(logs=()), tags="read-rt").patches


def test_no_line_leads_through_a_stop_in_which_no_interval_ends():
    [line] = plot.latency({"service": PARTS["read-st"]}, stops=STOPS, ends=True).lines
    missing = np.isnan(np.asarray(line.get_ydata(), float))
    places = np.asarray(line.get_xdata(), float)
    assert missing.sum() == len(STOPS)
    for begin_s, gap in zip(STOPS["begin_s"], np.flatnonzero(missing), strict=True):
        assert places[gap - 1] <= begin_s <= places[gap + 1]


def intervals(*p99s):
    """An interval each 0.25 s from 2.6 s on, and the like after the second stop."""
    starts = [2.6, 2.85, 3.1, 6.6, 6.85, 7.1]
    return pd.DataFrame({"start_s": starts, "length_s": 0.25, "p99": p99s})


@pytest.mark.parametrize(
    ("service", "shown"), [((1, 1, 1, 790, 1, 1), "1"), ((1,) * 6, "none"), ((2, 780, 100, 790, 770, 90), "both")]
)
def test_a_stop_is_shown_by_a_line_that_is_half_as_high_soon_after_it(service, shown, title):
    clocks = {"service": intervals(*service), "response": intervals(2, 780, 100, 790, 770, 90)}
    stops = pd.DataFrame({"begin_s": [2.0, 6.0], "total_ms": [800.0, 800.0]})
    finding = title(plot.latency(clocks, value="p99", stops=stops))
    assert finding == f"of 2 stops of 0.8 s, service p99 shows {shown}, response p99 both"


def test_a_line_that_only_grows_is_told_by_its_first_and_last_value(title):
    grows = intervals(34.4, 93, 156, 220, 348, 473)
    assert title(plot.latency({"response": grows}, value="p99")) == "response p99 grows from 34 ms to 473 ms in 7.3 s"
    assert "most of the time" in title(plot.latency({"response": grows.iloc[::-1]}, value="p99"))


def test_an_interval_without_a_value_is_not_drawn_as_zero():
    gap = PARTS["read-st"].assign(max=[1.0, np.nan, *PARTS["read-st"]["max"].iloc[2:]])
    assert min(plot.latency({"service": gap}).lines[0].get_ydata()) > 0


PLAIN = [1.0] * 900 + [2.0] * 90 + [30.0] * 9 + [400.0, None]
HISTOGRAM = pd.DataFrame({"value": [400.0, 2.0, 30.0, 1.0, 0.0, 5.0, np.nan], "count": [1, 90, 9, 900, 7, 0, 3]})


@pytest.mark.parametrize("data", [PLAIN, HISTOGRAM])
def test_of_durations_and_of_their_histogram_each_value_stands_where_so_many_are_as_long(data, title):
    ax = plot.percentiles({"one": data}, unit="us")  # what is missing, 0 or was never counted is left out
    x, y = ax.lines[0].get_xdata(), ax.lines[0].get_ydata()
    assert (x[-1], y[-1], min(y)) == (pytest.approx(3.0), 400.0, 1.0)
    assert y[x < 0.99].max() == 1.0 and y[x > 1.01].min() == 2.0
    assert title(ax) == "one: half take under 1 us, the longest 400 us, 400 times as long"


def test_seven_nines_and_neighbouring_names_leave_room_for_their_words():
    many = pd.DataFrame({"value": [1.0, 9.0], "count": [9_999_999, 1]})
    ax = plot.percentiles({"one": many, "two": many})
    ax.figure.draw_without_rendering()
    boxes = [label.get_window_extent() for label in ax.get_xticklabels() if label.get_text()]
    assert all(left.x1 < right.x0 for left, right in zip(boxes, boxes[1:], strict=False))
    one, two = (text.get_window_extent() for text in ax.texts)
    assert not one.overlaps(two)
