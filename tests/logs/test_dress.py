"""One safepoint log in the dresses in which logs are kept and posted: the rows are the same."""

import gzip
import html
import json
from pathlib import Path

import pytest

from safepointlab.errors import UnreadableLog
from safepointlab.logs import gc, safepoint

DATA = Path(__file__).parents[1] / "data"
PLAIN = (DATA / "safepoint" / "jdk17-info.log").read_text("utf-8")


def coloured(line):
    return f"\x1b[32m{line[:8]}\x1b[0m{line[8:]}"


DRESSES = {
    "gzip": gzip.compress(PLAIN.encode()),
    "utf-16": PLAIN.encode("utf-16"),
    "utf-16, big end first": b"\xfe\xff" + PLAIN.encode("utf-16-be"),
    "byte order mark": b"\xef\xbb\xbf" + PLAIN.encode(),
    "docker": "".join(json.dumps({"log": line, "stream": "stdout"}) + "\n" for line in PLAIN.splitlines(True)).encode(),
    "compose": "".join(f"app-1  | {line}" for line in PLAIN.splitlines(True)).encode(),
    "colours": "".join(map(coloured, PLAIN.splitlines(True))).encode(),
    "html": html.escape(PLAIN).encode(),
}


@pytest.mark.each("dress", DRESSES)
def test_a_dressed_log_has_the_rows_of_the_plain_one(dress, tmp_path):
    (tmp_path / "vm.log").write_bytes(DRESSES[dress])
    rows, plain = (safepoint.read(source)["total_ms"].tolist() for source in (tmp_path / "vm.log", PLAIN))
    assert rows == plain and len(plain) > 2


def test_a_collectors_log_copied_from_a_page_keeps_its_sizes(tmp_path):
    (tmp_path / "gc.log").write_text(
        "[0.251s][info][gc] GC(7) Pause Young (Normal) (System.gc()) 61M-&gt;34M(64M) 5.101ms\n"
    )
    assert gc.read(tmp_path / "gc.log")["after_mib"].tolist() == [34.0]


def test_a_packed_log_that_is_cut_is_refused_with_advice(tmp_path):
    (tmp_path / "vm.log").write_bytes(DRESSES["gzip"][:-20])
    with pytest.raises(UnreadableLog, match="is packed, and damaged"):
        safepoint.read(tmp_path / "vm.log")


def test_a_line_that_only_looks_like_dockers_stays(tmp_path):
    (tmp_path / "vm.log").write_text('{"log":5\n' + PLAIN)
    assert len(safepoint.read(tmp_path / "vm.log")) == len(safepoint.read(PLAIN))


def test_one_stop_whose_line_counts_the_cleanup_in_is_one_row():
    stats = "[0.5s][info][safepoint,stats] Cleanup   [   15    1 ][     26541   240544   30371   297456 ]    0"
    line = 'Safepoint "Cleanup", Time since last: 1 ns, Reaching safepoint: 267085 ns, At safepoint: 30371 ns, '
    line += "Total: 297456 ns"
    frame = safepoint.read([stats.replace("0.5", "0.500"), f"[0.500s][info][safepoint] {line}"])
    assert frame[["ttsp_ms", "cleanup_ms", "total_ms"]].values.tolist() == [[0.026541, 0.240544, 0.297456]]
