"""What operations cost while all are stopped: notebook 12's relations hold on each JDK, and its judges see them."""

import re

import pytest

from safepointlab import jdks
from safepointlab.course.nb12_cost import experiments as cost
from safepointlab.run import launch
from safepointlab.run.stops import of_run
from tests.course.conftest import answer_of

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


@pytest.mark.parametrize(
    ("park_us", "round_us", "said"),
    [
        ([112e3, 113e3, 115e3], 250e3, "holds"),
        ([100.0e3, 100.1e3, 100.3e3], 250e3, "differs"),
        ([100.1e3, 100.6e3, 100.7e3], 250e3, "unclear"),
        ([100.0e3, 100.1e3, 100.3e3], 209e3, "unclear"),  # the asker keeps step with whole parks
    ],
)
def test_a_thread_that_parks_is_late_not_late_or_in_step_with_the_asker(park_us, round_us, said):
    none = {f"park with {few}, us": [100.1e3] * 3 for few in ("no idle thread", "1000 idle threads and no dumps")}
    many = {"park with 1000 idle threads, us": park_us, "dumpAll with 1000 idle threads, us": [round_us] * 3}
    assert answer_of("000-48", none | many) == said


@pytest.mark.parametrize(("alone_us", "said"), [(7.0, "holds"), (11.5, "unclear"), (12.5, "differs")])
def test_a_thread_pays_for_dumps_if_idle_threads_without_dumps_cost_it_less(alone_us, said):
    few = {"contains1 with no idle thread, us": [6.8, 7.0, 7.2]}
    alone = {"contains1 with 1000 idle threads and no dumps, us": [alone_us - 0.1, alone_us, alone_us + 0.8]}
    many = {"contains1 with 1000 idle threads, us": [12.0, 12.2, 12.4]}
    assert answer_of("000-31", few | alone | many) == said


@pytest.mark.parametrize(("many", "said"), [(60.0, "holds"), (30.5, "unclear"), (10.1, "differs")])
def test_monitors_decide_by_what_each_of_them_costs(many, said):
    evidence = {}
    for what, few, more in [
        ("a collection", 5.0, 200.0), ("a dump by threads", 1.0, 90.0), ("a dump by depth", 9.0, 90.0),
    ]:  # fmt: skip
        evidence |= halves(what, few, few, few) | halves(what, more, more, more, "many")
    # 495,000 monitors more: a nanosecond each is half a millisecond
    spread = 0.1 if said != "unclear" else 25.0
    stop = "a stop with idle monitors"
    monitors = halves(stop, 10.0, 10.0, 10.0) | halves(stop, many - spread, many, many + spread, "many")
    assert answer_of("000-33", evidence | monitors) == said


def halves(what, lower, middle, upper, size="few"):
    return {f"{what}, {size}: middle half and median, ms": [lower, middle, upper]}


def test_a_table_with_a_row_too_few_or_without_a_name_names_not_each_stop():
    table = {"stops": 4, "rows of the table": 5, "rows of collections": 1}
    table |= {"rows without an operation": 4, "of these a second after another stop": 3}
    assert answer_of("000-40", table) == "holds"
    assert answer_of("000-40", {**table, "rows of the table": 3}) == "differs"
    assert answer_of("000-40", {**table, "rows of collections": 0}) == "differs"
    assert answer_of("000-40", {**table, "of these a second after another stop": 2}) == "differs"
