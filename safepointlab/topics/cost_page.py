"""Notebook 12 -> what it asks before each run, and which of the outcomes came, by the run's result.

The page says `lab.predict("12-dump")`, then `lab.predicted("12-dump", stops)`; its exercises are in cost_exercises.
"""

import pandas as pd

from safepointlab.errors import BadInput
from safepointlab.session.predictions import Came, Outcome, Prediction, one
from safepointlab.topics import cost_growth
from safepointlab.topics.cost_growth import FRAMES, GROWS, HEAP, MONITORS, THREADS

LONGER = 8.0  # times as long, where there are a hundred times as many threads
ALIKE = 1.3  # the longest by the shortest, if all are alike
NOT_SLOWED, OFF = 1.1, 1.15  # times as long; a ratio that is not about 1

DUMP = Prediction(
    "12-dump",
    "Threads are parked, each below 256 calls: first 10 of them, then 1,000. They take no CPU and wait for no lock. "
    "Then "
    "somebody asks for a dump of all threads. Which part makes the stop with 1,000 threads long?",
    {
        "stopped": Outcome(
            "The dump itself, after all have stopped",
            "Nobody has to wait for a parked thread. But its stack is walked, frame by frame, while all are stopped.",
            "Then the dump itself would have to take longer, once all have stopped.",
        ),
        "reaching": Outcome(
            "Reaching the safepoint: there are more threads to stop",
            "Then somebody is late, although nobody runs.",
            "A parked thread counts as stopped already. The VM only looks at its state.",
        ),
        "both": Outcome(
            "Both parts, about equally",
            "Reaching the safepoint takes long, and so does the dump.",
            "The two differ by far: to look at a thread's state takes a moment, to walk its stack does not.",
        ),
        "neither": Outcome(
            "Neither: threads that do nothing cost nothing",
            "Neither part depends on threads that do nothing.",
            "They cost nothing until somebody asks where they are.",
        ),
    },
    lambda stops: _dump(stops),
    "the table of `cost_growth.by_threads(versions)`",
)

GROWN = Prediction(
    "12-grows",
    "Four operations, on JDK 17. In each of them one number grows to at least 16 times its first value. For which "
    "does the "
    "stop become at least three times as long?",
    {
        THREADS: Outcome(
            "A dump: the threads, 10 to 1,000",
            "Each stack is walked.",
            "Each stack would have to be walked.",
        ),
        FRAMES: Outcome(
            "A dump of 1,000 threads: the calls on each stack, 16 to 256",
            "A stack is walked frame by frame.",
            "A stack would have to be walked frame by frame.",
        ),
        HEAP: Outcome(
            "A full collection that finds no garbage: the objects alive, 10 to 400 MiB",
            "To find out that nothing is garbage, the collector goes to each object.",
            "The collector would have to go to each object.",
        ),
        MONITORS: Outcome(
            "Any stop at all: locks that nobody uses any more, 5,000 to 500,000",
            "It grew here. On 8 and 11 the VM takes unused monitors back in the stop. Since 15 a thread does that "
            "beside the program, and stops of some hundredths of a ms differ for other reasons.",
            "On 8 and 11 it did: each stop began with that. Since 15 a thread of the VM takes them back beside the "
            "program.",
        ),
    },
    lambda stops: _grown(stops),
    "the table of `cost_growth.grown(versions)`",
    several=True,
)

JDKS = Prediction(
    "12-jdks",
    "The same dump of 1,000 threads, each 256 calls deep, on each of your JDKs. On which are all stopped for longest?",
    {
        "oldest": Outcome(
            "On the oldest: such things get faster",
            "The oldest JDK walks the stacks slowest.",
            "Not step by step. Something made it slower first.",
        ),
        "middle": Outcome(
            "On one in the middle: it got slower, then faster",
            "The next cells look for what became slower after 8, and for what mended it.",
            "Then a JDK between the oldest and the newest would have to be the slowest.",
        ),
        "newest": Outcome(
            "On the newest: a JVM has more to do than in 2014",
            "The newest JDK walks the stacks slowest.",
            "It had more to do for a while. Then somebody looked.",
        ),
        "same": Outcome(
            "They are alike: a stack is a stack",
            "All are within a third of each other.",
            "The stacks are the same. What the VM makes of each frame is not.",
        ),
    },
    lambda dumps: _jdks(dumps),
    "the table of `cost_growth.dumps(versions)`",
)

