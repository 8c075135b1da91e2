"""What is done with a queue, and its collections -> each node's place after each step, by the rules of generations.

    nepotism_model.played("full offer poll young", parting="keep")

No JVM runs here. The queue is that of NepotismQueue: an empty node at its head, and behind it one node an element. The
collector is Serial with MaxTenuringThreshold=1, as ZombieChain has it: a node gets old in the second young collection
that it survives, and in any full one. `chain(frame, step)` writes a step as ZombieChain does, and a test compares.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from safepointlab.errors import BadInput

if TYPE_CHECKING:
    import pandas as pd

TENURING = 1  # MaxTenuringThreshold: young collections in which a node stays young
USUAL = "full offer poll offer poll young offer poll young offer poll young full offer poll"
PARTINGS = ("keep", "unlink", "self", "reuse")  # what `poll` does about the node that it leaves behind
EMPTY = 1  # the node to which a queue goes back that reuses its empty node
PROGRAM, NOBODY = "the program", ""
COLUMNS = {
    "parting": "string",
    "step": "int64",
    "event": "string",
    "node": "string",
    "next": "string",
    "area": "string",
    "alive": "bool",
    "head": "bool",
    "held_by": "string",
    "fate": "string",
}


@dataclass(frozen=True)
class Node:
    """A node in the heap; `survived`: how many young collections."""

    number: int
    next: int | None = None
    old: bool = False
    survived: int = 0


@dataclass(frozen=True)
class Heap:
    """The nodes by their numbers, the two that the queue itself points at, and how many were made so far."""

    nodes: dict[int, Node] = field(default_factory=lambda: {EMPTY: Node(EMPTY)})
    head: int = EMPTY
    tail: int = EMPTY
    parting: str = "keep"
    made: int = 1

    def reached(self, roots: Iterable[int]) -> set[int]:
        """The nodes that can be reached from these, themselves among them."""
        found, pending = set[int](), list(roots)
        while pending:
            number = pending.pop()
            if number not in found:
                found.add(number)
                pending += [after for after in [self.nodes[number].next] if after is not None]
        return found

    @property
    def roots(self) -> set[int]:
        """The nodes that the queue itself points at."""
        return {self.head, self.tail} | ({EMPTY} if self.parting == "reuse" else set())

    @property
    def alive(self) -> set[int]:
        """What the program can reach."""
        return self.reached(self.roots)

    @property
    def remembered(self) -> set[int]:
        """The young nodes that an old one points at, dead or alive: the card table tells where such pointers are."""
        ends = (node.next for node in self.nodes.values() if node.old and node.next is not None)
        return {number for number in ends if not self.nodes[number].old}


def offer(heap: Heap) -> Heap:
    """A new node behind the last one."""
    number = heap.made + 1
    last = replace(heap.nodes[heap.tail], next=number)
    return replace(heap, nodes={**heap.nodes, last.number: last, number: Node(number)}, tail=number, made=number)


def poll(heap: Heap) -> Heap:
    """The node behind the head becomes the head; what becomes of the old head and its link is the queue's choice.

    Raises:
        BadInput: the queue is empty.
    """
    left = heap.nodes[heap.head]
    if left.next is None:
        raise BadInput("poll: the queue is empty. Offer something first, as in " + repr(USUAL) + ".")
    kept = None if left.number == EMPTY else left.next
    link = {"keep": left.next, "unlink": None, "self": left.number, "reuse": kept}[heap.parting]
    heap = replace(heap, nodes={**heap.nodes, left.number: replace(left, next=link)}, head=left.next)
    runs_empty = heap.head == heap.tail and heap.parting == "reuse"
    return replace(heap, head=EMPTY, tail=EMPTY) if runs_empty else heap


def young(heap: Heap) -> Heap:
    """Keep what the program and old nodes reach among the young, without asking whether those old nodes are alive."""
    kept = heap.reached(heap.roots | heap.remembered)
    nodes = [node for node in heap.nodes.values() if node.old or node.number in kept]
    return replace(heap, nodes={node.number: _aged(node) for node in nodes})


def _aged(node: Node) -> Node:
    return replace(node, survived=node.survived + 1, old=node.old or node.survived >= TENURING)


def full(heap: Heap) -> Heap:
    """Keep what the program reaches, and nothing else; all of it gets old."""
    return replace(heap, nodes={number: replace(heap.nodes[number], old=True) for number in sorted(heap.alive)})


EVENTS: dict[str, tuple[str, Callable[[Heap], Heap]]] = {
    "offer": ("offer", offer),
    "poll": ("poll", poll),
    "young": ("young collection", young),
    "full": ("full collection", full),
}


def played(events: str = USUAL, parting: str = "keep") -> "pd.DataFrame":
    """One row a node and step, the collected ones in the step that takes them.

    Args:
        events: of "offer", "poll", "young" and "full".
        parting: one of PARTINGS, or several with blanks between; the queue for each of them.

    Returns:
        parting, step (0 is the beginning), event; node, next (missing for none), area ("old" or "young"), alive, head;
        held_by (PROGRAM, the number of the node that points at it, or nobody) and fate: "new", "promoted", "collected".

    Raises:
        BadInput: an unknown word, or a poll of an empty queue.
    """
    import pandas as pd

    for word, words, what in [
        *((w, EVENTS, "event") for w in events.split()),
        *((w, PARTINGS, "parting") for w in parting.split()),
    ]:
        if word not in words:
            raise BadInput(f"{word!r} is no {what}. There are {', '.join(words)}.")
    rows = [row for each in parting.split() for row in _rows(events.split(), each)]
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype(COLUMNS)


def _rows(events: Iterable[str], parting: str) -> Iterator[list[Any]]:
    heap = before = Heap(parting=parting)
    for step, word in enumerate(["begin", *events]):
        text, change = EVENTS.get(word, ("an empty queue", lambda heap: heap))
        before, heap = heap, change(heap)
        for number in sorted({*before.nodes, *heap.nodes}):
            yield [parting, step, text, *_row(number, before, heap)]


def _row(number: int, before: Heap, heap: Heap) -> list[Any]:
    node, earlier = heap.nodes.get(number), before.nodes.get(number)
    there = node or before.nodes[number]
    follows = str(there.next) if there.next is not None else None
    area = "old" if there.old else "young"
    alive = number in heap.alive if node else False
    return [str(number), follows, area, alive, number == heap.head, _holder(number, heap), _fate(earlier, node)]


def _holder(number: int, heap: Heap) -> str:
    if number not in heap.nodes:
        return NOBODY
    if number in heap.alive:
        return PROGRAM
    holders = (node.number for node in heap.nodes.values() if node.next == number != node.number)
    return str(next(holders, NOBODY))


def _fate(before: Node | None, after: Node | None) -> str:
    if after is None:
        return "collected"
    if before is None:
        return "new"
    return "promoted" if after.old and not before.old else ""


def chain(frame: "pd.DataFrame", step: int) -> str:
    """The step as ZombieChain writes it: o old, y young, - collected, a capital the head.

    >>> chain(played("full offer poll offer poll young"), 5), chain(played("full offer poll offer poll young"), 6)
    ('oyY', 'oyY')
    """
    there = frame[(frame["step"] == step) & (frame["fate"] != "collected")].to_dict("records")
    letters = {int(row["node"]): str(row["area"])[0].upper() if row["head"] else str(row["area"])[0] for row in there}
    last = max(frame.loc[frame["step"] <= step, "node"].astype(int))
    return "".join(letters.get(number, "-") for number in range(1, last + 1))
