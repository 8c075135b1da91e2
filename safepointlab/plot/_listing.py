"""The source lines, bytecodes and instructions of one method -> Columns, with rows that are marked or folded away."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from safepointlab.plot import _nest
from safepointlab.plot._columns import Arrow, Column, Row, fold
from safepointlab.plot._nest import Nest, Span

ADDRESS = re.compile(r"\b(?:0x)?[0-9a-f]{9,16}\b")
SHORT = 40  # rows up to which nothing is folded
NEAR = 2  # rows beside a poll or the end of a loop that are kept, to show what is compared
Frame = pd.DataFrame | None


Verdicts = dict[int, list[bool]]  # source line -> for each loop that ends there, whether it has a poll
PLACE = r"- (?:\([a-z_ ]+\) )?{}@-?\d+ \(line (\d+)\)"  # "- (reexecute) Odd::odds@33 (line 5)", of one method


@dataclass(frozen=True)
class Loop:
    """A loop of the machine code: the addresses of its header and back edge, whether it has a poll, and its depth."""

    header: int
    back_edge: int
    polled: bool
    depth: int

    def holds(self, address: int) -> bool:
        """Whether the address lies in the loop."""
        return self.header <= address <= self.back_edge

    def around(self, other: "Loop") -> bool:
        """Whether the other loop is inside this one. Its header may lie before this one's: compilers rotate loops."""
        return self.depth < other.depth and self.holds(other.back_edge)


def loops_of(frame: Frame) -> list[Loop]:
    """The rows of the frame `loops`."""
    if frame is None:
        return []
    return [
        Loop(_number(row["header"]), _number(row["back_edge"]), bool(row["polled"]), int(row["depth"]))
        for row in frame.to_dict("records")
    ]


def with_own_lines(machine: Frame) -> Frame:
    """The instructions with lines of this method: where another one was inlined, the line of the call."""
    if machine is None or machine.empty or "comment" not in machine:
        return machine
    comment = machine["comment"].astype("string")
    own = comment.str.extract(PLACE.format(re.escape(str(machine["method"].iloc[0]))), expand=False).astype("Int64")
    return machine.assign(line=own.where(comment.str.contains("::", regex=False).fillna(False), machine["line"]))


def verdicts(opcodes: Frame, machine: Frame, loops: list[Loop]) -> Verdicts:
    """For each source line that closes a loop, whether the loops of the machine code that end there have a poll."""
    by_line: Verdicts = {}
    if machine is None or not loops:
        return by_line
    for loop, line in _closing_lines(opcodes, machine, loops).items():
        by_line.setdefault(line, []).append(loop.polled)
    if not by_line and len({loop.polled for loop in loops}) == 1:  # no line is noted, but all loops are of one kind
        by_line = {line: [loops[0].polled] for line in _loop_lines(opcodes)}
    return by_line


def _closing_lines(opcodes: Frame, machine: pd.DataFrame, loops: list[Loop]) -> dict[Loop, int]:
    """The last line that is noted in each loop and in no loop inside it; loops without one are left out."""
    lines = _noted_lines(opcodes, machine)
    closing: dict[Loop, int] = {}
    for loop in loops:
        inner = [other for other in loops if loop.around(other)]
        own = [line for place, line in lines if loop.holds(place) and not any(deep.holds(place) for deep in inner)]
        if own:
            closing[loop] = own[-1]
    return closing


class Nests:
    """The loops of both kinds of code, and the source line that ends each."""

    def __init__(self, opcodes: Frame, machine: Frame, loops: list[Loop]) -> None:
        self.bytecode = _nest.of_bytecode(opcodes)
        self.of_line = _nest.loop_lines(opcodes, self.bytecode)
        spans = {Span(loop.header, loop.back_edge, loop.depth): loop for loop in loops}
        self.machine = Nest(spans)
        noted = {} if machine is None else _closing_lines(opcodes, machine, loops)
        known = {span: self.of_line.get(noted[loop], -1) for span, loop in spans.items() if loop in noted}
        self.lines = _nest.matched(self.machine, self.bytecode, known)
        self.polled = {span: loop.polled for span, loop in spans.items()}

    def at_bci(self, bci: int) -> int | None:
        """The line that ends the innermost loop around a bytecode."""
        loop = self.bytecode.innermost(bci)
        return loop.line if loop else None

    def at_address(self, address: int) -> int | None:
        """The line that ends the innermost loop around an instruction; None where that could be several."""
        loop = self.machine.innermost(address)
        while loop and loop not in self.lines:
            loop = self.machine.parent(loop)
        return self.lines[loop] if loop else None

    def words(self) -> dict[int, str]:
        """What the machine code made of each loop of the source: "3 loops, 1 with a poll"."""
        counts: dict[int, list[bool]] = {}
        for span, line in self.lines.items():
            counts.setdefault(line, []).append(self.polled[span])
        return {line: _counted(polled) for line, polled in counts.items()}


