"""A number of threads and of cores -> who has a core, who wants one and who waits, step by step on the way out.

    leaving_model.played(threads=6, cores=2)

No JVM runs here. A safepoint is over, and the VM thread lets the threads go in one of two WAYS: by a lock, as up to JDK
12, each thread waking the next one; or by a barrier, as since 13, where the VM thread wakes all of them at once. Main
asked for the operation, and the VM thread answers it at the end. Cores are given in turn, as by a scheduler that is
fair; that the VM thread loses its own once everybody is awake is assumed, since that is what the model is to show.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

LOCK, BARRIER = "a lock, up to JDK 12", "a barrier, since JDK 13"
WAYS = (LOCK, BARRIER)
VM, MAIN = "VM", "main"
CORE, QUEUE, WAITING = "has a core", "wants a core", "waits"
COLUMNS = {"way": "string", "step": "int64", "event": "string", "who": "string", "place": "string", "at": "int64"}


@dataclass
class Machine:
    """Who is where: `on` has a name a core, or nobody (""); `queue` and `waiting` are in the order of their turn."""

    on: list[str]
    waiting: list[str]
    queue: list[str] = field(default_factory=list)

    def wake(self, who: str) -> None:
        """It no longer waits, and wants a core."""
        self.waiting.remove(who)
        self.queue.append(who)

    def give(self) -> None:
        """Free cores go to those who have wanted one for longest."""
        for place, who in enumerate(self.on):
            if not who and self.queue:
                self.on[place] = self.queue.pop(0)

    def lose(self, who: str, to: list[str]) -> None:
        """It has no core any more: it goes to the end of the queue, or waits."""
        self.on[self.on.index(who)] = ""
        to.append(who)

    def rows(self) -> Iterator[tuple[str, str, int]]:
        """Name, place and position of everybody."""
        yield from ((who, CORE, at) for at, who in enumerate(self.on) if who)
        yield from ((who, QUEUE, at) for at, who in enumerate(self.queue))
        yield from ((who, WAITING, at) for at, who in enumerate(self.waiting))


def played(threads: int = 6, cores: int = 2) -> "pd.DataFrame":
    """Both ways out: a row for everybody in each step, with what happens in it."""
    import pandas as pd

    rows: list[tuple[Any, ...]] = []
    for way, play in zip(WAYS, (_by_lock, _by_barrier), strict=True):
        machine = Machine([VM, *[""] * (cores - 1)], [*map(str, range(1, threads + 1)), MAIN])
        for step, event in enumerate(play(machine)):
            rows += [(way, step, event, *row) for row in machine.rows()]
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype(COLUMNS)


def _by_lock(machine: Machine) -> Iterator[str]:
    threads = [who for who in machine.waiting if who != MAIN]
    yield "The operation is over. The VM thread holds the lock that everybody waits for"
    machine.wake(threads[0])
    machine.give()
    yield f"The VM thread gives the lock back, which wakes thread {threads[0]} alone"
    machine.wake(MAIN)
    machine.lose(VM, machine.waiting)
    machine.give()
    yield "The VM thread still has its core: it answers main, and waits for the next request"
    for last, who in zip(threads, threads[1:], strict=False):
        _slice(machine, last)
        machine.wake(who)
        machine.give()
        yield f"Thread {last} has had a core, has taken the lock and given it back, which wakes thread {who}"


def _slice(machine: Machine, who: str) -> None:
    """Slices pass until this one has a core."""
    while who not in machine.on:
        for running in [name for name in machine.on if name]:
            machine.lose(running, machine.queue)
        machine.give()


def _by_barrier(machine: Machine) -> Iterator[str]:
    threads = [who for who in machine.waiting if who != MAIN]
    yield "The operation is over. Everybody waits at the barrier, which the VM thread opens"
    for who in threads:
        machine.wake(who)
    machine.give()
    yield f"The barrier is open: all {len(threads)} threads are awake, and want a core at the same moment"
    machine.lose(VM, machine.queue)
    machine.give()
    yield "The VM thread loses its core before it has answered main, and stands behind those it has woken"
    while VM not in machine.on:
        for running in [name for name in machine.on if name]:
            machine.lose(running, machine.queue)
        machine.give()
        yield _after_a_slice(machine)
    machine.wake(MAIN)
    machine.lose(VM, machine.waiting)
    machine.give()
    yield "The VM thread answers main at last. The log counts all this time as leaving"


def _after_a_slice(machine: Machine) -> str:
    if VM in machine.on:
        return "A time slice later the VM thread has a core again"
    before = machine.queue.index(VM)
    if not before:
        return "A time slice later nobody is before the VM thread in the queue any more"
    return f"A time slice later {before} thread{'s' * (before != 1)} in the queue will run before the VM thread"
