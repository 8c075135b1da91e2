"""Notebook 21: which outcome of a prediction a result shows, and whether an answer to an exercise is right.

The texts are in quiz.toml.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from safepointlab.course import exercises, lessons
from safepointlab.course.exercises import Judged
from safepointlab.course.nb21_calltrace import counts as calltrace_counts
from safepointlab.course.nb21_calltrace import experiments as calltrace
from safepointlab.course.predictions import Came, one

TEMPLATES = Path(__file__).parent / "templates"


if TYPE_CHECKING:
    from collections.abc import Mapping

    from pandas import DataFrame, Series

    from safepointlab.run.run import Run

MOST, FEW = 0.5, 0.1  # of all samples
THIRD = 1 / 3  # as many samples as of the control: fewer are no accident


def _copy(run: "Run") -> Came:
    lost, without = calltrace.share(run, "unknown_Java", "lost"), calltrace.share(run, "no_Java_frame", "lost")
    key = "most" if lost > MOST else "few" if lost < FEW else "some"
    beside = f" Another {without:.0%} are `[no_Java_frame]`, mostly of threads that run no Java." if without else ""
    return one(key, f"{lost:.0%} of {run.stacks['count'].sum():,} samples are `[unknown_Java]`, that is, lost.{beside}")


def _stubs(table: "DataFrame") -> Came:
    keys = frozenset(work for work in lessons.prediction("21-stubs").outcomes if (table[work] > MOST).all())
    lost = {work: _on(table[work] > MOST) for work in lessons.prediction("21-stubs").outcomes}
    return Came(keys, f"Most samples are lost: {'; '.join(f'{work} {jdks}' for work, jdks in lost.items())}.")


def _on(mostly: "Series[bool]") -> str:
    """On which JDKs that is so."""
    if mostly.all() or not mostly.any():
        return "on each JDK" if mostly.all() else "on no JDK"
    return f"on {', '.join(map(str, mostly.index[mostly]))}"


def _vm(busy: "Mapping[str, Run]") -> Came:
    parts = {what: calltrace_counts.mains(busy[what]) for what in lessons.prediction("21-vm").outcomes}
    facts = ", ".join(f"{what} {100 * part:.0f} %" for what, part in parts.items())
    keys = frozenset(what for what, part in parts.items() if part > MOST)
    return Came(keys, f"`main`'s part of the `no_Java_frame` samples: {facts}.")


def _jfr(counts: "DataFrame") -> Came:
    by_jdk = {jdk: counts.loc[[jdk]].droplevel("jdk") for jdk in (17, 25)}
    facts = "; ".join(_told(jdk, rows) for jdk, rows in by_jdk.items())
    keys = {
        ("named", "named"): "all",
        ("none", "named"): "counted",
        ("none", "other"): "caller",
        ("none", "none"): "missing",
    }
    key = keys.get((_seen(by_jdk[17]), _seen(by_jdk[25])))
    return Came(frozenset([key] if key else []), f"{facts}.")


def _told(jdk: int, rows: "DataFrame") -> str:
    samples, named = rows["samples"].to_dict(), rows["named"].to_dict()
    return f"JDK {jdk}: {samples['loop']} samples of the loop, {samples['copy']} of the copy, {named['copy']} in `copy`"


def _seen(rows: "DataFrame") -> str:
    """Of one JDK: "none" (hardly any sample of the copy), "named" (most of them in copy) or "other"."""
    copy, loop = rows.loc["copy"], rows.loc["loop"]
    if copy["samples"] < loop["samples"] * THIRD:
        return "none"
    return "named" if copy["named"] > copy["samples"] * MOST else "other"


def _skid(run: "Run") -> Came:
    loop = calltrace.share(run, r"Neighbours\.street")
    if not loop > 0:
        return Came(frozenset(), "No sample is of the loop.")
    parts = {name: calltrace.share(run, rf"street;Neighbours\.{name}$") / loop for name in ("guilty", "innocent")}
    parts["street"] = calltrace.share(run, r"Neighbours\.street$") / loop
    first = max(parts, key=lambda name: parts[name])
    facts = ", ".join(f"`{name}` {part:.0%}" for name, part in parts.items())
    return one(first if parts[first] > MOST else "shared", f"Of the loop's samples: {facts}.")


JDK, NEW, BOTH = 17, 25, (8, 17)
SEEN, HIDDEN = 0.5, 0.2  # of the samples
KEPT = r"// Calls copy\(\).*"  # what the reader leaves as it is


def _flag(answer: Any) -> Judged:
    """Does AsyncGetCallTrace see CRC32's method on 17 with this flag?"""
    flag = exercises.flag(answer, lessons.exercise("21-1").answer)
    seen = calltrace.share(calltrace.stub("crc32", JDK, flags=flag), r"CRC32\.updateBytes", thread=calltrace.MAIN)
    return Judged(seen > SEEN, f"With {flag} {seen:.0%} of the samples name a method of CRC32.")


def _visible(answer: Any) -> Judged:
    """Does the reader's program copy as it should, and keep its samples, on 8 and on 17?"""
    source = str(exercises.java_file(answer, TEMPLATES / "VisibleCopy.java", KEPT))
    for jdk in BOTH:
        run = calltrace.own(source, jdk).demand_success()
        if "same=true" not in run.output:
            return Judged(False, f"On JDK {jdk} the copy differs from the original.")
        lost = calltrace.share(run, "^unknown_Java$", "lost", calltrace.MAIN)
        seen = calltrace.share(run, r"\.copy(?:;|$)", thread=calltrace.MAIN)
        if not (lost < HIDDEN and seen > SEEN):
            return Judged(False, f"On JDK {jdk} {lost:.0%} of the samples are lost, and {seen:.0%} show copy().")
    return Judged(True, "Most samples show copy() on 8 and on 17.")


def _line(answer: Any) -> Judged:
    """Is this the line of StubTime at which most of JFR's samples of the copy are, on 25?"""
    number = exercises.whole(answer, 1, 1_000, "a line of StubTime.java")
    samples = calltrace.by_jfr("copy", NEW).jfr("ExecutionSample")
    lines = samples[samples["method"].str.startswith("StubTime::").fillna(False)].groupby("line").size()
    if lines.empty:
        return Judged(False, "JFR took no sample of this program here, on a machine this busy.")
    return Judged(
        bool(lines.get(number, 0) == lines.max()), f"At line {number} there are {lines.get(number, 0)} samples."
    )


CLASSIFIERS = {
    "21-copy": _copy,
    "21-stubs": _stubs,
    "21-vm": _vm,
    "21-jfr": _jfr,
    "21-skid": _skid,
}
JUDGES = {
    "21-1": _flag,
    "21-2": _visible,
    "21-3": _line,
}
