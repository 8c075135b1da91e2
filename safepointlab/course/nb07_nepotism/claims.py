"""Dead nodes that are kept: claims 003c-01, -02, -10 and -12 to -14, each run again on one JDK.

What counts is what young collections promote, in MiB, and for how long the collector made the program wait; the one
hardly varies from run to run, the other by a factor of ten between nepotism and its cure.
"""

import re
from collections.abc import Mapping
from statistics import median
from typing import TYPE_CHECKING

from safepointlab import jdks
from safepointlab.claims.base import Claim, Evidence, Judgement, decide, differs, holds, not_applicable, spread, unclear
from safepointlab.course.nb07_nepotism.experiments import (
    CUT,
    HEAP,
    KEPT,
    PAIRS,
    long_queue,
    pauses,
    promoted_mib,
    queue,
    stopped_ms,
)
from safepointlab.jdks import flags as vm_flags
from safepointlab.run import launch
from safepointlab.run.run import Run

if TYPE_CHECKING:
    from pandas import DataFrame

YOUNG_AND_OLD = ("Serial", "Parallel", "G1")
MANY = 10  # times as much: promotion hardly varies from run to run

PROMOTED_KEPT, PROMOTED_CUT = "promoted with links kept, mib", "promoted with links cut, mib"
PROMOTED_YOUNG = "promoted with no old node beforehand, mib"
FREED = "freed by young collections with links kept, percent"
QUEUE_SETUP = (
    "The lab's own queue, written after the post's description, in a heap of 256 MiB: 15 million times `offer` and "
    "`poll`, after one `System.gc()` that makes its head old."
)


def told(mib: Mapping[str, float]) -> str:
    """Numbers by name in words: "Serial 256, G1 362"."""
    return ", ".join(f"{name} {value:,.0f}" for name, value in mib.items())


def _all_promoted(jdk: int, name: str = KEPT) -> Evidence:
    kept = {gc: queue(jdk, name, gc) for gc in YOUNG_AND_OLD}
    return {
        PROMOTED_KEPT: {gc: promoted_mib(run) for gc, run in kept.items()},
        PROMOTED_CUT: {gc: promoted_mib(queue(jdk, CUT, gc)) for gc in YOUNG_AND_OLD},
        PROMOTED_YOUNG: {gc: promoted_mib(queue(jdk, name, gc, full=0)) for gc in YOUNG_AND_OLD},
        FREED: {gc: _freed_percent(run) for gc, run in kept.items()},
    }


def _freed_percent(run: Run) -> float:
    """What young collections freed of the heap in use, all of them together.

    A line without a promoted part is a young collection that gave up, or that went on to the old generation.
    """
    rows = pauses(run)
    young = rows[rows["kind"] == "young"].dropna(subset=["before_mib", "after_mib", "promoted_mib"])
    before = float(young["before_mib"].sum())
    return round(100 * (1 - float(young["after_mib"].sum()) / before), 1) if before else float("nan")


def _kept_promotes(measured: Evidence) -> Judgement:
    kept, cut, young = (measured[name] for name in (PROMOTED_KEPT, PROMOTED_CUT, PROMOTED_YOUNG))
    numbers = f"young collections promoted, in MiB, {told(kept)}; with links cut {told(cut)}"
    whole = f"{numbers}; with no old node beforehand {told(young)}"
    more = {gc: kept[gc] > MANY * max(cut[gc], young[gc], 1) for gc in kept}
    return decide(
        (all(more.values()) and max(measured[FREED].values()) < 10, holds(f"{whole}; freed {_percent(measured)}")),
        (not any(more.values()), differs(whole)),
        otherwise=unclear(f"not so with each collector: {whole}; freed {_percent(measured)}"),
    )


def _percent(measured: Evidence) -> str:
    return f"at most {max(measured[FREED].values()):.0f} % of the heap in use"


OLD_ONES = re.compile(r"^(?:MarkSweepCompact|PS MarkSweep): (\d+) times", re.MULTILINE)
COUNT, BEFORE, AFTER, AGAIN = "full collections", "heap before, mib", "heap after, mib", "promoted afterwards, mib"
FULL_ONLY = ("Serial", "Parallel")


