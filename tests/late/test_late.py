"""Any command line: who was late is found from what the witnesses leave, and the program does not notice them."""

import json
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from safepointlab import cli, jdks
from safepointlab.errors import FlagRejected, ToolMissing
from safepointlab.jdks import Jdk
from safepointlab.late import agent, compiled, loops, place, witness, words
from safepointlab.late.cures import Place, cause, cures
from safepointlab.late.report import Late, Plan
from safepointlab.late.watch import Journal
from safepointlab.late.words import Target
from safepointlab.read import bytecode

RECORDED = Path(__file__).parent.parent / "data" / "late"
NAMED = "# SafepointSynchronize::begin: Threads which did not reach the safepoint:\n"
STOP_OF_8 = "4.184: EnableBiasedLocking     [    8       1       1    ]      [   509     2   511     0     0    ]  1\n"
STOP_OF_11 = (
    "Total time for which application threads were stopped: 0.0004 seconds, Stopping threads took: {} seconds\n"
)
STOP_OF_17 = (
    '[1s][info][safepoint] Safepoint "Cleanup", Time since last: 9 ns, Reaching safepoint: 102022 ns, Total: 9 ns\n'
)


def jdk(major: int) -> Jdk:
    return Jdk(Path(f"/jdk{major}"), major, str(major), "Test", "lab")


# the user's words


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


# the witnesses


def test_8_is_not_asked_what_only_later_jdks_know():
    called = witness.call(jdk(8), "/logs", 20, ["timeout", "latency", "compiled"])
    assert not [flag for flag in called.flags if flag.startswith("-Xlog")]
    assert "-XX:SafepointTimeoutDelay=20" in called.flags and "JDK 25" in called.absent["latency"]


def test_what_the_vm_says_of_late_threads_stays_out_of_the_programs_stdout():
    assert "-XX:-DisplayVMOutput" in witness.call(jdk(11), "/logs", 20, ["timeout"]).flags
    assert "-Xlog:safepoint=off:stdout" in witness.call(jdk(17), "/logs", 20, ["timeout"]).flags


@pytest.mark.parametrize(("text", "sampled"), [(b"\0" + witness.BEGIN, "interval=1ms,ttsp"), (b"", "interval=5ms,jfr")])
def test_without_the_vms_symbols_the_whole_run_is_sampled(tmp_path, text, sampled):
    (tmp_path / "lib" / "server").mkdir(parents=True)
    (tmp_path / "lib" / "server" / "libjvm.so").write_bytes(text)
    called = witness.call(Jdk(tmp_path, 17, "17", "Test", "lab"), "/logs", 20, ["ttsp"])
    assert sampled in next(flag for flag in called.flags if flag.startswith("-agentpath"))


def test_a_witness_that_nobody_knows_is_refused_with_a_list_of_those_there_are():
    with pytest.raises(FlagRejected, match=r"no witness 'perf'. There are: log, timeout, ttsp"):
        witness.call(jdk(17), "/logs", 20, ["perf"])


def test_several_jvms_are_told_apart_by_their_files(tmp_path):
    for name in ("safepoint-7.log", "vm-pid8.log", "safepoint-8.log", "ttsp-9.jfr"):
        (tmp_path / name).touch()
    assert witness.pids(tmp_path) == [7, 8]
    assert [file.name for file in witness.stop_logs(tmp_path, 8)] == ["safepoint-8.log", "vm-pid8.log"]


# what is seen while the VM waits


@pytest.mark.parametrize("over", [STOP_OF_8, STOP_OF_17])
def test_a_stop_with_late_threads_goes_on_until_the_log_says_that_it_is_over(tmp_path, over):
    file = tmp_path / "safepoint-7.log"
    file.write_text(over + NAMED)
    journal = Journal([file], 20)
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


def test_a_line_that_is_still_being_written_is_read_when_it_is_whole(tmp_path):
    file = tmp_path / "safepoint-7.log"
    journal = Journal([file], 20)
    file.write_text(NAMED[:30])
    assert journal.waiting == 0
    file.write_text(NAMED)
    assert journal.waiting == 1


