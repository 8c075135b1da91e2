"""Notebook 01: which outcome a run shows, what solves its exercises, and what its pictures draw of runs."""

from types import SimpleNamespace

import pandas as pd
import pytest

from safepointlab.course.nb01_safepoint import experiments as safepoint
from safepointlab.course.nb01_safepoint import pictures, polls
from safepointlab.errors import BadInput
from safepointlab.plot import _alternative
from tests.course.conftest import classify, graded

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
    assert classify("01-last", None).keys == {key}


def waits(slow):
    table = pd.DataFrame(KINDS, columns=["flags", "gc"])
    return table.assign(ttsp_ms=[60.0 if slow(*kind) else 0.2 for kind in KINDS])


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
    assert classify("01-who", waits(slow)).keys == keys


@pytest.mark.parametrize("left", ["gc == 'Serial'", "flags == ''"])
def test_a_reader_who_leaves_out_what_is_compared_gets_facts_and_no_outcome(left):
    finding = classify("01-who", waits(lambda flags, gc: not flags).query(left))
    assert finding.keys == set() and finding.facts.startswith("The longest median is 60.0 ms, with both compilers and")


def test_another_collector_is_no_flag_for_the_first_exercise():
    with pytest.raises(BadInput, match="has chosen one: Serial"):
        graded("01-1", "-XX:+UseG1GC")


@pytest.mark.live
@pytest.mark.timed
@pytest.mark.parametrize(("flag", "holds"), [("-XX:+UseCountedLoopSafepoints", True), ("-XX:-UseTLAB", False)])
def test_the_loop_needs_its_poll_back(flag, holds):
    assert graded("01-1", flag).holds is holds


@pytest.mark.parametrize(("millions", "waited", "holds"), [(10, 5.5, True), (1, 0.4, False), (50, 30.0, False)])
def test_a_tenth_of_the_iterations_is_a_tenth_of_the_wait(monkeypatch, millions, waited, holds):
    monkeypatch.setattr(safepoint, "stopping", lambda jdk, flags="", stops=5, millions=100: millions)
    table = {100: pd.DataFrame({"ttsp_ms": [55.0]}), millions: pd.DataFrame({"ttsp_ms": [waited]})}
    monkeypatch.setattr(safepoint, "collections", table.__getitem__)
    assert graded("01-2", millions).holds is holds


@pytest.mark.live
@pytest.mark.timed
def test_ten_million_iterations_are_an_answer():
    assert graded("01-2", 10).holds


@pytest.mark.parametrize(("number", "holds"), [(1, True), (2, False), (0, False)])
def test_loops_without_a_poll_are_counted(monkeypatch, number, holds):
    loops = pd.DataFrame({"method": [*["Polls::byLong"] * 2, "Polls::byInt"], "polled": [True, False, False]})
    monkeypatch.setattr(polls, "listing", lambda jdk: None)
    monkeypatch.setattr(polls, "standard", lambda run, by: loops)
    assert graded("01-3", number).holds is holds


@pytest.mark.parametrize(
    ("bare", "says"),
    [
        ({("byInt", "C2, Serial")}, "Only byInt, compiled by C2 with Serial, has no poll in any loop"),
        (set(), "Each of these methods has a poll in a loop"),
        ({("byInt", "C2, Serial"), ("byLong", "C1")}, "byLong, compiled by C1, have no poll in any loop"),
    ],
)
def test_the_title_names_the_code_without_a_poll(monkeypatch, title, bare, says):
    kinds = [(method, code) for method in ("byInt", "byLong") for code in ("C1", "C2, Serial")]
    frame = pd.DataFrame(kinds, columns=["method", "code"]).assign(polled=[kind not in bare for kind in kinds])
    monkeypatch.setattr(polls, "by_code", lambda runs: frame)
    assert title(pictures.loops_with_polls({})).endswith(says)
    runs = {gc: SimpleNamespace(jdk=SimpleNamespace(major=17)) for gc in ("Serial", "G1")}
    assert title(pictures.loops_with_polls(runs)).startswith("On JDK 17, ")


def test_each_wait_is_drawn_and_the_title_says_where_the_median_is_long(monkeypatch, title):
    waited = [("", "Serial", ms) for ms in (4.0, 35.0, 40.0)] + [(*kind, 0.2) for kind in KINDS[1:] for _ in range(3)]
    monkeypatch.setattr(pictures, "stops_of", lambda *_, **__: pd.DataFrame(waited, columns=["flags", "gc", "ttsp_ms"]))
    swept = pd.DataFrame(KINDS, columns=["flags", "gc"]).assign(run="folder")
    ax = pictures.waits(swept)
    assert title(ax) == "The median time to safepoint is over 10 ms only with Serial and both compilers"
    assert list(ax.lines[0].get_ydata())[:3] == [4.0, 35.0, 40.0] and "one of 3 safepoints" in ax.get_xlabel()
    said = _alternative.of(ax.figure).replace("\N{NO-BREAK SPACE}", " ")
    assert "each safepoint of Serial, both compilers 4.0 to 40, C1 alone 0.2 to 0.2, " in said
    assert "Serial: both compilers: 35; C1 alone: 0.2; interpreter alone: 0.2." in said
    del waited[:3]
    assert title(pictures.waits(swept)).endswith("is over 10 ms in 0 of 5 combinations")


def test_what_is_no_run_is_refused():
    with pytest.raises(BadInput, match="a run of safepoint/RunningStoppedRunning"):
        pictures.threads(pd.DataFrame())
