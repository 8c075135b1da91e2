"""What all tests share: the quick profile, recordings kept out of the reader's own, and a reason for every skip."""

import signal
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parent.parent


def pytest_configure() -> None:
    """`nohup make test &` and some CI systems make us ignore Ctrl-C; a lab that a test interrupts would inherit that."""
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
