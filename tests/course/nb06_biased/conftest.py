"""Runs of ByteSummer that no JVM made: what the answers and the pictures of notebook 06 read of one."""

from types import SimpleNamespace

import pandas as pd
import pytest

from safepointlab.course.nb06_biased import experiments as biased
from safepointlab.course.nb06_biased import pictures

PASSES = {"passes_from_s": 3.8, "pass1_ms": 800.0, "pass2_ms": 800.0}
TIMER = ("no vm operation", 1.01, 0.2, 0.3)


@pytest.fixture
def ran():
    """ran(late, stops): a run with sleeps that begin at 4.05 s, 4.15 s, ... and are so late, in ms."""

    def make(*late, stops=(TIMER,), gc=(), compiled=()):
        sleeps = pd.DataFrame({"begin_s": [4.05 + 0.1 * n for n in range(len(late))], "overslept_ms": late})
        return SimpleNamespace(
            csv=lambda name: sleeps,
            safepoints=pd.DataFrame(stops, columns=["operation", "begin_s", "ttsp_ms", "total_ms"]).assign(
                kind="safepoint"
            ),
            gc=pd.DataFrame({"uptime_s": list(gc)}, dtype=float),
            compilations=pd.DataFrame({"uptime_ms": list(compiled), "method": "ByteSummer::sum"}),
            values={**PASSES, "overslept_ms": max(late)},
        )

    return make


@pytest.fixture
def swept(ran, monkeypatch):
    """swept(rows): a sweep's frame of rows (jdk, flags, how long the switch waits in ms, or the outcome of no run)."""
    runs = {}
    monkeypatch.setattr(biased, "load", runs.__getitem__)
    monkeypatch.setattr(pictures, "load", runs.__getitem__)

    def make(*rows, gc="Parallel"):
        return pd.DataFrame([_row(*row) for row in rows]).assign(gc=gc)

    def _row(jdk, flags, waited):
        row = {"jdk": jdk, "flags": flags, "outcome": waited, "overslept_ms": float("nan")}
        if isinstance(waited, str):
            return row
        name = f"run {len(runs)}"
        switch = ("EnableBiasedLocking", 4.05, waited, waited + 0.1)
        runs[name] = ran(max(waited, 5.0), stops=(TIMER, switch) if waited else ())
        return {**row, "outcome": "exited", "overslept_ms": max(waited, 5.0), "run": name}

    return make
