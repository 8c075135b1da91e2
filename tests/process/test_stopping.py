"""Stop ends the child of the thread that it belongs to, and of no other."""

import contextlib
import threading
import time
from pathlib import Path

import pytest

from safepointlab.errors import Stopped
from safepointlab.process import recording, shell, stopping
from safepointlab.process.shell import Plan


@pytest.fixture(autouse=True)
def runs(tmp_path, monkeypatch):
    monkeypatch.setenv("SAFEPOINTLAB_RUNS", str(tmp_path / "runs"))
    return tmp_path / "runs"


def sleeping(stop: threading.Event) -> threading.Thread:
    def sleep():
        with stopping.by(stop), contextlib.suppress(Stopped):
            shell.execute(Plan(["sh", "-c", "echo $$ > pid; sleep 30"]), deadline=30, key="sleeper")

    thread = threading.Thread(target=sleep)
    thread.start()
    return thread


def test_a_stopped_run_is_recorded_as_interrupted_and_its_child_is_gone(runs):
    stop = threading.Event()
    thread = sleeping(stop)
    while not list(runs.glob("*/pid")):
        time.sleep(0.02)
    stop.set()
    thread.join(5)
    [folder] = runs.iterdir()
    assert recording.load(folder).outcome == "interrupted"
    assert not Path(f"/proc/{(folder / 'pid').read_text().strip()}").exists()


def test_what_was_stopped_before_it_began_starts_nothing():
    stop = threading.Event()
    stop.set()
    with stopping.by(stop), pytest.raises(Stopped, match="stopped: the run was ended"):
        shell.execute(Plan(["touch", "started"]), deadline=5, key="never")


def test_an_event_that_is_set_means_nothing_outside_its_block():
    stop = threading.Event()
    stop.set()
    with stopping.by(stop):
        pass
    assert shell.execute(Plan(["true"]), deadline=5, key="other").outcome == "exited"
