"""Polls against optimisation: what int and long loops become on each JDK, as notebook 13 reads it from their code."""

from types import SimpleNamespace

import pandas as pd
import pytest

import safepointlab as lab
from safepointlab import jdks
from safepointlab.course import verdicts as claims
from safepointlab.course.nb13_optimisation import experiments as optimisation
from safepointlab.logs.assembly import loop_work

HERE = {jdk.major for jdk in jdks.find()}
JDKS, NEWEST = sorted(HERE & {8, 17, 25}), sorted(n for n in HERE if n > 25)


def work(method: str, jdk: int, gc: str = optimisation.GC, flags: str = "") -> dict[str, object]:
    """What the loop does in a pass."""
    forks = brief(method, jdk, flags, gc)
    return loop_work.standard(lab.load(forks["run"].iloc[0]).assembly).iloc[0].to_dict()


def brief(method, jdk, flags="", gc=optimisation.GC):
    pattern = f"{optimisation.BENCHMARK}.{method}$"
    settings = {"options": optimisation.BRIEF, "log": optimisation.LOG, "reuse": True}
    return lab.jmh(pattern, jdk=jdk, flags=flags, gc=gc, **settings)


@pytest.mark.live
@pytest.mark.parametrize("jdk", JDKS)
def test_the_int_copy_is_on_vectors_and_without_a_poll(jdk):
    row = work("copyInt", jdk)
    assert (row["work"], row["range_checks"], row["poll"]) == ("vector", 0, "none")


@pytest.mark.live
@pytest.mark.parametrize("jdk", JDKS + NEWEST)
def test_the_long_copy_goes_one_by_one_then_is_unrolled_and_from_26_on_gets_vectors(jdk):
    row = work("copyLong", jdk)
    expected = ("one by one", "each pass") if jdk < 16 else ("unrolled", "around") if jdk < 26 else ("vector", "none")
    assert (row["work"], row["poll"]) == expected
    assert (row["range_checks"] > 0) == (jdk < 26)


@pytest.mark.live
@pytest.mark.parametrize("jdk", [jdk for jdk in JDKS if jdk > 8])
def test_under_g1_the_int_copy_has_vectors_and_a_poll_around_them(jdk):
    row = work("copyInt", jdk, gc=optimisation.STRIPS)
    assert (row["work"], row["poll"]) == ("vector", "around")


@pytest.mark.live
@pytest.mark.parametrize("jdk", JDKS)
def test_a_poll_in_every_turn_drives_the_vectors_out_up_to_18(jdk):
    row = work("copyInt", jdk, flags=optimisation.POLLS)
    assert row["poll"] == "each pass"
    assert row["work"] == ("unrolled" if jdk < 19 else "vector")


def judged(name: str, jdk: int, **evidence: object) -> str:
    """The state of this claim, with its refuting evidence changed by these."""
    [claim] = claims.named([name])
    return claim.judge({**claim.refuted_by[0], **evidence}, jdk).state


def ratios(least: float, most: float) -> dict[str, float]:
    return {"long by int, at least, times": least, "long by int, at most, times": most}


def test_a_ratio_on_both_sides_of_its_limit_is_left_undecided():
    states = [judged("000-34", 8, **ratios(*ends)) for ends in ((8.0, 12.0), (2.0, 12.0), (1.0, 1.2))]
    assert states == ["holds", "unclear", "fails"]


def test_about_twice_is_neither_a_little_more_nor_many_times():
    states = [judged("000-35", 8, **ratios(*ends)) for ends in ((1.6, 2.9), (1.1, 1.3), (3.5, 4.0), (1.3, 1.7))]
    assert states == ["holds", "fails", "fails", "unclear"]


def test_a_sum_that_is_no_slower_refutes_on_every_jdk():
    assert [judged("000-37", jdk, **ratios(0.5, 0.9)) for jdk in (8, 25, 28)] == ["fails", "fails", "changed"]


def test_unrolling_alone_that_came_back_changes_the_verdict_on_the_causes():
    lost = {"the long loop has unrolling": False}
    assert [judged("000-38", 25), judged("000-38", 8, **lost)] == ["changed", "holds"]


def test_kept_polls_are_not_asked_of_a_jdk_that_refuses_the_flag():
    assert judged("000-45", 8, **{"this JDK knows the flag": False}) == "not asked"


def test_of_each_combination_the_first_forks_code_is_read(scores):
    frame = scores((8, "copyInt", 1.0, "vector/8/0/none"), (8, "copyInt", 1.0, "unrolled/4/0/none"))
    [row] = optimisation.work(frame).to_dict("records")
    assert (row["work"], row["per_pass"], row["loop"], row["index"]) == ("vector", 8, "copy", "int")


def test_a_method_is_a_loop_and_its_index_but_for_the_copy_in_batches(scores):
    frame = optimisation.work(scores((8, "copyLongInBatches", 1.0, "vector/8/0/none")))
    assert frame[["loop", "index"]].isna().all(axis=None)


@pytest.mark.live
def test_the_bytecode_of_a_benchmark_stands_beside_its_machine_code():
    frame = brief("copyLong", JDKS[-1])
    bytecode = lab.load(frame["run"].iloc[0]).bytecode
    own = bytecode[bytecode["method"].str.endswith("IntAgainstLong::copyLong")]
    assert (own["opcode"] == "l2i").sum() == 2 and not bytecode["method"].str.contains("jmh").any()


def test_one_pass_has_a_column_of_instructions_for_each_method_and_the_first_of_its_runs(monkeypatch):
    code = {"a": ["mov", "add", "jl"], "b": ["jmp"], "c": ["vmovdqu", "jl"]}
    loops = {run: pd.DataFrame({"instruction": instructions}) for run, instructions in code.items()}
    monkeypatch.setattr(optimisation, "load", lambda run: SimpleNamespace(main_loop=lambda _method: loops[run]))
    frame = pd.DataFrame({"method": ["copyLong", "copyLong", "copyInt"], "run": ["a", "b", "c"]})
    table = optimisation.one_pass(frame, "copyInt", "copyLong")
    assert table.to_dict("list") == {"copyInt": ["vmovdqu", "jl", ""], "copyLong": ["mov", "add", "jl"]}
