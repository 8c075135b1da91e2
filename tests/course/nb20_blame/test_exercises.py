"""Notebook 20's exercises: what solves them, and what comes near it and does not."""

from types import SimpleNamespace

import pandas as pd
import pytest

from safepointlab.course import lessons
from safepointlab.course.nb20_blame import answers, experiments, output
from safepointlab.course.nb20_blame.output import CASES
from safepointlab.errors import BadInput
from safepointlab.run import launch

TEMPLATES = lessons.folder_of("20") / "templates"

STRAIGHT = "result = value; // only this method is yours to change"
HALVING = "for (int i = value; i != 0; i /= 2) {\n            result = i;\n        }"


@pytest.mark.parametrize(
    ("case", "method", "holds"),
    [
        ("farAway", "level9", True),
        ("farAway", "sumApart", False),
        ("farAway", "level5", False),
        ("inlined", "x", False),
    ],
)
def test_a_flag_must_make_the_dumps_blame_what_they_blame_with_serial(monkeypatch, case, method, holds):
    samples = pd.DataFrame({"thread": case, "method": f"KnownAnswer::{method}", "line": [36] * 9})
    monkeypatch.setattr(experiments, "dumps", lambda *_, **__: output.of_jfr(samples))
    assert lessons.exercise("20-1").judge("-XX:+Some").holds is holds


@pytest.mark.parametrize("flag", ["-XX:+UseParallelGC", "-XX:-UseSerialGC", "-XX:+UseZGC"])
def test_a_second_collector_is_told_that_there_is_one(flag):
    with pytest.raises(BadInput, match="has chosen one: G1"):
        lessons.exercise("20-1").judge(flag)


@pytest.mark.parametrize(
    ("output", "complaint"),
    [
        ("blamed innocent 30\nblamed drive 8\ninnocent_share=0.01", ""),
        ("blamed innocent 8\nblamed drive 30\ninnocent_share=0.01", "30 of 38 dumps blame drive()."),
        ("blamed innocent 38\ninnocent_share=0.6", "innocent() takes 60% of the time: it is not innocent."),
        ("blamed innocent 38\ninnocent_share=NaN", "innocent() takes nan% of the time: it is not innocent."),
        ("blamed innocent 2\ninnocent_share=0.01", "the program ends before it was looked at often enough."),
        ("", "the program ends before it was looked at often enough."),
    ],
)
def test_a_scapegoat_has_most_of_the_blame_and_little_of_the_time(output, complaint):
    values = {name: float(value) for name, _, value in (line.partition("=") for line in output.split("\n")) if value}
    assert answers._not_blamed(SimpleNamespace(output=output, values=values)) == complaint


@pytest.fixture
def jfr(monkeypatch):
    """JFR saw nothing but level9, in all cases."""
    samples = pd.DataFrame({"thread": CASES[:4], "method": "KnownAnswer::level9", "line": 102})
    monkeypatch.setattr(experiments, "all_inlined", lambda _: SimpleNamespace(jfr=lambda _: samples))


@pytest.mark.parametrize("name", ["level9", "level9()", "KnownAnswer.level9", " level9 "])
def test_a_method_may_be_named_as_it_is_seen_in_a_dump(jfr, name):
    assert lessons.exercise("20-3").judge(name).holds


def test_another_method_of_the_program_is_wrong_and_one_of_none_is_no_answer(jfr):
    assert not lessons.exercise("20-3").judge("level5").holds
    with pytest.raises(BadInput, match="no method 'level10'"):
        lessons.exercise("20-3").judge("level10")


@pytest.fixture
def on_17(tmp_path):
    """on_17(body): what is wrong with a scapegoat of that body, run on 17."""

    def complaint(body):
        path = tmp_path / "Scapegoat.java"
        path.write_text((TEMPLATES / path.name).read_text().replace(STRAIGHT, body))
        return answers._not_blamed(launch.java(str(path), 17, gc=experiments.GC, deadline=30))

    return complaint


@pytest.mark.live
@pytest.mark.timed
def test_straight_code_is_not_blamed_and_a_short_loop_that_is_not_counted_is(on_17):
    assert "dumps blame drive()" in on_17(STRAIGHT)
    assert on_17(HALVING) == ""
