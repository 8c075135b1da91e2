"""Notebook 01 -> what it asks before each run, and which of the outcomes came, by the run's result.

The page says `lab.predict("01-last")`, then `lab.predicted("01-last", run)`; exercises: safepoint_exercises.
"""

import pandas as pd

from safepointlab.errors import BadInput
from safepointlab.run.run import Run
from safepointlab.session.predictions import Came, Outcome, Prediction, one
from safepointlab.topics import safepoint

AT_ONCE_MS = 1.0  # nobody would notice a wait so short
SHARE = 0.5  # of the time to safepoint: who ran on for that long is whom the others waited for
SLOW = 0.3  # of the longest of the compared waits

LAST = Prediction(
    "01-last",
    "Five times `main` asks for a collection, and the JVM asks these four threads to stop. Which of them do all others "
    "wait for? (JDK 17, Serial; the median of five stops.)",
    {
        "together": Outcome(
            "None: all stop within a millisecond",
            "Each thread came by a poll, or was outside of Java, when it was asked.",
            "One of them ran on. The picture shows which.",
        ),
        "polling": Outcome(
            "`polling`, whose loop has no end",
            "It made progress for most of the time to safepoint.",
            "It has no end, and just for that reason it has a poll in each iteration.",
        ),
        "counted": Outcome(
            "`counted`, whose loop ends after 100 million iterations",
            "C2 knows the number of iterations beforehand, takes the loop for a short one, and leaves the poll out. The"
            " thread stops at the loop's end.",
            "It would if its loop had no poll. Here it stopped as soon as the others.",
        ),
        "away": Outcome(
            "`asleep` or `inNative`: they can't look while they are away",
            "Neither of the two that run Java ran on for long.",
            "The JVM does not need them to look. Who runs no Java code has stopped already, and is only kept from "
            "coming back.",
        ),
    },
    lambda run: _last(run),
    "the run itself, as `lab.java` returned it",
)

WHO = Prediction(
    "01-who",
    "Is `counted` late because of its loop, of the compiler that made its code, or of the collector? The same program "
    "by C1 and C2, by C1 alone, and in the interpreter alone, with Serial and with G1. Which runs are slow?",
    {
        "all": Outcome(
            "All: the loop is what it is",
            "Each kind of code takes its time to stop in this loop.",
            "The source is the same, and only some of the runs are slow.",
        ),
        "c2": Outcome(
            "Those with C2, whatever the collector is",
            "C2 leaves the poll out with both collectors.",
            "With one of the two collectors C2's code stops soon, too.",
        ),
        "serial": Outcome(
            "Those with Serial, whatever the compiler is",
            "With Serial each kind of code stops late.",
            "With Serial the code of C1 stops soon.",
        ),
        "c2-serial": Outcome(
            "Only the one with C2 and Serial",
            "C1 and the interpreter always poll. C2 leaves the poll out of such a loop unless the collector asks for "
            "it, as G1 does since JDK 10, and Serial never.",
            "Something else is slow here, too: a thread that polls, and has no core, stops late as well.",
        ),
        "interpreter": Outcome(
            "Those without C2: slow code is slow to stop",
            "The slower code took longer to its next poll.",
            "An iteration takes longer there, but it ends in a poll.",
        ),
    },
    lambda who: _who(who),
    "the table of `safepoint.by_compiler(17)`",
)

CALLS = Prediction(
    "01-calls",
    "Which of these calls stop all threads of the JVM, on every JDK of yours?",
    {
        "gc": Outcome(
            "`System.gc()`, with Serial",
            "Serial moves objects, and nobody may use them meanwhile.",
            "Then this collector did not need the stop.",
        ),
        "all": Outcome(
            "`Thread.getAllStackTraces()`",
            "A dump of all threads is one VM operation at a safepoint.",
            "Some JDK gets the stacks without stopping everybody.",
        ),
        "bean": Outcome(
            "`ThreadMXBean.getThreadInfo(id, 100)`: the stack of one thread",
            "To the management interface a dump of one thread is a thread dump, on each of these JDKs: `VM_ThreadDump` "
            "in `jmm_GetThreadInfo`.",
            "Some JDK asks that one thread alone.",
        ),
        "one": Outcome(
            "`another.getStackTrace()`: the stack of one thread",
            "It did on each JDK that ran here, as up to 17.",
            "Up to 17 it does. Virtual threads (JEP 425, JDK 19) brought a handshake for it.",
        ),
        "mine": Outcome(
            "`Thread.currentThread().getStackTrace()`",
            "Some stop was logged during this call on each JDK.",
            "A thread can walk its own stack, which does not change meanwhile.",
        ),
        "load": Outcome(
            "`Class.forName()`, of a class that makes compiled code wrong",
            "Deoptimisation was a safepoint on each JDK that ran here, as up to 11.",
            "Up to 11 it does. Since then each thread deoptimises its own frames, in a handshake.",
        ),
        "interrupt": Outcome(
            "`another.interrupt()`",
            "Some stop was logged during this call on each JDK.",
            "An interrupt is a flag to set and a wake-up. Nobody has to stop for it.",
        ),
    },
    lambda calls: _calls(calls),
    "the table of `safepoint.calls_by_jdk(versions)`",
    several=True,
)
ASKED = {
    "gc": "fullCollection",
    "all": "stacksOfAll",
    "bean": "infoOfOneWithStack",
    "one": "stackOfOne",
    "mine": "stackOfMine",
    "load": "loadClass",
    "interrupt": "interrupt",
}

PREDICTIONS = (LAST, WHO, CALLS)


def _last(run: Run) -> Came:
    notes = safepoint.ran_on(run)
    waited = float(notes["ttsp_ms"].quantile(0.5, interpolation="higher"))  # that of the stop in the picture
    ran = notes[notes["ttsp_ms"] == waited].groupby("thread")["ran_on_ms"].median()
    if not {"counted", "polling"} <= set(ran.index):
        raise BadInput("this run has no threads `counted` and `polling`")
    last = str(ran.idxmax())
    facts = f"The median time to safepoint is {waited:.1f} ms, and `{last}` ran on for {ran[last]:.1f} ms of it."
    if waited < AT_ONCE_MS:
        return one("together", facts)
    return one(last if ran[last] > SHARE * waited and last in LAST.outcomes else "away", facts)


def _who(who: pd.DataFrame) -> Came:
    longest = who.sort_values("ttsp_ms").iloc[-1]
    facts = f"The longest median is {longest['ttsp_ms']:.1f} ms, by {longest['flags']} with {longest['gc']}."
    slow = who["ttsp_ms"] > max(SLOW * longest["ttsp_ms"], AT_ONCE_MS)
    c2, serial = who["flags"].str.contains("C2"), who["gc"] == safepoint.NO_POLLS
    rules = {"c2-serial": c2 & serial, "c2": c2, "serial": serial, "interpreter": ~c2, "all": c2 | ~c2}
    keys = [key for key, rule in rules.items() if (slow == rule).all()]
    return Came(frozenset(keys), facts)


def _calls(calls: pd.DataFrame) -> Came:
    stops = (calls["kind"] == "safepoint").groupby(calls["call"]).all()
    asked = {key: safepoint.API[name] for key, name in ASKED.items()}
    if not set(asked.values()) <= set(stops.index):
        raise BadInput("not every call was made")
    came = frozenset(key for key, call in asked.items() if stops[call])
    jdks = ", ".join(map(str, calls["jdk"].unique()))
    return Came(came, f"{len(came)} of these {len(asked)} calls do, on JDK {jdks}.")
