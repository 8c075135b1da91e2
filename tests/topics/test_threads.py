"""More threads: the relations of notebook 10, small, on each JDK found."""

import pytest

from safepointlab import claims, jdks
from safepointlab.topics import threads

JDKS = sorted({jdk.major for jdk in jdks.find()} & {8, 17, 25})
each_jdk = pytest.mark.parametrize("jdk", JDKS)


def scan(jdk, count):
    return threads.scan(jdk, count, collections=5, pause_ms=40)


def judged(id, measured, jdk):
    [claim] = claims.named([id])
    return claim.judge(measured, jdk)


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
    run = threads.beside(JDKS[-1], gc=1, park=1)
    assert threads.middle(run, "park") < threads.middle(run, "gc")
    assert len(threads.collections(run)) >= 5


def test_a_machine_with_a_core_for_no_more_than_some_threads_says_so():
    judgement = judged("000-21", {"cores": 2, "1 thread_ms": 0.1, "1 threads_ms": 0.1}, 8)
    assert judgement.state == "unclear" and "2 cores" in judgement.why


@pytest.mark.parametrize(("least", "most", "state"), [(1.1, 1.3, "fails"), (1.5, 1.7, "holds"), (0.9, 2.1, "unclear")])
def test_what_a_stop_costs_beyond_its_share_is_decided_only_where_the_intervals_decide_it(least, most, state):
    share = {"stopped share": 0.13, "explains": 1.15, "slower": (least + most) / 2}
    assert judged("000-20", {**share, "at least": least, "at most": most}, 8).state == state
