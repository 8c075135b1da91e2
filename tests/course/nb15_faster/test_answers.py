"""Notebook 15: which outcome of a question comes by what the runs show, and what solves an exercise."""

from types import SimpleNamespace

import pandas as pd
import pytest

from safepointlab.course.nb15_faster import experiments as faster
from safepointlab.run import launch
from tests.course.conftest import classify, graded

JDKS = (11, 17, 25)


def crowd(ms, before=100.0, jdks=JDKS, gc="Z"):
    """Requests of 32 threads in ms, on JDK 11 as `before` says, later as given; those of one thread do not count."""
    rows = [(gc, jdk, 32, ms if jdk > 11 else before) for jdk in jdks] + [(gc, jdk, 1, 9.0) for jdk in jdks]
    return pd.DataFrame(rows, columns=["gc", "jdk", "threads", "gc_ms"])


@pytest.mark.parametrize(
    ("requests", "keys", "facts"),
    [
        (crowd(700), {"longer"}, ""),
        (crowd(20), {"sooner"}, ""),
        (crowd(150), {"same"}, ""),
        (pd.concat([crowd(150), crowd(150), crowd(9000), crowd(None)]), {"same"}, ""),  # of several JVMs, the median
        (pd.concat([crowd(700), crowd(150, jdks=(21,))]), set(), ""),  # the JDKs disagree
        (crowd(1, jdks=(11,)), set(), "ms on JDK 11"),
        (crowd(1, jdks=(17, 25)), set(), "ms on JDK 17"),
        (crowd(700, gc="G1"), set(), "7.0 times as long as on JDK 11"),  # another collector is not compared
    ],
)
def test_a_crowds_request_is_told_by_how_many_times_as_long_it_takes_as_on_11(requests, keys, facts):
    finding = classify("15-crowd", requests)
    assert finding.keys == keys and facts in finding.facts


@pytest.mark.parametrize(
    ("phases", "handshakes_ms", "waits", "keys"),
    [
        ((90.0, 1.0, 1.0, 92.0), 2.0, 50.0, {"reaching"}),
        ((1.0, 90.0, 1.0, 92.0), 2.0, 50.0, {"operation"}),
        ((1.0, 1.0, 90.0, 92.0), 20.0, 60.0, {"leaving"}),
        ((1.0, 1.0, 80.0, 82.0), 90.0, 90.0, {"leaving", "handshakes"}),
        ((1.0, 1.0, 16.0, 18.0), 90.0, 55.0, {"handshakes"}),
        ((1.0, 1.0, 120.0, 122.0), 130.0, 200.0, {"leaving", "handshakes", "rest"}),
        ((1.0, 1.0, 80.0, 82.0), 220.0, 450.0, {"handshakes", "rest"}),
        ((1.0, None, None, 2.0), None, 400.0, {"rest"}),
    ],
)
def test_the_large_parts_of_the_newest_jdks_request_come(requests, phases, handshakes_ms, waits, keys):
    rows = [("Shenandoah", 11, 2000.0, [(500.0, 1.0, 1.0, 502.0)], None)]
    table = requests([*rows, ("Shenandoah", 25, waits, [phases], handshakes_ms)])
    found = classify("15-bill", table)
    assert found.keys == keys and f"Of {waits:,.0f} ms on JDK 25" in found.facts


def test_collectors_whose_large_parts_differ_have_no_outcome_in_common(requests):
    leaving, shakes = [(1.0, 1.0, 90.0, 92.0)], [(1.0, 1.0, 10.0, 12.0)]
    table = requests([("Z", 25, 60.0, leaving, 10.0), ("Shenandoah", 25, 60.0, shakes, 90.0)])
    found = classify("15-bill", table)
    assert found.keys == set() and "on Z, JDK 25" in found.facts and "on Shenandoah, JDK 25" in found.facts


