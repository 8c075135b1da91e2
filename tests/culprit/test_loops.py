"""A method's bytecode -> which of its loops C2 counts, and so leaves without a poll."""

from pathlib import Path

import pytest

from safepointlab.culprit import loops
from safepointlab.logs import bytecode

JAVAP = Path(__file__).parent.parent / "data" / "loops.javap"  # of Loops.java beside it, by javap -c -p of 8
CODE = bytecode.read(JAVAP)


@pytest.mark.each(
    ("name", "counter"),
    [
        ("constantStep", "int"),  # i += 100000
        ("wideStep", "int"),  # iinc_w
        ("down", "int"),  # i -= 70000
        ("shortIndex", "int"),
        ("charIndex", "int"),
        ("byteIndex", "int"),
        ("longIndex", "long"),
        ("arrayLength", "int"),
        ("forEach", "int"),
        ("decrement", "int"),  # --i >= 0
        ("whileDecrement", "int"),  # n-- > 0
        ("doWhile", "int"),
        ("untilEqual", "int"),  # i != n by ones
        ("breaks", "int"),  # while (true) { if (i >= n) break; ... }
        ("twoTests", "int"),  # i < n && a[i] != 7
        ("difference", "int"),  # i <= n - m
        ("reversed", "int"),  # n > i
        ("field", "int"),
        ("staticLimit", "int"),
        ("fieldStored", "perhaps"),
        ("call", "perhaps"),  # i < list.size()
        ("variableStep", ""),  # i += k
        ("untilEqualByTwos", ""),
        ("whileFlag", ""),
        ("flagAndCounter", ""),  # while (flag) { n++; if (n == 1000) n = 0; }
        ("flagAndCompare", ""),  # while (flag) { n++; if (n > 1000) m ^= n; }
        ("movingLimit", ""),
        ("twoSteps", ""),
        ("collatz", ""),
        ("doubling", ""),  # i *= 2
        ("floating", ""),
    ],
)
def test_a_loop_is_counted_by_a_constant_step_and_a_limit_that_stays(name, counter):
    code = CODE[CODE["method"] == f"Loops::{name}"]
    edges = bytecode.back_edges(code)
    ends = edges.groupby("to_bci")["from_bci"].max()
    assert [loops.counter(code, int(start), int(end)) for start, end in ends.items()] == [counter]
