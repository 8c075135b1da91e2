"""Notebook 05: which outcome of a prediction a result shows, and whether an answer to an exercise is right."""

import re
from typing import Any

import pandas as pd

from safepointlab.course import exercises, lessons
from safepointlab.course.exercises import Judged
from safepointlab.course.nb05_counted import experiments as counted
from safepointlab.course.predictions import Finding, nothing, one
from safepointlab.errors import BadInput
from safepointlab.run import launch
from safepointlab.run.run import Run

FEW, MANY = 0.1, 0.3  # parts of all loops without a poll: a tile or two by mistake, and a rule
ASKED_JDK = 17  # what the questions ask about


def _shapes(run: Run) -> Finding:
    clock = counted.clocked(run)
    polled = clock.set_index("shape")["polled"]
    asked = list(lessons.prediction("05-shapes").outcomes)
    if not _plain(clock, {counted.NO_POLLS}) or set(clock["jdk"]) != {ASKED_JDK} or not set(asked) <= set(polled.index):
        raise BadInput(f"{polled.sum()} of its {len(polled)} loops were stopped in mid-loop")
    polled = polled[asked]
    stopped = frozenset(polled.index[polled.fillna(False).astype(bool)])
    short = f" {polled.isna().sum()} of them ended too soon to tell." if polled.isna().any() else ""
    return Finding(stopped, f"{len(stopped)} of {len(polled)} were stopped in mid-loop.{short}")


def _known(result: Run | pd.DataFrame) -> pd.DataFrame:
    """What the clock says of these runs' loops, without those that were over too soon: rows of `counted.clocked`."""
    clock = counted.clocked(result)
    if clock.empty:
        raise BadInput("it has no run of these loops")
    return clock.dropna(subset="polled")


def _plain(clock: pd.DataFrame, gcs: set[str]) -> bool:
    """Whether these runs are by these collectors, and no flag but -Xbatch."""
    return set(clock["gc"]) == gcs and set(clock["flags"]) == {counted.BATCH}


def _guard(run: Run) -> Finding:
    clock = _known(run).set_index("shape")
    if set(clock.index) != {"before", "after"}:
        return nothing("One of the two loops ended too soon to tell.")
    facts = f"The first collection took {clock['ms']['before']:,} ms, the second {clock['ms']['after']:,} ms."
    if not _plain(clock, {counted.NO_POLLS}):
        return nothing(facts)
    waits = not clock["polled"]["before"], not clock["polled"]["after"]
    keys = {(True, True): "both", (False, False): "neither", (True, False): "first", (False, True): "second"}
    return one(keys[waits], facts)


def _jdks(maps: pd.DataFrame) -> Finding:
    clock = _known(maps)
    waiting = {}  # by collector: which loops are not stopped in mid-loop, on the oldest JDK and on the newest
    for gc, rows in clock.groupby("gc", sort=False):
        old, new = (
            ~rows.loc[rows["jdk"] == end, "polled"].astype(bool) for end in (rows["jdk"].min(), rows["jdk"].max())
        )
        waiting[str(gc)] = old, new
    told = "; ".join(f"with {gc}, {old.sum()} and {new.sum()} of {len(new)}" for gc, (old, new) in waiting.items())
    facts = f"Loops that can't be stopped before they end, on the oldest JDK and on the newest: {told or 'none known'}."
    if not _plain(clock, {counted.NO_POLLS, counted.STRIPS}) or clock["jdk"].nunique() < 2:
        return nothing(facts)
    (old, new), (_, strips) = waiting[counted.NO_POLLS], waiting[counted.STRIPS]
    more = int(new.sum() - old.sum())
    if strips.mean() <= FEW:
        return one("apart" if more > 0 else "better" if more < 0 else "g1", facts)
    return one("same", facts) if not more and strips.mean() >= MANY else nothing(facts)


PLAIN = "intParameter"  # with G1 cut into strips from 11 on
OVERFLOW, QUESTIONS = 5, 5  # the number of the question whether the index can run past the largest int
KEPT = r"// From here on it is as in LoopShapes.*"  # what the reader leaves as it is
ROOT = "root 32.110665"  # what disguised(1000) returns, as the template does it
METHOD = re.compile(r"static double disguised\(.*?\n    \}\n", re.DOTALL)


def _flag(answer: Any) -> Judged:
    """Does a plain loop wait for its end again, on JDK 17 with G1 and this flag?"""
    flag = exercises.flag(answer, 'one flag of the JVM as text, such as "-XX:MaxHeapSize=100m"', gc="G1")
    clock = counted.clocked(counted.shapes(17, PLAIN, flag, gc=counted.STRIPS)).dropna()
    if clock.empty:
        return Judged(False, f"With {flag} the loop ends too soon to tell.")
    polled, ms = bool(clock["polled"].iloc[0]), int(clock["ms"].iloc[0])
    does = "comes in mid-loop" if polled else "waits for the end of the loop"
    return Judged(not polled, f"With {flag} the collection {does}: it takes {ms} ms.")


def _without_poll(answer: Any) -> Judged:
    """Is the edited loop, still a `while (true)`, one that no request stops, on JDK 8, JDK 17 and the newest JDK?"""
    path = exercises.java_file(answer, lessons.exercise("05-2"), KEPT)
    method = METHOD.search(re.sub(r"//[^\n]*|/\*.*?\*/", "", path.read_text("utf-8"), flags=re.DOTALL))
    headers = re.findall(r"\b(?:for|while|do)\s*[({][^){]*\)?", method[0]) if method else []
    loops = [" ".join(header.split()) for header in headers]
    if loops != ["while (true)"]:
        return Judged(False, f"The loops of disguised() are: {', '.join(loops) or 'none'}. Keep `while (true)` alone.")
    for jdk in sorted({8, 17, exercises.newest_jdk()}):
        run = launch.java(str(path), jdk, counted.BATCH, gc=counted.NO_POLLS, deadline=30, reuse=True)
        polled = counted.clocked(run)["polled"]
        if run.overdue or ROOT not in run.output:
            work = "it no longer does its square roots: disguised(1000) has to return the same number as before."
            return Judged(False, f"On JDK {jdk} {work}")
        if polled.isna().any():
            return Judged(False, f"On JDK {jdk} the loop ends too soon to tell.")
        if polled.all():
            return Judged(False, f"On JDK {jdk} it is still stopped in mid-loop.")
    return Judged(True, "No request stops it in mid-loop, on any of the JDKs tried.")


def _question(answer: Any) -> Judged:
    """Is this the question that keeps the poll in the endless loop, and does the JVM with that loop exit?"""
    number = exercises.whole(answer, 1, QUESTIONS, "the number of one of the five questions in Part 1")
    run = counted.endless(ASKED_JDK, gc=counted.NO_POLLS)
    fate = "hangs" if run.hung else "exits"
    does = f"The JVM {fate} while the endless loop runs, and you say that question {number} is the reason."
    return Judged(number == OVERFLOW and not run.hung, does, by_time=False)


CLASSIFIERS = {"05-shapes": _shapes, "05-guard": _guard, "05-jdks": _jdks}
JUDGES = {"05-1": _flag, "05-2": _without_poll, "05-3": _question}
