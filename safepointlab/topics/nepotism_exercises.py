"""Notebook 07 -> its three exercises: change a flag, build a queue that seldom parts, mend a cure that fails.

The page says `lab.check("07-1", answer)`; what is right stands here.
"""

from typing import Any

from safepointlab.run import launch
from safepointlab.run.run import Run
from safepointlab.session import exercises
from safepointlab.session.exercises import Exercise, Judged
from safepointlab.topics import nepotism

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
    megabytes = exercises.whole(answer, LEAST_MB, MOST_MB, YOUNG.wants)
    promoted = nepotism.promoted_mib(nepotism.queue(JDK, flags=f"{ROOMY} -Xmn{megabytes}m"))
    words = f"With -Xmn{megabytes}m young collections promote {promoted:,.0f} MiB."
    if megabytes <= NODES_MIB / EDEN + SPARE_MB:
        return Judged(promoted < LITTLE_MIB, words)
    return Judged(False, f"{words} Less will do: this is more than {SPARE_MB} MB too many.")


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


def _mended(answer: Any) -> Judged:
    """Does the edited queue, which goes back to its empty node, promote next to nothing while one element stays?"""
    source = str(exercises.java_file(answer, MENDED.template, KEPT))
    return _staying(launch.java(source, JDK, nepotism.HEAP, gc="Serial", log="gc", deadline=60, reuse=True))


def _staying(run: Run) -> Judged:
    if run.values.get("right") != nepotism.PAIRS:
        return Judged(False, "It no longer gets back all the elements that it offers.")
    if run.values.get("stays") != 1:
        return Judged(False, "The element that should stay is gone at the end.")
    promoted = nepotism.promoted_mib(run)
    return Judged(promoted < LITTLE_MIB, f"With one element that stays {promoted:,.0f} MiB are promoted.")


YOUNG = Exercise(
    "07-1",
    "the size of the young generation in MB",
    _young,
    "So no young collection comes before the program ends. That is no cure: with more pairs one comes, and it keeps "
    "all the nodes.",
    (
        "Nothing is promoted where no young collection comes. How much memory do the nodes of 15 million pairs take?",
        "15 million nodes of 24 bytes are 343 MiB. New objects have only eden, eight tenths of the young generation by "
        "default, and a little of it stays free.",
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
MENDED = Exercise(
    "07-3",
    "the file that `lab.template` wrote and you edited",
    _mended,
    "While an element stays the queue never runs empty, so it never goes back to its empty node, and only that node "
    "lost its link. Agrona, which has this cure, cuts each link as well.",
    (
        "When does this queue do something about a dead node? Which of these moments come while an element stays?",
        "`part` cuts the link of the empty node alone. Each node that is left behind needs it.",
    ),
    template="MendedQueue.java",
)
EXERCISES = (YOUNG, SELDOM_PARTING, MENDED)
