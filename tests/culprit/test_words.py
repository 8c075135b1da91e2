"""Anyone's command line -> the JDK that it starts, and our flags in it without a word of his own touched."""

from pathlib import Path

import pytest

from safepointlab.culprit import words
from safepointlab.culprit.words import Target
from safepointlab.errors import BadInput, FlagRejected, ToolMissing
from safepointlab.jdks import Jdk


def jdk(major: int) -> Jdk:
    return Jdk(Path(f"/jdk{major}"), major, str(major), "Test", "lab")


def test_our_flags_stand_in_front_of_the_users_so_that_his_count():
    target = Target(("java", "-XX:SafepointTimeoutDelay=9", "-cp", "a.jar", "Main"), "java", jdk(17))
    assert target.command(["-ours"]) == ["java", "-ours", "-XX:SafepointTimeoutDelay=9", "-cp", "a.jar", "Main"]


@pytest.mark.parametrize(("tool", "prefix"), [("javac", "-J"), ("jshell", "-R")])
def test_a_tool_of_the_jdk_hands_our_flags_to_its_jvm(tool, prefix):
    assert Target((f"/jdk/bin/{tool}", "x"), "tool", jdk(17)).command(["-ours"])[1:] == [f"{prefix}-ours", "x"]


@pytest.mark.parametrize(("major", "variable"), [(8, "JAVA_TOOL_OPTIONS"), (17, "JDK_JAVA_OPTIONS")])
def test_a_script_gets_our_flags_by_the_environment_behind_those_already_there(monkeypatch, major, variable):
    monkeypatch.setenv(variable, "-Xmx1g")
    target = Target(("./run.sh",), "script", jdk(major))
    assert target.command(["-ours"]) == ["./run.sh"]
    assert target.environment(["-ours", "-two words"]) == {variable: '-Xmx1g -ours "-two words"'}


def test_a_script_is_run_with_a_warning_that_names_the_jdk_we_guess(tmp_path, monkeypatch):
    script = tmp_path / "run.sh"
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)
    monkeypatch.setattr(words, "_likely", lambda: jdk(17))
    target = words.target(str(script))
    assert target.kind == "script" and "JDK_JAVA_OPTIONS" in target.notes[0] and "JDK 17" in target.notes[0]


def test_a_program_that_is_not_there_is_named():
    with pytest.raises(ToolMissing, match="no program 'jvaa'"):
        words.target("jvaa -version")


def test_no_command_is_refused_with_an_example():
    with pytest.raises(FlagRejected, match="safepoint late -- java"):
        words.target([])


def test_a_quote_that_does_not_close_is_refused():
    with pytest.raises(BadInput, match="no closing quotation"):
        words.target("java -cp 'my app.jar Main")


def test_a_script_is_run_from_where_it_is_typed_and_not_from_path(tmp_path, monkeypatch):
    (tmp_path / "run.sh").write_text("#!/bin/sh\n")
    (tmp_path / "run.sh").chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(words, "_likely", lambda: jdk(17))
    assert words.target("./run.sh").words == ("./run.sh",)


def test_a_flag_that_switches_our_log_off_is_told():
    checked = words._checked(Target(("java", "-Xlog:disable", "Main"), "java", jdk(17)))
    assert "-Xlog:disable" in checked.notes[0]


@pytest.mark.parametrize(
    ("line", "path"),
    [("java -cp a.jar:b Main", ["a.jar", "b"]), ("java Main", ["."]), ("java --class-path=c Main", ["c"])],
)
def test_the_class_path_is_read_from_the_users_words(line, path):
    assert words.classpath_of(line.split()) == path


def test_the_collector_is_the_users_own_choice():
    assert Target(("java", "-XX:+UseSerialGC", "-XX:+UseZGC", "Main"), "java", jdk(17)).gc == "Z"
