"""What the post says of stops and of compiled code in general: claims 002-04, -10, -12 to -17 and -19 to -21.

Each sample prints its own times as `name=value`; what the JVM compiled, threw away and stopped for is in the logs.
"""

from statistics import median

from safepointlab.claims.base import Change, Claim, Evidence, Judgement, differs, holds, not_applicable, unclear
from safepointlab.course.nb01_safepoint import experiments as safepoint
from safepointlab.course.nb01_safepoint import polls as safepoint_polls
from safepointlab.course.nb06_biased import experiments as biased
from safepointlab.course.nb06_biased.claims import where_there_is_bias
from safepointlab.run import launch
from safepointlab.run.run import Run
from safepointlab.run.sweep import sweep

PROVOKED = "loadClass revokeBias threadPrint findDeadlocks heapDump fullCollection"
REASONS = "biased/RarerReasons"
HANDSHAKES = "JDK-8191890 and JDK-8221734 (14) take a bias back and deoptimise by handshakes (JEP 312)"
SMALL_CACHE = "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=3m"  # C1 alone, and room for some 2,000 methods
POSTS_RATE = 2.5  # bytes read and added in a nanosecond


def _provoked(jdk: int) -> Run:
    """Class loading, a lock's bias taken back, and four questions about all threads, one after the other."""
    has_bias = biased.default(jdk, biased.LOCKING_FLAG) != biased.UNKNOWN
    flags = biased.switched_on(0) if has_bias else ""
    return launch.java(safepoint.CALLS, jdk, flags, args=PROVOKED, log="safepoint", reuse=True)


def _cache_full(jdk: int) -> Run:
    """Thousands of methods are compiled once and forgotten, until the code cache is full."""
    logs = "safepoint compilation gc"
    return launch.java(REASONS, jdk, SMALL_CACHE, gc="Serial", args="fill", log=logs, deadline=30, reuse=True)


def _total_and_waiting(jdk: int) -> Evidence:
    flag = biased.default(jdk, "PrintGCApplicationStoppedTime")
    if flag == biased.UNKNOWN:
        return {"flag": flag}
    stops = _provoked(jdk).safepoints
    longest = stops[stops["operation"].str.contains("GC|Collect")].nlargest(1, "total_ms").iloc[0]
    return {"flag": flag, "printed, ms": float(longest["total_ms"]), "waited, ms": float(longest["ttsp_ms"])}


def _is_waiting(measured: Evidence) -> Judgement:
    if measured["flag"] == biased.UNKNOWN:
        return not_applicable("this JDK does not know the flag: -Xlog:safepoint replaced it (JEP 158, JDK 9)")
    if measured["printed, ms"] < 2 * measured["waited, ms"]:
        return holds("nearly all that it printed for this stop was waiting")
    return differs("it prints the whole stop; the waiting is the second number in its line")


def _reasons(jdk: int) -> Evidence:
    """For each reason of the post's list: does it stop all threads, one after the other, or none?"""
    provoked, full = _provoked(jdk), _cache_full(jdk)
    redefined = launch.java(REASONS, jdk, args="redefine", log="safepoint", reuse=True)
    operations = {
        "collection": (provoked, "GC|Collect"),
        "deoptimisation": (provoked, "Deoptimize"),
        "bias taken away": (provoked, "Revoke"),
        "thread dump": (provoked, "PrintThreads|ThreadDump"),
        "deadlock check": (provoked, "FindDeadlocks"),
        "heap dump": (provoked, "HeapDumper"),
    }
    if biased.default(jdk, biased.LOCKING_FLAG) == biased.UNKNOWN:
        del operations["bias taken away"]
    else:
        switched = biased.brief(jdk, biased.switched_on(biased.BRIEF_DELAY_MS))
        operations["biased locking switched on"] = (switched, biased.SWITCH)
    operations["class redefinition"] = (redefined, "RedefineClasses")
    operations["code cache flush"] = (full, "MarkActiveNMethods|NMethodMarking")
    ways: dict[str, list[str]] = {"safepoint": [], "handshake": [], "none": []}
    for name, (run, pattern) in operations.items():
        log = run.safepoints
        found = set(log.loc[log["operation"].str.contains(pattern).fillna(False).astype(bool), "kind"])
        if name == "code cache flush" and run.gc["cause"].str.contains("CodeCache GC").any():
            found = {"safepoint"}  # no sweep of its own, but a collection that unloads code
        ways["safepoint" if "safepoint" in found else min(found, default="none")].append(name)
    return {
        "stop all": len(ways["safepoint"]),
        "stop one by one": len(ways["handshake"]),
        "ask for no stop": len(ways["none"]),
        "not a stop of all": ", ".join(ways["handshake"] + ways["none"]) or "none",
    }


