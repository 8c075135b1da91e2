"""lab.java and lab.sweep on real JVMs: results, hangs, refusals, replays, and nothing left behind."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import safepointlab as lab
from safepointlab import jdks
from safepointlab.errors import BadInput, FlagRejected, JdkNotFound, NotRecorded, RunFailed
from safepointlab.process import recording, shell
from safepointlab.process.quiet import Quiet
from safepointlab.run import launch, request

pytestmark = [pytest.mark.gate, pytest.mark.live]
NEWEST = max((jdk.major for jdk in jdks.find()), default=25)
SOURCE = """
public class Talker {
    public static void main(String[] args) throws Exception {
        System.out.println("n=" + args.length);
        if (args.length > 0 && args[0].equals("fail")) throw new IllegalStateException("as asked");
        if (args.length > 0 && args[0].equals("forever")) Thread.sleep(1_000_000);
        if (args.length > 0 && args[0].equals("flood")) while (true) System.out.println("again and again and again");
        System.gc();
    }
}
"""


@pytest.fixture
def talker(tmp_path):
    path = tmp_path / "Talker.java"
    path.write_text(SOURCE)
    return str(path)


def processes_of(folder: Path) -> list[int]:
    pids = []
    for link in Path("/proc").glob("[0-9]*/cwd"):
        try:
            if link.resolve().is_relative_to(folder):
                pids.append(int(link.parent.name))
        except OSError:
            continue  # gone, or not ours to look at
    return pids


def test_a_run_ends_with_its_output_and_its_logs_as_frames(talker):
    run = lab.java(talker, NEWEST, log="safepoint gc compilation", gc="Serial")
    assert run.values == {"n": 0.0}
    assert run.output == "n=0\n"
    assert len(run.safepoints) and len(run.gc) and len(run.compilations)


def test_a_hang_is_a_result_with_forensics_and_no_process_is_left(talker):
    run = lab.java(talker, NEWEST, args="forever", deadline=1.5)
    assert run.hung and run.forensics
    assert processes_of(run.folder) == []


def test_a_failing_program_raises_with_its_command_and_its_last_words(talker):
    with pytest.raises(RunFailed, match="(?s)Talker fail.*IllegalStateException: as asked"):
        lab.java(talker, NEWEST, args="fail")


def test_a_flag_of_another_jdk_is_refused_before_the_run(talker):
    with pytest.raises(FlagRejected, match="-Xlog:safepoint"):
        lab.java(talker, NEWEST, flags="-XX:+PrintGCApplicationStoppedTime")


def test_what_the_vm_refuses_at_its_start_is_one_clear_sentence(talker):
    with pytest.raises(FlagRejected, match="Initial heap size"):
        lab.java(talker, NEWEST, flags="-Xmx64m -Xms128m", log="compilation")


def test_a_diagnostic_flag_is_unlocked_and_shown(talker):
    run = lab.java(talker, NEWEST, flags="-XX:+LogVMOutput")
    assert "-XX:+UnlockDiagnosticVMOptions" in run.command and run.exit_code == 0


def test_a_missing_jdk_says_how_to_get_it(talker):
    with pytest.raises(JdkNotFound, match="safepoint jdks install 99"):
        lab.java(talker, 99)


def test_a_flood_of_output_is_stopped_and_said(talker, monkeypatch):
    monkeypatch.setattr(shell, "LIMIT_MIB", 1)
    run = lab.java(talker, NEWEST, args="flood", deadline=30)
    assert run.outcome == "flooded" and "FLOODED" in repr(run)
    assert run.finished.stdout.stat().st_size <= 2**20


def test_a_recorded_run_is_loaded_again(talker):
    run = lab.java(talker, NEWEST, log="safepoint")
    again = lab.load(run.id)
    assert again.command == run.command and again.safepoints.equals(run.safepoints)


def test_a_replay_plays_the_recorded_run_without_a_jvm(talker, monkeypatch):
    ran = lab.java(talker, NEWEST)
    monkeypatch.setenv("SAFEPOINTLAB_REPLAY", "1")
    played = lab.java(talker, NEWEST)
    assert played.id == ran.id and "recorded 20" in repr(played) and "REPLAY" in repr(lab.stamp())


def test_a_replay_of_a_run_never_recorded_says_so(talker, monkeypatch):
    monkeypatch.setenv("SAFEPOINTLAB_REPLAY", "1")
    with pytest.raises(NotRecorded, match="never recorded"):
        lab.java(talker, NEWEST, flags="-Dnever=seen")


def test_reuse_answers_an_equal_request_with_the_same_run(talker):
    first = lab.java(talker, NEWEST, reuse=True)
    assert lab.java(talker, NEWEST, reuse=True) is first
    assert lab.java(talker, NEWEST, args="1", reuse=True) is not first


def test_a_run_that_is_forgotten_is_made_again_and_no_other(talker):
    first, other = (lab.java(talker, NEWEST, args=args, reuse=True) for args in ("1", "1 2"))
    first.finished.quiet.update((disturbed := Quiet(1, 1, 0, 1, 1)).to_dict())
    launch.forget([disturbed])
    assert lab.java(talker, NEWEST, args="1", reuse=True) is not first
    assert lab.java(talker, NEWEST, args="1 2", reuse=True) is other


def test_a_run_that_failed_raises_again_when_it_is_used_again(talker):
    failed = lab.java(talker, NEWEST, args="fail", check=False, reuse=True)
    assert lab.java(talker, NEWEST, args="fail", check=False, reuse=True) is failed
    with pytest.raises(RunFailed):
        lab.java(talker, NEWEST, args="fail", reuse=True)


def test_a_hang_is_used_again_only_for_a_deadline_that_it_reached(talker):
    hung = lab.java(talker, NEWEST, args="forever", deadline=1.5, reuse=True)
    assert lab.java(talker, NEWEST, args="forever", deadline=1, reuse=True) is hung
    assert lab.java(talker, NEWEST, args="forever", deadline=2, reuse=True) is not hung


def test_a_run_holds_its_request_its_jdk_and_its_program(talker):
    run = lab.load(lab.java(talker, NEWEST, gc="Serial", log="safepoint=debug").id)
    assert run.request == request.make(talker, NEWEST, gc="Serial", log="safepoint=debug")
    assert run.jdk.major == NEWEST and run.program.classes.is_dir()


def test_a_sweep_has_a_row_for_each_run_of_each_combination(talker):
    frame = lab.sweep(talker, jdk=NEWEST, gc=["Serial", "G1"], flags=["", "-Xint"], repeat=2)
    assert len(frame) == 8
    assert set(zip(frame["gc"], frame["flags"], frame["repeat"], strict=True)) == {
        (gc, flags, n) for gc in ("Serial", "G1") for flags in ("", "-Xint") for n in (0, 1)
    }
    assert (frame.outcome == "exited").all() and (frame.n == 0).all()


def test_a_sweep_keeps_the_rows_that_cannot_run_with_the_reason(talker):
    frame = lab.sweep(talker, jdk=[NEWEST, 99], gc=["CMS"])
    assert list(frame.outcome) == ["not possible", "no JDK"]
    assert "99" in frame.reason[1]


def test_a_failing_program_is_a_row_of_the_sweep(talker):
    frame = lab.sweep(talker, jdk=NEWEST, args=["", "fail"])
    assert list(frame.outcome) == ["exited", "failed"] and "as asked" in frame.reason[1]


def test_an_interrupted_sweep_keeps_what_is_recorded_and_leaves_no_jvm(talker, tmp_path):
    runs = tmp_path / "runs"
    line = f"import safepointlab as lab; lab.sweep({talker!r}, jdk={NEWEST}, args=['', 'forever'], deadline=60)"
    sweep = subprocess.Popen(
        [sys.executable, "-c", line], env={**os.environ, "SAFEPOINTLAB_RUNS": str(runs)}, stderr=subprocess.DEVNULL
    )
    until(lambda: len(list(runs.glob("Talker-*/stdout.txt"))) == 2 and list(runs.glob("Talker-*/run.json")))
    sweep.send_signal(signal.SIGINT)
    assert sweep.wait(20) != 0
    outcomes = sorted(recording.load(file.parent).outcome for file in runs.glob("Talker-*/run.json"))
    assert "exited" in outcomes and processes_of(runs) == []


def until(condition, seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.05)
    assert condition()


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="needs two cores to leave one out")
def test_a_run_on_one_core_sees_one_processor_and_says_so(tmp_path):
    source = tmp_path / "Processors.java"
    source.write_text(
        "public class Processors { public static void main(String[] a) {"
        ' System.out.println("n=" + Runtime.getRuntime().availableProcessors()); } }'
    )
    frame = lab.sweep(str(source), jdk=NEWEST, cores=[1, 2])
    assert frame["n"].tolist() == [1, 2] and frame["cores"].tolist() == [1, 2]
    assert "· 1 core ·" in repr(run := lab.java(str(source), NEWEST, cores=1)) and "taskset" in run.command


def test_more_cores_than_there_are_get_a_sentence():
    with pytest.raises(BadInput, match="this machine has"):
        lab.java("hang/KillerTask", NEWEST, cores=100_000)
