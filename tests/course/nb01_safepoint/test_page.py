"""Notebook 01's questions: by what a run shows, which of the outcomes came."""

import pandas as pd
import pytest

from safepointlab.course import lessons
from safepointlab.course.nb01_safepoint import answers as safepoint_page
from safepointlab.course.nb01_safepoint import experiments as safepoint
from safepointlab.course.nb01_safepoint import rules as safepoint_rules
from safepointlab.errors import BadInput

FLAGS = ("", "-XX:TieredStopAtLevel=1", "-Xint")
KINDS = [(flags, gc) for flags in FLAGS for gc in ("Serial", "G1")]


@pytest.mark.parametrize(
    ("waited", "counted", "polling", "key"),
    [(60, 59, 0, "counted"), (60, 0.1, 55, "polling"), (60, 1, 0, "away"), (0.2, 0.1, 0, "together")],
)
def test_the_last_is_who_ran_on_for_most_of_the_wait(monkeypatch, waited, counted, polling, key):
    rows = [("counted", counted, waited), ("polling", polling, waited)]
    table = pd.DataFrame(rows, columns=["thread", "ran_on_ms", "ttsp_ms"])
    monkeypatch.setattr(safepoint, "ran_on", lambda run: table)
    assert lessons.prediction("01-last").classify(None).keys == {key}


@pytest.mark.parametrize(
    ("slow", "keys"),
    [
        (lambda flags, gc: True, {"all"}),
        (lambda flags, gc: flags == "", {"c2"}),
        (lambda flags, gc: gc == "Serial", {"serial"}),
        (lambda flags, gc: flags == "" and gc == "Serial", {"c2-serial"}),
        (lambda flags, gc: flags != "", {"interpreter"}),
        (lambda flags, gc: flags == "-Xint" and gc == "G1", set()),
    ],
)
def test_who_is_slow_tells_loop_compiler_and_collector_apart(slow, keys):
    waits = [60.0 if slow(*kind) else 0.2 for kind in KINDS]
    who = pd.DataFrame(KINDS, columns=["flags", "gc"]).assign(ttsp_ms=waits)
    assert lessons.prediction("01-who").classify(who).keys == keys


@pytest.mark.parametrize("left", ["gc == 'Serial'", "flags == ''"])
def test_a_reader_who_leaves_out_what_is_compared_gets_facts_and_no_outcome(left):
    who = (
        pd.DataFrame(KINDS, columns=["flags", "gc"])
        .assign(ttsp_ms=[60.0 if not flags else 0.2 for flags, _ in KINDS])
        .query(left)
    )
    came = lessons.prediction("01-who").classify(who)
    assert came.keys == set() and came.facts.startswith("The longest median is 60.0 ms, by both compilers with")


def calls(stopping):
    rows = [(safepoint.API[name], jdk, key) for key, name in safepoint_page.ASKED.items() for jdk in (8, 25)]
    table = pd.DataFrame(rows, columns=["call", "jdk", "key"])
    return table.assign(kind=["safepoint" if stopping(key, jdk) else "nothing" for _, jdk, key in rows])


@pytest.fixture(autouse=True)
def _tables_in_place_of_runs(monkeypatch):
    monkeypatch.setattr(safepoint, "calls_by_jdk", lambda table: table)


def test_a_call_counts_if_it_stops_all_on_every_jdk():
    came = lessons.prediction("01-calls").classify(calls(lambda key, jdk: key == "gc" or (key == "one" and jdk == 8)))
    assert came.keys == {"gc"} and "1 of these 7" in came.facts


def test_a_table_that_lacks_a_call_is_no_answer():
    with pytest.raises(BadInput):
        lessons.prediction("01-calls").classify(calls(lambda *_: True).query("key != 'gc'"))


def test_by_the_rules_counted_is_late_and_who_comes_back_is_held():
    notes, stop = safepoint_rules.stop(60, 40)
    held = notes[notes["state"] == "stopped"].iloc[0]
    assert held["thread"] == "inNative" and held["to_ns"] == stop["nanotime_ns"]
    assert notes.set_index("thread").loc["counted", "from_ns"] == safepoint_rules.BEGIN_NS + 60e6


@pytest.mark.live
def test_each_call_of_the_sample_has_the_name_under_which_programs_know_it():
    assert set(safepoint.calls(17)["call"]) == set(safepoint.API)
