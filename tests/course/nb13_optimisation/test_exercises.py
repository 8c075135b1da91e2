"""Notebook 13's exercises: what solves them, and what comes near it and does not."""

from types import SimpleNamespace

import pandas as pd
import pytest

from safepointlab.course import lessons
from safepointlab.course.nb13_optimisation import answers
from safepointlab.course.nb13_optimisation import experiments as optimisation
from safepointlab.errors import BadInput

TEMPLATE = lessons.folder_of("13") / "templates" / "FastSum.java"


@pytest.fixture
def edited(tmp_path):
    """edited(statement): the exercise's file with that statement in the loop of sum()."""

    def write(statement):
        (path := tmp_path / TEMPLATE.name).write_text(TEMPLATE.read_text().replace("sum += from[i];", statement))
        return path

    return write


@pytest.mark.parametrize(
    ("work", "poll", "holds"),
    [("vector", "around", True), ("unrolled", "each pass", False), ("vector", "none", False)],
)
def test_a_flag_has_to_bring_vectors_and_a_poll_around_them(monkeypatch, scores, work, poll, holds):
    forks = scores((17, "copyInt", 1.0, f"{work}/8/0/{poll}"))
    monkeypatch.setattr(optimisation, "each_fork", lambda *_, **__: forks)
    assert lessons.exercise("13-1").judge("-XX:Something=1").holds is holds


@pytest.mark.parametrize("answer", ["-XX:+UseG1GC", "-Xint -Xbatch", 5])
def test_a_collector_or_two_flags_are_no_answer(answer):
    with pytest.raises(BadInput):
        lessons.exercise("13-1").judge(answer)


@pytest.mark.parametrize(("number", "holds"), [(2147483645, True), (2**31, False), (1000, False)])
def test_the_longest_inner_loop_is_one_of_the_codes_limits(monkeypatch, number, holds):
    code = {"tier": 4, "osr_bci": None, "instruction": ["cmp $0x7ffffffd,%r10", "cmp $0x3e8,%r9d"]}
    run = SimpleNamespace(assembly=pd.DataFrame(code))
    monkeypatch.setattr(optimisation, "each_fork", lambda *_, **__: pd.DataFrame({"run": ["1"]}))
    monkeypatch.setattr(answers, "load", lambda _: run)
    assert lessons.exercise("13-3").judge(number).holds is holds


@pytest.mark.live
@pytest.mark.parametrize(
    ("statement", "holds", "says"),
    [
        ("sum += from[i] ^ zero;", True, "on vectors"),
        ("sum = sum + from[i];", False, "no vectors"),
        ("sum += from[i] + 1;", False, "another one"),
    ],
)
def test_more_vector_work_brings_the_sum_its_vectors_and_no_other_sum_will_do(edited, statement, holds, says):
    judged = lessons.exercise("13-2").judge(edited(statement))
    assert judged.holds is holds and says in judged.does
