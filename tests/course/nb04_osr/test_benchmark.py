"""The times of one loop in a harness, in a method and under JMH: how they are summed up and set beside each other."""

from types import SimpleNamespace

import pandas as pd
import pytest

from safepointlab.course.nb04_osr import benchmark
from safepointlab.course.nb04_osr import experiments as osr


def test_a_sum_is_the_median_and_the_range_of_the_jvms_best_rounds(homemade):
    table = benchmark.summarize(homemade((60, 80, 70), jdks=[17])).set_index("place")
    assert table.loc["inline", ["score", "low", "high", "jvms"]].tolist() == [70, 60, 80, 3]
    assert table.loc["method", ["score", "kind", "unit"]].tolist() == [42, "in a method", "ns"]


def test_two_collectors_are_kinds_of_their_own(homemade):
    both = pd.concat([homemade((76, 80), jdks=[17]), homemade((20, 30), jdks=[17]).assign(gc="G1")])
    kinds = list(benchmark.summarize(both)["kind"])
    assert kinds[:2] == ["in the harness, by OSR G1", "in the harness, by OSR Serial"] and len(kinds) == 4


@pytest.mark.parametrize(("best", "unit", "share"), [((41, 42), "ns/op", 1.0), ((0.055, 0.041), "us/op", 0.5)])
def test_jmh_is_nearer_to_one_of_the_two_kinds_in_whatever_unit_it_measures(homemade, by_jmh, best, unit, share):
    table = benchmark.summarize(homemade((60, 60), (60, 60), method=(40, 40)), by_jmh(*best, unit=unit))
    assert benchmark.nearer_to_method(table) == share


def bodies(inline, method):
    """Two JVMs of each kind, with the least and the most that a body took."""
    return pd.DataFrame({"args": [osr.INLINE] * 2 + [osr.METHOD] * 2, "add_ns": [*inline, *method]})


@pytest.mark.parametrize(
    ("inline", "side"),
    [((50, 52), benchmark.LONGER), ((30, 39), benchmark.LESS), ((39, 40), benchmark.OPEN)],
)
def test_a_body_is_told_apart_where_all_jvms_of_one_kind_beat_all_of_the_other(monkeypatch, inline, side):
    monkeypatch.setattr(benchmark, "bodies", lambda jdk: bodies(inline, (40, 44)))
    assert benchmark.count_sides([17])[side] == 1
    assert sum(benchmark.count_sides([17], "odds_ns").values()) == 0


@pytest.mark.parametrize(
    ("rows", "ends"),
    [
        ([(7, True, "compiled"), (9, False, "compiled")], True),
        ([(7, False, "compiled"), (9, True, "compiled")], False),
        ([(7, False, "compiled"), (7, False, "made not entrant")], False),
    ],
)
def test_a_method_ends_in_a_standard_version_that_is_made_last_and_stays(rows, ends):
    log = pd.DataFrame(rows, columns=["compile_id", "osr", "event"])
    log = log.assign(tier=4, method="HomeMadeBenchmark::repeatAddOne")
    assert benchmark.ends_in_standard(SimpleNamespace(compilations=log)) is ends
