"""What others took from a child is told apart from the child's own load."""

import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache

import pytest

from safepointlab.process import cgroups, child, quiet, shell
from safepointlab.process.quiet import Clocks, Quiet
from safepointlab.process.shell import Plan

SPIN = "import time\nend = time.monotonic() + {}\nwhile time.monotonic() < end: pass"
needs_clocks = pytest.mark.skipif(not quiet.STAT.exists(), reason="needs Linux's /proc/stat")


def stretch(wall_ms=1000.0, own_cpu_ms=0.0, busy_ms=0.0, stolen_ms=0.0, waited_ms=0.0, quota=(0, 0)):
    end = Clocks(wall_ms, busy_ms, stolen_ms, waited_ms, 2, *quota)
    return quiet.between(Clocks(0.0, 0.0, 0.0, 0.0, cores=2), end, own_cpu_ms)


@pytest.mark.each(
    ("clocks", "lost_percent", "disturbed"),
    [
        # its own load, however long its threads wait for each other
        ({"busy_ms": 2000.0, "waited_ms": 1000.0, "own_cpu_ms": 2000.0}, 0, False),
        ({"busy_ms": 1500.0, "waited_ms": 5.0, "own_cpu_ms": 700.0}, 0.25, False),  # others on an idle core
        ({"busy_ms": 2000.0, "waited_ms": 900.0, "own_cpu_ms": 1000.0}, 45, True),  # others on a core it waited for
        ({"busy_ms": 1000.0, "stolen_ms": 300.0, "own_cpu_ms": 1000.0}, 15, True),  # the host, though no thread waited
        ({"busy_ms": 1500.0, "waited_ms": float("nan"), "own_cpu_ms": 700.0}, 40, True),  # PSI is not there: all counts
        # a few ticks in a short run
        ({"wall_ms": 100.0, "busy_ms": 130.0, "waited_ms": 100.0, "own_cpu_ms": 90.0}, 20, False),
    ],
)
def test_others_cost_at_most_what_they_ran_and_at_most_what_somebody_waited(clocks, lost_percent, disturbed):
    one = stretch(**clocks)
    assert (one.lost_percent, one.disturbed) == (pytest.approx(lost_percent), disturbed)


def test_a_stretch_reads_back_from_its_record_and_says_its_numbers():
    one = stretch(busy_ms=2000.0, waited_ms=900.0, own_cpu_ms=1000.0)
    assert Quiet.from_dict(one.to_dict()) == one and Quiet.from_dict({}) is None
    words = "disturbed: other processes took 50 % (threads waited for a core 45 %), the host 0 %"
    assert str(one).startswith(words)


def test_a_used_up_quota_is_a_warning_of_its_own():
    assert stretch(quota=(34, 31)).warning == "its CPU quota was used up in 31 of 34 periods"
    assert stretch(quota=(34, 1)).warning == "" and not stretch(quota=(34, 31)).disturbed
    both = stretch(busy_ms=2000.0, waited_ms=900.0, own_cpu_ms=1000.0, quota=(9, 9)).warning
    assert both.startswith("disturbed: ") and both.endswith(" · its CPU quota was used up in 9 of 9 periods")


@needs_clocks
def test_periods_are_counted_only_under_a_quota_and_it_is_looked_for_once_a_process(monkeypatch, tmp_path):
    (tmp_path / "self").mkdir()
    (tmp_path / "self" / "cgroup").write_text("0::/")
    (tmp_path / "cpu.stat").write_text("nr_periods 9\nnr_throttled 4\n")
    monkeypatch.setattr(cgroups, "PROC", tmp_path)
    monkeypatch.setattr(cgroups, "MOUNTED", tmp_path)
    for quota, counted in ("max 100000", (0, 0)), ("50000 100000", (9, 4)):
        monkeypatch.setattr(cgroups, "has_quota", cache(cgroups.has_quota.__wrapped__))
        for text in quota, "50000 100000":  # what is set later counts for the next process
            (tmp_path / "cpu.max").write_text(text)
            clocks = quiet.clocks()
            assert (clocks.periods, clocks.cut_short) == counted


def test_where_the_system_has_no_clocks_nothing_is_claimed(monkeypatch, tmp_path):
    monkeypatch.setattr(quiet, "STAT", tmp_path / "none")
    assert quiet.clocks() is None and quiet.so_far() is None
    finished = shell.execute(Plan([sys.executable, "-c", "pass"]), deadline=10, key="no-clocks")
    assert finished.quiet == {}


@needs_clocks
def test_a_run_beside_a_spinning_process_on_its_only_core_is_disturbed():
    core = min(os.sched_getaffinity(0))
    spinner = ["taskset", "--cpu-list", str(core), sys.executable, "-c", "print(flush=True)\n" + SPIN.format(60)]
    with subprocess.Popen(spinner, stdout=subprocess.PIPE) as other:
        other.stdout.readline()  # it spins from now on
        plan = Plan([sys.executable, "-c", SPIN.format(0.8)], cores=(core,))
        with quiet.collected() as runs:
            finished = shell.execute(plan, deadline=30, key="beside-a-spinner")
        other.kill()
    [ended] = runs
    assert ended.quiet.disturbed and ended.quiet == Quiet.from_dict(finished.quiet)


@needs_clocks
def test_a_run_in_whose_middle_another_began_and_ended_had_company(tmp_path):
    folders = [tmp_path / name for name in ("long", "short", "alone")]
    for folder in folders:
        folder.mkdir()
    with child.started(["sleep", "0.3"], folders[0], {}) as long:
        with child.started(["true"], folders[1], {}) as short:
            short.exits_within(5)
        long.exits_within(5)
    with child.started(["true"], folders[2], {}) as alone:
        alone.exits_within(5)
    assert [one.quiet.beside for one in (long, short, alone)] == [1, 1, 0]


@needs_clocks
def test_two_runs_that_start_in_the_same_moment_had_company(tmp_path):
    both = threading.Barrier(2, timeout=60)
    until_both_run = ["sh", "-c", "until [ -e ../both ]; do sleep 0.01; done"]

    def company(name: str) -> int:
        (tmp_path / name).mkdir()
        both.wait()
        with child.started(until_both_run, tmp_path / name, {}) as one:
            both.wait()
            (tmp_path / "both").touch()
            one.exits_within(60)
        return one.quiet.beside

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(company, ("left", "right"))) == [1, 1]


@needs_clocks
def test_looking_costs_less_than_a_millisecond_a_run():
    begin, own = time.perf_counter(), time.process_time()
    for _ in range(100):
        quiet.between(quiet.clocks(), quiet.clocks(), 1.0)
    assert time.process_time() - own < 0.1 or time.perf_counter() - begin < 0.1


def test_a_block_collects_its_runs_alone_and_those_side_by_side_are_not_disturbed_by_others():
    alone = Quiet(1000, 2, 0, 900, 900)
    with quiet.collected() as outer:
        with quiet.collected() as inner:
            pass
        quiet.publish(alone, {})
    assert [run.quiet for run in outer] == [alone] and inner == []
    assert quiet.summary([alone, replace(alone, beside=1)]) == {"runs": 2, "disturbed": 1, "lost_percent": 45.0}
