"""Frames of `lab.jmh` with repetitions -> the typical iteration of each fork, and ratios of forks that ran in turn.

Repetitions are the outer loop of `lab.jmh`: the first fork of each combination, then the second of each. The first fork
with a flag and the first without ran in the same minute, so their ratio tells of the flag, and not of that minute.
"""

from typing import TYPE_CHECKING

from safepointlab.errors import RunFailed
from safepointlab.run.jmh_run import BenchRun
from safepointlab.run.load import load

if TYPE_CHECKING:
    from pandas import DataFrame, Series


def iterations(frame: "DataFrame", metric: str = "score") -> "DataFrame":
    """The raw values of all runs that the frame names: the frame's `repeat`, and logs.jmh's fork, iteration, value.

    Raises:
        RunFailed: a run left no value of this metric.
    """
    import pandas as pd

    tables = []
    for _, row in frame.drop_duplicates("run").iterrows():
        run = load(row["run"]) if row["run"] else None
        if not isinstance(run, BenchRun):
            raise RunFailed(f"{row['benchmark']} has no run: {row['reason']}")
        values = run.iterations[run.iterations["metric"] == metric]
        if values.empty:
            raise RunFailed(f"{run!r} left no score of {metric}: {run.complaint()}")
        tables.append(values.assign(repeat=row["repeat"]))
    return pd.concat(tables, ignore_index=True)


def middles(frame: "DataFrame", metric: str = "score") -> "Series[float]":
    """The median iteration of each repetition, by its number; one combination of the frame."""
    return iterations(frame, metric).groupby("repeat")["value"].median()


def bests(frame: "DataFrame", metric: str = "score") -> "Series[float]":
    """The shortest iteration of each repetition: the one that other programs disturbed least."""
    return iterations(frame, metric).groupby("repeat")["value"].min()


def fastest(frame: "DataFrame", metric: str = "score", count: int = 2) -> list[float]:
    """The shortest iterations of the `count` fastest repetitions: on some hosts a core is half as fast for seconds."""
    return sorted(float(value) for value in bests(frame, metric))[:count]


def range_of(name: str, ratios: "Series[float]") -> dict[str, float]:
    """The smallest and the largest of these ratios; a fork without a partner has none. The names end in "times"."""
    return {least(name): float(ratios.min()), most(name): float(ratios.max())}


def least(name: str) -> str:
    """The name of the smallest ratio in `range_of`."""
    return f"{name}, at least, times"


def most(name: str) -> str:
    """The name of the largest."""
    return f"{name}, at most, times"
