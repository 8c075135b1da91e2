"""A queue whose dead nodes are kept: claims 003c-01 to -03, -09, -10 and -12, each run again on one JDK.

What counts is what young collections promote, in MiB, and for how long the collector made the program wait; the one
hardly varies from run to run, the other by a factor of ten between nepotism and its cure.
"""

from statistics import median
from typing import TYPE_CHECKING

from safepointlab.claims.base import Claim, Evidence, Judgement, fails, holds, not_asked, unclear
from safepointlab.course.nb07_nepotism.experiments import (
    CUT,
    KEPT,
    RUNS,
    TO_GET_OLD,
    YOUNG_AND_OLD,
    compact_headers,
    long_queue,
    other_generational,
    promoted_mib,
    queue,
    stopped_ms,
    without_generations,
)

if TYPE_CHECKING:
    from pandas import DataFrame

AGELESS = "without generations:"
LINKS_CUT = "links cut, at most, mib"
NEVER, ONCE = "promoted: never a full collection, mib", "one, mib"
USUAL, COMPACT = "promoted: headers of 12 bytes, mib", "of 8 bytes, mib"


def _all_promoted(jdk: int) -> Evidence:
    kept = {gc: promoted_mib(queue(jdk, KEPT, gc)) for gc in YOUNG_AND_OLD}
    most = max(promoted_mib(queue(jdk, CUT, gc)) for gc in YOUNG_AND_OLD)
    return {**about("promoted", "mib", kept), LINKS_CUT: most}


def _kept_promotes(measured: Evidence, jdk: int) -> Judgement:
    kept = min(mib for name, mib in measured.items() if name != LINKS_CUT)
    if kept > 100 and kept > 10 * measured[LINKS_CUT]:
        return holds("what is dead and old counts as a root for a young collection")
    return fails("young collections free the dead nodes")


def about(what: str, unit: str, evidence: Evidence) -> Evidence:
    """What all numbers are, said once, in front of the first name; and the unit of each."""
    first = next(iter(evidence), "")
    return {
        f"{what}: {name}, {unit}" if name == first else f"{name}, {unit}": value for name, value in evidence.items()
    }


def first_big_drop(collections: "DataFrame") -> int:
    """The place of the first collection that empties a heap of more than 100 MiB to a tenth.

    On 8 the line of such a collection may say `GC`, not `Full GC`: a young one that went on to the old generation.
    """
    rows = collections.reset_index(drop=True)
    emptied = rows.index[(rows["before_mib"] > 100) & (rows["after_mib"] < rows["before_mib"] / 10)]
    return int(emptied[0]) if len(emptied) else -1


def _cleared(jdk: int) -> Evidence:
    rows = queue(jdk).gc.reset_index(drop=True)
    place = first_big_drop(rows)
    if place < 0:
        return {"before_mib": 0.0, "after_mib": 0.0}
    return {name: round(float(rows[name].iloc[place]), 1) for name in ("before_mib", "after_mib")}


def _full_one_clears(measured: Evidence, jdk: int) -> Judgement:
    if not measured["before_mib"]:
        return fails("no collection emptied the heap")
    if measured["after_mib"] > measured["before_mib"] / 20:
        return fails("the full collection kept a part of the chain as well")
    return holds("a full collection asks of old nodes, too, whether anyone can reach them")


def _afterwards(jdk: int) -> Evidence:
    return about("promoted afterwards", "mib", {gc: _promoted_afterwards(jdk, gc) for gc in ("Serial", "Parallel")})


def _promoted_afterwards(jdk: int, gc: str) -> float:
    rows = long_queue(jdk, gc=gc).gc
    place = first_big_drop(rows)
    later = rows.iloc[place + 1 :] if place >= 0 else rows.iloc[:0]
    promoted = later["promoted_mib"].sum(min_count=1)  # NA where no young collection follows
    return round(float(promoted), 1)


def _gone(measured: Evidence, jdk: int) -> Judgement:
    if any(mib != mib for mib in measured.values()):
        return unclear("no full collection came, or no young one after it")
    if max(measured.values()) > 20:
        return fails(
            "it repeats at once, as the post expects of real programs: the full collection makes the head of that "
            "moment old, one poll before it is dead; how the post's own program did is not measured"
        )
    return holds("young collections promote nothing any more")


def _one_is_enough(jdk: int) -> Evidence:
    return {NEVER: promoted_mib(queue(jdk, full=0)), ONCE: promoted_mib(queue(jdk))}


