"""Two pictures in tiles: a queue's nodes in the heap after each step, and which collectors make the program wait.

    pictures.zombies(run)                    of nepotism/ZombieChain: a row for each step, a tile for each node
    pictures.collectors([classic, zgc])      sweeps of nepotism/NepotismQueue: a tile for each JDK and collector

A step has event ("offer and poll", "young collection", "full collection") and chain, one letter per node in the
order of the queue: o old, y young, - collected; a capital is the queue's live head, all others are dead.
"""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from safepointlab.course.nb07_nepotism import experiments as nepotism
from safepointlab.course.nb07_nepotism import output
from safepointlab.course.nb07_nepotism.pictures.looks import NODES
from safepointlab.plot import _tiles, style
from safepointlab.plot._picture import picture
from safepointlab.plot.promotion import KEPT_DEAD

LOOKS = {  # a letter of the chain -> how such a node looks
    "o": style.Look("o: old, dead", NODES["old", False].color),
    "y": style.Look("y: young, dead", NODES["young", False].color),
    "O": style.Look("O: old, the head", NODES["old", True].color),
    "Y": style.Look("Y: young, the head", NODES["young", True].color),
}
WORDS = {"immune": style.OUTCOMES["on time"], "NEPOTISM": style.Look("nepotism", KEPT_DEAD)}
WIDEST = 60  # tiles beside each other that can still be counted


@picture("a Run of nepotism/ZombieChain", "event", "chain", kind="output")
def zombies(run: Any, ax: Axes | None = None, title: str | None = None) -> Axes:
    """Draw the heap after each step that the program printed, the first on top."""
    steps = run if isinstance(run, pd.DataFrame) else output.read(run.output)
    longest = int(steps["chain"].str.len().max()) if len(steps) else 0
    ax = style.canvas(ax, height=1.4 + 0.42 * max(len(steps), 2))
    if not longest:
        return style.empty(ax, title or "No step was noted")
    for row, chain in enumerate(steps["chain"].str[:WIDEST]):
        for place, (letter, before) in enumerate(zip(chain, " " + chain, strict=False)):
            _tile(ax, row, place, letter, named=letter != before)
    ax.set(xlim=(-0.2, min(longest, WIDEST) + 0.2), ylim=(len(steps) - 0.4, -0.6))
    ax.set_yticks(range(len(steps)), list(steps["event"]))
    ax.set_xticks([])
    ax.tick_params(length=0, labelsize=style.SMALL_PT)
    ax.spines[["left", "bottom"]].set_visible(False)
    hidden = f" (the first {WIDEST} of {longest:,})" if longest > WIDEST else ""
    style.axis_names(ax, f"nodes in the order of the queue{hidden}; an empty place: collected")
    letters = set("".join(steps["chain"].str[:WIDEST]))
    style.key(ax, [look for letter, look in LOOKS.items() if letter in letters])
    style.finding(ax, title or _finding(steps))
    return ax


def _tile(ax: Axes, row: int, place: int, letter: str, named: bool) -> None:
    """Draw one node; the first of several alike carries the letter."""
    if letter == "-":
        ax.plot(place + 0.5, row, ".", color=style.LINE, ms=4)
        return
    look = LOOKS[letter]
    shape: dict[str, Any] = {"facecolor": look.color, "edgecolor": style.INK, "linewidth": 0.6}
    ax.add_patch(Rectangle((place + 0.08, row - 0.34), 0.84, 0.68, **shape))
    if named:
        ax.text(place + 0.5, row, letter, ha="center", va="center", fontsize=10, color=style.ink_on(look.color))


def dead(chain: str) -> int:
    """How many dead nodes are still in the heap.

    >>> dead("oy-yY")
    3
    """
    return sum(letter in "oy" for letter in chain)


def _finding(steps: pd.DataFrame) -> str:
    young = steps[steps["event"].str.startswith("young")]
    if young.empty:
        return "No young collection among these steps"
    last = young["chain"].iloc[-1]
    kept, polled = dead(last), len(last) - 1
    if not kept:
        return f"The young collections take each of the {polled:,} dead nodes"
    after = steps.loc[young.index[-1] :].iloc[1:]
    rest = f"; the full one leaves {dead(after['chain'].iloc[-1]):,}" if len(after) else ""
    times = f"{len(young)} young collections" if len(young) > 1 else "a young collection"
    return f"After {times} {kept:,} of {polled:,} dead nodes {'is' if kept == 1 else 'are'} still there{rest}"


@picture("sweeps of nepotism/NepotismQueue", "jdk", "gc", "flags", "args", "stopped_ms")
def collectors(frame: pd.DataFrame, ax: Axes | None = None, title: str | None = None) -> Axes:
    """Draw a tile for each JDK and collector: whether the program waits for a queue's dead nodes.

    Args:
        frame: a sweep, or a list of them, over a queue that keeps its links and one that cuts them, with the column
            stopped_ms, for how long the collector made the program wait. Below the word are both waits.
    """
    waits = nepotism.waits(frame)
    words = waits["nepotism"].map({True: "NEPOTISM", False: "immune"}).astype("string")
    cells = _tiles.matrix(waits, "jdk", "collector", words)
    ax = _tiles.canvas(ax, cells)
    if cells.empty:
        return style.empty(ax, title or "Nothing was run")
    _tiles.draw(ax, cells, WORDS, _both_ms)
    style.axis_names(ax, "ms that the program had to wait for the collector: links kept / links cut")
    style.finding(ax, title or _who_waits(waits))
    return ax


def _both_ms(_word: str, tile: pd.DataFrame) -> str:
    kept, cut = tile[["kept_ms", "cut_ms"]].median()
    return f"\n{kept:,.0f} / {cut:,.0f}"


def _who_waits(waits: pd.DataFrame) -> str:
    known = waits.dropna(subset="nepotism")
    by_age, keeps = known["generations"].astype(bool), known["nepotism"].astype(bool)
    if by_age.any() and (by_age == keeps).all():
        only = "With generations the program waits" if by_age.all() else "Only with generations does the program wait"
        return f"{only} for dead nodes"
    return f"{keeps.sum()} of {len(known)} combinations make the program wait for dead nodes"
