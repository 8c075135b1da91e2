"""An exercise: its file is written once and never over what was edited; any answer gets a sentence, and hints grow."""

import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from safepointlab.course import exercises, lessons
from safepointlab.course.exercises import NO_ANSWER, SOLUTION, Exercise, Judged
from safepointlab.course.nb02_hang import experiments as hang
from safepointlab.course.nb20_blame import experiments as blame
from safepointlab.errors import BadInput, NotRecorded, RunFailed
from safepointlab.process import quiet, shell
from safepointlab.process.quiet import Quiet
from safepointlab.run import launch
from safepointlab.widgets import copies
from safepointlab.widgets.exercise import EDITED, UNEDITED, WRITTEN, grade, template

WITH_FILE = [each for each in lessons.exercises() if each.template]
each_exercise = pytest.mark.each("name", [each.name for each in lessons.exercises()])
each_file = pytest.mark.each("exercise", WITH_FILE)


@each_file
def test_the_file_is_written_into_the_work_folder_and_found_there_again_and_is_no_answer_yet(exercise):
    written = template(exercise.name)
    again = template(exercise.name)
    assert (written.says, again.says) == (WRITTEN, UNEDITED)
    assert again.path == copies.folder() / exercise.template.name
    assert (
        f"{again.path.name}'>Open it</a>" in written._repr_html_() and f"work/{again.path.name}" in again._repr_html_()
    )
    source = written.path.read_text()
    written.path.write_text(source + "// a thought\n")
    checked = grade(exercise.name, written)
    assert checked.solved is None and "is as it was written" in checked.says and exercise.template.name in checked.says
    written.path.write_text(re.sub(r"System\.out\.print\w*\(", "System.exit(0); //", source))
    assert "what is yours" in grade(exercise.name, written).says


def test_an_edited_file_stays_as_it_is_and_the_reader_learns_how_to_begin_again():
    path = template("02-2").path
    path.write_text("// mine\n" + path.read_text().replace("    ", "\t").replace(" {", "\n{"))
    assert template("02-2").says == UNEDITED and grade("02-2", path).solved is None  # it was only formatted
    path.write_text("mine")
    assert template("02-2").says == EDITED and path.read_text() == "mine"
    path.unlink()
    assert template("02-2").says == WRITTEN


def test_an_exercise_without_a_file_says_which_have_one():
    with pytest.raises(BadInput, match="02-1 edits no file. Those that do: .*02-2, .*20-2"):
        template("02-1")


class Unprintable:
    def __repr__(self):
        raise RuntimeError("no words")


ODD = [
    None, True, False, 0, -1, 3.5, 1e300, 10**30, float("nan"), float("inf"), 2 + 3j, np.float64("nan"), pd.NA,
    "", " ", "17", "two words", "no/such/File.java", "KillerTask.java", "\0.java", "x" * 5000, "x" * 5000 + ".java",
    b"bytes", Unprintable(), SimpleNamespace(hung=False),
    "-XX:+UseG1GC", "-XX:+NoSuchFlag", "UseCountedLoopSafepoints", "G1", ["G1", "G1"], [], {}, {8: 2}, {8, 17}, (1, 2),
    pd.DataFrame({"a": [1]}), pd.Series([1, 2]), np.array([1, 2]), print, int, object(),
    ValueError("an error as an answer"), lambda: 1,
]  # fmt: skip


@pytest.fixture
def no_jvm(monkeypatch):
    """Each JVM fails, as with an answer that makes it refuse."""

    def refused(*_, **__):
        raise RunFailed("exit status 1 after 12 ms: java\nUnrecognized option")

    monkeypatch.setattr(shell, "execute", refused)


@pytest.fixture(params=["no JVM", "wrong runs"])
def runs(request, no_jvm, monkeypatch):
    """Either no JVM starts, or each run ends well and shows what a wrong answer would."""
    if request.param == "no JVM":
        return
    log = {"event": ["compiled"], "method": ["KillerTask::countOdds"], "compile_id": [7], "tier": [3], "osr": [True]}
    dumps = {"case": list(blame.output.CASES[:4]), "method": "drive", "samples": 9, "share": 1.0, "right": False}
    samples = {"thread": ["farAway"], "method": ["KnownAnswer::elsewhere"], "line": [1]}
    monkeypatch.setattr(hang, "in_strips", lambda n: 5.0)
    monkeypatch.setattr(hang, "warmed", lambda *_, **__: SimpleNamespace(compilations=pd.DataFrame(log)))
    monkeypatch.setattr(blame, "dumps", lambda *_, **__: pd.DataFrame(dumps))
    monkeypatch.setattr(blame, "all_inlined", lambda _: SimpleNamespace(jfr=lambda _: pd.DataFrame(samples)))


@each_exercise
@pytest.mark.each("odd", ODD)
def test_an_odd_answer_gets_a_sentence_and_never_solves_an_exercise(name, odd, runs):
    checked = grade(name, odd)
    assert checked.solved is not True and checked.says.strip() and len(repr(checked)) < 1000
    assert "Traceback" not in checked._repr_html_()


