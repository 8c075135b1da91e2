"""Dead nodes that are kept: claims 003c-01 to -03, -09, -10 and -12 to -14, each run again on one JDK.

What counts is what young collections promote, in MiB, and for how long the collector made the program wait; the one
hardly varies from run to run, the other by a factor of ten between nepotism and its cure.
"""

from statistics import median
from typing import TYPE_CHECKING

from safepointlab import jdks
from safepointlab.claims.base import Claim, Evidence, Judgement, differs, holds, not_applicable, unclear
from safepointlab.course.nb07_nepotism.experiments import CUT, HEAP, KEPT, long_queue, promoted_mib, queue, stopped_ms
from safepointlab.errors import FlagRejected
from safepointlab.jdks import flags as vm_flags
from safepointlab.run import launch

if TYPE_CHECKING:
    from pandas import DataFrame

YOUNG_AND_OLD = ("Serial", "Parallel", "G1")
LINKS_CUT = "links cut, at most, mib"


def named(what: str, unit: str, values: dict[str, float]) -> Evidence:
    """Numbers by name: each name with its unit, the first one with what all of them are."""
    return {f"{'' if n else f'{what}: '}{name}, {unit}": value for n, (name, value) in enumerate(values.items())}


def _all_promoted(jdk: int) -> Evidence:
    kept = {gc: promoted_mib(queue(jdk, KEPT, gc)) for gc in YOUNG_AND_OLD}
    most = max(promoted_mib(queue(jdk, CUT, gc)) for gc in YOUNG_AND_OLD)
    return {**named("promoted", "mib", kept), LINKS_CUT: most}


def _kept_promotes(measured: Evidence) -> Judgement:
    kept = min(mib for name, mib in measured.items() if name != LINKS_CUT)
    if kept > 100 and kept > 10 * measured[LINKS_CUT]:
        return holds("what is dead and old counts as a root for a young collection")
    return differs("young collections free the dead nodes")


def _first_big_drop(collections: "DataFrame") -> int:
    """The place of the first collection that empties a heap of more than 100 MiB to a tenth; -1 if there is none.

    On 8 the line of such a collection may say `GC`, not `Full GC`: a young one that went on to the old generation.
    """
    emptied = (collections["before_mib"] > 100) & (collections["after_mib"] < collections["before_mib"] / 10)
    return next((place for place, is_empty in enumerate(emptied.fillna(False)) if is_empty), -1)


def _cleared(jdk: int) -> Evidence:
    rows = queue(jdk).gc
    place = _first_big_drop(rows)
    return {
        name: round(float(rows[name].iloc[place]), 1) if place >= 0 else 0.0 for name in ("before_mib", "after_mib")
    }


def _full_one_clears(measured: Evidence) -> Judgement:
    if not measured["before_mib"]:
        return differs("no collection emptied the heap")
    if measured["after_mib"] > measured["before_mib"] / 20:
        return differs("the full collection kept a part of the chain as well")
    return holds("a full collection asks of old nodes, too, whether anyone can reach them")


def _afterwards(jdk: int) -> Evidence:
    found = {}
    for gc in ("Serial", "Parallel"):
        rows = long_queue(jdk, gc=gc).gc
        place = _first_big_drop(rows)
        later = rows.iloc[place + 1 :] if place >= 0 else rows.iloc[:0]
        found[gc] = round(float(later["promoted_mib"].sum(min_count=1)), 1)  # NaN where no young collection follows
    return named("promoted afterwards", "mib", found)


def _gone(measured: Evidence) -> Judgement:
    if any(mib != mib for mib in measured.values()):
        return unclear("no full collection came, or no young one after it")
    if max(measured.values()) > 20:
        return differs(
            "it repeats at once, as the post expects of real programs: the full collection makes the head of that "
            "moment old, one poll before it is dead; how the post's own program did is not measured"
        )
    return holds("young collections promote nothing any more")


NEVER, ONCE = "promoted: never a full collection, mib", "one, mib"


def _one_is_enough(jdk: int) -> Evidence:
    return {NEVER: promoted_mib(queue(jdk, full=0)), ONCE: promoted_mib(queue(jdk))}


