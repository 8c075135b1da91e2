"""Notebook 15: which outcome of a prediction a result shows, and whether an answer to an exercise is right."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from safepointlab.course import exercises, lessons
from safepointlab.course.exercises import Judged
from safepointlab.course.nb15_faster import experiments as faster
from safepointlab.course.predictions import Finding, nothing, one
from safepointlab.errors import BadInput
from safepointlab.process.machine import cores
from safepointlab.run import launch
from safepointlab.run.run import Run

TWICE = 2.0  # what the page calls a difference: requests of one JDK differ by tens of percent
POSTS = 5.0  # "11.6x" and "7.4x" in the post: many times
LARGE = 1 / 5  # of the caller's wait: a part that takes so much of it
CERTAIN = 1.2  # averages of several JVMs that are closer than this count as equal
PARTS = {"ttsp_ms": "reaching", "operation_ms": "operation", "leaving_ms": "leaving", "handshakes_ms": "handshakes"}


def _crowd(calls: pd.DataFrame) -> Finding:
    """How the requests of ZGC with the most threads compare with those on JDK 11."""
    most = calls[calls["threads"] == calls["threads"].max()]
    times = faster.times_before(most)
    if times.empty:
        medians = most.dropna(subset="gc_ms").groupby("jdk")["gc_ms"].median()
        measured = "; ".join(f"{ms:,.0f} ms on JDK {jdk}" for jdk, ms in medians.items())
        return nothing(f"{measured}. To compare, it takes JDK 11 and a later one.")
    facts = f"With the most threads, the median request takes {_span(times, 'times as long as on JDK 11')}."
    if set(times.index.get_level_values("gc")) != {"Z"}:
        return nothing(f"{facts} The question is about ZGC.")
    keys = {"longer": times > TWICE, "sooner": times < 1 / TWICE, "same": times.between(1 / TWICE, TWICE)}
    key = next((name for name, rule in keys.items() if rule.all()), "")
    return one(key, facts) if key else nothing(facts)


def _span(values: "pd.Series[float]", unit: str) -> str:
    """ "0.9 to 6.2 times as long as on JDK 11"."""
    least, most = f"{values.min():.1f}", f"{values.max():.1f}"
    return f"{least} {unit}" if least == most else f"{least} to {most} {unit}"


def _bill(crowd: pd.DataFrame) -> Finding:
    """The large parts of a request on the newest JDK, if all of its bars agree."""
    bill = faster.bill(crowd)
    if bill.empty:
        raise BadInput("no request was measured")
    newest = bill[bill["jdk"] == bill["jdk"].max()]
    keys: set[frozenset[str]] = set()
    facts = []
    for bar, rows in newest.groupby("bar", sort=False):
        medians = rows[[*PARTS, "gc_ms"]].astype("float64").median()
        parts = medians[list(PARTS)].rename(PARTS).fillna(0.0)
        parts["rest"] = medians["gc_ms"] - parts.sum()
        keys.add(frozenset(str(name) for name, ms in parts.items() if ms >= LARGE * medians["gc_ms"]))
        said = ", ".join(f"{name if name != 'rest' else 'not in the log'} {ms:,.0f} ms" for name, ms in parts.items())
        facts.append(f"Of {medians['gc_ms']:,.0f} ms on {str(bar).replace(chr(10), ', ')}: {said}.")
    return Finding(keys.pop() if len(keys) == 1 else frozenset(), " ".join(facts))


def _reach(scores: pd.DataFrame) -> Finding:
    averages = faster.averages(scores)
    before, since = faster.before_and_since(averages)
    times = (before.droplevel("jdk").reindex(since.index, level="of") / since).dropna()
    if times.empty:
        rows = pd.concat([before, since]).rename("ms").reset_index().to_dict("records")
        said = "; ".join(f"{row['of']} {row['ms']:.2g} ms on JDK {row['jdk']}" for row in rows)
        return nothing(f"{said}. To compare, it takes JDK 11 and a later one.")
    facts = f"On JDK 11 the average is {_span(times, 'times that of a later JDK')}."
    if (times >= POSTS).all():
        return one("posts", facts)
    falls = times > CERTAIN
    return one("less" if falls.all() else "some" if falls.any() else "not", facts)


GC = "Shenandoah"
SOONER, WORK = 0.5, 0.6  # of the usual request, and of the usual scans per second
KEPT = r"    // The work\..*"  # what the reader leaves as it is
NEAR = 1.0  # safepoints of a request: one more may fall into the log
ASKED = (21, 25)


def _flag(answer: Any) -> Judged:
    """Is the crowd's request answered with a collection, in less than half of the time, by this collector and flag?"""
    flag = exercises.flag(answer, 'one flag of the JVM as text, such as "-XX:+PrintCompilation"', GC)
    usual, changed = (faster.scan(25, faster.MANY * cores(), GC, flags) for flags in ("", flag))
    ms, usual_ms, stops = _request_ms(changed), _request_ms(usual), faster.stops_each(changed)
    if stops < 1:
        none = f"With {flag} there is no collection: the collector requested no safepoint."
        return Judged(False, none, by_time=False)
    many = f"{stops:g} safepoint{'s' * (stops != 1)}"
    does = f"With {flag} a request takes {ms:,.0f} ms instead of {usual_ms:,.0f}, and has {many}."
    return Judged(ms < SOONER * usual_ms, does)


