"""The bytecode of one method -> its loops as blocks: where the test is, where they are entered, and where they go back.

    plot.loop_shape(run, "EnteredOnce::countOdds")
    plot.loop_shape({"javac": javac_program, "ecj": ecj_program}, "EclipseHangs::outer")    side by side

javac tests a loop at its top and goes back by a goto; ecj tests it at the bottom, where the jump back is, and enters it
by a jump to the test. All that is drawn is in the class file, but for two things: ◆ is where OSR enters, which is the
target of the back edge (the interpreter counts the jumps back, and asks for code that begins at their target), with the
compilers that used it if the Run logged compiles; and whether the loop has a poll is said only where the Run captured
machine code (log="assembly=..."), of its last compile of the highest tier, and the title then names the JDK and the
collector.

Blocks are cut where the loops begin, test, are entered and end. Other branches stay inside a block: the shape is what
is to be seen.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import FancyBboxPatch

from safepointlab.errors import BadInput
from safepointlab.logs.bytecode import back_edges
from safepointlab.plot import _alternative, _listing, style
from safepointlab.plot._picture import picture
from safepointlab.plot.code import captured, of_method, one_compile
from safepointlab.run.run import Run

MOST_LOOPS = 3  # more do not fit a picture
MOST_LINES, OUTSIDE_LINES = 5, 2  # of bytecode in a block, and in one outside the loops
NO_FALL = ("goto", "goto_w", "return", "ireturn", "lreturn", "dreturn", "freturn", "areturn", "athrow")
AT_THE_TOP, AT_THE_BOTTOM, BODY_FIRST = "top", "bottom", "bottom, body first"  # what logs.bytecode says of the test
WORDS = {
    AT_THE_TOP: "the test is at the top",
    AT_THE_BOTTOM: "the test is at the bottom",
    BODY_FIRST: "the body comes first, then the test",
}

WIDTH, LEFT, RIGHT = 5.4, 1.0, 0.85  # inches: of one method's column, of the margin for jumps back, of that for exits
LINE, PAD, GAP = 0.22, 0.14, 0.3  # inches: a line of text, around the text of a block, between blocks
INDENT = 0.12  # inches for each loop around a block
STEP = 0.3  # inches between neighbouring jumps back
HEADLINE = 0.27  # inches: a line of the title beyond the second
LOOKS = {True: ("poll", "#0B3C6F", "-"), False: ("NO POLL", style.BAD, "--"), None: ("", style.INK, "-")}
FILL = ("#FFFFFF", "#EAF1F8", "#CFE0F0", "#B5D0E8")  # by the number of loops around: the deeper, the darker
PAPER = {"facecolor": style.PAPER, "edgecolor": "none", "pad": 1.0}


class Loop(NamedTuple):
    """A loop: bcis of its first bytecode, its jump back, its test (None: it has none) and the jump that enters it."""

    header: int
    back: int
    test: int | None
    entry: int | None
    kind: str
    line: int | None
    start_of_test: int

    def holds(self, bci: int) -> bool:
        """Whether the bytecode is in the loop."""
        return self.header <= bci <= self.back


class Block(NamedTuple):
    """Neighbouring bytecodes: the first bci, the last, how deep in loops, what they are for, and how they read."""

    first: int
    last: int
    depth: int
    role: str
    text: list[str]
    falls: bool


@picture("a Run, a Program, a frame of logs.bytecode, or a mapping of these", "method", "bci", "opcode", kind="source")
def loop_shape(subject: Any | Mapping[str, Any], method: str, ax: Axes | None = None, title: str | None = None) -> Axes:
    """Draw the loops of a method, any part of `pkg.Class::name`; several subjects stand side by side.

    Raises:
        BadInput: there is no such method.
    """
    subjects = dict(subject) if isinstance(subject, Mapping) else {"": subject}
    subjects = {name: one for name, one in subjects.items() if not (isinstance(one, pd.DataFrame) and one.empty)}
    shapes = {name: _Shape(one, method) for name, one in subjects.items()}
    tallest = max((shape.height for shape in shapes.values()), default=2.0)
    found = title or _finding(method, shapes)
    ax = style.canvas(ax, WIDTH * max(len(shapes), 1), 0.9 + tallest + HEADLINE * (found.count("\n") > 1))
    if not any(shape.loops for shape in shapes.values()):
        return style.empty(ax, title or f"{method}: no branch goes back, so there is no loop")
    ax.set(xlim=(0, WIDTH * len(shapes)), ylim=(tallest, -0.35), xticks=[], yticks=[])
    ax.spines[["left", "bottom"]].set_visible(False)
    for place, (name, shape) in enumerate(shapes.items()):
        compiler, _, entry = shape.code.partition(", OSR ")  # "C2, OSR @ 5"
        version = f"{compiler}'s {f'OSR version ({entry})' if entry else 'standard version'}" if compiler else ""
        heading = ": ".join(filter(None, [name, version]))
        ax.text(WIDTH * place + LEFT, -0.12, heading, fontsize=style.TEXT_PT, fontweight="bold", color=style.INK)
        for number in range(len(shape.blocks)):
            _draw_block(ax, WIDTH * place, shape, number)
        for loop in shape.loops:
            _draw_jumps(ax, WIDTH * place, shape, loop)
    style.finding(ax, found)
    _alternative.own(ax, " ".join(_words(name, shape) for name, shape in shapes.items()))
    return ax


def loops_of(opcodes: pd.DataFrame) -> list[Loop]:
    """The method's first loops, in the order of their headers; a loop with several jumps back counts once."""
    targets = dict(zip(opcodes["bci"], opcodes["target"], strict=True))
    edges = back_edges(opcodes).sort_values("from_bci").drop_duplicates("to_bci", keep="last")
    loops = []
    for row in edges.sort_values("to_bci").head(MOST_LOOPS).to_dict("records"):
        test, entry, line = (
            None if pd.isna(row[name]) else int(row[name]) for name in ("test_bci", "entry_bci", "line")
        )
        header = int(row["to_bci"])
        start = header if entry is None else int(targets[entry])
        loops.append(Loop(header, int(row["from_bci"]), test, entry, str(row["test"]), line, start))
    return loops


