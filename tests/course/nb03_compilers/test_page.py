"""Notebook 03's questions: by what a run shows, which of the outcomes came."""

from types import SimpleNamespace

import pandas as pd
import pytest

from safepointlab.course import lessons
from safepointlab.course.nb03_compilers import experiments as compilers

JAVAC, ECJ = compilers.BOTH
JDKS, SERIAL, G1 = (8, 17, 25), "Serial", "G1"


def fates(hangs):
    """A row for each JDK, collector and compiler; `hangs` says which of the runs hung."""
    points = [(jdk, gc, by) for jdk in JDKS for gc in (SERIAL, G1) for by in compilers.BOTH]
    rows = [(*point, "hung" if hangs(*point) else "exited") for point in points]
    return pd.DataFrame(rows, columns=["jdk", "gc", "compiler", "outcome"])


@pytest.mark.parametrize(
    ("hangs", "keys"),
    [
        (lambda jdk, gc, by: False, {"neither"}),
        (lambda jdk, gc, by: by == ECJ and (gc == SERIAL or jdk == 8), {"serial"}),
        (lambda jdk, gc, by: by == ECJ, {"eclipse"}),
        (lambda jdk, gc, by: by == ECJ and jdk == 8, {"old"}),
        (lambda jdk, gc, by: jdk == 8, {"both"}),
        (lambda jdk, gc, by: by == ECJ and gc == G1, set()),
    ],
)
def test_a_fate_is_told_by_whose_class_hangs_where(hangs, keys):
    assert lessons.prediction("03-fate").classify(fates(hangs)).keys == keys


def test_the_facts_name_the_collectors_and_jdks_of_the_hangs():
    facts = lessons.prediction("03-fate").classify(fates(lambda jdk, gc, by: by == ECJ and gc == SERIAL)).facts
    assert facts == "javac's class hangs nowhere; Eclipse's class hangs with Serial on JDK 8, 17, 25."


def edges(*tests):
    return pd.DataFrame({"test": list(tests)})


@pytest.mark.parametrize(
    ("first", "second", "key"),
    [
        (edges("top"), edges("top"), "same"),
        (edges("top", "top"), edges("bottom", "bottom"), "test"),
        (edges("top"), edges("top", "top"), "number"),
    ],
)
def test_the_shape_is_told_by_the_back_edges(first, second, key):
    assert lessons.prediction("03-shape").classify(first, second).keys == {key}


def test_the_facts_of_the_shape_say_where_each_jump_back_leads():
    facts = lessons.prediction("03-shape").classify(edges("top"), edges("bottom")).facts
    assert facts == "One jump back in each: javac's leads to the test, Eclipse's is the test."
    assert (
        lessons.prediction("03-shape").classify(edges("top"), edges("top", "top")).facts
        == "Jumps back: 1 by javac, 2 by Eclipse."
    )


def captured(*polled):
    loops = pd.DataFrame({"tier": 4, "osr_bci": 5, "depth": 1, "polled": list(polled)})
    return SimpleNamespace(loops=loops)


@pytest.mark.parametrize(
    ("javac", "ecj", "keys"),
    [
        (captured(True, True), captured(True), {"both"}),
        (captured(True), captured(False, False), {"javac"}),
        (captured(False), captured(True), {"ecj"}),
        (captured(True, False), captured(False), {"neither"}),
        (captured(), captured(False), set()),
    ],
)
def test_the_poll_is_told_by_the_outer_loops_of_both_versions(javac, ecj, keys):
    assert lessons.prediction("03-poll").classify(javac, ecj).keys == keys


def stalls(short_ms, long_ms, outcome="exited"):
    rows = [(0.3, short_ms), (5.0, long_ms)]
    ours = pd.DataFrame(rows, columns=["sleep_s", "late_ms"]).assign(compiler=ECJ, outcome=outcome)
    return pd.concat([ours, ours.assign(compiler=JAVAC, late_ms=80.0, outcome="exited")])


@pytest.mark.parametrize(
    ("runs", "key"),
    [
        (stalls(1300, 90), "short-late"),
        (stalls(1300, 1300), "both-late"),
        (stalls(90, 1300), "long-late"),
        (stalls(90, 90), "never-late"),
        (stalls(20_000, 20_000, "hung"), "hangs"),
    ],
)
def test_the_posts_program_is_told_by_how_late_eclipses_class_exits(runs, key):
    assert lessons.prediction("03-post").classify(runs).keys == {key}


def test_a_program_that_hangs_with_one_sleep_only_is_none_of_these():
    runs = stalls(20_000, 90)
    runs["outcome"] = ["hung", "exited", "exited", "exited"]
    assert lessons.prediction("03-post").classify(runs).keys == set()
