"""What operations cost while all threads are stopped: claims 000-29 to -31, -33, -40, -43, -48, -56, 002-18 and 002-23.

000-32, on dumps of a single thread, is with the claims of topic `safepoint`. Most of them look at stopped_ms, from the
moment when the last thread has stopped until all run again. An operation grows with its work if it takes longer for
each thing more; what looks at a thing takes a nanosecond at least, so a growth that is far below that is the machine's
noise.
"""

from math import isfinite
from typing import TYPE_CHECKING

from safepointlab.claims.base import Change, Claim, Evidence, Judgement, differs, holds, not_applicable, unclear
from safepointlab.course.nb12_cost import experiments as cost
from safepointlab.course.pairs import repeats
from safepointlab.errors import FlagRejected
from safepointlab.run import forks, jmh, launch, profile
from safepointlab.run.stops import of_run

if TYPE_CHECKING:
    from pandas import DataFrame, Series

SHALLOW = 16  # calls on a stack: a worker of a benchmark, not of a web server
PARKED_MS = 100.0  # what park and dumpAll park for
IN_STEP = 0.15  # of a park: a round that is so near to whole parks keeps step with them
LOOK_NS = 1.0  # what looks at a thing takes at least that
OBJECTS_PER_MIB = 4096  # of 256 bytes
BUSY_MS = 3.0  # who waits that long for a thread that polls each few microseconds waits for a core
SHORTEST_MS = 0.1  # of a stop: below that a single interruption by the system counts for more than any work
SEVERAL = 5.0
STOPPING = ("Serial", "Parallel", "G1")  # the collectors of 2013 whose full collections are one stop
MARKING = ("CMS", "G1")  # collectors of the post's time that mark beside the program
ABOUT = (0.25, 2.0)  # s a GiB; the post says 0.5 to 1, "highly variable"

ONE_DUMP = "stopped by a dump of {} threads, ms"
TTSP, STOP = "time to safepoint, ms", "stopped, ms"
SEARCH, COLLECTION = "stopped by a search beside {} threads, ms", "stopped by a collection beside 1000 threads, ms"
SLOWER, LATER = "contains1 beside 1000 threads by none", "park beside 1000 threads by none"
ROUND = "the asker's round beside 1000 threads, ms"  # its parking and its call
NAMED, NOT_NAMED, REJECTED = "names ThreadDump", "names no operation", "the VM does not start"
OBJECT, THREAD, FRAME, MONITOR = (
    f"for each {what} more, ns" for what in ("live object", "thread in a dump", "frame in a dump", "monitor")
)
COPY, CHUNKS = "waits for a copy, ms", "waits for chunks, ms"
SPEED = "{}, s_per_gib"
ASKED, CYCLE = "{}: the longest request, ms", "{}: the cycle, ms"


def _idle(jdk: int, threads: int, depth: int = cost.DEPTH, what: str = "dump") -> "DataFrame":
    """The stops of ten dumps, searches or collections beside idle threads, without the first, which warms up."""
    return of_run(cost.idle(jdk, threads, depth, what), f"{cost.DUMP}|{cost.SEARCH}|{cost.COLLECTION}").iloc[1:]


def _middle(stops: "DataFrame", column: str = "stopped_ms") -> float:
    return float(stops[column].astype("float64").median())


def _linear(measured: Evidence) -> Judgement:
    few, some, many = (measured[ONE_DUMP.format(count)] for count in (10, 100, 1000))
    if many > 3 * some > 9 * few:
        return holds("each time ten times the threads take several times as long: every stack is walked")
    if many < 1.5 * few:
        return differs("a hundred times the threads do not make a dump longer")
    return unclear("longer with more threads, but not at each step")


def _reached(jdk: int) -> Evidence:
    dumps = _idle(jdk, 1000)
    return {TTSP: _middle(dumps, "ttsp_ms"), STOP: _middle(dumps)}


def _short_and_long(measured: Evidence) -> Judgement:
    if measured[TTSP] > measured[STOP] / 5:
        return differs("it takes a good part of the stop to reach it")
    if measured[TTSP] < measured[STOP] / 20:
        return holds("threads that sleep are at a safepoint already: nobody is waited for")
    return unclear("it takes some of the time to reach it")


