"""Compiled code as HotSpot 8 to 28 prints it -> a frame, one row per instruction, with safepoint polls marked.

    java -XX:+UnlockDiagnosticVMOptions -XX:CompileCommand=print,Odd::countOdds Odd     one method
    java -XX:+UnlockDiagnosticVMOptions -XX:+PrintAssembly Odd                          all of them

With a disassembler (hsdis) the log holds instructions; without one 8 and 11 print none, 17 and later their bytes in hex
([MachCode]), which are decoded here, of x86-64 and ARM64. Operands stand in the order that hsdis chose;
x86's bytes are decoded to AT&T's.

>>> lines = ["Compiled method (c2)     411   15 %     4       Odd::countOdds @ 12 (44 bytes)",
...          "  0x00007f561d11483d: test    %eax,0x161e27c1(%rip)  ;*goto",
...          "                                                ; - Odd::countOdds@33 (line 5)",
...          "                                                ;   {poll}"]
>>> read(lines).iloc[0].to_dict()  # doctest: +NORMALIZE_WHITESPACE
{'method': 'Odd::countOdds', 'compile_id': 15, 'tier': 4, 'osr_bci': 12, 'address': '0x7f561d11483d',
 'instruction': 'test %eax,0x161e27c1(%rip)', 'comment': '*goto; - Odd::countOdds@33 (line 5); {poll}', 'poll': 'loop',
 'bci': 33, 'line': 5}

method, compile_id, tier, osr_bci    of the compile, as in its compile-log line; missing for code of no method
address        without leading zeros, as in the targets of jumps
comment        the VM's comments on the instruction, joined by "; "
poll           `loop` for {poll}, `return` for {poll_return}: here the thread tests whether it has to stop
bci, line      from the debug information, of the innermost method inlined here

The VM prints debug information with the instruction that ends there. That of a poll in a loop has the poll's own
address, so it is printed with the instruction before, from which the poll takes its bci and line. Without hsdis only
calls and polls have debug information.

`loops(frame)` returns the loops that these instructions form, and whether they are polled (see loops.py).
`oop_maps(frame)` adds where the JVM has noted the references.
"""

import html
import re
from typing import Any

import pandas as pd

from safepointlab.logs.assembly.loops import loops
from safepointlab.logs.assembly.machine_code import decode
from safepointlab.logs.assembly.processor import X86_64, of_listing
from safepointlab.logs.lines.source import Block, Count, Source, blocks
from safepointlab.logs.lines.trust import finished, trusted

__all__ = ["COLUMNS", "NAME", "loops", "oop_maps", "read"]

NAME = "assembly"
COLUMNS = {
    "method": "string",
    "compile_id": "Int64",
    "tier": "Int64",
    "osr_bci": "Int64",
    "address": "string",
    "instruction": "string",
    "comment": "string",
    "poll": "string",
    "bci": "Int64",
    "line": "Int64",
}
VERSION = ("method", "compile_id", "tier", "osr_bci")

# Compiled method (c1)     123   14 %     3       Odd::countOdds @ 12 (44 bytes)
# Compiled method (c2) 119    8 %     4       Odd::countOdds @ 12 (44 bytes)
_HEADER = re.compile(
    r"Compiled method \([^)\n]+\) *[0-9]{1,10} {1,4}([0-9]{1,9}) [% ][s ][! ][b ][n ] (?:([0-4-]) )?      "
    r"(\S+?::[^\n]+?)(?: @ (-?[0-9]{1,6}))? \((?:[0-9]{1,6} bytes|native)\)"
)
MARK = re.compile(r"Compiled method \(\w+\) |^  0x[0-9a-f]{8,16}: ", re.MULTILINE)

# Lines with an address: an instruction, with the first of its comments
#   0x00007f5625110342: jnl     0x7f5625110475    ;*if_icmpge
# a comment on bytes that follow, or these bytes
#   0x00007f89b540f834: ;   {poll}
#   0x00007f89b540f834: 4185 0248 | ba20 0640 | 7089 7f00 | 00ff 8298 | 0100 003b
_ADDRESS = re.compile(r"^ {1,4}0x([0-9a-f]{8,16}):", re.MULTILINE)
_BYTES = re.compile(r"(?:[0-9a-f]{2}){1,2}(?: (?:\| )?(?:[0-9a-f]{2}){1,2})*")
_CUT_BYTES = re.compile(r"[0-9a-f]{4}(?: |$)")

