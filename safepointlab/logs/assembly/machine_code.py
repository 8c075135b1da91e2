"""Bytes of machine code, and HotSpot's comments on them by address -> instructions, each with its comments.

    hex dump:   0x00007f89b540f834: ;   {poll}
                0x00007f89b540f834: 4185 0248 | ba20 0640 | 7089 7f00 | 00ff 8298 | 0100 003b
    here:       0x7f89b540f834, "testl %eax,(%r10)", "{poll}"

Without a disassembler HotSpot (17 and later) does not know where instructions begin. It prints in
steps of four bytes, with a comment before the step into which the comment's address falls. There are two kinds:

- a relocation, {poll} or {runtime_call ...}, has the address at which its instruction begins
- debug information (oop map, bytecode, line) has the address at which its instruction ends: the return address of a
  call, and for a poll in a loop the poll itself, so that it stands at the instruction before

On ARM64 each instruction is one such step, and nothing is left to guess.
"""

from bisect import bisect_left
from collections.abc import Iterable
from functools import cache
from typing import Any

from safepointlab.logs.assembly.processor import ARM64, X86_64, Processor

STEP = 4
Decoded = tuple[list[int], list[str], list[str | None]]  # addresses, instructions, their comments

# what an instruction with this relocation looks like, where several begin within one step
SHAPES = {"{poll}": ("test",), "{poll_return}": ("cmp", "test"), "call": ("call", "jmp", "j"), "": ("mov", "lea")}


@cache
def _disassembler(processor: Processor) -> Any:
    import capstone  # only hex dumps need it, and it loads slowly

    if processor is ARM64:
        return capstone.Cs(capstone.CS_ARCH_ARM64, capstone.CS_MODE_ARM)
    disassembler = capstone.Cs(capstone.CS_ARCH_X86, capstone.CS_MODE_64)
    disassembler.syntax = capstone.CS_OPT_SYNTAX_ATT
    return disassembler


def decode(start: int, code: bytes, comments: Iterable[tuple[int, str]] = (), processor: Processor = X86_64) -> Decoded:
    """Decode the bytes at this address; comments come with the addresses of their steps.

    >>> words = [(0x7f04, "- Odd::odds@33 (line 5)"), (0x7f04, "{poll}")]
    >>> for row in zip(*decode(0x7F00, bytes.fromhex("4d8b9748030000418502ebf3"), words)):
    ...     print(*row)
    32512 movq 0x348(%r15),%r10 - Odd::odds@33 (line 5)
    32519 testl %eax,(%r10) {poll}
    32522 jmp 0x7eff None
    >>> decode(0x550C, bytes.fromhex("1f0140b9c0035fd6"), [(0x550C, "{poll}")], ARM64)
    ([21772, 21776], ['ldr wzr,[x8]', 'ret'], ['{poll}', None])
    """
    rows = _instructions(start, code, processor)
    begins, ends = [row[0] for row in rows], [row[0] + row[1] for row in rows]
    lines = [f"{name} {operands}" if operands else name for _, _, name, operands in rows]
    texts = "\n".join(lines).replace(", ", ",").split("\n")
    words: list[str | None] = [None] * len(rows)
    for step, comment in comments:
        if (place := _place(step, comment, texts, begins, ends)) is not None:
            words[place] = f"{words[place]}; {comment}" if words[place] else comment
    return begins, texts if rows else [], words


def _instructions(start: int, code: bytes, processor: Processor) -> list[tuple[int, int, str, str]]:
    """Address, size, name, operands. A byte that begins no instruction is a row; the dump's end may be cut off."""
    rows: list[tuple[int, int, str, str]] = []
    offset = 0
    while offset < len(code):
        rows += _disassembler(processor).disasm_lite(code[offset:], start + offset)
        offset = rows[-1][0] + rows[-1][1] - start if rows else 0
        if len(code) - offset <= (processor.longest if processor is X86_64 else processor.shortest - 1):
            break
        rows.append(_unknown(start + offset, code[offset : offset + processor.shortest]))
        offset += processor.shortest
    return rows


def _unknown(address: int, code: bytes) -> tuple[int, int, str, str]:
    """What begins no instruction, as assemblers write it: a byte, or ARM64's word of four."""
    return (
        address,
        len(code),
        ".byte" if len(code) == 1 else ".word",
        f"0x{int.from_bytes(code, 'little'):0{2 * len(code)}x}",
    )


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