def test_the_agents_stacks_are_read_in_the_words_of_8_and_of_later_jdks():
    frame = " - KillerTask.countOdds(int) @bci=18, line=49 (Compiled frame; information may be imprecise)\n"
    later = '"killer" #13 daemon prio=5 tid=0x00007f53ac13ab40 nid=13409 runnable [0x0]\n   JavaThread state: x\n'
    found = {**agent.parse("Thread 13033: (state = IN_JAVA)\n" + frame), **agent.parse(later + frame)}
    assert found == dict.fromkeys((13033, 13409), (("KillerTask::countOdds", 18, 49, "Compiled"),))


# where it was, why, and what helps


def test_below_a_stub_the_java_line_is_told_and_the_stub_by_its_name():
    found = place.place("Odd::main;java.util.zip.CRC32::update;::updateBytesCRC32", "12;76;0", -1, "C++")
    assert (found["method"], found["line"], found["within"]) == ("java.util.zip.CRC32::update", 76, "updateBytesCRC32")


def test_a_lambdas_frame_is_java_although_its_name_has_a_slash():
    assert place.place("a.B::run;a.B$$Lambda$1+0x7f/123::run", "3;0", 4, "Interpreted")["within"] is None


@pytest.mark.parametrize(
    ("place", "why"),
    [
        (Place("Odd::count", kind="JIT compiled", counter="int"), "counted loop"),
        (Place("Odd::count", kind="Interpreted", counter="int"), "java"),
        (Place("Odd::copy", within="acl_CopyRight"), "stub"),
        (Place("Odd::make", within="MemAllocator::allocate"), "vm"),
        (Place("java.util.zip.CRC32::updateBytes", kind="JIT compiled"), "stub"),
        (Place("Odd::count", counter="int", doing="takes page faults: 9000 in 40 ms, 0 from a disk"), "pages"),
        (Place("Odd::count", counter="int", doing="waits for a CPU, 80 % of the time"), "cpu"),
        (Place("Odd::count", counter="int", doing="waits for a CPU, 80 % of the time", busy=True), "counted loop"),
        (Place("java.io.File::list", stack="jdk.jfr.internal.A::b;java.io.File::list"), "witness"),
    ],
)  # fmt: skip
def test_the_cause_is_what_keeps_the_thread(place, why):
    assert cause(place) == why


@pytest.mark.parametrize(
    ("major", "gc", "first"),
    [
        (8, "Parallel", "-XX:+UseCountedLoopSafepoints keeps a poll in each round"),
        (17, "Serial", "-XX:+UseCountedLoopSafepoints -XX:LoopStripMiningIter=1000 keeps a poll for each 1000 rounds"),
        (17, "G1", "G1 keeps a poll for each 1000 rounds"),
    ],
)
def test_the_cure_of_a_counted_loop_depends_on_jdk_and_collector(major, gc, first):
    assert cures("counted loop", jdk(major), gc)[0].startswith(first)


def test_each_cause_has_a_cure():
    causes = ("counted loop", "stub", "vm", "pages", "cpu", "java", "witness")
    assert all(cures(why, jdk(17), "Serial") for why in causes)
    assert len({tuple(cures(why, jdk(17), "Serial")) for why in causes}) == len(causes)


LOOPS = """class Odd {
  static int count(int);
    Code:
       0: iconst_0
       1: istore_1
       2: iload_1
       3: iload_0
       4: if_icmpge     20
       7: iconst_0
       8: istore_2
       9: iload_2
      10: iload_0
      11: if_icmpge     17
      12: iinc          2, 1
      14: goto          9
      17: iinc          1, 1
      18: goto          2
      20: iload_1
      21: ireturn
    LineNumberTable:
      line 5: 0
      line 6: 7
      line 7: 12
      line 9: 20
}
"""


