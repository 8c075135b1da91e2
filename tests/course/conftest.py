"""What the lessons' tests share: questions, exercises and claims by name, the JDKs here, an edited template."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from safepointlab import jdks
from safepointlab.claims.base import Evidence, Verdict
from safepointlab.claims.ruling import Ruling, rule
from safepointlab.course import lessons, verdicts
from safepointlab.course.exercises import Judged
from safepointlab.course.predictions import Finding

JDKS = sorted({jdk.major for jdk in jdks.find()})


def classify(name: str, *results: Any) -> Finding:
    """Which outcome of that question these results show."""
    return lessons.prediction(name).classify(*results)


def graded(name: str, answer: Any) -> Judged:
    """What the judge of that exercise says of an answer."""
    return lessons.exercise(name).judge(answer)


def answer_of(name: str, evidence: Evidence) -> str:
    """What the judge of that claim says of the evidence."""
    [claim] = verdicts.find([name])
    return claim.judge(evidence).answer


@pytest.fixture(params=JDKS or [8])
def jdk(request: pytest.FixtureRequest) -> int:
    """Each JDK that is here, in turn."""
    return int(request.param)


@pytest.fixture(params=[major for major in JDKS if major >= 17] or [17])
def printing_jdk(request: pytest.FixtureRequest) -> int:
    """Each JDK that prints machine code without a disassembler, in turn."""
    return int(request.param)


@pytest.fixture
def edited(tmp_path: Path) -> Callable[..., Path]:
    """edited("02-2", old, new, ...): the file that the exercise edits, each old text replaced by the new one."""

    def write(exercise: str, *changes: str) -> Path:
        template = lessons.exercise(exercise).template
        assert template
        source = template.read_text("utf-8")
        for old, new in zip(changes[::2], changes[1::2], strict=True):
            assert source.count(old) == 1, f"{template.name} has {source.count(old)} times {old!r}"
            source = source.replace(old, new)
        path = tmp_path / template.name
        path.write_text(source, "utf-8")
        return path

    return write


@pytest.fixture
def judge() -> Callable[..., Ruling]:
    """judge("000-12", evidence, 17): the verdict on that claim, on evidence of one collector."""

    def judged(name: str, evidence: Evidence, jdk: int = 17) -> Ruling:
        [claim] = verdicts.find([name])
        assert claim.judge
        return rule(claim.judge(evidence), jdk)

    return judged


@pytest.fixture
def measured() -> Callable[[str, int], Verdict]:
    """measured("000-12", 17): the verdict on that claim, measured now."""
    return lambda name, jdk: verdicts.run(verdicts.find([name])[0], jdk)


@pytest.fixture(autouse=True)
def close_figures() -> Iterator[None]:
    """Close what a test has drawn."""
    yield
    if pyplot := sys.modules.get("matplotlib.pyplot"):
        pyplot.close("all")


@pytest.fixture
def title() -> Callable[[Any], str]:
    """title(axes): the title of a picture in one line."""
    return lambda ax: " ".join(ax.get_title(loc="left").split())
