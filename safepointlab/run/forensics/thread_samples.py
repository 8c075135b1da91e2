"""Two snapshots of a process -> what each of its threads did in between: on a CPU, queued for one, and where.

Where it is natively, gdb tells, if there is one that may attach. It unwinds HotSpot's own frames, among them
"SafepointSynchronize::synchronize_threads" if the build kept its symbols. Of generated code it knows only the address,
which is enough to find the loop in the same run's assembly.

From /proc/<pid>/task/<tid>: `schedstat` ("1649394861 1174324440 2339": ns on a CPU, ns queued for one, time slices),
`stat` (the state), `comm` (the name, 15 characters of it), `syscall` ("running", or the number of the system call that
it is in) and `wchan` (the kernel function it sleeps in). A process that ends meanwhile has no threads; no error.
"""

import contextlib
import os
import re
import shutil
import signal
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from safepointlab.errors import LabError
from safepointlab.process import shell
from safepointlab.process.shell import Plan

FRAMES = 8
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
    begin_s, run_s, queued_s = time.monotonic(), {}, {}
    for tid in thread_ids(pid):
        numbers = [int(word) for word in _read(f"{pid}/task/{tid}/schedstat").split() if word.isdigit()]
        if len(numbers) >= 2 and numbers[0] > 0:
            run_s[tid], queued_s[tid] = numbers[0] / 1e9, numbers[1] / 1e9
        elif fields := _stat(pid, tid):
            run_s[tid] = (int(fields[11]) + int(fields[12])) / TICKS_PER_S  # utime, stime
    return Snapshot(begin_s, run_s, queued_s)


def between(pid: int, first: Snapshot, last: Snapshot) -> list[ThreadUse]:
    """What each thread did from one snapshot to the other, those that want the most CPU first."""
    percent = 100 / max(last.at - first.at, 1e-9)
    uses = []
    for tid, run_s in last.run_s.items():
        if tid in first.run_s:
            queued_percent = None
            if tid in last.queued_s:
                queued_percent = round(percent * (last.queued_s[tid] - first.queued_s.get(tid, 0.0)), 1)
            cpu_percent = round(percent * (run_s - first.run_s[tid]), 1)
            state = STATES.get((_stat(pid, tid) or ["X"])[0], "unknown")
            name = _read(f"{pid}/task/{tid}/comm").strip() or "?"
            uses.append(ThreadUse(name, tid, cpu_percent, queued_percent, state, where(pid, tid)))
    return sorted(uses, key=lambda use: use.wants_percent, reverse=True)


def thread_named(pid: int, name: str) -> int:
    """The native id of the first thread with this name; 0 if there is none."""
    return next((tid for tid in thread_ids(pid) if _read(f"{pid}/task/{tid}/comm").strip() == name), 0)


def page_faults(pid: int) -> dict[int, tuple[int, int]]:
    """The page faults of each thread so far: served from memory, and read from a disk (minflt, majflt)."""
    fields = {tid: _stat(pid, tid) for tid in thread_ids(pid)}
    return {tid: (int(stat[7]), int(stat[9])) for tid, stat in fields.items() if len(stat) > 9}


def where(pid: int, tid: int) -> str:
    """Where the thread is now: "user code", or what it waits for in the kernel; "" if the kernel does not tell us."""
    call = _read(f"{pid}/task/{tid}/syscall").split(" ")[0].strip()
    function = _read(f"{pid}/task/{tid}/wchan").strip()
    if call == "running":
        return "user code"
    return function if function not in ("", "0") else (f"system call {call}" if call else "")


def thread_ids(pid: int) -> list[int]:
    try:
        return sorted(int(entry.name) for entry in Path(f"/proc/{pid}/task").iterdir())
    except OSError:
        return []


def is_alive(pid: int) -> bool:
    """Whether the process still runs; a zombie does not, although it keeps its pid until its parent reaps it."""
    return (_stat(pid, pid) or ["X"])[0] not in ("Z", "X")


