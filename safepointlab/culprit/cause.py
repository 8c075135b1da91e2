"""The evidence of one run -> who was late for each stop, and for each place of such a thread what kept it there.

A place is a thread in a method: its samples spread over the lines of a loop, and the most frequent line represents it.
What keeps a thread is one of

    counted loop   C2 removed the poll from a counted loop (G1, Z, Shenandoah on 10+: from its strips)
    stub           arraycopy, CRC32, fill, BigInteger: hand-written code that never polls, however long the array
    vm             the thread is inside the VM, e.g. zeroing a large new array
    pages          the thread waits for the kernel to provide a page of memory, in the middle of Java code
    cpu            the thread would reach the safepoint at once, but has no CPU to run on
    witness        the thread did JFR's own work, which this command switched on
    java           none of these, as far as the evidence goes

A counted loop has an int counter, a constant step, and a test against a loop invariant: C2 knows the number of its
iterations, and by default removes its poll (G1, Z and Shenandoah from 10 on keep one per 1000 iterations, JDK-8186027).
javap shows the shape of the loop; only its machine code shows what the JIT made of it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import pandas as pd

from safepointlab.culprit.evidence import Evidence
from safepointlab.culprit.watch import STUCK_S
from safepointlab.culprit.witness import INTERVAL_MS
from safepointlab.errors import ForeignLog, LabError
from safepointlab.jdks import Jdk
from safepointlab.logs import bytecode, compilation
from safepointlab.process import shell
from safepointlab.process.replay import answered

STOPS = ["pid", "stop", "at_s", "operation", "waited_ms", "over", "thread", "tid", "where", "samples", "witnesses"]
CULPRITS = [
    "thread", "tid", "method", "line", "within", "called_from", "lines", "stops", "worst_ms", "samples",
    "cause", "loop", "compiled", "doing", "witnesses", "pid",
]  # fmt: skip
ORDER = ("timeout", "ttsp", "latency", "agent", "native", "kernel")
LIBRARY = re.compile(r"(java|javax|jdk|sun|com\.sun)\.")
BUSY_MS = 5  # of CPU time; in code with polls these are microseconds apart
INLINED = 8  # callers that the innermost method may have been inlined into
STUB = re.compile(
    r"arraycopy|acl_Copy|_Copy_|memmove|memcpy|checkcast_|disjoint|_fill\b|jbyte_fill|CRC32|crc32|adler|sha\d|md5|aes|multiplyToLen|squareToLen|montgomery|"
    r"vectorizedMismatch|bigInteger|mulAdd|StubRoutines|stub",
    re.IGNORECASE,
)


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


def late_stops(evidence: Evidence) -> pd.DataFrame:
    """One row per stop that waited long enough, the longest wait first, with the evidence of all witnesses."""
    late = evidence.stops[evidence.stops["waited_ms"] >= evidence.after_ms]
    rows = []
    for stop in late.sort_values("waited_ms", ascending=False).to_dict("records"):
        names, samples = (
            frame[(frame["pid"] == stop["pid"]) & (frame["stop"] == stop["stop"]).fillna(False)]
            for frame in (evidence.names, evidence.samples)
        )
        tid, thread = _late_thread(names, samples)
        own = samples[samples["tid"] == tid] if tid is not None else samples
        jfr_note = "(JFR, which we have switched on)" if str(thread).startswith("JFR ") else ""
        late_thread = {"thread": thread, "tid": tid, "where": _most_frequent(own) or jfr_note, "samples": len(own)}
        rows.append(stop | late_thread | {"witnesses": _listed({*names["witness"], *samples["witness"]})})
    return pd.DataFrame(rows, columns=STOPS).convert_dtypes()


def _late_thread(names: pd.DataFrame, samples: pd.DataFrame) -> tuple[Any, Any]:
    """The late thread of one stop: the one that the JVM named, else the one that was seen most."""
    for frame in (names[names["witness"] == "timeout"], samples, names):
        identified = frame[frame["tid"].notna()]
        if len(identified):
            row = identified[identified["tid"] == identified["tid"].mode().iloc[0]].iloc[0]
            return row["tid"], row["thread"]
    return None, None


def _most_frequent(samples: pd.DataFrame) -> str:
    """The most frequent place, as Class::method:line."""
    if samples.empty:
        return ""
    lines = samples["line"].map(lambda line: f":{line}" if pd.notna(line) else "")
    within = samples["within"].map(lambda name: f" in {name}" if pd.notna(name) else "")
    return str((samples["method"].fillna("?") + lines + within).mode().iloc[0])


def _listed(witnesses: set[str]) -> str:
    return ", ".join(sorted(witnesses, key=ORDER.index))


def culprits(evidence: Evidence, jdk: Jdk, classpath: Sequence[str]) -> pd.DataFrame:
    """One row per thread and method in which it was late, the worst first."""
    late = evidence.stops[evidence.stops["waited_ms"] >= evidence.after_ms]
    frame = evidence.samples
    in_late_stop = frame.set_index(["pid", "stop"]).index.isin(late.set_index(["pid", "stop"]).index)
    waits_alone = evidence.unlogged and evidence.sample_ms == INTERVAL_MS  # then each sample is one of a wait
    frame = frame[in_late_stop | frame["witness"].eq("latency") | waits_alone]
    groups = frame.groupby(["pid", "tid", "thread", "method", "within"], dropna=False, sort=False)
    rows = [_culprit(evidence, jdk, classpath, group) for _, group in groups]
    table = pd.DataFrame(rows, columns=CULPRITS)
    return table.sort_values(["samples", "worst_ms"], ascending=False, ignore_index=True).convert_dtypes()


def _culprit(evidence: Evidence, jdk: Jdk, classpath: Sequence[str], group: pd.DataFrame) -> dict[str, Any]:
    """What the samples of one thread in one method say; the most frequent line stands for all of them."""
    lines = group["line"].dropna()
    line = int(lines.mode().iloc[0]) if len(lines) else None
    first = group[group["line"] == line].iloc[0] if line is not None else group.iloc[0]
    sample = {name: "" if pd.isna(value) else value for name, value in first.items()}
    pid, stops = int(sample["pid"]), group["stop"].dropna().unique()
    frames = list(zip(sample["stack"].split(";"), sample["lines"].split(";"), strict=False))[::-1]  # innermost first

    waited = evidence.stops[evidence.stops["pid"] == pid].set_index("stop")["waited_ms"]
    delayed = [float(waited[stop]) for stop in stops]  # JFR's own request waits in the same way, in no stop
    worst_ms = max(delayed + group["waited_ms"].dropna().tolist(), default=float("nan"))
    names = evidence.names
    own = (names["pid"] == pid) & (names["tid"] == first["tid"]) & names["stop"].isin(stops)
    doing = names[(names["witness"] == "kernel") & own.fillna(False)]["what"]
    in_stops = group[(group["witness"] == "ttsp") & group["stop"].notna()]
    busy_ms = max(in_stops["stop"].value_counts(), default=0) * evidence.sample_ms
    if group["witness"].eq("agent").any():  # it takes one sample, of a thread that is stuck
        busy_ms = int(STUCK_S * 1000)

    loop, owner = _loop_around(jdk, classpath, frames, sample)
    place = Place(
        method=sample["method"] or "?",
        within=sample["within"],
        kind=sample["kind"],
        counter=loop.counter if loop else "",
        doing=str(doing.iloc[0]) if len(doing) else "",
        busy=busy_ms >= BUSY_MS,
        stack=sample["stack"],
    )
    program = [(method, number) for method, number in frames if not LIBRARY.match(method)]
    in_library = bool(program) and program[0] != frames[0]
    return {
        "thread": first["thread"],
        "tid": first["tid"],
        "method": place.method,
        "line": line,
        "within": place.within,
        "called_from": ":".join(filter(None, program[0])) if in_library else "",
        "lines": ", ".join(f"{number} ({count})" for number, count in lines.value_counts().items()),
        "stops": pd.NA if evidence.unlogged else group["stop"].nunique(),
        "worst_ms": worst_ms,
        "samples": len(group),
        "cause": cause(place),
        "loop": "" if loop is None else str(loop) if owner == place.method else f"in caller {owner}: {loop}",
        "compiled": versions(evidence.folder, pid, [method for method, _ in frames]),
        "doing": place.doing,
        "witnesses": _listed(set(group["witness"])),
        "pid": pid,
    }


@dataclass(frozen=True)
class Loop:
    """The innermost loop around a place, and how many loops there are around it."""

    first_line: int | None
    last_line: int | None
    depth: int
    counter: str  # "int", "long", or "" if the bytecode shows no counter

    def __str__(self) -> str:
        lines = f"lines {self.first_line} to {self.last_line}" if self.first_line else "no line numbers"
        counters = {"int": "counted by an int", "long": "counted by a long"}
        kind = counters.get(self.counter, "not counted, as far as javap shows")
        return f"{kind}, {lines}" + (f", innermost of {self.depth}" if self.depth > 1 else "")


def _loop_around(
    jdk: Jdk, classpath: Sequence[str], frames: list[tuple[str, str]], sample: dict[Any, Any]
) -> tuple[Loop | None, str]:
    """The loop around the place, and the method that contains the loop: a caller, if the method was inlined."""
    for depth, (method, number) in enumerate(frames[: INLINED + 1]):
        bci = sample["bci"] if depth == 0 and sample["bci"] != "" else None
        line = int(number) if number.isdigit() else None
        if loop := loop_around(jdk, classpath, method, bci, line):
            return loop, method
        if sample["kind"] not in ("Inlined", "Native", "C++") and "::" in method:
            break
    return None, ""


def loop_around(
    jdk: Jdk, classpath: Sequence[str], method: str, bci: int | None = None, line: int | None = None
) -> Loop | None:
    """The loop around this bytecode, or else around this line; None if there is none, or the class cannot be read."""
    code = _bytecode(jdk, tuple(classpath), method.rpartition("::")[0])
    if code is None or (bci is None and line is None):
        return None
    for _, overload in code[code["method"] == method].groupby("parameters"):
        of_line = overload[overload["line"] == line]["bci"]
        if bci is None and of_line.empty:
            continue
        at = bci if bci is not None else int(of_line.iloc[-1])
        edges = bytecode.back_edges(overload)
        enclosing = edges[(edges["to_bci"] <= at) & (at <= edges["from_bci"])]
        if enclosing.empty:
            continue
        heads = enclosing.groupby("to_bci")["from_bci"].max()
        start = int(heads.index.max())
        body = overload[(overload["bci"] >= start) & (overload["bci"] <= heads[start])]
        lines = body["line"].dropna()
        first, last = (int(lines.min()), int(lines.max())) if len(lines) else (None, None)
        return Loop(first, last, len(heads), _counter(body))
    return None


@lru_cache(maxsize=64)
def _bytecode(jdk: Jdk, classpath: tuple[str, ...], name: str) -> pd.DataFrame | None:
    """The class's bytecode; None for hidden classes and those of other class loaders, which javap cannot read."""
    javap = jdk.tool("javap")
    if not javap or not re.fullmatch(r"[\w.$]+", name):
        return None
    try:
        command = [str(javap), "-c", "-l", "-p", "-cp", ":".join(classpath) or ".", name]
        text = answered("printed", " ".join(command), lambda: shell.output_of(command))
    except LabError:
        return None
    return bytecode.read(text.splitlines())


def _counter(body: pd.DataFrame) -> str:
    """The type of the loop's counter, by C2's rule as far as bytecode shows it."""
    opcodes = body["opcode"]
    if (opcodes == "iinc").any() and opcodes.str.match(r"if_icmp|if(lt|ge|gt|le|eq|ne)$").any():
        return "int"
    return "long" if opcodes.eq("lcmp").any() and opcodes.eq("ladd").any() else ""


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
