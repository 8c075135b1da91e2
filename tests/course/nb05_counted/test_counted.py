"""Lesson 05: outcomes and answers, by clock and by code; the map of loops; on each JDK the loops of its claims."""

from types import SimpleNamespace

import pandas as pd
import pytest

from safepointlab import jdks
from safepointlab.course import lessons
from safepointlab.course import verdicts as claims
from safepointlab.course.exercises import Untouched
from safepointlab.course.nb05_counted import experiments as counted
from safepointlab.course.nb05_counted import output
from safepointlab.course.nb05_counted.pictures import loop_map
from safepointlab.errors import BadInput
from safepointlab.plot import _alternative
from safepointlab.process import home
from safepointlab.run import load
from safepointlab.run.run import Run
from safepointlab.widgets.predict import reveal
from tests.course.conftest import classify, graded

COLUMNS = ["method", "compile_id", "tier", "osr_bci", "depth", "polled", "calls"]  # of run.loops


class PrintedRun(Run):
    """As much of a run as the lesson reads: what it printed, by which JVM, and the loops of its machine code."""

    def __init__(self, output, jdk, gc, flags, loops):
        log = [SimpleNamespace(kind="assembly")] * (loops is not None)
        self.request = SimpleNamespace(gc=gc, flags=tuple(flags.split()), log=log)
        self.outcome = "exited"
        self.__dict__.update(printed=output, version=jdk, loops=pd.DataFrame(loops or [], columns=COLUMNS))

    output = property(lambda self: self.printed)
    major = property(lambda self: self.version)


def printed(answers, jdk=17, gc="Serial", flags="-Xbatch", loops=()):
    """A run that prints these answers, {"intParameter": "unpolled"}; `loops` are rows of run.loops."""
    output = "\n".join(f"{shape} 12 ms  {how}" for shape, how in answers.items())
    return PrintedRun(output, jdk, gc, flags, loops)


@pytest.fixture
def swept(monkeypatch):
    """swept([run, run]): the frame of a sweep that made these runs."""

    def frame(runs):
        monkeypatch.setattr(load, "load", lambda name: runs[int(name)])
        return pd.DataFrame({"run": [str(number) for number in range(len(runs))]})

    return frame


SHAPES = tuple(lessons.prediction("05-shapes").outcomes)


def test_the_shapes_that_the_clock_saw_stopped_are_the_outcomes():
    run = printed(dict.fromkeys(SHAPES, "unpolled") | {"strideVariable": "polled", "longIndex": "too short"})
    finding = classify("05-shapes", run)
    assert finding.keys == {"strideVariable"} and "1 of 8" in finding.facts and "1 of them ended" in finding.facts
    assert classify("05-shapes", printed(dict.fromkeys([*SHAPES, "nested"], "polled"))).keys == set(SHAPES)


@pytest.mark.parametrize("edit", [{"gc": "G1"}, {"jdk": 8}, {"flags": "-Xbatch -XX:+UseCountedLoopSafepoints"}])
def test_a_run_with_another_collector_jdk_or_flag_or_of_some_shapes_is_no_answer_about_the_shapes(edit):
    for run in (printed(dict.fromkeys(SHAPES, "polled"), **edit), printed({"intParameter": "polled"})):
        with pytest.raises(BadInput, match=r"\d of its \d loops were stopped"):
            classify("05-shapes", run)
        assert "of its" in repr(reveal("05-shapes", run))


@pytest.mark.parametrize(
    ("before", "after", "keys"),
    [
        ("unpolled", "unpolled", {"both"}),
        ("polled", "polled", {"neither"}),
        ("unpolled", "polled", {"first"}),
        ("polled", "unpolled", {"second"}),
        ("unpolled", "too short", set()),
    ],
)
def test_the_guard_is_told_by_which_request_waits(before, after, keys):
    answers = {"before": before, "after": after}
    assert classify("05-guard", printed(answers)).keys == keys
    assert not classify("05-guard", printed(answers, gc="G1")).keys


@pytest.fixture
def maps(swept):
    """maps(bare): ten loops on 8 and 25 with both collectors; `bare` says how many of them have no poll."""

    def sweep(bare, gcs=("Serial", "G1"), jdks=(25, 8), flags="-Xbatch"):
        runs = [
            printed({f"shape{n}": "unpolled" if n < bare(gc, jdk) else "polled" for n in range(10)}, jdk, gc, flags)
            for gc in gcs
            for jdk in jdks
        ]
        return swept(runs)

    return sweep