def _beside(jdk: int, metric: str) -> "list[Series[float]]":
    """JMH's us for one kind of thread beside no idle thread and beside 1,000: one value per fork, which ran by turns.

    The set-up is that of the post's third example: one thread searches 32 KiB, one parks for 100 ms, one parks for
    100 ms and then asks for a dump; the idle threads are 256 calls deep.
    """
    options = profile.by_effort(
        quick="-f 1 -wi 1 -w 300ms -i 3 -r 500ms",
        standard="-f 1 -wi 1 -w 500ms -i 4 -r 700ms",
        full="-f 1 -wi 3 -w 1s -i 10 -r 1s",  # the post's ten iterations of a second
    )
    idle, repeat = [0, 1000], repeats()
    frame = jmh.jmh(
        "cost.BesideDumps", jdk, "", options, 120, params={"idle": idle}, log=cost.LOG, repeat=repeat, reuse=True
    )
    return [forks.middles(frame[frame["idle"] == threads], metric) for threads in idle]


def _victim(jdk: int) -> Evidence:
    none, many = _beside(jdk, "contains1")
    return forks.range_of(SLOWER, many / none)


def _slowed(measured: Evidence) -> Judgement:
    low, high = measured[forks.least(SLOWER)], measured[forks.most(SLOWER)]
    if low > 1.2:
        return holds(f"{low:.2g} times as slow or more, in each pair of forks")
    if high < 1.1:
        return differs(f"not told apart: at most {high:.2g} times as slow")
    return unclear(f"{low:.2g} to {high:.2g} times as slow, by pairs of forks")


def _parks(jdk: int) -> Evidence:
    none, many = _beside(jdk, "park")
    _, rounds_us = _beside(jdk, "dumpAll")
    return {ROUND: float(rounds_us.median()) / 1000, **forks.range_of(LATER, many / none)}


def _late(measured: Evidence) -> Judgement:
    least, most = measured[forks.least(LATER)], measured[forks.most(LATER)]
    if least > 1.05:
        return holds("its time ends during a stop, again and again: it returns after that stop")
    if most >= 1.02:
        return unclear(f"{least:.3g} to {most:.3g} times as long: too near to 1 to say")
    parks = measured[ROUND] / PARKED_MS
    if isfinite(parks) and abs(parks - round(parks)) < IN_STEP:  # both begin their parks at the same moment
        return unclear("not late; but the asker's round lasts nearly two parks, so that a park may end between stops")
    return differs("a thread that only parks is not late")


def _searches(jdk: int) -> Evidence:
    """What three of four stops took at least: some are late on a busy machine."""
    searches = {SEARCH.format(count): _idle(jdk, count, SHALLOW, "deadlocks") for count in (10, 1000)}
    frames = {**searches, COLLECTION: _idle(jdk, 1000, SHALLOW, "collect")}
    return {name: float(frame["stopped_ms"].quantile(0.25)) for name, frame in frames.items()}


def _a_little_dearer(measured: Evidence) -> Judgement:
    few, many, collection = measured[SEARCH.format(10)], measured[SEARCH.format(1000)], measured[COLLECTION]
    if many < 1.1 * few:
        return differs("a hundred times the threads do not make a search longer")
    if many > 2 * collection:
        return differs("beside a thousand threads a search takes longer than a collection")
    if many > 1.5 * few and many < collection:
        return holds("longer beside a hundred times the threads, and still cheaper than a collection")
    return unclear("too close to one of the two to say")


def _statistics(jdk: int) -> Evidence:
    try:
        flags = "-XX:+PrintSafepointStatistics -XX:PrintSafepointStatisticsCount=1"
        named = cost.DUMP in launch.java(cost.THREADS, jdk, flags, args="dump 3 8 2", reuse=True).output
    except FlagRejected:
        return {"with the flags": REJECTED}
    return {"with the flags": NAMED if named else NOT_NAMED}


def _named(measured: Evidence) -> Judgement:
    if measured["with the flags"] == REJECTED:
        return not_applicable("this JDK refuses the flags")
    return holds("one row a stop") if measured["with the flags"] == NAMED else differs("nothing names the operation")


def _walks(jdk: int) -> Evidence:
    inflated = [launch.java(cost.MONITORS, jdk, args=count, log=cost.LOG, reuse=True) for count in (5_000, 500_000)]
    heaps = [cost.collections(jdk, mib) for mib in (10, 400)]
    deep, ten, shallow = _idle(jdk, 1000), _idle(jdk, 10), _idle(jdk, 1000, SHALLOW)
    return {
        OBJECT: _more_ns(390 * OBJECTS_PER_MIB, *heaps),
        THREAD: _more_ns(990, ten, deep),
        FRAME: _more_ns(1000 * (cost.DEPTH - SHALLOW), shallow, deep),
        MONITOR: _more_ns(495_000, *map(cost.first_stops, inflated)),
    }


