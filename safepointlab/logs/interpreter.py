"""The interpreter's machine code as HotSpot 8 to 28 prints it -> a frame, one row per bytecode, with its poll.

    java -XX:+UnlockDiagnosticVMOptions -XX:+PrintInterpreter -version

HotSpot generates its interpreter as machine code at start: one template per bytecode, which ends with a jump through
the dispatch table to the template of the next bytecode. 10 and later (JEP 312) test a word of their own thread before
some of these jumps. 8 tests nothing: for a safepoint the VM exchanges the whole dispatch table.

>>> lines = ["goto  167 goto  [0x00007f773894dee0, 0x00007f773894e1c0]  736 bytes",
...          "  0x00007f773894dff0: testb   $0x1,0x340(%r15)"]
>>> read(lines).iloc[0].to_dict()
{'number': 167, 'bytecode': 'goto', 'instructions': 1, 'poll': 'testb $0x1,0x340(%r15)'}

number, bytecode   of the template; also HotSpot's own, to which it rewrites others (fast_igetfield)
instructions       their number, with the padding behind them
poll               the instruction that tests whether the thread has to stop; NA if the template has none

Without a disassembler 8 and 11 print no instructions: then these are 0, and `poll` says nothing. x86-64 and ARM64.
"""

import re

import numpy as np
import pandas as pd

from safepointlab.logs import assembly
from safepointlab.logs.lines.source import Count, Source, blocks, with_counts

__all__ = ["COLUMNS", "MARK", "NAME", "read"]

NAME = "interpreter"
COLUMNS = {"number": "Int64", "bytecode": "string", "instructions": "Int64", "poll": "string"}

# iadd  96 iadd  [0x00007f1bbc949d00, 0x00007f1bbc949d40]  64 bytes
MARK = re.compile(r"^\w+  ([0-9]{1,9}) (\w+)  \[0x([0-9a-f]{16}), 0x([0-9a-f]{16})\]  \d+ bytes", re.MULTILINE)
_START = re.compile(r"^\w+  \d+ \w+  \[0x", re.MULTILINE)

# testb   $0x8,0x108(%r15) on 11, testb $1,0x28(%r15) on 25: r15 is the thread, the bit is set when it has to stop
_POLL = re.compile(r"testb? +\$\w+,0x[0-9a-f]+\(%r15\)$")
# ARM64's thread is x28: ldr x9,[x28,#0x108]; tbnz w9,#3,#0x551d46b0f0 at a jump; ldr x8,[x28,#0x340]; cmp x29,x8 at a
# return (JEP 376), on 11 nothing there
_THREAD_WORD = re.compile(r"ldr x(\d+), ?\[x28, ?#0x[0-9a-f]+\]$")
_POLL_ARM64 = re.compile(r"(?:tbn?z [wx]|cmp x29, ?x)(\d+)(?:, ?#\w+, ?#?0x[0-9a-f]+)?$")


def read(source: Source, strict: bool = False) -> pd.DataFrame:
    """Read the listing; with strict, stop at the first damaged line.

    Raises:
        DamagedLog, ForeignLog: when strict. UnreadableLog: the file cannot be opened.
    """
    count, text = Count(), ""
    for block in blocks(source):
        count.remember_sample(block)
        count.lines += block.text.count("\n")
        for start in _START.finditer(block.text):
            if not MARK.match(block.text, start.start()):
                count.damage(block, start.start(), strict)
        text += block.text
    pieces = pd.DataFrame(MARK.findall(text), columns=["number", "bytecode", "start", "end"])
    frame = _frame(pieces, assembly.read(text.split("\n")))
    return with_counts(frame, count, NAME, strict, own_lines=len(pieces))


def _frame(pieces: pd.DataFrame, code: pd.DataFrame) -> pd.DataFrame:
    """One row per template; an instruction belongs to the template between whose addresses it lies."""
    # a damaged line may have an address of zeros alone, which the reader of assembly shortens to 0x
    places = np.array([int(address[2:] or "0", 16) for address in code["address"]], dtype=np.uint64)
    starts, ends = ([np.uint64(int(text, 16)) for text in pieces[name]] for name in ("start", "end"))
    inside = [(places >= start) & (places < end) for start, end in zip(starts, ends, strict=True)]
    instructions = [code["instruction"][rows].tolist() for rows in inside]
    pieces["number"] = pieces["number"].astype(int)
    pieces["instructions"] = list(map(len, instructions))
    pieces["poll"] = list(map(_poll, instructions))
    return pieces[list(COLUMNS)].astype(COLUMNS)


def _poll(texts: list[str]) -> str | None:
    """The instruction that asks whether this thread has to stop; the first one, if there are several."""
    for before, text in zip(["", *texts], texts, strict=False):
        bit, word = _POLL_ARM64.match(text), _THREAD_WORD.match(before)
        if _POLL.match(text) or (bit and word and word[1] == bit[1]):
            return text
    return None
