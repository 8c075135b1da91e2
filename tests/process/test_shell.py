"""The seam: a child is bounded in time and on disk, recorded, replayed, stopped, and never left behind."""

import contextlib
import json
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from safepointlab.errors import BadInput, NotRecorded, RunFailed, Stopped, StorageFailed, ToolMissing
from safepointlab.process import recording, shell, stopping
from safepointlab.process.files import bounded_text, size_mib, trim
from safepointlab.process.shell import Plan

MIB = 2**20
SLEEPER = ["sh", "-c", "sleep 97 & echo $! > grandchild; sleep 98"]


def run(command, deadline, key="k", **settings):
    return shell.execute(Plan(command, **settings), deadline=deadline, key=key)


@pytest.fixture(autouse=True)
def runs(tmp_path, monkeypatch):
    monkeypatch.setenv("SAFEPOINTLAB_RUNS", str(tmp_path / "runs"))
    return tmp_path / "runs"


def alive(pid: int) -> bool:
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False


def gone(file: Path) -> bool:
    """Whether the process whose id is in the file ends within some seconds."""
    end = time.monotonic() + 5
    while alive(pid_in(file)) and time.monotonic() < end:
        time.sleep(0.02)
    return not alive(pid_in(file))


def pid_in(file: Path) -> int:
    end = time.monotonic() + 10
    while not (file.exists() and file.read_text().strip()) and time.monotonic() < end:
        time.sleep(0.02)
    return int(file.read_text())


def test_output_exit_status_and_what_was_told_of_the_run_are_kept(tmp_path):
    def about():
        (tmp_path / "told").touch()
        return {"told": True}

    waits = f"echo out; echo err >&2; while [ ! -e {tmp_path}/told ]; do sleep 0.01; done; exit 3"
    done = run(["sh", "-c", waits], deadline=30, about=about)
    assert (done.outcome, done.exit_code, done.about) == ("exited", 3, {"told": True})
    assert (done.stdout.read_text(), done.stderr.read_text()) == ("out\n", "err\n")


def test_an_exit_is_noticed_though_a_grandchild_keeps_the_output_open():
    done = run(["sh", "-c", "sleep 96 & echo $! > grandchild"], deadline=60)
    assert (done.outcome, done.exit_code) == ("exited", 0) and done.wall_ms < 30_000
    assert gone(done.folder / "grandchild")


def test_an_exit_during_a_late_look_at_the_child_is_noticed_by_the_next(monkeypatch):
    monkeypatch.setattr(shell, "size_mib", lambda folder: time.sleep(0.5) or 0.0)
    done = run(["sleep", "0.2"], deadline=60)
    assert done.outcome == "exited" and done.wall_ms < 30_000


def test_a_child_past_its_deadline_is_examined_alive_and_its_whole_group_ends():
    trapped = ["sh", "-c", f"trap '' TERM; {SLEEPER[2]}"]  # it ignores SIGTERM
    done = run(trapped, deadline=0.5, at_deadline=lambda pid, _: {"alive": alive(pid)})
    assert (done.outcome, done.exit_code) == ("hung", None) and done.wall_ms >= 500
    assert recording.load(done.folder).at_deadline == {"alive": True} and gone(done.folder / "grandchild")


def test_an_error_in_the_deadline_hook_leaves_no_child(tmp_path):
    def fail(pid: int, folder: Path) -> None:
        (tmp_path / "pid").write_text(str(pid))
        raise ValueError("hook")

    with pytest.raises(ValueError, match="hook"):
        run(["sleep", "99"], deadline=0.2, at_deadline=fail)
    assert gone(tmp_path / "pid")


def test_an_interrupt_ends_the_child_and_keeps_a_record_that_is_never_replayed(runs):
    answers = iter([KeyboardInterrupt, {"request": {"sample": "a"}}])

    def about():  # interrupted before it could tell, it is asked again
        if (answer := next(answers)) is KeyboardInterrupt:
            raise answer
        return answer

    threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    for settings in ({}, {"about": about}):
        with pytest.raises(KeyboardInterrupt):
            run(SLEEPER, deadline=60, **settings)
    first, second = (recording.load(folder) for folder in sorted(runs.iterdir()))
    assert first.outcome == second.outcome == "interrupted" and second.about == {"request": {"sample": "a"}}
    assert gone(first.folder / "grandchild") and list(shell.recorded("k")) == []


def test_kill_nine_of_the_lab_takes_the_child_along(tmp_path):
    sleeper = f"echo $$ > {tmp_path}/me; exec sleep 99"
    plan = f"shell.Plan(['sh', '-c', {sleeper!r}])"
    script = f"from safepointlab.process import shell; shell.execute({plan}, deadline=60)"
    lab = subprocess.Popen([sys.executable, "-c", script])
    assert alive(pid_in(tmp_path / "me"))
    lab.kill()
    lab.wait()
    assert gone(tmp_path / "me")