def _more_ns(things: int, few: "DataFrame", many: "DataFrame") -> float:
    """What the longer stop takes more for each of so many things, in ns."""
    return 1e6 * (_middle(many) - _middle(few)) / things


def _each_grows(measured: Evidence) -> Judgement:
    first = [measured[name] for name in (OBJECT, THREAD, FRAME)]
    if min(first) < LOOK_NS / 2:
        return differs("one of the first three does not grow")
    if measured[MONITOR] < LOOK_NS / 2:
        why = f"{measured[MONITOR]:.2g} ns for each monitor more: nobody looks at them in the stop"
        return differs(why, Change(15, "JDK-8153224 has another thread deflate them, beside the program"))
    if min(*first, measured[MONITOR]) >= LOOK_NS:
        return holds("each of the four takes longer for each thing more")
    return unclear("one of them grows by so little that it may be noise")


def _huge(jdk: int) -> Evidence:
    """What three of four stops took at least while a thread copies an array over and over, as a whole or in 64 KiB.

    One in four may be late for other reasons, on a busy machine.
    """
    measured = {}
    for name, what in {COPY: "copy", CHUNKS: "chunks"}.items():
        sample, heap, args = "cost/HugeArray", "-Xms2400m -Xmx2400m", [what, 600]  # MiB
        run = launch.java(sample, jdk, heap, gc="Serial", args=args, log=cost.LOG, reuse=True)
        measured[name] = float(of_run(run, cost.SEARCH)["ttsp_ms"].quantile(0.25))
    return measured


def _waits(measured: Evidence) -> Judgement:
    whole, chunks = measured[COPY], measured[CHUNKS]
    if not chunks <= BUSY_MS:
        return unclear("most stops are late even without a long copy: this machine is too busy just now")
    if whole > SEVERAL * max(chunks, SHORTEST_MS):
        return holds("System.arraycopy is one step without a poll; the same bytes in chunks have one after each")
    if whole < 2 * max(chunks, SHORTEST_MS):
        return differs("a safepoint does not wait for the copy")
    return unclear("a safepoint waits longer beside the copy, but not by much")


def _halts(jdk: int) -> Evidence:
    """Of each collector the shortest of five full collections of 200 MiB: other programs only make it longer.

    The objects have 64 bytes, a usual size.
    """
    stops = {gc: float(cost.collections(jdk, 200, 5, 64, gc=gc)["stopped_ms"].min()) for gc in STOPPING}
    return {SPEED.format(gc): ms / 1000 / (200 / 1024) for gc, ms in stops.items()}


def _a_second_a_gib(measured: Evidence) -> Judgement:
    speeds = [measured[SPEED.format(gc)] for gc in STOPPING]
    said = f"{min(speeds):.2g} to {max(speeds):.2g} s a GiB, by collector"
    if ABOUT[0] <= min(speeds) and max(speeds) <= ABOUT[1]:
        return holds(said)
    if max(speeds) < ABOUT[0] or min(speeds) > 2 * ABOUT[1]:
        return differs(said)
    return unclear(f"{said}: some within {ABOUT[0]:g} to {ABOUT[1]:g}, some not")


def _marks(jdk: int) -> Evidence:
    """A cycle over one map: the longest of the safepoints asked for meanwhile, and what the cycle took."""
    measured: dict[str, float] = {}
    heap = "-Xms3g -Xmx3g -Xmn256m -XX:MaxTenuringThreshold=0 -XX:+ExplicitGCInvokesConcurrent"
    for gc in MARKING:
        # by default CMS waits for up to 5 s in mid-cycle
        flags = f"{heap} -XX:CMSMaxAbortablePrecleanTime=10" if gc == "CMS" else heap
        try:
            values = launch.java("cost/MarkedMap", jdk, flags, gc=gc, args=50, deadline=120, reuse=True).values
        except FlagRejected:
            continue
        measured |= {ASKED.format(gc): float(values["asked_ms"]), CYCLE.format(gc): float(values["marked_ms"])}
    return measured


