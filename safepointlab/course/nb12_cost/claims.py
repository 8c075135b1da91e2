"""What operations cost while all threads are stopped: claims 000-29, -31, -33, -40, -43, -48, -56, -62 and 002-23.

000-32, on dumps of a single thread, is with the claims of topic `safepoint`. Most of them look at stopped_ms, from the
moment when the last thread has stopped until all run again. Two things differ where the ranges of their JVMs, or the
middle halves of their stops, do not overlap.
"""

import re
from collections.abc import Sequence
from functools import partial
from statistics import median
from typing import TYPE_CHECKING, Any

from safepointlab.claims.base import Change, Claim, Evidence, Judgement, decide, differs, holds, quantity, unclear
from safepointlab.course.nb12_cost import experiments as cost
from safepointlab.course.nb14_guaranteed.experiments import NO_OPERATION, table, with_table
from safepointlab.jdks import flags as known_flags
from safepointlab.run import forks, jmh, launch, profile
from safepointlab.run.load import load
from safepointlab.run.stops import of_run
from safepointlab.run.sweep import sweep

if TYPE_CHECKING:
    from pandas import DataFrame

    from safepointlab.run.run import Run

SHALLOW = 16  # calls on a stack: a worker of a benchmark, not of a web server
JVMS = 3  # of each kind
PARK_MS = 100.0  # what park and dumpAll park for
IN_STEP = 0.15  # of a park: a round that is so near to whole parks keeps step with them
UNASKED = {"contains1": 1, "dumpAll": 0, "park": 1}  # threads of cost.BesideDumps, none of which dumps
TIMED = "ExecuteVMOperation"  # JFR times it from its begin to its end, without the stop around it
LOOK_NS = 1.0  # what looks at a thing takes at least that
OBJECTS_PER_MIB = 4096  # of 256 bytes

ONE_DUMP = "stopped by a dump with {} threads, ms"
REACHED = "time to safepoint of a dump beside a thread that searches, of its stop, median by JVM, percent"
NONE, MANY = "{} with no idle thread, us", "{} with 1000 idle threads, us"
NO_DUMPS = "{} with 1000 idle threads and no dumps, us"
FEW_SEARCH, MANY_SEARCH, COLLECTION = (
    f"the operation of {what} idle threads, median by JVM, ms"
    for what in ("a search with few", "a search with many", "a collection with many")
)
STOPS, ROWS, COLLECTIONS = "stops", "rows of the table", "rows of collections"
NAMELESS, SECOND = "rows without an operation", "of these a second after another stop"
SECOND_S = 0.95  # GuaranteedSafepointInterval is 1 s, from the end of one stop to the next
MARKING, REQUESTS = "marking of the array, ms", "requests meanwhile"
LONGEST = "longest time to safepoint meanwhile, ms"
ENOUGH_REQUESTS = 5
SLICES = "JDK-8057003 (JDK 9, and an update of 8): G1 marks a large array slice by slice"
COPY, CHUNKS = (f"time to safepoint during {what}: middle half and median, ms" for what in ("copies", "chunks"))
FLOOR_MS = 0.1  # of a time to safepoint: below it is the VM thread's own wait
IDLE_MONITORS = "a stop with idle monitors"
GROWS = {  # what grows: its unit, and how many more of them the second stops have
    "a collection": ("live object", 390 * OBJECTS_PER_MIB),
    "a dump by threads": ("thread", 990),
    "a dump by depth": ("frame", 1000 * (cost.DEPTH - SHALLOW)),
    IDLE_MONITORS: ("monitor", 495_000),
}


def _quartiles(stops: "DataFrame", column: str = "stopped_ms") -> list[float]:
    """The lower quartile, the median and the upper quartile: one stop in four may be late on a busy machine."""
    return [float(value) for value in stops[column].astype("float64").quantile([0.25, 0.5, 0.75])]


def _spread(values: Sequence[float], unit: str = "ms") -> str:
    return " to ".join(quantity(f"_{unit}", end) for end in (min(values), max(values)))


