"""Reading takes time in proportion to the log: no line, and no number of different names, makes it quadratic."""

import contextlib
import time

import pytest

from safepointlab.cli.parse import readers
from safepointlab.errors import LabError
from safepointlab.logs import collapsed, compilation, gc, guess, safepoint

CHARS = 60_000
MOST_S = 3  # of CPU time, for all readers together some 0.5 s; one that takes quadratic time needs 5 s and more
MOST = 3.0  # times as long for twice as much; quadratic time is four times
MB = 10**6
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
NAMES = {  # what is read -> the reader, the lines of n
    "compiled methods": (compilation.read, lambda n: f"{n:7} {n:4}       3       a.B{n}::run{n} (5 bytes)"),
    "inlined methods": (compilation.inlining, lambda n: f"{' ' * 30}@ 3   a.B{n}::run{n} (5 bytes)   inline (hot)"),
    "frames": (collapsed.read, lambda n: f"[t tid=1];A.main;a.B.run{n} 1"),
    "waiting threads": (gc.read, lambda n: f"[{n / 1000:.3f}s][info][gc] Allocation Stall (thread-{n}) 1.227ms"),
    "causes": (gc.read, lambda n: f"[{n / 1000:.3f}s][info][gc] GC({n}) Pause Young (Cause{n}) 2M->1M(9M) 1.227ms"),
    "operations": (
        safepoint.read,
        lambda n: (
            f'[{n / 1000:.3f}s][info][safepoint] Safepoint "Op{n}", Time since last: 9 ns, Reaching safepoint: 2 ns, '
            "At safepoint: 3 ns, Total: 5 ns"
        ),
    ),
}


def cpu_s(read, *arguments) -> float:
    begin = time.process_time()
    with contextlib.suppress(LabError):  # the only kind of error that a foreign text may raise
        read(*arguments)
    return time.process_time() - begin


@pytest.mark.timed(cores=1)
@pytest.mark.each("name", LINES)
def test_a_long_line_takes_no_reader_long(name, write):
    begin, unit = LINES[name]
    text = begin + unit * (CHARS // len(unit)) + "\n"
    log = write(text)
    assert cpu_s(guess, text) + sum(cpu_s(reader.read, [log]) for reader in readers().values()) < MOST_S


@pytest.mark.timed(cores=1)
@pytest.mark.each("case", NAMES)
def test_a_hundred_thousand_names_take_twice_as_long_as_half_of_them(case):
    read, line = NAMES[case]
    lines = [line(number) for number in range(1, 100_001)]
    assert len(read(lines)) == 100_000
    assert cpu_s(read, lines) < MOST * cpu_s(read, lines[:50_000])


@pytest.mark.timed(cores=1)
@pytest.mark.each("kind", readers())
def test_a_line_of_100_mb_takes_twice_as_long_as_one_of_50(kind, write):
    half, whole = (
        cpu_s(readers()[kind].read, [write(b"[0.1s][info][gc] GC(0) Pause " + b"x" * size + b"\n")])
        for size in (50 * MB, 100 * MB)
    )
    assert whole < MOST * half
