"""Notebook 20: which outcome runs show, what solves its exercises, and what its panel says of a record."""

from types import SimpleNamespace

import pandas as pd
import pytest

from safepointlab.course import lessons
from safepointlab.course.nb20_blame import answers, experiments, output, panel
from safepointlab.course.nb20_blame.output import CASES
from safepointlab.course.nb20_blame.panel import PROFILERS
from safepointlab.errors import BadInput, RunFailed
from safepointlab.run import launch
from safepointlab.run.request import make
from safepointlab.widgets import panel_records

SAFEPOINTS = {"inlined": "drive", "notInlined": "notInlined", "innocentSetter": "setResult", "farAway": "level9"}
LINES, JFR, CPU, ASYNC = "-XX:+DebugNonSafepoints", "jfr=ExecutionSample", "jfr=CPUTimeSample", "async=ctimer"
DUMPS, COLLECTORS, BETWEEN = (lessons.prediction(f"20-{name}") for name in ("dumps", "collectors", "between"))
FLAG, WHOM = lessons.exercise("20-1"), lessons.exercise("20-3")
STRAIGHT = "result = value; // only this method is yours to change"
HALVING = "for (int i = value; i != 0; i /= 2) {\n            result = i;\n        }"


@pytest.mark.parametrize(
    ("methods", "keys"),
    [
        (SAFEPOINTS, {"elsewhere"}),
        (dict.fromkeys(CASES[:4], "sum"), {"loop"}),
        ({case: case for case in CASES[:4]}, {"caller"}),
        ({case: {method: 8, "main": 6, "x": 6} for case, method in SAFEPOINTS.items()}, {"spread"}),
        (dict.fromkeys(CASES[:4], "main"), set()),
    ],
)
def test_dumps_are_told_by_whom_most_of_them_blame(profiled, methods, keys):
    assert DUMPS.classify(profiled(methods)).keys == keys


def test_a_reader_who_runs_another_case_or_two_collectors_gets_facts_and_no_outcome(profiled):
    other = DUMPS.classify(profiled({"uncounted": "sumList"}))
    assert not other.keys and other.facts == "1 of 1 times the hot loop is blamed."
    both = DUMPS.classify([profiled(SAFEPOINTS), profiled(dict.fromkeys(CASES[:4], "sum"), gc="G1")])
    assert not both.keys and both.facts.startswith("4 of 8 times")
    for prediction in (DUMPS, COLLECTORS, BETWEEN):
        with pytest.raises(BadInput, match="no run of KnownAnswer with a sample"):
            prediction.classify(profiled({}))


def over(profiled, finds, jdks=(8, 11, 25), collectors=("Serial", "Parallel", "G1")):
    """The runs of a sweep; `finds` says where the dumps find the loop."""
    points = [(jdk, gc) for gc in collectors for jdk in jdks]
    return [profiled({"farAway": "sum" if finds(jdk, gc) else "level9"}, jdk, gc) for jdk, gc in points]


@pytest.mark.parametrize(
    ("finds", "keys"),
    [
        (lambda jdk, gc: False, {"none"}),
        (lambda jdk, gc: jdk > 8, {"newer"}),
        (lambda jdk, gc: gc == "G1" and jdk > 8, {"g1"}),
        (lambda jdk, gc: gc == "G1", {"always"}),
        (lambda jdk, gc: gc == "G1" and jdk == 8, set()),
        (lambda jdk, gc: gc != "G1" and jdk > 8, set()),
        (lambda jdk, gc: True, set()),
    ],
)
def test_collectors_are_told_by_whose_dumps_find_the_loop(profiled, finds, keys):
    assert COLLECTORS.classify(over(profiled, finds)).keys == keys


