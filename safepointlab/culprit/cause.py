"""The evidence of one run -> who was late for each stop, and for each place of such a thread what kept it there.

A place is a thread in a method: its samples spread over the lines of a loop, and the most frequent line represents it.
What keeps a thread is one of CAUSES, the first that the evidence shows:

    witness        the thread did the work of a witness that this command has switched on
    quota          the same, since the CPU quota of its container is used up
    cpu            the thread would reach the safepoint at once, but has no CPU to run on
    native memory  the VM fills or copies memory outside of the heap: Unsafe.setMemory, ByteBuffer.allocateDirect
    new array      the VM zeroes a large new array
    critical call  a function of a native library that was linked as critical: the thread stays "in Java" (JDK 22+)
    stub           arraycopy, CRC32, digests, sort, BigInteger: hand-written code that never polls
    vm             the thread is inside the VM for another reason
    counted loop   C2 removed the poll from a counted loop (G1, Z, Shenandoah on 10+: from its strips); see `loops`
    probably a counted loop   the same, of code that has no exact lines: its method has such a loop
    pages          code with polls, but the kernel takes long to provide a page of memory
    not known      none of these, as far as the evidence goes

Code that was compiled before we attached has lines at polls and calls only. A counted loop has neither, so the line
is that of something behind it, and the loops around that line are not the one that runs.

In a loop or in the VM page faults only make an unpolled stretch longer: what is missing is the poll.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import pandas as pd

from safepointlab.culprit.evidence import Evidence, is_linker
from safepointlab.culprit.loops import Loop, allocates_array, counted_loops, loop_of_stack
from safepointlab.culprit.watch import IDLE
from safepointlab.errors import ForeignLog
from safepointlab.jdks import Jdk
from safepointlab.logs import compilation
from safepointlab.phrases import some

STOPS = [
    "pid", "stop", "at_s", "operation", "waited_ms", "over", "thread", "virtual", "tid", "where", "samples",
    "witnesses", "doubt", "observed", "examined_ms", "time",
]  # fmt: skip
CULPRITS = [
    "thread", "virtual", "tid", "method", "line", "within", "called_from", "lines", "stops", "worst_ms", "samples",
    "cause", "loop", "calls", "compiled", "doing", "witnesses", "pid",
]  # fmt: skip
VM_QUEUED = 0.1  # the part of a second for which the VM thread queued for a CPU
NO_CPU = "no thread of the program: the VM thread itself had no CPU"
ORDER = ("timeout", "ttsp", "latency", "agent", "dump", "native", "kernel")
LIBRARY = re.compile(r"(java|javax|jdk|sun|com\.sun)\.")
# Between two samples lies a tick of CPU time (the kernel's, 4 ms, if that is longer than the interval). In code with
# polls it would have polled a thousand times.
BUSY_SAMPLES = 3
COUNTERS = ("int", "long", "perhaps")  # the surest first
BEFORE = "before we attached"
COUNTED_LONGS = 16  # from then on C2 makes nested loops over ints of a loop over a long (JDK-8223051)
STRIPPED = ("G1", "Z", "Shenandoah")  # collectors with which C2 strip-mines its loops, from 10 on
OWN_WORK = re.compile(r"SR_handler|jdk\.jfr\.|libasyncProfiler\.so|JfrThreadSampl|JfrSampl")
STUB = re.compile(
    r"arraycopy|acl_Copy|_Copy_|memmove|memcpy|checkcast_|disjoint|_fill\b|jbyte_fill|CRC32|crc32|adler|sha\d|md5|"
    r"SHA\d|MD5|DigestBase|aes|ghash|base64|chacha|poly1305|multiplyToLen|squareToLen|montgomery|vectorizedMismatch|"
    r"bigInteger|mulAdd|StubRoutines|stub|partition_avx|simdsort|ArraysSupport::mismatch",
    re.IGNORECASE,
)
STUB_LIBRARY = re.compile(r"lib(simdsort|jsvml|sleef)\.so")  # code that C2 calls as it calls a stub
MEMORY = re.compile(
    r"Unsafe::(setMemory|copyMemory|copySwapMemory)|Bits::setMemory|ScopedMemoryAccess::(set|copy)Memory"
)


@dataclass(frozen=True)
class Place:
    """What is known of where a thread was late."""

    method: str
    within: str = ""  # the native function that it is in: a stub, the VM, a library
    library: str = ""  # of that function; a stub has none
    kind: str = ""  # of the frame: Interpreted, JIT compiled, Inlined, Native, C++, Kernel
    counter: str = ""  # of the loop around it: one of loops.KINDS
    compiled: str = ""  # the versions that the JIT made of it, if there is a log of that
    doing: str = ""  # by the kernel
    busy: bool = False  # whether it ran, within one stop, so long that code with polls would have executed one
    throttled: bool = False  # whether a CPU quota stopped all threads of the JVM again and again
    starved: bool = False  # whether the threads of the JVM wanted many more CPUs than they got at that time
    asleep_in_java: bool = False  # it slept in the kernel, and the VM took it for a thread in Java code
    allocates: bool = False  # its line makes a new array
    in_own_loop: bool = False  # whether that loop is the method's own, not one of a caller that it is inlined into
    exact: bool = True  # whether its line is known, and with it the loop around it
    strips: bool = False  # whether the collector lets C2 keep a poll per strip of a counted loop
    stack: str = ""

    @property
    def innermost(self) -> str:
        """The innermost Java frame, which may be one of the linker's that no program wrote."""
        return self.stack.rpartition(";")[2] or self.method

    @property
    def in_native_code(self) -> bool:
        """Whether the innermost frame is none of Java; the kernel's clock, which is over at once, doesn't count."""
        return bool(self.within or self.library) and "vdso" not in self.library

    @property
    def in_stub(self) -> bool:
        """Whether that is code of the VM's own making; JFR names the Java method that the JIT replaces by it.

        A method in a loop of its own is not replaced: what runs is its Java code, as in an OSR version of it.
        """
        if not self.in_native_code:
            return bool(LIBRARY.match(self.method) and STUB.search(self.method)) and not self.in_own_loop
        generated = not self.library and bool(self.within) and ".so" not in self.within
        return generated or bool(STUB.search(self.within) or STUB_LIBRARY.search(self.library + self.within))

    @property
    def took_pages(self) -> bool:
        """Whether the kernel gave it one page of memory after the other."""
        return self.doing.startswith("takes page faults")


