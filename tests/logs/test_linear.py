"""A log of twice the size takes twice the CPU time: a line of 100 MB, 100,000 methods, 100,000 threads."""

import contextlib
import time

import pytest

from safepointlab.cli.parse import readers
from safepointlab.errors import LabError
from safepointlab.logs import collapsed, compilation, gc, safepoint

MB = 10**6
MOST = 3.0  # times as long for twice as much; quadratic time is four times
CASES = {  # what is read -> the reader, the lines of n
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


def cpu_s(read):
    begin = time.process_time()
    result = read()
    return time.process_time() - begin, result


@pytest.mark.timed(cores=1)
@pytest.mark.parametrize("case", CASES)
def test_a_hundred_thousand_names_take_twice_as_long_as_half_of_them(case):
    read, line = CASES[case]
    lines = [line(number) for number in range(1, 100_001)]
    half, _ = cpu_s(lambda: read(lines[:50_000]))
    whole, frame = cpu_s(lambda: read(lines))
    assert len(frame) == 100_000 and whole < MOST * half


@pytest.mark.timed(cores=1)
@pytest.mark.parametrize("kind", readers())
def test_a_line_of_100_mb_takes_twice_as_long_as_one_of_50(kind, tmp_path):
    def read(size):
        (tmp_path / "log").write_bytes(b"[0.1s][info][gc] GC(0) Pause " + b"x" * size + b"\n")
        with contextlib.suppress(LabError):  # no such log
            readers()[kind].read([tmp_path / "log"])

    half, _ = cpu_s(lambda: read(50 * MB))
    whole, _ = cpu_s(lambda: read(100 * MB))
    assert whole < MOST * half
