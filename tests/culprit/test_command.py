"""Any command line, live: who was late is found from what the witnesses leave, and the program does not notice."""

import json
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from safepointlab import cli
from safepointlab.culprit.command import late
from safepointlab.errors import NotRecorded
from safepointlab.jdks import Jdk
from safepointlab.process import descendants, shell
from safepointlab.run import build
from tests.culprit.conftest import one_a_major

LAB = [sys.executable, "-m", "safepointlab"]


def test_a_command_without_words_is_refused(capsys):
    assert cli.main(["late", "--"]) == 2
    assert "safepoint late -- java" in capsys.readouterr().err


def test_the_help_tells_what_the_first_run_fetches(capsys):
    with pytest.raises(SystemExit):
        cli.main(["late", "--help"])
    assert "The first run fetches async-profiler" in " ".join(capsys.readouterr().out.split())


def test_a_repetition_is_a_request_of_its_own_and_the_first_is_that_without_a_number(monkeypatch):
    def execute(*_, key, **__):
        raise NotRecorded(key)

    monkeypatch.setattr(shell, "execute", execute)
    keys = []
    for settings in ({}, {"repeat": 0}, {"repeat": 1}, {"repeat": 2}, {"every": 1}):
        with pytest.raises(NotRecorded) as raised:
            late("java -version", **settings)
        keys.append(str(raised.value))
    assert keys[0] == keys[1] and len(set(keys)) == 4


def hanging(one: Jdk) -> list[str]:
    """KillerTask, sure to hang: on a crowded machine the long call came before C2's code, or a stop for housekeeping
    before main's last line."""
    sure = ["-Xbatch", "-XX:+UnlockDiagnosticVMOptions", "-XX:GuaranteedSafepointInterval=0", "-XX:+UseSerialGC"]
    return [str(one.java), *sure, "-cp", str(build.javac("hang/KillerTask", one).classes), "KillerTask"]


def quick(one: Jdk) -> list[object]:
    """KillerTask, which ends if its arguments are small."""
    return [one.java, "-cp", build.javac("hang/KillerTask", one).classes, "KillerTask"]


def lines_of_the_loops() -> range:
    """Of both counted loops: where C2 left no debug record, the agent tells a neighbour's line, perhaps the outer's."""
    source = build.find_sample("hang/KillerTask").read_text("utf-8").split("\n")
    first = next(number for number, line in enumerate(source, 1) if "for (int i" in line)
    return range(first, next(number for number, line in enumerate(source, 1) if "return odds" in line))


@pytest.mark.live
@pytest.mark.timed
@pytest.mark.parametrize("one", one_a_major(), ids=lambda one: one.version)
def test_the_killer_task_is_convicted_although_its_jvm_is_stuck(one):
    answer = late([*hanging(one), "100"], deadline=5)
    worst = answer.stops.iloc[0]
    assert (worst["thread"], worst["over"]) == ("killer", False) and "hung" in answer.fate
    method, _, line = worst["where"].rpartition(":")
    assert method == "KillerTask::countOdds" and int(line) in lines_of_the_loops()
    assert answer.culprits.iloc[0]["cause"] == "counted loop" and "main returns" in answer.output


@pytest.fixture
def wrapper(tmp_path) -> str:
    """A script that starts a JVM which hangs, as a build tool might: the JVM is not our own child."""
    script = tmp_path / "wrapper.sh"
    script.write_text(f"#!/bin/sh\n{shlex.join(hanging(one_a_major()[1]))} 100\n")
    script.chmod(0o755)
    return str(script)


def is_gone(report: str) -> bool:
    """Whether the JVM that the report says was killed is gone."""
    [pid] = re.findall(r"java (\d+) \(SIGKILL\)", report)
    return not descendants.of(int(pid))


@pytest.mark.live
def test_the_jvm_that_a_script_started_ends_at_the_deadline_and_the_report_says_so(wrapper):
    done = subprocess.run([*LAB, "late", "--deadline", "5", "--", wrapper], capture_output=True, text=True, check=False)
    assert "hung after 5 s, ended by us, and with it java" in done.stderr and is_gone(done.stderr)
    assert "reading the logs" in done.stderr.partition("hung after")[0]


