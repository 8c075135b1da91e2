"""The source lines, bytecodes and instructions of one method -> Columns, and which loop of the source each row is in.

The VM notes source lines at polls and calls only (with -XX:+DebugNonSafepoints at more instructions), so most
instructions belong to no line. What they do belong to is a loop. A loop of the machine code is named by the line that
closes the loop in the source: by the last line noted in it if there is one, else by its place in the nest. C2 makes
several loops of one: one before, the unrolled one, one for the rest, and with strip mining another one around.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from safepointlab.plot._columns import Arrow, Column, Row, fold

ADDRESS = re.compile(r"\b(?:0x)?[0-9a-f]{9,16}\b")
SHORT = 40  # rows up to which nothing is folded
MOST = 70  # rows of a column
NEAR = 2  # rows beside a poll or the end of a loop that are kept, to show what is compared
PLACE = r"- (?:\([a-z_ ]+\) )?{}@-?\d+ \(line (\d+)\)"  # "- (reexecute) Odd::odds@33 (line 5)", of one method
Frame = pd.DataFrame | None
Verdicts = dict[int, list[bool]]  # source line -> for each loop that ends there, whether it has a poll


@dataclass(frozen=True)
class Loop:
    """A loop: from its first place to its back edge (bytecode index or address), its depth, and more where it is known.

    `line` is that of the source which ends it, `polled` says whether its machine code has a poll. A loop may begin
    before the one around it, because compilers rotate loops: its depth says which is which.
    """

    first: int
    last: int
    depth: int
    line: int | None = None
    polled: bool = False

    def holds(self, place: int) -> bool:
        """Whether the place lies in the loop."""
        return self.first <= place <= self.last

    def around(self, other: "Loop") -> bool:
        """Whether the other loop is inside this one."""
        return self.depth < other.depth and self.holds(other.last)


class Nest:
    """Loops, the outer ones before those inside."""

    def __init__(self, loops: Iterable[Loop]) -> None:
        self.loops = sorted(set(loops), key=lambda loop: (loop.depth, loop.first))
        self.parents = {  # the loop just around each
            loop: next((outer for outer in reversed(self.loops) if outer.around(loop)), None) for loop in self.loops
        }

    def innermost(self, place: int) -> Loop | None:
        """The deepest loop around a place."""
        return next((loop for loop in reversed(self.loops) if loop.holds(place)), None)

    def inside(self, outer: Loop | None) -> list[Loop]:
        """The loops just inside one; of None, those inside of none."""
        return [loop for loop in self.loops if self.parents[loop] == outer]

    def height(self, loop: Loop) -> int:
        """How many levels of loops are inside."""
        return max((1 + self.height(inner) for inner in self.inside(loop)), default=0)


def loops_of(frame: Frame) -> list[Loop]:
    """The rows of the frame `loops`."""
    rows = [] if frame is None else frame.to_dict("records")
    return [
        Loop(_number(row["header"]), _number(row["back_edge"]), int(row["depth"]), polled=bool(row["polled"]))
        for row in rows
    ]


def loops_of_bytecode(opcodes: Frame) -> Nest:
    """The loops that branches back make; several branches to one place make one loop."""
    last = _jumps_back(opcodes).sort_values("bci").groupby("target").last()
    ends = [(int(to), int(bci)) for to, bci in zip(last.index, last["bci"], strict=True)]
    depths = [sum(first <= to and bci <= end for first, end in ends) for to, bci in ends]
    lines = [None if pd.isna(line) else int(line) for line in last["line"]]
    return Nest(Loop(*end, depth, line) for end, depth, line in zip(ends, depths, lines, strict=True))


def _jumps_back(opcodes: Frame) -> pd.DataFrame:
    if opcodes is None:
        return pd.DataFrame(columns=["bci", "target", "line"])
    back: pd.DataFrame = opcodes[(opcodes["target"] <= opcodes["bci"]).fillna(False)]
    return back


def with_own_lines(machine: Frame) -> Frame:
    """The instructions with lines of this method: where another one was inlined, the line of the call."""
    if machine is None or machine.empty or "comment" not in machine:
        return machine
    comment = machine["comment"].astype("string")
    own = comment.str.extract(PLACE.format(re.escape(str(machine["method"].iloc[0]))), expand=False).astype("Int64")
    return machine.assign(line=own.where(comment.str.contains("::", regex=False).fillna(False), machine["line"]))


def verdicts(opcodes: Frame, machine: Frame, loops: list[Loop]) -> Verdicts:
    """For each source line that closes a loop, whether the loops of the machine code that end there have a poll.

    Of a loop whose end has no line, the last line that is noted in it stands for the loop of the source around that.
    """
    by_line: Verdicts = {}
    if machine is None or not loops:
        return by_line
    closing = closing_lines(opcodes)
    for loop, line in _noted_ends(opcodes, machine, loops).items():
        by_line.setdefault(closing.get(line, line), []).append(loop.polled)
    if not by_line and len({loop.polled for loop in loops}) == 1:  # no line is noted, but all loops are of one kind
        by_line = {int(line): [loops[0].polled] for line in _jumps_back(opcodes)["line"].dropna()}
    return by_line


def _noted_ends(opcodes: Frame, machine: pd.DataFrame, loops: list[Loop]) -> dict[Loop, int]:
    """The last line that is noted in each loop and in no loop inside it; loops without one are left out.

    Lines of inlined methods of other files don't count.
    """
    noted = machine[machine["line"].notna()]
    if opcodes is not None:
        noted = noted[noted["line"].isin(opcodes["line"].dropna())]
    lines = list(zip(map(_number, noted["address"]), noted["line"].astype(int), strict=True))
    ends: dict[Loop, int] = {}
    for loop in loops:
        inner = [other for other in loops if loop.around(other)]
        own = [line for place, line in lines if loop.holds(place) and not any(deep.holds(place) for deep in inner)]
        if own:
            ends[loop] = own[-1]
    return ends


def closing_lines(opcodes: Frame) -> dict[int, int]:
    """Each line of the source that is in a loop -> the line that closes the innermost one around it."""
    nest, inner = loops_of_bytecode(opcodes), dict[int, Loop]()
    for op in [] if opcodes is None else opcodes.dropna(subset="line").to_dict("records"):
        loop, line = nest.innermost(int(op["bci"])), int(op["line"])
        if loop and (line not in inner or inner[line].around(loop)):
            inner[line] = loop
    return {line: loop.line for line, loop in inner.items() if loop.line is not None}


class Nests:
    """The loops of both kinds of code, and the source line that ends each."""

    def __init__(self, opcodes: Frame, machine: Frame, loops: list[Loop]) -> None:
        self.bytecode, self.machine = loops_of_bytecode(opcodes), Nest(loops)
        self.of_line = closing_lines(opcodes)
        ends = {} if machine is None else _noted_ends(opcodes, machine, loops)
        self.lines = match_loops(
            self.machine, self.bytecode, {loop: self.of_line.get(line, -1) for loop, line in ends.items()}
        )

    def at_address(self, address: int) -> int | None:
        """The line that ends the innermost loop around an instruction; None where that could be several."""
        loop = self.machine.innermost(address)
        while loop and loop not in self.lines:
            loop = self.machine.parents[loop]
        return self.lines[loop] if loop else None

    def words(self) -> dict[int, str]:
        """What the machine code made of each loop of the source: "3 loops, 1 with a poll"."""
        said = {}
        for end in dict.fromkeys(self.lines.values()):
            polled = [loop.polled for loop, line in self.lines.items() if line == end]
            number = {0: "none", len(polled): "each"}.get(polled.count(True), str(polled.count(True)))
            one = f"1 loop {'with' if polled[0] else 'without'} a poll"
            said[end] = one if len(polled) == 1 else f"{len(polled)} loops, {number} with a poll"
        return said


def match_loops(machine: Nest, bytecode: Nest, known: Mapping[Loop, int]) -> dict[Loop, int]:
    """The closing line of each loop of the machine code; those that could be several loops of the source are left out.

    `known` are the lines noted at back edges. A loop without one is the only loop of the source that its place in the
    nest leaves; inside an innermost loop of the source, it is that loop.
    """
    by_line = {loop.line: loop for loop in bytecode.loops}
    lines: dict[Loop, int] = {}
    for loop in machine.loops:
        outer = machine.parents[loop]
        around = by_line.get(lines[outer]) if outer in lines else None
        if loop in known and known[loop] in by_line:
            lines[loop] = known[loop]
        elif outer is None or around:
            fitting = bytecode.inside(around) or ([around] if around else [])
            while len(fitting) == 1 and fitting[0] != around and bytecode.height(fitting[0]) > machine.height(loop):
                fitting = bytecode.inside(fitting[0])  # the outer of two may be gone: peeled, or run once
            if len(fitting) == 1 and fitting[0].line:
                lines[loop] = fitting[0].line
    return lines


def source(text: str, method: str, opcodes: Frame, by_line: Verdicts, nests: Nests) -> Column | None:
    """The method's own lines; each that closes a loop says whether that loop has a poll."""
    if not text:
        return None
    lines = text.splitlines()
    first, last = _extent(lines, method, opcodes)
    own = [line.expandtabs(4) for line in lines[first - 1 : last]]
    margin = min((len(line) - len(line.lstrip()) for line in own if line.strip()), default=0)
    depths = [len(line[margin:]) - len(line[margin:].lstrip()) for line in own]
    halved = not any(depth % 4 for depth in depths)  # steps of two blanks for four: half a page's width is little
    rows = []
    for number, (line, depth) in enumerate(zip(own, depths, strict=True), first):
        polled, mark, tag = by_line.get(number), "", ""
        if polled is not None and not any(polled):
            mark, tag = "alarm", "no poll"
        elif polled is not None:  # C2 makes several of one
            count = "" if all(polled) else f"{polled.count(True)} of {len(polled)} loops "
            mark, tag = "poll", f"{count}polled"
        shown = line[margin + (depth // 2 if halved else 0) :]
        rows.append(Row(shown, number, mark, tag=tag, loop=nests.of_line.get(number)))
    return Column("Source", rows)


def _extent(lines: list[str], method: str, opcodes: Frame) -> tuple[int, int]:
    """From the line of the method's head to its last: as the bytecode says, else the whole file."""
    numbers = pd.Series(dtype="Int64") if opcodes is None else opcodes["line"].dropna()
    if numbers.empty:
        return 1, len(lines)
    first, last = int(numbers.min()), min(int(numbers.max()) + 1, len(lines))
    head = re.compile(rf"\b{re.escape(re.split('::|[.]', method)[-1])}\s*\(")
    heads = (n for n in range(first, max(first - 12, 0), -1) if head.search(lines[n - 1]))
    return next(heads, first), last


def bytecode(opcodes: Frame, by_line: Verdicts, nests: Nests) -> Column | None:
    """One row per bytecode; each jump back is an arrow, whose poll is that of the machine code of its line."""
    if opcodes is None or opcodes.empty:
        return None
    arrows, rows = [], []
    for op in _jumps_back(opcodes).to_dict("records"):
        polled = by_line.get(_number(op["line"]), [])
        arrows.append(Arrow(int(op["bci"]), int(op["target"]), not polled[0] if len(set(polled)) == 1 else None))
    ends = {place for arrow in arrows for place in (arrow.start, arrow.end)}
    for op in opcodes.to_dict("records"):
        bci, line = int(op["bci"]), None if pd.isna(op["line"]) else int(op["line"])
        operand = "" if pd.isna(op["operand"]) else str(op["operand"])
        words = " ".join(f"{op['opcode']} {operand if pd.isna(op['target']) else int(op['target'])}".split())
        loop = around.line if (around := nests.bytecode.innermost(bci)) else None
        rows.append(Row(f"{bci:>4}  {words}", line, keep=bci in ends, place=bci, loop=loop))
    return Column("Bytecode", _shortened(rows, "bytecodes"), arrows, "bytecodes", width=34)


def assembly(machine: Frame, loops: list[Loop], nests: Nests) -> Column | None:
    """One row per instruction; polls are marked, loops are arrows."""
    if machine is None or machine.empty:
        return None
    arrows = [Arrow(loop.last, loop.first, not loop.polled) for loop in loops]
    alarms = {arrow.start for arrow in arrows if arrow.alarm}
    ends = {place for arrow in arrows for place in (arrow.start, arrow.end)}
    rows: list[Row] = []
    for op in machine.to_dict("records"):
        place, poll = _number(op["address"]), "" if pd.isna(op["poll"]) else str(op["poll"])
        mark = {"loop": "poll", "return": "return"}.get(poll, "alarm" if place in alarms else "")
        tag = {"poll": "poll", "return": "return poll", "alarm": "no poll"}.get(mark, "")
        line = None if pd.isna(op.get("line")) else int(op["line"])
        # four digits of an address, as at the begin of each row: enough to find a jump's target
        text = f"{place & 0xFFFF:04x}  {ADDRESS.sub(lambda found: '…' + found[0][-4:], str(op['instruction']))}"
        keep = not rows or bool(poll) or place in ends
        rows.append(Row(text, line, mark, keep=keep, place=place, tag=tag, loop=nests.at_address(place)))
    title = f"Machine code: {compiler(machine)}"
    return Column(title, _shortened(rows, "instructions"), arrows, "instructions", width=44)


def compiler(machine: pd.DataFrame) -> str:
    """The compiler that made the code: "C2, OSR @ 12"."""
    tier, entry = machine["tier"].iloc[0], machine["osr_bci"].iloc[0]
    name = "C2" if pd.isna(tier) or tier == 4 else f"C1, tier {int(tier)}"
    return name if pd.isna(entry) else f"{name}, OSR @ {int(entry)}"


def _shortened(rows: list[Row], noun: str) -> list[Row]:
    """At most MOST rows: ends of loops and polls are kept, with their neighbours while there is room.

    Of few rows, only padding (hlt) and the stubs behind it are folded away, where no poll and no end of a loop follows.
    """
    marked = [n for n, row in enumerate(rows) if row.keep]
    if len(rows) <= SHORT:
        own = max(marked, default=0)
        stubs = next((n for n in range(own, len(rows)) if rows[n].text.endswith("  hlt")), len(rows))
        block = rows[stubs:]
        return [*rows[:stubs], Row(f"… {len(block)} {noun} (stubs)", mark="fold", inside=block)] if block else rows
    for near in range(NEAR, -1, -1):
        kept = {n + step for n in marked for step in range(-near, near + 1)}
        folded = fold([replace(row, keep=n in kept) for n, row in enumerate(rows)], noun)
        if len(folded) <= MOST:
            return folded
    return [*folded[: MOST - 1], Row(f"… {len(rows):,} {noun} in all", mark="fold")]


def _number(value: Any) -> int:
    """An address or index, given as a number or as hex text; -1 if it is missing."""
    if pd.isna(value):
        return -1
    return int(value, 16) if isinstance(value, str) else int(value)
