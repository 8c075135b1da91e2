"""What kept a thread, its JDK and its collector -> what to do about it, with the exact flags that this JDK knows."""

from safepointlab.jdks import Jdk

STRIPPED = ("G1", "Z", "Shenandoah")  # collectors with which C2 strip-mines its loops
# OuterStripMinedLoopNode::adjust_strip_mined_loop multiplies by the stride that the loop has after unrolling
STRIPS = "a poll for each 1,000 iterations of the loop as C2 unrolled it"
ADVICE = {  # by cause; that of a loop depends on the JDK and the collector
    "stub": [
        "hand-written code of the VM, without a poll: no flag gives it one",
        "in the source: copy, fill or checksum large arrays in pieces of a megabyte: between two a thread can stop",
    ],
    "vm": [
        "the thread is inside the VM and comes when that is done; large new arrays are zeroed there, for example",
        "allocate less at once, or use the array again; -XX:+AlwaysPreTouch makes the first touch of the heap cheaper",
    ],
    "pages": [
        "of the heap: -XX:+AlwaysPreTouch (slower start), no swap, memory limits with room to spare",
        "of a mapped file: MappedByteBuffer.load() first, or read it through a FileChannel: native code delays no stop",
    ],
    "cpu": [
        "more threads want to run than there are CPUs, or a quota is used up (nr_throttled in the cgroup's cpu.stat)",
        "fewer threads or more CPUs; -XX:ActiveProcessorCount=n if the JVM counts them wrongly",
    ],
    "witness": ["JFR, which this command has switched on, was late itself: see what is left with --witness ttsp"],
}


def advice(cause: str, jdk: Jdk, gc: str) -> list[str]:
    """What to try against a cause, the least intrusive first; each names its price."""
    if cause == "counted loop":
        return _of_counted_loop(jdk, gc)
    unclear = "no counted loop is to be seen there, or its class could not be read"
    return ADVICE.get(cause, [f"{unclear}; {polls_flag(jdk)} tells whether it is one: then the wait is gone"])


def polls_flag(jdk: Jdk) -> str:
    """The flags that keep a poll in counted loops; on 10 and later in an outer loop around each, which costs least."""
    return "-XX:+UseCountedLoopSafepoints" + (" -XX:LoopStripMiningIter=1000" if jdk.major >= 10 else "")


def _of_counted_loop(jdk: Jdk, gc: str) -> list[str]:
    source = "in the source: do the work in pieces, each by a call that is not inlined: the thread polls at its return"
    small = (
        "-XX:CompileCommand=dontinline,CLASS::METHOD, where METHOD is a small method that the loop calls: the thread "
        "then polls at its return, and the source stays as it is"
    )
    if jdk.major < 10:
        return [f"{polls_flag(jdk)} keeps a poll in each iteration (from 8u92 on)", source, small]
    if gc in STRIPPED:
        shorter = f"{gc} keeps {STRIPS}, so these iterations are long: -XX:LoopStripMiningIter=100 polls more often"
        return [shorter, source, small]
    other = f"or -XX:+UseG1GC: with {gc} C2 removes the poll of counted loops; with G1, ZGC and Shenandoah it keeps one"
    return [f"{polls_flag(jdk)} keeps {STRIPS}", other, source, small]
