"""Notebook 06: which outcome of a prediction a result shows, and whether an answer to an exercise is right."""

from typing import Any

import pandas as pd

from safepointlab import jdks
from safepointlab.course import exercises, lessons
from safepointlab.course.exercises import Judged
from safepointlab.course.nb06_biased import experiments as biased
from safepointlab.course.nb06_biased.experiments import LATE_MS
from safepointlab.course.predictions import Finding, nothing, one
from safepointlab.errors import BadInput
from safepointlab.phrases import listed
from safepointlab.run import launch
from safepointlab.run.run import Run

PROMPT_MS = 3.0  # a sleep of 1 ms that ends later than this is late by a scheduler's measure
LIKE = (0.7, 1.3)  # a delay and a stop of such a ratio are one event


def _sleep(run: Run) -> Finding:
    sleeps = run.csv(biased.SLEEPS)
    late = sleeps["overslept_ms"]
    facts = (
        f"The worst of {len(late):,} sleeps overran by {late.max():,.1f} ms, the median one by {late.median():.2f} ms."
    )
    if late.max() > LATE_MS:
        if _stops_alike(run, *_worst(sleeps)).empty:  # then it was not the JVM that held the thread
            return nothing(f"{facts} The JVM's log has no pause of that length at that moment.")
        return one("once" if int((late > LATE_MS).sum()) == 1 else "often", facts)
    return one("noise" if late.max() > PROMPT_MS else "prompt", facts)


def _suspect(run: Run) -> Finding:
    begin, length = _worst(run.csv(biased.SLEEPS))
    when = f"The longest delay, {length:,.0f} ms, begins at {begin:.2f} s."
    if run.gc["uptime_s"].between(begin - 0.05, begin + length / 1000 + 0.05).any():
        return one("gc", f"{when} A collection was logged then.")
    if len(same := _stops_alike(run, begin, length)):
        return one(
            "stop", f"{when} A safepoint for {same.iloc[0]['operation']} took {same.iloc[0]['total_ms']:,.0f} ms."
        )
    own = run.compilations[run.compilations["method"].eq("ByteSummer::sum")]
    compiled = (own["uptime_ms"] / 1000).between(begin - 0.01, begin + length / 1000).any()
    return one("compiler" if compiled else "nothing", f"{when} No pause of that length was logged.")


def _worst(sleeps: pd.DataFrame) -> tuple[float, float]:
    """When the latest sleep began, in s, and how late it ended, in ms."""
    worst = sleeps.nlargest(1, "overslept_ms").iloc[0]
    return float(worst["begin_s"]), float(worst["overslept_ms"])


def _stops_alike(run: Run, begin: float, length: float) -> pd.DataFrame:
    """The stops of about that length near that moment."""
    stops = biased.stops(run)
    near = stops[(stops["begin_s"] - begin).abs() < 0.1 + length / 1000]
    return near[(near["total_ms"] / length).between(*LIKE)]


def _ways(ways: pd.DataFrame) -> Finding:
    outcomes = lessons.prediction("06-ways").outcomes
    waits = biased.reached_ms(ways).groupby(ways["flags"].str.replace("-XX:", "")).max().dropna()
    if missing := set(outcomes) - set(waits.index):
        raise BadInput(f"there is no run with {listed(sorted(missing))}")
    if waits.get("", LATE_MS) < LATE_MS:
        raise BadInput("without these flags the JVM doesn't wait for the loop, so there is nothing to cure")
    helping = frozenset(name for name in outcomes if waits[name] < LATE_MS)
    without = f"; without a flag the longest time to safepoint is {waits['']:,.0f} ms" if "" in waits else ""
    return Finding(helping, f"{len(helping)} of {len(outcomes)} flags help{without}.")


