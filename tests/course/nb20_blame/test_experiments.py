"""Whom profilers blame: samples of any of them become one table, and notebook 20's relations hold."""

from math import isnan
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest

from safepointlab import jdks
from safepointlab.claims import ruling
from safepointlab.course import pairs, verdicts
from safepointlab.course.nb20_blame import claims as trust
from safepointlab.course.nb20_blame import claims_price, experiments, output, polls
from safepointlab.errors import RunFailed
from safepointlab.logs import assembly, bytecode, collapsed, jmh_stack

JDKS = sorted({jdk.major for jdk in jdks.find()} & {8, 11, 17, 21, 25})
PRINTED = ["blamed farAway level9 80 38", "noise", "blamed inlined sum 22 3", "blamed inlined drive 40 9"]
JMH = """Secondary result "blame.WhoIsBlamed.inlined:stack":
....[Thread state: RUNNABLE]....
 97.1%  98.2% blame.jmh_generated.WhoIsBlamed_inlined_jmhTest.inlined_avgt_jmhStub:190
              java.lang.Thread.run:748

  1.8%   1.8% blame.WhoIsBlamed.sum:37
"""


def test_each_place_is_a_row_with_its_share_of_the_case_the_most_blamed_first_and_only_the_hot_loop_is_right():
    frame = output.read(PRINTED, strict=True)
    assert frame["case"].tolist() == ["inlined", "inlined", "farAway"] and frame.attrs["skipped"] == 1
    assert frame["share"].tolist() == [0.75, 0.25, 1.0] and frame["right"].tolist() == [False, True, False]
    assert output.most(frame)["method"].tolist() == ["drive", "level9"]
    assert output.read(["nothing"]).empty and list(output.read([]).columns) == list(output.COLUMNS)


def test_samples_of_the_worker_threads_count_in_each_profilers_own_words():
    jfr = pd.DataFrame({"thread": ["inlined", "inlined", "main"], "method": "KnownAnswer::sum", "line": [23, 23, 1]})
    async_stacks = collapsed.read(["[farAway tid=7];KnownAnswer.drive;KnownAnswer.sum 18", "[main tid=1];x 3"])
    signals, columns = output.of_async(async_stacks), ["case", "method", "samples"]
    assert output.of_jfr(jfr)[[*columns, "line"]].values.tolist() == [["inlined", "sum", 2, 23]]
    assert signals[columns].values.tolist() == [["farAway", "sum", 18]] and signals["line"].isna().all()
    places = output.of_jmh(jmh_stack.read(JMH))[["case", "method", "line"]].values.tolist()
    assert places == [["inlined", "jmhStub", 190], ["inlined", "sum", 37]]


def test_the_last_dump_of_a_run_that_looks_is_no_look(monkeypatch):
    """With it the program checks where its sleepers are."""
    rows = [("ThreadDump", 1.0), ("Cleanup", 9.0), ("ThreadDump", 2.0), ("ThreadDump", 30.0)]
    run = SimpleNamespace(safepoints=pd.DataFrame(rows, columns=["operation", "total_ms"]))
    monkeypatch.setattr(claims_price, "run_looks", lambda *_: run)
    assert claims_price._stops_ms(run) == [1.0, 2.0]
    assert all(isnan(ms) for ms in claims_price.stop_ms(17, "all", 100, 100))  # of so few looks


def test_a_ratio_of_pairs_is_told_as_an_interval():
    low, high = pairs.lost_percent([9.0, 9.1, 8.9], [10.0, 10.0, 10.0])
    assert 7 < low < 10 < high < 13
    assert all(isnan(end) for end in pairs.interval([1.0]))


def test_interpreted_code_of_which_only_one_line_is_seen_is_a_change_of_10(judge):
    seen = {trust.METHOD: 100.0, trust.BODY: 0.0, "samples of the hot loop": 150}
    assert (judge("003d-11", seen, 8).state, judge("003d-11", seen).state) == ("never did", "changed")
    assert {judge("003d-11", {**seen, trust.BODY: body}).state for body in (5.0, 55.0, 95.0)} == {"holds"}
    assert judge("003d-11", {**seen, "samples of the hot loop": 30}).state == "unclear"