def _linear(jdk: int, sample: str = cost.THREADS) -> Evidence:
    """The median stop with each number of idle threads, JVM by JVM, which ran by turns.

    And how much of a stop goes by before it is reached, where a thread searches beside 1,000 idle ones: by JVM, too.
    """
    args = {count: f"dump {count} {cost.DEPTH}" for count in (10, 100, 1000)}
    frame = sweep(sample, jdk=jdk, args=list(args.values()), log=cost.LOG, repeat=JVMS, reuse=True)
    dumps = {
        # the first warms up
        count: [of_run(load(run), cost.DUMP).iloc[1:] for run in frame.loc[frame["args"].astype(str) == words, "run"]]
        for count, words in args.items()
    }
    stops = {ONE_DUMP.format(count): [_quartiles(each)[1] for each in frames] for count, frames in dumps.items()}
    beside = _beside(jdk).query("idle == 1000").drop_duplicates("run")
    searching = [of_run(load(run), cost.DUMP) for run in beside["run"]]
    return {**stops, REACHED: [float(100 * (each["ttsp_ms"] / each["total_ms"]).median()) for each in searching]}


def _grows_in_the_operation(measured: Evidence) -> Judgement:
    few, some, many = (measured[ONE_DUMP.format(count)] for count in (10, 100, 1000))
    reached = measured[REACHED]
    said = f"stopped for {_spread(few)} with 10 threads, {_spread(some)} with 100, {_spread(many)} with 1,000"
    said += f"; while a thread searches, {_spread(reached, 'percent')} of the stop is the time to safepoint"
    return decide(
        (max(few) < min(some) and max(some) < min(many) and max(reached) < 10, holds(said)),
        (max(few) >= min(many) or min(reached) > 50, differs(said)),
        otherwise=unclear(said),
    )


def _beside(jdk: int, dumps: int = 1) -> "DataFrame":
    """The post's third example: one thread searches 32 KiB, one parks for 100 ms, one parks and then dumps all threads.

    Beside no idle thread and with 1,000 of them, 256 calls deep, in forks by turns; or, without the thread that dumps,
    beside 1,000.
    """
    brief, posts = "-f 1 -wi 1 -w 300ms -i 3 -r 500ms", "-f 1 -wi 3 -w 1s -i 10 -r 1s"
    options = profile.by_effort(quick=brief, standard=brief, full=posts)
    plan: dict[str, Any] = {"groups": None if dumps else UNASKED, "params": {"idle": [0, 1000] if dumps else 1000}}
    return jmh.jmh("cost.BesideDumps", jdk, "", options, 120, **plan, log=cost.LOG, repeat=JVMS, reuse=True)


def _averages(frame: "DataFrame", thread: str, idle: int) -> list[float]:
    """The average us of a call in each fork, the shortest first."""
    own = forks.iterations(frame[frame["idle"] == idle], thread)
    return sorted(float(average) for average in own.groupby("repeat")["value"].mean())


def _calls(jdk: int, *threads: str, crowds: tuple[int, int] = (0, 1000)) -> Evidence:
    frame = _beside(jdk)
    names = zip((NONE, MANY), crowds, strict=True)
    return {name.format(thread): _averages(frame, thread, idle) for name, idle in names for thread in threads}


def _and_without_dumps(jdk: int, thread: str, crowds: tuple[int, int] = (0, 1000)) -> Evidence:
    alone = _averages(_beside(jdk, dumps=0), thread, 1000)
    return {**_calls(jdk, thread, crowds=crowds), NO_DUMPS.format(thread): alone}


def _slowed(measured: Evidence) -> Judgement:
    none, many, alone = (measured[name.format("contains1")] for name in (NONE, MANY, NO_DUMPS))
    said = f"contains1 takes {_spread(many, 'us')} with 1,000 idle threads, {_spread(none, 'us')} with none"
    said += f": {median(many) / max(median(none), 1e-9):.2f} times as long; with 1,000 and no dumps it takes "
    said += _spread(alone, "us")
    return decide(
        (min(many) > max(*none, *alone), holds(said)),
        (median(many) <= max(median(none), median(alone)), differs(said)),
        otherwise=unclear(f"{said}: the ranges overlap"),
    )


def _parks(jdk: int) -> Evidence:
    """What a park takes, and the asker's round with the many: both of its parts."""
    asker = MANY.format("dumpAll")
    return {**_and_without_dumps(jdk, "park"), asker: _averages(_beside(jdk), "dumpAll", 1000)}


