"""More threads: the judges of notebook 10, and its relations, small, on some JDKs."""

import pytest

from safepointlab import jdks
from safepointlab.course.nb10_threads import claims_crowd as crowd
from safepointlab.course.nb10_threads import experiments as threads
from safepointlab.course.nb10_threads.claims import (
    CALL,
    CALL_LEAST,
    EXPLAINED,
    LEAST,
    MOST,
    PARK_ALONE,
    PARK_HIGH,
    PARK_LOW,
    SHORTEST,
    STOP,
    TTSP,
)
from safepointlab.run.forks import least, most
from safepointlab.run.stops import of_run, stops

JDKS = sorted({jdk.major for jdk in jdks.find()} & {8, 17, 25})


def scan(jdk, count):
    return threads.scan(jdk, count, collections=5, pause_ms=40)


def doublings(first, later):
    """Evidence of 000-49: for each of its ratios the least and the most."""
    named = {crowd.FIRST: first, crowd.LATER: later}
    return {end(name): value for name, ends in named.items() for end, value in zip((least, most), ends, strict=True)}


def parked(call, low, high, alone):
    return {CALL: call, PARK_LOW: low, PARK_HIGH: high, PARK_ALONE: alone}


@pytest.mark.parametrize(
    ("name", "evidence", "state"),
    [
        # the post's own numbers
        ("000-17", {CALL: 119.0, CALL_LEAST: 118.5, STOP: 16.1, TTSP: 0.07}, "holds"),
        ("000-18", parked(118.0, 100.2, 101.8, 100.1), "holds"),
        ("000-22", crowd.reached(0.7, 5.4, 10.0), "holds"),
        ("000-58", {CALL: 118.6, STOP: 15.9, SHORTEST: 15.0}, "holds"),
        # a parked thread that is 36 ms late notices the collections; one that wakes up late anyway decides nothing
        ("000-18", parked(183.0, 134.0, 140.0, 100.3), "fails"),
        ("000-18", parked(120.0, 103.0, 105.0, 102.0), "unclear"),
        # what a stop costs beyond its share is decided only where all pairs of forks agree
        ("000-20", {EXPLAINED: 1.15, LEAST: 1.1, MOST: 1.25}, "fails"),
        ("000-20", {EXPLAINED: 1.15, LEAST: 1.5, MOST: 1.7}, "holds"),
        ("000-20", {EXPLAINED: 1.15, LEAST: 0.9, MOST: 2.1}, "unclear"),
        # a machine with a core for no more than some threads
        ("000-21", {"cores": 2}, "unclear"),
        ("000-60", {"cores": 2}, "unclear"),
        # a jump at the number of cores is judged by its factor and not by the post's milliseconds
        ("000-22", crowd.reached(0.12, 0.5, 1.1), "holds"),
        ("000-22", crowd.reached(0.1, 0.1, 0.2), "fails"),
        ("000-22", crowd.reached(0.1, 0.5, 4.0), "fails"),
        ("000-22", crowd.reached(3.0, 9.0, 12.0), "unclear"),
        # whether a scan doubles is open where the iterations of a run disagree
        ("000-49", doublings((1.9, 2.1), (1.9, 2.1)), "holds"),
        ("000-49", doublings((1.9, 2.1), (2.9, 9.5)), "unclear"),
        ("000-49", doublings((4.0, 4.0), (1.4, 1.4)), "unclear"),
        ("000-49", doublings((1.9, 2.1), (4.0, 4.5)), "fails"),
        ("000-49", doublings((1.9, 2.1), (1.0, 1.1)), "fails"),
        # a stop of another length than the post's is another machine and refutes nothing
        ("000-58", {CALL: 110.6, STOP: 8.6, SHORTEST: 7.1}, "unclear"),
        ("000-58", {CALL: 142.0, STOP: 40.0, SHORTEST: 30.0}, "unclear"),
        ("000-58", {CALL: 140.0, STOP: 38.0, SHORTEST: 15.0}, "unclear"),
    ],
)
def test_a_judge_decides_by_what_the_post_claims_and_not_by_this_machine(judge, name, evidence, state):
    assert [judge(name, evidence, jdk).state for jdk in (8, 11, 25)] == [state] * 3


@pytest.mark.parametrize(("cores", "within", "beyond"), [(1, 1, 2), (2, 1, 4), (4, 2, 8), (8, 4, 16), (48, 32, 64)])
def test_on_the_posts_machine_within_and_beyond_the_cores_are_its_own_numbers(monkeypatch, cores, within, beyond):
    monkeypatch.setattr(crowd, "cores", lambda: cores)
    assert (crowd.within(), crowd.beyond()) == (within, beyond)


@pytest.mark.live
@pytest.mark.parametrize("jdk", JDKS)
def test_each_request_is_one_stop_of_the_log_and_threads_scan_on(jdk):
    run = scan(jdk, 2)
    assert len(of_run(run, threads.COLLECTIONS)) == 5
    assert run.values["threads"] == 2 and run.values["scans_per_s"] > 0 and run.values["quiet_scans_per_s"] > 0


@pytest.mark.live
@pytest.mark.parametrize("jdk", JDKS)
def test_sixty_four_threads_are_reached_later_than_one(jdk):
    one, many = (of_run(scan(jdk, count), threads.COLLECTIONS)["ttsp_ms"].quantile(0.25) for count in (1, 64))
    assert many > 1.5 * one


@pytest.mark.live
def test_beside_one_that_collects_a_parked_thread_is_spared():
    scores = threads.beside(JDKS[-1], gc=1, park=1)
    assert threads.middle(scores, "park") < threads.middle(scores, "gc")
    assert len(stops(scores, threads.COLLECTIONS)) >= 5
