"""Notebook 13's exercises: what solves them, and what comes near it and does not."""

import pandas as pd
import pytest

from safepointlab.errors import BadInput
from safepointlab.session.exercises import TEMPLATES, Untouched
from safepointlab.topics import optimisation, optimisation_exercises

TEMPLATE = (TEMPLATES / "FastSum.java").read_text()


@pytest.fixture
def edited(tmp_path):
    """edited(statement): the exercise's file with that statement in the loop of sum()."""

    def write(statement):
        path = tmp_path / "FastSum.java"
        path.write_text(TEMPLATE.replace("sum += from[i];", statement))
        return path

    return write


@pytest.mark.parametrize(
    ("work", "poll", "holds"),
    [("vector", "around", True), ("unrolled", "each pass", False), ("vector", "none", False)],
)
def test_a_flag_has_to_bring_vectors_and_a_poll_around_them(monkeypatch, work, poll, holds):
    monkeypatch.setattr(optimisation, "polled", lambda *_: None)
    monkeypatch.setattr(optimisation, "work", lambda _: pd.DataFrame([{"work": work, "poll": poll}]))
    assert optimisation_exercises.FLAG.judge("-XX:Something=1").holds is holds


@pytest.mark.parametrize("answer", ["-XX:+UseG1GC", "-Xint -Xbatch", 5])
def test_a_collector_or_two_flags_are_no_answer(answer):
    with pytest.raises(BadInput):
        optimisation_exercises.FLAG.judge(answer)


@pytest.mark.parametrize(("number", "holds"), [(2147483645, True), (2**31, False), (1000, False)])
def test_the_longest_inner_loop_is_one_of_the_codes_limits(monkeypatch, number, holds):
    monkeypatch.setattr(optimisation, "scores", lambda *_: None)
    monkeypatch.setattr(optimisation, "limits", lambda *_: [2147483645])
    assert optimisation_exercises.LONGEST.judge(number).holds is holds


def test_the_sum_as_it_was_written_is_no_answer(edited):
    with pytest.raises(Untouched):
        optimisation_exercises.FAST.judge(edited("sum += from[i];"))


@pytest.mark.live
def test_more_vector_work_brings_the_sum_its_vectors(edited):
    assert optimisation_exercises.FAST.judge(edited("sum += from[i] ^ zero;")).holds


@pytest.mark.live
@pytest.mark.parametrize(
    ("statement", "says"), [("sum = sum + from[i];", "no vectors"), ("sum += from[i] + 1;", "another one")]
)
def test_a_sum_without_vectors_or_another_sum_is_no_answer(edited, statement, says):
    judged = optimisation_exercises.FAST.judge(edited(statement))
    assert not judged.holds and says in judged.does
