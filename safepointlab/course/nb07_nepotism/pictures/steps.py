"""What is done with a queue -> its nodes step by step, to step through: place, life, and who keeps whom.

    pictures.queue_steps()
    pictures.queue_steps("full offer poll young", parting="unlink self")

The steps are those of model.py: each is drawn from its rows, and its sentence is made of them. No JVM runs here.
"""

from collections.abc import Iterable
from html import escape
from typing import Any

import pandas as pd

from safepointlab.course.nb07_nepotism import model
from safepointlab.course.nb07_nepotism.pictures.looks import NODES
from safepointlab.plot import style
from safepointlab.plot.interactive import Alive

PARTINGS = {
    "keep": "keep its link",
    "unlink": "cut its link",
    "self": "link it to itself",
    "reuse": "go back to the empty node",
}
LEFT, ACROSS, WIDE, HIGH = 92, 78, 52, 42  # pixels: the lanes' names, from node to node, a box
LANES = {"young": 74, "old": 170}
Row = dict[Any, Any]


def queue_steps(events: str = model.USUAL, parting: str = "keep", title: str | None = None) -> Alive:
    """Draw the steps; with several partings the reader chooses one of them.

    Args:
        events: what is done, of "offer", "poll", "young" and "full" (collections).
        parting: what `poll` does about the node that it leaves behind, of "keep", "unlink", "self" and "reuse".

    Raises:
        BadInput: an unknown word, or a poll of an empty queue.
    """
    frame = model.played(events, parting)
    across = int(frame["node"].astype(int).max())
    queues = {str(name): rows for name, rows in frame.groupby("parting", sort=False)}
    steps = {PARTINGS.get(name, name): _steps(rows, across) for name, rows in queues.items()}
    finding = title or _finding(frame)
    still = f"<p><b>{escape(finding)}</b></p>" + "".join(_stills(queues))
    return Alive("steps", {"choose": "When a node is polled:", "of": steps, "note": _note()}, still, finding)


def _steps(rows: pd.DataFrame, across: int) -> list[dict[str, str]]:
    """What the script shows: a sentence and a drawing for each step."""
    parts = [part.to_dict("records") for _, part in rows.groupby("step", sort=True)]
    befores = [[], *parts]
    return [
        {"title": _sentence(nodes, before), "html": _svg(nodes, across, _sentence(nodes, before))}
        for nodes, before in zip(parts, befores, strict=False)
    ]


def _there(nodes: Iterable[Row]) -> list[Row]:
    return [node for node in nodes if node["fate"] != "collected"]


def _sentence(nodes: list[Row], before: list[Row]) -> str:
    """What this step did, by its rows and those of the step before."""
    event = str(nodes[0]["event"])
    words = {"offer": _offered, "poll": _polled, "young collection": _young, "full collection": _full}
    said = words[event](nodes, before) if event in words else "one node, which the queue points at"
    return f"{event.capitalize()}: {said}."


def _offered(nodes: list[Row], before: list[Row]) -> str:  # noqa: ARG001 - as the others
    new = _numbers(node for node in nodes if node["fate"] == "new")
    return f"node {new} is new and young"


def _polled(nodes: list[Row], before: list[Row]) -> str:
    left = next(node for node in before if node["head"])["node"]
    if any(node["head"] and node["node"] == left for node in nodes):
        died = _numbers(node for node in nodes if not node["alive"] and _lived(node, before))
        return f"the queue runs empty, so node {left} is the head again, without a link; node {died} is dead"
    link = next(node for node in nodes if node["node"] == left)["next"]
    rest: str = (
        "points at nothing" if pd.isna(link) else "points at itself" if link == left else f"still points at {link}"
    )
    head = _numbers(node for node in nodes if node["head"])
    return f"node {head} is the head now; node {left} is dead and {rest}"


def _lived(node: Row, before: list[Row]) -> bool:
    return any(other["alive"] for other in before if other["node"] == node["node"])


