"""How far along: one line at a time."""

import pytest

from safepointlab.run import progress
from safepointlab.run.progress import Progress


def test_a_progress_inside_another_is_silent_and_one_after_a_stopped_one_speaks_again(monkeypatch, capsys):
    monkeypatch.setattr(progress, "LEAST_S", 0.0)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    with Progress(1, "claims"), Progress(1, "benchmarks") as inner:
        inner.step("one")
    with pytest.raises(ValueError, match="no"), Progress(1, "first"):
        raise ValueError("no")
    with Progress(1, "second"):
        pass
    said = capsys.readouterr().err
    assert "claims: done" in said and "benchmarks" not in said
    assert "first: stopped at 0 of 1" in said and "second: done" in said
