"""Notebook 08: which outcome runs show, and what solves its exercises and what comes near it and does not."""

from types import SimpleNamespace

import pandas as pd
import pytest

from safepointlab.course.nb04_osr import benchmark
from safepointlab.course.nb08_version import experiments as version
from tests.course.conftest import classify, graded

LONGER, LESS, ALIKE = (76, 80), (20, 30), (30, 60)  # ns of two JVMs; the method takes 40 and 44
OSR, AGAIN, STANDARD = (7, True, "compiled"), (9, True, "compiled"), (9, False, "compiled")
LOST = (7, True, "made not entrant")


def logged(*rows, method="measureInline", place="inline"):
    """A run with these lines of its compile log, all by C2."""
    log = pd.DataFrame(rows, columns=["compile_id", "osr", "event"])
    log = log.assign(tier=4, method=f"HomeMadeBenchmark::{method}")
    return SimpleNamespace(compilations=log, request=SimpleNamespace(args=(place, "1000000")))


@pytest.mark.parametrize(
    ("run", "keys", "made"),
    [
        (logged(OSR), {"once"}, "1 OSR and 0 standard versions"),
        (
            logged(OSR, LOST, AGAIN),
            {"again"},
            "2 OSR and 0 standard versions of `measureInline`, and 1 of them was",
        ),
        (logged(OSR, STANDARD), {"standard"}, "1 OSR and 1 standard versions"),
        (logged(OSR, method="report"), {"never"}, ""),
        (logged(OSR, LOST, AGAIN, place="method"), set(), ""),
    ],
)
def test_the_last_round_runs_the_version_that_c2_made_last(run, keys, made):
    finding = classify("08-rounds", run)
    assert finding.keys == keys and made in finding.facts


@pytest.mark.parametrize(
    ("inline", "key"),
    [
        ([ALIKE, ALIKE], "alike"),
        ([LONGER, LONGER], "longer"),
        ([LESS, LESS], "less"),
        ([LESS, LONGER], "depends"),
        ([ALIKE, LONGER], "depends"),
    ],
)
def test_two_kinds_differ_where_all_of_several_jvms_of_one_clearly_beat_all_of_the_other(homemade, inline, key):
    assert classify("08-measured", homemade(*inline)).keys == {key}
    assert classify("08-measured", homemade(*inline).query("repeat == 0")).keys == {"alike"}
    assert classify("08-measured", homemade(*inline).query("args.str.startswith('inline')")).keys == set()


def test_the_facts_name_the_jdks_of_each_side_together(homemade):
    facts = classify("08-measured", homemade(LESS, LONGER, LONGER)).facts
    said = "takes less time on JDK 8 and longer on JDK 17 and 25"
    assert facts == f"Compared with the method, the loop in the harness {said}."


@pytest.mark.parametrize(("inline_ns", "method_ns", "holds"), [(2000, 12, True), (40, 12, False), (2000, 1900, False)])
def test_a_flag_has_to_slow_the_harness_and_not_the_method(monkeypatch, inline_ns, method_ns, holds):
    def short(where, flag):
        best_ns = inline_ns if where == "inline" else method_ns
        return SimpleNamespace(values={"ns_in_round_1": 9999, "ns_in_round_2": best_ns})

    monkeypatch.setattr(version, "short", short)
    assert graded("08-1", "-XX:-UseOnStackReplacement").holds is holds


@pytest.mark.parametrize(("number", "holds"), [(9, True), (7, False), (8, False)])
def test_the_last_version_by_c2_is_the_answer_and_a_number_that_is_not_in_the_log_is_none(monkeypatch, number, holds):
    run = logged(OSR, STANDARD, method="repeatAddOne", place="method")
    monkeypatch.setattr(version, "in_method", lambda: run)
    assert graded("08-2", number).holds is holds


@pytest.mark.parametrize(("answer", "holds"), [(["odds"], True), ("odds", True), ([], False), (["add", "odds"], False)])
def test_the_bodies_are_those_whose_times_are_clearly_apart(monkeypatch, answer, holds):
    rows = {"args": ["inline"] * 2 + ["method"] * 2, "add_ns": [40, 41, 40, 42], "odds_ns": [60, 62, 40, 42]}
    monkeypatch.setattr(benchmark, "bodies", lambda jdk: pd.DataFrame(rows))
    assert graded("08-3", answer).holds is holds


@pytest.mark.live
def test_a_benchmark_without_osr_is_interpreted_and_its_method_is_not():
    assert graded("08-1", "-XX:-UseOnStackReplacement").holds
