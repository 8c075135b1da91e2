"""Two pictures of an HDR log: percentiles on the axis of nines, and latency over time with the JVM's stops behind."""

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

each_picture = pytest.mark.parametrize("name", ["hdr_percentiles", "latency"])


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
def test_a_log_has_a_line_for_each_time_of_each_operation(name, words):
    drawn = words(getattr(plot, name)(LOG))
    assert all(f"{operation} {time}" in drawn for operation in ("read", "write") for time in ("service", "response"))


@each_picture
def test_a_tag_of_another_kind_is_the_name_of_its_line(name, words):
    assert "login" in words(getattr(plot, name)(LOG.assign(tag="login")))


@each_picture
def test_of_one_operation_the_lines_are_named_by_the_time_alone(name, run, words):
    drawn = words(getattr(plot, name)(run(), tags=["read-st", "read-rt"]))
    assert "service" in drawn and "response" in drawn and "read" not in drawn and "wait" not in drawn


@each_picture
def test_the_lines_of_several_runs_are_named_by_run_and_time(name, run, words):
    drawn = words(getattr(plot, name)({"limiter": run(), "schedule": run()}, tags="read-rt"))
    assert "limiter, response" in drawn and "schedule, response" in drawn


@each_picture
def test_a_tag_that_a_log_lacks_is_left_out_and_one_that_no_log_could_mean_is_refused(name, run, words):
    assert "service" in words(getattr(plot, name)(run(), tags=["read-st", "read-xt"]))
    with pytest.raises(BadInput, match=r"no tag read-xt in this log\. It has .*read-st"):
        getattr(plot, name)(run(), tags="read-xt")


@each_picture
def test_the_title_has_the_condition_that_all_runs_share(name, run, title):
    draw = getattr(plot, name)
    assert title(draw(run(), tags="read-rt")).startswith("JDK 17, Serial: response")
    assert "JDK" not in title(draw({"a": run(), "b": run(gc="G1")}, tags="read-rt"))
    assert title(draw({"a": run(gc=""), "b": run(gc="")}, tags="read-rt")).startswith("JDK 17: ")


def test_the_title_says_what_each_clock_makes_of_the_same_run(title):
    finding = title(plot.hdr_percentiles(CLOCKS))
    assert finding == "p99 from 8.1 ms (service) to 1,417 ms (response)"


def test_the_title_of_a_single_line_has_its_maximum_too(title):
    finding = title(plot.hdr_percentiles({"response": PARTS["read-rt"]}))
    assert finding == "response p99 is 1,417 ms, its maximum 1,485 ms"


def test_the_largest_value_stands_at_one_in_all_requests():
    ax = plot.hdr_percentiles({"response": PARTS["read-rt"]})
    x, y = ax.lines[0].get_xdata(), ax.lines[0].get_ydata()
    assert x[-1] == pytest.approx(np.log10(1320)) and y[-1] == pytest.approx(1484.783615)


def test_names_never_stand_on_each_other():
    ax = plot.hdr_percentiles(LOG)
    ax.figure.canvas.draw()
    boxes = sorted((text.get_window_extent() for text in ax.texts), key=lambda box: box.y0)
    assert all(low.y1 <= high.y0 + 1 for low, high in zip(boxes, boxes[1:], strict=False))


def test_the_title_says_when_it_was_worst(title):
    assert title(plot.latency(CLOCKS)) == "response maximum is 35 ms most of the time, 1,485 ms around 4.5 s"


def test_an_interval_is_as_wide_as_it_was_long():
    ax = plot.latency({"service": PARTS["read-st"]})
    rows = PARTS["read-st"]
    assert ax.lines[0].get_xdata()[:2].tolist() == [
        rows["start_s"].iloc[0],
        (rows["start_s"] + rows["length_s"]).iloc[0],
    ]


def test_an_interval_may_be_a_point_at_its_end():
    rows = PARTS["read-st"]
    ax = plot.latency({"service": rows}, ends=True)
    assert ax.lines[0].get_xdata().tolist() == pytest.approx((rows["start_s"] + rows["length_s"]).tolist())


def test_a_level_to_hold_the_lines_against_has_its_name_and_value(words):
    assert "stop: 527 ms" in words(plot.hdr_percentiles(CLOCKS, level=("stop", 527.3)))


