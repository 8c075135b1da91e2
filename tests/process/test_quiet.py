"""quiet.py: what others took from a child is told apart from the child's own load."""

import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from safepointlab.process import child, quiet, shell
from safepointlab.process.quiet import Clocks, Quiet
from safepointlab.process.shell import Plan

SPIN = "import time\nend = time.monotonic() + {}\nwhile time.monotonic() < end: pass"


def clocks(at_ms=0.0, busy_ms=0.0, stolen_ms=0.0, waited_ms=0.0):
    return Clocks(at_ms, busy_ms, stolen_ms, waited_ms, cores=2)


def stretch(**end):
    own_cpu_ms = end.pop("own_cpu_ms", 0.0)
    return quiet.between(clocks(), clocks(1000.0, **end), own_cpu_ms)


def test_own_load_is_no_disturbance_however_long_its_threads_wait_for_each_other():
    crowded = stretch(busy_ms=2000.0, waited_ms=1000.0, own_cpu_ms=2000.0)
    assert not crowded.disturbed and crowded.lost_ms == 0


def test_others_on_an_idle_core_disturb_nobody():
    assert not stretch(busy_ms=1500.0, waited_ms=5.0, own_cpu_ms=700.0).disturbed


def test_others_on_the_core_that_a_thread_waited_for_disturb():
    disturbed = stretch(busy_ms=2000.0, waited_ms=900.0, own_cpu_ms=1000.0)
    assert disturbed.disturbed and disturbed.lost_percent == 45
    assert str(disturbed).startswith(
        "disturbed: other processes took 50 % (threads waited for a core 45 %), the host 0 %"
    )


def test_what_the_host_took_disturbs_although_no_thread_here_waited():
    assert stretch(busy_ms=1000.0, stolen_ms=300.0, own_cpu_ms=1000.0).disturbed


def test_without_pressure_all_that_others_ran_counts():
    assert stretch(busy_ms=1500.0, waited_ms=float("nan"), own_cpu_ms=700.0).disturbed


def test_a_few_ticks_in_a_short_run_are_no_disturbance():
    short = quiet.between(clocks(), clocks(100.0, busy_ms=130.0, waited_ms=100.0), own_cpu_ms=90.0)
    assert short.lost_percent == 20 and not short.disturbed


def test_where_the_system_has_no_clocks_nothing_is_claimed(monkeypatch, tmp_path):
    monkeypatch.setattr(quiet, "STAT", tmp_path / "none")
    assert quiet.clocks() is None and quiet.so_far() is None
    finished = shell.execute(Plan([sys.executable, "-c", "pass"]), deadline=10, key="no-clocks")
    assert finished.quiet == {}


def test_record_of_a_quiet_stretch_reads_back():
    assert Quiet.from_dict(stretch(busy_ms=1500.0).to_dict()) == stretch(busy_ms=1500.0)


@pytest.mark.skipif(not quiet.STAT.exists(), reason="needs Linux's /proc/stat")
def test_a_run_beside_a_spinning_process_on_its_only_core_is_disturbed():
    core = min(os.sched_getaffinity(0))
    confined = ["taskset", "--cpu-list", str(core), sys.executable, "-c"]
    with subprocess.Popen([*confined, "print(flush=True)\n" + SPIN.format(60)], stdout=subprocess.PIPE) as other:
        other.stdout.readline()  # it spins from now on
        plan = Plan([*confined, SPIN.format(0.8)], cores=(core,))
        with quiet.collected() as runs:
            finished = shell.execute(plan, deadline=30, key="beside-a-spinner")
        other.kill()
    assert (quiet_then := Quiet.from_dict(finished.quiet)) and quiet_then.disturbed
    assert quiet.summary(runs)["disturbed"] == 1


@pytest.mark.skipif(not quiet.STAT.exists(), reason="needs Linux's /proc/stat")
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


@pytest.mark.skipif(not quiet.STAT.exists(), reason="needs Linux's /proc/stat")
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


@pytest.mark.skipif(not quiet.STAT.exists(), reason="needs Linux's /proc/stat")
def test_looking_costs_less_than_a_millisecond_a_run():
    begin, own = time.perf_counter(), time.process_time()
    for _ in range(100):
        quiet.between(quiet.clocks(), quiet.clocks(), 1.0)
    assert time.process_time() - own < 0.1 or time.perf_counter() - begin < 0.1


def test_who_collects_within_another_ones_block_takes_nothing_from_it():
    run = quiet.Quiet(1000, 2, 0, 20, 20)
    with quiet.collected() as outer:
        with quiet.collected() as inner:
            pass
        quiet.tell(run)
    assert outer == [run] and inner == []


def test_a_run_that_the_lab_made_beside_another_counts_and_is_not_disturbed_by_others():
    alone = quiet.Quiet(1000, 2, 0, 900, 900)
    assert quiet.summary([alone, replace(alone, beside=1)]) == {"runs": 2, "disturbed": 1, "lost_percent": 45.0}
