"""A long line of any program's output costs a reader time in proportion to its length, and raises no raw error."""

import contextlib
import time

import pytest

from safepointlab.cli.parse import readers
from safepointlab.errors import LabError
from safepointlab.logs import collapsed, interpreter
from safepointlab.logs.readers import guess

CHARS = 60_000
MOST_S = 3  # of CPU time, for all readers together some 0.5 s; one that takes quadratic time needs 5 s and more
COMPILED = "    417   13       3       "
LINES = {  # a beginning, and what is repeated behind it
    "decorations": (COMPILED + "[0.1s]", "[info]"),
    "brackets": ("", "["),
    "torn dates": (COMPILED, "[1-1-1T"),
    "numbers": (COMPILED, "1 2 3 "),
    "compile lines": ("", COMPILED + "A::b (1 bytes) "),
    "names and numbers": ("", "1::2 "),
    "frames": ("", "a;"),
    "dots": ("", "a."),
    "threads": ("", "[a tid=1];"),
    "entities": ("", "&lt;"),
    "lines of a blank": ("", "\n "),
    "colours": ("", "\x1b[0m"),
    "addresses": ("  0x000000000000: ", "mov ; "),
    "columns of 8": ("1.0: a ", "[ 1 1 1 ]"),
}


@pytest.mark.timed(cores=1)
@pytest.mark.parametrize("name", LINES)
def test_a_long_line_takes_no_reader_long(name, tmp_path):
    begin, unit = LINES[name]
    text = begin + unit * (CHARS // len(unit)) + "\n"
    (tmp_path / "log").write_text(text)
    start_s = time.process_time()
    guess(text, readers())
    for reader in readers().values():
        _read(reader, tmp_path / "log")
    assert time.process_time() - start_s < MOST_S


def _read(reader, log):
    with contextlib.suppress(LabError):  # the only kind of error that a foreign text may raise
        reader.read([log])


def test_frames_are_divided_as_before():
    frame = collapsed.read(["[C-a tid=7];Main.run;Main.go a 3", "[b tid=1] tid=2];x;y 4", "one 5", "a;b; 6"])
    assert frame["frames"].tolist() == ["Main.run;Main.go a", "x;y", "one"]
    assert frame["thread"].tolist()[:2] == ["C-a", "b tid=1]"] and frame.attrs["damaged"] == 1


def test_an_address_of_the_kernel_and_one_of_zeros_are_numbers():
    line = "goto  167 goto  [0x00007f773894dee0, 0xffffffffffffffff]  736 bytes"
    frame = interpreter.read([line, "  0x0000000000000000: nop", "  0xffffffff81000000: testb   $0x1,0x340(%r15)"])
    assert (frame["instructions"].item(), frame["poll"].item()) == (1, "testb $0x1,0x340(%r15)")
