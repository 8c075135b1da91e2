"""What operations cost while all are stopped: notebook 12's relations hold on each JDK, and its judges see them."""

import re

import pytest

from safepointlab import jdks
from safepointlab.course import verdicts as claims
from safepointlab.course.nb12_cost import experiments as cost
from safepointlab.run import launch
from safepointlab.run.stops import of_run

JDKS = sorted({jdk.major for jdk in jdks.find()} & {8, 11, 17, 21, 25})


@pytest.mark.live
@pytest.mark.parametrize("jdk", JDKS)
def test_a_dump_grows_with_the_threads_is_reached_at_once_and_is_shorter_than_its_call(jdk):
    few, many = (cost.idle(jdk, threads, 64) for threads in (5, 200))
    assert cost.dump_ms(many) > 3 * cost.dump_ms(few)
    assert of_run(many, cost.DUMP)["ttsp_ms"].median() < cost.dump_ms(many) < float(many.values["call_ms"])


@pytest.mark.live
@pytest.mark.parametrize("jdk", JDKS)
def test_a_full_collection_grows_with_what_is_alive(jdk):
    little, much = (cost.collections(jdk, mib)["stopped_ms"].median() for mib in (5, 200))
    assert much > 3 * little


@pytest.mark.live
def test_a_deep_dump_on_17_takes_more_memory_than_on_the_newest():
    heap = {"flags": "-Xms256m -Xmx256m", "gc": "Serial", "args": "dump 1000 256"}
    on_17, on_25 = (launch.java(cost.THREADS, jdk, **heap).finished.max_rss_mib for jdk in (17, 25))
    assert on_17 > 2 * on_25 > 0


def test_a_full_collection_is_known_by_its_name():
    full = ["GenCollectFull", "G1CollectFull", "ParallelGCSystemGC", "SerialGCCollect"]
    young = ["G1CollectForAllocation", "SerialCollectForAllocation", "ParallelGCFailedAllocation"]
    assert [name for name in full + young if re.search(cost.COLLECTION, name)] == full


def judged(name, jdk=17, **evidence):
    [claim] = claims.find([name])
    return claim.judge({**claim.refuted_by[0], **evidence}, jdk).state


@pytest.mark.parametrize(
    ("least", "most", "round_ms", "state"),
    [
        (1.12, 1.15, 250.0, "holds"),
        (1.0, 1.01, 250.0, "fails"),
        (1.04, 1.06, 250.0, "unclear"),  # too near to say
        (1.0, 1.01, 209.0, "unclear"),  # the asker keeps step with whole parks
    ],
)
def test_a_thread_that_parks_is_late_not_late_or_in_step_with_the_asker(least, most, round_ms, state):
    name, rounds = "park beside 1000 threads by none, at {}, times", "the asker's round beside 1000 threads, ms"
    evidence = {name.format("least"): least, name.format("most"): most, rounds: round_ms}
    assert judged("000-48", **evidence) == state


MONITOR, CYCLE, ASKED = "for each monitor more, ns", "CMS: the cycle, ms", "CMS: the longest request, ms"


def test_monitors_decide_by_what_each_of_them_costs_and_a_refused_flag_is_not_asked_for():
    each = "for each monitor more, ns"
    assert [judged("000-33", 17, **{each: ns}) for ns in (10.0, 0.7, 0.04)] == ["holds", "unclear", "changed"]
    assert judged("000-40", **{"with the flags": "the VM does not start"}) == "not asked"
