"""Runs of one compiled loop each, whose names say what C2 made of it."""

from types import SimpleNamespace

import pandas as pd
import pytest

from safepointlab.course.nb13_optimisation import experiments
from safepointlab.logs.assembly import loop_work


@pytest.fixture(autouse=True)
def named_runs(monkeypatch):
    """The run "unrolled/4/8/around": an unrolled loop, four elements and eight checks a pass, a poll around it."""
    load, standard = experiments.load, loop_work.standard
    named = lambda name: SimpleNamespace(assembly=name) if name.count("/") == 3 else load(name)  # noqa: E731
    monkeypatch.setattr(experiments, "load", named)
    monkeypatch.setattr(loop_work, "standard", lambda code: _row(code) if isinstance(code, str) else standard(code))


def _row(name):
    row = dict(zip(["work", "per_pass", "range_checks", "poll"], name.split("/"), strict=True))
    numbers = dict.fromkeys(["per_pass", "range_checks"], "float64")
    return pd.DataFrame([row]).replace("", None).astype(numbers).astype(dict.fromkeys(numbers, "Int64"))


@pytest.fixture
def scores():
    """scores((jdk, method, best, run), ...): rows of lab.jmh, with Serial and no flag."""

    def made(*rows, gc="Serial", flags=""):
        frame = pd.DataFrame(rows, columns=["jdk", "method", "best", "run"])
        return frame.assign(gc=gc, flags=flags, score=frame["best"], median=frame["best"], unit="ns/op", metric="score")

    return made
