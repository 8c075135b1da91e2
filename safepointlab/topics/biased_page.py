"""Notebook 06 -> what it asks before each run, and which of the outcomes came, by the run's result.

The page says `lab.predict("06-sleep")`, then `lab.predicted("06-sleep", run)`; its exercises are in biased_exercises.
"""

import pandas as pd

from safepointlab.errors import BadInput
from safepointlab.run.run import Run
from safepointlab.session.predictions import Came, Outcome, Prediction, one
from safepointlab.topics import biased, biased_lanes
from safepointlab.topics.biased_lanes import LATE_MS

PROMPT_MS = 3.0  # a sleep of 1 ms that ends later than this is late by a scheduler's measure
LIKE = (0.7, 1.3)  # a delay and a stop of such a ratio are one event
DELAY, OFF, POLLS, TIMER = (ways.replace("-XX:", "") for ways in biased_lanes.WAYS[1:])

SLEEP = Prediction(
    "06-sleep",
    "On JDK 8 one thread adds up bytes and shares nothing with the other one, which sleeps for a millisecond, "
    "thousands of times. There is a core for each. How late does the latest of these sleeps end?",
    {
        "prompt": Outcome(
            f"By less than {PROMPT_MS:g} ms",
            "The sleeper always got its core at once, and the JVM held it up for no longer.",
            "So it is with most of the sleeps. The latest one is another matter.",
        ),
        "noise": Outcome(
            f"By {PROMPT_MS:g} to {LATE_MS:.0f} ms: the operating system was busy with something else",
            "Such delays come from the machine: another program had the core. On a quieter one look again.",
            "That happens to some sleeps of every run. The latest one is of another kind.",
        ),
        "once": Outcome(
            f"By more than {LATE_MS:.0f} ms, once",
            "The JVM itself held the thread. Part 2 looks for the reason.",
            "It would take the JVM to hold a thread for that long. Look at the picture.",
        ),
        "often": Outcome(
            f"By more than {LATE_MS:.0f} ms, again and again",
            "Something held the thread in several places of the run: see which in the picture.",
            "What held it was there a single time.",
        ),
    },
    lambda run: _sleep(run),
    "the run of ByteSummer, as `lab.java` returned it",
)

SUSPECT = Prediction(
    "06-suspect",
    "The suspects are those of the post. What does the JVM's log have at the moment of the long delay?",
    {
        "gc": Outcome(
            "A collection",
            "The delay is a pause of the collector: somebody allocated.",
            "The loop allocates nothing, and what the sleeper allocates fills no heap.",
        ),
        "compiler": Outcome(
            "A compile of the loop, or its old code made not entrant",
            "The log has such a line at that moment, and no stop.",
            "The loop was compiled long before. And to make code not entrant stops nobody by itself.",
        ),
        "stop": Outcome(
            "A stop of all threads for something else",
            "The JVM wanted all threads to stand still, and not for a collection. The log says for what.",
            "There is no stop of that length in the log of this run.",
        ),
        "nothing": Outcome(
            "Nothing: the thread was ready, and the operating system did not run it",
            "The log is silent, so the delay came from outside the JVM.",
            "Then the log would be silent, and other threads would be as late at other moments.",
        ),
    },
    lambda run: _suspect(run),
    "the run of ByteSummer, as `lab.java` returned it",
)

WAYS = Prediction(
    "06-ways",
    "The patient is the run on JDK 8. With which of these flags does no stop wait for the loop any more, for "
    f"{LATE_MS:.0f} ms or longer?",
    {
        DELAY: Outcome(
            f"`-XX:{DELAY}`: the switch comes before `main` runs",
            "Nobody requests a stop while the loop runs.",
            "The switch should have come before the loop: look when it came in this run.",
        ),
        OFF: Outcome(
            f"`-XX:{OFF}`: nothing is switched on",
            "Nobody requests a stop while the loop runs.",
            "Without biased locks there is no switch: somebody else must have requested a stop.",
        ),
        POLLS: Outcome(
            f"`-XX:{POLLS}`: C2 keeps the polls of counted loops",
            "The stop takes place at four seconds, and `main` reaches it at its next poll.",
            "With a poll in the loop the stop should be short: look how long it took.",
        ),
        TIMER: Outcome(
            f"`-XX:{TIMER}`: no more stop of every second",
            "Without that timer nothing held the sleeper up in this run.",
            "The switch does not come from that timer but from a task of its own, which runs once.",
        ),
    },
    lambda ways: _ways(ways),
    "the table of `biased_lanes.ways_out(8)`",
    several=True,
)

