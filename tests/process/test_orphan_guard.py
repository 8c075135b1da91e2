"""A lab that is killed leaves nothing of what it started, not even what it had only begun to start."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from safepointlab.process import orphan_guard, watchdog


@pytest.fixture
def sleeper(tmp_path):
    """A process that leads a session in a folder of its own, as a run's JVM does."""
    with subprocess.Popen(["sleep", "99"], cwd=tmp_path, start_new_session=True) as process:
        yield process
        process.kill()


@pytest.fixture
def tie():
    """A tie of its own, with its survivor."""
    tie = orphan_guard.Tie()
    yield tie
    tie._let_go()


def ended(process: subprocess.Popen[bytes]) -> bool:
    """Whether SIGKILL reached it within some seconds."""
    try:
        return process.wait(10) == -signal.SIGKILL
    except subprocess.TimeoutExpired:
        return False


def in_hex(folder: Path) -> str:
    return os.fsencode(folder).hex()


def now_s() -> float:
    return time.clock_gettime(time.CLOCK_BOOTTIME)


def heard(*lines: str) -> watchdog.Left:
    left = watchdog.Left()
    for line in lines:
        left.hear(line.encode())
    return left


def test_what_was_led_when_the_pipe_closed_is_killed(tie, sleeper):
    tie.leads(sleeper.pid)
    tie._let_go()
    assert ended(sleeper)


def test_what_has_ended_is_left_alone(tie, sleeper, tmp_path):
    with subprocess.Popen(["sleep", "99"], start_new_session=True) as other:
        tie.leads(sleeper.pid)
        tie.leads(other.pid)
        tie.ends(sleeper.pid)
        tie._let_go()
        assert ended(other) and sleeper.poll() is None


def test_a_killed_survivor_is_replaced_and_told_what_runs(tie, sleeper, monkeypatch):
    survivors, popen = [], subprocess.Popen
    monkeypatch.setattr(
        orphan_guard.subprocess, "Popen", lambda *a, **kw: survivors.append(popen(*a, **kw)) or survivors[-1]
    )
    tie.leads(sleeper.pid)
    os.kill(survivors[0].pid, signal.SIGKILL)
    os.waitpid(survivors[0].pid, 0)
    tie.leads(2**22 + 1)  # a pid that no system gives
    assert len(survivors) == 2
    tie._let_go()
    assert ended(sleeper)


def test_without_a_survivor_the_lab_runs_on(tie, monkeypatch):
    monkeypatch.setattr(orphan_guard, "PROGRAM", ("/no/such/python",))
    tie.leads(2**22 + 1)
    with tie.starting(Path("/")):
        pass


def test_what_is_being_started_is_found_by_its_folder_and_time(sleeper, tmp_path):
    began = watchdog.began_s(sleeper.pid)
    assert list(watchdog.started_in(os.fsencode(tmp_path), began)) == [sleeper.pid]
    assert list(watchdog.started_in(os.fsencode(tmp_path), began + 1)) == []
    assert list(watchdog.started_in(os.fsencode(tmp_path / "other"), began)) == []


def test_a_shell_that_was_in_the_folder_before_is_not_the_labs(sleeper, tmp_path):
    time.sleep(3 * watchdog.TICK_S)
    left = heard(f"begins {in_hex(tmp_path)} {now_s()}")
    left.kill()
    assert sleeper.poll() is None


def test_a_child_that_the_lab_could_not_tell_of_is_killed(sleeper, tmp_path):
    heard(f"begins {in_hex(tmp_path)} {watchdog.began_s(sleeper.pid)}").kill()
    assert ended(sleeper)


def test_a_folder_of_any_name_is_one_word(tmp_path):
    folder = tmp_path / "with blanks\nand ümlauts"
    left = heard(f"begins {in_hex(folder)} 1.5", "leads 7", f"begun {in_hex(folder)} 1.5", "ends 7", "ends 8")
    assert (left.begun, left.leaders) == ([], set())


def test_a_start_that_fails_is_told(tie, tmp_path, monkeypatch):
    told = []
    monkeypatch.setattr(tie, "_say", lambda *what: told.append(what[0]))
    with pytest.raises(OSError, match="no"), tie.starting(tmp_path):
        raise OSError("no")
    assert told == ["begins", "begun"]


def test_a_fork_does_not_keep_the_pipe(sleeper):
    """The fork of a lab that is dead must not keep the survivor from hearing of it."""
    script = (
        "import os, time\nfrom safepointlab.process.orphan_guard import tie\n"
        f"tie.leads({sleeper.pid})\nif os.fork() == 0:\n    time.sleep(60)\nos.kill(os.getpid(), 9)\n"
    )
    with subprocess.Popen([sys.executable, "-c", script], start_new_session=True) as lab:
        assert lab.wait(30) == -signal.SIGKILL
        assert ended(sleeper)
        os.killpg(lab.pid, signal.SIGKILL)


def ignores(pid: int, number: int) -> bool:
    """Whether a process ignores a signal, waited for some seconds: it may be starting."""
    for _ in range(500):
        [ignored] = [line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line[:6] == "SigIgn"]
        if int(ignored.split()[1], 16) >> (number - 1) & 1:
            return True
        time.sleep(0.02)
    return False


def test_a_ctrl_c_does_not_end_the_survivor_and_the_last_word_does():
    with subprocess.Popen(orphan_guard.PROGRAM, stdin=subprocess.PIPE) as process:
        assert ignores(process.pid, signal.SIGINT)
        process.send_signal(signal.SIGINT)
        process.communicate(b"leads 4194305\nends 4194305\n", timeout=30)
        assert process.returncode == 0
