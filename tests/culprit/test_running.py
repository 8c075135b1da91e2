"""A JVM that runs already: found by its process id, or refused with what to do; observed, and left as it was."""

import json
import os
import re
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from safepointlab import cli, jdks
from safepointlab.culprit import running as module
from safepointlab.culprit.attach import RUNS_ALREADY, reason_absent
from safepointlab.culprit.running import COUNTERS, Counters, Running, read_perfdata, running
from safepointlab.errors import BadInput, JdkNotFound
from safepointlab.jdks import Jdk

needs_proc = pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="this system has no /proc")
VM = "7f00-7f01 r-xp 00000000 08:01 42 /jdk/lib/server/libjvm.so"


@pytest.fixture
def other():
    """A process of ours that is no JVM."""
    child = subprocess.Popen(["sleep", "60"])
    yield child.pid
    child.kill()
    child.wait()


@pytest.fixture
def pretended(other, tmp_path, monkeypatch):
    """pretended(maps, words): that process as /proc would show a JVM with such maps and such a command line."""

    def make(maps: str, *words: str) -> int:
        for pid in (str(other), "self"):
            (tmp_path / pid).mkdir()
            (tmp_path / pid / "maps").write_text(maps)
            (tmp_path / pid / "cmdline").write_text("\0".join(words))
        monkeypatch.setattr(module, "PROC", tmp_path)
        return other

    return make


def refused(pid: int) -> str:
    with pytest.raises(BadInput) as error:
        running(pid)
    return str(error.value)


@needs_proc
def test_a_process_that_has_ended_is_refused_and_so_is_a_zombie():
    child = subprocess.Popen(["true"])
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert "no such process" in refused(child.pid)
    child.wait()
    assert "no such process" in refused(child.pid) and "jps" in refused(-3)


@needs_proc
def test_a_process_that_is_no_jvm_is_named(other):
    assert "'sleep', and no JVM" in refused(other)


@needs_proc
def test_another_users_jvm_is_refused_with_the_user_to_become(other, monkeypatch):
    monkeypatch.setattr(module.os, "geteuid", lambda: 123456)
    assert "A JVM answers its own user only. Try: sudo -u " in refused(other)


@needs_proc
def test_a_jvm_in_a_container_is_refused_with_the_place_to_go(other, monkeypatch):
    monkeypatch.setattr(module, "_namespace", lambda pid, kind: f"{kind}:{pid == other}")
    text = refused(other)
    assert "is in a container: it has process ids and files of its own" in text and "docker exec" in text


@needs_proc
@pytest.mark.parametrize(
    ("maps", "words", "says"),
    [
        (VM, ["java", "Main"], "does not handle SIGQUIT"),
        (VM, ["java", "-XX:+DisableAttachMechanism", "Main"], "started with -XX:+DisableAttachMechanism"),
        (f"{VM} (deleted)", ["java", "Main"], "was replaced while it ran"),
    ],
)
def test_a_jvm_that_cannot_answer_is_told_why(pretended, maps, words, says):
    assert says in refused(pretended(maps, *words))


@pytest.mark.parametrize(
    ("major", "name", "reason"),
    [
        (8, "log", "PrintSafepointStatistics"),
        (8, "compiled", "PrintCompilation"),
        (17, "latency", "JDK 25 and later"),
        (25, "timeout", "SafepointTimeout"),
        (25, "agent", "SafepointTimeout"),
        (25, "log", ""),
        (8, "ttsp", ""),
    ],
)
def test_what_a_running_jvm_cannot_tell_has_a_reason(jdk, major, name, reason):
    found = reason_absent(Running(1, jdk(major), ("java", "Main"), Path("/")), name)
    assert reason in found and bool(reason) == bool(found)


@pytest.mark.parametrize(("name", "flag"), [("log", "PrintSafepointStatistics"), ("compiled", "PrintCompilation")])
def test_an_8_that_has_the_flag_is_not_asked_for_it(jdk, name, flag):
    found = reason_absent(Running(1, jdk(8), ("java", f"-XX:+{flag}", "Main"), Path("/")), name)
    assert found == "8 logs that to its own stdout: give the file to `safepoint report`"


def test_a_command_and_a_pid_exclude_each_other(capsys):
    assert cli.main(["late", "--pid", "1", "--", "java", "Main"]) == 2
    assert "Give one of the two" in capsys.readouterr().err


