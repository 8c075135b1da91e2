"""What operations cost while all stand: the relations of notebook 12 hold on each JDK."""

import pytest

import safepointlab as lab
from safepointlab import jdks
from safepointlab.claims import cost
from safepointlab.run.stops import of_run

FOUND = sorted({jdk.major for jdk in jdks.find()} & {8, 11, 17, 21, 25})


def middle(frame):
    return frame["stopped_ms"].median()


@pytest.mark.live
@pytest.mark.parametrize("jdk", FOUND)
def test_a_dump_grows_with_the_threads_and_is_reached_at_once(jdk):
    few, many = cost.idle(jdk, 5, 64), cost.idle(jdk, 200, 64)
    assert middle(many) > 3 * middle(few)
    assert many["ttsp_ms"].median() < middle(many)


@pytest.mark.live
@pytest.mark.parametrize("jdk", FOUND)
def test_a_dump_of_some_threads_does_not_grow_with_all(jdk):
    run = lab.java("cost/DumpSomeThreads", jdk, args="dump 300 64", log="safepoint")
    assert middle(of_run(run, "ThreadDump")) < middle(cost.idle(jdk, 300, 64)) / 3


@pytest.mark.live
@pytest.mark.parametrize("jdk", FOUND)
def test_a_full_collection_grows_with_what_is_alive(jdk):
    assert middle(cost.heap(jdk, 200)) > 3 * middle(cost.heap(jdk, 5))
