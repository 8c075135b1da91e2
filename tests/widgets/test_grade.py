"""An exercise: any answer gets a sentence, and hints grow with wrong answers."""

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
from safepointlab.widgets.grade import grade

ALL = [each.name for each in lessons.exercises()]


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

each_exercise = pytest.mark.each("name", ALL)
each_odd = pytest.mark.each("odd", ODD)


@pytest.fixture
def no_jvm(monkeypatch):
    """Each JVM fails, as with an answer that makes it refuse."""

    def refused(*_, **__):
        raise RunFailed("exit status 1 after 12 ms: java\nUnrecognized option")

    monkeypatch.setattr(shell, "execute", refused)


@pytest.fixture
def wrong_runs(monkeypatch):
    """Each run ends well and shows what a wrong answer would."""
    log = {"event": ["compiled"], "method": ["KillerTask::countOdds"], "compile_id": [7], "tier": [3], "osr": [True]}
    dumps = {"case": list(blame.output.CASES[:4]), "method": "drive", "samples": 9, "share": 1.0, "right": False}
    samples = {"thread": ["farAway"], "method": ["KnownAnswer::elsewhere"], "line": [1]}
    monkeypatch.setattr(hang, "in_strips", lambda n: 5.0)
    monkeypatch.setattr(hang, "warmed", lambda *_, **__: SimpleNamespace(compilations=pd.DataFrame(log)))
    monkeypatch.setattr(blame, "dumps", lambda *_, **__: pd.DataFrame(dumps))
    monkeypatch.setattr(blame, "all_inlined", lambda _: SimpleNamespace(jfr=lambda _: pd.DataFrame(samples)))


@each_exercise
@each_odd
def test_an_odd_answer_gets_a_sentence_where_the_jvm_refuses(name, odd, no_jvm):
    checked = grade(name, odd)
    assert checked.solved is not True and checked.says.strip()
    assert "Traceback" not in checked._repr_html_()


@each_exercise
@each_odd
def test_an_odd_answer_never_solves_an_exercise(name, odd, wrong_runs, no_jvm):
    checked = grade(name, odd)
    assert checked.solved is not True and len(repr(checked)) < 1000


@each_exercise
@pytest.mark.each("dots", [..., "...", "…", {8: ..., 17: 1}, [..., 2]])
def test_dots_are_no_answer_yet_and_nothing_is_told(name, dots, no_jvm):
    assert (grade(name, dots).solved, grade(name, dots).says) == (None, NO_ANSWER)


@pytest.fixture
def guess(monkeypatch):
    """guess(answer) of an exercise whose answer is 42."""
    judge = lambda answer: Judged(answer == 42, f"{answer} it is.")  # noqa: E731
    exercise = Exercise("99-1", "a number", judge, "Of course.", ("Twice 21.", "6 by 7."))
    return lambda answer: exercises.judged(exercise, answer)


def test_hints_come_after_wrong_answers_one_by_one_and_then_the_way_to_the_solution(guess):
    assert [guess(answer).says for answer in (1, 2, 3, 4)] == [
        "1 it is. Twice 21.",
        "2 it is. 6 by 7.",
        f"3 it is. 6 by 7. {SOLUTION}",
        f"4 it is. 6 by 7. {SOLUTION}",
    ]


def test_the_same_wrong_answer_counts_once(guess):
    assert [guess(answer).says for answer in (1, 1, 1)][1:] == [f"1 it is. {exercises.AGAIN} Twice 21."] * 2


def test_what_is_no_answer_uses_up_no_hint(guess):
    guess(...)
    assert guess(1).says == "1 it is. Twice 21."


def test_a_right_answer_is_solved_without_a_hint(guess):
    assert (guess(42).solved, guess(42).says) == (True, "42 it is. Of course.")


def test_what_a_tool_says_is_quoted_below_the_sentence(no_jvm):
    checked = grade("20-1", "-XX:+NoSuchFlag")
    assert (
        checked.says == "exit status 1 after 12 ms: java" and "<pre>Unrecognized option</pre>" in checked._repr_html_()
    )


def test_an_answer_whose_run_nobody_recorded_is_not_called_wrong():
    def judge(_):
        raise NotRecorded("no recording of KillerTask with 5 strips")

    exercise = Exercise("99-1", "a number", judge, "Right.", ("a hint", "a better one"))
    checked = exercises.judged(exercise, 5)
    assert checked.solved is None and "with a JDK it can" in str(checked) and "5 strips" in str(checked)


def a_run(others_ms, beside=0):
    return Quiet(wall_ms=1000, cores=2, stolen_ms=0, others_ms=others_ms, waited_ms=others_ms, beside=beside)


@pytest.fixture
def judged_wrong(monkeypatch):
    """judged_wrong(run, timed): what is said of a wrong answer by that run."""

    def said(run, timed=True):
        def judge(_):
            quiet.tell(run)
            return Judged(False, "It is late.")

        exercise = Exercise("99-1", "a number", judge, "Right.", ("First hint.", "Second hint."), timed=timed)
        monkeypatch.setattr(lessons, "exercise", lambda _: exercise)
        return grade("99-1", 1).says

    return said


def test_a_wrong_verdict_by_times_of_a_busy_machine_says_so_and_is_measured_anew(monkeypatch, judged_wrong):
    forgot, busy = [], a_run(others_ms=800)
    monkeypatch.setattr(launch, "forget", forgot.extend)
    assert "A busy machine may be why: other processes took 40 %" in judged_wrong(busy) and forgot == [busy]


@pytest.mark.parametrize(
    ("run", "timed"), [(a_run(others_ms=10), True), (a_run(others_ms=800), False), (a_run(800, beside=3), True)]
)
def test_a_quiet_machine_or_a_verdict_without_times_is_no_excuse(judged_wrong, run, timed):
    assert "busy" not in judged_wrong(run, timed)


def test_a_program_that_does_not_compile_is_not_the_machine_s_fault(monkeypatch):
    def judge(_):
        quiet.tell(a_run(others_ms=800))
        raise RunFailed("javac refused it\n1 error")

    exercise = Exercise("99-3", "a file", judge, "Right.", ("One.", "Two."), timed=True)
    monkeypatch.setattr(lessons, "exercise", lambda _: exercise)
    assert "busy" not in grade("99-3", "Mine.java").says


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


def test_a_column_with_one_value_is_that_value(monkeypatch):
    exercise = Exercise(
        "99-2", "a number", lambda answer: Judged(float(answer) == 4.5, "It is."), "Right.", ("One.", "Two.")
    )
    monkeypatch.setattr(lessons, "exercise", lambda _: exercise)
    assert grade("99-2", pd.Series([4.5], index=[17])).solved and not grade("99-2", pd.Series([4.5, 4.5])).solved