def _all_stop(measured: Evidence) -> Judgement:
    if not measured["stop all"]:
        return unclear("nothing was provoked")
    if not measured["stop one by one"] + measured["ask for no stop"]:
        return holds("each of them was provoked, and each stopped all threads")
    return differs(f"no stop of all threads for {measured['not a stop of all']}", Change(14, HANDSHAKES))


def _polls(jdk: int) -> Evidence:
    """Of the loops that call nothing, in a method with a loop whose iterations C2 can't count."""
    log = "assembly=Polls.untilFound"
    loops = launch.java(safepoint_polls.POLLS, jdk, safepoint_polls.APART, log=log, reuse=True).loops
    alone = loops[loops["calls"].eq(0)]
    return {"loops": len(alone), "of these polled": int(alone["polled"].sum())}


def _at_calls_only(measured: Evidence) -> Judgement:
    if not measured["loops"]:
        return unclear("no machine code was printed: this JDK needs a disassembler (hsdis)")
    if measured["of these polled"]:
        return differs(
            "incomplete: a loop that calls nothing polls at its jump back, if C2 cannot count its iterations"
        )
    return holds("no loop without a call was polled")


NATIVE_CALLS = ("sleep", "deflate", "read")
BESIDE_NATIVE = "longest stop beside a native call, of three the middle one, percent"  # of the call's time
BESIDE_LOOP = "beside a loop without polls, percent"


def _native(jdk: int) -> Evidence:
    values = launch.java("biased/LongNativeCall", jdk, gc=biased.GC, reuse=True).values
    share = {
        name: 100 * float(values[f"{name}_stop_ms"]) / float(values[f"{name}_ms"]) for name in (*NATIVE_CALLS, "loop")
    }
    each = ", ".join(f"{name} {share[name]:.1f} %" for name in NATIVE_CALLS)
    return {BESIDE_NATIVE: median(share[name] for name in NATIVE_CALLS), "of these": each, BESIDE_LOOP: share["loop"]}


def _everybody_waits(measured: Evidence) -> Judgement:
    if not measured[BESIDE_LOOP] > 50:
        return unclear("not even the loop without polls held a stop up")
    if measured[BESIDE_NATIVE] > 50:
        return holds("a stop takes most of the native call's time")
    if measured[BESIDE_NATIVE] < 25:
        return differs("no stop waits for native code: it is held up when it comes back to Java, if a stop is on then")
    return unclear("the stops took a good part of the native calls")


def _locks(jdk: int) -> Evidence:
    """Locks taken again by their thread, and for the first time by another one: three JVMs with each setting."""
    flags = {"biased": biased.switched_on(0), "not biased": biased.OFF}
    runs = sweep("biased/LockAgain", jdk=jdk, flags=list(flags.values()), repeat=3, reuse=True)
    columns = {"again": "again_ns", "by another thread": "other_us"}
    return {
        f"{what}, {setting}, {column[-2:]}": runs.loc[runs["flags"].eq(line), column].tolist()
        for what, column in columns.items()
        for setting, line in flags.items()
    }


def _cheaper_and_dearer(measured: Evidence) -> Judgement:
    own, own_off, other, other_off = measured.values()
    if max(own) < min(own_off) and min(other) > max(other_off):
        return holds("in each run: no atomic instruction for its own thread; for another one the owner has to stop")
    if min(own) > max(own_off) or max(other) < min(other_off):
        return differs("it is the other way round in each run")
    return unclear("not told apart: the runs with and without biased locks overlap")


def _osr(jdk: int) -> Evidence:
    """One run in eight or so goes to C2 at once and keeps its first version: then a small one is asked again."""
    for runs in range(1, 6):
        if runs == 1:
            run = biased.full_length(jdk)
        else:
            run = biased.summer(jdk, begins_ms=300, lasts_ms=50, log="compilation", repeat=runs - 2)
        sums = run.compilations[run.compilations["method"].eq("ByteSummer::sum") & run.compilations["osr"]]
        if len(gone := sums[sums["event"].eq("made not entrant")]):
            break
    printed = ", ".join(sorted({f"@ {bci}" for bci in gone["osr_bci"].dropna()}))
    compiled = int(sums["event"].eq("compiled").sum())
    return {"runs until one showed it": runs, "compiled by OSR": compiled, "made not entrant": len(gone), "as": printed}


def _came_and_went(measured: Evidence) -> Judgement:
    if not (measured["compiled by OSR"] and measured["made not entrant"]):
        return differs("no such pair of lines in five runs")
    runs = measured["runs until one showed it"]
    again = "in the first run" if runs == 1 else f"in the last of {runs} runs"
    return holds(f"{again}; 8 prints “@ -2” (InvalidOSREntryBci), later JDKs the loop's bytecode index")