@pytest.mark.parametrize(
    ("lost", "scatter", "state"),
    [
        ([10.0, 12.0, 11.0], 0.5, "holds"),
        ([8.8, 8.9, 9.1], 0.5, "holds"),
        ([6.0, 9.0, 9.3], 0.5, "unclear"),
        ([3.0, 5.0, 4.0], 0.5, "never did"),
        ([3.0, 5.0, 4.0], 12.0, "unclear"),
        ([3.0, 5.0, 4.0], 8.0, "unclear"),  # not below the pauses by more than the scatter, and yet less than half
    ],
)
def test_the_price_of_looking_is_compared_with_the_pauses_jvm_by_jvm_and_with_the_scatter(judge, lost, scatter, state):
    seen = {claims_price.PAUSES: [9.0, 8.5, 9.2], claims_price.LOST: lost, claims_price.SCATTER: [scatter] * 3}
    assert judge("003d-07", seen).state == state


def test_what_is_blamed_with_a_poll_in_the_loop_is_the_loop():
    seen = {trust.SETTER: 0.0, trust.HOT: 98.0}
    assert ruling.judged(
        verdicts.find(["003d-04"])[0], {"G1": seen, "Serial": {trust.SETTER: 99.0, trust.HOT: 0.0}}, 17
    ).collectors == {
        "G1": "changed",
        "Serial": "holds",
    }


@pytest.mark.live
@pytest.mark.parametrize("jdk", JDKS)
def test_jvmti_stops_everybody_for_all_stacks_and_nobody_for_the_callers_own(jdk, measured):
    """Two operations that wait at the same time share one stop: a look may hide in another's."""
    every, own = (measured(name, jdk).measured for name in ("003d-09", "003d-17"))
    assert 0.9 * claims_price.CALLS <= every[claims_price.ALL] <= claims_price.CALLS
    assert own[claims_price.SELF] == 0


@pytest.mark.live
@pytest.mark.parametrize("name", ["003d-10", "003d-15"])
def test_who_waits_or_is_in_a_loop_with_a_poll_is_seen_there(measured, name):
    assert measured(name, JDKS[-1]).state == "holds"


@pytest.mark.live
@pytest.mark.parametrize("jdk", JDKS)
def test_thread_dumps_see_the_hot_loop_only_where_it_has_a_poll(jdk):
    right = {gc: output.most(experiments.dumps(jdk, gc))["right"].mean() for gc in ("Serial", "G1")}
    assert right == {"Serial": 0.0, "G1": 1.0 if jdk >= 10 else 0.0}


@pytest.mark.live
@pytest.mark.skipif(25 not in JDKS, reason="JFR has CPU-time samples from 25 on")
def test_cpu_time_samples_that_miss_the_loop_are_marked_as_biased():
    both = ",".join(experiments.EVENTS.values())
    run = experiments.run(25, flags=f"{experiments.APART} {experiments.LINES}", log=f"jfr={both}")
    samples = run.jfr("CPUTimeSample")
    workers = samples[samples["thread"].isin(output.CASES)]
    assert len(workers) > 20 and workers.loc[~workers["method"].str.contains("::sum"), "biased"].all()


DATA = Path(__file__).parents[2] / "data"
TEMPLATES = pd.DataFrame({"bytecode": ["goto", "ireturn", "return", "iadd"], "poll": ["testb", "testb", None, None]})


def walked(kind):
    methods = polls.methods_of(bytecode.read(DATA / "sliding" / "KnownAnswer.javap"))
    return list(polls.stretches(methods, "inlined", kind))


def test_a_pass_goes_through_the_lines_as_the_bytecode_does_and_the_interpreter_polls_where_its_templates_do():
    stretches = walked(polls.Interpreted(TEMPLATES))
    lines = [(stretch.method, stretch.first, stretch.iterations) for stretch in stretches]
    assert lines == [("inlined", 77, 1), ("sum", 35, 50_000), ("sum", 38, 1), ("inlined", 78, 1), ("drive", 69, 1)]
    named = [(stretch.every, stretch.named and stretch.named.line) for stretch in stretches]
    assert named == [(None, None), (1, 35), (1, 38), (None, None), (1, 69)]


def test_code_that_c2_did_not_compile_is_a_sentence():
    empty = pd.DataFrame({name: [] for name in assembly.COLUMNS}).astype(assembly.COLUMNS)
    with pytest.raises(RunFailed, match="C2 did not compile inlined"):
        walked(polls.Compiled(empty))


@pytest.mark.parametrize(
    ("listing", "compile_id", "iterations"),
    [("jdk17-odd-g1.log", 8, 8000), ("jdk28-odd-g1.log", 9, 8000), ("jdk8-odd.log", 16, 1)],
)
def test_a_strip_is_as_long_as_the_constant_in_the_code_says_and_without_one_each_iteration_polls(
    listing, compile_id, iterations
):
    code = assembly.read(DATA / "assembly" / listing)
    assert polls.iterations_between_polls(code[code["compile_id"] == compile_id], {5}) == iterations
