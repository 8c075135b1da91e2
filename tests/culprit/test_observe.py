"""A JVM that runs already is observed, and runs on as it was: its log outputs, its recordings, its files."""

import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from safepointlab import cli, jdks
from safepointlab.culprit.attach import _notes, _unable
from safepointlab.culprit.running import Running
from safepointlab.errors import JdkNotFound
from safepointlab.jdks import Jdk

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


def installed(major: int) -> Jdk:
    try:
        jdk = jdks.get(major)
    except JdkNotFound as error:
        pytest.skip(str(error))
    missing = [name for name in ("javac", "jcmd") if not jdk.tool(name)]
    return jdk if not missing else pytest.skip(f"{jdk.label} has no {missing[0]}")


class Busy:
    """A Java program that stops ten times a second, for a minute at most."""

    def __init__(self, major: int, folder: Path) -> None:
        self.jdk = installed(major)
        (folder / "Busy.java").write_text(SOURCE)
        subprocess.run([self.jdk.tool("javac"), "Busy.java"], cwd=folder, check=True, timeout=60)
        command = [self.jdk.java, "-XX:+UseSerialGC", "-Xmx64m", "-cp", ".", "Busy"]
        self.child = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True)
        self.child.stdout.readline()

    @property
    def pid(self) -> str:
        return str(self.child.pid)

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
@pytest.mark.parametrize("busy", [17], indirect=True)
def test_a_ctrl_c_ends_the_look_with_a_report_and_leaves_nothing(busy, tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    words = ["late", "--pid", busy.pid, "--deadline", "50", "--witness", "log"]
    command = [sys.executable, "-P", "-m", "safepointlab", *words]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as late:
        assert "observing" in late.stderr.readline()
        time.sleep(1)
        late.send_signal(signal.SIGINT)
        report = late.stderr.read()
    assert late.returncode == 0 and "Stops before we attached are not known." in report
    assert busy.is_as_it_was(tmp_path)


def jvm(major: int) -> Running:
    return Running(1, Jdk(Path("/jdk"), major, f"{major}.0.1", "", ""), ("java", "Main"), Path("/"))


@pytest.mark.parametrize(
    ("major", "name", "reason"),
    [(8, "log", "PrintSafepointStatistics"), (8, "compiled", "PrintCompilation"), (17, "latency", "JDK 25 and later"),
     (25, "timeout", "SafepointTimeout"), (25, "agent", "SafepointTimeout"), (25, "log", ""), (8, "ttsp", "")],
)  # fmt: skip
def test_what_a_running_jvm_cannot_tell_has_a_reason(major, name, reason):
    assert reason in _unable(jvm(major), name) and bool(reason) == bool(_unable(jvm(major), name))


def test_what_cannot_be_known_is_a_sentence_each():
    notes = _notes(["log", "compiled", "ttsp", "latency"])
    assert len(notes) == 5 and all(note.endswith(".") for note in notes)
    assert any("library stays in the JVM" in note for note in notes)


def test_a_command_and_a_pid_exclude_each_other(capsys):
    assert cli.main(["late", "--pid", "1", "--", "java", "Main"]) == 2
    assert "Give one of the two" in capsys.readouterr().err
