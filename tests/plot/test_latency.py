"""Two pictures of an HDR log: percentiles on the axis of nines, and latency over time with the JVM's stops behind."""

import io
from pathlib import Path
from types import SimpleNamespace

import matplotlib
import numpy as np
import pandas as pd
import pytest

matplotlib.use("agg")

import matplotlib.pyplot as plt

from safepointlab import plot
from safepointlab.errors import BadInput
from safepointlab.logs import hdr

LOG = hdr.read(Path(__file__).parent.parent / "data" / "hdr" / "jdk17-stall.hlog")
PARTS = hdr.split(LOG)
CLOCKS = {"service": PARTS["read-st"], "response": PARTS["read-rt"]}
STOPS = pd.DataFrame({"begin_s": [2.0, 5.2], "total_ms": [1470.0, 1413.0]})

each_picture = pytest.mark.parametrize("name", ["hdr_percentiles", "latency"])


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def title(ax):
    return " ".join(ax.get_title(loc="left").replace("\N{NO-BREAK SPACE}", " ").split())


def words(ax):
    return " ".join(text.get_text() for text in ax.findobj(matplotlib.text.Text))


@each_picture
def test_a_picture_returns_the_axes_that_it_was_given(name):
    _, ax = plt.subplots()
    assert getattr(plot, name)(CLOCKS, ax=ax) is ax


@each_picture
def test_without_a_row_it_says_so(name):
    assert "nothing to draw" in words(getattr(plot, name)(LOG.iloc[:0]))


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
def test_a_log_has_a_line_for_each_time_of_each_operation(name):
    drawn = words(getattr(plot, name)(LOG))
    assert all(f"{operation} {time}" in drawn for operation in ("read", "write") for time in ("service", "response"))


@each_picture
def test_a_tag_of_another_kind_is_the_name_of_its_line(name):
    assert "login" in words(getattr(plot, name)(LOG.assign(tag="login")))


@each_picture
def test_of_one_operation_the_lines_are_named_by_the_time_alone(name, run):
    drawn = words(getattr(plot, name)(run(), tags=["read-st", "read-rt"]))
    assert "service" in drawn and "response" in drawn and "read" not in drawn and "wait" not in drawn


@each_picture
def test_the_lines_of_several_runs_are_named_by_run_and_time(name, run):
    drawn = words(getattr(plot, name)({"limiter": run(), "schedule": run()}, tags="read-rt"))
    assert "limiter, response" in drawn and "schedule, response" in drawn


@each_picture
def test_a_tag_that_a_log_lacks_is_left_out_and_one_that_no_log_could_mean_is_refused(name, run):
    assert "service" in words(getattr(plot, name)(run(), tags=["read-st", "read-xt"]))
    with pytest.raises(BadInput, match=r"no tag read-xt in this log\. It has .*read-st"):
        getattr(plot, name)(run(), tags="read-xt")


@each_picture
def test_the_title_has_the_condition_that_all_runs_share(name, run):
    draw = getattr(plot, name)
    assert title(draw(run(), tags="read-rt")).startswith("JDK 17, Serial: response")
    assert "JDK" not in title(draw({"a": run(), "b": run(gc="G1")}, tags="read-rt"))
    assert title(draw({"a": run(gc=""), "b": run(gc="")}, tags="read-rt")).startswith("JDK 17: ")


@each_picture
def test_a_picture_is_small_enough_for_a_saved_notebook(name):
    file = io.BytesIO()
    getattr(plot, name)(LOG).figure.savefig(file, format="png", bbox_inches="tight")
    assert len(file.getvalue()) < 60_000


def test_the_title_says_what_each_clock_makes_of_the_same_run():
    finding = title(plot.hdr_percentiles(CLOCKS))
    assert finding == "p99 from 8.1 ms (service) to 1,417 ms (response)"


def test_the_title_of_a_single_line_has_its_maximum_too():
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


def test_the_title_says_when_it_was_worst():
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


def test_a_level_to_hold_the_lines_against_has_its_name_and_value():
    assert "stop: 527 ms" in words(plot.hdr_percentiles(CLOCKS, level=("stop", 527.3)))


def test_each_line_is_told_by_its_own_name_where_they_end_at_one_point():
    assert [line.get_label() for line in plot.hdr_percentiles(CLOCKS).lines] == ["service", "response"]


def test_stops_lie_behind_the_lines_and_are_explained():
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
def test_a_stop_is_shown_by_a_line_that_is_half_as_high_soon_after_it(service, shown):
    clocks = {"service": intervals(*service), "response": intervals(2, 780, 100, 790, 770, 90)}
    stops = pd.DataFrame({"begin_s": [2.0, 6.0], "total_ms": [800.0, 800.0]})
    finding = title(plot.latency(clocks, value="p99", stops=stops))
    assert finding == f"service p99 shows {shown} of 2 stops of 0.8 s, response p99 2"


def test_a_line_that_only_grows_is_told_by_its_first_and_last_value():
    grows = intervals(34.4, 93, 156, 220, 348, 473)
    assert title(plot.latency({"response": grows}, value="p99")) == "response p99 grows from 34 ms to 473 ms in 7.3 s"
    assert "most of the time" in title(plot.latency({"response": grows.iloc[::-1]}, value="p99"))


def test_an_interval_without_a_value_is_not_drawn_as_zero():
    gap = PARTS["read-st"].assign(max=[1.0, np.nan, *PARTS["read-st"]["max"].iloc[2:]])
    assert min(plot.latency({"service": gap}).lines[0].get_ydata()) > 0
