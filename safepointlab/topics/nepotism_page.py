"""Notebook 07's questions: by what a run shows, which of the outcomes came."""

from collections.abc import Iterable

import pandas as pd

from safepointlab.errors import BadInput
from safepointlab.run.run import Run
from safepointlab.session.predictions import Came, Outcome, Prediction, one
from safepointlab.topics import nepotism

ALIKE, LITTLE, NEARLY_ALL = 0.1, 0.2, 0.8  # of the heap in use: what young collections free
NOTICEABLE_MS, WORSE = 200, 10  # a wait for the collector; times as long as with the links cut
TOO_MUCH_MIB = 50  # promoted by a program that needs next to nothing
BLOCKING, TRANSFER = "LinkedBlockingQueue JDK", "LinkedTransferQueue JDK"
SPSC, MPSC = "SpscLinkedQueue jctools-core 1.1", "MpscLinkedAtomicQueue jctools-core 1.1"

CUT = Prediction(
    "07-cut",
    "The second queue does one thing more: when `poll` leaves a node behind, it sets that node's `next` to null. "
    "Nobody can reach the node any more. What does this line change?",
    {
        "nothing": Outcome(
            "Nothing that matters: to clean up garbage is to do the collector's work twice",
            "The young collections free about as much with the line as without it.",
            "That is the usual rule. Here somebody follows the link of a dead node: the young collection.",
        ),
        "all": Outcome(
            "Young collections free nearly everything with it, and nearly nothing without it",
            "The dead nodes are garbage in both queues, but only where their links are cut does a young collection "
            "treat them so.",
            "Then the dead nodes of the first queue would be kept, and those of the second one would not.",
        ),
        "some": Outcome(
            "Young collections free more with it, perhaps twice as much",
            "The line frees a part of the dead nodes.",
            "A part would be freed if some chains were short. Here all nodes hang on one chain: all of it or nothing.",
        ),
        "worse": Outcome(
            "It makes things worse: each write to an old object is work for the collector",
            "The writes make young collections free less.",
            "A write to an old object does mark a card. But the nodes that `poll` leaves behind are young.",
        ),
    },
    lambda kept, cut: _cut(kept, cut),
    "the runs `kept` and `cut`, with their gc logs",
)

CHAIN = Prediction(
    "07-chain",
    "A full collection comes first. Then the program offers and polls three times, and a young collection follows, "
    "three times over. Of the 9 dead nodes, which are in the heap after the last young collection?",
    {
        "none": Outcome(
            "None: nobody can reach them",
            "A young collection frees each dead node.",
            "That is what the *full* collection at the end finds out. A young one does not ask old nodes whether they "
            "are alive.",
        ),
        "first": Outcome(
            "One: the node that the full collection found in the queue, since it is old",
            "A young collection does not touch old nodes, and frees the young dead ones.",
            "That node is the beginning. It is old, so its pointer counts as a root, and what hangs on it stays.",
        ),
        "last": Outcome(
            "Three: those polled since the young collection before",
            "The nodes of the last steps are kept for one more collection.",
            "The three did not come alone: what kept them are the nodes before them.",
        ),
        "all": Outcome(
            "All of them",
            "The first node is old. A young collection takes its pointer for a root, keeps the next node, and the one "
            "after that. What is kept gets old in its turn, and is itself such a root.",
            "It would take a reason to keep each node, also one whose neighbours are dead.",
        ),
    },
    lambda steps: _chain(steps),
    "the table of `nepotism_output.read(nepotism.chain(17).output)`",
)

COLLECTORS = Prediction(
    "07-collectors",
    "The queue that keeps its links, under each collector of each JDK. ZGC and Shenandoah work beside the program, and "
    "have a mode with generations on newer JDKs. Which collectors make the program wait for its dead nodes?",
    {
        "stopping": Outcome(
            "Serial and Parallel alone: G1 collects old regions in time",
            "G1 frees the old nodes before they keep many young ones.",
            "G1's young collections have such roots, too, and its old regions wait for a concurrent marking.",
        ),
        "classic": Outcome(
            "Serial, Parallel and G1: concurrent collectors take the dead nodes in time",
            "ZGC and Shenandoah find the dead nodes by themselves, with generations or without.",
            "Without generations they do. With generations they, too, take an old object's pointer for a root.",
        ),
        "generations": Outcome(
            "All that have generations, ZGC and Shenandoah in that mode among them",
            "A young collection that doesn't ask whether old objects are alive is what makes generations cheap, "
            "and it is what nepotism needs. To collect beside the program does not help: with ZGC's generations it "
            "waits, too, in allocation stalls.",
            "Then each mode with generations would have it, and no other.",
        ),
        "all": Outcome(
            "All of them",
            "Each collector keeps the dead nodes.",
            "Where all objects are collected together, a dead node has no old relative.",
        ),
    },
    lambda runs: _collectors(runs),
    "the table of `nepotism.by_collector(versions)`",
)

