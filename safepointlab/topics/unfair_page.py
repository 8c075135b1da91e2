"""Notebook 11 -> what it asks before each run, and which of the outcomes came, by the run's result.

The page says `lab.predict("11-payer")`, then `lab.predicted("11-payer", losses)`; exercises: unfair_exercises.
"""

import pandas as pd

from safepointlab.errors import BadInput
from safepointlab.run.run import Run
from safepointlab.session.predictions import Came, Outcome, Prediction, one
from safepointlab.topics import unfair

PAYS = 1.5  # times as long: what a reader would notice, and no busy minute explains
GROWS = 10.0  # times the wait, from the smallest K to the largest
SOME, MANY, MOST = 1.5, 5.0, 20.0  # times as long, where a method is no longer compiled
STANDS, STOPS, LATE_TOO = 0.8, 0.2, 1 / 3  # of the longest time to safepoint

PAYER = Prediction(
    "11-payer",
    "Now a monitoring thread looks for deadlocked threads many times per second, and each time all threads have to "
    "stop for a moment. Which of the two searching threads takes, on average, at least 1.5 times as long for a call?",
    {
        "victim": Outcome(
            "`contains1`; `contains1ToK` keeps its speed",
            "After each search `contains1` checks whether it has to stop. So it stops at once, and waits until the "
            "last thread has stopped: `contains1ToK`, which checks only at its end.",
            "It would have to wait for its neighbour, and nothing was late here.",
        ),
        "culprit": Outcome(
            "`contains1ToK`: its long loop is interrupted again and again; `contains1` keeps its speed",
            "Then the long loop is stopped, and waits for somebody else.",
            "Nobody can interrupt it: it stops at its next poll, and that is behind its loop. The others wait for it.",
        ),
        "both": Outcome(
            "Both, since both have to stop",
            "Both stop, and both wait for the same thing.",
            "Both stop, but not at the same moment. The one that stops last hardly waits.",
        ),
        "neither": Outcome(
            "Neither: such a question takes microseconds",
            "All threads reached their polls at once.",
            "The question takes microseconds, once all threads have stopped. Until they have, those that came early "
            "wait.",
        ),
    },
    lambda losses: _payer(losses),
    "the table of `unfair_losses.losses(alone, asked)`",
)

GROWTH = Prediction(
    "11-k",
    "`contains1ToK` searches K times before it returns, with K from 1 to 10,000. The collector is Parallel or G1, on "
    "JDK 17. With which of them does the wait for all threads to stop grow with K?",
    {
        "both": Outcome(
            "With both: a collector has nothing to do with a search",
            "The loop has no poll with either of them.",
            "Right for Parallel. But G1 asks C2 for strip mining: the innermost loop polls after each strip.",
        ),
        "parallel": Outcome(
            "With Parallel only",
            "G1 asks C2 for strip mining: the innermost loop polls after each strip. Parallel does not ask for it.",
            "Then the loop would have to poll with G1, and with G1 only.",
        ),
        "g1": Outcome(
            "With G1 only",
            "Then the loop polls with Parallel, and not with G1.",
            "It is the other way round: G1 asks for strip mining, and Parallel does not.",
        ),
        "neither": Outcome(
            "With neither: the thread polls after each search",
            "The inner method was not inlined, or its loop polls.",
            "C2 has inlined the search, and an inlined method has no return of its own, and so no return poll.",
        ),
    },
    lambda waits: _growth(waits),
    "the table of `unfair_losses.by_k(17)`",
)

EXCLUDED = Prediction(
    "11-exclude",
    "The post's last resort: exclude `contains1ToK` from compilation, so that it is interpreted for ever. "
    "“Performance "
    "will suck.” The price is measured without neighbours, K=100. How many times as long does its call take then?",
    {
        "hardly": Outcome(
            "Less than one and a half times as long",
            "Only the outer loop is interpreted. It calls the compiled `contains2`, where all of the time goes.",
            "Then the interpreter does a good part of the work.",
        ),
        "some": Outcome(
            "One and a half to five times as long",
            "The interpreter does a good part of the work.",
            "The interpreter would have to do a good part of the work. It only does the outer loop, and calls compiled "
            "code.",
        ),
        "many": Outcome(
            "Five to twenty times as long",
            "The interpreter does most of the work.",
            "So it would be if C1 were all that is left. But `contains2` is a method of its own, and C2 compiles it.",
        ),
        "most": Outcome(
            "More than twenty times as long, as interpreted code is",
            "The search itself is interpreted.",
            "So it is if the search is interpreted. But `contains2` is a method of its own, and still compiled.",
        ),
    },
    lambda prices: _excluded(prices),
    "the table of `unfair.prices(17)`",
)

