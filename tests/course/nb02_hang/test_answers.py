"""Notebook 02: which outcome runs show, what solves its exercises, and what its panel says of a record."""

import math
import re
from types import SimpleNamespace

import pandas as pd
import pytest

from safepointlab.course import exercises, lessons
from safepointlab.course.nb02_hang import answers, panel
from safepointlab.course.nb02_hang import experiments as hang
from safepointlab.course.nb20_blame import panel as blame_panel
from safepointlab.errors import BadInput, CompileFailed
from safepointlab.process import home
from safepointlab.run import launch
from safepointlab.run.request import make
from safepointlab.widgets import panel_records
from tests.course.conftest import classify, graded

G1, SERIAL = "G1", "Serial"
TEMPLATE = (lessons.folder_of("02") / "templates" / "CuredTask.java").read_text("utf-8")
LOOP = re.compile(r"static long countOdds\(int limit\) \{.*?\n    \}\n", re.DOTALL)
OLD = LOOP.search(TEMPLATE)[0]
BY_HAND = """static long countOdds(int limit) {
        long odds = 0;
        for (int i = 0; i < limit; i++) {
            for (int from = 0, to; from < limit; from = to) {
                to = from + Math.min(1000, limit - from);
                for (int j = from; j < to; j++) {
                    odds += j & 1;
                }
            }
        }
        return odds;
    }
"""


def runs(hangs, jdks=(8, 11, 17, 25), wall_ms=700.0):
    """One row for each JDK with either collector; `hangs` says of which the run hung."""
    points = [(jdk, gc) for jdk in jdks for gc in (SERIAL, G1)]
    rows = [(jdk, gc, "hung" if hangs(jdk, gc) else "exited", wall_ms) for jdk, gc in points]
    return pd.DataFrame(rows, columns=["jdk", "gc", "outcome", "wall_ms"])


@pytest.mark.parametrize(
    ("hangs", "jdks", "key"),
    [
        (lambda jdk, gc: True, (8, 11, 17), "all"),
        (lambda jdk, gc: gc == SERIAL or jdk == 8, (8, 11, 17), "not-new-g1"),
        (lambda jdk, gc: gc == SERIAL, (8, 11, 17), "serial"),
        (lambda jdk, gc: gc == SERIAL, (11, 17), "serial"),
        (lambda jdk, gc: jdk == 8, (8, 11, 17), "old"),
        (lambda jdk, gc: False, (8, 11, 17), "none"),
    ],
)
def test_the_killers_outcome_is_told_by_who_hangs(hangs, jdks, key):
    assert classify("02-killer", runs(hangs, jdks)).keys == {key}


def test_the_facts_say_which_jdks_hang_with_which_collector_whatever_the_reader_chose():
    facts = classify("02-killer", runs(lambda jdk, gc: gc == SERIAL or jdk == 8)).facts
    assert facts == "With Serial it hangs on JDK 8, 11, 17 and 25, and with G1 on JDK 8."
    by_default = runs(lambda jdk, gc: jdk == 8).query("gc == 'G1'").replace({"gc": {G1: "default"}})
    finding = classify("02-killer", by_default)
    assert finding.keys == set() and finding.facts.startswith("With the JDK's own collector it hangs on JDK 8.")
    assert "on no JDK" in classify("02-killer", runs(lambda jdk, gc: False)).facts


def cures(failing=()):
    flags = [hang.INTERPRETED, hang.C1_ONLY, hang.KEEP_POLLS]
    spared = [f"-XX:CompileCommand=dontinline,KillerTaskInnerCall.{name}" for name in ("countOdds", "isOdd")]
    tables = [pd.DataFrame({"flags": own, "gc": "Serial", "outcome": "exited"}) for own in (flags, spared)]
    for table in tables:
        table.loc[table["flags"].str.contains("|".join(["^$", *failing])), "outcome"] = "hung"
    return tables


