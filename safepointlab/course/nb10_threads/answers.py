"""Notebook 10: which outcome of a prediction a result shows, and whether an answer to an exercise is right."""

import math
from typing import Any

import pandas as pd

from safepointlab.course import exercises, lessons
from safepointlab.course.exercises import Judged
from safepointlab.course.nb10_threads import experiments as threads
from safepointlab.course.predictions import Finding, nothing, one
from safepointlab.errors import BadInput
from safepointlab.process.machine import cores
from safepointlab.run import launch
from safepointlab.run.run import Run
from safepointlab.run.stops import of_run, stops

BEYOND, TWICE = "scans, beyond the stop", 2.0
PAYS = 0.5  # of the pause: a thread that loses less doesn't pay for it
EARLY = 0.25  # the lower quartile, which other programs disturb least
HARDLY = 2.0  # times as long
SLICE_MS = 3.0  # the least that Linux lets a thread run while others want its core
ASKED = 25  # the question is about this JDK; its log shows the last phase
NEARLY_ALL, HALF, HARDLY_ANY = 0.8, 0.5, 0.25  # of the logged stop in which all threads are silent


def _pays(scores: pd.DataFrame) -> Finding:
    losses = threads.losses(scores)
    if losses.empty:
        return nothing("There is no pair of JVMs, one with a thread that requests collections and one without.")
    by_jdk = losses.groupby(["thread", "jdk"])[["lost_ms", "stopped_ms"]].median()
    share = (by_jdk["lost_ms"] / by_jdk["stopped_ms"]).groupby("thread").median()
    scans = losses[losses["thread"] == threads.SCANS]
    times = scans["lost_ms"] / scans["stopped_ms"]
    facts = ", ".join(f"`{name}` {share[who]:z.0%}" for who, name in threads.METHOD_OF.items())
    pays = {who for who in threads.THREADS if share[who] >= PAYS}
    beyond = {BEYOND} if share[threads.SCANS] > TWICE else set()
    told = (
        f"Share of the median pause that each thread loses (median of the JDKs): {facts}. "
        f"In single pairs of JVMs, `scan` loses {times.min():.1f} to {times.max():.1f} times the pause."
    )
    return Finding(frozenset(pays | beyond) if losses["gc"].nunique() == 1 else frozenset(), told)


def _reach(runs: pd.DataFrame) -> Finding:
    measured = runs.dropna(subset="threads")
    found = stops(measured, threads.COLLECTIONS, ["jdk", "threads"])
    middle = found.groupby(["jdk", "threads"])["ttsp_ms"].median().astype("float64").unstack()
    first, last = (float(str(middle.columns[end])) for end in (0, -1))
    grows, size = float((middle[last] / middle[first]).median()), last / first
    ends = [f"{_range(middle[count])} ms with {count:.0f}" for count in dict.fromkeys([first, last])]
    facts = f"The medians of the JDKs: {' thread, '.join(ends) if first == 1 else ' threads, '.join(ends)}."
    if first == last or runs["gc"].nunique() > 1:
        return nothing(facts)
    if grows < HARDLY:
        return one("hardly", facts)
    if float(middle[last].median()) > SLICE_MS * last / cores():
        return one("slices", facts)
    return one("proportional" if grows > size / 2 else "less", facts)


def _range(values: "pd.Series[float]") -> str:
    """The smallest and the largest, with two digits below 0.1: "0.06 to 0.2"."""
    ends = (f"{value:.1f}" if value >= 0.1 else f"{value:.1g}" for value in (values.min(), values.max()))
    return " to ".join(dict.fromkeys(ends))