NOT_KNOWN = "not known"
PROBABLY = "probably a counted loop"
OF_LOOPS = ("counted loop", PROBABLY, "pages", NOT_KNOWN)  # the causes for which the loop around the place matters
CAUSES: dict[str, Callable[[Place], bool]] = {
    "witness": lambda place: bool(OWN_WORK.search(f"{place.stack};{place.library}::{place.within}")),
    "quota": lambda place: not place.busy and place.throttled,
    "cpu": lambda place: not place.busy and (place.starved or place.doing.startswith("waits for a CPU")),
    "native memory": lambda place: bool(MEMORY.search(place.innermost)),
    "new array": lambda place: place.allocates and not place.in_stub and (place.in_native_code or place.took_pages),
    "critical call": lambda place: place.asleep_in_java or (is_linker(place.innermost) and place.in_native_code),
    "stub": lambda place: place.in_stub,
    "vm": lambda place: place.in_native_code,
    "pages": lambda place: place.took_pages and (place.strips or place.counter not in ("int", "long", "perhaps")),
    "counted loop": lambda place: place.exact and _lost_its_poll(place),
    PROBABLY: lambda place: place.busy and _lost_its_poll(place),
}


def _lost_its_poll(place: Place) -> bool:
    """Whether the loop is one whose poll C2 removes, and C2 has compiled it: the interpreter and C1 keep theirs.

    Where C2 keeps a poll per strip, a thread that is late by its loop alone runs for long: its strips do.
    """
    by_c2 = place.kind != "Interpreted" and (not place.compiled or "C2" in place.compiled)
    is_sure = place.counter in ("int", "long") and not place.strips
    return by_c2 and (is_sure or (place.counter in COUNTERS and place.busy))


def cause(place: Place) -> str:
    """Why a thread in this place does not reach the safepoint.

    >>> cause(Place("Odd::count", kind="JIT compiled", counter="int")), cause(Place("Odd::sum", "updateBytesCRC32"))
    ('counted loop', 'stub')
    """
    unexplained = "quota" if place.throttled else "cpu" if place.starved else NOT_KNOWN
    return next((name for name, shows in CAUSES.items() if shows(place)), unexplained)


