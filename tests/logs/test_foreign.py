"""What is no log of HotSpot is refused by its name, and a log that others wrapped or packed is read."""

import bz2
import json
import lzma
import tarfile
import zipfile

import pytest

from safepointlab.cli.parse import parse
from safepointlab.culprit.log_report.parts import parts
from safepointlab.errors import ForeignLog, UnreadableLog
from safepointlab.logs import safepoint

LINE = (
    '[0.812s][info][safepoint] Safepoint "Cleanup", Time since last: 1 ns, '
    "Reaching safepoint: 91230 ns, At safepoint: 2233 ns, Total: 93463 ns"
)
NATIVE = "[0.100s] GC(0) Using Serial GC\n[0.101s] GC(0) Incremental GC (Collect on allocation) 256.00M->0.50M 1.234ms"
EARLY = "[1583.6s][info][gc] GC(163) Minor Garbage Collection (High Usage) 42238M(95%)->16152M(36%) 0.641s"

FOREIGN = {
    '<?xml version="1.0"?>\n<verbosegc xmlns="http://www.ibm.com/j9/verbosegc">': "OpenJ9",
    NATIVE: "native image",
    "[Incremental GC (CollectOnAllocation): 65536K->0K, 0.0020 secs]": "native image",
    "[Full GC (CollectOnAllocation) 252416K->36864K, 0.1140350 secs]": "native image",
    "[1.205s] GC(0) Pause Young GC (Collect on allocation) 120.00M->4.50M 3.010ms": "native image",
    "[GC (Collect on allocation) 262144K->512K, 0.0012340 secs]": "native image",
    "0SECTION       TITLE subcomponent dump routine\nNULL    =====\n1TISIGINFO     Dump Event": "javacore",
    '12345\n21.0.3+9\n\n#1 "main" RUNNABLE 2024-05-01T10:00:00Z\n': "thread dump",
    " S0C    S1C    S0U    S1U      EC       EU        OC\n512.0  512.0   0.0": "jstat",
    "<!DOCTYPE html>\n<html lang='en'><title>Flame Graph</title>": "a page",
    "[0.010s][info][gc] Using Epsilon\n[0.5s][info][gc] Heap: 4096M reserved, 256M (6.25%) committed": "never collects",
    "# A fatal error has been detected by the Java Runtime Environment:\n#\n"
    "#  fatal error: Safepoint sync time longer than 1000 ms detected when executing ICBufferFull.": "for ICBufferFull",
    "# A fatal error has been detected by the Java Runtime Environment:\n#  SIGSEGV (0xb)": "crashed",
    "2024-05-01 10:00:00\nFull thread dump OpenJDK 64-Bit Server VM (17.0.15+6 mixed mode):\n": "thread dump",
    "JAVA PROFILE 1.0.2\0\0\0": "heap dump",
    "jdk.SafepointBegin {\n  startTime = 12:45:16.202\n}": "jfr print",
    "14458.522: [Pause Final Mark 1978M->166M(2048M), 30.514 ms]": "Shenandoah in JDK 8",
    "2019-05-01T10:00:01.010+0000: 4.111: [Concurrent marking 966M->980M(1024M), 12.657 ms]": "Shenandoah in JDK 8",
    EARLY: "before JDK 21",
    json.dumps({"level": "info", "text": {"raw": LINE}}): "It is JSON",
}


@pytest.mark.each(("text", "name"), list(FOREIGN.items()))
def test_what_is_no_log_of_hotspot_is_refused_by_its_name(tmp_path, text, name):
    (file := tmp_path / "odd.log").write_text(text + "\n")
    with pytest.raises(ForeignLog, match=name):
        parse("gc", [file])
    [], [left_out] = parts({"odd.log": file})
    assert name in left_out.reason


@pytest.mark.each(
    "wrap",
    [
        lambda line: {"log": line + "\n", "stream": "stdout"},
        lambda line: {"time": "2024-05-01T10:00:00Z", "stream": "stdout", "log": line},
        lambda line: {"timestamp": "2024-05-01T10:00:00Z", "message": line},
        lambda line: {"textPayload": line, "insertId": "1"},
        lambda line: {"jsonPayload": {"message": line}, "insertId": "1"},
        lambda line: {"@timestamp": "2025-03-02T08:00:01Z", "event": {"original": line}},
        lambda line: {"labels": {"app": "shop"}, "line": line},
    ],
)
def test_lines_that_a_collector_of_logs_put_into_json_are_read(wrap):
    wrapped = [json.dumps(wrap(LINE))] * 3
    for text in ("\n".join(wrapped) + "\n", "[\n" + ",\n".join(wrapped) + "\n]\n"):
        frame = safepoint.read(text)
        assert len(frame) == 3 and frame["ttsp_ms"].tolist() == [0.09123] * 3


def test_a_packed_log_is_read_and_what_cannot_be_unpacked_says_why(tmp_path):
    text = f"{LINE}\n".encode()
    (tmp_path / "a.xz").write_bytes(lzma.compress(text))
    (tmp_path / "a.bz2").write_bytes(bz2.compress(text))
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("a.log", text)
    assert [len(safepoint.read(tmp_path / f"a.{kind}")) for kind in ("xz", "bz2", "zip")] == [1, 1, 1]
    with zipfile.ZipFile(tmp_path / "two.zip", "w") as archive:
        archive.writestr("a.log", text)
        archive.writestr("b.log", text)
    (tmp_path / "a.zst").write_bytes(b"\x28\xb5\x2f\xfd....")
    with tarfile.open(tmp_path / "a.tar.gz", "w:gz") as archive:
        archive.add(tmp_path / "a.xz", "a.log")
    for name, why in (("two.zip", "a zip of 2 files"), ("a.zst", "zstd -d a.zst"), ("a.tar.gz", "archive of files")):
        with pytest.raises(UnreadableLog, match=why):
            safepoint.read(tmp_path / name)
