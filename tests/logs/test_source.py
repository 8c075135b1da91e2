"""Logs as they are kept and posted, packed, prefixed, with overlong or broken lines: the rows are the same."""

import gzip
import html
import json

import pandas as pd
import pytest

from safepointlab.errors import DamagedLog, ForeignLog, UnreadableLog
from safepointlab.logs import compilation, gc, safepoint
from safepointlab.logs.lines import source
from tests.logs.conftest import DATA

PLAIN = (DATA / "safepoint" / "jdk17-info.log").read_text("utf-8")
LINES = PLAIN.splitlines(True)
STOP = next(line for line in LINES if "Safepoint" in line)
RUBBISH = bytes(range(32)).replace(b"\n", b"").replace(b"\r", b"") + b"\xff\xfe" * 8
ROW = "[0.100s][info][gc] GC(0) Pause Young (Normal) (G1 Evacuation Pause) 10M->2M(64M) 1.000ms\n"
LATER = ROW.replace("0.100s", "0.200s").replace("GC(0)", "GC(1)")
KEPT = {
    "gzip": gzip.compress(PLAIN.encode()),
    "utf-16": PLAIN.encode("utf-16"),
    "utf-16, big end first": b"\xfe\xff" + PLAIN.encode("utf-16-be"),
    "byte order mark": b"\xef\xbb\xbf" + PLAIN.encode(),
    "windows": PLAIN.replace("\n", "\r\n").encode(),
    "docker": "".join(json.dumps({"log": line, "stream": "stdout"}) + "\n" for line in LINES).encode(),
    "compose": "".join(f"app-1  | {line}" for line in LINES).encode(),
    "colours": "".join(f"\x1b[32m{line[:8]}\x1b[0m{line[8:]}" for line in LINES).encode(),
    "html": html.escape(PLAIN).encode(),
    "only like docker's": ('{"log":5\n' + PLAIN).encode(),
    "other bytes": PLAIN.encode().replace(b"\n", b"\n\xff\xfe\x80 caf\xe9\n"),
}


@pytest.mark.each("kept", KEPT)
def test_a_log_has_the_same_rows_however_it_is_kept(kept, write):
    rows, plain = (safepoint.read(log)["total_ms"].tolist() for log in (write(KEPT[kept]), PLAIN))
    assert rows == plain and len(plain) > 2


PREFIXES = [  # of collectors of logs; the numbers differ from line to line
    "[pod/shop-7d9/app] ", "shop-7d9 app ", "2026-11-28T10:00:{:02}.12345678{}Z ", "   2026-11-28T10:00:{:02}.12+0000 "
    "[APP/PROC/WEB/0] OUT ", "2026-11-28T10:00:{:02}.1+00:00 stdout F ", "Nov 28 10:00:{:02} till java[4711]: ",
    "<14>1 2026-11-28T10:00:{:02}.{}Z till java 47 - - ", "INFO   | jvm 1    | 2026/11/28 10:00:{:02} | ",
    "2026-11-28 10:00:{:02},{} INFO  [stdout] (main) ",
]  # fmt: skip
PREFIXED = {
    safepoint: ["jdk8-table", "jdk8-stopped-bothstamps", "jdk11-stdout", "jdk17-info", "jdk21-info", "jdk28-timeout"],
    gc: ["jdk8-g1", "jdk8-parallel", "jdk8-cms", "jdk8-cms-tenuring", "jdk11-cms", "jdk17-z", "jdk21-g1", "jdk25-g1"],
    compilation: ["jdk8-mix", "jdk11-unified", "jdk17-mix", "jdk21-mix", "jdk25-unified", "jdk28-mix"],
}


@pytest.mark.each(("kind", "name"), [(kind, name) for kind, names in PREFIXED.items() for name in names])
def test_a_log_has_the_same_rows_whatever_a_collector_of_logs_puts_in_front_of_its_lines(kind, name, write):
    lines = (DATA / kind.NAME / f"{name}.log").read_text("utf-8").splitlines(True)
    plain = kind.read(lines)
    for prefix in PREFIXES:
        frame = kind.read(write("".join(prefix.format(n % 60, n) + line for n, line in enumerate(lines))))
        pd.testing.assert_frame_equal(frame, plain)
        assert frame.attrs == plain.attrs and len(plain)


def test_a_collection_of_8_without_a_stamp_in_front_is_no_prefix_of_the_stamps_in_it():
    line = (
        "[GC (Allocation Failure) {}: [ParNew: 19539K->2112K(19648K), 0.0027280 secs] 19K->5K(63360K), 0.0028042 secs]"
    )
    assert gc.read([line.format(at) for at in ("0.100", "0.201")])["pause_ms"].round(1).tolist() == [2.8, 2.8]


def test_a_log_is_a_path_or_paths_or_lines_or_the_text_itself(write):
    path = write(PLAIN)
    for log in (path, str(path), [path], LINES, (line.encode() for line in LINES), PLAIN):
        assert len(safepoint.read(log)) == len(safepoint.read(PLAIN)) > 2
    assert len(safepoint.read([path, path])) == 2 * len(safepoint.read(path))


def test_a_collectors_log_copied_from_a_page_keeps_its_sizes(write):
    row = "[0.251s][info][gc] GC(7) Pause Young (Normal) (System.gc()) 61M-&gt;34M(64M) 5.101ms\n"
    assert gc.read(write(row))["after_mib"].tolist() == [34.0]


def test_a_packed_log_that_is_cut_is_refused_with_advice(write):
    with pytest.raises(UnreadableLog, match="is packed, and damaged"):
        safepoint.read(write(KEPT["gzip"][:-20]))


def test_bytes_that_are_no_text_are_damaged_beside_lines_of_the_log_and_foreign_alone(write):
    log = write(STOP.encode() + RUBBISH + b"\nGr\xfc\xdfe vom Programm\n")
    frame = safepoint.read(log)
    assert (len(frame), frame.attrs["damaged"], frame.attrs["skipped"]) == (1, 1, 1)
    with pytest.raises(DamagedLog, match=r"bad\.log:2: no text"):
        safepoint.read(log, strict=True)
    dump = write((RUBBISH + b"\n") * 3)
    assert safepoint.read(dump).attrs["damaged"] == 0
    with pytest.raises(ForeignLog):
        safepoint.read(dump, strict=True)


@pytest.mark.each("blocks", [2.5, 3, 3.3, 5])
@pytest.mark.each("end", [LATER, ""])
def test_a_line_too_long_for_any_log_is_one_line_and_no_piece_of_it_a_row(blocks, end, write):
    """It counts as one line, and lines behind it keep their numbers."""
    inner = ("x" * 1000 + ROW.strip()) * int(blocks * source.BLOCK_BYTES / 1000)
    path = write(ROW + inner + ("\n" + end if end else ""))
    assert len(gc.read(path)) == 1 + bool(end)
    if end:
        last = list(source.blocks(path))[-1]
        assert gc.read(path).attrs["lines"] == 3 == last.first_line + last.lines - 1
