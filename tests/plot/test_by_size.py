"""What grows with the size of the run: lines through medians, and stacked medians of phases."""

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


def test_a_line_goes_through_the_medians_and_a_missing_duration_is_left_out(title):
    ax = plot.growth(STOPS, "threads", BOTH)
    assert lines(ax) == {"reaching": pytest.approx([0.1, 0.15]), "the operation": [0.5, 50.0]}
    assert title(ax) == "From 0 to 100 threads: reaching 0.1 to 0.15 ms, the operation 0.5 to 50 ms"


def test_of_many_lines_the_title_names_the_flattest_and_the_steepest(title):
    last = {8: 4, 11: 20, 17: 2, 25: 3}
    four = pd.concat([STOPS.assign(jdk=jdk, operation_ms=[1, 1, 1, ms, ms, ms]) for jdk, ms in last.items()])
    said = title(plot.growth(four, "threads", "operation_ms", by="jdk", what="operation"))
    assert said == "From 0 to 100 threads, the operation becomes 2 (JDK 17) to 20 times (JDK 11) as long"


def test_a_median_that_hardly_changes_stays_and_of_one_size_the_title_says_what_it_takes(title):
    level = plot.growth(STOPS.assign(ttsp_ms=[0.1] * 3 + [0.103] * 3), "threads", "ttsp_ms")
    assert title(level) == "From 0 to 100 threads: ttsp_ms stays at 0.1 ms"
    alone = plot.growth(STOPS.query("threads == 0"), "threads", "operation_ms", what="operation")
    assert title(alone) == "The operation is 0.5 ms (operation_ms)"


def test_sizes_are_whole_numbers_at_equal_distance_with_a_line_where_the_cores_end():
    ax = plot.growth(STOPS.astype({"threads": float}), "threads", "operation_ms", cores=4)
    assert "beyond 4 cores" in [text.get_text() for text in ax.texts]
    assert [text.get_text() for text in ax.get_xticklabels()] == ["0", "100"]


def test_powers_of_two_stand_a_step_apart_for_each_doubling_and_few_runs_are_drawn_on_their_median():
    sizes = [1, 2, 4, 16]
    runs = pd.DataFrame({"threads": sizes * 3, "gc_ms": [20.0, 40, 80, 320] * 3})
    ax = plot.growth(runs, "threads", "gc_ms", cores=2)
    assert list(ax.get_xticks()) == [0, 1, 2, 4] and [text.get_text() for text in ax.get_xticklabels()][-1] == "16"
    *small, line, border = ax.lines
    assert list(line.get_xdata()) == [0, 1, 2, 4] and list(border.get_xdata()) == [1.5, 1.5]
    assert min(marks.get_zorder() for marks in small) > line.get_zorder()


def test_each_value_and_each_column_can_have_a_line_and_one_jdk_alone_is_named_in_the_title(title):
    two = pd.concat([STOPS.assign(jdk=8), STOPS.assign(jdk=17)])
    assert list(lines(plot.growth(two, "threads", "operation_ms", by="jdk"))) == ["JDK 8", "JDK 17"]
    named = lines(plot.growth(two, "threads", BOTH, by="jdk"))
    assert list(named) == ["JDK 8, reaching", "JDK 8, the operation", "JDK 17, reaching", "JDK 17, the operation"]
    alone = plot.growth(STOPS.assign(jdk=17), "threads", BOTH, by="jdk")
    assert list(lines(alone)) == ["reaching", "the operation"]
    assert title(alone).startswith("JDK 17, from 0 to 100 threads: reaching 0.1 to")


def test_series_stand_side_by_side_unless_they_are_to_stand_on_the_tick_and_their_names_never_overlap():
    two = pd.concat([STOPS.assign(gc="Serial"), STOPS.assign(gc="G1")])
    places = {}
    for apart in (True, False):
        ax = plot.growth(two, "threads", "operation_ms", by="gc", apart=apart)
        places[apart] = [line.get_xdata()[0] for line in ax.lines if not line.get_label().startswith("_")]
        heights = [text.xy[1] for text in ax.texts]
        assert ax.get_ylim()[1] >= heights[0] > heights[1]
    assert places == {True: [pytest.approx(-0.06), pytest.approx(0.06)], False: [0, 0]}


