"""Notebook 01: which outcome of a prediction a result shows, and whether an answer to an exercise is right."""

from typing import Any

import pandas as pd

from safepointlab.course import exercises, lessons
from safepointlab.course.exercises import Judged
from safepointlab.course.nb01_safepoint import experiments as safepoint
from safepointlab.course.nb01_safepoint import polls
from safepointlab.course.predictions import Finding, nothing, one
from safepointlab.errors import BadInput
from safepointlab.run.run import Run

AT_ONCE_MS = 1.0  # too short a wait to notice
SHARE = 0.5  # of the time to safepoint: a thread that ran on for that long is the one that the others waited for
SLOW = 0.3  # of the longest of the compared waits
JDK = 17
SOON = 1 / 3  # of the usual time to safepoint
MANY = 15  # safepoints: a request finds the loop anywhere, so a median of few says little
TENTH = 1 / 33, 0.4  # of the usual time to safepoint; half the iterations would be half of it


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
    facts = f"The longest median is {longest['ttsp_ms']:.1f} ms, with {by} and {longest['gc']}."
    slow = who["ttsp_ms"] > max(SLOW * longest["ttsp_ms"], AT_ONCE_MS)
    c2 = ~who["flags"].str.contains("-Xint|TieredStopAtLevel=1")
    serial = who["gc"] == safepoint.NO_POLLS
    if c2.all() or serial.all() or not (c2.any() and serial.any()):  # the reader left out what is compared
        return nothing(facts)
    rules = {"c2-serial": c2 & serial, "c2": c2, "serial": serial, "interpreter": ~c2, "all": c2 | ~c2}
    return Finding(frozenset(key for key, rule in rules.items() if (slow == rule).all()), facts)


def _kept_poll(answer: Any) -> Judged:
    """Is the safepoint reached soon with this flag, with Serial as before?"""
    flag = exercises.flag(answer, 'one flag in quotes, such as "-XX:+PrintFlagsFinal"', gc="Serial")
    runs = [safepoint.stopping(JDK), safepoint.stopping(JDK, flag)]
    usual, now = (float(safepoint.collections(run)["ttsp_ms"].median()) for run in runs)
    does = f"With {flag} the median time to safepoint is {now:.1f} ms, and without it {usual:.1f}."
    return Judged(now < SOON * usual, does)


def _shorter(answer: Any) -> Judged:
    """Is the wait about a tenth of the usual one, if the counted loop has so many million iterations?"""
    millions = exercises.whole(answer, 1, 1000, "a number of million iterations")
    usual = float(safepoint.collections(safepoint.stopping(JDK))["ttsp_ms"].median())
    now = float(safepoint.collections(safepoint.stopping(JDK, stops=MANY, millions=millions))["ttsp_ms"].median())
    does = (
        f"With {millions} million iterations the median time to safepoint is {now:.1f} ms, with 100 it's {usual:.1f}."
    )
    return Judged(TENTH[0] * usual < now < TENTH[1] * usual, does)


def _unpolled(answer: Any) -> Judged:
    """Is this the number of loops without a poll in C2's code of byLong, with Serial?"""
    number = exercises.whole(answer, 0, 1000, "a number of loops")
    loops = polls.standard(polls.listing(JDK), "C2")
    polled = loops[loops["method"] == "Polls::byLong"]["polled"]
    does = f"C2's code of `byLong` has {len(polled)} loops, and you say that {number} of them have no poll."
    return Judged(number == int((~polled).sum()), does)


CLASSIFIERS = {"01-last": _last, "01-who": _who}
JUDGES = {"01-1": _kept_poll, "01-2": _shorter, "01-3": _unpolled}
