"""The bill of a request: what the log has, one on top of the other, and how long the caller waited."""

import matplotlib

matplotlib.use("agg")

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from safepointlab import plot

BILL = pd.DataFrame(
    {
        "jdk": [11, 17, 25, 25],
        "ttsp_ms": [5.0, 6.0, 7.0, 9.0],
        "operation_ms": [None, None, 3.0, 3.0],
        "leaving_ms": [None, None, 200.0, 300.0],
        "rest_ms": [15.0, 250.0, None, None],
        "handshakes_ms": [None, 400.0, 500.0, 500.0],
        "gc_ms": [80.0, 900.0, 1000.0, 1200.0],
    }
)


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def test_the_bars_are_medians_and_what_is_not_logged_has_no_height():
    heights = [round(bar.get_height(), 1) for bar in plot.request_parts(BILL).patches]
    assert heights[:15] == [5, 6, 8, 0, 0, 3, 0, 0, 250, 15, 250, 0, 0, 400, 500]


def test_what_the_log_has_not_is_the_rest_of_the_wait():
    ax = plot.request_parts(BILL)
    assert [round(bar.get_height(), 1) for bar in ax.patches[15:]] == [60, 244, 339]
    assert [text.get_text() for text in ax.get_legend().texts][-1] == "not in the log"


def test_the_callers_wait_stands_above_its_bar_with_its_number():
    assert [text.get_text() for text in plot.request_parts(BILL).texts] == [
        "caller: 80\N{NO-BREAK SPACE}ms",
        "caller: 900\N{NO-BREAK SPACE}ms",
        "caller: 1,100\N{NO-BREAK SPACE}ms",
    ]


def test_the_finding_names_the_longest_wait_and_its_largest_logged_part():
    title = plot.request_parts(BILL).get_title(loc="left")
    assert title == "The caller waits longest on JDK 17 and 25:\nthe largest part in the log is handshakes"


def test_one_jdk_alone_is_named_where_it_stands_out():
    slow = BILL.assign(gc_ms=[80.0, 700.0, 1000.0, 1200.0])
    assert "longest on JDK 25:" in plot.request_parts(slow).get_title(loc="left")


def test_a_part_that_no_jdk_logs_is_not_in_the_key():
    key = plot.request_parts(BILL[BILL["jdk"] == 11]).get_legend().get_texts()
    assert [text.get_text() for text in key] == ["reaching", "after reaching", "not in the log"]


def test_a_part_that_can_be_seen_in_one_of_the_bars_is_in_the_key_and_no_shorter_one():
    key = [text.get_text() for text in plot.request_parts(BILL).get_legend().get_texts()]
    assert key == ["reaching", "leaving", "after reaching", "handshakes", "not in the log"]
