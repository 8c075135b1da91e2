"""A graph of jumps -> its cycles, nested, for `loops.py`.

The nodes that can all reach one another are a loop. Its header is where it is entered; without the edges back to the
header what still holds together are the loops inside it. (P. Havlak, Nesting of Reducible and Irreducible Loops, 1997:
code made for OSR may enter a loop in its middle, so a header need not be the only way in.)
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
    run = reached(entry, edges)
    yield from _nested(frozenset(edges), edges, edges, run, depth=1)


def _nested(nodes: frozenset[int], edges: Edges, whole: Edges, run: set[int], depth: int) -> Iterator[Cycle]:
    for component in components(nodes, edges):
        header = _header(component, whole, run)
        rest = {node: [to for to in edges[node] if to in component and to != header] for node in component}
        yield Cycle(component, tuple(components(component, rest)), depth)
        yield from _nested(component, rest, whole, run, depth + 1)


def _header(component: frozenset[int], whole: Edges, run: set[int]) -> int:
    """Where the loop is entered from the method's own entry; for code that only OSR enters, from anywhere."""
    outside = [node for node in whole if node not in component]
    own, other = ([to for node in outside if (node in run) is runs for to in whole[node]] for runs in (True, False))
    return min(component.intersection(own) or component.intersection(other) or component)


def reached(start: int, edges: Edges) -> set[int]:
    """The nodes that can be reached from this one, with it."""
    found, ahead = {start}, [start]
    while ahead:
        new = set(edges[ahead.pop()]) - found
        found |= new
        ahead.extend(new)
    return found


def reversed_edges(edges: Edges) -> Edges:
    """The same edges, seen from their ends."""
    backwards: Edges = {node: [] for node in edges}
    for node, targets in edges.items():
        for to in targets:
            backwards[to].append(node)
    return backwards


def components(nodes: frozenset[int], edges: Edges) -> list[frozenset[int]]:
    """The largest sets of nodes in which each reaches each, in the order of their first nodes (R. Tarjan, 1972).

    >>> components(frozenset({1, 2, 3, 4}), {1: [2], 2: [3], 3: [2, 4], 4: [4]})
    [frozenset({2, 3}), frozenset({4})]
    """
    order: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []
    found: list[frozenset[int]] = []
    for root in sorted(nodes):
        if root not in order:
            _search(root, nodes, edges, order, low, stack, found)
    loops = (part for part in found if len(part) > 1 or min(part) in edges[min(part)])
    return sorted(loops, key=min)


def _search(
    root: int,
    nodes: frozenset[int],
    edges: Edges,
    order: dict[int, int],
    low: dict[int, int],
    stack: list[int],
    found: list[frozenset[int]],
) -> None:
    """Depth first from the root, without recursion: a method may have thousands of nodes."""
    open_nodes = set(stack)
    path = [(root, iter(edges[root]))]
    order[root] = low[root] = len(order)
    stack.append(root)
    open_nodes.add(root)
    while path:
        node, ahead = path[-1]
        to = next((to for to in ahead if to in nodes and (to not in order or to in open_nodes)), None)
        if to is None:
            path.pop()
            if path:
                low[path[-1][0]] = min(low[path[-1][0]], low[node])
            if low[node] == order[node]:
                place = stack.index(node)
                found.append(frozenset(stack[place:]))
                open_nodes.difference_update(stack[place:])
                del stack[place:]
        elif to in order:
            low[node] = min(low[node], order[to])
        else:
            order[to] = low[to] = len(order)
            stack.append(to)
            open_nodes.add(to)
            path.append((to, iter(edges[to])))
