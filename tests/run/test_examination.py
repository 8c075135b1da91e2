"""Forensics: what cannot answer is examined within its time, its culprit is named, and nothing is left behind."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from safepointlab import jdks, logs
from safepointlab.jdks import Jdk, flags
from safepointlab.process import shell
from safepointlab.process.shell import Plan
from safepointlab.run import build, forensics, profile
from safepointlab.run.forensics import Forensics, examination, late_threads, thread_samples
from safepointlab.run.forensics.late_threads import LateThread
from safepointlab.run.forensics.questions import Answer
from safepointlab.run.forensics.thread_samples import ThreadUse

# Stands in for a hung JVM: it handles SIGQUIT without a word, ignores SIGTERM and takes all the CPU that it gets.
HUNG = """
import signal
signal.signal(signal.SIGQUIT, lambda *_: None)
signal.signal(signal.SIGTERM, signal.SIG_IGN)
open("ready", "w").close()
while True: pass
"""
# 8 in vm.log, which is XML; 25 in safepoint.log, after an earlier stop that was late as well
LATE_ON_8 = """<writer thread='140410753992384'/>

# SafepointSynchronize::begin: Timeout detected:
# SafepointSynchronize::begin: Threads which did not reach the safepoint:
# &quot;killer&quot; #8 daemon prio=5 os_prio=0 tid=0x00007fb3e81cf800 nid=0x394c runnable [0x0000000000000000]
   java.lang.Thread.State: RUNNABLE

# SafepointSynchronize::begin: (End of list)
"""
LATE_ON_25 = """[0.8s][warning][safepoint] # SafepointSynchronize::begin: Threads which did not reach the safepoint:
[0.8s][warning][safepoint] # "early" #16 [7] daemon prio=5 cpu=87.82ms tid=0x00007faa60095680 nid=7 runnable  [0x0]
[0.8s][warning][safepoint] # SafepointSynchronize::begin: (End of list)
[1.5s][warning][safepoint] # SafepointSynchronize::begin: Threads which did not reach the safepoint:
[1.5s][warning][safepoint] # "the killer" #17 [8] daemon prio=5 cpu=87.82ms tid=0x00007faa60095680 nid=8 runnable  [0x0]
[1.5s][warning][safepoint]    java.lang.Thread.State: RUNNABLE
"""
KILLER = ThreadUse("killer", 7, 44.0, 56.0, "running", "user code")
MAIN = ThreadUse("main", 8, 0.1, 0.0, "sleeping", "futex_do_wait")
SILENCE = [Answer("SIGQUIT", False, 400), Answer("jcmd VM.version", False, 1200), Answer("SIGTERM", False, 400)]


@pytest.fixture
def hung(tmp_path):
    process = subprocess.Popen([sys.executable, "-c", HUNG], cwd=tmp_path)
    while not (tmp_path / "ready").exists():
        time.sleep(0.01)
    yield process
    process.kill()
    process.wait()


@pytest.fixture
def examine(tmp_path):
    """A process and what its JDK's tools do -> the quick forensics of it."""

    def run(process, tool="exec sleep 60"):
        for name in ("jcmd", "jstack"):
            script = tmp_path / "jdk" / "bin" / name
            script.parent.mkdir(parents=True, exist_ok=True)
            script.write_text(f"#!/bin/sh\n{tool}\n")
            script.chmod(0o755)
        return forensics.examine(process.pid, Jdk(tmp_path / "jdk", 17, "17.0.1", "Test", "lab"), tmp_path, quick=True)

    return run


@pytest.mark.timed(cores=1)
def test_a_process_that_cannot_answer_is_found_silent_within_its_time(hung, examine):
    begin_s = time.monotonic()
    result = examine(hung)
    assert time.monotonic() - begin_s < 2.5 + 1
    assert [result.answered(name) for name in ("SIGQUIT", "jcmd", "jstack", "SIGTERM")] == [False] * 4
    assert result.holdup and "by elimination" in result.holdup_why


