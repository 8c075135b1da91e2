"""What is done with a queue, and its collections -> each node's place after each step, by the rules of generations.

    model.play("full offer poll young", parting="keep")

No JVM runs here. The queue is that of NepotismQueue: an empty node at its head, and behind it one node per element. The
collector is Serial with MaxTenuringThreshold=1, as ZombieChain has it: a node gets old in the second young collection
that it survives, and in any full one. A test compares the steps with what ZombieChain finds in a heap.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from safepointlab.errors import BadInput

TENURING = 1  # MaxTenuringThreshold: young collections in which a node stays young
USUAL = "full offer poll offer poll young offer poll young offer poll young full offer poll"
PARTINGS = ("keep", "unlink", "self", "reuse")  # what `poll` does about the node that it leaves behind
EMPTY = 1  # the node to which a queue goes back that reuses its empty node
EVENTS = {"offer": "offer", "poll": "poll", "young": "young collection", "full": "full collection"}


@dataclass
class Node:
    """A node in the heap: it has `survived` so many young collections.

    In a step, `fate` is what the step did to it: "new", "promoted", "collected" or "".
    """

    number: int
    next: int | None = None
    old: bool = False
    survived: int = 0
    alive: bool = True
    head: bool = False
    fate: str = ""

    @property
    def area(self) -> str:
        """The generation that it is in."""
        return "old" if self.old else "young"


@dataclass(frozen=True)
class Step:
    """One step: the event, what it did in a sentence, and the nodes after it, in the order in which they were made.

    A node that the step collects is still among them; `made` counts all nodes so far.
    """

    event: str
    sentence: str
    nodes: tuple[Node, ...]
    made: int

    @property
    def there(self) -> list[Node]:
        """The nodes that are in the heap."""
        return [node for node in self.nodes if node.fate != "collected"]


def play(events: str = USUAL, parting: str = "keep") -> list[Step]:
    """The steps, the first of which is an empty queue.

    Args:
        events: of "offer", "poll", "young" and "full".
        parting: one of PARTINGS.

    Raises:
        BadInput: an unknown word, or a poll of an empty queue.
    """
    for word, known, what in [*((event, EVENTS, "event") for event in events.split()), (parting, PARTINGS, "parting")]:
        if word not in known:
            raise BadInput(f"{word!r} is no {what}. There are {', '.join(known)}.")
    heap = _Heap(parting)
    steps = [heap.step("an empty queue", "one node, which the queue points at", heap.nodes)]
    for event in events.split():
        before = {number: replace(node) for number, node in heap.nodes.items()}
        did = getattr(heap, event)()
        steps.append(heap.step(EVENTS[event], did, before))
    return steps


class _Heap:
    """The nodes by number, and the two that the queue itself points at; an event changes them and says what it did."""

    def __init__(self, parting: str) -> None:
        self.parting = parting
        self.nodes = {EMPTY: Node(EMPTY)}
        self.head = self.tail = self.made = EMPTY

    def step(self, event: str, did: str, before: dict[int, Node]) -> Step:
        """The result of an event, by the nodes before it."""
        alive, nodes = self._alive(), []
        for number, node in sorted({**before, **self.nodes}.items()):
            if number not in self.nodes:
                fate = "collected"
            elif number not in before:
                fate = "new"
            else:
                fate = "promoted" if node.old and not before[number].old else ""
            nodes.append(replace(node, alive=number in alive, head=number == self.head, fate=fate))
        return Step(event, f"{event.capitalize()}: {did}.", tuple(nodes), self.made)

    def offer(self) -> str:
        """A new node behind the last one."""
        self.made += 1
        self.nodes[self.made] = Node(self.made)
        self.nodes[self.tail].next = self.tail = self.made
        return f"node {self.made} is new and young"

    def poll(self) -> str:
        """The node behind the head becomes the head; what becomes of the old head and its link is the queue's choice.

        Raises:
            BadInput: the queue is empty.
        """
        left, alive = self.nodes[self.head], self._alive()
        if left.next is None:
            raise BadInput(f"poll: the queue is empty. Offer something first, as in {USUAL!r}.")
        self.head = left.next
        if self.parting == "unlink" or (self.parting == "reuse" and left.number == EMPTY):
            left.next = None
        elif self.parting == "self":
            left.next = left.number
        if self.parting == "reuse" and self.head == self.tail:
            self.head = self.tail = EMPTY
        if self.head == left.number:
            died = _numbers(alive - self._alive())
            return f"the queue runs empty, so node {EMPTY} is the head again, without a link; node {died} is dead"
        links = {None: "points at nothing", left.number: "points at itself"}
        link = links.get(left.next, f"still points at {left.next}")
        return f"node {self.head} is the head now; node {left.number} is dead and {link}"

    def young(self) -> str:
        """Keep what the program and old nodes reach among the young, whether those old nodes are alive or dead."""
        old = {node.number: node.next for node in self.nodes.values() if node.old}
        pointers = {number: to for number, to in sorted(old.items()) if to is not None and to not in old}
        kept, alive = self._reached({*self._roots(), *pointers.values()}), self._alive()
        promoted = []
        for node in [node for node in self.nodes.values() if node.number in kept and not node.old]:
            node.survived += 1
            if node.survived > TENURING:
                node.old = True
                promoted.append(node.number)
        parts = {
            "collected": set(self.nodes) - kept - set(old),
            "promoted": promoted,
            "dead among these": set(promoted) - alive,
            "dead, but kept among the young": kept - set(old) - set(promoted) - alive,
        }
        self.nodes = {number: node for number, node in self.nodes.items() if number in kept or number in old}
        arrows = ", ".join(f"{number} → {to}" for number, to in pointers.items()) or "none"
        told = [f"its roots are the queue and every pointer from old to young ({arrows})"]
        return "; ".join(told + [f"{name}: {_numbers(some)}" for name, some in parts.items() if some])

    def full(self) -> str:
        """Keep what the program reaches, and nothing else; all of it gets old."""
        alive = self._alive()
        gone = _numbers(set(self.nodes) - alive) or "nothing"
        self.nodes = {number: replace(self.nodes[number], old=True) for number in alive}
        return f"what the program can't reach is collected ({gone}), and what's alive is old now ({_numbers(alive)})"

    def _roots(self) -> set[int]:
        return {self.head, self.tail} | ({EMPTY} if self.parting == "reuse" else set())

    def _alive(self) -> set[int]:
        """What the program can reach."""
        return self._reached(self._roots())

    def _reached(self, roots: set[int]) -> set[int]:
        found, pending = set[int](), list(roots)
        while pending:
            number = pending.pop()
            if number not in found:
                found.add(number)
                pending += [after for after in [self.nodes[number].next] if after is not None]
        return found


def _numbers(nodes: Iterable[int]) -> str:
    return ", ".join(map(str, sorted(nodes)))
