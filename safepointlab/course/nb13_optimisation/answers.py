"""Notebook 13: which outcome of a prediction a result shows, and whether an answer to an exercise is right.

The texts are in quiz.toml.
"""

import itertools
import re
from pathlib import Path
from typing import Any

import pandas as pd

from safepointlab import jdks
from safepointlab.course import exercises
from safepointlab.course.exercises import Judged
from safepointlab.course.nb13_optimisation import experiments as optimisation
from safepointlab.course.predictions import Finding, nothing, one
from safepointlab.errors import BadInput
from safepointlab.logs.assembly import loop_work
from safepointlab.phrases import listed
from safepointlab.run import launch
from safepointlab.run.load import load
from safepointlab.run.run import Run

TEMPLATES = Path(__file__).parent / "templates"
MANY, HARDLY = 2.0, 1.3  # times as long
NESTS, SHORT = 16, 26  # the JDKs that first made a nest of a long loop, and none of one that runs short
ADDED = {  # the flag that a step of the ladder adds -> the outcome of its name
    "-XX:-OptimizeFill": "− fill routine",
    "-XX:-UseSuperWord": "− vectors",
    "-XX:LoopUnrollLimit=0": "− unrolling",
    "-XX:-UseLoopPredicate -XX:-RangeCheckElimination": "+ checks",
    optimisation.POLLS: "+ poll",
}


def _index(scores: pd.DataFrame) -> Finding:
    if several := _several(scores):
        return several
    best = scores[scores["jdk"] < SHORT].pivot_table(index="jdk", columns="method", values="best", aggfunc="min")
    if not {"copyInt", "copyLong"} <= set(best):
        return nothing("There are no times of both copies.")
    ratio = (best["copyLong"] / best["copyInt"]).dropna()
    if ratio.empty:
        return nothing("There are no times of both copies.")
    facts = ", ".join(f"{times:.1f} times as long on {jdk}" for jdk, times in ratio.items())
    slow, alike = ratio >= MANY, ratio <= HARDLY
    first, last = ratio.index[0], ratio.index[-1]
    rules = {
        "never": alike.all(),
        "always": slow.all(),
        "cured": slow[first] and alike[last],
        "worse": alike[first] and slow[last],
    }
    return Finding(frozenset([key for key, holds in rules.items() if holds][:1]), f"The long copy took {facts}.")


def _several(scores: pd.DataFrame) -> Finding | None:
    """What to say of several collectors or lines of flags: the question is about one of each."""
    settings = scores[["gc", "flags"]].drop_duplicates()
    if len(settings) < 2:
        return None
    return nothing(f"These are {len(settings)} settings, and the question is about one.")


def _missing(scores: pd.DataFrame) -> Finding:
    found = optimisation.work(scores[(scores["jdk"] == 8) & (scores["method"] == "sumInt")])
    if len(found) != 1:
        raise BadInput("it has no sum with an int index on JDK 8, or it has several")
    row = found.iloc[0]
    rules = {
        "unrolling": row["work"] in ("vector", "unrolled"),
        "vectors": row["work"] == "vector",
        "stub": row["work"] == "stub",
        "checks": row["range_checks"] == 0,
    }
    facts = (
        f"On 8 the sum with an int index is {row['work']}, with {row['range_checks'] or 'no'} range checks in a pass."
    )
    return Finding(frozenset(key for key, holds in rules.items() if holds), facts)


def _ladder(ladder: pd.DataFrame) -> Finding:
    copies = ladder[ladder["method"] == "copyInt"]
    if copies["jdk"].nunique() > 1 or copies["gc"].nunique() > 1:
        return nothing("This ladder has several JDKs or collectors, and the question is about one.")
    best = copies.groupby("flags", sort=False)["best"].min()
    times = (best / best.shift()).dropna()
    if times.empty or times.max() < HARDLY:
        return nothing("No step makes the copy much slower.")
    steps = [_step(before, flags) for before, flags in itertools.pairwise(best.index)]
    facts = ", ".join(f"{step}: {factor:.1f} times" for step, factor in zip(steps, times, strict=False)) + "."
    step = steps[times.argmax()]
    return one(step, facts) if step in ADDED.values() else nothing(facts)


def _step(before: str, flags: str) -> str:
    """What a line of flags adds to the one before it: the name of an outcome, or the flags themselves."""
    if before and not flags.startswith(f"{before} "):
        return flags
    added = flags.removeprefix(before).strip()
    return ADDED.get(added, added)


def _nest(scores: pd.DataFrame) -> Finding:
    rows = optimisation.work(scores[scores["jdk"].between(NESTS, SHORT - 1) & (scores["method"] == "copyLong")])
    if rows.empty:
        raise BadInput("it has no copy with a long index on a JDK from 16 to 25")
    facts = "; ".join(f"on {row.jdk} it is {row.work}, with {row.range_checks} checks" for row in rows.itertuples())
    keys = {
        "unrolling": rows["work"].isin(["vector", "unrolled"]).all(),
        "vectors": (rows["work"] == "vector").all(),
        "checks": (rows["range_checks"] == 0).all(),
    }
    return Finding(frozenset(key for key, holds in keys.items() if holds), f"The copy with a long index: {facts}.")


PLACES = {  # collector and flags -> where the copy's poll is
    (optimisation.GC, ""): "without a poll",
    (optimisation.STRIPS, ""): "between strips",
    (optimisation.GC, optimisation.POLLS): "in each pass",
}


def _both(scores: pd.DataFrame) -> Finding:
    code = optimisation.work(scores[scores["method"] == "copyInt"])
    places = [PLACES.get(setting, "") for setting in zip(code["gc"], code["flags"], strict=True)]
    code = code.assign(where=places, lost=code["work"] != "vector")
    facts = _by_place(code)
    polled = code[code["where"] != "without a poll"].sort_values("jdk")
    strips, passes = (polled.loc[polled["where"] == place, "lost"] for place in ("between strips", "in each pass"))
    if "" in places or strips.empty or passes.empty:
        return nothing(facts)
    if polled["lost"].all():
        return one("everywhere", facts)
    if not polled["lost"].any():
        return one("nowhere", facts)
    if strips.any():
        return nothing(facts)
    if passes.all():
        return one("inside", facts)
    return one("old", facts) if passes.iloc[0] and passes.is_monotonic_decreasing else nothing(facts)


def _by_place(code: pd.DataFrame) -> str:
    """What a pass does, by the place of the poll: "Between strips: vector, 64 ints a pass, on 11 and 17." """
    words = code["work"].astype(str) + ", " + code["per_pass"].astype(str) + " ints a pass"
    names = code["where"].where(code["where"] != "", "with " + code["gc"] + " " + code["flags"])
    told = []
    for place, rows in code.assign(words=words).groupby(names.str.strip(), sort=False):
        by_word = rows.groupby("words", sort=False)["jdk"]
        told.append(f"{place}: " + ", ".join(f"{word} on {listed(jdks)}" for word, jdks in by_word))
    return _capital("; ".join(told)) + "."


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


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
    forks = optimisation.each_fork("copyInt", 17, f"{optimisation.POLLS} {flag}", repeat=1)
    [row] = optimisation.work(forks).to_dict("records")
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
    here = optimisation.limits(load(optimisation.each_fork("copyLong", 25, repeat=1)["run"].iloc[0]))
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
