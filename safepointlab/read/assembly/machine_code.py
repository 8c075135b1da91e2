"""Bytes of x86-64 machine code, and HotSpot's comments on them by address -> instructions, each with its comments.

    hex dump:   0x00007f89b540f834: ;   {poll}
                0x00007f89b540f834: 4185 0248 | ba20 0640 | 7089 7f00 | 00ff 8298 | 0100 003b
    here:       0x7f89b540f834, "testl %eax,(%r10)", "{poll}"

Without a disassembler HotSpot (17 and later) does not know where instructions begin. It prints in
steps of four bytes, with a comment before the step into which the comment's address falls. There are two kinds:

- a relocation, {poll} or {runtime_call ...}, has the address at which its instruction begins
- debug information (oop map, bytecode, line) has the address at which its instruction ends: the return address of a
  call, and for a poll in a loop the poll itself, so that it stands at the instruction before
"""

from bisect import bisect_left
from collections.abc import Iterable
from functools import cache
from typing import Any

STEP = 4
Decoded = tuple[list[int], list[str], list[str | None]]  # addresses, instructions, their comments
LONGEST = 15  # bytes of an instruction

# what an instruction with this relocation looks like, where several begin within one step
SHAPES = {"{poll}": ("test",), "{poll_return}": ("cmp", "test"), "call": ("call", "jmp", "j"), "": ("mov", "lea")}


@cache
def _disassembler() -> Any:
    import capstone  # only hex dumps need it, and it loads slowly

    disassembler = capstone.Cs(capstone.CS_ARCH_X86, capstone.CS_MODE_64)
    disassembler.syntax = capstone.CS_OPT_SYNTAX_ATT
    return disassembler


def decode(start: int, code: bytes, comments: Iterable[tuple[int, str]] = ()) -> Decoded:
    """Decode the bytes at this address; comments come with the addresses of their steps.

    >>> words = [(0x7f04, "- Odd::odds@33 (line 5)"), (0x7f04, "{poll}")]
    >>> for row in zip(*decode(0x7F00, bytes.fromhex("4d8b9748030000418502ebf3"), words)):
    ...     print(*row)
    32512 movq 0x348(%r15),%r10 - Odd::odds@33 (line 5)
    32519 testl %eax,(%r10) {poll}
    32522 jmp 0x7eff None
    """
    rows = _instructions(start, code)
    begins, ends = [row[0] for row in rows], [row[0] + row[1] for row in rows]
    lines = [f"{name} {operands}" if operands else name for _, _, name, operands in rows]
    texts = "\n".join(lines).replace(", ", ",").split("\n")
    words: list[str | None] = [None] * len(rows)
    for step, comment in comments:
        if (place := _place(step, comment, texts, begins, ends)) is not None:
            words[place] = f"{words[place]}; {comment}" if words[place] else comment
    return begins, texts if rows else [], words


def _instructions(start: int, code: bytes) -> list[tuple[int, int, str, str]]:
    """Address, size, name, operands. A byte that begins no instruction is a row; the dump's end may be cut off."""
    rows: list[tuple[int, int, str, str]] = []
    offset = 0
    while offset < len(code):
        rows += _disassembler().disasm_lite(code[offset:], start + offset)
        offset = rows[-1][0] + rows[-1][1] - start if rows else 0
        if len(code) - offset <= LONGEST:
            break
        rows.append((start + offset, 1, ".byte", f"0x{code[offset]:02x}"))
        offset += 1
    return rows


def _place(step: int, comment: str, texts: list[str], begins: list[int], ends: list[int]) -> int | None:
    """The instruction that the comment of this step belongs to; None if the dump ends before it."""
    if not comment.startswith("{"):
        places = range(bisect_left(ends, step + 1), bisect_left(ends, step + STEP + 1))
        return _best(places, texts, ("call",), otherwise=-1)
    places = range(bisect_left(begins, step), bisect_left(begins, step + STEP))
    shape = comment if comment in SHAPES else "call" if "_call" in comment else ""
    return _best(places, texts, SHAPES[shape], otherwise=0)


def _best(places: range, texts: list[str], shape: tuple[str, ...], otherwise: int) -> int | None:
    if len(places) < 2:
        return places[0] if places else None
    return next((place for place in places if texts[place].startswith(shape)), places[otherwise])
