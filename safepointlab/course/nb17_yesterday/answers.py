"""Notebook 17: which outcome of a prediction a result shows, and whether an answer to an exercise is right.

The texts are in quiz.toml.
"""

from collections.abc import Iterable
from typing import Any

import pandas as pd

from safepointlab.course import exercises
from safepointlab.course.exercises import Judged
from safepointlab.course.nb17_yesterday import experiments
from safepointlab.course.nb17_yesterday.experiments import BUSY, GC, IDLE, LIVELY, NO_CACHE, QUIET
from safepointlab.course.predictions import Finding, nothing, one
from safepointlab.errors import BadInput
from safepointlab.phrases import listed
from safepointlab.run.run import Run

CHECKED_ON = 25
KEYS = {
    (QUIET, NO_CACHE): "quiet-none",
    (QUIET, IDLE): "quiet-idle",
    (QUIET, BUSY): "quiet-busy",
    (LIVELY, NO_CACHE): "lively-none",
    (LIVELY, IDLE): "lively-idle",
    (LIVELY, BUSY): "lively-busy",
}
TRAINED_ALIKE = "1000x0 1000x2 5000x0"  # the lively day, without its long call
FEWEST, MOST = 1, 100_000


def _six(runs: pd.DataFrame) -> Finding:
    ended = runs[runs["outcome"].isin(["exited", "hung"])]
    hung = {
        (str(today), str(yesterday)): list(own["outcome"] == "hung")
        for (today, yesterday), own in ended.groupby(["args", "aot"])
    }
    facts = f"{sum(map(all, hung.values()))} of {len(hung)} hang on every JDK that ran."
    if set(hung) != set(KEYS) or any(any(some) != all(some) for some in hung.values()):
        return nothing(facts)
    return Finding(frozenset(KEYS[point] for point, some in hung.items() if all(some)), facts)


def _code(runs: Iterable[Run]) -> Finding:
    tiers = {" ".join(run.request.aot): experiments.tiers(run) for run in runs}
    if set(tiers) != {NO_CACHE, IDLE, BUSY}:
        raise BadInput("these aren't a run without a cache, one with that of an idle yesterday and one of a busy one")
    without, trained = (listed([name.replace("%", " (OSR)") for name in tiers[cache]]) for cache in (NO_CACHE, BUSY))
    facts = f"Tiers without a cache: {without}; with the cache of the busy yesterday: {trained or 'none'}."
    made = {(): "loaded", ("4",): "straight", ("2", "4"): "counting", ("3", "4"): "same"}
    key = made.get(tuple(tiers[BUSY][:2]))
    return one(key, facts) if key else nothing(facts)


def _cure(answer: Any) -> Judged:
    """Does the quiet day exit with this flag, after the busy yesterday and with Serial?"""
    flag = exercises.flag(answer, 'a flag such as "-XX:+Name"', GC)
    run = experiments.one_day(CHECKED_ON, QUIET, BUSY, flag)
    return Judged(run.outcome == "exited", f"With `{flag}` it {'exits' if run.outcome == 'exited' else 'hangs'}.")


def _alike(answer: Any) -> Judged:
    """Are these the days that hang after a yesterday like the lively day?"""
    days = {"quiet": QUIET, "lively": LIVELY}
    given = [answer] if isinstance(answer, str) else answer
    if not isinstance(given, list | tuple | set) or not set(given) <= set(days):
        raise BadInput("Give a list of days: [], or with one or both of 'quiet' and 'lively'.")
    hung = {name for name, day in days.items() if experiments.one_day(CHECKED_ON, day, TRAINED_ALIKE).overdue}
    return Judged(set(given) == hung, f"You say that {listed(sorted(set(given))) or 'neither'} hangs.")


def _between(answer: Any) -> Judged:
    """Does the program hang after so many calls of limit 10 with the busy cache, and exit without it?"""
    calls = exercises.whole(answer, FEWEST, MOST, "a number of calls")
    fates = {
        yesterday: experiments.one_day(CHECKED_ON, f"{calls}x10 forever", yesterday, "-Xbatch").outcome
        for yesterday in (BUSY, NO_CACHE)
    }
    does = f"After {calls:,} calls it {'hangs' if fates[BUSY] == 'hung' else 'exits'} with the cache"
    does += f" and {'hangs' if fates[NO_CACHE] == 'hung' else 'exits'} without it."
    return Judged(list(fates.values()) == ["hung", "exited"], does)


CLASSIFIERS = {"17-six": _six, "17-code": _code}
JUDGES = {"17-1": _cure, "17-2": _alike, "17-3": _between}
