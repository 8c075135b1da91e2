"""What operations cost while all stand: the relations of notebook 12 hold on each JDK."""

import pytest

from safepointlab import jdks
from safepointlab.topics import cost

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
