"""A pause's name, "Young (Mixed) (G1 Evacuation Pause)" -> its kind, cause and detail, and the collector."""

import re
from dataclasses import dataclass

G1_YOUNG = ("Normal", "Concurrent Start", "Prepare Mixed", "Mixed")
SHENANDOAH = ("init mark", "final mark", "init update refs", "final update refs", "final roots", "degenerated")
GENERATIONS = ("Young", "Old", "Global")  # of generational Shenandoah, 24 and later
ZGC = ("mark start", "mark end", "relocate start", "minor", "major", "cycle", "allocation stall", "relocation stall")

# "Using G1" (9 and later), or the header of 8's -Xloggc file, or the name of a part of the heap
COLLECTOR = re.compile(
    r"Using (G1|Serial|Parallel|Concurrent Mark Sweep|The Z Garbage Collector|Shenandoah|Epsilon)\b"
    r"|-XX:\+Use(G1|Serial|Parallel|ConcMarkSweep|Z|Shenandoah|Epsilon)GC\b"
    r"|\b(DefNew|PSYoungGen|ParNew|garbage-first heap)\b"
)
COLLECTORS = {
    "Concurrent Mark Sweep": "CMS", "ConcMarkSweep": "CMS", "ParNew": "CMS", "DefNew": "Serial",
    "PSYoungGen": "Parallel", "The Z Garbage Collector": "ZGC", "Z": "ZGC", "garbage-first heap": "G1",
}  # fmt: skip


@dataclass(frozen=True)
class Meaning:
    """The parts of one name; empty where it has none."""

    kind: str
    cause: str = ""
    detail: str = ""


def meaning(what: str) -> Meaning:
    """The name of a pause, as 8 or as 9 and later print it.

    >>> meaning("Young (Mixed) (G1 Evacuation Pause) (Evacuation Failure: Allocation)")
    Meaning(kind='mixed', cause='G1 Evacuation Pause', detail='Mixed, Evacuation Failure: Allocation')
    >>> meaning("Full (System.gc())")
    Meaning(kind='full', cause='System.gc()', detail='')
    >>> meaning("GC pause (G1 Humongous Allocation) (young) (initial-mark)")
    Meaning(kind='young', cause='G1 Humongous Allocation', detail='initial-mark')
    >>> meaning("Degenerated GC (Outside of Cycle)")
    Meaning(kind='degenerated', cause='', detail='Outside of Cycle')
    """
    name = what.split(" (", 1)[0].removesuffix("--").strip()
    groups = re.findall(r" \(((?:[^()]|\(\))*)\)", what)
    cause, rest = "".join(groups[:1]), groups[1:]
    if name == "GC pause":  # of 8, as all that begin with GC or Full GC
        kind = "mixed" if "mixed" in groups else "young"
        return Meaning(kind, cause, ", ".join(group for group in rest if group != kind))
    if name in ("GC remark", "GC cleanup"):
        return Meaning(name.removeprefix("GC "))
    if name.startswith(("GC", "Full GC")):
        own = {"CMS Initial Mark": "initial mark", "CMS Final Remark": "remark"}
        return Meaning(own.get(cause, "full" if name == "Full GC" else "young"), cause, ", ".join(rest))
    if name in ("Young", "Mixed") or (name == "Initial Mark" and groups):
        # G1's first group is the type, but on 9 and 10 the name is; Serial and Parallel have the cause alone
        typed = [] if name == "Young" else [name]
        if groups and groups[0] in G1_YOUNG:
            typed, groups = groups[:1], groups[1:]
        kind = "mixed" if "Mixed" in typed else "young"
        return Meaning(kind, "".join(groups[:1]), ", ".join([*typed, *groups[1:]]))
    if name == "Full":
        return Meaning("full", cause, ", ".join(rest))
    return Meaning(name.removesuffix(" GC").lower(), detail=", ".join(groups))


def find_collector(text: str) -> str:
    """The collector that the beginning of a log names; empty if it names none."""
    match = COLLECTOR.search(text)
    name = next(filter(None, match.groups())) if match else ""
    return COLLECTORS.get(name, name)


def collector_of(kind: str, cause: str, detail: str) -> str:
    """The collector that has such a pause; empty if more than one has."""
    if cause.startswith("G1") or detail.split(", ")[0] in G1_YOUNG:
        return "G1"
    if cause.startswith("CMS"):
        return "CMS"
    named = find_collector(detail)
    if not named and (kind in SHENANDOAH or kind.startswith("concurrent")):
        return "Shenandoah"
    return named or ("ZGC" if kind in ZGC else "")
