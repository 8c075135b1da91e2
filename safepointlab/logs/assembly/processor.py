"""A listing's text -> the processor that its code is for, and how that one's instructions look: x86-64, or ARM64.

Both have the same structure (jumps with a target, calls, returns), so the readers of loops ask this module alone. The
text is HotSpot's, whoever printed it: capstone here, or a disassembler plug-in (hsdis) in AT&T's or Intel's form.

    x86-64    testl %eax,(%r10)    jl 0x7f5625110358    callq *%r10    retq
    ARM64     ldr wzr,[x8]         b.lt #0x550c121120   blr x8         ret
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass


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

# In a listing for ARM64: the register of a parameter (x86-64 has rsi), the plug-in's name; among whole words ret or nop
_WORDS = r"[:|] (?:[0-9a-f]{4} [0-9a-f]{4} \| )*(?:c003 5fd6|1f20 03d5)\b"
_OF_ARM64 = re.compile(rf"^  # parm\d+: +c_rarg\d|hsdis-aarch64|{_WORDS}", re.MULTILINE)
_ARM64_NAMES = re.compile(r"(?:ldr|ldp|stp|adrp|cbn?z|b\.[a-z]{2}) ")


def of_listing(text: str) -> Processor:
    """The processor of HotSpot's listing, by its beginning or any part of it."""
    return ARM64 if _OF_ARM64.search(text) else X86_64


def of_instructions(texts: Iterable[str]) -> Processor:
    """The processor of decoded instructions: no name of these is one of x86-64.

    >>> of_instructions(["sub sp,sp,#0x30", "stp x29,x30,[sp,#0x20]"]).name, of_instructions(["ret"]).name
    ('ARM64', 'x86-64')
    """
    return ARM64 if any(map(_ARM64_NAMES.match, texts)) else X86_64
