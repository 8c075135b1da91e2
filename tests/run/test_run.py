"""A Run says in one line what happened, and turns each captured log into a frame; all without a JVM."""

from dataclasses import replace
from pathlib import Path

import pytest

from safepointlab.errors import LabError, RunFailed
from safepointlab.logs import assembly, hdr
from safepointlab.process import machine, recording
from safepointlab.run.run import Run

DATA = Path(__file__).parent.parent / "data"
ABOUT = {
    "request": {"sample": "hang/Killer", "gc": "Serial", "flags": ["-Xint"], "log": ["safepoint"]},
    "jdk": {"major": 17, "version": "17.0.15"},
    "program": {"compiler": "javac 17.0.15"},
}


@pytest.fixture
def run(tmp_path):
    """run("hung", None, out="...", about={...}): a recorded run, whose folder is the test's."""

    def make(outcome="exited", exit_code=0, out="", err="", **changed):
        (tmp_path / "stdout.txt").write_text(out)
        (tmp_path / "stderr.txt").write_text(err)
        command = changed.pop("command", ("/opt/my jdk/bin/java", "-Xint", "Killer"))
        about, started = {**ABOUT, **changed.pop("about", {})}, "2026-01-01T00:00:00.000+00:00"
        finished = recording.Finished(command, tmp_path, outcome, exit_code, started, 1234.5, 99.0, 50.0, about=about)
        return Run(replace(finished, **changed))

    return make


def asked(*answered):
    """What an examination at the deadline leaves, if these were the answers."""
    return {"answers": [{"question": "jcmd", "answered": each, "ms": 1.0, "said": ""} for each in answered]}


@pytest.mark.each(
    "answered, outcome",
    [
        ((False, False), "hung"),
        ((False, None), "hung"),
        ((True, True), "still running"),
        ((False, True), "still running"),
    ],
)
def test_hung_is_a_jvm_that_answers_nothing_at_its_deadline(run, answered, outcome):
    late = run("hung", None, at_deadline=asked(*answered))
    assert (late.outcome, late.hung, late.overdue) == (outcome, outcome == "hung", True)


@pytest.mark.each("at_deadline", [{}, asked(None)])
def test_of_a_jvm_that_nobody_asked_only_that_is_said(run, at_deadline):
    late = run("hung", None, at_deadline=at_deadline)
    assert late.outcome == "still running" and late.overdue and "not asked whether it answers" in repr(late)


def test_a_run_says_in_one_line_what_happened(run):
    start = "<Run Killer · JDK 17.0.15 javac · Serial GC · -Xint ·"
    assert repr(run()) == f"{start} exited 0 after 1.2 s · 1 log>"
    assert repr(run("hung", None, at_deadline=asked(False))) == f"{start} HUNG after 1.2 s · 1 log>"
    there = {"machine": {"cores": 16, "system": "Debian GNU/Linux 12, x86_64"}}
    played = repr(run(replayed=True, about=there))
    assert played.endswith("· recorded 2026-01-01 on 16 cores, Debian GNU/Linux 12, x86_64>")
    hostile = {"request": {**ABOUT["request"], "flags": ["-Dx=<b>"]}}
    assert "&lt;b&gt;" in run(about=hostile)._repr_html_()


def test_a_jvm_that_ends_while_it_is_examined_did_not_hang(run):
    gone = asked(False)
    gone["answers"].append({"question": "SIGTERM", "answered": None, "ms": 0, "said": "the process is gone"})
    one = run("hung", None, at_deadline=gone)
    assert (one.outcome, one.hung, one.overdue, one.ended_late) == ("still running", False, True, True)
    assert not run("hung", None, at_deadline=asked(False)).ended_late


def test_logs_that_were_cut_because_they_grew_after_the_deadline_are_named(run):
    assert "LOGS CUT: it wrote more than 256 MiB" in repr(run("hung", None, about={"trimmed_mib": 256}))
    assert "LOGS CUT" not in repr(run("flooded", None, about={"trimmed_mib": 256}))


def test_a_failed_run_raises_with_its_command_and_its_last_words_and_a_hang_is_a_result(run, monkeypatch):
    monkeypatch.setattr(machine, "address_space", lambda: "This session is limited.")
    with pytest.raises(RunFailed, match="(?s)exit status 1.*Killer.*This session is limited.*OutOfMemoryError"):
        run(exit_code=1, err="java.lang.OutOfMemoryError").demand_success()
    assert run("exited", 1, replayed=True).limited() == ""
    assert (hung := run("hung", None)).demand_success() is hung


