"""Two thread dumps of a program that still runs at its deadline, and its threads' CPU -> what it does, in a sentence.

Such a JVM reaches its stops, so the thread dump that it answers with is the evidence: a Java-level deadlock, a class
that waits for its own initialisation, a thread that spins, a lock that one thread holds while others wait for it, or
nobody who does anything. The dumps are half a second apart: a thread in the same line of both, and on a CPU all the
time between, spins there.

A virtual thread has no entry of its own, only its carrier has. On 25 and later that entry has the stack of the virtual
thread as well; on 21 it has not.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

BUSY_PERCENT = 60
HEAD = re.compile(r'^"(?P<name>.*)" #\d+ (?P<rest>.*)', re.MULTILINE)
NATIVE_ID = re.compile(r"\bnid=(0x[0-9a-f]+|\d+)|^\[(\d+)\]")
# "	at java.lang.Thread.run(java.base@17.0.15/Thread.java:840)"
FRAME = re.compile(r"^\s+at ([\w.$<>/+-]+)\.([\w$<>]+)\((?:\S+/)?(.*)\)", re.MULTILINE)
CARRYING = re.compile(r"^ +Carrying virtual thread #(\d+)", re.MULTILINE)
INITIALISED = re.compile(r"waiting on the Class initialization monitor for ([\w.$]+)")
DEADLOCKED = re.compile(r"^Found (?:one|\d+) Java-level deadlocks?:\n=+\n(.*?)\n\nJava stack", re.MULTILINE | re.DOTALL)
WANTED = re.compile(r"- (?:waiting to lock|waiting to re-lock in wait\(\)|parking to wait for) +<(\w+)>")
LOCKED = re.compile(r"^\s+- (?:locked )?<(\w+)>", re.MULTILINE)
RELEASED = re.compile(r"- waiting (?:on|to re-lock in wait\(\)) <(\w+)>")  # javaVFrame::print_lock_info_on
LIBRARY = re.compile(r"(?:java|javax|jdk|sun|com\.sun)\.")
SPINNING, DEADLOCK, INITIALISER = "spinning", "deadlock", "deadlock in a static initialiser"
MOST = 3  # threads that a sentence names


@dataclass(frozen=True)
class DumpedThread:
    """One thread of a thread dump, its innermost frame first: (Class.method, File.java:7)."""

    name: str
    tid: int
    head: str
    text: str
    frames: tuple[tuple[str, str], ...]  # of a carrier those of its virtual thread, if the dump has them
    carries: str = ""  # the number of that virtual thread
    holds: frozenset[str] = frozenset()  # the addresses of the locks that it holds

    @property
    def state(self) -> str:
        """RUNNABLE, WAITING, ...; "" of a thread of the VM's own."""
        match = re.search(r"java\.lang\.Thread\.State: (\w+)", self.text)
        return match[1] if match else ""

    @property
    def place(self) -> str:
        """Where it is: "Odd.count (Odd.java:7)", or in a method of the JDK's, and the program's line that called it."""
        if not self.frames:
            return "code that this JDK's thread dump does not show" if self.carries else "no Java frame"
        inner = f"{self.frames[0][0]} ({self.frames[0][1]})"
        own = next((frame for frame in self.frames if not LIBRARY.match(frame[0])), None)
        return inner if own in (None, self.frames[0]) else f"{inner}, called from {own[0]} ({own[1]})"

    @property
    def wants(self) -> str:
        """The address of the lock that it waits for, "" if it waits for none; no thread holds a condition."""
        match = WANTED.search(self.text)
        return match[1] if match else ""

    @property
    def initialises(self) -> list[str]:
        return [method.rpartition(".")[0] for method, _ in self.frames if method.endswith(".<clinit>")]

    @property
    def waits_for_class(self) -> str:
        """The class that it waits for, "?" if the dump does not say which (8), "" if it waits for none.

        8 prints only that a runnable thread is in Object.wait() although its topmost frame is not that method.
        """
        if match := INITIALISED.search(self.text):
            return match[1]
        odd = "in Object.wait()" in self.head and self.state == "RUNNABLE" and self.frames
        return "?" if odd and self.frames[0][0] != "java.lang.Object.wait" else ""


def read_dump(text: str) -> list[DumpedThread]:
    """The threads of one dump.

    >>> thread = read_dump('"a" #8 prio=5 tid=0x7 nid=0x10 runnable [0x0]\\n\\tat Odd.count(Odd.java:7)\\n')[0]
    >>> thread.name, thread.tid, thread.place
    ('a', 16, 'Odd.count (Odd.java:7)')
    """
    heads, threads = list(HEAD.finditer(text)), []
    for head, end in zip(heads, [*(each.start() for each in heads[1:]), len(text)], strict=False):
        own, synchronizers, *_ = [*text[head.start() : end].split("\n\n", 2), "", ""]  # these with the option -l
        number = NATIVE_ID.search(head["rest"])
        carrying = CARRYING.search(own)
        shown = own.partition("Mounted virtual thread")[2] if carrying else own
        frames = tuple((f"{owner}.{method}", line) for owner, method, line in FRAME.findall(shown))
        tid = int(number[1] or number[2], 0) if number else 0
        holds = frozenset(LOCKED.findall(f"{own}\n{synchronizers}")).difference(RELEASED.findall(own))
        threads.append(DumpedThread(head["name"], tid, head[0], own, frames, carrying[1] if carrying else "", holds))
    return threads