def late_stops(evidence: Evidence) -> pd.DataFrame:
    """One row per stop that waited long enough, the longest wait first, with the evidence of all witnesses."""
    late = evidence.stops[evidence.stops["waited_ms"] >= evidence.after_ms]
    rows, all_samples = [], _samples(evidence)
    for stop in late.loc[undisturbed_ms(late).sort_values(ascending=False).index].to_dict("records"):
        names, samples = (
            frame[(frame["pid"] == stop["pid"]) & (frame["stop"] == stop["stop"]).fillna(False)]
            for frame in (evidence.names, all_samples)
        )
        tid, thread, doubt = _late_thread(names, samples)
        unnamed = thread is None and evidence.names_threads
        if unnamed and evidence.vm_thread_queued(stop["pid"], pd.DataFrame([stop])) > VM_QUEUED:
            thread = NO_CPU
        own = samples[samples["tid"] == tid] if tid is not None else samples.iloc[:0]
        of_thread = [each.loc[each["tid"] == tid, "virtual"] for each in (own, names)] if tid is not None else []
        carried = [name for names_of in of_thread for name in names_of.dropna()]
        late_thread = {"thread": thread, "tid": tid, "where": _most_frequent(own), "samples": len(own), "doubt": doubt}
        late_thread |= {"virtual": carried[0] if carried else None, "time": _began(evidence, stop)}
        rows.append(stop | late_thread | {"witnesses": _listed({*names["witness"], *samples["witness"]})})
    return pd.DataFrame(rows, columns=STOPS).convert_dtypes()


def _began(evidence: Evidence, stop: dict[Any, Any]) -> Any:
    """The time of day; of a stop that is in no log, by its wait until the examination at the deadline."""
    examined_s = evidence.watch["examined_s"]
    if stop["over"] or pd.notna(stop["time"]) or not examined_s:
        return stop["time"]
    return pd.Timestamp(examined_s - stop["waited_ms"] / 1e3, unit="s", tz="UTC")


def _samples(evidence: Evidence) -> pd.DataFrame:
    """The samples, and for each whether its line is `exact`.

    That of the interpreter is, and so is that of code made since we attached: for async-profiler the JIT notes all
    lines. Code that was inlined belongs to the version of a caller, and which of them is not known.
    """

    def is_exact(row: dict[Any, Any]) -> bool:
        stack = row["stack"].split(";")[::-1]
        own = stack if row["kind"] == "Inlined" else stack[:1]
        return row["kind"] == "Interpreted" or bool(versions(evidence.folder, row["pid"], own))

    exact = [evidence.exact_lines or is_exact(row) for row in evidence.samples.to_dict("records")]
    return evidence.samples.assign(exact=pd.Series(exact, dtype="bool"))


def undisturbed_ms(stops: pd.DataFrame) -> pd.Series:
    """How long each stop waited besides the time for which we examined the JVM meanwhile."""
    return stops["waited_ms"] - stops["examined_ms"]


def _late_thread(names: pd.DataFrame, samples: pd.DataFrame) -> tuple[Any, Any, str]:
    """The late thread of one stop, and in what the witnesses differ about it.

    The JVM's own list comes first; among several threads of that list it is the one that was sampled most. Without a
    sample of any, several names are no answer, but a choice.
    """
    timeouts = names[(names["witness"] == "timeout") & names["tid"].notna()]
    seen = samples[samples["tid"].notna()]
    listed = timeouts.drop_duplicates("tid")
    among = seen[seen["tid"].isin(listed["tid"])] if len(listed) else seen
    if len(among):
        counts = among["tid"].value_counts()
        most = among[among["tid"] == counts.index[0]].iloc[0]
        others = listed.loc[listed["tid"] != most["tid"], "thread"].tolist()
        also = f"the JVM named {some(others, 3)} as well" if others else ""
        return most["tid"], most["thread"], also
    elsewhere = seen["thread"].drop_duplicates().tolist()
    doubt = f"the JVM names {some(listed['thread'], 3)}, but only {some(elsewhere, 3)} was sampled" if elsewhere else ""
    if len(listed) == 1:
        return listed.iloc[0]["tid"], listed.iloc[0]["thread"], doubt
    if len(listed):
        return None, f"one of {some(listed['thread'], 3)}", doubt
    if len(names) and names["tid"].nunique() == 1:
        return names.iloc[0]["tid"], names.iloc[0]["thread"], ""
    return None, None, ""