SEARCH = Prediction(
    "12-search",
    "One thread searches an array all the time, another parks for 100 ms and asks for a dump of all threads, again and "
    "again. How much longer does a search take beside 1,000 idle threads than beside none?",
    {
        "not": Outcome(
            "No longer: a search waits for no idle thread",
            "It is not slowed.",
            "It waits for none of them, but it is stopped while their stacks are walked.",
        ),
        "less": Outcome(
            "Longer, but by less than the stops explain",
            "It gained something that the others lost: a core, or a cache.",
            "It can't run while its thread is stopped, and it gets nothing back.",
        ),
        "share": Outcome(
            "By just the time for which all are stopped",
            "What it lost is what the stops took.",
            "The stops explain another part of it than that.",
        ),
        "more": Outcome(
            "Longer than the stops explain",
            "The stops are not all: after each one the asker makes objects of what the VM noted, and that needs a "
            "core, "
            "memory and collections. (That this is the rest is an inference.)",
            "The stops explain what it lost.",
        ),
    },
    lambda losses, share: _search(losses, share),
    "the table of `cost_beside.losses(17)`, then the number of `cost_beside.stopped_share(17)`",
)

PREDICTIONS = (DUMP, GROWN, JDKS, SEARCH)


def _dump(stops: pd.DataFrame) -> Came:
    rows = stops[(stops["what"] == THREADS) & (stops["jdk"] == 17)]
    if rows.empty:
        raise BadInput("there is no dump on JDK 17 in it")
    medians = rows.groupby("size")[["ttsp_ms", "stopped_ms"]].median().sort_index()
    first, last = medians.iloc[0], medians.iloc[-1]
    stopped, reaching = last["stopped_ms"] > LONGER * first["stopped_ms"], last["ttsp_ms"] > last["stopped_ms"] / 5
    grew = last / first
    facts = (
        f"On 17 reaching the safepoint grew {grew['ttsp_ms']:,.0f} times, to {last['ttsp_ms']:.2g} ms (the VM thread "
        f"looks at the state of each thread); what follows grew {grew['stopped_ms']:,.0f} times, to "
        f"{last['stopped_ms']:,.0f} ms."
    )
    names = {(True, False): "stopped", (False, True): "reaching", (True, True): "both", (False, False): "neither"}
    return one(names[bool(stopped), bool(reaching)], facts)


def _grown(stops: pd.DataFrame) -> Came:
    times = cost_growth.times(stops)
    if 17 not in times.index:
        raise BadInput("JDK 17 is not in it")
    on_17, short = times.loc[17].dropna(), cost_growth.short(stops, 17)
    said = {str(what): f"×{ratio:,.1f}" for what, ratio in on_17.items()}
    said |= dict.fromkeys(short, f"below {cost_growth.FLOOR_MS} ms throughout")
    facts = ", ".join(f"{what} {said[what]}" for what in (THREADS, FRAMES, HEAP, MONITORS) if what in said)
    grows = frozenset(str(what) for what, ratio in on_17.items() if ratio > GROWS)
    return Came(grows, f"On 17, first to last value: {facts}.")


def _jdks(dumps: pd.DataFrame) -> Came:
    stopped = dumps.set_index("jdk")["stopped_ms"].sort_index()
    facts = "; ".join(f"{ms:,.0f} ms on {jdk}" for jdk, ms in stopped.items())
    if len(stopped) < 2:
        return Came(frozenset(), f"{facts}: there is one JDK only.")
    if stopped.max() < ALIKE * stopped.min():
        return one("same", f"{facts}.")
    ends = {stopped.index[0]: "oldest", stopped.index[-1]: "newest"}
    return one(ends.get(stopped.idxmax(), "middle"), f"{facts}.")


def _search(losses: pd.DataFrame, share: float) -> Came:
    slower = float(losses.set_index("role")["times"]["victim"])
    explained = 1 / (1 - share)
    facts = (
        f"A search takes {slower:.1f} times as long. All are stopped for {share:.0%} of the time: {1 - share:.0%} is "
        f"left, and 1/{1 - share:.2f} = {explained:.1f}."
    )
    if slower < NOT_SLOWED:
        return one("not", facts)
    if slower > OFF * explained:
        return one("more", facts)
    return one("share" if slower > explained / OFF else "less", facts)