def _counted(polled: list[bool]) -> str:
    if len(polled) == 1:
        return f"1 loop {'with' if polled[0] else 'without'} a poll"
    with_poll = polled.count(True)
    number = {0: "none", len(polled): "each"}.get(with_poll, str(with_poll))
    return f"{len(polled)} loops, {number} with a poll"


def _noted_lines(opcodes: Frame, machine: pd.DataFrame) -> list[tuple[int, int]]:
    """Address and line of each instruction with debug information, without those of inlined methods of other files."""
    noted = machine[machine["line"].notna()]
    if opcodes is not None and "line" in opcodes:
        noted = noted[noted["line"].isin(opcodes["line"].dropna())]
    return list(zip(_numbers(noted["address"]), noted["line"].astype(int), strict=True))


def _loop_lines(opcodes: Frame) -> set[int]:
    if opcodes is None or "line" not in opcodes:
        return set()
    back = opcodes[(opcodes["target"] <= opcodes["bci"]).fillna(False)]
    return {int(line) for line in back["line"].dropna()}


def source(
    text: str | Sequence[str] | None, method: str, opcodes: Frame, by_line: Verdicts, nests: Nests
) -> Column | None:
    """The method's own lines; each that closes a loop says whether that loop has a poll."""
    if not text:
        return None
    lines = text.splitlines() if isinstance(text, str) else list(text)
    first, last = _extent(lines, method, opcodes)
    own_lines = [line.expandtabs(4) for line in lines[first - 1 : last]]
    margin = min((len(line) - len(line.lstrip()) for line in own_lines if line.strip()), default=0)
    texts = _narrow([line[margin:] for line in own_lines])
    rows = [_source_row(first + n, text, by_line) for n, text in enumerate(texts)]
    for row in rows:
        row.loop = nests.of_line.get(row.line or 0)
    return Column("Source", rows)


