"""What grows with the size, and what does not: a dot a stop, a line through the medians."""

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


PHASES = pd.DataFrame(
    {
        "threads": [1, 1, 1, 4, 4, 4],
        "ttsp_ms": [0.1, 0.1, 90.0, 0.2, 0.2, 0.2],
        "cleanup_ms": [None] * 6,
        "operation_ms": [5.0, 5.0, 5.0, 6.0, 6.0, 6.0],
        "leaving_ms": [0.0, 0.0, 0.0, 80.0, 80.0, 80.0],
    }
)


def heights(ax):
    return [[round(bar.get_height(), 3) for bar in bars] for bars in ax.containers]


def test_a_bar_is_made_of_the_medians_so_that_one_disturbed_stop_does_not_make_it():
    assert heights(plot.stop_parts(PHASES, x="threads")) == [[0.1, 0.2], [5.0, 6.0], [0.0, 80.0]]


def test_a_phase_that_no_jdk_logged_is_neither_drawn_nor_in_the_key():
    labels = [text.get_text() for text in plot.stop_parts(PHASES, x="threads").get_legend().texts]
    assert labels == ["reaching the safepoint", "the operation", "leaving"]


def test_the_title_names_the_phase_that_grew_most():
    title = plot.stop_parts(PHASES, x="threads").get_title(loc="left").replace("\n", " ")
    assert title.startswith("Leaving takes 0") and title.endswith("at 4 threads")


def test_the_title_says_whose_stops_they_are_where_they_are_those_of_one():
    one = PHASES.assign(jdk=25, gc="Shenandoah")
    title = plot.stop_parts(one, x="threads").get_title(loc="left")
    assert title.startswith("JDK 25, Shenandoah, leaving takes 0")
    both = pd.concat([one, one.assign(jdk=17, gc="Z")])
    assert plot.stop_parts(both, x="threads").get_title(loc="left").startswith("Leaving takes")


def test_a_handshake_is_no_stop():
    shakes = PHASES.assign(kind="handshake", operation_ms=1000.0)
    assert heights(plot.stop_parts(pd.concat([PHASES.assign(kind="safepoint"), shakes]), x="threads")) == heights(
        plot.stop_parts(PHASES, x="threads")
    )


def test_a_line_parts_the_sizes_that_the_machine_has_cores_for_from_the_others():
    assert [list(line.get_xdata()) for line in plot.stop_parts(PHASES, x="threads", cores=2).lines] == [[0.5, 0.5]]
    assert not plot.stop_parts(PHASES, x="threads", cores=64).lines


BESIDE = {"x": "threads", "beside": {"silent_ms": "all threads are silent"}}


def test_another_duration_of_the_stops_has_a_bar_beside_the_stack_and_a_number():
    ax = plot.stop_parts(PHASES.assign(silent_ms=[5.0] * 3 + [8.0] * 3, total_ms=[6.0] * 3 + [90.0] * 3), **BESIDE)
    assert heights(ax)[-1] == [5.0, 8.0] and ax.get_legend().texts[-1].get_text() == "all threads are silent"
    assert [text.get_text() for text in ax.texts] == ["6.0", "90", "5.0", "8.0"]


def test_the_title_then_holds_both_against_each_other_on_the_jdk_if_there_is_one():
    one = PHASES.assign(silent_ms=8.0, jdk=25)
    title = plot.stop_parts(one, **BESIDE).get_title(loc="left").replace("\N{NO-BREAK SPACE}", " ")
    assert title == "JDK 25, 4 threads: the log's median stop is 86 ms,\nall threads are silent for 8.0 ms"
    two = plot.stop_parts(pd.concat([one, one.assign(jdk=17)]), **BESIDE).get_title(loc="left")
    assert two.startswith("4 threads")
