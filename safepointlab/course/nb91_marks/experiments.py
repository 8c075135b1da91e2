"""A JDK -> the mark words of objects locked in every way, the price of a lock, and how a class loses its biases.

The samples read the first eight bytes of an object with JOL and print them as `moment=0x...`: `plot.mark_word(run)`
draws them. Biased locks are switched on from the start wherever a JDK has them.
"""

from collections.abc import Sequence

import pandas as pd

from safepointlab.course.nb06_biased import code as biased_code
from safepointlab.course.nb06_biased import experiments as biased
from safepointlab.errors import BadInput
from safepointlab.programs.jars import JOL
from safepointlab.run import launch
from safepointlab.run.run import Run
from safepointlab.run.sweep import sweep

MARK_WORDS, PRICE, THIEVES = "biased/MarkWords", "biased/LockPrice", "biased/ManyThieves"
APART = "-XX:CompileCommand=dontinline,LockPrice.*Apart"
AT_ONCE = biased.switched_on(0)
FORKS = 3
FIRST_OF_THREAD, EPOCH = 10, 0b11 << 8  # the lowest bit of a biased word's thread, and the bits of its epoch
ALONE = ("fresh", "locked", "unlocked")
SECOND = ("unlocked", "other_locked", "other_unlocked")
BOTH = ("contended", "handed_over")
LABELS = {  # what the page calls the moments of MarkWords
    "early_later": "made before the switch",
    "fresh": "new",
    "locked": "locked by the first thread",
    "unlocked": "after unlocking",
    "other_locked": "locked by the other thread",
    "other_unlocked": "after the other thread unlocked",
    "contended": "while another thread waits",
    "handed_over": "after the hand-over",
}
AFTER = "after_"  # so ManyThieves' moments begin: after so many revocations
TAKEN, NEVER = "biased to the first thread", "never biased"
PLAIN, BIASED, THIN = "no lock", "biased lock", "thin lock"


def words(jdk: int, flags: str = "", delay_ms: int = 0) -> Run:
    """MarkWords with all 64 bits: its values are `moment: "0x..."`.

    Args:
        delay_ms: when biased locks are switched on, where the JDK has them; the program waits until twice that time.
    """
    switch = biased.switched_on(delay_ms) if jdk < biased.REMOVED else ""
    args = f"{2 * delay_ms} hex"
    return launch.java(MARK_WORDS, jdk, f"{switch} {flags}".strip(), args=args, jars=[JOL], reuse=True)


def biased_at_once(jdk: int) -> str:
    """The flags for biased locks from the start; none where the JDK does not know them."""
    return AT_ONCE if jdk < biased.REMOVED else ""


def some(run: Run, moments: Sequence[str]) -> dict[str, str]:
    """The words of these moments, in this order.

    Raises:
        BadInput: the run has no such word.
    """
    if missing := [name for name in moments if not isinstance(run.values.get(name), str)]:
        raise BadInput(f"{run!r} printed no mark word named {', '.join(missing)}")
    return {name: str(run.values[name]) for name in moments}


def labelled(run: Run, moments: Sequence[str]) -> dict[str, str]:
    """The words of these moments by what the page calls them: "after unlocking", "new object after revocation 20"."""
    return {_label(name): word for name, word in some(run, moments).items()}


def _label(moment: str) -> str:
    return LABELS.get(moment, moment.replace(AFTER, "new object after revocation "))


def crowd(run: Run) -> list[str]:
    """The moments of `thieves`: each time the word of a new object has changed."""
    return [str(name) for name in run.values if str(name).startswith(AFTER)]


def state(run: Run, moment: str) -> str:
    """What the word of this moment says, in the words of MarkWords.meaning: "biasable", "biased", "thin", ..."""
    word = number(run, moment)
    if run.major < biased.REMOVED and word & 0b111 == 0b101:
        return "biased" if word >> FIRST_OF_THREAD else "biasable"
    return ("thin", "unlocked", "fat", "moved")[word & 0b11]


def number(run: Run, moment: str) -> int:
    """The word of this moment."""
    return int(some(run, [moment])[moment], 16)


def changed_bits(run: Run, before: str, after: str) -> int:
    """How many of the 64 bits differ between two moments."""
    return (number(run, before) ^ number(run, after)).bit_count()


def lock_states(jdks: Sequence[int]) -> pd.DataFrame:
    """Three or four moments on each JDK: one row a moment and JDK; columns jdk, moment, state."""
    runs = [words(jdk) for jdk in jdks]
    names = {"fresh": "new", "locked": "locked", "unlocked": "unlocked again", "other_unlocked": "after another thread"}
    rows = [(run.major, text, state(run, name)) for run in runs for name, text in names.items()]
    return pd.DataFrame(rows, columns=["jdk", "moment", "state"])


def prices(jdks: Sequence[int]) -> pd.DataFrame:
    """What a call with a lock takes that is not inlined, and one without a lock: several JVMs a JDK.

    Returns:
        One row a JVM and kind: jdk, kind (PLAIN, BIASED, THIN), ns. From 18 on there is no row of BIASED.
    """
    runs = pd.concat(_priced(jdk) for jdk in jdks)
    kinds = {PLAIN: "plain_ns", BIASED: "fresh_ns", THIN: "hashed_ns"}
    rows = pd.concat(runs[["jdk", name]].rename(columns={name: "ns"}).assign(kind=kind) for kind, name in kinds.items())
    return rows[(rows["kind"] != BIASED) | (rows["jdk"] < biased.REMOVED)].reset_index(drop=True)


def _priced(jdk: int) -> pd.DataFrame:
    return sweep(PRICE, jdk=jdk, flags=[f"{APART} {biased_at_once(jdk)}".strip()], repeat=FORKS, reuse=True)


def revocations(jdks: Sequence[int]) -> pd.DataFrame:
    """LockAgain: the first lock that a thread takes of objects that another one locked before; a row a JVM.

    Returns:
        jdk, lock (TAKEN: the object was biased to the other thread; NEVER: there are no biases), other_us (median).
    """
    runs = pd.concat(biased_code.locks(jdk) for jdk in jdks)
    lock = runs["flags"].map({biased_code.BIASED: TAKEN, biased.OFF: NEVER})
    return runs[["jdk", "other_us"]].assign(lock=lock).reset_index(drop=True)


def above_a_call(prices: pd.DataFrame) -> pd.DataFrame:
    """What each kind of lock costs above the call without one, in ns: a row a JDK, columns by kind."""
    medians = prices.groupby(["jdk", "kind"])["ns"].median().unstack()
    return medians.drop(columns=PLAIN).sub(medians[PLAIN], axis=0)


def thieves(jdk: int, flags: str = "", objects: int = 45) -> Run:
    """ManyThieves: as many objects lose their bias; its values are the words of new objects, `after_20: "0x..."`."""
    chosen = f"{AT_ONCE} {flags}".strip()
    return launch.java(THIEVES, jdk, chosen, args=str(objects), jars=[JOL], reuse=True)