def test_the_command_can_be_pasted_and_calls_the_home_folder_by_its_short_name(run, monkeypatch):
    assert run().command == "'/opt/my jdk/bin/java' -Xint Killer"
    monkeypatch.setenv("HOME", "/home/me")
    words = ("/home/me/bin/java", "-XX:StartFlightRecording=settings=/home/me/a.jfc", "Killer")
    assert run(command=words).command == '~/bin/java "-XX:StartFlightRecording=settings=$HOME/a.jfc" Killer'


def test_a_run_lets_go_of_its_tables_and_reads_them_again(run):
    one = run()
    one.__dict__.update(gc="a table", id_of_its_own="kept")
    one.release()
    assert "gc" not in vars(one) and one.id_of_its_own == "kept"


def test_measurements_that_the_program_prints_are_values(run):
    assert run(out="ttsp_ms=3.5\nnoise\nmode=long\n").values == {"ttsp_ms": 3.5, "mode": "long"}


@pytest.mark.each(
    ("ask", "says"),
    [
        (lambda run: run.gc, 'log="safepoint gc"'),
        (lambda run: run.csv("slow.csv"), r"left no file slow\.csv"),
        (lambda run: run.hdr, r"wrote no log of latencies: there is no \*\.hlog"),
    ],
)
def test_what_a_run_does_not_have_says_how_to_get_it(run, ask, says):
    with pytest.raises(LabError, match=says):
        ask(run())


def test_the_forensics_of_a_jvm_that_ended_say_so_and_answer_no_to_every_check(run):
    for ended, words in ((run(), "ended by itself after 1.2 s"), (run("flooded", None), "was stopped before its")):
        examined = ended.forensics
        assert words in repr(examined) and "nothing to examine" in str(examined)
        assert examined._repr_html_() == f"<p>{examined}</p>" and examined.threads.empty
        assert (examined.holdup, examined.answered("")) == (None, None)


def test_files_that_the_program_wrote_become_frames(run, tmp_path):
    (tmp_path / "jitter.csv").write_text("begin_s,overslept_ms\n1.0,0.5\n")
    assert run().csv("jitter.csv").to_dict("list") == {"begin_s": [1.0], "overslept_ms": [0.5]}
    log = DATA / "hdr" / "jdk17-stall.hlog"
    for name in ("first", "second"):  # of two load generators
        (tmp_path / f"{name}.hlog").write_text(log.read_text())
    assert run().hdr["count"].sum() == 2 * hdr.read(log)["count"].sum() > 0


def test_raw_shows_a_logs_own_lines_from_the_first_match_and_the_vms_xml_as_text(run, tmp_path):
    (tmp_path / "safepoint.log").write_text("one\ntwo\nthree\nfour\n")
    assert run().raw("safepoint", 2, around="tw") == "two\nthree"
    (tmp_path / "vm.log").write_text("<tty>\n &quot;killer&quot; Foo::&lt;init&gt;\n")
    compiled = run(about={"request": {"log": ["compilation"]}})
    assert compiled.raw("compilation", 1, around="killer") == ' "killer" Foo::<init>'


@pytest.mark.each(("flags", "begun_s"), [((), 1.545), (("=500",), 1.045), (("=500", "=200"), 1.345)])
def test_a_hang_begins_by_the_delay_that_the_jvm_obeyed_before_its_complaint(run, tmp_path, flags, begun_s):
    text = "[1.545s][warning][safepoint] # SafepointSynchronize::begin: Timeout detected:\n"
    (tmp_path / "safepoint.log").write_text(text)
    command = ("java", *(f"-XX:SafepointTimeoutDelay{flag}" for flag in flags), "Killer")
    assert run("hung", None, command=command).safepoints.attrs["begun_s"] == pytest.approx(begun_s)


def test_the_main_loop_of_a_method_is_one_pass_of_c2s_code(run):
    one = run()
    one.__dict__["assembly"] = assembly.read(DATA / "loop_work" / "jdk17-serial.log")
    texts = one.main_loop("copyLong")["instruction"]
    assert 8 < len(texts) < 60 and texts.str.startswith("jae").sum() == 8
    assert one.main_loop("IntAgainstLong::copyInt")["instruction"].str.contains("zmm|ymm").any()