def _most_frequent(samples: pd.DataFrame) -> str:
    if samples.empty:
        return ""
    lines = samples["line"].where(samples["exact"]).map(lambda line: f":{line}" if pd.notna(line) else "")
    within = samples["within"].map(lambda name: f" in {name}" if pd.notna(name) else "")
    return str((samples["method"].fillna("?") + lines + within).mode().iloc[0])


def _listed(witnesses: set[str]) -> str:
    return ", ".join(sorted(witnesses, key=ORDER.index))


def culprits(evidence: Evidence, jdk: Jdk, classpath: Sequence[str], gc: str) -> pd.DataFrame:
    """One row per thread and method in which it was late, the worst first."""
    late = evidence.stops[evidence.stops["waited_ms"] >= evidence.after_ms]
    frame = _samples(evidence)
    frame = frame[frame["named"]]
    in_late_stop = frame.set_index(["pid", "stop"]).index.isin(late.set_index(["pid", "stop"]).index)
    frame["stop"] = frame["stop"].where(in_late_stop)
    frame = frame[in_late_stop | frame["witness"].eq("latency")]  # JFR's sampler waits for threads without a stop
    groups = frame.groupby(["pid", "tid", "thread", "method", "within"], dropna=False, sort=False)
    rows = [_culprit(evidence, jdk, classpath, gc, group) for _, group in groups]
    table = pd.DataFrame(rows, columns=CULPRITS)
    return table.sort_values(["samples", "worst_ms"], ascending=False, ignore_index=True).convert_dtypes()


