"""`safepoint parse`: any log that the lab reads becomes csv or json, and what became of its lines is told."""

import csv
import io
import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from safepointlab import cli, jdks
from safepointlab.logs import flight

LOGS = Path(__file__).parent.parent / "data"
INFO = LOGS / "safepoint" / "jdk25-info.log"


def test_a_log_becomes_csv_and_what_became_of_its_lines_is_told_on_stderr(capsys):
    assert cli.main(["parse", "safepoint", str(INFO)]) == 0
    said = capsys.readouterr()
    assert said.err == "10 rows from 27 lines; 7 lines made no row, 0 were damaged.\n"
    rows = list(csv.DictReader(io.StringIO(said.out)))
    assert len(rows) == 10 and rows[0]["operation"] == "G1CollectFull" and rows[0]["cleanup_ms"] == ""


def test_a_log_becomes_json_with_null_for_what_is_missing(capsys):
    assert cli.main(["parse", "gc", str(LOGS / "gc" / "jdk25-g1.log"), "--to", "json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert rows[0]["kind"] == "young" and rows[0]["thread"] is None


def test_a_folder_stands_for_its_files_of_that_kind_in_the_order_written(tmp_path, capsys):
    lines = INFO.read_text().splitlines(True)
    for name, part in {"sp.log": lines[20:], "sp.log.0": lines[:20], "app.txt": ["hello\n"]}.items():
        (tmp_path / name).write_text("".join(part))
    assert cli.main(["parse", "safepoint", str(tmp_path), "--strict"]) == 0
    assert capsys.readouterr().out == csv_of(INFO, capsys)
    assert cli.main(["parse", "gc", str(tmp_path)]) == 2
    assert "none of these files has a line of a gc log" in capsys.readouterr().err


def csv_of(path: Path, capsys) -> str:
    assert cli.main(["parse", "safepoint", str(path)]) == 0
    return capsys.readouterr().out


@pytest.mark.each("mixed", ["{0}{0}", "{1}{2}"])
def test_a_log_of_several_jvms_is_told_and_refused_if_strict(mixed, tmp_path, capsys):
    text = INFO.read_text()
    pods = ("".join(f"[pod/shop-{name}/app] {line}" for line in text.splitlines(True)) for name in "ab")
    (log := tmp_path / "log").write_text(mixed.format(text, *pods))
    assert cli.main(["parse", "safepoint", str(log)]) == 0
    assert "2 JVMs wrote log: `safepoint report` shows each apart" in capsys.readouterr().err
    assert cli.main(["parse", "safepoint", str(log), "--strict"]) == 2


def test_several_files_of_one_run_make_one_table(capsys):
    names = [str(LOGS / "safepoint" / f"jdk8-split-{part}.log") for part in ("stdout", "gc")]
    assert cli.main(["parse", "safepoint", *names, "--strict"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 18


@pytest.mark.parametrize("times", [1, 400])  # below a block of the reader, and above two
def test_a_named_pipe_loses_no_row(tmp_path, capsys, times):
    pipe, text = tmp_path / "log", INFO.read_bytes() * times
    os.mkfifo(pipe)
    writer = threading.Thread(target=_write_slowly, args=(pipe, text), daemon=True)
    writer.start()
    assert cli.main(["parse", "safepoint", str(pipe)]) == 0
    assert capsys.readouterr().err.startswith(f"{10 * times} rows from {27 * times} lines;")


def _write_slowly(pipe: Path, text: bytes) -> None:
    """One byte, a pause in the middle of a line, then the rest."""
    with pipe.open("wb", buffering=0) as file:
        file.write(text[:1])
        time.sleep(0.05)
        for start in range(1, len(text), 4096):  # a raw write may be short; one of 4 kB to a pipe is whole
            file.write(text[start : start + 4096])


def test_stdin_is_read_for_a_dash(capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(INFO.read_bytes())))
    assert cli.main(["parse", "safepoint", "-"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 11


@pytest.mark.each(
    ("kind", "log", "says"),
    [
        ("gc", "jdk25-info.log", "looks like a safepoint log"),
        ("safepoint", "../../test_config.py", "none that the lab reads"),
        ("safepoint", "jdk25-no-safepoint.log", "not one row, although this is of a safepoint log: '[2026-"),
        ("safepiont", "jdk25-info.log", "Did you mean 'safepoint'? Known: "),
    ],
)
def test_what_makes_no_table_is_refused_with_the_reason(kind, log, says, capsys):
    assert cli.main(["parse", kind, str(LOGS / "safepoint" / log)]) == 2
    assert says in capsys.readouterr().err


def test_without_a_file_the_kinds_can_be_listed_and_a_kind_asks_for_one(capsys):
    assert cli.main(["parse", "list"]) == 0
    assert {"safepoint", "gc", "jfr", "hdr"} <= {*capsys.readouterr().out.split()}
    assert [cli.main(["parse", kind]) for kind in ("gc", "gcc")] == [2, 2]
    said = capsys.readouterr().err
    assert "which file? `safepoint parse gc FILE`" in said and "Did you mean 'gc'? Known: " in said


def test_an_empty_file_is_an_empty_table_and_that_is_said(capsys, tmp_path):
    (tmp_path / "empty.log").touch()
    assert cli.main(["parse", "safepoint", str(tmp_path / "empty.log")]) == 0
    said = capsys.readouterr()
    assert said.out.splitlines()[1:] == [] and said.err.endswith(" The log is empty.\n")


def test_a_recording_is_no_log_of_safepoints_and_that_names_who_reads_it(tmp_path, capsys):
    (tmp_path / "r.jfr").write_bytes(b"FLR\0\0\2\0\1 and so on")
    assert cli.main(["parse", "safepoint", str(tmp_path / "r.jfr")]) == 2
    assert "It is a JFR recording. `safepoint report` shows its stops" in capsys.readouterr().err


@pytest.mark.live
def test_a_recording_is_a_table_of_its_events_by_its_name_or_its_folder(tmp_path, capsys):
    newest = jdks.find()[-1]
    subprocess.run(
        [newest.java, *flight.flags_for("", newest.major, str(tmp_path)), "-version"], check=True, capture_output=True
    )
    for name in (flight.RECORDING, "."):
        assert cli.main(["parse", "jfr", str(tmp_path / name)]) == 0
        assert "jdk.SafepointBegin" in capsys.readouterr().out


def test_a_cut_line_stops_strict_only(capsys, tmp_path):
    (tmp_path / "cut.log").write_text(INFO.read_text().rpartition(", Total:")[0])
    assert cli.main(["parse", "safepoint", str(tmp_path / "cut.log")]) == 0
    assert cli.main(["parse", "safepoint", str(tmp_path / "cut.log"), "--strict"]) == 2
    assert "safepoint parse: cut.log:" in capsys.readouterr().err