def test_the_thread_that_the_jvm_named_is_the_holdup_and_nothing_is_left_behind(hung, examine, tmp_path):
    (tmp_path / "vm.log").write_text(LATE_ON_8.replace("0x394c", hex(hung.pid)))
    result = examine(hung, f"touch {tmp_path}/.attach_pid{hung.pid}; echo $$ >> {tmp_path}/tools; exec sleep 60")
    assert result.holdup == "killer" and result.holdup_why.startswith("named by SafepointTimeout")
    assert result.threads["thread"][0] == "killer" and result.threads["tid"][0] == hung.pid
    assert not (tmp_path / f".attach_pid{hung.pid}").exists()
    started = [int(pid) for pid in (tmp_path / "tools").read_text().split()]
    assert len(started) == 2 and not any(thread_samples.is_alive(pid) for pid in started)


def test_a_jvm_with_a_port_for_jmx_is_asked_there_and_by_jmap(hung, examine, monkeypatch):
    monkeypatch.setattr(examination.questions, "managed", lambda _: True)
    result = examine(hung)
    asked = [answer.question for answer in result.answers]
    assert asked == ["SIGQUIT", "JMX", "jstack", "jmap -histo", "SIGTERM"]
    assert result.answered("JMX") is None and result.answered("jmap") is None  # it has no port, and this JDK no jmap
    assert ("Does jmap -histo get an answer?", "not asked: JDK 17.0.1 has no jmap") in result.rows()


@pytest.mark.each(("reply", "answered"), [(b"N", True), (b"?", False), (b"", False)])
def test_a_port_answers_jmx_if_it_welcomes_a_client_of_rmi(reply, answered):
    def serve(server):
        with server.accept()[0] as client:
            client.recv(7)
            client.sendall(reply)

    with socket.create_server(("localhost", 0)) as server:
        threading.Thread(target=serve, args=[server], daemon=True).start()
        assert examination.questions.jmx(os.getpid(), 1).answered is answered


def test_a_process_without_a_handler_for_sigquit_is_not_killed_by_the_question(examine):
    process = subprocess.Popen(["sleep", "60"])
    try:
        result = examine(process, "kill -QUIT $1")
    finally:
        process.kill()
    assert result.answered("SIGQUIT") is result.answered("jcmd") is None
    assert result.answered("SIGTERM") is True and process.wait() == -signal.SIGTERM


def test_a_process_that_vanished_is_no_error(examine):
    process = subprocess.Popen(["true"])
    process.wait()
    result = examine(process, "exit 1")
    assert result.holdup is None and result.holdup_why == "the process is gone"
    assert result.threads.empty and list(result.threads)[:4] == ["thread", "tid", "cpu_percent", "state"]


COMPILER, STARVED = replace(KILLER, thread="C2 CompilerThre", tid=9), replace(KILLER, cpu_percent=12, queued_percent=88)


@pytest.mark.each(
    ("uses", "late", "answers", "holdup", "why"),
    [
        ([KILLER], [], [Answer("jcmd VM.version", True, 300)], None, "it answers jcmd VM.version"),
        ([COMPILER, KILLER, MAIN], [], SILENCE, "killer", "by elimination"),
        ([COMPILER, MAIN], [], SILENCE, None, "no thread of the program wants a CPU"),
        ([KILLER, MAIN], [LateThread("main", 8, "")], SILENCE, "killer", "by elimination"),  # late at an earlier stop
        (
            [KILLER, MAIN],
            [LateThread("killer", 7, "", "virtual thread #13")],
            SILENCE,
            "killer",
            "carries virtual thread #13",
        ),
        ([STARVED, MAIN], [], SILENCE, "killer", "wants 100 % of a CPU, gets 12 % (user code)"),  # on a crowded machine
    ],
)
def test_the_thread_that_all_others_wait_for_is_found(uses, late, answers, holdup, why):
    found, reason = examination.judge(uses, late, answers)
    assert found == holdup and why in reason


