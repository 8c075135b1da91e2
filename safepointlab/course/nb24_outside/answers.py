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
CURES = {  # of 24-cold: how the file is read with which setting, and what is compared with it
    "copy_g1": ("copy plain", "copy g1"),
    "copy_polls": ("copy plain", "copy polls"),
    "pieces": ("copy plain", "pieces plain"),
    "pieces_g1": ("copy plain", "pieces g1"),
    "pages_g1": ("pages plain", "pages g1"),
}
TOLD = {
    "copy_g1": "the bulk copy with G1",
    "copy_polls": "the bulk copy with a poll per iteration",
    "pieces": "pieces",
    "pieces_g1": "pieces with G1",
    "pages_g1": "the loop with G1",
}
NEAR = 0.1  # a part of the measured time


def _phase(runs: Iterable[Run]) -> Finding:
    found = {" ".join(run.request.args[1:]): outside.blamed(run) for run in runs}
    if not found:
        raise BadInput("no run")
    facts = "; ".join(f"{what}: {outside.WORDS[phase]}" for what, phase in found.items()) + "."
    kinds = set(found.values())
    return one("depends" if len(kinds) > 1 else kinds.pop(), facts)


def _setting(flags: str) -> str:
    return "g1" if "UseG1GC" in flags else "polls" if "UseCountedLoopSafepoints" in flags else "plain"


def _cold(runs: "DataFrame") -> Finding:
    """Which of CURES is a wait that's much shorter than the one it's compared with."""
    ways = runs["args"].str.removeprefix("file ") + " " + runs["flags"].map(_setting)
    if "cold_ms" not in runs:
        return nothing("No run has read a file.")
    waits: dict[Any, float] = runs.groupby(ways)["cold_ms"].median().dropna().to_dict()
    known = {key: (before, after) for key, (before, after) in CURES.items() if {before, after} <= set(waits)}
    shown = {key for key, (before, after) in known.items() if waits[before] >= SHORTER * waits[after]}
    facts = [
        f"{TOLD[key]}: {waits[after]:,.0f} ms instead of {waits[before]:,.0f}" for key, (before, after) in known.items()
    ]
    return Finding(frozenset(shown), f"{'; '.join(facts)}." if facts else "Nothing was measured.")


def _freeze(run: Run) -> Finding:
    longest = outside.longest_ms(run)
    facts = ", ".join(f"{outside.WORDS[name]} {ms:,.0f} ms" for name, ms in longest.items())
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
