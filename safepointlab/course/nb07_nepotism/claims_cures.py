"""Which queues are cured of nepotism, and what that costs size(): claims 003c-04 to -08, -15 and -16 on one JDK."""

from collections.abc import Sequence
from functools import partial

from safepointlab.claims.base import Claim, Evidence, Judgement, decide, differs, holds, spread, unclear
from safepointlab.course.nb07_nepotism.claims import MANY
from safepointlab.course.nb07_nepotism.experiments import HEAP, promoted_mib
from safepointlab.run import launch
from safepointlab.run.run import Run

AKKA_KEPT = "com.typesafe.akka:akka-actor_2.11:2.4.1"  # the last that keeps its links
AKKA_CUT = "com.typesafe.akka:akka-actor_2.11:2.4.3"  # 2.4.2 has the cure, and polls that may never end
JCTOOLS_KEPT, JCTOOLS_SELF, JCTOOLS_NOW = (
    f"org.jctools:jctools-core:{version}" for version in ("1.1", "1.2.1", "4.0.5")
)
AGRONA = "org.agrona:agrona:1.22.0"
JCTOOLS_QUEUE = "org.jctools.queues.atomic.MpscLinkedAtomicQueue"
AGRONA_QUEUE = "org.agrona.concurrent.ManyToOneConcurrentLinkedQueue"
LINKED = ("LinkedBlockingQueue", "LinkedBlockingDeque", "ConcurrentLinkedQueue", "ConcurrentLinkedDeque")
COUNTED = "java.util.concurrent.LinkedBlockingQueue"  # its size() is a counter, and right
OF_THE_JDK = ("java.util.LinkedList", *(f"java.util.concurrent.{name}" for name in (*LINKED, "LinkedTransferQueue")))
ONE_STAYS = 15_000_000, 1  # pairs of offer and poll, and an element whose node is old when they begin
FORKS = 5  # of two libraries: that all of one lie below all of the other is chance in 1 of 252
ELEMENTS = 1000
SIZES_SETUP = (
    f"The queue always has {ELEMENTS:,} or {ELEMENTS + 1:,} elements: one thread offers and polls without a pause, "
    f"another one asks for the size for 200 ms; {FORKS} JVMs of each kind, with the JDK's own collector."
)


def _polled_mib(jdk: int, name: str, *jars: str, args: Sequence[int] = ()) -> float:
    """What offering and polling on a java.util.Queue of the JDK, or of a library, promotes.

    Args:
        args: how many pairs of offer and poll, and how many elements stay in the queue; 15 million and none by default.
    """
    make = partial(launch.java, "nepotism/RealQueues", jdk, HEAP, gc="Serial", args=[name, *args], log="gc")
    return promoted_mib(make(jars=list(jars), reuse=True))


def _akka_mib(jdk: int, jar: str) -> float:
    """The same with Akka's queue, which isn't a java.util.Queue."""
    run = launch.java("nepotism/AkkaQueue", jdk, HEAP, gc="Serial", args="poll", log="gc", jars=[jar], reuse=True)
    return promoted_mib(run)


BEFORE, AFTER = "promoted by Akka 2.4.1, mib", "promoted by Akka 2.4.3, mib"


def _akka(jdk: int, cured: str = AKKA_CUT) -> Evidence:
    return {BEFORE: _akka_mib(jdk, AKKA_KEPT), AFTER: _akka_mib(jdk, cured)}


def _is_cured(measured: Evidence) -> Judgement:
    before, after = measured[BEFORE], measured[AFTER]
    numbers = f"{before:,.0f} MiB promoted by Akka 2.4.1, {after:,.1f} MiB by 2.4.3"
    return decide(
        (not before > MANY, unclear(f"nothing to cure: {numbers}")),
        (after < before / MANY, holds(numbers)),
        otherwise=differs(numbers),
    )


KEEPS, SELF, NOW = (f"promoted by JCTools {version}, mib" for version in ("1.1", "1.2.1", "4.0.5"))
SELF_LINKED, CUT, LATER = "JCTools 1.2.1", "Akka 2.4.3", "JCTools 4.0.5"
WRONG_SELF, WRONG_CUT, WRONG_NOW = (f"wrong sizes in each JVM, {name}, percent" for name in (SELF_LINKED, CUT, LATER))
FAR_SELF, FAR_CUT = (f"sizes off by more than a tenth in each JVM, {name}, percent" for name in (SELF_LINKED, CUT))
(LEAST_SELF, LEAST_CUT), (MOST_SELF, MOST_CUT) = (
    [f"{which} of the sizes in each JVM, {name}" for name in (SELF_LINKED, CUT)] for which in ("lowest", "highest")
)
LOW_KEPT, LOW_CUT, HIGH_KEPT, HIGH_CUT = (
    f"sizes too {way} in each JVM, links {links}, percent" for way in ("low", "high") for links in ("kept", "cut")
)
LEAST, MOST = "lowest of the sizes in each JVM, links cut", "highest of the sizes in each JVM, links kept"


