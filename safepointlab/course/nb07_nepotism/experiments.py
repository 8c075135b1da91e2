"""A JDK, a collector and a queue -> one run of the topic's programs; several of them -> a table, one row a run.

All programs offer and poll on a queue with next to nothing in it, after one full collection has made its head old. What
counts is what young collections promote, and for how long the collector made the program wait. Equal runs of one
session are shared; `repeat` makes another one.
"""

import re

import pandas as pd

from safepointlab import jdks
from safepointlab.jdks import flags as vm_flags
from safepointlab.run import launch
from safepointlab.run.run import Run

QUEUE, REAL_QUEUE = "nepotism/NepotismQueue", "nepotism/RealQueues"
SIZE = "nepotism/SizeUnderRace"
HEAP = "-Xms256m -Xmx256m"
PAIRS = 15_000_000  # the programs' own default: some 340 MiB of nodes, more than the heap holds
KEPT, CUT, SELF, REUSED = "NepotismQueue", "UnlinkedQueue", "SelfLinkedQueue", "ReusedNodeQueue"
YOUNG_AND_OLD = ("Serial", "Parallel", "G1")
AGELESS = ("Z", "Shenandoah")  # unless asked for generations
MODE = re.compile(r"[+-]ZGenerational$|ShenandoahGCMode=")
NOTICEABLE_MS, WORSE = 200, 10  # a busy machine alone makes a collector wait for some tens of ms
RUNS = {"Z": 2}  # now and then its old collection breaks the chain in time; and on a busy machine it stalls anyway
TO_GET_OLD = {"Shenandoah": 5}  # full collections that it takes to make the queue's head old; elsewhere 1
COMPACT_HEADERS = "UseCompactObjectHeaders"
JCTOOLS = "org.jctools:jctools-core"
MPSC = "org.jctools.queues.atomic.MpscLinkedAtomicQueue"
JDK_QUEUES = tuple(
    f"java.util.concurrent.{name}" for name in ("LinkedBlockingQueue", "ConcurrentLinkedQueue", "LinkedTransferQueue")
)


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
    args = arguments(name, pairs, full, staying)
    return launch.java(QUEUE, jdk, f"{HEAP} {flags}", gc=gc, args=args, log="gc", repeat=repeat, reuse=True)


def arguments(name: str, pairs: int = PAIRS, full: int = 1, staying: int = 0) -> str:
    """The program's arguments, without those at the end that are its own defaults.

    >>> arguments(CUT), arguments(CUT, full=5), arguments(CUT, staying=1)
    ('UnlinkedQueue', 'UnlinkedQueue 15000000 5', 'UnlinkedQueue 15000000 1 1')
    """
    given, usual = [pairs, full, staying], [PAIRS, 1, 0]
    while given and given[-1] == usual[len(given) - 1]:
        given.pop()
    return " ".join(map(str, [name, *given]))


def long_queue(jdk: int, name: str = KEPT, gc: str = "Serial") -> Run:
    """Twice as many pairs: enough for young collections after the full one, also where nodes are small."""
    return queue(jdk, name, gc, pairs=2 * PAIRS)


def compact_headers(jdk: int) -> dict[bool, Run]:
    """The long queue that keeps its links without and with compact object headers; empty where no JDK has them."""
    if COMPACT_HEADERS not in vm_flags.known(jdks.get(jdk)):
        return {}
    return {on: queue(jdk, flags=f"-XX:{'+' if on else '-'}{COMPACT_HEADERS}", pairs=2 * PAIRS) for on in (False, True)}


def without_generations(jdk: int) -> dict[str, str]:
    """The flags of the collectors that treat all objects alike: ZGC until JEP 490 (24), Shenandoah as it comes."""
    collectors = {"Shenandoah": ""} if jdk >= 11 else {}
    return collectors | ({"Z": "-XX:-ZGenerational" if jdk == 23 else ""} if 11 <= jdk < 24 else {})


def other_generational(jdk: int) -> dict[str, str]:
    """The flags of ZGC's (JEP 439, JDK 21; alone from 24 on) and Shenandoah's (JEP 404, 24) generations."""
    collectors = {"Z": "-XX:+ZGenerational" if jdk < 23 else ""} if jdk >= 21 else {}
    return collectors | ({"Shenandoah": "-XX:ShenandoahGCMode=generational"} if 24 <= jdk <= 25 else {})


def real_queue(jdk: int, name: str, jar: str = "") -> Run:
    """Offer and poll on a java.util.Queue of the JDK, or of the library with this Maven coordinate; gc log."""
    jars = [jar] if jar else []
    return launch.java(REAL_QUEUE, jdk, HEAP, gc="Serial", args=[name], log="gc", jars=jars, reuse=True)


def size(jdk: int, parting: str) -> Run:
    """One thread counts a queue's 1,000 elements while another one offers and polls.

    Returns:
        A run with the values asked, too_low, lowest, highest, restarts: walks, wrong ones, their results.
    """
    return launch.java(SIZE, jdk, HEAP, args=[parting], reuse=True)


def given_up(run: Run) -> pd.DataFrame:
    """The young collections that gave up, since the old generation might have had no room: a row each.

    Returns:
        next (the kind of the collection after it), left_mib (in use after that one), promoted_mib (by all young
        collections that followed).
    """
    log = run.gc.reset_index(drop=True)
    unknown = log["kind"].eq("young") & log["promoted_mib"].isna()
    columns = {
        "next": log["kind"].shift(-1, fill_value=""),
        "left_mib": log["after_mib"].shift(-1),
        "promoted_mib": log["promoted_mib"][::-1].fillna(0).cumsum(),
    }
    return log.assign(**columns).loc[unknown, list(columns)]


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
    digits = re.search(r"\d+", str(jdk).rpartition(":")[2])
    major = int(digits[0]) if digits else 0
    words = flags.split()
    modes = [word for word in words if MODE.search(word)]
    rest = [word for word in words if word not in modes]
    if gc not in AGELESS:
        return gc.replace("default", "JDK's own collector"), True, rest
    asked = any(mode.startswith("-XX:+") or mode.endswith("=generational") for mode in modes)
    by_itself = gc == "Z" and (major >= 24 or (major == 23 and not modes))
    return (f"{gc} generational", True, rest) if asked or by_itself else (gc, False, rest)


def promoted_mib(run: Run) -> float:
    """All that young collections moved to the old generation, in MiB."""
    return round(float(run.gc["promoted_mib"].sum()), 1)


def stopped_ms(run: Run) -> float:
    """For how long the program had to wait for the collector: its pauses, and with ZGC its stalls."""
    return round(float(run.gc["pause_ms"].sum()), 1)