def _later(later: pd.DataFrame) -> Finding:
    refused = later["outcome"] == "not possible"
    tried = later[refused | (later["outcome"] == "exited")]
    refused, stalled = refused[tried.index], biased.reached_ms(tried, switch=True) > LATE_MS
    old = tried["flags"].str.contains(biased.ON, regex=False)
    groups = {f"with {biased.ON}": stalled & old, "without it": stalled & ~old}
    where = [
        f"{words} on JDK {listed(sorted(set(tried['jdk'][rows])))}" for words, rows in groups.items() if rows.any()
    ]
    facts = f"The switch waits for {LATE_MS:.0f} ms or longer {' and '.join(where) or 'in no run'}."
    if not old.any() or old.all():
        return nothing(facts)
    if not stalled.any():
        return one("nowhere", facts) if not refused.any() else nothing(facts)
    if (stalled == old).all():
        return one("flags", facts)
    if (stalled == (old & ~refused)).all():
        return one("known", facts)
    return one("everywhere", facts) if (stalled | refused).all() else nothing(facts)


WAITS_MS = 50.0  # a switch that is reached later than that waited for the loop; the long call takes 400 ms and more
SWITCH_MS = 1000  # in the template's long call
KEPT = r"public static void main.*"  # what the reader leaves as it is
ONE_FLAG = 'one flag of the JVM as text, such as "-XX:+PrintCompilation"'


def _flag(answer: Any) -> Judged:
    """Does the switch wait for the long call, on 8 with this flag?"""
    flag = exercises.word(answer, ONE_FLAG)
    run = biased.brief(8, flag)
    waited = biased.switch_ms(run, "ttsp_ms")
    if biased.switches(run).empty:
        return Judged(False, f"With {flag} biased locking is not switched on in this run.")
    when = biased.switches(run)["begin_s"].max()
    does = f"With {flag} the switch is requested at {when:.2f} s, and the safepoint reached {waited:,.1f} ms later."
    return Judged(waited > WAITS_MS, does)


def _polled(answer: Any) -> Judged:
    """Does the edited sum() let the switch in, on JDK 8 and JDK 17, and return the same sum?"""
    source = str(exercises.java_file(answer, lessons.exercise("06-2"), KEPT))
    flags = f"{biased.NOBODY_ELSE} {biased.switched_on(SWITCH_MS)}"
    for jdk in sorted({8, newest_with_bias()}):
        run = launch.java(source, jdk, flags, gc=biased.GC, log="safepoint", deadline=15, reuse=True)
        values, waited = run.values, biased.switch_ms(run, "ttsp_ms")
        if run.outcome != "exited" or "right" not in values:
            does = "doesn't end" if run.overdue else "doesn't get to its end"
            return Judged(False, f"On JDK {jdk} it {does}.")
        if values["right"] != 1:
            return Judged(False, f"On JDK {jdk} the sum isn't what it was.")
        if biased.switches(run).empty or not float(values["begins_ms"]) < SWITCH_MS < float(values["ends_ms"]):
            over = "the long call was over when the switch came, or had not begun: it has to last until 1.0 s."
            return Judged(False, f"On JDK {jdk} {over}")
        if waited > WAITS_MS:
            return Judged(False, f"On JDK {jdk} the switch waits for {waited:,.0f} ms.")
    return Judged(True, "On each JDK tried, the switch hardly has to wait, and the sum is right.")


def newest_with_bias() -> int:
    """The newest JDK here that has biased locks.

    Raises:
        BadInput: there is none.
    """
    having = [jdk.major for jdk in jdks.find() if jdk.major < biased.REMOVED]
    if not having:
        raise BadInput("This needs JDK 17 or older: newer JDKs have no biased locks.")
    return max(having)


def _without_poll(answer: Any) -> Judged:
    """Does the switch wait for the long call with G1, on the newest JDK that has one, with this flag?"""
    flag = exercises.flag(answer, ONE_FLAG, gc="G1")
    run = biased.brief(newest_with_bias(), f"{biased.switched_on(biased.BRIEF_DELAY_MS)} {flag}", gc="G1")
    waited = biased.switch_ms(run, "ttsp_ms")
    return Judged(waited > WAITS_MS, f"With G1 and {flag} the switch is reached after {waited:,.1f} ms.")


CLASSIFIERS = {"06-sleep": _sleep, "06-suspect": _suspect, "06-ways": _ways, "06-later": _later}
JUDGES = {"06-1": _flag, "06-2": _polled, "06-3": _without_poll}
