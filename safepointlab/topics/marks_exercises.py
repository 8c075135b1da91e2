"""Notebook 91 -> its three exercises: change a flag, lead an object through two states, explain a surprise.

The page says `lab.check("91-1", answer)`; what is right stands here.
"""

from typing import Any

from safepointlab.errors import BadInput
from safepointlab.programs.jars import JOL
from safepointlab.run import launch
from safepointlab.run.run import Run
from safepointlab.session import exercises
from safepointlab.session.exercises import Exercise, Judged
from safepointlab.topics import marks

JDK = 17
KEPT = r"static \{\n.*"  # what the reader leaves as it is
FIELDS = {  # of a biased or biasable word on JDK 17: the mask of its bits
    "thread": ((1 << 54) - 1) << marks.FIRST_OF_THREAD,
    "epoch": marks.EPOCH,
    "age": 0b1111 << 3,
    "biased": 1 << 2,
    "lock": 0b11,
}


def _flag(answer: Any) -> Judged:
    """Is a new object of the class still biasable after 45 revocations, with this flag?"""
    flag = exercises.flag(answer, 'one flag of the JVM as text, such as "-XX:+PrintCompilation"')
    last = _states(marks.thieves(JDK, flag))[-1]
    return Judged(last == "biasable", f"With {flag} a new object is {last} after 45 revocations.")


def _states(run: Run) -> list[str]:
    """What the words of new objects said, in their order."""
    return [marks.state(run, name) for name in marks.crowd(run)]


def _one_thread(answer: Any) -> Judged:
    """Is the object biased, then unlocked, then fat, with no second thread?"""
    source = str(exercises.java_file(answer, ONE_THREAD.template, KEPT))
    run = launch.java(source, JDK, marks.AT_ONCE, jars=[JOL], deadline=15, reuse=True)
    if run.outcome != "exited" or "end" not in run.values:
        return Judged(False, "The program does not get to its end.")
    if run.values["started"] != 0:
        return Judged(False, "The program starts a second thread.")
    states = [marks.state(run, name) for name in ("begin", "middle", "end")]
    return Judged(states == ["biased", "unlocked", "fat"], f"The object is {', then '.join(states)}.")


def _field(answer: Any) -> Judged:
    """Is this the field in which the words of new objects differ before and after the 20th revocation?"""
    name = exercises.word(answer, "the name of one part of the word as text").lower()
    if name not in FIELDS:
        raise BadInput(f"A biasable word has no part {name[:40]!r}. Its parts are {', '.join(FIELDS)}.")
    run = marks.thieves(JDK)
    first, second = [marks.number(run, moment) for moment in marks.crowd(run)[:2]]
    changed = first ^ second
    return Judged(changed & FIELDS[name] != 0 == changed & ~FIELDS[name], f"You say the {name}.")


FLAG = Exercise(
    "91-1",
    'one flag of the JVM as text, such as "-XX:+PrintCompilation"',
    _flag,
    "The class keeps its biases, and each further thread goes on paying for a revocation.",
    (
        "HotSpot counts the revocations of each class. Which flags of JDK 17 have a limit of 40?",
        "`java -XX:+PrintFlagsFinal -version | grep BiasedLocking` lists them: one has the default 40. Make it large.",
    ),
)
ONE_THREAD = Exercise(
    "91-2",
    "the file that `lab.template` wrote and you edited",
    _one_thread,
    "Neither needs a second thread: the identity hash code takes the place of the bias, and `wait` needs a monitor.",
    (
        "What else does an object keep in the bits of the thread's address? And what can the holder of a lock do, that "
        "needs a set of waiting threads?",
        "System.identityHashCode(object) for the first. For the second: synchronized (object) { object.wait(1); }",
    ),
    template="OneThread.java",
)
FIELD = Exercise(
    "91-3",
    "the name of one part of the word as text",
    _field,
    "A bias whose epoch is not that of its class is void: after 20 revocations (BiasedLockingBulkRebiasThreshold) the "
    "class gets a new epoch, and the next thread may take any of its objects over without a revocation.",
    (
        "Which bits of the second row of the drawing are marked as changed?",
        "They are bits 9 and 8. The drawing has their name.",
    ),
)
EXERCISES = (FLAG, ONE_THREAD, FIELD)
