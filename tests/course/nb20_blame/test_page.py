"""Notebook 20's questions: by what the runs show, which of the outcomes came."""

import pytest

from safepointlab.course import lessons
from safepointlab.course.nb20_blame.output import CASES
from safepointlab.errors import BadInput

SAFEPOINTS = {"inlined": "drive", "notInlined": "notInlined", "innocentSetter": "setResult", "farAway": "level9"}
LINES, JFR, CPU, ASYNC = "-XX:+DebugNonSafepoints", "jfr=ExecutionSample", "jfr=CPUTimeSample", "async=ctimer"
DUMPS, COLLECTORS, BETWEEN = (lessons.prediction(f"20-{name}") for name in ("dumps", "collectors", "between"))


@pytest.mark.parametrize(
    ("methods", "keys"),
    [
        (SAFEPOINTS, {"elsewhere"}),
        (dict.fromkeys(CASES[:4], "sum"), {"loop"}),
        ({case: case for case in CASES[:4]}, {"caller"}),
        ({case: {method: 8, "main": 6, "x": 6} for case, method in SAFEPOINTS.items()}, {"spread"}),
        (dict.fromkeys(CASES[:4], "main"), set()),
    ],
)
def test_dumps_are_told_by_whom_most_of_them_blame(profiled, methods, keys):
    assert DUMPS.classify(profiled(methods)).keys == keys


def test_a_reader_who_runs_another_case_or_two_collectors_gets_facts_and_no_outcome(profiled):
    other = DUMPS.classify(profiled({"uncounted": "sumList"}))
    assert not other.keys and other.facts == "1 of 1 times the hot loop is blamed."
    both = DUMPS.classify([profiled(SAFEPOINTS), profiled(dict.fromkeys(CASES[:4], "sum"), gc="G1")])
    assert not both.keys and both.facts.startswith("4 of 8 times")


def test_without_a_sample_there_is_no_answer(profiled):
    for prediction in (DUMPS, COLLECTORS, BETWEEN):
        with pytest.raises(BadInput, match="no run of KnownAnswer with a sample"):
            prediction.classify(profiled({}))


def over(profiled, finds, jdks=(8, 11, 25), collectors=("Serial", "Parallel", "G1")):
    """The runs of a sweep; `finds` says where the dumps find the loop."""
    points = [(jdk, gc) for gc in collectors for jdk in jdks]
    return [profiled({"farAway": "sum" if finds(jdk, gc) else "level9"}, jdk, gc) for jdk, gc in points]


@pytest.mark.parametrize(
    ("finds", "keys"),
    [
        (lambda jdk, gc: False, {"none"}),
        (lambda jdk, gc: jdk > 8, {"newer"}),
        (lambda jdk, gc: gc == "G1" and jdk > 8, {"g1"}),
        (lambda jdk, gc: gc == "G1", {"always"}),
        (lambda jdk, gc: gc == "G1" and jdk == 8, set()),
        (lambda jdk, gc: gc != "G1" and jdk > 8, set()),
        (lambda jdk, gc: True, set()),
    ],
)
def test_collectors_are_told_by_whose_dumps_find_the_loop(profiled, finds, keys):
    assert COLLECTORS.classify(over(profiled, finds)).keys == keys


@pytest.mark.parametrize(
    ("chosen", "keys", "facts"),
    [
        ({"collectors": ("Serial", "Parallel")}, set(), "It is found with no collector on any JDK."),
        ({"collectors": ("G1",)}, set(), "It is found with G1 on JDK 11 and 25."),
        ({"jdks": (8,)}, set(), "It is found with no collector on any JDK."),
        ({"jdks": (17, 25)}, {"g1"}, "It is found with G1 on JDK 17 and 25."),
        ({"collectors": ("Serial", "")}, {"g1"}, "It is found with the JDK's own collector on JDK 11 and 25."),
        ({"collectors": ("Serial", "G1", "Z")}, set(), "It is found with G1 on JDK 11 and 25; Z on JDK 11 and 25."),
    ],
)
def test_a_sweep_that_was_edited_comes_to_an_outcome_only_if_it_can_decide_one(profiled, chosen, keys, facts):
    came = COLLECTORS.classify(over(profiled, lambda jdk, gc: gc not in ("Serial", "Parallel") and jdk > 8, **chosen))
    assert (came.keys, came.facts) == (keys, facts)


def profilers(profiled, jfr, lines, signals, jdk=25):
    """The runs of three profilers, and whether each finds the loop."""
    asked = (((), JFR, jfr), ((LINES,), JFR, lines), ((), ASYNC, signals))
    found = {True: "sum", False: "level5"}
    return [profiled({"farAway": found[right]}, jdk, flags=flags, log=[log]) for flags, log, right in asked]


@pytest.mark.parametrize(
    ("right", "keys"),
    [
        ({"jfr": False, "lines": True, "signals": True}, {"async"}),
        ({"jfr": True, "lines": True, "signals": True}, {"both"}),
        ({"jfr": True, "lines": True, "signals": False}, {"jfr"}),
        ({"jfr": False, "lines": True, "signals": False}, {"neither"}),
        ({"jfr": False, "lines": False, "signals": True}, set()),
    ],
)
def test_profilers_are_told_by_which_find_the_loop(profiled, right, keys):
    assert BETWEEN.classify(profilers(profiled, **right)).keys == keys


def test_a_reader_who_leaves_out_a_profiler_gets_facts_and_no_outcome(profiled):
    came = BETWEEN.classify(profilers(profiled, jfr=False, lines=True, signals=True)[1:])
    assert not came.keys and came.facts == "JFR +lines and async-profiler found it on each JDK."


def test_the_facts_part_finders_on_each_jdk_from_those_that_only_one_jdk_has(profiled):
    older, newer = (profilers(profiled, jfr=False, lines=True, signals=True, jdk=jdk) for jdk in (17, 25))
    cpu_time = profiled({"farAway": "sum"}, 25, flags=[LINES], log=[CPU])
    assert BETWEEN.classify(older, newer, cpu_time).facts == (
        "JFR +lines and async-profiler found it on each JDK, CPU-time +lines on JDK 25, the only one here that has it."
    )


def test_who_finds_the_loop_on_one_of_two_jdks_is_told_with_that_jdk(profiled):
    older = profilers(profiled, jfr=False, lines=True, signals=True, jdk=17)
    newer = profilers(profiled, jfr=False, lines=True, signals=False, jdk=25)
    came = BETWEEN.classify(older, newer)
    assert not came.keys and came.facts == "JFR +lines found it on each JDK, async-profiler on JDK 17."
