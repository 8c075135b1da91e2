"""What a stop has to walk, and what a GC thread marks: claims 000-33, 000-43, 002-18 and 002-23, on one JDK.

An operation grows with its work if it takes longer for each thing more; what looks at a thing takes a nanosecond at
least, so a growth that is far below that is the machine's noise.
"""

from typing import TYPE_CHECKING

from safepointlab.claims.base import Claim, Evidence, Judgement, fails, holds, not_asked, refuted, unclear
from safepointlab.course.nb12_cost import experiments as cost
from safepointlab.errors import FlagRejected

if TYPE_CHECKING:
    from pandas import DataFrame

LOOK_NS = 1.0  # what looks at a thing takes at least that
OBJECT, THREAD, FRAME, MONITOR = (
    f"for each {what} more, ns" for what in ("live object", "thread in a dump", "frame in a dump", "monitor")
)
OBJECTS_PER_MIB = 4096  # of 256 bytes
SHALLOW = 16  # calls on a stack
COPY, CHUNKS = "waits for a copy, ms", "waits for chunks, ms"
BUSY_MS = 3.0  # who waits that long for a thread that polls each few microseconds waits for a core
SHORTEST_MS = 0.1  # of a stop: below that a single interruption by the system counts for more than any work
SEVERAL = 5.0
STOPPING = ("Serial", "Parallel", "G1")  # the collectors of 2013 whose full collections are one stop
SPEED = "{}, s_per_gib"
ABOUT = (0.25, 2.0)  # s a GiB; the post says 0.5 to 1, "highly variable"
MARKING = ("CMS", "G1")  # collectors of the post's time that mark beside the program
ASKED, CYCLE = "{}: the longest request, ms", "{}: the cycle, ms"


def _middle(frame: "DataFrame") -> float:
    return float(frame["stopped_ms"].median())


def _more(things: int, few: "DataFrame", many: "DataFrame") -> float:
    """What the longer stop takes more for each of so many things, in ns."""
    return 1e6 * (_middle(many) - _middle(few)) / things


def _walks(jdk: int) -> Evidence:
    few, many = cost.MONITOR_COUNTS
    monitors = _more(many - few, *(cost.first_stops(cost.monitors(jdk, count)) for count in (few, many)))
    little, much = cost.SIZES_MIB
    heaps = (cost.collections(cost.heap(jdk, mib)) for mib in (little, much))
    objects = _more((much - little) * OBJECTS_PER_MIB, *heaps)
    deep, ten, shallow = (cost.of_idle(cost.idle(jdk, *asked)) for asked in ((1000,), (10,), (1000, SHALLOW)))
    frames = _more(1000 * (cost.DEPTH - SHALLOW), shallow, deep)
    return {OBJECT: objects, THREAD: _more(990, ten, deep), FRAME: frames, MONITOR: monitors}


def _each_grows(measured: Evidence, jdk: int) -> Judgement:
    first = [measured[name] for name in (OBJECT, THREAD, FRAME)]
    if min(first) < LOOK_NS / 2:
        return fails("one of the first three does not grow")
    if measured[MONITOR] < LOOK_NS / 2:
        why = f"{measured[MONITOR]:.2g} ns for each monitor more: nobody looks at them in the stop"
        return refuted(why, jdk, since=15, cause="JDK-8153224 has another thread deflate them, beside the program")
    if min(*first, measured[MONITOR]) >= LOOK_NS:
        return holds("each of the four takes longer for each thing more")
    return unclear("one of them grows by so little that it may be noise")


def _huge(jdk: int) -> Evidence:
    """What three of four stops took at least: one in four may be late for other reasons, on a busy machine."""
    stops = {COPY: "copy", CHUNKS: "chunks"}
    runs = {name: cost.searches(cost.huge(jdk, what)) for name, what in stops.items()}
    return {name: float(rows["ttsp_ms"].quantile(0.25)) for name, rows in runs.items()}