def _jctools(jdk: int, self_linked: str = JCTOOLS_SELF) -> Evidence:
    jars = {KEEPS: JCTOOLS_KEPT, SELF: self_linked, NOW: JCTOOLS_NOW}
    return {name: _polled_mib(jdk, JCTOOLS_QUEUE, jar) for name, jar in jars.items()}


def _self_link_cures(measured: Evidence) -> Judgement:
    kept, linked, now = measured[KEEPS], measured[SELF], measured[NOW]
    numbers = f"{kept:,.0f} MiB promoted by JCTools 1.1, {linked:,.1f} by 1.2.1, {now:,.1f} by 4.0.5"
    return decide(
        (not kept > MANY, unclear(f"nothing to cure: {numbers}")),
        (max(linked, now) < kept / MANY, holds(numbers)),
        otherwise=differs(numbers),
    )


def _accuracy(jdk: int, linked: str = JCTOOLS_QUEUE, cut: str = "") -> Evidence:
    """What size() says while nodes are polled under the feet of the thread that counts them.

    Args:
        linked: another queue in the place of JCTools' 1.2.1.
        cut: another queue in the place of Akka's.
    """
    ours = _sizes(jdk, linked, JCTOOLS_SELF)
    theirs = _sizes(jdk, cut) if cut else _in_each_jvm("nepotism/AkkaQueue", jdk, "count 200", AKKA_CUT)
    return {
        WRONG_SELF: list(map(_wrong_percent, ours)),
        WRONG_CUT: list(map(_wrong_percent, theirs)),
        WRONG_NOW: list(map(_wrong_percent, _sizes(jdk, JCTOOLS_QUEUE, JCTOOLS_NOW))),
        FAR_SELF: [_percent_of(run, "far_off") for run in ours],
        FAR_CUT: [_percent_of(run, "far_off") for run in theirs],
        LEAST_SELF: _each(ours, "lowest"),
        LEAST_CUT: _each(theirs, "lowest"),
        MOST_SELF: _each(ours, "highest"),
        MOST_CUT: _each(theirs, "highest"),
    }


def _sizes(jdk: int, queue: str, *jars: str) -> list[Run]:
    return _in_each_jvm("nepotism/RealSizes", jdk, f"{queue} {ELEMENTS} 200", *jars)


def _in_each_jvm(sample: str, jdk: int, args: str, *jars: str) -> list[Run]:
    make = partial(launch.java, sample, jdk, HEAP, args=args, jars=list(jars), reuse=True)
    return [make(repeat=number) for number in range(FORKS)]


def _each(runs: list[Run], name: str) -> list[int]:
    return [int(run.values[name]) for run in runs]


def _is_more_accurate(measured: Evidence) -> Judgement:
    often, often_cut = measured[WRONG_SELF], measured[WRONG_CUT]
    far, far_cut = measured[FAR_SELF], measured[FAR_CUT]
    numbers = (
        f"{len(often)} JVMs each: {SELF_LINKED} is wrong in {spread(often)} % of its answers and far off in "
        f"{spread(far)} % (the lowest {spread(measured[LEAST_SELF])}, the highest {spread(measured[MOST_SELF])}), "
        f"{CUT} is wrong in {spread(often_cut)} % and far off in {spread(far_cut)} % (the lowest "
        f"{spread(measured[LEAST_CUT])}, the highest {spread(measured[MOST_CUT])}), {LATER} is wrong in "
        f"{spread(measured[WRONG_NOW])} %"
    )
    return decide(
        (max(often) < min(often_cut) and max(far) < min(far_cut), holds(numbers)),
        (min(often) > max(often_cut) and min(far) > max(far_cut), differs(numbers)),
        otherwise=unclear(f"how often and by how much give no one answer: {numbers}"),
    )


NULLED_MIB, REUSED_MIB = "promoted with the link cut alone, mib", "promoted by Agrona 1.22, mib"
MANY_EMPTY: tuple[str, list[str]] = ("EmptyQueues$Nulled", [])
AGRONAS_EMPTY = (AGRONA_QUEUE, [AGRONA])


