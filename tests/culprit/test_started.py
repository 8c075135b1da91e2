"""A JVM's own words on its start -> its class path and collector; why one did not start; one without our flags."""

import json
from dataclasses import asdict

import pytest

from safepointlab.culprit import refusal
from safepointlab.culprit.command import Plan
from safepointlab.culprit.command_line import Target
from safepointlab.culprit.report import Late
from safepointlab.culprit.started import started

OF_17 = """VM Arguments:
jvm_args: -Xlog:safepoint*=info:file=/f/s.log -XX:+UseSerialGC -Xmx1g
java_command: Main 600
java_class_path (initial): classes:/opt/app/a.jar
Launcher Type: SUN_STANDARD
"""
OF_8 = """<?xml version='1.0' encoding='UTF-8'?>
<vm_arguments>
<args>
-XX:+UseConcMarkSweepGC -Da=&lt;b&gt; </args>
<command>
Main</command>
<properties>
java.vm.version=25.504
java.class.path=classes:/opt/app/a.jar
</properties>
"""
SEEN = {
    "folder": "/home/me",
    "home": "/jdk21",
    "major": 21,
    "version": "21.0.2",
    "threads": ["VM Thread", "G1 Service"],
}


@pytest.mark.parametrize(
    ("name", "text", "collector"), [("started-7.log", OF_17, "Serial"), ("vm-pid7.log", OF_8, "ConcMarkSweep")]
)
def test_class_path_and_collector_are_what_the_jvm_itself_says(tmp_path, name, text, collector):
    (tmp_path / name).write_text(text)
    found = started(tmp_path, 7, SEEN)
    assert (found.classpath, found.collector) == ("/home/me/classes:/opt/app/a.jar", collector)
    assert (found.command.split()[0], found.version) == ("Main", "21.0.2")


@pytest.mark.parametrize(("mapped", "used"), [(["/home/me/app.aot"], True), ([], False), (None, True)])
def test_an_aot_cache_is_in_use_if_the_jvm_has_it_in_its_memory(tmp_path, mapped, used):
    (tmp_path / "started-7.log").write_text(OF_17.replace("-Xmx1g", "-XX:AOTCache=app.aot"))
    found = started(tmp_path, 7, SEEN if mapped is None else SEEN | {"mapped": mapped})
    assert (found.aot_cache, found.aot_cache_used) == ("app.aot", used)


def plan(jdk, kind="java", words=("java", "@args", "Main"), fate=""):
    return Plan(words, kind, "/jdk17", 17, "17.0.1", "G1", 20, ("log",), {}, (), ("/elsewhere",), fate=fate)


def test_a_report_names_the_jdk_and_the_collector_that_ran(tmp_path, jdk):
    (tmp_path / "safepoint-7.log").touch()
    (tmp_path / "started-7.log").write_text(OF_17)
    watched = {"sightings": [], "asked": {}, "waited_s": {}, "started": {"7": asdict(started(tmp_path, 7, SEEN))}}
    (tmp_path / "watch.json").write_text(json.dumps(watched))
    late = Late(tmp_path, plan(jdk))
    assert (late.jdk.version, late.gc) == ("21.0.2", "Serial") and "JDK 21.0.2 · Serial" in str(late)
    assert late.evidence.classpath == ["/home/me/classes", "/opt/app/a.jar"]


@pytest.mark.parametrize(
    ("printed", "says"),
    [
        ("[0.001s][error][logging] Invalid decorator 'filecount=2'.\nInvalid -Xlog option '-Xlog:a', see error log.\n",
         "Invalid decorator 'filecount=2'. Invalid -Xlog option '-Xlog:a', see error log."),
        ("Picked up JAVA_TOOL_OPTIONS: -Xmx1g\nUnrecognized VM option 'UseFoo'\n", "Unrecognized VM option 'UseFoo'"),
        ("Unrecognized VM option 'UseGC1'\nDid you mean '(+/-)UseG1GC'? ",
         "Unrecognized VM option 'UseGC1' Did you mean '(+/-)UseG1GC'?"),
        ("Error occurred during initialization of VM\nToo small maximum heap\n",
         "Error occurred during initialization of VM Too small maximum heap"),
    ],
)  # fmt: skip
def test_a_jvm_that_refuses_to_start_is_told_with_its_status_and_its_words(tmp_path, jdk, printed, says):
    for file in ("safepoint-7.log", "started-7.log"):  # the VM makes its logs before it reads its last flag
        (tmp_path / file).touch()
    (tmp_path / "stderr.txt").write_text(f"{printed}Error: Could not create the Java Virtual Machine.\n")
    refusal.keep(Target(("java", "Main"), "java", jdk(17)), [], 1, tmp_path, tmp_path)
    late = Late(tmp_path, plan(jdk, fate="exit status 1 after 0.1 s"))
    assert str(late).rstrip().endswith(f"\n\nThe JVM did not start (exit status 1): {says}") and late.notes == []