def _late(measured: Evidence) -> Judgement:
    none, many, alone = ([us / 1000 for us in measured[name.format("park")]] for name in (NONE, MANY, NO_DUMPS))
    round_ms = median(measured[MANY.format("dumpAll")]) / 1000
    ends = [f"{min(values):.1f} to {max(values):.1f} ms" for values in (many, none, alone)]
    said = f"a park takes {ends[0]} with 1,000 idle threads, {ends[1]} with none, {ends[2]} with 1,000 and no dumps"
    in_step = abs(round_ms / PARK_MS - round(round_ms / PARK_MS)) < IN_STEP
    return decide(
        (min(many) > max(*none, *alone), holds(said)),
        (in_step, unclear(f"{said}; the requesting thread's round of {round_ms:.0f} ms keeps step with it")),
        (median(many) <= max(median(none), median(alone)), differs(said)),
        otherwise=unclear(f"{said}: the ranges overlap"),
    )


def _most_of_all(measured: Evidence) -> Judgement:
    none, many = (
        {thread: measured[name.format(thread)] for thread in ("contains1", "park", "dumpAll")} for name in (NONE, MANY)
    )
    least = {thread: min(many[thread]) / max(*none[thread], 1e-9) for thread in many}
    most = {thread: max(many[thread]) / max(min(none[thread]), 1e-9) for thread in many}
    said = ", ".join(f"{thread} {least[thread]:.2f} to {most[thread]:.2f} times as long" for thread in many)
    others = max(most["contains1"], most["park"])
    return decide(
        (least["dumpAll"] > max(others, 1.0), holds(said)),
        (most["dumpAll"] < max(least["contains1"], least["park"], 1.0), differs(said)),
        otherwise=unclear(f"{said}: the ranges overlap"),
    )


def _searches(jdk: int, few: int = 10) -> Evidence:
    """The median operation of each JVM, which ran by turns."""
    kinds = [f"deadlocks {few} {SHALLOW}", f"deadlocks 1000 {SHALLOW}", f"collect 1000 {SHALLOW}"]
    frame = sweep(cost.THREADS, jdk=jdk, args=list(dict.fromkeys(kinds)), log=f"jfr={TIMED}", repeat=JVMS, reuse=True)
    runs = {kind: map(load, frame.loc[frame["args"].astype(str) == kind, "run"]) for kind in dict.fromkeys(kinds)}
    operations = {kind: [_operation_ms(run) for run in those] for kind, those in runs.items()}
    return dict(zip((FEW_SEARCH, MANY_SEARCH, COLLECTION), map(operations.__getitem__, kinds), strict=True))


def _operation_ms(run: "Run") -> float:
    """The median of its searches or collections; the first warms up."""
    operations = run.jfr(TIMED)
    of_the_kind = operations["operation"].str.contains(f"{cost.SEARCH}|{cost.COLLECTION}")
    return float(operations.loc[of_the_kind, "duration_ms"].iloc[1:].median())


def _a_little_dearer(measured: Evidence) -> Judgement:
    few, many, collection = measured[FEW_SEARCH], measured[MANY_SEARCH], measured[COLLECTION]
    said = f"the operation takes {_spread(few)} with few threads, {_spread(many)} with many, a collection "
    said += _spread(collection)
    return decide(
        (min(many) > max(few) and max(many) < min(collection), holds(said)),
        (median(many) <= max(few) or min(many) > max(collection), differs(said)),
        otherwise=unclear(said),
    )


def _statistics(jdk: int) -> Evidence:
    """The rows of the table, and the stops that another flag counts in the same output."""
    known = known_flags.known(launch.jdk_of(jdk))
    counter = "-XX:+PrintGCApplicationStoppedTime" if "PrintGCApplicationStoppedTime" in known else "-Xlog:safepoint"
    output = with_table(jdk, counter).output
    rows = table(output)
    began_s = [at_s for at_s, _ in rows]
    since_s = [at_s - before for at_s, before in zip(began_s, [0.0, *began_s], strict=False)]
    nameless = [since for since, (_, name) in zip(since_s, rows, strict=True) if name == NO_OPERATION]
    return {
        STOPS: output.count("threads were stopped:"),
        ROWS: len(rows),
        COLLECTIONS: sum(bool(re.search(cost.COLLECTION, name)) for _, name in rows),
        NAMELESS: len(nameless),
        SECOND: sum(since >= SECOND_S for since in nameless),
    }