def perfdata(stops: int, waited: int) -> bytes:
    """The file as HotSpot lays it out: a head of 32 bytes, then entries of their head, their name and a long."""
    entries = b""
    for name, value in zip(COUNTERS.values(), (stops, waited, 1_000_000), strict=True):
        text = name.encode() + b"\0"
        data_at = 20 + len(text) + (-(20 + len(text)) % 8)
        head = struct.pack("<iii4Bi", data_at + 8, 20, 0, ord("J"), 0, 1, 1, data_at)
        entries += (head + text).ljust(data_at, b"\0") + struct.pack("<q", value)
    return b"\xca\xfe\xc0\xc0\x01\x02\x00\x01" + struct.pack("<iiqii", 0, 0, 0, 32, 3) + entries


def test_counters_grow_from_the_first_look_on_and_without_them_nothing_is_known(tmp_path):
    file = tmp_path / "4711"
    seen = Counters(file)
    assert "cannot be read" in str(seen)
    file.write_bytes(perfdata(10, 5_000))
    seen.look()
    assert "did not stop its threads" in str(seen)
    for stops, waited in ((11, 45_000), (13, 55_000)):
        file.write_bytes(perfdata(stops, waited))
        seen.look()
    assert (seen.stops, seen.waited_ms, seen.longest_ms) == (3, 50.0, 40.0)
    assert str(seen) == "3 stops: the JVM waited 50.0 ms for its threads in all, 40.0 ms of it at once."
    assert [waited_ms for _, waited_ms in seen.waits] == [40.0, 10.0]
    assert all(0 <= time.time() - end_s < 10 for end_s, _ in seen.waits)


def test_a_file_of_another_kind_or_cut_off_has_no_counters(tmp_path):
    (tmp_path / "odd").write_bytes(b"not at all")
    (tmp_path / "cut").write_bytes(perfdata(1, 2)[:60])
    assert read_perfdata(tmp_path / "odd") == {} and read_perfdata(tmp_path / "cut") == {}


SOURCE = """
public class Busy {
    static int sink;
    static int sum(int n) { int s = 0; for (int i = 0; i < n; i++) { s += i ^ s; } return s; }
    public static void main(String[] words) throws Exception {
        Thread worker = new Thread(() -> { while (true) sink += sum(4_000_000); }, "worker");
        worker.setDaemon(true);
        worker.start();
        System.out.println("ready");
        long end = System.nanoTime() + 60_000_000_000L;
        while (System.nanoTime() < end) { System.gc(); Thread.sleep(50); }
    }
}
"""

DEADLOCK = """
public class Busy {
    static void both(Object first, Object second) {
        synchronized (first) {
            try { Thread.sleep(300); } catch (InterruptedException e) { return; }
            synchronized (second) { System.out.println("both"); }
        }
    }
    public static void main(String[] words) {
        Object a = new Object(), b = new Object();
        new Thread(() -> both(a, b), "order").start();
        new Thread(() -> both(b, a), "stock").start();
        System.out.println("ready");
    }
}
"""

STALE_FLAG = """
public class Busy {
    static boolean stop;
    public static void main(String[] words) throws Exception {
        Thread worker = new Thread(() -> { while (!stop) { } }, "worker");
        worker.start();
        Thread.sleep(1500);
        stop = true;
        System.out.println("ready");
        for (int turn = 0; turn < 600 && worker.isAlive(); turn++) { System.gc(); Thread.sleep(100); }
        System.exit(0);
    }
}
"""


def installed(major: int) -> Jdk:
    try:
        jdk = jdks.get(major)
    except JdkNotFound as error:
        pytest.skip(str(error))
    missing = [name for name in ("javac", "jcmd") if not jdk.tool(name)]
    return jdk if not missing else pytest.skip(f"{jdk.label} has no {missing[0]}")


class Busy:
    """A Java program that stops ten times a second, for a minute at most."""

    def __init__(self, major: int, folder: Path, source: str = SOURCE) -> None:
        self.jdk = installed(major)
        (folder / "Busy.java").write_text(source)
        subprocess.run([self.jdk.tool("javac"), "Busy.java"], cwd=folder, check=True, timeout=60)
        command = [self.jdk.java, "-XX:+UseSerialGC", "-Xmx64m", "-cp", ".", "Busy"]
        self.child = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True)
        self.child.stdout.readline()
        self.pid = str(self.child.pid)

    def says(self, *words: str) -> str:
        command = [self.jdk.tool("jcmd"), self.pid, *words]
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False).stdout

    def is_as_it_was(self, folder: Path) -> bool:
        """It lives, no log output and no recording of ours is left in it, and no file of ours beside it."""
        outputs = re.findall(r"#\d+: (\S+)", self.says("VM.log", "list")) if self.jdk.major >= 9 else []
        recording = self.jdk.major >= 11 and "safepoint-late" in self.says("JFR.check")
        left = [path.name for path in folder.iterdir() if path.name.startswith((".attach", "safepoint-late"))]
        return self.child.poll() is None and set(outputs) <= {"stdout", "stderr"} and not recording and not left


