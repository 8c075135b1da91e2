"""Notebook 00 -> its three exercises: change a flag, build a program that is stopped, explain a surprise.

The page says `lab.check("00-1", answer)`; what is right stands here.
"""

import math
from numbers import Real
from typing import Any

from safepointlab.errors import BadInput
from safepointlab.run import launch
from safepointlab.run.run import Run
from safepointlab.session import exercises
from safepointlab.session.exercises import Exercise, Judged
from safepointlab.topics import start

JDK = 17
IGNORED = 0.2  # of the usual time: a call that is over so soon asked for nothing
REQUESTS, COLLECTION = 3, "Collect|GC|CGC"  # of the program to edit; what the log calls a collection
KEPT = r"    // The rest stays as it is\..*"  # what the reader leaves as it is
DEADLINE_S = 20
ZGC = "Z"
NEAR = 0.05  # of the truth: an answer may be rounded


def _unheard(answer: Any) -> Judged:
    """Does the program make its calls with this flag, and neither wait in them nor be stopped for them?"""
    flag = exercises.word(answer, 'one flag of the JVM in quotes, such as "-XX:+PrintCompilation"')
    usual, changed = start.hello(JDK), start.flagged(JDK, flag)
    calls, stops = start.requests(changed), len(changed.safepoints)
    if calls != start.requests(usual):
        return Judged(False, f"With {flag} the program says that it made {calls} calls of `System.gc()`.")
    took, before = start.call_us(changed), start.call_us(usual)
    times = f"and a call takes {took:,.0f} µs instead of {before:,.0f} (medians)"
    return Judged(not stops and took < IGNORED * before, f"With {flag} the log has {stops or 'no'} stops, {times}.")


def _asked(answer: Any) -> Judged:
    """Is the edited program stopped at each of its requests, but for no collection?"""
    source = str(exercises.java_file(answer, ANOTHER.template, KEPT))
    run = launch.java(source, JDK, gc=start.SERIAL, log=start.LOG, deadline=DEADLINE_S, reuse=True)
    if run.outcome != "exited" or run.output.count("request ") != REQUESTS:
        return Judged(False, f"On JDK {JDK} it does not come to its end after {REQUESTS} requests.")
    return _for_another_reason(run)


def _for_another_reason(run: Run) -> Judged:
    log = run.safepoints
    names = log.loc[log["kind"] == "safepoint", "operation"].astype(str)
    collections = int(names.str.contains(COLLECTION).sum())
    listed = ", ".join(f"{count} × {name}" for name, count in names.value_counts().items()) or "none"
    return Judged(not collections and len(names) >= REQUESTS, f"Stops in the log of JDK {JDK}: {listed}.")


def _stood_still(answer: Any) -> Judged:
    """Is this how long ZGC's stops took in the run, from request to release, in ms?"""
    if isinstance(answer, bool) or not isinstance(answer, Real) or not math.isfinite(answer):
        raise BadInput(f"This is {exercises.kind(answer)}. Give {STOOD_STILL.wants}.")
    number = float(answer)
    log = start.hello(JDK, ZGC).safepoints
    stops = log.loc[log["kind"] == "safepoint", "total_ms"]
    if math.isclose(number, stops.sum(), rel_tol=NEAR):
        serial = start.hello(JDK).safepoints["total_ms"]
        took = f"ZGC's {len(stops)} stops take {stops.sum():,.1f} ms"
        return Judged(True, f"{took}, and Serial's {len(serial)} take {serial.sum():,.1f} ms.")
    everything = math.isclose(number, log["total_ms"].sum(), rel_tol=NEAR)
    return Judged(False, f"{number:g} ms is {'the sum of all rows' if everything else 'not the sum of these stops'}.")


UNHEARD = Exercise(
    "00-1",
    'one flag of the JVM in quotes, such as "-XX:+PrintCompilation"',
    _unheard,
    "So a log without stops may mean that nobody asked, or that nobody was heard.",
    (
        "The call is a suggestion that a JVM may ignore. What would a flag be called that switches off what is asked "
        "for *explicitly*?",
        "`-XX:+Name` switches a flag on. This one's name begins with `Disable`, and ends with the two letters of the "
        "garbage collection.",
    ),
)
ANOTHER = Exercise(
    "00-2",
    "the file that `lab.template` wrote and you edited",
    _asked,
    "A collection is one VM operation of many: whatever has to see all threads hold still may need a stop.",
    (
        "A stack is easy to read while its thread stands still. Who would like to read all of them?",
        "Class `Thread` has a static method that returns the stack traces of all threads in a map.",
    ),
    template="AnotherReason.java",
)
STOOD_STILL = Exercise(
    "00-3",
    "a number of ms, such as 12.5",
    _stood_still,
    "ZGC marks and moves objects while the program runs, and stops it only to begin or end a phase. The number of "
    "stops is not their price.",
    (
        "In a **handshake** each thread stops by itself and goes on: it is no stop of all threads. The column `kind` "
        "tells which row is what, and `total_ms` how long it took from request to release.",
        'Add up `total_ms` of the rows whose `kind` is "safepoint": `many.safepoints.query("kind == \'safepoint\'")`.',
    ),
)
EXERCISES = (UNHEARD, ANOTHER, STOOD_STILL)