def _young(nodes: list[Row], before: list[Row]) -> str:
    pointers = [f"{node['node']} → {node['next']}" for node in _there(before) if _crosses(node, before)]
    roots = f"its roots are the queue and every pointer from old to young ({', '.join(pointers) or 'none'})"
    dead = _numbers(node for node in _there(nodes) if not node["alive"] and node["area"] == "young")
    held = _numbers(n for n in _there(nodes) if not n["alive"] and n["fate"] == "promoted")
    facts = {"collected": _fated(nodes, "collected"), "promoted": _fated(nodes, "promoted"), "dead among these": held}
    said = "; ".join([roots, *(f"{name}: {numbers}" for name, numbers in facts.items() if numbers)])
    return f"{said}; dead, but kept among the young: {dead}" if dead else said


def _full(nodes: list[Row], before: list[Row]) -> str:  # noqa: ARG001 - as the others
    gone = _fated(nodes, "collected")
    old = _numbers(node for node in _there(nodes))
    return f"what the queue does not reach is collected ({gone or 'nothing'}), and what lives is old now ({old})"


def _fated(nodes: Iterable[Row], fate: str) -> str:
    return _numbers(node for node in nodes if node["fate"] == fate)


def _numbers(nodes: Iterable[Row]) -> str:
    return ", ".join(str(node["node"]) for node in nodes)


def _crosses(node: Row, nodes: list[Row]) -> bool:
    """Whether an old node points at a young one: a root for a young collection."""
    area = {other["node"]: other["area"] for other in _there(nodes)}
    return bool(node["area"] == "old" and pd.notna(node["next"]) and area.get(node["next"]) == "young")


def _svg(nodes: list[Row], across: int, words: str) -> str:
    width = LEFT + ACROSS * across
    lanes = "".join(_lane(area, y, width) for area, y in LANES.items())
    arrows = "".join(_arrow(node, nodes) for node in _there(nodes))
    boxes = "".join(_box(node) for node in nodes)
    head = "".join(_head(node) for node in nodes if node["head"])
    view = f"viewBox='0 0 {width} 234' style='width:100%;max-width:{width}px;height:auto;display:block'"
    tips = MARKERS if arrows else ""
    return f"<svg {view} role='img' aria-label='{escape(words, quote=True)}'>{tips}{lanes}{arrows}{boxes}{head}</svg>"


MARKERS = "<defs>" + "".join(
    f"<marker id='sl-tip-{name}' markerWidth='9' markerHeight='9' refX='8' refY='4.5' orient='auto' "
    f"markerUnits='userSpaceOnUse'><path d='M0,0 L9,4.5 L0,9 z' style='fill:{color}'/></marker>"
    for name, color in (("plain", "var(--sl-ink)"), ("dead", "var(--sl-unpolled)"))
) + "</defs>"  # fmt: skip


def _lane(area: str, y: int, width: int) -> str:
    frame = f"<rect x='1' y='{y - 40}' width='{width - 2}' height='88' rx='6' style='fill:none;stroke:var(--sl-line)'/>"
    return f"{frame}<text x='10' y='{y}' font-size='14'>{area}</text>" + _text(10, y + 17, "generation", 12)


def _text(x: float, y: float, text: str, size: int, more: str = "") -> str:
    return f"<text x='{x}' y='{y}' font-size='{size}' {more}>{escape(text)}</text>"


def _place(node: Row) -> tuple[float, float]:
    """The middle of the node's box: its number goes across, and its generation is the lane."""
    return LEFT + ACROSS * (int(node["node"]) - 1) + ACROSS / 2 - 8, LANES[str(node["area"])]


def _box(node: Row) -> str:
    x, y = _place(node)
    shape = f"x='{x - WIDE / 2}' y='{y - HIGH / 2}' width='{WIDE}' height='{HIGH}' rx='5'"
    middle = "text-anchor='middle'"
    if node["fate"] == "collected":
        return f"<rect {shape} style='fill:none;stroke:var(--sl-faint);stroke-dasharray:2 4'/>" + _text(
            x, y + 5, "gone", 13, middle
        )
    look = NODES[(str(node["area"]), bool(node["alive"]))]
    line = "stroke-width:2" if node["alive"] else "stroke-width:2;stroke-dasharray:5 3"
    number = f"{middle} style='fill:{style.ink_on(look.color)};font-weight:bold'"
    below = " ".join(filter(None, ["" if node["alive"] else "dead", str(node["fate"])]))
    return (
        f"<rect {shape} style='fill:{look.color};stroke:var(--sl-ink);{line}'/>"
        + _text(x, y + 6, str(node["node"]), 17, number)
        + _text(x, y + HIGH / 2 + 15, below, 12, middle)
    )


