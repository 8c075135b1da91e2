"""A stop by the log and by the threads: a stack and a bar for each number of threads."""

import matplotlib

matplotlib.use("agg")

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from safepointlab import plot

SILENCES = pd.DataFrame(
    {
        "threads": [1, 64],
        "ttsp_ms": [0.1, 2.0],
        "operation_ms": [10.0, 15.0],
        "leaving_ms": [0.0, 200.0],
        "everybody_silent_ms": [10.0, 18.0],
    }
)


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def test_the_phases_are_stacked_and_the_silence_stands_beside_them():
    bars = plot.silences(SILENCES).patches
    assert [bar.get_height() for bar in bars] == [0.1, 2.0, 10.0, 15.0, 0.0, 200.0, 10.0, 18.0]
    assert [round(bar.get_y(), 1) for bar in bars[-4:]] == [10.1, 17.0, 0.0, 0.0]


def test_a_phase_that_is_not_logged_is_not_in_the_key():
    key = plot.silences(SILENCES.assign(leaving_ms=None)).get_legend().get_texts()
    assert [text.get_text() for text in key] == ["reaching the safepoint", "the operation", "all threads are silent"]


def test_the_finding_holds_both_against_each_other():
    title = plot.silences(SILENCES.assign(jdk=25)).get_title(loc="left").replace("\N{NO-BREAK SPACE}", " ")
    assert title == "JDK 25, 64 threads: the log's median stop is 217 ms,\nall threads are silent for 18 ms"


def test_the_number_above_a_stack_is_the_median_stop_and_not_the_sum_of_the_phases():
    words = [text.get_text() for text in plot.silences(SILENCES.assign(total_ms=[10.2, 230.0])).texts]
    assert words == ["10", "230", "10", "18"]


def test_a_broken_line_stands_where_the_cores_end():
    assert "beyond 4 cores" in [text.get_text() for text in plot.silences(SILENCES, cores=4).texts]
