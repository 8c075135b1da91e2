"""Which queues are cured of nepotism, and what that costs size(): claims 003c-04 to -08 and 003c-11 on one JDK."""

from safepointlab.claims.base import Claim, Evidence, Judgement, differs, holds, unclear
from safepointlab.course.nb07_nepotism.experiments import CUT, HEAP, REUSED, promoted_mib, queue
from safepointlab.run import launch

KEPT = "promoted: links kept, mib"
UNLINKED = "links cut, mib"
EMPTY_REUSED = "empty node reused, mib"
ONE_STAYS = "the same while one element stays, mib"
JCTOOLS_OLD, JCTOOLS_NEW = "promoted: JCTools 1.1, mib", "JCTools 4.0.5, mib"
SELF_SIZES, CUT_SIZES = "sizes too low: JCTools 4.0.5, percent", "Agrona 1.22, which cuts the link, percent"
JCTOOLS = "org.jctools:jctools-core"
MPSC = "org.jctools.queues.atomic.MpscLinkedAtomicQueue"
FORKS = 5  # of two libraries: that all of one lie below all of the other is chance in 1 of 252


def _real_queue_mib(jdk: int, name: str, *jars: str) -> float:
    """What offering and polling on a java.util.Queue of the JDK, or of a library, promotes."""
    run = launch.java("nepotism/RealQueues", jdk, HEAP, gc="Serial", args=[name], log="gc", jars=list(jars), reuse=True)
    return promoted_mib(run)


def _works(kept_mib: float, cured_mib: float) -> Judgement:
    """Is a queue cured that promotes so much, where one that keeps its links promotes that?"""
    if kept_mib < 100:
        return differs("there is nothing to cure")
    if cured_mib < kept_mib / 20:
        return holds("no chain, no promotion")
    return differs("the cured queue's nodes are promoted, too")


def _unlinked(jdk: int) -> Evidence:
    return {KEPT: promoted_mib(queue(jdk)), UNLINKED: promoted_mib(queue(jdk, CUT))}


def _cured(measured: Evidence) -> Judgement:
    return _works(measured[KEPT], measured[UNLINKED])


def _self_linked(jdk: int) -> Evidence:
    return {
        JCTOOLS_OLD: _real_queue_mib(jdk, MPSC, f"{JCTOOLS}:1.1"),
        JCTOOLS_NEW: _real_queue_mib(jdk, MPSC, f"{JCTOOLS}:4.0.5"),
        SELF_SIZES: _too_low_percent(jdk, MPSC, f"{JCTOOLS}:4.0.5"),
        CUT_SIZES: _too_low_percent(
            jdk, "org.agrona.concurrent.ManyToOneConcurrentLinkedQueue", "org.agrona:agrona:1.22.0"
        ),
    }


def _too_low_percent(jdk: int, name: str, jar: str) -> list[float]:
    """How many answers of size() were too low, in percent of all: one number per run.

    The queue has 1,000 elements, and is asked over and over for 250 ms while another thread offers and polls.
    """
    args = f"{name} 1000 250"
    runs = [
        launch.java("nepotism/RealSizes", jdk, HEAP, args=args, jars=[jar], repeat=n, reuse=True) for n in range(FORKS)
    ]
    return [100 * float(run.values["too_low"]) / float(run.values["asked"]) for run in runs]


def _cured_and_more_accurate(measured: Evidence) -> Judgement:
    cured = _works(measured[JCTOOLS_OLD], measured[JCTOOLS_NEW])
    if cured.answer != "holds":
        return cured
    if max(measured[SELF_SIZES]) < min(measured[CUT_SIZES]):
        return holds("cured, and in each run size() falls short less often than where the link is cut")
    if min(measured[SELF_SIZES]) > max(measured[CUT_SIZES]):
        return differs(
            "cured, but in each run size() falls short more often: at a dead node it answers its count so far"
        )
    most = max(measured[SELF_SIZES])
    return unclear(f"cured; size() is too low in up to {most:.0f} % of its answers, not told apart from Agrona's")


def _reused(jdk: int) -> Evidence:
    kept, reused = promoted_mib(queue(jdk)), promoted_mib(queue(jdk, REUSED))
    return {KEPT: kept, EMPTY_REUSED: reused, ONE_STAYS: promoted_mib(queue(jdk, REUSED, staying=1))}


