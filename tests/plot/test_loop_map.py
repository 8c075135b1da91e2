"""The map of loop shapes: rows read as the Java source does, and a tile says where a stop is granted."""

import matplotlib
import pandas as pd
import pytest

matplotlib.use("agg")

import matplotlib.pyplot as plt

from safepointlab import plot
from safepointlab.errors import SampleNotFound
from safepointlab.plot import _alternative
from safepointlab.plot._loop_headers import headers
from safepointlab.process import home

SOURCE = (home.SAMPLES / "counted" / "LoopShapes.java").read_text("utf-8")
SHAPES = ["longIndex", "intParameter", "breakInside", "longIndex", "intParameter"]
ANSWERS = pd.DataFrame({"shape": SHAPES, "jdk": [17, 17, 17, 17, 17], "gc": [*["Serial"] * 3, "G1", "G1"]})
ANSWERS["polled"] = pd.array([False, False, pd.NA, True, True], dtype="boolean")
NEST = {"method": "LoopShapes::intParameter", "jdk": 17, "gc": "G1", "tier": 4, "osr_bci": pd.NA, "compile_id": 9}


def loops(*pairs, **version):
    """Loops of one compile, from their depth and whether they have a poll."""
    return pd.DataFrame([{**NEST, **version, "depth": depth, "polled": polled} for depth, polled in pairs])


def signs(ax):
    return [text.get_text() for text in ax.texts if text.get_text() in "●◐✕–"]


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def test_every_shape_of_the_sample_has_a_header_and_a_part():
    shapes = "".join(SOURCE.split("SHAPES = ")[1].split(";")[0].replace('"', "").replace("+", "").splitlines()).split()
    known = headers(SOURCE)
    assert set(shapes) <= set(known) and all(known[shape].part.endswith("?") for shape in shapes)


@pytest.mark.parametrize(("shape", "text"), [
    ("intParameter", "for (int i = 0; i < turns; i++)"),
    ("doWhile", "do … while (i < turns)"),
    ("whilePostfix", "while (i++ < turns)"),
    ("overflowing", "for (int i = MAX_VALUE - 2 * turns; i < MAX_VALUE; i += 2)"),
    ("arrayWalk", "for (byte b : turns == bytes.length ? bytes : FEW)"),
    ("nested", "for (int i = 0; i < turns / 50; i++)"),
])  # fmt: skip
def test_a_header_reads_as_in_the_source(shape, text):
    assert headers(SOURCE)[shape].text == text


@pytest.mark.parametrize(
    ("shape", "text"),
    [
        ("intParameter", "for (int i = 0; i < turns; i++) x = Math.sqrt(x + i)"),
        ("breakInside", "for (int i = 0; i < turns; i++) { … break; … }"),
        ("callInlined", "for (int i = 0; i < turns; i++) x = root(x + i)"),
        ("callNotInlined", "for (int i = 0; i < turns; i++) x = ROOTS[i & 3].applyAsDouble(x…"),
    ],
)
def test_loops_of_one_header_are_told_by_their_bodies(shape, text):
    assert headers(SOURCE)[shape].whole == text


def test_rows_stand_in_the_order_of_the_source_under_their_part():
    texts = [text.get_text() for text in plot.loop_map(ANSWERS).texts]
    order = ["Which limit?", "for (int i = 0; i < turns; i++) x = Math.sqrt(x + i)", "Which index, which step?"]
    assert [text for text in texts if text in order] == order


def test_a_loop_that_gave_no_answer_is_no_answer():
    assert signs(plot.loop_map(ANSWERS)) == ["✕", "●", "✕", "●", "–", "–"]


def test_a_poll_around_an_unpolled_loop_is_strip_mining_where_the_clock_agrees():
    assert "◐" in signs(plot.loop_map(ANSWERS, loops((1, True), (2, False))))
    unheard = ANSWERS.assign(polled=False)
    assert "◐" not in signs(plot.loop_map(unheard, loops((1, True), (2, False))))


def test_without_an_inner_loop_a_polled_loop_is_just_polled():
    assert "◐" not in signs(plot.loop_map(ANSWERS, loops((1, True), (1, False))))


def test_several_answers_show_the_worst():
    twice = pd.concat([ANSWERS, ANSWERS.assign(polled=True)])
    assert signs(plot.loop_map(twice))[0] == "✕"


def test_where_the_standard_version_has_no_poll_the_thread_that_was_stopped_ran_the_osr_version():
    standard, by_osr = loops((1, False)), loops((1, True), (2, False), osr_bci=27, compile_id=8)
    assert "◐" in signs(plot.loop_map(ANSWERS, pd.concat([standard, by_osr])))
    called = standard.assign(calls=1)
    assert "◐" not in signs(plot.loop_map(ANSWERS, pd.concat([called, by_osr.assign(calls=0)])))


def test_the_title_counts_by_collector():
    assert plot.loop_map(ANSWERS).get_title(loc="left").splitlines() == [
        "Loops that cannot be stopped, of 2. Serial: 2 (JDK 17).",
        "G1: 0 (JDK 17).",
    ]


def test_the_title_of_one_column_names_its_jdk_and_collector():
    title = plot.loop_map(ANSWERS.query("gc == 'G1'")).get_title(loc="left")
    assert " ".join(title.split()) == "JDK 17, G1: 0 of 2 loops cannot be stopped in mid-loop"


def test_the_title_takes_neighbouring_jdks_of_one_count_together():
    bare = [(jdk, shape, shape == "intParameter" or jdk > 11) for jdk in (8, 11, 17, 21, 25) for shape in SHAPES[:2]]
    frame = pd.DataFrame(bare, columns=["jdk", "shape", "bare"]).assign(polled=lambda rows: ~rows["bare"])
    title = plot.loop_map(frame.assign(gc="Serial")).get_title(loc="left")
    assert " ".join(title.split()) == "Loops that cannot be stopped, of 2. Serial: 1 (JDK 8, 11), 2 (JDK 17 to 25)."


def test_a_map_without_collectors_has_jdks_alone():
    ax = plot.loop_map(ANSWERS.drop(columns="gc").head(2))
    assert _alternative.of(ax.figure).endswith("JDK 17: the stop waits for its end: longIndex, intParameter.")


def test_an_empty_frame_and_a_sample_that_is_not_there_get_a_sentence():
    assert "No loop was looked at" in plot.loop_map(ANSWERS.head(0)).get_title(loc="left")
    with pytest.raises(SampleNotFound, match="no sample"):
        plot.loop_map(ANSWERS, sample="counted/NoSuchShapes")
