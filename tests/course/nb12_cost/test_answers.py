"""Notebook 12: which outcome of a question comes by what the runs show, and what solves an exercise."""

from types import SimpleNamespace

import pandas as pd
import pytest

from safepointlab.course import lessons
from safepointlab.course.nb12_cost import answers
from safepointlab.course.nb12_cost import experiments as cost
from safepointlab.errors import BadInput
from safepointlab.run import launch
from tests.course.conftest import classify, graded

DUMP, SEARCH, FULL = "ThreadDump", "FindDeadlocks", "GenCollectFull"


@pytest.fixture
def four(sweep):
    """four(threads, calls, live, monitors): the sweeps of part 2; stops that are so many times as long at the end."""

    def make(threads, calls, live, monitors, first=1.0, jdk=17):
        ends = [
            (cost.THREADS, DUMP, "dump 10 256", "dump 1000 256", threads),
            (cost.THREADS, DUMP, "dump 1000 16", "dump 1000 256", calls),
            (cost.LIVE, FULL, 10, 400, live),
            (cost.MONITORS, SEARCH, 5_000, 500_000, monitors),
        ]
        return [
            sweep(name, operation, {(jdk, few): [first], (jdk, many): [first * times]})
            for name, operation, few, many, times in ends
        ]

    return make


def test_what_grows_is_told_one_by_one(four):
    sweeps = four(100.0, 2.9, 40.0, 1.2)
    assert classify("12-grows", *sweeps).keys == {"threads", "live MiB"}
    assert cost.times(cost.by_size(*sweeps)).loc[17, "threads"] == pytest.approx(100.0)
    assert set(lessons.prediction("12-grows").outcomes) == set(cost.SIZES.values())


def test_stops_that_stay_short_have_no_factor(four):
    *three, monitors = four(9.0, 9.0, 9.0, 2.0)
    assert "monitors ×2.0" in classify("12-grows", *three, monitors).facts
    [*_, short] = four(9.0, 9.0, 9.0, 2.0, first=0.05)
    assert "monitors below 0.2 ms throughout" in classify("12-grows", *three, short).facts
    assert cost.times(cost.by_size(short)).max(axis=None) == 1.0  # chance


def test_what_grows_is_told_of_the_jdk_that_has_run_all_four(four):
    assert "On JDK 8," in classify("12-grows", *four(9.0, 9.0, 9.0, 9.0, jdk=8)).facts
    *three, _ = four(9.0, 9.0, 9.0, 9.0, jdk=8)
    [*_, other] = four(9.0, 9.0, 9.0, 9.0)
    with pytest.raises(BadInput, match="no JDK has run all"):
        classify("12-grows", *three, other)
    with pytest.raises(BadInput, match="it is about threads, calls on a stack, live MiB and monitors"):
        classify("12-grows", *three)


def test_only_the_first_of_two_stops_after_an_inflation_counts(sweep):
    monitors = sweep(cost.MONITORS, SEARCH, {(8, 5_000): [4.0, 0.1, 4.0, 0.1]})
    assert cost.by_size(monitors)["stopped_ms"].tolist() == pytest.approx([4.0, 4.0])


def test_the_operation_is_the_one_that_the_arguments_ask_for_and_one_number_grows(sweep):
    both = sweep(cost.THREADS, DUMP, {(17, "dump 10 16"): [1.0], (17, "dump 1000 256"): [9.0]})
    with pytest.raises(BadInput, match="differ in more than one argument: 'dump 10 16', 'dump 1000 256'"):
        cost.by_size(both)
    searches = sweep(cost.THREADS, SEARCH, {(17, "deadlocks 10 16"): [1.0], (17, "deadlocks 1000 16"): [2.0]})
    assert cost.by_size(searches)["stopped_ms"].tolist() == pytest.approx([1.0, 2.0])
    concurrent = sweep(cost.LIVE, "ZMarkStart", {(17, 10): [0.1], (17, 400): [0.2]})
    assert cost.by_size(concurrent)["size"].tolist() == [10.0, 400.0]


@pytest.mark.parametrize(
    ("ms", "key"),
    [((90, 150, 50), "middle"), ((150, 90, 50), "oldest"), ((50, 90, 150), "newest"), ((90, 110, 100), "same")],
)
def test_the_slowest_jdk_is_the_oldest_the_newest_or_between(sweep, ms, key):
    times = {(jdk, "dump 1000 256"): [each] for jdk, each in zip((8, 17, 25), ms, strict=True)}
    assert classify("12-jdks", sweep(cost.THREADS, DUMP, times)).keys == {key}
    assert classify("12-jdks", sweep(cost.THREADS, DUMP, {(8, "dump 1000 256"): [90.0]})).keys == set()


