"""Notebook 07: which outcome of a prediction a result shows, and whether an answer to an exercise is right.

The texts are in quiz.toml.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd

from safepointlab.course import exercises, lessons
from safepointlab.course.exercises import Judged
from safepointlab.course.nb07_nepotism import experiments as nepotism
from safepointlab.course.predictions import Came, one
from safepointlab.errors import BadInput
from safepointlab.run import launch
from safepointlab.run.run import Run

TEMPLATES = Path(__file__).parent / "templates"


ALIKE, LITTLE, NEARLY_ALL = 0.1, 0.2, 0.8  # of the heap in use: what young collections free
NOTICEABLE_MS, WORSE = 200, 10  # a wait for the collector; times as long as with the links cut
TOO_MUCH_MIB = 50  # promoted by a program that needs next to nothing
BLOCKING, TRANSFER = "LinkedBlockingQueue JDK", "LinkedTransferQueue JDK"
SPSC, MPSC = "SpscLinkedQueue jctools-core 1.1", "MpscLinkedAtomicQueue jctools-core 1.1"


def _cut(kept: Run, cut: Run) -> Came:
    without, with_it = freed(kept), freed(cut)
    facts = f"Young collections free {without:.0%} of the heap in use without the line, {with_it:.0%} with it."
    if abs(with_it - without) < ALIKE:
        return one("nothing", facts)
    if with_it < without:
        return one("worse", facts)
    return one("all" if without < LITTLE and with_it > NEARLY_ALL else "some", facts)


def freed(run: Run) -> float:
    """The part of the heap in use that a run's young collections freed, all of them together.

    Raises:
        BadInput: there was no young collection.
    """
    young = run.gc[run.gc["kind"] == "young"].dropna(subset=["before_mib", "after_mib"])
    if young.empty:
        raise BadInput("a run without a young collection says nothing about them")
    return float(1 - young["after_mib"].sum() / young["before_mib"].sum())


def _chain(steps: pd.DataFrame) -> Came:
    last = str(steps.loc[steps["event"] == "young collection", "chain"].iloc[-1])
    dead = last[:-1]
    there = {place for place, letter in enumerate(dead) if letter in "oy"}
    facts = f"After the last young collection {len(there)} of {len(dead)} dead nodes are there."
    recent = int((steps["event"] == "offer and poll").sum())
    outcomes = {
        "none": set[int](),
        "all": set(range(len(dead))),
        "first": {0},
        "last": set(range(len(dead) - len(dead) // recent, len(dead))),
    }
    keys = [key for key, places in outcomes.items() if places == there]
    return Came(frozenset(keys[:1]), facts)


def _collectors(runs: pd.DataFrame) -> Came:
    share = _waiting(runs).groupby("gc").mean()
    waits, known = {str(gc) for gc in share.index[share > 0.5]}, {str(gc) for gc in share.index}
    facts = (
        f"It waits with {_listed(waits) or 'none of them'}; it does not with {_listed(known - waits) or 'any other'}. "
        f"{_longest(runs)}"
    )
    by_age = {gc for gc in known if gc in nepotism.YOUNG_AND_OLD or gc.endswith("generational")}
    outcomes = {
        "all": known,
        "generations": by_age,
        "classic": known & set(nepotism.YOUNG_AND_OLD),
        "stopping": known & {"Serial", "Parallel"},
    }
    keys = [key for key, names in outcomes.items() if names == waits]
    return Came(frozenset(keys) if len(keys) == 1 else frozenset(), facts)


def _longest(runs: pd.DataFrame) -> str:
    """The collector and JDK with which the program waits longest while the links are kept."""
    kept = runs[runs["args"].str.startswith(nepotism.KEPT)]
    medians = kept.groupby(["gc", "jdk"])["stopped_ms"].median().reset_index()
    longest = medians.nlargest(1, "stopped_ms").iloc[0]
    return f"It waits longest with {longest['gc']} on JDK {longest['jdk']}: {longest['stopped_ms']:,.0f} ms."


def _waiting(runs: pd.DataFrame) -> "pd.Series[bool]":
    """Per collector and JDK: does the program wait much longer where the links are kept (as `plot.nepotism` has it)?"""
    kept = runs["args"].str.startswith(nepotism.KEPT)
    ms = runs.assign(kept=kept).groupby(["gc", "jdk", "kept"])["stopped_ms"].median().unstack().dropna()
    return (ms[True] > NOTICEABLE_MS) & (ms[True] > WORSE * ms[False])


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names))


def _libraries(real: pd.DataFrame) -> Came:
    keeping = real[real["promoted_mib"] > TOO_MUCH_MIB]
    queues = keeping["queue"].str.replace("\n", " of ").unique()
    facts = f"{_listed(queues) or 'None'} promoted more than {TOO_MUCH_MIB} MiB in a run."
    names = set(keeping["queue"].str.replace("\n", " "))
    return Came(frozenset(names.intersection(lessons.prediction("07-libraries").outcomes)), facts)


JDK = 17
ROOMY = "-Xms1g -Xmx1g"
NODES_MIB = nepotism.PAIRS * 24 / 2**20  # of the default number of pairs, on JDK 17
EDEN = 0.8  # of the young generation: SurvivorRatio=8
LEAST_MB, MOST_MB = 16, 900
SPARE_MB = 100  # what an answer may be too large by
LITTLE_MIB = 10  # promoted
SELDOM = 0.01  # of the polls change a link
KEPT = r"// ---- The rest.*"  # what the reader leaves as it is


def _young(answer: Any) -> Judged:
    """Is nothing promoted with a young generation of so many MB, and with one that is much smaller?"""
    megabytes = exercises.whole(answer, LEAST_MB, MOST_MB, lessons.exercise("07-1").answer)
    promoted = nepotism.promoted_mib(nepotism.queue(JDK, flags=f"{ROOMY} -Xmn{megabytes}m"))
    words = f"With -Xmn{megabytes}m young collections promote {promoted:,.0f} MiB."
    if megabytes <= NODES_MIB / EDEN + SPARE_MB:
        return Judged(promoted < LITTLE_MIB, words)
    return Judged(False, f"{words} Less will do: this is more than {SPARE_MB} MB too many.")


def _seldom(answer: Any) -> Judged:
    """Does the edited queue promote next to nothing, although it changes hardly a link?"""
    source = str(exercises.java_file(answer, TEMPLATES / "YourQueue.java", KEPT))
    run = launch.java(source, JDK, nepotism.HEAP, gc="Serial", log="gc", deadline=60, reuse=True)
    return _parting(run)


def _parting(run: Run) -> Judged:
    polls, changed = run.values.get("right"), run.values.get("changed")
    if not isinstance(polls, float) or not isinstance(changed, float) or polls < nepotism.PAIRS:
        return Judged(False, "It no longer gets back all the elements that it offers.")
    promoted = nepotism.promoted_mib(run)
    words = f"It changes {changed:,.0f} of {polls:,.0f} links, and {promoted:,.0f} MiB are promoted."
    return Judged(changed <= SELDOM * polls and promoted < LITTLE_MIB, words)


def _mended(answer: Any) -> Judged:
    """Does the edited queue, which goes back to its empty node, promote next to nothing while one element stays?"""
    source = str(exercises.java_file(answer, TEMPLATES / "MendedQueue.java", KEPT))
    return _staying(launch.java(source, JDK, nepotism.HEAP, gc="Serial", log="gc", deadline=60, reuse=True))


def _staying(run: Run) -> Judged:
    if run.values.get("right") != nepotism.PAIRS:
        return Judged(False, "It no longer gets back all the elements that it offers.")
    if run.values.get("stays") != 1:
        return Judged(False, "The element that should stay is gone at the end.")
    promoted = nepotism.promoted_mib(run)
    return Judged(promoted < LITTLE_MIB, f"With one element that stays {promoted:,.0f} MiB are promoted.")


CLASSIFIERS = {
    "07-cut": _cut,
    "07-chain": _chain,
    "07-collectors": _collectors,
    "07-libraries": _libraries,
}
JUDGES = {
    "07-1": _young,
    "07-2": _seldom,
    "07-3": _mended,
}
