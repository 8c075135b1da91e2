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
from dataclasses import dataclass
from typing import Any

import pandas as pd

from safepointlab.logs.assembly.machine_code import Processor, processor_of

Edges = dict[int, list[int]]
C2 = 4  # the tier; assumed if none is logged
COLUMNS = {
    "method": "string", "compile_id": "Int64", "tier": "Int64", "osr_bci": "Int64", "header": "string",
    "back_edge": "string", "depth": "Int64", "polled": "bool", "polls": "Int64", "calls": "Int64",
}  # fmt: skip

# Calls that do not return: {runtime_call UncommonTrapBlob}, {runtime_call throw_range_check_failed Runtime1 stub}
_NO_RETURN = re.compile(r"runtime_call [^}]*(?:[Uu]ncommon_?[Tt]rap|throw_|unwind|handle_exception|forward_|[Dd]eopt)")
_JAVA_CALL = re.compile(r"\{(?:static_call|optimized virtual_call|virtual_call|opt_virtual)")


def loops(frame: pd.DataFrame) -> pd.DataFrame:
    """The loops of all code in the frame, outer ones before inner ones."""
    versions, processor = list(COLUMNS)[:4], processor_of(frame["instruction"])
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
        places = {int(address, 16): place for place, address in enumerate(self.addresses)}
        matches = ((place, processor.jump.match(text)) for place, text in enumerate(self.texts))
        targets = {place: places.get(int(jump[1], 16)) for place, jump in matches if jump}
        jumps = {place: to for place, to in targets.items() if to is not None}  # within this code
        self.waiting = {place for place in jumps if self._is_jmp(place) and self._leads_back(place, jumps)}
        self.jumps = {place: to for place, to in jumps.items() if place not in self.waiting}
        self.entries = set(self.jumps.values())
        end = len(self.texts)
        after = {place + 1 for place in range(end) if place in self.jumps or not self._continues(place)}
        firsts = sorted(({0} | self.entries | after) - {end})
        self.nodes = {first: range(first, last) for first, last in zip(firsts, [*firsts[1:], end], strict=True)}
        self.edges: Edges = {}
        for first, steps in self.nodes.items():
            last = steps[-1]
            self.edges[first] = [last + 1] if self._continues(last) and last + 1 < end else []
            self.edges[first] += [self.jumps[last]] if last in self.jumps else []
        self.node_of = {place: node for node, steps in self.nodes.items() for place in steps}

    def loops(self) -> Iterator[dict[str, Any]]:
        """The rows, without the columns that name the code."""
        reachable = reached(0, self.edges) if self.texts else set()
        for cycle in cycles(frozenset(self.edges), self.edges, self.edges, reachable) if self.texts else ():
            for jump, nodes in self._single_loops(cycle):
                own = nodes.difference(*cycle.inside)
                body = [place for node in nodes for place in self.nodes[node]]
                polled = any(self.polls[place] for place in body)
                if not polled and self.tier < C2 and len({self.bcis[place] for place in body} - {-2}) < 2:
                    continue  # C1 made it within one bytecode: to clear a new array, or to find a class in a profile
                yield {
                    "header": self.addresses[self.jumps[jump]],
                    "back_edge": self.addresses[jump],
                    "depth": cycle.depth,
                    "polled": polled,
                    "polls": sum(self.polls[place] for node in own for place in self.nodes[node]),
                    "calls": sum(bool(_JAVA_CALL.search(self.comments[place])) for place in body),
                }

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

    def _continues(self, place: int) -> bool:
        if place in self.waiting:
            return True
        if self._is_call(place):
            # a call that does not return: 8 does not name its target; there C1's stubs, behind the method, end so
            unnamed = place > self.last_return and "{runtime_call}" in self.comments[place]
            return not (_NO_RETURN.search(self.comments[place]) or (unnamed and place + 1 in self.entries))
        return not (self.processor.ends.match(self.texts[place]) or self._is_jmp(place))

    def _single_loops(self, cycle: "Cycle") -> Iterator[tuple[int, set[int]]]:
        """A loop for each jump back that belongs to no inner loop and closes the cycle without another jump back.

        Rarely run code behind the method, which jumps back into the loop's middle, needs another jump back.
        """
        backs = []
        for node in sorted(cycle.nodes):
            jump = self.nodes[node][-1]
            target = self.jumps.get(jump, len(self.texts))
            inside = any(node in inner and target in inner for inner in cycle.inside)
            if target <= jump and target in cycle.nodes and not inside:
                backs.append(jump)
        for back in backs:
            closed = {(self.node_of[jump], self.jumps[jump]) for jump in backs if jump != back}
            edges = {
                node: [to for to in self.edges[node] if to in cycle.nodes and (node, to) not in closed]
                for node in cycle.nodes
            }
            backwards: Edges = {node: [] for node in edges}
            for node, targets in edges.items():
                for to in targets:
                    backwards[to].append(node)
            start, end = self.node_of[self.jumps[back]], self.node_of[back]
            if end in (ahead := reached(start, edges)):
                yield back, ahead & reached(end, backwards)


