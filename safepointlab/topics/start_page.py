"""Notebook 00 -> what it asks before each run, and which of the outcomes came, by the run's result.

The page says `lab.predict("00-exit")`, then `lab.predicted("00-exit", stuck)`; exercises: start_exercises.
"""

import pandas as pd

from safepointlab.errors import BadInput
from safepointlab.run.run import Run
from safepointlab.session.predictions import Came, Outcome, Prediction, one
from safepointlab.topics import hang, start

LATE_MS = 2_000  # as on page 02

EXIT = Prediction(
    "00-exit",
    "A daemon thread counts, `main` sleeps for 0.6 s and returns. No other thread of the program is left. The lab "
    "waits for 3 s. Does the JVM exit?",
    {
        "soon": Outcome(
            "The JVM exits when `main` returns",
            "Daemon threads keep no JVM alive, and the counting thread stopped when it was asked to.",
            "A daemon keeps no JVM alive, that is true. But before it leaves, the JVM stops each thread once, and this "
            "one does not stop.",
        ),
        "late": Outcome(
            "It exits, but a second or more late",
            "Some thread took that long to stop, and the exit waited for it.",
            "It would, if the thread came to a place where it stops. This one counts for years first.",
        ),
        "refused": Outcome(
            "It ends with an error: no thread may compute for so long",
            "The program failed. Its output says why.",
            "No rule of Java says how long a thread may compute.",
        ),
        "stays": Outcome(
            "It is still there after the 3 s",
            "Before it leaves, the JVM stops each thread once, the daemon too. This one runs code in which a thread "
            "does not look whether it has to stop, and all others wait for it.",
            "The thread stopped when it was asked to. Notebook 02 shows which code makes it do so.",
        ),
    },
    lambda run: _exit(run),
    "the run itself, as `lab.java` returned it",
)

STOPS = Prediction(
    "00-stops",
    "`main` calls `System.gc()` five times, on JDK 17 with the Serial collector. How often does the log say that all "
    "threads of this program were stopped?",
    {
        "never": Outcome(
            "Not at all: a collector runs beside the program",
            "No stop was logged.",
            "Some collectors do most of their work beside the program. Serial does all of it while the program stands "
            "still.",
        ),
        "fewer": Outcome(
            "Fewer than five times: `System.gc()` is only a hint",
            "Some of the requests did not lead to a stop of their own.",
            "The specification calls it a suggestion. Serial follows each of them, unless a flag forbids it.",
        ),
        "same": Outcome(
            "Five times, once for each call",
            "Serial moves objects, and no thread may use them meanwhile: each collection needs one stop. The JVM "
            "logged no other. (It also stops all threads to exit, as in Part 1. But JDK 17 logs a stop when it is "
            "over, and that one never is.)",
            "The JVM stopped the threads for something else, too: the log names it.",
        ),
        "more": Outcome(
            "More than five times: the JVM has reasons of its own",
            "The log names a reason that is no collection.",
            "It may have, and on older JDKs it has. In this run it had none that it logged.",
        ),
    },
    lambda run: _stops(run),
    "the run itself, as `lab.java` returned it",
)

NAMES = Prediction(
    "00-names",
    "The same program, the same collector, on each of your JDKs. What differs in the log of its stops?",
    {
        "nothing": Outcome(
            "Nothing but the times: the same stops, with the same names",
            "These JDKs name and count the stops alike.",
            "A HotSpot of another year is another program. Look at the table: a name or a number has changed.",
        ),
        "names": Outcome(
            "The reasons have other names, their number is the same",
            "Only the names changed between these JDKs.",
            "The number of stops changed as well, or the names did not.",
        ),
        "number": Outcome(
            "The names are the same, but some JDKs log more stops",
            "Some of these JDKs log stops that nobody asked for, under the same names.",
            "The table has new names.",
        ),
        "both": Outcome(
            "Both: some reasons have other names, and some JDKs log more stops",
            "Some JDKs log stops that the program did not ask for, and the operation of the same request was renamed.",
            "Only one of the two changed between your JDKs, or neither.",
        ),
    },
    lambda table: _names(table),
    "the table of `start.everywhere(versions)`",
)

PREDICTIONS = (EXIT, STOPS, NAMES)


def _exit(run: Run) -> Came:
    after = f"after {run.wall_ms / 1000:.1f} s"
    if run.hung:
        waits = f", and all waited for the thread `{run.forensics.holdup}`" if run.forensics.holdup else ""
        return one("stays", f"The JVM was still there {after}{waits}.")
    if run.exit_code:
        return one("refused", f"It ended with the status {run.exit_code} {after}.")
    late = run.wall_ms > hang.SLEEP_MS + LATE_MS / 2
    return one("late" if late else "soon", f"The JVM exited {after}, its start included.")


def _stops(run: Run) -> Came:
    stops, requests = len(run.safepoints), start.requests(run)
    if not requests:
        raise BadInput("this run asked for no collection")
    facts = f"{requests} requests, {stops} stops in the log: {start.operations(run) or 'none'}."
    if stops == requests:
        return one("same", facts)
    return one("never" if not stops else "fewer" if stops < requests else "more", facts)


def _names(table: pd.DataFrame) -> Came:
    if table["jdk"].nunique() < 2:
        return Came(frozenset(), "There is only one JDK here, and nothing to compare it with.")
    named = [frozenset(str(names).split(", ")) for names in table["names"]]
    renamed, added = not frozenset.intersection(*named), table["stops"].nunique() > 1
    facts = "; ".join(f"JDK {jdk}: {stops} stops" for jdk, stops in zip(table["jdk"], table["stops"], strict=True))
    key = {(False, False): "nothing", (True, False): "names", (False, True): "number", (True, True): "both"}
    return one(key[renamed, added], f"{facts}.")
