"""Notebook 24: which outcome of a prediction a result shows, and whether an answer to an exercise is right.

The texts are in quiz.toml.
"""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from safepointlab.course import exercises, lessons
from safepointlab.course.exercises import Judged
from safepointlab.course.nb24_outside import experiments as outside
from safepointlab.course.predictions import Finding, nothing, one
from safepointlab.errors import BadInput
from safepointlab.run import launch
from safepointlab.run.run import Run

if TYPE_CHECKING:
    from pandas import DataFrame

JDK, LINES = 25, "log gc*=debug"  # of the exercises
SHORTER = 3.0  # times: a wait that a setting really shortens
CURES = {"g1": "UseG1GC", "polls": "UseCountedLoopSafepoints"}
NEAR = 0.1  # a part of the measured time


def _phase(runs: Iterable[Run]) -> Finding:
    found = {" ".join(run.request.args[1:]): outside.blamed(run) for run in runs}
    if not found:
        raise BadInput("no run")
    facts = "; ".join(f"{what}: {phase}" for what, phase in found.items()) + "."
    kinds = set(found.values())
    return one("depends" if len(kinds) > 1 else kinds.pop(), facts)


def _cold(runs: "DataFrame") -> Finding:
    """Which of the two settings shorten the wait for which way to read the file."""
    points = list(zip(runs["args"], runs["flags"], strict=True))
    if "cold_ms" not in runs:
        return nothing("No run has read a file.")
    waits = dict(zip(points, runs["cold_ms"], strict=True))
    shown, facts = set(), []
    for how in ("copy", "pages"):
        own = {flags: ms for (args, flags), ms in waits.items() if args.endswith(how)}
        plain = [ms for flags, ms in own.items() if not any(cure in flags for cure in CURES.values())]
        for key, cure in CURES.items():
            cured = [ms for flags, ms in own.items() if cure in flags]
            if plain and cured:
                facts.append(f"{how}, {cure}: {plain[0]:,.0f} to {cured[0]:,.0f} ms")
                shown |= {f"{how}_{key}"} if plain[0] >= SHORTER * cured[0] else set()
    return Finding(frozenset(shown), "; ".join(facts) + ".")


def _freeze(run: Run) -> Finding:
    longest = outside.longest_ms(run)
    facts = ", ".join(f"{name} {ms:,.0f} ms" for name, ms in longest.items())
    phase = outside.blamed(run)
    if phase == "none" and longest["between"] < outside.LONG_MS:
        return nothing(f"The longest: {facts}.")
    return one("between" if phase == "none" else phase, f"The longest: {facts}.")


def _lossy(answer: Any) -> Judged:
    """Does the asynchronous log lose lines with these flags?"""
    if not isinstance(answer, str) or "-Xlog:async" not in answer.split():
        raise BadInput(f"This is {exercises.kind(answer)}. Give {lessons.exercise('24-1').answer}.")
    run = launch.java(outside.SAMPLE, JDK, answer, gc="Serial", args=LINES, log="safepoint", reuse=True)
    lost = run.values.get("lost_lines", 0)
    return Judged(float(lost) > 0, f"The JVM says that {lost:,.0f} lines were dropped.", by_time=False)


def _convicted(answer: Any) -> Judged:
    """Is each of the five runs given the cause that the sample has under its number?"""
    if not isinstance(answer, Mapping) or set(answer) != set(outside.SUSPECTS):
        raise BadInput(f"This is {exercises.kind(answer)}. Give {lessons.exercise('24-2').answer}.")
    right = [number for number, cause in outside.SUSPECTS.items() if answer[number] == cause]
    return Judged(len(right) == len(outside.SUSPECTS), f"{len(right)} of your 5 are right.", by_time=False)


def _stalled(answer: Any) -> Judged:
    """Is this how long the clock inside was silent with the log that loses nothing?"""
    flags = "-Xlog:async:stall -XX:AsyncLogBufferSize=102400"
    run = launch.java(outside.SAMPLE, JDK, flags, gc="Serial", args=LINES, log="safepoint", reuse=True)
    took = float(run.values["inside_ms"])
    given = exercises.whole(answer, 0, 60_000, "milliseconds")
    return Judged(abs(given - took) <= NEAR * took, f"You say {given:,} ms, and in this run it was {took:,.0f} ms.")


CLASSIFIERS = {"24-phase": _phase, "24-cold": _cold, "24-freeze": _freeze}
JUDGES = {"24-1": _lossy, "24-2": _convicted, "24-3": _stalled}
