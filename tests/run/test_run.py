"""A Run says in one line what happened, and turns each captured log into a frame; all without a JVM."""

from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from safepointlab.errors import BadInput, LabError, NotRecorded, RunFailed
from safepointlab.logs import assembly, hdr
from safepointlab.process import limits, recording
from safepointlab.run import load as loading
from safepointlab.run.load import load, runs
from safepointlab.run.run import Run

DATA = Path(__file__).parent.parent / "data"
ABOUT = {
    "request": {"sample": "hang/Killer", "gc": "Serial", "flags": ["-Xint"], "log": ["safepoint"]},
    "jdk": {"major": 17, "version": "17.0.15"},
    "program": {"compiler": "javac 17.0.15"},
}


@pytest.fixture
def finished(tmp_path):
    def make(outcome="exited", exit_code=0, out="", err="", **changed):
        (tmp_path / "stdout.txt").write_text(out)
        (tmp_path / "stderr.txt").write_text(err)
        command = ("/opt/my jdk/bin/java", "-Xint", "Killer")
        about = {**ABOUT, **changed.pop("about", {})}
        return recording.Finished(
            command,
            tmp_path,
            outcome,
            exit_code,
            "2026-01-01T00:00:00.000+00:00",
            1234.5,
            99.0,
            50.0,
            about=about,
            **changed,
        )

    return make


def test_a_run_says_in_one_line_what_happened(finished):
    assert (
        repr(Run(finished())) == "<Run Killer · JDK 17.0.15 javac · Serial GC · -Xint · exited 0 after 1.2 s · 1 log>"
    )


def test_the_main_loop_of_a_method_is_one_pass_of_c2s_code(finished):
    run = Run(finished())
    run.__dict__["assembly"] = assembly.read(DATA / "loop_work" / "jdk17-serial.log")
    texts = run.main_loop("copyLong")["instruction"]
    assert 8 < len(texts) < 60 and texts.str.startswith("jae").sum() == 8
    assert run.main_loop("IntAgainstLong::copyInt")["instruction"].str.contains("zmm|ymm").any()


def test_a_hang_is_a_result_and_says_so_loudly(finished):
    run = Run(finished("hung", None))
    assert run.hung and "HUNG after 1.2 s" in repr(run)
    assert run.demand_success() is run


def test_logs_that_were_cut_because_they_grew_after_the_deadline_are_named(finished):
    assert "LOGS CUT: it wrote more than 256 MiB" in repr(Run(finished("hung", None, about={"trimmed_mib": 256})))
    assert "LOGS CUT" not in repr(Run(finished("flooded", None, about={"trimmed_mib": 256})))


def test_a_limit_of_memory_is_named_where_a_run_failed_and_not_in_a_replay(finished, monkeypatch):
    monkeypatch.setattr(limits, "address_space", lambda: "This session is limited.")
    with pytest.raises(RunFailed, match="This session is limited"):
        Run(finished("exited", 1)).demand_success()
    assert Run(finished("exited", 1, replayed=True)).limited() == ""


def test_a_run_lets_go_of_its_tables_and_reads_them_again(finished):
    run = Run(finished())
    run.__dict__.update(gc="a table", id_of_its_own="kept")
    run.release()
    assert "gc" not in vars(run) and run.id_of_its_own == "kept"


def test_a_replayed_run_says_when_and_where_it_was_recorded(finished):
    machine = {"machine": {"cores": 16, "system": "Debian GNU/Linux 12, x86_64"}}
    run = Run(finished(replayed=True, about=machine))
    assert repr(run).endswith("· recorded 2026-01-01 on 16 cores, Debian GNU/Linux 12, x86_64>")


def test_the_command_can_be_pasted(finished):
    assert Run(finished()).command == "'/opt/my jdk/bin/java' -Xint Killer"


def test_the_home_folder_has_its_short_name_in_the_command_within_a_word_too(finished, monkeypatch):
    monkeypatch.setenv("HOME", "/home/me")
    words = ("/home/me/bin/java", "-XX:StartFlightRecording=settings=/home/me/a.jfc", "Killer")
    run = Run(replace(finished(), command=words))
    assert run.command == '~/bin/java "-XX:StartFlightRecording=settings=$HOME/a.jfc" Killer'


def test_a_failed_run_raises_with_its_command_and_its_last_words(finished):
    with pytest.raises(RunFailed, match="(?s)exit status 1.*Killer.*OutOfMemoryError"):
        Run(finished(exit_code=1, err="java.lang.OutOfMemoryError")).demand_success()


def test_measurements_that_the_program_prints_are_values(finished):
    assert Run(finished(out="ttsp_ms=3.5\nnoise\nmode=long\n")).values == {"ttsp_ms": 3.5, "mode": "long"}