def _many_empty(jdk: int, reused: tuple[str, list[str]] = AGRONAS_EMPTY) -> Evidence:
    return {NULLED_MIB: _in_rounds_mib(jdk, *MANY_EMPTY), REUSED_MIB: _in_rounds_mib(jdk, *reused)}


def _in_rounds_mib(jdk: int, name: str, jars: list[str]) -> float:
    """What young collections promote of many queues, after the full one that has made the queues themselves old."""
    flags = f"{HEAP} -Xmn16m"
    run = launch.java("nepotism/EmptyQueues", jdk, flags, gc="Serial", args=[name], log="gc", jars=jars, reuse=True)
    kinds = list(run.gc["kind"])
    return round(float(run.gc["promoted_mib"].iloc[kinds.index("full") + 1 :].sum()), 1)


def _less_promoted(measured: Evidence) -> Judgement:
    nulled, reused = measured[NULLED_MIB], measured[REUSED_MIB]
    numbers = f"{reused:,.1f} MiB promoted by Agrona's queues, {nulled:,.1f} MiB where the link is cut alone"
    return decide(
        (not nulled > MANY, unclear(f"nothing to save: {numbers}")),
        (reused < nulled / MANY, holds(numbers)),
        (reused > 0.8 * nulled, differs(numbers)),
        otherwise=unclear(f"less, and not by much: {numbers}"),
    )


def _weaker_size(jdk: int, cut: str = "unlink") -> Evidence:
    """One queue in which a polled node keeps its link, or parts with it as `cut` says: nothing else differs."""
    kept, cured = (_in_each_jvm("nepotism/SizeUnderRace", jdk, f"{how} {ELEMENTS} 200") for how in ("keep", cut))
    return {
        LOW_KEPT: [_percent_of(run, "too_low") for run in kept],
        LOW_CUT: [_percent_of(run, "too_low") for run in cured],
        HIGH_KEPT: [_percent_of(run, "too_high") for run in kept],
        HIGH_CUT: [_percent_of(run, "too_high") for run in cured],
        LEAST: _each(cured, "lowest"),
        MOST: _each(kept, "highest"),
    }


def _percent_of(run: Run, *names: str) -> float:
    """How many of a run's answers are counted under these names."""
    return round(100 * sum(float(run.values[name]) for name in names) / float(run.values["asked"]), 3)


def _wrong_percent(run: Run) -> float:
    """Of the answers, those that are neither the number of elements nor one more."""
    return _percent_of(run, "too_low", "too_high")


def _falls_short(measured: Evidence) -> Judgement:
    kept, cut = measured[LOW_KEPT], measured[LOW_CUT]
    numbers = (
        f"{len(cut)} JVMs each: with links cut {spread(cut)} % of the sizes are too low (the lowest "
        f"{spread(measured[LEAST])}) and {spread(measured[HIGH_CUT])} % too high; with links kept {spread(kept)} % "
        f"are too low and {spread(measured[HIGH_KEPT])} % too high (the highest {spread(measured[MOST])})"
    )
    return decide(
        (max(kept) == 0 < min(cut), holds(numbers)),
        (max(cut) <= max(kept), differs(numbers)),
        otherwise=unclear(f"with links kept some sizes are too low as well, or with links cut none are: {numbers}"),
    )


CONTROL = "promoted by JCTools 1.1, mib"


def _of_the_jdk(jdk: int, *more: tuple[str, str]) -> Evidence:
    polled_mib = partial(_polled_mib, jdk, args=ONE_STAYS)
    promoted = {f"promoted by {name.rpartition('.')[2]}, mib": polled_mib(name) for name in OF_THE_JDK}
    others = {f"promoted by {jar}, mib": polled_mib(name, jar) for name, jar in more}
    return {CONTROL: polled_mib(JCTOOLS_QUEUE, JCTOOLS_KEPT), **promoted, **others}


def _immune(measured: Evidence) -> Judgement:
    kept = measured[CONTROL]
    most = max(mib for name, mib in measured.items() if name != CONTROL)
    numbers = f"at most {most:,.1f} MiB promoted by each of {len(measured) - 1} queues, {kept:,.0f} MiB by JCTools 1.1"
    return decide(
        (not kept > MANY, unclear(f"no queue promotes: {numbers}")),
        (most < kept / MANY, holds(numbers)),
        otherwise=differs(numbers),
    )


NULL_RUNS = 3
WRONG_AGRONA, WRONG_JDK = (f"null with an element there in each JVM, {name}" for name in ("Agrona", "JDK"))
POLLED_AGRONA, POLLED_JDK = (f"polled in each JVM, {name}" for name in ("Agrona", "JDK"))
JDK_QUEUE: tuple[str, list[str]] = ("java.util.concurrent.ConcurrentLinkedQueue", [])


