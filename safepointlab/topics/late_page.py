"""Notebook 23 -> what it asks before each run, and which of the outcomes came, by the report's own rows.

The page says `lab.predict("23-scimark")`, then `lab.predicted("23-scimark", often)`; its exercises are in
late_exercises.
"""

import pandas as pd

from safepointlab.errors import BadInput
from safepointlab.late.report import Late
from safepointlab.session.predictions import Came, Outcome, Prediction, one
from safepointlab.topics import late

SHORT_MS, LONG = 1.0, 0.1  # a wait that nobody notices, and one that is this part of a measurement
HALVED, COSTLY = 0.5, -5.0  # the sum of the waits as a part of what it was; the change of a score in per cent
MOSTLY = 0.5  # of the stops

SCIMARK = Prediction(
    "23-scimark",
    "The benchmark computes in one thread and allocates next to nothing. About five times a second somebody asks the "
    "JVM for a stop that does next to nothing. How long does the slowest of these stops wait for the benchmark's "
    "thread?",
    {
        "short": Outcome(
            "Less than a millisecond",
            "Its thread met a poll soon, whatever it was doing.",
            "The thread would have to meet a poll all the time. Some of its loops have none.",
        ),
        "some": Outcome(
            "1 to 40 ms, well below the length of a computation",
            "Its loops without a poll end soon.",
            "It depends on how long its loops without a poll are: some last as long as a whole computation.",
        ),
        "long": Outcome(
            "40 ms or longer: a tenth of a computation",
            "Some of its loops have no poll, and such a loop is a whole computation or a good part of one.",
            "It takes a loop without a poll that is a good part of a computation long.",
        ),
    },
    lambda often: _scimark(often),
    "the report of `lab.late`",
)

CURE = Prediction(
    "23-cure",
    "The report advises two flags that keep a poll in these loops: in an innermost one after at most 1,000 iterations "
    "of the loop as C2 unrolled it, which may be several thousand of the source's. What do they change?",
    {
        "free": Outcome(
            "The waits are gone, and no computation is slower by a twentieth or more",
            "The loops have polls, and these cost less than a twentieth, or less than these runs can tell.",
            "The polls cost at least one computation something that these runs can tell.",
        ),
        "costs": Outcome(
            "The waits are gone, and at least one computation is slower by a twentieth or more",
            "The loops have polls, and the outer loop that C2 adds for them has its price in some computations.",
            "No computation lost so much that these runs can tell.",
        ),
        "stays": Outcome(
            "The waits stay: something else is late",
            "These loops were not the reason, or not the only one.",
            "The waits went with the flags, and nothing else had been changed: the loops were the reason.",
        ),
    },
    lambda often, cured, prices: _cure(often, cured, prices),
    "both reports, then the table of the prices",
)

ECJ = Prediction(
    "23-ecj",
    "The Eclipse compiler has more than one thread, many allocations and thousands of small methods. How many of "
    "its stops wait for a late thread?",
    {
        "hardly": Outcome(
            "None, or one",
            "No stop of this run met 30 ms of code without a poll.",
            "Something in it runs for long without a poll, or its threads had to wait for a core.",
        ),
        "some": Outcome(
            "More than one, up to half of them",
            "Something in it runs for long without a poll, or its threads had to wait for a core.",
            "For that it would need code that runs for long without a poll, as SciMark has.",
        ),
        "most": Outcome(
            "Most of them, since it has so many threads and allocates so much",
            "Its threads were late: look at the column `doing`, which tells whether they had a core.",
            "How many threads there are matters little, and an allocation is a place where a thread can stop.",
        ),
    },
    lambda healthy: _ecj(healthy),
    "the report of `lab.late`",
)

SILENT = Prediction(
    "23-silent",
    "The killer task of notebook 02 is in a loop without a poll for decades, and its JVM waits for it. Which "
    "witness can still tell something about its thread?",
    {
        "timeout": Outcome(
            "SafepointTimeout, a message of the JVM itself",
            "The VM thread writes it while it waits, and the VM thread is not stopped.",
            "It was not in this log.",
        ),
        "ttsp": Outcome(
            "async-profiler, which samples the late thread",
            "It wrote its file in time.",
            "It sampled, but its file is written when the JVM ends, and SIGKILL leaves none.",
        ),
        "kernel": Outcome(
            "Linux, which knows what each thread of a process does (`kernel`)",
            "But not alone: it says that the thread which the JVM has named burns CPU. It cannot say who is late, nor "
            "where.",
            "It was not asked, or saw no thread at work.",
        ),
        "agent": Outcome(
            "A debugger that reads the process's memory",
            "The serviceability agent stops the process and reads the stack itself; nobody in the JVM has to answer.",
            "It could not read this process: it may lack the right to.",
        ),
    },
    lambda stuck: _silent(stuck),
    "the report on the killer task",
    several=True,
)
PREDICTIONS = (SCIMARK, CURE, ECJ, SILENT)


def _scimark(often: Late) -> Came:
    waits = often.all_stops["waited_ms"]
    if waits.empty:
        raise BadInput("nobody asked for a stop in it")
    measurement, longest = 1000 * late.seconds(), float(waits.max())
    facts = f"The slowest stop waited {longest:,.1f} ms; a computation lasts {measurement:,.0f} ms and more."
    return one("short" if longest < SHORT_MS else "long" if longest >= LONG * measurement else "some", facts)


def _cure(often: Late, cured: Late, prices: pd.DataFrame) -> Came:
    before, after = (float(report.all_stops["waited_ms"].sum()) for report in (often, cured))
    slower = {name: percent for name, percent in late.apart(prices).items() if percent < COSTLY}
    facts = f"All waits together: {before:,.0f} ms, with the flags {after:,.1f} ms. {_slower(slower)}"
    if after > HALVED * before:
        return one("stays", facts)
    return one("costs" if slower else "free", facts)


def _slower(computations: dict[str, float]) -> str:
    each = ", ".join(f"{name} by {-percent:.0f} %" for name, percent in computations.items())
    return f"Slower: {each}." if each else "No computation is slower by a twentieth or more, as far as these runs tell."


def _ecj(healthy: Late) -> Came:
    stops, delayed = len(healthy.all_stops), len(healthy.stops)
    if not stops:
        raise BadInput("no stop was logged in it")
    facts = f"{delayed} of {stops} stops waited for a late thread."
    return one("hardly" if delayed <= 1 else "some" if delayed <= MOSTLY * stops else "most", facts)


def _silent(stuck: Late) -> Came:
    hung = stuck.stops[~stuck.stops["over"].astype(bool)]
    if hung.empty:
        raise BadInput("no stop in it is still waiting")
    names = {name.strip() for row in hung["witnesses"] for name in str(row).split(",")}
    return Came(frozenset(names & set(SILENT.outcomes)), f"Witnesses of the last stop: {', '.join(sorted(names))}.")
