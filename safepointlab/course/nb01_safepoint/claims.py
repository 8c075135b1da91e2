"""What a safepoint is: claims 000-06 to 000-08, 000-10, 000-32, 000-41 and 000-65, each run again on one JDK.

In NativeAndBlocked a thread notes the time beside the safepoint log; WhoCallsWhichOperation makes calls of which some
stop all threads. What a stop waits for is in claims_waits.py, where code polls in claims_polls.py.
"""

import re
from statistics import median

from safepointlab import jdks
from safepointlab.claims.base import Change, Claim, Evidence, Judgement, decide, differs, holds, spread, unclear
from safepointlab.course.nb00_start import experiments as start
from safepointlab.course.nb01_safepoint import experiments as safepoint
from safepointlab.course.nb14_guaranteed.experiments import NO_OPERATION, table, with_table
from safepointlab.errors import FlagRejected, RunFailed
from safepointlab.jdks import flags as vm_flags
from safepointlab.run import launch

ONE_BY_ONE = "JEP 312 (JDK 10): handshakes, by which the VM stops one thread at a time"
ZGC, ZGC_FLAGS = "threads taken one by one in five collections by ZGC", "-Xmx256m -Xlog:handshake*=trace"
SHORT = 250_000  # objects in the heap: a stop takes some ms, and is shorter than a call of native code
NATIVE = "CPU time that the thread in native code used during the stop, percent"
JAVA = "CPU time that a thread in Java used during the stop, percent"
STOPPED, SILENT, QUIET = "stop, ms", "longest gap between two reads, ms", "longest gap without a stop, ms"
UNBIASED = "JDK-8191890 (JDK 14): the bias of one lock is taken off by a handshake"
BIAS, CODE = "taking the bias off a lock", "throwing away code that is in use"


def _kinds(jdk: int) -> Evidence:
    """What fourteen calls make the VM do; and how often ZGC, the first to do so, takes a single thread."""
    made = safepoint.calls(jdk).set_index("call")
    kinds = made["kind"]
    try:
        collected: int | None = start.hello(jdk, ZGC_FLAGS, gc="Z", log="").output.count("Operation: ")
    except FlagRejected:
        collected = None
    return {
        "calls": len(kinds),
        "calls that stopped all threads": int((kinds == "safepoint").sum()),
        "calls that made a handshake": int((kinds == "handshake").sum()),
        "these": "; ".join(safepoint.API[name] for name in made.index[kinds == "handshake"]) or "none",
        ZGC: collected,
    }


def _all_global(measured: Evidence) -> Judgement:
    stopped, one_by_one = measured["calls that stopped all threads"], measured["calls that made a handshake"]
    found = f"of {measured['calls']} calls {stopped} stopped all threads and {one_by_one} made a handshake"
    by_zgc = (
        f"; in five collections by ZGC, threads were taken one by one, {measured[ZGC]} times in all"
        if measured[ZGC] is not None
        else ""
    )
    return decide(
        (one_by_one > 0 or (measured[ZGC] or 0) > 0, differs(found + by_zgc, Change(10, ONE_BY_ONE))),
        (stopped > 0, holds(found)),
        otherwise=unclear(found),
    )


def _percent_of_the_stop(jdk: int, doing: str) -> list[float]:
    """Of each stop, the part in which the thread used CPU time: at least what exceeds the rest of main's request.

    Raises:
        RunFailed: the collections and the stops of the log cannot be matched.
    """
    run = safepoint.crowd(jdk, doing, 1, safepoint.STOPS, SHORT)
    requests, stops = run.csv("stdout.txt"), safepoint.collections(run)
    if len(requests) != len(stops):
        raise RunFailed(f"{len(requests)} collections at {len(stops)} stops: one was done at a stop for something else")
    stopped_ms = (stops["total_ms"] - stops["ttsp_ms"]).astype("float64").to_numpy()
    inside_ms = requests["cpu_ms"] - (requests["took_ms"] - stopped_ms)
    return [float(percent) for percent in (100 * inside_ms / stopped_ms).clip(0, 100)]


