"""The pictures of lesson 21: how a stack is walked from three places, and who is blamed for the time of a neighbour.

    stack_walk()      boxes: where the walk starts, and how far it gets
    skid(run)         Neighbours: who takes the time, by the clock and by samples

In `stack_walk` a caller is below those that it calls, as in a flame graph. The frames of a stack that is not found are
grey and hatched, with a question mark where the walk ends; those that the walk leaves out are white.
"""

from textwrap import wrap
from typing import Any, NamedTuple

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from safepointlab.course.nb21_calltrace import experiments
from safepointlab.course.nb21_calltrace.shares import shares
from safepointlab.errors import BadInput
from safepointlab.plot import _alternative, style
from safepointlab.plot._picture import picture

COLUMN, BOX, HIGH, STEP = 3.1, 1.6, 0.52, 0.95  # inches: of a stack with its texts, of a box, and from box to box
LETTERS, WORDS = 15, 29  # of a frame's name in a line of its box, and of a line of text below the stack
FOUND = style.Look("found", "#0B3C6F")
LEFT_OUT = style.Look("left out", style.PAPER)
LOST = style.Look("not found", "#E4E4E4", "///")
HERE, START = "program\ncounter", "the walk\nstarts here"
LINE, BELOW = 0.2, 0.32  # inches from line to line, and from the stacks to the first line below them

WALKS = (  # where a thread is, its stack from the outermost frame, where the walk starts, by what, and how it ends
    (
        "in a compiled method",
        "StubTime.main;StubTime.loop",
        "StubTime.loop",
        "its code has a table: how large the frame is",
        True,
        "stack found",
    ),
    (  # no method is named: Adler32.updateBytes, the page's example, is native up to 16 only (JDK-8266332)
        "in native code",
        "StubTime.main;native method;its C function",
        "native method",
        "the thread left a note: its last Java frame",
        True,
        "stack found",
    ),
    (  # the frame_size() of the stubs' blob is 0, so frame::safe_for_sender refuses
        "in a stub",
        "StubTime.main;StubTime.copy;stub",
        "",
        "no table says how large this frame is",
        False,
        "−5, unknown_Java: the whole stack is lost",
    ),
)


class Walk(NamedTuple):
    """A stack, the place in it where the walk starts, and what comes of that."""

    where: str
    frames: list[str]
    start: int
    knows: str
    found: bool
    outcome: str

    @property
    def below(self) -> tuple[list[str], list[str]]:
        """The lines below the stack: what the walk knows, and what comes of it."""
        return _wrapped(self.knows), _wrapped(("✓ " if self.found else "✗ ") + self.outcome)

    def look(self, place: int) -> style.Look:
        """How the frame at this place is drawn."""
        if not self.found:
            return LOST
        return FOUND if place <= self.start else LEFT_OUT


def skid(run: Any, ax: Axes | None = None) -> Axes:
    """Draw who takes the time of the loop with the division in Neighbours, by the clock and by samples.

    Raises:
        BadInput: the run is none of Neighbours under async-profiler.
    """
    parts = experiments.blamed(run)
    taken, (loop, _, innocent) = float(parts["share"].iloc[0]), experiments.samples_of_street(run)
    named = f"{innocent:,} of {loop:,} samples name its neighbour, innocent()"
    title = f"{run.jdk.label}: the division in guilty() takes {100 * taken:.0f} % of the time;\n{named}"
    return shares(parts, ax, title, "share")


def walks() -> pd.DataFrame:
    """One row per place where a signal may interrupt a thread: its stack, and how far the walk gets.

    Returns:
        where; frames, from the outermost to the innermost, joined by ";"; start, the frame where the walk starts, or
        ""; knows, what the walk has to go by; found; outcome.
    """
    return pd.DataFrame(list(WALKS), columns=["where", "frames", "start", "knows", "found", "outcome"])


@picture("pictures.walks", "where", "frames", "start", "knows", "found", "outcome", of="frame")
def stack_walk(frame: pd.DataFrame | None = None, ax: Axes | None = None, title: str | None = None) -> Axes:
    """Draw the stacks of `walks` side by side, or those of a table with its columns."""
    frame = walks() if frame is None else frame
    stacks = [_walk(row) for row in frame.to_dict("records")]
    highest = max((len(walk.frames) for walk in stacks), default=1)
    ax = style.canvas(ax, COLUMN * max(len(stacks), 2), 2.6 + STEP * highest)
    ax.set_axis_off()
    if not stacks:
        return style.empty(ax, title or "No stack was walked")
    for number, walk in enumerate(stacks):
        _stack(ax, number * COLUMN, walk)
        _lines(ax, number * COLUMN, STEP * highest, [walk.where], style.TEXT_PT, fontweight="bold")
    bottom = _texts(ax, stacks)
    ax.set(xlim=(-0.05, COLUMN * max(len(stacks), 2) - 0.05), ylim=(bottom, STEP * highest + 0.3))
    style.finding(ax, title or _finding(stacks))
    _alternative.own(ax, " ".join(map(_in_words, stacks)))
    return ax


def _walk(row: dict[Any, Any]) -> Walk:
    frames, start = str(row["frames"]).split(";"), "" if pd.isna(row["start"]) else str(row["start"])
    if start and start not in frames:
        raise BadInput(f"The walk cannot start at “{start}”, which is no frame of {row['frames']}.")
    innermost = len(frames) - 1
    place = innermost - frames[::-1].index(start) if start else innermost
    return Walk(str(row["where"]), frames, place, str(row["knows"]), bool(row["found"]), str(row["outcome"]))


