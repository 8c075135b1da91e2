"""A command that runs -> what its JVMs' logs name while it runs, and what is seen of their threads from outside.

A thread of ours reads the logs. When a JVM has named late threads, the kernel's counters of each are read; if the stop
takes seconds, the serviceability agent (`jhsdb jstack --pid`, 8: `jstack -F`) reads their stacks as well. It stops the
process, reads its memory by the VM's own description of it, and resumes it: it needs no answer of the JVM, and so works
where jstack and jcmd hang. In compiled code it knows the bytecode index of the nearest place with debug information.

Each JVM is also asked, by files of the kernel and its own counters, how it was started and how many CPUs its threads
want. A witness that disturbs the program is switched on only when a stop has been late without it (`later`). One that
still runs at the deadline, and is not stuck, gives two thread dumps; so does one that we attached to, unless waits for
its threads took most of its time.

With `every_ms` the thread also requests empty safepoints of the JVM at that interval, as a monitoring tool would: by
jcmd's Compiler.queue through the attach socket (8 has no such command: there a thread dump). A program with few
safepoints of its own would show no delays otherwise.
"""

import contextlib
import os
import re
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from safepointlab.culprit import attach_socket, started
from safepointlab.culprit.attach_socket import request
from safepointlab.culprit.hang import read_dump
from safepointlab.culprit.witness import NAMES_NO_NATIVE, WITNESSES, pids, stop_logs
from safepointlab.errors import LabError
from safepointlab.jdks import Jdk
from safepointlab.process import cgroups, descendants, recording, shell
from safepointlab.process.files import bounded_text
from safepointlab.run.forensics import late_threads, questions, thread_samples
from safepointlab.run.forensics.late_threads import NAMED, LateThread
from safepointlab.run.forensics.thread_samples import native_stacks

TICK_S = 0.05
SAMPLE_S = 0.04
MANY_PAGES = 1000  # within a sample; a new page of 4 KiB costs about a microsecond or two, most of it zeroing
UNLOGGED_S = 1.0  # between two looks at all processes, which take some 5 ms each
STUCK_S = 5.0  # a stop that takes longer is examined although that makes it longer still
TIMES_ASKED = 3  # the agent, of a stop that goes on: each holds the JVM up for some seconds
AGENT_S = 20.0  # the agent starts a JVM, reads all of ours, and on a crowded machine waits for a CPU as well
OPEN_S, DUMP_S = 10.0, 10.0  # a JVM with more threads than cores takes its time
BETWEEN_DUMPS_S = 0.5
MOST_BYTES = 2_000_000  # of a dump
COUNT_S, FAST_THREADS = 1.0, 200  # how often the threads' CPU times are read, and of how many threads so often
LATE_STATES = ("_thread_in_java", "_thread_in_Java", "_thread_in_vm")  # in which a thread delays a stop
CARRYING = "Carrying virtual thread #"
IDLE = "sleeping, with"  # what `describe` says of a thread that is not late by its own work
ORDINARY = re.compile(r"futex|hrtimer_nanosleep|user code|system call|do_exit")
FILE = "watch.json"

# The line that says that a stop is over, and how long the VM had waited for the last thread:
#   4.184: EnableBiasedLocking       [     8     1     1    ]      [   509     2   511     0     0    ]  1      (8, ms)
#   Total time for which application threads were stopped: 0.5118 seconds, Stopping threads took: 0.5116 seconds
#   Safepoint "Cleanup", Time since last: 1085008548 ns, Reaching safepoint: 102022 ns, ...
EVENT = re.compile(
    rf"(?P<named>{NAMED})|^[\d.]+: .*\[ *\d+ +\d+ +\d+ *\] +\[ *\d+ +\d+ +(?P<ms>\d+) |"
    r"Stopping threads took: (?P<s>[\d.]+) s|Reaching safepoint: *(?P<ns>\d+) ns",
    re.MULTILINE,
)
# '"killer" #13 daemon prio=5 tid=0x00007f53ac13ab40 nid=13409 runnable', on 8 'Thread 13033: (state = IN_JAVA)'
THREAD = re.compile(r'^(?:".*" #.* nid=(?P<nid>0x[0-9a-f]+|\d+) |Thread (?P<tid>\d+): )', re.MULTILINE)
# ' - KillerTask.countOdds(int) @bci=18, line=49 (Compiled frame; information may be imprecise)'
FRAME = re.compile(r"^ - ([\w.$<>/+]+)\.([\w$<>]+)\(.*?\) @bci=(-?\d+)(?:, line=(\d+))?.*?\((\w+) frame", re.MULTILINE)

