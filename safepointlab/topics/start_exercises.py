"""Notebook 00 -> its three exercises: choose a collector, write a line of the lab, find what replaced a flag.

The page says `lab.check("00-1", answer)`; what is right stands here.
"""

from typing import Any

from safepointlab.errors import BadInput
from safepointlab.run.run import Run
from safepointlab.session import exercises
from safepointlab.session.exercises import Exercise, Judged
from safepointlab.topics import start

COLLECTIONS, JDK = 3, 17


def _renamed(answer: Any) -> Judged:
    """Has the collection another name in the log with this collector?"""
    gc = exercises.word(answer, 'the name of a collector in quotes, such as "Serial"')
    usual = set(start.collections(start.hello(JDK))["operation"])
    names = set(start.hello(JDK, gc).safepoints["operation"])
    listed = ", ".join(sorted(names)) or "nothing"
    return Judged(bool(names) and not usual & names, f"With {gc} the log of JDK {JDK} has {listed}.")


def _written(answer: Any) -> Judged:
    """Is it a run of HelloSafepoint, not on 17, that asked for three collections, with its stops logged?"""
    if not isinstance(answer, Run):
        raise BadInput(f"This is {exercises.kind(answer)}. Give the run that `lab.java` returned.")
    requests, stops = start.requests(answer), len(answer.safepoints)
    did = f"This run is on JDK {answer.major}, asked for {requests} collections and has {stops} stops in its log."
    return Judged(answer.major != JDK and requests == COLLECTIONS and stops >= COLLECTIONS, did)


def _replaced(answer: Any) -> Judged:
    """Does JDK 17 print with this flag how long it took to stop the threads?"""
    flag = exercises.word(answer, "a flag in quotes")
    output = start.with_flag(JDK, flag).output
    return Judged("Reaching safepoint" in output, _printed(flag, output))


def _printed(flag: str, output: str) -> str:
    lines = [line for line in output.splitlines() if not line.startswith("collection ")]
    return f"With {flag} JDK {JDK} prints {len(lines) or 'no'} lines more" + (f": {lines[0][:90]} …" if lines else ".")


RENAMED = Exercise(
    "00-1",
    'the name of a collector in quotes, such as "Serial"',
    _renamed,
    "Another collector, another operation: its name says who collects.",
    (
        "The lab knows Serial, Parallel, G1 and, on newer JDKs, Z and Shenandoah. Try one.",
        "Each collector has VM operations of its own. Any other than Serial will do, such as the default of a large "
        "machine.",
    ),
)
WRITTEN = Exercise(
    "00-2",
    "the run that `lab.java` returned",
    _written,
    "This is all that a line of the lab can do: a program, a JDK, arguments, logs.",
    (
        "`args` are the program's own: its first is the number of collections. `lab.versions()` lists your JDKs.",
        'Take the line of Part 2. Change `jdk`, add `args="3"`, and keep `log="safepoint"`.',
    ),
)
REPLACED = Exercise(
    "00-3",
    'a flag in quotes, such as "-Xlog:gc"',
    _replaced,
    "Since JDK 9 there is one log for the whole VM (JEP 158), and the old flags of the collectors went (JEP 271).",
    (
        "Run the line with the old flag in a cell of its own, and read the end of the message.",
        "One flag has switched on all logs since JDK 9: `-Xlog:` and the name of what you want to see.",
    ),
)
EXERCISES = (RENAMED, WRITTEN, REPLACED)