def test_dumps_that_differ_in_more_than_the_jdk_are_not_compared(sweep):
    times = {(jdk, args): [9.0 * jdk] for jdk in (8, 17) for args in ("dump 1000 16", "dump 1000 256")}
    found = classify("12-jdks", sweep(cost.THREADS, DUMP, times))
    assert found.keys == set() and "72 ms on JDK 8; 153 ms on JDK 17" in found.facts


@pytest.fixture
def beside(sweep):
    """beside(2.0): a search takes so many times as long with 1,000 idle threads, all stopped half of the time."""

    def make(slower, jdk=17, idle=(0, 1000)):
        us = {"contains1": (5.0, 5.0 * slower), "dumpAll": (100_000.0, 300_000.0)}
        dumps = sweep(cost.THREADS, DUMP, {(jdk, "dump 1000 256"): [149.9]})
        rows = [
            (jdk, threads, metric, 1.0, ends[place], dumps["run"].item())
            for metric, ends in us.items()
            for place, threads in enumerate(idle)
        ]
        return pd.DataFrame(rows, columns=["jdk", "idle", "metric", "score", "median", "run"])

    return make


@pytest.mark.parametrize(("slower", "keys"), [(1.05, {"not"}), (2.1, {"share"}), (2.6, {"more"}), (1.3, {"less"})])
def test_a_search_loses_what_the_stops_take_or_more(beside, slower, keys):
    found = classify("12-search", beside(slower))
    assert found.keys == keys and "50 % is left, and 1/0.50 = 2.0." in found.facts


def test_several_jdks_must_agree_and_one_number_of_threads_compares_nothing(beside):
    both = classify("12-search", pd.concat([beside(2.1), beside(2.6, jdk=25)]))
    assert both.keys == set() and "On JDK 25 a search" in both.facts
    assert classify("12-search", beside(2.1, idle=(1000,))).keys == set()


ALL = "return management.dumpAllThreads(false, false);"
TEN = """int from = number * 10 % ids.length;
        return management.getThreadInfo(java.util.Arrays.copyOfRange(ids, from, from + 10), Integer.MAX_VALUE);"""


def run(operation, stop_ms, count=1, **values):
    log = pd.DataFrame({"operation": [operation] * count, "ttsp_ms": 0.1, "total_ms": stop_ms + 0.1})
    return SimpleNamespace(safepoints=log, values=values)


@pytest.mark.parametrize(("long_ms", "holds"), [(0.2, True), (30.0, False), (200.0, False)])
def test_a_collectors_stops_are_a_fifth_of_serials(monkeypatch, long_ms, holds):
    serial = run("GenCollectFull", 100.0)
    monkeypatch.setattr(launch, "java", lambda *_, gc="", **__: serial if gc else run("ZMarkStart", long_ms))
    assert graded("12-1", "-XX:+UseSome").holds is holds


@pytest.mark.parametrize(
    ("seen", "stop_ms", "holds", "says"),
    [
        (400, 4.0, True, "It sees enough"),
        (0, 4.0, False, "the program sees only 0 threads with their whole stacks."),
        (1000, 90.0, False, "a look stops the JVM for 90.0 ms, and a dump of all threads for 100.0 ms."),
    ],
)
def test_a_sampler_sees_enough_in_short_stops(monkeypatch, edited, seen, stop_ms, holds, says):
    looks, dump = run("ThreadDump", stop_ms, answers.LOOKS, seen=float(seen)), run("ThreadDump", 100.0)
    monkeypatch.setattr(launch, "java", lambda sample, *_, **__: looks if sample.endswith(".java") else dump)
    judged = graded("12-2", edited("12-2", ALL, "return null;"))
    assert judged.holds is holds and says in judged.does


@pytest.mark.live
def test_ten_stacks_a_look_are_cheaper_and_five_frames_of_each_are_not_enough(edited):
    assert graded("12-2", edited("12-2", ALL, TEN)).holds
    shallow = graded("12-2", edited("12-2", ALL, "return management.getThreadInfo(ids, 5);"))
    assert not shallow.holds and "only 0 threads" in shallow.does


@pytest.mark.parametrize(("percent", "holds"), [(60, True), (52.0, True), (75, False), (100, False)])
def test_the_stop_is_a_part_of_the_call(monkeypatch, percent, holds):
    monkeypatch.setattr(launch, "java", lambda *_, **__: run("ThreadDump", 180.0, call_ms=300.0))
    judged = graded("12-3", percent)
    assert judged.holds is holds is ("180 ms" in judged.does)  # a wrong answer does not tell the right one