# More comments on the same instruction
#                                                 ; - Odd::countOdds@6 (line 4)
_COMMENT = re.compile(r"^[ \t]+;([^\n]*)$", re.MULTILINE)

# The innermost method comes first:  - (reexecute) Odd::countOdds@33 (line 5)
_PLACE = re.compile(r"- (?:\([a-z_ ]+\) )?\S+::\S+?@(-?[0-9]{1,6})(?: \(line ([0-9]{1,6})\))?")
_PADDED = re.compile(r"\b0x0{2,8}(?=[0-9a-f]{8,12}\b)")


class _Code:
    """The instructions read so far, and the bytes that wait to be decoded."""

    def __init__(self) -> None:
        self.versions: list[tuple[Any, ...]] = [(None,) * len(VERSION)]
        self.of: list[int] = []  # the row's place in `versions`
        self.addresses: list[str] = []
        self.instructions: list[str] = []
        self.comments: list[str | None] = []
        self.bytes, self.start, self.waiting = bytearray(), 0, list[tuple[int, str]]()
        self.processor = X86_64
        self.odd: list[str] = []
        self.own = 0  # lines of the listing
        self.held = ""  # the last address and what follows: comments on it may still come

    def add(self, text: str, last: bool) -> None:
        """Take whole lines of text; `last`: no more will come."""
        if self.processor is X86_64:  # until something says otherwise
            self.processor = of_listing(text)
        pieces = _ADDRESS.split(self.held + text)
        self.held = ""
        if len(pieces) > 1 and not last:
            rest, address = pieces.pop(), pieces.pop()
            self.held = f"  0x{address}:{rest}"
        self._headers(pieces[0])
        for address, rest in zip(pieces[1::2], pieces[2::2], strict=True):
            self._addressed(address, rest)
        if last:
            self._decode()

    def _addressed(self, address: str, rest: str) -> None:
        first, _, more = rest.partition("\n")
        text, semicolon, comment = first.partition(";")
        words = [comment.strip()] if semicolon else []
        if ";" in more:
            words += [comment.strip() for comment in _COMMENT.findall(more)]
        self.own += 1 + len(words) - bool(semicolon)
        self._instruction(address, " ".join(text.split()), words)
        if "Compiled method" in more or "[/MachCode]" in more:
            self._decode()
            self._headers(more)

    def _instruction(self, address: str, text: str, words: list[str]) -> None:
        """Take an instruction; or bytes, or comments on later bytes, which wait until their code is complete."""
        if not text and words:
            self.waiting += [(int(address, 16), word) for word in words]
        elif _BYTES.fullmatch(text):
            self._gather(int(address, 16), bytes.fromhex(text.replace("|", "")))
        elif text and not text.startswith("0x") and not _CUT_BYTES.match(text):
            self._row(f"0x{address.lstrip('0')}", text, words)
        elif not text.startswith("0x"):  # that would be a constant
            self.own -= 1
            self.odd.append(f"0x{address}:")

    def _gather(self, address: int, code: bytes) -> None:
        if address != self.start + len(self.bytes):
            later = [(step, word) for step, word in self.waiting if step >= address]
            self._decode()
            self.start, self.waiting = address, later
        self.bytes += code

    def _decode(self) -> None:
        addresses, texts, comments = decode(self.start, bytes(self.bytes), self.waiting, self.processor)
        self.of += [len(self.versions) - 1] * len(texts)
        self.addresses += [f"0x{address:x}" for address in addresses]
        self.instructions += texts
        self.comments += comments
        self.bytes, self.start, self.waiting = bytearray(), 0, []

    def _row(self, address: str, instruction: str, words: list[str]) -> None:
        self.of.append(len(self.versions) - 1)
        self.addresses.append(address)
        self.instructions.append(instruction)
        self.comments.append("; ".join(words) if words else None)

    def _headers(self, text: str) -> None:
        """The last header names the code that follows."""
        for compile_id, tier, method, bci in _HEADER.findall(text):
            self.own += 1
            number = int(tier) if tier.isdigit() else None
            self.versions.append((html.unescape(method), int(compile_id), number, int(bci) if bci else None))


