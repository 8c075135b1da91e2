"""Notebook 03's questions: by what a run shows, which of the outcomes came."""

from types import SimpleNamespace

import pandas as pd
import pytest

from safepointlab.course import lessons
from safepointlab.course.nb03_compilers import experiments as compilers

JAVAC, ECJ = "javac", compilers.ECJ
JDKS, SERIAL, G1 = (8, 17, 25), "Serial", "G1"


def fates(hangs):
    """A row for each JDK, collector and compiler; `hangs` says which of the runs hung."""
    points = [(jdk, gc, by) for jdk in JDKS for gc in (SERIAL, G1) for by in (JAVAC, ECJ)]
    rows = [(*point, "hung" if hangs(*point) else "exited") for point in points]
    return pd.DataFrame(rows, columns=["jdk", "gc", "compiler", "outcome"])


@pytest.mark.parametrize(
    ("hangs", "keys"),
    [
        (lambda jdk, gc, by: False, {"neither"}),
        (lambda jdk, gc, by: by == ECJ and (gc == SERIAL or jdk == 8), {"serial"}),
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
    assert facts == "javac's class hangs nowhere; ecj-4.6.1's class hangs with Serial on JDK 8, 17, 25."


@pytest.mark.parametrize("edit", ["gc == 'G1'", "compiler == 'javac'", "gc == 'Serial' and jdk > 8"])
def test_a_reader_who_leaves_out_a_collector_or_a_compiler_gets_facts_and_no_outcome(edit):
    edited = fates(lambda jdk, gc, by: by == ECJ and (gc == SERIAL or jdk == 8)).query(edit)
    came = lessons.prediction("03-fate").classify(edited)
    assert came.keys == frozenset() and "class hangs" in came.facts


def test_another_eclipse_compiler_and_a_run_that_nobody_recorded_change_no_fate():
    newest = fates(lambda jdk, gc, by: by == ECJ and (gc == SERIAL or jdk == 8)).replace({"compiler": {ECJ: "ecj"}})
    absent = newest.head(1).assign(jdk=26, outcome="not recorded")
    came = lessons.prediction("03-fate").classify(pd.concat([newest, absent]))
    assert came.keys == {"serial"} and "ecj's class hangs with Serial" in came.facts


@pytest.fixture
def compiled(monkeypatch):
    """compiled("javac", "top"): a program of this compiler whose `outer` has its tests there."""
    monkeypatch.setattr(compilers, "outer_loops", lambda program: pd.DataFrame({"test": program.tests}))
    return lambda compiler, *tests: SimpleNamespace(compiler=f"{compiler} 1.0", tests=list(tests))


@pytest.mark.parametrize(
    ("first", "second", "key"),
    [
        (("top",), ("top",), "same"),
        (("top", "top"), ("bottom", "bottom"), "test"),
        (("top",), ("top", "top"), "number"),
    ],
)
def test_the_shape_is_told_by_the_back_edges(compiled, first, second, key):
    classes = {"one": compiled("ecj", *second), "other": compiled("javac", *first)}
    assert lessons.prediction("03-shape").classify(classes).keys == {key}


def test_the_facts_of_the_shape_say_where_each_jump_back_leads(compiled):
    classes = {"javac": compiled("javac", "top"), "ecj": compiled("ecj", "bottom")}
    facts = lessons.prediction("03-shape").classify(classes).facts
    assert facts == "Jumps back in `outer`: javac's leads to the test, ecj's is the test."
    twice = {**classes, "ecj": compiled("ecj", "bottom", "bottom")}
    assert lessons.prediction("03-shape").classify(twice).facts.endswith("ecj's class has 2.")


def test_two_classes_by_one_compiler_show_no_difference_between_the_two(compiled):
    classes = {"javac": compiled("javac", "top"), "javac-17": compiled("javac", "top")}
    assert lessons.prediction("03-shape").classify(classes).keys == frozenset()


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


def test_polls_that_another_collector_asks_for_are_facts():
    runs = {"javac": captured("javac 17", True, gc=G1), "ecj": captured("ecj 4.6.1", True, gc=G1)}
    came = lessons.prediction("03-poll").classify(runs)
    assert came.keys == frozenset() and came.facts == "C2's OSR version: javac has a poll, ecj has a poll."


def test_polls_of_one_class_alone_are_facts():
    came = lessons.prediction("03-poll").classify({"ecj 4.6.1": captured("ecj 4.6.1", True)})
    assert came.keys == frozenset() and came.facts == "C2's OSR version: ecj 4.6.1 has a poll."


def stalls(short_ms, long_ms, outcome="exited"):
    rows = [(300, 300 + short_ms), (5000, 5000 + long_ms)]
    ours = pd.DataFrame(rows, columns=["args", "wall_ms"]).assign(compiler=ECJ, outcome=outcome, gc=SERIAL)
    return pd.concat([ours, ours.assign(compiler=JAVAC, wall_ms=ours["args"] + 80, outcome="exited")])


@pytest.mark.parametrize(
    ("runs", "key"),
    [
        (stalls(1300, 90), "short-late"),
        (stalls(1300, 1300), "both-late"),
        (stalls(90, 1300), "long-late"),
        (stalls(90, 90), "never-late"),
        (stalls(20_000, 20_000, "hung"), "hangs"),
    ],
)
def test_the_posts_program_is_told_by_how_late_eclipses_class_exits(runs, key):
    assert lessons.prediction("03-post").classify(runs).keys == {key}


def test_a_program_that_hangs_with_one_sleep_only_is_none_of_these():
    runs = stalls(20_000, 90)
    runs["outcome"] = ["hung", "exited", "exited", "exited"]
    assert lessons.prediction("03-post").classify(runs).keys == set()


@pytest.mark.parametrize(
    ("edited", "facts"),
    [
        (stalls(1300, 90).assign(gc=G1), "1,300 ms beyond a sleep of 0.3 s and 90 ms beyond a sleep of 5 s"),
        (stalls(1300, 90).replace({"args": {5000: 2000}}), "beyond a sleep of 2 s"),
        (stalls(1300, 90).query("compiler == 'javac'"), "no known time"),
    ],
)
def test_another_sleep_or_collector_or_no_eclipse_gives_facts_and_no_outcome(edited, facts):
    came = lessons.prediction("03-post").classify(edited)
    assert came.keys == frozenset() and facts in came.facts
