"""Notebook 21: which outcome of a prediction a result shows, and whether an answer to an exercise is right."""

from typing import Any

import pandas as pd

from safepointlab.course import exercises, lessons
from safepointlab.course.exercises import Judged
from safepointlab.course.nb21_calltrace import experiments
from safepointlab.course.nb21_calltrace.experiments import MOST
from safepointlab.course.predictions import Finding, nothing, one
from safepointlab.errors import BadInput
from safepointlab.phrases import listed
from safepointlab.run.run import Run

FEW = 0.1  # of all samples
THIRD = 1 / 3  # as many samples as of the control: fewer are no accident


def _copy(run: Run) -> Finding:
    lost, without = experiments.share(run, "unknown_Java", "lost"), experiments.share(run, "no_Java_frame", "lost")
    key = "most" if lost > MOST else "few" if lost < FEW else "some"
    others = f" Another {without:.0%} are `[no_Java_frame]`, mostly from threads that run no Java." if without else ""
    facts = f"{lost:.0%} of {run.stacks['count'].sum():,} samples are `[unknown_Java]`, that is, lost.{others}"
    asked = run.request.args[:1] == ("copy",) and any(experiments.AGCT in log.argument for log in run.request.log)
    return one(key, facts) if asked else nothing(facts)


def _stubs(*results: Any) -> Finding:
    table, offered = experiments.lost_by_work(*results), lessons.prediction("21-stubs").outcomes
    if missing := [work for work in offered if work not in table]:
        raise BadInput(f"no run of {listed(missing)}")
    keys = frozenset(work for work in offered if (table[work] > MOST).all())
    return Finding(keys, f"{experiments.where_lost(table)}.")


def _jfr(*results: Any) -> Finding:
    counts = experiments.caught(*results)
    jdks = dict.fromkeys(int(jdk) for jdk in counts.index.get_level_values("jdk"))
    by_jdk = {jdk: counts.loc[[jdk]].droplevel("jdk") for jdk in jdks}
    whole = {jdk: rows for jdk, rows in by_jdk.items() if {"loop", "copy"} <= set(rows.index)}
    if not whole:
        raise BadInput("no JDK with a run of the loop and one of the copy")
    told = []
    for jdk, rows in whole.items():
        samples, named = rows["samples"].to_dict(), rows["named"].to_dict()
        of_copy = f"{samples['copy']} of the copy, {named['copy']} in `copy`"
        told.append(f"JDK {jdk}: {samples['loop']} samples of the loop, {of_copy}")
    facts = f"{'; '.join(told)}."
    if set(whole) != {17, 25}:  # the reader chose other JDKs
        return nothing(facts)
    keys = {
        ("named", "named"): "all",
        ("none", "named"): "counted",
        ("none", "other"): "caller",
        ("none", "none"): "missing",
    }
    key = keys.get((_seen(whole[17]), _seen(whole[25])))
    return Finding(frozenset([key] if key else []), facts)


def _seen(rows: pd.DataFrame) -> str:
    """Of one JDK: "none" (hardly any sample of the copy), "named" (most of them in copy) or "other"."""
    copy, loop = rows.loc["copy"], rows.loc["loop"]
    if copy["samples"] < loop["samples"] * THIRD:
        return "none"
    return "named" if copy["named"] > copy["samples"] * MOST else "other"


def _skid(run: Run) -> Finding:
    loop = experiments.share(run, r"Neighbours\.street")
    if not loop > 0:
        return nothing("No sample was taken in the loop.")
    parts = {name: experiments.share(run, rf"street;Neighbours\.{name}$") / loop for name in ("guilty", "innocent")}
    parts["street"] = experiments.share(run, r"Neighbours\.street$") / loop
    first = max(parts, key=lambda name: parts[name])
    facts = ", ".join(f"`{name}` {part:.0%}" for name, part in parts.items())
    return one(first if parts[first] > MOST else "shared", f"Of the loop's samples: {facts}.")


JDK, NEW, BOTH = 17, 25, (8, 17)
SEEN, HIDDEN = 0.5, 0.2  # of the samples
KEPT = r"// Calls copy\(\).*"  # what the reader leaves as it is


def _flag(answer: Any) -> Judged:
    """Does AsyncGetCallTrace see CRC32's method on JDK 17 with this flag?"""
    flag = exercises.flag(answer, lessons.exercise("21-1").answer)
    seen = experiments.share(experiments.stub("crc32", JDK, flags=flag), r"CRC32\.updateBytes", thread=experiments.MAIN)
    return Judged(seen > SEEN, f"With {flag}, {seen:.0%} of the samples name a method of CRC32.")


def _visible(answer: Any) -> Judged:
    """Does the reader's program copy as it should, and keep its samples, on JDK 8 and JDK 17?"""
    source = str(exercises.java_file(answer, lessons.exercise("21-2"), KEPT))
    for jdk in BOTH:
        run = experiments.run_profiled(source, jdk, f"{experiments.MS}").demand_success()
        if "same=true" not in run.output:
            return Judged(False, f"On JDK {jdk}, the copy differs from the original.")
        lost = experiments.share(run, "^unknown_Java$", "lost", experiments.MAIN)
        seen = experiments.share(run, r"\.copy(?:;|$)", thread=experiments.MAIN)
        if not (lost < HIDDEN and seen > SEEN):
            return Judged(False, f"On JDK {jdk}, {lost:.0%} of the samples are lost, and {seen:.0%} show copy().")
    return Judged(True, "Most samples show copy() on JDK 8 and JDK 17.")


def _line(answer: Any) -> Judged:
    """Is this the line of StubTime at which most of JFR's samples of the copy are, on JDK 25?"""
    number = exercises.whole(answer, 1, 1_000, "a line of StubTime.java")
    samples = experiments.by_jfr("copy 800", NEW)
    lines = samples[samples["method"].str.startswith("StubTime::").fillna(False)].groupby("line").size()
    if lines.empty:
        return Judged(False, "JFR took no sample of this program. The machine is probably too busy.")
    return Judged(bool(lines.get(number, 0) == lines.max()), f"Line {number} has {lines.get(number, 0)} samples.")


CLASSIFIERS = {"21-copy": _copy, "21-stubs": _stubs, "21-jfr": _jfr, "21-skid": _skid}
JUDGES = {"21-1": _flag, "21-2": _visible, "21-3": _line}