def _cleared(jdk: int, name: str = KEPT) -> Evidence:
    return {gc: _first_full_one(long_queue(jdk, name, gc)) for gc in FULL_ONLY}


def _first_full_one(run: Run) -> Evidence:
    """The first full collection that the program did not ask for, and what the young ones after it promoted."""
    rows, counted = run.gc, OLD_ONES.search(run.output)
    place = _first_big_drop(rows)
    if place < 0:
        return {COUNT: int(counted[1]) if counted else 0, BEFORE: 0.0, AFTER: 0.0, AGAIN: 0.0}
    return {
        COUNT: int(counted[1]) if counted else 0,
        BEFORE: round(float(rows["before_mib"].iloc[place]), 1),
        AFTER: round(float(rows["after_mib"].iloc[place]), 1),
        AGAIN: round(float(rows["promoted_mib"].iloc[place + 1 :].sum(min_count=1)), 1),  # NaN: no young one came
    }


def _first_big_drop(collections: "DataFrame") -> int:
    """The place of the first collection of more than 100 MiB that freed a quarter of them; -1 if there is none.

    On 8 the line of such a collection may say `GC`, not `Full GC`: a young one that went on to the old generation.
    """
    freed = (collections["before_mib"] > 100) & (collections["after_mib"] < 0.75 * collections["before_mib"])
    return next((place for place, is_drop in enumerate(freed.fillna(False)) if is_drop), -1)


def _clears_and_repeats(measured: Evidence) -> Judgement:
    each = list(measured.values())
    emptied = "; ".join(
        f"{gc}: {of[BEFORE]:,.0f} to {of[AFTER]:,.0f} MiB, then {of[AGAIN]:,.0f} MiB promoted, {of[COUNT]} full "
        "collections in all"
        for gc, of in measured.items()
    )
    return decide(
        (any(of[COUNT] < 2 or not of[BEFORE] for of in each), differs(f"no collection emptied a full heap; {emptied}")),
        (any(of[AFTER] > of[BEFORE] / 10 for of in each), differs(f"a full collection left a part; {emptied}")),
        (all(of[AGAIN] > of[BEFORE] / 4 for of in each), holds(emptied)),
        otherwise=differs(f"nothing much is promoted afterwards; {emptied}"),
    )


WAITED_KEPT, WAITED_CUT = "waited with links kept, ms", "waited with links cut, ms"
AGELESS = "without generations"
JVMS = 5  # of a collector without generations, with each kind of links
REPEATS = {"Z": 2}  # now and then its old collection breaks the chain in time, or it stalls on a busy machine


def _by_collector(jdk: int, name: str = KEPT) -> Evidence:
    """How long the program waits with each collector that this JDK has, in the mode with generations and without."""
    modes = {gc: (gc, "", 1) for gc in YOUNG_AND_OLD}
    if jdk >= 21:  # JEP 439 (21); the default from 23 on, and the only mode from 24 on (JEP 490)
        modes["generational Z"] = ("Z", "-XX:+ZGenerational" if jdk < 23 else "", 1)
    if jdk >= 24:  # JEP 404; it takes five full collections to make the queue's head old
        modes["generational Shenandoah"] = ("Shenandoah", "-XX:ShenandoahGCMode=generational", 5)
    if jdk >= 11:
        satb = "-XX:ShenandoahGCMode=satb" if jdk >= 24 else ""
        modes[f"Shenandoah {AGELESS}"] = ("Shenandoah", satb, 1)
    if 11 <= jdk < 24:
        modes[f"Z {AGELESS}"] = ("Z", "-XX:-ZGenerational" if jdk == 23 else "", 1)
    waited: dict[str, dict[str, float]] = {WAITED_KEPT: {}, WAITED_CUT: {}}
    loops: dict[str, list[float]] = {}
    if not any(AGELESS in mode for mode in modes):  # nothing to compare with
        return waited
    for collector, (gc, flags, full) in modes.items():
        runs: dict[str, list[Run]] = {WAITED_KEPT: [], WAITED_CUT: []}
        for repeat in range(JVMS if AGELESS in collector else REPEATS.get(gc, 1)):  # by turns
            for side, links in ((WAITED_KEPT, name), (WAITED_CUT, CUT)):
                runs[side].append(queue(jdk, links, gc, flags, pairs=2 * PAIRS, full=full, repeat=repeat))
        for side, own in runs.items():
            waited[side][collector] = round(median(map(stopped_ms, own)), 1)
            if AGELESS in collector:
                loops[_loop(collector, side)] = [float(run.values["loop_ms"]) for run in own]
    return {**waited, **loops}


