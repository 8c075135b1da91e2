"""What all tests share: the quick profile, recordings kept out of the reader's own, and a reason for every skip."""

from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parent.parent


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