def test_stops_lie_behind_the_lines_and_are_explained(words):
    ax = plot.latency(CLOCKS, stops=STOPS)
    assert len(ax.patches) == 2 and "the JVM stands still" in words(ax)


def test_a_run_brings_its_own_stops_if_it_logged_them(run):
    assert len(plot.latency(run(), tags="read-rt").patches) == 2
    assert not plot.latency(run(logs=()), tags="read-rt").patches


def intervals(*p99s):
    """An interval each 0.25 s from 2.6 s on, and the like after the second stop."""
    starts = [2.6, 2.85, 3.1, 6.6, 6.85, 7.1]
    return pd.DataFrame({"start_s": starts, "length_s": 0.25, "p99": p99s})


@pytest.mark.parametrize(
    ("service", "shown"), [((1, 1, 1, 790, 1, 1), 1), ((1,) * 6, 0), ((2, 780, 100, 790, 770, 90), 2)]
)
def test_a_stop_is_shown_by_a_line_that_is_half_as_high_soon_after_it(service, shown, title):
    clocks = {"service": intervals(*service), "response": intervals(2, 780, 100, 790, 770, 90)}
    stops = pd.DataFrame({"begin_s": [2.0, 6.0], "total_ms": [800.0, 800.0]})
    finding = title(plot.latency(clocks, value="p99", stops=stops))
    assert finding == f"service p99 shows {shown} of 2 stops of 0.8 s, response p99 2"


def test_a_line_that_only_grows_is_told_by_its_first_and_last_value(title):
    grows = intervals(34.4, 93, 156, 220, 348, 473)
    assert title(plot.latency({"response": grows}, value="p99")) == "response p99 grows from 34 ms to 473 ms in 7.3 s"
    assert "most of the time" in title(plot.latency({"response": grows.iloc[::-1]}, value="p99"))


def test_an_interval_without_a_value_is_not_drawn_as_zero():
    gap = PARTS["read-st"].assign(max=[1.0, np.nan, *PARTS["read-st"]["max"].iloc[2:]])
    assert min(plot.latency({"service": gap}).lines[0].get_ydata()) > 0


PLAIN = [1.0] * 900 + [2.0] * 90 + [30.0] * 9 + [400.0]
HISTOGRAM = pd.DataFrame({"value": [1.0, 2.0, 30.0, 400.0], "count": [900, 90, 9, 1]})


def line(data):
    [drawn] = plot.percentiles({"one": data}).lines
    return drawn.get_xdata(), drawn.get_ydata()


def test_a_histogram_draws_the_line_of_the_durations_that_it_counts():
    for plain, counted in zip(line(PLAIN), line(HISTOGRAM), strict=True):
        assert np.allclose(plain, counted)


def test_the_longest_of_a_thousand_stands_at_three_nines():
    x, y = line(HISTOGRAM)
    assert (x[-1], y[-1]) == (pytest.approx(3.0), 400.0)


def test_one_in_ten_is_at_least_as_long_as_what_stands_at_one_nine():
    x, y = line(HISTOGRAM)
    assert y[x < 0.99].max() == 1.0 and y[x > 1.01].min() == 2.0


def test_a_bucket_without_a_count_and_a_duration_of_zero_are_not_drawn():
    odd = pd.DataFrame({"value": [0.0, 1.0, 5.0, np.nan], "count": [7, 10, 0, 3]})
    assert set(line(odd)[1]) == {1.0}


def test_the_title_gives_the_median_of_all_that_was_counted():
    title = " ".join(plot.percentiles({"one": HISTOGRAM}, unit="us").get_title(loc="left").split())
    assert title == "one: half take under 1 us, the longest 400 us, 400 times as long"


def test_seven_nines_leave_room_for_their_words():
    many = pd.DataFrame({"value": [1.0, 9.0], "count": [9_999_999, 1]})
    ax = plot.percentiles({"one": many})
    ax.figure.draw_without_rendering()
    boxes = [label.get_window_extent() for label in ax.get_xticklabels() if label.get_text()]
    assert all(left.x1 < right.x0 for left, right in zip(boxes, boxes[1:], strict=False))


def test_two_names_do_not_stand_on_each_other():
    ax = plot.percentiles({"one": [1.0, 2.0, 400.0], "two": [1.0, 2.0, 401.0]})
    ax.figure.draw_without_rendering()
    one, two = (text.get_window_extent() for text in ax.texts)
    assert not one.overlaps(two)
