"""A sweep on an executor's machines: without a JVM, where the runs are recorded folders; and with real ones."""

import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from itertools import pairwise
from pathlib import Path

import pandas as pd
import pytest

import safepointlab as lab
from safepointlab import jdks
from safepointlab.errors import BadInput, JdkNotFound, LabError, StorageFailed
from safepointlab.process import home, machine_lock, recording, stopping
from safepointlab.run import remote

pytestmark = pytest.mark.timeout(150)
FORK = multiprocessing.get_context("fork")  # so that a worker has what a test puts in the place of a JVM
NEWEST = max((jdk.major for jdk in jdks.find()), default=25)
RECORD = {"command": ["java"], "outcome": "exited", "exit_code": 0, "started": "", "wall_ms": 1, "cpu_ms": 1}


@pytest.fixture
def program(tmp_path, monkeypatch):
    """A program outside of the checkout; runs are kept in a folder of the test, and `made` stands for a JVM."""
    monkeypatch.setenv("SAFEPOINTLAB_RUNS", str(tmp_path / "runs"))
    monkeypatch.setenv("SAFEPOINTLAB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(machine_lock, "shared_folder", lambda: tmp_path)
    monkeypatch.setattr(remote, "make_run", made)
    path = tmp_path / "Talker.java"
    path.write_text("class Talker {}")
    return str(path)


def made(ticket):
    """As if a JVM had run: a recorded folder with a log in it."""
    folder = home.ready(recording.new_folder("Talker-abc"))
    (folder / "stdout.txt").write_text(f"n={ticket['point']['repeat']}\n")
    (folder / "gc.log").write_text("[0.1s] GC(0)\n")
    request = {"sample": ticket["sample"], "log": ["gc"]}
    about = {"request": request, "program": {"name": ticket["sample"]}, "machine": {"cores": 7}}
    recording.write_json(folder / "run.json", {**RECORD, "max_rss_mib": None, "about": about})
    return {"run": folder.name, "attempts": 1, "sample": ticket["sample"], "files": remote.pack(folder)}


@pytest.fixture
def behave(monkeypatch):
    """Let a worker do this before it makes a run: behave(lambda point: ...)."""

    def patch(before):
        monkeypatch.setattr(remote, "make_run", lambda ticket: before(ticket["point"]) or made(ticket))

    return patch


def fail(error):
    raise error


class Elsewhere(Executor):
    """Another machine: what travels is pickled both ways, and its runs are kept in a folder of its own."""

    def __init__(self, place: Path) -> None:
        self.place = place

    def submit(self, function, *args):
        future, here = Future(), os.environ["SAFEPOINTLAB_RUNS"]
        os.environ["SAFEPOINTLAB_RUNS"] = str(self.place)
        try:
            future.set_result(pickle.loads(pickle.dumps(function(*pickle.loads(pickle.dumps(args))))))
        finally:
            os.environ["SAFEPOINTLAB_RUNS"] = here
        return future


@pytest.fixture
def there(tmp_path):
    return Elsewhere(tmp_path / "there")


def test_a_run_comes_back_from_another_machine_with_its_logs_as_texts(program, there, tmp_path):
    frame = lab.sweep(program, repeat=2, executor=there, also={"line": lambda run: run.output})
    assert list(frame["line"]) == ["n=0\n", "n=1\n"] and list(frame["n"]) == [0, 1]
    assert frame["host"][0] and " cores, " in frame["machine"][0] and "GiB" in frame["stamp"][0]
    run = lab.load(frame["run"][0])
    assert run.folder.parent == tmp_path / "runs" and run.logs("gc")[0].read_text() == "[0.1s] GC(0)\n"


def test_a_replay_prefers_the_runs_of_this_machine(program, there, tmp_path):
    frame = lab.sweep(program, executor=there)
    own = tmp_path / "runs" / "Talker-abc-20000101T000000-abcdef"  # older, and made here
    own.mkdir()
    recording.write_json(own / "run.json", {**RECORD, "max_rss_mib": None})
    names = [each.folder.name for each in recording.recorded("Talker-abc", tmp_path / "runs")]
    assert names == [own.name, frame["run"][0]]


def test_a_program_that_the_other_machine_lacks_travels_as_text(program, tmp_path):
    ticket = remote.ticket_of(program, {"jdk": 25}, {}, 0, "x")
    assert remote.sample_here(ticket) == program
    Path(program).unlink()
    sent = Path(remote.sample_here(ticket))
    assert sent.read_text() == "class Talker {}" and sent.is_relative_to(tmp_path / "cache")


def test_what_one_machine_lacks_costs_its_own_run_alone(program, there, behave):
    errors = {99: JdkNotFound("no JDK 99"), 17: StorageFailed("the disk is full")}
    behave(lambda point: fail(errors[point["jdk"]]) if point["jdk"] in errors else None)
    frame = lab.sweep(program, jdk=[99, 17, 25], executor=there)
    assert list(frame["outcome"]) == ["no JDK", "lost", "exited"] and frame["host"].all()
    assert list(frame["reason"][:2]) == ["no JDK 99", "the disk is full"]


def test_a_worker_that_dies_is_an_outcome_and_what_was_made_before_is_kept(program, behave):
    # until the first two have come back
    behave(lambda point: (time.sleep(0.5), os._exit(1)) if point["repeat"] == 2 else None)
    with ProcessPoolExecutor(1, mp_context=FORK) as pool:
        frame = lab.sweep(program, repeat=4, executor=pool)
    assert list(frame["outcome"]) == ["exited", "exited", "lost", "lost"]
    assert "BrokenProcessPool" in frame["reason"][2] and lab.load(frame["run"][1]).values == {"n": 1.0}


def test_if_nothing_comes_back_that_is_an_error_with_the_reason(program, there, behave, monkeypatch):
    behave(lambda point: os._exit(1))
    nothing = r"not one of 2 runs came back .*BrokenProcessPool"
    with ProcessPoolExecutor(1, mp_context=FORK) as pool, pytest.raises(LabError, match=nothing):
        lab.sweep(program, repeat=2, executor=pool)
    monkeypatch.setattr(remote, "ticket_of", lambda *_: {"lab": "9.9.9", "sample": program})
    with pytest.raises(LabError, match=r"not one of 1 runs .* is installed there, and 9\.9\.9 asks"):
        lab.sweep(program, executor=there)


def test_an_interrupt_cancels_what_has_not_begun_ends_what_runs_and_keeps_what_was_made(program, tmp_path, behave):
    begun = []

    def wait_until_stopped(point):
        begun.append(point["repeat"])
        while point["repeat"]:  # all but the first
            stopping.raise_if_stopped()
            time.sleep(0.02)

    behave(wait_until_stopped)
    begin, interrupt = time.monotonic(), {"x": lambda run: fail(KeyboardInterrupt())}
    with pytest.raises(KeyboardInterrupt), ThreadPoolExecutor(1) as pool:  # of two the second may have its turn first
        lab.sweep(program, repeat=9, executor=pool, also=interrupt)
    assert time.monotonic() - begin < 30 and len(begun) <= 2
    assert list((tmp_path / "runs").glob("*/run.json")) and not list(tmp_path.glob("*.cancelled"))


def test_one_run_at_a_time_is_made_on_a_machine(program, behave):
    running, most = [], []

    def count(point):
        running.append(1)
        most.append(len(running))
        time.sleep(0.05)
        running.pop()

    behave(count)
    with ThreadPoolExecutor(4) as pool:
        lab.sweep(program, repeat=6, executor=pool)
    assert most == [1] * 6


def test_the_machines_lock_is_free_again_when_its_process_dies(program):
    def die():
        with machine_lock.held():
            os._exit(0)

    process = FORK.Process(target=die)
    process.start()
    process.join(30)
    with machine_lock.held():
        assert (machine_lock.shared_folder() / machine_lock.NAME).exists()


def test_a_thread_that_waits_for_the_lock_can_be_stopped(program):
    stop, ended = threading.Event(), []

    def wait():
        with stopping.stopped_by(stop), pytest.raises(LabError, match="stopped"), machine_lock.held():
            raise AssertionError("it was not free")
        ended.append(True)

    with machine_lock.held():
        thread = threading.Thread(target=wait)
        thread.start()
        stop.set()
        thread.join(30)
    assert ended


def test_a_lock_that_cannot_be_opened_is_named(program, tmp_path):
    (tmp_path / machine_lock.NAME).symlink_to(tmp_path / "elsewhere")
    why = r"cannot open .*turn\.lock, by which runs of this machine wait"
    with pytest.raises(StorageFailed, match=why), machine_lock.held():
        pass


def test_what_makes_no_sense_is_refused_before_anything_travels(program, there):
    (closed := ThreadPoolExecutor(1)).shutdown()
    for settings, words in [
        ({"executor": 5}, "executor must be a concurrent.futures.Executor .*, got a value of type int"),
        ({"executor": there, "jobs": 2}, "exclude each other"),
        ({"executor": closed}, "the executor takes no work: .*Give one that has not been shut down"),
        ({"executor": there, "flags": "'-Xint"}, "no closing quotation"),
    ]:
        with pytest.raises(BadInput, match=words):
            lab.sweep(program, **settings)
    assert not there.place.exists()


def test_an_answer_with_a_name_that_leads_elsewhere_is_not_written(program, tmp_path):
    answer = {"host": "h", "run": "r", "files": {"../../x": b""}, "sample": program}
    with pytest.raises(LabError, match="not a file of a run. Nothing was kept"):
        remote.receive(answer, {"sample": program})
    assert not (tmp_path / "runs").exists()


@contextmanager
def dask():
    distributed = pytest.importorskip("distributed", reason="Dask's distributed is not in the lock")
    cluster = distributed.LocalCluster(n_workers=2, threads_per_worker=2, dashboard_address=None)
    with cluster, distributed.Client(cluster) as client:
        yield client.get_executor()


EXECUTORS: dict[str, Callable[[], AbstractContextManager[Executor]]] = {
    "threads": lambda: ThreadPoolExecutor(3),
    "processes": lambda: ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")),
    "dask": dask,
}


@pytest.mark.live
@pytest.mark.parametrize("name", EXECUTORS)
def test_an_executor_makes_the_runs_one_at_a_time_and_they_come_back_with_their_logs(name, talker, monkeypatch):
    monkeypatch.setenv("SAFEPOINTLAB_RUNS", f"{Path(talker).parent}/runs")
    with EXECUTORS[name]() as pool:
        stops = {"stops": lambda run: len(run.safepoints)}  # a lambda need not travel
        frame = lab.sweep(talker, jdk=[NEWEST, 99], args=["", "nap"], log="safepoint", also=stops, executor=pool)
    assert list(frame["outcome"]) == ["exited", "exited", "no JDK", "no JDK"] and list(frame["n"][:2]) == [0, 1]
    assert (frame["stops"][:2] > 0).all() and frame["stamp"].str.contains("GiB").all()
    runs = sorted((lab.load(name).finished for name in frame["run"][:2]), key=lambda run: run.started)
    ends = [pd.Timestamp(run.started) + pd.Timedelta(milliseconds=run.wall_ms) for run in runs]
    assert all(pd.Timestamp(later.started) >= end for (_, later), end in zip(pairwise(runs), ends[:-1], strict=True))


@pytest.mark.live
def test_a_ctrl_c_leaves_no_jvm_of_a_worker(talker, tmp_path, monkeypatch, processes_in, eventually):
    runs = tmp_path / "runs"
    monkeypatch.setenv("SAFEPOINTLAB_RUNS", str(runs))
    script = tmp_path / "spread.py"
    script.write_text(
        "from concurrent.futures import ProcessPoolExecutor\nimport safepointlab as lab\n"
        "if __name__ == '__main__':\n    with ProcessPoolExecutor(2) as pool:\n"
        f"        lab.sweep({talker!r}, jdk={NEWEST}, args=['forever'], repeat=4, deadline=120, executor=pool)\n"
    )
    take_back = lambda: signal.signal(signal.SIGINT, signal.default_int_handler)  # noqa: E731 - a CI may ignore it
    sweep = subprocess.Popen([sys.executable, str(script)], stderr=subprocess.DEVNULL, preexec_fn=take_back)
    try:
        assert eventually(lambda: list(runs.glob("*/stdout.txt")), 60)
        os.kill(sweep.pid, signal.SIGINT)  # to the sweep alone, as Jupyter's Interrupt does it
        assert sweep.wait(60) != 0
    finally:
        sweep.kill()
    assert eventually(lambda: not processes_in(runs), 60)