def test_a_cure_works_if_all_its_flags_do_on_every_jdk_whichever_table_comes_first():
    assert classify("02-cures", *cures()).keys == {"interpret", "c1", "polls", "loop", "called"}
    first, second = cures(["Xint", "inline.*countOdds"])
    assert classify("02-cures", first, second).keys == {"c1", "polls", "called"}
    assert classify("02-cures", second, first).facts.startswith("With Serial, 3 of")
    by_g1 = [table.assign(gc="G1", outcome="exited") for table in (first, second)]
    assert classify("02-cures", pd.concat([first, by_g1[0]]), second).keys == {"c1", "polls", "called"}
    with pytest.raises(BadInput, match="in none of these runs was the collector Serial"):
        classify("02-cures", *by_g1)
    with pytest.raises(BadInput):  # a cure is missing
        classify("02-cures", first, first)


@pytest.fixture
def late_by(monkeypatch):
    """late_by(ms): how late the killer task exits with other strips than usual."""
    return lambda ms: monkeypatch.setattr(hang, "in_strips", lambda n: 10.0 + ms * bool(n))


@pytest.mark.parametrize(("ms", "holds"), [(0, False), (190, False), (210, True), (20_000, False), (math.inf, False)])
def test_a_strip_is_long_enough_from_200_ms_on_and_must_end(late_by, ms, holds):
    late_by(ms)
    assert graded("02-1", 5_000_000).holds is holds


def test_an_exit_that_is_no_later_than_usual_is_not_told_in_negative_ms(late_by):
    late_by(-62)
    assert "exits no later than usual" in graded("02-1", 5).does


@pytest.mark.parametrize(("length", "strips"), [(1_000, True), (536_870_911, True), (536_870_912, False), (2e9, False)])
def test_a_length_that_is_no_int_once_unrolled_leaves_no_strips_and_the_judge_says_so(late_by, length, strips):
    late_by(500)
    judged = graded("02-1", length)
    assert judged.holds and ("no strips" in judged.explanation) is not strips
    assert f"`LoopStripMiningIter={length:.0f}`" in judged.does
    said = exercises.judged(lessons.exercise("02-1"), length).says
    assert ("no strips" in said) is not strips and ("at most one strip" in said) is strips  # not both


@pytest.mark.parametrize(("length", "chance"), [(100_000, False), (5_000_000, False), (20_000_000, True)])
def test_a_strip_that_is_far_too_short_is_no_chance(late_by, length, chance):
    late_by(3)
    assert graded("02-1", length).by_time is chance


@pytest.mark.live
def test_c2_unrolls_the_killer_tasks_inner_loop_by_four():
    run = launch.java(hang.KILLER, 17, gc="G1", args="300 1000", log="assembly=KillerTask.countOdds")
    assert run.assembly["instruction"].str.contains(rf"\${1000 * answers.UNROLLED:#x}\b").any()


@pytest.mark.parametrize("odd", [0, -5, 2**32, "1000", 0.5, True, math.nan])
def test_what_the_flag_cannot_take_is_no_length(odd):
    with pytest.raises(BadInput, match="whole number from 1 to 4,294,967,295"):
        graded("02-1", odd)


def test_the_killer_tasks_template_runs_the_same_loops_as_the_sample():
    assert LOOP.search((home.SAMPLES / f"{hang.KILLER}.java").read_text())[0] == OLD


@pytest.mark.parametrize(("number", "holds"), [(70, True), (69, False), (71, False), (12, False)])
def test_the_rescuer_is_c2s_osr_compile(monkeypatch, number, holds):
    rows = [("compiled", 69, 3, True), ("compiled", 70, 4, True), ("compiled", 71, 4, False)]
    log = pd.DataFrame(rows, columns=["event", "compile_id", "tier", "osr"]).assign(method="KillerTask::countOdds")
    monkeypatch.setattr(hang, "warmed", lambda *_, **__: SimpleNamespace(compilations=log))
    assert graded("02-3", number).holds is holds


@pytest.mark.live
def test_a_class_that_does_not_compile_is_told_by_the_compiler_and_one_that_counts_otherwise_is_no_cure(edited):
    with pytest.raises(CompileFailed, match="refused .*CuredTask.java"):
        graded("02-2", edited("02-2", OLD, "static long countOdds(int limit) { return odds; }\n"))
    judged = graded("02-2", edited("02-2", OLD, BY_HAND.replace("j & 1", "(j + 1) & 1")))  # the even ones
    assert not judged.holds and "no longer counts" in judged.does and not judged.by_time


