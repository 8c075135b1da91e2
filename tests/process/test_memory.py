"""How much memory a child held, told apart from what we hold ourselves."""

import sys

from safepointlab.process import memory, shell
from safepointlab.process.shell import Plan

MIB = 2**20


def test_a_small_child_of_a_large_process_is_not_told_as_large():
    ballast = bytearray(300 * MIB)
    command = [sys.executable, "-c", "import time; time.sleep(0.5)"]
    finished = shell.execute(Plan(command), deadline=20, key="small")
    assert len(ballast) / MIB <= memory.own_mib() and 2 < finished.max_rss_mib < 100


def test_a_child_larger_than_ourselves_is_told_by_its_end():
    mib = int(memory.own_mib()) + 100
    finished = shell.execute(Plan([sys.executable, "-c", f"bytearray({mib} * 2**20)"]), deadline=20, key="large")
    assert mib <= finished.max_rss_mib < mib + 100


def test_what_a_child_was_handed_down_is_not_its_own_though_the_kernel_counts_it_a_little_higher():
    assert memory.peak_mib(301 * MIB // memory.BYTES, own=300.0, seen=80.0) == 80.0


def test_nothing_is_said_of_a_child_that_nobody_saw():
    assert memory.peak_mib(1, own=300.0, seen=0.0) is None and memory.seen_mib(2**30) == 0.0
