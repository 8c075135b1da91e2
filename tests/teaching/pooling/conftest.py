"""What the tests of a class share: a student's own empty cache, one claim that measures nothing, and files to forge."""

import json
import secrets
from datetime import UTC, datetime, timedelta
from importlib import import_module

import pytest

from safepointlab.claims import base, measuring, ruling
from safepointlab.claims.base import Claim, Verdict
from safepointlab.claims.results import Results
from safepointlab.course import predictions
from safepointlab.version import __version__


def judge(measured):
    return base.holds("3 > 2") if measured["n"] > 2 else base.differs("2 is not more than 2")


CLAIM = Claim(id="000-01", statement="S", as_published="t", measure=lambda jdk: {"n": 3, "ttsp_ms": 0.5}, judge=judge)


@pytest.fixture(autouse=True)
def student(tmp_path, monkeypatch):
    """A new student: nothing said, nothing kept; every number is a JDK whose build is "N.0.1, Somebody"."""
    monkeypatch.setenv("SAFEPOINTLAB_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("SAFEPOINTLAB_CLAIMS", raising=False)
    monkeypatch.delenv("SAFEPOINTLAB_REPLAY", raising=False)
    monkeypatch.setenv("SAFEPOINTLAB_PROFILE", "standard")
    monkeypatch.setattr(predictions, "_session", {})
    monkeypatch.setattr(measuring, "build_of", lambda jdk: f"{jdk}.0.1, Somebody" if jdk else "")
    for module in ("check", "share"):
        monkeypatch.setattr(import_module(f"safepointlab.teaching.pooling.{module}"), "everything", lambda: [CLAIM])
    return tmp_path


@pytest.fixture
def folder(tmp_path):
    """The folder that the class shares."""
    place = tmp_path / "class"
    place.mkdir()
    return place


def document(**changes):
    """A share as the lab writes it; what is given replaces its parts."""
    verdict = {"id": "000-01", "jdk": 17, "build": "17.0.1, Somebody", "verdict": "holds", "measured": {"n": 3}}
    usual = {
        "kind": "safepointlab share", "format": 1, "lab": __version__, "student": secrets.token_hex(16),
        "made": (datetime.now(UTC) - timedelta(minutes=5)).isoformat(), "profile": "standard",
        "machine": {"cores": 8, "system": "Ubuntu 24.04 LTS, aarch64"},
        "predictions": [{"question": "02-killer", "chosen": ["all"], "seen": False}], "verdicts": [verdict],
    }  # fmt: skip
    return {**usual, **changes}


@pytest.fixture
def forged():
    """The verdict of a share as the lab writes it; what is given replaces its parts."""
    return lambda **changes: {**document()["verdicts"][0], **changes}


@pytest.fixture
def keep():
    """Keeps a verdict as `lab.claims.verdicts` does, with other evidence if any is given."""

    def kept(jdk=17, **evidence):
        made, measured = datetime.now(UTC).isoformat(), {"n": 3, **evidence}
        state = ruling.judged(CLAIM, measured, jdk).state
        about = {"build": f"{jdk}.0.1, Somebody", "seconds": 1.0, "date": made, "runs": []}
        Results().add(Verdict(CLAIM, jdk, state, "", measured=measured, **about))

    return kept


@pytest.fixture
def say():
    """Commits to an outcome of question 02-killer; `seen` if the result was shown since."""

    def said(key, seen=False):
        predictions.commitment("02-killer").commit([key])
        predictions.commitment("02-killer").closed = seen

    return said


@pytest.fixture
def put(folder):
    """Writes a share into the class's folder, under a name of its own or a given one."""

    def write(name="", **changes):
        made = document(**changes)
        file = folder / (name or f"{secrets.token_hex(16)}.json")
        file.write_text(json.dumps(made))
        return file

    return write
