"""What grows with the size, and what does not: a dot a stop, a line through the medians."""

import matplotlib

matplotlib.use("agg")

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from safepointlab import plot

STOPS = pd.DataFrame(
    {
        "threads": [0, 0, 0, 100, 100, 100],
        "ttsp_ms": [0.1, 0.1, 0.2, 0.1, 0.2, pd.NA],
        "operation_ms": [0.4, 0.5, 90.0, 40.0, 50.0, 60.0],
    }
)
BOTH = {"ttsp_ms": "reaching", "operation_ms": "the operation"}


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def lines(ax):
    return {line.get_label(): list(line.get_ydata()) for line in ax.lines if not line.get_label().startswith("_")}


def test_a_line_goes_through_the_medians_and_a_missing_duration_is_left_out():
    assert lines(plot.growth(STOPS, "threads", BOTH)) == {
        "reaching": [pytest.approx(0.1), pytest.approx(0.15)],
        "the operation": [0.5, 50.0],
    }


def test_the_title_says_by_how_much_each_line_grows():
    title = plot.growth(STOPS, "threads", BOTH).get_title(loc="left").replace("\n", " ")
    assert title == "From 0 to 100 threads: reaching 0.1 to 0.15 ms, the operation 0.5 to 50 ms"


def test_of_many_lines_the_title_names_the_flattest_and_the_steepest():
    four = [
        STOPS.assign(jdk=jdk, operation_ms=[1, 1, 1, *[ms] * 3]) for jdk, ms in ((8, 4), (11, 20), (17, 2), (25, 3))
    ]
    title = plot.growth(pd.concat(four), "threads", "operation_ms", by="jdk", what="operation").get_title(loc="left")
    assert title == "From 0 to 100 threads the operation is\n2 times (JDK 17) to 20 times (JDK 11) as long"


def test_a_median_that_hardly_changes_stays_and_of_one_size_the_title_says_what_it_takes():
    title = plot.growth(STOPS.assign(ttsp_ms=[0.1] * 3 + [0.103] * 3), "threads", "ttsp_ms").get_title(loc="left")
    assert title == "From 0 to 100 threads:\nttsp_ms stays at 0.1 ms"
    alone = plot.growth(STOPS.query("threads == 0"), "threads", "operation_ms", what="operation").get_title(loc="left")
    assert alone == "The operation is 0.5 ms (operation_ms)"


def test_a_line_stands_where_the_cores_end_and_sizes_are_whole_numbers():
    ax = plot.growth(STOPS.astype({"threads": float}), "threads", "operation_ms", cores=4)
    assert "beyond 4 cores" in [text.get_text() for text in ax.texts]
    assert [text.get_text() for text in ax.get_xticklabels()] == ["0", "100"]


def test_each_value_of_a_column_can_have_its_line():
    two = pd.concat([STOPS.assign(gc="Serial"), STOPS.assign(gc="G1")])
    assert list(lines(plot.growth(two, "threads", "operation_ms", by="gc"))) == ["Serial", "G1"]


def test_each_value_and_each_column_can_have_a_line_together():
    two = pd.concat([STOPS.assign(jdk=8), STOPS.assign(jdk=17)])
    named = lines(plot.growth(two, "threads", BOTH, by="jdk"))
    assert list(named) == ["JDK 8, reaching", "JDK 8, the operation", "JDK 17, reaching", "JDK 17, the operation"]
    assert named["JDK 17, the operation"] == [0.5, 50.0]


def test_one_jdk_alone_is_named_in_the_title():
    ax = plot.growth(STOPS.assign(jdk=17), "threads", BOTH, by="jdk")
    assert list(lines(ax)) == ["reaching", "the operation"]
    assert ax.get_title(loc="left").startswith("JDK 17, from 0 to 100 threads:\nreaching 0.1 to")


def test_sizes_stand_at_equal_distance_so_that_0_has_a_place():
    ax = plot.growth(STOPS, "threads", "operation_ms")
    assert [text.get_text() for text in ax.get_xticklabels()] == ["0", "100"]


def test_series_stand_side_by_side_unless_they_are_to_stand_on_the_tick():
    two = pd.concat([STOPS.assign(gc="Serial"), STOPS.assign(gc="G1")])
    apart, on_tick = (plot.growth(two, "threads", "operation_ms", by="gc", apart=apart) for apart in (True, False))
    places = [[list(line.get_xdata()) for line in ax.lines if not line.get_label().startswith("_")]
              for ax in (apart, on_tick)]  # fmt: skip
    assert places == [[[pytest.approx(-0.06), pytest.approx(0.94)], [pytest.approx(0.06), pytest.approx(1.06)]],
                      [[0, 1], [0, 1]]]  # fmt: skip


def test_names_of_lines_that_end_at_the_same_place_stand_apart():
    three = pd.concat([STOPS.assign(gc=name) for name in ("Serial", "Parallel", "G1")])
    ax = plot.growth(three, "threads", "operation_ms", by="gc")
    heights = [text.xy[1] for text in ax.texts]
    assert len(heights) == 3 and ax.get_ylim()[1] >= heights[0] > heights[1] > heights[2]


def test_without_a_duration_the_picture_says_so():
    assert plot.growth(STOPS.iloc[:0], "threads").get_title(loc="left") == "Nothing was measured"