@pytest.mark.parametrize(
    ("bare", "keys"),
    [
        (lambda gc, jdk: 7, {"same"}),
        (lambda gc, jdk: 7 if jdk == 8 else 0, {"better"}),
        (lambda gc, jdk: 7 if gc == "Serial" or jdk == 8 else 0, {"g1"}),
        (lambda gc, jdk: 0 if gc == "G1" and jdk > 8 else 8 if jdk > 8 else 7, {"apart"}),
        (lambda gc, jdk: 1 if gc == "G1" and jdk > 8 else 8 if jdk > 8 else 7, {"apart"}),
        (lambda gc, jdk: 8 if jdk > 8 else 7, set()),
        (lambda gc, jdk: 2 if gc == "G1" else 7, set()),
    ],
)
def test_the_map_over_the_jdks_is_told_by_its_first_and_last_column(maps, bare, keys):
    assert classify("05-jdks", maps(bare)).keys == keys
    for edit in ({"gcs": ["Serial"]}, {"gcs": ["Serial", "Parallel"]}, {"jdks": [17]}, {"flags": "-Xbatch -Xint"}):
        assert not classify("05-jdks", maps(bare, **edit)).keys


@pytest.mark.parametrize(("how", "holds"), [("unpolled", True), ("polled", False), ("too short", False)])
def test_a_flag_has_to_make_the_stop_wait_for_the_loops_end(monkeypatch, how, holds):
    monkeypatch.setattr(counted, "shapes", lambda *_, **__: printed({"intParameter": how}, gc="G1"))
    assert graded("05-1", "-XX:+UseSomething").holds is holds
    for odd in ("-XX:+UseSerialGC", "-Xint -Xbatch", 5, ""):
        with pytest.raises(BadInput):
            graded("05-1", odd)


@pytest.mark.parametrize(("number", "hung", "holds"), [(5, False, True), (3, False, False), (5, True, False)])
def test_the_endless_loop_is_saved_by_the_question_about_its_overflow(monkeypatch, number, hung, holds):
    monkeypatch.setattr(counted, "endless", lambda *_, **__: SimpleNamespace(hung=hung))
    assert graded("05-3", number).holds is holds
    for odd in (0, 6, "limit", None):
        with pytest.raises(BadInput):
            graded("05-3", odd)


COUNTED = ("left >= right", "left >= turns", "            right--;\n", "")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("        while (true)", "        for (;;)"),
        ("int left = 0;", "int left = 0; do left++; while (left < 0);"),
    ],
)
def test_another_kind_of_loop_is_not_what_is_asked_for(edited, old, new):
    judged = graded("05-2", edited("05-2", *COUNTED, old, new))
    assert not judged.holds and "Keep `while (true)`" in judged.does
    with pytest.raises(Untouched):
        graded("05-2", edited("05-2"))


@pytest.mark.live
@pytest.mark.timed
def test_a_limit_that_stays_takes_the_poll_from_the_loop(edited):
    assert graded("05-2", edited("05-2", *COUNTED)).holds


@pytest.mark.live
def test_a_loop_that_polls_or_does_other_work_is_no_answer(edited):
    polled = graded("05-2", edited("05-2", "left++;", "left += 1 + 0 * right;"))
    idle = graded("05-2", edited("05-2", *COUNTED, "Math.sqrt(x + left)", "x + left"))
    assert not polled.holds and "still stopped" in polled.does
    assert not idle.holds and "square roots" in idle.does


FOUND = sorted({jdk.major for jdk in jdks.find()} & {8, 11, 17, 21, 25})
LOOPS = [
    ("LoopShapes::longIndex", 7, 4, None, 1, True, 0),
    ("LoopShapes::longIndex", 7, 4, None, 2, False, 0),
    ("LoopShapes::intParameter", 8, 4, None, 1, False, 0),
    ("LoopShapes::other", 9, 3, None, 1, True, 0),
]


def test_a_loop_that_was_over_too_soon_says_nothing():
    frame = output.read(
        ["intParameter  412 ms  unpolled", "longIndex  3 ms  polled", "noise", "nested 0 ms  too short"]
    )
    assert list(frame["shape"]) == ["intParameter", "longIndex", "nested"]
    assert frame["polled"].isna().tolist() == [False, False, True] and frame.attrs["skipped"] == 1


def test_clock_and_code_are_laid_side_by_side_and_a_poll_around_a_bare_inner_loop_counts():
    run = printed({"intParameter": "unpolled", "longIndex": "polled", "nested": "too short"}, loops=LOOPS)
    both = counted.agreement(run).set_index("shape")
    assert both["by_code"].to_dict() == {"intParameter": False, "longIndex": True} and both["agree"].all()


