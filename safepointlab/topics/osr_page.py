"""Notebook 04 -> what it asks before each run, and which of the outcomes came, by the run's result.

The page says `lab.predict("04-past")`, then `lab.predicted("04-past", past)`; exercises: osr_exercises.
"""

import pandas as pd

from safepointlab.session.predictions import Came, Outcome, Prediction, one
from safepointlab.topics import osr, osr_measured
from safepointlab.topics.enumeration import listed
from safepointlab.topics.hang import TOP, WARM_UP

COLD, WARM = osr.PASTS.values()

PAST = Prediction(
    "04-past",
    "One daemon calls `countOdds` with a huge limit, with Serial. In a small test that is the method's first call. In "
    f"production {WARM_UP:,} calls with a small limit came before. `main` sleeps and returns. What becomes of the "
    "two JVMs?",
    {
        "both-exit": Outcome(
            "Both exit: the code of the method is the same",
            "In either of them the thread reaches a poll.",
            "The bytecode is the same. HotSpot makes several versions of machine code from it.",
        ),
        "both-hang": Outcome(
            "Both hang: it is a counted loop, and Serial asks for no polls",
            "In neither of them the thread reaches a poll.",
            "C2 does not count every loop that looks counted in the source. Part 2 shows when.",
        ),
        "test": Outcome(
            "The test hangs, production exits: warmed-up code is better code",
            "Without a past the thread runs code that has no poll.",
            "Better code has fewer polls. It is the method's first call that runs code with a poll.",
        ),
        "production": Outcome(
            "The test exits, production hangs",
            "The past decides which version of the code the thread runs, and one of them has no poll.",
            "Production reaches a poll here, or the test does not.",
        ),
    },
    lambda runs: _past(runs),
    "the table of `osr.pasts(...)`",
)

WAYS = Prediction(
    "04-ways",
    "Back to the program of 2015, called once, with Serial. You may forbid OSR (`-XX:-UseOnStackReplacement`), or have "
    "C2 compile nearly each method before its first call (`-XX:-TieredCompilation -Xcomp`). With which of them does it "
    "hang?",
    {
        "neither": Outcome(
            "With neither: without a further flag it exits, too",
            "The thread can be stopped in each case.",
            "Without a further flag OSR saves it. One of the two settings leads the thread into another version.",
        ),
        "forbidden": Outcome(
            "With OSR forbidden: the OSR version was the one with the poll",
            "Without OSR the thread does not reach a poll.",
            "Without OSR the thread never leaves the interpreter, and there it can always be stopped.",
        ),
        "beforehand": Outcome(
            "With the method compiled beforehand",
            "The loop is entered at the top, in the standard version, whose counted loops have no poll.",
            "Compiled beforehand the loop is entered at its top. Here that version seems to poll.",
        ),
        "both": Outcome(
            "With both: either way there is no OSR version",
            "No version that the thread runs has a poll.",
            "There is no OSR version in either. But the interpreter, which runs the loop without OSR, can be stopped.",
        ),
    },
    lambda runs: _ways(runs),
    "the table of `osr.ways(...)`",
)

MEASURED = Prediction(
    "04-measured",
    "Adding 1 to 1,000 ints: the loop stands in the harness itself, where OSR enters it, or in a method of its own. "
    "Several JVMs of each kind run. Which kind takes longer?",
    {
        "alike": Outcome(
            "This measurement cannot tell them apart on any JDK: the loop is the same",
            "On each JDK the times of the two kinds overlap.",
            "On some JDK all JVMs of one kind beat all of the other.",
        ),
        "longer": Outcome(
            "The one in the harness, on each JDK",
            "On each JDK every JVM with the method beats every JVM with the loop in its harness.",
            "Not on each of these JDKs.",
        ),
        "less": Outcome(
            "The one in the method, on each JDK: calls cost",
            "On each JDK every JVM with the loop in its harness beats every JVM with the method.",
            "A call for 1,000 ints weighs little, and C2 may inline it.",
        ),
        "depends": Outcome(
            "It depends on the JDK",
            "OSR makes other code of the same loop. What that costs, or saves, differs from JDK to JDK.",
            "The JDKs agree here.",
        ),
    },
    lambda table: _measured(table),
    "the table of `osr_measured.measured(...)`",
)

PREDICTIONS = (PAST, WAYS, MEASURED)


def _past(runs: pd.DataFrame) -> Came:
    hung = {str(past): set(rows["outcome"]) for past, rows in runs.groupby("past")}
    facts = "; ".join(f"{past}: {' or '.join(sorted(hung[past]))}" for past in (COLD, WARM)) + "."
    keys = {
        ("exited", "exited"): "both-exit",
        ("hung", "hung"): "both-hang",
        ("hung", "exited"): "test",
        ("exited", "hung"): "production",
    }
    key = keys.get((" ".join(sorted(hung[COLD])), " ".join(sorted(hung[WARM]))))
    return Came(frozenset([key] if key else []), facts)


def _ways(runs: pd.DataFrame) -> Came:
    hung = {str(way): list(rows["outcome"] == "hung") for way, rows in runs.groupby("way", sort=False)}
    facts = f"Hung: {listed(f'{sum(some)} of {len(some)} with {way}' for way, some in hung.items())}."
    default, forbidden, beforehand = (hung[osr.WAYS[flags]] for flags in ("", osr.NO_OSR, TOP))
    if any(default) or any(any(some) and not all(some) for some in (forbidden, beforehand)):
        return Came(frozenset(), facts)
    keys = {(False, False): "neither", (True, False): "forbidden", (False, True): "beforehand", (True, True): "both"}
    return one(keys[all(forbidden), all(beforehand)], facts)


def _measured(table: pd.DataFrame) -> Came:
    sides = osr_measured.sides(table)
    names = {osr_measured.OPEN: "alike", osr_measured.LONGER: "longer", osr_measured.LESS: "less"}
    by_side = {side: listed(jdks) for side, jdks in osr_measured.by_side(table).items()}
    facts = f"In the harness the loop {listed(f'{side} on {jdks}' for side, jdks in by_side.items())}."
    found = set(sides.values())
    return one(names[found.pop()] if len(found) == 1 else "depends", facts)
