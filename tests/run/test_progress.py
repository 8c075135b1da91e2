"""How far along: one line at a time."""

import time
from concurrent.futures import ThreadPoolExecutor

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


def test_the_first_of_several_steps_is_told_before_it_is_done_unless_it_is_played(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    with Progress(12, "sweep") as sweep:
        sweep.step("JDK 8 Serial")
        assert capsys.readouterr().err.endswith("sweep: 0 of 12 done · now JDK 8 Serial")
    with Progress(1, "alone") as alone:
        alone.step("JDK 8")
    monkeypatch.setenv("SAFEPOINTLAB_REPLAY", str(tmp_path))
    with Progress(12, "played") as played:
        played.step("JDK 8 Serial")
    assert "alone: 0" not in (said := capsys.readouterr().err) and "played: 0" not in said


def test_runs_that_begin_side_by_side_have_one_line_on_a_page(monkeypatch):
    shown, updated = [], []

    class Line:
        def update(self, line, raw):
            updated.append(line["text/plain"])

    def display(line, **_):
        time.sleep(0.05)  # in which the other run begins
        shown.append(line["text/plain"])
        return Line()

    monkeypatch.setattr(progress, "in_notebook", lambda: True)
    monkeypatch.setattr("IPython.display.display", display)
    with Progress(12, "sweep") as sweep, ThreadPoolExecutor(2) as pool:
        list(pool.map(sweep.step, ["JDK 8", "JDK 11"]))
    assert [text.partition(" · ")[0] for text in shown] == ["sweep: 0 of 12 done"]
    assert updated[0].startswith("sweep: 1 of 12 done") and updated[-1].startswith("sweep: done")