@pytest.mark.parametrize(
    ("bci", "line", "told"),
    [
        (12, None, "counted by an int, lines 6 to 7, innermost of 2"),
        (None, 7, "counted by an int, lines 5 to 7"),
        (20, None, "None"),
    ],
)
def test_the_loop_around_a_place_is_told_by_its_lines(monkeypatch, bci, line, told):
    monkeypatch.setattr(loops, "_code", lambda *_: bytecode.read(LOOPS.splitlines()))
    assert str(loops.around(jdk(17), [], "Odd::count", bci, line)) == told


def test_the_compile_log_tells_versions_of_the_method_or_of_the_caller_that_swallowed_it(tmp_path):
    lines = ["[1s][debug][jit,compilation]   73 %     4       Odd::count @ 4 (44 bytes)"]
    lines += ["[2s][debug][jit,compilation]   74 %     4       Odd::count @ 4 (44 bytes)   made not entrant: OSR"]
    lines += ["[3s][debug][jit,compilation]   75    b  3       Odd::main (9 bytes)"]
    (tmp_path / "compiled-7.log").write_text("\n".join(lines) + "\n")
    (tmp_path / "safepoint-7.log").touch()
    assert compiled.versions(tmp_path, 7, ["Odd::count"]) == "C2 OSR at bci 4"
    assert compiled.versions(tmp_path, 7, ["Odd::small", "Odd::main"]) == "C1 (Odd::main)"
    assert compiled.count(tmp_path) == 2


# a recorded run


@pytest.mark.parametrize("name", ["scimark-8", "scimark-11", "scimark-17", "scimark-25"])
def test_a_recorded_run_tells_thread_method_and_line_again(name):
    late = Late(RECORDED / name, Plan.load(RECORDED / name), "exit status 0")
    expected = json.loads((RECORDED / name / "expected.json").read_text("utf-8"))
    worst = late.stops.iloc[0]
    assert {"stops": len(late.stops), "thread": worst["thread"], "where": worst["where"]} == expected
    assert set(late.stops["thread"]) == {"main"}
    assert "timeout" in worst["witnesses"] and "ttsp" in worst["witnesses"]


def test_a_report_is_the_same_as_text_json_and_html():
    late = Late(RECORDED / "scimark-17", Plan.load(RECORDED / "scimark-17"), "exit status 0")
    assert late.verdict in str(late) and late.verdict in late._repr_html_()
    data = json.loads(json.dumps(late.to_dict()))
    assert data["stops"][0]["where"] == late.stops.iloc[0]["where"] and data["after_ms"] == 20


def test_a_witness_that_cannot_speak_has_no_number_but_a_reason():
    late = Late(RECORDED / "scimark-17", Plan.load(RECORDED / "scimark-17"))
    told = late.witnesses.set_index("witness")
    assert told["times"].isna().tolist() == [name == "latency" for name in told.index]
    assert "JDK 25" in told.loc["latency", "said"] and told.loc["timeout", "times"] == len(late.stops)


def test_a_run_without_a_log_says_so_and_invents_nothing(tmp_path):
    plan = Plan.load(RECORDED / "scimark-17")
    late = Late(tmp_path, plan, "exit status 1")
    assert "No JVM wrote a log" in late.verdict and late.stops.empty and late.culprits.empty and str(late)


# the command


RUN = """
import os, sys
from safepointlab.late import foreground
ended = foreground.run(sys.argv[2:], dict(os.environ), float(sys.argv[1]) or None)
print(ended.fate, file=sys.stderr)
sys.exit(ended.status)
"""


