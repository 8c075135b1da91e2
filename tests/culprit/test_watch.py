"""What is seen while the VM waits: a stop that goes on, the line that ends it, and the agent's stacks."""

import subprocess
import time
from dataclasses import replace

import pytest

from safepointlab.culprit import watch as watching
from safepointlab.culprit.watch import Journal, Watch, describe, parse_stacks
from safepointlab.run.forensics.late_threads import LateThread
from safepointlab.run.forensics.thread_samples import ThreadUse

NAMED = "# SafepointSynchronize::begin: Threads which did not reach the safepoint:\n"
STOP_OF_8 = "4.184: EnableBiasedLocking     [    8       1       1    ]      [   509     2   511     0     0    ]  1\n"
STOP_OF_11 = (
    "Total time for which application threads were stopped: 0.0004 seconds, Stopping threads took: {} seconds\n"
)
STOP_OF_17 = (
    '[1s][info][safepoint] Safepoint "Cleanup", Time since last: 9 ns, Reaching safepoint: 102022 ns, Total: 9 ns\n'
)


@pytest.mark.parametrize("over", [STOP_OF_8, STOP_OF_17])
def test_a_stop_with_late_threads_goes_on_until_the_log_says_that_it_is_over(tmp_path, over):
    file = tmp_path / "safepoint-7.log"
    file.write_text(over + NAMED[:30])
    journal = Journal([file], 20)
    assert journal.waiting == 0  # the line is still being written
    file.write_text(over + NAMED)
    assert journal.waiting == 1
    file.write_text(over + NAMED + over)
    assert journal.waiting == 0


def test_where_names_and_ends_stand_in_two_files_only_a_long_stop_ends_the_wait(tmp_path):
    stops, names = tmp_path / "safepoint-7.log", tmp_path / "vm-pid7.log"
    names.write_text(NAMED)
    stops.write_text(STOP_OF_11.format("0.0001"))
    journal = Journal([stops, names], 20)
    assert journal.waiting == 1
    stops.write_text(STOP_OF_11.format("0.0001") + STOP_OF_11.format("0.3"))
    assert journal.waiting == 0


def test_a_stop_that_begins_after_the_examination_at_the_deadline_is_watched_as_well(tmp_path, jdk):
    """It may be our own thread dump that a thread is late for."""
    with subprocess.Popen(["sleep", "60"]) as process:
        log = tmp_path / f"safepoint-{process.pid}.log"
        late = f'# "main" #1 prio=5 tid=0x00007f37 nid={process.pid} [0x0]\n(End of list)\n'
        log.touch()
        with Watch(tmp_path, jdk(17), ["kernel"], 20) as watch:
            assert watch.examine() == []
            for stops in (1, 2):
                log.write_text((NAMED + late + STOP_OF_17) * (stops - 1) + NAMED + late)
                end_s = time.monotonic() + 10
                while len(watch.sightings) < stops and time.monotonic() < end_s:
                    time.sleep(0.05)
        process.kill()
    assert [(seen["thread"], seen["stop"]) for seen in watch.sightings] == [("main", 1), ("main", 2)]


@pytest.mark.parametrize(("later", "recorded"), [("", True), (STOP_OF_17 + NAMED, False)])
def test_a_stop_without_end_is_the_one_before_the_examination_and_no_later_one(tmp_path, jdk, later, recorded):
    """What began later came from the examination: a thread dump of ours, or the JVM's exit by our SIGTERM."""
    with subprocess.Popen(["sleep", "60"]) as process:
        log = tmp_path / f"safepoint-{process.pid}.log"
        log.write_text(NAMED)
        with Watch(tmp_path, jdk(17), [], 20) as watch:
            watch.examine()
            log.write_text(NAMED + later)
        process.kill()
    assert list(watch.to_dict()["waited_s"]) == [process.pid] * recorded


def test_an_agent_that_sees_no_java_frame_in_a_stop_that_goes_on_is_asked_again(tmp_path, jdk, monkeypatch):
    frames = (("Endless::forever", 12, 5, "Compiled"),)
    answers = [({8: ()}, {8: "_thread_in_java"}, ""), ({8: frames}, {8: "_thread_in_java"}, "")]
    monkeypatch.setattr(watching, "agent_stacks", lambda pid, of: answers.pop(0))
    monkeypatch.setattr(watching, "native_stacks", lambda pid, threads, bound: {})
    (tmp_path / "safepoint-7.log").write_text(NAMED)
    watch = Watch(tmp_path, jdk(17), ["agent"], 20)
    watch._ask_agent(7, 1, [LateThread("forecast", 8, "")])
    assert [seen["frames"] for seen in watch.sightings] == [frames] and answers == []


def test_of_a_thread_that_runs_without_any_time_counted_the_kernel_has_told_nothing():
    counted, none = (ThreadUse("main", 7, percent, 0.0, "running", "user code") for percent in (99.0, 0.0))
    assert describe(counted, 0, 0) == "on a CPU, 99 % of the 40 ms in which we looked" and describe(none, 0, 0) == ""
    assert describe(replace(none, state="sleeping", where="poll"), 0, 0) == "sleeping, with 0 % of a CPU: poll"


def test_the_agents_stacks_are_read_in_the_words_of_8_and_of_later_jdks():
    frame = " - KillerTask.countOdds(int) @bci=18, line=49 (Compiled frame; information may be imprecise)\n"
    later = '"killer" #13 daemon prio=5 tid=0x00007f53ac13ab40 nid=13409 runnable [0x0]\n   JavaThread state: x\n'
    stacks = parse_stacks("Thread 13033: (state = IN_JAVA)\n" + frame + later + frame)
    assert stacks == dict.fromkeys((13033, 13409), (("KillerTask::countOdds", 18, 49, "Compiled"),))
