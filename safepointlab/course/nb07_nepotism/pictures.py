"""The pictures of page 07: a queue's nodes in the heap, the same to step through, and who waits for a collector.

    pictures.zombies(run)                    of nepotism/ZombieChain: a row for each step, a tile for each node
    pictures.queue_steps("full offer poll young", parting="unlink self")       the model of model.py; no JVM runs
    pictures.collectors([classic, zgc])      sweeps of nepotism/NepotismQueue: a tile for each JDK and collector

A step of ZombieChain has event ("offer and poll", "young collection", "full collection") and chain, one letter per node
in the order of the queue: o old, y young, - collected; a capital is the queue's live head, all others are dead.
"""

import re
from html import escape
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from safepointlab.course.nb07_nepotism import experiments as nepotism
from safepointlab.course.nb07_nepotism import model, output
from safepointlab.course.nb07_nepotism.model import Node, Step
from safepointlab.plot import _alternative, _tiles, style
from safepointlab.plot._picture import picture
from safepointlab.plot.interactive import Alive
from safepointlab.plot.promotion import KEPT_DEAD

# Blue is alive, orange is dead; the darker of each is old.
COLORS = {"O": "#0B3C6F", "o": KEPT_DEAD, "Y": "#9CCBE6", "y": "#FBE3B0"}
LOOKS = {
    letter: style.Look(f"{letter}: {name}", COLORS[letter])
    for letter, name in {"o": "old, dead", "y": "young, dead", "O": "old, the head", "Y": "young, the head"}.items()
}
WORDS = {"immune": style.OUTCOMES["on time"], "NEPOTISM": style.Look("nepotism", KEPT_DEAD)}
WIDEST = 60  # tiles in a row that can still be counted


@picture("a Run of nepotism/ZombieChain", "event", "chain", kind="output")
def zombies(run: Any) -> Axes:
    """Draw the heap after each step that the program printed, the first on top."""
    steps = run if isinstance(run, pd.DataFrame) else output.read(run.output)
    longest = int(steps["chain"].str.len().max()) if len(steps) else 0
    ax = style.canvas(None, height=1.4 + 0.42 * max(len(steps), 2))
    if not longest:
        return style.empty(ax, "No step was noted")
    chains = steps["chain"].str[:WIDEST]
    for row, chain in enumerate(chains):
        for place, (letter, before) in enumerate(zip(chain, " " + chain, strict=False)):
            _tile(ax, row, place, letter, named=letter != before)
    ax.set(xlim=(-0.2, min(longest, WIDEST) + 0.2), ylim=(len(steps) - 0.4, -0.6))
    ax.set_yticks(range(len(steps)), _events(steps))
    ax.set_xticks([])
    ax.tick_params(length=0, labelsize=style.SMALL_PT)
    ax.spines[["left", "bottom"]].set_visible(False)
    hidden = f" (the first {WIDEST} of {longest:,})" if longest > WIDEST else ""
    style.axis_names(ax, f"nodes in the order of the queue{hidden}\nno letter: as the one before; a dot: collected")
    style.key(ax, [look for letter, look in LOOKS.items() if letter in "".join(chains)])
    style.finding(ax, _left_over(steps))
    _alternative.own(ax, _in_words(steps))
    return ax


def _events(steps: pd.DataFrame) -> list[str]:
    """The name of each row: its event, and how often, where it made several nodes."""
    made = steps["chain"].str.len().diff().fillna(0)
    named = zip(steps["event"], made, strict=True)
    return [f"{event}, {count:.0f} times" if count > 1 else str(event) for event, count in named]


def _tile(ax: Axes, row: int, place: int, letter: str, named: bool) -> None:
    """Draw one node; the first of several alike carries the letter."""
    if letter == "-":
        ax.plot(place + 0.5, row, ".", color=style.LINE, ms=4)
        return
    color = COLORS[letter]
    shape: dict[str, Any] = {"facecolor": color, "edgecolor": style.INK, "linewidth": 0.6}
    ax.add_patch(Rectangle((place + 0.08, row - 0.34), 0.84, 0.68, **shape))
    if named:
        ax.text(place + 0.5, row, letter, ha="center", va="center", fontsize=10, color=style.ink_on(color))


def _left_over(steps: pd.DataFrame) -> str:
    """What the young collections leave of the dead nodes, and what a full one then does."""
    young = steps[steps["event"].str.startswith("young")]
    if young.empty:
        return "No young collection among these steps"
    last = young["chain"].iloc[-1]
    kept, polled = last.count("o") + last.count("y"), len(last) - 1
    if not kept:
        return f"The young collections free all {polled:,} dead nodes"
    after = steps.loc[young.index[-1] :].iloc[1:]
    left = after["chain"].str.count("[oy]").iloc[-1] if len(after) else 0
    rest = f"; the full one leaves {left or 'none'}" if len(after) else ""
    times = f"{len(young)} young collections" if len(young) > 1 else "a young collection"
    return f"After {times}, {kept:,} of {polled:,} dead nodes {'is' if kept == 1 else 'are'} still there{rest}"