def _each_named(measured: Evidence) -> Judgement:
    stops, rows, collections, nameless, guaranteed = (
        measured[name] for name in (STOPS, ROWS, COLLECTIONS, NAMELESS, SECOND)
    )
    said = f"{rows} rows for {stops} stops, {collections} for one collection, {nameless} without an operation, "
    said += f"{guaranteed} of those a second after another stop"
    if not stops or not guaranteed:
        return unclear(f"no stop without an operation, but at the exit: {said}")
    exits = nameless - guaranteed
    return holds(said) if rows - stops in (0, 1) and collections == 1 and exits <= 1 else differs(said)


def _walks(jdk: int) -> Evidence:
    """Of each operation the stops with little to look at and with much."""
    inflated = [launch.java(cost.MONITORS, jdk, args=count, log=cost.LOG, reuse=True) for count in (5_000, 500_000)]
    sizes = ((1000, cost.DEPTH), (10, cost.DEPTH), (1000, SHALLOW))
    # the first of the ten dumps warms up
    deep, ten, shallow = (of_run(cost.idle(jdk, *size), cost.DUMP).iloc[1:] for size in sizes)
    pairs = (
        [cost.collections(jdk, mib) for mib in (10, 400)],
        [ten, deep],
        [shallow, deep],
        [cost.first_stops(run) for run in inflated],
    )
    return {
        f"{what}, {size}: middle half and median, ms": _quartiles(stops)
        for what, pair in zip(GROWS, pairs, strict=True)
        for size, stops in zip(("few", "many"), pair, strict=True)
    }


def _each_grows(measured: Evidence) -> Judgement:
    grown = {}
    for what, (thing, things) in GROWS.items():
        few, many = (measured[f"{what}, {size}: middle half and median, ms"] for size in ("few", "many"))
        ends = 1e6 * (many[0] - few[2]) / things, 1e6 * (many[2] - few[0]) / things
        more = quantity("_ns", 1e6 * (many[1] - few[1]) / things)
        grown[what] = (*ends, f"{what} takes {more} more per {thing}")
    said = ", ".join(words for _, _, words in grown.values())
    if all(low >= LOOK_NS for low, _, _ in grown.values()):
        return holds(said)
    not_at_all = [what for what, (_, high, _) in grown.items() if high < LOOK_NS]
    if not_at_all == [IDLE_MONITORS]:
        cause = "JDK-8153224 (JDK 15): another thread deflates idle monitors, alongside the program"
        return differs(said, Change(15, cause))
    return differs(said) if not_at_all else unclear(said)


def _marks(jdk: int) -> Evidence:
    """G1 marks one array as the program runs, while a thread requests a safepoint in each millisecond."""
    flags = "-Xms600m -Xmx600m -Xmn64m -XX:+ExplicitGCInvokesConcurrent"
    make = partial(launch.java, "cost/MarkedArray", jdk, flags, gc="G1", args="whole 30", log="safepoint gc")
    asked = [_while_marking(make(repeat=number, reuse=True)) for number in range(JVMS)]
    return dict(zip((MARKING, REQUESTS, LONGEST), map(list, zip(*asked, strict=True)), strict=True))


def _while_marking(run: "Run") -> tuple[float, int, float]:
    """How long the last marking took, the searches that came meanwhile, and the longest time to safepoint of these."""
    pauses = run.gc.set_index("kind")
    begin, end = pauses.loc["young"].iloc[-1], pauses.loc[["remark"]].iloc[-1]
    begin_s = begin["uptime_s"] + (begin["pause_ms"] / 1e3 if run.jdk.major == 8 else 0)  # 8 stamps a pause's begin
    searches = of_run(run, cost.SEARCH)
    meanwhile = searches[searches["uptime_s"].between(begin_s, end["uptime_s"])]
    return 1e3 * (end["uptime_s"] - begin_s), len(meanwhile), float(meanwhile["ttsp_ms"].max())


def _marks_without_a_poll(measured: Evidence) -> Judgement:
    marking, requests, longest = measured.values()
    share = median(wait / max(took, 1.0) for wait, took in zip(longest, marking, strict=True))
    said = f"in {len(marking)} JVMs the marking takes {_spread(marking)}, and the longest time to safepoint of "
    said += f"{min(requests)} to {max(requests)} requests meanwhile is {_spread(longest)}"
    if share > 1 / 2:
        return holds(said)
    if share < 1 / 10 and min(requests) >= ENOUGH_REQUESTS:
        return differs(said, Change(8, SLICES))
    return unclear(said)