def test_a_child_can_be_interrupted_even_if_our_parent_ignores_ctrl_c():
    script = (
        "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        "from safepointlab.process.shell import Plan, execute\n"
        "print(execute(Plan(['sh', '-c', 'kill -INT $$; sleep 1; echo deaf']), deadline=20).text())"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert "deaf" not in done.stdout


def test_a_stopped_run_is_recorded_as_interrupted_and_its_child_is_gone_and_no_other_is_stopped(runs):
    stop = threading.Event()

    def sleep():
        with stopping.stopped_by(stop), contextlib.suppress(Stopped):
            run(["sh", "-c", "echo $$ > pid; sleep 30"], deadline=30)

    thread = threading.Thread(target=sleep)
    thread.start()
    while not list(runs.glob("*/pid")):
        time.sleep(0.02)
    stop.set()
    thread.join(5)
    [folder] = runs.iterdir()
    assert recording.load(folder).outcome == "interrupted" and gone(folder / "pid")
    with stopping.stopped_by(stop), pytest.raises(Stopped, match="stopped: the run was ended"):
        run(["touch", "started"], deadline=5)
    assert run(["true"], deadline=5).outcome == "exited"  # outside of the block


@pytest.mark.each(
    "write", ["os.mkdir('sub')\nwhile True: open('sub/big', 'ab').write(bytes(2**20))", "while True: print('y' * 999)"]
)
def test_a_child_that_floods_its_folder_or_one_below_is_stopped_and_what_it_wrote_is_cut(write):
    done = run([sys.executable, "-c", f"import os\n{write}"], deadline=60, limit_mib=8)
    assert done.outcome == "flooded" and size_mib(done.folder) <= 8.1


def test_a_child_that_floods_while_it_is_examined_is_stopped_and_stays_hung():
    code = "import time\ntime.sleep(0.5)\nwhile True: print('x' * 2**20)"
    command = [sys.executable, "-c", code]
    done = run(command, deadline=0.2, limit_mib=8, at_deadline=lambda pid, folder: time.sleep(3) or {"a": 1})
    assert (done.outcome, done.at_deadline, done.about["trimmed_mib"]) == ("hung", {"a": 1}, 8)
    assert size_mib(done.folder) <= 8.1


def test_a_program_that_makes_and_deletes_files_in_its_folder_runs_to_its_end():
    busy = "i=0; while [ $i -lt 3000 ]; do : > f$i; rm f$i; i=$((i+1)); done"
    assert run(["sh", "-c", busy], deadline=60, limit_mib=64).exit_code == 0


def test_on_a_full_disk_the_outcome_is_kept_and_the_logs_make_room(monkeypatch):
    write, refusals = shell.write_json, iter([True])

    def refuse_once(*arguments):
        if next(refusals, False):
            raise StorageFailed("no space")
        write(*arguments)

    monkeypatch.setattr(shell, "write_json", refuse_once)
    big = ["sh", "-c", "head -c 3000000 /dev/zero; sleep 9"]
    done = run(big, deadline=0.5, at_deadline=lambda *_: {"holdup": "me"})
    kept = recording.load(done.folder)
    assert (kept.outcome, kept.at_deadline, kept.about["cut_mib"]) == ("hung", {"holdup": "me"}, shell.RESCUED_MIB)
    assert done.stdout.stat().st_size <= MIB


def test_small_files_leave_their_room_to_large_ones_and_links_are_not_the_childs(tmp_path):
    (tmp_path / "run" / "sub").mkdir(parents=True)
    small, large, other = (tmp_path / name for name in ("run/stderr.txt", "run/sub/stdout.txt", "other"))
    for file, mib in ((small, 0), (large, 9), (other, 2)):
        file.write_bytes(b"x" * mib * MIB)
    (tmp_path / "run" / "link").symlink_to(other)
    assert size_mib(tmp_path / "run") == 9
    trim(tmp_path / "run", 4)
    assert [file.stat().st_size for file in (small, large, other)] == [0, 4 * MIB, 2 * MIB]


def test_long_output_is_read_at_both_ends_only_and_neither_links_nor_fifos_are_read(tmp_path):
    text = run(["seq", "100000"], deadline=10).text(limit=100)
    assert text.startswith("1\n2\n") and text.endswith("100000\n") and "bytes left out" in text
    (tmp_path / "secret").write_text("hidden")
    (tmp_path / "link").symlink_to(tmp_path / "secret")
    os.mkfifo(tmp_path / "fifo")
    assert [bounded_text(tmp_path / name) for name in ("link", "fifo", "secret")] == ["", "", "hidden"]


def test_the_memory_of_a_child_is_told_apart_from_what_we_hold_ourselves():
    ballast = bytearray(300 * MIB)
    own = int(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
    small = run([sys.executable, "-c", "import time; time.sleep(0.5)"], deadline=20)
    large = run([sys.executable, "-c", f"bytearray({own + 100} * 2**20)"], deadline=20)
    assert len(ballast) / MIB <= own and 2 < small.max_rss_mib < 100 and own + 100 <= large.max_rss_mib < own + 200


@pytest.mark.each("deadline", [0, -1, None, "5", [], float("nan"), float("inf"), True])
def test_a_deadline_is_a_number_of_seconds(deadline):
    with pytest.raises(BadInput, match="deadline must be a positive number of seconds .*, got"):
        run(["true"], deadline=deadline)


def test_what_cannot_run_is_a_clear_error(tmp_path, monkeypatch):
    with pytest.raises(ToolMissing, match="no program 'no-such-program'"):
        run(["no-such-program"], deadline=1)
    with pytest.raises(RunFailed, match="(?s)exit status 4.*alas"):
        shell.output_of(["sh", "-c", "echo alas; exit 4"])
    (tmp_path / "file").write_text("")
    with monkeypatch.context() as patch, pytest.raises(StorageFailed, match="cannot make the folder"):
        patch.setenv("SAFEPOINTLAB_RUNS", str(tmp_path / "file"))
        run(["true"], deadline=1)
    monkeypatch.setattr(shell.shutil, "disk_usage", lambda _: type("Usage", (), {"free": 3 * MIB})())
    with pytest.raises(StorageFailed, match="only 3 MiB are free"):
        run(["true"], deadline=1)


def test_of_a_long_complaint_the_first_lines_and_the_last_are_told_whole():
    """A compiler's first error is the one that matters, and its last line counts them."""
    with pytest.raises(RunFailed) as refused:
        shell.output_of(["sh", "-c", "for i in $(seq 300); do echo error number $i; done; exit 1"])
    lines = str(refused.value).partition("Its words:\n")[2].splitlines()
    assert lines[0] == "error number 1" and lines[-1] == "error number 300" and lines.count("[...]") == 1
    assert all(line.startswith("error number") for line in lines if line != "[...]") and len(lines) < 150


def test_the_newest_whole_recording_is_replayed_without_starting_anything(monkeypatch, tmp_path):
    run(["sh", "-c", f"touch {tmp_path}/ran; echo first"], deadline=10)
    ran = run(["sh", "-c", f"touch {tmp_path}/ran; echo second"], deadline=10)
    damaged = run(["echo", "damaged"], deadline=9)
    (damaged.folder / "run.json").write_text('{"command": "deep"' + "[" * 10)
    (tmp_path / "ran").unlink()
    monkeypatch.setenv("SAFEPOINTLAB_REPLAY", "1")
    played = run(["whatever"], deadline=10)
    assert played.folder == ran.folder and played.replayed and played.text() == "second\n"
    assert not (tmp_path / "ran").exists()
    with pytest.raises(NotRecorded, match="never recorded: echo hello"):
        run(["echo", "hello"], deadline=1, key="unheard-of")


def test_a_recording_answers_only_for_deadlines_with_which_it_would_have_ended_alike(monkeypatch):
    run(["sleep", "99"], deadline=0.3, key="hung")
    run(["sleep", "1.2"], deadline=9, key="late")
    monkeypatch.setenv("SAFEPOINTLAB_REPLAY", "1")
    assert run([""], deadline=0.2, key="hung").outcome == "hung" and run([""], deadline=9, key="late").exit_code == 0
    for deadline, key in ((60, "hung"), (0.5, "late")):
        with pytest.raises(NotRecorded, match=f"made with another deadline than {deadline:g} s"):
            run(["sleep", "99"], deadline=deadline, key=key)


@pytest.mark.each("wrong", [{"wall_ms": "abc"}, {"about": {"request": 5}}, {"outcome": 7}, {"at_deadline": None}, {}])
def test_half_a_record_or_one_with_parts_of_another_kind_is_no_record(wrong):
    file = run(["true"], deadline=9).folder / "run.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | wrong) if wrong else '{"command": ["ech')
    with pytest.raises(NotRecorded, match="no readable record"):
        recording.load(file.parent)


def test_a_record_is_written_whole_or_not_at_all(tmp_path):
    recording.write_json(tmp_path / "a.json", data := {"n": 1, "deep": {"words": ["µ", '"'], "path": None}})
    assert json.loads((tmp_path / "a.json").read_text("utf-8")) == data
    with pytest.raises(StorageFailed):
        recording.write_json(tmp_path / "missing" / "b.json", {"n": 1})
    assert [path.name for path in tmp_path.iterdir() if path.suffix] == ["a.json"]


def test_two_labs_at_once_do_not_share_a_folder():
    assert len({recording.new_folder("k") for _ in range(50)}) == 50
