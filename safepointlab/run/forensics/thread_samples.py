"""Two snapshots of a process -> what each of its threads did in between: on a CPU, queued for one, and where.

From /proc/<pid>/task/<tid>: `schedstat` ("1649394861 1174324440 2339": ns on a CPU, ns queued for one, time slices),
`stat` (the state), `comm` (the name, 15 characters of it), `syscall` ("running", or the number of the system call that
it is in) and `wchan` (the kernel function it sleeps in). A process that ends meanwhile has no threads; no error.
"""

import os
import re
import time
from dataclasses import dataclass, replace
from pathlib import Path

TICKS_PER_S = os.sysconf("SC_CLK_TCK")
STATES = {"R": "running", "S": "sleeping", "D": "blocked", "T": "stopped", "t": "traced", "Z": "ended", "X": "ended"}

# HotSpot's own threads. Of a long name the kernel keeps 15 characters: "Signal Dispatch", on 28 "Signal ..atcher".
VM_THREAD = re.compile(
    "VM Thread|VM Peri|VM Operation|Signal (Dispatch|[.])|Service Thread|Attach Listener|Reference Handl|Referen[.][.]|"
    "Finalizer$|Common-Cleaner|Sweeper thread|Monitor( Deflat|[.][.])|Notific(ation Th|[.][.])|C[12] Comp|GC |G1 |"
    "Gang worker|ParGC|Concurrent Mark|[XZ](Worker|Director|Driver|Stat|Uncommit)|Shenandoah|StringDedup|JFR |LogAsync"
)


@dataclass(frozen=True)
class ThreadUse:
    """What one thread did between two snapshots; percentages are of the time between them."""

    thread: str
    tid: int
    cpu_percent: float
    queued_percent: float | None  # wanted a CPU and had none; None where the kernel does not count it
    state: str
    where: str  # "user code", or the function of the kernel that it sleeps in

    @property
    def wants_percent(self) -> float:
        """The CPU that it used or was queued for: about 100 for an endless loop, however crowded the machine is."""
        return self.cpu_percent + (self.queued_percent or 0.0)

    @property
    def of_the_vm(self) -> bool:
        """Whether it is one of HotSpot's own threads rather than the program's."""
        return VM_THREAD.match(self.thread) is not None


@dataclass(frozen=True)
class Snapshot:
    """The CPU time of each thread so far."""

    at: float
    run_s: dict[int, float]
    queued_s: dict[int, float]


def snapshot(pid: int) -> Snapshot:
    """The CPU times of all threads, now."""
    begin_s, run_s, queued_s = time.monotonic(), {}, {}
    for tid in thread_ids(pid):
        numbers = [int(word) for word in _read(pid, tid, "schedstat").split() if word.isdigit()]
        if len(numbers) >= 2 and numbers[0] > 0:
            run_s[tid], queued_s[tid] = numbers[0] / 1e9, numbers[1] / 1e9
        elif fields := _stat(pid, tid):
            run_s[tid] = (int(fields[11]) + int(fields[12])) / TICKS_PER_S  # utime, stime
    return Snapshot(begin_s, run_s, queued_s)


def between(pid: int, first: Snapshot, last: Snapshot) -> list[ThreadUse]:
    """What each thread did from one snapshot to the other, those that want the most CPU first."""
    span_s = max(last.at - first.at, 1e-9)
    uses = [_use(pid, tid, first, last, span_s) for tid in last.run_s if tid in first.run_s]
    return sorted(uses, key=lambda use: use.wants_percent, reverse=True)


def _use(pid: int, tid: int, first: Snapshot, last: Snapshot, span_s: float) -> ThreadUse:
    cpu_percent = round(100 * (last.run_s[tid] - first.run_s[tid]) / span_s, 1)
    queued_percent = None
    if tid in last.queued_s:
        queued_percent = round(100 * (last.queued_s[tid] - first.queued_s.get(tid, 0.0)) / span_s, 1)
    state = STATES.get((_stat(pid, tid) or ["X"])[0], "unknown")
    name = _read(pid, tid, "comm").strip() or "?"
    return ThreadUse(name, tid, cpu_percent, queued_percent, state, where(pid, tid))


def page_faults(pid: int) -> dict[int, tuple[int, int]]:
    """The page faults of each thread so far: served from memory, and read from a disk (minflt, majflt)."""
    fields = {tid: _stat(pid, tid) for tid in thread_ids(pid)}
    return {tid: (int(stat[7]), int(stat[9])) for tid, stat in fields.items() if len(stat) > 9}


def where(pid: int, tid: int) -> str:
    """Where the thread is now: "user code", or what it waits for in the kernel; "" if the kernel does not tell us."""
    call, function = _read(pid, tid, "syscall").split(" ")[0].strip(), _read(pid, tid, "wchan").strip()
    if call == "running":
        return "user code"
    return function if function not in ("", "0") else (f"system call {call}" if call else "")


def thread_ids(pid: int) -> list[int]:
    """The threads that the process has now; none if it is gone."""
    try:
        return sorted(int(entry.name) for entry in Path(f"/proc/{pid}/task").iterdir())
    except OSError:
        return []


def named(uses: list[ThreadUse], names: dict[int, str]) -> list[ThreadUse]:
    """The same threads under their full names, where these are known: the kernel keeps 15 characters."""
    return [replace(use, thread=names.get(use.tid, use.thread)) for use in uses]


def is_alive(pid: int) -> bool:
    """Whether the process still runs; a zombie does not, although it keeps its pid until its parent reaps it."""
    return (_stat(pid, pid) or ["X"])[0] not in ("Z", "X")


def catches(pid: int, signal_number: int) -> bool:
    """Whether the process handles this signal itself; one that it does not handle would in most cases kill it."""
    for line in _text(Path(f"/proc/{pid}/status")).splitlines():
        if line.startswith("SigCgt:"):
            return bool(int(line.split()[1], 16) >> (signal_number - 1) & 1)
    return False


def _stat(pid: int, tid: int) -> list[str]:
    """The fields of `stat` from the state on; the name before it may hold blanks and brackets."""
    return _read(pid, tid, "stat").rpartition(")")[2].split()


def _read(pid: int, tid: int, file: str) -> str:
    return _text(Path(f"/proc/{pid}/task/{tid}/{file}"))


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8", "replace")
    except OSError:
        return ""