def _huge(jdk: int, what: str = "copy") -> Evidence:
    """The times to safepoint while a thread copies an array of 600 MiB over and over, as a whole or in 64 KiB."""
    heap = "-Xms2400m -Xmx2400m"
    make = partial(launch.java, "cost/HugeArray", jdk, heap, gc="Serial", log=cost.LOG, reuse=True)
    runs = [make(args=[each, 600]) for each in (what, "chunks")]
    return {
        name: _quartiles(of_run(run, cost.SEARCH), "ttsp_ms") for name, run in zip((COPY, CHUNKS), runs, strict=True)
    }


def _waits(measured: Evidence) -> Judgement:
    copy, chunks = measured[COPY], measured[CHUNKS]
    said = f"the time to safepoint is {copy[1]:.3g} ms during copies of 600 MiB, {chunks[1]:.3g} ms during copies in "
    said += "chunks (medians)"
    if copy[0] > 10 * max(chunks[2], FLOOR_MS):
        return holds(said)
    return differs(said) if copy[1] <= 2 * max(chunks[2], FLOOR_MS) else unclear(said)


CLAIMS = [
    Claim(
        "000-29",
        "A thread dump stops all threads for longer the more idle ones there are, and little of that is the time to "
        "safepoint",
        as_published="0.2, 0.6, 5.5, 61.3, 313.0 ms for 0, 1, 10, 100, 1,000 threads, 256 deep (averages of all "
        "stops), and 0.0 to 1.0 ms of them to reach the safepoint",
        measure=_linear,
        judge=_grows_in_the_operation,
        rule="the slowest of three JVMs' median stops is shorter than the fastest with ten times the threads, from 10 "
        "to 100 and from 100 to 1,000; and with 1,000 idle threads and one that runs, less than a tenth of the stop is "
        "the time to safepoint (the median dump in each of three JVMs); it does not hold if 1,000 threads and 10 "
        "overlap, or if in each JVM more than half of the stop is the time to safepoint",
        mechanism="The VM thread walks one stack after the other while all threads are stopped (VM_ThreadDump). "
        "Threads that are parked are at a safepoint already, so the VM waits for none.",
        setup="cost/IdleThreads, with the JDK's own collector: ten dumps a JVM, the first left out; no thread runs but "
        "the one that requests them. What grows is the whole stop, from the moment when the last thread has stopped: "
        "besides the operation it has the clean-up, which on JDK 8 and JDK 11 walks all stacks as well "
        "(mark_active_nmethods), and letting the threads go (000-52). How soon the safepoint is reached is measured in "
        "the runs of 000-31 (cost.BesideDumps), in which contains1 runs, as in the post.",
        refuted_by=lambda jdk: _linear(jdk, "cost/DumpSomeThreads"),
        version=4,
    ),
    Claim(
        "000-31",
        "A running thread that has nothing to do with the thread dumps pays for them",
        as_published="contains1 takes 38.0 us with no idle thread, 204.5 us with 1,000",
        measure=lambda jdk: _and_without_dumps(jdk, "contains1"),
        judge=_slowed,
        rule="contains1 takes longer on average in each of three forks with 1,000 idle threads than in each of three "
        "with none, and than in each of three with 1,000 and no dumps; it does not hold if the middle one is not "
        "longer than the middle one of either",
        mechanism="A dump stops all threads for as long as it walks all stacks, whatever the others do. That is not "
        "all of the price: after the stop the requesting thread makes a quarter of a million StackTraceElements while "
        "the others run, and collections of that garbage stop all threads as well. What part is which isn't measured.",
        setup="cost.BesideDumps under JMH, with the JDK's own collector; 3 iterations of 0.5 s a fork, not ten of 1 s. "
        "Three threads run; six forks, by turns, are shared with 000-29, -48 and -62. Three more, without the thread "
        "that requests the dumps, show what idle threads cost by themselves.",
        times=True,
        refuted_by=lambda jdk: _and_without_dumps(jdk, "contains1", crowds=(1000, 0)),
        version=3,
    ),
    Claim(
        "000-48",
        "A thread that only parks pays for the thread dumps, too",
        as_published="park takes 100.0 ms with no idle thread, 257.5 ms with 1,000",
        measure=_parks,
        judge=_late,
        rule="park takes longer on average in each of three forks with 1,000 idle threads than in each of three with "
        "none, and than in each of three with 1,000 and no dumps; it does not hold if the middle one is not longer "
        "than the middle one of either, and is unclear if the requesting thread's round then lasts a whole number of "
        "parks (within 15 ms), since both begin their parks at the same moment",
        mechanism="A thread whose time is over during a stop returns to Java after that stop.",
        setup="cost.BesideDumps under JMH, as for 000-31. What else the dumps bring with them can make a park longer, "
        "too: collections of the traces' objects, and a core that is busy making these. The stops' own part is not "
        "separated.",
        times=True,
        refuted_by={
            NONE.format("park"): [100_100.0, 100_150.0, 100_200.0],
            MANY.format("park"): [100_100.0, 100_150.0, 100_200.0],
            NO_DUMPS.format("park"): [100_100.0, 100_150.0, 100_200.0],
            MANY.format("dumpAll"): [250_000.0] * JVMS,
        },
        version=3,
    ),
    Claim(
        "000-62",
        "With 1,000 idle threads, the thread that requests the dumps is slowed more than any other",
        as_published="from no idle thread to 1,000 park+DTS goes from 100.5 to 1,414.2 ms (14 times), contains1 to "
        "5.4 times, park to 2.6 times",
        measure=lambda jdk: _calls(jdk, "contains1", "park", "dumpAll"),
        judge=_most_of_all,
        rule="from no idle thread to 1,000, a round of parking and dumping becomes more times as long, by the least of "
        "three forks each, than a search (contains1) or a park does by the most",
        mechanism="The requesting thread waits for the whole stop each time, and makes the stack traces' objects after "
        "it, alone, while the others run again. Of the post's 1,414.2 ms, 100 ms are parking, and the rest is 4.2 "
        "times its average stop of 313.0 ms: the average is over all stops, and a dump's own is longer.",
        setup="cost.BesideDumps under JMH, as for 000-31.",
        times=True,
        refuted_by=lambda jdk: _calls(jdk, "contains1", "park", "dumpAll", crowds=(1000, 0)),
        version=2,
    ),
    Claim(
        "000-40",
        "-XX:+PrintSafepointStatistics names the operation of each stop that has one",
        as_published="said, of PrintSafepointStatistics and PrintSafepointStatisticsCount=X",
        measure=_statistics,
        judge=_each_named,
        rule="the table has a row for each stop that is counted in the same output, and one more for the exit; one row "
        "names a collection; and only those rows are called “no vm operation” that come a second after another stop, "
        "and one besides (at the exit)",
        mechanism="JDK 11 deprecated both flags, and they are gone from later JDKs, where -Xlog:safepoint names the "
        "operation and -Xlog:safepoint+stats prints the table.",
        setup="OnceASecond for 3 s, with Serial: a collection, and guaranteed stops. The stops are counted by "
        "-XX:+PrintGCApplicationStoppedTime on JDK 8, by -Xlog:safepoint later. 001-03 compares the times.",
        refuted_by={STOPS: 5, ROWS: 2, COLLECTIONS: 1, NAMELESS: 1, SECOND: 1},
        version=3,
    ),
    Claim(
        "000-56",
        "A search for deadlocks takes longer the more threads there are, but not as long as a full collection",
        as_published="said of findDeadlockedThreads: “a lot more lightweight than GC but becomes more expensive as we "
        "pile on threads”, not measured",
        measure=_searches,
        judge=_a_little_dearer,
        rule="the median operation is longer in each of three JVMs with 1,000 threads than in each of three with 10, "
        "and shorter than in each of three that collect with 1,000; it does not hold if the middle one is no longer, "
        "or if searches are longer than collections",
        mechanism="FindDeadlocks follows the locks from owner to owner, and walks no stack. The stop has more that "
        "grows with the threads, and is not counted: clean-up (up to JDK 22), and letting them go (000-52).",
        setup="cost/IdleThreads: ten searches or collections a JVM, the first left out; stacks of 16 calls. A "
        "collection is System.gc() with hardly an object in the heap, by the JDK's own collector (Parallel on JDK 8, "
        "G1 later), all of it in one stop; ZGC and Shenandoah, whose stops are short, weren't tried. The time is "
        "that of JFR's event jdk.ExecuteVMOperation, which has the operation alone: on some JDKs the safepoint log has "
        "it in whole ms (8) or with the release of the threads (11, 17).",
        times=True,
        refuted_by=lambda jdk: _searches(jdk, few=1000),
        version=4,
    ),
    Claim(
        "000-33",
        "A full collection takes longer the more objects are alive, a dump the more threads and frames there are, "
        "and a stop that deflates monitors the more of these",
        as_published="said, not measured; “Monitor deflation” appears in a list of operations at a global safepoint",
        measure=_walks,
        judge=_each_grows,
        rule="each of the four takes longer with more to look at, by 1 ns at least for each thing more (no look takes "
        "less), between the upper quartile of the shorter stops and the lower of the longer ones; it does not hold if "
        "one grows by less than that from the lower to the upper",
        mechanism="A full collection visits each live object, a dump each frame of each thread. Up to JDK 14 idle "
        "monitors were deflated in the clean-up of each safepoint; on JDK 15 and later another thread of the VM does "
        "it, alongside the program (JDK-8153224). Garbage costs a full collection by Serial little, and a young one "
        "visits the young objects that are alive; neither was measured.",
        setup="10 and 400 MiB alive, in objects of 256 bytes (Serial, cost/LiveHeap); 10 and 1,000 threads, 16 and "
        "256 calls deep (cost/IdleThreads); 5,000 and 500,000 monitors (cost/InflatedMonitors); one JVM each. "
        "Deflation isn't an operation: the stop is that of a search for deadlocks after the monitors were inflated, "
        "and up to JDK 14 it has the deflation in it.",
        version=3,
    ),
    Claim(
        "000-43",
        "With G1, a GC thread that marks one huge array goes without a poll, and a safepoint waits for it",
        as_published="stops of some 15 s with a Koloboke map of 50 million entries, in a comment; the collector is "
        "not named",
        measure=_marks,
        judge=_marks_without_a_poll,
        rule="the longest time to safepoint of the requests that come while G1 marks the array is more than half of "
        f"the marking (median of {JVMS} JVMs); it does not hold if it is less than a tenth of it",
        mechanism="JDK 9 and later mark large arrays slice by slice, and check in between whether they have been asked "
        "to stop (JDK-8057003). An update of 8 has the change, too (G1CMObjArrayProcessor in its concurrentMark.cpp); "
        "which one has not been found. Older builds of 8 go through an array as a whole (CMTask::scan_object); none of "
        "them was run here.",
        setup="cost/MarkedArray: one array of 30 million references, 115 MiB with compressed pointers, in place of "
        "the map; G1 on all JDKs, as Serial and Parallel do not mark alongside the program; CMS is not tried. The "
        "array is looked at in the pause before the marking, too: that isn't a wait for a safepoint, and isn't "
        "counted.",
        supported_by={MARKING: [91.0, 95.0, 90.0], REQUESTS: [2, 1, 2], LONGEST: [85.0, 90.0, 84.0]},
        times=True,
        version=4,
    ),
    Claim(
        "002-23",
        "A safepoint that is requested during a large memory copy has to wait for the copy, and every thread with it",
        as_published="a delay of 10 s in production, from a Clojure program with a large memory copy (G. Tene)",
        measure=_huge,
        judge=_waits,
        rule="while a thread copies 600 MiB over and over, the lower quartile of the times to safepoint is more than "
        "ten times the upper one during a copy of the same bytes in chunks of 64 KiB (or 0.1 ms, if that is more: the "
        "VM thread's own wait); it does not hold if the median is at most twice that",
        mechanism="System.arraycopy is one step, a routine of the VM (JVM_ArrayCopy) or, in compiled code, a stub. "
        "Neither polls, and a thread in either has to be waited for. After each chunk the loop polls.",
        setup="cost/HugeArray, whose arrays are of bytes; Serial on all JDKs, in a heap of 2,400 MiB; 16 requests a "
        "JVM. So few large copies leave their loop to the interpreter, so what is waited for here is the VM's routine; "
        "the stub isn't timed. No collector changes what a copy is. How long a copy takes by itself is not measured.",
        times=True,
        refuted_by=lambda jdk: _huge(jdk, "chunks"),
        version=2,
    ),
]