def test_a_lost_bet_is_told_by_the_clock_and_by_c2s_first_and_last_version():
    versions = [(7, 4, None, False), (8, 3, None, True), (9, 4, 5, True), (11, 4, None, False), (11, 4, None, True)]
    loops = [("StrideGuard::roots", number, tier, bci, 1, polled, 0) for number, tier, bci, polled in versions]
    answers = {"before": "unpolled", "after": "polled"}
    assert counted.bets(printed(answers, loops=loops)) == [(False, False), (True, True)]
    assert counted.bets(printed(answers, loops=loops[:2])) == [(False, False), (True, False)]


def test_the_runs_of_a_sweep_are_told_by_jdk_collector_and_flags(swept):
    runs = swept([printed({"longIndex": "polled"}), printed({"longIndex": "unpolled"}, 8, "", "-Xbatch -Xint")])
    said = counted.clocked(runs)[["jdk", "gc", "flags", "polled"]].to_numpy().tolist()
    assert said == [[17, "Serial", "-Xbatch", True], [8, "default", "-Xbatch -Xint", False]]
    assert counted.clocked(runs.head(0)).empty


def test_a_loop_that_compiles_poll_differently_counts_only_if_it_does_so_twice(monkeypatch):
    answers = dict.fromkeys(["intParameter", "strideTwo", "whilePostfix"], "unpolled")
    first = [answers, {**answers, "strideTwo": "polled"}, {**answers, "whilePostfix": "polled"}]
    again = [answers, {**answers, "strideTwo": "polled"}, answers]
    runs = iter([printed(each) for each in first + again])
    monkeypatch.setattr(counted, "shapes", lambda *_, **__: next(runs))
    [claim] = claims.find(["003e-13"])
    assert list(claim.measure(17, None).values()) == [3, 0, 2, 1, "none", "strideTwo", "whilePostfix"]


def test_the_endless_loop_is_judged_by_its_end_and_by_its_poll(judge):
    exits = {
        "with default flags": "exited",
        "with everything compiled": "exited",
        "loops in its code": 2,
        "loops in its code that poll": 2,
    }
    hangs = {"with everything compiled": "hung"}
    for change, state in (({}, "holds"), ({"loops in its code that poll": 1}, "never did"), (hangs, "never did")):
        assert judge("003e-14", {**exits, **change}).state == state


@pytest.mark.live
@pytest.mark.parametrize("jdk", FOUND)
def test_a_limit_that_may_lie_beyond_the_ints_keeps_the_poll_and_a_plain_one_loses_it(jdk):
    run = counted.shapes(jdk, "intParameter intToLongLimit", log="assembly=LoopShapes.* compilation")
    both = counted.agreement(run).set_index("shape")
    assert both["agree"].all()
    assert both["by_code"].to_dict() == {"intParameter": False, "intToLongLimit": True}


@pytest.mark.live
@pytest.mark.parametrize("jdk", FOUND)
def test_a_loop_without_an_end_can_be_stopped_and_its_listed_code_polls(jdk, measured):
    assert measured("003e-14", jdk).state == ("holds" if jdk > 11 or jdks.get(jdk).hsdis else "not run")


SOURCE = (home.SAMPLES / "counted" / "LoopShapes.java").read_text("utf-8")
SERIAL = {"longIndex": "unpolled", "intParameter": "unpolled", "breakInside": "too short"}
G1 = {"longIndex": "polled", "intParameter": "polled"}


def loops(*pairs, shape="intParameter", compile_id=9, osr_bci=None, calls=0):
    """Loops of one compile by C2, from their depth and whether they have a poll."""
    return [(f"LoopShapes::{shape}", compile_id, 4, osr_bci, depth, polled, calls) for depth, polled in pairs]


STRIP_MINED = loops((1, True), (2, False))


def signs(ax):
    return [text.get_text() for text in ax.texts if text.get_text() in "✓◐⊗✕–"]


