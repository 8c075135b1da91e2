"""Counted or uncounted: the clock and the machine code agree, and the relations of notebook 05 hold on each JDK."""

from types import SimpleNamespace

import pandas as pd
import pytest

from safepointlab import claims, jdks
from safepointlab.course.nb05_counted import experiments as counted
from safepointlab.course.nb05_counted import output as counted_output

FOUND = sorted({jdk.major for jdk in jdks.find()} & {8, 11, 17, 21, 25})
PRINTED = ["intParameter           412 ms  unpolled", "longIndex    3 ms  polled", "noise", "nested   0 ms  too short"]
SAID = (counted.WAITING, False), (counted.STOPPED, True)
LOOPS = pd.DataFrame(
    {
        "method": ["LoopShapes::longIndex", "LoopShapes::longIndex", "LoopShapes::intParameter", "LoopShapes::other"],
        "compile_id": [7, 7, 8, 9],
        "tier": [4, 4, 4, 3],
        "osr_bci": [None, None, None, None],
        "depth": [1, 2, 1, 1],
        "polled": [True, False, False, True],
        "calls": [0, 0, 0, 0],
    }
)


def test_a_loop_that_was_over_too_soon_says_nothing():
    frame = counted_output.read(PRINTED)
    assert list(frame["shape"]) == ["intParameter", "longIndex", "nested"]
    assert frame["polled"].isna().tolist() == [False, False, True] and frame.attrs["skipped"] == 1


def test_a_poll_around_a_bare_inner_loop_counts_as_polled_by_the_code():
    assert counted_output.by_code(LOOPS).set_index("shape")["polled"].to_dict() == {
        "intParameter": False,
        "longIndex": True,
    }


def test_both_witnesses_are_laid_side_by_side():
    both = counted_output.agreement(PRINTED, LOOPS)
    assert both.set_index("shape")["agree"].to_dict() == {"intParameter": True, "longIndex": True}


def printing(loops=None, **polls):
    """A run that says of each shape whether it was stopped in mid-loop."""
    lines = [f"{shape} 12 ms  {'polled' if polled else 'unpolled'}" for shape, polled in polls.items()]
    return SimpleNamespace(major=17, output="\n".join(lines), loops=loops)


def test_a_shape_that_the_clock_sees_otherwise_than_the_page_is_named():
    waiting, stopped = (dict.fromkeys(names.split(), answer) for names, answer in SAID)
    assert counted.surprises(printing(**waiting, **stopped)) == ([], [])
    odd = {**waiting, **stopped, "longIndex": True, "overflowing": False}
    assert counted.surprises(printing(**odd)) == (["longIndex"], ["overflowing"])


def test_a_lost_bet_is_told_by_the_clock_and_by_c2s_first_and_last_version():
    rows = [(7, 4, None, False), (8, 3, None, True), (9, 4, 5, True), (11, 4, None, False), (11, 4, None, True)]
    loops = pd.DataFrame(rows, columns=["compile_id", "tier", "osr_bci", "polled"])
    assert counted.bets(printing(loops, before=False, after=True)) == [(False, False), (True, True)]
    assert counted.bets(printing(loops[:2], before=False, after=True)) == [(False, False), (True, False)]


@pytest.mark.live
@pytest.mark.parametrize("jdk", FOUND)
def test_a_limit_that_may_lie_beyond_the_ints_keeps_the_poll_and_a_plain_one_loses_it(jdk):
    both = counted.agreement(counted.listed(jdk, "intParameter intToLongLimit")).set_index("shape")
    assert both["agree"].all()
    assert both["by_code"].to_dict() == {"intParameter": False, "intToLongLimit": True}


def judged(id, measured):
    return next(claim for claim in claims.topics()["counted"] if claim.id == id).judge(measured, 17).state


def test_a_shape_that_two_compiles_poll_differently_counts_only_if_it_does_so_twice(monkeypatch):
    first = pd.DataFrame({"standard": [True, False], "osr": [False, True]}, index=["a", "b"])
    again = pd.DataFrame({"standard": [True, False], "osr": [True, True]}, index=["a", "b"])
    answers = iter([first, again])
    monkeypatch.setattr(counted, "compiles", lambda jdk, names="": next(answers))
    assert counted.differing(17) == (2, ["b"])


def test_the_endless_loop_is_judged_by_its_end_and_by_its_poll():
    exits = {"default flags": "exited", "everything compiled": "exited", "loops in its code": 2, "loops that poll": 2}
    assert judged("003e-14", exits) == "holds"
    assert judged("003e-14", {**exits, "loops that poll": 1}) == "fails"
    assert judged("003e-14", {**exits, "loops in its code": 0, "loops that poll": 0}) == "unclear"


@pytest.mark.live
@pytest.mark.parametrize("jdk", FOUND)
def test_a_loop_without_an_end_can_be_stopped(jdk):
    assert counted.endless(jdk, gc=counted.NO_POLLS).outcome == "exited"


@pytest.mark.live
@pytest.mark.parametrize("jdk", [jdk for jdk in FOUND if jdk > 11 or jdks.get(jdk).hsdis])
def test_the_endless_loops_code_is_listed_each_time_however_busy_the_machine(jdk):
    loops = counted.endless_loops(jdk)
    assert len(loops) and loops["polled"].all()
