"""Notebook 13: which outcome of a prediction a result shows, and whether an answer to an exercise is right."""

import itertools
from typing import Any

import pandas as pd

from safepointlab import jdks
from safepointlab.course import exercises, lessons
from safepointlab.course.exercises import Judged
from safepointlab.course.nb13_optimisation import experiments as optimisation
from safepointlab.course.predictions import Finding, nothing, one
from safepointlab.errors import BadInput
from safepointlab.logs.assembly import loop_work
from safepointlab.phrases import listed
from safepointlab.run import launch
from safepointlab.run.load import load

MANY, HARDLY = 2.0, 1.3  # times as long
SHORT = 26  # the first JDK that compiles a long index like an int one, if the loop runs short
ADDED = {  # the flag that a step of the ladder adds -> the outcome of its name
    "-XX:-OptimizeFill": "− fill routine",
    "-XX:-UseSuperWord": "− vectors",
    "-XX:LoopUnrollLimit=0": "− unrolling",
    "-XX:-UseLoopPredicate -XX:-RangeCheckElimination": "+ checks",
    optimisation.POLLS: "+ poll",
}
WORDS = {"vector": "vectors", "unrolled": "unrolled without vectors"}  # in an answer's facts
PLACES = {  # collector and flags -> where the copy's poll is
    (optimisation.GC, ""): "without a poll",
    (optimisation.STRIPS, ""): "between strips",
    (optimisation.GC, optimisation.POLLS): "in each iteration",
}


def _index(scores: pd.DataFrame) -> Finding:
    settings = scores[["gc", "flags"]].drop_duplicates()
    if len(settings) > 1:
        return nothing(f"The question is about one setting, and here are {len(settings)}.")
    best = scores[scores["jdk"] < SHORT].pivot_table(index="jdk", columns="method", values="best", aggfunc="min")
    best = best.reindex(columns=["copyInt", "copyLong"])
    ratio = (best["copyLong"] / best["copyInt"]).dropna()
    if ratio.empty:
        return nothing("There are no times of both copies.")
    facts = ", ".join(f"{times:.1f} times as long on JDK {jdk}" for jdk, times in ratio.items())
    slow, alike = ratio >= MANY, ratio <= HARDLY
    first, last = ratio.index[0], ratio.index[-1]
    rules = {
        "never": alike.all(),
        "always": slow.all(),
        "cured": slow[first] and alike[last],
        "worse": alike[first] and slow[last],
    }
    return Finding(frozenset([key for key, holds in rules.items() if holds][:1]), f"The long copy took {facts}.")


def _ladder(ladder: pd.DataFrame) -> Finding:
    copies = ladder[ladder["method"] == "copyInt"]
    if copies["jdk"].nunique() > 1 or copies["gc"].nunique() > 1:
        return nothing("The question is about one JDK and one collector, and this ladder has several.")
    best = copies.groupby("flags", sort=False)["best"].min()
    times = (best / best.shift()).dropna()
    if times.empty or times.max() < HARDLY:
        return nothing("No step makes the copy much slower.")
    steps = []
    for before, flags in itertools.pairwise(best.index):  # what a line of flags adds to the one before it
        added = flags.removeprefix(before).strip() if not before or flags.startswith(f"{before} ") else flags
        steps.append(ADDED.get(added, added))
    facts = ", ".join(f"{step}: {factor:.1f} times" for step, factor in zip(steps, times, strict=False)) + "."
    step = steps[times.argmax()]
    return one(step, facts) if step in ADDED.values() else nothing(facts)