# #22 "order-42" virtual RUNNABLE 2026-11-28T00:34:02.353323853Z      on 21 without the words behind "virtual"
VIRTUAL = re.compile(r'^#(\d+) "(.+)" virtual\b', re.MULTILINE)
STATE = re.compile(r"\(state = (\w+)\)|JavaThread state: (\w+)")

Frame = tuple[str, int, int | None, str]  # method, bci, line, kind: Compiled or Interpreted


@dataclass
class Journal:
    """One JVM's logs, read as they grow: is it waiting for threads that it has named?

    `named` counts the stops in which late threads were named, `over` those of them that have ended. From 9 to 16 names
    and ends are in two files, so that only their counts can be compared; an end counts if the stop waited long enough.
    """

    files: list[Path]
    after_ms: int
    named: int = 0
    over: int = 0
    late: int = 0  # stops that waited long enough
    carriers: bool = False  # whether a late thread carries a virtual one
    read: dict[Path, int] = field(default_factory=dict)

    @property
    def waiting(self) -> int:
        """The number of the stop that is under way; 0 if none is, or no thread was named yet."""
        for file in self.files:
            text = self._new_lines(file)
            self.carriers |= CARRYING in text
            for event in EVENT.finditer(text):
                waited_ms = float(event["ms"] or 0) + 1e3 * float(event["s"] or 0) + 1e-6 * float(event["ns"] or 0)
                self.late += bool(event["named"]) or waited_ms >= self.after_ms
                if event["named"]:
                    self.named += 1
                elif len(self.files) == 1:
                    self.over = self.named
                elif waited_ms >= 0.98 * self.after_ms:
                    self.over += 1
        self.over = min(self.over, self.named)  # the last thread may come just before it would have been named
        return self.named if self.named > self.over else 0

    def _new_lines(self, file: Path) -> str:
        """The text that was written since the last call, up to the last whole line."""
        with contextlib.suppress(OSError), file.open("rb") as log:
            log.seek(self.read.get(file, 0))
            lines = log.read().rpartition(b"\n")
            self.read[file] = self.read.get(file, 0) + len(lines[0]) + len(lines[1])
            return lines[0].decode("utf-8", "replace") + "\n"
        return ""


