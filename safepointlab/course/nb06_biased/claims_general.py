"""What the post says of stops and of compiled code in general: claims 002-04, -10, -12 to -14, -16, -17, -20, -21.

And two of the lab's own that these lead to: 002-24 (traps) and 002-25 (JNI critical regions). Each sample prints its
own times as `name=value`; what the JVM compiled, threw away and stopped for is in the logs.
"""

from collections.abc import Sequence
from math import isnan

from safepointlab.claims.base import Change, Claim, Evidence, Judgement, differs, holds, unclear
from safepointlab.course.nb01_safepoint import experiments as safepoint
from safepointlab.course.nb01_safepoint import polls as safepoint_polls
from safepointlab.course.nb06_biased import experiments as biased
from safepointlab.course.nb06_biased.claims import RUNS, between
from safepointlab.errors import RunFailed
from safepointlab.run import launch
from safepointlab.run.run import Run

PROVOKED = "loadClass revokeBias threadPrint findDeadlocks heapDump fullCollection"
REASONS = "biased/RarerReasons"
BIAS = Change(14, "JDK-8191890 (JDK 14): a bias is taken back by a handshake (JEP 312)")
CODE = Change(14, "JDK-8226705 (JDK 14): code is left by handshakes (JEP 312)")
NO_BIAS = Change(18, "JDK-8256425 (JDK 18): biased locking is gone")
NO_ZOMBIES = Change(20, "JDK-8290025 (JDK 20): the sweeper is gone, and with it the state zombie")
TIERS = Change(8, "JDK-8008938 (JDK 8): tiered compilation is the default, and its limits need a number of calls, too")
LIKE_TIERS = Change(17, "JDK-8251462 (JDK 17): without tiers a sum alone is not enough, either")
PINNED = Change(22, "JEP 423 (JDK 22): G1 pins the regions of critical arrays and collects all others")
SMALL_CACHE = "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=3m"  # C1 alone, and room for some 2,000 methods


def _provoked(jdk: int, flags: str = "") -> Run:
    """Class loading, a lock's bias taken back, and four questions about all threads, one after the other."""
    return launch.java(safepoint.CALLS, jdk, flags, args=PROVOKED, log="safepoint", reuse=True)


def _invalidated(jdk: int, flags: str = "") -> Evidence:
    """A call of seconds entered once, then one in the middle of which its code is made not entrant."""
    run = launch.java("biased/NotEntrant", jdk, flags, log="compilation", reuse=True)
    log, values = run.compilations, run.values
    versions = log[log["method"].eq("NotEntrant::once") & log["osr"] & log["tier"].eq(4)]
    made, gone = (
        versions[versions["event"].eq(event)].groupby("compile_id")["uptime_ms"].max()
        for event in ("compiled", "made not entrant")
    )
    lived = float((gone - made).max())  # NaN: none was made not entrant
    shared = log["method"].eq("NotEntrant::shared") & log["event"].eq("made not entrant") & log["tier"].eq(4)
    during = log["uptime_ms"].between(float(values["rare_from_ms"]) - 2, float(values["inside_to_ms"]))
    return {
        "the call lasts, ms": float(values["once_ms"]),
        "OSR versions of the loop by C2": len(made),
        "the longest from a compile to made not entrant, ms": lived,
        "C2 versions of the other method made not entrant during a call": int((shared & during).sum()),
        "such a call lasts, ms": values["shared_ms"],
        "longest gap in it, ms": values["gap_ms"],
    }


def _left_at_its_end(measured: Evidence) -> Judgement:
    call, versions = measured["the call lasts, ms"], measured["OSR versions of the loop by C2"]
    lived = measured["the longest from a compile to made not entrant, ms"]
    whole, gap = measured["such a call lasts, ms"], measured["longest gap in it, ms"]
    given_up = measured["C2 versions of the other method made not entrant during a call"]
    if not versions:
        return differs(f"no OSR version was compiled by C2 in a call of {call:,.0f} ms")
    if isnan(lived):
        return differs(f"none of {versions} OSR versions was made not entrant")
    if gap > whole / 2:
        return differs(f"the thread inside stood still for {gap:,.0f} ms of {whole:,.0f} ms")
    if not given_up:
        return unclear(
            "no code of the other method was made not entrant during its call, so no thread was inside such code"
        )
    if lived < call / 2 or gap > whole / 10:
        return unclear(f"made not entrant {lived:,.0f} ms after its compile; longest gap inside {gap:.2g} ms")
    return holds(
        f"one JVM: C2's OSR versions: {versions}, one of them made not entrant {lived / 1000:.1f} s after its "
        f"compilation, in a call of {call / 1000:.1f} s; a thread inside such code runs on, with no gap over "
        f"{gap:.2g} ms in {whole:,.0f} ms"
    )


