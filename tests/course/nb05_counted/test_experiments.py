"""Counted or uncounted: the clock and the machine code agree, and the relations of notebook 05 hold on each JDK."""

import pandas as pd
import pytest

from safepointlab import jdks
from safepointlab.course import verdicts as claims
from safepointlab.course.nb05_counted import experiments as counted
from safepointlab.course.nb05_counted import output as counted_output

FOUND = sorted({jdk.major for jdk in jdks.find()} & {8, 11, 17, 21, 25})
PRINTED = ["intParameter           412 ms  unpolled", "longIndex    3 ms  polled", "noise", "nested   0 ms  too short"]
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


def test_a_lost_bet_is_told_by_the_clock_and_by_c2s_first_and_last_version(printed):
    versions = [(7, 4, None, False), (8, 3, None, True), (9, 4, 5, True), (11, 4, None, False), (11, 4, None, True)]
    loops = [("StrideGuard::roots", number, tier, bci, 1, polled, 0) for number, tier, bci, polled in versions]
    answers = {"before": "unpolled", "after": "polled"}
    assert counted.bets(printed(answers, loops=loops)) == [(False, False), (True, True)]
    assert counted.bets(printed(answers, loops=loops[:2])) == [(False, False), (True, False)]


def test_the_runs_of_a_sweep_are_told_by_jdk_collector_and_flags(printed, swept):
    runs = swept([printed({"longIndex": "polled"}), printed({"longIndex": "unpolled"}, 8, "", "-Xbatch -Xint")])
    said = counted.clocked(runs)[["jdk", "gc", "flags", "polled"]].to_numpy().tolist()
    assert said == [[17, "Serial", "-Xbatch", True], [8, "default", "-Xbatch -Xint", False]]
    assert counted.clocked(runs.head(0)).empty


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
