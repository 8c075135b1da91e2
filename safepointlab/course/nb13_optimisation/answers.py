"""Notebook 13: which outcome of a prediction a result shows, and whether an answer to an exercise is right.

The texts are in quiz.toml.
"""

import re
from pathlib import Path
from typing import Any

import pandas as pd

from safepointlab import jdks
from safepointlab.course import exercises
from safepointlab.course.exercises import Judged
from safepointlab.course.nb13_optimisation import experiments as optimisation
from safepointlab.course.predictions import Came, one
from safepointlab.errors import BadInput
from safepointlab.read.assembly import loop_work
from safepointlab.run import launch
from safepointlab.run.run import Run

TEMPLATES = Path(__file__).parent / "templates"


MANY, HARDLY = 2.0, 1.3  # times as long
NESTS, SHORT = 16, 26  # the JDKs that first made a nest of a long loop, and none of one that runs short


def _index(scores: pd.DataFrame) -> Came:
    best = scores[scores["jdk"] < SHORT].pivot_table(index="jdk", columns="method", values="best").sort_index()
    ratio = best["copyLong"] / best["copyInt"]
    facts = ", ".join(f"{times:.1f} times on {jdk}" for jdk, times in ratio.items())
    slow, alike = ratio >= MANY, ratio <= HARDLY
    first, last = ratio.index[0], ratio.index[-1]
    rules = {
        "never": alike.all(),
        "always": slow.all(),
        "cured": slow[first] and alike[last],
        "worse": alike[first] and slow[last],
    }
    return Came(frozenset([key for key, holds in rules.items() if holds][:1]), f"The copy took {facts} as long.")


def _missing(work: pd.DataFrame) -> Came:
    row = work[(work["jdk"] == 8) & (work["method"] == "sumInt")].iloc[0]
    rules = {
        "unrolling": row["work"] in ("vector", "unrolled"),
        "vectors": row["work"] == "vector",
        "stub": row["work"] == "stub",
        "checks": row["range_checks"] == 0,
    }
    facts = (
        f"On 8 the sum with an int index is {row['work']}, with {row['range_checks'] or 'no'} range checks in a pass."
    )
    return Came(frozenset(key for key, holds in rules.items() if holds), facts)


def _ladder(ladder: pd.DataFrame) -> Came:
    best = ladder[ladder["method"] == "copyInt"].set_index("step")["best"].reindex(list(optimisation.RUNGS))
    times = (best / best.shift()).dropna()
    if times.empty or times.max() < HARDLY:
        return Came(frozenset(), "No rung makes the copy much slower.")
    return one(str(times.idxmax()), ", ".join(f"{rung}: {factor:.1f} times" for rung, factor in times.items()) + ".")


def _nest(work: pd.DataFrame) -> Came:
    rows = work[work["jdk"].between(NESTS, SHORT - 1) & (work["method"] == "copyLong")]
    facts = "; ".join(f"on {row.jdk} it is {row.work}, with {row.range_checks} checks" for row in rows.itertuples())
    keys = {
        "unrolling": rows["work"].isin(["vector", "unrolled"]).all(),
        "vectors": (rows["work"] == "vector").all(),
        "checks": (rows["range_checks"] == 0).all(),
    }
    came = frozenset(key for key, holds in keys.items() if holds and len(rows))
    return Came(came, f"The copy with a long index: {facts or 'no JDK from 16 to 25 was run'}.")


def _both(code: pd.DataFrame) -> Came:
    bare = code[code["where"] != "no poll"]
    lost, inside = bare["work"] != "vector", bare["where"] == optimisation.IN_LOOP
    facts = f"{int(lost.sum())} of {len(bare)} loops with a poll have no vectors."
    if lost.all():
        return one("everywhere", facts)
    if not lost.any():
        return one("nowhere", facts)
    if (lost & ~inside).any():
        return Came(frozenset(), facts)
    jdks = bare[inside].set_index("jdk").sort_index()["work"] != "vector"
    if jdks.all():
        return one("inside", facts)
    return one("old", facts) if jdks.iloc[0] and jdks.is_monotonic_decreasing else Came(frozenset(), facts)


COLLECTOR = re.compile(r"-XX:[+-]Use\w*GC")
KEPT = r"// From here on it stays as it is.*"  # what the reader leaves as it is
SUM = f"sum {(999 * 1000 // 2 * 0x9E3779B9 + 2**31) % 2**32 - 2**31}"  # what the template prints
JDKS, DEADLINE_S = (21, 25), 30
MOST = 2**32


def _flag(answer: Any) -> Judged:
    """Has the copy on 17, with Serial and a poll in its counted loop, its vectors back, and the poll around them?"""
    flag = exercises.flag(answer, 'one flag of the JVM as text, such as "-XX:+PrintCompilation"')
    if COLLECTOR.fullmatch(flag):
        raise BadInput(f"{flag} chooses a collector, and the exercise has chosen one: Serial. Give another flag.")
    [row] = optimisation.work(optimisation.polled(17, flag)).to_dict("records")
    where = {"each pass": "in each pass", "around": "in a loop around it", "none": "nowhere"}[row["poll"]]
    works = {"vector": "on vectors", "unrolled": "unrolled, without vectors"}.get(row["work"], row["work"])
    does = f"With {flag} the main loop works {works}, and its poll is {where}."
    return Judged((row["work"], row["poll"]) == ("vector", "around"), does)


def _sum(answer: Any) -> Judged:
    """Does C2 add with vectors on 21 and 25, and is the sum the same?"""
    source = str(exercises.java_file(answer, TEMPLATES / "FastSum.java", KEPT))
    here = [jdk for jdk in JDKS if jdk in {jdk.major for jdk in jdks.find()}]
    if not here:
        raise BadInput("Neither JDK 21 nor 25 is installed here. Get one with: safepoint jdks install 25")
    for jdk in here:
        settings: dict[str, Any] = {"log": "assembly=FastSum.sum", "deadline": DEADLINE_S, "reuse": True}
        run = launch.java(source, jdk, "-Xbatch", gc=optimisation.GC, **settings)
        if complaint := _no_vectors(run):
            return Judged(False, f"On JDK {jdk} {complaint}")
    return Judged(True, f"The sum is the same, on vectors on JDK {' and '.join(map(str, here))}.")


def _no_vectors(run: Run) -> str:
    """What is wrong with the edited sum in this run; "" if its main loop works on vectors."""
    if SUM not in run.output.splitlines():
        return "the sum is another one than before."
    rows = loop_work.standard(run.assembly)["work"]
    if rows.empty:
        return "no machine code of sum() was logged."
    return "" if rows.iloc[0] == "vector" else f"the main loop has no vectors: it is `{rows.iloc[0]}`."


def _longest(answer: Any) -> Judged:
    """Is this how many iterations the inner loop of copyLong may take on 25?"""
    number = exercises.whole(answer, 1, MOST, "a number of iterations")
    here = optimisation.limits(optimisation.scores("copyLong", 25), 25, "copyLong")
    if not here:
        return Judged(False, "In this run's code there is no such limit: run the page again.")
    return Judged(number in here, f"You say {number:,} iterations.")


CLASSIFIERS = {
    "13-index": _index,
    "13-missing": _missing,
    "13-nest": _nest,
    "13-both": _both,
    "13-ladder": _ladder,
}
JUDGES = {
    "13-1": _flag,
    "13-2": _sum,
    "13-3": _longest,
}
