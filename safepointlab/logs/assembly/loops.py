"""Instructions of compiled code (a frame of `assembly.read`) -> its loops, one row each, and whether they are polled.

A loop is a cycle in the graph of jumps, whatever the order of the addresses: rarely run code lies behind the method's
end and jumps back into its middle, which is no loop.

method, compile_id, tier, osr_bci    of the code
header         the target of the jump back
back_edge      the jump back
depth          1 for the outermost loops of the method
polled         whether the loop, or a loop inside it, has a poll. False means that a safepoint waits until the loop
               is done
polls          how many polls are in this loop but in no loop inside it
calls          how many Java calls it makes; a method that is called polls before it returns

Strip mining (JDK-8186027) shows as an unpolled loop inside a polled one. C2 makes several loops of one in
the source: one before to align, the unrolled main one, one for the rest. A loop with two jumps back is two rows of one
depth. C1 polls each loop of the source; a loop that it makes within one bytecode (to clear a new array) is no loop of
the source, and left out. C2's loops are all rows, also those within one call (comparing strings).
"""

import re
from collections.abc import Iterator
from functools import cached_property
from typing import Any

import pandas as pd

from safepointlab.logs.assembly.cycles import Cycle, cycles, reached, reversed_edges
from safepointlab.logs.assembly.processor import Processor, of_instructions

C2 = 4  # the tier; assumed if none is logged
COLUMNS = {
    "method": "string",
    "compile_id": "Int64",
    "tier": "Int64",
    "osr_bci": "Int64",
    "header": "string",
    "back_edge": "string",
    "depth": "Int64",
    "polled": "bool",
    "polls": "Int64",
    "calls": "Int64",
}

# Calls that do not return: {runtime_call UncommonTrapBlob}, {runtime_call throw_range_check_failed Runtime1 stub}
_NO_RETURN = re.compile(r"runtime_call [^}]*(?:[Uu]ncommon_?[Tt]rap|throw_|unwind|handle_exception|forward_|[Dd]eopt)")
_JAVA_CALL = re.compile(r"\{(?:static_call|optimized virtual_call|virtual_call|opt_virtual)")