CASES = {  # the method of CountersAdd -> what is done to it
    "fewCalls": "150 calls",
    "manyCalls": "1,000 calls",
    "theSum": "150 calls of 100 iterations",
    "oneLoop": "one call of 200,000 iterations, by OSR",
}


def _thresholds(jdk: int) -> Evidence:
    """How many versions of each method were compiled: standard ones, and of the loop OSR versions."""
    log = launch.java("biased/CountersAdd", jdk, log="compilation", reuse=True).compilations
    made = log[log["event"].eq("compiled")]
    return {
        what: int((made["method"].eq(f"CountersAdd::{method}") & made["osr"].eq("OSR" in what)).sum())
        for method, what in CASES.items()
    }


def _counted(measured: Evidence) -> Judgement:
    few, many, both, loop = (bool(measured[what]) for what in CASES.values())
    if many and both and loop and not few:
        return holds("calls alone count, the sum of calls and jumps back counts, and so do jumps back within one call")
    if few:
        return unclear("150 calls were enough already: the limit was passed before anything was added")
    return differs("one of the three was not compiled, though the counters had passed the limits")


def _rate(jdk: int) -> Evidence:
    """As it is, and where C2 adds one byte at a time, with no vector instructions."""
    plain = biased.summer(jdk, "-XX:-UseSuperWord", begins_ms=650, lasts_ms=400, log="safepoint")
    runs = {"rate, bytes_per_ns": biased.full_length(jdk), "without vectors, bytes_per_ns": plain}
    return {name: run.values["bytes_per_ns"] for name, run in runs.items()}


def _about_the_same(measured: Evidence) -> Judgement:
    rate, plain = (float(value) / POSTS_RATE for value in measured.values())
    if 0.5 < rate < 2:
        return holds("within twice the rate of the post's processor, and half of it")
    if rate >= 2 and plain < rate / 1.5:
        vectors = "C2 makes vector code of such sums, probably since JDK-8302652"
        return differs(f"{rate:.1f} times as many, {plain:.1f} times without vectors", Change(21, vectors))
    if rate < 0.1:
        return differs("far slower than compiled code should be")
    return unclear("another processor, or a busy one")


def _invalidated(jdk: int) -> Evidence:
    """A call of four seconds entered once, then one in the middle of which its code is made not entrant."""
    run = launch.java("biased/NotEntrant", jdk, log="compilation", reuse=True)
    log, values = run.compilations, run.values
    by_c2 = log[log["method"].eq("NotEntrant::once") & log["osr"] & log["tier"].eq(4) & log["event"].eq("compiled")]
    gone = log[log["compile_id"].isin(by_c2["compile_id"]) & log["event"].eq("made not entrant")]
    lives_ms = gone["uptime_ms"] - gone["compile_id"].map(by_c2.set_index("compile_id")["uptime_ms"])
    return {
        "from OSR compile to made not entrant, s": float(lives_ms.max()) / 1000,  # NaN: it never was
        "the call lasted, s": float(values["once_ms"]) / 1000,
        "calls that ran on in code made not entrant": int(values["left_ms"]),
        "of such a call, ms": values["shared_ms"],
        "its longest gap, ms": values["gap_ms"],
    }


def _ran_on(measured: Evidence) -> Judgement:
    life, call = measured["from OSR compile to made not entrant, s"], measured["the call lasted, s"]
    gap = measured["its longest gap, ms"] / max(measured["of such a call, ms"], 0.001)
    if gap > 0.5:
        return differs("the thread inside stood still for most of what was left of its call")
    if not life > 1 or not measured["calls that ran on in code made not entrant"]:
        return unclear("no version of the code was made not entrant while a call of it was under way")
    if gap < 0.1 and life > 0.7 * call:
        return holds("the loop ran in it for seconds, until its end; and made not entrant, a thread inside runs on")
    return unclear("a gap that other programs may have made, or a version that was replaced before the loop ended")


def _zombies(jdk: int) -> Evidence:
    run = _cache_full(jdk)
    return {
        "made zombie": int(run.compilations["event"].eq("made zombie").sum()),
        "collections for the code cache": int(run.gc["cause"].str.contains("CodeCache").sum()),
    }


def _marked(measured: Evidence) -> Judgement:
    if measured["made zombie"]:
        return holds("a line “made zombie” when no thread's stack has the old version any more")
    if measured["collections for the code cache"]:
        why = "dead code goes in collections, and no line says so"
        return differs(why, Change(20, "JDK-8290025 removed the sweeper and the state zombie"))
    return unclear("no old code was thrown away in this run")


