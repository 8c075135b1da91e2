"""Notebook 03's exercises: what solves them, and what comes near it and does not."""

import re
from types import SimpleNamespace

import pandas as pd
import pytest

from safepointlab.course import lessons
from safepointlab.course.nb03_compilers import answers as compilers_exercises
from safepointlab.course.nb03_compilers import experiments as compilers
from safepointlab.course.nb04_osr import experiments as osr
from safepointlab.errors import BadInput
from safepointlab.process import home

TEMPLATES = lessons.folder_of("03") / "templates"

LOOP = re.compile(r"static long outer\(int limit, int inner\) \{.*?\n    \}\n", re.DOTALL)
TEST_AT_THE_TOP = """static long outer(int limit, int inner) {
        long odds = 0;
        for (int i = 0; ; i++) {
            if (i >= limit) break;
            odds += countOdds(inner);
        }
        return odds;
    }
"""


@pytest.fixture
def edited(tmp_path):
    """edited(method): the exercise's file with that method in place of its own."""

    def write(method):
        path = tmp_path / "EclipseExits.java"
        path.write_text(LOOP.sub(lambda _: method, (TEMPLATES / path.name).read_text()))
        return path

    return write


@pytest.mark.parametrize(
    ("hung", "output", "holds"), [(False, "main returns\n", True), (True, "main returns\n", False), (False, "", False)]
)
def test_a_flag_cures_if_main_returns_and_the_jvm_exits(monkeypatch, hung, output, holds):
    monkeypatch.setattr(compilers, "with_flag", lambda *_: SimpleNamespace(hung=hung, output=output))
    assert lessons.exercise("03-1").judge("-XX:+UseG1GC").holds is holds


@pytest.mark.parametrize("odd", ["UseG1GC", "", "-Xint -Xbatch", 17, "-version", "-XX:Flags=mine"])
def test_what_is_not_one_flag_is_refused(odd):
    with pytest.raises(BadInput):
        lessons.exercise("03-1").judge(odd)


@pytest.mark.parametrize(("number", "holds"), [(83, True), (81, False), (82, False), (84, False), (12, False)])
def test_the_code_that_polls_is_c2s_last_osr_version(monkeypatch, number, holds):
    rows = [(81, 4, True), (82, 3, True), (83, 4, True), (84, 4, False)]
    log = pd.DataFrame(rows, columns=["compile_id", "tier", "osr"]).assign(event="compiled", uptime_ms=1_302.0)
    run = SimpleNamespace(compilations=log.assign(method="EclipseStalls::countOdds"))
    monkeypatch.setattr(compilers, "outlived", lambda *_: run)
    assert lessons.exercise("03-3").judge(number).holds is holds


@pytest.mark.live
def test_the_second_osr_version_of_eclipses_class_polls_in_both_loops_and_the_first_in_none():
    polled = osr.osr_loops(compilers.outlived(17)).groupby("compile_id")["polled"].agg(["any", "all"])
    assert polled.to_numpy().tolist() == [[False, False], [True, True]]


def test_the_template_runs_the_same_loop_as_the_sample():
    sample, template = home.SAMPLES / f"{compilers.HANGS}.java", TEMPLATES / "EclipseExits.java"
    assert LOOP.search(sample.read_text())[0] == LOOP.search(template.read_text())[0]


@pytest.mark.live
def test_a_cure_that_counts_otherwise_is_none(edited):
    judged = lessons.exercise("03-2").judge(edited("static long outer(int limit, int inner) { return 0; }\n"))
    assert not judged.holds and "no longer counts" in judged.does


@pytest.mark.live
@pytest.mark.timed
def test_a_test_that_is_part_of_the_body_cures_eclipses_class(edited):
    assert compilers_exercises._not_soon(str(edited(TEST_AT_THE_TOP)), 17) == ""


@pytest.mark.live
def test_the_loop_as_it_was_hangs(edited):
    untouched = LOOP.search((TEMPLATES / "EclipseExits.java").read_text())[0]
    assert compilers_exercises._not_soon(str(edited(untouched)), 17) == "On JDK 17 Eclipse's class hangs."
