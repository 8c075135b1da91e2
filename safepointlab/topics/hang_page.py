"""Notebook 02 -> what it asks before each run, and which of the outcomes came, by the run's result.

The page says `lab.predict("02-killer")`, then `lab.predicted("02-killer", killer)`; exercises: hang_exercises.
"""

import pandas as pd

from safepointlab.errors import BadInput
from safepointlab.run.run import Run
from safepointlab.session.predictions import Came, Outcome, Prediction, one
from safepointlab.topics import hang
from safepointlab.topics.enumeration import listed

LATE_MS = 2_000  # what page 02 calls late, in its pictures too
SLOW_TTSP_MS, OLD = 100, 15  # a stop that a reader would notice; the last JDK without nests of loops

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

XCOMP = Prediction(
    "02-xcomp",
    "On JDK 8 both flags are set, so that C2 compiles the method before its first call. `main` sleeps for 0.6 s, and "
    "the lab waits for 6 s.",
    {
        "exits": Outcome(
            "It exits after the sleep, as without the flags",
            "The code that C2 makes before the first call polls here, too.",
            "The flags change the way into the loop: at the top, in the standard version. C2 left no poll in "
            "its loops.",
        ),
        "unsaid": Outcome(
            "`main` never says that it returns: it is still being compiled, or stopped, when the lab gives up",
            "`main` was held up before its last line, by a safepoint that was requested while it slept.",
            "No safepoint had been requested when `main` woke up, and to print a line it needs none.",
        ),
        "stays": Outcome(
            "`main` says that it returns, and the JVM stays",
            "To leave, the JVM stops all threads at a safepoint. `counter` runs C2's standard version, whose counted "
            "loops have no poll, and everybody waits for it.",
            "Then the thread would have to be in code without a poll. Look at the compilation log of this run.",
        ),
        "refused": Outcome(
            "It does not start: these flags do not go together",
            "The JVM refused the flags.",
            "`-Xcomp` says when to compile, `-XX:-TieredCompilation` by which compiler: by C2 alone.",
        ),
    },
    lambda run: _xcomp(run),
    "the run itself, as `lab.java` returned it",
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

LONG = Prediction(
    "02-long",
    "One warmed loop with a `long` index, and a request for a collection while it runs, with Serial and with G1. How "
    'long does the stop take to be reached? ("Old" are JDK 8 and 11 here, "new" those from 17 on.)',
    {
        "short": Outcome(
            "At most a few milliseconds on every JDK with both collectors",
            "A loop with a long index has a poll in each iteration, or in each strip, on these JDKs.",
            "Since 16 C2 makes a nest of such a loop, and its inner loop is counted. With Serial it has no poll.",
        ),
        "old": Outcome(
            "About a second on the old JDKs, at most a few milliseconds on the new ones",
            "On the old JDKs this loop has no poll.",
            "It is the other way round. On 8 and 11 C2 does not count a loop with a long index, so it polls.",
        ),
        "new-serial": Outcome(
            "About a second on new JDKs with Serial, at most a few milliseconds in all other cases",
            "Since 16 C2 makes a nest of such a loop: inside it an `int` loop of up to 2³¹ iterations, counted,"
            " without a poll. G1 asks for strip mining, which cuts that loop, too.",
            "Since 16 C2 makes a nest of such a loop, which is counted inside. Your JDKs do not show it here.",
        ),
        "new": Outcome(
            "About a second on new JDKs with both collectors, at most a few milliseconds on the old ones",
            "C2 makes a counted loop of it on the new JDKs, and no strip mining cuts it.",
            "Right for Serial. G1 asks for strip mining, which cuts the counted part of the nest.",
        ),
        "all": Outcome(
            "About a second on every JDK with Serial",
            "No JDK polls in this loop with Serial.",
            "On 8 and 11 C2 does not count a loop with a long index, so it polls.",
        ),
    },
    lambda waits: _long(waits),
    "the table of `hang.long_index_waits(versions)`",
)

PREDICTIONS = (TODAY, XCOMP, KILLER, CURES, LONG)


def _today(today: pd.DataFrame) -> Came:
    hung, facts = today["outcome"] == "hung", _fates(today)
    if hung.any():
        return one("never" if hung.all() else "some", facts)
    slowest = today["wall_ms"].max() / 1000
    late = slowest * 1000 > LATE_MS
    return one("late" if late else "soon", f"{facts} The slowest of them took {slowest:.1f} s, its start included.")


def _xcomp(run: Run) -> Came:
    after = f"after {run.wall_ms / 1000:.1f} s"
    if not run.hung:
        return one("exits", f"The JVM exited {after}.")
    said = "main returns" in run.output
    return one("stays" if said else "unsaid", f"The JVM was still there {after}, and {_holdup(run)}.")


def _holdup(run: Run) -> str:
    return f"waited for the thread `{run.forensics.holdup}`" if run.forensics.holdup else "no thread held it up"


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


def _long(waits: pd.DataFrame) -> Came:
    slow, serial, new = waits["ttsp_ms"] > SLOW_TTSP_MS, waits["gc"] == hang.NO_POLLS, waits["jdk"] > OLD
    longest = waits.sort_values("ttsp_ms", na_position="first").iloc[-1]
    facts = f"The longest median is {longest['ttsp_ms']:,.1f} ms, on JDK {longest['jdk']} with {longest['gc']}."
    some = {name: bool(slow[rows].any()) for name, rows in _groups(serial, new).items()}
    by_slow = {
        (): "short",
        ("new serial",): "new-serial",
        ("new serial", "new G1"): "new",
        ("old serial", "new serial"): "all",
        ("old serial",): "old",
        ("old serial", "old G1"): "old",
    }
    key = by_slow.get(tuple(name for name, any_slow in some.items() if any_slow))
    return one(key, facts) if key else Came(frozenset(), facts)


def _groups(serial: "pd.Series[bool]", new: "pd.Series[bool]") -> dict[str, "pd.Series[bool]"]:
    return {"old serial": ~new & serial, "old G1": ~new & ~serial, "new serial": new & serial, "new G1": new & ~serial}


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
