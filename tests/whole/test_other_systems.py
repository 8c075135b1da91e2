"""On a system that is not Linux everything imports, and what cannot work there says so."""

import os
import signal
import subprocess
import sys

import pytest

from safepointlab.cli import doctor
from safepointlab.culprit import foreground
from safepointlab.errors import ToolMissing
from safepointlab.process import machine
from safepointlab.process.home import PACKAGE, PROJECT

# What the C library of macOS lacks, taken away before the first import, in a Python of its own.
AS_ON_A_MAC = """
import os, signal, sys, pkgutil, importlib
import multiprocessing, asyncio, subprocess, platform, ctypes.util, pandas  # the libraries see the true system
for name in ("sched_getaffinity", "sched_setaffinity", "pidfd_open", "memfd_create", "eventfd", "getrandom"):
    vars(os).pop(name, None)
for name in ("sigtimedwait", "sigwaitinfo"):
    vars(signal).pop(name, None)
vars(__import__("time")).pop("CLOCK_BOOTTIME", None)
import safepointlab
names = [module.name for module in pkgutil.walk_packages(safepointlab.__path__, "safepointlab.")]
for name in names:
    if not name.endswith("__main__"):
        importlib.import_module(name)
print(len(names))
"""


# The same, and then two children: one that ends, one that hangs.
CHILDREN = (
    AS_ON_A_MAC.partition("import safepointlab\n")[0]
    + """
from safepointlab.process import shell
done = shell.execute(shell.Plan(["sh", "-c", "echo hello; exit 3"]), deadline=60)
hung = shell.execute(shell.Plan(["sleep", "99"]), deadline=0.3)
print(done.outcome, done.exit_code, done.text().strip(), hung.outcome)
"""
)


@pytest.fixture
def mac(monkeypatch):
    """This process without what macOS lacks."""
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.delattr(signal, "sigtimedwait", raising=False)
    monkeypatch.setattr(machine, "PROC_STAT", PROJECT / "no-such-file")


def test_every_module_imports_without_what_only_linux_has():
    done = subprocess.run(
        [sys.executable, "-c", AS_ON_A_MAC], cwd=PROJECT, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert int(done.stdout.split()[-1]) > len(list(PACKAGE.glob("*/*.py"))) / 2


def test_a_child_is_run_and_ended_without_a_pidfd(tmp_path):
    env = {**os.environ, "SAFEPOINTLAB_RUNS": str(tmp_path)}
    command = [sys.executable, "-c", CHILDREN]
    done = subprocess.run(command, cwd=PROJECT, env=env, capture_output=True, text=True, check=False, timeout=120)
    assert done.stdout.split() == ["exited", "3", "hello", "hung"], done.stderr[-3000:]


def test_what_needs_linux_says_so_and_nothing_else_does(mac, monkeypatch):
    assert machine.share().cores == os.cpu_count()
    lines = {check.name: str(check) for check in doctor.system()}
    assert "sigtimedwait" in lines["safepoint late"]
    assert all("only on Linux: it needs" in line and "works without" in line for line in lines.values())
    with pytest.raises(ToolMissing, match="needs Linux"):
        foreground.run(["true"], {})
    monkeypatch.setattr(sys, "platform", "linux")
    assert list(doctor.system()) == []