class Watch:
    """Observes the JVMs of one command, from `with` to its end. `later` are witnesses to be switched on when needed."""

    def __init__(
        self, folder: Path, jdk: Jdk, witnesses: list[str], after_ms: int, every_ms: int = 0, later: Iterable[str] = ()
    ) -> None:
        self.folder, self.jdk, self.witnesses = folder, jdk, witnesses
        self.after_ms, self.every_ms, self.later = after_ms, every_ms, list(later)
        self.sightings: list[dict[str, Any]] = []  # what a witness from outside observed of a late thread
        self.requests: dict[int, int] = {}
        self.seen: dict[int, dict[str, Any]] = {}  # what /proc tells of each JVM's start, see `started`
        self.waited_s: dict[int, tuple[int, float]] = {}  # the last late stop before the examination, and its length
        self.unlogged: dict[int, dict[str, Any]] = {}  # JVMs that were started while none had a log of ours
        self.demand: dict[int, Demand] = {}
        self.switched_on: dict[int, dict[str, Any]] = {}  # when each late witness was switched on, or why it was not
        self.hangs: dict[int, dict[str, Any]] = {}
        self.waits: dict[int, list[tuple[float, float]]] = {}  # of a JVM that we attached to, see `Counters`
        self.virtual: dict[int, dict[str, str]] = {}  # the names of virtual threads, by their Thread.threadId
        self.examined_s: float | None = None  # when: what the JVMs did from then on is the examination's doing
        self.examinations: list[tuple[int, str, float, float]] = []  # pid, by whom, begin, end: these delay a stop
        self._journals: dict[int, Journal] = {}
        self._since: dict[tuple[int, int], float] = {}
        self._examined: set[tuple[int, int, str]] = set()
        self._closing = False
        self._done, self._lock = threading.Event(), threading.Lock()
        self._thread = threading.Thread(target=self._run, name="late-watch", daemon=True)

    def __enter__(self) -> "Watch":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join(AGENT_S + 5)
        recording.write_json(self.folder / FILE, self.to_dict())
        for pid in [pid for pid in self._journals if not thread_samples.is_alive(pid)]:
            questions.clean_up(pid)  # a JVM that was killed leaves its socket behind

    def to_dict(self) -> dict[str, Any]:
        return {
            "sightings": self.sightings,
            "asked": self.requests,
            "started": {pid: asdict(started.started(self.folder, pid, seen)) for pid, seen in self.seen.items()},
            "unlogged": self.unlogged,
            "waited_s": {pid: length for pid, (stop, length) in self.waited_s.items() if self._goes_on(pid, stop)},
            "demand": {pid: demand.rows for pid, demand in self.demand.items()},
            "quota": {pid: demand.cut_short for pid, demand in self.demand.items()},
            "vm_waits": {pid: demand.vm_waits for pid, demand in self.demand.items()},
            "switched_on": self.switched_on,
            "hangs": self.hangs,
            "waits": self.waits,
            "virtual": self.virtual,
            "examined_s": self.examined_s,
            "examinations": self.examinations,
        }

    def stuck(self) -> list[int]:
        """The JVMs that are now waiting for threads that they have named."""
        with self._lock:
            return [pid for pid in pids(self.folder) if thread_samples.is_alive(pid) and self._journal(pid).waiting]

    def examine(self, *unlogged: int) -> list[int]:
        """Ask all witnesses about all JVMs that are stuck now, however short a time; returns those JVMs.

        Those that are not stuck are asked for what their threads do, and so are those that have no log, as 8.
        """
        stuck, self.examined_s = self.stuck(), time.time()
        for pid in stuck:
            self._observe(pid, patience=0)
        self._closing = True  # the time of the examination is not the program's wait
        for pid in dict.fromkeys([*pids(self.folder), *unlogged]):
            if pid not in stuck and thread_samples.is_alive(pid):
                self.hangs[pid] = look(pid)
                if any(CARRYING in dump for dump in self.hangs[pid]["dumps"]):
                    self._name_virtual_threads(pid)
        return stuck

    def _run(self) -> None:
        next_s = time.monotonic() + UNLOGGED_S
        while not self._done.wait(TICK_S):
            logged = pids(self.folder)
            if not logged and time.monotonic() > next_s:
                self._look_for_others()
                next_s = time.monotonic() + UNLOGGED_S
            for pid in logged:
                if pid not in self.seen:
                    attach_socket.remove_if_killed(pid)
                if not self.seen.get(pid):
                    self.seen[pid] = {}
                    with contextlib.suppress(OSError):
                        self.seen[pid] = started.seen_of(pid, self.jdk)
                if self.every_ms and pid not in self.requests:
                    self.requests[pid] = 0
                    self._apart(
                        "ask", self._request_stops, pid
                    )  # while it cannot reach a safepoint, it does not answer
                self.demand.setdefault(pid, Demand(pid)).look()
                self._observe(pid, STUCK_S)
                journal = self._journal(pid)
                if journal.carriers and pid not in self.virtual:
                    self.virtual[pid] = {}
                    self._apart("virtual", self._ask_for_virtual_threads, pid)
                if self.later and journal.late and "ttsp" not in self.witnesses and pid not in self.switched_on:
                    self.switched_on[pid] = {}
                    self._apart("switch", self._switch_on, pid)

    def _apart(self, name: str, target: Callable[[int], None], pid: int) -> None:
        threading.Thread(target=target, args=(pid,), name=f"late-{name}-{pid}", daemon=True).start()

    def _switch_on(self, pid: int) -> None:
        for name in self.later:
            why_not = "the JVM did not open its attach socket"
            if attach_socket.open_for(pid, OPEN_S):
                why_not = attach_socket.ask(pid, *WITNESSES[name].on(self.jdk, str(self.folder), self.after_ms, pid))
            self.switched_on[pid][name] = why_not or time.time()

    def _ask_for_virtual_threads(self, pid: int) -> None:
        """Ask until it answers, which it does between two stops, and the next may begin before it does."""
        while not (self.virtual[pid] or self._done.is_set()) and thread_samples.is_alive(pid):
            self._name_virtual_threads(pid)
            self._done.wait(TICK_S)

    def _name_virtual_threads(self, pid: int) -> None:
        """The names of the virtual threads, which only this dump knows; all others give their numbers."""
        file = self.folder / f"virtual-{pid}.txt"
        with contextlib.suppress(OSError):
            if attach_socket.open_for(pid, OPEN_S):
                request(pid, "jcmd", f"Thread.dump_to_file -overwrite {file}", patience_s=DUMP_S)
                self.virtual[pid] = dict(VIRTUAL.findall(bounded_text(file, MOST_BYTES)))

    def _look_for_others(self) -> None:
        """JVMs below this process that write no log for us, and whether our flags are in their environment."""
        for pid, name in descendants.below(os.getpid()).items():
            with contextlib.suppress(OSError, LabError):
                process = started.PROC / str(pid)
                if name == "java" and (library := started.libjvm(process)):
                    jdk = started.jdk_around(library)
                    has_flags = str(self.folder).encode() in (process / "environ").read_bytes()
                    self.unlogged[pid] = {"jdk": jdk.label if jdk else "", "has_flags": has_flags}

    def _request_stops(self, pid: int) -> None:
        question = ("threaddump",) if self.jdk.major < 9 else ("jcmd", "Compiler.queue")
        while not self._done.wait(self.every_ms / 1000) and thread_samples.is_alive(pid):
            with contextlib.suppress(OSError):
                request(pid, *question)
                self.requests[pid] += 1

    def _journal(self, pid: int) -> Journal:
        journal = self._journals.setdefault(pid, Journal([], self.after_ms))
        journal.files = stop_logs(self.folder, pid)
        return journal

    def _goes_on(self, pid: int, stop: int) -> bool:
        return self._journal(pid).waiting == stop

    def _observe(self, pid: int, patience: float) -> None:
        """Ask the kernel about the threads of a stop that goes on, and the agent if it has for `patience` seconds."""
        with self._lock:
            stop = self._journal(pid).waiting
            if not stop or not thread_samples.is_alive(pid):
                return
            waited_s = time.monotonic() - self._since.setdefault((pid, stop), time.monotonic())
            if not self._closing:
                self.waited_s[pid] = (stop, waited_s)
            for witness, ask in (("kernel", self._ask_kernel), ("agent", self._ask_agent)):
                due = witness == "kernel" or waited_s >= patience
                if due and witness in self.witnesses and (pid, stop, witness) not in self._examined:
                    self._examined.add((pid, stop, witness))
                    ask(pid, stop, late_threads.named_last(self.folder, stop_logs(self.folder, pid)))

    def _ask_kernel(self, pid: int, stop: int, late: list[LateThread]) -> None:
        first, faults = thread_samples.snapshot(pid), thread_samples.page_faults(pid)
        time.sleep(SAMPLE_S)
        uses = {use.tid: use for use in thread_samples.between(pid, first, thread_samples.snapshot(pid))}
        later_faults = thread_samples.page_faults(pid)
        if not self._goes_on(pid, stop):
            return  # the thread reached the safepoint in the meantime: what we saw is not what delayed it
        for thread in late:
            if (use := uses.get(thread.tid)) and thread.tid in later_faults and thread.tid in faults:
                pairs = zip(later_faults[thread.tid], faults[thread.tid], strict=True)
                minor, major = (now - then for now, then in pairs)
                text = describe(use, minor, major)
                if text:
                    self._note("kernel", pid, stop, thread, text)
                if text.startswith(IDLE) and "agent" in self.witnesses and self._jdk_of(pid).major >= NAMES_NO_NATIVE:
                    self._ask_about_sleeper(pid, stop, thread)

    def _ask_about_sleeper(self, pid: int, stop: int, thread: LateThread) -> None:
        """Ask once about a late thread that no profiler samples since it uses no CPU, however short the stop.

        The agent tells its state, but has no frames of a thread that is in a native function "in Java". A thread dump
        has: the thread is in it where it comes from, at its first poll behind such a call, which may be the next one.
        """
        if (pid, 0, "agent") not in self._examined:
            self._examined |= {(pid, 0, "agent"), (pid, stop, "agent")}
            self._apart("dump", lambda pid: self._ask_for_dump(pid, stop, thread), pid)
            self._ask_agent(pid, stop, [thread], states=LATE_STATES)

    def _ask_for_dump(self, pid: int, stop: int, thread: LateThread) -> None:
        with contextlib.suppress(OSError):
            if not attach_socket.open_for(pid, OPEN_S):
                return
            with self._examining(pid, "dump"):
                text = request(pid, "threaddump", patience_s=DUMP_S)[:MOST_BYTES].decode("utf-8", "replace")
            dumped = next((each for each in read_dump(text) if each.tid == thread.tid), None)
            frames = tuple(
                ("::".join(method.rsplit(".", 1)), -1, int(line.rpartition(":")[2]), "JIT compiled")
                for method, line in (dumped.frames if dumped else ())
                if line.rpartition(":")[2].isdigit()
            )
            self._note("dump", pid, stop, thread, f"{len(frames)} Java frames at its next poll", frames)

    def _ask_agent(self, pid: int, stop: int, late: list[LateThread], states: tuple[str, ...] = ()) -> None:
        """Record the agent's stack, and the native one if there is a gdb, which knows the VM's own functions.

        `states` are those in which a thread delays a stop, if that is not known otherwise. The agent has no frames of a
        thread that is in a stub, such as that of Math.sin, which may be over the next time.
        """
        with self._examining(pid, "agent"):
            for _ in range(1 if states else TIMES_ASKED):
                stacks, state_of, problem = agent_stacks(pid, self._jdk_of(pid))
                if problem or all(stacks.get(thread.tid) for thread in late) or not self._goes_on(pid, stop):
                    break
            native = native_stacks(pid, {thread.tid: thread.thread for thread in late}, 2.0)
        for thread in late:
            frames, state = stacks.get(thread.tid, ()), state_of.get(thread.tid, "")
            if states and state not in states:
                continue
            statement = problem or (f"{len(frames)} Java frames" if frames else "no Java frame")
            self._note("agent", pid, stop, thread, f"{statement}{state and f', {state}'}", frames)
            if thread.thread in native:
                self._note("native", pid, stop, thread, " < ".join(native[thread.thread]))

    @contextlib.contextmanager
    def _examining(self, pid: int, witness: str) -> Iterator[None]:
        """Note when a witness held up the JVM, or requested a stop of it."""
        begin_s = time.time()
        try:
            yield
        finally:
            self.examinations.append((pid, witness, begin_s, time.time()))

    def _jdk_of(self, pid: int) -> Jdk:
        """Its own JDK: a script may start another than we took for the likeliest."""
        seen = self.seen.get(pid) or {"home": self.jdk.home, "major": self.jdk.major, "version": self.jdk.version}
        return Jdk(Path(seen["home"]), seen["major"], seen["version"], "", "")

    def _note(
        self, witness: str, pid: int, stop: int, thread: LateThread, text: str, frames: tuple[Frame, ...] = ()
    ) -> None:
        """Keep what a witness saw; `stop` is that of the stops in which this JVM named late threads, from 1."""
        seen = {"witness": witness, "pid": pid, "tid": thread.tid, "thread": thread.thread}
        self.sightings.append({**seen, "stop": stop, "text": text, "frames": frames})


