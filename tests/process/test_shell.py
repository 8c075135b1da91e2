"""The seam: a child is bounded in time and on disk, recorded, replayed, and never left behind."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from safepointlab.errors import BadInput, NotRecorded, RunFailed, StorageFailed, ToolMissing
from safepointlab.process import recording, shell
from safepointlab.process.files import bounded_text
from safepointlab.process.shell import Plan

SLEEPER = ["sh", "-c", "sleep 97 & echo $! > grandchild; sleep 98"]


def run(command, deadline, key="k", **settings):
    return shell.execute(Plan(command, **settings), deadline=deadline, key=key)


@pytest.fixture(autouse=True)
def own_runs(tmp_path, monkeypatch):
    monkeypatch.setenv("SAFEPOINTLAB_RUNS", str(tmp_path / "runs"))
    monkeypatch.delenv("SAFEPOINTLAB_REPLAY", raising=False)


def alive(pid: int) -> bool:
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False


def gone_within(pid: int, seconds: float) -> bool:
    end = time.monotonic() + seconds
    while alive(pid) and time.monotonic() < end:
        time.sleep(0.02)
    return not alive(pid)


def pid_in(path: Path) -> int:
    end = time.monotonic() + 10
    while not (path.exists() and path.read_text().strip()) and time.monotonic() < end:
        time.sleep(0.02)
    return int(path.read_text())


def test_output_and_exit_status_are_kept():
    done = run(["sh", "-c", "echo out; echo err >&2; exit 3"], deadline=10)
    assert (done.outcome, done.exit_code) == ("exited", 3)
    assert (done.stdout.read_text(), done.stderr.read_text()) == ("out\n", "err\n")


def test_an_exit_is_noticed_though_a_grandchild_keeps_the_output_open():
    done = run(["sh", "-c", "sleep 96 & echo $! > grandchild"], deadline=60)
    assert (done.outcome, done.exit_code) == ("exited", 0)
    assert done.wall_ms < 30_000
    assert gone_within(pid_in(done.folder / "grandchild"), 5)


def test_an_exit_during_a_late_look_at_the_child_is_noticed_by_the_next(monkeypatch):
    monkeypatch.setattr(shell, "weight_mib", lambda folder: time.sleep(0.5) or 0.0)
    done = run(["sleep", "0.2"], deadline=60)
    assert done.outcome == "exited" and done.wall_ms < 30_000


def test_a_child_past_its_deadline_is_hung_and_its_whole_group_ends():
    done = run(SLEEPER, deadline=0.5)
    assert (done.outcome, done.exit_code) == ("hung", None)
    assert done.wall_ms >= 500
    assert gone_within(pid_in(done.folder / "grandchild"), 5)


def test_the_deadline_hook_sees_the_child_alive_and_its_answer_is_recorded():
    done = run(["sleep", "99"], deadline=0.2, at_deadline=lambda pid, _: {"alive": alive(pid)})
    assert recording.load(done.folder).at_deadline == {"alive": True}


def test_a_child_that_ignores_sigterm_still_ends():
    done = run(["sh", "-c", "trap '' TERM; echo $$ > me; while :; do sleep 1; done"], deadline=0.5)
    assert done.outcome == "hung"
    assert gone_within(pid_in(done.folder / "me"), 5)


def test_output_without_end_is_stopped_and_cut():
    done = run(["yes"], deadline=60, limit_mib=2)
    assert done.outcome == "flooded"
    assert done.stdout.stat().st_size <= 2 * 2**20
    assert len(done.text(limit=1000)) < 1100


def test_long_output_is_read_at_both_ends_only():
    done = run(["seq", "100000"], deadline=10)
    text = done.text(limit=100)
    assert text.startswith("1\n2\n") and text.endswith("100000\n") and "bytes left out" in text


def test_a_missing_program_is_named():
    with pytest.raises(ToolMissing, match="no program 'no-such-program'"):
        run(["no-such-program"], deadline=1)


def test_a_short_tool_call_that_fails_says_its_last_words():
    with pytest.raises(RunFailed, match="(?s)exit status 4.*alas"):
        shell.output_of(["sh", "-c", "echo alas; exit 4"])


def test_a_nearly_full_disk_is_refused_before_the_run(monkeypatch):
    monkeypatch.setattr(shell.shutil, "disk_usage", lambda _: type("Usage", (), {"free": 3 * 2**20})())
    with pytest.raises(StorageFailed, match="only 3 MiB are free"):
        run(["true"], deadline=1)


def test_a_folder_that_cannot_be_made_is_a_clear_error(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("SAFEPOINTLAB_RUNS", str(tmp_path / "file"))
    with pytest.raises(StorageFailed, match="cannot make the folder"):
        run(["true"], deadline=1)


def test_a_run_is_replayed_under_its_key_without_starting_anything(monkeypatch, tmp_path):
    ran = run(["sh", "-c", f"date +%N; touch {tmp_path}/ran"], deadline=10)
    (tmp_path / "ran").unlink()
    monkeypatch.setenv("SAFEPOINTLAB_REPLAY", "1")
    played = run(["whatever"], deadline=10)
    assert played.text() == ran.text() and played.replayed
    assert not (tmp_path / "ran").exists()


def test_the_newest_recording_is_played(monkeypatch):
    for word in ("first", "second"):
        run(["echo", word], deadline=10)
    monkeypatch.setenv("SAFEPOINTLAB_REPLAY", "1")
    assert run(["echo"], deadline=1).text() == "second\n"


def test_a_run_never_recorded_is_a_clear_error_in_a_replay(monkeypatch):
    monkeypatch.setenv("SAFEPOINTLAB_REPLAY", "1")
    with pytest.raises(NotRecorded, match="never recorded: echo hello"):
        run(["echo", "hello"], deadline=1, key="unheard-of")


def test_half_a_record_is_no_record(tmp_path):
    (tmp_path / "run.json").write_text('{"command": ["ech')
    with pytest.raises(NotRecorded, match="no readable record"):
        recording.load(tmp_path)


def test_an_interrupt_ends_the_child_and_keeps_a_record(tmp_path):
    threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        run(SLEEPER, deadline=60, key="interrupted")
    (folder,) = (tmp_path / "runs").iterdir()
    assert recording.load(folder).outcome == "interrupted"
    assert gone_within(pid_in(folder / "grandchild"), 5)


def test_what_is_kept_beside_a_result_is_told_while_the_child_runs(tmp_path):
    def about() -> dict[str, bool]:
        (tmp_path / "told").touch()
        return {"told": True}

    waits = f"while [ ! -e {tmp_path}/told ]; do sleep 0.01; done"
    done = run(["sh", "-c", waits], deadline=30, about=about)
    assert (done.outcome, done.about) == ("exited", {"told": True})


def test_an_interrupt_before_it_is_told_is_a_record_with_it_all_the_same(tmp_path):
    answers = iter([KeyboardInterrupt, {"request": {"sample": "a"}}])

    def about() -> dict[str, object]:
        if (answer := next(answers)) is KeyboardInterrupt:
            raise answer
        return answer

    with pytest.raises(KeyboardInterrupt):
        run(["sleep", "99"], deadline=60, about=about)
    (folder,) = (tmp_path / "runs").iterdir()
    kept = recording.load(folder)
    assert (kept.outcome, kept.about) == ("interrupted", {"request": {"sample": "a"}})


def test_an_interrupted_run_is_never_replayed(monkeypatch):
    threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        run(["sleep", "99"], deadline=60)
    assert list(shell.recorded("k")) == []


def test_an_error_in_the_deadline_hook_leaves_no_child(tmp_path):
    def fail(pid: int, folder: Path) -> None:
        (tmp_path / "pid").write_text(str(pid))
        raise ValueError("hook")

    with pytest.raises(ValueError, match="hook"):
        run(["sleep", "99"], deadline=0.2, at_deadline=fail)
    assert gone_within(pid_in(tmp_path / "pid"), 5)


def test_kill_nine_of_the_lab_takes_the_child_along(tmp_path):
    sleeper = f"echo $$ > {tmp_path}/me; exec sleep 99"
    script = (
        f"from safepointlab.process import shell; shell.execute(shell.Plan(['sh', '-c', {sleeper!r}]), deadline=60)"
    )
    lab = subprocess.Popen([sys.executable, "-c", script])
    child = pid_in(tmp_path / "me")
    assert alive(child)
    lab.kill()
    lab.wait()
    assert gone_within(child, 5)


def test_a_program_that_makes_and_deletes_files_in_its_folder_runs_to_its_end():
    busy = "i=0; while [ $i -lt 3000 ]; do : > f$i; rm f$i; i=$((i+1)); done"
    assert run(["sh", "-c", busy], deadline=60, limit_mib=64).exit_code == 0


def test_on_a_full_disk_the_outcome_is_kept_and_the_logs_make_room(monkeypatch):
    refusals = iter([StorageFailed("no space")])
    write = shell.write_json
    monkeypatch.setattr(
        shell, "write_json", lambda *arguments: write(*arguments) if not (full := next(refusals, None)) else fail(full)
    )
    done = run(
        ["sh", "-c", "head -c 3000000 /dev/zero; sleep 9"], deadline=0.5, at_deadline=lambda *_: {"holdup": "me"}
    )
    kept = recording.load(done.folder)
    assert (kept.outcome, kept.at_deadline, kept.about["cut_mib"]) == ("hung", {"holdup": "me"}, shell.RESCUED_MIB)
    assert done.stdout.stat().st_size <= 2**20


def fail(error):
    raise error


def test_a_child_can_be_interrupted_even_if_our_parent_ignores_ctrl_c():
    script = (
        "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        "from safepointlab.process.shell import Plan, execute\n"
        "print(execute(Plan(['sh', '-c', 'kill -INT $$; sleep 1; echo deaf']), deadline=20).text())"
    )
    assert (
        "deaf" not in subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60).stdout
    )


@pytest.mark.each("deadline", [0, -1, None, "5", [], float("nan"), float("inf"), True])
def test_a_deadline_is_a_number_of_seconds(deadline):
    with pytest.raises(BadInput, match="deadline=.*Give the seconds"):
        run(["true"], deadline=deadline)


def test_a_hang_at_a_short_deadline_does_not_answer_for_a_longer_one(monkeypatch):
    run(["sleep", "99"], deadline=0.3)
    monkeypatch.setenv("SAFEPOINTLAB_REPLAY", "1")
    assert run(["sleep", "99"], deadline=0.2).outcome == "hung"
    with pytest.raises(NotRecorded, match="made with another deadline than 60 s"):
        run(["sleep", "99"], deadline=60)


def test_what_ended_late_does_not_answer_for_a_shorter_deadline(monkeypatch):
    run(["sleep", "1.2"], deadline=9)
    monkeypatch.setenv("SAFEPOINTLAB_REPLAY", "1")
    assert run(["sleep", "1.2"], deadline=9).outcome == "exited"
    with pytest.raises(NotRecorded):
        run(["sleep", "1.2"], deadline=0.5)


def test_a_damaged_recording_does_not_hide_an_older_one(monkeypatch):
    whole, damaged = run(["echo", "whole"], deadline=9), run(["echo", "damaged"], deadline=9)
    (damaged.folder / "run.json").write_text('{"command": "deep"' + "[" * 10)
    monkeypatch.setenv("SAFEPOINTLAB_REPLAY", "1")
    assert run(["echo"], deadline=9).folder == whole.folder


@pytest.mark.parametrize(
    "wrong", [{"wall_ms": "abc"}, {"about": {"request": 5}}, {"outcome": 7}, {"at_deadline": None}]
)
def test_a_record_with_parts_of_another_kind_is_no_record(wrong):
    folder = run(["true"], deadline=9).folder
    (folder / "run.json").write_text(json.dumps(json.loads((folder / "run.json").read_text()) | wrong))
    with pytest.raises(NotRecorded, match="no readable record"):
        recording.load(folder)


def test_output_that_is_a_link_or_a_fifo_is_not_read(tmp_path):
    (tmp_path / "secret").write_text("hidden")
    (tmp_path / "link").symlink_to(tmp_path / "secret")
    os.mkfifo(tmp_path / "fifo")
    assert [bounded_text(tmp_path / name) for name in ("link", "fifo", "secret")] == ["", "", "hidden"]


def test_two_labs_at_once_do_not_share_a_folder():
    names = {recording.new_folder("k") for _ in range(50)}
    assert len(names) == 50


def test_a_record_is_written_whole_or_not_at_all(tmp_path):
    recording.write_json(tmp_path / "a.json", data := {"n": 1, "deep": {"words": ["µ", '"'], "path": None}})
    assert json.loads((tmp_path / "a.json").read_text("utf-8")) == data
    with pytest.raises(StorageFailed):
        recording.write_json(tmp_path / "missing" / "b.json", {"n": 1})
    assert [path.name for path in tmp_path.iterdir() if path.suffix] == ["a.json"]
