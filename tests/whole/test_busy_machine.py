"""A test that times neither fails nor passes on a machine too busy to tell: it is skipped, with what was measured."""

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
TESTS = """
import pytest

@pytest.mark.timed
def test_passes(): pass

@pytest.mark.timed
def test_fails(): assert False

def test_does_not_time(): pass
"""


def outcomes(folder: Path, others: float) -> str:
    (folder / "conftest.py").write_text(FAKED.format(conftest=str(PROJECT / "tests" / "conftest.py"), others=others))
    (folder / "test_it.py").write_text(TESTS)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-rs",
        "-p",
        "no:cacheprovider",
        "--rootdir",
        str(folder),
        str(folder),
    ]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False).stdout


@pytest.mark.parametrize(("others", "told"), [(0.0, "1 failed, 2 passed"), (10_000.0, "1 passed, 2 skipped")])
def test_only_timed_tests_are_skipped_and_only_where_others_took_the_cpu(tmp_path, others, told):
    output = outcomes(tmp_path, others)
    assert told in output
    assert ("too busy to tell: others took 10000.0 of" in output) == ("skipped" in told)