def blocks_of(opcodes: pd.DataFrame, loops: list[Loop]) -> list[Block]:
    """The blocks from the method's begin to its end."""
    rows = opcodes.to_dict("records")
    after = {int(row["bci"]): int(following["bci"]) for row, following in zip(rows, rows[1:], strict=False)}
    cuts = {int(rows[0]["bci"])}
    for loop in loops:
        ends = [loop.back, loop.entry, loop.test if loop.kind == AT_THE_TOP else None]
        cuts |= {loop.header, loop.start_of_test} | {after[end] for end in ends if end is not None and end in after}
    starts, blocks = sorted(cuts), []
    for first, end in zip(starts, [*starts[1:], int(rows[-1]["bci"]) + 1], strict=True):
        inside = [row for row in rows if first <= row["bci"] < end]
        last, around = int(inside[-1]["bci"]), [loop for loop in loops if loop.holds(first)]
        role = _role(first, last, around, loops)
        falls = inside[-1]["opcode"] not in NO_FALL
        blocks.append(Block(first, last, len(around), role, _text(inside, bool(around), role), falls))
    return blocks


def _role(first: int, last: int, around: list[Loop], loops: list[Loop]) -> str:
    """What the block is for: "before", "test", "body", "body and test", "after", with its loop if there are several."""
    if not around:
        return "before" if first < min((loop.header for loop in loops), default=first + 1) else "after"
    inner = max(around, key=lambda loop: loop.header)
    tests = inner.test is not None and first <= inner.test <= last
    part = "body and test" if inner.kind == BODY_FIRST and tests else "test" if tests else "body"
    if len(loops) == 1:
        return part
    nested = len(loops) == 2 and (loops[0].holds(loops[1].header) or loops[1].holds(loops[0].header))
    depth = sum(other.holds(inner.header) for other in loops)
    return f"{('outer loop', 'inner loop')[depth - 1] if nested else f'loop at bci {inner.header}'}: {part}"


def _text(rows: list[dict[Any, Any]], in_loop: bool, role: str) -> list[str]:
    """The bytecodes of a block without the middle of many; outside the loops only the one that is next to a loop."""
    lines = []
    for row in rows:
        operand = "" if pd.isna(row["operand"]) else str(row["operand"])
        operand = operand.partition("//")[2].strip() or operand  # the name that javap writes behind a constant's number
        jump = operand if pd.isna(row["target"]) else f"→ {int(row['target'])}"
        text = f"{int(row['bci']):>3}  {row['opcode']} {jump}".rstrip()
        lines.append(text if len(text) <= 30 else f"{text[:29]}…")
    if len(lines) <= (MOST_LINES if in_loop else OUTSIDE_LINES):
        return lines
    if in_loop:
        return [*lines[:2], f"     … {len(lines) - 4} bytecodes", *lines[-2:]]
    left_out = f"     … {len(lines) - 1} bytecodes"
    return [left_out, lines[-1]] if role == "before" else [lines[0], left_out]