def test_a_java_that_only_tells_its_version_has_no_witnesses_and_one_that_ran_is_told_how_to_look_for_locks(
    tmp_path, jdk
):
    (tmp_path / "safepoint-7.log").touch()
    late = Late(tmp_path, plan(jdk, words=("java", "-cp", "x", "-version"), fate="exit status 0 after 0.1 s"))
    assert str(late).rstrip().endswith("\n\nNo program was started: -version only makes java tell of itself.")
    ran = Late(tmp_path, plan(jdk, words=("java", "-jar", "a.jar", "-version")))
    assert "\nWitnesses\n" in str(ran) and ran.notes[0].endswith("while it is slow, which names a lock's holder")
    assert Late(tmp_path, plan(jdk, "running")).notes[0].endswith("(jcmd PID Thread.print -l)")


def test_a_program_that_is_not_there_is_told_so(tmp_path, jdk):
    words = "Error: Could not find or load main class Mian Caused by: java.lang.ClassNotFoundException: Mian"
    (tmp_path / "refused.txt").write_text(words)
    verdict = Late(tmp_path, plan(jdk, fate="exit status 1 after 0.1 s")).verdict
    assert verdict == f"The program did not start (exit status 1): {words}"


@pytest.mark.parametrize(("log", "says"), [("compiled-7.log", "its own words are above"), ("safepoint-7.log", "")])
def test_a_script_whose_jvm_compiled_nothing_has_started_none(tmp_path, jdk, log, says):
    """Its stderr is the user's. Without the compile log nobody knows."""
    (tmp_path / log).touch()
    refusal.keep(Target(("./run.sh",), "script", jdk(17)), [], 1, tmp_path, tmp_path)
    assert refusal.kept(tmp_path).startswith(says) and bool(refusal.kept(tmp_path)) == bool(says)


def test_what_the_vm_of_8_to_16_prints_in_its_log_is_its_reason(tmp_path, jdk):
    (tmp_path / "vm-pid7.log").write_text("<hotspot_log>\n<tty>\nMax heap size too large: &gt; 2^47\n</tty>\n")
    refusal.keep(Target(("java", "Main"), "java", jdk(8)), [], 1, tmp_path, tmp_path)
    assert refusal.kept(tmp_path) == "Max heap size too large: > 2^47"


@pytest.mark.parametrize("compiled", ["[0.05s]    1       3       java.lang.Object::<init> (1 bytes)\n", ""])
def test_a_program_that_ends_with_an_error_has_started(tmp_path, jdk, compiled):
    (tmp_path / "compiled-7.log").write_text(compiled)
    (tmp_path / "stderr.txt").write_text('Exception in thread "main"\n')
    status = 1 if compiled else 0
    refusal.keep(Target(("java", "Main"), "java", jdk(17)), [], status, tmp_path, tmp_path)
    assert refusal.kept(tmp_path) == ""


@pytest.mark.parametrize(
    ("seen", "says"),
    [
        ({"jdk": "JDK 8u504", "has_flags": True}, "java 9, JDK 8u504, does not take our flags, those of JDK 17.0.1"),
        ({"jdk": "JDK 21", "has_flags": False}, "java 9, JDK 21, was started without our JDK_JAVA_OPTIONS"),
    ],
)
def test_a_jvm_that_ran_without_a_log_of_ours_is_named(tmp_path, jdk, seen, says):
    watched = {"sightings": [], "asked": {}, "waited_s": {}, "unlogged": {"9": seen}}
    (tmp_path / "watch.json").write_text(json.dumps(watched))
    assert says in Late(tmp_path, plan(jdk, "script", fate="exit status 0 after 1.0 s")).verdict
