"""Notebook 04's exercises: what solves them, and what comes near it and does not."""

import re
from types import SimpleNamespace

import pytest

from safepointlab.course import lessons
from safepointlab.course.nb04_osr import experiments as osr
from safepointlab.errors import BadInput

TEMPLATES = lessons.folder_of("04") / "templates"

LOOP = re.compile(r"static long countOdds\(int limit\) \{.*?\n    \}\n", re.DOTALL)
DO_WHILE = """static long countOdds(int limit) {
        long odds = 0;
        int i = 0;
        do {
            if ((i & 1) == 1) {
                odds++;
            }
            i++;
        } while (i < limit);
        return odds;
    }
"""


@pytest.fixture
def edited(tmp_path):
    """edited(method): the exercise's file with that method in place of its own."""

    def write(method):
        path = tmp_path / "NotSavedByOsr.java"
        path.write_text(LOOP.sub(lambda _: method, (TEMPLATES / path.name).read_text()))
        return path

    return write


@pytest.fixture
def heard(monkeypatch):
    """heard(*deaf): with these flags the collection waits for the end of the loop, with all others it does not."""

    def lets(*deaf):
        def entered(jdk, past, flags, log):
            return SimpleNamespace(values={"heard": "at_its_end" if flags in deaf else "in_mid_loop"})

        monkeypatch.setattr(osr, "entered", entered)

    return lets


@pytest.mark.parametrize(("answer", "holds"), [([], True), (["-Xcomp"], False), ("-XX:-TieredCompilation", False)])
def test_it_takes_both_flags(heard, answer, holds):
    heard()
    assert lessons.exercise("04-1").judge(answer).holds is holds


def test_what_is_right_is_what_the_runs_show(heard):
    heard("-Xcomp")
    assert lessons.exercise("04-1").judge(["-Xcomp"]).holds and not lessons.exercise("04-1").judge([]).holds


@pytest.mark.parametrize("odd", [0, "-Xint", ["-Xcomp", 1], None])
def test_other_flags_are_no_answer(odd):
    with pytest.raises(BadInput):
        lessons.exercise("04-1").judge(odd)


@pytest.mark.parametrize(
    ("flag", "holds"),
    [("-XX:-PartialPeelLoop", True), ("-XX:-UseOnStackReplacement", False), ("-XX:-LoopUnswitching", False)],
)
def test_the_pass_is_the_one_that_peels_and_lets_the_loop_poll(heard, flag, holds):
    heard("-XX:-LoopUnswitching")
    assert lessons.exercise("04-3").judge(flag).holds is holds


@pytest.mark.parametrize("odd", ["PartialPeelLoop", "-XX:+PartialPeelLoop", "", 3])
def test_what_switches_nothing_off_is_refused(odd):
    with pytest.raises(BadInput):
        lessons.exercise("04-3").judge(odd)


@pytest.mark.live
@pytest.mark.timed
def test_a_do_while_is_not_saved_by_osr(edited):
    assert lessons.exercise("04-2").judge(edited(DO_WHILE)).holds


@pytest.mark.live
def test_a_loop_that_counts_otherwise_is_none(edited):
    judged = lessons.exercise("04-2").judge(edited("static long countOdds(int limit) { return 0; }\n"))
    assert not judged.holds and "no longer counts" in judged.does