@dataclass
class Demand:
    """How many CPUs one JVM's threads wanted and got, second by second: [time, wanted, got, the VM thread's queue].

    `cut_short` is what `cgroups.throttled` counted since the first look, `vm_waits` when the VM thread was seen to
    wait, and in which function of the kernel, but for the locks and the sleep by which it waits for work or threads.
    """

    pid: int
    rows: list[list[float]] = field(default_factory=list)
    last: thread_samples.Snapshot | None = None
    vm_thread: int = 0
    at_first: tuple[int, int, float] = (0, 0, 0.0)
    cut_short: list[float] = field(default_factory=list)
    vm_waits: list[tuple[float, str]] = field(default_factory=list)

    def look(self) -> None:
        """Note what the VM thread waits for, and add a row, if it is time for one."""
        waits_in = thread_samples.where(self.pid, self.vm_thread) if self.vm_thread else ""
        if waits_in and not ORDINARY.match(waits_in):
            self.vm_waits.append((time.time(), waits_in))
        now = time.monotonic()
        if self.last and now < self.last.at + COUNT_S * max(1.0, len(self.last.run_s) / FAST_THREADS):
            return
        snapshot, before = thread_samples.snapshot(self.pid), self.last
        self.last = snapshot
        quota = cgroups.throttled(self.pid)
        self.at_first = self.at_first if before else quota
        self.cut_short = [count - first for count, first in zip(quota, self.at_first, strict=True)]
        self.vm_thread = self.vm_thread or thread_samples.thread_named(self.pid, "VM Thread")
        if before and snapshot.at > before.at:
            passed_s = snapshot.at - before.at
            both = snapshot.run_s.keys() & before.run_s.keys()
            got = sum(snapshot.run_s[tid] - before.run_s[tid] for tid in both) / passed_s
            queued = {tid: snapshot.queued_s.get(tid, 0.0) - before.queued_s.get(tid, 0.0) for tid in both}
            wanted = got + sum(queued.values()) / passed_s
            vm_queued = queued.get(self.vm_thread, 0.0) / passed_s
            self.rows.append([round(number, 3) for number in (time.time(), wanted, got, vm_queued)])