def attended(deadline: float, script: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", RUN, str(deadline), "sh", "-c", script]
    return subprocess.Popen(command, stdin=-1, stdout=-1, stderr=-1, text=True, start_new_session=True)


def test_stdin_stdout_and_exit_status_stay_the_programs_own():
    with attended(0, "cat; echo trouble >&2; exit 7") as program:
        out, err = program.communicate("words\n", timeout=20)
    assert (out, program.returncode) == ("words\n", 7)
    assert err.startswith("trouble\n")


def test_a_signal_reaches_the_program_and_we_outlive_it():
    with attended(0, "trap 'echo got it; exit 3' INT; echo on; while :; do sleep 0.1; done") as program:
        assert program.stdout and program.stdout.readline() == "on\n"
        program.send_signal(signal.SIGINT)
        out, err = program.communicate(timeout=20)
    assert (out, program.returncode) == ("got it\n", 3) and "interrupted" in err


def test_a_program_past_its_deadline_is_ended_even_if_it_will_not():
    with attended(0.3, "trap '' TERM; while :; do sleep 0.1; done") as program:
        _, err = program.communicate(timeout=30)
    assert program.returncode == 128 + signal.SIGKILL and "after 0.3 s, ended by us" in err


def test_the_answer_to_a_ctrl_c_of_the_terminal_is_not_sent_twice(monkeypatch):
    from safepointlab.late import foreground

    sent: list[int] = []
    monkeypatch.setattr(foreground.os, "kill", lambda pid, number: sent.append(number))
    child = foreground._Child.__new__(foreground._Child)
    child.pid, child.asked = 7, None
    for code in (0x80, 0):  # SI_KERNEL, SI_USER
        child._hand_on(type("Info", (), {"si_signo": signal.SIGINT, "si_code": code})())
    assert sent == [signal.SIGINT]


def test_a_command_without_words_is_refused(capsys):
    assert cli.main(["late", "--"]) == 2
    assert "safepoint late -- java" in capsys.readouterr().err


# live


def one_a_major() -> list[Jdk]:
    """Those with the longest way between them; the preferred build of each."""
    return list({one.major: one for one in reversed(jdks.find()) if one.major in (8, 17, 25)}.values())[::-1]


def classes_of(one: Jdk, sample: str) -> Path:
    from safepointlab.programs import build

    return build.javac(sample, one).classes


@pytest.mark.live
@pytest.mark.parametrize("one", one_a_major(), ids=lambda one: one.version)
def test_the_killer_task_is_convicted_although_its_jvm_is_stuck(one):
    from safepointlab.late import late

    waits_for_c2 = "-Xbatch"  # or on a crowded machine the long call comes before its trap is built
    command = [one.java, waits_for_c2, "-XX:+UseSerialGC", "-cp", classes_of(one, "hang/KillerTask"), "KillerTask", 100]
    told = late(command, deadline=5)
    worst = told.stops.iloc[0]
    assert (worst["thread"], worst["over"]) == ("killer", False) and "stuck" in told.fate
    assert re.match(r"KillerTask::countOdds:(48|49|50)$", worst["where"])
    assert told.culprits.iloc[0]["cause"] == "counted loop" and "main returns" in told.output


@pytest.mark.live
def test_the_command_leaves_stdout_and_status_alone_and_reports_on_stderr(tmp_path):
    one = one_a_major()[-1]
    (tmp_path / "Bad.java").write_text("class Bad { int x = ; }")
    command = ["late", "--json", "--", str(one.tool("javac")), "Bad.java"]
    done = subprocess.run(
        [sys.executable, "-m", "safepointlab", *command], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1 and done.stdout == ""
    assert "Bad.java:1: error" in done.stderr
    assert json.loads(done.stderr[done.stderr.index("\n{") :])["jvms"] == 1


@pytest.mark.live
def test_a_jvm_is_asked_for_stops_as_often_as_wanted():
    from safepointlab.late import late

    one = one_a_major()[-1]
    command = [one.java, "-cp", classes_of(one, "hang/KillerTask"), "KillerTask", "1500", "10"]
    told = late(command, every=100, witnesses=["timeout"])
    assert told.all_stops["operation"].isin(["PrintCompileQueue", "PrintThreads"]).sum() >= 3
    assert "waited" in told.verdict and told.culprits.empty


@pytest.mark.live
def test_a_recorded_run_is_played_back_without_a_jvm(monkeypatch):
    from safepointlab.late import late

    one = one_a_major()[-1]
    command = [one.java, "-cp", classes_of(one, "hang/KillerTask"), "KillerTask", "50", "10"]
    told = late(command, witnesses=["timeout"])
    monkeypatch.setenv("SAFEPOINTLAB_REPLAY", "1")
    again = late(command, witnesses=["timeout"])
    assert (again.folder, again.verdict, again.output) == (told.folder, told.verdict, told.output)
