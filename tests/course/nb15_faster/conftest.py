"""Tables of requests and of a benchmark whose runs are known to the lesson without a JVM."""

from types import SimpleNamespace

import pandas as pd
import pytest

from safepointlab.course.nb15_faster import experiments

PHASES = ["ttsp_ms", "operation_ms", "leaving_ms", "total_ms"]


def logged(stops, handshakes_ms=None):
    """A safepoint log: one stop of the collector with these phases for each row, another one, and a handshake."""
    rows = [("safepoint", "ShenandoahInitMark", *phases) for phases in stops]
    rows += [("safepoint", "RevokeBias", 9.0, 9.0, 9.0, 27.0)]
    rows += [("handshake", "ShenandoahFlush", None, None, None, handshakes_ms)] if handshakes_ms else []
    return pd.DataFrame(rows, columns=["kind", "operation", *PHASES])


@pytest.fixture
def runs(monkeypatch):
    """The runs that the lesson loads, by their ids."""
    known = {}
    monkeypatch.setattr(experiments, "load", known.__getitem__)
    return known


@pytest.fixture
def requests(runs):
    """requests([(gc, jdk, gc_ms, stops, handshakes_ms)]): a table of lab.sweep, 2 requests a JVM."""

    def make(rows):
        table = []
        for gc, jdk, gc_ms, stops, handshakes_ms in rows:
            name = f"run-{len(runs)}"
            request = SimpleNamespace(args=("32", "2"))
            runs[name] = SimpleNamespace(safepoints=logged(stops, handshakes_ms), request=request)
            table.append((gc, jdk, "", "32 2", gc_ms, name))
        return pd.DataFrame(table, columns=["gc", "jdk", "flags", "args", "gc_ms", "run"])

    return make


@pytest.fixture
def scores(runs):
    """scores({(gc, jdk): times to safepoint in ms}): a table of lab.jmh."""

    def make(times):
        table = []
        for (gc, jdk), ttsp_ms in times.items():
            name = f"run-{len(runs)}"
            runs[name] = SimpleNamespace(safepoints=logged([(ms, 1.0, 1.0, ms + 2.0) for ms in ttsp_ms]))
            table.append((gc, jdk, "measured", name))
        return pd.DataFrame(table, columns=["gc", "jdk", "outcome", "run"])

    return make