@dataclass(frozen=True)
class Cycle:
    """Nodes that can all reach one another; `inside`: those of each loop nested in this one, one level down."""

    nodes: frozenset[int]
    inside: tuple[frozenset[int], ...]
    depth: int


def cycles(nodes: frozenset[int], edges: Edges, whole: Edges, reachable: set[int], depth: int = 1) -> Iterator[Cycle]:
    """All cycles among these nodes, an outer one before those inside it.

    Nodes that can all reach one another are a loop. Its header is the node through which it is entered; without the
    edges back to the header, the components that remain are the inner loops. (P. Havlak, Nesting of Reducible and
    Irreducible Loops, 1997: code made for OSR may enter a loop in its middle, so a header need not be the only way in.)

    Args:
        whole: the edges of all the code, `reachable` what can be reached from its entry.
    """
    for component in components(nodes, edges):
        outside = [node for node in whole if node not in component]
        from_entry = [to for node in outside if node in reachable for to in whole[node]]
        from_elsewhere = [to for node in outside if node not in reachable for to in whole[node]]  # only OSR enters
        header = min(component.intersection(from_entry) or component.intersection(from_elsewhere) or component)
        rest = {node: [to for to in edges[node] if to in component and to != header] for node in component}
        yield Cycle(component, tuple(components(component, rest)), depth)
        yield from cycles(component, rest, whole, reachable, depth + 1)


def reached(start: int, edges: Edges) -> set[int]:
    """The nodes that can be reached from this one, including it."""
    seen, ahead = {start}, [start]
    while ahead:
        new = set(edges[ahead.pop()]) - seen
        seen |= new
        ahead.extend(new)
    return seen


def components(nodes: frozenset[int], edges: Edges) -> list[frozenset[int]]:
    """The largest sets of nodes in which each reaches each, in the order of their first nodes.

    >>> components(frozenset({1, 2, 3, 4}), {1: [2], 2: [3], 3: [2, 4], 4: [4]})
    [frozenset({2, 3}), frozenset({4})]
    """
    order: dict[int, int] = {}  # when a node was first seen
    low: dict[int, int] = {}  # the earliest node, still open, that it can reach
    still_open: dict[int, None] = {}  # seen, but not yet in a component; in the order in which they were seen
    found = list[frozenset[int]]()

    def enter(node: int) -> tuple[int, Iterator[int]]:
        order[node] = low[node] = len(order)
        still_open[node] = None
        return node, iter(edges[node])

    for root in sorted(nodes):
        path = [enter(root)] if root not in order else []
        while (
            path
        ):  # R. Tarjan's search, depth first (1972); without recursion, as a method may have thousands of nodes
            node, ahead = path[-1]
            to = next((to for to in ahead if to in nodes and (to not in order or to in still_open)), None)
            if to is None:
                path.pop()
                if path:
                    low[path[-1][0]] = min(low[path[-1][0]], low[node])
                if low[node] == order[node]:
                    part = [still_open.popitem()[0]]
                    while part[-1] != node:
                        part.append(still_open.popitem()[0])
                    found.append(frozenset(part))
            elif to in order:
                low[node] = min(low[node], order[to])
            else:
                path.append(enter(to))
    return sorted((part for part in found if len(part) > 1 or min(part) in edges[min(part)]), key=min)
