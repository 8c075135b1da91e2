"""The bytecode of one method -> its loops as blocks: where the test is, where they are entered, and where they go back.

    plot.loop_shape(run, "EnteredOnce::countOdds")
    plot.loop_shape({"javac": javac_program, "ecj": ecj_program}, "EclipseHangs::outer")    side by side

javac tests a loop at its top and goes back by a goto; ecj tests it at the bottom, where the jump back is, and enters it
by a jump to the test. All that is drawn is in the class file, but for two things: ◆ is where OSR enters, which is the
target of the back edge, with the compilers that used it if the Run logged compiles; and whether the loop has a poll is
said only where the Run captured machine code (log="assembly=..."), of its last compile of the highest tier.
"""

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import FancyBboxPatch

from safepointlab.errors import BadInput, LabError
from safepointlab.logs import bytecode as reader
from safepointlab.plot import _alternative, _listing, style
from safepointlab.plot._loop_blocks import AT_THE_BOTTOM, AT_THE_TOP, BODY_FIRST, Block, Loop, blocks_of, loops_of
from safepointlab.plot._picture import picture
from safepointlab.plot.code import one_compile

WIDTH, LEFT, RIGHT = 5.4, 1.0, 0.85  # inches: of one method's column, of the margin for jumps back, of that for exits
LINE, PAD, GAP = 0.22, 0.14, 0.3  # inches: a line of text, around the text of a block, between blocks
INDENT = 0.12  # inches for each loop around a block
STEP = 0.3  # inches between neighbouring jumps back
POLLED, UNPOLLED = "#0B3C6F", style.BAD
LOOKS = {True: ("poll", POLLED, "-"), False: ("NO POLL", UNPOLLED, "--"), None: ("", style.INK, "-")}
FILL = ("#FFFFFF", "#EAF1F8", "#CFE0F0", "#B5D0E8")  # by the number of loops around: the deeper, the darker
WORDS = {
    AT_THE_TOP: "test at the top, goto back",
    AT_THE_BOTTOM: "test at the bottom, entered by a jump",
    BODY_FIRST: "body first, then the test",
}
Subjects = Any | Mapping[str, Any]


@picture("a Run, a Program, a frame of logs.bytecode, or a mapping of these", "method", "bci", "opcode", kind="source")
def loop_shape(subject: Subjects, method: str, ax: Axes | None = None, title: str | None = None) -> Axes:
    """Draw the loops of a method, any part of `pkg.Class::name`; several subjects stand side by side.

    Raises:
        BadInput: there is no such method.
    """
    subjects = dict(subject) if isinstance(subject, Mapping) else {"": subject}
    subjects = {name: one for name, one in subjects.items() if not (isinstance(one, pd.DataFrame) and one.empty)}
    shapes = {name: _Shape(one, method) for name, one in subjects.items()}
    ax = style.canvas(ax, WIDTH * max(len(shapes), 1), 0.9 + max((one.height for one in shapes.values()), default=2.0))
    if not any(shape.loops for shape in shapes.values()):
        return style.empty(ax, title or f"{method}: no branch goes back, so there is no loop")
    ax.set(
        xlim=(0, WIDTH * len(shapes)), ylim=(max(one.height for one in shapes.values()), -0.35), xticks=[], yticks=[]
    )
    ax.spines[["left", "bottom"]].set_visible(False)
    for place, (name, shape) in enumerate(shapes.items()):
        _draw(ax, WIDTH * place, name, shape)
    style.finding(ax, title or _finding(method, shapes))
    _alternative.own(ax, " ".join(_spoken(name, shape) for name, shape in shapes.items()))
    return ax


