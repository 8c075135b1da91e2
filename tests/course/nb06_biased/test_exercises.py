"""Notebook 06's exercises: what solves them, and what comes near it and does not."""

import re
from types import SimpleNamespace

import pandas as pd
import pytest

from safepointlab.course import lessons
from safepointlab.course.nb06_biased import answers as biased_exercises
from safepointlab.course.nb06_biased import experiments as biased
from safepointlab.errors import BadInput
from safepointlab.process import home

TEMPLATES = lessons.folder_of("06") / "templates"

SUM = re.compile(r"static long sum\(.*?\n    \}\n", re.DOTALL)


@pytest.fixture
def waited(monkeypatch):
    """waited(ms): how long the switch waits in each run; None if there is none."""

    def make(ms):
        rows = [] if ms is None else [("EnableBiasedLocking", 0.7, ms)]
        log = pd.DataFrame(rows, columns=["operation", "begin_s", "ttsp_ms"])
        monkeypatch.setattr(biased, "brief", lambda *_, **__: SimpleNamespace(safepoints=log))

    return make


@pytest.mark.parametrize(("ms", "holds"), [(300.0, True), (3.0, False), (None, False)])
def test_a_flag_must_bring_the_switch_into_the_pass(waited, ms, holds):
    waited(ms)
    assert lessons.exercise("06-1").judge("-XX:Some=1").holds is holds


@pytest.mark.parametrize(("ms", "holds"), [(300.0, True), (3.0, False)])
def test_with_g1_a_flag_must_make_the_loop_hold_everybody_up(waited, monkeypatch, ms, holds):
    monkeypatch.setattr(biased_exercises, "newest_with_bias", lambda: 17)
    waited(ms)
    assert lessons.exercise("06-3").judge("-XX:-Some").holds is holds


def test_another_collector_is_no_answer():
    with pytest.raises(BadInput, match="G1 has to stay"):
        lessons.exercise("06-3").judge("-XX:+UseParallelGC")


def summed(ttsp_ms=1.0, **changes):
    values = {"begins_ms": 710.0, "right": 1.0, "ends_ms": 1500.0} | changes.pop("values", {})
    log = pd.DataFrame([("EnableBiasedLocking", 1.0, ttsp_ms)], columns=["operation", "begin_s", "ttsp_ms"])
    return SimpleNamespace(**{"outcome": "exited", "hung": False, "values": values, "safepoints": log} | changes)


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({}, ""),
        ({"ttsp_ms": 480.0}, "the switch waits for 480 ms."),
        ({"values": {"right": 0.0}}, "the sum is another one than before."),
        ({"outcome": "hung", "hung": True}, "it does not end."),
        ({"values": {"ends_ms": 900.0}}, "the long call was over when the switch came"),
    ],
)
def test_an_edited_sum_has_to_end_be_right_and_let_the_switch_in(changes, complaint):
    said = biased_exercises._not_polled(summed(**changes))
    assert said.startswith(complaint) and bool(said) is bool(complaint)


def test_the_templates_loop_is_that_of_the_sample():
    sample = home.SAMPLES / f"{biased.SUMMER}.java"
    assert SUM.search(sample.read_text())[0] == SUM.search((TEMPLATES / "PolledSummer.java").read_text())[0]


@pytest.fixture
def edited(tmp_path):
    """edited(old, new): the exercise's file with that change, and a field `step` that is 1."""

    def write(old, new):
        path = tmp_path / "PolledSummer.java"
        text = (TEMPLATES / path.name).read_text().replace(old, new)
        path.write_text(text.replace("    static long sum", "    static int step = 1;\n\n    static long sum", 1))
        return path

    return write


@pytest.mark.live
@pytest.mark.timed
def test_a_step_that_is_no_constant_lets_the_switch_in(edited):
    judged = lessons.exercise("06-2").judge(edited("pass++", "pass += step"))
    assert judged.holds, judged.does


@pytest.mark.live
def test_a_short_index_that_never_reaches_the_limit_is_no_cure(edited):
    assert not lessons.exercise("06-2").judge(edited("int pass = 0", "short pass = 0")).holds


@pytest.mark.live
@pytest.mark.timed
def test_the_loop_as_it_was_holds_the_switch_up(edited):
    assert "the switch waits" in biased_exercises._not_polled(biased_exercises._summed(str(edited("", "")), 8))
