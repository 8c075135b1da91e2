"""Notebook 01's exercises: what solves them, and what comes near it and does not."""

import pandas as pd
import pytest

from safepointlab.course import lessons
from safepointlab.course.exercises import Untouched
from safepointlab.course.nb01_safepoint import answers as safepoint_exercises
from safepointlab.errors import BadInput

TEMPLATES = lessons.folder_of("01") / "templates"

LOOP, ASK = "            sum++;\n", "return other.getStackTrace();"
LOOK = LOOP + "            if (wanted) { answer = new Throwable().getStackTrace(); wanted = false; }\n"
WAIT = "wanted = true; while (wanted) { Thread.sleep(1); } return answer;"
FIELDS = "    static volatile boolean wanted;\n    static volatile StackTraceElement[] answer;\n"


@pytest.fixture
def edited(tmp_path):
    """edited(loop, ask): the exercise's file with these in place of its own."""

    def write(loop=LOOP, ask=ASK):
        path = tmp_path / "OwnHandshake.java"
        source = (TEMPLATES / path.name).read_text().replace(LOOP, loop).replace(ASK, ask)
        fields = FIELDS if loop != LOOP else ""
        path.write_text(source.replace("    // From here on", f"{fields}    // From here on"))
        return path

    return write


@pytest.mark.live
def test_a_thread_that_gives_its_own_stack_stops_nobody(edited):
    assert lessons.exercise("01-2").judge(edited(LOOK, WAIT)).holds


@pytest.mark.live
@pytest.mark.parametrize(
    ("ask", "does"),
    [
        ("return Thread.getAllStackTraces().get(other);", "ThreadDump"),
        ("return new StackTraceElement[0];", "should have 3 frames"),
    ],
)
def test_a_thread_dump_and_an_empty_stack_are_no_handshake(edited, ask, does):
    judged = lessons.exercise("01-2").judge(edited(ask=ask))
    assert not judged.holds and does in judged.does


def test_the_file_as_it_was_written_is_no_answer(edited):
    with pytest.raises(Untouched):
        lessons.exercise("01-2").judge(edited())


def test_another_collector_is_no_flag_for_the_first_exercise():
    with pytest.raises(BadInput, match="Keep Serial"):
        lessons.exercise("01-1").judge("-XX:+UseG1GC")


@pytest.mark.live
@pytest.mark.timed
@pytest.mark.parametrize(("flag", "holds"), [("-XX:+UseCountedLoopSafepoints", True), ("-XX:-UseTLAB", False)])
def test_the_loop_needs_its_poll_back(flag, holds):
    assert lessons.exercise("01-1").judge(flag).holds is holds


@pytest.mark.parametrize(("number", "holds"), [(1, True), (2, False), (0, False)])
def test_loops_without_a_poll_are_counted(monkeypatch, number, holds):
    loops = pd.DataFrame({"polled": [True, False]})
    monkeypatch.setattr(safepoint_exercises, "nest", lambda: loops)
    assert lessons.exercise("01-3").judge(number).holds is holds
