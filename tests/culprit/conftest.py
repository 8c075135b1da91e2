"""JDKs that are not there, and those that are."""

from pathlib import Path

import pytest

from safepointlab import jdks
from safepointlab.jdks import Jdk


@pytest.fixture
def jdk():
    """jdk(major): a JDK that nobody can start."""
    return lambda major: Jdk(Path(f"/jdk{major}"), major, str(major), "Test", "lab")


def one_a_major() -> list[Jdk]:
    """Those with the longest way between them; the preferred build of each."""
    return list({one.major: one for one in reversed(jdks.find()) if one.major in (8, 17, 25)}.values())[::-1]