@pytest.mark.live
def test_the_jvm_that_a_script_started_ends_when_the_script_is_told_to(wrapper):
    with subprocess.Popen([*LAB, "late", "--", wrapper], stdout=-1, stderr=-1, text=True) as program:
        assert program.stdout and program.stdout.readline() == "main returns\n"
        time.sleep(2)  # by now its last stop waits
        program.send_signal(signal.SIGTERM)
        _, err = program.communicate(timeout=60)
    assert "interrupted; it left java" in err and is_gone(err)


@pytest.mark.live
def test_from_python_too_a_script_and_its_jvm_end_at_the_deadline(wrapper):
    answer = late([wrapper], deadline=5)
    assert answer.fate.startswith("hung") and is_gone(answer.fate)
    assert answer.culprits.iloc[0]["method"] == "KillerTask::countOdds"


@pytest.mark.gate
@pytest.mark.live
def test_the_command_leaves_stdout_and_status_alone_and_reports_on_stderr(tmp_path):
    one = one_a_major()[-1]
    (tmp_path / "Bad.java").write_text("class Bad { int x = ; }")
    command = ["late", "--json", "--", str(one.tool("javac")), "Bad.java"]
    done = subprocess.run([*LAB, *command], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and done.stdout == ""
    assert "Bad.java:1: error" in done.stderr
    assert json.loads(done.stderr[done.stderr.index("\n{") :])["jvms"] == 1


def told(folder: Path, *command: object) -> dict[str, object]:
    """The report on a command that is typed in this folder."""
    words = [*LAB, "late", "--json", "--witness", "log", "--", *map(str, command)]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    return dict(json.loads(done.stderr[done.stderr.index("{\n") :]))


@pytest.mark.gate
@pytest.mark.live
def test_behind_another_program_in_a_shell_or_in_an_argfile_it_is_the_same_jvm(tmp_path):
    one = one_a_major()[-1]
    (tmp_path / "args").write_text(f"-XX:+UseSerialGC -cp {build.javac('hang/KillerTask', one).classes} KillerTask")
    (tmp_path / "run.sh").write_text(f"exec {one.java} @args 50 10")
    line = [one.java, "@args", 50, 10]
    for command in (
        line,
        ["nice", "env", "A=b", *line],
        ["sh", "run.sh"],
        ["sh", "-c", f"exec {one.java} @args 50 10"],
    ):
        report = told(tmp_path, *command)
        assert (report["jdk"], report["gc"], report["jvms"]) == (one.version, "Serial", 1), command


@pytest.mark.live
@pytest.mark.parametrize("one", one_a_major(), ids=lambda one: one.version)
def test_a_class_path_is_relative_to_where_the_jvm_runs(tmp_path, one):
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "classes").symlink_to(build.javac("hang/KillerTask", one).classes)
    script = f"cd app && {one.java} -XX:+UseSerialGC -cp classes KillerTask 700 10"
    answer = late(["sh", "-c", script], cwd=tmp_path, witnesses=["log"])
    assert answer.evidence.classpath == [str(tmp_path / "app" / "classes")] and answer.gc == "Serial"


@pytest.mark.live
@pytest.mark.parametrize("one", one_a_major(), ids=lambda one: one.version)
@pytest.mark.parametrize(
    ("flag", "says"), [("-XX:+UseFoo", "Unrecognized VM option 'UseFoo'"), ("-Xmx1k", "Too small")]
)
def test_a_jvm_that_refuses_to_start_is_told_with_its_status_and_its_words(tmp_path, one, flag, says):
    line = [one.java, flag, "-version"]
    assert says in late(line).verdict and "did not start (exit status 1)" in late(line).verdict
    assert says in str(told(tmp_path, *line)["verdict"])


@pytest.mark.gate
@pytest.mark.live
def test_a_jvm_is_asked_for_stops_as_often_as_wanted():
    one = one_a_major()[-1]
    answer = late([*quick(one), "1500", "10"], every=100, witnesses=["timeout"])
    assert answer.all_stops["operation"].isin(["PrintCompileQueue", "PrintThreads"]).sum() >= 3
    assert "waited" in answer.verdict and answer.culprits.empty


@pytest.mark.gate
@pytest.mark.live
def test_a_recorded_run_is_played_back_without_a_jvm(monkeypatch):
    one = one_a_major()[-1]
    command = [*quick(one), "50", "10"]
    answer = late(command, witnesses=["timeout"])
    monkeypatch.setenv("SAFEPOINTLAB_REPLAY", "1")
    again = late(command, witnesses=["timeout"])
    assert (again.folder, again.verdict, again.output) == (answer.folder, answer.verdict, answer.output)