@dataclass(frozen=True)
class Shown:
    """What dumps show: a sentence, and why the program makes no progress and in which methods, if they show that."""

    text: str = ""
    cause: str = ""  # SPINNING, DEADLOCK or INITIALISER
    methods: tuple[str, ...] = ()


def describe(
    dumps: Sequence[str],
    wants: dict[int, float],
    other: Iterable[str] = (),
    virtual: Mapping[str, str] | None = None,
) -> Shown:
    """What the program's threads do; no text if the JVM gave no dump.

    Args:
        wants: the part of a CPU in per cent that each thread used or queued for between the dumps, by native id.
        other: the names of threads that are not the program's.
        virtual: the names of virtual threads, by their number.
    """
    if not dumps:
        return Shown()
    foreign = set(other)
    first, last = (
        [thread for thread in read_dump(text) if thread.name not in foreign] for text in (dumps[0], dumps[-1])
    )
    if match := DEADLOCKED.search(dumps[-1]):
        return _deadlock(match[1], last)
    waiting = [thread for thread in last if thread.waits_for_class]
    if waiting and (sentence := _initialisation(waiting, last)):
        return Shown(sentence, INITIALISER)
    before = {thread.tid: thread for thread in first}
    busy = [thread for thread in last if wants.get(thread.tid, 0) >= BUSY_PERCENT and (thread.frames or thread.carries)]
    if busy:
        busy.sort(key=lambda thread: -wants[thread.tid])
        parts = [_busy(thread, before.get(thread.tid), wants[thread.tid], virtual or {}) for thread in busy[:MOST]]
        more = f" and {len(busy) - MOST} more" if len(busy) > MOST else ""
        text = "; ".join(parts) + more + _waiting(last, busy)
        tops = [thread.frames[0][0] for thread in busy[:MOST] if _stays(thread, before.get(thread.tid))]
        own = tuple(dict.fromkeys(method for method in tops if not LIBRARY.match(method)))
        return Shown(text, SPINNING if own else "", own)
    return Shown(f"no thread of the program wants a CPU{_waiting(last)}")


def _stays(thread: DumpedThread, before: DumpedThread | None) -> bool:
    return before is not None and thread.frames != () and before.frames[:1] == thread.frames[:1]


def _busy(thread: DumpedThread, before: DumpedThread | None, percent: float, virtual: Mapping[str, str]) -> str:
    name = virtual.get(thread.carries) or f"virtual thread #{thread.carries}"
    who = f"{thread.name} carrying {name}" if thread.carries else thread.name
    does = "spins" if _stays(thread, before) else "is busy"
    return f"{who} {does} in {thread.place}, {min(percent, 100):.0f} % of a CPU"


def _waiting(threads: Sequence[DumpedThread], busy: Sequence[DumpedThread] = ()) -> str:
    """Who holds a lock that others wait for; else what main waits for, or without a main the program's first thread."""
    holders = {lock: thread for thread in threads for lock in thread.holds}
    queues = dict[str, list[str]]()
    for thread in threads:
        if thread.wants in holders:
            queues.setdefault(thread.wants, []).append(thread.name)
    if queues:  # of a chain the end, where the holder itself waits for no lock
        lock = max(queues, key=lambda lock: (holders[lock].wants not in holders, len(queues[lock])))
        holder, (first, *others) = holders[lock], queues[lock]
        who = f"{first} and {len(others)} more wait" if others else f"{first} waits"
        does = "" if holder in busy else f"; {holder.name} waits in {holder.place}"
        return f"; {who} for a lock that {holder.name} holds{does}"
    own = [
        thread
        for thread in threads
        if thread not in busy and any(not LIBRARY.match(method) for method, _ in thread.frames)
    ]
    own.sort(key=lambda thread: thread.name != "main")
    return f"; {own[0].name} waits in {own[0].place}" if own else ""


def _deadlock(text: str, threads: list[DumpedThread]) -> Shown:
    names = list(dict.fromkeys(re.findall(r'^"(.*)":', text, re.MULTILINE)))
    places = {thread.name: thread.place for thread in threads}
    tops = [thread.frames[0][0] for thread in threads if thread.name in names and thread.frames]
    listed = " and ".join(f"{name} in {places.get(name, '?')}" for name in names[:MOST])
    return Shown(f"a deadlock: {listed} wait for each other's locks", DEADLOCK, tuple(dict.fromkeys(tops)))


def _initialisation(waiting: list[DumpedThread], threads: list[DumpedThread]) -> str:
    """Who waits for a class, and who is to initialise it and makes no progress; "" if no class is being initialised."""
    owners = [(name, thread) for thread in threads for name in thread.initialises]
    found = [
        (thread, name, owner)
        for thread in waiting
        for name, owner in owners
        if owner is not thread and thread.waits_for_class in (name, "?")
    ]
    if not found:
        return ""
    thread, name, owner = found[0]
    line = next(line for method, line in owner.frames if method == f"{name}.<clinit>")
    others = f" (and {len(waiting) - 1} more)" if len(waiting) > 1 else ""
    return (
        f"{thread.name}{others} waits until {name} is initialised, in {thread.place}; {owner.name}, which initialises "
        f"it ({line}), waits meanwhile in {owner.place}: a deadlock in a static initialiser"
    )
