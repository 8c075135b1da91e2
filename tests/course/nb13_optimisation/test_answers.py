"""Notebook 13: which outcome of a question comes by what the runs show, and what solves an exercise."""

from types import SimpleNamespace

import pandas as pd
import pytest

from safepointlab.course import lessons
from safepointlab.course.nb13_optimisation import answers
from safepointlab.course.nb13_optimisation import experiments as optimisation
from tests.course.conftest import graded

VECTOR, ROLLED = "vector/64/0/none", "unrolled/8/0/each pass"
STEPS = {"": "as it is", **answers.ADDED}
LINES = [" ".join(list(STEPS)[: number + 1]).strip() for number in range(len(STEPS))]


def classify(name, *frames):
    return lessons.prediction(name).classify(pd.concat(frames))


@pytest.mark.parametrize(
    ("times", "keys"),
    [
        (lambda jdk: 1.1, {"never"}),
        (lambda jdk: 8.0, {"always"}),
        (lambda jdk: 1.0 if jdk > 25 else 8.0, {"always"}),
        (lambda jdk: 8.0 if jdk == 8 else 1.0, {"cured"}),
        (lambda jdk: 1.0 if jdk == 8 else 8.0, {"worse"}),
        (lambda jdk: 1.6, set()),
    ],
)
def test_a_long_index_is_told_by_its_ratio_on_each_jdk_up_to_25(times, keys, scores):
    rows = [(jdk, f"copy{index}", 10.0 * (times(jdk) if index == "Long" else 1), VECTOR)
            for jdk in (8, 17, 25, 28) for index in ("Int", "Long")]  # fmt: skip
    disturbed = [(jdk, method, 9 * best, run) for jdk, method, best, run in rows]
    assert classify("13-index", scores(*rows, *disturbed)).keys == keys


def test_one_copy_alone_or_two_collectors_are_no_answer(scores):
    ints = scores((8, "copyInt", 10.0, VECTOR), (8, "sumInt", 10.0, VECTOR))
    assert classify("13-index", ints).keys == set()
    both = [scores((8, "copyInt", 10.0, VECTOR), (8, "copyLong", 90.0, VECTOR), gc=gc) for gc in ("Serial", "G1")]
    assert classify("13-index", *both).keys == set() and "here are 2" in classify("13-index", *both).facts


@pytest.mark.parametrize(
    ("vector", "keys"),
    [
        (lambda jdk, where: False, {"everywhere"}),
        (lambda jdk, where: True, {"nowhere"}),
        (lambda jdk, where: where == "strips", {"inside"}),
        (lambda jdk, where: where == "strips" or jdk > 18, {"old"}),
        (lambda jdk, where: where == "strips" or jdk < 18, set()),
        (lambda jdk, where: where == "passes", set()),
    ],
)
def test_polls_and_vectors_are_told_by_who_has_both(vector, keys, scores):
    def forks(where, **settings):
        rows = [
            (jdk, "copyInt", 1.0, VECTOR if where == "none" or vector(jdk, where) else ROLLED) for jdk in (25, 8, 17)
        ]
        return scores(*rows, **settings)

    frames = [forks("none"), forks("strips", gc="G1"), forks("passes", flags=optimisation.POLLS)]
    assert classify("13-both", *frames).keys == keys


def test_another_collector_or_a_place_without_runs_is_told_and_not_compared(scores):
    rows = scores((8, "copyInt", 1.0, ROLLED))
    passes = rows.assign(flags=optimisation.POLLS)
    for others in ([rows.assign(gc="Z"), passes], [passes]):
        found = classify("13-both", rows, *others)
        assert found.keys == set() and "In each iteration: unrolled without vectors on JDK 8." in found.facts


@pytest.mark.parametrize("step", list(lessons.prediction("13-ladder").outcomes))
def test_the_step_with_the_largest_factor_came(step, scores):
    worst = list(STEPS.values()).index(step)
    rows = [
        scores((8, "copyInt", 100.0 * (1 + number / 50) * (4 if number >= worst else 1), ROLLED), flags=flags)
        for number, flags in enumerate(LINES)
    ]
    assert classify("13-ladder", *rows).keys == {step}


def test_a_flat_ladder_an_unknown_flag_and_two_jdks_are_told_as_such(scores):
    flat = [scores((8, "copyInt", 100.0, ROLLED), flags=flags) for flags in LINES]
    assert classify("13-ladder", *flat).keys == set()
    own = scores((8, "copyInt", 900.0, ROLLED), flags="-Xint")
    assert "-Xint: 9.0 times" in classify("13-ladder", flat[0], own).facts
    assert classify("13-ladder", flat[0], own).keys == set()
    assert classify("13-ladder", *flat, *[each.assign(jdk=11) for each in flat]).keys == set()


@pytest.mark.parametrize(
    ("work", "poll", "holds"),
    [("vector", "around", True), ("unrolled", "each pass", False), ("vector", "none", False)],
)
def test_a_flag_has_to_bring_vectors_and_a_poll_around_them(monkeypatch, scores, work, poll, holds):
    forks = scores((17, "copyInt", 1.0, f"{work}/8/0/{poll}"))
    monkeypatch.setattr(optimisation, "each_fork", lambda *_, **__: forks)
    assert graded("13-1", "-XX:Something=1").holds is holds


@pytest.mark.parametrize(("number", "holds"), [(2147483645, True), (2**31, False), (1000, False)])
def test_the_longest_inner_loop_is_one_of_the_codes_limits(monkeypatch, number, holds):
    code = {"tier": 4, "osr_bci": None, "instruction": ["cmp $0x7ffffffd,%r10", "cmp $0x3e8,%r9d"]}
    run = SimpleNamespace(assembly=pd.DataFrame(code))
    monkeypatch.setattr(optimisation, "each_fork", lambda *_, **__: pd.DataFrame({"run": ["1"]}))
    monkeypatch.setattr(answers, "load", lambda _: run)
    assert graded("13-3", number).holds is holds


@pytest.mark.live
@pytest.mark.parametrize(
    ("statement", "holds", "says"),
    [
        ("sum += from[i] ^ zero;", True, "uses vectors"),
        ("sum = sum + from[i];", False, "no vectors"),
        ("sum += from[i] + 1;", False, "not the same"),
    ],
)
def test_more_vector_work_brings_the_sum_its_vectors_and_no_other_sum_will_do(edited, statement, holds, says):
    judged = graded("13-2", edited("13-2", "sum += from[i];", statement))
    assert judged.holds is holds and says in judged.does
