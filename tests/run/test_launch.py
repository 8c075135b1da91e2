"""lab.java and lab.sweep on real JVMs: results, hangs, refusals, replays, and nothing left behind."""

import os
import signal
import subprocess
import sys
from functools import partial

import pytest

import safepointlab as lab
from safepointlab import jdks
from safepointlab.errors import BadInput, FlagRejected, JdkNotFound, NotRecorded, RunFailed
from safepointlab.process import recording, shell
from safepointlab.process.quiet import Quiet
from safepointlab.run import launch, request

pytestmark = [pytest.mark.gate, pytest.mark.live]
NEWEST = max((jdk.major for jdk in jdks.find()), default=25)


@pytest.fixture
def java(talker):
    """`lab.java` of the program on the newest JDK."""
    return partial(lab.java, talker, NEWEST)


def test_a_run_ends_with_its_output_and_its_logs_as_frames_and_is_loaded_again(talker, java):
    run = java(log="safepoint=debug gc compilation", gc="Serial", flags="-XX:+LogVMOutput")
    assert run.values["n"] == 0.0 and run.output.startswith("n=0\n")
    assert "-XX:+UnlockDiagnosticVMOptions" in run.command  # a diagnostic flag is unlocked, and shown to be
    assert len(run.safepoints) and len(run.gc) and len(run.compilations)
    again = lab.load(run.id)
    assert again.command == run.command and again.safepoints.equals(run.safepoints)
    flags = {"flags": "-XX:+LogVMOutput", "log": "safepoint=debug gc compilation"}
    assert again.request == request.make(talker, NEWEST, gc="Serial", **flags)
    assert again.jdk.major == NEWEST and again.program.classes.is_dir()


def test_a_program_past_its_deadline_is_a_result_with_forensics_and_no_process_is_left(java, processes_in):
    run = java(args="forever", deadline=1.5)
    assert run.overdue and run.forensics and processes_in(run.folder) == []
    assert run.outcome == "still running" and not run.hung  # its loop polls, so it answers


def test_a_flood_of_output_is_stopped_and_said(java, monkeypatch):
    monkeypatch.setattr(shell, "LIMIT_MIB", 1)
    run = java(args="flood", deadline=30)
    assert run.outcome == "flooded" and "FLOODED" in repr(run) and run.finished.stdout.stat().st_size <= 2**20


@pytest.mark.each(
    ("settings", "error", "words"),
    [
        ({"args": "fail"}, RunFailed, "(?s)Talker fail.*IllegalStateException: as asked"),
        ({"flags": "-XX:+PrintGCApplicationStoppedTime"}, FlagRejected, "-Xlog:safepoint"),  # refused before the run
        ({"flags": "-Xmx64m -Xms128m", "log": "compilation"}, FlagRejected, "Initial heap size"),  # by the VM itself
        ({"jdk": 99}, JdkNotFound, "safepoint jdks install 99"),
        ({"cores": 100_000}, BadInput, "this machine has"),
    ],
)
def test_what_does_not_run_says_why_and_what_to_do(talker, settings, error, words):
    with pytest.raises(error, match=words):
        lab.java(talker, **{"jdk": NEWEST, **settings})


@pytest.mark.skipif(NEWEST < 25, reason="needs a JDK with profiles in its AOT cache")
def test_a_run_uses_the_cache_of_its_training_run_and_is_replayed_without_it(talker, java, monkeypatch):
    log = "-Xlog:aot:file=aot.log"
    frame = lab.sweep(talker, jdk=[NEWEST, 17], gc="Serial", aot=["", "-Dtraining=1 1 2"], flags=log, jobs=1)
    assert list(frame["outcome"])[:2] == ["exited", "exited"] and list(frame["n"])[:2] == [0, 0]
    assert frame["outcome"][3] == "not possible" and "JEP 514" in frame["reason"][3]
    plain, trained = map(lab.load, frame["run"][:2])
    assert "Opened AOT cache" in (trained.folder / "aot.log").read_text()
    assert "Opened AOT cache" not in (plain.folder / "aot.log").read_text() and not plain.training
    assert trained.training.endswith("Talker 1 2") and "-Dtraining=1" in trained.training
    assert log in trained.command and log not in trained.training
    assert not list(trained.folder.glob("*.aot*"))
    monkeypatch.setenv("SAFEPOINTLAB_REPLAY", "1")
    assert java(gc="Serial", aot="-Dtraining=1 1 2", flags=log).id == trained.id


