"""The pictures of page 17: two days, each after three yesterdays; and one call more or less."""

import pandas as pd
from matplotlib.axes import Axes

from safepointlab.course.nb17_yesterday.experiments import BUSY, EDGE, IDLE, LIVELY, NO_CACHE, QUIET
from safepointlab.plot.outcomes import outcomes

TODAY = {QUIET: "quiet day", LIVELY: "lively day"}
YESTERDAY = {NO_CACHE: "no cache", IDLE: "an idle yesterday", BUSY: "a busy yesterday"}
SURPRISE = {(QUIET, BUSY), (LIVELY, NO_CACHE), (LIVELY, BUSY)}
SIX = {(today, yesterday) for today in TODAY for yesterday in YESTERDAY}


def days(runs: pd.DataFrame) -> Axes:
    """Draw a sweep over args and aot as tiles, one row per day and JDK, one column per yesterday, in words.

    The rows of a day are together.
    """
    ended = runs[runs["outcome"].isin(["exited", "hung"])]
    points = pd.Series(list(zip(ended["args"], ended["aot"], strict=True)), index=ended.index, dtype="object")
    hung = set(points[ended["outcome"] == "hung"])
    title = None
    if set(points) == SIX and hung == SURPRISE and not hung & set(points[ended["outcome"] == "exited"]):
        each = ended.groupby(["jdk", "args", "aot"]).size().min()
        begin = f"{_start(runs, 'a')} busy yesterday hangs the quiet day"
        title = f"{begin};\nan idle one saves the lively day (n = {each} per tile)"
    told = {"today": runs["args"].replace(TODAY), "yesterday": runs["aot"].replace(YESTERDAY)}
    places = {today: place for place, today in enumerate(TODAY)}
    by_day = runs.assign(**told).sort_values("args", key=lambda args: args.map(places), kind="stable")
    return outcomes(by_day, rows=["today", "jdk"], columns="yesterday", title=title)


def edge(runs: pd.DataFrame) -> Axes:
    """Draw a sweep over the number of calls, with `calls` and `yesterday` in words: one row per number and JDK."""
    ended = runs[runs["outcome"].isin(["exited", "hung"])]
    is_trained = ended["aot"] != NO_CACHE
    should_hang = is_trained & (ended["args"] == f"{EDGE}x0 forever")
    title = None
    if should_hang.any() and ((ended["outcome"] == "hung") == should_hang).all():
        each = ended.groupby(["jdk", "args", "aot"]).size().min()
        begin = f"{_start(runs, 'only')} {EDGE:,} calls after a busy yesterday"
        title = f"{begin}\nhang the JVM (n = {each} per tile)"
    return outcomes(runs, rows=["calls", "jdk"], columns="yesterday", title=title)


def _start(runs: pd.DataFrame, word: str) -> str:
    """A sentence's first word, after the collector that all runs were told to use: "With Serial, a"."""
    collectors = {str(name) for name in runs.get("gc", ())} - {"default"}
    return f"With {collectors.pop()}, {word}" if len(collectors) == 1 else word.capitalize()
