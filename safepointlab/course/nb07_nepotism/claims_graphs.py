"""Nepotism beyond queues, and its reverse: claims 003c-13 and 003c-14 on one JDK."""

from safepointlab.claims.base import Claim, Evidence, Judgement, fails, holds, not_asked, unclear
from safepointlab.course.nb07_nepotism.experiments import promoted_mib
from safepointlab.course.nb07_nepotism.graphs import TREES, old_alone, parents
from safepointlab.errors import FlagRejected

NAMES = ("promoted: parents keep their children, mib", "parents part from them, mib", "trees linked to the next, mib")
HELD, FREE = "left by an old collection: held by a dead young object, mib", "held by nobody, mib"
AFTER_YOUNG = "the first after a young collection, mib"


def _trees(jdk: int) -> Evidence:
    return {name: promoted_mib(parents(jdk, what)) for name, what in zip(NAMES, TREES, strict=True)}


def _dragged(measured: Evidence, jdk: int) -> Judgement:
    kept, parted, bridged = (measured[name] for name in NAMES)
    if kept > 20 and bridged > 20 and parted < kept / 10:
        return holds("a dead old root keeps its branches; linked to the next one, one such root keeps all trees")
    if kept < 5:
        return fails("the branches of dead parents are freed")
    return unclear("some trees were promoted and others were not")


def _reverse(jdk: int) -> Evidence:
    try:
        held, free = (old_alone(jdk, what).values for what in ("hold", "free"))
    except FlagRejected:
        return {"CMS": "rejected"}
    return {HELD: held["old_after_mib"], FREE: free["old_after_mib"], AFTER_YOUNG: held["old_end_mib"]}


def _kept_by_young(measured: Evidence, jdk: int) -> Judgement:
    if measured.get("CMS") == "rejected":
        return not_asked("this JDK has no CMS (JEP 363, JDK 14), and no other that leaves out the young generation")
    if measured[FREE] > 10:
        return unclear("no old collection came in time: it would have taken what nobody holds")
    if measured[HELD] < 10:
        return fails("the old collection sees that the young object is dead")
    if measured[AFTER_YOUNG] < 10:
        return holds("an old collection takes all young objects for roots; a young one first, and the old one is freed")
    return unclear("it was kept, but not by the young object alone")


CLAIMS = [
    Claim(
        "003c-13",
        "Trees are prone to it, too: a dead parent in the old generation drags its children there",
        as_published="“a parent node can certainly drag a useless chunk of state to the old gen”",
        measure=_trees,
        judge=_dragged,
        refuted_by=(dict(zip(NAMES, (4.0, 0.0, 40.0), strict=True)), 17),
    ),
    Claim(
        "003c-14",
        "The reverse is true as well: a young object, dead or not, keeps an old one alive in an old collection",
        as_published="“The reverse is also true”",
        measure=_reverse,
        judge=_kept_by_young,
        refuted_by=({HELD: 4.0, FREE: 0.1, AFTER_YOUNG: 0.1}, 8),
    ),
]
