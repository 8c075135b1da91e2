"""Notebook 13's questions: by what a run shows, which of the outcomes came."""

import pandas as pd
import pytest

from safepointlab.course import lessons
from safepointlab.course.nb13_optimisation import experiments as optimisation


def scores(times, jdks=(8, 17, 25, 28)):
    """copyInt takes 10 ns, copyLong `times(jdk)` as long."""
    rows = [(jdk, f"copy{index}", 10.0 * (times(jdk) if index == "Long" else 1)) for jdk in jdks for index in INDEXES]
    return pd.DataFrame(rows, columns=["jdk", "method", "best"])


INDEXES = ("Int", "Long")


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
def test_a_long_index_is_told_by_its_ratio_on_each_jdk_up_to_25(times, keys):
    assert lessons.prediction("13-index").classify(scores(times)).keys == keys


def work(**loops):
    """A row for each method: (JDK, what it does, range checks)."""
    rows = [(jdk, method, does, checks) for method, (jdk, does, checks) in loops.items()]
    return pd.DataFrame(rows, columns=["jdk", "method", "work", "range_checks"])


@pytest.mark.parametrize(
    ("does", "checks", "keys"),
    [
        ("unrolled", 0, {"unrolling", "checks"}),
        ("vector", 0, {"unrolling", "vectors", "checks"}),
        ("stub", 0, {"stub", "checks"}),
        ("one by one", 1, set()),
    ],
)
def test_what_8_does_with_the_sum_is_read_from_its_code(does, checks, keys):
    table = work(copyInt=(8, "vector", 0), sumInt=(8, does, checks), sumLong=(8, "one by one", 1))
    assert lessons.prediction("13-missing").classify(table).keys == keys


@pytest.mark.parametrize(
    ("long", "keys"),
    [
        ((25, "unrolled", 8), {"unrolling"}),
        ((25, "vector", 0), {"unrolling", "vectors", "checks"}),
        ((17, "one by one", 2), set()),
        ((8, "vector", 0), set()),
        ((28, "vector", 0), set()),
    ],
)
def test_what_came_back_is_read_from_the_long_copy_of_16_to_25(long, keys):
    assert lessons.prediction("13-nest").classify(work(copyLong=long)).keys == keys


@pytest.mark.parametrize(
    ("vector", "keys"),
    [
        (lambda jdk, where: False, {"everywhere"}),
        (lambda jdk, where: True, {"nowhere"}),
        (lambda jdk, where: where != "in each pass", {"inside"}),
        (lambda jdk, where: where != "in each pass" or jdk > 18, {"old"}),
        (lambda jdk, where: where != "in each pass" or jdk < 18, set()),
        (lambda jdk, where: where == "in each pass", set()),
    ],
)
def test_polls_and_vectors_are_told_by_who_has_both(vector, keys):
    places = ("no poll", "between strips (G1)", "in each pass")
    rows = [
        (jdk, w, "vector" if w == "no poll" or vector(jdk, w) else "unrolled") for jdk in (8, 17, 25) for w in places
    ]
    assert lessons.prediction("13-both").classify(pd.DataFrame(rows, columns=["jdk", "where", "work"])).keys == keys


@pytest.mark.parametrize("rung", list(lessons.prediction("13-ladder").outcomes))
def test_the_rung_with_the_largest_factor_came(rung):
    names = list(optimisation.RUNGS)
    best = [100.0 * (1 + number / 50) * (4 if number >= names.index(rung) else 1) for number in range(len(names))]
    table = pd.DataFrame({"method": "copyInt", "step": names, "best": best})
    assert lessons.prediction("13-ladder").classify(table).keys == {rung}


def test_a_flat_ladder_is_told_as_such():
    table = pd.DataFrame({"method": "copyInt", "step": list(optimisation.RUNGS), "best": 100.0})
    assert lessons.prediction("13-ladder").classify(table).keys == set()