def test_a_log_that_was_not_captured_says_how_to_capture_it(finished):
    with pytest.raises(LabError, match='log="safepoint gc"'):
        _ = Run(finished()).gc


def test_a_run_that_did_not_hang_has_no_forensics(finished):
    with pytest.raises(LabError, match="Only a run that hangs"):
        _ = Run(finished()).forensics


def test_a_file_that_the_program_wrote_becomes_a_frame(finished, tmp_path):
    (tmp_path / "jitter.csv").write_text("begin_s,overslept_ms\n1.0,0.5\n")
    run = Run(finished())
    assert run.csv("jitter.csv").to_dict("list") == {"begin_s": [1.0], "overslept_ms": [0.5]}
    with pytest.raises(LabError, match=r"left no file slow\.csv"):
        run.csv("slow.csv")


def test_raw_shows_the_logs_own_lines_from_the_first_match(finished, tmp_path):
    (tmp_path / "safepoint.log").write_text("one\ntwo\nthree\nfour\n")
    assert Run(finished()).raw("safepoint", 2, around="tw") == "two\nthree"


def test_raw_shows_the_vms_own_xml_file_as_plain_text(finished, tmp_path):
    (tmp_path / "vm.log").write_text("<tty>\n &quot;killer&quot; Foo::&lt;init&gt;\n")
    run = Run(finished(about={"request": {"log": ["compilation"]}}))
    assert run.raw("compilation", 1, around="killer") == ' "killer" Foo::<init>'


def test_a_safepoint_log_becomes_a_frame(finished, tmp_path):
    line = 'Safepoint "Cleanup", Time since last: 1000199800 ns, Reaching safepoint: 156100 ns, Cleanup: 2000 ns, '
    (tmp_path / "safepoint.log").write_text(
        f"[1.250s][info][safepoint] {line}At safepoint: 9100 ns, Total: 167200 ns\n"
    )
    frame = Run(finished()).safepoints
    assert (frame.operation[0], frame.ttsp_ms[0], frame.total_ms[0]) == ("Cleanup", 0.1561, 0.1672)


def test_the_hdr_logs_of_a_program_become_a_frame(finished, tmp_path):
    run = Run(finished())
    with pytest.raises(LabError, match=r"wrote no log of latencies: there is no \*\.hlog"):
        _ = run.hdr
    log = Path(__file__).parent.parent / "data" / "hdr" / "jdk17-stall.hlog"
    for name in ("first", "second"):  # of two load generators
        (tmp_path / f"{name}.hlog").write_text(log.read_text())
    assert run.hdr["count"].sum() == 2 * hdr.read(log)["count"].sum() > 0


def test_the_html_form_escapes_what_the_flags_hold(finished):
    about = {"request": {**ABOUT["request"], "flags": ["-Dx=<b>"]}}
    assert "&lt;b&gt;" in Run(finished(about=about))._repr_html_()


def test_loading_a_run_that_is_not_there_is_a_clear_error(tmp_path, monkeypatch):
    monkeypatch.setenv("SAFEPOINTLAB_RUNS", str(tmp_path))
    with pytest.raises(NotRecorded, match="no readable record"):
        load("nothing-like-it")


@pytest.mark.parametrize(("flags", "begun_s"), [((), 1.545), (("=500",), 1.045), (("=500", "=200"), 1.345)])
def test_a_hang_begins_by_the_delay_that_the_jvm_obeyed_before_its_complaint(finished, tmp_path, flags, begun_s):
    text = "[1.545s][warning][safepoint] # SafepointSynchronize::begin: Timeout detected:\n"
    (tmp_path / "safepoint.log").write_text(text)
    command = ("java", *(f"-XX:SafepointTimeoutDelay{flag}" for flag in flags), "Killer")
    run = Run(replace(finished("hung", None), command=command))
    assert run.safepoints.attrs["begun_s"] == pytest.approx(begun_s)


def test_the_runs_of_a_sweep_are_those_that_its_rows_name(finished, monkeypatch):
    monkeypatch.setattr(loading, "load", lambda name: name)
    frame, one = pd.DataFrame({"run": ["a", "", None, "b", "a"]}), Run(finished())
    assert runs(frame, [one, {"G1": one}]) == ["a", "b", one, one]
    assert runs(pd.DataFrame()) == runs() == []


@pytest.mark.parametrize(("wrong", "says"), [
    (pd.DataFrame({"odd": [1]}), "no column run. It has odd"), (17, "type int names no"), ("a", "type str names no")
])  # fmt: skip
def test_what_names_no_runs_is_refused(wrong, says):
    with pytest.raises(BadInput, match=says):
        runs(wrong)