@each_exercise
@pytest.mark.each("dots", [..., "...", "…", {8: ..., 17: 1}, [..., 2]])
def test_dots_are_no_answer_yet_and_nothing_is_told(name, dots, no_jvm):
    assert (grade(name, dots).solved, grade(name, dots).says) == (None, NO_ANSWER)


@pytest.fixture
def guess(monkeypatch):
    """guess(judge, **more): that exercise's grader; without a judge 42 is right."""

    def grader(judge=lambda answer: Judged(answer == 42, f"{answer} it is."), **more):
        exercise = Exercise("99-1", "a number", judge, "Of course.", ("Twice 21.", "6 by 7."), **more)
        monkeypatch.setattr(lessons, "exercise", lambda _: exercise)
        return lambda answer: grade("99-1", answer)

    return grader


@pytest.mark.parametrize(
    ("answers", "says"),
    [
        ((1, 2, 3), ["1 it is. Twice 21.", "2 it is. 6 by 7.", f"3 it is. 6 by 7. {SOLUTION}"]),
        ((1, 1), ["1 it is. Twice 21.", f"1 it is. {exercises.AGAIN} Twice 21."]),
        ((..., 1), [NO_ANSWER, "1 it is. Twice 21."]),
        ((42,), ["42 it is. Of course."]),
    ],
)
def test_each_new_wrong_answer_gets_a_stronger_hint_and_a_right_one_none(guess, answers, says):
    assert [guess()(answer).says for answer in answers] == says


def test_a_right_answer_may_be_of_any_number_type_and_a_column_with_one_value_is_that_value(guess):
    assert all(guess()(answer).solved for answer in (42, 42.0, np.int64(42)))
    judged = guess(lambda answer: Judged(float(answer) == 4.5, "It is."))
    assert judged(pd.Series([4.5], index=[17])).solved and not judged(pd.Series([4.5, 4.5])).solved


def test_what_a_tool_says_is_quoted_below_the_sentence(no_jvm):
    checked = grade("20-1", "-XX:+NoSuchFlag")
    assert checked.says == "exit status 1 after 12 ms: java"
    assert "<pre>Unrecognized option</pre>" in checked._repr_html_()


@pytest.mark.parametrize(("file", "says"), [(None, exercises.NO_RUN), (Path("Mine.java"), exercises.OWN_JAVA)])
def test_an_answer_whose_run_nobody_recorded_is_not_called_wrong_and_gets_one_sentence(guess, file, says):
    def judge(_):
        raise NotRecorded("no recording of KillerTask with 5 strips")

    checked = guess(judge, template=file)(5)
    assert (checked.solved, checked.says, checked.quoted) == (None, says, "")


def test_a_file_with_the_code_of_a_recorded_answer_counts_as_that_answer(tmp_path):
    exercise = lessons.exercise("00-2")
    known = exercise.edited(exercise.solution)
    file = tmp_path / known.name
    for code, counts_as in {"Thread . getAllStackTraces( ); // all": known, "Thread.dumpStack();": file}.items():
        file.write_text(known.read_text().replace("Thread.getAllStackTraces();", code))
        assert exercises.java_file(file, exercise, "$") == counts_as


@pytest.mark.parametrize(
    ("others_ms", "beside", "timed", "compiles", "busy"),
    [
        (800, 0, True, True, True),
        (10, 0, True, True, False),
        (800, 0, False, True, False),
        (800, 3, True, True, False),  # the lab's own runs beside it
        (800, 0, True, False, False),
    ],
)
def test_only_a_verdict_by_times_that_others_disturbed_says_so_and_is_measured_anew(
    guess, monkeypatch, others_ms, beside, timed, compiles, busy
):
    run = Quiet(wall_ms=1000, cores=2, stolen_ms=0, others_ms=others_ms, waited_ms=others_ms, beside=beside)
    forgot = []
    monkeypatch.setattr(launch, "forget", forgot.extend)

    def judge(_):
        quiet.publish(run, {})
        if not compiles:
            raise RunFailed("javac refused it\n1 error")
        return Judged(False, "It is late.")

    says = guess(judge, timed=timed)(1).says
    assert ("A busy machine may be why: other processes took 40 %" in says) is busy and forgot == [run] * busy


@pytest.mark.parametrize(
    ("text", "flag"),
    [(" -XX:+UseG1GC ", "-XX:+UseG1GC"), ("-XX:+UnlockDiagnosticVMOptions -XX:+SafepointALot", "-XX:+SafepointALot")],
)
def test_a_flag_may_come_with_blanks_and_with_what_unlocks_it(text, flag):
    assert exercises.flag(text, "one flag") == flag


@pytest.mark.parametrize("text", ["UseG1GC", "+UseG1GC", "G1", "-Xmx1g -Xms1g", "", 17])
def test_what_is_no_flag_is_told_what_one_is(text):
    with pytest.raises(BadInput, match="Give one flag"):
        exercises.flag(text, "one flag")
