"""A JDK, a collector and a queue -> one run of the topic's programs; several of them -> a table, one row a run.

All programs offer and poll on a queue with next to nothing in it, after one full collection has made its head old. What
counts is what young collections promote, and for how long the collector made the program wait. Equal runs of one
session are shared; `repeat` makes another one.
"""

from collections.abc import Sequence
from typing import Any

import pandas as pd

from safepointlab import jdks
from safepointlab.jdks import flags as vm_flags
from safepointlab.run import launch
from safepointlab.run.run import Run
from safepointlab.run.sweep import sweep

QUEUE, REAL_QUEUE, CHAIN = "nepotism/NepotismQueue", "nepotism/RealQueues", "nepotism/ZombieChain"
SIZE, NOW_AND_THEN = "nepotism/SizeUnderRace", "nepotism/CutNowAndThen"
HEAP = "-Xms256m -Xmx256m"
PAIRS = 15_000_000  # the programs' own default: some 340 MiB of nodes, more than the heap holds
KEPT, CUT, SELF, REUSED = "NepotismQueue", "UnlinkedQueue", "SelfLinkedQueue", "ReusedNodeQueue"
PARTINGS = ("keep", "unlink", "self")  # what becomes of a polled node's link, in ZombieChain and SizeUnderRace
YOUNG_AND_OLD = ("Serial", "Parallel", "G1")
AGELESS = ("Z", "Shenandoah")  # unless asked for generations
MUCH_LONGER = 3  # times
RUNS = {"Z": 2}  # now and then its old collection breaks the chain in time; and on a busy machine it stalls anyway
TO_GET_OLD = {"Shenandoah": 5}  # full collections that it takes to make the queue's head old; elsewhere 1
COMPACT_HEADERS = "UseCompactObjectHeaders"
JCTOOLS, SPSC = "org.jctools:jctools-core", "org.jctools.queues.SpscLinkedQueue"
MPSC = "org.jctools.queues.atomic.MpscLinkedAtomicQueue"
JDK_QUEUES = tuple(
    f"java.util.concurrent.{name}" for name in ("LinkedBlockingQueue", "ConcurrentLinkedQueue", "LinkedTransferQueue")
)
LIBRARIES = {  # a library's coordinate, or "" for the JDK -> its linked queues
    "": JDK_QUEUES,
    f"{JCTOOLS}:1.1": (SPSC, MPSC),  # 2015
    f"{JCTOOLS}:4.0.5": (SPSC, MPSC),
    "org.agrona:agrona:1.22.0": ("org.agrona.concurrent.ManyToOneConcurrentLinkedQueue",),
}


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


def now_and_then(jdk: int, every: int = 1000, pairs: int = PAIRS) -> Run:
    """A queue that cuts one link in `every`, under Serial, with the gc log."""
    return launch.java(NOW_AND_THEN, jdk, HEAP, gc="Serial", args=[every, pairs], log="gc", reuse=True)


def cures(jdks: Sequence[int], staying: int = 0) -> pd.DataFrame:
    """The queue that keeps its links and the three cures, under Serial: one row a JDK and queue, as `swept` has it.

    Args:
        staying: elements that stay in the queue all the time.

    Returns:
        As `swept`, and queue, the name of its class.
    """
    runs = swept(list(jdks), "Serial", queues=(KEPT, CUT, SELF, REUSED), staying=staying)
    return runs.assign(queue=runs["args"].str.partition(" ")[0])


def by_collector(jdks: Sequence[int]) -> pd.DataFrame:
    """Links kept and links cut, under each collector of each JDK: one row a run, as `swept` has it.

    Returns:
        gc is "Z generational" or "Shenandoah generational" where a mode with generations was asked for.
    """
    tables = [swept(jdks, [*YOUNG_AND_OLD, "Shenandoah"]), swept([jdk for jdk in jdks if jdk < 23], "Z")]
    for jdk in jdks:
        for gc, flags in other_generational(jdk).items():
            tables.append(swept(jdk, gc, flags, full=TO_GET_OLD.get(gc, 1)).assign(gc=f"{gc} generational"))
    return pd.concat(tables)


def swept(
    jdk: object,
    gc: str | list[str],
    flags: str = "",
    *,
    full: int = 1,
    queues: Sequence[str] = (KEPT, CUT),
    staying: int = 0,
) -> pd.DataFrame:
    """The runs of `queue` for each JDK, collector and queue, as often as RUNS says.

    Returns:
        sweep's columns, and promoted_mib, stopped_ms of each run.
    """
    args = [arguments(name, full=full, staying=staying) for name in queues]
    repeat = RUNS.get(gc, 1) if isinstance(gc, str) else 1
    columns = {"promoted_mib": promoted_mib, "stopped_ms": stopped_ms}
    wanted: dict[str, Any] = {"flags": f"{HEAP} {flags}".strip(), "args": args, "repeat": repeat}
    return sweep(QUEUE, jdk=jdk, gc=gc, **wanted, log="gc", also=columns, reuse=True)


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


def libraries(jdks: Sequence[int]) -> pd.DataFrame:
    """The runs of `real_queue` for all LIBRARIES: one row a JDK and queue.

    Returns:
        sweep's columns (args is the queue's class), promoted_mib, library: its name and version, or "JDK", and queue:
        the short names of both.
    """
    asked: dict[str, Any] = {"jdk": list(jdks), "gc": "Serial", "flags": HEAP, "log": "gc", "reuse": True}
    columns = {"promoted_mib": promoted_mib}
    runs = pd.concat(
        sweep(REAL_QUEUE, args=list(names), jars=[jar] if jar else [], also=columns, **asked).assign(
            library=jar.partition(":")[2] or "JDK"
        )
        for jar, names in LIBRARIES.items()
    )
    return runs.assign(queue=runs["args"].str.rpartition(".")[2] + "\n" + runs["library"].str.replace(":", " "))


def chain(jdk: int, parting: str = "keep", nodes: int = 3, steps: int = 3) -> Run:
    """ZombieChain, whose output nepotism_output.read turns into one row a step.

    Args:
        parting: one of PARTINGS. nodes: offered and polled in each step. steps: how many; a young collection ends each.
    """
    flags = "-Xmx256m -XX:MaxTenuringThreshold=1"
    return launch.java(CHAIN, jdk, flags, gc="Serial", args=[parting, nodes, steps], reuse=True)


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


def waits_with_generations_only(runs: pd.DataFrame) -> bool:
    """Of `by_collector`, links kept: is each wait with generations MUCH_LONGER than any without them?"""
    kept = runs[runs["args"].str.startswith(KEPT)]
    waits = kept.groupby(["gc", "jdk"])["stopped_ms"].median().dropna()
    ageless = waits.index.get_level_values("gc").isin(AGELESS)
    return bool(waits[~ageless].min() > MUCH_LONGER * waits[ageless].max())


def promoted_mib(run: Run) -> float:
    """All that young collections moved to the old generation, in MiB."""
    return round(float(run.gc["promoted_mib"].sum()), 1)


def stopped_ms(run: Run) -> float:
    """For how long the program had to wait for the collector: its pauses, and with ZGC its stalls."""
    return round(float(run.gc["pause_ms"].sum()), 1)
