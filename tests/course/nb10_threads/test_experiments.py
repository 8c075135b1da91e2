"""More threads: the relations of notebook 10, small, on each JDK found."""

import pytest

from safepointlab import jdks
from safepointlab.course import verdicts as claims
from safepointlab.course.nb10_threads import claims_crowd as threads_crowd
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
from safepointlab.run.stops import stops

JDKS = sorted({jdk.major for jdk in jdks.find()} & {8, 17, 25})
each_jdk = pytest.mark.parametrize("jdk", JDKS)


def scan(jdk, count):
    return threads.scan(jdk, count, collections=5, pause_ms=40)


def judged(id, measured, jdk):
    [claim] = claims.named([id])
    return claim.judge(measured, jdk)


def doublings(first, later):
    """Evidence of 000-49: for each of its ratios the least and the most."""
    named = {threads_crowd.FIRST: first, threads_crowd.LATER: later}
    return {end(name): value for name, ends in named.items() for end, value in zip((least, most), ends, strict=True)}


@pytest.mark.live
@each_jdk
def test_each_request_is_one_stop_of_the_log_and_threads_scan_on(jdk):
    run = scan(jdk, 2)
    assert len(threads.collections(run)) == 5
    assert run.values["threads"] == 2 and run.values["scans_per_s"] > 0 and run.values["quiet_scans_per_s"] > 0


@pytest.mark.live
@each_jdk
def test_sixty_four_threads_are_reached_later_than_one(jdk):
    one, many = (threads.collections(scan(jdk, count))["ttsp_ms"].quantile(0.25) for count in (1, 64))
    assert many > 1.5 * one


@pytest.mark.live
def test_beside_one_that_collects_a_parked_thread_is_spared():
    scores = threads.beside(JDKS[-1], gc=1, park=1)
    assert threads.middle(scores, "park") < threads.middle(scores, "gc")
    assert len(stops(scores, threads.COLLECTIONS)) >= 5


@pytest.mark.parametrize(("cores", "within", "beyond"), [(1, 1, 2), (2, 1, 4), (4, 2, 8), (8, 4, 16), (48, 32, 64)])
def test_on_the_posts_machine_within_and_beyond_the_cores_are_its_own_numbers(monkeypatch, cores, within, beyond):
    monkeypatch.setattr(threads, "cores", lambda: cores)
    assert (threads.within(), threads.beyond()) == (within, beyond)


@pytest.mark.parametrize("name", ["000-21", "000-60"])
def test_a_machine_with_a_core_for_no_more_than_some_threads_says_so(name):
    judgement = judged(name, {"cores": 2}, 8)
    assert judgement.state == "unclear" and "2 cores" in judgement.why


def test_a_parked_thread_that_is_36_ms_late_notices_the_collections():
    measured = {CALL: 183.0, PARK_LOW: 134.0, PARK_HIGH: 140.0, PARK_ALONE: 100.3}
    assert judged("000-18", measured, 8).state == "fails"


def test_a_machine_on_which_threads_wake_up_late_anyway_decides_nothing():
    measured = {CALL: 120.0, PARK_LOW: 103.0, PARK_HIGH: 105.0, PARK_ALONE: 102.0}
    assert judged("000-18", measured, 8).state == "unclear"
    measured = {CALL: 140.0, STOP: 38.0, SHORTEST: 15.0}
    assert judged("000-58", measured, 8).state == "unclear"
    assert judged("000-49", doublings((4.0, 4.0), (1.4, 1.4)), 8).state == "unclear"


@pytest.mark.parametrize(
    ("later", "state"), [((1.9, 2.1), "holds"), ((2.9, 9.5), "unclear"), ((4.0, 4.5), "fails"), ((1.0, 1.1), "fails")]
)
def test_whether_a_scan_doubles_is_open_where_the_iterations_of_a_run_disagree(later, state):
    assert judged("000-49", doublings((1.9, 2.1), later), 11).state == state


@pytest.mark.parametrize(("least", "most", "state"), [(1.1, 1.25, "fails"), (1.5, 1.7, "holds"), (0.9, 2.1, "unclear")])
def test_what_a_stop_costs_beyond_its_share_is_decided_only_where_all_pairs_of_forks_agree(least, most, state):
    assert judged("000-20", {EXPLAINED: 1.15, LEAST: least, MOST: most}, 8).state == state


@pytest.mark.parametrize(
    ("reached", "state"),
    [
        ((0.12, 0.5, 1.1), "holds"),
        ((0.1, 0.1, 0.2), "fails"),
        ((0.1, 0.5, 4.0), "fails"),
        ((3.0, 9.0, 12.0), "unclear"),
    ],
)
def test_a_jump_at_the_number_of_cores_is_judged_by_its_factor_and_not_by_the_posts_milliseconds(reached, state):
    assert judged("000-22", threads_crowd.reached(*reached), 17).state == state


@pytest.mark.parametrize(("stop", "shortest"), [(8.6, 7.1), (40.0, 30.0)])
def test_a_stop_of_another_length_than_the_posts_is_another_machine_and_refutes_nothing(stop, shortest):
    judgement = judged("000-58", {CALL: 102.0 + stop, STOP: stop, SHORTEST: shortest}, 8)
    assert judgement.state == "unclear" and "another machine" in judgement.why


@pytest.mark.parametrize("jdk", [8, 25])
def test_the_posts_own_numbers_are_judged_as_the_post_does(jdk):
    assert judged("000-17", {CALL: 119.0, CALL_LEAST: 118.5, STOP: 16.1, TTSP: 0.07}, jdk).state == "holds"
    assert judged("000-58", {CALL: 118.6, STOP: 15.9, SHORTEST: 15.0}, jdk).state == "holds"
    assert judged("000-18", {CALL: 118.0, PARK_LOW: 100.2, PARK_HIGH: 101.8, PARK_ALONE: 100.1}, jdk).state == "holds"
    assert judged("000-22", threads_crowd.reached(0.7, 5.4, 10.0), jdk).state == "holds"
