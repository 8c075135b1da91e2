"""Notebook 16: which outcome a run shows, what solves its exercises, and what its picture draws of runs."""

import pandas as pd
import pytest

from safepointlab.course.exercises import Untouched
from safepointlab.course.nb16_calls import answers, pictures
from safepointlab.course.nb16_calls import experiments as calls
from safepointlab.errors import BadInput
from safepointlab.run import launch
from tests.course.conftest import classify, graded

LOOP, ASK, REST = "            sum++;\n", "return other.getStackTrace();", "    // From here on"
POLL = LOOP + "            if (wanted) { answer = new Throwable().getStackTrace(); wanted = false; }\n"
WAIT = "wanted = true; while (wanted) { Thread.sleep(1); } return answer;"
FIELDS = "    static volatile boolean wanted;\n    static volatile StackTraceElement[] answer;\n"
PARKED, TO_FILE = calls.API["parkedStack"], calls.API["dumpToFile"]


def test_a_call_counts_if_it_stops_all_on_every_jdk(monkeypatch):
    rows = [(calls.API[name], jdk, key) for key, name in answers.ASKED.items() for jdk in (8, 25)]
    kinds = ["safepoint" if key == "gc" or (key == "one" and jdk == 8) else "nothing" for _, jdk, key in rows]
    table = pd.DataFrame(rows, columns=["call", "jdk", "key"]).assign(kind=kinds)
    monkeypatch.setattr(calls, "calls_by_jdk", lambda table: table)
    finding = classify("16-calls", table)
    assert finding.keys == {"gc"} and "1 of these 7" in finding.facts
    with pytest.raises(BadInput):  # one of them was not made
        classify("16-calls", table.query("key != 'gc'"))


@pytest.mark.live
def test_a_thread_that_gives_its_own_stack_stops_nobody(edited):
    file = edited("16-2", LOOP, POLL, ASK, WAIT, REST, FIELDS + REST)
    assert graded("16-2", file).holds


@pytest.mark.live
@pytest.mark.parametrize(
    ("ask", "does"),
    [
        ("return Thread.getAllStackTraces().get(other);", "ThreadDump"),
        ("return new StackTraceElement[0];", "should have 3 frames"),
    ],
)
def test_a_thread_dump_and_an_empty_stack_are_no_handshake(edited, ask, does):
    judged = graded("16-2", edited("16-2", ASK, ask))
    assert not judged.holds and does in judged.does


def test_the_file_as_it_was_written_is_no_answer(edited):
    with pytest.raises(Untouched):
        graded("16-2", edited("16-2"))


@pytest.mark.parametrize(
    ("kinds", "key"),
    [
        (["nothing", "nothing"], "none"),
        (["handshake"], "one"),
        (["safepoint", "safepoint"], "all"),
        (["handshake", "nothing"], "mixed"),
    ],
)
def test_the_stack_of_a_parked_virtual_thread_stops_what_the_log_says(monkeypatch, kinds, key):
    jdks = [21, 25, 27][: len(kinds)]
    table = pd.DataFrame({"call": PARKED, "jdk": jdks, "kind": kinds})
    monkeypatch.setattr(calls, "calls_by_jdk", lambda table: table)
    finding = classify("16-virtual", table)
    assert finding.keys == {key} and finding.facts.startswith(f"JDK 21: {kinds[0]}")
    with pytest.raises(BadInput):
        classify("16-virtual", table.assign(call="another"))


@pytest.mark.parametrize(("number", "holds"), [(3, True), (1, False)])
def test_the_operations_of_one_call_are_counted(monkeypatch, number, holds):
    monkeypatch.setattr(launch, "java", lambda *_, **__: None)
    made = pd.DataFrame(
        {"operations": [["ZMarkStart", "ZMarkEnd", "CleanClassLoaderDataMetaspaces", "ZRelocateStart"]]}
    )
    monkeypatch.setattr(calls, "operations", lambda run: made)
    assert graded("16-1", number).holds is holds


def test_the_call_that_finds_every_virtual_thread_is_the_answer(monkeypatch):
    monkeypatch.setattr(launch, "java", lambda *_, **__: None)
    monkeypatch.setattr(calls, "found", lambda run: {PARKED: 1, TO_FILE: 100})
    assert graded("16-3", TO_FILE).holds and not graded("16-3", PARKED).holds
    with pytest.raises(BadInput, match="the text 'jstack'.*Give one of these"):
        graded("16-3", "jstack")


def test_runs_of_no_calls_are_refused():
    with pytest.raises(BadInput, match="no runs of safepoint/WhoCallsWhichOperation or calls/VirtualStacks"):
        pictures.operations([])


@pytest.mark.live
def test_each_call_of_the_samples_has_the_name_under_which_programs_know_it():
    virtual = calls.operations(launch.java(calls.VIRTUAL, 21, gc=calls.GC, log="safepoint"))
    assert set(calls.calls(17)["call"]) | set(virtual["call"]) == set(calls.API)


@pytest.mark.live
def test_a_dump_of_all_threads_has_no_virtual_thread_and_one_to_a_file_has_them_all(jdk):
    if jdk >= 21:
        run = launch.java(calls.VIRTUAL, jdk, gc=calls.GC, log="safepoint")
        found = calls.found(run)
        assert (found[calls.API["stacksOfAll"]], found[TO_FILE], found[PARKED]) == (0, 100, 1)
        kinds = calls.operations(run).set_index("call")["kind"]
        assert (kinds["parkedStack"], kinds["infoOfVirtual"], kinds["dumpToFile"]) == (
            "nothing", "safepoint", "handshake",
        )  # fmt: skip


@pytest.mark.live
@pytest.mark.timed
def test_asking_for_the_stack_of_one_thread_costs_all_of_them_a_safepoint_or_that_one_a_handshake(jdk):
    names = "findDeadlocks stackOfOne stackOfMine"
    run = launch.java(calls.CALLS, jdk, gc="Serial", args=names, log="safepoint")
    kinds = calls.operations(run)["kind"].tolist()
    assert kinds == ["safepoint", "safepoint" if jdk <= 17 else "handshake", "nothing"]