def _only_after_one(measured: Evidence) -> Judgement:
    without, after_one = measured[NEVER], measured[ONCE]
    if after_one > 100 and without < after_one / 20:
        return holds("without it no node is ever old, and the same loop is harmless")
    return differs("it makes no difference")


AGELESS = "without generations:"


def _by_collector(jdk: int) -> Evidence:
    """How long the program waits with each collector that this JDK has, in the mode with generations and without."""
    waits = {gc: stopped_ms(queue(jdk, KEPT, gc)) for gc in YOUNG_AND_OLD}
    if jdk >= 21:  # JEP 439 (21); the default from 23 on, and the only mode from 24 on (JEP 490)
        waits["generational Z"] = _usual_z(jdk, "-XX:+ZGenerational" if jdk < 23 else "")
    if 24 <= jdk <= 25:  # JEP 404; it takes five full collections to make the queue's head old
        mode = "-XX:ShenandoahGCMode=generational"
        waits["generational Shenandoah"] = stopped_ms(queue(jdk, KEPT, "Shenandoah", mode, full=5))
    if jdk >= 11:
        waits[f"{AGELESS} Shenandoah"] = stopped_ms(queue(jdk, KEPT, "Shenandoah"))
    if 11 <= jdk < 24:
        waits[f"{AGELESS} Z"] = _usual_z(jdk, "-XX:-ZGenerational" if jdk == 23 else "")
    return named("waited", "ms", waits)


def _usual_z(jdk: int, flags: str) -> float:
    """Of two runs: now and then its old collection breaks the chain in time; and on a busy machine it stalls anyway."""
    return round(median(stopped_ms(queue(jdk, KEPT, "Z", flags, repeat=repeat)) for repeat in (0, 1)), 1)


def _only_generational(measured: Evidence) -> Judgement:
    alike = [ms for name, ms in measured.items() if name.startswith(AGELESS)]
    by_age = [ms for name, ms in measured.items() if not name.startswith(AGELESS)]
    if not alike:
        return not_applicable("this JDK has no collector without generations")
    if min(by_age) > 3 * max(alike):
        return holds("where there is no old generation, there is nothing that counts as alive by its age")
    if max(by_age) < 1.5 * max(alike):
        return differs("generations make no difference")
    return unclear("some collectors with generations made the program wait, and others did not")


COMPACT_HEADERS = "UseCompactObjectHeaders"
USUAL, COMPACT = "promoted: headers of 12 bytes, mib", "of 8 bytes, mib"


def _node_size(jdk: int) -> Evidence:
    if COMPACT_HEADERS not in vm_flags.known(jdks.get(jdk)):
        return {}
    signs = {USUAL: "-", COMPACT: "+"}
    return {name: promoted_mib(long_queue(jdk, flags=f"-XX:{sign}{COMPACT_HEADERS}")) for name, sign in signs.items()}


def _smaller(measured: Evidence) -> Judgement:
    if not measured:
        return not_applicable("this JDK does not know the flag UseCompactObjectHeaders (JEP 450, JDK 24)")
    share = measured[COMPACT] / max(measured[USUAL], 0.1)
    if share < 0.85:
        return holds("a node takes 16 bytes instead of 24 (JEP 450, JEP 519)")
    return differs("the same pairs promote as much as with large headers") if share > 0.95 else unclear("hardly less")


TREES = {  # what DeadParents' trees do when they are given up
    "promoted: parents keep their children, mib": "keep",
    "parents part from them, mib": "part",
    "trees linked to the next, mib": "bridge",
}


def _trees(jdk: int) -> Evidence:
    def promoted(what: str) -> float:
        run = launch.java("nepotism/DeadParents", jdk, HEAP, gc="Serial", args=[what], log="gc", reuse=True)
        return promoted_mib(run)

    return {name: promoted(what) for name, what in TREES.items()}


def _dragged(measured: Evidence) -> Judgement:
    kept, parted, bridged = (measured[name] for name in TREES)
    if kept > 20 and bridged > 20 and parted < kept / 10:
        return holds("a dead old root keeps its branches; linked to the next one, one such root keeps all trees")
    if kept < 5:
        return differs("the branches of dead parents are freed")
    return unclear("some trees were promoted and others were not")