def _who_waits(jdk: int) -> Evidence:
    """What part of the time that the compilers worked the program stood still."""
    found = {}
    for way, flags in {"by default": "", "with -Xbatch": "-Xbatch"}.items():
        values = launch.java("biased/WhoCompiles", jdk, flags, reuse=True).values
        share = float(values["waited_ms"]) / float(values["compiled_ms"])
        found[f"{way}: waited of the compilers' time, percent"] = 100 * share
    return found


def _in_the_background(measured: Evidence) -> Judgement:
    default, batch = measured.values()
    if not batch > 50:
        return unclear("not even with -Xbatch did the program wait: nothing to tell apart")
    if default < batch / 3:
        return holds("the program runs on while its methods are compiled; with -Xbatch it waits")
    if default > 0.8 * batch:
        return differs("it waits as with -Xbatch")
    return unclear("it waited for a part: a busy machine")


CLAIMS = [
    Claim(
        "002-04",
        "The loop is compiled while it runs (OSR, marked %), and a version of it made not entrant",
        as_published="a line with 2%, later “2% made not entrant … @ -2”",
        measure=_osr,
        judge=_came_and_went,
        refuted_by={"runs until one showed it": 5, "compiled by OSR": 2, "made not entrant": 0, "as": ""},
    ),
    Claim(
        "002-10",
        "PrintGCApplicationStoppedTime prints the time spent waiting for threads",
        as_published="“the time that the JVM sits waiting for all threads to stop”: 2.588 s",
        measure=_total_and_waiting,
        judge=_is_waiting,
        refuted_by={"flag": "false", "printed, ms": 21.4, "waited, ms": 2.1},
    ),
    Claim(
        "002-12",
        "Collections, deoptimisation, code cache flushes, class redefinition, bias and debugging stop all threads",
        as_published="a list of six reasons",
        measure=_reasons,
        judge=_all_stop,
        refuted_by={"stop all": 8, "stop one by one": 1, "ask for no stop": 0, "not a stop of all": "bias"},
    ),
    Claim(
        "002-13",
        "A method is compiled when the sum of its calls and jumps back passes a limit, and in a loop by OSR",
        as_published="stated",
        measure=_thresholds,
        judge=_counted,
        refuted_by=dict(zip(CASES.values(), (0, 1, 0, 1), strict=True)),
    ),
    Claim(
        "002-14",
        "The places where a thread can stop are its calls and its ways into and out of native code",
        as_published="“JNI boundaries (enter or exit), or calling a Java method”",
        measure=_polls,
        judge=_at_calls_only,
        refuted_by={"loops": 3, "of these polled": 3},
    ),
    Claim(
        "002-15",
        "A core reads and adds 2.5 bytes in a nanosecond",
        as_published="2.5 bytes per ns",
        measure=_rate,
        judge=_about_the_same,
        refuted_by={"rate, bytes_per_ns": 16.0, "without vectors, bytes_per_ns": 4.0},
    ),
    Claim(
        "002-16",
        "A native method that takes a long time to finish delays all other threads",
        as_published="“can result in very long delays”",
        measure=_native,
        judge=_everybody_waits,
        refuted_by={BESIDE_NATIVE: 8.0, "of these": "sleep 0.3 %, deflate 8.0 %, read 9.1 %", BESIDE_LOOP: 95.0},
    ),
    where_there_is_bias(
        "002-17",
        "Biased locking makes locking again cheaper for the same thread, and more expensive for any other",
        "stated",
        _locks,
        _cheaper_and_dearer,
        {
            "again, biased, ns": [30.0],
            "again, not biased, ns": [20.0],
            "by another thread, biased, us": [25.0],
            "by another thread, not biased, us": [0.1],
        },
    ),
    Claim(
        "002-19",
        "OSR code is made not entrant seconds after it was compiled; a thread inside such code is not stopped by that",
        as_published="compiled at 2.632 s, made not entrant at 6.709 s: 4.1 s later",
        measure=_invalidated,
        judge=_ran_on,
        refuted_by={
            "from OSR compile to made not entrant, s": 4.1,
            "the call lasted, s": 4.1,
            "calls that ran on in code made not entrant": 1,
            "of such a call, ms": 600.0,
            "its longest gap, ms": 400.0,
        },
    ),
    Claim(
        "002-20",
        "Old code becomes a zombie in the end, ready to be cleaned out",
        as_published="“mark the old version as a zombie”",
        measure=_zombies,
        judge=_marked,
        refuted_by={"made zombie": 0, "collections for the code cache": 9},
    ),
    Claim(
        "002-21",
        "By default methods are compiled in the background, while the program runs on",
        as_published="stated",
        measure=_who_waits,
        judge=_in_the_background,
        refuted_by={
            "by default: waited of the compilers' time, percent": 88.0,
            "with -Xbatch: waited of the compilers' time, percent": 90.0,
        },
    ),
]