def _during_the_stop(jdk: int, doing: str = "reading") -> Evidence:
    return {NATIVE: _percent_of_the_stop(jdk, doing), JAVA: _percent_of_the_stop(jdk, "running")}


def _runs_on(measured: Evidence) -> Judgement:
    native, java = measured[NATIVE], measured[JAVA]
    found = (
        f"CPU time beyond the rest of the request: the thread in native code ran for at least {spread(native)} % of "
        f"each of {len(native)} stops; counted in the same way, one in Java for {spread(java)} %"
    )
    return decide(
        (median(native) > max(java), holds(found)),
        (max(native) <= max(java), differs(found)),
        otherwise=unclear(found),
    )


def _silence(jdk: int) -> Evidence:
    """The longest gap between two reads around each request; and, with a flag, when the request does nothing."""
    run, calm = safepoint.crowd(jdk, "native", 2), safepoint.crowd(jdk, "native", 2, flags="-XX:+DisableExplicitGC")
    stops = safepoint.collections(run)
    return {
        STOPPED: (stops["total_ms"] - stops["ttsp_ms"] - stops["leaving_ms"].fillna(0)).astype("float64").tolist(),
        SILENT: run.csv("stdout.txt")["silent_ms"].tolist(),
        QUIET: calm.csv("stdout.txt")["silent_ms"].tolist(),
    }


def _held_up(measured: Evidence) -> Judgement:
    stopped, silent, calm = (measured[name] for name in (STOPPED, SILENT, QUIET))
    if not stopped or len(stopped) != len(silent):
        return unclear(f"{len(silent)} requests, and {len(stopped)} stops in the log")
    found = (
        f"in {len(stopped)} stops of {min(stopped):.1f} to {max(stopped):.1f} ms the thread's longest gap is "
        f"{min(silent):.1f} to {max(silent):.1f} ms, without a stop {max(calm):.2f} ms at most"
    )
    held = [gap > 0.75 * stop for gap, stop in zip(silent, stopped, strict=True)]
    if max(calm) > min(stopped) / 2:
        return unclear(found)
    return decide(
        (all(held), holds(found)), (median(silent) < median(stopped) / 2, differs(found)), otherwise=unclear(found)
    )


def _stopped_time(jdk: int, flag: str = start.STOPPED_TIME) -> Evidence:
    """The pauses that the flag prints, next to the table of statistics, which counts the stops by itself."""
    output = with_table(jdk, flag).output
    printed = re.findall(r"stopped: \d+\.\d+ seconds(, Stopping threads took: \d+\.\d+ seconds)?", output)
    stops = table(output)
    return {
        "stops in the table": len(stops),
        "of these no operation's": sum(name == NO_OPERATION for _, name in stops),
        "pauses printed": len(printed),
        "of these with both numbers": sum(map(bool, printed)),
    }


def _prints_both(measured: Evidence) -> Judgement:
    """Of the stop at the exit no thread sees the end, so it is in the table alone."""
    stops, others, pauses, both = measured.values()
    found = f"{stops} stops in the table, {others} of them without an operation; {pauses} pauses printed, {both} of "
    found += "them with both numbers"
    return decide(
        (others < 2, unclear(f"no stop but collections and the exit: {found}")),
        (both == pauses and stops - pauses in (0, 1), holds(found)),
        otherwise=differs(found),
    )


def _stopping(jdk: int, *calls: str) -> Evidence:
    """Five times each of the calls, one after the other: how many of them had a safepoint."""
    names = [call for call in calls for _ in range(5)]
    made = safepoint.operations(
        launch.java(safepoint.CALLS, jdk, gc=safepoint.NO_POLLS, args=names, log="safepoint", reuse=True)
    )
    stopped = made[made["kind"] == "safepoint"]
    operations = dict.fromkeys(name for names in stopped["operations"] for name in names)
    return {
        "calls": len(made),
        "calls that stopped all threads": len(stopped),
        "operations": ", ".join(operations) or "none",
    }


