"""Notebook 06 -> its three exercises: change a flag, give the loop a poll in its source, explain a surprise.

The page says `lab.check("06-1", answer)`; what is right stands here.
"""

import re
from typing import Any

from safepointlab import jdks
from safepointlab.errors import BadInput
from safepointlab.run import launch
from safepointlab.run.run import Run
from safepointlab.session import exercises
from safepointlab.session.exercises import Exercise, Judged
from safepointlab.topics import biased

WAITS_MS = 50.0  # a switch that is reached later than that waited for the loop; the long call takes 400 ms and more
SWITCH_MS = 1000  # in the template's long call
COLLECTOR = re.compile(r"-XX:[+-]Use\w*GC")
KEPT = r"public static void main.*"  # what the reader leaves as it is
ONE_FLAG = 'one flag of the JVM as text, such as "-XX:+PrintCompilation"'


def _flag(answer: Any) -> Judged:
    """Does the switch wait for the long call, on 8 with this flag?"""
    flag = exercises.word(answer, ONE_FLAG)
    run = biased.brief(8, flag)
    waited = biased.switch_ms(run, "ttsp_ms")
    if biased.switches(run).empty:
        return Judged(False, f"With {flag} biased locking is not switched on in this run.")
    when = biased.switches(run)["begin_s"].max()
    does = f"With {flag} the switch is requested at {when:.2f} s and reached {waited:,.1f} ms later."
    return Judged(waited > WAITS_MS, does)


def _polled(answer: Any) -> Judged:
    """Does the edited sum() let the switch in, on 8 and on 17, and add up the same?"""
    source = str(exercises.java_file(answer, POLLED.template, KEPT))
    for jdk in sorted({8, newest_with_bias()}):
        if complaint := _not_polled(_summed(source, jdk)):
            return Judged(False, f"On JDK {jdk} {complaint}")
    return Judged(True, "The switch is reached at once on each JDK tried, and the sum is right.")


def _summed(source: str, jdk: int) -> Run:
    flags = f"{biased.NOBODY_ELSE} {biased.switched_on(SWITCH_MS)}"
    return launch.java(source, jdk, flags, gc=biased.GC, log="safepoint", deadline=15, reuse=True)


def _not_polled(run: Run) -> str:
    """What is wrong with this run; "" if the switch came into the long call and was reached soon."""
    values = run.values
    if run.outcome != "exited" or "right" not in values:
        return "it does not end." if run.hung else "it does not get to its end."
    if values["right"] != 1:
        return "the sum is another one than before."
    if biased.switches(run).empty or not float(values["begins_ms"]) < SWITCH_MS < float(values["ends_ms"]):
        return "the long call was over when the switch came, or had not begun: it has to last until 1.0 s."
    waited = biased.switch_ms(run, "ttsp_ms")
    return f"the switch waits for {waited:,.0f} ms." if waited > WAITS_MS else ""


def newest_with_bias() -> int:
    """The newest JDK here that has biased locks.

    Raises:
        BadInput: there is none.
    """
    having = [jdk.major for jdk in jdks.find() if jdk.major < biased.REMOVED]
    if not having:
        raise BadInput("This needs a JDK up to 17: the later ones have no biased locks.")
    return max(having)


def _deaf(answer: Any) -> Judged:
    """Does the switch wait for the long call with G1, on the newest JDK that has one, with this flag?"""
    flag = exercises.word(answer, ONE_FLAG)
    if COLLECTOR.fullmatch(flag):
        raise BadInput(f"{flag} chooses a collector, and G1 has to stay. Give another flag.")
    run = biased.brief(newest_with_bias(), f"{biased.switched_on(biased.BRIEF_DELAY_MS)} {flag}", gc="G1")
    waited = biased.switch_ms(run, "ttsp_ms")
    return Judged(waited > WAITS_MS, f"With G1 and {flag} the switch is reached after {waited:,.1f} ms.")


FLAG = Exercise(
    "06-1",
    ONE_FLAG,
    _flag,
    "The switch comes when you say, and waits for whatever loop runs then.",
    (
        "The switch has to be requested while the long call runs. What decides when it is?",
        "`biased.default(8, name)` tells a flag's default. Part 3 names the flag whose default of 4,000 is the reason "
        "for the four seconds.",
    ),
)
POLLED = Exercise(
    "06-2",
    "the file that `lab.template` wrote and you edited",
    _polled,
    "If it is the outer loop that polls now, there are still 32,768 bytes between two polls.",
    (
        "C2 leaves the poll out if it can count a loop. One of the two loops is enough: the outer one. What keeps C2 "
        "from counting it?",
        "A step that is no constant, such as a field of the class: C2 can't compute the number of iterations from it.",
    ),
    template="PolledSummer.java",
)
DEAF = Exercise(
    "06-3",
    ONE_FLAG,
    _deaf,
    "With G1 the JVM asks C2 to cut counted loops into strips, with a poll after each (JDK-8186027). Without that, "
    "the loops are those that Parallel gets, and hold everybody up in the same way.",
    (
        "Some flag is on with G1 and off with Parallel, and C2 obeys it. You met it in part 4.",
        "It is a flag about polls in counted loops. Switch it off.",
    ),
)
EXERCISES = (FLAG, POLLED, DEAF)