def _marks_without_a_poll(measured: Evidence) -> Judgement:
    collectors = [gc for gc in MARKING if ASKED.format(gc) in measured]
    shares = {gc: measured[ASKED.format(gc)] / max(measured[CYCLE.format(gc)], 1.0) for gc in collectors}
    if not collectors:
        return not_applicable("this JDK has none of the collectors that mark beside the program")
    if slow := [gc for gc in collectors if shares[gc] > 1 / 4]:
        return holds(f"a request waits for the marking of the map with {', '.join(slow)}")
    if all(share < 1 / 10 for share in shares.values()):
        why = f"{' and '.join(collectors)} marked it and kept no request waiting for long"
        return differs(why, Change(9, "JDK-8057003 (JDK 9): G1 marks a large array in parts"))
    return unclear("a request waited for some of the marking, or for a core")


CLAIMS = [
    Claim(
        "000-29",
        "A thread dump takes longer the more threads there are, though they do nothing",
        as_published="0.2, 0.6, 5.5, 61.3, 313.0 ms for 0, 1, 10, 100, 1,000 threads, 256 deep: averages of all stops",
        measure=lambda jdk: {ONE_DUMP.format(count): _middle(_idle(jdk, count)) for count in (10, 100, 1000)},
        judge=_linear,
        refuted_by={ONE_DUMP.format(10): 5.0, ONE_DUMP.format(100): 5.5, ONE_DUMP.format(1000): 6.0},
    ),
    Claim(
        "000-30",
        "The time to safepoint stays short then: it is the operation that takes long",
        as_published="0.0 to 1.0 ms",
        measure=_reached,
        judge=_short_and_long,
        refuted_by={TTSP: 200.0, STOP: 250.0},
    ),
    Claim(
        "000-31",
        "A thread that has nothing to do with the dumps pays for them",
        as_published="contains1 takes 38.0 us beside no idle thread, 204.5 us beside 1,000",
        measure=_victim,
        judge=_slowed,
        refuted_by={f"{SLOWER}, at least, times": 0.9, f"{SLOWER}, at most, times": 1.05},
    ),
    Claim(
        "000-40",
        "-XX:+PrintSafepointStatistics names the operation of each stop",
        as_published="said, of PrintSafepointStatistics and PrintSafepointStatisticsCount=X",
        measure=_statistics,
        judge=_named,
        refuted_by={"with the flags": NOT_NAMED},
    ),
    Claim(
        "000-48",
        "A thread that only parks pays for the dumps, too",
        as_published="park takes 100.0 ms beside no idle thread, 257.5 ms beside 1,000",
        measure=_parks,
        judge=_late,
        refuted_by={ROUND: 250.0, forks.least(LATER): 1.0, forks.most(LATER): 1.01},
    ),
    Claim(
        "000-56",
        "A search for deadlocks gets more expensive with the threads, but not by much: it is lighter than a collection",
        as_published="said of findDeadlockedThreads, not measured",
        measure=_searches,
        judge=_a_little_dearer,
        refuted_by={SEARCH.format(10): 1.0, SEARCH.format(1000): 1.0, COLLECTION: 2.0},
    ),
    Claim(
        "000-33",
        "Operations grow: a collection with the heap, a dump with threads and stacks, deflation with monitors",
        as_published="said, not measured",
        measure=_walks,
        judge=_each_grows,
        refuted_by={OBJECT: 60.0, THREAD: 200e3, FRAME: 800.0, MONITOR: 0.04},
    ),
    Claim(
        "000-43",
        "A GC thread that marks one map of 50 million entries goes without a poll, and a safepoint waits for it",
        as_published="stops of some 15 s with a Koloboke map of 50 million entries, in a comment; the collector "
        "is not named",
        measure=_marks,
        judge=_marks_without_a_poll,
        refuted_by={ASKED.format("G1"): 20.0, CYCLE.format("G1"): 3000.0},
        full=True,
    ),
    Claim(
        "002-18",
        "A collection halts all threads for about 1 s for each 1 to 2 GB of heap (0.25 to 2 s a GiB of live objects)",
        as_published="“an average of 1 second of halting all Java threads per 1-2Gb of heap space”, “highly variable”",
        measure=_halts,
        judge=_a_second_a_gib,
        refuted_by={SPEED.format(gc): 0.02 for gc in STOPPING},
    ),
    Claim(
        "002-23",
        "A large memory copy delays every thread until it ends",
        as_published="a delay of 10 s in production, from a Clojure program with a large memory copy (G. Tene)",
        measure=_huge,
        judge=_waits,
        refuted_by={COPY: 0.15, CHUNKS: 0.2},
    ),
]
