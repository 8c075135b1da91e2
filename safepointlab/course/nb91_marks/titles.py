"""The runs and tables of notebook 91 -> the titles of its drawings: what locking leaves in the word, and what it costs.

A title is None where the run shows something else: then the drawing says what it sees.
"""

from collections.abc import Sequence

import pandas as pd

from safepointlab.course.nb06_biased import experiments as biased
from safepointlab.course.nb91_marks import experiments as marks
from safepointlab.run.run import Run

COUNTS = {1: "one bit", 2: "two bits", 3: "three bits"}


def alone(run: Run) -> str | None:
    """The word of an object that one thread has locked and unlocked."""
    locked, unlocked = (marks.number(run, name) for name in ("locked", "unlocked"))
    if marks.state(run, "unlocked") != "biased" or locked != unlocked:
        return None
    return f"JDK {run.major}, biased locks on: after unlocking the word still has the thread's address"


def second(run: Run) -> str | None:
    """The word when another thread locks and unlocks the biased object."""
    if _states(run, marks.SECOND) != ["biased", "thin", "unlocked"]:
        return None
    return f"JDK {run.major}: the second thread takes the bias away; the lock is thin, then unlocked"


def both(run: Run) -> str | None:
    """The word while a thread waits for the lock, and when it has got it."""
    if _states(run, marks.BOTH) != ["fat", "fat"]:
        return None
    return f"JDK {run.major}: a waiting thread makes the lock fat, and it stays fat after the hand-over"


def locking(run: Run) -> str:
    """How many bits differ between a new object and a locked one."""
    count = marks.changed_bits(run, "fresh", "locked")
    return f"JDK {run.major}: locking a new object changes {COUNTS.get(count, f'{count} bits')} of 64"


def crowd(run: Run) -> str:
    """When the word of a new object of the class changes, and what it says in the end."""
    first, *later = marks.crowd(run)
    numbers = [moment.removeprefix(marks.AFTER) for moment in later]
    changes = f"changes at revocation {' and '.join(numbers)}" if numbers else "does not change"
    end = marks.state(run, (later or [first])[-1])
    return f"JDK {run.major}: the word of a new object {changes}; in the end it says “{end}”"


def prices(table: pd.DataFrame, jdk: int = 17) -> str | None:
    """Of `marks.prices`: what a call takes on this JDK without a lock and with each kind."""
    medians = table[table["jdk"] == jdk].groupby("kind")["ns"].median()
    plain, leaning, thin = (medians.get(kind, float("nan")) for kind in (marks.PLAIN, marks.BIASED, marks.THIN))
    if not plain < leaning < thin:
        return None
    jvms = table.groupby(["jdk", "kind"]).size().min()
    return (
        f"JDK {jdk}: a call takes {plain:.1f} ns without a lock, {leaning:.1f} ns with a biased\n"
        f"and {thin:.0f} ns with a thin one (medians of {jvms}; since {biased.REMOVED} no bias)"
    )


def _states(run: Run, moments: Sequence[str]) -> list[str]:
    return [marks.state(run, name) for name in moments]