LIBRARIES = Prediction(
    "07-libraries",
    "Eight linked queues are tried, among them those of JCTools and Agrona as they are today. Which of these four "
    "fill the old generation with dead nodes?",
    {
        BLOCKING: Outcome(
            "the JDK's `LinkedBlockingQueue`, on JDK 8 or later",
            "It keeps its links on one of your JDKs.",
            "It parts with its nodes since JDK 7 (JDK-6805775).",
        ),
        TRANSFER: Outcome(
            "the JDK's `LinkedTransferQueue`, on JDK 8 or later",
            "It keeps its links on one of your JDKs.",
            "It parts with its nodes on all of your JDKs.",
        ),
        SPSC: Outcome(
            "`SpscLinkedQueue` of JCTools 1.1 (2015)",
            "It was written by people who knew a lot about queues, and kept its links until 2016.",
            "It parts with its nodes.",
        ),
        MPSC: Outcome(
            "`MpscLinkedAtomicQueue` of JCTools 1.1 (2015)",
            "The same people, and the same links, until 2016.",
            "It parts with its nodes.",
        ),
    },
    lambda real: _libraries(real),
    "the table of `nepotism.libraries(versions)`",
    several=True,
)

PREDICTIONS = (CUT, CHAIN, COLLECTORS, LIBRARIES)


def _cut(kept: Run, cut: Run) -> Came:
    without, with_it = freed(kept), freed(cut)
    facts = f"Young collections free {without:.0%} of the heap in use without the line, {with_it:.0%} with it."
    if abs(with_it - without) < ALIKE:
        return one("nothing", facts)
    if with_it < without:
        return one("worse", facts)
    return one("all" if without < LITTLE and with_it > NEARLY_ALL else "some", facts)


def freed(run: Run) -> float:
    """The part of the heap in use that a run's young collections freed, all of them together.

    Raises:
        BadInput: there was no young collection.
    """
    young = run.gc[run.gc["kind"] == "young"].dropna(subset=["before_mib", "after_mib"])
    if young.empty:
        raise BadInput("a run without a young collection says nothing about them")
    return float(1 - young["after_mib"].sum() / young["before_mib"].sum())


def _chain(steps: pd.DataFrame) -> Came:
    last = str(steps.loc[steps["event"] == "young collection", "chain"].iloc[-1])
    dead = last[:-1]
    there = {place for place, letter in enumerate(dead) if letter in "oy"}
    facts = f"After the last young collection {len(there)} of {len(dead)} dead nodes are there."
    recent = int((steps["event"] == "offer and poll").sum())
    outcomes = {
        "none": set[int](),
        "all": set(range(len(dead))),
        "first": {0},
        "last": set(range(len(dead) - len(dead) // recent, len(dead))),
    }
    keys = [key for key, places in outcomes.items() if places == there]
    return Came(frozenset(keys[:1]), facts)


def _collectors(runs: pd.DataFrame) -> Came:
    share = _waiting(runs).groupby("gc").mean()
    waits, known = {str(gc) for gc in share.index[share > 0.5]}, {str(gc) for gc in share.index}
    facts = (
        f"It waits with {_listed(waits) or 'none of them'}; it does not with {_listed(known - waits) or 'any other'}. "
        f"{_longest(runs)}"
    )
    by_age = {gc for gc in known if gc in nepotism.YOUNG_AND_OLD or gc.endswith("generational")}
    outcomes = {
        "all": known,
        "generations": by_age,
        "classic": known & set(nepotism.YOUNG_AND_OLD),
        "stopping": known & {"Serial", "Parallel"},
    }
    keys = [key for key, names in outcomes.items() if names == waits]
    return Came(frozenset(keys) if len(keys) == 1 else frozenset(), facts)


def _longest(runs: pd.DataFrame) -> str:
    """The collector and JDK with which the program waits longest while the links are kept."""
    kept = runs[runs["args"].str.startswith(nepotism.KEPT)]
    medians = kept.groupby(["gc", "jdk"])["stopped_ms"].median().reset_index()
    longest = medians.nlargest(1, "stopped_ms").iloc[0]
    return f"It waits longest with {longest['gc']} on JDK {longest['jdk']}: {longest['stopped_ms']:,.0f} ms."


def _waiting(runs: pd.DataFrame) -> "pd.Series[bool]":
    """Per collector and JDK: does the program wait much longer where the links are kept (as `plot.nepotism` has it)?"""
    kept = runs["args"].str.startswith(nepotism.KEPT)
    ms = runs.assign(kept=kept).groupby(["gc", "jdk", "kept"])["stopped_ms"].median().unstack().dropna()
    return (ms[True] > NOTICEABLE_MS) & (ms[True] > WORSE * ms[False])


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names))


def _libraries(real: pd.DataFrame) -> Came:
    keeping = real[real["promoted_mib"] > TOO_MUCH_MIB]
    queues = keeping["queue"].str.replace("\n", " of ").unique()
    facts = f"{_listed(queues) or 'None'} promoted more than {TOO_MUCH_MIB} MiB in a run."
    names = set(keeping["queue"].str.replace("\n", " "))
    return Came(frozenset(names.intersection(LIBRARIES.outcomes)), facts)
