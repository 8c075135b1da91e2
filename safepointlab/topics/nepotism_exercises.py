"""Notebook 07 -> its three exercises: change a flag, build a queue that seldom parts, explain a surprise.

The page says `lab.check("07-1", answer)`; what is right stands here.
"""

import re
from typing import Any

from safepointlab.errors import BadInput
from safepointlab.run import launch
from safepointlab.run.run import Run
from safepointlab.session import exercises
from safepointlab.session.exercises import Exercise, Judged
from safepointlab.topics import nepotism
from safepointlab.topics.nepotism_page import freed

JDK = 17
CHOSEN = re.compile(r"-XX:[+-]Use\w*GC|-X(?:mx|ms|mn)\S*|-XX:(?:\w*HeapSize|\w*NewSize|NewRatio|\w*RAM\w*)=\S*")
LITTLE_MIB, MOST = 10, 0.9  # promoted, and the part of the heap in use that young collections free
FEWEST = 2  # young collections: without them nothing is told
SELDOM = 0.01  # of the polls change a link
KEPT = r"// ---- The rest.*"  # what the reader leaves as it is
CURES = (nepotism.CUT, nepotism.SELF, nepotism.REUSED)


def _flag(answer: Any) -> Judged:
    """Do the young collections of the queue that keeps its links free nearly all, with this flag?"""
    flag = exercises.word(answer, FLAG.wants)
    if CHOSEN.fullmatch(flag):
        raise BadInput(f"{flag} changes the heap or the collector, and these stay: 256 MB, Serial. Give another flag.")
    run = nepotism.queue(JDK, flags=flag)
    if (run.gc["kind"] == "young").sum() < FEWEST:
        return Judged(False, f"With {flag} there is hardly a young collection.")
    promoted = nepotism.promoted_mib(run)
    words = f"With {flag} young collections free {freed(run):.0%} of the heap in use, and promote {promoted:,.0f} MiB."
    return Judged(promoted < LITTLE_MIB and freed(run) > MOST, words)


def _seldom(answer: Any) -> Judged:
    """Does the edited queue promote next to nothing, although it changes hardly a link?"""
    source = str(exercises.java_file(answer, SELDOM_PARTING.template, KEPT))
    run = launch.java(source, JDK, nepotism.HEAP, gc="Serial", log="gc", deadline=60, reuse=True)
    return _parting(run)


def _parting(run: Run) -> Judged:
    polls, changed = run.values.get("right"), run.values.get("changed")
    if not isinstance(polls, float) or not isinstance(changed, float) or polls < nepotism.PAIRS:
        return Judged(False, "It no longer gets back all the elements that it offers.")
    promoted = nepotism.promoted_mib(run)
    words = f"It changes {changed:,.0f} of {polls:,.0f} links, and {promoted:,.0f} MiB are promoted."
    return Judged(changed <= SELDOM * polls and promoted < LITTLE_MIB, words)


def _failing(answer: Any) -> Judged:
    """Does this cure promote its nodes as soon as one element stays in the queue?"""
    text = exercises.word(answer, FAILING.wants)
    name = text.removesuffix(".java").rpartition(".")[2].removesuffix("()")
    if name not in CURES:
        raise BadInput(f"{text[:60]!r} is none of the three cures: {', '.join(CURES)}.")
    promoted = nepotism.promoted_mib(nepotism.queue(JDK, name, staying=1))
    words = f"With one element that stays, {name} promotes {promoted:,.0f} MiB."
    return Judged(promoted > LITTLE_MIB, words)


FLAG = Exercise(
    "07-1",
    'one flag of the JVM as text, such as "-XX:+AlwaysPreTouch"',
    _flag,
    "The bad luck of this program is a call of System.gc(): it makes a node old that is dead one poll later. Without "
    "it no node gets old. A server has no such flag: there any node that lives long enough will do.",
    (
        "A chain needs one node that is old. What makes a node of this queue old, before the loop begins? Its source "
        "is nepotism/NepotismQueue.",
        "The program calls System.gc() once. One flag, whose name says that an explicit collection is disabled, makes "
        "the JVM ignore that call.",
    ),
)
SELDOM_PARTING = Exercise(
    "07-2",
    "the file that `lab.template` wrote and you edited",
    _seldom,
    "A chain ends where the next cut is, and a thousand dead nodes are nothing.",
    (
        "A young collection keeps what hangs on the old node, and no more. How long may that chain be, and how often "
        "does it have to be cut?",
        "Count the polls in a field, and cut the link of each thousandth: "
        "`if (++polls % 1000 == 0) old.next = null;`. The sample nepotism/CutNowAndThen does it.",
    ),
    template="YourQueue.java",
)
FAILING = Exercise(
    "07-3",
    'the name of a class as text, such as "UnlinkedQueue"',
    _failing,
    "It never runs empty, so it never goes back to its empty node, and it leaves its links alone. Agrona, which has "
    "this cure, cuts the links as well.",
    (
        "Run all three, and look at `nepotism.promoted_mib(run)`. Then ask at which moment each cure does its work.",
        "Two of the cures do something at each poll. The third one waits for a moment that never comes while an "
        "element stays.",
    ),
)
EXERCISES = (FLAG, SELDOM_PARTING, FAILING)
