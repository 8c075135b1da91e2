"""The loops of a method's bytecode and of its machine code -> which of the second are which of the first, by line.

The VM notes source lines at polls and calls only (with -XX:+DebugNonSafepoints at more instructions), so most
instructions belong to no line. What they do belong to is a loop. A loop of the machine code is named by the line that
closes the loop in the source: by the last line noted in it if there is one, else by its place in the nest. C2 makes
several loops of one: one before, the unrolled one, one for the rest, and with strip mining another one around.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import pandas as pd


@dataclass(frozen=True)
class Span:
    """A loop: from its first place to its back edge (bytecode index or address), its depth, and the line that ends it.

    A loop may begin before the one around it, because compilers rotate loops: its depth says which is which.
    """

    first: int
    last: int
    depth: int
    line: int | None = None

    def holds(self, place: int) -> bool:
        """Whether the place lies in the loop."""
        return self.first <= place <= self.last

    def around(self, other: "Span") -> bool:
        """Whether the other loop is inside this one."""
        return self.depth < other.depth and self.holds(other.last)


class Nest:
    """Loops, the outer ones before those inside."""

    def __init__(self, spans: Iterable[Span]) -> None:
        self.spans = sorted(set(spans), key=lambda span: (span.depth, span.first))
        self._inside: dict[Span | None, list[Span]] = {}
        self._parents: dict[Span, Span | None] = {}
        for span in self.spans:
            outer = next((outer for outer in reversed(self.spans) if outer.around(span)), None)
            self._parents[span] = outer
            self._inside.setdefault(outer, []).append(span)

    def innermost(self, place: int) -> Span | None:
        """The deepest loop around a place."""
        return next((span for span in reversed(self.spans) if span.holds(place)), None)

    def parent(self, span: Span) -> Span | None:
        """The loop just around a loop."""
        return self._parents[span]

    def inside(self, outer: Span | None) -> list[Span]:
        """The loops just inside one; of None, those inside of none."""
        return self._inside.get(outer, [])

    def height(self, span: Span) -> int:
        """How many levels of loops are inside."""
        return max((1 + self.height(inner) for inner in self.inside(span)), default=0)


def of_bytecode(opcodes: pd.DataFrame | None) -> Nest:
    """The loops that branches back make; several branches to one place make one loop."""
    if opcodes is None or opcodes.empty or "line" not in opcodes:
        return Nest([])
    back = opcodes[(opcodes["target"] <= opcodes["bci"]).fillna(False)]
    last = back.sort_values("bci").groupby("target").last()
    ends = [(int(to), int(bci)) for to, bci in zip(last.index, last["bci"], strict=True)]
    depths = [sum(first <= to and bci <= end for first, end in ends) for to, bci in ends]
    lines = [None if pd.isna(line) else int(line) for line in last["line"]]
    return Nest(Span(*end, depth, line) for end, depth, line in zip(ends, depths, lines, strict=True))


def loop_lines(opcodes: pd.DataFrame | None, nest: Nest) -> dict[int, int]:
    """For each line of the source in a loop, the line that closes the innermost one: `for` and body share it."""
    lines: dict[int, Span] = {}
    for bci, line in _noted(opcodes):
        loop = nest.innermost(bci)
        if loop and (line not in lines or lines[line].around(loop)):
            lines[line] = loop
    return {line: loop.line for line, loop in lines.items() if loop.line is not None}


def _noted(opcodes: pd.DataFrame | None) -> Iterator[tuple[int, int]]:
    if opcodes is not None and "line" in opcodes:
        noted = opcodes[opcodes["line"].notna()]
        yield from zip(noted["bci"].astype(int), noted["line"].astype(int), strict=True)


def matched(machine: Nest, bytecode: Nest, known: Mapping[Span, int]) -> dict[Span, int]:
    """The closing line of each loop of the machine code; those that could be several loops of the source are left out.

    `known` are the lines noted at back edges. A loop without one is the only loop of the source that its place in the
    nest leaves; inside an innermost loop of the source, it is that loop.
    """
    by_line = {span.line: span for span in bytecode.spans}
    lines: dict[Span, int] = {}
    for span in machine.spans:
        outer = machine.parent(span)
        around = by_line.get(lines[outer]) if outer in lines else None
        if span in known and known[span] in by_line:
            lines[span] = known[span]
        elif (outer is None or around) and (loop := _only(span, around, machine, bytecode)):
            lines[span] = loop
    return lines


def _only(span: Span, around: Span | None, machine: Nest, bytecode: Nest) -> int | None:
    """The line of the one loop of the source that fits; None if several do."""
    inner = bytecode.inside(around)
    if not inner:
        return around.line if around else None
    while len(inner) == 1 and bytecode.height(inner[0]) > machine.height(span):
        inner = bytecode.inside(inner[0])  # the outer of two may be gone: peeled, or run once
    return inner[0].line if len(inner) == 1 else None