def _loop(collector: str, side: str) -> str:
    """The name of the evidence of how long the whole loop takes, by JVM."""
    return f"the loop, {collector}, links {'kept' if side == WAITED_KEPT else 'cut'}, ms"


def _only_generational(measured: Evidence) -> Judgement:
    kept, cut = measured[WAITED_KEPT], measured[WAITED_CUT]
    ageless = [name for name in kept if AGELESS in name]
    if not ageless:
        return not_applicable("this JDK has no collector without generations")
    loops = {name: [measured[_loop(name, side)] for side in (WAITED_KEPT, WAITED_CUT)] for name in ageless}
    long_ms = max(kept.values()) / 100  # pauses of a few tenths of a ms are no wait
    prone = {name: ms > MANY * cut[name] and ms > long_ms for name, ms in kept.items()}
    each = "; ".join(f"{name} {ms:,.1f} ms, with links cut {cut[name]:,.1f}" for name, ms in kept.items())
    numbers = f"the program waited for its collector: {each}"
    for name, (with_links, without) in loops.items():
        numbers += f"; the whole loop took {spread(with_links, 'ms')} with {name}, with links cut "
        numbers += f"{spread(without, 'ms')} (n = {len(with_links)} and {len(without)})"
    wrong = [name for name, waits in prone.items() if waits == (AGELESS in name)]
    slowed = [
        name
        for name, (with_links, without) in loops.items()
        if min(with_links) * min(without) > max(without) ** 2  # beyond what equal JVMs differ by
    ]
    return decide(
        (not wrong and bool(slowed), unclear(f"slowed without a wait with {', '.join(slowed)}: {numbers}")),
        (not wrong, holds(numbers)),
        (not any(prone.values()), differs(f"with no collector a long wait: {numbers}")),
        (all(AGELESS in name for name in wrong), differs(f"a long wait without generations: {numbers}")),
        otherwise=unclear(f"not so with {', '.join(wrong)}: {numbers}"),
    )


COMPACT_HEADERS = "UseCompactObjectHeaders"
USUAL, COMPACT = "promoted with headers of 12 bytes, mib", "promoted with headers of 8 bytes, mib"


def _node_size(jdk: int) -> Evidence:
    if COMPACT_HEADERS not in vm_flags.known(jdks.get(jdk)):
        return {}
    signs = {USUAL: "-", COMPACT: "+"}
    return {name: promoted_mib(long_queue(jdk, flags=f"-XX:{sign}{COMPACT_HEADERS}")) for name, sign in signs.items()}


def _smaller(measured: Evidence) -> Judgement:
    if not measured:
        return not_applicable(f"this JDK does not know the flag {COMPACT_HEADERS}")
    share = measured[COMPACT] / max(measured[USUAL], 0.1)
    numbers = f"{measured[COMPACT]:,.0f} MiB promoted, and {measured[USUAL]:,.0f} MiB with headers of 12 bytes"
    return decide(
        (share < 0.85, holds(numbers)),
        (share > 0.95, differs(numbers)),
        otherwise=unclear(f"hardly less: {numbers}"),
    )


TREES_MIB = 40  # 40 trees of 1 MiB each
TREES = {  # what DeadParents' trees do when they are given up
    "promoted where parents keep their children, mib": "keep",
    "promoted where parents part from them, mib": "part",
    "promoted where each tree is linked to the next, mib": "bridge",
}


def _trees(jdk: int, *instead: str) -> Evidence:
    runs = {
        name: launch.java("nepotism/DeadParents", jdk, HEAP, gc="Serial", args=[what], log="gc", reuse=True)
        for name, what in zip(TREES, instead or TREES.values(), strict=True)
    }
    return {name: promoted_mib(run) for name, run in runs.items()}


