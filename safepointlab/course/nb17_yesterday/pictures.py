"""The picture of page 17: two days, each after three yesterdays."""

import pandas as pd
from matplotlib.axes import Axes

from safepointlab.course.nb17_yesterday.experiments import BUSY, IDLE, LIVELY, NO_CACHE, QUIET
from safepointlab.plot.outcomes import outcomes

TODAY = {QUIET: "quiet day", LIVELY: "lively day"}
YESTERDAY = {NO_CACHE: "no cache", IDLE: "an idle yesterday", BUSY: "a busy yesterday"}
SURPRISE = {(QUIET, BUSY), (LIVELY, NO_CACHE), (LIVELY, BUSY)}
SIX = {(today, yesterday) for today in TODAY for yesterday in YESTERDAY}


def days(runs: pd.DataFrame) -> Axes:
    """Draw a sweep over args and aot as tiles, one row per day and JDK, one column per yesterday, in words."""
    ended = runs[runs["outcome"].isin(["exited", "hung"])]
    points = pd.Series(list(zip(ended["args"], ended["aot"], strict=True)), index=ended.index, dtype="object")
    hung = set(points[ended["outcome"] == "hung"])
    title = None
    if set(points) == SIX and hung == SURPRISE and not hung & set(points[ended["outcome"] == "exited"]):
        each = ended.groupby(["jdk", "args", "aot"]).size().min()
        title = f"A busy yesterday hangs the quiet day;\nan idle one saves the lively day\n(n = {each} per tile)"
    told = {"today": runs["args"].replace(TODAY), "yesterday": runs["aot"].replace(YESTERDAY)}
    return outcomes(runs.assign(**told), rows=["today", "jdk"], columns="yesterday", title=title)
