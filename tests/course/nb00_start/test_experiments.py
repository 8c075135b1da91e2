"""The first program: as many stops as it asks for, on every JDK that is here."""

from types import SimpleNamespace

import pandas as pd
import pytest

from safepointlab import jdks
from safepointlab.course.nb00_start import experiments as start

JDKS = sorted({jdk.major for jdk in jdks.find()})
SMALL = "3 30"  # collections, and the sleep before each in ms
each_jdk = pytest.mark.parametrize("jdk", JDKS or [8])


@pytest.mark.live
@each_jdk
def test_hello_safepoint_ends_by_itself_and_tells_of_each_collection(jdk):
    run = start.hello(jdk, args=SMALL)
    assert (run.outcome, run.exit_code, start.requests(run)) == ("exited", 0, 3)


@pytest.mark.live
@each_jdk
def test_each_collection_that_it_asks_for_is_one_stop_in_the_log(jdk):
    assert len(start.collections(start.hello(jdk, args=SMALL))) == 3


@pytest.mark.live
@pytest.mark.timed
@each_jdk
def test_its_worker_reaches_a_safepoint_sooner_than_a_collection_takes(jdk):
    stops = start.collections(start.hello(jdk, args=SMALL))
    assert stops["ttsp_ms"].min() < stops["total_ms"].max() / 2


def test_the_names_of_the_operations_come_with_their_counts():
    log = pd.DataFrame({"operation": ["Halt", "GenCollectFull", "GenCollectFull"]})
    assert start.operations(SimpleNamespace(safepoints=log)) == "GenCollectFull ×2, Halt"
