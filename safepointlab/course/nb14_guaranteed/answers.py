"""Notebook 14: which outcome of a prediction a result shows, and whether an answer to an exercise is right."""

from typing import Any

import pandas as pd

from safepointlab.course import exercises, lessons
from safepointlab.course.exercises import Judged
from safepointlab.course.nb14_guaranteed import experiments as guaranteed
from safepointlab.course.predictions import Finding, nothing, one
from safepointlab.errors import BadInput
from safepointlab.logs.safepoint import PERIODIC
from safepointlab.run.load import load

OFTEN = 0.6  # stops per second: one every second, except at the start and the exit
WITHOUT_WORK, OWN_THREAD = 23, 15  # the JDKs of JDK-8322630 and of JDK-8153224


def _once(sweep: pd.DataFrame) -> Finding:
    known = sweep[sweep["run"].fillna("") != ""]
    runs = [load(name) for name in known["run"]]
    if collections := sum(len(run.gc) for run in runs):
        return one("gc", f"There were {collections} collections.")
    given = [guaranteed.arguments(args) for args in known["args"]]
    once = pd.DataFrame({"case": guaranteed.cases(known), "jdk": known["jdk"]})
    once["stops"] = [len(guaranteed.stops(run)) for run in runs]
    often = once["stops"] >= [OFTEN * each.get("seconds", 5) for each in given]
    changing = pd.Series([each.get("sites") != 0 for each in given], index=once.index)
    counts = []
    for case, some in once.groupby("case", sort=False):
        counts.append(f"{case}: " + ", ".join(f"{row['stops']} on JDK {row['jdk']}" for row in some.to_dict("records")))
    facts = f"Guaranteed safepoints with {'; '.join(counts)}."
    if changing.nunique() < 2:  # the reader chose others: there is no outcome to compare, but there are facts
        return nothing(facts)
    rules = {
        "never": ~changing & changing,
        "clock": changing | ~changing,
        "change": changing,
        "old": changing & (once["jdk"] < WITHOUT_WORK),
    }
    keys = [key for key, rule in rules.items() if (often == rule).all()]  # without a new JDK two rules are one
    return Finding(frozenset(keys[:1]), facts)


def _phase(sweep: pd.DataFrame) -> Finding:
    places = guaranteed.places(sweep)
    if places.empty or places.isna().any(axis=None):
        return nothing("In one of the runs a stop or the collection is missing.")
    steady = (places["spread_ms"] < guaranteed.NEAR_MS).all()
    stayed = guaranteed.apart_ms(places["after_ms"] - places["before_ms"]) < guaranteed.NEAR_MS
    followed = guaranteed.apart_ms(places["after_ms"] - places["request_ms"]) < guaranteed.NEAR_MS
    shift = ", ".join(f"{row['before_ms']:.0f} and {row['after_ms']:.0f} ({name})" for name, row in places.iterrows())
    facts = f"Milliseconds past the full second, before and after the collection: {shift}."
    if not steady:
        return one("spread", facts)
    if stayed.all():
        return one("skipped" if places["skipped"].any() else "none", facts)
    return one("after", facts) if followed.all() else nothing(facts)


def _grown(sweep: pd.DataFrame) -> Finding:
    mib = guaranteed.growth_mib(sweep)
    if len(mib.columns) < 2:
        return nothing("There are no runs with an interval of 0, or none with another.")
    mib = mib.dropna()
    more, jdk = guaranteed.grows_more(mib), mib.index
    rules = {
        "none": jdk < 0,
        "old": jdk < OWN_THREAD,
        "all": jdk < WITHOUT_WORK,
        "new": (jdk >= OWN_THREAD) & (jdk < WITHOUT_WORK),
    }
    keys = [key for key, rule in rules.items() if (more == rule).all() and len(mib)]
    rows = (f"JDK {jdk}: {row[False]:.0f} and {row[True]:.0f}" for jdk, row in mib.iterrows())
    return Finding(frozenset(keys[:1]), f"Growth in MiB, with the stops forbidden and allowed: {', '.join(rows)}.")


EVERY_MS = 200  # the interval of the first two exercises
ENOUGH = 5  # stops in two seconds at that interval
NEW, BOTH = 25, (8, 17)
KEPT = r"// A call site.*"  # what the reader leaves as it is
MOVED_S = (3.9, 4.4)  # when the stops of JDK 8 move


def _flag(answer: Any) -> Judged:
    """Does JDK 25 make stops regularly with this one flag, although nothing is left to tidy up?"""
    flag = exercises.flag(answer, lessons.exercise("14-1").answer)
    if guaranteed.FLAG in flag:
        raise BadInput(f"The interval is set to {EVERY_MS} ms by the exercise. Give the other flag.")
    interval, jdk = guaranteed.interval(EVERY_MS), min(NEW, exercises.newest_jdk())
    run = guaranteed.once_a_second(jdk, f"{interval} {flag}", "2 0")
    stops = len(guaranteed.stops(run))
    return Judged(stops >= ENOUGH, f"With {flag} there are {stops} such stops in two seconds.")


def _untidy(answer: Any) -> Judged:
    """Is the reader's program stopped every 200 ms, on JDK 8 and JDK 17, without requesting it?"""
    source = str(exercises.java_file(answer, lessons.exercise("14-2"), KEPT))
    interval = guaranteed.interval(EVERY_MS)
    runs = {jdk: guaranteed.once_a_second(jdk, interval, "", source).demand_success() for jdk in BOTH}
    counts = {jdk: len(guaranteed.stops(run)) for jdk, run in runs.items()}
    said = " and ".join(f"{stops} {'time' if stops == 1 else 'times'} on JDK {jdk}" for jdk, stops in counts.items())
    return Judged(min(counts.values()) >= ENOUGH, f"The VM thread stopped it by itself {said}.")


def _operation(answer: Any) -> Judged:
    """Is this the operation that the log of JDK 8 has where its stops move?"""
    if not isinstance(answer, str) or not answer.strip():
        raise BadInput(f"This is {exercises.kind(answer)}. Give {lessons.exercise('14-3').answer}.")
    logged = guaranteed.once_a_second(8).safepoints
    near = logged[logged["begin_s"].between(*MOVED_S) & ~logged["operation"].isin(PERIODIC)]
    named = answer.strip().casefold() in set(near["operation"].str.casefold())
    return Judged(named, f"You say {answer.strip()[:60]}.")


CLASSIFIERS = {"14-once": _once, "14-phase": _phase, "14-grown": _grown}
JUDGES = {"14-1": _flag, "14-2": _untidy, "14-3": _operation}