def _total_and_waiting(jdk: int) -> Evidence:
    stops = _provoked(jdk, "-XX:+PrintGCApplicationStoppedTime").safepoints
    longest = stops[stops["operation"].str.contains("GC|Collect")].nlargest(1, "total_ms").iloc[0]
    return {"printed for a collection, ms": float(longest["total_ms"]), "of it waiting, ms": float(longest["ttsp_ms"])}


def _is_waiting(measured: Evidence) -> Judgement:
    printed, waited = measured.values()
    told = f"for a full collection it prints {between([printed])} ms, of which {between([waited])} ms is waiting"
    return holds(told) if printed < 2 * waited else differs(told)


def _reasons(jdk: int) -> Evidence:
    """For each reason of the post's list: does it stop all threads, one after the other, or none?"""
    has_bias = biased.default(jdk, biased.LOCKING_FLAG) != biased.UNKNOWN
    provoked = _provoked(jdk, biased.switched_on(0) if has_bias else "")
    redefined = launch.java(REASONS, jdk, args="redefine", log="safepoint", reuse=True)
    operations = {
        "collection": (provoked, "GC|Collect"),
        "class loading that deoptimises": (provoked, "Deoptimize"),
        "class redefinition": (redefined, "RedefineClasses"),
        "thread dump": (provoked, "PrintThreads|ThreadDump"),
        "deadlock check": (provoked, "FindDeadlocks"),
    }
    if has_bias:
        switched = biased.brief(jdk, biased.switched_on(biased.BRIEF_DELAY_MS))
        operations["a bias taken back"] = (provoked, "Revoke")
        operations["biased locking switched on"] = (switched, biased.SWITCH)
    ways: dict[str, list[str]] = {"safepoint": [], "handshake": [], "none": []}
    for name, (run, pattern) in operations.items():
        log = run.safepoints
        found = set(log.loc[log["operation"].str.contains(pattern).fillna(False).astype(bool), "kind"])
        ways["safepoint" if "safepoint" in found else min(found, default="none")].append(name)
    return {
        "stop all threads": ways["safepoint"],
        "ask one thread after the other": ways["handshake"],
        "no operation in the log": ways["none"],
    }


def _all_stop(measured: Evidence) -> Judgement:
    stop, ask, none = measured.values()
    if none:
        return unclear(f"no operation in the log for {', '.join(none)}")
    has_bias = any("bias" in name for name in (*stop, *ask))
    if not ask and has_bias:
        return holds(f"all {len(stop)} were provoked, and stopped all threads: {', '.join(stop)}")
    changes = {BIAS: "a bias taken back" in ask, CODE: "class loading that deoptimises" in ask, NO_BIAS: not has_bias}
    by = f"by handshakes: {', '.join(ask)}; " if ask else ""
    gone = "" if has_bias else "; there are no biased locks"
    told = f"{by}{len(stop)} stop all threads{gone}"
    return differs(told, *(change for change, met in changes.items() if met))


CASES = {  # the method of CountersAdd -> what is done to it
    "fewCalls": "150 calls",
    "manyCalls": "1,000 calls",
    "theSum": "150 calls of 100 iterations",
    "fewLongCalls": "50 calls of 1,000 iterations",
    "oneLoop": "one call of 200,000 iterations, by OSR",
}
NO_TIERS = "with -XX:-TieredCompilation"
BY_OSR = "by OSR as well"


