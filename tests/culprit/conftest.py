"""JDKs that are not there, and the logs in the tests' data."""

from pathlib import Path

import pytest

from safepointlab.jdks import Jdk


@pytest.fixture
def jdk():
    """jdk(major): a JDK that nobody can start."""
    return lambda major: Jdk(Path(f"/jdk{major}"), major, str(major), "Test", "lab")
