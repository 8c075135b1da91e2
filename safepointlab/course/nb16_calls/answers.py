"""Notebook 16: which outcome of a prediction a result shows, and whether an answer to an exercise is right."""

from collections.abc import Iterable
from typing import Any

from safepointlab.course import exercises, lessons
from safepointlab.course.exercises import Judged
from safepointlab.course.nb16_calls import experiments as calls
from safepointlab.course.predictions import Finding, one
from safepointlab.errors import BadInput
from safepointlab.phrases import listed
from safepointlab.run import launch
from safepointlab.run.run import Run

ASKED = {
    "gc": "fullCollection",
    "all": "stacksOfAll",
    "bean": "infoOfOneWithStack",
    "one": "stackOfOne",
    "mine": "stackOfMine",
    "load": "loadClass",
    "interrupt": "interrupt",
}
STOPS = {"safepoint": "all", "handshake": "one", "nothing": "none"}  # a call's kind -> the outcome of 16-virtual
CHECKED_ON, VIRTUAL_ON = 17, 21  # the JDKs of the exercises
DEPTHS, PATIENCE_S = (3, 8), 10.0
KEPT = r"public static void main.*?(?=// From here on)"  # what the reader leaves as it is


def _calls(runs: Iterable[Run]) -> Finding:
    made = calls.calls_by_jdk(runs)
    stops = (made["kind"] == "safepoint").groupby(made["call"]).all()
    asked = {key: calls.API[name] for key, name in ASKED.items()}
    if not set(asked.values()) <= set(stops.index):
        raise BadInput("not every call was made")
    stopping = frozenset(key for key, call in asked.items() if stops[call])
    jdks = listed(made["jdk"].unique())
    return Finding(stopping, f"{len(stopping)} of these {len(asked)} calls stop all the threads on JDK {jdks}.")


def _virtual(runs: Iterable[Run]) -> Finding:
    made = calls.calls_by_jdk(runs)
    kinds = made[made["call"] == calls.API["parkedStack"]].set_index("jdk")["kind"]
    if kinds.empty:
        raise BadInput("no run asked for the stack of a parked virtual thread")
    facts = " · ".join(f"JDK {jdk}: {kind}" for jdk, kind in kinds.items()) + "."
    return one("mixed" if kinds.nunique() > 1 else STOPS[kinds.iloc[0]], facts)


def _operations_of_zgc(answer: Any) -> Judged:
    """Is this how many operations of its own, at a safepoint, ZGC needs for one System.gc()?"""
    number = exercises.whole(answer, 0, 100, "a number of operations")
    settings: dict[str, Any] = {"args": "fullCollection", "log": "safepoint", "reuse": True}
    [names] = calls.operations(launch.java(calls.CALLS, CHECKED_ON, gc="Z", **settings))["operations"]
    own = [name for name in names if name.startswith("Z")]  # the VM may clean up after unloaded classes as well
    return Judged(number == len(own), f"You say {number}.", by_time=False)


def _own_handshake(answer: Any) -> Judged:
    """Does main get the stack, however deep it is, without a safepoint for it?"""
    source = str(exercises.java_file(answer, lessons.exercise("16-2"), KEPT))
    for depth in DEPTHS:
        settings: dict[str, Any] = {"args": depth, "log": "safepoint", "deadline": PATIENCE_S, "reuse": True}
        run = launch.java(source, CHECKED_ON, gc=calls.GC, **settings)
        if run.overdue:
            return Judged(False, "It doesn't end: `main` or the JVM waits for a thread that never checks.")
        operations = run.safepoints["operation"].dropna()
        if not (dumps := operations[operations.str.contains("ThreadDump|StackTrace")]).empty:
            return Judged(False, f"The log has {dumps.iloc[0]}: the JVM stopped all threads for it.")
        if f"{depth} frames of goDown" not in run.output:
            wanted = f"At a depth of {depth} the stack should have {depth} frames of goDown."
            return Judged(False, f"{wanted} It printed: {run.output[:80]!r}.")
        if "other works on" not in run.output:
            return Judged(False, "The thread `other` has stopped working.")
    return Judged(True, "`main` gets the whole stack, `other` keeps working, and there is no thread dump in the log.")


def _finds_all(answer: Any) -> Judged:
    """Does this call find each of the parked virtual threads?"""
    found = calls.found(launch.java(calls.VIRTUAL, VIRTUAL_ON, gc=calls.GC, log="safepoint", reuse=True))
    if not isinstance(answer, str) or answer not in found:
        raise BadInput(f"This is {exercises.kind(answer)}. Give one of these, in quotes: {', '.join(found)}.")
    return Judged(found[answer] == max(found.values()), f"{answer} found {found[answer]} of them.", by_time=False)


CLASSIFIERS = {"16-calls": _calls, "16-virtual": _virtual}
JUDGES = {"16-1": _operations_of_zgc, "16-2": _own_handshake, "16-3": _finds_all}