def _request_ms(run: Run) -> float:
    return float(run.values.get("gc_ms", "nan"))


def _thinned(answer: Any) -> Judged:
    """Do all threads still scan, about as much as before, and is the request answered sooner?"""
    exercise, jdk = lessons.exercise("15-2"), exercises.newest_jdk()
    sources = [str(exercise.template), str(exercises.java_file(answer, exercise, KEPT))]
    usual, edited = (launch.java(source, jdk, gc=GC, deadline=60, reuse=True) for source in sources)
    if edited.outcome != "exited" or "gc_ms" not in edited.values:
        return Judged(False, f"On JDK {jdk} the program doesn't finish.")
    threads, wanted = float(edited.values.get("threads", 0)), float(usual.values["threads"])
    if threads < wanted:
        return Judged(False, f"On JDK {jdk} {threads:g} of {wanted:g} threads have scanned.")
    share = float(edited.values.get("scans_per_s", 0)) / float(usual.values["scans_per_s"])
    if share < WORK:
        return Judged(False, f"On JDK {jdk} the threads scan {share:.0%} of what they did; it has to be {WORK:.0%}.")
    ms, before_ms = _request_ms(edited), _request_ms(usual)
    does = f"On JDK {jdk} a request takes {ms:,.0f} ms, and {before_ms:,.0f} ms before you edited the file."
    return Judged(ms < SOONER * before_ms, does)


def _counted(answer: Any) -> Judged:
    """Are these the safepoints of one request with ZGC, on JDK 21 and JDK 25?"""
    if not isinstance(answer, Mapping) or set(answer) != set(ASKED):
        raise BadInput(f"This is {exercises.kind(answer)}. Give {lessons.exercise('15-3').answer}.")
    said = {jdk: exercises.whole(answer[jdk], 0, 1000, "the number of safepoints") for jdk in ASKED}
    true = {jdk: faster.stops_each(faster.scan(jdk, faster.MANY * cores(), "Z")) for jdk in ASKED}
    near = [abs(said[jdk] - true[jdk]) <= NEAR for jdk in ASKED] + [said[21] < said[25]]
    return Judged(all(near), f"You say {said[21]} on JDK 21 and {said[25]} on JDK 25.")


CLASSIFIERS = {"15-crowd": _crowd, "15-bill": _bill, "15-reach": _reach}
JUDGES = {"15-1": _flag, "15-2": _thinned, "15-3": _counted}
