"""A sweep on an executor's machines, without a JVM: the runs are recorded folders."""

import multiprocessing
import os
import pickle
import threading
import time
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import pytest

import safepointlab as lab
from safepointlab.errors import BadInput, JdkNotFound, LabError, StorageFailed
from safepointlab.process import home, machine_lock, recording, stopping
from safepointlab.run import travel

pytestmark = pytest.mark.timeout(60)
FORK = multiprocessing.get_context("fork")  # so that a worker has what a test puts in the place of a JVM
RECORD = {"command": ["java"], "outcome": "exited", "exit_code": 0, "started": "", "wall_ms": 1, "cpu_ms": 1}


@pytest.fixture
def program(tmp_path, monkeypatch):
    """A program outside of the checkout; runs are kept in a folder of the test, and `made` stands for a JVM."""
    monkeypatch.setenv("SAFEPOINTLAB_RUNS", str(tmp_path / "runs"))
    monkeypatch.setenv("SAFEPOINTLAB_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("SAFEPOINTLAB_REPLAY", raising=False)
    monkeypatch.setattr(machine_lock, "shared_folder", lambda: tmp_path)
    monkeypatch.setattr(travel, "_made", made)
    path = tmp_path / "Talker.java"
    path.write_text("class Talker {}")
    return str(path)


def made(asked):
    """As if a JVM had run: a recorded folder with a log in it."""
    folder = home.ready(recording.new_folder("Talker-abc"))
    (folder / "stdout.txt").write_text(f"n={asked['point']['repeat']}\n")
    (folder / "gc.log").write_text("[0.1s] GC(0)\n")
    request = {"sample": asked["sample"], "log": ["gc"]}
    about = {"request": request, "program": {"name": asked["sample"]}, "machine": {"cores": 7}}
    recording.write_json(folder / "run.json", {**RECORD, "max_rss_mib": None, "about": about})
    return {"run": folder.name, "attempts": 1, "sample": asked["sample"], "files": travel._packed(folder)}


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


def test_a_run_comes_back_from_another_machine_with_its_logs_as_texts(program, tmp_path):
    frame = lab.sweep(program, repeat=2, executor=Elsewhere(tmp_path / "there"), also={"line": lambda r: r.output})
    assert list(frame["line"]) == ["n=0\n", "n=1\n"] and list(frame["n"]) == [0, 1]
    run = lab.load(frame["run"][0])
    assert run.folder.parent == tmp_path / "runs" and run.logs("gc")[0].read_text() == "[0.1s] GC(0)\n"


def test_a_replay_prefers_the_runs_of_this_machine(program, tmp_path):
    frame = lab.sweep(program, executor=Elsewhere(tmp_path / "there"))
    own = tmp_path / "runs" / "Talker-abc-20000101T000000-abcdef"  # older, and made here
    own.mkdir()
    recording.write_json(own / "run.json", {**RECORD, "max_rss_mib": None})
    assert [each.folder.name for each in recording.recorded("Talker-abc", tmp_path / "runs")] == [
        own.name,
        frame["run"][0],
    ]


def test_each_row_has_its_machines_stamp_and_only_with_an_executor(program, tmp_path, monkeypatch):
    frame = lab.sweep(program, executor=Elsewhere(tmp_path / "there"))
    assert frame["host"][0] and " cores, " in frame["machine"][0] and "GiB" in frame["stamp"][0]
    from safepointlab.run import sweep

    monkeypatch.setattr(sweep, "_here", lambda *_: [{"jdk": 25}])
    assert not {"host", "machine", "stamp"} & set(lab.sweep(program))


def test_a_program_that_the_other_machine_lacks_travels_as_text(program, monkeypatch, tmp_path):
    asked = travel.ticket(program, {"jdk": 25}, {}, 0, "x")
    assert travel._sample(asked) == program
    Path(program).unlink()
    sent = Path(travel._sample(asked))
    assert sent.read_text() == "class Talker {}" and sent.is_relative_to(tmp_path / "cache")


def test_a_jdk_that_a_machine_lacks_is_a_row_with_the_reason_and_the_machine(program, tmp_path, monkeypatch):
    def one(asked):
        if asked["point"]["jdk"] == 99:
            raise JdkNotFound("no JDK 99")
        return made(asked)

    monkeypatch.setattr(travel, "_made", one)
    frame = lab.sweep(program, jdk=[99, 25], executor=Elsewhere(tmp_path / "there"))
    assert list(frame["outcome"]) == ["no JDK", "exited"] and frame["reason"][0] == "no JDK 99" and frame["host"].all()


def test_a_full_disk_on_one_machine_loses_its_run_alone(program, tmp_path, monkeypatch):
    def one(asked):
        if asked["point"]["repeat"] == 1:
            raise StorageFailed("the disk is full")
        return made(asked)

    monkeypatch.setattr(travel, "_made", one)
    frame = lab.sweep(program, repeat=3, executor=Elsewhere(tmp_path / "there"))
    assert list(frame["outcome"]) == ["exited", "lost", "exited"] and frame["reason"][1] == "the disk is full"


def test_a_worker_that_dies_is_an_outcome_and_what_was_made_before_is_kept(program, monkeypatch):
    def one(asked):
        if asked["point"]["repeat"] == 2:
            time.sleep(0.5)  # until the first two have come back
            os._exit(1)
        return made(asked)

    monkeypatch.setattr(travel, "_made", one)
    with ProcessPoolExecutor(1, mp_context=FORK) as pool:
        frame = lab.sweep(program, repeat=4, executor=pool)
    assert list(frame["outcome"]) == ["exited", "exited", "lost", "lost"]
    assert "BrokenProcessPool" in frame["reason"][2] and lab.load(frame["run"][1]).values == {"n": 1.0}


def test_if_nothing_comes_back_that_is_an_error_with_the_reason(program, monkeypatch):
    monkeypatch.setattr(travel, "_made", lambda asked: os._exit(1))
    with (
        ProcessPoolExecutor(1, mp_context=FORK) as pool,
        pytest.raises(LabError, match=r"not one of 2 runs came back .*BrokenProcessPool"),
    ):
        lab.sweep(program, repeat=2, executor=pool)


def test_another_version_of_the_lab_is_a_reason(program, monkeypatch, tmp_path):
    monkeypatch.setattr(travel, "ticket", lambda *_: {"lab": "9.9.9", "sample": program})
    with pytest.raises(LabError, match=r"not one of 1 runs .* is installed there, and 9\.9\.9 asks"):
        lab.sweep(program, executor=Elsewhere(tmp_path))


def test_an_interrupt_cancels_what_has_not_begun_ends_what_runs_and_keeps_what_was_made(program, tmp_path, monkeypatch):
    begun = []

    def one(asked):
        begun.append(asked["point"]["repeat"])
        while asked["point"]["repeat"]:  # all but the first, until they are stopped
            stopping.look()
            time.sleep(0.02)
        return made(asked)

    def interrupted(run):
        raise KeyboardInterrupt

    monkeypatch.setattr(travel, "_made", one)
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt), ThreadPoolExecutor(1) as pool:  # of two the second may have its turn first
        lab.sweep(program, repeat=9, executor=pool, also={"x": interrupted})
    assert time.monotonic() - begin < 30 and len(begun) <= 2
    assert list((tmp_path / "runs").glob("*/run.json")) and not list(tmp_path.glob("*.cancelled"))


