"""A command of the user's own keeps its stdin, stdout and status; what it has started ends with it."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from safepointlab.culprit import foreground
from safepointlab.process import descendants

RUN = """
import os, sys
from safepointlab.culprit import foreground
ended = foreground.run(sys.argv[2:], dict(os.environ), float(sys.argv[1]) or None)
print(ended.fate, file=sys.stderr)
sys.exit(ended.status)
"""
DEAF = "trap '' TERM INT; echo $$; while :; do sleep 0.1; done"  # says its pid, and ends by SIGKILL only


def heed() -> None:
    """Signals as a terminal's command has them: tests under nohup, or behind a script's &, inherit them ignored."""
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)


@contextmanager
def attended(deadline: float, script: str) -> Iterator[subprocess.Popen[str]]:
    """The command under our eyes; whatever a failing test leaves of it is killed, and not waited for."""
    command = [sys.executable, "-c", RUN, str(deadline), "sh", "-c", script]
    pipes = {"stdin": -1, "stdout": -1, "stderr": -1}
    with subprocess.Popen(command, **pipes, text=True, start_new_session=True, preexec_fn=heed) as program:
        try:
            yield program
        except BaseException:
            os.killpg(program.pid, signal.SIGKILL)
            raise


def test_stdin_stdout_and_exit_status_stay_the_programs_own():
    with attended(0, "cat; echo trouble >&2; exit 7") as program:
        out, err = program.communicate("words\n", timeout=20)
    assert (out, program.returncode) == ("words\n", 7)
    assert err.startswith("trouble\n")


def test_the_answer_to_a_ctrl_c_of_the_terminal_is_not_sent_twice(monkeypatch):
    sent: list[int] = []
    infos = [type("Info", (), {"si_signo": signal.SIGINT, "si_code": code}) for code in (0x80, 0)]  # SI_KERNEL, SI_USER
    monkeypatch.setattr(foreground.os, "kill", lambda pid, number: sent.append(number))
    monkeypatch.setattr(foreground.signal, "sigtimedwait", lambda *_: infos.pop(0) if infos else None)
    assert "interrupted" in foreground.run(["sleep", "0.2"], dict(os.environ)).fate and sent == [signal.SIGINT]


def runs(pid: int) -> bool:
    return bool(descendants.of(pid))


@pytest.mark.parametrize("script", ['sh -c "{DEAF}" & wait', '(sh -c "{DEAF}" & ); sleep 60'], ids=["child", "orphan"])
def test_what_a_script_started_ends_with_it_at_the_deadline_and_is_named(script):
    with attended(1.5, script.replace("{DEAF}", DEAF.replace("$$", "\\$\\$"))) as program:
        out, err = program.communicate(timeout=30)
    assert not runs(int(out))
    assert re.search(rf"after 1.5 s, ended by us, and with it .*sh {int(out)} \(-c trap .*SIGKILL\)", err)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_script_that_obeys_a_signal_leaves_nobody_behind(number):
    with attended(0, f'trap "exit 3" TERM HUP INT; sh -c "{DEAF}" & wait'.replace("$$", "\\$\\$")) as program:
        assert program.stdout
        pid = int(program.stdout.readline())
        program.send_signal(number)
        _, err = program.communicate(timeout=30)
    assert program.returncode == 3 and not runs(pid)
    assert re.search(rf"it left .*sh {pid} \(-c trap .*SIGKILL\).*, ended by us", err)


def test_what_runs_in_an_interpreter_is_named_and_our_own_helpers_are_not(tmp_path):
    begin_watchdog = "import pathlib; from safepointlab.process.orphan_guard import guard\n"
    begin_watchdog += "with guard.starting(pathlib.Path('/')): pass\n"
    (tmp_path / "app.py").write_text("import time; time.sleep(60)")
    line = f"cd {tmp_path}; {sys.executable} app.py & wait"
    command = [sys.executable, "-c", begin_watchdog + RUN, "1", "sh", "-c", line]
    done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    assert re.search(r"and with it python[\d.]* \d+ \(.*app\.py\)", done.stderr)
    assert len(re.findall(r"python[\d.]* \d+", done.stderr)) == 1


def test_a_service_that_a_script_leaves_on_purpose_lives_on():
    with attended(0, "sleep 30 >/dev/null 2>&1 & echo $!") as program:
        out, _ = program.communicate(timeout=20)
    assert program.returncode == 0 and runs(int(out))
    os.kill(int(out), signal.SIGKILL)


def test_without_a_sub_reaper_the_report_says_what_could_not_be_followed(monkeypatch):
    monkeypatch.setattr(descendants, "_be_sub_reaper", lambda _: False)
    ended = foreground.run(["sleep", "30"], dict(os.environ), 0.2)
    assert "ended by us" in ended.fate and ended.fate.endswith(foreground.UNFOLLOWED)


def test_a_signal_that_was_ignored_when_we_came_is_not_ours_to_hand_on(monkeypatch):
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        ended = foreground.run(["sh", "-c", "kill -HUP $PPID; sleep 0.5"], dict(os.environ))
    finally:
        signal.signal(signal.SIGHUP, before)
    assert ended.status == 0 and "interrupted" not in ended.fate


def test_a_jvm_that_is_late_at_the_deadline_hangs_only_if_it_stays_so(monkeypatch):
    monkeypatch.setattr(foreground, "PATIENCE_S", 0.5)
    waits = iter([True, False])  # a stop that is being waited for at the deadline, and has ended soon after
    late = foreground.run(["sleep", "30"], dict(os.environ), 0.2, stuck=lambda: next(waits))
    hung = foreground.run(["sleep", "30"], dict(os.environ), 0.2, stuck=lambda: True)
    assert late.fate.startswith("still running after 0.2 s") and hung.fate.startswith("hung after 0.2 s")
