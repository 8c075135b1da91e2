"""A lab that is killed leaves nothing of what it started, not even what it had only begun to start."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from safepointlab.process import orphan_guard, watchdog

NOBODY = 2**22 + 1  # a pid that no system gives


@pytest.fixture
def sleeper(tmp_path):
    """A process that leads a session in a folder of its own, as a run's JVM does."""
    with subprocess.Popen(["sleep", "99"], cwd=tmp_path, start_new_session=True) as process:
        yield process
        process.kill()


@pytest.fixture
def guard():
    """A guard of its own, with its watchdog."""
    guard = orphan_guard.OrphanGuard()
    yield guard
    guard.close()


def killed(process: subprocess.Popen[bytes]) -> bool:
    """Whether SIGKILL reached it within some seconds."""
    try:
        return process.wait(10) == -signal.SIGKILL
    except subprocess.TimeoutExpired:
        return False


def orphans(*lines: str) -> watchdog.Orphans:
    left = watchdog.Orphans()
    for line in lines:
        left.handle_line(line.encode())
    return left


def test_what_runs_when_the_pipe_closes_is_killed_and_what_has_ended_is_left_alone(guard, sleeper):
    with subprocess.Popen(["sleep", "99"], start_new_session=True) as other:
        guard.leads(sleeper.pid)
        guard.leads(other.pid)
        guard.ends(sleeper.pid)
        guard.close()
        assert killed(other) and sleeper.poll() is None


def test_a_killed_watchdog_is_replaced_and_told_what_runs(guard, sleeper, monkeypatch):
    started, popen = [], subprocess.Popen

    def start(*arguments, **settings):
        started.append(popen(*arguments, **settings))
        return started[-1]

    monkeypatch.setattr(orphan_guard.subprocess, "Popen", start)
    guard.leads(sleeper.pid)
    os.kill(started[0].pid, signal.SIGKILL)
    os.waitpid(started[0].pid, 0)
    guard.leads(NOBODY)
    guard.close()
    assert len(started) == 2 and killed(sleeper)


def test_what_is_ours_is_the_watchdog_and_all_that_runs_and_whoever_asks_waits_for_a_start(guard, sleeper, tmp_path):
    found: list[set[int]] = []
    with guard.starting(tmp_path):
        asking = threading.Thread(target=lambda: found.append(guard.ours()))
        asking.start()
        asking.join(0.2)
        assert not found
        guard.leads(sleeper.pid)
    asking.join(5)
    assert found == [{guard.watchdog_pid, sleeper.pid}]


def test_without_a_watchdog_the_lab_runs_on(guard, monkeypatch):
    monkeypatch.setattr(orphan_guard, "PROGRAM", ("/no/such/python",))
    guard.leads(NOBODY)
    with guard.starting(Path("/")):
        pass


def test_a_file_goes_with_its_owner_and_stays_with_one_that_lives_on(guard, sleeper, tmp_path):
    """Such as the socket of a JVM that we attached to: killed together with us, it removes nothing."""
    files = [tmp_path / name for name in ("of one that ends", "of one that lives on")]
    with subprocess.Popen(["sleep", "99"], start_new_session=True) as other:
        for owner, file in zip((other, sleeper), files, strict=True):
            file.touch()
            guard.owns(owner.pid, file)
        guard.leads(other.pid)
        guard.close()
        end = time.monotonic() + 10
        while files[0].exists() and time.monotonic() < end:
            time.sleep(watchdog.TICK_S)
        assert [file.exists() for file in files] == [False, True]


def test_a_child_that_was_being_started_is_found_by_its_folder_and_time(sleeper, tmp_path):
    time.sleep(3 * watchdog.TICK_S)
    folder = os.fsencode(tmp_path).hex()
    orphans(f"begins {folder} {time.clock_gettime(time.CLOCK_BOOTTIME)}").kill()
    assert sleeper.poll() is None  # it was in the folder before: a shell, say
    orphans(f"begins {folder} {watchdog.start_s(sleeper.pid)}").kill()
    assert killed(sleeper)


def test_a_folder_of_any_name_is_one_word(tmp_path):
    folder = os.fsencode(tmp_path / "with blanks\nand ümlauts").hex()
    left = orphans(f"begins {folder} 1.5", "leads 7", f"begun {folder} 1.5", "ends 7", "ends 8")
    assert (left.starting, left.leaders) == ([], set())


def test_a_fork_does_not_keep_the_pipe(sleeper):
    """The fork of a lab that is dead must not keep the watchdog from noticing it."""
    script = (
        "import os, time\nfrom safepointlab.process.orphan_guard import guard\n"
        f"guard.leads({sleeper.pid})\nif os.fork() == 0:\n    time.sleep(60)\nos.kill(os.getpid(), 9)\n"
    )
    with subprocess.Popen([sys.executable, "-c", script], start_new_session=True) as lab:
        assert lab.wait(30) == -signal.SIGKILL and killed(sleeper)
        os.killpg(lab.pid, signal.SIGKILL)


def test_a_ctrl_c_does_not_end_the_watchdog_and_the_last_line_does():
    with subprocess.Popen(orphan_guard.PROGRAM, stdin=subprocess.PIPE) as process:
        status, end = Path(f"/proc/{process.pid}/status"), time.monotonic() + 10
        ignored = 0
        while not ignored >> (signal.SIGINT - 1) & 1 and time.monotonic() < end:  # it may be starting
            [line] = [line for line in status.read_text().splitlines() if line.startswith("SigIgn")]
            ignored = int(line.split()[1], 16)
        process.send_signal(signal.SIGINT)
        process.communicate(b"leads 4194305\nends 4194305\n", timeout=30)
        assert process.returncode == 0