def _each_stops_all(measured: Evidence) -> Judgement:
    calls, stopped = measured["calls"], measured["calls that stopped all threads"]
    found = f"{stopped} of {calls} calls had a safepoint ({measured['operations']})"
    return decide(
        (stopped == calls > 0, holds(found)), (calls > 0 and not stopped, differs(found)), otherwise=unclear(found)
    )


def _unbias_and_deoptimise(jdk: int) -> Evidence:
    made = safepoint.calls(jdk).set_index("call")
    calls = {BIAS: "revokeBias", CODE: "loadClass"}
    kinds = {what: " ".join([made["kind"][call], *made["operations"][call][:1]]) for what, call in calls.items()}
    try:
        vm_flags.check(["-XX:+UseBiasedLocking"], jdks.get(jdk))
        biased = True
    except FlagRejected:
        biased = False
    return {**kinds, "this JDK has biased locking": biased}


def _both_global(measured: Evidence) -> Judgement:
    bias, code = (measured[what].partition(" ")[0] for what in (BIAS, CODE))
    biased = measured["this JDK has biased locking"]
    found = f"{BIAS}: {measured[BIAS] if biased else 'there is no biased locking'}; {CODE}: {measured[CODE]}"
    changes = {
        Change(14, UNBIASED): biased and bias == "handshake",
        Change(18, "JDK-8256425 (JDK 18): biased locking is gone"): not biased,
        Change(14, "JDK-8226705 (JDK 14): deoptimisation is a handshake"): code == "handshake",
    }
    return decide(
        (code == "nothing" or (biased and bias == "nothing"), unclear(f"{found}: not provoked")),
        (biased and bias == code == "safepoint", holds(found)),
        otherwise=differs(found, *(change for change, met in changes.items() if met)),
    )


CALLS = "The program is the lab's own; it runs with Serial, which has the fewest safepoints of its own."

