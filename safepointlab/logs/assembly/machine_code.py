"""Bytes of machine code, and HotSpot's comments on them by address -> instructions, each with its comments.

    hex dump:   0x00007f89b540f834: ;   {poll}
                0x00007f89b540f834: 4185 0248 | ba20 0640 | 7089 7f00 | 00ff 8298 | 0100 003b
    here:       0x7f89b540f834, "testl %eax,(%r10)", "{poll}"

Without a disassembler HotSpot (17 and later) does not know where instructions begin. It prints in
steps of four bytes, with a comment before the step into which the comment's address falls. There are two kinds:

- a relocation, {poll} or {runtime_call ...}, has the address at which its instruction begins
- debug information (oop map, bytecode, line) has the address at which its instruction ends: the return address of a
  call, and for a poll in a loop the poll itself, so that it stands at the instruction before

On ARM64 each instruction is one such step, and nothing is left to guess. Code for x86-64 and for ARM64 has the same
structure (jumps with a target, calls, returns), so the readers of loops ask a Processor alone. The text is HotSpot's,
whoever printed it: capstone here, or a disassembler plug-in (hsdis) in AT&T's or Intel's form.

    x86-64    testl %eax,(%r10)    jl 0x7f5625110358    callq *%r10    retq
    ARM64     ldr wzr,[x8]         b.lt #0x550c121120   blr x8         ret
"""

import re
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

STEP = 4
Decoded = tuple[list[int], list[str], list[str | None]]  # addresses, instructions, their comments

# what an instruction with this relocation looks like, where several begin within one step
SHAPES = {"{poll}": ("test",), "{poll_return}": ("cmp", "test"), "call": ("call", "jmp", "j"), "": ("mov", "lea")}


@dataclass(frozen=True)
class Processor:
    """`jump`: a jump with a known target, its first group. `always`: one that never goes on to the next instruction.

    `ends`: after this nothing goes on either. `calls`: how a call begins. `longest`, `shortest`: bytes of one.
    """

    name: str
    jump: re.Pattern[str]
    always: re.Pattern[str]
    ends: re.Pattern[str]
    calls: tuple[str, ...]
    shortest: int
    longest: int


X86_64 = Processor(
    name="x86-64",
    # jl 0x7f5625110358;  Intel's "jmp short 0x7f..";  not "jmp *%r10", whose target is unknown
    jump=re.compile(r"(?:bnd |notrack )?(?:jmpq?|j[a-z]+|loopn?e?)\b(?:,p[nt])? +(?:short |near ptr )?0x([0-9a-f]+)$"),
    always=re.compile(r"(?:bnd |notrack )?jmp"),
    ends=re.compile(r"(?:rep[z ]*)?(?:ret|hlt|ud2|int3)"),
    calls=("call",),
    shortest=1,
    longest=15,
)

ARM64 = Processor(
    name="ARM64",
    # b.lt #0x550c121120;  cbz w0,#0x..;  tbnz w9,#3,#0x..;  GNU's "b.lt 0x0000ffff8c121120  // b.tstop"
    jump=re.compile(
        r"(?:b|b\.[a-z]{2}|bc\.[a-z]{2}|cbn?z \w+,|tbn?z \w+, ?#?[0-9a-fx]+,) *#?0x([0-9a-f]+)(?: *//.*)?$"
    ),
    always=re.compile(r"(?:b|b\.al|br|braaz?|brabz?) "),
    ends=re.compile(r"(?:ret|brk|udf|hlt|dcps1|\.word)"),
    calls=("bl ", "blr"),
    shortest=4,
    longest=4,
)

# In a listing for ARM64: the register of a parameter (x86-64 has rsi), the plug-in's name; among whole words ret, nop,
# and what begins and ends a template of the interpreter: str x0,[x20,#-8]! and br x9
_WORDS = r"[:|] (?:[0-9a-f]{4} [0-9a-f]{4} \| )*(?:c003 5fd6|1f20 03d5|808e 1ff8|2001 1fd6)\b"
_OF_ARM64 = re.compile(rf"^  # parm\d+: +c_rarg\d|hsdis-aarch64|{_WORDS}", re.MULTILINE)
_ARM64_NAMES = re.compile(r"(?:ldr|ldp|stp|adrp|cbn?z|b\.[a-z]{2}) ")


def processor_of_listing(text: str) -> Processor:
    """The processor of HotSpot's listing, by its beginning or any part of it."""
    return ARM64 if _OF_ARM64.search(text) else X86_64


def processor_of(texts: Iterable[str]) -> Processor:
    """The processor of decoded instructions: no name of these is one of x86-64.

    >>> processor_of(["sub sp,sp,#0x30", "stp x29,x30,[sp,#0x20]"]).name, processor_of(["ret"]).name
    ('ARM64', 'x86-64')
    """
    return ARM64 if any(map(_ARM64_NAMES.match, texts)) else X86_64


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
    """Address, size, name, operands. What begins no instruction is a row, too; the dump's end may be cut off."""
    rows: list[tuple[int, int, str, str]] = []
    offset = 0
    while offset < len(code):
        rows += _disassembler(processor).disasm_lite(code[offset:], start + offset)
        offset = rows[-1][0] + rows[-1][1] - start if rows else 0
        if len(code) - offset <= (processor.longest if processor is X86_64 else processor.shortest - 1):
            break
        data = code[offset : offset + processor.shortest]  # as assemblers write it: a byte, or ARM64's word of four
        name, digits = ".byte" if len(data) == 1 else ".word", 2 * len(data)
        rows.append((start + offset, len(data), name, f"0x{int.from_bytes(data, 'little'):0{digits}x}"))
        offset += processor.shortest
    return rows


def _place(step: int, comment: str, texts: list[str], begins: list[int], ends: list[int]) -> int | None:
    """The instruction that the comment of this step belongs to; None if the dump ends before it."""
    if comment.startswith("{"):
        places = range(bisect_left(begins, step), bisect_left(begins, step + STEP))
        shape, otherwise = SHAPES[comment if comment in SHAPES else "call" if "_call" in comment else ""], 0
    else:
        places = range(bisect_left(ends, step + 1), bisect_left(ends, step + STEP + 1))
        shape, otherwise = ("call",), -1
    if len(places) < 2:
        return places[0] if places else None
    return next((place for place in places if texts[place].startswith(shape)), places[otherwise])
