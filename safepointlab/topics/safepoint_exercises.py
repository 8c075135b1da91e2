"""Notebook 01 -> its three exercises: give a loop its poll back, build a handshake, explain loops without polls.

The page says `lab.check("01-1", answer)`; what is right stands here.
"""

import re
from pathlib import Path
from typing import Any

from safepointlab.errors import BadInput
from safepointlab.run import launch
from safepointlab.run.run import Run
from safepointlab.session import exercises
from safepointlab.session.exercises import Exercise, Judged
from safepointlab.topics import safepoint, safepoint_polls

COLLECTOR = re.compile(r"-XX:[+-]Use\w*GC")
JDK, DEPTHS, PATIENCE_S = 17, (3, 8), 10.0
SOON = 1 / 3  # of the usual time to safepoint
KEPT = r"public static void main.*?(?=// From here on)"


def median_ms(run: Run) -> float:
    """The median time to safepoint of its collections, ms."""
    return float(safepoint.collections(run)["ttsp_ms"].median())


def _polled(answer: Any) -> Judged:
    """Does everybody stop soon with this flag, with Serial as before, and C2 at work?"""
    flag = exercises.word(answer, 'one flag in quotes, such as "-XX:+PrintFlagsFinal"')
    if COLLECTOR.fullmatch(flag):
        raise BadInput(f"{flag} chooses a collector, and the exercise has chosen one. Keep Serial: give another flag.")
    usual, now = median_ms(safepoint.stopping(JDK)), median_ms(safepoint.stopping(JDK, flag))
    return Judged(
        now < SOON * usual, f"With {flag} the median stop is reached in {now:.1f} ms, without in {usual:.1f}."
    )


def _own_handshake(answer: Any) -> Judged:
    """Does main get the stack, whatever its depth, without a safepoint for it?"""
    source = exercises.java_file(answer, "OwnHandshake.java", KEPT)
    for depth in DEPTHS:
        if complaint := _complaint(source, depth):
            return Judged(False, complaint)
    return Judged(True, "`main` gets the whole stack, `other` works on, and no thread dump is in the log.")


def _complaint(source: Path, depth: int) -> str:
    args, log = [depth], safepoint.LOG
    run = launch.java(str(source), JDK, gc=safepoint.NO_POLLS, args=args, log=log, deadline=PATIENCE_S, reuse=True)
    if run.hung:
        return "It does not end: `main` or the JVM waits for a thread that never looks."
    dumps = run.safepoints["operation"].str.contains("ThreadDump|StackTrace").fillna(False).astype(bool)
    if dumps.any():
        name = run.safepoints.loc[dumps, "operation"].iloc[0]
        return f"The log has {name}: the JVM stopped threads for it."
    if f"{depth} frames of goDown" not in run.output:
        return f"At a depth of {depth} the stack should have {depth} frames of goDown. It printed: {run.output[:80]!r}."
    return "" if "other works on" in run.output else "The thread `other` no longer works."


def _unpolled(answer: Any) -> Judged:
    """Is this the number of loops without a poll in C2's code of byLong?"""
    number = exercises.whole(answer, 0, 1000, "a number of loops")
    polled = nest()["polled"]
    does = f"C2's code of `byLong` has {len(polled)} loops, and you say that {number} of them have no poll."
    return Judged(number == int((~polled).sum()), does)


def nest() -> Any:
    """The loops of C2's code of byLong with Serial: a row each, with depth and polled."""
    loops = safepoint_polls.by_c2(safepoint_polls.listing(JDK).loops, "byLong")
    return loops[["depth", "polled", "polls", "calls"]]


POLLED = Exercise(
    "01-1",
    'one flag in quotes, such as "-XX:+PrintFlagsFinal"',
    _polled,
    "Each kind of code that polls in this loop cures the wait.",
    (
        "Which code was not late in Part 3, and which flag chooses it? Or let C2 keep its poll.",
        "The flag has *CountedLoop* in its name, too. `-XX:+Name` switches it on.",
    ),
    timed=True,
)
OWN_HANDSHAKE = Exercise(
    "01-2",
    "the file that `lab.template` wrote and you edited",
    _own_handshake,
    "A flag that the thread itself looks at, work that it does itself, and on it goes: a poll and a handshake.",
    (
        "A thread may look at its own stack without stopping anybody. How does it learn that somebody wants it?",
        "A volatile field for the wish, a test of it in the loop of `work` (the poll), a volatile field for the answer,"
        " for which `stackOf` waits.",
    ),
    template="OwnHandshake.java",
)
UNPOLLED = Exercise(
    "01-3",
    "a number of loops, such as 1",
    _unpolled,
    "C2 makes a nest of a loop with a long index: outside a loop that polls, inside one with an int index that does "
    "not (JDK-8223051, JDK 16). A poll in the method is not a poll in each iteration.",
    (
        "A row is a loop of the machine code; `depth` 2 lies inside depth 1.",
        "Count the rows in which `polled` is False.",
    ),
)
EXERCISES = (POLLED, OWN_HANDSHAKE, UNPOLLED)