@pytest.mark.parametrize(
    ("printed", "says"),
    [("500500 odd numbers", ""), ("501501 odd numbers", "no longer counts"), ("", "doesn't get through")],
)
def test_a_program_that_counts_slowly_gets_more_time(monkeypatch, printed, says):
    def exits(source, jdk, sleep_ms, *limit):
        return SimpleNamespace(output=f"main returns\n{printed if sleep_ms >= 5000 else ''}")

    monkeypatch.setattr(answers, "_exit", exits)
    monkeypatch.setattr(answers, "complaint_about_exit", lambda *_: None)
    monkeypatch.setattr(exercises, "java_file", lambda *_: "Mine.java")
    judged = graded("02-2", "Mine.java")
    assert judged.holds is not bool(says) and says in judged.does


@pytest.mark.live
@pytest.mark.timed
def test_a_loop_cut_by_hand_is_a_cure_on_17(edited):
    assert answers.complaint_about_exit(str(edited("02-2", OLD, BY_HAND)), 17) is None


@pytest.mark.live
def test_the_loop_as_it_was_hangs_on_17(edited):
    assert answers.complaint_about_exit(str(edited("02-2")), 17).does == "On JDK 17 with Serial it hangs."


@pytest.mark.parametrize("slow", [True, False])
def test_a_slow_program_that_exits_late_is_not_told_to_poll_more_often(monkeypatch, slow):
    ended = SimpleNamespace(overdue=False, hung=False, output="main returns\n")
    monkeypatch.setattr(answers, "_exit", lambda *_: ended)
    monkeypatch.setattr(hang, "latest_exit_ms", lambda program, jdk: 9000.0 if program == "Mine.java" else 60.0)
    complaint = answers.complaint_about_exit("Mine.java", 8, slow)
    assert "8,940 ms later" in complaint.does and ("too slow" in complaint.explanation) is slow


def record(outcome="exited", wall_ms=700, **values):
    usual = {"main_returned": True, "ttsp_ms": None, "holdup": None}
    return {"outcome": outcome, "wall_ms": wall_ms, "values": usual | values}


@pytest.mark.parametrize(
    ("record", "look", "word", "says"),
    [
        (record(ttsp_ms=0.2), "good", "exits", "time to safepoint was less than 1 ms"),
        (record(wall_ms=2500), "late", "late", "The JVM lived for 2.50 s"),
        (record("hung", 3001, holdup="killer"), "bad", "HUNG", "The thread killer holds up the JVM's last safepoint."),
        (record("hung", 3001, main_returned=False), "bad", "HUNG", "main has not returned"),
    ],
)
def test_an_outcome_has_a_look_a_word_and_a_sentence(record, look, word, says):
    tile = panel.tile(record, panel.KILLER.default)
    assert (tile.look, tile.word) == (look, word) and says in tile.says


def test_the_default_is_the_pages_run_and_every_jdk_collector_and_flag_is_to_be_recorded():
    own = make(hang.KILLER, 17, gc=hang.NO_POLLS, args=[hang.SLEEP_MS], log=hang.LOG)
    assert panel_records.request_key(panel.KILLER, panel.KILLER.default) == own.key
    keys = [panel.KILLER.key(chosen) for chosen in panel.KILLER.combinations()]
    assert len(keys) == 6 * 4 * 5 + 2 * 6 * 4  # ecj, and no warm-up, without a flag alone
    assert "8 G1 polls javac warm" in keys and "8 G1 none ecj warm" in keys and "8 G1 polls ecj warm" not in keys


@pytest.mark.parametrize("panel", [panel.KILLER, blame_panel.PROFILERS], ids=lambda panel: panel.name)
def test_each_record_is_of_the_program_as_it_is_now(panel):
    for key, kept in panel_records.load(panel).records.items():
        now = panel_records.request_key(panel, panel.chosen(key))
        assert kept["request"] == now, f"{key}: the sample changed. Run: safepoint panels record {panel.name}"