def look(pid: int) -> dict[str, Any]:
    """Two thread dumps of a JVM that answers, and the CPU that each thread wanted in between, by native id."""
    first, dumps = thread_samples.snapshot(pid), list[str]()
    if not attach_socket.open_for(pid, OPEN_S):
        return {"dumps": dumps, "wants": {}, "names": {}}
    with contextlib.suppress(OSError):
        for pause_s in (BETWEEN_DUMPS_S, 0.0):
            answer = request(pid, "threaddump", "-l", patience_s=DUMP_S)[:MOST_BYTES]
            dumps.append(answer.decode("utf-8", "replace"))
            time.sleep(pause_s)
    uses = thread_samples.between(pid, first, thread_samples.snapshot(pid))
    return {
        "dumps": dumps,
        "wants": {use.tid: use.wants_percent for use in uses},
        "names": {use.tid: use.thread for use in uses if use.of_the_vm},
    }


def describe(use: thread_samples.ThreadUse, minor: int, major: int) -> str:
    """What a late thread does, by the kernel's counters; "" of one that runs, but of whose time nothing was counted.

    The kernel adds up a thread's time at its clock's ticks, and on a busy machine none may fall into the sample.

    >>> describe(thread_samples.ThreadUse("main", 7, 99.0, 0.0, "running", "user code"), 3, 0)
    'on a CPU, 99 % of the 40 ms in which we looked'
    """
    sample = f"{SAMPLE_S * 1000:.0f} ms"
    if minor > MANY_PAGES or major:
        return f"takes page faults: {minor + major} in {sample}, {major} of them read from a disk"
    if (use.queued_percent or 0) > 50:
        return f"waits for a CPU, {min(use.queued_percent or 0, 100):.0f} % of the {sample} in which we looked"
    if use.cpu_percent > 10:
        return f"on a CPU, {min(use.cpu_percent, 100):.0f} % of the {sample} in which we looked"
    if use.state == "running":
        return ""
    return f"{use.state}, with {use.cpu_percent:.0f} % of a CPU: {use.where or 'unknown'}"


