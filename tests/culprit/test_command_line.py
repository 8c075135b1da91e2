"""Any command line -> the JDK that it starts, our flags in it without a word of its own touched, and its witnesses."""

from pathlib import Path

import pytest

from safepointlab.culprit import command_line, witness
from safepointlab.culprit.command_line import Target, target
from safepointlab.errors import BadInput, FlagRejected, ToolMissing
from safepointlab.jdks import Jdk


@pytest.mark.parametrize(
    ("kind", "line", "ours"),
    [
        ("java", "java -XX:SafepointTimeoutDelay=9 Main", "-o"),
        ("tool", "javac x", "-J-o"),
        ("tool", "jshell x", "-R-o"),
    ],
)
def test_our_flags_stand_in_front_of_the_users_so_that_his_count_as_the_program_takes_them(jdk, kind, line, ours):
    program, *words = line.split()
    assert Target((program, *words), kind, jdk(17)).command(["-o"]) == [program, ours, *words]


@pytest.mark.parametrize(("major", "variable"), [(8, "JAVA_TOOL_OPTIONS"), (17, "JDK_JAVA_OPTIONS")])
def test_a_script_gets_our_flags_by_the_environment_behind_those_already_there(jdk, monkeypatch, major, variable):
    monkeypatch.setenv(variable, "-Xmx1g")
    subject = Target(("./run.sh",), "script", jdk(major))
    assert subject.command(["-ours"]) == ["./run.sh"]
    assert subject.environment(["-ours", "-two words"]) == {variable: '-Xmx1g -ours "-two words"'}


def test_a_script_is_run_from_where_it_is_typed_with_notes_on_the_jdk_we_guess_and_on_its_flags(
    jdk, tmp_path, monkeypatch
):
    (tmp_path / "run.sh").write_text("#!/bin/sh\n")
    (tmp_path / "run.sh").chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(command_line, "_likely_jdk", lambda: jdk(17))
    subject = target("./run.sh -Xlog:disable")
    assert (subject.kind, subject.words) == ("script", ("./run.sh", "-Xlog:disable"))
    guess, silenced = subject.notes
    assert "JDK_JAVA_OPTIONS" in guess and "JDK 17" in guess and "-Xlog:disable" in silenced


@pytest.mark.parametrize(
    ("line", "error", "says"),
    [
        ("jvaa -version", ToolMissing, "no program 'jvaa'"),
        ([], FlagRejected, "safepoint late -- java"),
        ("java -cp 'my app.jar Main", BadInput, "no closing quotation"),
    ],
)
def test_a_line_that_starts_nothing_is_refused_with_what_to_do(line, error, says):
    with pytest.raises(error, match=says):
        target(line)


@pytest.mark.parametrize(
    ("line", "path"),
    [("java -cp a.jar:b Main", ["a.jar", "b"]), ("java Main", ["."]), ("java --class-path=c Main", ["c"])],
)
def test_the_class_path_is_read_from_the_users_words(line, path):
    assert command_line.classpath_of(line.split()) == path


def test_the_collector_is_the_users_own_choice(jdk):
    assert Target(("java", "-XX:+UseSerialGC", "-XX:+UseZGC", "Main"), "java", jdk(17)).gc == "Z"


def test_8_is_not_asked_what_only_later_jdks_know(jdk):
    selected = witness.select(jdk(8), "/logs", 20, ["timeout", "latency", "compiled"])
    assert not [flag for flag in selected.flags if flag.startswith("-Xlog")]
    assert "-XX:SafepointTimeoutDelay=20" in selected.flags and "JDK 25" in selected.absent["latency"]


def test_what_the_vm_says_of_late_threads_stays_out_of_the_programs_stdout(jdk):
    assert "-XX:-DisplayVMOutput" in witness.select(jdk(11), "/logs", 20, ["timeout"]).flags
    assert "-Xlog:safepoint=off:stdout" in witness.select(jdk(17), "/logs", 20, ["timeout"]).flags


@pytest.mark.parametrize(("text", "sampled"), [(b"\0" + witness.BEGIN, "interval=1ms,ttsp"), (b"", "interval=5ms,jfr")])
def test_without_the_vms_symbols_the_whole_run_is_sampled(tmp_path, text, sampled):
    (tmp_path / "lib" / "server").mkdir(parents=True)
    (tmp_path / "lib" / "server" / "libjvm.so").write_bytes(text)
    selected = witness.select(Jdk(tmp_path, 17, "17", "Test", "lab"), "/logs", 20, ["ttsp"])
    assert sampled in next(flag for flag in selected.flags if flag.startswith("-agentpath"))


def test_a_witness_that_nobody_knows_is_refused_with_a_list_of_those_there_are(jdk):
    with pytest.raises(FlagRejected, match=r"no witness 'perf'. There are: log, timeout, ttsp"):
        witness.select(jdk(17), "/logs", 20, ["perf"])


def test_several_jvms_are_told_apart_by_their_files(tmp_path):
    for name in ("safepoint-7.log", "vm-pid8.log", "safepoint-8.log", "ttsp-9.jfr"):
        (tmp_path / name).touch()
    assert witness.pids(tmp_path) == [7, 8]
    assert witness.stop_logs(tmp_path, 8) == [tmp_path / Path(name) for name in ("safepoint-8.log", "vm-pid8.log")]
