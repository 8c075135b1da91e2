"""Notebook 07: which outcome of a prediction a result shows, and whether an answer to an exercise is right."""

from collections.abc import Iterable
from typing import Any

import pandas as pd

from safepointlab.course import exercises, lessons
from safepointlab.course.exercises import Judged
from safepointlab.course.nb07_nepotism import experiments as nepotism
from safepointlab.course.nb07_nepotism import output
from safepointlab.course.predictions import Finding, nothing, one
from safepointlab.errors import BadInput
from safepointlab.phrases import listed
from safepointlab.run import launch
from safepointlab.run.load import load
from safepointlab.run.run import Run

ALIKE, LITTLE, NEARLY_ALL = 0.1, 0.2, 0.8  # of the heap in use: what young collections free
TOO_MUCH_MIB = 50  # promoted by a program that needs next to nothing


def _cut(kept: Run, cut: Run) -> Finding:
    parts, names = [_freed(run) for run in (kept, cut)], [run.request.args[0] for run in (kept, cut)]
    told = [f"{round(part, 2) + 0:.0%} with {name}" for part, name in zip(parts, names, strict=True)]
    facts = f"Of the heap in use, young collections free {' and '.join(told)}."
    without, with_it = parts
    if names != [nepotism.KEPT, nepotism.CUT]:  # the reader chose other queues
        return nothing(facts)
    if abs(with_it - without) < ALIKE:
        return one("nothing", facts)
    if with_it < without:
        return one("worse", facts)
    return one("all" if without < LITTLE and with_it > NEARLY_ALL else "some", facts)


def _freed(run: Run) -> float:
    """The part of the heap in use that a run's young collections freed, all of them together."""
    young = run.gc[run.gc["kind"] == "young"].dropna(subset=["before_mib", "after_mib"])
    if young.empty:
        raise BadInput("in a run without a young collection there is nothing to compare")
    return float(1 - young["after_mib"].sum() / young["before_mib"].sum())


