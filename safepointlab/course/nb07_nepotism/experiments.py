"""What page 07, its claims, its answers and its demo share: runs of a queue, and how long a program waits for them.

All programs offer and poll on a queue with next to nothing in it, after one full collection has made its head old. What
counts is what young collections promote, and for how long the collector made the program wait. Equal runs of one
session are shared; `repeat` makes another one.
"""

import re

import pandas as pd

from safepointlab.run import launch
from safepointlab.run.run import Run

QUEUE = "nepotism/NepotismQueue"
HEAP = "-Xms256m -Xmx256m"
PAIRS = 15_000_000  # the programs' own default: some 340 MiB of nodes, more than the heap holds
KEPT, CUT, REUSED = "NepotismQueue", "UnlinkedQueue", "ReusedNodeQueue"
AGELESS = ("Z", "Shenandoah")  # unless asked for generations
MODE = re.compile(r"[+-]ZGenerational$|ShenandoahGCMode=")
NOTICEABLE_MS, WORSE = 200, 10  # a busy machine alone makes a collector wait for some tens of ms


def queue(
    jdk: int,
    name: str = KEPT,
    gc: str = "Serial",
    flags: str = "",
    *,
    pairs: int = PAIRS,
    full: int = 1,
    staying: int = 0,
    repeat: int = 0,
) -> Run:
    """Offer and poll on one of the lab's own queues, with the gc log.

    Args:
        full: full collections beforehand. staying: elements that stay in the queue all the time.
    """
    given, usual = [pairs, full, staying], [PAIRS, 1, 0]
    while given and given[-1] == usual[len(given) - 1]:  # the page leaves out the program's own defaults, too
        given.pop()
    return launch.java(QUEUE, jdk, f"{HEAP} {flags}", gc=gc, args=[name, *given], log="gc", repeat=repeat, reuse=True)


def long_queue(jdk: int, name: str = KEPT, gc: str = "Serial", flags: str = "") -> Run:
    """Twice as many pairs: enough for young collections after the full one, also where nodes are small."""
    return queue(jdk, name, gc, flags, pairs=2 * PAIRS)


def promoted_mib(run: Run) -> float:
    """All that young collections moved to the old generation, in MiB."""
    return round(float(run.gc["promoted_mib"].sum()), 1)


def pauses(run: Run) -> pd.DataFrame:
    """The collections of the run, without Serial's young ones that went on to a full one, on JDK 11.

    There the full collection has a line of its own, which comes first and has the higher number, and the line of the
    young one counts the same pause again.
    """
    number = run.gc["gc_id"]
    around = number.lt(number.cummax()).fillna(False).astype(bool) & run.gc["kind"].eq("young")
    return run.gc[~(around & run.gc["collector"].eq("Serial"))]


def stopped_ms(run: Run) -> float:
    """For how long the program had to wait for the collector: its pauses, and with ZGC its stalls."""
    return round(float(pauses(run)["pause_ms"].sum()), 1)


def waits(runs: pd.DataFrame) -> pd.DataFrame:
    """For how long a collector makes the program wait where the links are kept, and where they are cut.

    Args:
        runs: sweeps over two queues, the first word of `args`, with stopped_ms.

    Returns:
        One row for each JDK, collector and flags: jdk, gc, flags, collector (its name, with "generational" where that
        is a mode, and the flags that not all runs have), generations (does it have them?), kept_ms, cut_ms (medians),
        nepotism (does keeping the links cost NOTICEABLE_MS and WORSE times the wait? NA if one of both is missing).
    """
    keeps = runs["args"].astype("string").str.split(" ").str[0] == KEPT
    ms = pd.to_numeric(runs["stopped_ms"], errors="coerce")
    names = ["jdk", "gc", "flags"]
    sides = runs[names].assign(kept_ms=ms.where(keeps), cut_ms=ms.where(~keeps))
    medians = sides.groupby(names, sort=False).median().reset_index()
    collectors = [_collector(*row) for row in medians[names].itertuples(index=False)]
    shared = set.intersection(*(set(rest) for _, _, rest in collectors)) if collectors else set()
    labels = [" ".join([name, *(word for word in rest if word not in shared)]) for name, _, rest in collectors]
    worse = (medians["kept_ms"] > NOTICEABLE_MS) & (medians["kept_ms"] > WORSE * medians["cut_ms"])
    known = medians[["kept_ms", "cut_ms"]].notna().all(axis=1)
    return medians.assign(
        collector=labels,
        generations=[by_age for _, by_age, _ in collectors],
        nepotism=worse.astype("boolean").where(known),
    )


def _collector(jdk: object, gc: str, flags: str) -> tuple[str, bool, list[str]]:
    """A collector's name, whether it has generations, and the flags that do not decide about that."""
    name = {"Z": "ZGC", "default": "JDK's own collector"}.get(gc, gc)
    modes = [word for word in flags.split() if MODE.search(word)]
    rest = [word for word in flags.split() if word not in modes]
    if gc not in AGELESS:
        return name, True, rest
    digits = re.search(r"\d+", str(jdk).rpartition(":")[2])  # "temurin:25"
    major = int(digits[0]) if digits else 0
    asked = any(mode.startswith("-XX:+") or mode.endswith("=generational") for mode in modes)
    by_itself = gc == "Z" and (major >= 24 or (major == 23 and not modes))
    return (f"{name} generational", True, rest) if asked or by_itself else (name, False, rest)
