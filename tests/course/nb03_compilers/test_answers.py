"""Notebook 03: which outcome runs show, and what solves its exercises and what comes near it and does not."""

import re
from types import SimpleNamespace

import pandas as pd
import pytest

from safepointlab.course import lessons
from safepointlab.course.nb03_compilers import answers
from safepointlab.course.nb03_compilers import experiments as compilers
from safepointlab.course.nb04_osr import experiments as osr
from safepointlab.errors import BadInput
from safepointlab.process import home

JAVAC, ECJ = "javac", compilers.ECJ
SERIAL, G1 = "Serial", "G1"
TEMPLATE = (lessons.folder_of("03") / "templates" / "EclipseExits.java").read_text("utf-8")
LOOP = re.compile(r"static long outer\(int limit, int inner\) \{.*?\n    \}\n", re.DOTALL)
OLD = LOOP.search(TEMPLATE)[0]
TEST_AT_THE_TOP = """static long outer(int limit, int inner) {
        long odds = 0;
        for (int i = 0; ; i++) {
            if (i >= limit) break;
            odds += countOdds(inner);
        }
        return odds;
    }
"""


def fates(hangs):
    """One row for each JDK, collector and compiler; `hangs` says which of the runs hung."""
    points = [(jdk, gc, by) for jdk in (8, 17, 25) for gc in (SERIAL, G1) for by in (JAVAC, ECJ)]
    rows = [(*point, "hung" if hangs(*point) else "exited") for point in points]
    return pd.DataFrame(rows, columns=["jdk", "gc", "compiler", "outcome"])


def usual(jdk, gc, by):
    return by == ECJ and (gc == SERIAL or jdk == 8)


@pytest.mark.parametrize(
    ("hangs", "keys"),
    [
        (lambda jdk, gc, by: False, {"neither"}),
        (usual, {"serial"}),
        (lambda jdk, gc, by: by == ECJ, {"eclipse"}),
        (lambda jdk, gc, by: by == ECJ and jdk == 8, {"old"}),
        (lambda jdk, gc, by: jdk == 8, {"both"}),
        (lambda jdk, gc, by: by == ECJ and gc == G1, set()),
    ],
)
def test_a_fate_is_told_by_whose_class_hangs_where(hangs, keys):
    assert lessons.prediction("03-fate").classify(fates(hangs)).keys == keys


def test_the_facts_name_the_collectors_and_jdks_of_the_hangs():
    facts = lessons.prediction("03-fate").classify(fates(lambda jdk, gc, by: by == ECJ and gc == SERIAL)).facts
    assert facts == "javac's class hangs nowhere; ecj-4.6.1's class hangs with Serial on JDK 8, 17 and 25."


@pytest.mark.parametrize("edit", ["gc == 'G1'", "compiler == 'javac'", "gc == 'Serial' and jdk > 8"])
def test_a_reader_who_leaves_out_a_collector_or_a_compiler_gets_facts_and_no_outcome(edit):
    finding = lessons.prediction("03-fate").classify(fates(usual).query(edit))
    assert finding.keys == frozenset() and "class hangs" in finding.facts


def test_another_eclipse_compiler_and_a_run_that_nobody_recorded_change_no_fate():
    newest = fates(usual).replace({"compiler": {ECJ: "ecj"}})
    absent = newest.head(1).assign(jdk=26, outcome="not recorded")
    finding = lessons.prediction("03-fate").classify(pd.concat([newest, absent]))
    assert finding.keys == {"serial"} and "ecj's class hangs with Serial" in finding.facts


@pytest.mark.parametrize(
    ("javac", "ecj", "key", "facts"),
    [
        (["top"], ["bottom"], "test", "javac's leads to the test, ecj's is the test."),
        (["top"], ["top"], "same", "ecj's leads to the test."),
        (["top", "top"], ["bottom", "bottom"], "test", "javac's class has 2, ecj's class has 2."),
        (["top"], ["top", "top"], "number", "ecj's class has 2."),
    ],
)
def test_the_shape_is_told_by_the_back_edges(monkeypatch, javac, ecj, key, facts):
    monkeypatch.setattr(compilers, "outer_loops", lambda program: pd.DataFrame({"test": program.tests}))
    by_javac, by_ecj = (SimpleNamespace(compiler=by, tests=tests) for by, tests in (("javac 17", javac), ("ecj", ecj)))
    for classes in ({"javac": by_javac, "ecj": by_ecj}, {"ecj": by_ecj, "javac": by_javac}):
        assert lessons.prediction("03-shape").classify(classes).keys == {key}
    assert lessons.prediction("03-shape").classify({"javac": by_javac, "ecj": by_ecj}).facts.endswith(facts)
    twice = {"javac": by_javac, "javac-17": by_javac}
    assert lessons.prediction("03-shape").classify(twice).keys == frozenset()  # no difference between the two compilers