class _Shape:
    """One method of one subject: its blocks and loops, and what the run tells of them beyond the class file."""

    def __init__(self, subject: Any, method: str) -> None:
        table = subject if isinstance(subject, pd.DataFrame) else None
        opcodes = table if table is not None else captured(subject, "bytecode")
        if opcodes is None:
            opcodes = subject.bytecode  # which says what to ask for
        own = of_method(opcodes, method) if method else None
        if own is None:
            names = ", ".join(map(str, opcodes["method"].dropna().unique()[:12]))
            raise BadInput(f"plot.loop_shape: no method {method!r} here. There are {names}.")
        name = str(own["method"].iloc[0])
        self.loops = loops_of(own)
        self.blocks = blocks_of(own, self.loops) if self.loops else []
        self.entered = {} if table is not None else _entered(subject, name)
        self.code, self.polls = ("", {}) if table is not None else _polls(subject, name, own)
        self.condition = _condition(subject) if self.code else ""
        self.texts = []
        for block in self.blocks:
            by = self.entered.get(block.first)
            osr = f"◆ OSR entry at {block.first}: {by}" if by else f"◆ OSR would enter at {block.first}"
            self.texts.append([osr] * any(loop.header == block.first for loop in self.loops) + block.text)
        self.heights = [LINE * (len(text) + 1) + PAD for text in self.texts]
        self.height = sum(self.heights) + GAP * len(self.heights) + 0.1
        self.tops = [sum(self.heights[:n]) + GAP * n + 0.1 for n in range(len(self.heights))]

    def place(self, bci: int) -> int:
        """The number of the block that holds the bytecode."""
        return next(n for n, block in enumerate(self.blocks) if block.first <= bci <= block.last)

    def polled(self, loop: Loop) -> bool | None:
        """Whether the machine code has a poll in that loop; None: not known, or not the same in all its copies."""
        verdicts = set(self.polls.get(-1 if loop.line is None else loop.line, []))
        return verdicts.pop() if len(verdicts) == 1 else None


def _condition(subject: Any) -> str:
    """ "On JDK 17 with Serial" of a Run; "" of what wasn't run."""
    if not isinstance(subject, Run):
        return ""
    return f"On JDK {subject.major}" + (f" with {subject.request.gc}" if subject.request.gc else "")


def _entered(run: Any, method: str) -> dict[int, str]:
    """Bci -> the compilers that made a version to be entered there: "C1, C2"."""
    log = captured(run, "compilations")
    if log is None or log.empty:
        return {}
    own = log[log["method"].eq(method).fillna(False) & log["osr"] & log["event"].eq("compiled")]
    compilers = own["tier"].astype("Int64").fillna(4).map(lambda tier: "C2" if tier == 4 else "C1")
    by_bci = compilers.groupby(own["osr_bci"].astype(int))
    return {int(bci): ", ".join(sorted(set(names))) for bci, names in by_bci}


def _polls(run: Any, method: str, opcodes: pd.DataFrame) -> tuple[str, _listing.Verdicts]:
    """What compiled the code ("C2, OSR @ 12"), and for each line that closes a loop whether it has a poll."""
    code, loops = captured(run, "assembly"), captured(run, "loops")
    if code is None or loops is None or code.empty or loops.empty:
        return "", {}
    machine = one_compile(code[code["method"].eq(method).fillna(False)])
    if machine is None:
        return "", {}
    own = loops[loops["compile_id"].eq(machine["compile_id"].iloc[0])]
    return _listing.compiler(machine), _listing.verdicts(opcodes, machine, _listing.loops_of(own))


def _draw_block(ax: Axes, left: float, shape: _Shape, number: int) -> None:
    """A box with the block's role and bytecodes, and the way on to the next one."""
    block, top, height = shape.blocks[number], shape.tops[number], shape.heights[number]
    west, east = left + LEFT + INDENT * block.depth, left + WIDTH - RIGHT
    look: dict[str, Any] = {"fc": FILL[min(block.depth, len(FILL) - 1)], "ec": style.MUTED, "lw": 1.2}
    ax.add_patch(FancyBboxPatch((west, top), east - west, height, "round,pad=0,rounding_size=0.06", **look))
    ax.text(west + 0.1, top + PAD, block.role, fontsize=style.SMALL_PT, fontweight="bold", va="center")
    for line, text in enumerate(shape.texts[number], 1):
        weight = "bold" if text.startswith("◆") else "normal"
        font: dict[str, Any] = {"fontsize": style.SMALL_PT, "family": "monospace", "fontweight": weight}
        ax.text(west + 0.1, top + PAD + LINE * line, text, va="center", **font)
    if block.falls and number + 1 < len(shape.blocks):
        _arrow(ax, [(west + 0.6, top + height), (west + 0.6, shape.tops[number + 1])], style.MUTED)
        # the way out of a loop whose test is at its bottom goes straight on
        if any(loop.back == block.last and loop.kind != AT_THE_TOP and loop.test is not None for loop in shape.loops):
            at = west + 0.7, top + height + GAP / 2
            ax.text(*at, "exit", fontsize=style.SMALL_PT, va="center", color=style.MUTED)