def _stopped(runs: pd.DataFrame) -> Finding:
    silences = threads.silences(runs)
    largest = silences[(silences["threads"] == silences["threads"].max()) & (silences["jdk"] == ASKED)]
    if len(largest) != 1:
        return nothing(f"The question needs one run of JDK {ASKED} with the largest crowd. There are {len(largest)}.")
    row = largest.iloc[0]
    logged, silent = float(row["total_ms"]), float(row["everybody_silent_ms"])
    facts = (
        f"The median pause in the log is {logged:,.0f} ms; all threads stand still for {silent:,.1f} ms (median). "
        f"If the log were right, {100 * row['logged_share']:.0f} % of the scans would be missing from an "
        f"interval of {threads.PARKED_MS:.0f} ms plus such a pause; in fact, {100 * row['lost_share']:.0f} % are."
    )
    share = silent / logged
    if share > HALF:
        return one("all" if share > NEARLY_ALL else "most", facts)
    return one("hardly" if share < HARDLY_ANY else "part", facts)


KNOWN = "UseCountedLoopSafepoints"  # the exercise names it
SOONER, ANSWER_HARDLY = 0.2, 0.5  # of the usual time to safepoint
BEATS = 10.0  # a second, of the thread that has fewest
KEPT = r"    // The crowd\..*"  # what the reader leaves as it is
NEAR = (0.5, 1.5)  # times what the log hides
HIDING = 17  # the JDK whose log counts the last phase as part of the operation
LONG_KIB = 64 * 1024  # an array for which a scan takes milliseconds


def _reached_ms(run: Run) -> float:
    """The lower quartile of the time to safepoint, which other programs disturb least."""
    times_ms = of_run(run, threads.COLLECTIONS)["ttsp_ms"].dropna()
    return float(times_ms.quantile(EARLY)) if len(times_ms) >= 3 else math.nan


def _flag(answer: Any) -> Judged:
    """Is the safepoint reached much sooner with this flag, with Parallel and two threads that scan for long?"""
    flag = exercises.flag(answer, 'one flag of the JVM as text, such as "-XX:+PrintCompilation"', gc="Parallel")
    if KNOWN in flag:
        raise BadInput(f"{flag} would help, as the exercise says. Find another flag.")
    usual, changed = (_reached_ms(threads.scan(25, 2, size_kib=LONG_KIB, flags=flags)) for flags in ("", flag))
    does = f"With {flag} the time to safepoint is {changed:.2g} ms, and {usual:.2g} ms without it."
    return Judged(changed < SOONER * usual, does)


def _spared(answer: Any) -> Judged:
    """Does each thread of the edited crowd still beat, and is the safepoint reached sooner?"""
    exercise, jdk = lessons.exercise("10-2"), exercises.newest_jdk()
    source = exercises.java_file(answer, exercise, KEPT)
    usual, edited = (
        launch.java(str(path), jdk, gc=threads.GC, log=threads.LOG, reuse=True) for path in (exercise.template, source)
    )
    beats = edited.values.get("fewest_beats_per_s")
    if edited.outcome != "exited" or not isinstance(beats, float):
        return Judged(False, f"On JDK {jdk} the program doesn't finish.")
    if beats < BEATS:
        return Judged(False, f"On JDK {jdk} one of the threads reports only {beats:.1f} times a second.")
    ms, before_ms = _reached_ms(edited), _reached_ms(usual)
    does = f"On JDK {jdk} the time to safepoint is {ms:.2g} ms; before you edited the file it was {before_ms:.2g} ms."
    return Judged(ms < ANSWER_HARDLY * before_ms, does)


def _hidden(answer: Any) -> Judged:
    """Is this about how long threads ran in what the log of JDK 17 calls a pause, in ms?"""
    if not exercises.finite(answer):
        raise BadInput(f"This is {exercises.kind(answer)}. Give {lessons.exercise('10-3').answer}.")
    run = threads.scan(HIDING, threads.LARGEST * cores())
    stop_ms = float(of_run(run, threads.COLLECTIONS)["total_ms"].median())
    hides = stop_ms - float(run.values["everybody_silent_ms"])
    does = f"You say that threads ran for {float(answer):,.0f} of the {stop_ms:,.0f} ms that the log calls a pause."
    return Judged(NEAR[0] * hides < float(answer) < NEAR[1] * hides, does)


CLASSIFIERS = {"10-pays": _pays, "10-reach": _reach, "10-stopped": _stopped}
JUDGES = {"10-1": _flag, "10-2": _spared, "10-3": _hidden}