CLAIMS = [
    Claim(
        "000-06",
        "On OpenJDK, the VM stops its threads all together or not at all; no operation takes them one by one",
        as_published="all global; Zing can stop one thread",
        measure=_kinds,
        judge=_all_global,
        rule="some of fourteen calls stop all threads, none of them makes a handshake, and neither does ZGC when it "
        "collects; one handshake is enough to refute it",
        mechanism="JEP 312 gave each thread a poll of its own, so that the VM can have one thread run an operation "
        "while the others go on. JDK 11 uses it for ZGC's marking, with all threads, one after the other; its other "
        "operations still stop them all. Since JDK 14 deoptimisation (JDK-8226705) and since JDK 19 "
        "Thread.getStackTrace() (JEP 425) use it, too.",
        setup="The calls are the lab's choice, and run with Serial. Biased locking is on where the JDK has it. With "
        "ZGC each thread that takes part in a handshake is counted.",
        version=3,
    ),
    Claim(
        "000-07",
        "A thread in native code is at a safepoint: the VM does not wait for it, and it runs on during the stop",
        as_published="J4 and J5, in JNI code, are not affected; a thread can still run while at a safepoint",
        measure=_during_the_stop,
        judge=_runs_on,
        rule="the thread in native code used more CPU time in most of five stops than a thread that runs Java did in "
        "any of its five: had the VM waited for its return, the thread would have stood still like the other. Counted "
        "is the CPU time beyond the rest of the request: the least that was used within the stop, and nearly all of it "
        "where a thread spins, as the one in Java does",
        mechanism="On its way into native code a thread notes its new state, which SafepointSynchronize takes for "
        "safe. It cannot touch the heap without coming back, and is held up on the way (000-08).",
        setup="Native code is a read of 48 MiB from /dev/urandom, longer than the stop; the stops are full "
        "collections by Serial. A thread that sleeps is in 000-54.",
        times=True,
        refuted_by=lambda jdk: _during_the_stop(jdk, "running"),
        version=2,
    ),
    Claim(
        "000-08",
        "A thread that comes back from native code during a safepoint is held up until the safepoint is over",
        as_published="blocks",
        measure=_silence,
        judge=_held_up,
        rule="in each of five stops the thread's longest gap between two reads of tenths of a millisecond is at least "
        "three quarters of the stop (without the time to reach it and, where the log has it, to leave it), and "
        "without a stop at most half of the shortest stop",
        mechanism="On the way from native code to Java a thread polls (interfaceSupport.inline.hpp, and the wrapper "
        "of each native method), and blocks there.",
        setup="Native code is a read of 64 KiB from /dev/urandom by two threads; the stops are full collections by "
        "Serial of a heap with a million objects.",
        times=True,
        refuted_by={STOPPED: [30.0] * 5, SILENT: [0.4] * 5, QUIET: [0.4] * 5},
        version=3,
    ),
    Claim(
        "000-10",
        "PrintGCApplicationStoppedTime prints each pause, and how long stopping the threads took",
        as_published="“Stopping threads took: …”",
        measure=_stopped_time,
        judge=_prints_both,
        rule="the flag prints a pause for each stop of the table that -XX:+PrintSafepointStatistics prints next to it, "
        "but for the exit's, each with the time stopped and the time that stopping the threads took; some of these "
        "stops are no operation's",
        mechanism="Unified logging replaced the flag in JDK 9 (JEP 158, JEP 271); -Xlog:safepoint has both numbers.",
        setup="OnceASecond for 3 s, with Serial: a collection, and guaranteed stops, which no operation requests. "
        "000-40 looks at the table of the same run. Judged is that both numbers are printed; they are not compared "
        "with the times in the table.",
        # another flag of the same family, on the JDK that has both
        refuted_by=lambda _: _stopped_time(8, "-XX:+PrintGCApplicationConcurrentTime"),
        version=3,
    ),
    Claim(
        "000-32",
        "A dump of one thread through the management interface stops all threads",
        as_published="global",
        measure=lambda jdk: _stopping(jdk, "infoOfOneWithStack"),
        judge=_each_stops_all,
        rule="each of five calls of ThreadMXBean.getThreadInfo(id, depth) has a safepoint",
        mechanism="The management interface has one operation for one thread and for all: jmm_GetThreadInfo in "
        "management.cpp runs a VM_ThreadDump.",
        setup=CALLS,
        refuted_by=lambda jdk: _stopping(jdk, "infoOfOne"),  # the same method, without the stack
        version=2,
    ),
    Claim(
        "000-41",
        "Taking the bias off a lock, and giving up code that a loaded class makes wrong, stop all threads",
        as_published="global operations: “Lock unbiasing”, “Method deoptimization (not always)”",
        measure=_unbias_and_deoptimise,
        judge=_both_global,
        rule="a safepoint is logged when another thread takes a biased lock, and when a class is loaded that makes "
        "compiled code wrong which a thread is just running",
        mechanism="Taking the bias off one lock became a handshake with JDK-8191890, deoptimisation with JDK-8226705 "
        "(both JDK 14; of the second a first attempt, JDK-8221734, was backed out). Rebiasing or revoking all locks "
        "of a class at once (VM_BulkRevokeBias) still stopped all threads; that is not asked here. Biased locking is "
        "off by default since JEP 374 (JDK 15) and gone since JDK-8256425 (JDK 18). The post's “not always” is right: "
        "a thread that runs into a trap deoptimises itself, without a stop (002-24).",
        setup=f"{CALLS} Biased locking is switched on from the start on JDK 8, and at all on JDK 17.",
        version=2,
    ),
    Claim(
        "000-65",
        "A full collection and a heap dump stop all threads",
        as_published="in a list of operations at a global safepoint: “Some GC phases”, “Heap dumping”",
        measure=lambda jdk: _stopping(jdk, "fullCollection", "heapDump"),
        judge=_each_stops_all,
        rule="each of five calls of System.gc() and of HotSpotDiagnosticMXBean.dumpHeap() has a safepoint",
        mechanism="Both are operations that the VM thread runs at a safepoint (VM_HeapDumper, and one for each "
        "collector). Other operations of that list are in 000-32, 000-33 and 000-41; class redefinition is in 002-12.",
        setup=f"{CALLS} Concurrent collectors do most of a collection without a stop.",
        refuted_by=lambda jdk: _stopping(jdk, "stackOfMine", "interrupt"),  # calls that need nobody to stop
    ),
]