def _thresholds(jdk: int, flags: str = "") -> Evidence:
    """How many standard versions of each method were compiled, and OSR versions of the loop; and without tiers.

    With -Xbatch, a call that passes a limit waits for the compile, so that no compile comes too late to be counted.
    """

    def versions(flags: str) -> Evidence:
        log = launch.java("biased/CountersAdd", jdk, f"-Xbatch {flags}", log="compilation", reuse=True).compilations
        made = log[log["event"].eq("compiled")]
        of = {what: made[made["method"].eq(f"CountersAdd::{method}")]["osr"] for method, what in CASES.items()}
        asked = {what: int(osr.eq("OSR" in what).sum()) for what, osr in of.items()}
        return asked | {BY_OSR: ", ".join(what for what, osr in of.items() if osr.any() and "OSR" not in what)}

    return {**versions(flags), NO_TIERS: versions("-XX:-TieredCompilation")}


def _counted(measured: Evidence) -> Judgement:
    few, _, *sums = (measured[what] > 0 for what in CASES.values())
    compiled, left_out = ([what for what in CASES.values() if bool(measured[what]) is made] for made in (True, False))
    without = [what for what in CASES.values() if measured[NO_TIERS][what]]
    told = (
        f"compiled after {'; '.join(compiled) or 'nothing'}, not after {'; '.join(left_out)}{_by_osr(measured)} "
        f"({NO_TIERS} after {'; '.join(without) or 'nothing'}{_by_osr(measured[NO_TIERS])})"
    )
    if few:
        return unclear(f"{told}: so few calls were enough already")
    _, _, *sums_without = (measured[NO_TIERS][what] > 0 for what in CASES.values())
    return holds(told) if all(sums) else differs(told, TIERS, *[LIKE_TIERS] * (not all(sums_without)))


def _by_osr(versions: Evidence) -> str:
    return f", and by OSR after {versions[BY_OSR]}" if versions[BY_OSR] else ""


def _polls(jdk: int, method: str = "untilFound", gc: str | None = None) -> Evidence:
    """Of the loops that call nothing: in a method with a loop whose iterations C2 can't count, or in another one."""
    log = f"assembly=Polls.{method}"
    loops = launch.java(safepoint_polls.POLLS, jdk, safepoint_polls.APART, gc=gc, log=log, reuse=True).loops
    alone = loops[loops["calls"].eq(0) & loops["tier"].eq(4)]
    if alone.empty:
        raise RunFailed("No loop in the machine code: this JDK prints it only with the disassembler hsdis.")
    return {"loops without a call in C2's code": len(alone), "of these polled": int(alone["polled"].sum())}


def _at_calls_only(measured: Evidence) -> Judgement:
    loops, polled = measured.values()
    told = f"{polled} of {loops} loops without a call have a poll in C2's code"
    return differs(told) if polled else holds(told)


NATIVE_CALLS = ("sleep", "deflate", "read")


def _native(jdk: int, calls: Sequence[str] = NATIVE_CALLS) -> Evidence:
    values = launch.java("biased/LongNativeCall", jdk, gc="Serial", reuse=True).values

    def share(name: str) -> float:
        return 100 * float(values[f"{name}_stop_ms"]) / float(values[f"{name}_ms"])

    return {
        "stops during each call": [int(values[f"{name}_stops"]) for name in calls],
        "longest stop during each call, of its time, percent": [share(name) for name in calls],
        "during a loop without polls, percent": share("loop"),
    }


def _everybody_waits(measured: Evidence) -> Judgement:
    stops, shares, loop = measured.values()
    told = f"the longest of {between(stops)} stops takes {between(shares)} % of the call"
    if not loop > 50 or min(stops) < 1:
        return unclear(f"{told}, and only {loop:.0f} % during a loop without polls")
    if min(shares) > loop / 2:
        return holds(told)
    if max(shares) < loop / 2:
        return differs(f"{told}, and {loop:.0f} % during a loop without polls")
    return unclear(told)


def _locks(jdk: int, settings: Sequence[str] = (biased.switched_on(0), biased.OFF)) -> Evidence:
    """Locks taken again by their thread, and for the first time by another one."""
    names = [(f"again, {how}, ns", f"by another thread, {how}, us") for how in ("biased", "not biased")]
    found: dict[str, list[float]] = {name: [] for pair in names for name in pair}
    for number in range(RUNS):
        for flags, (again, other) in zip(settings, names, strict=True):
            values = launch.java("biased/LockAgain", jdk, flags, repeat=number, reuse=True).values
            found[again].append(float(values["again_ns"]))
            found[other].append(float(values["other_us"]))
    return found