def loops(frame: pd.DataFrame) -> pd.DataFrame:
    """The loops of all code in the frame, outer ones before inner ones."""
    versions, processor = list(COLUMNS)[:4], of_instructions(frame["instruction"])
    rows = [
        {**dict(zip(versions, version, strict=True)), **row}
        for version, code in frame.groupby(versions, sort=False, dropna=False)
        for row in _Code(code.drop_duplicates("address"), processor).loops()
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype(COLUMNS)


class _Code:
    """One piece of code as a graph; a node is a run of instructions without a jump, named by its first place."""

    def __init__(self, frame: pd.DataFrame, processor: Processor) -> None:
        self.processor = processor
        self.addresses = frame["address"].tolist()
        self.texts = frame["instruction"].tolist()
        self.comments = frame["comment"].fillna("").tolist()
        self.bcis = frame["bci"].fillna(-2).tolist()
        self.tier = int(frame["tier"].fillna(C2).max()) if len(frame) else C2
        self.polls = (frame["poll"] == "loop").fillna(False).tolist()
        self.last_return = max((place for place, text in enumerate(self.texts) if "ret" in text), default=0)
        self.waiting: set[int] = set()
        self.jumps = self._jumps()
        self.nodes, self.edges = self._graph()

    def loops(self) -> Iterator[dict[str, Any]]:
        """The rows, without the columns that name the code."""
        for cycle in cycles(0, self.edges) if self.texts else ():
            for jump, nodes in self._single_loops(cycle):
                row = self._row(jump, nodes, nodes.difference(*cycle.inside)) | {"depth": cycle.depth}
                if row["polled"] or not self._is_within_a_bytecode(nodes):
                    yield row

    def _is_within_a_bytecode(self, nodes: set[int]) -> bool:
        """Whether C1 made the loop within one bytecode: to clear a new array, or to find a class in a profile."""
        bcis = {self.bcis[place] for node in nodes for place in self.nodes[node]} - {-2}
        return self.tier < C2 and len(bcis) < 2

    def _row(self, jump: int, nodes: set[int], own: set[int]) -> dict[str, Any]:
        body = [place for node in nodes for place in self.nodes[node]]
        polls = sum(self.polls[place] for node in own for place in self.nodes[node])
        calls = sum(bool(_JAVA_CALL.search(self.comments[place])) for place in body)
        ends = {"header": self.addresses[self.jumps[jump]], "back_edge": self.addresses[jump]}
        return {**ends, "polled": any(self.polls[place] for place in body), "polls": polls, "calls": calls}

    def _jumps(self) -> dict[int, int]:
        """The place of each jump -> the place of its target, if that is in this code; without C1's patching stubs."""
        places = {int(address, 16): place for place, address in enumerate(self.addresses)}
        matches = ((place, self.processor.jump.match(text)) for place, text in enumerate(self.texts))
        targets = {place: places.get(int(jump[1], 16)) for place, jump in matches if jump}
        jumps = {place: to for place, to in targets.items() if to is not None}
        self.waiting = {place for place in jumps if self._is_jmp(place) and self._leads_back(place, jumps)}
        return {place: to for place, to in jumps.items() if place not in self.waiting}

    def _leads_back(self, place: int, jumps: dict[int, int]) -> bool:
        """Whether the jump's target leads straight back to the jump.

        A jump to itself is in a call's stub that is not in use. A jump to a call that comes back to the jump: C1's code
        waits for a class to be loaded, then the VM overwrites the jump.
        """
        stub = range(jumps[place], min(jumps[place] + 4, len(self.texts) - 1))
        call = next((step for step in stub if self._is_call(step)), place)
        return bool(jumps[place] == place or jumps.get(call + 1) == place)

    def _is_jmp(self, place: int) -> bool:
        return bool(self.processor.always.match(self.texts[place]))

    def _is_call(self, place: int) -> bool:
        return str(self.texts[place]).startswith(self.processor.calls)

    def _graph(self) -> tuple[dict[int, range], dict[int, list[int]]]:
        after = {place + 1 for place in range(len(self.texts)) if place in self.jumps or not self._continues(place)}
        firsts = sorted(({0, *self.jumps.values()} | after) - {len(self.texts)})
        nodes = {first: range(first, end) for first, end in zip(firsts, [*firsts[1:], len(self.texts)], strict=True)}
        return nodes, {first: self._next(places[-1]) for first, places in nodes.items()}

    def _next(self, place: int) -> list[int]:
        """The nodes that may follow this place, the last of a node."""
        ahead = [place + 1] if self._continues(place) and place + 1 < len(self.texts) else []
        return [*ahead, self.jumps[place]] if place in self.jumps else ahead

    def _continues(self, place: int) -> bool:
        if place in self.waiting:
            return True
        if self._is_call(place):
            return not self._is_last_call(place)
        return not (self.processor.ends.match(self.texts[place]) or self._is_jmp(place))

    def _is_last_call(self, place: int) -> bool:
        """Whether the call does not return. 8 does not name its target; there C1's stubs, behind the method, end so."""
        if _NO_RETURN.search(self.comments[place]):
            return True
        unnamed = place > self.last_return and "{runtime_call}" in self.comments[place]
        return unnamed and place + 1 in self._entries

    @cached_property
    def _entries(self) -> set[int]:
        return set(self.jumps.values())

    def _single_loops(self, cycle: Cycle) -> Iterator[tuple[int, set[int]]]:
        """A loop for each jump back that belongs to no inner loop and closes the cycle without another jump back.

        Rarely run code behind the method, which jumps back into the loop's middle, needs another jump back.
        """
        backs = [jump for node in sorted(cycle.nodes) if self._is_back(jump := self.nodes[node][-1], node, cycle)]
        for back in backs:
            edges = self._without(set(backs) - {back}, cycle.nodes)
            start, end = self._node_of[self.jumps[back]], self._node_of[back]
            if end in (ahead := reached(start, edges)):
                yield back, ahead & reached(end, reversed_edges(edges))

    def _is_back(self, jump: int, node: int, cycle: Cycle) -> bool:
        target = self.jumps.get(jump, len(self.texts))
        inside = any(node in inner and target in inner for inner in cycle.inside)
        return target <= jump and target in cycle.nodes and not inside

    def _without(self, jumps: set[int], nodes: frozenset[int]) -> dict[int, list[int]]:
        """The edges between these nodes, but not along these jumps."""
        closed = {(node, self.jumps[self.nodes[node][-1]]) for node in nodes if self.nodes[node][-1] in jumps}
        return {node: [to for to in self.edges[node] if to in nodes and (node, to) not in closed] for node in nodes}

    @cached_property
    def _node_of(self) -> dict[int, int]:
        return {place: node for node, places in self.nodes.items() for place in places}
