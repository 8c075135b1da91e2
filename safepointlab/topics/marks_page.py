"""Notebook 91 -> what it asks before each run, and which of the outcomes came, by the run's result.

The page says `lab.predict("91-unlocked")`, then `lab.predicted("91-unlocked", run)`; its exercises are in
marks_exercises.
"""

import pandas as pd

from safepointlab.errors import BadInput
from safepointlab.run.run import Run
from safepointlab.session.predictions import Came, Outcome, Prediction, one
from safepointlab.topics import marks

NOTHING_NS = 0.2  # less than a cycle
LITTLE, MUCH = 2.0, 3.0  # times: two prices are about the same, or of another kind

UNLOCKED = Prediction(
    "91-unlocked",
    "On JDK 17 with biased locks, one thread locks a new object and unlocks it again. What does the object's first "
    "word look like after that?",
    {
        "new": Outcome(
            "As before it was locked: unlocking undoes locking",
            "The word of an object that nobody holds tells nothing of who held it.",
            "So it is without biased locks. A biased lock keeps something.",
        ),
        "owner": Outcome(
            "As while it was locked: the thread's address is still there",
            "The first thread leaves its address, and unlocking does not take it away.",
            "Then unlocking would have to leave the word alone.",
        ),
        "monitor": Outcome(
            "It leads to a monitor, in which the owner is noted",
            "The lock is fat from the start on this JDK.",
            "A monitor is made when somebody has to wait, and nobody does here.",
        ),
        "third": Outcome(
            "Another way: the address is gone, and a mark says that somebody held it",
            "The word differs from both others.",
            "There are no such bits. Compare the words in the drawing.",
        ),
    },
    lambda run: _unlocked(run),
    "the run of `marks.words(17)`",
)

SECOND = Prediction(
    "91-second",
    "Now another thread locks the object, when nobody holds it, and unlocks it. The word had the first thread's "
    "address. What does it look like in the end?",
    {
        "moved": Outcome(
            "Biased to the second thread",
            "The bias went over to the thread that had it last.",
            "A single object's bias is not handed on: it is revoked, for good.",
        ),
        "back": Outcome(
            "Still biased to the first thread",
            "The second thread left the word as it had found it.",
            "The bias has to go before another thread can hold the lock.",
        ),
        "unlocked": Outcome(
            "Unlocked, and biased to nobody any more",
            "The bias was revoked; then the second thread held a thin lock, and unlocking undid that. This object will "
            "never be biased again.",
            "Then the last three bits would be 001.",
        ),
        "fat": Outcome(
            "Fat: two threads have used it",
            "The lock got a monitor.",
            "A monitor is for threads that wait, and nobody had to.",
        ),
    },
    lambda run: _second(run),
    "the run of `marks.words(17)`",
)

BOTH = Prediction(
    "91-both",
    "One thread holds the lock, another one wants it and has to wait. Where is the queue of those who wait, and does "
    "the word keep a trace of it when the first thread has handed the lock over?",
    {
        "word": Outcome(
            "In the word itself: it has the address of the thread that waits",
            "The word says neither unlocked nor fat.",
            "64 bits are not enough for a queue, and nobody knows its length beforehand.",
        ),
        "kept": Outcome(
            "In a structure outside the object; the word leads to it, and still does so afterwards",
            "The lock is inflated: it has a monitor, with the owner and the queue. The hand-over leaves the monitor in "
            "its place. (Later the JVM takes an unused monitor away, which is not shown here.)",
            "Then both words would end with 10.",
        ),
        "nowhere": Outcome(
            "Nowhere: the thread that waits tries again and again, and the word is that of a thin lock",
            "The lock was not inflated while the thread waited.",
            "A thread may try for a moment. Then it goes to sleep, and somebody has to know whom to wake.",
        ),
        "undone": Outcome(
            "In a structure outside the object; as soon as nobody waits the word is thin again",
            "The monitor went with the one who waited.",
            "The monitor is not thrown away at once: see the second word.",
        ),
    },
    lambda run: _both(run),
    "the run of `marks.words(17)`",
)

PRICE = Prediction(
    "91-price",
    "A call takes and releases a lock for which nobody else asks. What does the lock add to the call on JDK 17: a "
    "biased one, and a thin one?",
    {
        "free": Outcome(
            "Neither adds anything that can be measured: nobody else wants the lock",
            f"Both cost less than {NOTHING_NS} ns.",
            "The lock has to be taken and released all the same, and nobody can know that no one else will come.",
        ),
        "same": Outcome(
            "Both add about the same",
            "The bias saves next to nothing on this processor.",
            "A thin lock takes an atomic instruction to lock and one to unlock, a biased one a look at the word.",
        ),
        "biased": Outcome(
            "A thin lock adds several times as much as a biased one",
            "The biased lock is a look at the word. A thin one takes an atomic instruction to lock and another one to "
            "unlock.",
            "Then the two prices would be far from each other.",
        ),
        "thin": Outcome(
            "A biased lock adds more than a thin one: it has more to compare",
            "On this processor the atomic instructions are the cheaper ones.",
            "It compares more, but without an atomic instruction, and these cost the most.",
        ),
    },
    lambda prices: _price(prices),
    "the table of `marks.prices(jdks)`",
)

PREDICTIONS = (UNLOCKED, SECOND, BOTH, PRICE)


def _unlocked(run: Run) -> Came:
    fresh, locked, unlocked = (marks.number(run, name) for name in marks.ALONE)
    key = "owner" if unlocked == locked != fresh else "new" if unlocked == fresh else "third"
    key = "monitor" if marks.state(run, "unlocked") == "fat" else key
    return one(key, f"Locked 0x{locked:x}, unlocked 0x{unlocked:x}.")


def _second(run: Run) -> Came:
    first, end = marks.number(run, "unlocked"), marks.number(run, "other_unlocked")
    state = marks.state(run, "other_unlocked")
    facts = f"Before 0x{first:x}, in the end 0x{end:x}: {state}."
    keys = {"unlocked": "unlocked", "fat": "fat", "biased": "back" if first == end else "moved"}
    return one(keys[state], facts) if state in keys else Came(frozenset(), facts)


def _both(run: Run) -> Came:
    held, after = (marks.state(run, name) for name in marks.BOTH)
    later = "still" if after == held else after
    facts = f"The word says {held} while a thread waits, and {later} after the hand-over."
    if held != "fat":
        return Came(frozenset({"thin": {"nowhere"}, "unlocked": set()}.get(held, {"word"})), facts)
    return one("kept" if after == "fat" else "undone", facts)


def _price(prices: pd.DataFrame) -> Came:
    above = marks.above_a_call(prices)
    if 17 not in above.index:
        raise BadInput("there is no row of JDK 17")
    biased, thin = (float(above[kind][17]) for kind in (marks.BIASED, marks.THIN))
    facts = f"A biased lock adds {biased:.1f} ns to the call, a thin one {thin:.1f} ns."
    if max(abs(biased), abs(thin)) < NOTHING_NS:
        return one("free", facts)
    if thin < 0 or biased > thin * LITTLE:
        return one("thin", facts) if biased > thin > 0 else Came(frozenset(), facts)
    if thin > MUCH * max(biased, 0.0):
        return one("biased", facts)
    return one("same", facts) if max(biased, thin) <= LITTLE * min(biased, thin) else Came(frozenset(), facts)