def _fewer_when_empty(measured: Evidence) -> Judgement:
    if (cured := _works(measured[KEPT], measured[EMPTY_REUSED])).answer != "holds":
        return cured
    if measured[ONE_STAYS] > 100:
        return holds("as long as the queue runs empty; with one element that stays it is as bad as before")
    return holds("also when it never runs empty")


def _weaker_size(jdk: int) -> Evidence:
    """One thread counts a queue's 1,000 elements while another one offers and polls."""
    unlinked, linked = (
        launch.java("nepotism/SizeUnderRace", jdk, HEAP, args=[parting], reuse=True).values
        for parting in ("unlink", "self")
    )
    return {
        "too low, links cut": int(unlinked["too_low"]),
        "of": f"{int(unlinked['asked']):,} answers, the lowest {int(unlinked['lowest']):,} of 1,000",
        "too low, self-linked": int(linked["too_low"]),
        "overtaken, self-linked": int(linked["restarts"]),
    }


def _falls_short(measured: Evidence) -> Judgement:
    if measured["too low, links cut"] > measured["too low, self-linked"]:
        return holds("a node that was cut off looks like the queue's end")
    if measured["overtaken, self-linked"]:
        return differs("walks were overtaken, yet no more of them came out too low where links are cut")
    return unclear("no walk along the queue was overtaken in the time it had")


def _of_the_jdk(jdk: int) -> Evidence:
    names = ("LinkedBlockingQueue", "ConcurrentLinkedQueue", "LinkedTransferQueue")
    promoted = {f"{name}, mib": _real_queue_mib(jdk, f"java.util.concurrent.{name}") for name in names}
    return {KEPT: promoted_mib(queue(jdk)), **promoted}


def _immune(measured: Evidence) -> Judgement:
    most = max(mib for name, mib in measured.items() if name != KEPT)
    if most < measured[KEPT] / 20:
        return holds("they part with their nodes since JDK-6805775 and JDK-6806875 (JDK 7)")
    return differs("one of them promotes its nodes")


CLAIMS = [
    Claim(
        "003c-04",
        "Akka's cure, setting next to null on poll, works",
        as_published="“This solves the issue”",
        measure=_unlinked,
        judge=_cured,
        refuted_by={KEPT: 256.0, UNLINKED: 230.0},
    ),
    Claim(
        "003c-05",
        "JCTools' cure, linking a dead node to itself, works, and size() of 4.0.5 is more accurate than with links cut",
        as_published="“a more accurate size estimate”",
        measure=_self_linked,
        judge=_cured_and_more_accurate,
        refuted_by={JCTOOLS_OLD: 256.0, JCTOOLS_NEW: 0.1, SELF_SIZES: [60.0], CUT_SIZES: [40.0]},
    ),
    Claim(
        "003c-06",
        "Agrona's reuse of one empty node lessens promotion in a queue that is mostly empty",
        as_published="“to avoid repeating promotion of transient nodes in empty queues”",
        measure=_reused,
        judge=_fewer_when_empty,
        refuted_by={KEPT: 256.0, EMPTY_REUSED: 250.0, ONE_STAYS: 256.0},
    ),
    Claim(
        "003c-07",
        "Setting next to null weakens size()",
        as_published="“further weakening the accuracy of the size() method”",
        measure=_weaker_size,
        judge=_falls_short,
        refuted_by={
            "too low, links cut": 0,
            "of": "90,000 answers, the lowest 1,000 of 1,000",
            "too low, self-linked": 0,
            "overtaken, self-linked": 60,
        },
    ),
    Claim(
        "003c-08",
        "The JDK's own linked queues are immune",
        as_published="the JDK's sources suggest a “known pitfall”; fixed by Doug Lea in one place",
        measure=_of_the_jdk,
        judge=_immune,
        refuted_by={KEPT: 256.0, "LinkedBlockingQueue, mib": 256.0},
    ),
    Claim(
        "003c-11",
        "It is no toy problem: other people met it in real programs",
        as_published="“this issue is real enough for other people”, with a list of links",
        not_run="what others met under their load cannot be run again; what their queues did is in -04, -05 and -08",
    ),
]
