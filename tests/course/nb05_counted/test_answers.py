"""Notebook 05: which outcomes a run shows; what solves its exercises, and what comes near it and does not."""

import pandas as pd
import pytest

from safepointlab.course import lessons
from safepointlab.course.exercises import Untouched
from safepointlab.course.nb02_hang.experiments import TOP
from safepointlab.course.nb05_counted import experiments as counted
from safepointlab.errors import BadInput
from safepointlab.widgets.predict import reveal

SHAPES = tuple(lessons.prediction("05-shapes").outcomes)


def classify(name, result):
    return lessons.prediction(name).classify(result)


def judge(name, answer):
    return lessons.exercise(name).judge(answer)


def test_the_shapes_that_the_clock_saw_stopped_are_the_outcomes(printed):
    run = printed(dict.fromkeys(SHAPES, "unpolled") | {"strideVariable": "polled", "longIndex": "too short"})
    finding = classify("05-shapes", run)
    assert finding.keys == {"strideVariable"} and "1 of 8" in finding.facts and "1 of them ended" in finding.facts
    assert classify("05-shapes", printed(dict.fromkeys([*SHAPES, "nested"], "polled"))).keys == set(SHAPES)


@pytest.mark.parametrize("edit", [{"gc": "G1"}, {"jdk": 8}, {"flags": "-Xbatch -XX:+UseCountedLoopSafepoints"}])
def test_a_run_with_another_collector_jdk_or_flag_or_of_some_shapes_is_no_answer_about_the_shapes(printed, edit):
    for run in (printed(dict.fromkeys(SHAPES, "polled"), **edit), printed({"intParameter": "polled"})):
        with pytest.raises(BadInput, match=r"\d of its \d loops were stopped"):
            classify("05-shapes", run)
        assert "of its" in repr(reveal("05-shapes", run))


@pytest.mark.parametrize(
    ("before", "after", "keys"),
    [
        ("unpolled", "unpolled", {"both"}),
        ("polled", "polled", {"neither"}),
        ("unpolled", "polled", {"first"}),
        ("polled", "unpolled", {"second"}),
        ("unpolled", "too short", set()),
    ],
)
def test_the_guard_is_told_by_which_request_waits(printed, before, after, keys):
    answers = {"before": before, "after": after}
    assert classify("05-guard", printed(answers)).keys == keys
    assert not classify("05-guard", printed(answers, gc="G1")).keys


@pytest.fixture
def maps(printed, swept):
    """maps(bare): ten loops on 8 and 25 with both collectors; `bare` says how many of them have no poll."""

    def sweep(bare, gcs=("Serial", "G1"), jdks=(25, 8), flags="-Xbatch"):
        runs = [
            printed({f"shape{n}": "unpolled" if n < bare(gc, jdk) else "polled" for n in range(10)}, jdk, gc, flags)
            for gc in gcs
            for jdk in jdks
        ]
        return swept(runs)

    return sweep


@pytest.mark.parametrize(
    ("bare", "keys"),
    [
        (lambda gc, jdk: 7, {"same"}),
        (lambda gc, jdk: 7 if jdk == 8 else 0, {"better"}),
        (lambda gc, jdk: 7 if gc == "Serial" or jdk == 8 else 0, {"g1"}),
        (lambda gc, jdk: 0 if gc == "G1" and jdk > 8 else 8 if jdk > 8 else 7, {"apart"}),
        (lambda gc, jdk: 1 if gc == "G1" and jdk > 8 else 8 if jdk > 8 else 7, {"apart"}),
        (lambda gc, jdk: 8 if jdk > 8 else 7, set()),
        (lambda gc, jdk: 2 if gc == "G1" else 7, set()),
    ],
)
def test_the_map_over_the_jdks_is_told_by_its_first_and_last_column(maps, bare, keys):
    assert classify("05-jdks", maps(bare)).keys == keys
    for edit in ({"gcs": ["Serial"]}, {"gcs": ["Serial", "Parallel"]}, {"jdks": [17]}, {"flags": "-Xbatch -Xint"}):
        assert not classify("05-jdks", maps(bare, **edit)).keys


def endless(hangs):
    rows = [(jdk, flags, "hung" if hangs(jdk, flags) else "exited") for jdk in (8, 17) for flags in ("", TOP)]
    return pd.DataFrame(rows, columns=["jdk", "flags", "outcome"]).assign(gc="Serial")


@pytest.mark.parametrize(
    ("hangs", "keys"),
    [
        (lambda jdk, flags: False, {"exits"}),
        (lambda jdk, flags: True, {"never"}),
        (lambda jdk, flags: flags == TOP, {"default"}),
        (lambda jdk, flags: jdk == 8, set()),
    ],
)
def test_the_endless_loop_is_told_by_who_hangs(hangs, keys):
    runs = endless(hangs)
    assert classify("05-endless", runs).keys == keys
    for edited in (runs.query("flags == ''"), runs.assign(gc="G1")):
        assert not classify("05-endless", edited).keys


@pytest.mark.parametrize(("how", "holds"), [("unpolled", True), ("polled", False), ("too short", False)])
def test_a_flag_has_to_make_the_stop_wait_for_the_loops_end(monkeypatch, printed, how, holds):
    monkeypatch.setattr(counted, "shapes", lambda *_, **__: printed({"intParameter": how}, gc="G1"))
    assert judge("05-1", "-XX:+UseSomething").holds is holds
    for odd in ("-XX:+UseSerialGC", "-Xint -Xbatch", 5, ""):
        with pytest.raises(BadInput):
            judge("05-1", odd)


@pytest.mark.parametrize(("name", "holds"), [("strideTwo", True), ("intParameter", False), ("intToLongLimit", False)])
def test_the_cold_loop_is_one_whose_two_compiles_differ(monkeypatch, name, holds):
    both = pd.DataFrame({"standard": [False, False, True], "osr": [True, False, True]})
    both.index = ["strideTwo", "intParameter", "intToLongLimit"]
    monkeypatch.setattr(counted, "compiles", lambda *_: both)
    assert judge("05-3", name).holds is holds
    with pytest.raises(BadInput, match="none of the four"):
        judge("05-3", "iterator")


COUNTED = ("left >= right", "left >= turns", "            right--;\n", "")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("        while (true)", "        for (;;)"),
        ("int left = 0;", "int left = 0; do left++; while (left < 0);"),
    ],
)
def test_another_kind_of_loop_is_not_what_is_asked_for(edited, old, new):
    judged = judge("05-2", edited("05-2", *COUNTED, old, new))
    assert not judged.holds and "Keep `while (true)`" in judged.does
    with pytest.raises(Untouched):
        judge("05-2", edited("05-2"))


@pytest.mark.live
@pytest.mark.timed
def test_a_limit_that_stays_takes_the_poll_from_the_loop(edited):
    assert judge("05-2", edited("05-2", *COUNTED)).holds


@pytest.mark.live
def test_a_loop_that_polls_or_does_other_work_is_no_answer(edited):
    polled = judge("05-2", edited("05-2", "left++;", "left += 1 + 0 * right;"))
    idle = judge("05-2", edited("05-2", *COUNTED, "Math.sqrt(x + left)", "x + left"))
    assert not polled.holds and "still stopped" in polled.does
    assert not idle.holds and "square roots" in idle.does