def _narrow(lines: list[str]) -> list[str]:
    """The lines with steps of two blanks where all have steps of four: half a page's width is little."""
    depths = [len(line) - len(line.lstrip()) for line in lines]
    if any(depth % 4 for depth in depths):
        return lines
    return [line[depth // 2 :] for line, depth in zip(lines, depths, strict=True)]


def _extent(lines: list[str], method: str, opcodes: Frame) -> tuple[int, int]:
    """From the line of the method's head to its last: as the bytecode says, else the whole file."""
    numbers = opcodes["line"].dropna() if opcodes is not None and "line" in opcodes else pd.Series(dtype="Int64")
    if numbers.empty:
        return 1, len(lines)
    first, last = int(numbers.min()), min(int(numbers.max()) + 1, len(lines))
    head = re.compile(rf"\b{re.escape(re.split('::|[.]', method)[-1])}\s*\(")
    heads = (n for n in range(first, max(first - 12, 0), -1) if head.search(lines[n - 1]))
    return next(heads, first), last


def _source_row(number: int, text: str, by_line: Verdicts) -> Row:
    polled = by_line.get(number)
    if polled is None:
        return Row(text, number)
    if not any(polled):
        return Row(text, number, "alarm", tag="no poll")
    count = "" if all(polled) else f"{polled.count(True)} of {len(polled)} loops "  # C2 makes several of one
    return Row(text, number, "poll", tag=f"{count}polled")


def bytecode(opcodes: Frame, by_line: Verdicts, nests: Nests, most: int) -> Column | None:
    """One row per bytecode; each jump back is an arrow, whose poll is that of the machine code of its line."""
    if opcodes is None or opcodes.empty:
        return None
    back = opcodes[(opcodes["target"] <= opcodes["bci"]).fillna(False)]
    arrows = [_bytecode_arrow(op, by_line) for op in back.to_dict("records")]
    ends = {place for arrow in arrows for place in (arrow.start, arrow.end)}
    rows = [_bytecode_row(op, ends) for op in opcodes.to_dict("records")]
    for row in rows:
        row.loop = nests.at_bci(row.place)
    return Column("Bytecode", _shortened(rows, "bytecodes", most), arrows, "bytecodes", width=34)


def _bytecode_arrow(op: dict[Any, Any], by_line: Verdicts) -> Arrow:
    polled = by_line.get(_number(op.get("line")))
    known = polled is not None and len(set(polled)) == 1
    return Arrow(int(op["bci"]), int(op["target"]), not polled[0] if polled and known else None)


def _bytecode_row(op: dict[Any, Any], ends: set[int]) -> Row:
    bci = int(op["bci"])
    operand = "" if pd.isna(op["operand"]) else str(op["operand"])
    jump = "" if pd.isna(op["target"]) else str(int(op["target"]))
    line = None if pd.isna(op.get("line")) else int(op["line"])
    words = " ".join(f"{op['opcode']} {jump or operand}".split())
    return Row(f"{bci:>4}  {words}", line, keep=bci in ends, place=bci)


def assembly(machine: Frame, loops: list[Loop], nests: Nests, most: int) -> Column | None:
    """One row per instruction; polls are marked, loops are arrows."""
    if machine is None or machine.empty:
        return None
    arrows = [Arrow(loop.back_edge, loop.header, not loop.polled) for loop in loops]
    alarms = {arrow.start for arrow in arrows if arrow.alarm}
    ends = {place for arrow in arrows for place in (arrow.start, arrow.end)}
    rows = [_machine_row(op, ends, alarms) for op in machine.to_dict("records")]
    rows[0].keep = True
    for row in rows:
        row.loop = nests.at_address(row.place)
    title = f"Machine code: {compiler(machine)}"
    return Column(title, _shortened(rows, "instructions", most), arrows, "instructions", width=44)


def _machine_row(op: dict[Any, Any], ends: set[int], alarms: set[int]) -> Row:
    place = _number(op["address"])
    poll = "" if pd.isna(op["poll"]) else str(op["poll"])
    mark = {"loop": "poll", "return": "return"}.get(poll, "alarm" if place in alarms else "")
    tag = {"poll": "poll", "return": "return poll", "alarm": "no poll"}.get(mark, "")
    line = None if pd.isna(op.get("line")) else int(op["line"])
    text = f"{place & 0xFFFF:04x}  {ADDRESS.sub(_low_digits, str(op['instruction']))}"
    return Row(text, line, mark, keep=bool(poll) or place in ends, place=place, tag=tag)


def _low_digits(address: re.Match[str]) -> str:
    """The last four digits of an address, as at the begin of each row: enough to find a jump's target."""
    return "…" + address[0][-4:]


def compiler(machine: pd.DataFrame) -> str:
    """The compiler that made the code: "C2, OSR @ 12"."""
    tier, entry = machine["tier"].iloc[0], machine["osr_bci"].iloc[0]
    name = "C2" if pd.isna(tier) or tier == 4 else f"C1, tier {int(tier)}"
    return name if pd.isna(entry) else f"{name}, OSR @ {int(entry)}"


def _shortened(rows: list[Row], noun: str, most: int) -> list[Row]:
    """At most `most` rows: ends of loops and polls are kept, with their neighbours while there is room."""
    if len(rows) <= SHORT:
        return _without_stubs(rows, noun)
    for near in range(NEAR, -1, -1):
        folded = fold(_with_neighbours(rows, near), noun)
        if len(folded) <= most:
            return folded
    return [*folded[: most - 1], Row(f"… {len(rows):,} {noun} in all", mark="fold")]


def _without_stubs(rows: list[Row], noun: str) -> list[Row]:
    """The rows; padding (hlt) and the stubs behind it are folded away where no poll and no end of a loop follows."""
    own = max((n for n, row in enumerate(rows) if row.keep), default=0)
    stubs = next((n for n in range(own, len(rows)) if rows[n].text.endswith("  hlt")), len(rows))
    block = rows[stubs:]
    return [*rows[:stubs], Row(f"… {len(block)} {noun} (stubs)", mark="fold", inside=block)] if block else rows


def _with_neighbours(rows: list[Row], near: int) -> list[Row]:
    marked = [n for n, row in enumerate(rows) if row.keep]
    kept = {n + step for n in marked for step in range(-near, near + 1)}
    return [replace(row, keep=n in kept) for n, row in enumerate(rows)]


def _numbers(column: "pd.Series[Any]") -> list[int]:
    return [_number(value) for value in column]


def _number(value: Any) -> int:
    """An address or index, given as a number or as hex text; -1 if it is missing."""
    if pd.isna(value):
        return -1
    return int(value, 16) if isinstance(value, str) else int(value)
