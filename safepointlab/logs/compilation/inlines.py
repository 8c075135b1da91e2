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

from safepointlab.logs.lines.columns import Array, whole
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
_CALLEE = re.compile(r"(\S+?::\S.*?) \((?:([0-9]{1,6}) bytes|not loaded)\)(?:   ([^\n]+))?")
_CALL = (
    r"( {14}[s ][! ][m ] {11,})@ (-?[0-9]{1,6}) {2,3}"
    r"(\S+?::\S.*? \((?:[0-9]{1,6} bytes|not loaded)\)(?:   [^\n]+)?)\n"
)
MARK = re.compile(_CALL)
_START = re.compile(r" {14}[s ][! ][m ] {11,}@ ")

# The compile that the calls belong to, and in vm.log the thread that prints:
#     252    3   !   3       Mix::parse (11 bytes)
# <writer thread='2627'/>
_COMPILE = (
    r"(?<![0-9])([0-9]{1,9}) [% ][s ][! ][b ][n ] (?:[0-4-] )?      [^\s(@]\S*::"
    r"[^\n]*(?:bytes\)|\(native\)[^\n]*)\n"
)
_LINE = re.compile(rf"{_CALL}|{_COMPILE}|^<writer thread='([0-9]{{1,18}})'/>\n", re.MULTILINE)

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
    """The calls, column by column; the text behind the bci is parsed once for all calls that have the same."""

    def __init__(self) -> None:
        self.rows = Store()
        self.numbers: dict[str, int] = {}  # the text behind the bci -> its place among the callees
        self.callees: list[tuple[str, int, str, str]] = []  # method, bytes (-1 if missing), decision, reason
        self.thread = ""
        self.compiles: dict[str, int] = {}  # thread -> the compile that it began last
        self._keep([], [], [], np.zeros(0, np.int64))  # so that a log without calls has its columns, too

    def add(self, text: str) -> None:
        groups = _LINE.split(text)
        indents, bcis, tails, compiles, threads = (groups[group::6] for group in range(1, 6))
        others, size = [row for row, indent in enumerate(indents) if indent is None], len(indents)
        known = [self.compiles.get(self.thread, -1)]
        for row in others:  # rows that are no calls, but tell the compile or the thread
            if threads[row]:
                self.thread = threads[row]
            else:
                self.compiles[self.thread] = int(compiles[row])
            known.append(self.compiles.get(self.thread, -1))
        calls_before = np.array([0, *(row - number for number, row in enumerate(others)), size - len(others)])
        if others:
            indents, bcis, tails = ([one for one in column if one is not None] for column in (indents, bcis, tails))
        self._keep(indents, bcis, tails, np.repeat(np.array(known), np.diff(calls_before)))

    def _keep(self, indents: list[str], bcis: list[str], tails: list[str], compiles: Array) -> None:
        for tail in dict.fromkeys(tails):
            if tail not in self.numbers:
                self.numbers[tail] = len(self.callees)
                method, size, words = _CALLEE.fullmatch(tail).groups()  # type: ignore[union-attr]
                name = html.unescape(method).replace("/", ".") if size is None or "&" in method else method
                decision, reason = _decision(words)
                self.callees.append((name, int(size or -1), decision, reason or ""))
        indent = np.fromiter(map(len, indents), np.int32, len(indents))
        callee = np.fromiter(map(self.numbers.__getitem__, tails), np.int32, len(tails))
        level = (indent - FIRST_INDENT) // 2 + 2  # see `frame`
        table = {"compile_id": compiles.astype(np.int32), "level": level, "bci": whole(bcis).astype(np.int32)}
        self.rows.add(table | {"callee": callee})

    def frame(self) -> pd.DataFrame:
        table = self.rows.table()
        callees, bci = table.pop("callee"), table.pop("bci")
        if len(bci) and table["level"].min() == 2:
            table["level"] = table["level"] - 1
        methods, sizes, decisions, reasons = zip(*self.callees, strict=True) if self.callees else ((), (), (), ())
        table["bytes"] = np.array(sizes, np.int32)[callees]
        texts = {"method": (callees, methods), "decision": (callees, decisions), "reason": (callees, reasons)}
        frame = framed(table, texts, {name: dtype for name, dtype in COLUMNS.items() if name != "bci"})
        calls = pd.arrays.IntegerArray(np.array(bci), np.zeros(len(bci), np.bool_))  # a negative one is none missing
        frame.insert(2, "bci", pd.Series(calls, copy=False))
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