PHASES = pd.DataFrame(
    {
        "threads": [1, 1, 1, 4, 4, 4],
        "ttsp_ms": [0.1, 0.1, 90.0, 0.2, 0.2, 0.2],
        "cleanup_ms": [None] * 6,
        "operation_ms": [5.0, 5.0, 5.0, 6.0, 6.0, 6.0],
        "leaving_ms": [0.0, 0.0, 0.0, 80.0, 80.0, 80.0],
    }
)
BESIDE = {"x": "threads", "beside": {"silent_ms": "all threads are silent"}}


def heights(ax):
    return [[round(bar.get_height(), 3) for bar in bars] for bars in ax.containers]


def test_a_bar_is_made_of_medians_of_the_phases_that_were_logged_and_a_handshake_is_no_stop(title):
    shakes = PHASES.assign(kind="handshake", operation_ms=1000.0)
    ax = plot.stop_parts(pd.concat([PHASES.assign(kind="safepoint"), shakes]), x="threads", cores=2)
    assert heights(ax) == [[0.1, 0.2], [5.0, 6.0], [0.0, 80.0]]
    assert [text.get_text() for text in ax.get_legend().texts] == ["reaching the safepoint", "the operation", "leaving"]
    assert [list(line.get_xdata()) for line in ax.lines] == [[0.5, 0.5]]  # where the cores end
    assert title(ax).startswith("Leaving takes 0") and title(ax).endswith("at 4 threads")


def test_the_title_says_whose_stops_they_are_where_they_are_those_of_one(title):
    one = PHASES.assign(jdk=25, gc="Shenandoah")
    assert title(plot.stop_parts(one, x="threads")).startswith("JDK 25, Shenandoah, leaving takes 0")
    both = pd.concat([one, one.assign(jdk=17, gc="Z")])
    assert title(plot.stop_parts(both, x="threads")).startswith("Leaving takes")


def test_another_duration_of_the_stops_has_a_bar_beside_the_stack_and_a_number(title):
    stops = PHASES.assign(silent_ms=[5.0] * 3 + [8.0] * 3, total_ms=[6.0] * 3 + [90.0] * 3, jdk=25)
    ax = plot.stop_parts(stops, **BESIDE)
    assert heights(ax)[-1] == [5.0, 8.0] and ax.get_legend().texts[-1].get_text() == "all threads are silent"
    assert [text.get_text() for text in ax.texts] == ["6.0", "90", "5.0", "8.0"]
    said = "4 threads: the log's median pause is 90 ms, all threads are silent for 8.0 ms"
    assert title(ax) == f"JDK 25, {said}"


def test_it_says_of_how_many_values_the_medians_are():
    marks = "threads\nsmall mark: one of {} runs · large mark: their median"
    assert plot.growth(STOPS, "threads", BOTH).get_xlabel() == marks.format("2 to 3")
    logged = STOPS.assign(operation="ThreadDump")
    assert plot.growth(logged, "threads", "operation_ms").get_xlabel() == marks.format(3).replace("runs", "stops")
    alone = plot.growth(STOPS.iloc[[0, 3]], "threads", "operation_ms")
    assert alone.get_xlabel() == "threads"  # each mark is a single value
    assert plot.stop_parts(PHASES, x="threads").get_xlabel() == "threads\n3 pauses each"
    beside = plot.stop_parts(PHASES.assign(silent_ms=5.0), **BESIDE)
    said = "number: the median of 3 pauses · thin line: from the shortest to the longest"
    assert beside.get_xlabel() == f"threads\n{said}"


def test_short_names_make_a_title_with_a_verb(title):
    two = STOPS.rename(columns={"ttsp_ms": "a_ms", "operation_ms": "b_ms"}).assign(b_ms=[0.4, 0.5, 90.0, 0.5, 0.5, 0.5])
    said = title(plot.growth(two, "threads", {"a_ms": "G1", "b_ms": "Parallel"}))
    assert said == "From 0 to 100 threads: G1 goes from 0.1 to 0.15 ms, Parallel stays at 0.5 ms"


def test_the_words_about_the_cores_are_within_the_axes():
    for ax in (plot.growth(STOPS, "threads", BOTH, cores=4), plot.stop_parts(PHASES, x="threads", cores=2)):
        ax.figure.canvas.draw()
        [words] = [text for text in ax.texts if text.get_text().startswith("beyond")]
        assert words.get_window_extent().y1 <= ax.get_window_extent().y1
