"""Rows of `lab.jmh` with repetitions -> one row per point of a picture, whose mark is the shortest iteration.

On a busy machine the shortest iteration was disturbed least. Each repetition is a JVM of its own, a fork, and its
median is its typical iteration: the bar reaches from the mark to the median of the fork that is farthest from it.
"""

from typing import Any

import pandas as pd

NOTE = "mark: the shortest iteration · whisker: up to the slowest fork's median"


def repeated(frame: pd.DataFrame, point: list[str]) -> bool:
    """Whether a point of the picture has several rows, so that they are to be drawn as one."""
    return bool(frame.duplicated(point).any()) and "median" in frame


def pooled(frame: pd.DataFrame, point: list[str]) -> pd.DataFrame:
    """The first row of each point; its score is the best iteration of all, and low and high are the bar's ends."""
    rows = [_pooled(group) for _, group in frame.groupby(point, sort=False, dropna=False)]
    return pd.DataFrame(rows).reset_index(drop=True) if rows else frame


def _pooled(group: pd.DataFrame) -> "pd.Series[Any]":
    throughput = "mode" in group and group["mode"].iloc[0] == "thrpt"
    best = group["best"].max() if throughput else group["best"].min()
    row = group.iloc[0].copy()
    row["score"] = row["best"] = best
    row["low"], row["high"] = min(best, group["median"].min()), max(best, group["median"].max())
    return row
