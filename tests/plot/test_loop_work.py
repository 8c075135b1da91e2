"""The tiles of what loops do at once: the word, how many an iteration, what is asked on the way."""

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from safepointlab import plot

FRAME = pd.DataFrame(
    {
        "loop": ["copyInt", "copyLong", "copyInt", "copyLong"],
        "jdk": [8, 8, 25, 25],
        "work": ["vector", "one by one", "stub", "unrolled"],
        "per_pass": pd.array([8, 1, None, 4], dtype="Int64"),
        "range_checks": [0, 2, 0, 8],
        "poll": ["none", "each pass", "none", "around"],
    }
)


@pytest.fixture(autouse=True)
def _no_figure_stays_open():
    yield
    plt.close("all")


def texts(ax: plt.Axes) -> list[str]:
    return [text.get_text() for text in ax.texts]


def test_a_tile_says_what_is_done_at_once_and_what_is_asked_on_the_way():
    tiles = texts(plot.loop_work(FRAME, rows="loop"))
    assert tiles == ["vector ×8", "stub", "one by one\n2 checks ●", "unrolled ×4\n8 checks (●)"]


def test_of_several_loops_in_a_tile_the_slowest_kind_is_shown():
    assert texts(plot.loop_work(FRAME, rows="jdk", columns="poll"))[0].startswith("vector")
    on_8 = FRAME[FRAME["jdk"] == 8].assign(all="x")
    assert texts(plot.loop_work(on_8, rows="all"))[0] == "one by one 1 of 2\n2 checks ●"


def test_without_rows_it_says_that_there_is_nothing():
    assert plot.loop_work(FRAME.iloc[:0], rows="loop").get_title(loc="left") == "No loop was looked at"


def test_the_axis_explains_the_signs():
    assert "● a poll in every pass" in plot.loop_work(FRAME, rows="loop").get_xlabel()
