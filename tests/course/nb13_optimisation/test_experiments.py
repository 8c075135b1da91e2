"""Polls against optimisation: what int and long loops become on each JDK, as notebook 13 reads it from their code."""

import pandas as pd
import pytest

import safepointlab as lab
from safepointlab import claims, jdks
from safepointlab.course.nb13_optimisation import experiments as optimisation

HERE = {jdk.major for jdk in jdks.find()}
JDKS, NEWEST = sorted(HERE & {8, 17, 25}), sorted(n for n in HERE if n > 25)


def work(method: str, jdk: int, gc: str = optimisation.GC, flags: str = "") -> dict[str, object]:
    """What the loop does in an iteration."""
    [row] = optimisation.work(
        optimisation.scores(method, jdk, flags, gc, options=optimisation.BRIEF, repeat=1)
    ).to_dict("records")
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


def test_forks_of_one_method_become_one_row(monkeypatch):
    scores = [{"jdk": 8, "gc": "Serial", "flags": "", "benchmark": "o.I.copyInt", "run": str(n)} for n in (0, 1, 2)]
    numbers = {"score": 5.0, "error": 1.0, "low": 0.0, "high": 9.0, "best": 4.0, "count": 6}
    frame = pd.DataFrame([{**row, **numbers, "repeat": n} for n, row in enumerate(scores)])
    monkeypatch.setattr(optimisation.forks, "middles", lambda group: pd.Series([5.0, 7.0, 6.0]))
    [row] = optimisation.pooled(frame).to_dict("records")
    assert (row["score"], row["low"], row["high"], row["best"], row["method"]) == (6.0, 5.0, 7.0, 4.0, "copyInt")


def test_a_method_is_a_loop_and_its_index_but_for_the_copy_in_batches():
    frame = optimisation.by_index(pd.DataFrame({"method": ["sumLong", "copyLongInBatches"]}))
    assert (frame["loop"].iloc[0], frame["index"].iloc[0]) == ("sum", "long")
    assert frame.loc[1, ["loop", "index"]].isna().all()


def test_the_shortest_iteration_is_the_mark_and_its_bar_goes_up():
    frame = pd.DataFrame({"score": [5.0], "low": [4.5], "high": [6.0], "best": [4.0]})
    [row] = optimisation.shortest(frame).to_dict("records")
    assert (row["score"], row["low"], row["high"]) == (4.0, 4.0, 6.0)


def test_the_long_loops_are_compared_with_the_int_loops_of_their_jdk():
    best = {(8, "Int"): 50.0, (8, "Long"): 500.0, (25, "Int"): 20.0, (25, "Long"): 260.0}
    rows = [(jdk, "copy", index, ns) for (jdk, index), ns in best.items()]
    frame = pd.DataFrame(rows, columns=["jdk", "loop", "index", "best"])
    assert optimisation.long_by_int(frame)["copy"].to_dict() == {8: 10.0, 25: 13.0}
    assert optimisation.longer(frame).endswith("with a long index the copy takes 10.0 to 13.0 times as long")


def test_what_a_loop_became_is_told_for_each_rung_and_with_its_poll(monkeypatch):
    rows = [("copyInt", "as it is", "vector", "none"), ("fillInt", "as it is", "stub", "none")]
    rows += [("copyInt", "+ poll", "one by one", "each pass"), ("fillInt", "+ poll", "one by one", "each pass")]
    code = pd.DataFrame(rows, columns=["method", "where", "work", "poll"])
    monkeypatch.setattr(optimisation, "work", lambda _: code)
    did = optimisation.rungs(pd.DataFrame({"step": []}))
    assert did.loc["+ poll"].tolist() == ["one by one, polls"] * 2 and did["fill"].iloc[0] == "stub"


def rungs(*best: float) -> pd.DataFrame:
    steps = [*optimisation.RUNGS, optimisation.LONG_INDEX]
    return pd.DataFrame({"jdk": 8, "loop": "copy", "step": steps, "best": best})


@pytest.mark.parametrize(
    ("best", "title"),
    [
        (
            (10, 10, 32, 40, 41, 41, 50),
            "without vectors the copy takes 3.2 times as long; the poll, added last, does not",
        ),
        (
            (10, 10, 12, 13, 39, 78, 80),
            "with checks the copy takes 3.0 times as long; the poll, added last, makes it 2.0",
        ),
    ],
)
def test_the_title_of_the_ladder_names_the_worst_rung_and_the_poll(best, title):
    assert title in optimisation.descent(rungs(*best)).replace("\n", " ")


def test_the_title_beside_polls_parts_the_jdks_that_lose_vectors_from_the_others():
    rows = [(8, "no poll", 10), (8, optimisation.IN_LOOP, 40), (21, "no poll", 10), (21, optimisation.IN_LOOP, 12)]
    frame = pd.DataFrame(rows, columns=["jdk", "where", "best"])
    told = "A poll in each pass: the copy takes 4.0 times as long on JDK 8; 1.2 times on 21"
    assert optimisation.beside_none(frame).replace("\n", " ") == told
    assert optimisation.beside_none(frame[2:]).endswith("1.2 times\nas long on JDK 21")


@pytest.mark.live
def test_the_bytecode_of_a_benchmark_stands_beside_its_machine_code():
    frame = optimisation.scores("copyLong", JDKS[-1], options=optimisation.BRIEF, repeat=1)
    bytecode = lab.load(frame["run"].iloc[0]).bytecode
    own = bytecode[bytecode["method"].str.endswith("IntAgainstLong::copyLong")]
    assert (own["opcode"] == "l2i").sum() == 2 and not bytecode["method"].str.contains("jmh").any()