def _stack(ax: Axes, x: float, walk: Walk) -> None:
    """The boxes of a stack, and between them an arrow for each step of the walk."""
    for place, name in enumerate(walk.frames):
        _box(ax, x, place * STEP, name, walk.look(place))
        if walk.found and 0 < place <= walk.start:
            _arrow(ax, x + BOX / 2, place * STEP)
    if not walk.found and walk.start:
        _question(ax, x + BOX / 2, walk.start * STEP)
    _marks(ax, x, walk)


def _marks(ax: Axes, x: float, walk: Walk) -> None:
    """Where the thread was interrupted, and where the walk starts."""
    innermost = len(walk.frames) - 1
    both = walk.found and walk.start == innermost
    _mark(ax, x, innermost, f"{HERE}:\n{START}" if both else HERE)
    if walk.found and not both:
        _mark(ax, x, walk.start, START)


def _box(ax: Axes, x: float, y: float, name: str, look: style.Look) -> None:
    edge: dict[str, Any] = {"ec": style.INK if look is not LOST else style.MUTED, "lw": 1.6, "hatch": look.hatch}
    dashes = "-" if look is FOUND else "--"
    ax.add_patch(FancyBboxPatch((x, y), BOX, HIGH, "round,pad=0,rounding_size=0.06", fc=look.color, ls=dashes, **edge))
    paper = {"facecolor": look.color, "edgecolor": "none", "pad": 1.5}  # no hatch behind letters
    at: dict[str, Any] = {"ha": "center", "va": "center_baseline", "color": style.ink_on(look.color), "bbox": paper}
    ax.text(x + BOX / 2, y + HIGH / 2, _name(name), fontsize=style.SMALL_PT, linespacing=1.1, **at)


def _name(name: str) -> str:
    """The name of a frame, as long as its box allows: the class in a line of its own where both have no room in one.

    >>> _name("StubTime.main"), _name("ThreadImpl.getThreadTotalCpuTime0")
    ('StubTime.main', 'ThreadImpl.\\ngetThreadTotal…')
    """
    owner, dot, method = name.rpartition(".")
    lines = [name] if len(name) <= LETTERS else [owner + dot, method]
    return "\n".join(line if len(line) <= LETTERS else f"{line[: LETTERS - 1]}…" for line in lines if line)


def _arrow(ax: Axes, x: float, y: float) -> None:
    """From the frame whose box begins at this height to its caller."""
    look: dict[str, Any] = {"arrowstyle": "-|>", "mutation_scale": 20, "lw": 2.4, "shrinkA": 0, "shrinkB": 0}
    ax.add_patch(FancyArrowPatch((x, y), (x, y - STEP + HIGH), color=style.INK, **look))


def _question(ax: Axes, x: float, y: float) -> None:
    font: dict[str, Any] = {"fontsize": 26, "fontweight": "bold", "color": style.BAD}
    ax.text(x, y - (STEP - HIGH) / 2, "?", ha="center", va="center", **font)


def _mark(ax: Axes, x: float, place: int, text: str) -> None:
    """A small triangle at the right side of a box, and what is there."""
    y = place * STEP + HIGH / 2
    ax.plot([x + BOX + 0.12], [y], "<", color=style.INK, ms=9, label="_mark")
    lines = text.split("\n")
    _lines(ax, x + BOX + 0.26, y + LINE * (len(lines) - 1) / 2 - 0.06, lines, style.SMALL_PT)


def _texts(ax: Axes, walks: list[Walk]) -> float:
    """What each walk knows and what comes of it, below its stack; returns where the lowest line ends."""
    knows, outcomes = (max(map(len, lines)) for lines in zip(*(walk.below for walk in walks), strict=True))
    low = -BELOW - LINE * (knows + 0.65)
    for number, walk in enumerate(walks):
        _lines(ax, number * COLUMN, -BELOW, walk.below[0], style.SMALL_PT)
        look = {"fontweight": "bold", "color": FOUND.color if walk.found else style.BAD}
        _lines(ax, number * COLUMN, low, walk.below[1], style.SMALL_PT, **look)
    return low - LINE * outcomes + 0.1


def _lines(ax: Axes, x: float, y: float, lines: list[str], size: float, **look: Any) -> None:
    """Lines of text, the first one on this height: matplotlib's own distance depends on the letters in them."""
    for number, line in enumerate(lines):
        ax.text(x, y - LINE * number, line, fontsize=size, va="baseline", **{"color": style.INK} | look)


def _wrapped(text: str) -> list[str]:
    """Lines that have room below a stack, divided at a colon where both parts have room.

    >>> _wrapped("its code has a table: how large the frame is")
    ['its code has a table:', 'how large the frame is']
    """
    parts = text.replace(": ", ":\n", 1).split("\n")
    if all(len(part) <= WORDS for part in parts):
        return parts
    return wrap(text, len(text) // 2 + 4 if len(text) < 2 * WORDS - 8 else WORDS)  # two lines of like length


def _finding(walks: list[Walk]) -> str:
    """Where a thread's stack is lost, and why if it is one."""
    lost = [walk for walk in walks if not walk.found]
    if not lost:
        return "Each of these stacks is found"
    where = " or ".join(walk.where for walk in lost)
    short = len(lost) == 1 and 0 < len(lost[0].knows) < 2 * WORDS  # a line of the title
    why = f":\n{lost[0].knows}" if short else ""
    return f"The stack of a thread {where} is lost{why}"


def _in_words(walk: Walk) -> str:
    stack = ", called by ".join(reversed(walk.frames))
    walked = ", ".join(reversed(walk.frames[: walk.start + 1]))
    start = f"The walk starts at {walk.frames[walk.start]} and finds {walked}" if walk.found else "The walk ends there"
    where = walk.where[:1].upper() + walk.where[1:]
    return f"{where}: the program counter is in {stack}; {walk.knows}. {start}: {walk.outcome}."
