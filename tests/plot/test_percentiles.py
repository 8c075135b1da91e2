"""Percentiles of plain durations and of histograms: one and the same line, and each value as often as it came about."""

import matplotlib

matplotlib.use("agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from safepointlab import plot

PLAIN = [1.0] * 900 + [2.0] * 90 + [30.0] * 9 + [400.0]
HISTOGRAM = pd.DataFrame({"value": [1.0, 2.0, 30.0, 400.0], "count": [900, 90, 9, 1]})


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


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


def test_the_order_of_the_buckets_does_not_matter():
    assert np.array_equal(line(HISTOGRAM)[1], line(HISTOGRAM.iloc[::-1])[1])


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
