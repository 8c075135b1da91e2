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
from typing import Any

import pandas as pd

from safepointlab.read.lines.source import Count, Source, blocks
from safepointlab.read.lines.trust import finished, trusted

NAME = "inlining"
COLUMNS = {
    "compile_id": "Int64",
    "level": "Int64",
    "bci": "Int64",
    "method": "string",
    "bytes": "Int64",
    "decision": "string",
    "reason": "string",
}
FIRST_INDENT = 30  # blanks before the @ of level 1; two fewer with -XX:-TieredCompilation, which prints no tier

# Blanks where the compile line has time, id and marks (s ! m of the callee may stand there), then two more a level:
#                               @ 1   java.lang.Integer::parseInt (7 bytes)   inline (hot)
#                                 @ 31  java/lang/StringUTF16::newString (not loaded)   not inlineable
# [0.250s][debug][jit,inlining   ]                               @ 3   java.lang.Math::floorDiv (22 bytes)   inline
_CALL = (
    r"( {14}[s ][! ][m ] {11,})@ (-?[0-9]{1,6}) {2,3}(\S+?::\S.*?) "
    r"\((?:([0-9]{1,6}) bytes|not loaded)\)(?:   ([^\n]+))?\n"
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
        trees.add(trusted(block, count, _START, strict))
    frame = pd.DataFrame(trees.rows, columns=list(COLUMNS)).astype(COLUMNS)
    if len(frame) and frame["level"].min() == 2:
        frame["level"] -= 1
    return finished(frame, count, NAME, len(frame), strict)


class _Trees:
    def __init__(self) -> None:
        self.rows: list[tuple[Any, ...]] = []
        self.thread = ""
        self.compiles: dict[str, int] = {}  # thread -> the compile that it began last

    def add(self, text: str) -> None:
        for indent, bci, method, size, words, compile_id, thread in _LINE.findall(text):
            if thread:
                self.thread = thread
            elif compile_id:
                self.compiles[self.thread] = int(compile_id)
            else:
                self._call(len(indent), int(bci), method, int(size) if size else None, words or None)

    def _call(self, indent: int, bci: int, method: str, size: int | None, words: str | None) -> None:
        level = (indent - FIRST_INDENT) // 2 + 2  # one too high if the tier is printed; `read` corrects it
        name = html.unescape(method).replace("/", ".") if size is None or "&" in method else method
        self.rows.append((self.compiles.get(self.thread), level, bci, name, size, *_decision(words)))


def _decision(words: str | None) -> tuple[str, str | None]:
    """The decision, and the VM's words for it.

    >>> _decision("failed to inline: callee is too large"), _decision("(intrinsic)"), _decision(None)
    (('not inlined', 'callee is too large'), ('intrinsic', 'intrinsic'), ('inlined', None))
    """
    reason = html.unescape(words).removeprefix("failed to inline: ").strip() if words else None
    if reason and "intrinsic" in reason:
        return "intrinsic", reason.strip("()")
    return ("inlined" if reason is None or _INLINED.match(reason) else "not inlined"), reason
