"""The cause that was shown, its JDK and its collector -> what to do about it, with the exact flags that this JDK knows.

Each advice was tried on a program with that cause: with it the program is on time. Where the cause is not known, or
nothing outside of the VM can be changed, there is none.
"""

import re

from safepointlab.culprit.cause import PROBABLY, STRIPPED
from safepointlab.jdks import Jdk

# OuterStripMinedLoopNode::adjust_strip_mined_loop multiplies by the stride that the loop has after unrolling
EVERY_LOOP = "every counted loop; a few loops get slower"  # page 23: one of SciMark's five computations
STRIPS = "a poll for each 1,000 iterations of the unrolled loop"
SORT = re.compile(r"DualPivotQuicksort|Arrays::(parallelS|s)ort|simdsort|partition_avx|avx\w*sort", re.IGNORECASE)
ADVICE = {  # by cause; that of a loop depends on the JDK and the collector
    "stub": [
        "hand-written code of the VM, without a poll: no flag gives it one",
        "in the source: copy, fill or checksum large arrays in pieces of a megabyte: between two a thread can stop",
    ],
    "new array": [
        "the VM zeroes a new array in one go: several arrays of some megabytes instead of one, or use the array again",
        "if it must be that large: -XX:+AlwaysPreTouch with -Xms as large as -Xmx makes the wait shorter, but not none",
    ],
    "native memory": [
        "the VM fills or copies that memory in one go: work in pieces of a megabyte, or allocate once and use it again",
        "ByteBuffer.allocateDirect zeroes its memory that way up to JDK 24; later JDKs poll between pieces",
    ],
    "critical call": [
        "link the function without Linker.Option.critical: a thread in an ordinary native call counts as stopped",
    ],
    "quota": [
        "a larger CPU quota (cpu.max of the cgroup, limits.cpu of Kubernetes, --cpus of docker), or none",
        "no more threads that compute at once than the quota has CPUs: one with a quota of one CPU",
    ],
    "cpu": [
        "more threads want to run than there are CPUs",
        "fewer threads that compute at once (one per CPU), or more CPUs",
    ],
    "spinning": [
        "if it waits there for a field that another thread writes: make the field volatile; compiled code may read a "
        "plain field once and never again",
        "or use an atomic, such as AtomicBoolean, or read and write the field under one lock",
        "if it computes there, that is its work: no stop of the JVM waits for it",
    ],
    "thread dump": [  # tried: claim 003d-14
        "an agent, JMX or jstack asks for dumps, and each stops all threads for a walk over their stacks: fewer dumps",
        "or dumps of fewer threads (ThreadMXBean.getThreadInfo with their ids), or of a few frames of each",
    ],
    "deadlock": ["in the source: take the locks in the same order in all threads"],
    "witness": ["what this command switched on was late itself: see what is left with --witness timeout"],
}


def advice(cause: str, jdk: Jdk, gc: str, method: str = "", calls: bool = True) -> list[str]:
    """What to try against a cause, the easiest first, and what it changes besides. `calls`: the loop has a call."""
    if cause in ("counted loop", PROBABLY):
        steps = _of_counted_loop(jdk, gc)
        return steps if calls else steps[:-1]
    if cause == "stub" and SORT.search(method):
        return [
            "-XX:+UnlockDiagnosticVMOptions -XX:DisableIntrinsic=_arraySort,_arrayPartition: Java's own sort has polls",
            "in the source: sort the parts of a large array, and merge them",
        ]
    return ADVICE.get(cause, [])


def polls_flag(jdk: Jdk) -> str:
    """The flags that keep a poll in counted loops; on 10 and later in an outer loop around each, which costs least."""
    return "-XX:+UseCountedLoopSafepoints" + (" -XX:LoopStripMiningIter=1000" if jdk.major >= 10 else "")


def _of_counted_loop(jdk: Jdk, gc: str) -> list[str]:
    source = (
        "in the source, which changes this loop alone: do the work in pieces, each by a call that is not inlined: the "
        "thread polls at its return"
    )
    small = (
        "-XX:CompileCommand=dontinline,CLASS::METHOD, where METHOD is a small method that the loop calls: the thread "
        "then polls at its return, and the source stays as it is"
    )
    if jdk.major < 10:
        each = f"{polls_flag(jdk)} keeps a poll in each iteration (from 8u92 on) of {EVERY_LOOP}"
        return [each, source, small]
    if gc in STRIPPED:
        shorter = (
            f"{gc} keeps {STRIPS}, so these iterations are long: -XX:LoopStripMiningIter=100 polls more often, in "
            f"{EVERY_LOOP}"
        )
        return [shorter, source, small]
    other = (
        f"or -XX:+UseG1GC in place of {gc}: with G1, ZGC and Shenandoah, C2 keeps a poll in counted loops; the whole "
        "program then has another collector, with other pauses and other memory"
    )
    return [f"{polls_flag(jdk)} keeps {STRIPS}, in {EVERY_LOOP}", other, source, small]
