"""Lines over the number of threads: medians, the middle half of the stops, and the line where the cores end."""

import matplotlib

matplotlib.use("agg")

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from safepointlab import plot

STOPS = pd.DataFrame(
    {
        "jdk": [8] * 6 + [17] * 6,
        "threads": [1, 1, 1, 64, 64, 64] * 2,
        "ttsp_ms": [0.1, 0.1, 50.0, 4.0, 4.0, 4.0, 0.2, 0.2, 0.2, 0.2, 0.2, None],
    }
)


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def heights(ax):
    return [list(bars.lines[0].get_ydata()) for bars in ax.containers]


def test_a_line_goes_through_the_medians_of_each_jdk():
    assert heights(plot.threadscan(STOPS)) == [[0.1, 4.0], [0.2, 0.2]]


def test_a_line_may_go_through_the_stops_that_were_disturbed_least():
    assert heights(plot.threadscan(STOPS[STOPS["jdk"] == 8].assign(ttsp_ms=[1, 2, 9, 3, 3, 3]), line=0.25)) == [
        [1.5, 3]
    ]


def test_the_key_names_the_jdks():
    assert [text.get_text() for text in plot.threadscan(STOPS).get_legend().texts] == ["JDK 8", "JDK 17"]


def test_a_broken_line_stands_where_the_cores_end_if_both_sides_were_measured():
    words = [text.get_text() for text in plot.threadscan(STOPS, cores=2).texts]
    assert words == ["beyond 2 cores"] and not plot.threadscan(STOPS, cores=64).texts


def test_the_title_says_what_the_ends_are():
    title = plot.threadscan(STOPS[STOPS["jdk"] == 8]).get_title(loc="left").replace("\n", " ")
    assert title.replace("\N{NO-BREAK SPACE}", " ") == "0.1 ms with 1 thread, 4.0 ms with 64"


def test_without_a_stop_the_picture_says_so():
    assert plot.threadscan(STOPS.iloc[:0]).get_title(loc="left") == "Nothing was measured"
