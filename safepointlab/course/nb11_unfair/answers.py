"""Notebook 11: which outcome of a prediction a result shows, and whether an answer to an exercise is right."""

import re
from typing import Any

import pandas as pd

from safepointlab.course import exercises, lessons
from safepointlab.course.exercises import Judged
from safepointlab.course.nb11_unfair import experiments as unfair
from safepointlab.course.predictions import Finding, nothing, one
from safepointlab.errors import BadInput
from safepointlab.phrases import listed
from safepointlab.run import forks, jmh, launch
from safepointlab.run.stops import stops

PAYS = 1.5  # times as long: what a reader would notice, and no busy minute explains
GROWS = 10.0  # times the wait, from the smallest K to the largest
SOME, MANY, MOST = 1.5, 5.0, 20.0  # times as long, where a method is no longer compiled
ASKED_GCS = {"Parallel", "G1"}


def _payer(scores: pd.DataFrame) -> Finding:
    measured = scores.dropna(subset="median")
    asked = measured["groups"].str.contains(r"\bfindDeadlocks=[1-9]")
    with_it, without = (rows.groupby("metric")["median"].median() for rows in (measured[asked], measured[~asked]))
    times = (with_it / without).reindex(["contains1", "contains1ToK"])
    if times.isna().any():
        return nothing("The two searches were not both measured with and without safepoint requests.")
    victim, culprit = map(float, times)
    pays = f"On average a call of `contains1` takes {victim:.1f} times as long as before"
    facts = f"{pays}, and one of `contains1ToK` {culprit:.1f} times."
    names = {(True, False): "victim", (False, True): "culprit", (True, True): "both", (False, False): "neither"}
    return _one_of_a_kind(measured, ["jdk", "gc", "flags", "k"], names[victim > PAYS, culprit > PAYS], facts)


def _one_of_a_kind(scores: pd.DataFrame, settings: list[str], key: str, facts: str) -> Finding:
    """That outcome if the rows differ in none of these settings, or none: the question was about one of each."""
    same = all(scores[name].nunique() == 1 for name in settings)
    return one(key, facts) if same else nothing(facts)


def _growth(scores: pd.DataFrame) -> Finding:
    waits = stops(scores, unfair.DEADLOCKS, labels=["gc", "k"])
    medians = waits.groupby(["gc", "k"], sort=False)["ttsp_ms"].median().unstack().sort_index(axis=1)
    first, last = (int(str(medians.columns[end])) for end in (0, -1))
    if first == last:
        waited = [f"{ms:.1f} ms with {gc}" for gc, ms in medians[last].items()]
        return nothing(f"With K={last:,} the median time to safepoint is {', '.join(waited)}.")
    ends = [f"{_way(row[first], row[last])} ms with {gc}" for gc, row in medians.iterrows()]
    facts = f"From K={first:,} to {last:,} the median time to safepoint {listed(ends)}."
    if set(medians.index) != ASKED_GCS:
        return nothing(facts)
    grown = medians[last] / medians[first]
    parallel, g1 = (float(grown[gc]) for gc in ("Parallel", "G1"))
    names = {(True, False): "parallel", (False, True): "g1", (True, True): "both", (False, False): "neither"}
    return _one_of_a_kind(scores, ["jdk", "flags"], names[parallel > GROWS, g1 > GROWS], facts)


def _way(first_ms: float, last_ms: float) -> str:
    """
    >>> _way(0.11, 51.7), _way(0.11, 0.09)
    ('goes from 0.1 to 51.7', 'stays at 0.1')
    """
    ends = list(dict.fromkeys(f"{ms:.1f}" for ms in (first_ms, last_ms)))
    return f"goes from {' to '.join(ends)}" if len(ends) > 1 else f"stays at {ends[0]}"


def _excluded(prices: pd.DataFrame) -> Finding:
    prices = prices[prices["outcome"] == "measured"]
    if not {"", unfair.EXCLUDE} <= set(prices["flags"]):
        return nothing("The loop was not measured both with and without that exclusion.")
    times = float(unfair.price(prices, unfair.EXCLUDE).median())
    key = "hardly" if times < SOME else "some" if times < MANY else "many" if times < MOST else "most"
    return _one_of_a_kind(prices, ["jdk", "gc", "k"], key, f"It takes {times:.2f} times as long.")