@pytest.fixture
def busy(request, tmp_path) -> Iterator[Busy]:
    program = Busy(request.param, tmp_path)
    yield program
    program.child.kill()
    program.child.wait()


@pytest.mark.live
@pytest.mark.parametrize("busy", [8, 17, 25], indirect=True)
def test_a_running_jvm_is_observed_and_runs_on_as_it_was(busy, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    target = tmp_path / "late.json"
    assert cli.main(["late", "--pid", busy.pid, "--deadline", "3", "--json", "--to", str(target)]) == 0
    answer = json.loads(target.read_text())
    assert busy.is_as_it_was(tmp_path) and answer["fate"].endswith("it runs on") and answer["gc"] == "Serial"
    said = {row["witness"]: row["said"] for row in answer["witnesses"]}
    assert "can only be set when a JVM starts" in said["timeout"]
    if busy.jdk.major == 8:
        assert "PrintSafepointStatistics" in said["log"]
    else:
        assert answer["all_stops"] > 0 and "stops" in said["log"]


@pytest.mark.live
@pytest.mark.parametrize("major", [8, 17, 25])
def test_where_no_thread_is_late_a_running_jvm_is_examined_for_what_keeps_it(major, tmp_path):
    program, target = Busy(major, tmp_path, DEADLOCK), tmp_path / "late.txt"
    try:
        assert cli.main(["late", "--pid", program.pid, "--deadline", "2", "--to", str(target)]) == 0
        report = target.read_text()
        assert "\n\nIn its thread dumps, a deadlock: " in report and "take the locks in the same order" in report
        assert "order" in report and "stock" in report and program.is_as_it_was(tmp_path)
    finally:
        program.child.kill()
        program.child.wait()


@pytest.mark.live
@pytest.mark.parametrize(("major", "after"), [(8, "20"), (8, "1"), (17, "20")])
def test_a_thread_that_spins_on_a_stale_flag_is_the_headline_though_threads_are_late_by_chance(major, after, tmp_path):
    """Some stops wait for a millisecond and more where a machine is busy, and none of them is the thread's doing."""
    program, target = Busy(major, tmp_path, STALE_FLAG), tmp_path / "late.txt"
    try:
        words = ["late", "--pid", program.pid, "--deadline", "2", "--after", after, "--to", str(target)]
        assert cli.main(words) == 0
        report = target.read_text()
        assert "\n\nIn its thread dumps, worker spins in Busy.lambda$main$0 (Busy.java:5)" in report, report
        assert "make the field volatile" in report and program.is_as_it_was(tmp_path)
    finally:
        program.child.kill()
        program.child.wait()


def signalled(number: int, *words: str) -> tuple[int, str]:
    """The status and the report of a `late --pid` that gets a signal after a second."""
    command = [sys.executable, "-P", "-m", "safepointlab", "late", "--deadline", "50", "--pid", *words]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as late:
        assert "observing" in late.stderr.readline()
        time.sleep(1)
        late.send_signal(number)
        report = late.stderr.read()
    return late.returncode, report


@pytest.mark.live
@pytest.mark.parametrize("busy", [17], indirect=True)
def test_a_ctrl_c_ends_the_look_with_a_report_and_leaves_nothing_nor_does_a_terminal_that_closes(
    busy, tmp_path, monkeypatch
):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    status, report = signalled(signal.SIGINT, busy.pid, "--witness", "log")
    assert status == 0 and "Stops before we attached are not known." in report and busy.is_as_it_was(tmp_path)
    signalled(signal.SIGHUP, busy.pid)
    assert busy.is_as_it_was(tmp_path)


@pytest.mark.live
@pytest.mark.parametrize("busy", [17], indirect=True)
def test_a_late_that_was_killed_leaves_its_logs_on_and_the_next_one_says_that_the_profiler_ran(
    busy, tmp_path, monkeypatch
):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    signalled(signal.SIGKILL, busy.pid)
    assert len(re.findall("file=.*(?:safepoint|compiled)-", busy.says("VM.log", "list"))) == 2
    said = []
    for number in (1, 2):
        target = tmp_path / f"late-{number}.json"
        assert cli.main(["late", "--pid", busy.pid, "--deadline", "2", "--json", "--to", str(target)]) == 0
        rows = json.loads(target.read_text())["witnesses"]
        said.append(next(row["said"] for row in rows if row["witness"] == "ttsp"))
    assert RUNS_ALREADY in said[0] and RUNS_ALREADY not in said[1]
