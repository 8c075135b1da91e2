"""Runs of the sample with the shapes of loops, made up."""

from types import SimpleNamespace

import pandas as pd
import pytest

from safepointlab.run import load
from safepointlab.run.run import Run

LOOPS = ["method", "compile_id", "tier", "osr_bci", "depth", "polled", "calls"]


class PrintedRun(Run):
    """As much of a run as the lesson reads: what it printed, by which JVM, and the loops of its machine code."""

    def __init__(self, output, jdk, gc, flags, loops):
        log = [SimpleNamespace(kind="assembly")] * (loops is not None)
        self.request = SimpleNamespace(gc=gc, flags=tuple(flags.split()), log=log)
        self.outcome = "exited"
        self.__dict__.update(printed=output, version=jdk, loops=pd.DataFrame(loops or [], columns=LOOPS))

    output = property(lambda self: self.printed)
    major = property(lambda self: self.version)


@pytest.fixture
def printed():
    """printed({"intParameter": "unpolled"}): a run of 17 with Serial that says so; `loops` are rows of run.loops."""

    def run(answers, jdk=17, gc="Serial", flags="-Xbatch", loops=()):
        output = "\n".join(f"{shape} 12 ms  {how}" for shape, how in answers.items())
        return PrintedRun(output, jdk, gc, flags, loops)

    return run


@pytest.fixture
def swept(monkeypatch):
    """swept([run, run]): the frame of a sweep that made these runs."""

    def frame(runs):
        monkeypatch.setattr(load, "load", lambda name: runs[int(name)])
        return pd.DataFrame({"run": [str(number) for number in range(len(runs))]})

    return frame