POLLS = re.compile(r"-XX:([+-]UseCountedLoopSafepoints|LoopStripMiningIter\b.*)")
NAMES = re.compile(r"-XX:(CompileCommand|CompileCommandFile|CompilerDirectivesFile)\b.*", re.DOTALL)
FAIR, SLOWER = 1.5, 2.0  # a search of contains1 by one of contains1ToK; a search with the flag by one without it
KEPT = r"static final byte.*?(?=// For how long)"  # what the reader leaves as it is
LATE, ON_TIME = [20_000, 4_000], [10, 3_000]  # K, and ms of asking
MOST_PERCENT, FEWEST = 40.0, 55  # of the neighbour's time if a thread is late; questions if none is
PATIENCE_S = 40.0
NEAR = 0.1  # how near a ratio must be: the naive 60 by 50 ms is too far


def _flag(answer: Any) -> Judged:
    """Is Parallel on JDK 17 fair with this flag, and the search about as fast as without it?"""
    flag = exercises.flag(answer, 'one flag of the JVM as text, such as "-XX:+PrintCompilation"', unfair.GC)
    if POLLS.fullmatch(flag):
        raise BadInput(f"{flag} is about the polls of counted loops. Give a flag that keeps the calls.")
    if NAMES.fullmatch(flag):
        raise BadInput(f"{flag[:60]} needs the name of a method. Give a flag that applies to all methods.")
    asked, usual = unfair.searches(17, flags=flag, repeat=1), unfair.searches(17)
    call_us, usual_us = (forks.iterations(frame, "contains1ToK")["value"].median() for frame in (asked, usual))
    times, slower = float(unfair.unfairness(asked).median()), float(call_us / usual_us)
    does = (
        f"With {flag} the unfairness is {times:.2f}, and a search in contains1ToK takes {slower:.2f} times as long as "
        "without the flag."
    )
    return Judged(times < FAIR and slower < SLOWER, does)


def _polite(answer: Any) -> Judged:
    """Does the edited monitor spare the neighbour if a thread is late, and ask often if none is?"""
    source = str(exercises.java_file(answer, lessons.exercise("11-2"), KEPT))
    stood, late = _asked(source, LATE)
    if not stood <= MOST_PERCENT:
        return Judged(False, f"With K={LATE[0]:,} the neighbour is stopped for {stood:.0f} % of its time.")
    often = _asked(source, ON_TIME)[1]
    if often < FEWEST:
        return Judged(False, f"With K={ON_TIME[0]} the monitor asks only {often} times in three seconds.")
    if not late:
        return Judged(False, f"With K={LATE[0]:,} the monitor doesn't ask at all.")
    does = (
        f"The neighbour is stopped for {stood:.0f} % of its time; if no thread is late, the monitor asks {often} times."
    )
    return Judged(True, does)


def _asked(source: str, args: list[int]) -> tuple[float, int]:
    """For what percentage of its time the neighbour was stopped, and how many questions were asked."""
    run = launch.java(source, 17, gc=unfair.GC, args=args, deadline=PATIENCE_S, check=False, reuse=True)
    if run.overdue or not isinstance(run.values.get("stood_percent"), float):
        raise BadInput(f"With K={args[0]:,} the program didn't finish. {run.complaint()}".strip())
    return float(run.values["stood_percent"]), int(run.values["questions"])


def _round(answer: Any) -> Judged:
    """How near is this to the ratio of two rounds of the monitoring thread, one of them with twice the parking?"""
    if not exercises.finite(answer) or not 0 < answer < 100:
        raise BadInput(f"This is {exercises.kind(answer)}. Give a ratio as a number, such as 1.5, without quotes.")
    usual = unfair.setup()["intervalMs"]
    once, twice = (round_ms(interval) for interval in (usual, 2 * usual))
    does = f"A round takes {once:,.0f} ms with {usual} ms of parking, and {twice:,.0f} ms with {2 * usual} ms."
    return Judged(abs(answer - twice / once) <= NEAR, does)


def round_ms(interval_ms: int) -> float:
    """How long one round of the monitoring thread takes, parking and question together: the median in ms, on JDK 17."""
    params = {**unfair.setup(), "k": unfair.MOST, "intervalMs": interval_ms}
    options = "-f 1 -wi 0 -i 3 -r 1s"  # long enough for questions that are a second apart
    frame = jmh.jmh(
        unfair.BENCHMARK, 17, "", options, 120, gc=unfair.GC, params=params, groups=unfair.ASKED, reuse=True
    )
    return float(forks.iterations(frame, "findDeadlocks")["value"].median()) / 1000


CLASSIFIERS = {"11-payer": _payer, "11-k": _growth, "11-exclude": _excluded}
JUDGES = {"11-1": _flag, "11-2": _polite, "11-3": _round}
