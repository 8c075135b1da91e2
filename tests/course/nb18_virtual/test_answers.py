"""Notebook 18: which outcome runs show, what solves its exercises, and who is silent in a run of Heartbeats."""

from types import SimpleNamespace

import pandas as pd
import pytest

from safepointlab.course import lessons
from safepointlab.course.exercises import Untouched
from safepointlab.course.nb18_virtual import experiments as virtual
from safepointlab.errors import BadInput
from safepointlab.run import launch, sweep

YIELD, START = "            Thread.yield();\n", "Thread.ofVirtual().start(TakeTurns::compute)"


def beating(platform_ms, virtual_ms, args=("2",)):
    """A run of Heartbeats whose spinners ran for 900 ms."""
    values = {"spin_ms": 900.0, "platform_silent_ms": platform_ms, "virtual_silent_ms": virtual_ms}
    return SimpleNamespace(values=values, request=SimpleNamespace(args=args))


@pytest.mark.parametrize(
    ("platform_ms", "virtual_ms", "who"),
    [(6, 7, virtual.NOBODY), (6, 890, virtual.VIRTUAL), (790, 890, virtual.ALL), (790, 7, "platform")],
)
def test_a_heart_is_silent_if_it_misses_half_of_the_spinning(platform_ms, virtual_ms, who):
    assert virtual.who_is_silent(beating(platform_ms, virtual_ms).values) == who
    with pytest.raises(BadInput, match="isn't what virtual/Heartbeats prints"):
        virtual.who_is_silent({"spin_ms": 900.0})


@pytest.mark.parametrize(
    ("runs", "keys"),
    [
        ([beating(6, 890), beating(790, 890, ("2", "100"))], {"virtual"}),
        ([beating(6, 7)], {"nobody"}),
        ([beating(790, 890)], {"all"}),
        ([beating(6, 890), beating(6, 7)], set()),
        ([beating(6, 890, ("1",))], set()),
    ],
)
def test_only_the_run_with_two_spinners_and_no_request_answers_who_falls_silent(monkeypatch, runs, keys):
    monkeypatch.setattr(virtual, "heartbeats", lambda runs: runs)
    assert lessons.prediction("18-two").classify(runs).keys == keys


@pytest.mark.parametrize(
    ("few", "many", "keys"), [(5, 6, {"ten"}), (5, 300, {"some"}), (5, 90_000, {"more"}), (5, None, set())]
)
def test_a_million_take_as_long_as_ten_or_as_platform_threads_or_longer(monkeypatch, few, many, keys):
    rows = [("virtual", 10, few), ("virtual", 1_000_000, many), ("platform", 10, 5), ("platform", 10_000, 1600)]
    table = pd.DataFrame([row for row in rows if row[2]], columns=["kind", "threads", "us"])
    monkeypatch.setattr(virtual, "parked", lambda runs: table.assign(reaching_ms=table["us"] / 1000))
    finding = lessons.prediction("18-million").classify(None)
    assert finding.keys == keys and "10,000 platform: 1,600\N{NO-BREAK SPACE}µs." in finding.facts


@pytest.mark.parametrize(
    ("yielding", "key"),
    [([1, 1, 1], "each"), ([270, 270, 270], "none"), ([1, 270, 270], "older"), ([270, 270, 1], "newer")],
)
def test_a_cure_shortens_the_wait_to_a_fifth_on_some_jdks(yielding, key):
    jdks = [21, 25, 27]
    rows = [(jdk, "virtual compute", 260.0) for jdk in jdks]
    rows += [(jdk, "virtual yield", ms) for jdk, ms in zip(jdks, yielding, strict=True)]
    runs = pd.DataFrame(rows, columns=["jdk", "args", "wait_ms"])
    classify = lessons.prediction("18-yield").classify
    assert classify(runs).keys == {key}
    assert classify(runs[runs["args"] == "virtual compute"]).keys == set()


@pytest.mark.parametrize(("answer", "holds"), [(["2", "2 100"], True), (["2"], False), ([], False)])
def test_with_g1_the_runs_are_those_in_which_somebody_is_silent(monkeypatch, answer, holds):
    silent = {"1": "nobody", "2": "virtual", "1 100": "nobody", "2 100": "virtual"}
    monkeypatch.setattr(virtual, "cells", lambda jdk, gc: silent)
    assert lessons.exercise("18-1").judge(answer).holds is holds
    with pytest.raises(BadInput, match="Give a list"):
        lessons.exercise("18-1").judge(["3"])


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"wait_ms": 1.0, "work_ms": 300.0, "pieces": 600.0}, "a newcomer waits for 1.0"),
        ({"wait_ms": 250.0, "work_ms": 300.0, "pieces": 600.0}, "waits for 250"),
        ({"wait_ms": 1.0, "work_ms": 300.0, "pieces": 300.0}, "300 of 600 pieces"),
        ({"wait_ms": 1.0}, "prints no wait_ms"),
    ],
)
def test_a_cure_lets_newcomers_run_and_does_all_of_the_work(monkeypatch, edited, values, says):
    monkeypatch.setattr(launch, "java", lambda *_, **__: SimpleNamespace(values=values))
    judged = lessons.exercise("18-2").judge(edited("18-2", YIELD, ""))
    assert says in judged.does and judged.holds is ("waits for 1.0" in says)


def test_the_file_as_it_was_written_is_no_answer(edited):
    with pytest.raises(Untouched):
        lessons.exercise("18-2").judge(edited("18-2"))


@pytest.mark.parametrize(("name", "holds"), [("spinner-0", True), ("main", False), ("heart-0", False)])
def test_the_thread_of_the_longest_event_is_the_answer(monkeypatch, name, holds):
    events = pd.DataFrame({"thread": ["main", "main", "spinner-0"], "duration_ms": [0.1, 0.2, 730.0]})
    monkeypatch.setattr(launch, "java", lambda *_, **__: SimpleNamespace(jfr=lambda event: events))
    assert lessons.exercise("18-3").judge(name).holds is holds


@pytest.mark.live
@pytest.mark.timed
@pytest.mark.parametrize(
    ("changes", "holds"), [((START, START.replace("Virtual", "Platform")), True), ((YIELD, ""), False)]
)
def test_platform_threads_share_and_virtual_threads_that_never_block_do_not(edited, changes, holds):
    assert lessons.exercise("18-2").judge(edited("18-2", *changes)).holds is holds


@pytest.mark.live
def test_the_flight_recorder_has_the_name_of_the_spinner():
    assert lessons.exercise("18-3").judge("spinner-0").holds


@pytest.mark.live
@pytest.mark.timed
def test_two_spinners_silence_the_virtual_hearts_and_a_request_silences_all(jdk):
    if jdk >= virtual.FIRST_JDK:
        silent = virtual.cells(jdk, "Serial")
        assert [silent[args] for args in virtual.CELLS[1:]] == ["virtual", "all", "all"]


@pytest.mark.live
@pytest.mark.timed
def test_a_hundred_thousand_parked_virtual_threads_are_reached_like_ten(jdk):
    if jdk >= virtual.FIRST_JDK:
        args = [f"virtual {threads} 15 1" for threads in (10, 100_000)]
        settings = {"jdk": jdk, "gc": "Serial", "flags": virtual.HEAP, "args": args, "log": "safepoint"}
        runs = sweep.sweep(virtual.PARKED, **settings, repeat=5)  # one JVM's median is anything from 0.5 to 9 µs
        few, many = virtual.parked(runs).groupby("threads")["reaching_ms"].median()
        assert many < virtual.ALIKE * few
