"""Notebook 14 -> its three exercises: bring the stop back, leave something to tidy up, explain a stop that moved.

The page says `lab.check("14-1", answer)`; what is right stands here.
"""

from typing import Any

from safepointlab import jdks
from safepointlab.errors import BadInput
from safepointlab.read.safepoint import PERIODIC
from safepointlab.run.run import Run
from safepointlab.session import exercises
from safepointlab.session.exercises import Exercise, Judged
from safepointlab.topics import guaranteed

EVERY_MS = 200  # the interval of the first two exercises
ENOUGH = 5  # stops in two seconds at that interval
NEW, BOTH = 25, (8, 17)
KEPT = r"// A call site.*"  # what the reader leaves as it is
MOVED_S = (3.9, 4.4)  # when the stops of JDK 8 move


def _flag(answer: Any) -> Judged:
    """Does 25 make stops again and again with this one flag, though nothing is left to tidy up?"""
    flag = exercises.flag(answer, FLAG.wants)
    if guaranteed.FLAG in flag:
        raise BadInput(f"The interval is set to {EVERY_MS} ms by the exercise. Give the other flag.")
    run = guaranteed.resting(min(NEW, max(jdk.major for jdk in jdks.find())), EVERY_MS, flag)
    stops = len(guaranteed.stops(run))
    return Judged(stops >= ENOUGH, f"With {flag} there are {stops} such stops in two seconds.")


def _untidy(answer: Any) -> Judged:
    """Is the reader's program stopped each 200 ms, on 8 and on 17, without asking for it?"""
    source = str(exercises.java_file(answer, UNTIDY.template, KEPT))
    counts = {jdk: len(guaranteed.stops(_tried(source, jdk))) for jdk in BOTH}
    said = " and ".join(f"{stops} {'time' if stops == 1 else 'times'} on {jdk}" for jdk, stops in counts.items())
    return Judged(min(counts.values()) >= ENOUGH, f"The VM thread stopped it by itself {said}.")


def _tried(source: str, jdk: int) -> Run:
    run = guaranteed.once_a_second(jdk, guaranteed.interval(EVERY_MS), "", source)
    return run.demand_success()


def _operation(answer: Any) -> Judged:
    """Is this the operation that the log of JDK 8 has where its stops move?"""
    if not isinstance(answer, str) or not answer.strip():
        raise BadInput(f"This is {exercises.kind(answer)}. Give {OPERATION.wants}.")
    logged = guaranteed.once_a_second(8).safepoints
    near = logged[logged["begin_s"].between(*MOVED_S) & ~logged["operation"].isin(PERIODIC)]
    named = answer.strip().casefold() in set(near["operation"].str.casefold())
    return Judged(named, f"You say {answer.strip()[:60]}.")


FLAG = Exercise(
    "14-1",
    'one flag of the JVM as text, such as "-XX:+PrintCompilation"',
    _flag,
    "The JVM stops for nothing: it is a flag for tests of the JVM.",
    (
        "The JVM still waits for that interval, but looks for no work. The flag you want makes it stop without any. "
        "It is a diagnostic flag that is off by default: PrintFlagsFinal lists it among those that bear the word "
        "Safepoint.",
        "HotSpot's tests have several flags that make it do a thing all the time: they end with ALot.",
    ),
)
UNTIDY = Exercise(
    "14-2",
    "the file that `lab.template` wrote and you edited",
    _untidy,
    "A call site that changes is something to tidy up, and each one changes once.",
    (
        "Each call site has met a triangle a thousand times, and remembers that class. What would change it?",
        "A site that has met two classes remembers none, and does not change again. There are forty of them.",
    ),
    template="Untidy.java",
)
OPERATION = Exercise(
    "14-3",
    "the name of an operation as text",
    _operation,
    "It is a request like any other, and the second is counted from there. Notebook 06 is about it.",
    (
        "What moved the stops of part 2? Look for it in `eight.safepoints`, in the column `operation`.",
        "It stands in the row between the last stop at the old place and the first one at the new, about four "
        "seconds after the start.",
    ),
)
EXERCISES = (FLAG, UNTIDY, OPERATION)