def _chain(run: Run) -> Finding:
    steps = output.read(run.output)
    dead = str(steps.loc[steps["event"] == "young collection", "chain"].iloc[-1])[:-1]
    there = {place for place, letter in enumerate(dead) if letter in "oy"}
    facts = f"After the last young collection {len(there)} of {len(dead)} dead nodes are still there."
    recent = int((steps["event"] == "offer and poll").sum())
    outcomes = {
        "none": set[int](),
        "all": set(range(len(dead))),
        "first": {0},
        "last": set(range(len(dead) - len(dead) // recent, len(dead))),
    }
    key = next((key for key, places in outcomes.items() if places == there), "")
    return one(key, facts) if key else nothing(facts)


def _collectors(*sweeps: pd.DataFrame) -> Finding:
    waits = nepotism.waits(pd.concat(sweeps, ignore_index=True)).dropna(subset="nepotism")
    if waits.empty:
        raise BadInput("no collector has a run of a queue that keeps its links and one of a queue that cuts them")
    share = waits["nepotism"].astype(float).groupby(waits["collector"]).mean()
    waiting, known = set(share.index[share > 0.5]), set(share.index)
    others = _listed(known - waiting) or "any other"
    facts = f"The program waits for the dead nodes with {_listed(waiting) or 'none of them'}; it doesn't with {others}."
    outcomes = {
        "all": known,
        "generations": set(waits.loc[waits["generations"], "collector"]),
        "classic": set(waits.loc[~waits["gc"].isin(nepotism.AGELESS), "collector"]),
        "stopping": set(waits.loc[waits["gc"].isin(("Serial", "Parallel")), "collector"]),
    }
    keys = [key for key, names in outcomes.items() if names == waiting]
    return one(keys[0], facts) if len(keys) == 1 else nothing(facts)


def _listed(names: Iterable[str]) -> str:
    return listed(sorted(names))


def _libraries(*sweeps: pd.DataFrame) -> Finding:
    outcomes = lessons.prediction("07-libraries").outcomes
    runs = pd.concat(sweeps, ignore_index=True).dropna(subset="promoted_mib")
    names = []  # of the queue and its library, "SpscLinkedQueue jctools-core 1.1"
    for request in (load(run).request for run in runs["run"]):
        library = request.jars[0].partition(":")[2].replace(":", " ") if request.jars else "JDK"
        names.append(f"{request.args[0].rpartition('.')[2]} {library}")
    most = runs.assign(queue=names).groupby("queue")["promoted_mib"].max()
    if missing := set(outcomes) - set(most.index):
        raise BadInput(f"there is no run of {_listed(missing)}")
    keeping = set(most.index[most > TOO_MUCH_MIB])
    told = _listed(f"{name.replace(' ', ' (', 1)})" for name in keeping)
    facts = f"{told or 'None'} promoted more than {TOO_MUCH_MIB} MiB in a run."
    return Finding(frozenset(keeping.intersection(outcomes)), facts)


JDK = 17
NODES_MIB = nepotism.PAIRS * 24 / 2**20  # of the default number of pairs, on JDK 17
EDEN = 0.8  # of the young generation: SurvivorRatio=8
LEAST_MB, MOST_MB = 16, 900
SPARE_MB = 100  # what an answer may be too large by
LITTLE_MIB = 10  # promoted
SELDOM = 0.01  # of the polls change a link
KEPT = r"// ---- The rest.*"  # what the reader leaves as it is
BROKEN = "The queue no longer returns all the elements that were offered."


def _young(answer: Any) -> Judged:
    """Is nothing promoted with a young generation of so many MB, and with one that is much smaller?"""
    megabytes = exercises.whole(answer, LEAST_MB, MOST_MB, lessons.exercise("07-1").answer)
    promoted = nepotism.promoted_mib(nepotism.queue(JDK, flags=f"-Xms1g -Xmx1g -Xmn{megabytes}m"))
    words = f"With -Xmn{megabytes}m, young collections promote {promoted:,.0f} MiB."
    if megabytes <= NODES_MIB / EDEN + SPARE_MB:
        return Judged(promoted < LITTLE_MIB, words)
    return Judged(False, f"{words} Less will do: that's more than {SPARE_MB} MB too much.")


def _run_edited(answer: Any, exercise: str) -> Run:
    """The reader's queue, with the collector and the heap of the page."""
    source = str(exercises.java_file(answer, lessons.exercise(exercise), KEPT))
    return launch.java(source, JDK, nepotism.HEAP, gc="Serial", log="gc", deadline=60, reuse=True)


def _seldom(answer: Any) -> Judged:
    """Does the edited queue promote next to nothing, although it changes hardly a link?"""
    run = _run_edited(answer, "07-2")
    polls, changed = run.values.get("right"), run.values.get("changed")
    if not isinstance(polls, float) or not isinstance(changed, float) or polls < nepotism.PAIRS:
        return Judged(False, BROKEN)
    promoted = nepotism.promoted_mib(run)
    words = f"It changes {changed:,.0f} of {polls:,.0f} links, and {promoted:,.0f} MiB are promoted."
    return Judged(changed <= SELDOM * polls and promoted < LITTLE_MIB, words)


def _mended(answer: Any) -> Judged:
    """Does the edited queue, which goes back to its empty node, promote next to nothing while one element stays?"""
    run = _run_edited(answer, "07-3")
    if run.values.get("right") != nepotism.PAIRS:
        return Judged(False, BROKEN)
    if run.values.get("stays") != 1:
        return Judged(False, "The element that should stay is gone at the end.")
    promoted = nepotism.promoted_mib(run)
    return Judged(promoted < LITTLE_MIB, f"With one element that stays, {promoted:,.0f} MiB are promoted.")


CLASSIFIERS = {"07-cut": _cut, "07-chain": _chain, "07-collectors": _collectors, "07-libraries": _libraries}
JUDGES = {"07-1": _young, "07-2": _seldom, "07-3": _mended}
