"""The tiles of what loops do at once: the word, how many a pass, what is checked on the way."""

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from safepointlab.course.nb13_optimisation import pictures
from safepointlab.plot import _alternative


@pytest.fixture
def frame(scores):
    return scores(
        (8, "copyInt", 1.0, "vector/8/0/none"),
        (8, "copyLong", 9.0, "one by one/1/2/each pass"),
        (25, "copyInt", 1.0, "stub//0/none"),
        (25, "copyLong", 9.0, "unrolled/4/8/around"),
        (25, "copyLongInBatches", 9.0, "unrolled/4/8/around"),
    )


def texts(ax: plt.Axes) -> list[str]:
    return [text.get_text() for text in ax.texts]


def test_a_tile_says_what_is_done_at_once_and_what_is_checked_on_the_way(frame):
    tiles = texts(pictures.loop_work(frame))
    assert tiles == ["vector ×8", "stub", "one by one\n2 checks ●", "unrolled ×4\n8 checks (●)"]
    on_8 = pictures.loop_work(frame.query("jdk == 8"))
    assert [tick.get_text() for tick in on_8.get_xticklabels()] == ["int", "long"]


def test_the_title_tells_the_long_loops_jdk_by_jdk_and_without_them_the_int_loops(frame, title):
    assert title(pictures.loop_work(frame)) == (
        "With a long index the loop goes one by one on JDK 8; it is unrolled on JDK 25; always with range checks"
    )
    words = _alternative.of(pictures.loop_work(frame).figure).replace("\N{NO-BREAK SPACE}", " ")
    assert "goes one by one on JDK 8" in words and "unrolled ×4 8 checks (●) (JDK 25)" in words
    ints = title(pictures.loop_work(frame[frame["method"] == "copyInt"]))
    assert ints == "With an int index the loop uses vectors on JDK 8; it calls a routine of the JVM on JDK 25"


def test_of_several_runs_in_a_tile_the_slowest_kind_is_shown(frame):
    other = frame[:1].assign(gc="G1", run="unrolled/4/0/none")
    assert texts(pictures.loop_work(pd.concat([frame[:1], other])))[0] == "unrolled 1 of 2 ×4"


def test_a_failed_run_leaves_its_tile_out(frame):
    failed = frame.assign(score=[1.0, None, 1.0, 1.0, 1.0], run=["vector/8/0/none", "", *frame["run"][2:]])
    assert texts(pictures.loop_work(failed))[2] == "–"