def _cheaper_and_dearer(measured: Evidence) -> Judgement:
    own, other, own_off, other_off = measured.values()
    told = (
        f"{RUNS} JVMs each: again {between(own)} ns biased and {between(own_off)} ns not; by another thread "
        f"{between(other)} us biased and {between(other_off)} us not"
    )
    if max(own) < min(own_off) and min(other) > max(other_off):
        return holds(told)
    if min(own) > max(own_off) or max(other) < min(other_off):
        return differs(told)
    return unclear(told)


def _zombies(jdk: int) -> Evidence:
    logs = "safepoint compilation gc"
    run = launch.java(REASONS, jdk, SMALL_CACHE, gc="Serial", args="fill", log=logs, deadline=30, reuse=True)
    return {
        "versions compiled": int(run.compilations["event"].eq("compiled").sum()),
        "made zombie": int(run.compilations["event"].eq("made zombie").sum()),
        "collections for the code cache": int(run.gc["cause"].str.contains("CodeCache").sum()),
    }


def _marked(measured: Evidence) -> Judgement:
    compiled, zombies, collections = measured.values()
    told = f"{zombies:,} lines “made zombie”, {compiled:,} versions compiled in a code cache of 3 MiB"
    if zombies:
        return holds(told)
    if collections:
        return differs(f"{told}, and {collections} collections for the code cache", NO_ZOMBIES)
    return unclear(f"{told}: no sign that old code was thrown away")


def _who_waits(jdk: int, usual: str = "") -> Evidence:
    """What part of the time that the compilers worked the program stood still."""
    found: dict[str, list[float]] = {"by default: waited of the compilers' time, percent": [], "-Xbatch, percent": []}
    for number in range(RUNS):
        for shares, flags in zip(found.values(), (usual, "-Xbatch"), strict=True):
            values = launch.java("biased/WhoCompiles", jdk, flags, repeat=number, reuse=True).values
            shares.append(100 * float(values["waited_ms"]) / float(values["compiled_ms"]))
    return found


def _in_the_background(measured: Evidence) -> Judgement:
    default, batch = measured.values()
    told = (
        f"the program stood still for {between(default)} % of the compilers' time, and for {between(batch)} % with "
        f"-Xbatch, {RUNS} JVMs each"
    )
    if not min(batch) > 50:
        return unclear(told)
    if max(default) < min(batch) / 3:
        return holds(told)
    return differs(told) if min(default) > min(batch) / 2 else unclear(told)


TRAPS = f"-Xbatch -XX:CompileCommand=dontinline,Traps::* {biased.NOBODY_ELSE}"


def _traps(jdk: int, what: str = "traps") -> Evidence:
    """Stops in a run whose compiled code meets nulls and zeros, next to those of the same run without them."""
    met, none = (
        launch.java("biased/Traps", jdk, TRAPS, args=args, log="safepoint compilation", reuse=True)
        for args in (what, "none")
    )
    log = met.compilations
    gone = log[log["event"].eq("made not entrant") & log["tier"].eq(4) & log["method"].str.startswith("Traps::")]
    stops = [int(run.safepoints["kind"].eq("safepoint").sum()) for run in (met, none)]
    return {
        "exceptions thrown": int(met.values["thrown"]),
        "methods whose C2 version is made not entrant": sorted(gone["method"].unique()),
        "stops of all threads": stops[0],
        "stops in the same run without them": stops[1],
    }


def _stopped_by_traps(measured: Evidence) -> Judgement:
    thrown, methods, stops, without = measured.values()
    told = (
        f"{thrown:,} exceptions and {len(methods)} methods made not entrant; stops of all threads: {stops}, and "
        f"{without} in the same run without traps"
    )
    if not methods:
        return unclear(told)
    return holds(told) if stops >= without + len(methods) else differs(told) if stops <= without else unclear(told)