SPIN = Prediction(
    "11-spin",
    "A third kind of neighbour: `spinner` repeats a compare-and-set that fails until `main` opens the state, at the "
    "program's end. It holds no lock and never parks. Another thread is late for a safepoint by some 200 ms. What does "
    "the spinner do then?",
    {
        "spins": Outcome(
            "It spins on: nothing holds it",
            "It does not stop while the late thread is late, so it is not the safepoint's to hold.",
            "Its loop is not counted, so C2 left a poll in it, and there it stops.",
        ),
        "moment": Outcome(
            "It stops for a moment, and spins on while the late thread is still late",
            "It was released before the late thread had stopped.",
            "Nobody goes on before the last thread has stopped, and the operation is done.",
        ),
        "stands": Outcome(
            "It stops at its next poll, and stands until the late thread has stopped",
            "Its loop is not counted: nobody knows when the compare-and-set succeeds. So C2 leaves a poll in it.",
            "Then it would have to stop between two attempts, and its gaps are shorter than the wait.",
        ),
        "late": Outcome(
            "It is late itself, and makes the others wait",
            "Safepoints wait for it even where the other thread is not late.",
            "Where the other thread is not late, the safepoint is reached soon, with the spinner as busy as before.",
        ),
    },
    lambda late, idle: _spin(late, idle),
    "two runs of `unfair.spinner`: one with the late thread, then one without",
)

PREDICTIONS = (PAYER, GROWTH, EXCLUDED, SPIN)


def _payer(losses: pd.DataFrame) -> Came:
    times = losses.set_index("role")["times"]
    victim, culprit = (float(times[role]) for role in ("victim", "culprit"))
    pays = f"On average a call of `contains1` takes {victim:.1f} times as long as before"
    facts = f"{pays}, one of `contains1ToK` {culprit:.1f} times."
    names = {(True, False): "victim", (False, True): "culprit", (True, True): "both", (False, False): "neither"}
    return one(names[victim > PAYS, culprit > PAYS], facts)


def _growth(waits: pd.DataFrame) -> Came:
    medians = waits.groupby(["gc", "k"])["ttsp_ms"].median().unstack().sort_index(axis=1)
    grown = medians.iloc[:, -1] / medians.iloc[:, 0]
    parallel, g1 = (float(grown[gc]) for gc in ("Parallel", "G1"))
    ends = {gc: f"from {row.iloc[0]:.1f} to {row.iloc[-1]:.1f} ms" for gc, row in medians.iterrows()}
    first, last = medians.columns[[0, -1]]
    facts = f"From K={first:,} to {last:,} the median wait goes {ends['Parallel']} with Parallel, {ends['G1']} with G1."
    names = {(True, False): "parallel", (False, True): "g1", (True, True): "both", (False, False): "neither"}
    return one(names[parallel > GROWS, g1 > GROWS], facts)


def _excluded(prices: pd.DataFrame) -> Came:
    if not {"", unfair.EXCLUDE} <= set(prices["flags"]):
        raise BadInput("the loop was not measured with and without that exclusion")
    times = float(unfair.price(prices, unfair.EXCLUDE).median())
    key = "hardly" if times < SOME else "some" if times < MANY else "many" if times < MOST else "most"
    return one(key, f"It takes {times:.2f} times as long.")


def _spin(late: Run, idle: Run) -> Came:
    found, nobody = unfair.spinner_ms(late), unfair.spinner_ms(idle)
    still, wait, usual = found["still_ms"], found["ttsp_ms"], nobody["ttsp_ms"]
    stood = f"the spinner's longest gap took {still:,.0f} ms, and {nobody['still_ms']:,.1f} ms with nobody late."
    facts = f"The late thread was late by up to {wait:,.0f} ms; {stood}"
    if usual > LATE_TOO * wait:
        return one("late", f"{facts} Without the late thread the wait took up to {usual:,.0f} ms.")
    return one("stands" if still > STANDS * wait else "moment" if still > STOPS * wait else "spins", facts)