def test_a_request_has_its_share_of_the_collectors_stops_alone(requests):
    [row] = faster.bill(requests([("Z", 25, 60.0, [(1.0, 2.0, 3.0, 6.0)] * 4, 8.0)])).to_dict("records")
    assert (row["ttsp_ms"], row["operation_ms"], row["leaving_ms"], row["handshakes_ms"]) == (2.0, 4.0, 6.0, 4.0)
    [row] = faster.bill(requests([("Z", 17, 60.0, [(1.0, 5.0, None, 6.0)] * 4, 8.0)])).to_dict("records")
    assert row["rest_ms"] == 10.0 and pd.isna(row["operation_ms"])  # 17 counts leaving as the operation


def averages(scores, *ms, before=0.8):
    """The times to safepoint on JDK 11, 17 and 25."""
    return scores({("Z", jdk): [each, each] for jdk, each in zip(JDKS, (before, *ms), strict=True)})


@pytest.mark.parametrize(
    ("ms", "key"), [((0.07, 0.1), "posts"), ((0.3, 0.1), "less"), ((0.3, 0.9), "some"), ((0.8, 0.9), "not")]
)
def test_the_averages_fall_as_in_the_post_or_less_or_not(scores, ms, key):
    assert classify("15-reach", averages(scores, *ms)).keys == {key}


def test_averages_without_11_are_told_and_not_compared(scores):
    table = averages(scores, 0.07, 0.1)
    found = classify("15-reach", table[table["jdk"] == 17])
    assert found.keys == set() and "ZGC: reaching 0.07 ms on JDK 17" in found.facts


def test_an_average_is_over_all_stops_of_a_jvm_and_of_several_jvms_the_median_counts(scores):
    table = pd.concat([scores({("Z", 17): [1.0]}), scores({("Z", 17): [2.0, 3.0]}), scores({("Z", 17): [9.0]})])
    found = faster.averages(table)
    assert found["average_ms"].tolist() == [1.0, 2.5, 9.0] and set(found["of"]) == {"ZGC: reaching"}
    _, since = faster.before_and_since(found)
    assert since.tolist() == [2.5]


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
    judged = graded("15-1", "-XX:-ExplicitGCInvokesConcurrent")
    assert judged.holds is holds and says in judged.does


@pytest.mark.parametrize(
    ("after", "holds", "says"),
    [
        (run(50.0, threads=4.0, scans_per_s=1000.0), False, "4 of 32 threads"),
        (run(50.0, threads=32.0, scans_per_s=100.0), False, "10% of what they did"),
        (SimpleNamespace(values={}, outcome="hung"), False, "doesn't finish"),
        (run(500.0, threads=32.0, scans_per_s=900.0), False, "takes 500 ms, and 800 ms before"),
        (run(50.0, threads=32.0, scans_per_s=900.0), True, "takes 50 ms, and 800 ms before"),
    ],
)
def test_a_thinner_crowd_does_the_same_work_and_answers_sooner(monkeypatch, edited, after, holds, says):
    before = run(800.0, threads=32.0, scans_per_s=1000.0)
    monkeypatch.setattr(launch, "java", lambda source, *_, **__: before if "/templates/" in source else after)
    judged = graded("15-2", edited("15-2", LOOP, "scan(own);"))
    assert judged.holds is holds and says in judged.does


@pytest.mark.live
@pytest.mark.timed
def test_permits_for_as_many_threads_as_cores_are_a_cure(edited):
    permits = "    static final Semaphore PERMITS = new Semaphore(CORES);"
    judged = graded("15-2", edited("15-2", LOOP, IN_TURNS, HEAD, f"{permits}\n{HEAD}"))
    assert judged.holds, judged.does


@pytest.mark.parametrize(
    ("answer", "holds"),
    [({21: 3, 25: 8}, True), ({21: 3, 25: 7}, True), ({21: 3, 25: 3}, False), ({21: 8, 25: 3}, False)],
)
def test_the_safepoints_of_a_request_are_counted_on_both_jdks(monkeypatch, answer, holds):
    monkeypatch.setattr(faster, "scan", lambda jdk, *_: run(1.0, {21: 15, 25: 40}[jdk]))
    assert graded("15-3", answer).holds is holds