class _Shape:
    """One method of one subject: its blocks and loops, and what the run tells of them beyond the class file."""

    def __init__(self, subject: Any, method: str) -> None:
        opcodes = _of_method(_opcodes(subject), method)
        self.loops = loops_of(opcodes)
        self.blocks = blocks_of(opcodes, self.loops) if self.loops else []
        name = str(opcodes["method"].iloc[0])
        self.entered = _entered(subject, name)
        self.texts = [self._osr(block) + list(block.text) for block in self.blocks]
        self.heights = [LINE * (len(text) + 1) + PAD for text in self.texts]
        self.height = sum(self.heights) + GAP * len(self.heights) + 0.1
        self.tops = [sum(self.heights[:n]) + GAP * n + 0.1 for n in range(len(self.heights))]
        self.code, self.polls = _polls(subject, name, opcodes)

    def _osr(self, block: Block) -> list[str]:
        """A line for a block at which OSR enters: with the compilers that the log names, or as a possibility."""
        if all(loop.header != block.first for loop in self.loops):
            return []
        by = self.entered.get(block.first)
        return [f"◆ OSR entry at {block.first}: {by}" if by else f"◆ OSR would enter at {block.first}"]

    def place(self, bci: int) -> int:
        """The number of the block that holds the bytecode."""
        return next(n for n, block in enumerate(self.blocks) if block.first <= bci <= block.last)

    def polled(self, loop: Loop) -> bool | None:
        """Whether the machine code has a poll in that loop; None: not known, or not the same in all its copies."""
        verdicts = set(self.polls.get(-1 if loop.line is None else loop.line, []))
        return verdicts.pop() if len(verdicts) == 1 else None


def _opcodes(subject: Any) -> pd.DataFrame:
    if isinstance(subject, pd.DataFrame):
        return subject
    if hasattr(subject, "javap"):
        return reader.read(subject.javap().splitlines())
    frame: pd.DataFrame = subject.bytecode
    return frame


def _of_method(opcodes: pd.DataFrame, method: str) -> pd.DataFrame:
    """The bytecodes of the first method whose name ends with `method`, else contains it; of its overloads the first."""
    names = [str(name) for name in opcodes["method"].dropna().unique()]
    fitting = [name for name in names if name.endswith(method)] + [name for name in names if method in name]
    if not fitting or not method:
        raise BadInput(f"plot.loop_shape: no method {method!r} here. There are {', '.join(names[:12])}.")
    own: pd.DataFrame = opcodes[opcodes["method"] == fitting[0]]
    first: pd.DataFrame = own[own["parameters"] == own["parameters"].iloc[0]]
    return first


def _captured(subject: Any, kind: str) -> pd.DataFrame | None:
    """A table of the Run; None where it has none, as that log was not captured."""
    try:
        frame = getattr(subject, kind, None)
    except LabError:
        return None
    return frame if isinstance(frame, pd.DataFrame) and len(frame) else None


def _entered(subject: Any, method: str) -> dict[int, str]:
    """Bci -> the compilers that made a version to be entered there: "C1, C2"."""
    log = _captured(subject, "compilations")
    if log is None or isinstance(subject, pd.DataFrame):
        return {}
    own = log[log["method"].eq(method).fillna(False) & log["osr"] & log["event"].eq("compiled")]
    compilers = own["tier"].astype("Int64").fillna(4).map(lambda tier: "C2" if tier == 4 else "C1")
    pairs = set(zip(own["osr_bci"].astype(int), compilers, strict=True))
    return {bci: ", ".join(sorted(by for place, by in pairs if place == bci)) for bci, _ in pairs}


def _polls(subject: Any, method: str, opcodes: pd.DataFrame) -> tuple[str, _listing.Verdicts]:
    """What compiled the code ("C2, OSR @ 12"), and for each line that closes a loop whether it has a poll."""
    listing, loops = _captured(subject, "assembly"), _captured(subject, "loops")
    if listing is None or loops is None or isinstance(subject, pd.DataFrame):
        return "", {}
    machine = one_compile(listing[listing["method"].eq(method).fillna(False)])
    if machine is None:
        return "", {}
    own = loops[loops["compile_id"].eq(machine["compile_id"].iloc[0])]
    return _listing.compiler(machine), _listing.verdicts(opcodes, machine, _listing.loops_of(own))


