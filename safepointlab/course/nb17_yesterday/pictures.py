"""The pictures of page 17: days, each after one yesterday or several."""

import pandas as pd
from matplotlib.axes import Axes

from safepointlab.course.nb17_yesterday.experiments import BUSY, IDLE, LIVELY, NO_CACHE, QUIET, TODAY, YESTERDAY
from safepointlab.plot._tiles import Labels
from safepointlab.plot.outcomes import outcomes

SURPRISE = {(QUIET, BUSY), (LIVELY, NO_CACHE), (LIVELY, BUSY)}
SIX = {(today, yesterday) for today in TODAY for yesterday in (NO_CACHE, IDLE, BUSY)}


def days(runs: pd.DataFrame, rows: Labels = ("jdk", "today"), columns: Labels = "yesterday") -> Axes:
    """Draw a sweep over aot as tiles, by its columns and two more: today (args) and yesterday (aot), in words."""
    told = {"today": runs["args"].replace(TODAY), "yesterday": runs["aot"].replace(YESTERDAY)}
    ended = runs[runs["outcome"].isin(["exited", "hung"])]
    points = pd.Series(list(zip(ended["args"], ended["aot"], strict=True)), index=ended.index, dtype="object")
    hung = set(points[ended["outcome"] == "hung"])
    consistent = set(points) == SIX and not hung & set(points[ended["outcome"] == "exited"])
    title = None
    if consistent and hung == SURPRISE:
        title = "The quiet day hangs after a busy yesterday,\nan idle one saves the lively day"
    return outcomes(runs.assign(**told), rows, columns, title=title)