OLD_ONLY = (  # CMS begins an old collection by itself whenever the old generation is more than 5 % full
    "-Xms256m -Xmx256m -Xmn32m -XX:CMSInitiatingOccupancyFraction=5 -XX:+UseCMSInitiatingOccupancyOnly "
    "-XX:CMSWaitDuration=100 -XX:CMSMaxAbortablePrecleanTime=10"
)
HELD, FREE = "left by an old collection: held by a dead young object, mib", "held by nobody, mib"
AFTER_YOUNG = "the first after a young collection, mib"


def _reverse(jdk: int) -> Evidence:
    """Collections of the old generation alone, while a dead young object points at a dead old one, or nobody does."""
    try:
        held, free = (
            launch.java("nepotism/YoungKeepsOld", jdk, OLD_ONLY, gc="ConcMarkSweep", args=[what], reuse=True).values
            for what in ("hold", "free")
        )
    except FlagRejected:
        return {"CMS": "rejected"}
    return {HELD: held["old_after_mib"], FREE: free["old_after_mib"], AFTER_YOUNG: held["old_end_mib"]}


def _kept_by_young(measured: Evidence) -> Judgement:
    if measured.get("CMS") == "rejected":
        return not_applicable(
            "this JDK has no CMS (JEP 363, JDK 14), and no other that leaves out the young generation"
        )
    if measured[FREE] > 10:
        return unclear("no old collection came in time: it would have taken what nobody holds")
    if measured[HELD] < 10:
        return differs("the old collection sees that the young object is dead")
    if measured[AFTER_YOUNG] < 10:
        return holds("an old collection takes all young objects for roots; a young one first, and the old one is freed")
    return unclear("it was kept, but not by the young object alone")


CLAIMS = [
    Claim(
        "003c-01",
        "One dead node in the old generation makes young collections promote all nodes after it",
        as_published="“Everything gets promoted to old”; the young GC is “entirely ineffective”",
        measure=_all_promoted,
        judge=_kept_promotes,
        refuted_by={"promoted: Serial, mib": 256.0, "G1, mib": 40.0, LINKS_CUT: 2.0},
    ),
    Claim(
        "003c-02",
        "It lasts until a collection of the old generation clears the chain",
        as_published="“until an old GC clears the lot”",
        measure=_cleared,
        judge=_full_one_clears,
        refuted_by={"before_mib": 205.0, "after_mib": 190.0},
    ),
    Claim(
        "003c-03",
        "After a full collection of Serial or Parallel the problem is gone, in the lab's test program",
        as_published="“the problem disappears (in the test program, but is likely to repeat in real programs)”",
        measure=_afterwards,
        judge=_gone,
        refuted_by={"promoted afterwards: Serial, mib": 128.0, "Parallel, mib": 118.0},
    ),
    Claim(
        "003c-09",
        "A single promotion at the wrong moment is enough",
        as_published="“ANY promoted node will result in the promotion of ALL following nodes”",
        measure=_one_is_enough,
        judge=_only_after_one,
        refuted_by={NEVER: 256.0, ONCE: 256.0},
    ),
    Claim(
        "003c-10",
        "Only collectors with generations are prone to it",
        as_published="“in a single generation collector this is a non-issue”",
        measure=_by_collector,
        judge=_only_generational,
        refuted_by={"waited: Serial, ms": 340.0, f"{AGELESS} Shenandoah, ms": 700.0},
    ),
    Claim(
        "003c-12",
        "Compact object headers make nodes smaller, so that less is promoted",
        as_published="not in the post: the lab's own addition",
        measure=_node_size,
        judge=_smaller,
        refuted_by={USUAL: 430.0, COMPACT: 430.0},
    ),
    Claim(
        "003c-13",
        "Trees are prone to it, too: a dead parent in the old generation drags its children there",
        as_published="“a parent node can certainly drag a useless chunk of state to the old gen”",
        measure=_trees,
        judge=_dragged,
        refuted_by=dict(zip(TREES, (4.0, 0.0, 40.0), strict=True)),
    ),
    Claim(
        "003c-14",
        "The reverse is true as well: a young object, dead or not, keeps an old one alive in an old collection",
        as_published="“The reverse is also true”",
        measure=_reverse,
        judge=_kept_by_young,
        refuted_by={HELD: 4.0, FREE: 0.1, AFTER_YOUNG: 0.1},
    ),
]