@pytest.mark.parametrize(
    ("chosen", "keys", "facts"),
    [
        ({"collectors": ("Serial", "Parallel")}, set(), "The loop is found with no collector on any JDK."),
        ({"collectors": ("G1",)}, set(), "The loop is found with G1 on JDK 11 and 25."),
        ({"jdks": (8,)}, set(), "The loop is found with no collector on any JDK."),
        ({"collectors": ("Serial", "")}, {"g1"}, "The loop is found with the JDK's own collector on JDK 11 and 25."),
        (
            {"collectors": ("Serial", "G1", "Z")},
            set(),
            "The loop is found with G1 on JDK 11 and 25; Z on JDK 11 and 25.",
        ),
    ],
)
def test_a_sweep_that_was_edited_comes_to_an_outcome_only_if_it_can_decide_one(profiled, chosen, keys, facts):
    found = COLLECTORS.classify(over(profiled, lambda jdk, gc: gc not in ("Serial", "Parallel") and jdk > 8, **chosen))
    assert (found.keys, found.facts) == (keys, facts)


def profilers(profiled, jfr=False, lines=True, signals=True, jdk=25):
    """The runs of three profilers, and whether each finds the loop."""
    asked = (((), JFR, jfr), ((LINES,), JFR, lines), ((), ASYNC, signals))
    found = {True: "sum", False: "level5"}
    return [profiled({"farAway": found[right]}, jdk, flags=flags, log=[log]) for flags, log, right in asked]


@pytest.mark.parametrize(
    ("right", "keys"),
    [
        ({}, {"async"}),
        ({"jfr": True}, {"both"}),
        ({"jfr": True, "signals": False}, {"jfr"}),
        ({"signals": False}, {"neither"}),
        ({"lines": False}, set()),
    ],
)
def test_profilers_are_told_by_which_find_the_loop(profiled, right, keys):
    assert BETWEEN.classify(profilers(profiled, **right)).keys == keys


def test_the_facts_part_finders_on_each_jdk_from_those_on_some_and_those_that_only_one_jdk_has(profiled):
    older, newer = (profilers(profiled, jdk=jdk) for jdk in (17, 25))
    on_each = "JFR +lines and async-profiler found it on each JDK"
    without = BETWEEN.classify(newer[1:])  # the reader leaves out plain JFR
    assert not without.keys and without.facts == f"{on_each}."
    cpu_time = profiled({"farAway": "sum"}, 25, flags=[LINES], log=[CPU])
    only = "CPU-time +lines on JDK 25, the only one of these JDKs that has this profiler"
    assert BETWEEN.classify(older, newer, cpu_time).facts == f"{on_each}, {only}."
    some = BETWEEN.classify(older, profilers(profiled, signals=False))
    assert not some.keys and some.facts == "JFR +lines found it on each JDK, async-profiler on JDK 17."


@pytest.mark.parametrize(
    ("case", "method", "holds"),
    [
        ("farAway", "level9", True),
        ("farAway", "sumApart", False),
        ("farAway", "level5", False),
        ("inlined", "x", False),
    ],
)
def test_a_flag_must_make_the_dumps_blame_what_they_blame_with_serial(monkeypatch, case, method, holds):
    samples = pd.DataFrame({"thread": case, "method": f"KnownAnswer::{method}", "line": [36] * 9})
    monkeypatch.setattr(experiments, "dumps", lambda *_, **__: output.of_jfr(samples))
    assert FLAG.judge("-XX:+Some").holds is holds
    with pytest.raises(BadInput, match="has chosen one: G1"):
        FLAG.judge("-XX:+UseParallelGC")


@pytest.mark.parametrize(
    ("output", "complaint"),
    [
        ("blamed innocent 30\nblamed drive 8\ninnocent_share=0.01", ""),
        ("blamed innocent 8\nblamed drive 30\ninnocent_share=0.01", "30 of 38 dumps blame drive()."),
        ("blamed innocent 38\ninnocent_share=0.6", "innocent() takes 60% of the time, so it isn't innocent."),
        ("blamed innocent 38\ninnocent_share=NaN", "innocent() takes nan% of the time, so it isn't innocent."),
        ("blamed innocent 2\ninnocent_share=0.01", "the program ended before enough dumps had been taken."),
        ("", "the program ended before enough dumps had been taken."),
    ],
)
def test_a_scapegoat_has_most_of_the_blame_and_little_of_the_time(output, complaint):
    values = {name: float(value) for name, _, value in (line.partition("=") for line in output.split("\n")) if value}
    assert answers.complaint_about(SimpleNamespace(output=output, values=values)) == complaint


