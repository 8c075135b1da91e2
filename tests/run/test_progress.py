"""How far along: one line at a time."""

import pytest

from safepointlab.run import progress
from safepointlab.run.progress import Progress


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    monkeypatch.setattr(progress, "LEAST_S", 0.0)


def test_a_progress_inside_another_one_is_silent():
    with Progress(1, "claims") as outer, Progress(1, "benchmarks") as inner:
        inner.step("one")
    assert outer._shown and not inner._shown


def test_the_next_one_speaks_again_after_one_that_was_stopped():
    with pytest.raises(ValueError, match="no"), Progress(1, "first"):
        raise ValueError("no")
    with Progress(1, "second") as second:
        pass
    assert second._shown
