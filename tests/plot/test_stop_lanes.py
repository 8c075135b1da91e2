"""Stops that came by themselves in lanes, and what the process grew by without them."""

import matplotlib

matplotlib.use("agg")

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from safepointlab import plot
from safepointlab.plot import _alternative

NONE = float("nan")
STOPS = pd.DataFrame(
    [(8, "busy", begin_s) for begin_s in (1.0, 2.0, 3.01)] + [(8, "at rest", 1.0), (25, "busy", NONE)],
    columns=["jdk", "case", "begin_s"],
).assign(until_s=4.0)
GROWN = pd.DataFrame(
    [(8, 0, 150.0), (8, 1000, 50.0), (25, 0, 1.0), (25, 1000, 0.0)], columns=["jdk", "interval", "grown_mib"]
)


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def title(ax) -> str:
    return " ".join(ax.get_title(loc="left").split())


def test_the_title_names_where_there_is_a_stop_each_second():
    assert title(plot.stop_lanes(STOPS)) == "All threads are stopped each second on JDK 8 (busy)"


def test_stops_two_seconds_apart_are_not_one_a_second():
    assert title(plot.stop_lanes(STOPS.assign(begin_s=2 * STOPS["begin_s"]))) == "No JDK makes a stop each second"


def test_the_words_count_the_stops_of_each_jdk_and_case():
    words = _alternative.of(plot.stop_lanes(STOPS).figure)
    assert "busy: 3 stops on 8, 0 stops on 25; at rest: 1 stop on 8; in 4 s" in words


def test_the_title_names_where_the_process_grows_by_far_more():
    assert title(plot.grown(GROWN)) == ("JDK 8 grows by far more without the stops; on the others it does not")


def test_the_title_names_those_that_grow_as_much_with_the_stops_or_without():
    both = pd.DataFrame({"jdk": 17, "interval": [0, 1000], "grown_mib": [40.2, 41.4]})
    assert title(plot.grown(pd.concat([GROWN, both]))) == (
        "JDK 8 grows by far more without the stops, 17 by 40 to 41 MiB with or without them"
    )


def test_where_both_bars_are_alike_no_jdk_is_named():
    assert "grows by no more" in title(plot.grown(GROWN.assign(grown_mib=40.0)))
