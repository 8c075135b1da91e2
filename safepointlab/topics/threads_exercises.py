"""Notebook 10 -> its three exercises: change a flag, build a crowd that nobody waits for, explain a surprise.

The page says `lab.check("10-1", answer)`; what is right stands here.
"""

import math
import re
from numbers import Real
from typing import Any

from safepointlab import jdks
from safepointlab.errors import BadInput
from safepointlab.run import launch
from safepointlab.run.run import Run
from safepointlab.session import exercises
from safepointlab.session.exercises import TEMPLATES, Exercise, Judged
from safepointlab.topics import threads, threads_losses

COLLECTOR = re.compile(r"-XX:[+-]Use\w*GC")
KNOWN = "UseCountedLoopSafepoints"  # the answer of notebook 01's first exercise
SOONER, HARDLY = 0.2, 0.5  # of the usual time to safepoint
BEATS = 10.0  # a second, of the thread that has fewest
KEPT = r"    // The crowd\..*"  # what the reader leaves as it is
NEAR = (0.5, 1.5)  # times what the log hides
HIDING = 17  # the JDK whose log counts leaving as the operation
DEADLINE_S = 60


def _reached_ms(run: Run) -> float:
    """The lower quartile of the time to safepoint, which other programs disturb least."""
    stops = threads.collections(run)["ttsp_ms"].dropna()
    return float(stops.quantile(0.25)) if len(stops) >= 3 else math.nan


def _flag(answer: Any) -> Judged:
    """Is the safepoint reached much sooner beside two long scans, with Parallel and this flag?"""
    flag = exercises.word(answer, 'one flag of the JVM as text, such as "-XX:+PrintCompilation"')
    if COLLECTOR.fullmatch(flag):
        raise BadInput(f"{flag} chooses a collector, and the exercise has chosen one: Parallel. Give another flag.")
    if KNOWN in flag:
        raise BadInput(f"{flag} is what notebook 01 found. Find another flag.")
    usual, changed = (_reached_ms(threads.straggling(25, flags)) for flags in ("", flag))
    does = f"With {flag} it takes {changed:.2g} ms to reach a safepoint, and {usual:.2g} ms without."
    return Judged(changed < SOONER * usual, does)


def _spared(answer: Any) -> Judged:
    """Does each thread of the edited crowd still beat, and is the safepoint reached sooner?"""
    source = str(exercises.java_file(answer, SLEEPERS.template, KEPT))
    jdk = max(jdk.major for jdk in jdks.find())
    usual, edited = (_crowd(path, jdk) for path in (str(TEMPLATES / SLEEPERS.template), source))
    beats = edited.values.get("fewest_beats_per_s")
    if edited.outcome != "exited" or not isinstance(beats, float):
        return Judged(False, f"On JDK {jdk} the program does not come to its end.")
    if beats < BEATS:
        return Judged(False, f"On JDK {jdk} one of the threads beats {beats:.1f} times a second.")
    ms, before_ms = _reached_ms(edited), _reached_ms(usual)
    does = f"On JDK {jdk} it takes {ms:.2g} ms to reach a safepoint, and {before_ms:.2g} ms before you edited the file."
    return Judged(ms < HARDLY * before_ms, does)


def _crowd(source: str, jdk: int) -> Run:
    return launch.java(source, jdk, gc=threads.GC, log=threads.LOG, deadline=DEADLINE_S, reuse=True)


def _hidden(answer: Any) -> Judged:
    """Is this about what the log of 17 calls a stop while threads run, in ms?"""
    if isinstance(answer, bool) or not isinstance(answer, Real) or not math.isfinite(answer):
        raise BadInput(f"This is {exercises.kind(answer)}. Give {HIDDEN.wants}.")
    row = threads_losses.most(threads_losses.silences(threads.crowded([HIDING], threads.crowds()))).iloc[0]
    hides = float(row["total_ms"]) - float(row["everybody_silent_ms"])
    does = f"You say {float(answer):,.0f} ms, of a stop that the log has with {row['total_ms']:,.0f} ms."
    return Judged(NEAR[0] * hides < float(answer) < NEAR[1] * hides, does)


FLAG = Exercise(
    "10-1",
    'one flag of the JVM as text, such as "-XX:+PrintCompilation"',
    _flag,
    "The long loop has a poll now: C2 alone leaves it out. Without it, one slow thread is worse than a crowd of quick "
    "ones.",
    (
        "The VM thread waits for the end of a scan of 64 MB. Part 2 says whose code of a counted loop has no poll.",
        "C1 and the interpreter poll in every loop. Which flag stops at a tier below C2's, or does without compilers?",
    ),
    timed=True,
)
SLEEPERS = Exercise(
    "10-2",
    "the file that `lab.template` wrote and you edited",
    _spared,
    "A thread that sleeps, waits or is in native code counts as stopped already. However many there are, the VM thread "
    "waits for none.",
    (
        "The VM thread waits for threads that run Java code. In which states does a thread not do that?",
        "Between two beats a thread has nothing to do. Let it park or sleep: ten beats a second leave it 100 ms.",
    ),
    template="Sleepers.java",
    timed=True,
)
HIDDEN = Exercise(
    "10-3",
    "a number of milliseconds, such as 5.0",
    _hidden,
    "The log of 17 adds the time in which the VM thread waits for a core to `At safepoint`, and the threads run in it.",
    (
        "The log says how long the stop was, total_ms. Which column says how long all threads stood still?",
        "`threads_losses.most(silences).query('jdk == 17')` has both: take `everybody_silent_ms` from `total_ms`.",
    ),
)
EXERCISES = (FLAG, SLEEPERS, HIDDEN)