def _culprit(evidence: Evidence, jdk: Jdk, classpath: Sequence[str], gc: str, group: pd.DataFrame) -> dict[str, Any]:
    """What the samples of one thread in one method say; the most frequent line stands for all of them."""
    lines = group["line"].dropna()
    line = int(lines.mode().iloc[0]) if len(lines) else None
    first = group[group["line"] == line].iloc[0] if line is not None else group.iloc[0]
    sample = {name: "" if pd.isna(value) else value for name, value in first.items()}
    pid, stops = int(sample["pid"]), group["stop"].dropna().unique()
    frames = list(zip(sample["stack"].split(";"), sample["lines"].split(";"), strict=False))[::-1]  # innermost first
    frames = [frame for frame in frames if not is_linker(frame[0])] or frames

    own_stops = evidence.stops[(evidence.stops["pid"] == pid) & evidence.stops["stop"].isin(stops)]
    # JFR's sampler may have begun to wait before a stop: what counts is the stop, if there was one
    worst_ms = max([*undisturbed_ms(own_stops)] or group["waited_ms"].dropna().tolist(), default=float("nan"))
    names = evidence.names
    own = (names["pid"] == pid) & (names["tid"] == first["tid"]) & names["stop"].isin(stops)
    doing = names[(names["witness"] == "kernel") & own.fillna(False)]["what"]
    in_stops = group[(group["witness"] == "ttsp") & group["stop"].notna()]
    is_stuck = group["witness"].eq("agent").any()  # it takes one sample, of a thread that is late for long
    together = max(in_stops["stop"].value_counts(), default=0)

    of_agent = names[(names["witness"] == "agent") & own.fillna(False)]["what"]
    asleep = len(doing) > 0 and doing.iloc[0].startswith(IDLE)

    methods, exact, found = [method for method, _ in frames], bool(first["exact"]), list[Loop]()
    if exact:
        loop, owner = loop_of_stack(jdk, classpath, frames, sample["bci"])
        found = [loop] if loop else []
    else:  # the loops around this line, and those of callers, are not the one that runs
        owner, found = methods[0], counted_loops(jdk, classpath, methods[0], line)
        loop = min(found, key=lambda each: COUNTERS.index(each.counter), default=None)
    with_loop = methods[methods.index(owner) :] if loop else methods  # what is inlined there has versions of its own
    compiled = versions(evidence.folder, pid, with_loop)
    if loop and owner != methods[0] and compiled and not compiled.endswith(")"):
        compiled += f" ({owner})"
    counts_longs = jdk.major >= COUNTED_LONGS
    place = Place(
        method=sample["method"] or "?",
        within=sample["within"],
        library=sample["library"],
        kind=sample["kind"],
        counter=loop.counter if loop and (loop.counter != "long" or counts_longs) else "",
        compiled=compiled,
        doing=str(doing.iloc[0]) if len(doing) else "",
        busy=bool(is_stuck or together >= BUSY_SAMPLES),
        throttled=evidence.throttled(pid),
        starved=evidence.starved(pid, own_stops),
        asleep_in_java=bool(asleep and of_agent.str.contains("_thread_in_java", case=False).any()),
        allocates=allocates_array(jdk, classpath, *frames[0]),
        in_own_loop=loop is not None and owner == methods[0],
        exact=exact,
        strips=jdk.major >= 10 and gc in STRIPPED,
        stack=sample["stack"],
    )
    why = cause(place)
    found = found if why in OF_LOOPS else []
    if why == PROBABLY:
        line, lines = None, lines.iloc[:0]
    if not exact:
        compiled = BEFORE if why == PROBABLY else f"{BEFORE}: its line may be that of the next poll or call"
    program = [(method, number) for method, number in frames if not LIBRARY.match(method)]
    called_from = next((frame for frame in program if frame != frames[0]), ())  # the program's own caller
    of_thread = names[(names["pid"] == pid) & (names["tid"] == first["tid"]).fillna(False)]["virtual"]
    carried = [*group["virtual"].dropna(), *of_thread.dropna()]
    where = "" if owner == place.method else f"in caller {owner}: "
    return {
        "thread": first["thread"], "virtual": carried[0] if carried else None, "tid": first["tid"],
        "method": place.method, "line": line, "within": place.within,
        "called_from": ":".join(filter(None, called_from)),
        "lines": ", ".join(f"{number} ({count})" for number, count in lines.value_counts().items()),
        "stops": group["stop"].nunique(), "worst_ms": worst_ms, "samples": len(group),
        "cause": why, "loop": "; or ".join(f"{where}{each}" for each in found),
        "calls": any(each.calls for each in found), "compiled": compiled,
        "doing": place.doing, "witnesses": _listed(set(group["witness"])), "pid": pid,
    }  # fmt: skip


def versions(folder: Path, pid: int, stack: Sequence[str]) -> str:
    """The compiled versions of the innermost method that was compiled by itself; those within it were inlined.

    Returns:
        "C1, C2 OSR at bci 37"; with the method's name if it is not the innermost; "" if nothing was compiled.
    """
    methods = compiled_methods(folder, pid)
    for depth, method in enumerate(stack):
        if own_versions := methods.get(method):
            best = [version for version in own_versions if version.startswith("C2")] or own_versions
            return ", ".join(dict.fromkeys(best)) + (f" ({method})" if depth else "")
    return ""


@lru_cache(maxsize=8)
def compiled_methods(folder: Path, pid: int) -> dict[str, list[str]]:
    """Each compiled method's versions, in the order of the log; native wrappers (tier 0) are none of the JIT's code.

    [4.068s][debug][jit,compilation]   73 %     4       Odd::count @ 4 (44 bytes)      9 and later
       4068   73 %     4       Odd::count @ 4 (44 bytes)                               8, in vm-pid<pid>.log

    The JIT prints a line when it begins, and for OSR the bytecode index at which running code may enter.
    """
    methods: dict[str, list[str]] = {}
    for file in (folder / f"compiled-{pid}.log", folder / f"vm-pid{pid}.log"):
        if not file.exists():
            continue
        try:
            lines = compilation.read(file)
        except ForeignLog:  # 8's own log before the JIT has made anything
            continue
        made = lines[(lines["event"] == "compiled") & lines["tier"].between(1, 4)]
        for method, tier, osr, bci in made[["method", "tier", "osr", "osr_bci"]].itertuples(index=False):
            version = "C2" if tier == 4 else "C1"
            methods.setdefault(method, []).append(f"{version} OSR at bci {bci}" if osr else version)
    return methods