def _waits(measured: Evidence, jdk: int) -> Judgement:
    whole, chunks = measured[COPY], measured[CHUNKS]
    if not chunks <= BUSY_MS:
        return unclear("most stops are late even without a long copy: this machine is too busy just now")
    if whole > SEVERAL * max(chunks, SHORTEST_MS):
        return holds("System.arraycopy is one step without a poll; the same bytes in chunks have one after each")
    if whole < 2 * max(chunks, SHORTEST_MS):
        return fails("a safepoint does not wait for the copy")
    return unclear("a safepoint waits longer beside the copy, but not by much")


def _halts(jdk: int) -> Evidence:
    """Of each collector the shortest full collection: other programs only make it longer."""
    gib = cost.MANY_SMALL[0] / 1024
    stops = {gc: float(cost.collections(cost.small_objects(jdk, gc))["stopped_ms"].min()) for gc in STOPPING}
    return {SPEED.format(gc): ms / 1000 / gib for gc, ms in stops.items()}


def _a_second_a_gib(measured: Evidence, jdk: int) -> Judgement:
    speeds = [measured[SPEED.format(gc)] for gc in STOPPING]
    said = f"{min(speeds):.2g} to {max(speeds):.2g} s a GiB, by collector"
    if ABOUT[0] <= min(speeds) and max(speeds) <= ABOUT[1]:
        return holds(said)
    if max(speeds) < ABOUT[0] or min(speeds) > 2 * ABOUT[1]:
        return fails(said)
    return unclear(f"{said}: some within {ABOUT[0]:g} to {ABOUT[1]:g}, some not")


def _marks(jdk: int) -> Evidence:
    measured: dict[str, float] = {}
    for gc in MARKING:
        try:
            values = cost.marked(jdk, gc).values
        except FlagRejected:
            continue
        measured |= {ASKED.format(gc): float(values["asked_ms"]), CYCLE.format(gc): float(values["marked_ms"])}
    return measured


def _marks_without_a_poll(measured: Evidence, jdk: int) -> Judgement:
    collectors = [gc for gc in MARKING if ASKED.format(gc) in measured]
    shares = {gc: measured[ASKED.format(gc)] / max(measured[CYCLE.format(gc)], 1.0) for gc in collectors}
    if not collectors:
        return not_asked("this JDK has none of the collectors that mark beside the program")
    if slow := [gc for gc in collectors if shares[gc] > 1 / 4]:
        return holds(f"a request waits for the marking of the map with {', '.join(slow)}")
    if all(share < 1 / 10 for share in shares.values()):
        why = f"{' and '.join(collectors)} marked it and kept no request waiting for long"
        return refuted(why, jdk, since=9, cause="JDK-8057003 (JDK 9): G1 marks a large array in parts")
    return unclear("a request waited for some of the marking, or for a core")


CLAIMS = [
    Claim(
        "000-33",
        "Operations grow: a collection with the heap, a dump with threads and stacks, deflation with monitors",
        as_published="said, not measured",
        measure=_walks,
        judge=_each_grows,
        refuted_by=({OBJECT: 60.0, THREAD: 200e3, FRAME: 800.0, MONITOR: 0.04}, 17),
    ),
    Claim(
        "000-43",
        "A GC thread that marks one map of 50 million entries goes without a poll, and a safepoint waits for it",
        as_published="stops of some 15 s with a Koloboke map of 50 million entries, in a comment; the collector "
        "is not named",
        measure=_marks,
        judge=_marks_without_a_poll,
        refuted_by=({ASKED.format("G1"): 20.0, CYCLE.format("G1"): 3000.0}, 17),
        full=True,
    ),
    Claim(
        "002-18",
        "A collection halts all threads for about 1 s for each 1 to 2 GB of heap (0.25 to 2 s a GiB of live objects)",
        as_published="“an average of 1 second of halting all Java threads per 1-2Gb of heap space”, “highly variable”",
        measure=_halts,
        judge=_a_second_a_gib,
        refuted_by=({SPEED.format(gc): 0.02 for gc in STOPPING}, 8),
    ),
    Claim(
        "002-23",
        "A large memory copy delays every thread until it ends",
        as_published="a delay of 10 s in production, from a Clojure program with a large memory copy (G. Tene)",
        measure=_huge,
        judge=_waits,
        refuted_by=({COPY: 0.15, CHUNKS: 0.2}, 8),
    ),
]
