"""Notebook 05's questions: by what a run shows, which of the outcomes came."""

import pandas as pd
import pytest

from safepointlab.course import lessons
from safepointlab.course.nb02_hang.experiments import TOP
from safepointlab.errors import BadInput
from safepointlab.widgets.predict import reveal

SHAPES = tuple(lessons.prediction("05-shapes").outcomes)


def test_the_shapes_that_came_are_those_that_the_clock_saw_stopped(printed):
    run = printed(dict.fromkeys(SHAPES, "unpolled") | {"strideVariable": "polled", "longIndex": "too short"})
    came = lessons.prediction("05-shapes").classify(run)
    assert came.keys == {"strideVariable"} and "1 of 8" in came.facts and "1 of them ended too soon" in came.facts


def test_each_of_the_shapes_can_come(printed):
    run = printed(dict.fromkeys([*SHAPES, "nested"], "polled"))
    assert lessons.prediction("05-shapes").classify(run).keys == set(SHAPES)


@pytest.mark.parametrize("edit", [{"gc": "G1"}, {"jdk": 8}, {"flags": "-Xbatch -XX:+UseCountedLoopSafepoints"}])
def test_a_run_with_another_collector_jdk_or_flag_is_no_answer_about_the_shapes(printed, edit):
    run = printed(dict.fromkeys(SHAPES, "polled"), **edit)
    with pytest.raises(BadInput):
        lessons.prediction("05-shapes").classify(run)
    assert "another result than this" in repr(reveal("05-shapes", run)) and "8 of its 8" in repr(
        reveal("05-shapes", run)
    )


def test_a_run_of_some_shapes_is_no_answer_about_all(printed):
    with pytest.raises(BadInput, match="0 of its 1 loops"):
        lessons.prediction("05-shapes").classify(printed({"intParameter": "unpolled"}))


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
    assert lessons.prediction("05-guard").classify(printed({"before": before, "after": after})).keys == keys


def test_the_guard_with_another_collector_gives_facts_and_no_outcome(printed):
    came = lessons.prediction("05-guard").classify(printed({"before": "polled", "after": "polled"}, gc="G1"))
    assert came.keys == frozenset() and came.facts == "The first request took 12 ms, the second 12 ms."


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
    assert lessons.prediction("05-jdks").classify(maps(bare)).keys == keys


@pytest.mark.parametrize(
    ("edit", "facts"),
    [
        ({"gcs": ["Serial"]}, "with Serial 7 and 7 of 10."),
        ({"gcs": ["Serial", "Parallel"]}, "with Serial 7 and 7 of 10 and with Parallel 7 and 7 of 10."),
        ({"jdks": [17]}, "with Serial 7 and 7 of 10 and with G1 7 and 7 of 10."),
        ({"flags": "-Xbatch -Xint"}, "with Serial 7 and 7 of 10 and with G1 7 and 7 of 10."),
    ],
)
def test_a_map_with_other_collectors_flags_or_one_jdk_gives_facts_and_no_outcome(maps, edit, facts):
    came = lessons.prediction("05-jdks").classify(maps(lambda gc, jdk: 7, **edit))
    assert came.keys == frozenset() and came.facts.endswith(facts)


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
    assert lessons.prediction("05-endless").classify(endless(hangs)).keys == keys


def test_the_endless_loop_with_other_flags_or_another_collector_gives_facts_and_no_outcome():
    runs = endless(lambda jdk, flags: False)
    for edited in (runs.query("flags == ''"), runs.assign(gc="G1")):
        came = lessons.prediction("05-endless").classify(edited)
        assert came.keys == frozenset() and came.facts.endswith("runs exit.")