def _in_words(steps: pd.DataFrame) -> str:
    """Step by step what is in the heap: "Offer and poll: 1 old dead, 2 young dead, a young head." """
    said = []
    for event, chain in steps[["event", "chain"]].itertuples(index=False):
        dead = [
            f"{count} {age} dead" for age, count in (("old", chain.count("o")), ("young", chain.count("y"))) if count
        ]
        head = {"O": ["the old head"], "Y": ["the young head"]}.get(chain[-1:], [])
        said.append(f"{str(event).capitalize()}: {', '.join([*dead, *head]) or 'nothing'}.")
    return " ".join(said)


@picture("sweeps of nepotism/NepotismQueue", "jdk", "gc", "flags", "args", "stopped_ms")
def collectors(frame: pd.DataFrame) -> Axes:
    """Draw a tile for each JDK and collector: whether the program waits for a queue's dead nodes.

    Args:
        frame: a sweep, or a list of them, over a queue that keeps its links and one that cuts them, with the column
            stopped_ms: how long the program waited for the collector. Below the word are both waits.
    """
    waits = nepotism.waits(frame)
    words = waits["nepotism"].map({True: "NEPOTISM", False: "immune"}).astype("string")
    cells = _tiles.matrix(waits, "jdk", "collector", words)
    ax = _tiles.canvas(None, cells)
    if cells.empty:
        return style.empty(ax, "Nothing was run")
    _tiles.draw(ax, cells, WORDS, lambda _, tile: "\n{:,.0f} / {:,.0f}".format(*tile[["kept_ms", "cut_ms"]].median()))
    heaps = {heap for flags in waits["flags"] for heap in re.findall(r"-Xmx(\d+)m", flags)}
    heap = f", in a heap of {heaps.pop()} MB" if len(heaps) == 1 else ""
    style.axis_names(ax, f"ms that the program waits for the collector{heap}: links kept / links cut")
    known = waits.dropna(subset="nepotism")
    by_age, keeps = known["generations"].astype(bool), known["nepotism"].astype(bool)
    finding = f"{keeps.sum()} of {len(known)} combinations make the program wait for dead nodes"
    if by_age.any() and (by_age == keeps).all():
        finding = f"{'C' if by_age.all() else 'Only c'}ollectors with generations make the program wait for dead nodes"
    style.finding(ax, finding)
    return ax


PARTINGS = {
    "keep": "keep its link",
    "unlink": "cut its link",
    "self": "link it to itself",
    "reuse": "go back to the empty node",
}
LEFT, ACROSS, WIDE, HIGH = 92, 78, 52, 42  # pixels: the lanes' names, from node to node, a box
LANES = {"young": 74, "old": 170}
NOTE = (
    "Computed without a JVM, by the rules of a queue and of Serial's two generations with MaxTenuringThreshold=1: "
    "a node is promoted in the second young collection that it survives."
)


def queue_steps(events: str = model.USUAL, parting: str = "keep") -> Alive:
    """Draw the steps; with several partings the reader chooses one of them.

    Args:
        events: what is done, of "offer", "poll", "young" and "full" (collections).
        parting: what `poll` does about the node that it leaves behind, of "keep", "unlink", "self" and "reuse".

    Raises:
        BadInput: an unknown word, or a poll of an empty queue.
    """
    queues = {name: model.play(events, name) for name in parting.split()}
    across = max(step.made for steps in queues.values() for step in steps)
    drawn = {
        PARTINGS[name]: [{"title": step.sentence, "html": _svg(step, across)} for step in steps]
        for name, steps in queues.items()
    }
    finding = _held_by_dead(list(queues.values()))
    still, before = f"<p><b>{escape(finding)}</b></p>", None
    for name, steps in queues.items():
        places = [[(node.number, node.area, node.alive, node.fate) for node in step.nodes] for step in steps]
        polled = f"When a node is polled: {escape(PARTINGS[name])}"
        if places == before:
            still += f"<p>{polled}: in each step the same nodes live and are collected as above.</p>"
        else:
            still += f"<p>{polled}</p>{_table(steps)}"
        before = places
    return Alive("steps", {"choose": "When a node is polled:", "of": drawn, "note": NOTE}, still, finding)


def _held_by_dead(queues: list[list[Step]]) -> str:
    """What is left after the last young collection; of several queues, what is left at most."""
    young = [[step for step in steps if step.event == "young collection"] for steps in queues]
    if not young[0]:
        return f"{len(queues[0]) - 1} steps of a queue"
    dead, held = list[int](), list[int]()
    for steps in young:
        there = {node.number for node in steps[-1].there if not node.alive}
        links = {node.next for node in steps[-1].there if node.next != node.number}
        dead.append(len(there))
        held.append(len(there & links))
    many = f"{_most(dead) or 'no'} dead node{' is' if max(dead) < 2 else 's are'} in the heap"
    if max(dead) == 1 and not max(held):
        return f"After the last young collection, {many}, and no other dead node keeps it"
    return f"After the last young collection, {many}, {_most(held) or 'none'} of them kept by another dead node"


