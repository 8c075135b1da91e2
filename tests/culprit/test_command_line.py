"""Any command line -> the JDK that it starts, our flags in it without a word of its own touched, and its witnesses."""

import os
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
    monkeypatch.setattr(command_line, "_likely_jdk", lambda *_: (jdk(17), "JAVA_HOME names"))
    subject = target("./run.sh -Xlog:disable")
    assert (subject.kind, subject.words) == ("script", ("./run.sh", "-Xlog:disable"))
    guess, silenced = subject.notes
    assert "JDK_JAVA_OPTIONS" in guess and "JDK 17, which JAVA_HOME names." in guess and "-Xlog:disable" in silenced


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """machine(17): the launcher of such a JDK, which nobody starts; PATH has `bin`, where the first one is linked."""
    programs = tmp_path / "bin"
    programs.mkdir()
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.chdir(tmp_path)

    def make(major: int) -> Path:
        home = tmp_path / f"jdk{major}"
        (home / "bin").mkdir(parents=True)
        (home / "release").write_text(f'JAVA_VERSION="{major}.0.1"\n')
        for name, code in (("java", b"JLI_Launch"), ("javac", b"JLI_Launch")):
            (home / "bin" / name).write_bytes(code)
            (home / "bin" / name).chmod(0o755)
        if not (programs / "java").exists():
            (programs / "java").symlink_to(home / "bin" / "java")
            (programs / "javac").symlink_to(home / "bin" / "javac")
        return home / "bin" / "java"

    return make


def script(name: str, text: str) -> None:
    Path(name).write_text(text)
    Path(name).chmod(0o755)


@pytest.mark.parametrize(
    "line",
    [
        "java -cp a Main", "env X=1 java -cp a Main", "nice -n 5 java -cp a Main", "timeout -s KILL 9 java -cp a Main",
        "nohup nice -n 5 java -cp a Main", "X=1 java -cp a Main", "exec java -cp a Main", "env -u java java -cp a Main",
        "setsid JDK/java -cp a Main",
    ],
)  # fmt: skip
def test_behind_programs_that_only_run_the_rest_our_flags_stand_behind_java(machine, line):
    launcher = machine(17)
    subject = target(line.replace("JDK", str(launcher.parent)))
    command = subject.command(["-o"])
    assert (subject.kind, subject.jdk.major, subject.environment(["-o"])) == ("java", 17, {})
    assert command[-5].endswith("java") and command[-4:] == ["-o", "-cp", "a", "Main"]
    assert subject.classpath == ["a"]


@pytest.mark.parametrize("line", ["javac A.java", "nice javac A.java"])
def test_a_jdks_own_tool_is_known_by_its_code_and_gets_flags_for_its_jvm(machine, line):
    machine(17)
    subject = target(line)
    assert subject.kind == "tool" and subject.command(["-o"])[-2:] == ["-J-o", "A.java"]


@pytest.mark.parametrize(
    "line",
    [
        "sh -c 'cd /tmp && java Main'", "bash run.sh", "./run.sh 9", "other java", "env ./run.sh java",
    ],
)  # fmt: skip
def test_where_a_java_stands_beside_every_program_a_shell_is_no_tool_of_the_jdk(machine, tmp_path, line):
    machine(17)
    script("run.sh", "#!/bin/sh\njava Main\n")
    script(str(tmp_path / "bin" / "other"), "#!/bin/sh\n")
    subject = target(line)
    assert (subject.kind, subject.jdk.major) == ("script", 17)
    assert subject.command(["-o"]) == [*subject.words] and subject.environment(["-o"]) == {"JDK_JAVA_OPTIONS": "-o"}


@pytest.mark.parametrize(
    "text",
    [
        "exec {jdk21}/bin/java Main",
        'JAVA_HOME={jdk21}\nexec "$JAVA_HOME/bin/java" Main',
        "export PATH={jdk21}/bin:$PATH\njava Main",
        'exec "${{JAVA_HOME:-{jdk21}}}"/bin/java Main',
        "# not {jdk17}/bin/java\n{jdk21}/bin/java Main",
    ],
)
def test_the_jdk_of_a_script_is_the_one_that_its_text_names(machine, tmp_path, text):
    for major in (17, 21):
        machine(major)
    script("run.sh", "#!/bin/sh\n" + text.format(jdk17=tmp_path / "jdk17", jdk21=tmp_path / "jdk21"))
    assert target("./run.sh").jdk.major == target("bash run.sh").jdk.major == 21
    assert target(["sh", "-c", Path("run.sh").read_text()]).jdk.major == 21


def test_java_home_counts_for_a_script_that_asks_for_it_and_path_for_one_that_does_not(machine, tmp_path, monkeypatch):
    for major in (17, 21, 25):
        machine(major)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "jdk21"))
    script("by-home.sh", '#!/bin/sh\nJAVACMD=java\n[ "$JAVA_HOME" ] && JAVACMD=$JAVA_HOME/bin/java\n"$JAVACMD" Main\n')
    script("by-name.sh", "#!/bin/sh\nexec java Main\n")
    found = [target(each) for each in ("./by-home.sh", "./by-name.sh", f"sh -c '{tmp_path}/jdk25/bin/java Main'")]
    assert [each.jdk.major for each in found] == [21, 17, 25]
    assert [each.named_by for each in found] == ["JAVA_HOME names", "is first on PATH", "the command itself names"]


def test_a_variable_that_the_command_sets_itself_gets_our_flags_too(machine):
    machine(17)
    script("run.sh", "#!/bin/sh\njava Main\n")
    line = target("env JDK_JAVA_OPTIONS=-Xmx1g ./run.sh").command(["-o"])
    assert line == ["env", "JDK_JAVA_OPTIONS=-Xmx1g -o", "./run.sh"]
    assert target("env CLASSPATH=x java Main").classpath == ["x"]


def test_a_program_is_looked_for_where_the_command_will_run(machine, tmp_path):
    machine(17)
    (tmp_path / "app").mkdir()
    script("app/run.sh", "#!/bin/sh\n")
    with pytest.raises(ToolMissing):
        target("./run.sh")
    assert target("./run.sh", tmp_path / "app").kind == "script"


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


def test_where_the_jvm_names_threads_in_native_code_the_kernel_is_asked_as_well(jdk):
    kernel = {major: "kernel" in witness.select(jdk(major), "/logs", 20, ["timeout"]).names for major in (8, 11, 17)}
    assert kernel == {8: True, 11: True, 17: False}


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
