"""More threads: the relations of notebook 10, small, on each JDK found."""

import pytest

import safepointlab as lab
from safepointlab import jdks
from safepointlab.claims import threads

FOUND = sorted({jdk.major for jdk in jdks.find()} & {8, 17, 25})
each_jdk = pytest.mark.parametrize("jdk", FOUND)


def scan(jdk, count, gc="Parallel"):
    run = lab.java("threads/ScanAndCollect", jdk, gc=gc, args=f"{count} 5 40", log="safepoint", deadline=60, reuse=True)
    stops = run.safepoints
    return run, stops[stops["operation"].str.contains(threads.COLLECTIONS)]


@pytest.mark.live
@each_jdk
def test_each_request_is_one_stop_of_the_log_and_threads_scan_on(jdk):
    run, stops = scan(jdk, 2)
    assert len(stops) == 5
    assert run.values["threads"] == 2 and run.values["scans_per_s"] > 0 and run.values["quiet_scans_per_s"] > 0


@pytest.mark.live
@each_jdk
def test_sixty_four_threads_are_reached_later_than_one(jdk):
    (_, one), (_, many) = scan(jdk, 1), scan(jdk, 64)
    assert many["ttsp_ms"].quantile(0.25) > 1.5 * one["ttsp_ms"].quantile(0.25)


@pytest.mark.live
def test_beside_one_that_collects_a_parked_thread_is_spared():
    options = "-f 1 -wi 1 -w 300ms -i 3 -r 500ms"
    groups = {"gc": 1, "park": 1, "scan": 0}
    scores = lab.jmh(threads.BENCHMARK, FOUND[-1], gc="Parallel", groups=groups, options=options, log="safepoint")
    measured = lab.load(scores["run"].iloc[0])
    assert threads.middle(measured, "park") < threads.middle(measured, "gc")
    assert (measured.safepoints["operation"].str.contains(threads.COLLECTIONS)).sum() >= 5


def test_a_machine_with_a_core_for_no_more_than_some_threads_says_so():
    found = threads._grows_below({"cores": 2, "1 thread_ms": 0.1, "1 threads_ms": 0.1}, 8)
    assert found.state == "unclear" and "2 cores" in found.why


@pytest.mark.parametrize(("least", "most", "state"), [(1.1, 1.3, "fails"), (1.5, 1.7, "holds"), (0.9, 2.1, "unclear")])
def test_what_a_stop_costs_beyond_its_share_is_decided_only_where_the_intervals_decide_it(least, most, state):
    share = {"stopped share": 0.13, "explains": 1.15, "slower": (least + most) / 2}
    assert threads._more_than_its_share({**share, "at least": least, "at most": most}, 8).state == state
