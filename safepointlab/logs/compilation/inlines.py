"""HotSpot's inlining trees (-XX:+PrintInlining), 8 to 28 -> a frame, one row per call with the compiler's decision.

    java -XX:+PrintCompilation -XX:+UnlockDiagnosticVMOptions -XX:+PrintInlining Main     8 to 28
    java -Xlog:jit+compilation=debug,jit+inlining=debug Main                              11 to 28

>>> lines = ["    301    6   !   4       Mix::parse (11 bytes)",
...          "                              @ 1   java.lang.Integer::parseInt (7 bytes)   inline (hot)",
...          "                                @ 3   java.lang.Integer::parseInt (261 bytes)   callee is too large"]
>>> read(lines).drop(columns="method")
   compile_id  level  bci  bytes     decision               reason
0           6      1    1      7      inlined         inline (hot)
1           6      2    3    261  not inlined  callee is too large

compile_id   the compile whose tree has the call: the last one that began above it, in vm.log by the same thread.
             C2 prints its tree when it is done; on stdout another thread's compile may have begun in between
level        1 is a call in the compiled method itself, 2 one in a method inlined there, ...
bci          of the call, in its caller
method       the callee, `pkg.Class::name`
bytes        size of its bytecode; missing when its class is not loaded
decision     inlined, intrinsic (the compiler's own code instead of the method), not inlined
reason       in the VM's words; missing if the C1 of 8 gives none for inlining
"""

import html
import re

import numpy as np
import pandas as pd

from safepointlab.logs.lines.source import Count, Source, blocks, with_counts, without_half_line
from safepointlab.logs.lines.store import Store
from safepointlab.logs.lines.store import frame as framed

NAME = "inlining"
COLUMNS = {
    "compile_id": "Int32", "level": "Int32", "bci": "Int32", "method": "string", "bytes": "Int32",
    "decision": "string", "reason": "string",
}  # fmt: skip
FIRST_INDENT = 30  # blanks before the @ of level 1; two fewer with -XX:-TieredCompilation, which prints no tier

# Blanks where the compile line has time, id and marks (s ! m of the callee may stand there), then two more a level:
#                               @ 1   java.lang.Integer::parseInt (7 bytes)   inline (hot)
#                                 @ 31  java/lang/StringUTF16::newString (not loaded)   not inlineable
# [0.250s][debug][jit,inlining   ]                               @ 3   java.lang.Math::floorDiv (22 bytes)   inline
_INDENT = r"( {14}[s ][! ][m ] {11,})@ "
_CALL = rf"{_INDENT}((-?[0-9]{{1,6}}) {{2,3}}(\S+?::\S.*?) \((?:([0-9]{{1,6}}) bytes|not loaded)\)(?:   (.+))?)$"
MARK, _START = re.compile(_CALL, re.MULTILINE), re.compile(_INDENT)

# The compile that the calls belong to, and in vm.log the thread that prints:
#     252    3   !   3       Mix::parse (11 bytes)
# <writer thread='2627'/>
_COMPILE = r"(?<![0-9])([0-9]{1,9}) [% ][s ][! ][b ][n ] (?:[0-4-] )?      [^\s(@]\S*::.*(?:bytes\)|\(native\).*)$"
_LINE = re.compile(rf"{_CALL}|{_COMPILE}|^<writer thread='([0-9]{{1,18}})'/>$")

# "inline (hot)", "accessor", "force inline by annotation", "late inline succeeded"; "inlining too deep" is a refusal
_INLINED = re.compile(r"inline\b|accessor$|force |late inline succeeded")


def read(source: Source, strict: bool = False) -> pd.DataFrame:
    """Read the inlining trees of a compile log.

    Raises:
        DamagedLog, ForeignLog: when strict. UnreadableLog: the file cannot be opened.
    """
    count, trees = Count(), _Trees()
    for block in blocks(source):
        trees.add(without_half_line(block, count, _START, strict))
    frame = trees.frame()
    return with_counts(frame, count, NAME, strict, own_lines=len(frame))


class _Trees:
    """The calls, column by column; many have the same text from the bci on, which is parsed once."""

    def __init__(self) -> None:
        self.rows = Store()
        self.indents: set[str] = set()  # what stands in front of a call
        self.numbers: dict[str, int] = {}  # the text from the bci on -> its place among the calls
        self.calls: list[tuple[int, str, int, str, str]] = []  # bci, method, bytes (-1 if missing), decision, reason
        self.thread, self.compile = "", -1
        self.compiles: dict[str, int] = {}  # thread -> the compile that it began last
        self.add("")  # so that a log without calls has its columns, too

    def add(self, text: str) -> None:
        rows = list[int]()
        for line in text.split("\n"):
            indent, _, call = line.partition("@ ")
            if indent in self.indents and call in self.numbers:
                rows += self.compile, len(indent), self.numbers[call]
            elif ("::" in line or line.startswith("<writer ")) and (match := _LINE.search(line)):
                indent, call, bci, method, size, words, compiled, thread = match.groups()
                if call:
                    self._learn(call, int(bci), method, size, words)
                    self.indents.add(indent)
                    rows += self.compile, len(indent), self.numbers[call]
                    continue
                if thread:
                    self.thread = thread
                else:
                    self.compiles[self.thread] = int(compiled)
                self.compile = self.compiles.get(self.thread, -1)
        compiles, indents, calls = np.array(rows, np.int32).reshape(-1, 3).T
        levels = (indents - FIRST_INDENT) // 2 + 2  # see `frame`
        self.rows.add({"compile_id": compiles, "level": levels, "call": calls})

    def _learn(self, call: str, bci: int, method: str, size: str | None, words: str | None) -> None:
        if call not in self.numbers:
            self.numbers[call] = len(self.calls)
            name = html.unescape(method).replace("/", ".") if size is None or "&" in method else method
            decision, reason = _decision(words)
            self.calls.append((bci, name, int(size or -1), decision, reason or ""))

    def frame(self) -> pd.DataFrame:
        table = self.rows.table()
        calls = table.pop("call")
        if len(calls) and table["level"].min() == 2:
            table["level"] = table["level"] - 1
        bcis, methods, sizes, decisions, reasons = zip(*self.calls, strict=True) if self.calls else [()] * 5
        table["bytes"] = np.array(sizes, np.int32)[calls]
        bci = pd.arrays.IntegerArray(np.array(bcis, np.int32)[calls], np.zeros(len(calls), np.bool_))
        texts = [(calls, {"method": methods, "decision": decisions, "reason": reasons})]
        frame = framed(table, texts, {name: dtype for name, dtype in COLUMNS.items() if name != "bci"})
        frame.insert(2, "bci", pd.Series(bci, copy=False))  # a negative one is none missing
        return frame


def _decision(words: str | None) -> tuple[str, str | None]:
    """The decision, and the VM's words for it.

    >>> _decision("failed to inline: callee is too large"), _decision("(intrinsic)"), _decision(None)
    (('not inlined', 'callee is too large'), ('intrinsic', 'intrinsic'), ('inlined', None))
    """
    reason = html.unescape(words).removeprefix("failed to inline: ").strip() if words else None
    if reason and "intrinsic" in reason:
        return "intrinsic", reason.strip("()")
    return ("inlined" if reason is None or _INLINED.match(reason) else "not inlined"), reason
