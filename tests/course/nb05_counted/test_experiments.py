"""Counted or uncounted: the clock and the machine code agree, and the relations of notebook 05 hold on each JDK."""

import pandas as pd
import pytest

from safepointlab import jdks
from safepointlab.course import verdicts as claims
from safepointlab.course.nb05_counted import experiments as counted
from safepointlab.course.nb05_counted import output

FOUND = sorted({jdk.major for jdk in jdks.find()} & {8, 11, 17, 21, 25})
LOOPS = [  # method, compile_id, tier, osr_bci, depth, polled, calls
    ("LoopShapes::longIndex", 7, 4, None, 1, True, 0),
    ("LoopShapes::longIndex", 7, 4, None, 2, False, 0),
    ("LoopShapes::intParameter", 8, 4, None, 1, False, 0),
    ("LoopShapes::other", 9, 3, None, 1, True, 0),
]


def test_a_loop_that_was_over_too_soon_says_nothing():
    frame = output.read(
        ["intParameter  412 ms  unpolled", "longIndex  3 ms  polled", "noise", "nested 0 ms  too short"]
    )
    assert list(frame["shape"]) == ["intParameter", "longIndex", "nested"]
    assert frame["polled"].isna().tolist() == [False, False, True] and frame.attrs["skipped"] == 1


def test_clock_and_code_are_laid_side_by_side_and_a_poll_around_a_bare_inner_loop_counts(printed):
    run = printed({"intParameter": "unpolled", "longIndex": "polled", "nested": "too short"}, loops=LOOPS)
    both = counted.agreement(run).set_index("shape")
    assert both["by_code"].to_dict() == {"intParameter": False, "longIndex": True} and both["agree"].all()


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


def test_a_shape_that_two_compiles_poll_differently_counts_only_if_it_does_so_twice(monkeypatch):
    first = pd.DataFrame({"standard": [True, False], "osr": [False, True]}, index=["a", "b"])
    again = pd.DataFrame({"standard": [True, False], "osr": [True, True]}, index=["a", "b"])
    frames = iter([first, again])
    monkeypatch.setattr(counted, "compiles", lambda *_: next(frames))
    [claim] = claims.named(["003e-13"])
    assert list(claim.measure(17).values()) == [2, 1, "b"]


def test_the_endless_loop_is_judged_by_its_end_and_by_its_poll(judge):
    exits = {"default flags": "exited", "everything compiled": "exited", "loops in its code": 2, "loops that poll": 2}
    for change, state in (({}, "holds"), ({"loops that poll": 1}, "fails"), ({"loops in its code": 0}, "unclear")):
        assert judge("003e-14", {**exits, **change}).state == state


@pytest.mark.live
@pytest.mark.parametrize("jdk", FOUND)
def test_a_limit_that_may_lie_beyond_the_ints_keeps_the_poll_and_a_plain_one_loses_it(jdk):
    run = counted.shapes(jdk, "intParameter intToLongLimit", log="assembly=LoopShapes.* compilation")
    both = counted.agreement(run).set_index("shape")
    assert both["agree"].all()
    assert both["by_code"].to_dict() == {"intParameter": False, "intToLongLimit": True}


@pytest.mark.live
@pytest.mark.parametrize("jdk", FOUND)
def test_a_loop_without_an_end_can_be_stopped_and_its_listed_code_polls(jdk, measured):
    verdict = measured("003e-14", jdk)
    assert verdict.measured["default flags"] == "exited"
    assert verdict.state == ("holds" if jdk > 11 or jdks.get(jdk).hsdis else "unclear")
