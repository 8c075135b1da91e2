"""Notebook 15 -> its three exercises: change a flag, thin a crowd out, explain a surprise.

The page says `lab.check("15-1", answer)`; what is right stands here.
"""

import re
from collections.abc import Mapping
from typing import Any

from safepointlab import jdks
from safepointlab.errors import BadInput
from safepointlab.run import launch
from safepointlab.run.run import Run
from safepointlab.session import exercises
from safepointlab.session.exercises import TEMPLATES, Exercise, Judged
from safepointlab.session.machine import cores
from safepointlab.topics import faster

COLLECTOR = re.compile(r"-XX:[+-]Use\w*GC")
GC = "Shenandoah"
SOONER, WORK = 0.5, 0.6  # of the usual request, and of the usual scans per second
KEPT = r"    // The work\..*"  # what the reader leaves as it is
NEAR = 1.0  # safepoints of a request: one more may fall into the log
ASKED = (21, 25)


def _flag(answer: Any) -> Judged:
    """Is the crowd's request answered with a collection, in less than half of the time, by this collector and flag?"""
    flag = exercises.word(answer, 'one flag of the JVM as text, such as "-XX:+PrintCompilation"')
    if COLLECTOR.fullmatch(flag):
        raise BadInput(f"{flag} chooses a collector, and the exercise has chosen one: Shenandoah. Give another flag.")
    usual, changed = (faster.scan(25, faster.MANY * cores(), GC, flags) for flags in ("", flag))
    ms, stops = _request_ms(changed), faster.stops_each(changed)
    if stops < 1:
        return Judged(
            False, f"With {flag} there is no collection: the collector asked for no safepoint.", by_time=False
        )
    many = f"{stops:g} safepoint{'s' * (stops != 1)}"
    does = f"With {flag} a request takes {ms:,.0f} ms instead of {_request_ms(usual):,.0f}, and has {many}."
    return Judged(ms < SOONER * _request_ms(usual), does)


def _request_ms(run: Run) -> float:
    return float(run.values.get("gc_ms", "nan"))


def _thinned(answer: Any) -> Judged:
    """Do all threads still scan, about as much as before, and is the request answered sooner?"""
    source = str(exercises.java_file(answer, CROWD.template, KEPT))
    jdk = max(jdk.major for jdk in jdks.find())
    usual, edited = (_crowd(source, jdk) for source in (str(TEMPLATES / CROWD.template), source))
    if complaint := _not_the_same(usual, edited):
        return Judged(False, f"On JDK {jdk} {complaint}")
    ms, before_ms = _request_ms(edited), _request_ms(usual)
    does = f"On JDK {jdk} a request takes {ms:,.0f} ms, and {before_ms:,.0f} ms before you edited the file."
    return Judged(ms < SOONER * before_ms, does)


def _crowd(source: str, jdk: int) -> Run:
    return launch.java(source, jdk, gc=GC, deadline=faster.DEADLINE_S, reuse=True)


def _not_the_same(usual: Run, edited: Run) -> str:
    """What is wrong with the work that the edited program does; "" if it is the same, or nearly as much."""
    if edited.outcome != "exited" or "gc_ms" not in edited.values:
        return "the program does not come to its end."
    threads, wanted = float(edited.values.get("threads", 0)), float(usual.values["threads"])
    if threads < wanted:
        return f"{threads:g} of {wanted:g} threads have scanned."
    share = float(edited.values.get("scans_per_s", 0)) / float(usual.values["scans_per_s"])
    return "" if share >= WORK else f"the threads scan {share:.0%} of what they did; {WORK:.0%} is asked."


def _counted(answer: Any) -> Judged:
    """Are these the safepoints of one request with ZGC, on 21 and on 25?"""
    if not isinstance(answer, Mapping) or set(answer) != set(ASKED):
        raise BadInput(f"This is {exercises.kind(answer)}. Give {COUNTED.wants}.")
    said = {jdk: exercises.whole(answer[jdk], 0, 1000, "the number of safepoints") for jdk in ASKED}
    true = {jdk: faster.stops_each(faster.scan(jdk, faster.MANY * cores(), "Z")) for jdk in ASKED}
    near = [abs(said[jdk] - true[jdk]) <= NEAR for jdk in ASKED] + [said[21] < said[25]]
    return Judged(all(near), f"You say {said[21]} on 21 and {said[25]} on 25.")


FLAG = Exercise(
    "15-1",
    'one flag of the JVM as text, such as "-XX:+PrintCompilation"',
    _flag,
    "One safepoint a request instead of several: the crowd is woken once. The price is that the whole collection is "
    "now done in that stop, which is bad for a large heap.",
    (
        "Each safepoint of a collection ends with waking the crowd. How could there be fewer of them? Shenandoah "
        "answers `System.gc()` with a collection that runs beside the program.",
        "`System.gc()` is an explicit request, and a flag says whether an explicit collection is concurrent. Look for "
        "it with `java -XX:+PrintFlagsFinal -version | grep ExplicitGC`.",
    ),
    timed=True,
)
CROWD = Exercise(
    "15-2",
    "the file that `lab.template` wrote and you edited",
    _thinned,
    "As many threads as before, but only so many that want a core at the same time as there are cores. When the VM "
    "thread opens the barrier, hardly anybody is in its way.",
    (
        "The VM thread waits behind threads that want a core. A thread that is blocked wants none. How do you keep "
        "all but a few of them blocked, in turn?",
        "A `Semaphore` with `CORES` permits: take one, do some hundred scans, give it back. One scan for each permit "
        "is too little work between two locks.",
    ),
    template="Crowded.java",
    timed=True,
)
COUNTED = Exercise(
    "15-3",
    "two numbers of safepoints, such as {21: 1, 25: 1}",
    _counted,
    "ZGC on 25 is generational (on 21 only with a flag): it answers with two young collections and an old one, and "
    "each has its own safepoints, for each of which the crowd is woken.",
    (
        "`faster.scan(21, lab.stamp().cores * 8, 'Z').safepoints` has all stops of five requests. Which of them are "
        "the collector's?",
        "`faster.collector_stops(...)` leaves those that the collector asked for: no handshakes, no cleanup. Count "
        "them, and divide by five requests.",
    ),
)
EXERCISES = (FLAG, CROWD, COUNTED)