def _dragged(measured: Evidence) -> Judgement:
    kept, parted, bridged = (measured[name] for name in TREES)
    numbers = (
        f"of some {TREES_MIB} MiB of dead trees {kept:,.0f} MiB were promoted, {bridged:,.0f} where one old root leads "
        f"to all of them, {parted:,.0f} where the roots let go of their branches"
    )
    return decide(
        (min(kept, bridged) > TREES_MIB / 2 and parted < kept / MANY, holds(numbers)),
        (max(kept, bridged) < TREES_MIB / 2, differs(numbers)),
        otherwise=unclear(numbers),
    )


OLD_ONLY = (  # CMS begins an old collection by itself whenever the old generation is more than 5 % full
    "-Xms256m -Xmx256m -Xmn32m -XX:CMSInitiatingOccupancyFraction=5 -XX:+UseCMSInitiatingOccupancyOnly "
    "-XX:CMSWaitDuration=100 -XX:CMSMaxAbortablePrecleanTime=10"
)
COLLECTIONS = "old collections before the first of these looks"
HELD = "old object left by an old collection, held by a dead young one, mib"
FREE = "old object left by an old collection, held by no object, mib"
AFTER_YOUNG = "old object left once a young collection came first, mib"


def _reverse(jdk: int) -> Evidence:
    """Collections of the old generation alone, while a dead young object, or none, points at a dead old one."""
    held, free = (
        launch.java("nepotism/YoungKeepsOld", jdk, OLD_ONLY, gc="ConcMarkSweep", args=[holder], reuse=True).values
        for holder in ("hold", "free")
    )
    return {
        COLLECTIONS: int(held["old_collections"]),
        HELD: held["old_after_mib"],
        FREE: free["old_after_mib"],
        AFTER_YOUNG: held["old_end_mib"],
    }


def _kept_by_young(measured: Evidence) -> Judgement:
    held, free, end = measured[HELD], measured[FREE], measured[AFTER_YOUNG]
    numbers = (
        f"{held:,.0f} MiB left after {measured[COLLECTIONS]} old collections, {free:,.0f} MiB where no young object "
        f"points at them, {end:,.0f} MiB after a young collection"
    )
    return decide(
        (measured[COLLECTIONS] < 2 or not free < 10, unclear(f"no two old collections came in time: {numbers}")),
        (held < 10, differs(numbers)),
        (end < 10, holds(numbers)),
        otherwise=unclear(f"kept, but not by the young object alone: {numbers}"),
    )


