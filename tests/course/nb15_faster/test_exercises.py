"""Notebook 15's exercises: what solves them, and what comes near it and does not."""

from types import SimpleNamespace

import pandas as pd
import pytest

from safepointlab.course import lessons
from safepointlab.course.nb15_faster import answers as faster_exercises
from safepointlab.course.nb15_faster import experiments as faster
from safepointlab.errors import BadInput

TEMPLATES = lessons.folder_of("15") / "templates"

LOOP = """while (!done) {
                    scan(own);
                }"""
IN_TURNS = """while (!done) {
                    PERMITS.acquireUninterruptibly();
                    for (int n = 0; n < 200; n++) {
                        scan(own);
                    }
                    PERMITS.release();
                }"""
HEAD = "    static void crowd(int threads) {"


def run(gc_ms, stops=20, **values):
    log = pd.DataFrame({"kind": "safepoint", "operation": ["ShenandoahInitMark"] * stops})
    return SimpleNamespace(values={"gc_ms": gc_ms, **values}, safepoints=log, outcome="exited")


@pytest.fixture
def scans(monkeypatch):
    """scans(ms): how long a request takes with any flag; without one it takes 800 ms."""
    return lambda ms: monkeypatch.setattr(faster, "scan", lambda *args: run(ms if args[-1] else 800.0, 5))


@pytest.mark.parametrize(("ms", "holds"), [(100.0, True), (390.0, True), (410.0, False), (800.0, False)])
def test_a_flag_must_halve_the_request(scans, ms, holds):
    scans(ms)
    judged = lessons.exercise("15-1").judge("-XX:-ExplicitGCInvokesConcurrent")
    assert judged.holds is holds and "has 1 safepoint." in judged.does


def test_a_flag_without_any_collection_is_no_answer(monkeypatch):
    monkeypatch.setattr(faster, "scan", lambda *args: run(0.01, 0) if args[-1] else run(800.0))
    judged = lessons.exercise("15-1").judge("-XX:+DisableExplicitGC")
    assert not judged.holds and "there is no collection" in judged.does


@pytest.mark.parametrize("answer", ["-XX:+UseSerialGC", "-XX:-UseShenandoahGC", "two words", 5])
def test_another_collector_is_no_answer(scans, answer):
    scans(1.0)
    with pytest.raises(BadInput):
        lessons.exercise("15-1").judge(answer)


@pytest.mark.parametrize(
    ("edited", "words"),
    [
        (run(50.0, threads=4.0, scans_per_s=1000.0), "4 of 32 threads"),
        (run(50.0, threads=32.0, scans_per_s=100.0), "10% of what they did"),
        (SimpleNamespace(values={}, outcome="hung"), "does not come to its end"),
        (run(50.0, threads=32.0, scans_per_s=900.0), ""),
    ],
)
def test_a_thinner_crowd_does_the_same_work(edited, words):
    said = faster_exercises._not_the_same(run(800.0, threads=32.0, scans_per_s=1000.0), edited)
    assert words in said and bool(said) is bool(words)


@pytest.mark.parametrize(
    ("answer", "holds"),
    [({21: 3, 25: 8}, True), ({21: 3, 25: 7}, True), ({21: 3, 25: 3}, False), ({21: 8, 25: 3}, False)],
)
def test_the_safepoints_of_a_request_are_counted_on_both_jdks(monkeypatch, answer, holds):
    monkeypatch.setattr(faster, "scan", lambda jdk, *_: run(1.0, {21: 15, 25: 40}[jdk]))
    assert lessons.exercise("15-3").judge(answer).holds is holds


@pytest.mark.parametrize("answer", [3, {21: 3}, {21: "3", 25: 8}, [3, 8]])
def test_what_is_no_pair_of_numbers_is_told_so(answer):
    with pytest.raises(BadInput):
        lessons.exercise("15-3").judge(answer)


def edited(tmp_path, loop, more=""):
    source = (TEMPLATES / "Crowded.java").read_text()
    assert LOOP in source and HEAD in source
    path = tmp_path / "Crowded.java"
    path.write_text(source.replace(LOOP, loop).replace(HEAD, f"{more}\n{HEAD}"))
    return path


@pytest.mark.live
@pytest.mark.timed
def test_permits_for_as_many_threads_as_cores_are_a_cure(tmp_path):
    permits = "    static final Semaphore PERMITS = new Semaphore(CORES);"
    judged = lessons.exercise("15-2").judge(edited(tmp_path, IN_TURNS, permits))
    assert judged.holds, judged.does


@pytest.mark.live
def test_threads_that_scan_once_and_end_are_none(tmp_path):
    judged = lessons.exercise("15-2").judge(edited(tmp_path, "scan(own);"))
    assert not judged.holds and "of what they did" in judged.does or "threads have scanned" in judged.does
