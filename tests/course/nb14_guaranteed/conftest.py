"""Sweeps of OnceASecond whose runs are made up: what each of them logged is given."""

from types import SimpleNamespace

import pandas as pd
import pytest

from safepointlab.course.nb14_guaranteed import answers, experiments, pictures


@pytest.fixture
def sweep(monkeypatch):
    """sweep((jdk, args, [1.0, 2.0], [2.5]), ...): stops by the clock and for collections at these seconds."""
    logged = {}

    def made(*rows, gc="Serial", flags=""):
        table = []
        for jdk, args, clock_s, collected_s in rows:
            run = f"run-{len(logged)}"
            logged[run] = _run(clock_s, collected_s)
            table.append({"jdk": jdk, "gc": gc, "flags": flags, "args": args, "run": run, "outcome": "exited"})
        return pd.DataFrame(table, columns=["jdk", "gc", "flags", "args", "run", "outcome"])

    for module in (answers, experiments, pictures):
        monkeypatch.setattr(module, "load", logged.__getitem__)
    return made


def _run(clock_s, collected_s):
    stops = [(begin_s, "Cleanup") for begin_s in clock_s] + [(begin_s, "GenCollectFull") for begin_s in collected_s]
    log = pd.DataFrame(sorted(stops), columns=["begin_s", "operation"])
    log = log.assign(total_ms=0.1, ttsp_ms=0.01, kind="safepoint").astype({"begin_s": "float64", "operation": "string"})
    return SimpleNamespace(safepoints=log, gc=pd.DataFrame({"at_s": collected_s}), wall_ms=5000.0)