def read(source: Source, strict: bool = False) -> pd.DataFrame:
    """Read a listing of compiled code; with strict, stop at the first damaged line.

    Raises:
        DamagedLog, ForeignLog: when strict. UnreadableLog: the file cannot be opened.
    """
    count, code = Count(), _Code()
    for block in blocks(source):
        code.add(trusted(block, count, MARK, strict), last=False)
        _report(code, block, count, strict)
    code.add("", last=True)
    if count.lines:
        _report(code, block, count, strict)
    return finished(_frame(code), count, NAME, code.own, strict)


def _report(code: _Code, block: Block, count: Count, strict: bool) -> None:
    for begin in code.odd:
        count.damage(block, max(block.text.find(begin), 0), strict)
    code.odd = []


def _frame(code: _Code) -> pd.DataFrame:
    """The frame: the version's columns are looked up; poll, bci and line come from the comment."""
    versions = pd.DataFrame(code.versions, columns=list(VERSION)).astype({name: COLUMNS[name] for name in VERSION})
    columns: dict[str, Any] = {name: versions[name].array.take(code.of) for name in VERSION}
    columns |= {"address": code.addresses, "instruction": _plain(code.instructions)}
    columns |= {"comment": _unescaped(code.comments), **_meaning(code.comments, code.instructions)}
    return pd.DataFrame({name: pd.array(columns[name], dtype=dtype) for name, dtype in COLUMNS.items()})


def _meaning(comments: list[str | None], instructions: list[str]) -> dict[str, list[Any]]:
    """Poll, bci and line from the comments. On ARM64 8 comments a poll's two instructions: the load is the poll."""
    polls = [
        _poll(words) if words and not text.startswith("adrp") else None
        for words, text in zip(comments, instructions, strict=True)
    ]
    places = [_PLACE.search(words) if words and "@" in words else None for words in comments]
    for row in (row for row, poll in enumerate(polls) if poll == "loop" and row):
        places[row] = places[row] or places[row - 1]
    bcis = [int(place[1]) if place else None for place in places]
    return {"poll": polls, "bci": bcis, "line": [int(place[2]) if place and place[2] else None for place in places]}


def _poll(words: str) -> str | None:
    return "return" if "{poll_return}" in words else "loop" if "{poll}" in words else None


def _plain(instructions: list[str]) -> list[str]:
    """The instructions with jump targets as `address` has them: 0x00007f5625110475 -> 0x7f5625110475."""
    return [_PADDED.sub("0x", text) if "0x00" in text else text for text in instructions]


def _unescaped(comments: list[str | None]) -> list[str | None]:
    """The comments without XML's escapes, which a file of -XX:+LogVMOutput has."""
    return [html.unescape(words) if words and "&" in words else words for words in comments]


def oop_maps(frame: pd.DataFrame) -> pd.DataFrame:
    """The instructions with a column oop_map, where the references are while a thread is there: "r11=Oop [8]=Oop".

    It is "" where no reference is left, and missing where the JVM wrote down nothing: a thread can't be stopped there.

    HotSpot prints a map behind the instruction that ends where the map holds (nmethod::print_code_comment_on, "tied to
    the byte after a call"). So a call's own map is printed at the call, and a poll's at the instruction before it, or
    at the poll where both share one of the blocks of four bytes before which the JVM prints its comments.
    """
    printed = frame["comment"].str.extract(r"OopMap \{([^}]*)\}")[0].str.strip()
    own = frame["instruction"].str.startswith("call").fillna(False).astype(bool) | frame["poll"].notna()
    before = printed.mask(own).groupby(frame["compile_id"], sort=False).shift()
    return frame.assign(oop_map=printed.where(own).fillna(before))
