"""Notebook 00: which outcome of a prediction a result shows, and whether an answer to an exercise is right."""

import math
import re
from statistics import median
from typing import Any

from safepointlab.course import exercises, lessons
from safepointlab.course.exercises import Judged
from safepointlab.course.nb00_start import experiments as start
from safepointlab.course.predictions import Finding, nothing, one
from safepointlab.errors import BadInput
from safepointlab.run import launch
from safepointlab.run.run import Run

LATE_S = 1.0  # after main's return: how long the JVM took to start says nothing about its exit
JDK = 17
IGNORED = 0.05  # of the usual time: a call that returns so soon requested nothing, even if the run was disturbed
REQUESTS, COLLECTION = 3, "Collect|GC|CGC"  # of the program to edit; what the log calls a collection
KEPT = r"    // The rest stays as it is\..*"  # what the reader leaves as it is
NEAR = 0.05  # of the truth: an answer may be rounded


def _exit(run: Run) -> Finding:
    after = f"after {run.wall_ms / 1000:.1f} s"
    if run.overdue:
        if run.forensics.answered(""):  # then it was busy, or main was still asleep
            return nothing(f"The JVM was still running {after}, but no thread was holding it up.")
        waits = f", waiting for the thread `{run.forensics.holdup}`" if run.forensics.holdup else ""
        return one("stays", f"The JVM was still running {after}{waits}.")
    if run.exit_code:
        return one("refused", f"It ended with exit code {run.exit_code} {after}.")
    late = run.wall_ms / 1000 - start.returned_s(run) > LATE_S
    collector = run.request.gc or "the JDK's own collector"
    return one("late" if late else "soon", f"With {collector}, the JVM exited {after}, including its start.")


def _stops(run: Run) -> Finding:
    stops, requests = len(run.safepoints), start.requests(run)
    if not requests:
        raise BadInput("this run didn't request a collection")
    counts = sorted(run.safepoints["operation"].value_counts().items())
    operations = ", ".join(f"{name} ×{count}" if count > 1 else str(name) for name, count in counts)
    facts = f"{requests} requests, {stops} stops in the log: {operations or 'none'}."
    if stops == requests:
        return one("same", facts)
    return one("never" if not stops else "fewer" if stops < requests else "more", facts)


def _ignored(answer: Any) -> Judged:
    """Does the program make its calls with this flag, without waiting in them and without being stopped for them?"""
    flag = exercises.flag(answer, 'one flag of the JVM in quotes, such as "-XX:+PrintCompilation"', gc="Serial")
    usual, changed = start.hello(JDK), start.hello(JDK, flag)
    calls, stops = start.requests(changed), len(changed.safepoints)
    if calls != start.requests(usual):
        return Judged(False, f"With {flag} the program reports {calls} calls of `System.gc()`.")
    before, took = (
        median(map(int, re.findall(r"^collection \d+: (\d+) us", run.output, re.MULTILINE))) for run in (usual, changed)
    )
    times = f"and a call takes {took:,.0f} µs instead of {before:,.0f} (medians)"
    return Judged(
        not stops and took < IGNORED * before, f"With {flag} the log shows {stops or 'no'} safepoints, {times}."
    )


def _another_reason(answer: Any) -> Judged:
    """Is the edited program stopped at each of its requests, but for no collection?"""
    source = str(exercises.java_file(answer, lessons.exercise("00-2"), KEPT))
    run = launch.java(source, JDK, gc="Serial", log="safepoint", deadline=20, reuse=True)
    if run.outcome != "exited" or run.output.count("request ") != REQUESTS:
        return Judged(False, f"On JDK {JDK} it doesn't end after {REQUESTS} requests.")
    names = run.safepoints.loc[run.safepoints["kind"] == "safepoint", "operation"].astype(str)
    listed = ", ".join(f"{count} × {name}" for name, count in names.value_counts().items()) or "none"
    holds = len(names) >= REQUESTS and not names.str.contains(COLLECTION).any()
    return Judged(holds, f"Safepoints in the log of JDK {JDK}: {listed}.")


def _stopped_time(answer: Any) -> Judged:
    """Is this how long ZGC's stops took in the run, from request to release, in ms?"""
    if not exercises.finite(answer):
        raise BadInput(f"This is {exercises.kind(answer)}. Give {lessons.exercise('00-3').answer}.")
    log = start.hello(JDK, gc="Z").safepoints
    stops = log.loc[log["kind"] == "safepoint", "total_ms"]
    if math.isclose(answer, stops.sum(), rel_tol=NEAR):
        serial = start.hello(JDK).safepoints["total_ms"]
        took = f"ZGC's {len(stops)} safepoints take {stops.sum():,.1f} ms"
        return Judged(True, f"{took}, and Serial's {len(serial)} take {serial.sum():,.1f} ms.")
    everything = math.isclose(answer, log["total_ms"].sum(), rel_tol=NEAR)
    which = "the sum of all rows, handshakes included" if everything else "not the sum of the safepoints"
    return Judged(False, f"{answer:g} ms is {which}.")


CLASSIFIERS = {"00-exit": _exit, "00-stops": _stops}
JUDGES = {"00-1": _ignored, "00-2": _another_reason, "00-3": _stopped_time}