def _most(numbers: list[int]) -> str:
    """
    >>> _most([2, 2]), _most([0, 1]), _most([0])
    ('2', 'at most 1', '')
    """
    return f"{'at most ' * (min(numbers) < max(numbers))}{max(numbers)}" if max(numbers) else ""


def _table(steps: list[Step]) -> str:
    """The steps in words, for readers of the page without the script."""
    lines = []
    for step in steps:
        line = {"what happens": step.sentence}
        for area in LANES:
            here = [f"{node.number}{'' if node.alive else ' (dead)'}" for node in step.there if node.area == area]
            line[f"{area} nodes"] = ", ".join(here)
        lines.append(line)
    return pd.DataFrame(lines).to_html(border=0)


def _svg(step: Step, across: int) -> str:
    width = LEFT + ACROSS * across
    lanes = ""
    for area, y in LANES.items():
        box = f"x='1' y='{y - 40}' width='{width - 2}' height='88' rx='6'"
        lanes += (
            f"<rect {box} style='fill:none;stroke:var(--sl-line)'/><text x='10' y='{y}' font-size='14'>{area}</text>"
        )
        lanes += _text(10, y + 17, "generation", 12)
    there = {node.number: node for node in step.there}
    arrows = "".join(_arrow(node, there[node.next]) for node in step.there if node.next in there)
    boxes = "".join(map(_box, step.nodes))
    view = f"viewBox='0 0 {width} 234' style='width:100%;max-width:{width}px;height:auto;display:block'"
    label = escape(step.sentence, quote=True)
    tips = MARKERS if arrows else ""
    heads = "".join(_head(node) for node in step.nodes if node.head)
    return f"<svg {view} role='img' aria-label='{label}'>{tips}{lanes}{arrows}{boxes}{heads}</svg>"


MARKERS = "<defs>" + "".join(
    f"<marker id='sl-tip-{name}' markerWidth='9' markerHeight='9' refX='8' refY='4.5' orient='auto' "
    f"markerUnits='userSpaceOnUse'><path d='M0,0 L9,4.5 L0,9 z' style='fill:{color}'/></marker>"
    for name, color in (("plain", "var(--sl-ink)"), ("dead", "var(--sl-unpolled)"))
) + "</defs>"  # fmt: skip


def _text(x: float, y: float, text: str, size: int, more: str = "") -> str:
    return f"<text x='{x}' y='{y}' font-size='{size}' {more}>{escape(text)}</text>"


def _place(node: Node) -> tuple[float, float]:
    """The middle of the node's box: its number goes across, and its generation is the lane."""
    return LEFT + ACROSS * (node.number - 1) + ACROSS / 2 - 8, LANES[node.area]


def _head(node: Node) -> str:
    x, y = _place(node)
    return _text(x, y - HIGH / 2 - 6, "head ▼", 13, "text-anchor='middle' style='font-weight:bold'")


def _box(node: Node) -> str:
    x, y = _place(node)
    shape = f"x='{x - WIDE / 2}' y='{y - HIGH / 2}' width='{WIDE}' height='{HIGH}' rx='5'"
    middle = "text-anchor='middle'"
    if node.fate == "collected":
        gone = f"<rect {shape} style='fill:none;stroke:var(--sl-faint);stroke-dasharray:2 4'/>"
        return gone + _text(x, y + 5, "gone", 13, middle)
    color = COLORS[node.area[0].upper() if node.alive else node.area[0]]
    line = "stroke-width:2" if node.alive else "stroke-width:2;stroke-dasharray:5 3"
    number = f"{middle} style='fill:{style.ink_on(color)};font-weight:bold'"
    below = " ".join(filter(None, ["" if node.alive else "dead", node.fate]))
    box = f"<rect {shape} style='fill:{color};stroke:var(--sl-ink);{line}'/>"
    return box + _text(x, y + 6, str(node.number), 17, number) + _text(x, y + HIGH / 2 + 15, below, 12, middle)


def _arrow(node: Node, target: Node) -> str:
    """The node's link; those of dead nodes are dashed, and in the colour of what is wrong."""
    (x1, y1), (x2, y2) = _place(node), _place(target)
    if node == target:
        way = f"M{x1 + 10},{y1 - HIGH / 2} q4,-20 -10,-20 q-14,0 -10,18"
    elif y1 == y2:
        way = f"M{x1 + WIDE / 2},{y1} L{x2 - WIDE / 2 - 2},{y2}"
    else:
        up = -1 if y2 < y1 else 1
        way = f"M{x1 + 12},{y1 + up * HIGH / 2} L{x2 - WIDE / 2 - 2},{y2 - up * 8}"
    color, dash, tip = ("ink", "", "plain") if node.alive else ("unpolled", "stroke-dasharray:6 3;", "dead")
    look = f"style='fill:none;stroke:var(--sl-{color});stroke-width:2;{dash}' marker-end='url(#sl-tip-{tip})'"
    return f"<path d='{way}' {look}/>"