def catches(pid: int, signal_number: int) -> bool:
    """Whether the process handles this signal itself; one that it does not handle would in most cases kill it."""
    caught = re.search(r"^SigCgt:\s+(\w+)", _read(f"{pid}/status"), re.MULTILINE)
    return caught is not None and bool(int(caught[1], 16) >> (signal_number - 1) & 1)


def _stat(pid: int, tid: int) -> list[str]:
    """The fields of `stat` from the state on; the name before it may hold blanks and brackets."""
    return _read(f"{pid}/task/{tid}/stat").rpartition(")")[2].split()


def _read(file: str) -> str:
    try:
        return Path(f"/proc/{file}").read_text("utf-8", "replace")
    except OSError:
        return ""


@contextlib.contextmanager
def kept_running(pid: int) -> Iterator[None]:
    """Within the block a debugger may attach: one that is killed on its way leaves the process stopped for good.

    SIGCONT also takes back the SIGSTOPs that are still on their way. A process that was stopped before stays so.
    """
    stopped_before = _stat(pid, pid)[:1] == ["T"]
    try:
        yield
    finally:
        if not stopped_before:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGCONT)


def native_stacks(pid: int, threads: dict[int, str], bound: float) -> dict[str, list[str]]:
    """The innermost frames of the threads (tid -> name), by a gdb that may take `bound` seconds."""
    gdb = shutil.which("gdb")
    if not (gdb and threads):
        return {}
    quiet = ["-nx", "-batch", "-iex", "set auto-load no", "-iex", "set debuginfod enabled off"]
    command = [gdb, *quiet, "-p", str(pid), "-ex", f"thread apply all bt {FRAMES}"]
    folders = tempfile.TemporaryDirectory(prefix="safepointlab-")
    with contextlib.suppress(LabError, OSError), kept_running(pid), folders as folder:
        finished = shell.execute(Plan(command, folder=Path(folder), limit_mib=16), deadline=bound)
        # the executable mappings of its memory: 7f31c1000000-7f31c1270000 rwxp 00000000 00:00 0
        maps = re.findall(r"^([0-9a-f]+)-([0-9a-f]+) ..x\S* \S+ \S+ \S+ *(.*)", _read(f"{pid}/maps"), re.MULTILINE)
        return parse(finished.text(), threads, [(int(low, 16), int(high, 16), file) for low, high, file in maps])
    return {}


def parse(text: str, threads: dict[int, str], places: list[tuple[int, int, str]]) -> dict[str, list[str]]:
    """gdb's backtraces of these threads, the innermost frame first.

    `places` are the executable mappings of the process: from, to, and the file behind it ("" for generated code).

    >>> text = 'Thread 9 (LWP 7 "killer"):\\n#0  0x00007f31c1114739 in ?? ()\\n#1  0x0000000000000001 in ?? ()\\n'
    >>> parse(text, {7: "killer"}, [(0x7F31C1000000, 0x7F31C2000000, "")])
    {'killer': ['0x7f31c1114739 in code that the JVM made']}
    """
    stacks = {}
    for thread in re.split(r"^Thread \d+ ", text, flags=re.MULTILINE)[1:]:
        tid = re.match(r"\(.*?LWP (\d+)", thread)  # (LWP 7 "killer"): or (Thread 0x7f... (LWP 7) "killer"):
        if tid and int(tid[1]) in threads:
            frames = re.findall(r"^#\d+ +(?:0x([0-9a-f]+) in )?([\w:~<>?]+)", thread, re.MULTILINE)
            inner, name = frames[0] if frames else ("", "")
            address = int(inner or "0", 16)
            generated = any(low <= address < high and not file for low, high, file in places)
            if name == "??" and generated:  # gdb cannot unwind through it
                stacks[threads[int(tid[1])]] = [f"{address:#x} in code that the JVM made"]
            else:
                names = [name for _, name in frames if name != "??"]
                stacks[threads[int(tid[1])]] = names or [f"{address:#x}" for _ in frames[:1]]
    return stacks
