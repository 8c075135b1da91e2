"""Where in the second the stops fall: level lines for what comes by itself, and a new one from each request on."""

import matplotlib

matplotlib.use("agg")

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from safepointlab import plot

STOPS = pd.DataFrame(
    [
        (1.25, "safepoint", "Cleanup", 0.1),
        (2.251, "safepoint", "Cleanup", 0.1),
        (2.60, "safepoint", "GenCollectFull", 3.0),
        (3.603, "safepoint", "Cleanup", 0.1),
        (3.70, "handshake", "Deoptimize", 0.1),
        (4.603, "safepoint", "Cleanup", 0.1),
        (5.0, "safepoint", "no vm operation", None),  # the exit of 8
    ],
    columns=["begin_s", "kind", "operation", "total_ms"],
)


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def title(frame):
    return " ".join(plot.phase({"JDK 17": frame}).get_title(loc="left").split())


def test_the_title_counts_the_gaps_between_neighbours_only():
    assert title(STOPS).startswith("All 2 gaps between neighbours are whole seconds")


def test_a_gap_of_another_length_is_said():
    assert title(STOPS.assign(begin_s=STOPS["begin_s"] * [1, 1.2, 1.1, 1, 1, 1, 1])).startswith("1 of 2 gaps")


def test_a_request_begins_a_new_line_at_its_own_place_in_the_second():
    joined, periodic, requested = plot.phase({"JDK 17": STOPS}).lines
    assert [round(y) for y in requested.get_ydata()] == [600]
    assert [round(y) for y in periodic.get_ydata()] == [250, 251, 603, 603]
    assert pd.isna(joined.get_ydata()).sum() == 1


def test_handshakes_and_the_exit_are_no_stops_of_the_period():
    _, periodic, requested = plot.phase({"JDK 17": STOPS}).lines
    assert len(periodic.get_xdata()) + len(requested.get_xdata()) == 5


def test_a_run_in_which_nothing_came_by_itself_draws_nothing():
    assert plot.phase({"JDK 25": STOPS[STOPS["operation"] == "GenCollectFull"]}).get_title(loc="left") == (
        "No stop came by itself"
    )
