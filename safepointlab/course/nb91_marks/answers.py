"""Notebook 91: which outcome of a prediction a result shows, and whether an answer to an exercise is right."""

from typing import Any

import pandas as pd

from safepointlab.course import exercises, lessons
from safepointlab.course.exercises import Judged
from safepointlab.course.nb06_biased import experiments as biased
from safepointlab.course.nb91_marks import experiments as marks
from safepointlab.course.predictions import Finding, nothing, one
from safepointlab.errors import BadInput
from safepointlab.jdks.jars import JOL
from safepointlab.run import launch
from safepointlab.run.run import Run

JDK = 17  # of the questions and exercises
NOTHING_NS = 0.2  # less than a cycle
LITTLE, MUCH = 2.0, 3.0  # times: two prices are about the same, or of another kind


def _unlocked(run: Run) -> Finding:
    fresh, locked, unlocked = (marks.number(run, name) for name in marks.ALONE)
    key = "owner" if unlocked == locked != fresh else "new" if unlocked == fresh else "third"
    key = "monitor" if marks.state(run, "unlocked") == "fat" else key
    return one(key, f"Locked 0x{locked:x}, unlocked 0x{unlocked:x}.")


def _second(run: Run) -> Finding:
    first, end = marks.number(run, "unlocked"), marks.number(run, "other_unlocked")
    state = marks.state(run, "other_unlocked")
    facts = f"Before 0x{first:x}, in the end 0x{end:x}: {state}."
    if marks.state(run, "unlocked") != "biased":  # then there was no bias for the second thread to take
        return nothing(facts)
    keys = {"unlocked": "unlocked", "fat": "fat", "biased": "back" if first == end else "moved"}
    return one(keys[state], facts) if state in keys else nothing(facts)


def _both(run: Run) -> Finding:
    held, after = (marks.state(run, name) for name in marks.BOTH)
    later = "still does" if after == held else after
    facts = f"The word says {held} while a thread waits, and {later} after the hand-over."
    if held != "fat":
        return Finding(frozenset({"thin": {"nowhere"}, "unlocked": set()}.get(held, {"word"})), facts)
    return one("kept" if after == "fat" else "undone", facts)


def _price(*sweeps: pd.DataFrame) -> Finding:
    runs = pd.concat(sweeps, ignore_index=True)
    runs = runs[runs["jdk"].eq(JDK) & runs["plain_ns"].notna()]
    if runs.empty:
        raise BadInput(f"there is no run of JDK {JDK}")
    plain, fresh, thin = (float(runs[name].median()) for name in ("plain_ns", "fresh_ns", "hashed_ns"))
    new, thin = fresh - plain, thin - plain
    if not runs["flags"].str.contains(biased.ON, regex=False).all():  # then no lock here is biased
        told = f"A lock of a new object adds {new:.1f} ns to the call, one of a hashed object {thin:.1f} ns."
        return nothing(told)
    facts = f"A biased lock adds {new:.1f} ns to the call, a thin one {thin:.1f} ns."
    if max(abs(new), abs(thin)) < NOTHING_NS:
        return one("free", facts)
    if thin < 0 or new > thin * LITTLE:
        return one("thin", facts) if new > thin > 0 else nothing(facts)
    if thin > MUCH * max(new, 0.0):
        return one("biased", facts)
    return one("same", facts) if max(new, thin) <= LITTLE * min(new, thin) else nothing(facts)


KEPT = r"static \{\n.*"  # what the reader leaves as it is
FIELDS = {  # of a biased or biasable word on JDK 17: the mask of its bits
    "thread": ((1 << 54) - 1) << marks.FIRST_OF_THREAD,
    "epoch": marks.EPOCH,
    "age": 0b1111 << 3,
    "biased": 1 << 2,
    "lock": 0b11,
}


def _flag(answer: Any) -> Judged:
    """Is a new object of the class still biasable after 45 revocations, with this flag?"""
    flag = exercises.flag(answer, 'one flag of the JVM as text, such as "-XX:+PrintCompilation"')
    run = marks.thieves(JDK, flag)
    last = marks.state(run, marks.changes(run)[-1])
    return Judged(last == "biasable", f"With {flag} a new object is {last} after 45 revocations.")


def _one_thread(answer: Any) -> Judged:
    """Is the object biased, then unlocked, then fat, with no second thread?"""
    source = str(exercises.java_file(answer, lessons.exercise("91-2"), KEPT))
    run = launch.java(source, JDK, marks.AT_ONCE, jars=[JOL], deadline=15, reuse=True)
    if run.outcome != "exited" or "end" not in run.values:
        return Judged(False, "The program does not get to its end.")
    if run.values["started"] != 0:
        return Judged(False, "The program starts a second thread.")
    states = [marks.state(run, name) for name in ("begin", "middle", "end")]
    return Judged(states == ["biased", "unlocked", "fat"], f"The object is {', then '.join(states)}.")


def _field(answer: Any) -> Judged:
    """Is this the field in which the words of new objects differ before and after the 20th revocation?"""
    name = exercises.word(answer, "the name of one part of the word as text").lower()
    if name not in FIELDS:
        raise BadInput(f"A biasable word has no part {name[:40]!r}. Its parts are {', '.join(FIELDS)}.")
    run = marks.thieves(JDK)
    first, second = [marks.number(run, moment) for moment in marks.changes(run)[:2]]
    changed = first ^ second
    return Judged(changed & FIELDS[name] != 0 == changed & ~FIELDS[name], f"You say the {name}.")


CLASSIFIERS = {"91-unlocked": _unlocked, "91-second": _second, "91-both": _both, "91-price": _price}
JUDGES = {"91-1": _flag, "91-2": _one_thread, "91-3": _field}
