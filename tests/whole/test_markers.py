"""tests/conftest.py: which tests are nightly, what `each` reports, and a timed test fails on a busy machine."""

import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]
FAKED = """
import itertools, runpy
real = runpy.run_path({conftest!r})
globals().update({{name: value for name, value in real.items() if name.startswith("pytest_")}})
quiet = real["quiet"]
clock = itertools.count(step=10_000)
quiet.clocks = lambda: quiet.Clocks(next_at := next(clock), next_at * {others}, 0.0, float("nan"), 2)
"""
TIMED = """
import pytest

@pytest.mark.timed
def test_passes(): pass

@pytest.mark.timed
def test_fails(): assert False

def test_does_not_time(): pass
"""
EACH = """
import pytest

@pytest.mark.each("left", [1, 2, 3])
@pytest.mark.each(("name", "right"), [("one", 1), ("two", 2)])
def test_all_are_alike(left, name, right, tmp_path):
    assert left == right, name
"""
PARTS = """
import pytest

def test_quick(): pass

@pytest.mark.live
def test_live(): pass

@pytest.mark.gate
@pytest.mark.live
@pytest.mark.parametrize("jdk", [8, 11])
def test_of_the_gate(jdk): pass
"""


@pytest.fixture
def tried(tmp_path):
    """tried(tests, *options): what pytest prints of these tests, under this conftest and a clock that is made up."""

    def run(tests: str, *options: str, others: float = 0.0) -> str:
        conftest = PROJECT / "tests" / "conftest.py"
        (tmp_path / "conftest.py").write_text(FAKED.format(conftest=str(conftest), others=others))
        (tmp_path / "test_it.py").write_text(tests)
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--rootdir={tmp_path}", *options]
        done = subprocess.run([*command, tmp_path], cwd=tmp_path, capture_output=True, text=True, check=False)
        return done.stdout + done.stderr

    return run


def test_a_timed_test_fails_where_others_took_the_cpu_whether_it_passed_or_not(tried):
    assert "1 failed, 2 passed" in (said := tried(TIMED)) and "too busy" not in said
    said = tried(TIMED, others=10_000.0)
    assert "2 failed, 1 passed" in said and "too busy to tell: others took 10000.0 of 2 cores" in said
    assert "It also failed: AssertionError: assert False" in said


def test_each_is_one_test_that_lists_all_cases_that_fail(tried):
    said = tried(EACH)
    assert "1 failed" in said and "AssertionError: 4 of 6 cases fail" in said
    assert "'two', 2, 1: AssertionError: " in said and "'one', 1, 2" in said and "'one', 1, 1" not in said


@pytest.mark.each("chosen", ["gate and not nightly", "not (nightly or gate)"])
def test_a_live_test_is_nightly_unless_it_is_marked_for_the_gate_and_for_a_jdk_of_it(tried, chosen):
    assert "1 passed" in tried(PARTS, "-m", chosen)


def test_a_test_that_compares_times_is_refused_in_the_gate(tried):
    assert "it cannot be in the gate" in tried(
        TIMED.replace("@pytest.mark.timed", "@pytest.mark.timed\n@pytest.mark.gate")
    )
