"""A graph of jumps -> its cycles, nested, for `loops.py`.

Nodes that can all reach one another are a loop. Its header is the node through which it is entered; without the edges
back to the header, the components that remain are the inner loops. (P. Havlak, Nesting of Reducible and Irreducible
Loops, 1997: code made for OSR may enter a loop in its middle, so a header need not be the only way in.)
"""

from collections.abc import Iterator
from dataclasses import dataclass

Edges = dict[int, list[int]]


@dataclass(frozen=True)
class Cycle:
    """Nodes that can all reach one another; `inside`: those of each loop nested in this one, one level down."""

    nodes: frozenset[int]
    inside: tuple[frozenset[int], ...]
    depth: int


def cycles(entry: int, edges: Edges) -> Iterator[Cycle]:
    """All cycles, an outer one before those inside it."""
    reachable = reached(entry, edges)
    yield from _nested(frozenset(edges), edges, edges, reachable, depth=1)


def _nested(nodes: frozenset[int], edges: Edges, whole: Edges, reachable: set[int], depth: int) -> Iterator[Cycle]:
    for component in components(nodes, edges):
        header = _header(component, whole, reachable)
        rest = {node: [to for to in edges[node] if to in component and to != header] for node in component}
        yield Cycle(component, tuple(components(component, rest)), depth)
        yield from _nested(component, rest, whole, reachable, depth + 1)


def _header(component: frozenset[int], whole: Edges, reachable: set[int]) -> int:
    """The node that edges from the method's entry lead to; for code that only OSR enters, edges from anywhere."""
    outside = [node for node in whole if node not in component]
    from_entry = [to for node in outside if node in reachable for to in whole[node]]
    from_elsewhere = [to for node in outside if node not in reachable for to in whole[node]]
    return min(component.intersection(from_entry) or component.intersection(from_elsewhere) or component)


def reached(start: int, edges: Edges) -> set[int]:
    """The nodes that can be reached from this one, including it."""
    seen, ahead = {start}, [start]
    while ahead:
        new = set(edges[ahead.pop()]) - seen
        seen |= new
        ahead.extend(new)
    return seen


def reversed_edges(edges: Edges) -> Edges:
    """The same edges in the other direction."""
    backwards: Edges = {node: [] for node in edges}
    for node, targets in edges.items():
        for to in targets:
            backwards[to].append(node)
    return backwards


def components(nodes: frozenset[int], edges: Edges) -> list[frozenset[int]]:
    """The largest sets of nodes in which each reaches each, in the order of their first nodes.

    >>> components(frozenset({1, 2, 3, 4}), {1: [2], 2: [3], 3: [2, 4], 4: [4]})
    [frozenset({2, 3}), frozenset({4})]
    """
    search = _Search(nodes, edges)
    for node in sorted(nodes):
        if node not in search.order:
            search.start(node)
    return sorted((part for part in search.components if len(part) > 1 or min(part) in edges[min(part)]), key=min)


class _Search:
    """R. Tarjan's search, depth first (1972). Without recursion: a method may have thousands of nodes."""

    def __init__(self, nodes: frozenset[int], edges: Edges) -> None:
        self.nodes, self.edges = nodes, edges
        self.order: dict[int, int] = {}  # when a node was first seen
        self.low: dict[int, int] = {}  # the earliest node, still open, that it can reach
        self.open: dict[int, None] = {}  # seen, but not yet in a component; in the order in which they were seen
        self.components: list[frozenset[int]] = []

    def start(self, root: int) -> None:
        path = [self._enter(root)]
        while path:
            node, ahead = path[-1]
            to = next((to for to in ahead if to in self.nodes and (to not in self.order or to in self.open)), None)
            if to is None:
                path.pop()
                self._leave(node, parent=path[-1][0] if path else node)
            elif to in self.order:
                self.low[node] = min(self.low[node], self.order[to])
            else:
                path.append(self._enter(to))

    def _enter(self, node: int) -> tuple[int, Iterator[int]]:
        self.order[node] = self.low[node] = len(self.order)
        self.open[node] = None
        return node, iter(self.edges[node])

    def _leave(self, node: int, parent: int) -> None:
        self.low[parent] = min(self.low[parent], self.low[node])
        if self.low[node] < self.order[node]:
            return
        part = [self.open.popitem()[0]]
        while part[-1] != node:
            part.append(self.open.popitem()[0])
        self.components.append(frozenset(part))