def _critical(jdk: int, gc: str | None) -> Evidence:
    """The longest waits during a long native call, with a critical region and without one."""

    def shares(call: str, name: str) -> list[float]:
        heap, shares = "-Xms64m -Xmx64m", list[float]()
        for number in range(RUNS):
            run = launch.java("biased/CriticalCall", jdk, heap, gc=gc, args=call, repeat=number, reuse=True)
            shares.append(100 * float(run.values[name]) / float(run.values["call_ms"]))
        return shares

    return {
        "longest allocation, of the call's time, percent": shares("deflate", "allocation_ms"),
        "longest delay of a thread that does not allocate, percent": shares("deflate", "park_ms"),
        "longest allocation during a call without a region, percent": shares("read", "allocation_ms"),
    }


def _allocators_wait(measured: Evidence) -> Judgement:
    critical, elsewhere, control = measured.values()
    told = (
        f"{RUNS} JVMs: the longest allocation takes {between(critical)} % of the call; a thread that does not "
        f"allocate is delayed by {between(elsewhere)} %; during a call without such a region an allocation takes "
        f"{between(control)} %"
    )
    others = max(*elsewhere, *control)
    if min(critical) > 2 * others:
        return holds(told)
    return differs(told, PINNED) if max(critical) < min(50, 2 * others) else unclear(told)