@pytest.mark.live
@pytest.mark.timed
@pytest.mark.parametrize(("body", "complaint"), [(STRAIGHT, "dumps blame drive()"), (HALVING, "")])
def test_straight_code_is_not_blamed_and_a_short_loop_that_is_not_counted_is(edited, body, complaint):
    source = str(edited("20-2", STRAIGHT, body))
    found = answers.complaint_about(launch.java(source, 17, gc=experiments.GC, deadline=30))
    assert complaint in found and bool(complaint) == bool(found)


def test_a_method_may_be_named_as_it_is_seen_in_a_dump_and_must_be_the_programs(monkeypatch):
    samples = pd.DataFrame({"thread": CASES[:4], "method": "KnownAnswer::level9", "line": 102})
    monkeypatch.setattr(experiments, "all_inlined", lambda _: SimpleNamespace(jfr=lambda _: samples))
    for name in ("level9", "level9()", "KnownAnswer.level9", " level9 "):
        assert WHOM.judge(name).holds
    assert not WHOM.judge("level5").holds
    with pytest.raises(BadInput, match="no method 'level10'"):
        WHOM.judge("level10")


@pytest.mark.parametrize(
    ("profiler", "flags", "settings"),
    [
        ("dumps", experiments.APART, {"args": "250 dumps"}),
        ("jfr+lines", f"{experiments.APART} {experiments.LINES}", {"args": "250", "log": "jfr=ExecutionSample"}),
    ],
)
def test_a_choice_of_the_panel_is_the_run_of_the_page_itself(profiler, flags, settings):
    page = make("blame/KnownAnswer", 17, gc="Serial", flags=flags, **settings)
    assert panel_records.request_key(PROFILERS, {**PROFILERS.default, "profiler": profiler}) == page.key


@pytest.mark.parametrize(
    ("case", "look", "word"),
    [("farAway", "bad", "level9 90 %"), ("inlined", "good", "sum 100 %"), ("notInlined", "none", "no samples")],
)
def test_the_panel_blames_the_method_with_most_samples(case, look, word):
    samples = [["farAway", "level9", 118, 18], ["farAway", "sum", 36, 2], ["inlined", "sum", 36, 5]]
    tile = panel.tile({"values": {"samples": samples}}, {**PROFILERS.default, "case": case})
    assert (tile.look, tile.word) == (look, word)


def test_each_case_of_the_panel_shows_one_line_that_takes_the_time():
    source = panel.source()["source"]
    for case, methods in panel.CASES.items():
        assert sum(burns for method in methods for _, _, burns in source[method]) == 1, case


def test_cpu_time_samples_are_not_asked_of_a_jdk_that_has_none():
    chosen = {"profiler": "cpu+lines", "jdk": "21", "gc": "G1", "case": "inlined"}
    assert "JEP 509" in panel.impossible(chosen)
    assert not panel.impossible({**chosen, "jdk": "25"}) and not panel.impossible({**chosen, "profiler": "jfr"})


def test_a_record_has_case_method_line_and_count_and_a_run_without_samples_is_none(profiled):
    dumps, signals = profiled({"inlined": {"drive": 38}}), profiled({"inlined": {"sum": 7}}, log=[ASYNC])
    assert panel.measure(dumps)["samples"] == [["inlined", "drive", 42, 38]]
    assert panel.measure(signals)["samples"] == [["inlined", "sum", None, 7]]  # this profiler tells no line
    with pytest.raises(RunFailed, match="no sample of any case"):
        panel.measure(profiled({}))
