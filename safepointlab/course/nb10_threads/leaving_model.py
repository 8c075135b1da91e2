"""A number of threads and of cores -> who has a core, who wants one and who waits, step by step after a safepoint.

    leaving_model.play(threads=6, cores=2)

No JVM runs here. A safepoint is over, and the VM thread resumes the others: with a lock until JDK 12, where each thread
wakes the next one, or with a barrier on JDK 13 and later, where the VM thread wakes all of them at once. Main requested
the operation, and the VM thread answers it at the end. Cores are given in turn, as by a fair scheduler. The model
assumes that the VM thread loses its own core once all threads are awake, because that's what it is meant to show.
"""

from dataclasses import dataclass

LOCK, BARRIER = "a lock, until JDK 12", "a barrier, JDK 13 and later"
VM, MAIN = "VM", "main"
NUMBERS = {1: "one", 2: "two", 3: "three", 4: "four"}  # "2 threads" would look like the name of thread 2
CORE, QUEUE, WAITING = PLACES = "has a core", "wants a core", "waits"


@dataclass(frozen=True)
class Step:
    """What happens, and who is in each of PLACES, in the order of their turn; a core without a thread is ""."""

    event: str
    who: dict[str, tuple[str, ...]]


def play(threads: int = 6, cores: int = 2) -> dict[str, list[Step]]:
    """The steps of both ways out."""
    names = [str(number) for number in range(1, threads + 1)]
    return {LOCK: _by_lock(_Machine(names, cores)), BARRIER: _by_barrier(_Machine(names, cores))}


class _Machine:
    """Who is where; main waits, too."""

    def __init__(self, threads: list[str], cores: int) -> None:
        self.threads, self.steps = threads, list[Step]()
        self.on = [VM, *[""] * (cores - 1)]
        self.queue, self.waiting = list[str](), [*threads, MAIN]

    def wake(self, *names: str) -> None:
        """They no longer wait, and want a core."""
        for who in names:
            self.waiting.remove(who)
            self.queue.append(who)

    def lose(self, who: str, to: list[str]) -> None:
        """It has no core any more: it goes to the end of the queue, or waits."""
        self.on[self.on.index(who)] = ""
        to.append(who)

    def give(self) -> None:
        """Free cores go to those who have wanted one for longest."""
        self.on = [who or (self.queue.pop(0) if self.queue else "") for who in self.on]

    def pass_slice(self) -> None:
        """A time slice is over."""
        for who in [name for name in self.on if name]:
            self.lose(who, self.queue)
        self.give()

    def note(self, event: str) -> None:
        """Cores are given, and the step ends."""
        self.give()
        places = (self.on, self.queue, self.waiting)
        self.steps.append(Step(event, dict(zip(PLACES, map(tuple, places), strict=True))))


def _by_lock(machine: _Machine) -> list[Step]:
    first, *others = machine.threads
    machine.note("The operation is over. The VM thread holds the lock that all the others wait for")
    machine.wake(first)
    machine.note(f"The VM thread releases the lock, which wakes thread {first} and no other")
    machine.wake(MAIN)
    machine.lose(VM, machine.waiting)
    machine.note("The VM thread still has its core: it answers main, and waits for the next request")
    for last, who in zip(machine.threads, others, strict=False):
        while last not in machine.on:
            machine.pass_slice()
        machine.wake(who)
        machine.note(f"Thread {last} has had a core, and has taken and released the lock, which wakes thread {who}")
    return machine.steps


def _by_barrier(machine: _Machine) -> list[Step]:
    machine.note("The operation is over. All the others wait at the barrier, which the VM thread is about to open")
    machine.wake(*machine.threads)
    count = len(machine.threads)
    machine.note(f"The barrier is open: all {count} threads are awake, and all of them want a core at the same moment")
    machine.lose(VM, machine.queue)
    machine.note("The VM thread loses its core before it has answered main, and queues behind the threads it has woken")
    while VM not in machine.on:
        machine.pass_slice()
        before = 0 if VM in machine.on else machine.queue.index(VM)
        if VM in machine.on:
            machine.note("A time slice later, the VM thread has a core again")
        elif not before:
            machine.note("A time slice later, the VM thread is next in the queue")
        else:
            some = NUMBERS.get(before, str(before))
            some += " thread is" if before == 1 else " threads are"
            machine.note(f"A time slice later, {some} still ahead of the VM thread")
    machine.wake(MAIN)
    machine.lose(VM, machine.waiting)
    machine.note("The VM thread answers main at last. The log counts all this time as part of the pause")
    return machine.steps