def _null_polls(jdk: int, asked: tuple[str, list[str]] = (AGRONA_QUEUE, [AGRONA])) -> Evidence:
    agrona, usual = (
        [
            launch.java("nepotism/NullPolls", jdk, args=[name, 1000], jars=jars, repeat=number, reuse=True)
            for number in range(NULL_RUNS)
        ]
        for name, jars in (asked, JDK_QUEUE)
    )
    return {
        WRONG_AGRONA: _each(agrona, "wrong_nulls"),
        POLLED_AGRONA: _each(agrona, "polled"),
        WRONG_JDK: _each(usual, "wrong_nulls"),
        POLLED_JDK: _each(usual, "polled"),
    }


def _null_not_empty(measured: Evidence) -> Judgement:
    wrong, usual = sum(measured[WRONG_AGRONA]), sum(measured[WRONG_JDK])
    numbers = (
        f"{len(measured[WRONG_AGRONA])} JVMs each: poll() returned null while an element was there {wrong:,} times, "
        f"in {sum(measured[POLLED_AGRONA]):,} elements; ConcurrentLinkedQueue {usual:,} times in "
        f"{sum(measured[POLLED_JDK]):,}"
    )
    return decide(
        (usual > 0, unclear(f"the test finds it of a queue that is right, too: {numbers}")),
        (wrong > 0, holds(numbers)),
        otherwise=differs(numbers),
    )


