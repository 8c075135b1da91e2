"""Notebook 15's own picture: the parts of a request, one on top of the other."""

from typing import Any

import pandas as pd
import pytest

from safepointlab.course.nb15_faster import pictures
from safepointlab.errors import BadInput
from safepointlab.plot import _alternative

NB = "\N{NO-BREAK SPACE}"


@pytest.fixture
def bill(requests):
    """bill(waits of 17): the requests of JDK 11, 17 and, in two JVMs, 25; each JVM has two requests."""

    def make(on_17=900.0, gc="Shenandoah"):
        leaving = [(14.0, 6.0, 400.0, 420.0)], [(18.0, 6.0, 600.0, 624.0)]
        return requests(
            [
                (gc, 11, 80.0, [(10.0, None, None, 40.0)], None),
                (gc, 17, on_17, [(12.0, None, None, 512.0)], 800.0),
                (gc, 25, 1000.0, leaving[0], 1000.0),
                (gc, 25, 1200.0, leaving[1], 1000.0),
            ]
        )

    return make


def test_the_bars_are_medians_what_is_not_logged_is_the_rest_of_the_wait_and_the_key_names_all_parts(bill):
    ax = pictures.request_parts(bill())
    heights = [round(bar.get_height(), 1) for bar in ax.patches]  # type: ignore[attr-defined]
    assert heights == [5, 6, 8, 0, 0, 3, 0, 0, 250, 15, 250, 0, 0, 400, 500, 60, 244, 339]
    assert [text.get_text() for text in ax.texts] == [f"caller: {ms}{NB}ms" for ms in ("80", "900", "1,100")]
    names = ["reaching", "operation", "leaving", "after reaching", "handshakes", "not in the log"]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == names
    assert "operation: JDK 11: 0; JDK 17: 0; JDK 25: 3." in _alternative.of(ax.figure)
    old = bill().query("jdk == 11")
    key = [text.get_text() for text in pictures.request_parts(old).get_legend().get_texts()]
    assert key == ["reaching", "after reaching", "not in the log"]


def test_the_finding_names_the_longest_wait_and_its_largest_logged_parts(bill, requests):
    title = pictures.request_parts(bill()).get_title(loc="left")
    longer = "Shenandoah: the caller waits longer on JDK 17 and 25\nthan on JDK 11"
    assert title == f"{longer}; the largest part in the log is handshakes"
    slow = pictures.request_parts(bill(on_17=700.0, gc="default")).get_title(loc="left")
    assert slow == "The caller waits longest on JDK 25;\nthe largest part in the log is handshakes"
    close = requests([("Z", 25, ms, [(1.0, 1.0, 90.0, 92.0)], 100.0) for ms in (90.0, 130.0)])
    ax = pictures.request_parts(close)
    said = "ZGC: the caller waits longest on JDK 25;\nthe largest parts in the log are leaving and handshakes"
    assert ax.get_title(loc="left") == said
    lines: Any = ax.collections
    assert [line.get_segments()[0][:, 1].tolist() for line in lines] == [[90.0, 130.0]]
    assert ax.get_xlabel().startswith("medians of 2 JVMs")


def test_bars_that_differ_in_more_than_the_jdk_are_named_by_that_too(bill):
    ax = pictures.request_parts(pd.concat([bill(), bill(gc="$Z_1$")]))
    ticks = [text.get_text() for text in ax.get_xticklabels()]
    assert ticks[0] == "Shenandoah\nJDK 11" and ticks[-1] == "$Z_1$\nJDK 25"
    ax.figure.canvas.draw()  # a name with dollar signs is no formula
    assert "longer on Shenandoah, JDK 17" in ax.get_title(loc="left")


def test_without_runs_the_pictures_say_so_and_what_is_no_table_of_such_runs_is_refused(bill):
    assert pictures.request_parts(bill().iloc[:0]).get_title(loc="left") == "Nothing was measured"
    with pytest.raises(BadInput, match="no column"):
        pictures.request_parts(pd.DataFrame({"odd": [1]}))