def _draw(ax: Axes, left: float, name: str, shape: _Shape) -> None:
    heading = f"{name}   polls: as in {shape.code}".strip() if shape.code else name
    ax.text(left + LEFT, -0.12, heading, fontsize=style.TEXT_PT, fontweight="bold", color=style.INK)
    for number in range(len(shape.blocks)):
        _box(ax, left, shape, number)
    for number, loop in enumerate(shape.loops):
        _back_edge(ax, left, shape, number)
        if loop.entry is not None:
            _entry(ax, left, shape, loop)
        if loop.kind == AT_THE_TOP:
            _exit(ax, left, shape, loop)


def _sides(left: float, block: Block) -> tuple[float, float]:
    return left + LEFT + INDENT * block.depth, left + WIDTH - RIGHT


def _box(ax: Axes, left: float, shape: _Shape, number: int) -> None:
    block, top, height = shape.blocks[number], shape.tops[number], shape.heights[number]
    west, east = _sides(left, block)
    look: dict[str, Any] = {"fc": FILL[min(block.depth, len(FILL) - 1)], "ec": style.MUTED, "lw": 1.2}
    ax.add_patch(FancyBboxPatch((west, top), east - west, height, "round,pad=0,rounding_size=0.06", **look))
    ax.text(west + 0.1, top + PAD, block.role, fontsize=style.SMALL_PT, fontweight="bold", va="center")
    for line, text in enumerate(shape.texts[number], 1):
        weight = "bold" if text.startswith("◆") else "normal"
        font: dict[str, Any] = {"fontsize": style.SMALL_PT, "family": "monospace", "fontweight": weight}
        ax.text(west + 0.1, top + PAD + LINE * line, text, va="center", **font)
    if block.falls and number + 1 < len(shape.blocks):
        _arrow(ax, [(west + 0.6, top + height), (west + 0.6, shape.tops[number + 1])], style.MUTED)
        _fall_out(ax, west + 0.7, top + height + GAP / 2, shape, block)


def _fall_out(ax: Axes, x: float, y: float, shape: _Shape, block: Block) -> None:
    """Name the way out of a loop whose test is at its bottom: it goes straight on."""
    if any(loop.back == block.last and loop.kind != AT_THE_TOP and loop.test is not None for loop in shape.loops):
        ax.text(x, y, "exit", fontsize=style.SMALL_PT, va="center", color=style.MUTED)


def _back_edge(ax: Axes, left: float, shape: _Shape, number: int) -> None:
    loop = shape.loops[number]
    low, high = shape.place(loop.back), shape.place(loop.header)
    inside = sum(other.holds(loop.header) and other is not loop for other in shape.loops)
    x = left + 0.32 + STEP * inside
    word, color, line = LOOKS[shape.polled(loop)]
    bottom, top = shape.tops[low] + shape.heights[low] - PAD, shape.tops[high] + PAD
    ends = (_sides(left, shape.blocks[low])[0], _sides(left, shape.blocks[high])[0])
    _arrow(ax, [(ends[0], bottom), (x, bottom), (x, top), (ends[1], top)], color, line, width=2.6)
    text = f"back edge{': ' + word if word else ''}"
    paper = {"facecolor": style.PAPER, "edgecolor": "none", "pad": 1.0}
    font: dict[str, Any] = {"fontsize": style.SMALL_PT, "fontweight": "bold", "color": color, "rotation": 90}
    ax.text(x - 0.02, (bottom + top) / 2, text, ha="center", va="center", bbox=paper, **font)


def _entry(ax: Axes, left: float, shape: _Shape, loop: Loop) -> None:
    low, high = shape.place(loop.start_of_test), shape.place(loop.entry or 0)
    _jump(ax, left, shape, (high, low), "entry")