def test_every_shape_of_the_sample_has_its_header_below_the_part_of_the_source():
    shapes = "".join(SOURCE.split("SHAPES = ")[1].split(";")[0].replace('"', "").replace("+", "").splitlines()).split()
    texts = [text.get_text() for text in loop_map(printed(dict.fromkeys(shapes, "polled"))).texts]
    assert len(shapes) > 20 and not set(shapes) & set(texts)
    order = [
        "Which limit?",
        "for (int i = 0; i < turns; i++) x = Math.sqrt(x + i)",  # loops of one header show their bodies
        "Which index, which step?",
        "for (int i = MAX_VALUE - 2 * turns; i < MAX_VALUE; i += 2)",
        "do … while (i < turns)",
        "while (i++ < turns)",
        "for (int i = 0; i < turns; i++) { … break; … }",
        "for (int i = 0; i < turns; i++) x = root(x + i)",
        "for (int i = 0; i < turns; i++) x = ROOTS[i & 3].applyAsDouble(x…",
        "for (int i = 0; i < turns / 50; i++)",
        "for (byte b : turns == bytes.length ? bytes : FEW)",
    ]
    assert set(order) <= set(texts) and texts.index(order[0]) < texts.index(order[1]) < texts.index(order[2])


def test_a_tile_shows_the_worst_answer_and_a_shape_that_gave_none_or_was_not_run_is_a_dash(swept):
    assert signs(loop_map(swept([printed(SERIAL), printed(G1, gc="G1")]))) == ["✕", "✓", "✕", "✓", "–", "–"]
    assert signs(loop_map(swept([printed(SERIAL), printed(G1)])))[0] == "✕"
    for nothing in (pd.DataFrame(), pd.DataFrame({"run": [None, ""]})):
        assert not signs(loop_map(nothing))


def test_a_poll_around_an_unpolled_loop_is_strip_mining_where_the_clock_agrees():
    assert "◐" in signs(loop_map(printed(G1, loops=STRIP_MINED)))
    assert "◐" not in signs(loop_map(printed(SERIAL, loops=STRIP_MINED)))
    assert "◐" not in signs(loop_map(printed(G1, loops=loops((1, True), (1, False)))))  # there is no inner loop
    assert signs(loop_map(printed(G1, loops=None))) == ["✓", "✓"]  # no machine code was captured


def test_a_stop_that_waits_though_the_code_has_a_poll_has_a_sign_of_its_own():
    nest = loops((1, True), (2, False), shape="longIndex")
    assert signs(loop_map(printed(SERIAL, loops=nest + loops((1, False))))) == ["✕", "⊗", "–"]


def test_where_the_standard_version_has_no_poll_the_thread_that_was_stopped_ran_the_osr_version():
    by_osr = loops((1, True), (2, False), osr_bci=27, compile_id=8)
    assert "◐" in signs(loop_map(printed(G1, loops=loops((1, False)) + by_osr)))
    assert "◐" not in signs(loop_map(printed(G1, loops=loops((1, False), calls=1) + by_osr)))


def test_the_title_of_one_run_names_its_jdk_and_collector(title):
    assert title(loop_map(printed(G1, gc="G1"))) == "JDK 17, G1: 0 of 2 loops can't be stopped before they end"
    assert title(loop_map(printed(G1, gc=""))).startswith("JDK 17, JDK's own: 0 of 2")


def test_the_title_of_several_counts_by_collector_and_takes_neighbouring_jdks_of_one_count_together(swept, title):
    old = [printed({**SERIAL, "longIndex": "polled"}, jdk) for jdk in (8, 11)]
    new = [printed(SERIAL, jdk) for jdk in (17, 21, 25)]
    assert title(loop_map(swept([*old, *new, printed(G1, gc="G1")]))) == (
        "With Serial, 1 of 2 loops can't be stopped on JDK 8 and 11, and 2 on JDK 17 to 25; "
        "with G1, 0 of 2 loops can't be stopped on JDK 17"
    )
    kept = printed(G1, flags="-Xbatch -XX:+UseCountedLoopSafepoints")  # a flag that not all runs have
    assert title(loop_map(swept([printed(SERIAL), kept]))) == (
        "With Serial, 2 of 2 loops can't be stopped on JDK 17; "
        "with Serial +UseCountedLoopSafepoints, 0 of 2 loops can't be stopped on JDK 17"
    )


def test_the_names_of_neighbouring_columns_do_not_overlap(swept):
    flags = ("-Xbatch", "-Xbatch -XX:+UseCountedLoopSafepoints")
    ax = loop_map(swept([printed(SERIAL, gc=gc, flags=some) for gc in ("Serial", "Parallel") for some in flags]))
    ax.figure.canvas.draw()
    names = [text.get_window_extent() for text in ax.texts if text.get_text().startswith(("Serial", "Parallel"))]
    assert len(names) == 4 and all(one.x1 < next_one.x0 for one, next_one in zip(names, names[1:], strict=False))


def test_each_column_is_told_in_words():
    said = _alternative.of(loop_map(printed(SERIAL)).figure)
    assert said.endswith("JDK 17 with Serial: stopped only at its end: longIndex, intParameter.")
