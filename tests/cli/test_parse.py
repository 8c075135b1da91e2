"""`safepoint parse`: any log that the lab reads becomes csv or json, and what became of its lines is told."""

import csv
import io
import json
import os
import sys
import threading
import time
from pathlib import Path

import pytest

from safepointlab import cli, logs

LOGS = Path(__file__).parent.parent / "data"
INFO = LOGS / "safepoint" / "jdk25-info.log"


def test_a_log_becomes_csv_with_one_line_a_row(capsys):
    assert cli.main(["parse", "safepoint", str(INFO)]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert len(rows) == 10 and rows[0]["operation"] == "G1CollectFull" and rows[0]["cleanup_ms"] == ""


def test_a_log_becomes_json_with_null_for_what_is_missing(capsys):
    assert cli.main(["parse", "gc", str(LOGS / "gc" / "jdk25-g1.log"), "--to", "json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert rows[0]["kind"] == "young" and rows[0]["thread"] is None


def test_what_became_of_the_lines_is_told_on_stderr(capsys):
    cli.main(["parse", "safepoint", str(INFO)])
    assert capsys.readouterr().err == "10 rows from 27 lines; 7 lines made no row, 0 were damaged.\n"


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


def test_a_log_of_another_kind_is_refused_with_what_it_looks_like(capsys):
    assert cli.main(["parse", "gc", str(INFO)]) == 2
    assert "looks like a safepoint log" in capsys.readouterr().err


def test_a_text_that_is_no_log_is_refused(capsys, tmp_path):
    (tmp_path / "poem.txt").write_text("roses\nviolets\n")
    assert cli.main(["parse", "safepoint", str(tmp_path / "poem.txt")]) == 2
    assert "none that the lab reads" in capsys.readouterr().err


def test_an_empty_file_is_an_empty_table(capsys, tmp_path):
    (tmp_path / "empty.log").touch()
    assert cli.main(["parse", "safepoint", str(tmp_path / "empty.log")]) == 0
    assert capsys.readouterr().out.splitlines()[1:] == []


def test_a_log_without_one_event_says_so_with_its_first_line(capsys):
    assert cli.main(["parse", "safepoint", str(LOGS / "safepoint" / "jdk25-no-safepoint.log")]) == 2
    assert "not one row, although this is of a safepoint log: '[2026-" in capsys.readouterr().err


def test_an_unknown_kind_lists_the_known_ones(capsys):
    assert cli.main(["parse", "safepiont", str(INFO)]) == 2
    assert "Did you mean 'safepoint'? Known: " in capsys.readouterr().err


def test_a_cut_line_stops_strict_only(capsys, tmp_path):
    (tmp_path / "cut.log").write_text(INFO.read_text().rpartition(", Total:")[0])
    assert cli.main(["parse", "safepoint", str(tmp_path / "cut.log")]) == 0
    assert cli.main(["parse", "safepoint", str(tmp_path / "cut.log"), "--strict"]) == 2
    assert "DamagedLog: cut.log:" in capsys.readouterr().err


def test_every_reader_is_found_by_its_name():
    kinds = logs.kinds()
    assert all(name in kinds for name in ("safepoint", "gc", "compilation", "assembly", "bytecode"))
    assert list(kinds) == [module.NAME for module in kinds.values()]


@pytest.mark.parametrize("kind", ["safepoint", "gc", "compilation"])
def test_a_log_is_recognised_by_its_lines(kind):
    for path in sorted((LOGS / kind).glob("jdk*.log"))[:12]:
        text = path.read_text(errors="replace")
        assert kind in logs.guess(text), path.name