def agent_stacks(pid: int, jdk: Jdk) -> tuple[dict[int, tuple[Frame, ...]], dict[int, str], str]:
    """The Java stacks of a JVM and its threads' states by native thread id, and "" or why there are none."""
    words = ["jstack", "-F", str(pid)] if jdk.major < 9 else ["jhsdb", "jstack", "--pid", str(pid)]
    tool = jdk.tool(words[0])
    if not tool:
        return {}, {}, f"{jdk.label} has no {words[0]}: a JRE brings no tools"
    try:
        with thread_samples.kept_running(pid), tempfile.TemporaryDirectory(prefix="safepointlab-") as folder:
            plan = shell.Plan([str(tool), *words[1:]], folder=Path(folder), limit_mib=16)
            finished = shell.execute(plan, deadline=AGENT_S)
            output = finished.text() + bounded_text(finished.stderr)
    except (LabError, OSError) as error:
        return {}, {}, str(error).partition("\n")[0]
    if frames := parse_stacks(output):
        return frames, parse_states(output), ""
    return {}, {}, f"{' '.join(words[:2])}: {questions.gist(output, answered=False) or finished.outcome}"


def parse_stacks(text: str) -> dict[int, tuple[Frame, ...]]:
    """The Java frames of each thread in the agent's output, by its native id, the innermost first.

    >>> parse_stacks("Thread 7: (state = IN_JAVA)\\n - Odd.count(int) @bci=18, line=49 (Compiled frame; ...)\\n")
    {7: (('Odd::count', 18, 49, 'Compiled'),)}
    >>> parse_stacks("Attaching to process ID 7, please wait...")
    {}
    """
    return {
        tid: tuple(
            (f"{owner}::{name}", int(bci), int(line) if line else None, kind)
            for owner, name, bci, line, kind in FRAME.findall(own)
        )
        for tid, own in _threads_in(text)
    }


def parse_states(text: str) -> dict[int, str]:
    """The state of each thread in the agent's output, by its native id: IN_NATIVE on 8, later _thread_in_native.

    >>> parse_states("Thread 7: (state = IN_NATIVE)\\n - Odd.count(int) @bci=18, line=49 (Interpreted frame)\\n")
    {7: 'IN_NATIVE'}
    """
    return {tid: match[1] or match[2] for tid, own in _threads_in(text) if (match := STATE.search(own))}


def _threads_in(text: str) -> list[tuple[int, str]]:
    """The parts of the agent's output about one thread each, and its native id."""
    heads = list(THREAD.finditer(text))
    ends = [*(head.start() for head in heads[1:]), len(text)]
    return [
        (int(head["tid"] or head["nid"], 0), text[head.start() : end]) for head, end in zip(heads, ends, strict=False)
    ]
