"""What all tests share: the quick profile, recordings kept out of the reader's own, and a reason for every skip.

A test that times is marked `timed`: where other programs took the CPU while it ran, its answer is worth nothing, and it
is skipped with what was measured, whether it would have passed or failed.
"""

import signal
from collections.abc import Callable, Generator
from pathlib import Path

import pytest
from hypothesis import settings

from safepointlab.process import quiet
from safepointlab.process.quiet import Quiet

PROJECT = Path(__file__).resolve().parent.parent
settings.register_profile("lab", deadline=None, derandomize=True, database=None)
settings.register_profile("long", deadline=None, max_examples=20_000)  # pytest --hypothesis-profile=long
settings.load_profile("lab")
ENOUGH = 0.75  # of the cores that a test needs, the part that must have been free for it on average


def too_busy(passed: Quiet | None, cores: int) -> str:
    """Why a test that needs so many cores can't tell, after what passed; "" if it can, or nobody knows."""
    if not passed:
        return ""
    others = (passed.others_ms + passed.stolen_ms) / passed.wall_ms
    wanted = ENOUGH * min(cores, passed.cores)
    if passed.cores - others >= wanted:
        return ""
    return f"too busy to tell: others took {others:.1f} of {passed.cores} cores while it ran, and it needs {wanted:.1f}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Skip a timed test that could not tell, after it ran: how busy the machine will be, nobody knows before."""
    marker = item.get_closest_marker("timed")
    if not marker:
        return (yield)
    passed, cores = quiet.watch(), marker.kwargs.get("cores", 2)
    try:
        outcome = yield
    except (Exception, pytest.fail.Exception):
        _skip_if_busy(passed(), cores)
        raise
    _skip_if_busy(passed(), cores)
    return outcome


def _skip_if_busy(passed: Quiet | None, cores: int) -> None:
    if reason := too_busy(passed, cores):
        pytest.skip(reason)


def pytest_configure(config: pytest.Config) -> None:
    """A marker, and signals: after `nohup make test &`, and under some CI, what a test starts would ignore them."""
    config.addinivalue_line("markers", "timed(cores=2): can tell nothing where others take the CPU; skipped then")
    for number, usual in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, usual)


@pytest.fixture(autouse=True)
def lab_of_its_own(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests use the machine's JDKs and compiled samples, but never mix their runs and verdicts with the reader's."""
    monkeypatch.setenv("SAFEPOINTLAB_PROFILE", "quick")
    monkeypatch.setenv("SAFEPOINTLAB_CLAIMS", str(tmp_path_factory.getbasetemp() / "claims"))
    monkeypatch.setenv("SAFEPOINTLAB_RUNS", str(tmp_path_factory.getbasetemp() / "runs"))
    monkeypatch.delenv("SAFEPOINTLAB_REPLAY", raising=False)


@pytest.fixture
def busy() -> Callable[[], Callable[[], str]]:
    """busy() begins to look; what it returns says later why the machine was too busy to tell, or ""."""

    def begin() -> Callable[[], str]:
        passed = quiet.watch()
        return lambda: too_busy(passed(), cores=2)

    return begin


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
