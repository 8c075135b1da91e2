"""The map of loop shapes: rows read as the Java source does, and a tile says where a stop is granted."""

import pandas as pd

from safepointlab.course.nb05_counted.pictures import loop_map
from safepointlab.plot import _alternative
from safepointlab.process import home

SOURCE = (home.SAMPLES / "counted" / "LoopShapes.java").read_text("utf-8")
SERIAL = {"longIndex": "unpolled", "intParameter": "unpolled", "breakInside": "too short"}
G1 = {"longIndex": "polled", "intParameter": "polled"}


def loops(*pairs, shape="intParameter", compile_id=9, osr_bci=None, calls=0):
    """Loops of one compile by C2, from their depth and whether they have a poll."""
    return [(f"LoopShapes::{shape}", compile_id, 4, osr_bci, depth, polled, calls) for depth, polled in pairs]


STRIP_MINED = loops((1, True), (2, False))


def signs(ax):
    return [text.get_text() for text in ax.texts if text.get_text() in "●◐⊗✕–"]


def test_every_shape_of_the_sample_has_its_header_below_the_part_of_the_source(printed):
    shapes = "".join(SOURCE.split("SHAPES = ")[1].split(";")[0].replace('"', "").replace("+", "").splitlines()).split()
    texts = [text.get_text() for text in loop_map(printed(dict.fromkeys(shapes, "polled"))).texts]
    assert len(shapes) > 20 and not set(shapes) & set(texts)
    order = [
        "Which limit?",
        "for (int i = 0; i < turns; i++) x = Math.sqrt(x + i)",  # loops of one header show their bodies
        "Which index, which step?",
        "for (int i = MAX_VALUE - 2 * turns; i < MAX_VALUE; i += 2)",
        "do … while (i < turns)",
        "while (i++ < turns)",
        "for (int i = 0; i < turns; i++) { … break; … }",
        "for (int i = 0; i < turns; i++) x = root(x + i)",
        "for (int i = 0; i < turns; i++) x = ROOTS[i & 3].applyAsDouble(x…",
        "for (int i = 0; i < turns / 50; i++)",
        "for (byte b : turns == bytes.length ? bytes : FEW)",
    ]
    assert set(order) <= set(texts) and texts.index(order[0]) < texts.index(order[1]) < texts.index(order[2])


def test_a_tile_shows_the_worst_answer_and_a_shape_that_gave_none_or_was_not_run_is_a_dash(printed, swept):
    assert signs(loop_map(swept([printed(SERIAL), printed(G1, gc="G1")]))) == ["✕", "●", "✕", "●", "–", "–"]
    assert signs(loop_map(swept([printed(SERIAL), printed(G1)])))[0] == "✕"
    for nothing in (pd.DataFrame(), pd.DataFrame({"run": [None, ""]})):
        assert not signs(loop_map(nothing))


def test_a_poll_around_an_unpolled_loop_is_strip_mining_where_the_clock_agrees(printed):
    assert "◐" in signs(loop_map(printed(G1, loops=STRIP_MINED)))
    assert "◐" not in signs(loop_map(printed(SERIAL, loops=STRIP_MINED)))
    assert "◐" not in signs(loop_map(printed(G1, loops=loops((1, True), (1, False)))))  # there is no inner loop
    assert signs(loop_map(printed(G1, loops=None))) == ["●", "●"]  # no machine code was captured


def test_a_stop_that_waits_though_the_code_has_a_poll_has_a_sign_of_its_own(printed):
    nest = loops((1, True), (2, False), shape="longIndex")
    assert signs(loop_map(printed(SERIAL, loops=nest + loops((1, False))))) == ["✕", "⊗", "–"]


def test_where_the_standard_version_has_no_poll_the_thread_that_was_stopped_ran_the_osr_version(printed):
    by_osr = loops((1, True), (2, False), osr_bci=27, compile_id=8)
    assert "◐" in signs(loop_map(printed(G1, loops=loops((1, False)) + by_osr)))
    assert "◐" not in signs(loop_map(printed(G1, loops=loops((1, False), calls=1) + by_osr)))


def test_the_title_of_one_run_names_its_jdk_and_collector(printed, title):
    assert title(loop_map(printed(G1, gc="G1"))) == "JDK 17, G1: 0 of 2 loops cannot be stopped in mid-loop"
    assert title(loop_map(printed(G1, gc=""))).startswith("JDK 17, JDK's own: 0 of 2")


def test_the_title_of_several_counts_by_collector_and_takes_neighbouring_jdks_of_one_count_together(
    printed, swept, title
):
    old = [printed({**SERIAL, "longIndex": "polled"}, jdk) for jdk in (8, 11)]
    new = [printed(SERIAL, jdk) for jdk in (17, 21, 25)]
    assert title(loop_map(swept([*old, *new, printed(G1, gc="G1")]))) == (
        "Loops that cannot be stopped, of 2. Serial: 1 (JDK 8, 11), 2 (JDK 17 to 25). G1: 0 (JDK 17)."
    )
    kept = printed(G1, flags="-Xbatch -XX:+UseCountedLoopSafepoints")  # a flag that not all runs have
    assert title(loop_map(swept([printed(SERIAL), kept]))) == (
        "Loops that cannot be stopped, of 2. Serial: 2 (JDK 17). Serial +UseCountedLoopSafepoints: 0 (JDK 17)."
    )


def test_the_names_of_neighbouring_columns_do_not_overlap(printed, swept):
    flags = ("-Xbatch", "-Xbatch -XX:+UseCountedLoopSafepoints")
    ax = loop_map(swept([printed(SERIAL, gc=gc, flags=some) for gc in ("Serial", "Parallel") for some in flags]))
    ax.figure.canvas.draw()
    names = [text.get_window_extent() for text in ax.texts if text.get_text().startswith(("Serial", "Parallel"))]
    assert len(names) == 4 and all(one.x1 < next_one.x0 for one, next_one in zip(names, names[1:], strict=False))


def test_each_column_is_told_in_words(printed):
    said = _alternative.of(loop_map(printed(SERIAL)).figure)
    assert said.endswith("JDK 17 with Serial: waits for its end: longIndex, intParameter.")