CLAIMS = [
    Claim(
        "002-04",
        "The long loop's OSR code is made not entrant seconds after its compile, and a thread inside such code runs on",
        as_published="“2% … @ 14” at 2.632 s, “2% made not entrant … @ -2” at 6.709 s: 4.1 s later",
        measure=_invalidated,
        judge=_left_at_its_end,
        rule="an OSR version of the loop by C2 is made not entrant after more than half of the call's time, and a "
        "thread inside code that is made not entrant has no gap of more than a tenth of its call",
        mechanism="Made not entrant means that no call enters the code any more; who is in it runs on. What follows "
        "the loop had not run when C2 compiled it, so a trap is there: the thread that gets to it goes on in the "
        "interpreter, and the version is given up (deoptimization.cpp). JDK 8 prints “@ -2” because the version's "
        "entry is set to InvalidOSREntryBci first; later JDKs print the loop's bytecode index.",
        setup="NotEntrant in place of the post's benchmark: the same two loops over 32 KiB, in a call of 4.1 s; after "
        "it a class is needed that is not loaded yet. One JVM. That a thread inside runs on is measured next to it, in "
        "a standard version of a third method.",
        refuted_by=lambda jdk: _invalidated(jdk, "-XX:TieredStopAtLevel=1"),
        version=5,
    ),
    Claim(
        "002-10",
        "PrintGCApplicationStoppedTime prints the time spent waiting for threads",
        as_published="“the time that the JVM sits waiting for all threads to stop”: 2.588 s",
        measure=_total_and_waiting,
        judge=_is_waiting,
        rule="of the time printed for a full collection more than half is waiting for threads to stop",
        mechanism="The flag prints the whole stop. JDK 8 appends the waiting, “Stopping threads took”. In the post's "
        "own case, where nearly all is waiting, the two are the same. Unified logging replaced the flag in JDK 9 (JEP "
        "158): -Xlog:safepoint prints both.",
        setup="A program that asks for a full collection, among other things; the two times are of one printed line.",
        times=True,
        supported_by={"printed for a collection, ms": 2588.1, "of it waiting, ms": 2588.0},
        version=2,
    ),
    Claim(
        "002-12",
        "Collections, class loading that deoptimises, redefinition, biased locks and debugging stop all threads",
        as_published="a list of six reasons, of which five are asked here",
        measure=_reasons,
        judge=_all_stop,
        rule="each of these, provoked once, has an operation at a safepoint in the log",
        mechanism="Each is an operation of the VM thread. Since JDK 14 it asks one thread after the other (handshakes, "
        "JEP 312) to take a single bias back (JDK-8191890) and to leave code that a class invalidates (JDK-8226705). "
        "Traps, which the post's list has as well, are claim 002-24.",
        setup="JDK 8 to 17 run with biased locking on from the start. Biases are taken back in biased/ByteSummer, too, "
        "with Parallel. The collection is a full one by the JDK's own collector; ZGC and Shenandoah do most of one "
        "without a stop. Class redefinition is provoked by the flight recorder. Flushing of the code cache, the sixth, "
        "is not asked here: by biased/RarerReasons JDK 8 requests no stop for it, 11 one of its own, 17 a handshake, "
        "21 and later a collection.",
        version=2,
    ),
    Claim(
        "002-13",
        "A method is compiled when the sum of its calls and its jumps back exceeds a threshold, and a long loop by OSR",
        as_published="“When the sum of these two counters exceeds a threshold”",
        measure=_thresholds,
        judge=_counted,
        rule="150 calls of 100 iterations each, 50 calls of 1,000 iterations each, and one call of 200,000 iterations "
        "(by OSR) lead to a compile, and 150 calls do not",
        mechanism="Tiered compilation: C1 compiles after 200 calls (Tier3InvocationThreshold), or after 100 if calls "
        "and jumps back are 2,000 together (Tier3MinInvocationThreshold, Tier3CompileThreshold), and a loop by OSR "
        "after 60,000 jumps back (Tier3BackEdgeThreshold; compilationPolicy.cpp). So the sum alone is not enough: 50 "
        "calls of 1,000 iterations are 50,050 together, and pass none of these limits. Without tiered compilation (7's "
        "server default; the post's log has no tiers) the interpreter adds both counters and compares the sum with "
        "CompileThreshold, 10,000. With the flag off, 8 and 11 still do so, and there the statement is true; 17 and "
        "later have limits like the tiers' even then (JDK-8251462): a number of calls, or of jumps back alone.",
        setup="Five copies of one method, each called in its own way, in one JVM with -Xbatch, which waits for each "
        "compile, and in a second one without tiers. The JVM of the post, 7, is not run.",
        supported_by=lambda jdk: _thresholds(jdk, "-XX:Tier3MinInvocationThreshold=1"),
        version=5,
    ),
    Claim(
        "002-14",
        "A thread can stop only where it calls a Java method, and where it enters or leaves native code",
        as_published="“JNI boundaries (enter or exit), or calling a Java method”",
        measure=_polls,
        judge=_at_calls_only,
        rule="no loop without a call has a poll in C2's code",
        mechanism="C2 removes the poll only from loops that it can count; any other loop polls at its jump back. And "
        "the poll of a call is at its return, not where it begins.",
        setup="The machine code of a short loop whose iterations C2 can't count, Polls.untilFound, with the JDK's own "
        "collector: no collector's code leaves out that poll.",
        supported_by=lambda jdk: _polls(jdk, "byInt", "Serial"),
        version=2,
    ),
    Claim(
        "002-16",
        "A thread that is in a long native call delays all other threads",
        as_published="“can result in very long delays”",
        measure=_native,
        judge=_everybody_waits,
        rule="during each of three native calls the longest stop takes at least half as much of the call's time as one "
        "during a loop without polls does of the loop's",
        mechanism="A thread in native code counts as stopped; it is held up when it comes back, if the stop is still "
        "on (safepoint.cpp). What a native call can hold up is a collection, and with it the threads that allocate, if "
        "it is in a JNI critical region: claim 002-25.",
        setup="Thread.sleep(), Deflater.deflate() of 8 MiB, and a read of 32 MiB from /dev/urandom; during each, "
        "another thread asks for deadlocks, which takes a stop of all threads. With Serial, so that the loop that "
        "serves as the control has no poll on any JDK. One JVM. A method that is declared native but that HotSpot runs "
        "as code of its own, such as System.arraycopy, isn't a native call: it delays all threads (002-23).",
        supported_by=lambda jdk: _native(jdk, ("loop",)),
        version=2,
    ),
    Claim(
        "002-17",
        "Biased locking makes locking again cheaper for the same thread, and more expensive for any other",
        as_published="stated",
        measure=_locks,
        judge=_cheaper_and_dearer,
        rule="with biased locking each of three JVMs takes less time to lock again than any of three without, and more "
        "time where another thread locks",
        mechanism="Its own thread takes a biased lock without an atomic instruction. For another thread the bias is "
        "taken back while its owner stands still: up to JDK 13 in a stop of all threads, since 14 by a handshake with "
        "the owner (JDK-8191890). That is paid once a lock, which from then on is locked as without biased locking. "
        "When it takes back the 20th bias of a class HotSpot voids all its biases at once, and at the 40th it makes no "
        "more of them (BiasedLockingBulkRebiasThreshold, BiasedLockingBulkRevokeThreshold). JEP 374 switched biased "
        "locking off in 15, JDK-8256425 removed it in 18.",
        setup="A thousand locks taken over and over by one thread, then 15 others, each once, by a second thread, "
        "uncontended; 15 are too few for the class to lose its biases. JDK 8 to 17 run with biased locking on from the "
        "start, and off.",
        refuted_by=lambda jdk: _locks(jdk, (biased.OFF, biased.switched_on(0))),
        times=True,
        version=2,
    ),
    Claim(
        "002-20",
        "Old compiled code becomes a zombie in the end, ready to be cleaned out",
        as_published="“mark the old version as a zombie, ready to be cleaned out”",
        measure=_zombies,
        judge=_marked,
        rule="the compilation log has lines “made zombie”",
        mechanism="The sweeper made old code a zombie when it had found no thread's stack in it, and freed it later. "
        "Since JDK 20 (JDK-8290025) collections find dead code, as they find dead objects, and free it at once.",
        setup="Thousands of methods, each compiled by C1 and called no more, in a code cache of 3 MiB, with Serial. On "
        "JDK 8 a second thread asks for stops, as its sweeper marks the stacks in the stops of others.",
        version=2,
    ),
    Claim(
        "002-21",
        "By default methods are compiled in the background, while the program runs on",
        as_published="“By default this compilation happens in the background”",
        measure=_who_waits,
        judge=_in_the_background,
        rule="the longest wait of three JVMs, as a share of the compilers' time, is less than a third of the shortest "
        "of three with -Xbatch",
        mechanism="BackgroundCompilation: compilers are threads of their own, and the method runs on in its older "
        "version. -Xbatch switches it off, and the thread that passed the limit waits.",
        setup="A program of a second that compiles hundreds of methods; its wait is time in which it is neither on a "
        "CPU nor queued for one. With -Xbatch it can exceed the compilers' time: it includes the way to the "
        "compiler's thread and back.",
        refuted_by=lambda jdk: _who_waits(jdk, "-XX:-BackgroundCompilation"),
        version=2,
    ),
    Claim(
        "002-24",
        "A null pointer or a division by zero that deoptimises compiled code stops all threads",
        as_published="“Code deoptimization (in response to … null pointer exceptions, division by zero traps …)”",
        measure=_traps,
        judge=_stopped_by_traps,
        rule="there is at least one stop more for each method whose C2 version is made not entrant by nulls or zeros "
        "than in the same run without them",
        mechanism="An uncommon trap deoptimises the frame of the thread that runs into it, by that thread itself "
        "(deoptimization.cpp, Deoptimization::uncommon_trap). Only code that others may be in, and that a loaded class "
        "makes wrong, has to be left by all: a stop of all threads up to JDK 13, since 14 handshakes (JDK-8226705; "
        "002-12).",
        setup="Traps: two methods compiled by C2 that have never met a null or a zero meet a thousand of each; without "
        "background compilation, and without the periodic safepoint (GuaranteedSafepointInterval=0). The post's JVM, "
        "7, is not run.",
        # until JDK 13 a class that is loaded deoptimises code by a stop of all threads
        supported_by=lambda jdk: _traps(min(jdk, 11), "class"),
    ),
    Claim(
        "002-25",
        "A long native call in a JNI critical region delays a thread that allocates, not one that parks",
        as_published="not in the post: what is right about native calls that “take a long time to finish”",
        measure=_critical,
        judge=_allocators_wait,
        rule="in each of three JVMs the longest allocation takes more than twice as much of the call's time as any "
        "delay of a thread that does not allocate, and as any allocation during a native call without such a region",
        mechanism="GetPrimitiveArrayCritical gives C code the address of a Java array, so no collection may move it. "
        "Serial and Parallel put the collection off until the last region is left (gcLocker.cpp), as G1 did up to JDK "
        "21; the thread that needs room waits. Since 22 G1 pins the array's region and collects (JEP 423). A thread "
        "that wants to enter such a region while a collection is wanted waits as well (GCLocker::lock_critical, in "
        "later JDKs GCLocker::enter_slow); that is not asked here.",
        setup="Deflater.deflate() of 12 MiB, and a read of 24 MiB from /dev/urandom as the control, in a heap of 64 "
        "MiB that cannot grow; one thread allocates all the time, another parks for a millisecond at a time.",
        collectors=True,
        times=True,
        ours=True,
    ),
]
