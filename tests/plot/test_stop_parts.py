"""The stacked bars: medians of the phases by the size of what was done, and what is not logged is not drawn."""

import matplotlib

matplotlib.use("agg")

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from safepointlab import plot

STOPS = pd.DataFrame(
    {
        "threads": [1, 1, 1, 4, 4, 4],
        "ttsp_ms": [0.1, 0.1, 90.0, 0.2, 0.2, 0.2],
        "cleanup_ms": [None] * 6,
        "operation_ms": [5.0, 5.0, 5.0, 6.0, 6.0, 6.0],
        "leaving_ms": [0.0, 0.0, 0.0, 80.0, 80.0, 80.0],
    }
)


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def heights(ax):
    return [[round(bar.get_height(), 3) for bar in bars] for bars in ax.containers]


def test_a_bar_is_made_of_the_medians_so_that_one_disturbed_stop_does_not_make_it():
    assert heights(plot.stop_parts(STOPS, x="threads")) == [[0.1, 0.2], [5.0, 6.0], [0.0, 80.0]]


def test_a_phase_that_no_jdk_logged_is_neither_drawn_nor_in_the_key():
    labels = [text.get_text() for text in plot.stop_parts(STOPS, x="threads").get_legend().texts]
    assert labels == ["reaching the safepoint", "the operation", "leaving"]


def test_the_title_names_the_phase_that_grew_most():
    title = plot.stop_parts(STOPS, x="threads").get_title(loc="left").replace("\n", " ")
    assert title.startswith("Leaving takes 0") and title.endswith("at 4 threads")


def test_the_title_says_whose_stops_they_are_where_they_are_those_of_one():
    one = STOPS.assign(jdk=25, gc="Shenandoah")
    title = plot.stop_parts(one, x="threads").get_title(loc="left")
    assert title.startswith("JDK 25, Shenandoah, leaving takes 0")
    both = pd.concat([one, one.assign(jdk=17, gc="Z")])
    assert plot.stop_parts(both, x="threads").get_title(loc="left").startswith("Leaving takes")


def test_a_handshake_is_no_stop():
    shakes = STOPS.assign(kind="handshake", operation_ms=1000.0)
    assert heights(plot.stop_parts(pd.concat([STOPS.assign(kind="safepoint"), shakes]), x="threads")) == heights(
        plot.stop_parts(STOPS, x="threads")
    )


def test_a_line_parts_the_sizes_that_the_machine_has_cores_for_from_the_others():
    assert [list(line.get_xdata()) for line in plot.stop_parts(STOPS, x="threads", cores=2).lines] == [[0.5, 0.5]]
    assert not plot.stop_parts(STOPS, x="threads", cores=64).lines


BESIDE = {"x": "threads", "beside": {"silent_ms": "all threads are silent"}}


def test_another_duration_of_the_stops_has_a_bar_beside_the_stack_and_a_number():
    ax = plot.stop_parts(STOPS.assign(silent_ms=[5.0] * 3 + [8.0] * 3, total_ms=[6.0] * 3 + [90.0] * 3), **BESIDE)
    assert heights(ax)[-1] == [5.0, 8.0] and ax.get_legend().texts[-1].get_text() == "all threads are silent"
    assert [text.get_text() for text in ax.texts] == ["6.0", "90", "5.0", "8.0"]


def test_the_title_then_holds_both_against_each_other_on_the_jdk_if_there_is_one():
    one = STOPS.assign(silent_ms=8.0, jdk=25)
    title = plot.stop_parts(one, **BESIDE).get_title(loc="left").replace("\N{NO-BREAK SPACE}", " ")
    assert title == "JDK 25, 4 threads: the log's median stop is 86 ms,\nall threads are silent for 8.0 ms"
    two = plot.stop_parts(pd.concat([one, one.assign(jdk=17)]), **BESIDE).get_title(loc="left")
    assert two.startswith("4 threads")


def test_without_a_stop_the_picture_says_so():
    assert plot.stop_parts(STOPS.iloc[:0], x="threads").get_title(loc="left") == "No phase was logged"
