"""Polls against optimisation: what int and long loops become on each JDK, as notebook 13 reads it from their code."""

import pytest

import safepointlab as lab
from safepointlab import claims, jdks
from safepointlab.topics import optimisation

HERE = {jdk.major for jdk in jdks.find()}
JDKS, NEWEST = sorted(HERE & {8, 17, 25}), sorted(n for n in HERE if n > 25)


def work(method: str, jdk: int, gc: str = optimisation.GC, flags: str = "") -> dict[str, object]:
    """What the loop does in an iteration."""
    [row] = optimisation.work(optimisation.scores(method, jdk, flags, gc, options=optimisation.BRIEF)).to_dict(
        "records"
    )
    return row


@pytest.mark.live
@pytest.mark.parametrize("jdk", JDKS)
def test_the_int_copy_is_on_vectors_and_without_a_poll(jdk):
    row = work("copyInt", jdk)
    assert (row["work"], row["range_checks"], row["poll"]) == ("vector", 0, "none")


@pytest.mark.live
@pytest.mark.parametrize("jdk", JDKS + NEWEST)
def test_the_long_copy_goes_one_by_one_then_is_unrolled_and_from_26_on_gets_vectors(jdk):
    row = work("copyLong", jdk)
    expected = ("one by one", "every turn") if jdk < 16 else ("unrolled", "around") if jdk < 26 else ("vector", "none")
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
    assert row["poll"] == "every turn"
    assert row["work"] == ("unrolled" if jdk < 19 else "vector")


def test_a_ratio_whose_error_bars_overlap_is_left_undecided():
    evidence = {"int ns": 50.0, "long ns": 400.0, "ratio": 8.0, "bars apart": False}
    [claim] = claims.named(["000-34"])
    assert claim.judge(evidence, 8).state == "unclear"
    assert claim.judge({**evidence, "bars apart": True}, 8).state == "holds"


def test_unrolling_alone_that_came_back_changes_the_verdict_on_the_causes():
    code = {"copyInt": "vector", "copyLong": "unrolled", "fillInt": "stub", "fillLong": "unrolled"}
    [claim] = claims.named(["000-38"])
    evidence = code | {"copyInt without vectors": 2.5, "nor unrolling": 5.0}
    assert (claim.judge(evidence, 25).state, "JDK-8223051" in claim.judge(evidence, 25).why) == ("changed", True)
    assert claim.judge({**evidence, "copyLong": "one by one", "fillLong": "one by one"}, 8).state == "holds"


@pytest.mark.live
def test_the_bytecode_of_a_benchmark_stands_beside_its_machine_code():
    frame = optimisation.scores("copyLong", JDKS[-1], options=optimisation.BRIEF)
    bytecode = lab.load(frame["run"].iloc[0]).bytecode
    own = bytecode[bytecode["method"].str.endswith("IntAgainstLong::copyLong")]
    assert (own["opcode"] == "l2i").sum() == 2 and not bytecode["method"].str.contains("jmh").any()
