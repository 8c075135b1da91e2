"""Damaged lines raise nothing but the lab's own errors; `scripts/fuzz.py` does the same a million times."""

import random
import sys

import pytest

from safepointlab.errors import DamagedLog, ForeignLog
from safepointlab.logs import collapsed, compilation, gc, safepoint
from safepointlab.logs.readers import kinds
from safepointlab.process import home

sys.path.insert(0, str(home.PROJECT / "scripts"))

import fuzz

WRONG = {
    "compilation": "    417   13       3       A::b (99999999999 bytes)",
    "stacks": "Main.run;Main.go 99999999999999999999",
    "gc": "0.097: [GC (Allocation Failure) 0.097: [ParNew: 1٣8K->1725K(19648K), 0.0007175 secs] 39K->23K(63K), 0.07]",
}


@pytest.mark.parametrize("seed", range(4))
def test_damaged_lines_raise_no_raw_error(seed):
    dice = random.Random(seed)
    batches = fuzz.batches(dice)
    for kind, reader, lines in (next(batches) for _ in range(60)):
        assert not fuzz.fails(reader, lines), kind


@pytest.mark.parametrize("kind", WRONG)
def test_a_number_that_no_vm_prints_makes_no_row(kind):
    frame = kinds()[kind].read([WRONG[kind]])
    assert frame.empty and {compilation.NAME, collapsed.NAME, gc.NAME} == set(WRONG)


def test_the_fuzz_notices_a_raw_error():
    class Broken:
        def read(self, lines):
            return int(lines[0])

    assert fuzz.fails(Broken(), ["x", "1"]).startswith("ValueError: invalid literal")


@pytest.mark.parametrize("log", ["gc/jdk25-g1", "safepoint/jdk11-debug", "compilation/jdk17-mix"])
def test_a_log_that_ends_anywhere_has_no_row_of_its_own(log, capsys):
    assert fuzz.cut([fuzz.LOGS / f"{log}.log"], every=997) == 0
    cuts, wrong = capsys.readouterr().out.split(" cuts, ")
    assert int(cuts) > 3 and wrong.startswith("0 with a raw error or a row of their own")


def test_a_row_that_the_whole_log_lacks_is_noticed():
    class Inventive:
        def read(self, path):
            return safepoint.read([STOP.replace("Cleanup", name) for name in path.read_text()])

    whole = safepoint.read([STOP, STOP, STOP])
    assert fuzz.invented(Inventive(), b"ab", whole).startswith("2 rows of its own, the first {'kind'")
    assert fuzz.invented(Inventive(), b"a", whole) == ""
    assert fuzz.invented(Inventive(), b"abcd", whole) == "4 rows, where the whole log has 3"


STOP = (
    '[0.5s][info][safepoint] Safepoint "Cleanup", Time since last: 1000 ns, Reaching safepoint: 2000 ns, '
    "At safepoint: 3000 ns, Total: 5000 ns"
)
RUBBISH = bytes(range(32)).replace(b"\n", b"").replace(b"\r", b"") + b"\xff\xfe" * 8


def test_bytes_that_are_no_text_are_damaged_beside_lines_of_the_log(tmp_path):
    log = tmp_path / "safepoint.log"
    log.write_bytes(f"{STOP}\n".encode() + RUBBISH + b"\nGr\xfc\xdfe vom Programm\n")
    frame = safepoint.read(log)
    assert (len(frame), frame.attrs["damaged"], frame.attrs["skipped"]) == (1, 1, 1)
    with pytest.raises(DamagedLog, match="safepoint.log:2: no text"):
        safepoint.read(log, strict=True)


def test_nothing_but_such_bytes_is_foreign(tmp_path):
    log = tmp_path / "core.dump"
    log.write_bytes((RUBBISH + b"\n") * 3)
    assert safepoint.read(log).attrs["damaged"] == 0
    with pytest.raises(ForeignLog):
        safepoint.read(log, strict=True)
