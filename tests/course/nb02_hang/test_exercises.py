"""Notebook 02's exercises: what solves them, and what comes near it and does not."""

import math
import re
from types import SimpleNamespace

import pandas as pd
import pytest

from safepointlab.course import lessons
from safepointlab.course.nb02_hang import answers as hang_exercises
from safepointlab.course.nb02_hang import experiments as hang
from safepointlab.errors import BadInput, CompileFailed
from safepointlab.process import home
from safepointlab.run import launch

TEMPLATES = lessons.folder_of("02") / "templates"

LOOP = re.compile(r"static long countOdds\(int limit\) \{.*?\n    \}\n", re.DOTALL)
BY_HAND = """static long countOdds(int limit) {
        long odds = 0;
        for (int i = 0; i < limit; i++) {
            for (int from = 0, to; from < limit; from = to) {
                to = from + Math.min(1000, limit - from);
                for (int j = from; j < to; j++) {
                    odds += j & 1;
                }
            }
        }
        return odds;
    }
"""


@pytest.fixture
def edited(tmp_path):
    """edited(method): the exercise's file with that method in place of its own."""

    def write(method):
        path = tmp_path / "CuredTask.java"
        path.write_text(LOOP.sub(lambda _: method, (TEMPLATES / path.name).read_text()))
        return path

    return write


@pytest.fixture
def late_by(monkeypatch):
    """late_by(ms): how late the killer task exits with other strips than usual."""
    return lambda ms: monkeypatch.setattr(hang, "in_strips", lambda n: 10.0 + ms * bool(n))


@pytest.mark.parametrize(("ms", "holds"), [(0, False), (190, False), (210, True), (20_000, False), (math.inf, False)])
def test_a_strip_is_long_enough_from_200_ms_on_and_must_end(late_by, ms, holds):
    late_by(ms)
    assert lessons.exercise("02-1").judge(5_000_000).holds is holds


@pytest.mark.parametrize("length", [2e9, 2_000_000_000])
def test_a_length_may_be_written_in_either_way(late_by, length):
    late_by(500)
    assert "`LoopStripMiningIter=2000000000`" in lessons.exercise("02-1").judge(length).does


@pytest.mark.parametrize(("length", "strips"), [(1_000, True), (536_870_911, True), (536_870_912, False)])
def test_a_length_that_is_no_int_once_unrolled_leaves_no_strips_and_the_judge_says_so(late_by, length, strips):
    late_by(500)
    judged = lessons.exercise("02-1").judge(length)
    assert judged.holds and ("no strips" in judged.does) is not strips


@pytest.mark.live
def test_c2_unrolls_the_killer_tasks_inner_loop_by_four():
    run = launch.java(hang.KILLER, 17, gc="G1", args="300 1000", log="assembly=KillerTask.countOdds")
    code = run.assembly["instruction"]
    assert code.str.contains(rf"\${1000 * hang_exercises.UNROLLED:#x}\b").any()


@pytest.mark.parametrize("odd", [0, -5, 2**32, "1000", 0.5, True, math.nan])
def test_what_the_flag_cannot_take_is_no_length(odd):
    with pytest.raises(BadInput, match="whole number from 1 to 4,294,967,295"):
        lessons.exercise("02-1").judge(odd)


def test_the_killer_tasks_template_runs_the_same_loops_as_the_sample():
    sample, template = home.SAMPLES / f"{hang.KILLER}.java", TEMPLATES / "CuredTask.java"
    assert LOOP.search(sample.read_text())[0] == LOOP.search(template.read_text())[0]


@pytest.mark.parametrize(("number", "holds"), [(70, True), (69, False), (71, False), (12, False)])
def test_the_rescuer_is_c2s_osr_compile(monkeypatch, number, holds):
    rows = [("compiled", 69, 3, True), ("compiled", 70, 4, True), ("compiled", 71, 4, False)]
    log = pd.DataFrame(rows, columns=["event", "compile_id", "tier", "osr"]).assign(method="KillerTask::countOdds")
    monkeypatch.setattr(hang, "warmed", lambda *_, **__: SimpleNamespace(compilations=log))
    assert lessons.exercise("02-3").judge(number).holds is holds


@pytest.mark.live
def test_a_class_that_does_not_compile_is_told_by_the_compiler(edited):
    with pytest.raises(CompileFailed, match="refused .*CuredTask.java"):
        lessons.exercise("02-2").judge(edited("static long countOdds(int limit) { return odds; }\n"))


@pytest.mark.live
def test_a_cure_that_counts_otherwise_is_none(edited):
    judged = lessons.exercise("02-2").judge(edited("static long countOdds(int limit) { return 0; }\n"))
    assert not judged.holds and "no longer counts" in judged.does


@pytest.mark.live
@pytest.mark.timed
def test_a_loop_cut_by_hand_is_a_cure_on_17(edited):
    assert hang_exercises._not_soon(str(edited(BY_HAND)), 17) == ""


@pytest.mark.live
def test_the_loop_as_it_was_hangs_on_17(edited):
    untouched = LOOP.search((TEMPLATES / "CuredTask.java").read_text())[0]
    assert hang_exercises._not_soon(str(edited(untouched)), 17) == "On JDK 17 with Serial it hangs."
