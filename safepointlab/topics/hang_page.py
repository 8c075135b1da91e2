"""Notebook 02 -> what it asks before each run, and which of the outcomes came, by the run's result.

The page says `lab.predict("02-killer")`, then `lab.predicted("02-killer", killer)`; exercises: hang_exercises.
"""

import pandas as pd

from safepointlab.errors import BadInput
from safepointlab.session.predictions import Came, Outcome, Prediction, one
from safepointlab.topics import hang
from safepointlab.topics.enumeration import listed

LATE_MS = 2_000  # what page 02 calls late, in its pictures too

TODAY = Prediction(
    "02-today",
    "The thread that counts is a daemon, `main` sleeps for 0.6 s and returns. No flag is set but the collector's. "
    "When does this program exit on the JDKs of today?",
    {
        "soon": Outcome(
            "It exits soon after the sleep",
            "`main` is done, a daemon keeps no JVM alive, and the counting thread stops when it is asked to. The "
            "compilation log below shows which code it runs.",
            "Something kept the JVM there. The log below shows which code the thread runs.",
        ),
        "late": Outcome(
            "It exits, but seconds late",
            "Some thread took seconds to stop: the stop is as late as the slowest of them.",
            "It would be late if the thread had seconds to go to its next poll. Its loop is entered in the middle, and "
            "that code polls in each iteration.",
        ),
        "some": Outcome(
            "It hangs on some JDKs or with one of the collectors, and exits on the others",
            "The code that the thread runs has a poll on some of them only.",
            "A poll by strip mining would make such a difference between collectors. Here the thread runs code "
            "that was entered in mid-loop, and that code polls with both.",
        ),
        "never": Outcome(
            "It hangs: years of counting come first",
            "One thread in code without a poll makes everybody wait for it.",
            "So it did in 2015. The JVM waits for no daemon to end, only for each thread to stop once, and this one "
            "stops: its code polls.",
        ),
    },
    lambda today: _today(today),
    "the table of `hang.posts(versions)`",
)

KILLER = Prediction(
    "02-killer",
    "`countOdds` was called 100,000 times with a small limit before a daemon calls it with a huge one. No flag "
    "is set but the collector's. On which JDKs, and with which of Serial and G1, does it hang?",
    {
        "all": Outcome(
            "Everywhere: on each JDK with both collectors",
            "Many calls make the JVM compile the whole method. The last call enters that code at the top, and no "
            "collector brings a poll into its loops here.",
            "With G1 something brings a poll back on the JDKs that exit. Part 3 looks for it in the machine code.",
        ),
        "not-new-g1": Outcome(
            "On each JDK with Serial, with G1 on 8 only",
            "Many calls make the JVM compile the whole method. The last call enters that code at the top, and its "
            "counted loops have no poll. Since JDK 10 strip mining gives them one where the collector asks for it: G1 "
            "does, Serial does not.",
            "This needs an 8 among your JDKs. Strip mining came with 10, and G1 asks for it.",
        ),
        "serial": Outcome(
            "On each JDK with Serial, never with G1",
            "G1 asks for strip mining, which is in each of these JDKs: it came with 10.",
            "Right for Serial. On 8 G1 has the same code as Serial: strip mining came later, with 10.",
        ),
        "old": Outcome(
            "On JDK 8 with both collectors, on no later one",
            "From 11 on the loops poll here whatever the collector is.",
            "Serial has not changed since 8: it does not ask for strip mining.",
        ),
        "none": Outcome(
            "Nowhere: a daemon keeps no JVM alive",
            "The thread reaches a poll everywhere. Then it does not run the code that this page speaks of.",
            "It does not wait for a daemon to end. But to leave it stops every thread once, daemons too, and "
            "this one runs code without a poll.",
        ),
    },
    lambda killer: _killer(killer),
    "the table of `hang.killers(versions)`",
)