def _head(node: Row) -> str:
    x, y = _place(node)
    return _text(x, y - HIGH / 2 - 6, "head ▼", 13, "text-anchor='middle' style='font-weight:bold'")


def _arrow(node: Row, nodes: list[Row]) -> str:
    """The node's link; those of dead nodes are dashed, and in the colour of what is wrong."""
    target = next((other for other in _there(nodes) if other["node"] == node["next"]), None)
    if target is None:
        return ""
    color, dash, tip = ("ink", "", "plain") if node["alive"] else ("unpolled", "stroke-dasharray:6 3;", "dead")
    look = f"style='fill:none;stroke:var(--sl-{color});stroke-width:2;{dash}' marker-end='url(#sl-tip-{tip})'"
    return f"<path d='{_way(node, target)}' {look}/>"


def _way(node: Row, target: Row) -> str:
    (x1, y1), (x2, y2) = _place(node), _place(target)
    if node["node"] == target["node"]:
        return f"M{x1 + 10},{y1 - HIGH / 2} q4,-20 -10,-20 q-14,0 -10,18"
    if y1 == y2:
        return f"M{x1 + WIDE / 2},{y1} L{x2 - WIDE / 2 - 2},{y2}"
    up = -1 if y2 < y1 else 1
    return f"M{x1 + 12},{y1 + up * HIGH / 2} L{x2 - WIDE / 2 - 2},{y2 - up * 8}"


def _note() -> str:
    return (
        "Computed by the rules of a queue and of two generations, as Serial keeps them with MaxTenuringThreshold=1: "
        "a node is promoted in the second young collection that it survives. No JVM was asked."
    )


def _stills(queues: dict[str, pd.DataFrame]) -> Iterable[str]:
    """A table for each queue, or a sentence where its nodes live and die as those of the one before."""
    before = None
    for name, rows in queues.items():
        places = rows[["step", "node", "area", "alive", "fate"]].reset_index(drop=True)
        alike = before is not None and places.equals(before)
        same = f"<p>{_parting(name)}: in each step the same nodes live and are collected.</p>"
        yield same if alike else _table(name, rows)
        before = places


def _parting(name: str) -> str:
    return f"A polled node: {escape(PARTINGS.get(name, name))}"


def _table(name: str, rows: pd.DataFrame) -> str:
    """The steps in words, for those who read the page without the script."""
    parts = [part.to_dict("records") for _, part in rows.groupby("step", sort=True)]
    lines = [
        {"what happens": _sentence(nodes, before), **{area: _listed(nodes, area) for area in LANES}}
        for nodes, before in zip(parts, [[], *parts], strict=False)
    ]
    head = f"<p>{_parting(name)}</p>"
    return head + pd.DataFrame(lines).rename(columns={area: f"{area} nodes" for area in LANES}).to_html(border=0)


def _listed(nodes: list[Row], area: str) -> str:
    here = [node for node in _there(nodes) if node["area"] == area]
    return ", ".join(f"{node['node']}{'' if node['alive'] else ' (dead)'}" for node in here)


def _finding(frame: pd.DataFrame) -> str:
    """What is left after the last young collection; of several queues, what is left at most."""
    young = frame[frame["event"] == "young collection"]
    if young.empty:
        return f"{frame['step'].max()} steps of a queue"
    last = young[young["step"] == young["step"].max()]
    dead = [_dead(nodes) for _, nodes in last.groupby("parting", sort=False)]
    held = [sum(bool(node["held_by"]) for node in nodes) for nodes in dead]
    there = [len(nodes) for nodes in dead]
    many = f"{_most(there) or 'no'} dead node{' is' if max(there) < 2 else 's are'} in the heap"
    return f"After the last young collection {many}, {_most(held) or 'none'} kept by another dead one"


def _dead(nodes: pd.DataFrame) -> list[Row]:
    return [node for node in _there(nodes.to_dict("records")) if not node["alive"]]


def _most(numbers: list[int]) -> str:
    """
    >>> _most([2, 2]), _most([0, 1]), _most([0])
    ('2', 'at most 1', '')
    """
    most = max(numbers)
    return f"{'at most ' * (min(numbers) < most)}{most}" if most else ""
