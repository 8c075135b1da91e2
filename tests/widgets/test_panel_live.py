"""What a panel asks of the kernel, and what it is told until its run has ended."""

import threading
import time
from pathlib import Path

import pytest

from safepointlab.errors import RunFailed
from safepointlab.process import shell
from safepointlab.process.shell import Plan
from safepointlab.widgets.panel_live import Runner, link_id

DEFAULT = {"panel": "02-killer", "key": "17 Serial none javac warm"}


def told(run, message):
    """All that is said after a message, once its thread has ended."""
    says = []
    thread = Runner(says.append, run).hear(message)
    if thread:
        thread.join(10)
    return says


def fails(_sample, **_asked):
    raise RunFailed("exit status 1")


def test_a_page_that_greets_is_greeted():
    assert told(fails, {"do": "hello"}) == [{"state": "here"}]


def test_a_run_says_its_deadline_and_then_its_end():
    started, ended = told(fails, {"do": "run", **DEFAULT})
    assert started == {**DEFAULT, "state": "started", "deadline_s": 3.0}
    assert ended == {**DEFAULT, "state": "failed", "says": "No result: exit status 1"}


@pytest.mark.parametrize(
    "message", [{}, {"panel": "02-killer", "key": "17 rm"}, {"panel": "x; rm", "key": ""}, {"panel": None, "key": None}]
)
def test_what_no_topic_offers_is_answered_in_a_sentence_and_runs_nothing(message):
    [answer] = told(lambda *_, **__: pytest.fail("ran"), {"do": "run", **message})
    assert answer["state"] == "failed" and answer["says"].startswith("No result: ")


def test_a_message_of_another_kind_is_passed_over():
    assert told(fails, {"do": "dance"}) == told(fails, {"do": "stop"}) == told(fails, {}) == []


def asleep(_sample, **_asked):
    return shell.execute(Plan(["sh", "-c", "echo $$ > pid; sleep 30"]), deadline=30, key="panel-sleeper")


def test_stop_ends_the_child_and_says_so_and_the_next_run_may_begin(tmp_path, monkeypatch):
    monkeypatch.setenv("SAFEPOINTLAB_RUNS", str(tmp_path))
    says = []
    runner = Runner(says.append, asleep)
    thread = runner.hear({"do": "run", **DEFAULT})
    while not (pids := list(tmp_path.glob("*/pid"))):
        time.sleep(0.02)
    runner.hear({"do": "stop"})
    thread.join(10)
    assert says[-1]["says"] == "Stopped: its JVM is gone."
    assert not Path(f"/proc/{pids[0].read_text().strip()}").exists()
    runner.hear({"do": "run", "panel": "none", "key": ""}).join(10)
    assert "no panel 'none'" in says[-1]["says"]


def test_a_second_run_waits_for_the_first_to_end():
    says, end = [], threading.Event()
    runner = Runner(says.append, lambda *_, **__: end.wait(10))
    first = runner.hear({"do": "run", **DEFAULT})
    assert runner.hear({"do": "run", **DEFAULT}) is None
    end.set()
    first.join(10)
    assert len([each for each in says if "Another run of a panel is under way" in each.get("says", "")]) == 1


def test_outside_of_a_kernel_there_is_nothing_to_link_to():
    assert link_id() == ""