def test_one_run_at_a_time_is_made_on_a_machine(program, monkeypatch):
    running, most = [], []

    def one(asked):
        running.append(1)
        most.append(len(running))
        time.sleep(0.05)
        running.pop()
        return made(asked)

    monkeypatch.setattr(travel, "_made", one)
    with ThreadPoolExecutor(4) as pool:
        lab.sweep(program, repeat=6, executor=pool)
    assert most == [1] * 6


def test_the_turn_is_free_again_when_its_process_dies(program):
    def dies():
        with machine_lock.taken():
            os._exit(0)

    process = FORK.Process(target=dies)
    process.start()
    process.join(30)
    with machine_lock.taken():
        assert machine_lock.place().exists()


def test_who_waits_for_a_turn_can_be_stopped(program):
    stop, waiting = threading.Event(), []

    def waits():
        with stopping.by(stop), pytest.raises(LabError, match="stopped"), machine_lock.taken():
            raise AssertionError("it was not free")
        waiting.append("ended")

    with machine_lock.taken():
        thread = threading.Thread(target=waits)
        thread.start()
        stop.set()
        thread.join(30)
    assert waiting == ["ended"]


def test_a_lock_that_cannot_be_opened_is_named(program, tmp_path):
    (tmp_path / machine_lock.NAME).symlink_to(tmp_path / "elsewhere")
    with (
        pytest.raises(StorageFailed, match=r"cannot open .*turn\.lock, by which runs of this machine wait"),
        machine_lock.taken(),
    ):
        pass


@pytest.mark.parametrize(
    ("wrong", "jobs", "words"), [(5, 1, "executor=int is none"), (Elsewhere(Path()), 2, "exclude each other")]
)
def test_what_is_no_executor_is_refused(program, wrong, jobs, words):
    with pytest.raises(BadInput, match=words):
        lab.sweep(program, executor=wrong, jobs=jobs)


def test_an_executor_that_was_shut_down_is_refused(program):
    pool = ThreadPoolExecutor(1)
    pool.shutdown()
    with pytest.raises(BadInput, match="the executor takes no work: .*Give one that has not been shut down"):
        lab.sweep(program, executor=pool)


def test_what_makes_no_sense_is_refused_before_anything_travels(program, tmp_path):
    with pytest.raises(BadInput, match="no closing quotation|Close the quote"):
        lab.sweep(program, flags="'-Xint", executor=Elsewhere(tmp_path / "there"))
    assert not (tmp_path / "there").exists()


def test_an_answer_with_a_name_that_leads_elsewhere_is_not_written(program, tmp_path):
    answer = {"host": "h", "run": "r", "files": {"../../x": b""}, "sample": program}
    with pytest.raises(LabError, match="which is no file of a run. Nothing was kept"):
        travel.arrived(answer, {"sample": program})
    assert not (tmp_path / "runs").exists()
