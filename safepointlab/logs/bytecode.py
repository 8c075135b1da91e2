"""What javap prints of classes -> a frame, one row per bytecode; and the shape of its loops.

    javap -c -p -l -cp classes Odd      or javap -v; javap of any JDK, classes of any compiler

>>> text = '''class Odd {
...   static long odds(int);
...     Code:
...       12: iload         4
...       15: if_icmpge     36
...     LineNumberTable:
...       line 5: 12
... '''
>>> read(text.splitlines()).iloc[1].dropna().to_dict()
{'method': 'Odd::odds', 'bci': 15, 'opcode': 'if_icmpge', 'target': 36, 'line': 5, 'parameters': 'int'}

method         `pkg.Class::name` as in compile logs; constructors are <init>, static blocks <clinit>
bci            bytecode index: where in the method, in bytes
operand        as javap prints it: `1, 1`, `#7 // Field value:J`; the cases of a switch: `1: 28, 2: 31, default: 37`
target         of a branch; missing for all others, and for switches, which have many
line           of the source; missing without -l or -v, and for classes compiled without line numbers
parameters     types, which distinguish methods of one name

`back_edges(frame)` has one row per backward branch: javac tests a loop at its top, ecj at its bottom.
"""

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from safepointlab.logs.lines.source import Count, Source, blocks, with_counts, without_half_line

NAME = "bytecode"
COLUMNS = {
    "method": "string", "bci": "Int64", "opcode": "string", "operand": "string", "target": "Int64", "line": "Int64",
    "parameters": "string",
}  # fmt: skip
BACK_EDGES = {
    "method": "string", "parameters": "string", "from_bci": "Int64", "to_bci": "Int64", "opcode": "string",
    "test": "string", "test_bci": "Int64", "entry_bci": "Int64", "line": "Int64",
}  # fmt: skip

#       15: if_icmpge     36
#        6: putfield      #7                  // Field value:Ljava/lang/Comparable;
_CODE = r"^ {4,}([0-9]{1,6}): ([a-z][a-z0-9_]*)(?: +([^\n]*?))? *$"
# a case of a switch:              1: 28      or           default: 37
_CASE = r"^ {8,}(-?[0-9]{1,10}|default): ([0-9]{1,6})$"
#       line 6: 0
_LINE = r"^ +line ([0-9]{1,6}): ([0-9]{1,6})$"
#   public static void main(java.lang.String[]) throws java.lang.Exception;      and      static {};
_METHOD = r"^  (?:[^ \n(][^\n(]* )?([^ \n(]+)\(([^\n]*)\)(?: throws [^\n]+)?;$|^  (static \{\});$"
# public class Shapes<T extends java.lang.Comparable<T>> {      without the brace with -v
_CLASS = r"^(?:[a-z-]+ )*(?:class|interface) ([^\s<({]+)[^\n;]*$"
#     Code:
_TOKEN = re.compile(f"{_CODE}|{_CASE}|{_LINE}|{_METHOD}|{_CLASS}|^ +(Code):$", re.MULTILINE)
MARK = re.compile(r"^ {4,}\d+: [a-z][a-z0-9_]*(?: |$)", re.MULTILINE)
_START = re.compile(r"^ {4,}\d+:", re.MULTILINE)

_BRANCH = re.compile(r"(?:goto|jsr)(?:_w)?|if\w+")
_ALWAYS = ("goto", "goto_w")


@dataclass
class _Classes:
    """The methods read so far; javap prints line numbers below their code."""

    owner: str = ""
    method: str | None = None
    parameters: str = ""
    in_code: bool = False
    begin: int = 0  # the method's first row
    rows: list[list[Any]] = field(default_factory=list)
    lines: dict[int, int] = field(default_factory=dict)
    own: int = 0

    def add(self, text: str) -> None:
        for bci, opcode, operand, case, target, line, start, name, types, block, owner, code in _TOKEN.findall(text):
            self.own += 1
            if opcode and self.in_code:
                branch = _BRANCH.fullmatch(opcode) and re.fullmatch("[0-9]{1,6}", operand)
                number, slashes, note = operand.partition("//")  # blanks within a string constant stay
                words = "" if branch or operand.startswith("{") else " ".join([*number.split(), slashes + note]).strip()
                row = [self.method, int(bci), opcode, words or None, int(operand) if branch else None, None]
                self.rows.append([*row, self.parameters])
            elif opcode:
                self.own -= 1
            elif case and self.in_code and self.rows:
                known = self.rows[-1][3]
                self.rows[-1][3] = f"{known}, {case}: {target}" if known else f"{case}: {target}"
            elif line:
                self.lines[int(start)] = int(line)
            elif code:
                self.in_code = self.method is not None
            elif not case:
                self.finish()
                self.owner, self.method = owner or self.owner, None
                if name := name or block:
                    short = "<clinit>" if block else "<init>" if name == self.owner else name
                    self.method, self.parameters = f"{self.owner}::{short}", types

    def finish(self) -> None:
        """Give the complete method's rows their lines."""
        starts = sorted(self.lines)
        for row in self.rows[self.begin :] if starts else ():
            place = bisect_right(starts, row[1])
            row[5] = self.lines[starts[place - 1]] if place else None
        self.begin, self.lines, self.in_code = len(self.rows), {}, False


def read(source: Source, strict: bool = False) -> pd.DataFrame:
    """Read javap's output; with strict, stop at the first damaged line.

    Raises:
        DamagedLog, ForeignLog: when strict. UnreadableLog: the file cannot be opened.
    """
    count, classes = Count(), _Classes()
    for block in blocks(source):
        classes.add(without_half_line(block, count, _START, strict))
    classes.finish()
    frame = pd.DataFrame(classes.rows, columns=list(COLUMNS)).astype(COLUMNS)
    return with_counts(frame, count, NAME, strict, own_lines=classes.own if classes.rows else 0)


def back_edges(frame: pd.DataFrame) -> pd.DataFrame:
    """One row per backward branch, in the order of the code.

    from_bci, to_bci    the backward branch and its target
    test                `top`, `bottom`, `bottom, body first` (do-while), `none`
    test_bci            the branch that leaves the loop or starts the next iteration
    entry_bci           the jump forward by which a loop tested at its bottom is entered
    """
    rows = []
    for _, code in frame.groupby(["method", "parameters"], sort=False):
        branches = code[code["target"].notna()].to_dict("records")
        rows += [_back_edge(branch, branches) for branch in branches if branch["target"] <= branch["bci"]]
    return pd.DataFrame(rows, columns=list(BACK_EDGES)).astype(BACK_EDGES)


def _back_edge(back: dict[Any, Any], branches: list[dict[Any, Any]]) -> dict[str, Any]:
    start, end = back["target"], back["bci"]
    row = {name: back[name] for name in ("method", "parameters", "opcode", "line")} | {"from_bci": end, "to_bci": start}
    if back["opcode"] in _ALWAYS:
        exits = (to for to in branches if start <= to["bci"] < end < to["target"] and to["opcode"] != "goto")
        exit_bci = next((to["bci"] for to in exits), None)
        return row | {"test": "none" if exit_bci is None else "top", "test_bci": exit_bci, "entry_bci": None}
    # The jump to the test stands right before the body; other jumps into the loop come from inside it.
    entries = (to["bci"] for to in branches if to["opcode"] in _ALWAYS and to["bci"] < start < to["target"] <= end)
    entry = max(entries, default=None)
    return row | {"test": "bottom, body first" if entry is None else "bottom", "test_bci": end, "entry_bci": entry}
