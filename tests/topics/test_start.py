"""The first program: as many stops as it asks for, on every JDK that is here."""

import pytest

from safepointlab import jdks
from safepointlab.run import launch

JDKS = sorted({jdk.major for jdk in jdks.find()})
each_jdk = pytest.mark.parametrize("jdk", JDKS or [8])


@pytest.fixture(scope="module")
def hello():
    """A run by JDK, made once."""
    made = {}

    def run(jdk):
        if jdk not in made:
            made[jdk] = launch.java("start/HelloSafepoint", jdk, gc="Serial", args="3 30", log="safepoint", deadline=30)
        return made[jdk]

    return run


@pytest.mark.live
@each_jdk
def test_hello_safepoint_ends_by_itself_and_tells_of_each_collection(hello, jdk):
    run = hello(jdk)
    assert (run.outcome, run.exit_code, run.output.count("collection ")) == ("exited", 0, 3)


@pytest.mark.live
@each_jdk
def test_each_collection_that_it_asks_for_is_one_stop_in_the_log(hello, jdk):
    assert hello(jdk).safepoints["operation"].str.contains("Collect").sum() == 3


@pytest.mark.live
@each_jdk
def test_its_worker_reaches_a_safepoint_sooner_than_a_collection_takes(hello, jdk):
    stops = hello(jdk).safepoints
    stops = stops[stops["operation"].str.contains("Collect")]
    assert stops["ttsp_ms"].min() < stops["total_ms"].max() / 2
