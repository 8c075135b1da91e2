"""Notebook 03: which outcome runs show, and what solves its exercises and what comes near it and does not."""

import re
from types import SimpleNamespace

import pandas as pd
import pytest

from safepointlab.course import lessons
from safepointlab.course.nb03_compilers import answers
from safepointlab.course.nb03_compilers import experiments as compilers
from safepointlab.errors import BadInput
from safepointlab.process import home
from tests.course.conftest import classify, graded

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


NEWEST = fates(usual).replace({"compiler": {ECJ: "ecj"}})
ABSENT = NEWEST.head(1).assign(jdk=26, outcome="not recorded")
POLLED = "javac's class has a poll and ecj's class has a poll."
ON_EACH = "javac's class hangs on no JDK; ecj-4.6.1's class hangs with Serial on JDK 8, 17 and 25."


@pytest.mark.parametrize(
    ("runs", "keys", "facts"),
    [
        (fates(lambda jdk, gc, by: False), {"neither"}, ""),
        (fates(usual), {"serial"}, ""),
        (fates(lambda jdk, gc, by: by == ECJ), {"eclipse"}, ""),
        (fates(lambda jdk, gc, by: by == ECJ and jdk == 8), {"old"}, ""),
        (fates(lambda jdk, gc, by: jdk == 8), {"both"}, ""),
        (fates(lambda jdk, gc, by: by == ECJ and gc == G1), set(), ""),
        (fates(lambda jdk, gc, by: by == ECJ and gc == SERIAL), set(), ON_EACH),
        (pd.concat([NEWEST, ABSENT]), {"serial"}, "ecj's class hangs with Serial"),  # another ecj, a run not recorded
        (fates(usual).query("gc == 'G1'"), set(), "class hangs"),  # the reader leaves out what is compared
        (fates(usual).query("compiler == 'javac'"), set(), "class hangs"),
        (fates(usual).query("gc == 'Serial' and jdk > 8"), set(), "class hangs"),
    ],
)
def test_a_fate_is_told_by_whose_class_hangs_where(runs, keys, facts):
    finding = classify("03-fate", runs)
    assert finding.keys == keys and facts in finding.facts


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
        assert classify("03-shape", classes).keys == {key}
    assert classify("03-shape", {"javac": by_javac, "ecj": by_ecj}).facts.endswith(facts)
    twice = {"javac": by_javac, "javac-17": by_javac}
    assert classify("03-shape", twice).keys == frozenset()  # no difference between the two compilers


def captured(compiler, *polled, gc=SERIAL):
    loops = pd.DataFrame({"tier": 4, "osr_bci": 5, "depth": 1, "polled": list(polled)})
    return SimpleNamespace(loops=loops, program=SimpleNamespace(compiler=compiler), request=SimpleNamespace(gc=gc))


def both(javac, ecj):
    return {"by javac": captured("javac 17", *javac), "by ecj": captured("ecj 4.6.1", *ecj)}


@pytest.mark.parametrize(
    ("runs", "keys", "facts"),
    [
        (both((True, True), (True,)), {"both"}, ""),
        (both((True,), (False, False)), {"javac"}, ""),
        (both((False,), (True,)), {"ecj"}, ""),
        (both((True, False), (False,)), {"neither"}, ""),
        (both((), (False,)), set(), ""),
        ({by: captured(by, True, gc=G1) for by in ("javac", "ecj")}, set(), POLLED),
        ({"ecj 4.6.1": captured("ecj 4.6.1", True)}, set(), "version, ecj 4.6.1's class has a poll."),  # alone
    ],
)
def test_the_poll_is_told_by_the_outer_loops_of_both_versions_with_serial(runs, keys, facts):
    finding = classify("03-poll", runs)
    assert finding.keys == keys and finding.facts.endswith(facts)


@pytest.mark.parametrize(
    ("hung", "output", "holds"), [(False, "main returns\n", True), (True, "main returns\n", False), (False, "", False)]
)
def test_a_flag_cures_if_main_returns_and_the_jvm_exits(monkeypatch, hung, output, holds):
    monkeypatch.setattr(compilers, "with_flag", lambda *_: SimpleNamespace(hung=hung, overdue=hung, output=output))
    assert graded("03-1", "-XX:+UseG1GC").holds is holds


@pytest.mark.parametrize("odd", ["-Xint -Xbatch", "-version", "-XX:Flags=mine"])
def test_what_is_not_one_flag_or_would_answer_in_place_of_the_program_is_refused(odd):
    with pytest.raises(BadInput):
        graded("03-1", odd)


@pytest.mark.parametrize(("number", "holds"), [(83, True), (81, False), (82, False), (84, False), (12, False)])
def test_the_code_that_polls_is_c2s_last_osr_version(monkeypatch, number, holds):
    rows = [(81, 4, True), (82, 3, True), (83, 4, True), (84, 4, False)]
    log = pd.DataFrame(rows, columns=["compile_id", "tier", "osr"]).assign(event="compiled", uptime_ms=1_302.0)
    run = SimpleNamespace(compilations=log.assign(method="EclipseStalls::countOdds"))
    monkeypatch.setattr(compilers, "outlived", lambda *_: run)
    assert graded("03-3", number).holds is holds


def test_the_template_runs_the_same_loop_as_the_sample():
    assert LOOP.search((home.SAMPLES / f"{compilers.HANGS}.java").read_text())[0] == OLD


@pytest.mark.live
def test_a_cure_that_counts_otherwise_is_none(edited):
    other = "static long outer(int limit, int inner) { return 0; }\n"
    judged = graded("03-2", edited("03-2", OLD, other))
    assert not judged.holds and "no longer counts" in judged.does


@pytest.mark.live
@pytest.mark.timed
def test_a_test_that_is_part_of_the_body_cures_eclipses_class(edited):
    assert answers.complaint_about_exit(str(edited("03-2", OLD, TEST_AT_THE_TOP)), 17) == ""


@pytest.mark.live
def test_the_loop_as_it_was_hangs(edited):
    assert answers.complaint_about_exit(str(edited("03-2")), 17) == "On JDK 17 Eclipse's class hangs."
