"""Notebook 23's exercises: what solves them, and what comes near it and does not."""

import pytest

from safepointlab.course import lessons
from safepointlab.errors import BadInput

TEMPLATES = lessons.folder_of("23") / "templates"
CAUSE = lessons.exercise("23-3")
FLAG = lessons.exercise("23-1")
OWN = lessons.exercise("23-2")

MINE = "result++; // only this method is yours to change"


@pytest.fixture
def edited(tmp_path):
    """edited(statement): the exercise's file with that statement in place of its own."""

    def write(statement):
        path = tmp_path / OWN.template.name
        path.write_text((TEMPLATES / path.name).read_text().replace(MINE, statement))
        return path

    return write


@pytest.mark.live
@pytest.mark.parametrize(
    ("flag", "solves"),
    [("-XX:+UseG1GC", True), ("-XX:+UseParallelGC", False), ("-XX:+UseCountedLoopSafepoints", True)],
)
def test_a_flag_clears_scimark_if_its_loops_are_left_in_time(flag, solves):
    assert FLAG.judge(flag).holds is solves


@pytest.mark.live
@pytest.mark.timed
@pytest.mark.parametrize(
    ("statement", "solves"), [("java.util.Arrays.fill(data, (byte) result++);", True), ("result += 2;", False)]
)
def test_a_thread_may_be_late_without_a_loop_of_its_own(edited, statement, solves):
    assert OWN.judge(edited(statement)).holds is solves


@pytest.mark.parametrize("statement", ["for (int i = 0; i < 10; i++) result++;", "while (result++ < 9);", "work();"])
def test_a_loop_of_one_s_own_is_not_wanted(edited, statement):
    judged = OWN.judge(edited(statement))
    assert not judged.holds and "do without" in judged.does


def test_the_cause_is_a_word():
    assert CAUSE.judge("stub").holds and CAUSE.judge(" Stub ").holds and not CAUSE.judge("pages").holds
    with pytest.raises(BadInput):
        CAUSE.judge(17)
