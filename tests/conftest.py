"""What all tests share: the quick profile, recordings kept out of the reader's own, and a reason for every skip.

A test that times is marked `timed`: where other programs took the CPU while it ran, its answer is worth nothing, and it
is skipped with what was measured, whether it would have passed or failed.
"""

import os
import resource
import signal
import time
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parent.parent
ENOUGH = 0.75  # of the cores that a test needs, the part that must have been free for it on average
STAT = Path("/proc/stat")


@dataclass(frozen=True)
class CpuUse:
    """What the machine's CPUs have done so far, in seconds: for all, and for this process and its ended children."""

    at: float
    everybody: float
    own: float

    @classmethod
    def now(cls) -> "CpuUse":
        """From /proc/stat: "cpu  4705 150 1120 16250 520 0 17 3 0 0", in ticks."""
        user, nice, system, _, _, irq, softirq, steal = map(int, STAT.read_text().split("\n", 1)[0].split()[1:9])
        busy = (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")
        used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        return cls(time.monotonic(), busy, sum(usage.ru_utime + usage.ru_stime for usage in used))

    def too_busy(self, then: "CpuUse", cores: int) -> str:
        """Why a test that needs so many cores and ran from then until now can't tell; "" if it can."""
        others = max(0.0, (self.everybody - then.everybody) - (self.own - then.own)) / (self.at - then.at)
        there = os.cpu_count() or 1
        wanted = ENOUGH * min(cores, there)
        if there - others >= wanted:
            return ""
        return f"too busy to tell: others took {others:.1f} of {there} cores while it ran, and it needs {wanted:.1f}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Skip a timed test that could not tell, after it ran: how busy the machine will be, nobody knows before."""
    marker = item.get_closest_marker("timed")
    if not marker:
        return (yield)
    then, cores = CpuUse.now(), marker.kwargs.get("cores", 2)
    try:
        outcome = yield
    except (Exception, pytest.fail.Exception):
        _skip_if_busy(then, cores)
        raise
    _skip_if_busy(then, cores)
    return outcome


def _skip_if_busy(then: CpuUse, cores: int) -> None:
    if reason := CpuUse.now().too_busy(then, cores):
        pytest.skip(reason)


def pytest_configure(config: pytest.Config) -> None:
    """A marker, and Ctrl-C: after `nohup make test &`, and under some CI, a lab that a test starts would ignore it."""
    config.addinivalue_line("markers", "timed(cores=2): can tell nothing where others take the CPU; skipped then")
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def lab_of_its_own(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests use the machine's JDKs and compiled samples, but never mix their runs with the reader's."""
    monkeypatch.setenv("SAFEPOINTLAB_PROFILE", "quick")
    monkeypatch.setenv("SAFEPOINTLAB_RUNS", str(tmp_path_factory.getbasetemp() / "runs"))
    monkeypatch.delenv("SAFEPOINTLAB_REPLAY", raising=False)


@pytest.fixture(scope="session")
def project() -> Path:
    """The checkout's own folder."""
    return PROJECT


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """What each notebook took, above the closing line: the quick profile aims at 75 s."""
    passed = terminalreporter.getreports("passed")
    took = [(report.nodeid, value) for report in passed for name, value in report.user_properties if name == "seconds"]
    if took:
        terminalreporter.section("notebooks, quick profile")
    for test, seconds in took:
        terminalreporter.write_line(f"{test.rpartition('[')[2].rstrip(']'):32} {seconds:6.1f} s")
