"""What operations cost while all are stopped: the relations of notebook 12 hold on each JDK."""

import re

import pytest

from safepointlab import jdks
from safepointlab.course import verdicts as claims
from safepointlab.course.nb12_cost import experiments as cost

JDKS = sorted({jdk.major for jdk in jdks.find()} & {8, 11, 17, 21, 25})


def middle(frame):
    return frame["stopped_ms"].median()


@pytest.mark.live
@pytest.mark.parametrize("jdk", JDKS)
def test_a_dump_grows_with_the_threads_and_is_reached_at_once(jdk):
    few, many = (cost.of_idle(cost.idle(jdk, threads, 64)) for threads in (5, 200))
    assert middle(many) > 3 * middle(few)
    assert many["ttsp_ms"].median() < middle(many)


@pytest.mark.live
@pytest.mark.parametrize("jdk", JDKS)
def test_a_dump_of_some_threads_does_not_grow_with_all(jdk):
    assert cost.dump_ms(cost.some(jdk, 300, 64)) < middle(cost.of_idle(cost.idle(jdk, 300, 64))) / 3


@pytest.mark.live
@pytest.mark.parametrize("jdk", JDKS)
def test_a_full_collection_grows_with_what_is_alive(jdk):
    little, much = (middle(cost.collections(cost.heap(jdk, mib))) for mib in (5, 200))
    assert much > 3 * little


@pytest.mark.live
@pytest.mark.parametrize("jdk", JDKS)
def test_a_call_of_a_dump_takes_longer_than_the_stop_in_it(jdk):
    run = cost.idle(jdk, 200, 64)
    assert float(run.values["call_ms"]) > middle(cost.of_idle(run))


@pytest.mark.live
def test_a_cycle_of_g1_over_a_map_says_how_long_a_request_waited():
    values = cost.marked(JDKS[-1], "G1", millions=1).values
    assert float(values["asked_ms"]) > 0 and float(values["marked_ms"]) > 0


def judged(name, evidence, jdk=17):
    [claim] = claims.named([name])
    return claim.judge({**claim.refuted_by[0], **evidence}, jdk).state


def test_monitors_decide_by_what_each_of_them_costs_and_not_by_the_jdk():
    each = "for each monitor more, ns"
    assert [judged("000-33", {each: ns}, 8) for ns in (10.0, 0.7, 0.04)] == ["holds", "unclear", "fails"]
    assert [judged("000-33", {each: ns}, 17) for ns in (10.0, 0.7, 0.04)] == ["holds", "unclear", "changed"]


@pytest.mark.parametrize("name", ["GenCollectFull", "G1CollectFull", "ParallelGCSystemGC", "SerialGCCollect"])
def test_a_full_collection_is_known_by_its_name(name):
    assert re.search(cost.COLLECTION, name)


@pytest.mark.parametrize("name", ["G1CollectForAllocation", "SerialCollectForAllocation", "ParallelGCFailedAllocation"])
def test_a_young_collection_is_no_full_one(name):
    assert not re.search(cost.COLLECTION, name)


def parked(least, most, round_ms=250.0):
    name = "park beside 1000 threads by none, at {}, times"
    ends = {name.format("least"): least, name.format("most"): most}
    return judged("000-48", {**ends, "the asker's round beside 1000 threads, ms": round_ms})


def test_a_thread_that_parks_is_late_not_late_or_too_near_to_say():
    assert [parked(1.12, 1.15), parked(1.0, 1.01), parked(1.04, 1.06)] == ["holds", "fails", "unclear"]


def test_parks_that_keep_step_with_the_askers_round_say_nothing():
    assert [parked(1.0, 1.01, round_ms) for round_ms in (209.0, 192.0, 260.0)] == ["unclear", "unclear", "fails"]


def test_a_refused_flag_is_not_asked_and_no_change():
    assert judged("000-40", {"with the flags": "the VM does not start"}) == "not asked"


def test_a_request_that_waits_for_the_marking_of_a_map_holds():
    cycle, asked = ({f"CMS: the {what}, ms": 3000.0} for what in ("cycle", "longest request"))
    assert judged("000-43", {**cycle, **asked}) == "holds"
    assert judged("000-43", {**cycle, "CMS: the longest request, ms": 30.0}) == "changed"
