"""Notebook 01: which outcome of a prediction a result shows, and whether an answer to an exercise is right.

The texts are in quiz.toml.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd

from safepointlab.course import exercises, lessons
from safepointlab.course.exercises import Judged
from safepointlab.course.nb01_safepoint import experiments as safepoint
from safepointlab.course.nb01_safepoint import polls
from safepointlab.course.predictions import Finding, nothing, one
from safepointlab.errors import BadInput
from safepointlab.run import launch
from safepointlab.run.run import Run

AT_ONCE_MS = 1.0  # nobody would notice a wait so short
SHARE = 0.5  # of the time to safepoint: who ran on for that long is whom the others waited for
SLOW = 0.3  # of the longest of the compared waits
ASKED = {
    "gc": "fullCollection",
    "all": "stacksOfAll",
    "bean": "infoOfOneWithStack",
    "one": "stackOfOne",
    "mine": "stackOfMine",
    "load": "loadClass",
    "interrupt": "interrupt",
}
JDK, DEPTHS, PATIENCE_S = 17, (3, 8), 10.0
SOON = 1 / 3  # of the usual time to safepoint
TEMPLATE = Path(__file__).parent / "templates" / "OwnHandshake.java"
KEPT = r"public static void main.*?(?=// From here on)"  # what the reader leaves as it is


def _last(run: Run) -> Finding:
    notes = safepoint.ran_on(run)
    waited = float(notes["ttsp_ms"].quantile(0.5, interpolation="higher"))  # that of the stop in the picture
    ran = notes[notes["ttsp_ms"] == waited].groupby("thread")["ran_on_ms"].median()
    if not {"counted", "polling"} <= set(ran.index):
        raise BadInput("this run has no threads `counted` and `polling`")
    last = str(ran.idxmax())
    facts = f"The median time to safepoint is {waited:.1f} ms, and `{last}` ran on for {ran[last]:.1f} ms of it."
    if waited < AT_ONCE_MS:
        return one("together", facts)
    return one(last if ran[last] > SHARE * waited and last in lessons.prediction("01-last").outcomes else "away", facts)


def _who(who: pd.DataFrame) -> Finding:
    longest = who.sort_values("ttsp_ms").iloc[-1]
    by = f"`{longest['flags']}`" if longest["flags"] else "both compilers"
    facts = f"The longest median is {longest['ttsp_ms']:.1f} ms, by {by} with {longest['gc']}."
    slow = who["ttsp_ms"] > max(SLOW * longest["ttsp_ms"], AT_ONCE_MS)
    c2 = ~who["flags"].str.contains("-Xint|TieredStopAtLevel=1")
    serial = who["gc"] == safepoint.NO_POLLS
    if c2.all() or serial.all() or not (c2.any() and serial.any()):  # the reader left out what is compared
        return nothing(facts)
    rules = {"c2-serial": c2 & serial, "c2": c2, "serial": serial, "interpreter": ~c2, "all": c2 | ~c2}
    return Finding(frozenset(key for key, rule in rules.items() if (slow == rule).all()), facts)


def _calls(runs: Iterable[Run]) -> Finding:
    calls = safepoint.calls_by_jdk(runs)
    stops = (calls["kind"] == "safepoint").groupby(calls["call"]).all()
    asked = {key: safepoint.API[name] for key, name in ASKED.items()}
    if not set(asked.values()) <= set(stops.index):
        raise BadInput("not every call was made")
    stopping = frozenset(key for key, call in asked.items() if stops[call])
    jdks = ", ".join(map(str, calls["jdk"].unique()))
    return Finding(stopping, f"{len(stopping)} of these {len(asked)} calls do, on JDK {jdks}.")


def _kept_poll(answer: Any) -> Judged:
    """Does everybody stop soon with this flag, with Serial as before, and C2 at work?"""
    flag = exercises.flag(answer, 'one flag in quotes, such as "-XX:+PrintFlagsFinal"', gc="Serial")
    runs = [safepoint.stopping(JDK), safepoint.stopping(JDK, flag)]
    usual, now = (float(safepoint.collections(run)["ttsp_ms"].median()) for run in runs)
    does = f"With {flag} the median stop is reached in {now:.1f} ms, without in {usual:.1f}."
    return Judged(now < SOON * usual, does)


def _own_handshake(answer: Any) -> Judged:
    """Does main get the stack, whatever its depth, without a safepoint for it?"""
    source = str(exercises.java_file(answer, TEMPLATE, KEPT))
    for depth in DEPTHS:
        settings: dict[str, Any] = {"args": depth, "log": "safepoint", "deadline": PATIENCE_S, "reuse": True}
        run = launch.java(source, JDK, gc=safepoint.NO_POLLS, **settings)
        if run.overdue:
            return Judged(False, "It does not end: `main` or the JVM waits for a thread that never looks.")
        operations = run.safepoints["operation"].dropna()
        if not (dumps := operations[operations.str.contains("ThreadDump|StackTrace")]).empty:
            return Judged(False, f"The log has {dumps.iloc[0]}: the JVM stopped threads for it.")
        if f"{depth} frames of goDown" not in run.output:
            wanted = f"At a depth of {depth} the stack should have {depth} frames of goDown."
            return Judged(False, f"{wanted} It printed: {run.output[:80]!r}.")
        if "other works on" not in run.output:
            return Judged(False, "The thread `other` no longer works.")
    return Judged(True, "`main` gets the whole stack, `other` works on, and no thread dump is in the log.")


def _unpolled(answer: Any) -> Judged:
    """Is this the number of loops without a poll in C2's code of byLong, with Serial?"""
    number = exercises.whole(answer, 0, 1000, "a number of loops")
    loops = polls.standard(polls.listing(JDK), "C2")
    polled = loops[loops["method"] == "Polls::byLong"]["polled"]
    does = f"C2's code of `byLong` has {len(polled)} loops, and you say that {number} of them have no poll."
    return Judged(number == int((~polled).sum()), does)


CLASSIFIERS = {"01-last": _last, "01-who": _who, "01-calls": _calls}
JUDGES = {"01-1": _kept_poll, "01-2": _own_handshake, "01-3": _unpolled}
