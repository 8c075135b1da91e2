"""The place where a thread was late, and its JDK -> what to do about it, with the exact flags that this JDK knows.

Each cure belongs to a cause:

    counted loop   C2 removed the poll from a counted loop (G1, Z, Shenandoah on 10+: from its strips)
    stub           arraycopy, CRC32, fill, BigInteger: hand-written code that never polls, however long the array
    vm             the thread is inside the VM, e.g. zeroing a large new array
    pages          the thread waits for the kernel to provide a page of memory, in the middle of Java code
    cpu            the thread would reach the safepoint at once, but has no CPU to run on
    witness        the thread did JFR's own work, which this command switched on
"""

import re
from dataclasses import dataclass

from safepointlab.jdks import Jdk

STUB = re.compile(
    r"arraycopy|acl_Copy|_Copy_|memmove|memcpy|checkcast_|disjoint|_fill\b|jbyte_fill|CRC32|crc32|adler|sha\d|md5|aes|multiplyToLen|squareToLen|montgomery|"
    r"vectorizedMismatch|bigInteger|mulAdd|StubRoutines|stub",
    re.IGNORECASE,
)
STRIPPED = ("G1", "Z", "Shenandoah")  # collectors with which C2 strip-mines its loops
# OuterStripMinedLoopNode::adjust_strip_mined_loop multiplies by the stride that the loop has after unrolling
STRIPS = "a poll for each 1,000 iterations of the loop as C2 unrolled it"


@dataclass(frozen=True)
class Place:
    """What is known of where a thread was late."""

    method: str
    within: str = ""  # the native function that it calls: a stub, the VM, a library
    kind: str = ""  # of the frame: Interpreted, JIT compiled, Inlined, Native, C++, Kernel
    counter: str = ""  # of the loop around it: int, long, ""
    doing: str = ""  # by the kernel
    busy: bool = False  # whether it ran, within one stop, so long that code with polls would have executed one
    stack: str = ""


def cause(place: Place) -> str:
    """Why a thread in this place does not reach the safepoint.

    >>> cause(Place("Odd::count", kind="JIT compiled", counter="int")), cause(Place("Odd::sum", "updateBytesCRC32"))
    ('counted loop', 'stub')
    """
    if place.doing.startswith("takes page faults"):
        return "pages"
    if place.doing.startswith("waits for a CPU") and not place.busy:
        return "cpu"
    if "jdk.jfr." in place.stack:
        return "witness"
    if not place.within and place.method.startswith("java.") and STUB.search(place.method):
        return "stub"  # JFR knows no stubs: it names the Java method that the JIT replaces by one
    if place.within:
        return "stub" if STUB.search(place.within) else "vm"
    return "counted loop" if place.counter and place.kind != "Interpreted" else "java"


def cures(why: str, jdk: Jdk, gc: str) -> list[str]:
    """What to try against a cause, the least intrusive first; each names its price."""
    advise = ADVICE.get(why, _java)
    return advise(jdk, gc)


def polls_flag(jdk: Jdk) -> str:
    """The flags that keep a poll in counted loops; on 10 and later in an outer loop around each, which costs least."""
    return "-XX:+UseCountedLoopSafepoints" + (" -XX:LoopStripMiningIter=1000" if jdk.major >= 10 else "")


def _loop(jdk: Jdk, gc: str) -> list[str]:
    source = "in the source: do the work in pieces, each by a call that is not inlined: the thread polls at its return"
    small = (
        "-XX:CompileCommand=dontinline,CLASS::METHOD, where METHOD is a small method that the loop calls: the thread "
        "then polls at its return, and the source stays as it is"
    )
    if jdk.major >= 10 and gc in STRIPPED:
        shorter = f"{gc} keeps {STRIPS}, so these iterations are long: -XX:LoopStripMiningIter=100 polls more often"
        return [shorter, source, small]
    if jdk.major < 10:
        return [f"{polls_flag(jdk)} keeps a poll in each iteration (from 8u92 on)", source, small]
    other = f"or -XX:+UseG1GC: with {gc} C2 removes the poll of counted loops; with G1, ZGC and Shenandoah it keeps one"
    return [f"{polls_flag(jdk)} keeps {STRIPS}", other, source, small]


def _stub(jdk: Jdk, gc: str) -> list[str]:
    return [
        "hand-written code of the VM, without a poll: no flag gives it one",
        "in the source: copy, fill or checksum large arrays in pieces of a megabyte: between two a thread can stop",
    ]


def _vm(jdk: Jdk, gc: str) -> list[str]:
    return [
        "the thread is inside the VM and comes when that is done; large new arrays are zeroed there, for example",
        "allocate less at once, or use the array again; -XX:+AlwaysPreTouch makes the first touch of the heap cheaper",
    ]


def _pages(jdk: Jdk, gc: str) -> list[str]:
    return [
        "of the heap: -XX:+AlwaysPreTouch (slower start), no swap, memory limits with room to spare",
        "of a mapped file: MappedByteBuffer.load() first, or read it through a FileChannel: native code delays no stop",
    ]


def _cpu(jdk: Jdk, gc: str) -> list[str]:
    return [
        "more threads want to run than there are CPUs, or a quota is used up (nr_throttled in the cgroup's cpu.stat)",
        "fewer threads or more CPUs; -XX:ActiveProcessorCount=n if the JVM counts them wrongly",
    ]


def _witness(jdk: Jdk, gc: str) -> list[str]:
    return ["JFR, which this command has switched on, was late itself: see what is left with --witness ttsp"]


def _java(jdk: Jdk, gc: str) -> list[str]:
    unclear = "no counted loop is to be seen there, or its class could not be read"
    return [f"{unclear}; {polls_flag(jdk)} tells whether it is one: then the wait is gone"]


ADVICE = {"counted loop": _loop, "stub": _stub, "vm": _vm, "pages": _pages, "cpu": _cpu, "witness": _witness}