CLAIMS = [
    Claim(
        "003c-01",
        "A single dead node in the old generation makes young collections promote all nodes that follow it",
        as_published="“the young GC is entirely ineffective. Everything gets promoted to old”; “ANY promoted node”",
        measure=_all_promoted,
        judge=_kept_promotes,
        rule="with Serial, Parallel and G1 young collections promote more than ten times as many MiB as where the link "
        "is cut on `poll` and as where no node is old beforehand, and free less than 10 % of the heap in use",
        mechanism="A young collection takes each pointer from old to young for a root, as the card table or G1's "
        "remembered sets tell, and does not ask whether the old object is alive. The survivors do not fit into the "
        "survivor space, are promoted at once, and the last of them is the next dead old node.",
        setup=QUEUE_SETUP + " The collector is fixed to each of the three in turn.",
        refuted_by=lambda jdk: _all_promoted(jdk, CUT),
        version=3,
    ),
    Claim(
        "003c-02",
        "A full collection clears the chain of dead nodes, but in a busy queue the promotion then begins again",
        as_published="“until an old GC clears the lot. After the old GC the problem disappears (in the test program, "
        "but is likely to repeat in real programs)”",
        measure=_cleared,
        judge=_clears_and_repeats,
        rule="with Serial and with Parallel the first full collection that the program did not request leaves at most "
        "a tenth of what was in use, and the young collections after it promote at least a quarter as much again",
        mechanism="A full collection asks of old objects, too, whether they are reachable. But it also moves the head "
        "of that moment into the old generation, and one poll later this is the next dead old node.",
        setup="The lab's own queue, 30 million pairs; it goes on polling after the collection, as a real program does. "
        "The post's test program, in which the problem was gone by then, is not in the lab. Serial and Parallel, since "
        "G1 collects the old generation alongside the program; the count of full collections is the JVM's own.",
        refuted_by=lambda jdk: _cleared(jdk, CUT),
        version=2,
    ),
    Claim(
        "003c-10",
        "Only collectors with generations make a program wait for the dead nodes of a linked queue",
        as_published="“in a single generation collector this is a non-issue”",
        measure=_by_collector,
        judge=_only_generational,
        rule="with each collector that has generations the program waits more than ten times as long with links kept "
        "as with links cut, and with none that has no generations (a wait of less than a hundredth of the longest "
        f"counts as none); where with one of these the whole loop takes longer in each of {JVMS} JVMs than in any of "
        f"{JVMS} with links cut, by more than those differ by, it is unclear",
        mechanism="Without an old generation there is no collection that takes objects for alive by their age. ZGC has "
        "generations since JDK 21 (JEP 439) and nothing else since 24 (JEP 490); Shenandoah can have them since 24 "
        "(JEP 404).",
        setup="The lab's own queue, written after the post's description, in a heap of 256 MiB: 30 million times "
        "`offer` and `poll`, after one `System.gc()` that makes its head old; some 700 MiB of nodes, or 460 MiB with "
        "compact headers (JEP 534, JDK 27). The wait is the sum of the pauses, with ZGC of its allocation stalls as "
        "well (medians of two runs with ZGC, and of five without generations). Generational Shenandoah gets five "
        "`System.gc()`, because one makes no node old there. Up to JDK 25 Shenandoah may also slow threads without a "
        "pause (pacing, removed in 26 by JDK-8350050): that is in neither wait, but in the time of the whole loop, "
        "which is given for collectors without generations.",
        times=True,
        refuted_by=lambda jdk: _by_collector(jdk, CUT),
        version=6,
    ),
    Claim(
        "003c-12",
        "Compact object headers make a queue's nodes smaller, so that fewer MiB of dead nodes are promoted",
        as_published="not in the post",
        measure=_node_size,
        judge=_smaller,
        rule="with compact headers less than 85 % of the MiB are promoted by as many pairs of `offer` and `poll`",
        mechanism="A node has a header and two references of 4 bytes each: 24 bytes with a header of 12 bytes, and 16 "
        "with one of 8 (JEP 450, JEP 519; by default since JEP 534).",
        setup="The lab's own queue, with Serial: 30 million pairs in a heap of 256 MiB. The MiB promoted don't shrink "
        "by just the third that a node does: they come by whole young generations, and what a full collection clears "
        "in between is never promoted.",
        refuted_by={USUAL: 430.0, COMPACT: 430.0},
        ours=True,
    ),
    Claim(
        "003c-13",
        "A dead parent in the old generation drags its tree of young, dead children there, and all trees linked to it",
        as_published="“a parent node can certainly drag a useless chunk of state to the old gen”; a bridge of two "
        "trees",
        measure=_trees,
        judge=_dragged,
        rule="of 40 MiB of dead trees, more than half is promoted where each tree has an old root, and also where only "
        "the first one has and each tree points at the next; where the roots let go of their branches, it is less "
        "than a tenth of that",
        mechanism="An old root is a root for a young collection, whether it is alive or not, as in a linked queue.",
        setup="The lab's own program, with Serial in a heap of 256 MiB; a full collection makes the roots old.",
        refuted_by=lambda jdk: _trees(jdk, "part", "part", "part"),
    ),
    Claim(
        "003c-14",
        "A dead young object keeps an old one alive through a collection of the old generation alone",
        as_published="references from new to old “will keep OldGen references alive through an OldGen collection "
        "cycle”",
        measure=_reverse,
        judge=_kept_by_young,
        rule="after two old collections an object of 40 MiB is still there if a dead young object points at it, is "
        "gone if none does, and is gone once a young collection came first",
        mechanism="CMS takes all of the young generation for roots when it marks the old one. It is the one collector "
        "of HotSpot that collects the old generation without a young collection before; JEP 363 removed it in JDK 14.",
        setup="CMS alone, which is made to begin an old collection whenever that generation is more than 5 % full.",
        refuted_by={COLLECTIONS: 2, HELD: 4.0, FREE: 0.1, AFTER_YOUNG: 0.1},
        version=3,
    ),
]
