"""Notebook 05's exercises: what solves them, and what comes near it and does not."""

import pandas as pd
import pytest

from safepointlab.course import lessons
from safepointlab.course.exercises import Untouched
from safepointlab.course.nb05_counted import answers as counted_exercises
from safepointlab.course.nb05_counted import experiments as counted
from safepointlab.errors import BadInput

TEMPLATES = lessons.folder_of("05") / "templates"

TEMPLATE = (TEMPLATES / "DisguisedLoop.java").read_text()
COUNTED = TEMPLATE.replace("left >= right", "left >= turns").replace("            right--;\n", "")


@pytest.mark.parametrize(("how", "holds"), [("unpolled", True), ("polled", False), ("too short", False)])
def test_a_flag_has_to_make_the_stop_wait_for_the_loops_end(monkeypatch, printed, how, holds):
    monkeypatch.setattr(counted, "shapes", lambda *_, **__: printed({"intParameter": how}, gc="G1"))
    assert lessons.exercise("05-1").judge("-XX:+UseSomething").holds is holds


@pytest.mark.parametrize("answer", ["-XX:+UseSerialGC", "-Xint -Xbatch", 5, ""])
def test_a_collector_or_two_flags_are_no_answer(answer):
    with pytest.raises(BadInput):
        lessons.exercise("05-1").judge(answer)


@pytest.mark.parametrize(("name", "holds"), [("strideTwo", True), ("intParameter", False), ("intToLongLimit", False)])
def test_the_cold_loop_is_one_whose_two_compiles_differ(monkeypatch, name, holds):
    both = pd.DataFrame({"standard": [False, False, True], "osr": [True, False, True]})
    both.index = ["strideTwo", "intParameter", "intToLongLimit"]
    monkeypatch.setattr(counted, "compiles", lambda *_: both)
    assert lessons.exercise("05-3").judge(name).holds is holds


def test_a_loop_that_is_none_of_the_four_is_no_answer():
    with pytest.raises(BadInput, match="none of the four"):
        lessons.exercise("05-3").judge("iterator")


@pytest.mark.parametrize(
    ("old", "new", "loops"),
    [
        ("", "", ["while (true)"]),
        ("while (true)", "for (;;)", ["for (;;)"]),
        ("int left = 0;", "int left = 0; do { left = 0; } while (left > 0);", None),
    ],
)
def test_the_loops_of_the_readers_method_are_found(old, new, loops):
    found = counted_exercises._loops(TEMPLATE.replace(old, new))
    assert found == loops if loops else len(found) > 1


@pytest.fixture
def edited(tmp_path):
    def write(source):
        path = tmp_path / "DisguisedLoop.java"
        path.write_text(source)
        return path

    return write


def test_another_kind_of_loop_is_not_what_is_asked_for(edited):
    judged = lessons.exercise("05-2").judge(edited(COUNTED.replace("while (true)", "for (;;)")))
    assert not judged.holds and "Keep `while (true)`" in judged.does


def test_the_file_as_it_was_written_is_no_answer(edited):
    with pytest.raises(Untouched):
        lessons.exercise("05-2").judge(edited(TEMPLATE))


@pytest.mark.live
@pytest.mark.timed
def test_a_limit_that_stays_makes_the_loop_deaf(edited):
    assert lessons.exercise("05-2").judge(edited(COUNTED)).holds


@pytest.mark.live
def test_a_loop_that_polls_or_does_other_work_is_no_answer(edited):
    polled = lessons.exercise("05-2").judge(edited(TEMPLATE.replace("left++;", "left += 1 + 0 * right;")))
    idle = lessons.exercise("05-2").judge(edited(COUNTED.replace("Math.sqrt(x + left)", "x + left")))
    assert not polled.holds and "still stopped" in polled.does
    assert not idle.holds and "square roots" in idle.does