def captured(compiler, *polled, gc=SERIAL):
    loops = pd.DataFrame({"tier": 4, "osr_bci": 5, "depth": 1, "polled": list(polled)})
    return SimpleNamespace(loops=loops, program=SimpleNamespace(compiler=compiler), request=SimpleNamespace(gc=gc))


@pytest.mark.parametrize(
    ("javac", "ecj", "keys"),
    [
        ((True, True), (True,), {"both"}),
        ((True,), (False, False), {"javac"}),
        ((False,), (True,), {"ecj"}),
        ((True, False), (False,), {"neither"}),
        ((), (False,), set()),
    ],
)
def test_the_poll_is_told_by_the_outer_loops_of_both_versions(javac, ecj, keys):
    runs = {"by javac": captured("javac 17", *javac), "by ecj": captured("ecj 4.6.1", *ecj)}
    assert lessons.prediction("03-poll").classify(runs).keys == keys


@pytest.mark.parametrize(
    ("runs", "facts"),
    [
        ({by: captured(by, True, gc=G1) for by in ("javac", "ecj")}, "javac has a poll, ecj has a poll"),
        ({"ecj 4.6.1": captured("ecj 4.6.1", True)}, "ecj 4.6.1 has a poll"),
    ],
)
def test_polls_with_another_collector_or_of_one_class_alone_are_facts(runs, facts):
    finding = lessons.prediction("03-poll").classify(runs)
    assert finding.keys == frozenset() and finding.facts == f"C2's OSR version: {facts}."


@pytest.mark.parametrize(
    ("hung", "output", "holds"), [(False, "main returns\n", True), (True, "main returns\n", False), (False, "", False)]
)
def test_a_flag_cures_if_main_returns_and_the_jvm_exits(monkeypatch, hung, output, holds):
    monkeypatch.setattr(compilers, "with_flag", lambda *_: SimpleNamespace(hung=hung, overdue=hung, output=output))
    assert lessons.exercise("03-1").judge("-XX:+UseG1GC").holds is holds


@pytest.mark.parametrize("odd", ["UseG1GC", "", "-Xint -Xbatch", 17, "-version", "-XX:Flags=mine"])
def test_what_is_not_one_flag_is_refused(odd):
    with pytest.raises(BadInput):
        lessons.exercise("03-1").judge(odd)


@pytest.mark.parametrize(("number", "holds"), [(83, True), (81, False), (82, False), (84, False), (12, False)])
def test_the_code_that_polls_is_c2s_last_osr_version(monkeypatch, number, holds):
    rows = [(81, 4, True), (82, 3, True), (83, 4, True), (84, 4, False)]
    log = pd.DataFrame(rows, columns=["compile_id", "tier", "osr"]).assign(event="compiled", uptime_ms=1_302.0)
    run = SimpleNamespace(compilations=log.assign(method="EclipseStalls::countOdds"))
    monkeypatch.setattr(compilers, "outlived", lambda *_: run)
    assert lessons.exercise("03-3").judge(number).holds is holds


@pytest.mark.live
def test_the_second_osr_version_of_eclipses_class_polls_in_both_loops_and_the_first_in_none():
    polled = osr.osr_loops(compilers.outlived(17)).groupby("compile_id")["polled"].agg(["any", "all"])
    assert polled.to_numpy().tolist() == [[False, False], [True, True]]


def test_the_template_runs_the_same_loop_as_the_sample():
    assert LOOP.search((home.SAMPLES / f"{compilers.HANGS}.java").read_text())[0] == OLD


@pytest.mark.live
def test_a_cure_that_counts_otherwise_is_none(edited):
    other = "static long outer(int limit, int inner) { return 0; }\n"
    judged = lessons.exercise("03-2").judge(edited("03-2", OLD, other))
    assert not judged.holds and "no longer counts" in judged.does


@pytest.mark.live
@pytest.mark.timed
def test_a_test_that_is_part_of_the_body_cures_eclipses_class(edited):
    assert answers.complaint_about_exit(str(edited("03-2", OLD, TEST_AT_THE_TOP)), 17) == ""


@pytest.mark.live
def test_the_loop_as_it_was_hangs(edited):
    assert answers.complaint_about_exit(str(edited("03-2")), 17) == "On JDK 17 Eclipse's class hangs."