def _both(scores: pd.DataFrame) -> Finding:
    code = optimisation.work(scores[scores["method"] == "copyInt"])
    places = [PLACES.get(setting, "") for setting in zip(code["gc"], code["flags"], strict=True)]
    code = code.assign(where=places, lost=code["work"] != "vector", words=code["work"].replace(WORDS))
    facts = _by_place(code)
    polled = code[code["where"] != "without a poll"].sort_values("jdk")
    strips, passes = (polled.loc[polled["where"] == place, "lost"] for place in ("between strips", "in each iteration"))
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
    """What the loop does, a sentence for each place of the poll: "Between strips: vectors on JDK 17."."""
    names = code["where"].where(code["where"] != "", "with " + code["gc"] + " " + code["flags"])
    told = []
    for place, rows in code.groupby(names.str.strip(), sort=False):
        by_word = rows.groupby("words", sort=False)["jdk"]
        did = "; ".join(f"{word} on JDK {listed(jdks)}" for word, jdks in by_word)
        told.append(f"{place[:1].upper()}{place[1:]}: {did}.")
    return " ".join(told)


KEPT = r"// From here on it stays as it is.*"  # what the reader leaves as it is
SUM = f"sum {(999 * 1000 // 2 * 0x9E3779B9 + 2**31) % 2**32 - 2**31}"  # what the template prints


def _flag(answer: Any) -> Judged:
    """Does the copy have its vectors back, on JDK 17 with Serial, and the poll in a loop around them?"""
    flag = exercises.flag(answer, 'one flag of the JVM as text, such as "-XX:+PrintCompilation"', optimisation.GC)
    forks = optimisation.each_fork("copyInt", 17, f"{optimisation.POLLS} {flag}", repeat=1)
    [row] = optimisation.work(forks).to_dict("records")
    where = {"each pass": "in each iteration", "around": "in a loop around it", "none": "nowhere"}[row["poll"]]
    works = {"vector": "vectorised", "unrolled": "unrolled, without vectors"}.get(row["work"], row["work"])
    does = f"With {flag} the main loop is {works}, and its poll is {where}."
    return Judged((row["work"], row["poll"]) == ("vector", "around"), does)


def _sum(answer: Any) -> Judged:
    """Does C2 add with vectors on JDK 21 and JDK 25, and is the sum the same?"""
    source = str(exercises.java_file(answer, lessons.exercise("13-2"), KEPT))
    here = sorted({21, 25} & {jdk.major for jdk in jdks.find()})
    if not here:
        raise BadInput("Neither JDK 21 nor 25 is installed here. Get one with: safepoint jdks install 25")
    for jdk in here:
        run = launch.java(
            source, jdk, "-Xbatch", gc=optimisation.GC, log="assembly=FastSum.sum", deadline=30, reuse=True
        )
        if SUM not in run.output.splitlines():
            return Judged(False, f"On JDK {jdk} the sum is not the same as before.")
        work = [*loop_work.standard(run.assembly)["work"], None][0]
        if work is None:
            return Judged(False, f"On JDK {jdk} no machine code of sum() was logged.")
        if work != "vector":
            return Judged(False, f"On JDK {jdk} the main loop has no vectors: it is `{work}`.")
    return Judged(True, f"The sum is the same, and C2 uses vectors on JDK {' and '.join(map(str, here))}.")


def _longest(answer: Any) -> Judged:
    """Is this how many iterations the inner loop of copyLong may take on JDK 25?"""
    number = exercises.whole(answer, 1, 2**32, "a number of iterations")
    code = load(optimisation.each_fork("copyLong", 25, repeat=1)["run"].iloc[0]).assembly
    standard = code.query("tier == 4 and osr_bci.isna()")["instruction"]
    limits = standard.str.extract(r"cmp\w* \$0x(7f[0-9a-f]{6}),")[0].dropna()  # near 2³¹
    if limits.empty:
        return Judged(False, "There is no such limit in the code of this run. Run the page again.")
    return Judged(number in {int(limit, 16) for limit in limits}, f"You say {number:,} iterations.")


CLASSIFIERS = {"13-index": _index, "13-ladder": _ladder, "13-both": _both}
JUDGES = {"13-1": _flag, "13-2": _sum, "13-3": _longest}
