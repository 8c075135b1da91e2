"""The bench runs one JVM at a time, keeps what was, and stops when it is told to."""

import threading

import pytest

from safepointlab.errors import BadInput, Stopped
from safepointlab.process import stopping
from safepointlab.widgets.workbench.attempt import Attempt
from safepointlab.widgets.workbench.bench import Bench, Now
from safepointlab.widgets.workbench.choice import Choice

TWO = Choice("hang/KillerTask", ("8", "17"), deadline=5)


def at_once(number, choice, jdk):
    return Attempt(number, choice, jdk, error="no such JDK", kind="JdkNotFound")


def until_stopped(number, choice, jdk):
    """What a run does: it looks every now and then whether it should stop."""
    while True:
        try:
            stopping.look()
        except Stopped as stop:
            return Attempt(number, choice, jdk, error=str(stop), kind="Stopped")
        threading.Event().wait(0.01)


def test_each_jdk_is_an_attempt_with_a_number_of_its_own():
    bench = Bench(try_one=at_once)
    bench.start(TWO)
    assert bench.wait(5)
    assert [(one.number, one.jdk) for one in bench.history] == [(1, "8"), (2, "17")]


def test_the_newest_comes_first_in_the_history():
    bench = Bench(try_one=at_once)
    for _ in range(2):
        bench.start(TWO)
        bench.wait(5)
    assert [row["number"] for row in bench.rows()] == [4, 3, 2, 1]


def test_a_stop_ends_the_run_and_the_jdks_that_wait():
    bench = Bench(try_one=until_stopped)
    bench.start(TWO)
    bench.stop()
    assert bench.wait(5)
    assert [one.outcome for one in bench.history] == ["stopped"]


def test_a_second_start_is_refused_while_the_first_one_runs():
    bench = Bench(try_one=until_stopped)
    bench.start(TWO)
    with pytest.raises(BadInput, match="still under way"):
        bench.start(TWO)
    bench.stop()
    assert bench.wait(5)


def test_after_a_stop_the_next_run_is_not_stopped():
    bench = Bench(try_one=until_stopped)
    bench.start(TWO)
    bench.stop()
    bench.wait(5)
    bench.try_one = at_once
    bench.start(TWO)
    bench.wait(5)
    assert [one.outcome for one in bench.history[1:]] == ["no such JDK"] * 2


def test_the_page_hears_of_each_begin_and_of_the_end():
    heard = []
    bench = Bench(try_one=at_once, changed=lambda: heard.append((bench.now.running, bench.now.place)))
    bench.start(TWO)
    bench.wait(5)
    assert heard == [(True, 1), (True, 2), (False, 0)]


def test_an_error_that_nobody_expected_leaves_the_bench_usable(monkeypatch):
    monkeypatch.setattr(threading, "excepthook", lambda _: None)
    bench = Bench(try_one=lambda *_: 1 / 0)
    bench.start(TWO)
    bench.wait(5)
    assert not bench.running and bench.now == Now()


def test_a_run_is_compared_with_the_one_before_it_that_has_a_run():
    bench = Bench()
    run = object()
    bench.history = [Attempt(n, TWO, "8", run if n != 2 else None) for n in (1, 2, 3)]
    assert [getattr(bench.before(n), "number", None) for n in (1, 2, 3)] == [None, 1, 1]
