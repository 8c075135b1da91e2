"""A queue whose dead nodes are kept: claims 003c-01 to -03, -09, -10 and -12, each run again on one JDK.

What counts is what young collections promote, in MiB, and for how long the collector made the program wait; the one
hardly varies from run to run, the other by a factor of ten between nepotism and its cure.
"""

from statistics import median
from typing import TYPE_CHECKING

from safepointlab.claims.base import Claim, Evidence, Judgement, fails, holds, unclear
from safepointlab.run.run import Run
from safepointlab.topics.nepotism import (
    COMPACT_HEADERS,
    CUT,
    KEPT,
    RUNS,
    TO_GET_OLD,
    YOUNG_AND_OLD,
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
LINKS_CUT = "links cut, at most"


def _all_promoted(jdk: int) -> Evidence:
    kept = {gc: promoted_mib(queue(jdk, KEPT, gc)) for gc in YOUNG_AND_OLD}
    most = max(promoted_mib(queue(jdk, CUT, gc)) for gc in YOUNG_AND_OLD)
    return {**about("MiB promoted", kept), LINKS_CUT: most}


def _kept_promotes(measured: Evidence, jdk: int) -> Judgement:
    kept = min(mib for name, mib in measured.items() if name != LINKS_CUT)
    if kept > 100 and kept > 10 * measured[LINKS_CUT]:
        return holds("what is dead and old counts as a root for a young collection")
    return fails("young collections free the dead nodes")


def about(what: str, evidence: Evidence) -> Evidence:
    """What all numbers are, said once: in front of the first name."""
    return {name if place else f"{what}: {name}": value for place, (name, value) in enumerate(evidence.items())}


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
    return about("MiB promoted afterwards", {gc: _promoted_afterwards(jdk, gc) for gc in ("Serial", "Parallel")})


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
        return fails("the full collection makes the head of that moment old, one poll before it is dead")
    return holds("young collections promote nothing any more")


def _one_is_enough(jdk: int) -> Evidence:
    never = promoted_mib(queue(jdk, full=0))
    return about("MiB promoted", {"never a full collection": never, "one": promoted_mib(queue(jdk))})


def _only_after_one(measured: Evidence, jdk: int) -> Judgement:
    without, after_one = measured["MiB promoted: never a full collection"], measured["one"]
    if after_one > 100 and without < after_one / 20:
        return holds("without it no node is ever old, and the same loop is harmless")
    return fails("it makes no difference")


def _by_collector(jdk: int) -> Evidence:
    waits = {gc: stopped_ms(queue(jdk, KEPT, gc)) for gc in YOUNG_AND_OLD}
    for gc, flags in other_generational(jdk).items():
        waits[f"generational {gc}"] = _usual_wait(jdk, gc, flags, TO_GET_OLD.get(gc, 1))
    for gc, flags in without_generations(jdk).items():
        waits[f"{AGELESS} {gc}"] = _usual_wait(jdk, gc, flags)
    return about("ms waited", waits)


def _usual_wait(jdk: int, gc: str, flags: str, full: int = 1) -> float:
    runs = (queue(jdk, KEPT, gc, flags, full=full, repeat=repeat) for repeat in range(RUNS.get(gc, 1)))
    return round(median(stopped_ms(run) for run in runs), 1)


def _only_generational(measured: Evidence, jdk: int) -> Judgement:
    alike = [ms for name, ms in measured.items() if name.startswith(AGELESS)]
    by_age = [ms for name, ms in measured.items() if not name.startswith(AGELESS)]
    if not alike:
        return unclear("this JDK has no collector without generations to compare with")
    if min(by_age) > 3 * max(alike):
        return holds("where there is no old generation, there is nothing that counts as alive by its age")
    return fails("generations make no difference")


def _node_size(jdk: int) -> Evidence:
    if jdk < COMPACT_HEADERS:
        return {}
    headers = {"headers of 12 bytes": "-", "of 8 bytes": "+"}
    runs = {name: queue(jdk, CUT, flags=f"-XX:{sign}UseCompactObjectHeaders") for name, sign in headers.items()}
    return about("young collections", {name: _young(run) for name, run in runs.items()})


def _young(run: Run) -> int:
    return int((run.gc["kind"] == "young").sum())


def _smaller(measured: Evidence, jdk: int) -> Judgement:
    if not measured:
        return unclear("compact headers came with JDK 24 (JEP 450)")
    if measured["of 8 bytes"] < measured["young collections: headers of 12 bytes"]:
        return holds("a node takes 16 bytes instead of 24 (JEP 450, JEP 519), so that the same pairs fill less")
    return fails("the same number of pairs fills the young generation as often")


CLAIMS = [
    Claim(
        "003c-01",
        "One dead node in the old generation makes young collections promote all nodes after it",
        then="all are promoted, and young collections free nothing",
        measure=_all_promoted,
        judge=_kept_promotes,
        refuted_by=({"MiB promoted: Serial": 256.0, "G1": 4.0, LINKS_CUT: 2.0}, 17),
    ),
    Claim(
        "003c-02",
        "It lasts until a collection of the old generation clears the chain",
        then="an old collection cleared it",
        measure=_cleared,
        judge=_full_one_clears,
        refuted_by=({"before_mib": 205.0, "after_mib": 190.0}, 17),
    ),
    Claim(
        "003c-03",
        "After that collection the problem is gone",
        then="gone for the rest of the test",
        measure=_afterwards,
        judge=_gone,
        refuted_by=({"MiB promoted afterwards: Serial": 128.0, "Parallel": 118.0}, 17),
    ),
    Claim(
        "003c-09",
        "A single promotion at the wrong moment is enough",
        then="one promoted node",
        measure=_one_is_enough,
        judge=_only_after_one,
        refuted_by=({"MiB promoted: never a full collection": 256.0, "one": 256.0}, 17),
    ),
    Claim(
        "003c-10",
        "Only collectors with generations are prone to it",
        then="generational collectors only",
        measure=_by_collector,
        judge=_only_generational,
        refuted_by=({"ms waited: Serial": 340.0, f"{AGELESS} Shenandoah": 700.0}, 17),
    ),
    Claim(
        "003c-12",
        "Compact object headers make nodes smaller, so that less is promoted",
        then="not in the post: the lab's own addition",
        measure=_node_size,
        judge=_smaller,
        refuted_by=({"young collections: headers of 12 bytes": 5, "of 8 bytes": 5}, 25),
    ),
]