CURES = Prediction(
    "02-cures",
    "The patient is the killer task with Serial. Which of these five cures let it exit on every JDK? For those without "
    "inlining a variant of it runs: the test stands in a method of its own, `isOdd`, which the loop calls.",
    {
        "interpret": Outcome(
            "Interpret the method: `-Xint`, or `exclude` for it alone",
            "The interpreter can always be stopped: on 8 the VM exchanges its table of bytecodes, later it polls at "
            "each jump back. It is slow.",
            "The interpreter can always be stopped: look which of the two flags failed.",
        ),
        "c1": Outcome(
            "Compile with C1 alone: `-XX:TieredStopAtLevel=1`",
            "C1 keeps the poll of every loop.",
            "C1 keeps the poll of every loop: this should not be.",
        ),
        "polls": Outcome(
            "Keep the polls of counted loops: `-XX:+UseCountedLoopSafepoints`",
            "With it C2 leaves a poll in a counted loop.",
            "With it C2 leaves a poll in a counted loop: this should not be.",
        ),
        "loop": Outcome(
            "No inlining of the method that has the loop: `dontinline,*.countOdds`",
            "The loop reached a poll: in C2's code of `countOdds` itself, or in what it calls.",
            "Its return poll stands behind a loop that does not end, and nothing changes inside it.",
        ),
        "called": Outcome(
            "No inlining of the method that the loop calls: `dontinline,*.isOdd`",
            "A compiled method polls before it returns, so each iteration has a poll. Inlined, it has no return.",
            "A compiled method polls before it returns: this should not be.",
        ),
    },
    lambda cured, inner: _cures(cured, inner),
    "two tables: that of `hang.cures(versions)`, then that of `hang.inner_calls(versions)`",
    several=True,
)

PREDICTIONS = (TODAY, KILLER, CURES)


def _today(today: pd.DataFrame) -> Came:
    hung, facts = today["outcome"] == "hung", _fates(today)
    if hung.any():
        return one("never" if hung.all() else "some", facts)
    slowest = today["wall_ms"].max() / 1000
    late = slowest * 1000 > LATE_MS
    return one("late" if late else "soon", f"{facts} The slowest of them took {slowest:.1f} s, its start included.")


def _killer(killer: pd.DataFrame) -> Came:
    hung, serial, old = killer["outcome"] == "hung", killer["gc"] == hang.NO_POLLS, killer["jdk"] <= 8
    rules = {
        "none": ~serial & serial,
        "all": serial | ~serial,
        "serial": serial,
        "old": old,
        "not-new-g1": serial | old,
    }
    keys = [key for key, rule in rules.items() if (hung == rule).all()]  # without an 8, two rules may be one
    return Came(frozenset(keys[:1]), _fates(killer))


def _cures(cured: pd.DataFrame, inner: pd.DataFrame) -> Came:
    tables = pd.concat([cured, inner])
    works = (tables["outcome"] == "exited").groupby(tables["flags"]).all()
    helping = frozenset(key for key, names in _tried(list(works.index)).items() if works[names].all())
    return Came(helping, f"{len(helping)} of {len(CURES.outcomes)} cures work.")


def _tried(flags: list[str]) -> dict[str, list[str]]:
    """By each cure's key its flags among those that were tried."""
    known = {"interpret": [hang.INTERPRETED, hang.EXCLUDED], "c1": [hang.CURES[2]], "polls": [hang.KEEP_POLLS]}
    spared = [flag for flag in flags if "dontinline" in flag]
    known |= {"loop": [flag for flag in spared if flag.endswith(".countOdds")]}
    known |= {"called": [flag for flag in spared if flag.endswith(".isOdd")]}
    if not all(names and set(names) <= set(flags) for names in known.values()):
        raise BadInput("not every cure was tried")
    return known


def _fates(runs: pd.DataFrame) -> str:
    """Where it hangs: "With Serial it hangs on JDK 8 and 11, with G1 on no JDK." """
    by_gc = runs.groupby("gc", sort=False)
    hung = {hang.collector(str(gc)): list(rows.loc[rows["outcome"] == "hung", "jdk"].astype(str)) for gc, rows in by_gc}
    (first, jdks), *others = hung.items()
    rest = "".join(f", with {gc} on {_listed(more)}" for gc, more in others)
    return f"With {first} it hangs on {_listed(jdks)}{rest}."


def _listed(jdks: list[str]) -> str:
    """ "JDK 8, 11 and 17", or "no JDK"."""
    return f"JDK {listed(jdks)}" if jdks else "no JDK"
