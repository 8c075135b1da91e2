"""Two pictures of an HDR log: percentiles on the axis of nines, and latency over time with the JVM's stops behind."""

import io
from pathlib import Path

import matplotlib
import numpy as np
import pandas as pd
import pytest

matplotlib.use("agg")

import matplotlib.pyplot as plt

from safepointlab import plot
from safepointlab.read import hdr

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


@each_picture
def test_a_log_has_a_named_line_for_each_tag(name):
    drawn = words(getattr(plot, name)(LOG))
    assert all(tag in drawn for tag in PARTS)


@each_picture
def test_a_picture_is_small_enough_for_a_saved_notebook(name):
    file = io.BytesIO()
    getattr(plot, name)(LOG).figure.savefig(file, format="png", bbox_inches="tight")
    assert len(file.getvalue()) < 60_000


def test_the_title_says_what_each_clock_makes_of_the_same_run():
    finding = title(plot.hdr_percentiles(CLOCKS))
    assert finding == "service: 99 % take under 8.1 ms, response: under 1,417 ms"


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
    assert title(plot.latency(CLOCKS)) == "response: 35 ms most of the time, 1,485 ms around 4.5 s"


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


def test_an_interval_without_a_value_is_not_drawn_as_zero():
    gap = PARTS["read-st"].assign(max=[1.0, np.nan, *PARTS["read-st"]["max"].iloc[2:]])
    assert min(plot.latency({"service": gap}).lines[0].get_ydata()) > 0