LATER = Prediction(
    "06-later",
    "The same program on your later JDKs, with Parallel: once with no other flag, once with the flags that JDK 8 has "
    "by default (biased locks, switched on after 4 s). Where does a stop wait for the loop?",
    {
        "nowhere": Outcome(
            "Nowhere: these JDKs poll in the loop",
            "On none of them a stop waited for the loop.",
            "The loop has no poll with Parallel on any of them. Whoever requests a stop in it waits.",
        ),
        "everywhere": Outcome(
            "On each of them, also without the flags of 8",
            "Each of them requests a stop at that moment by itself.",
            "JDK 10 made the delay 0, 15 left biased locks off, 18 removed them: nobody requests a stop by default.",
        ),
        "known": Outcome(
            "Only with the flags of 8, on the JDKs that still know them; the others do not start with them",
            "The loop is as it was. JDK 10 made the delay 0, 15 switched biased locks off, 18 removed them. A JDK that "
            "has them can be told to do as 8 did.",
            "It needs a JDK that has biased locks (up to 17), and one that does not.",
        ),
        "flags": Outcome(
            "Only with the flags of 8, on each of them",
            "Each of your later JDKs has biased locks, and can be told to do as 8 did.",
            "JDK-8256425 removed biased locks in 18. Later JDKs do not know these flags, and do not start.",
        ),
    },
    lambda later: _later(later),
    "the table of `biased_lanes.later(jdks)`",
)

PREDICTIONS = (SLEEP, SUSPECT, WAYS, LATER)


def _sleep(run: Run) -> Came:
    late = biased.sleeps(run)["overslept_ms"]
    facts = (
        f"The latest of {len(late):,} sleeps ended {late.max():,.1f} ms late, the median one {late.median():.2f} ms."
    )
    if late.max() > LATE_MS:
        return one("once" if int((late > LATE_MS).sum()) == 1 else "often", facts)
    return one("noise" if late.max() > PROMPT_MS else "prompt", facts)


def _suspect(run: Run) -> Came:
    worst = biased.sleeps(run).nlargest(1, "overslept_ms").iloc[0]
    begin, length = float(worst["begin_s"]), float(worst["overslept_ms"])
    when = f"The longest delay, {length:,.0f} ms, begins at {begin:.2f} s."
    if run.gc["uptime_s"].between(begin - 0.05, begin + length / 1000 + 0.05).any():
        return one("gc", f"{when} A collection was logged then.")
    stops = biased_lanes.stops(run)
    near = stops[(stops["begin_s"] - begin).abs() < 0.1 + length / 1000]
    same = near[(near["total_ms"] / length).between(*LIKE)]
    if len(same):
        return one("stop", f"{when} A stop for {same.iloc[0]['operation']} took {same.iloc[0]['total_ms']:,.0f} ms.")
    own = run.compilations[run.compilations["method"].eq("ByteSummer::sum")]
    compiled = (own["uptime_ms"] / 1000).between(begin - 0.01, begin + length / 1000).any()
    return one("compiler" if compiled else "nothing", f"{when} No stop of that length was logged.")


def _ways(ways: pd.DataFrame) -> Came:
    waits = ways.set_index("name")["longest_ms"]
    if missing := set(WAYS.outcomes) - set(waits.index):
        raise BadInput(f"there is no row of {', '.join(sorted(missing))}")
    helping = frozenset(name for name in WAYS.outcomes if waits[name] < LATE_MS)
    without = f"without a flag the longest stop is reached after {waits.iloc[0]:,.0f} ms."
    return Came(helping, f"{len(helping)} of {len(WAYS.outcomes)} flags help; {without}")


def _later(later: pd.DataFrame) -> Came:
    stalled = later["switch_ms"] > LATE_MS
    old = later["flags"] == biased_lanes.OLD
    refused = later["outcome"] == "not possible"
    names = "; ".join(later.loc[stalled, "name"]) or "none"
    facts = f"These runs have such a stop: {names}."
    if not stalled.any():
        return one("nowhere", facts) if not refused.any() else Came(frozenset(), facts)
    if (stalled | ~old).all() and not stalled[~old].any():
        return one("flags", facts)
    if (stalled == (old & ~refused)).all():
        return one("known", facts)
    return one("everywhere", facts) if (stalled | refused).all() else Came(frozenset(), facts)
