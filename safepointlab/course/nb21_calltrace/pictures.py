"""The pictures of lesson 21: how a stack is walked from three places, what is lost, and who is blamed for a neighbour.

    stack_walk()      boxes: where the walk starts, and how far it gets
    lost(sweep)       StubTime: the share of the samples that each kind of work loses
    skid(run)         Neighbours: who takes the time, by the clock and by samples

In `stack_walk` a caller is below those that it calls, as in a flame graph. The frames of a stack that is not found are
grey and hatched; those that the walk leaves out are white.
"""

from typing import Any, NamedTuple

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from safepointlab.course.nb21_calltrace import experiments
from safepointlab.course.nb21_calltrace.shares import shares
from safepointlab.plot import _alternative, _spoken, style
from safepointlab.plot._picture import picture
from safepointlab.plot.by_jdk import by_jdk
from safepointlab.run.load import runs

COLUMN, BOX, HIGH, STEP = 3.1, 1.6, 0.52, 0.95  # inches: of a stack with its texts, of a box, and from box to box
LINE, BELOW = 0.2, 0.32  # inches from line to line, and from the stacks to the first line below them
FOUND = style.Look("found", "#0B3C6F")
LEFT_OUT = style.Look("left out", style.PAPER)
LOST = style.Look("not found", "#E4E4E4", "///")
TITLE = "The stack of a thread in a stub is lost:\nno table says how large the stub's frame is"


class Walk(NamedTuple):
    """Where a thread is, its stack from the outermost frame, where the walk starts, by what, and how it ends."""

    where: str
    frames: tuple[str, ...]
    start: int | None  # the place in `frames`; None if the stack is not found
    knows: str
    outcome: str

    def look(self, place: int) -> style.Look:
        """How the frame at this place is drawn."""
        return LOST if self.start is None else FOUND if place <= self.start else LEFT_OUT


WALKS = (
    Walk(
        "in a compiled method",
        ("StubTime.main", "StubTime.loop"),
        1,
        "its code has a table:\nhow large the frame is",
        "stack found",
    ),
    Walk(  # no method is named: Adler32.updateBytes, the page's example, is native up to 16 only (JDK-8266332)
        "in native code",
        ("StubTime.main", "native method", "its C function"),
        1,
        "the thread left a note:\nits last Java frame",
        "stack found",
    ),
    Walk(  # the frame_size() of the stubs' blob is 0, so frame::safe_for_sender refuses
        "in a stub",
        ("StubTime.main", "StubTime.copy", "stub"),
        None,
        "no table says how\nlarge the stub's frame is",
        "−5, unknown_Java:\nthe whole stack is lost",
    ),
)


@picture("lab.sweep of calltrace/StubTime", "jdk", "args", "run", "lost")
def lost(frame: pd.DataFrame) -> Axes:
    """Draw the share of the samples that each kind of work loses, in percent; the title says where that is most."""
    title = experiments.where_lost(experiments.lost_by_work(frame))
    counts = [int(run.stacks["count"].sum()) for run in runs(frame)] or [0]
    what = f"share of {style.count_of(counts, 'sample')} lost"
    works = frame["args"].astype(str).str.split().str[0]
    look: dict[str, Any] = {"what": what, "unit": "%", "log_scale": False, "title": title.replace("; ", ";\n", 1)}
    return by_jdk(frame.assign(work=works), y="lost", by="work", **look)


def skid(run: Any) -> Axes:
    """Draw who takes the time of the loop with the division in Neighbours, by the clock and by samples.

    Raises:
        BadInput: the run is none of Neighbours under async-profiler.
    """
    parts = experiments.blamed(run)
    taken, (loop, _, innocent) = float(parts["share"].iloc[0]), experiments.samples_of_street(run)
    named = f"{innocent:,} of {loop:,} samples name its neighbour, innocent()"
    title = f"{run.jdk.label}: the division in guilty() takes {100 * taken:.0f} % of the time;\n{named}"
    return shares(parts, None, title, "share")