def test_forensics_survive_json_and_a_page_shows_who_holds_all_up_and_folds_the_rest():
    late = [LateThread("killer", 7, '"killer" #8 <daemon>')]
    result = Forensics(1, 2000, "killer", "named", [KILLER, MAIN], late, SILENCE, {"killer": ["0x7f in code"]})
    assert Forensics.from_dict(json.loads(json.dumps(result.to_dict()))) == result
    assert "\n" not in repr(result) and "no answer to SIGQUIT, jcmd VM.version, SIGTERM" in repr(result)
    assert "no, not within 400 ms" in str(result)
    shown, _, folded = result._repr_html_().partition("<details>")
    assert "Which thread holds up the safepoint?</td>" in shown
    assert "killer: named" in shown and "jcmd VM.version" in shown
    assert "&lt;daemon&gt;" in folded
    assert "Which threads use a CPU?" not in shown and "Which threads use a CPU?" in folded


def test_late_threads_are_read_from_the_xml_of_8_and_of_several_stops_from_the_last(tmp_path):
    assert late_threads.named_last(tmp_path) == []
    (tmp_path / "vm.log").write_text(LATE_ON_8)
    [late] = late_threads.named_last(tmp_path)
    assert (late.thread, late.tid) == ("killer", 0x394C) and late.line.startswith('"killer" #8 daemon')
    (tmp_path / "safepoint.log").write_text(LATE_ON_25)
    assert [(late.thread, late.tid) for late in late_threads.named_last(tmp_path)] == [("the killer", 8)]
    carrier = LATE_ON_25.replace(" nid=8 runnable", "").replace(
        "java.lang.Thread.State: RUNNABLE", "Carrying virtual thread #13"
    )
    (tmp_path / "safepoint.log").write_text(carrier)
    [late] = late_threads.named_last(tmp_path)
    assert (late.thread, late.tid, late.carries) == ("the killer", 8, "virtual thread #13")


def test_a_busy_thread_is_told_from_a_sleeping_one(hung):
    sleeper = subprocess.Popen(["sleep", "60"])
    first = {pid: thread_samples.snapshot(pid) for pid in (hung.pid, sleeper.pid)}
    time.sleep(0.3)
    used = {pid: thread_samples.between(pid, at, thread_samples.snapshot(pid))[0] for pid, at in first.items()}
    sleeper.kill()
    sleeper.wait()
    assert used[hung.pid].wants_percent > 60 > 10 > used[sleeper.pid].wants_percent
    assert used[hung.pid].state == "running" and used[sleeper.pid].state == "sleeping"


@pytest.mark.parametrize("before", ["S", "T"])
def test_a_debugger_that_is_killed_while_it_attaches_leaves_the_process_as_it_was(tmp_path, monkeypatch, before):
    (tmp_path / "gdb").write_text('#!/bin/sh\nwhile [ "$1" != -p ]; do shift; done\nkill -STOP $2\nexec sleep 60\n')
    (tmp_path / "gdb").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    process = subprocess.Popen(["sleep", "60"])

    def becomes(state):
        end_s = time.monotonic() + 10
        while (found := Path(f"/proc/{process.pid}/stat").read_text().split(") ")[1][0]) != state:
            assert time.monotonic() < end_s, found
            time.sleep(0.01)

    try:
        if before == "T":
            process.send_signal(signal.SIGSTOP)
        becomes(before)
        assert thread_samples.native_stacks(process.pid, {process.pid: "main"}, 0.5) == {}
        becomes(before)
    finally:
        process.kill()
        process.wait()


def test_the_names_of_the_vms_threads_are_known_also_as_28_shortens_them():
    of_the_vm = ("VM Thread", "C2 CompilerThre", "C2 Comp..hread0", "Signal ..atcher", "G1 Refi..kers#0")
    names = {name: replace(MAIN, thread=name).of_the_vm for name in (*of_the_vm, "Referen..andler", "ZWorker#0")}
    assert all(names.values()), names
    assert not any(replace(MAIN, thread=name).of_the_vm for name in ("java", "killer", "Monitor-1", "Zoo", "Signals"))


def test_both_of_gdbs_thread_headers_are_understood():
    text = """Thread 2 (Thread 0x7f0 (LWP 21) "VM Thread"):
#0  0x00007ff50180aefe in ?? () from libc.so.6
#1  0x00007ff500d0570a in os::naked_short_sleep(long) () from libjvm.so
#2  0x00007ff500dc32da in SafepointSynchronize::begin() () from libjvm.so
Thread 1 (LWP 22 "main"):
#0  0x00007ff50180aefe in ?? ()
"""
    stacks = thread_samples.parse(text, {21: "VM Thread"}, [(0x7FF501800000, 0x7FF501900000, "/lib/libc.so.6")])
    assert stacks == {"VM Thread": ["os::naked_short_sleep", "SafepointSynchronize::begin"]}


