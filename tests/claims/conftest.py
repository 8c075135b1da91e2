"""What the tests of the claims' framework share: claims that measure nothing, and a folder for kept verdicts."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from safepointlab.claims import base, measuring
from safepointlab.claims.base import Claim, Judgement
from safepointlab.course import verdicts as claims


def measure(jdk: int) -> dict[str, Any]:
    return {"n": 3, "ttsp_ms": 0.5}


def more_than_2(measured: Mapping[str, Any]) -> Judgement:
    return base.holds("3 > 2") if measured["n"] > 2 else base.differs("2 is not more than 2")


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of kept verdicts; every number is a JDK whose build is "N.0.1, Somebody"."""
    monkeypatch.setenv("SAFEPOINTLAB_CLAIMS", str(tmp_path / "claims"))
    monkeypatch.setattr(measuring, "build_of", lambda jdk: f"{jdk}.0.1, Somebody" if jdk else "")
    return tmp_path / "claims"


@pytest.fixture
def some_claims(monkeypatch: pytest.MonkeyPatch) -> list[Claim]:
    """The lab's only claims: two of a topic, two of another, one of those long."""
    a, b, c = (claim(id=f"000-0{n}", topic=topic) for n, topic in ((1, "hang"), (2, "osr"), (3, "hang")))
    long = claim(id="000-04", full=True, topic="osr")
    monkeypatch.setattr(claims, "topics", lambda: {"hang": [a, c], "osr": [b, long]})
    return [a, b, c, long]


def claim(**changes: Any) -> Claim:
    usual = {"id": "000-01", "statement": "S.", "as_published": "t", "measure": measure, "judge": more_than_2}
    return Claim(**{**usual, **changes})


@pytest.fixture
def make() -> Callable[..., Claim]:
    """Makes a claim that holds; what is given replaces its parts."""
    return claim