CLAIMS = [
    Claim(
        "003c-04",
        "Akka's cure, setting a polled node's `next` to null, ends the promotion of dead nodes",
        as_published="“In Akka the next reference is nulled on poll. This solves the issue”",
        measure=_akka,
        judge=_is_cured,
        rule="Akka 2.4.3 promotes less than a tenth of the MiB that 2.4.1 promotes by the same calls",
        mechanism="Since akka issue 19216 (December 2015) `pollNode` clears the link of the node that it leaves "
        "behind.",
        setup="Akka's own `AbstractNodeQueue`, of akka-actor 2.4.1 and 2.4.3; Serial, 256 MiB, 15 million pairs after "
        "one full collection.",
        refuted_by=lambda jdk: _akka(jdk, AKKA_KEPT),
        version=2,
    ),
    Claim(
        "003c-05",
        "JCTools' cure, linking a polled node to itself, ends the promotion of dead nodes",
        as_published="“In JCTools the next reference is set to point to the discarded node”",
        measure=_jctools,
        judge=_self_link_cures,
        rule="JCTools 1.2.1 and 4.0.5 promote less than a tenth of the MiB that 1.1 promotes by the same calls",
        mechanism="A node that points at itself keeps nothing but itself; 1.1 leaves the link to the next node.",
        setup="JCTools' MpscLinkedAtomicQueue; Serial, 256 MiB, 15 million pairs of offer and poll after one full "
        "collection. 1.2.1 (June 2016) has the linked queues of 1.2, which was tagged a week before the post.",
        refuted_by=lambda jdk: _jctools(jdk, JCTOOLS_KEPT),
        version=2,
    ),
    Claim(
        "003c-06",
        "Where many queues are mostly empty, Agrona's one empty node, to which they return, avoids promotions",
        as_published="next to the null “a special empty node”, “to avoid repeating promotion of transient nodes in "
        "empty queues”",
        measure=_many_empty,
        judge=_less_promoted,
        rule="Agrona's queues promote less than a tenth of the MiB that queues promote which only set the `next` of a "
        "polled node to null",
        mechanism="A queue without elements keeps the node that was polled last. It is alive, was made not long ago, "
        "and is promoted if some young collections come before the queue is used again. Agrona's tail is set back to a "
        "node that is old already.",
        setup="100,000 queues with one offer and one poll each, 20 rounds, with some young collections in each round; "
        "Serial, 256 MiB, -Xmn16m. Agrona's ManyToOneConcurrentLinkedQueue against the lab's own queue.",
        refuted_by=lambda jdk: _many_empty(jdk, MANY_EMPTY),
        version=2,
    ),
    Claim(
        "003c-07",
        "With one producer, size() can fall short where a polled node's `next` is set to null, not if links are kept",
        as_published="“at the cost of further weakening the accuracy of the size() method” (Akka)",
        measure=_weaker_size,
        judge=_falls_short,
        rule="with links kept, no size is below 1,000 in any of five JVMs, and with links cut some are in each of "
        "five; it does not hold if with links cut the share of such sizes isn't larger in any",
        mechanism="With its link cut, a node that was polled meanwhile looks like the queue's end, and the walk stops. "
        "With links kept it goes on along dead nodes, to those that come in meanwhile: too high, and often far. How "
        "often a size is too high varies from JVM to JVM with either, since a walk that meets no cut link counts such "
        "nodes, too.",
        setup="The lab's queue SizeUnderRace, in which the link is all that differs. Akka's own 2.4.1 and 2.4.3 differ "
        f"in where the walk ends as well. {SIZES_SETUP} So there is one producer; with several, as Akka's queue may "
        "have, a node that isn't linked yet looks like the end as well, whatever becomes of polled ones (003c-15). "
        "Judged is the side of accuracy on which the cure costs something; sizes that are too high come with either, "
        "and are counted separately.",
        refuted_by=lambda jdk: _weaker_size(jdk, "self"),  # a walk that meets a self-link begins anew
        version=4,
    ),
    Claim(
        "003c-08",
        "Six linked queues and deques of the JDK promote no dead nodes when they are offered to and polled",
        as_published="“A scan of JDK sources suggests this is an known pitfall to them”",
        measure=_of_the_jdk,
        judge=_immune,
        rule="each of six promotes less than a tenth of the MiB that JCTools 1.1 promotes by the same calls",
        mechanism="Their polls cut the link or let the node point at itself: LinkedBlockingQueue since JDK-6805775 and "
        "ConcurrentLinkedQueue, as JDK-6806875 had asked, since JDK-6785442 (both JDK 7). Not everything in the JDK "
        "was that careful: dead nodes of a Condition's wait queue survived young collections until JDK-8325754 (23, "
        "and updates of JDK 21 and JDK 17).",
        setup="Serial, 256 MiB, 15 million pairs of offer and poll after one full collection. One element stays in the "
        "queue, so that there is an old node, also where an empty queue has none.",
        refuted_by=lambda jdk: _of_the_jdk(jdk, ("org.jctools.queues.SpscLinkedQueue", JCTOOLS_KEPT)),
        version=3,
    ),
    Claim(
        "003c-15",
        "poll() of Agrona's linked queue can return null although an element is in the queue",
        as_published="“Agrona is ignoring the Queue interface requirement for poll(return null iff queue is empty)”",
        measure=_null_polls,
        judge=_null_not_empty,
        rule="poll() returns null at least once after an offer() has returned, while its element or an earlier one has "
        "not been polled yet, and that of ConcurrentLinkedQueue never does in the same test; it does not hold if that "
        "happens in none of three JVMs, which would be no proof that it can't",
        mechanism="An offer first takes the tail and then sets the link to its node. A thread that is stopped in "
        "between hides what others offer after it, and this poll() does not wait for the link, as JCTools' does.",
        setup="Agrona 1.22.0; twice as many threads as cores offer and one polls, for 1 s in each of three JVMs.",
        refuted_by=lambda jdk: _null_polls(jdk, JDK_QUEUE),
    ),
    Claim(
        "003c-16",
        "size() is more accurate where polled nodes point at themselves (JCTools) than where `next` is null (Akka)",
        as_published="size() skips gaps when racing with the consumer: “The result is a more accurate size estimate”",
        measure=_accuracy,
        judge=_is_more_accurate,
        rule=f"in each of five JVMs a smaller share of the sizes of {SELF_LINKED} is wrong (neither 1,000 nor 1,001) "
        f"than in any of five with {CUT}, and a smaller share is far off, by more than a tenth; it does not hold if "
        "both shares are larger in each. Otherwise nothing follows",
        mechanism="At a self-link the size() of 1.2.1 goes on at the queue's head and keeps its count. So it may pass "
        "the end that it had noted, and count what comes in meanwhile: too high, and at times far. That of 4.0.5 "
        "answers what it has counted so far; JCTools replaced this size() in July 2016. The post's argument is about "
        "gaps: where JCTools falls short, it falls less far short than Akka, whose count ends at the first one.",
        setup="JCTools' MpscLinkedAtomicQueue and Akka's `AbstractNodeQueue`. The linked queues of JCTools 1.2.1 are "
        f"those of 1.2, which is a week older than the post. {SIZES_SETUP} The two walk differently, too, so what the "
        "link alone does is not separated.",
        supported_by=lambda jdk: _accuracy(jdk, linked=COUNTED),
        refuted_by=lambda jdk: _accuracy(jdk, cut=COUNTED),
        times=True,
        version=5,
    ),
]