def _draw_jumps(ax: Axes, left: float, shape: _Shape, loop: Loop) -> None:
    """A loop's way back, on the left of the blocks; on their right its entry by a jump, and the exit from its top."""
    low, high = shape.place(loop.back), shape.place(loop.header)
    x = left + 0.32 + STEP * sum(other.holds(loop.header) and other is not loop for other in shape.loops)
    word, color, line = LOOKS[shape.polled(loop)]
    bottom, top = shape.tops[low] + shape.heights[low] - PAD, shape.tops[high] + PAD
    from_x, to_x = (left + LEFT + INDENT * shape.blocks[number].depth for number in (low, high))
    _arrow(ax, [(from_x, bottom), (x, bottom), (x, top), (to_x, top)], color, line, width=2.6)
    font: dict[str, Any] = {"fontsize": style.SMALL_PT, "rotation": 90, "ha": "center", "va": "center", "bbox": PAPER}
    text = f"back edge{': ' + word if word else ''}"
    ax.text(x - 0.02, (bottom + top) / 2, text, fontweight="bold", color=color, **font)
    jumps = [] if loop.entry is None else [(shape.place(loop.entry), shape.place(loop.start_of_test), "entry")]
    if loop.kind == AT_THE_TOP and low + 1 < len(shape.blocks):
        jumps.append((shape.place(loop.test or loop.header), low + 1, "exit"))
    east = left + WIDTH - RIGHT
    for high, low, word in jumps:  # from the foot of one block to the head of another
        start, end = shape.tops[high] + shape.heights[high] - PAD, shape.tops[low] + PAD
        x = east + 0.25 + 0.07 * (low - high)
        _arrow(ax, [(east, start), (x, start), (x, end), (east, end)], style.INK)
        ax.text(x, (start + end) / 2, word, **font)


def _arrow(ax: Axes, points: list[tuple[float, float]], color: str, line: str = "-", width: float = 1.6) -> None:
    """A line through the points, with a head at the last one."""
    xs, ys = zip(*points, strict=True)
    ax.plot(xs, ys, line, color=color, lw=width, solid_capstyle="butt", solid_joinstyle="round")
    head: dict[str, Any] = {"arrowstyle": "-|>,head_width=0.35,head_length=0.6", "color": color, "lw": width}
    before, tip = points[-2], points[-1]
    steps = [(end > start) - (end < start) for start, end in zip(before, tip, strict=True)]
    near = (tip[0] - 0.12 * steps[0], tip[1] - 0.12 * steps[1])
    ax.annotate("", tip, near, arrowprops=head | {"shrinkA": 0, "shrinkB": 0})


def _finding(method: str, shapes: Mapping[str, _Shape]) -> str:
    """ "javac: the test is at the top" for each; the method's name where there is one subject alone.

    Where machine code was captured, it ends in ", and the loop has no poll", or "; 1 of 2 loops without a poll". A JDK
    and a collector that all have in common come first, on a line of their own: "On JDK 17 with Serial:".
    """
    lines = []
    for name, shape in shapes.items():
        kinds = dict.fromkeys(WORDS.get(loop.kind, "no test at the top") for loop in shape.loops)
        verdicts = [shape.polled(loop) for loop in shape.loops]
        polls = f"; {verdicts.count(False)} of {len(verdicts)} loops without a poll" if False in verdicts else ""
        if len(verdicts) == 1:
            polls = {True: ", and the loop has a poll", False: ", and the loop has no poll", None: ""}[verdicts[0]]
        lines.append(f"{name or method}: {', '.join(kinds) or 'no loop'}{polls}")
    conditions = {shape.condition for shape in shapes.values()}
    shared = f"{conditions.pop()}:\n" if len(conditions) == 1 and "" not in conditions else ""
    return shared + ("\n".join(lines) if len(lines) == 2 else "; ".join(lines))


def _words(name: str, shape: _Shape) -> str:
    """The blocks in order, and each loop's way in and back."""
    said = [", ".join(f"{block.role} (bytecodes {block.first} to {block.last})" for block in shape.blocks) + "."]
    for loop in shape.loops:
        entry = "" if loop.entry is None else f"entered by the jump from {loop.entry} to {loop.start_of_test}, "
        by, poll = shape.entered.get(loop.header), LOOKS[shape.polled(loop)][0]
        osr = f"entered by OSR at {loop.header} ({by})" if by else f"OSR would enter at {loop.header}"
        back = f"jumps back from {loop.back} to {loop.header}{f', {poll}' if poll else ''}"
        said.append(f"Loop: {entry}{back}; {osr}.")
    return (f"{name}: " if name else "") + " ".join(said)
