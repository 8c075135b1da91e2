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
from safepointlab.logs.assembly.machine_code import X86_64, decode, processor_of_listing
from safepointlab.logs.lines.source import Block, Count, Source, blocks, with_counts, without_half_line

__all__ = ["COLUMNS", "NAME", "loops", "oop_maps", "read"]

NAME = "assembly"
COLUMNS = {
    "method": "string", "compile_id": "Int64", "tier": "Int64", "osr_bci": "Int64", "address": "string",
    "instruction": "string", "comment": "string", "poll": "string", "bci": "Int64", "line": "Int64",
}  # fmt: skip
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
            self.processor = processor_of_listing(text)
        pieces = _ADDRESS.split(self.held + text)
        self.held = ""
        if len(pieces) > 1 and not last:
            rest, address = pieces.pop(), pieces.pop()
            self.held = f"  0x{address}:{rest}"
        self._headers(pieces[0])
        for address, rest in zip(pieces[1::2], pieces[2::2], strict=True):
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
        if last:
            self._decode()

    def _headers(self, text: str) -> None:
        """The last header names the code that follows."""
        for compile_id, tier, method, bci in _HEADER.findall(text):
            self.own += 1
            number = int(tier) if tier.isdigit() else None
            self.versions.append((html.unescape(method), int(compile_id), number, int(bci) if bci else None))

    def _instruction(self, address: str, text: str, words: list[str]) -> None:
        """Take an instruction; or bytes, or comments on later bytes, which wait until their code is complete."""
        if not text and words:
            self.waiting += [(int(address, 16), word) for word in words]
        elif _BYTES.fullmatch(text):
            begin = int(address, 16)
            if begin != self.start + len(self.bytes):
                later = [(step, word) for step, word in self.waiting if step >= begin]
                self._decode()
                self.start, self.waiting = begin, later
            self.bytes += bytes.fromhex(text.replace("|", ""))
        elif text and not text.startswith("0x") and not _CUT_BYTES.match(text):
            self.of.append(len(self.versions) - 1)
            self.addresses.append(f"0x{address.lstrip('0')}")
            self.instructions.append(text)
            self.comments.append("; ".join(words) if words else None)
        elif not text.startswith("0x"):  # that would be a constant
            self.own -= 1
            self.odd.append(f"0x{address}:")

    def _decode(self) -> None:
        addresses, texts, comments = decode(self.start, bytes(self.bytes), self.waiting, self.processor)
        self.of += [len(self.versions) - 1] * len(texts)
        self.addresses += [f"0x{address:x}" for address in addresses]
        self.instructions += texts
        self.comments += comments
        self.bytes, self.start, self.waiting = bytearray(), 0, []

    def report_odd_lines(self, block: Block, count: Count, strict: bool) -> None:
        """Count the lines of the block that are neither instructions nor bytes as damaged."""
        for begin in self.odd:
            count.damage(block, max(block.text.find(begin), 0), strict)
        self.odd = []

    def frame(self) -> pd.DataFrame:
        """One row per instruction: the version's columns are looked up; poll, bci and line come from the comment."""
        versions = pd.DataFrame(self.versions, columns=list(VERSION)).astype({name: COLUMNS[name] for name in VERSION})
        columns: dict[str, Any] = {name: versions[name].array.take(self.of) for name in VERSION}
        columns["address"] = self.addresses
        # jump targets as `address` has them: 0x00007f5625110475 -> 0x7f5625110475
        columns["instruction"] = [_PADDED.sub("0x", text) if "0x00" in text else text for text in self.instructions]
        # a file of -XX:+LogVMOutput has XML's escapes
        columns["comment"] = [html.unescape(words) if words and "&" in words else words for words in self.comments]
        polls, places = list[str | None](), list[re.Match[str] | None]()
        for words, text in zip(self.comments, self.instructions, strict=True):
            poll, place = None, _PLACE.search(words) if words and "@" in words else None
            if words and not text.startswith("adrp"):  # 8 comments a poll's two instructions on ARM64; the load polls
                poll = "return" if "{poll_return}" in words else "loop" if "{poll}" in words else None
            if poll == "loop" and places:
                place = place or places[-1]
            polls.append(poll)
            places.append(place)
        columns |= {"poll": polls, "bci": [int(place[1]) if place else None for place in places]}
        columns["line"] = [int(place[2]) if place and place[2] else None for place in places]
        return pd.DataFrame({name: pd.array(columns[name], dtype=dtype) for name, dtype in COLUMNS.items()})


def read(source: Source, strict: bool = False) -> pd.DataFrame:
    """Read a listing of compiled code; with strict, stop at the first damaged line.

    Raises:
        DamagedLog, ForeignLog: when strict. UnreadableLog: the file cannot be opened.
    """
    count, code = Count(), _Code()
    for block in blocks(source):
        code.add(without_half_line(block, count, MARK, strict), last=False)
        code.report_odd_lines(block, count, strict)
    code.add("", last=True)
    if count.lines:
        code.report_odd_lines(block, count, strict)
    return with_counts(code.frame(), count, NAME, strict, own_lines=code.own)


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
