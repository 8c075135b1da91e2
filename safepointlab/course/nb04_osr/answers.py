"""Notebook 04: which outcome of a prediction a result shows, and whether an answer to an exercise is right."""

from typing import Any

import pandas as pd

from safepointlab.course import exercises, lessons
from safepointlab.course.exercises import Judged
from safepointlab.course.nb02_hang.experiments import NO_POLLS, TOP, WARM_UP, compile_log
from safepointlab.course.nb04_osr import experiments as osr
from safepointlab.course.predictions import Finding, nothing, one
from safepointlab.errors import BadInput
from safepointlab.phrases import listed
from safepointlab.run import launch

ALONE = tuple(TOP.split())
AT_ITS_END = "at_its_end"  # when a thread whose loop has no poll responds to the request
MAIN = r"public static void main.*?(?=// How many)"  # what the reader leaves as it is
FEW, FEW_ODDS, ODDS = 1000, 500, 750_000_000  # a small limit and what it counts, and what the usual one does


def _past(runs: pd.DataFrame) -> Finding:
    ended = runs[runs["outcome"].isin(["exited", "hung"])]
    calls = ended["args"].astype(str).str.split().str[2].fillna(str(WARM_UP)).astype(int)
    fates = {int(number): " or ".join(sorted(set(own))) for number, own in ended["outcome"].groupby(calls)}
    facts = "; ".join(f"{number:,} earlier calls: {fate}" for number, fate in fates.items()) + "."
    if set(fates) != {0, WARM_UP} or set(ended["gc"]) != {NO_POLLS}:
        return nothing(facts)
    keys = {
        ("exited", "exited"): "both-exit",
        ("hung", "hung"): "both-hang",
        ("hung", "exited"): "test",
        ("exited", "hung"): "production",
    }
    key = keys.get((fates[0], fates[WARM_UP]))
    return one(key, facts) if key else nothing(facts)


def _ways(runs: pd.DataFrame) -> Finding:
    ended = runs[runs["outcome"].isin(["exited", "hung"])]
    hung = {str(flags): list(own == "hung") for flags, own in ended["outcome"].groupby(ended["flags"], sort=False)}
    counts = listed(f"in {sum(some)} of {len(some)} runs with {way or 'no flag'}" for way, some in hung.items())
    facts, ways = f"The JVM hung {counts}.", ("", osr.NO_OSR, TOP)
    if set(hung) != set(ways) or set(ended["gc"]) != {NO_POLLS}:
        return nothing(facts)
    default, forbidden, beforehand = (hung[flags] for flags in ways)
    if any(default) or any(any(some) and not all(some) for some in (forbidden, beforehand)):
        return nothing(facts)
    keys = {(False, False): "neither", (True, False): "forbidden", (False, True): "beforehand", (True, True): "both"}
    return one(keys[all(forbidden), all(beforehand)], facts)


def _alone(answer: Any) -> Judged:
    """Are these the flags with each of which, alone, the loop that was called once responds only at its end?"""
    flags = [answer] if isinstance(answer, str) else answer
    if not isinstance(flags, list | tuple | set) or not set(flags) <= set(ALONE):
        raise BadInput(f"Give a list: [], or with one or both of {', '.join(repr(flag) for flag in ALONE)}.")
    late = {flag for flag in ALONE if osr.entered(17, "once", flag, osr.COMPILED).values["heard"] == AT_ITS_END}
    words = " and ".join(f"`{flag}`" for flag in sorted(set(flags))) or "neither"
    return Judged(set(flags) == late, f"You say {words}.")


def _unsaved(answer: Any) -> Judged:
    """Does the edited program count as before, in an OSR version of C2's, and respond to a request at its end only?"""
    source = str(exercises.java_file(answer, lessons.exercise("04-2"), MAIN))
    settings: dict[str, Any] = {"log": osr.COMPILED, "deadline": osr.DEADLINE_S, "reuse": True}
    if launch.java(source, 17, gc=NO_POLLS, args=[FEW], **settings).values.get("odds") != FEW_ODDS:
        return Judged(False, f"With a limit of {FEW:,} it no longer counts {FEW_ODDS} odd numbers.")
    run = launch.java(source, 17, gc=NO_POLLS, **settings)
    if run.overdue or run.values.get("odds") != ODDS:
        return Judged(False, f"It doesn't count {ODDS:,} odd numbers within {osr.DEADLINE_S} s.")
    if compile_log(run, "NotSavedByOsr::countOdds$").query("osr and tier == 4").empty:
        return Judged(False, "C2 made no OSR version of `countOdds`, so the thread was not in one.")
    heard = str(run.values["heard"])
    does = f"The request was heard {heard.replace('_', ' ')}, after {run.values['gc_ms']:,.0f} ms."
    return Judged(heard == AT_ITS_END, does)


def _pass(answer: Any) -> Judged:
    """Does that flag switch off a pass that peels, and does the loop with the roots respond in its middle then?"""
    flag = exercises.word(answer, 'a flag that switches one step off, as text: "-XX:-Name"')
    if not flag.startswith("-XX:-"):
        raise BadInput(f"{flag!r} doesn't switch anything off. Give a flag such as '-XX:-Name'.")
    heard = str(osr.entered(17, "once roots", flag, osr.COMPILED).values["heard"])
    does = f"With `{flag}` the request is heard {heard.replace('_', ' ')}."
    if heard != AT_ITS_END and "Peel" not in flag:
        return Judged(False, f"{does} But that isn't the step of C2 that turns the loop around.")
    return Judged(heard != AT_ITS_END, does)


CLASSIFIERS = {"04-past": _past, "04-ways": _ways}
JUDGES = {"04-1": _alone, "04-2": _unsaved, "04-3": _pass}