def stack_walk() -> Axes:
    """Draw the stacks of WALKS side by side."""
    highest = max(len(walk.frames) for walk in WALKS)
    ax = style.canvas(None, COLUMN * len(WALKS), 2.6 + STEP * highest)
    ax.set_axis_off()
    for number, walk in enumerate(WALKS):
        x = number * COLUMN
        for place, name in enumerate(walk.frames):
            _draw_box(ax, x, place * STEP, name, walk.look(place))
        _draw_walk(ax, x, walk)
        _write(ax, x, STEP * highest, walk.where, style.TEXT_PT, fontweight="bold")
        _write(ax, x, -BELOW, walk.knows)
        found = walk.start is not None
        look: dict[str, Any] = {"fontweight": "bold", "color": FOUND.color if found else style.BAD}
        _write(ax, x, -BELOW - 2.65 * LINE, f"{'✓' if found else '✗'} {walk.outcome}", **look)
    ax.set(xlim=(-0.05, COLUMN * len(WALKS) - 0.05), ylim=(-BELOW - 4.15 * LINE, STEP * highest + 0.3))
    style.finding(ax, TITLE)
    _alternative.own(ax, " ".join(map(in_words, WALKS)))
    _spoken.speak(ax)
    return ax


def _draw_box(ax: Axes, x: float, y: float, name: str, look: style.Look) -> None:
    edge: dict[str, Any] = {"ec": style.INK if look is not LOST else style.MUTED, "lw": 1.6, "hatch": look.hatch}
    dashes = "-" if look is FOUND else "--"
    ax.add_patch(FancyBboxPatch((x, y), BOX, HIGH, "round,pad=0,rounding_size=0.06", fc=look.color, ls=dashes, **edge))
    paper = {"facecolor": look.color, "edgecolor": "none", "pad": 1.5}  # no hatch behind letters
    at: dict[str, Any] = {"ha": "center", "va": "center_baseline", "color": style.ink_on(look.color), "bbox": paper}
    ax.text(x + BOX / 2, y + HIGH / 2, name, fontsize=style.SMALL_PT, **at)


def _draw_walk(ax: Axes, x: float, walk: Walk) -> None:
    """An arrow for each step of the walk, or a question mark where it ends; and marks where the thread is."""
    innermost, middle = len(walk.frames) - 1, x + BOX / 2
    if walk.start is None:
        font: dict[str, Any] = {"fontsize": 26, "fontweight": "bold", "color": style.BAD}
        ax.text(middle, innermost * STEP - (STEP - HIGH) / 2, "?", ha="center", va="center", **font)
    for place in range(1, (walk.start or 0) + 1):
        look: dict[str, Any] = {"arrowstyle": "-|>", "mutation_scale": 20, "lw": 2.4, "shrinkA": 0, "shrinkB": 0}
        ends = (middle, place * STEP), (middle, place * STEP - STEP + HIGH)
        ax.add_patch(FancyArrowPatch(*ends, color=style.INK, **look))
    marks = {innermost: "program\ncounter"}
    if walk.start is not None:
        here = f"{marks[innermost]}:\n" if walk.start == innermost else ""
        marks[walk.start] = f"{here}the walk\nstarts here"
    for place, text in marks.items():
        y = place * STEP + HIGH / 2
        ax.plot([x + BOX + 0.12], [y], "<", color=style.INK, ms=9, label="_mark")
        _write(ax, x + BOX + 0.26, y + LINE * text.count("\n") / 2 - 0.06, text)


def _write(ax: Axes, x: float, y: float, text: str, size: float = style.SMALL_PT, **look: Any) -> None:
    """Lines of text, the first one on this height: matplotlib's own distance depends on the letters in them."""
    for number, line in enumerate(text.split("\n")):
        ax.text(x, y - LINE * number, line, fontsize=size, va="baseline", **{"color": style.INK} | look)


def in_words(walk: Walk) -> str:
    """The picture of one stack for readers who can't see it."""
    stack = ", called by ".join(reversed(walk.frames))
    start = "The walk ends there"
    if walk.start is not None:
        found = walk.frames[walk.start :: -1]
        start = f"The walk starts at {found[0]} and finds {', '.join(found)}"
    where = walk.where[:1].upper() + walk.where[1:]
    knows, outcome = (text.replace("\n", " ") for text in (walk.knows, walk.outcome))
    return f"{where}: the program counter is in {stack}; {knows}. {start}: {outcome}."
