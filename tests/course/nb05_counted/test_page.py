"""Notebook 05's questions: by what a run shows, which of the outcomes came."""

from types import SimpleNamespace

import pandas as pd
import pytest

from safepointlab.course import lessons
from safepointlab.course.nb02_hang.experiments import TOP

SHAPES = tuple(lessons.prediction("05-shapes").outcomes)


def printed(**answers):
    """A run that says of each shape how it was stopped."""
    return SimpleNamespace(major=17, output="\n".join(f"{shape} 12 ms  {how}" for shape, how in answers.items()))


def test_the_shapes_that_came_are_those_that_the_clock_saw_stopped():
    run = printed(**dict.fromkeys(SHAPES, "unpolled") | {"strideVariable": "polled", "longIndex": "too short"})
    came = lessons.prediction("05-shapes").classify(run)
    assert came.keys == {"strideVariable"} and "1 of 8" in came.facts and "1 of them ended too soon" in came.facts


def test_each_of_the_shapes_can_come():
    assert lessons.prediction("05-shapes").classify(printed(**dict.fromkeys(SHAPES, "polled"))).keys == set(SHAPES)


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
def test_the_guard_is_told_by_which_request_waits(before, after, keys):
    assert lessons.prediction("05-guard").classify(printed(before=before, after=after)).keys == keys


def clock(bare):
    """Ten loops on 8 and 25 with both collectors; `bare` says how many of them have no poll."""
    rows = [(gc, jdk, f"shape{n}", n >= bare(gc, jdk)) for gc in ("Serial", "G1") for jdk in (25, 8) for n in range(10)]
    return pd.DataFrame(rows, columns=["gc", "jdk", "shape", "polled"]).astype({"polled": "boolean"})


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
def test_the_map_over_the_jdks_is_told_by_its_first_and_last_column(bare, keys):
    assert lessons.prediction("05-jdks").classify(clock(bare)).keys == keys


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
    rows = [(jdk, flags, "hung" if hangs(jdk, flags) else "exited") for jdk in (8, 17) for flags in ("", TOP)]
    assert (
        lessons.prediction("05-endless").classify(pd.DataFrame(rows, columns=["jdk", "flags", "outcome"])).keys == keys
    )
