"""A line too long for any log: it counts as one line, and no piece of it is taken for a line of its own."""

import pytest

from safepointlab.logs import gc
from safepointlab.logs.lines import source

ROW = "[0.100s][info][gc] GC(0) Pause Young (Normal) (G1 Evacuation Pause) 10M->2M(64M) 1.000ms\n"
LATER = ROW.replace("0.100s", "0.200s").replace("GC(0)", "GC(1)")


@pytest.fixture
def log(tmp_path):
    """A log of a row, one long line with rows in its middle but no newline, and another row."""

    def written(size, end=LATER):
        inner = ("x" * 1000 + ROW.strip()) * (size // 1000)
        (tmp_path / "gc.log").write_text(ROW + inner + "\n" + end)
        return tmp_path / "gc.log"

    return written


@pytest.mark.parametrize("blocks", [2.5, 3, 3.3, 5])
def test_a_row_in_the_middle_of_a_long_line_is_no_row(log, blocks):
    frame = gc.read(log(int(blocks * source.BLOCK_BYTES)))
    assert len(frame) == 2 and frame.attrs["lines"] == 3


def test_lines_behind_a_long_one_keep_their_numbers(log):
    numbers = [(block.first_line, block.lines) for block in source.blocks(log(3 * source.BLOCK_BYTES))]
    assert numbers[-1][0] + numbers[-1][1] - 1 == 3


def test_a_long_line_without_an_end_makes_no_row(log):
    path = log(3 * source.BLOCK_BYTES, end="")
    path.write_bytes(path.read_bytes().rstrip())
    assert len(gc.read(path)) == 1