@pytest.mark.skipif(NEWEST < 25, reason="needs a JDK with profiles in its AOT cache")
@pytest.mark.each(
    ("settings", "error", "words"),
    [
        ({"flags": "-XX:-UseCompressedOops"}, FlagRejected, "refuses the AOT cache: The saved state of UseCompressed"),
        ({"flags": "-XX:-UseCompressedOops", "log": "compilation"}, FlagRejected, "refuses the AOT cache: The saved"),
        ({"aot": "-XX:-UseCompressedOops fail"}, RunFailed, "(?s)AOTCacheOutput=.*IllegalStateException: as asked"),
    ],
)
def test_a_cache_that_the_jvm_refuses_or_that_nobody_made_is_an_error_with_its_reason(java, settings, error, words):
    with pytest.raises(error, match=words):
        java(**{"aot": "1", **settings})


def test_a_replay_plays_the_recorded_run_without_a_jvm_or_says_that_there_is_none(java, monkeypatch):
    ran = java()
    monkeypatch.setenv("SAFEPOINTLAB_REPLAY", "1")
    played = java()
    assert played.id == ran.id and "recorded 20" in repr(played) and "REPLAY" in repr(lab.stamp())
    with pytest.raises(NotRecorded, match="never recorded"):
        java(flags="-Dnever=seen")


def test_reuse_answers_an_equal_request_with_the_same_run_until_it_is_forgotten(java):
    first, other = (java(args=args, reuse=True) for args in ("1", "1 2"))
    assert java(args="1", reuse=True) is first is not other
    first.finished.quiet.update((disturbed := Quiet(1, 1, 0, 1, 1)).to_dict())
    launch.forget([disturbed])
    assert java(args="1", reuse=True) is not first and java(args="1 2", reuse=True) is other


def test_a_run_that_failed_raises_again_when_it_is_used_again(java):
    failed = java(args="fail", check=False, reuse=True)
    assert java(args="fail", check=False, reuse=True) is failed
    with pytest.raises(RunFailed):
        java(args="fail", reuse=True)


def test_a_hang_is_used_again_only_for_a_deadline_that_it_reached(java):
    hung = java(args="forever", deadline=1.5, reuse=True)
    assert java(args="forever", deadline=1, reuse=True) is hung
    assert java(args="forever", deadline=2, reuse=True) is not hung


def test_a_sweep_has_a_row_for_each_run_of_each_combination(talker):
    frame = lab.sweep(talker, jdk=NEWEST, gc=["Serial", "G1"], flags=["", "-Xint"], repeat=2)
    assert list(zip(frame["repeat"], frame["gc"], frame["flags"], strict=True)) == [
        (n, gc, flags) for n in (0, 1) for gc in ("Serial", "G1") for flags in ("", "-Xint")
    ]
    assert (frame.outcome == "exited").all() and (frame.n == 0).all() and "host" not in frame


def test_a_sweep_keeps_the_rows_that_cannot_run_or_fail_with_the_reason(talker):
    frame = lab.sweep(talker, jdk=[NEWEST, 99], gc=["CMS"])
    assert list(frame.outcome) == ["not possible", "no JDK"] and "99" in frame.reason[1]
    frame = lab.sweep(talker, jdk=NEWEST, args=["", "fail"])
    assert list(frame.outcome) == ["exited", "failed"] and "as asked" in frame.reason[1]


def test_an_interrupted_sweep_keeps_what_is_recorded_and_leaves_no_jvm(talker, tmp_path, processes_in, eventually):
    runs = tmp_path / "runs"
    line = f"import safepointlab as lab; lab.sweep({talker!r}, jdk={NEWEST}, args=['', 'forever'], deadline=60)"
    env = {**os.environ, "SAFEPOINTLAB_RUNS": str(runs)}
    sweep = subprocess.Popen([sys.executable, "-c", line], env=env, stderr=subprocess.DEVNULL)
    assert eventually(lambda: len([*runs.glob("*/stdout.txt")]) == 2 and [*runs.glob("*/run.json")], 30)
    sweep.send_signal(signal.SIGINT)
    assert sweep.wait(20) != 0
    outcomes = sorted(recording.load(file.parent).outcome for file in runs.glob("Talker-*/run.json"))
    assert "exited" in outcomes and processes_in(runs) == []


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="needs two cores to leave one out")
def test_a_run_on_one_core_sees_one_processor_and_says_so(talker, java):
    frame = lab.sweep(talker, jdk=NEWEST, cores=[1, 2])
    assert frame["cores"].tolist() == frame["seen"].tolist() == [1, 2]
    run = java(cores=1)
    assert run.values["seen"] == 1 and "· 1 core ·" in repr(run) and "taskset" in run.command