def hang(jdk: Jdk, folder: Path, kinds: str, patient: bool) -> shell.Finished:
    """The killer task, examined at its deadline and killed with SIGKILL."""
    program = build.javac("hang/KillerTask", jdk)
    checked_flags = flags.check([*logs.flags_for(kinds, jdk), "-XX:SafepointTimeoutDelay=200", "-XX:+UseSerialGC"], jdk)
    command = [str(jdk.java), *checked_flags, "-cp", str(program.classes), "KillerTask", "300"]
    return shell.execute(Plan(command, folder=folder, at_deadline=examined(jdk, quick=not patient)), deadline=2.5)


def examined(jdk: Jdk, quick: bool) -> shell.DeadlineHook:
    return lambda pid, folder: forensics.examine(pid, jdk, folder, quick=quick).to_dict()


@pytest.mark.live
@pytest.mark.timed  # where C2 comes late, it does not hang
@pytest.mark.parametrize("major", profile.versions(quick=(8, 11, 25), standard=(8, 11, 25)))
def test_a_hung_jvm_gives_no_answer_and_its_culprit_is_named(major, tmp_path):
    jdk = jdks.get(major)
    done = hang(jdk, tmp_path, "safepoint", patient=False)
    result = Forensics.from_dict(done.at_deadline)
    assert done.outcome == "hung" and result.holdup == "killer" and "named by SafepointTimeout" in result.holdup_why
    assert not any(result.answered(name) for name in ("SIGQUIT", "jcmd", "jstack", "SIGTERM"))
    row = result.threads.set_index("thread").loc["killer"]
    assert row["cpu_percent"] + row["queued_percent"] > 60 and row["state"] == "running"
    # killed with SIGKILL: what the JVM had logged is on disk
    assert [late.thread for late in late_threads.named_last(tmp_path)] == ["killer"]
    assert "SafepointSynchronize" not in done.text() and not list(tmp_path.glob(".attach_pid*"))


@pytest.mark.live
@pytest.mark.timed
def test_without_the_jvms_help_the_culprit_is_found_by_elimination(tmp_path):
    jdk = jdks.get(max(profile.versions()))
    begin_s = time.monotonic()
    result = Forensics.from_dict(hang(jdk, tmp_path, "", patient=True).at_deadline)
    assert time.monotonic() - begin_s < 2.5 + 6 + 2 and result.took_ms < 6000 + 1000
    assert result.holdup == "killer" and "by elimination" in result.holdup_why


@pytest.mark.gate
@pytest.mark.live
def test_a_jvm_that_merely_sleeps_answers_and_ends(tmp_path):
    jdk = jdks.get(max(profile.versions()))
    program = build.javac("hang/KillerTask", jdk)
    command = [str(jdk.java), "-Xint", "-cp", str(program.classes), "KillerTask", "60000", "1", "1"]
    done = shell.execute(Plan(command, folder=tmp_path, at_deadline=examined(jdk, quick=True)), deadline=1.5)
    result = Forensics.from_dict(done.at_deadline)
    assert result.holdup is None and result.answered("SIGQUIT") and result.answered("SIGTERM")
    assert not Path(f"/tmp/.java_pid{result.pid}").exists()


def test_within_short_examinations_are_quick_ones_and_afterwards_as_the_profile_says(monkeypatch):
    monkeypatch.setattr(profile, "name", lambda: "standard")
    bounds = []
    monkeypatch.setattr(examination.questions, "thread_dump", lambda pid, folder, bound: bounds.append(bound) or 1 / 0)
    for context in (forensics.short(), contextlib.nullcontext()):
        with context, contextlib.suppress(ZeroDivisionError):
            forensics.examine(1, Jdk(Path(), 17, "17", "Test", "lab"), Path())
    assert bounds == [examination.QUICK.sample, examination.PATIENT.sample]
