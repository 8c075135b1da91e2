"""Notebook 15's exercises: what solves them, and what comes near it and does not."""

from types import SimpleNamespace

import pandas as pd
import pytest

from safepointlab.course import lessons
from safepointlab.course.nb15_faster import experiments as faster
from safepointlab.run import launch

TEMPLATE = lessons.folder_of("15") / "templates" / "Crowded.java"
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


@pytest.mark.parametrize(
    ("ms", "stops", "holds", "says"),
    [
        (390.0, 5, True, "has 1 safepoint."),
        (410.0, 5, False, "has 1 safepoint."),
        (0.01, 0, False, "there is no collection"),
    ],
)
def test_a_flag_must_halve_the_request_and_leave_it_a_collection(monkeypatch, ms, stops, holds, says):
    monkeypatch.setattr(faster, "scan", lambda *args: run(ms, stops) if args[-1] else run(800.0, 5))
    judged = lessons.exercise("15-1").judge("-XX:-ExplicitGCInvokesConcurrent")
    assert judged.holds is holds and says in judged.does


@pytest.fixture
def edited(tmp_path):
    """edited(loop, more): the exercise's file with that loop in each thread, and more in front of `crowd`."""

    def write(loop, more=""):
        source = TEMPLATE.read_text()
        assert LOOP in source and HEAD in source
        (path := tmp_path / TEMPLATE.name).write_text(source.replace(LOOP, loop).replace(HEAD, f"{more}\n{HEAD}"))
        return path

    return write


@pytest.mark.parametrize(
    ("after", "holds", "says"),
    [
        (run(50.0, threads=4.0, scans_per_s=1000.0), False, "4 of 32 threads"),
        (run(50.0, threads=32.0, scans_per_s=100.0), False, "10% of what they did"),
        (SimpleNamespace(values={}, outcome="hung"), False, "does not come to its end"),
        (run(500.0, threads=32.0, scans_per_s=900.0), False, "takes 500 ms, and 800 ms before"),
        (run(50.0, threads=32.0, scans_per_s=900.0), True, "takes 50 ms, and 800 ms before"),
    ],
)
def test_a_thinner_crowd_does_the_same_work_and_answers_sooner(monkeypatch, edited, after, holds, says):
    before = run(800.0, threads=32.0, scans_per_s=1000.0)
    monkeypatch.setattr(launch, "java", lambda source, *_, **__: before if source == str(TEMPLATE) else after)
    judged = lessons.exercise("15-2").judge(edited("scan(own);"))
    assert judged.holds is holds and says in judged.does


@pytest.mark.live
@pytest.mark.timed
def test_permits_for_as_many_threads_as_cores_are_a_cure(edited):
    permits = "    static final Semaphore PERMITS = new Semaphore(CORES);"
    judged = lessons.exercise("15-2").judge(edited(IN_TURNS, permits))
    assert judged.holds, judged.does


@pytest.mark.live
def test_threads_that_scan_once_and_end_are_none(edited):
    judged = lessons.exercise("15-2").judge(edited("scan(own);"))
    assert not judged.holds and ("of what they did" in judged.does or "threads have scanned" in judged.does)


@pytest.mark.parametrize(
    ("answer", "holds"),
    [({21: 3, 25: 8}, True), ({21: 3, 25: 7}, True), ({21: 3, 25: 3}, False), ({21: 8, 25: 3}, False)],
)
def test_the_safepoints_of_a_request_are_counted_on_both_jdks(monkeypatch, answer, holds):
    monkeypatch.setattr(faster, "scan", lambda jdk, *_: run(1.0, {21: 15, 25: 40}[jdk]))
    assert lessons.exercise("15-3").judge(answer).holds is holds
