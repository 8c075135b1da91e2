"""Linked nodes (one row per node) -> boxes and arrows: which are old, young, dead, alive, and which keeps which.

    plot.chain(nodes)

Columns used: node (its name), next (the name that it points at, or NA), area ("old" or "young"), alive (bool); also
text, where there is one, for a second line in the box. The rows are drawn in their order, old below and young above.
"""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from safepointlab.plot import style
from safepointlab.plot._picture import picture

MOST = 12  # boxes beside each other that can still be read
KEPT_DEAD = "#E69F00"  # dead and yet in the heap, in each picture about nepotism
LOOKS = {  # (area, alive): blue is alive, orange is dead; the darker of each is old
    ("old", True): style.Look("old, alive", "#0B3C6F"),
    ("old", False): style.Look("old, dead", KEPT_DEAD),
    ("young", True): style.Look("young, alive", "#9CCBE6"),
    ("young", False): style.Look("young, dead", "#FBE3B0"),
}


@picture("the nodes of nb07_nepotism.experiments", "node", "next", "area", "alive")
def chain(nodes: pd.DataFrame, ax: Axes | None = None, title: str | None = None) -> Axes:
    """Draw the chain; the middle of a long one is left out."""
    kept = _shortened(nodes)
    ax = style.canvas(ax, width=max(6.0, min(10.0, 1.5 + 0.95 * len(kept))), height=3.6)
    ax.set_axis_off()
    if nodes.empty:
        return style.empty(ax, title or "No nodes")
    places = _places(kept, len(nodes) - len(kept))
    for _, node in kept.iterrows():
        _box(ax, node, places[node["node"]])
    _arrows(ax, kept, places, len(nodes) - len(kept))
    ax.set(xlim=(-0.6, max(x for x, _ in places.values()) + 0.6), ylim=(-0.75, 1.9), aspect="equal")
    present = [look for (area, alive), look in LOOKS.items() if _some(nodes, area, alive)]
    style.key(ax, present)
    style.finding(ax, title or _finding(nodes))
    return ax


def _shortened(nodes: pd.DataFrame) -> pd.DataFrame:
    return nodes if len(nodes) <= MOST else pd.concat([nodes.head(MOST - 3), nodes.tail(3)])


def _places(nodes: pd.DataFrame, hidden: int) -> dict[Any, tuple[float, float]]:
    """The place of each node's box, with a gap where nodes were left out."""
    steps = [n + (1.0 if hidden and n >= MOST - 3 else 0.0) for n in range(len(nodes))]
    heights = nodes["area"].map({"old": 0.0, "young": 1.5})
    return dict(zip(nodes["node"], zip(steps, heights, strict=True), strict=True))


def _some(nodes: pd.DataFrame, area: str, alive: bool) -> bool:
    return bool(((nodes["area"] == area) & (nodes["alive"].astype(bool) == alive)).any())


def _box(ax: Axes, node: "pd.Series[Any]", place: tuple[float, float]) -> None:
    look = LOOKS[(str(node["area"]), bool(node["alive"]))]
    x, y = place
    line: dict[str, Any] = {"ls": "-" if node["alive"] else "--", "ec": style.INK, "lw": 1.6}
    shape = FancyBboxPatch((x - 0.33, y - 0.3), 0.66, 0.6, "round,pad=0.03", fc=look.color, **line)
    ax.add_patch(shape)
    text = str(node["node"]) + (f"\n{node['text']}" if "text" in node and pd.notna(node["text"]) else "")
    ax.text(x, y, text, ha="center", va="center", fontsize=style.SMALL_PT, color=style.ink_on(look.color))
    if not node["alive"]:
        ax.text(x, y - 0.38, "dead", ha="center", va="top", fontsize=style.SMALL_PT, style="italic", color=style.INK)


def _arrows(ax: Axes, nodes: pd.DataFrame, places: dict[Any, tuple[float, float]], hidden: int) -> None:
    if hidden:
        x, y = places[nodes["node"].iloc[-4]]
        ax.text(x + 1, y, f"…\n{hidden:,} more", ha="center", va="center", fontsize=style.SMALL_PT, color=style.INK)
    for node, successor in zip(nodes["node"], nodes["next"], strict=True):
        if pd.notna(successor) and successor in places:
            _arrow(ax, places[node], places[successor])


def _arrow(ax: Axes, start: tuple[float, float], end: tuple[float, float]) -> None:
    (x1, y1), (x2, y2) = start, end
    tail = (x1 + 0.36, y1) if y1 == y2 else (x1 + 0.15, y1 + (0.33 if y2 > y1 else -0.33))
    look: dict[str, Any] = {"arrowstyle": "-|>", "mutation_scale": 18, "lw": 2, "shrinkA": 0, "shrinkB": 0}
    ax.add_patch(FancyArrowPatch(tail, (x2 - 0.36, y2), color=style.INK, **look))


def _finding(nodes: pd.DataFrame) -> str:
    dead = nodes[~nodes["alive"].astype(bool)]
    old, held = set(dead["node"][dead["area"] == "old"]), _held(nodes)
    if dead.empty:
        return f"All {len(nodes):,} nodes are alive"
    if not held:
        return f"{len(dead):,} dead node{_s(dead)}, and no young one is held by a dead old one"
    keep = "keeps" if len(old) == 1 else "keep"
    return f"{len(old):,} dead old node{_s(old)} {keep} {len(held):,} dead young node{_s(held)} from being collected"


def _held(nodes: pd.DataFrame) -> set[Any]:
    """The dead young nodes that a young collection keeps, because they are reachable from a dead old one."""
    successors = dict(zip(nodes["node"], nodes["next"], strict=True))
    area, alive = nodes.set_index("node")["area"], nodes.set_index("node")["alive"].astype(bool)
    reached: set[Any] = set()
    pending = [node for node in successors if area[node] == "old" and not alive[node]]
    while pending:
        node = successors.get(pending.pop())
        if pd.notna(node) and node in successors and node not in reached:
            reached.add(node)
            pending.append(node)
    return {node for node in reached if area[node] == "young" and not alive[node]}


def _s(things: Any) -> str:
    return "" if len(things) == 1 else "s"
