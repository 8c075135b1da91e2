"""The bytecode of one method (rows of logs.bytecode) -> its loops, and the blocks that a drawing of their shape shows.

Blocks are cut where the loops begin, test, are entered and end. Other branches stay inside a block: the shape is what
is to be seen. The target of a back edge is where OSR enters: the interpreter counts the jumps back, and asks for code
that begins at their target.
"""

from dataclasses import dataclass
from typing import Any

import pandas as pd

from safepointlab.logs.bytecode import back_edges

MOST_LOOPS = 3  # more do not fit a picture
MOST_LINES, OUTSIDE_LINES = 5, 2  # of bytecode in a block, and in one outside the loops
NO_FALL = ("goto", "goto_w", "return", "ireturn", "lreturn", "dreturn", "freturn", "areturn", "athrow")
AT_THE_TOP, AT_THE_BOTTOM, BODY_FIRST, ENDLESS = "top", "bottom", "bottom, body first", "none"


@dataclass(frozen=True)
class Loop:
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


@dataclass(frozen=True)
class Block:
    """Neighbouring bytecodes: the first bci, the last, how deep in loops, what they are for, and how they read."""

    first: int
    last: int
    depth: int
    role: str
    text: tuple[str, ...]
    falls: bool


def loops_of(opcodes: pd.DataFrame) -> list[Loop]:
    """The method's first loops, in the order of their headers; a loop with several jumps back counts once."""
    targets = dict(zip(opcodes["bci"], opcodes["target"], strict=True))
    edges = back_edges(opcodes).sort_values("from_bci").drop_duplicates("to_bci", keep="last")
    return [_loop(row, targets) for row in edges.sort_values("to_bci").head(MOST_LOOPS).to_dict("records")]


def _loop(row: dict[Any, Any], targets: dict[Any, Any]) -> Loop:
    header, back, entry = int(row["to_bci"]), int(row["from_bci"]), _number(row["entry_bci"])
    start = header if entry is None else int(targets[entry])
    return Loop(header, back, _number(row["test_bci"]), entry, str(row["test"]), _number(row["line"]), start)


def _number(value: Any) -> int | None:
    return None if pd.isna(value) else int(value)


def blocks_of(opcodes: pd.DataFrame, loops: list[Loop]) -> list[Block]:
    """The blocks from the method's begin to its end."""
    rows = opcodes.to_dict("records")
    after = {int(row["bci"]): int(following["bci"]) for row, following in zip(rows, rows[1:], strict=False)}
    cuts = {int(rows[0]["bci"])}
    for loop in loops:
        ends = [loop.back, *([loop.entry] if loop.entry is not None else [])]
        ends += [loop.test] if loop.kind == AT_THE_TOP and loop.test is not None else []
        cuts |= {loop.header, loop.start_of_test} | {after[end] for end in ends if end in after}
    starts = sorted(cuts)
    bounds = zip(starts, [*starts[1:], int(rows[-1]["bci"]) + 1], strict=True)
    return [_block([row for row in rows if first <= row["bci"] < end], loops) for first, end in bounds]


def _block(rows: list[dict[Any, Any]], loops: list[Loop]) -> Block:
    first, last = int(rows[0]["bci"]), int(rows[-1]["bci"])
    around = [loop for loop in loops if loop.holds(first)]
    role = _role(first, last, around, loops)
    falls = rows[-1]["opcode"] not in NO_FALL
    text = _text(rows) if around else _outside(rows, role)
    return Block(first, last, len(around), role, text, falls)


def _role(first: int, last: int, around: list[Loop], loops: list[Loop]) -> str:
    """What the block is for: "before", "test", "body", "body and test", "after"."""
    if not around:
        return "before" if first < min((loop.header for loop in loops), default=first + 1) else "after"
    inner = max(around, key=lambda loop: loop.header)
    tests = inner.test is not None and first <= inner.test <= last
    part = "body and test" if inner.kind == BODY_FIRST and tests else "test" if tests else "body"
    return f"{_which(inner, loops)}{part}"


def _which(loop: Loop, loops: list[Loop]) -> str:
    """ "inner loop: " where there are several."""
    if len(loops) == 1:
        return ""
    depth = sum(other.holds(loop.header) for other in loops)
    nested = len(loops) == 2 and any(one.holds(other.header) for one in loops for other in loops if one is not other)
    return ("outer loop: ", "inner loop: ")[depth - 1] if nested else f"loop at bci {loop.header}: "


def _text(rows: list[dict[Any, Any]]) -> tuple[str, ...]:
    """The bytecodes, the middle left out where there are many."""
    lines = [_line(row) for row in rows]
    if len(lines) <= MOST_LINES:
        return tuple(lines)
    return (*lines[:2], f"     … {len(lines) - 4} bytecodes", *lines[-2:])


def _outside(rows: list[dict[Any, Any]], role: str) -> tuple[str, ...]:
    """Of a block outside the loops only the bytecode that is next to one."""
    lines = [_line(row) for row in rows]
    if len(lines) <= OUTSIDE_LINES:
        return tuple(lines)
    left_out = f"     … {len(lines) - 1} bytecodes"
    return (left_out, lines[-1]) if role == "before" else (lines[0], left_out)


def _line(row: dict[Any, Any]) -> str:
    operand = "" if pd.isna(row["operand"]) else str(row["operand"]).partition("//")[2].strip() or str(row["operand"])
    jump = "" if pd.isna(row["target"]) else f"→ {int(row['target'])}"
    text = f"{int(row['bci']):>3}  {row['opcode']} {jump or operand}".rstrip()
    return text if len(text) <= 30 else f"{text[:29]}…"
