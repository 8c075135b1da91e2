"""Rounds of asking: a lane a thread, the stretches in their order, and where the stops end."""

import matplotlib

matplotlib.use("agg")

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from safepointlab import plot
from safepointlab.plot import _alternative

ROWS = [
    ("asker\nasks", "parks", 0.0, 12.0, "12 ms"),
    ("asker\nasks", "waits", 12.0, 52.0, "40 ms"),
    ("quick\npolls early", "runs", 0.0, 12.0, "12 ms"),
    ("quick\npolls early", "waits", 12.0, 52.0, "stands still"),
    ("slow\npolls late", "runs", 0.0, 52.0, "one call"),
]
ROUND = pd.DataFrame(ROWS, columns=["lane", "what", "begin_ms", "end_ms", "text"])


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def test_each_stretch_lies_in_the_lane_of_its_thread():
    bars = plot.round_lanes(ROUND).patches
    assert [(bar.get_x(), bar.get_width()) for bar in bars] == [(0, 12), (12, 40), (0, 12), (12, 40), (0, 52)]
    assert [round(bar.get_y() + bar.get_height() / 2) for bar in bars] == [0, 0, 1, 1, 2]


def test_a_dotted_line_stands_where_a_stop_ends():
    assert [list(line.get_xdata()) for line in plot.round_lanes(ROUND).lines] == [[52.0, 52.0]]


def test_the_title_is_about_the_thread_that_runs_and_waits():
    title = plot.round_lanes(ROUND).get_title(loc="left").replace("\N{NO-BREAK SPACE}", " ")
    assert title == "In each round quick runs for 12 ms,\nand then waits 40 ms for the last thread to stop"


def test_where_no_thread_does_both_the_title_says_so():
    assert plot.round_lanes(ROUND.iloc[:2]).get_title(loc="left") == "No thread both runs and waits"


def test_the_words_beside_the_picture_go_lane_by_lane():
    assert "quick polls early: 12 ms; stands still" in _alternative.of(plot.round_lanes(ROUND).figure)