def _exit(ax: Axes, left: float, shape: _Shape, loop: Loop) -> None:
    """From the test to the block behind the jump back."""
    if (low := shape.place(loop.back) + 1) < len(shape.blocks):
        _jump(ax, left, shape, (shape.place(loop.test or loop.header), low), "exit")


def _jump(ax: Axes, left: float, shape: _Shape, blocks: tuple[int, int], word: str) -> None:
    """An arrow on the right side, from the foot of one block to the head of another."""
    high, low = blocks
    east = left + WIDTH - RIGHT
    start, end = shape.tops[high] + shape.heights[high] - PAD, shape.tops[low] + PAD
    x = east + 0.25 + 0.07 * (low - high)
    _arrow(ax, [(east, start), (x, start), (x, end), (east, end)], style.INK)
    paper = {"facecolor": style.PAPER, "edgecolor": "none", "pad": 1.0}
    ax.text(x, (start + end) / 2, word, fontsize=style.SMALL_PT, rotation=90, ha="center", va="center", bbox=paper)


def _arrow(ax: Axes, points: list[tuple[float, float]], color: str, line: str = "-", width: float = 1.6) -> None:
    """A line through the points, with a head at the last one."""
    xs, ys = zip(*points, strict=True)
    ax.plot(xs, ys, line, color=color, lw=width, solid_capstyle="butt", solid_joinstyle="round")
    head = {
        "arrowstyle": "-|>,head_width=0.35,head_length=0.6",
        "color": color,
        "lw": width,
        "shrinkA": 0,
        "shrinkB": 0,
    }
    (before_x, before_y), tip = points[-2], points[-1]
    near = (tip[0] - 0.12 * _sign(tip[0] - before_x), tip[1] - 0.12 * _sign(tip[1] - before_y))
    ax.annotate("", tip, near, arrowprops=head)


def _sign(value: float) -> int:
    return (value > 0) - (value < 0)


def _finding(method: str, shapes: Mapping[str, _Shape]) -> str:
    """ "javac: test at the top, goto back" for each; the method's name where there is one subject alone."""
    lines = []
    for name, shape in shapes.items():
        kinds = dict.fromkeys(WORDS.get(loop.kind, "no test at the top, goto back") for loop in shape.loops)
        lines.append(f"{name or method}: {', '.join(kinds) or 'no loop'}{_polled_words(shape)}")
    return "\n".join(lines) if len(lines) == 2 else "; ".join(lines)


def _polled_words(shape: _Shape) -> str:
    """ ", no poll" of one loop, "; 1 of 2 loops without a poll"; "" where no machine code was captured."""
    verdicts = [shape.polled(loop) for loop in shape.loops]
    if len(verdicts) == 1:
        return {True: ", polled", False: ", no poll", None: ""}[verdicts[0]]
    return f"; {verdicts.count(False)} of {len(verdicts)} loops without a poll" if verdicts.count(False) else ""


def _spoken(name: str, shape: _Shape) -> str:
    """The blocks in order, and each loop's way in and back, for who cannot see them."""
    blocks = ", ".join(f"{block.role} (bytecodes {block.first} to {block.last})" for block in shape.blocks)
    return f"{name}: {blocks}. {' '.join(_way(shape, loop) for loop in shape.loops)}".removeprefix(": ")


def _way(shape: _Shape, loop: Loop) -> str:
    entry = "" if loop.entry is None else f"entered by the jump from {loop.entry} to {loop.start_of_test}, "
    by = shape.entered.get(loop.header)
    osr = f"entered by OSR at {loop.header} ({by})" if by else f"OSR would enter at {loop.header}"
    poll = LOOKS[shape.polled(loop)][0]
    return f"Loop: {entry}jumps back from {loop.back} to {loop.header}{f', {poll}' if poll else ''}; {osr}."