def _only_after_one(measured: Evidence, jdk: int) -> Judgement:
    without, after_one = measured[NEVER], measured[ONCE]
    if after_one > 100 and without < after_one / 20:
        return holds("without it no node is ever old, and the same loop is harmless")
    return fails("it makes no difference")


def _by_collector(jdk: int) -> Evidence:
    waits = {gc: stopped_ms(queue(jdk, KEPT, gc)) for gc in YOUNG_AND_OLD}
    for gc, flags in other_generational(jdk).items():
        waits[f"generational {gc}"] = _usual_wait(jdk, gc, flags, TO_GET_OLD.get(gc, 1))
    for gc, flags in without_generations(jdk).items():
        waits[f"{AGELESS} {gc}"] = _usual_wait(jdk, gc, flags)
    return about("waited", "ms", waits)


def _usual_wait(jdk: int, gc: str, flags: str, full: int = 1) -> float:
    runs = (queue(jdk, KEPT, gc, flags, full=full, repeat=repeat) for repeat in range(RUNS.get(gc, 1)))
    return round(median(stopped_ms(run) for run in runs), 1)


def _only_generational(measured: Evidence, jdk: int) -> Judgement:
    alike = [ms for name, ms in measured.items() if name.startswith(AGELESS)]
    by_age = [ms for name, ms in measured.items() if not name.startswith(AGELESS)]
    if not alike:
        return not_asked("this JDK has no collector without generations")
    if min(by_age) > 3 * max(alike):
        return holds("where there is no old generation, there is nothing that counts as alive by its age")
    if max(by_age) < 1.5 * max(alike):
        return fails("generations make no difference")
    return unclear("some collectors with generations made the program wait, and others did not")


def _node_size(jdk: int) -> Evidence:
    sizes = compact_headers(jdk)
    return {name: promoted_mib(sizes[on]) for name, on in ((USUAL, False), (COMPACT, True))} if sizes else {}


def _smaller(measured: Evidence, jdk: int) -> Judgement:
    if not measured:
        return not_asked("this JDK does not know the flag UseCompactObjectHeaders (JEP 450, JDK 24)")
    share = measured[COMPACT] / max(measured[USUAL], 0.1)
    if share < 0.85:
        return holds("a node takes 16 bytes instead of 24 (JEP 450, JEP 519)")
    return fails("the same pairs promote as much as with large headers") if share > 0.95 else unclear("hardly less")


CLAIMS = [
    Claim(
        "003c-01",
        "One dead node in the old generation makes young collections promote all nodes after it",
        as_published="“Everything gets promoted to old”; the young GC is “entirely ineffective”",
        measure=_all_promoted,
        judge=_kept_promotes,
        refuted_by=({"promoted: Serial, mib": 256.0, "G1, mib": 40.0, LINKS_CUT: 2.0}, 17),
    ),
    Claim(
        "003c-02",
        "It lasts until a collection of the old generation clears the chain",
        as_published="“until an old GC clears the lot”",
        measure=_cleared,
        judge=_full_one_clears,
        refuted_by=({"before_mib": 205.0, "after_mib": 190.0}, 17),
    ),
    Claim(
        "003c-03",
        "After a full collection of Serial or Parallel the problem is gone, in the lab's test program",
        as_published="“the problem disappears (in the test program, but is likely to repeat in real programs)”",
        measure=_afterwards,
        judge=_gone,
        refuted_by=({"promoted afterwards: Serial, mib": 128.0, "Parallel, mib": 118.0}, 17),
    ),
    Claim(
        "003c-09",
        "A single promotion at the wrong moment is enough",
        as_published="“ANY promoted node will result in the promotion of ALL following nodes”",
        measure=_one_is_enough,
        judge=_only_after_one,
        refuted_by=({NEVER: 256.0, ONCE: 256.0}, 17),
    ),
    Claim(
        "003c-10",
        "Only collectors with generations are prone to it",
        as_published="“in a single generation collector this is a non-issue”",
        measure=_by_collector,
        judge=_only_generational,
        refuted_by=({"waited: Serial, ms": 340.0, f"{AGELESS} Shenandoah, ms": 700.0}, 17),
    ),
    Claim(
        "003c-12",
        "Compact object headers make nodes smaller, so that less is promoted",
        as_published="not in the post: the lab's own addition",
        measure=_node_size,
        judge=_smaller,
        refuted_by=({USUAL: 430.0, COMPACT: 430.0}, 25),
    ),
]
