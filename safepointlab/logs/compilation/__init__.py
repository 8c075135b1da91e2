"""HotSpot's compile log, 8 to 28 -> a frame, one row per line: a method was compiled, or its code discarded.

    java -XX:+PrintCompilation Main                      on stdout, among the program's own lines; 8 to 28
    java ... -XX:+LogVMOutput -XX:LogFile=vm.log         the same lines in a file of XML, escaped; 8 to 28
    java -Xlog:jit+compilation=debug Main                the same lines with decorations instead of the time; 11 to 28
    java ... -XX:+LogCompilation -XX:LogFile=vm.log      XML elements (read by tasks.py); 8 to 28

>>> line = "    417   13 %     3       Odd::countOdds @ 12 (44 bytes)   made not entrant"
>>> read([line]).iloc[0].dropna().to_dict()  # doctest: +NORMALIZE_WHITESPACE
{'uptime_ms': 417.0, 'compile_id': 13, 'osr': True, 'synchronized': False, 'exception_handlers': False,
 'blocking': False, 'native': False, 'tier': 3, 'method': 'Odd::countOdds', 'osr_bci': 12, 'bytes': 44,
 'event': 'made not entrant'}

uptime_ms           when the compile began, or the code was discarded; fractions only if the decorations have them
compile_id          the same for all lines of one compile
osr, synchronized, exception_handlers, blocking, native    the marks % s ! b n
tier                0 wrapper of a native method, 1-3 C1, 4 C2; missing with -XX:-TieredCompilation
method              `pkg.Class::name`; missing on 8 to 17 when its class has been unloaded: the log says "(method)"
osr_bci             where the interpreter enters the loop; -2 when 8 discards OSR code, as it no longer knows the bci
bytes               size of the bytecode; missing for native methods
event               compiled, made not entrant, made zombie (8 to 17), skipped
reason              of "skipped", and from 25 on of "made not entrant" (JDK-8351640)

Program output may stand before, behind and (up to 25) within a line of the VM. A line in the VM's format is skipped as
the program's own if it contradicts the VM's: its compile id names another method, and its time is out of order.

The columns have these dtypes whatever the size of the log. A row takes at most 55 bytes, and with `compact`, where the
three texts are categories, 34; in a large frame a column of one value takes none (with pandas 3).
"""

import html
import re
from array import array
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from pandas.api.extensions import ExtensionDtype

from safepointlab.logs.compilation import lines, tasks
from safepointlab.logs.compilation.clock import contradicting, unglued
from safepointlab.logs.compilation.inlines import read as inlining
from safepointlab.logs.lines import repeated
from safepointlab.logs.lines.source import Count, Source, blocks
from safepointlab.logs.lines.trust import finished, trusted

__all__ = ["COLUMNS", "NAME", "inlining", "read"]

Array = npt.NDArray[Any]

NAME = "compilation"
COLUMNS = {
    "uptime_ms": "float64",
    "compile_id": "int32",
    "osr": "bool",
    "synchronized": "boolean",
    "exception_handlers": "boolean",
    "blocking": "bool",
    "native": "bool",
    "tier": "Int8",
    "method": "string",
    "osr_bci": "Int32",
    "bytes": "Int32",
    "event": "string",
    "reason": "string",
}
MARKS = ("osr", "synchronized", "exception_handlers", "blocking", "native")  # % s ! b n
PIECE = 100_000  # rows
COMPACT = COLUMNS | dict.fromkeys(("method", "event", "reason"), "category")
MARK = re.compile(rf"{lines.LINE_START}|^<(?:task|nmethod|make_not_entrant) ", re.MULTILINE)

# From the marks on. A log of millions of lines has some thousand different tails, so each is parsed once.
#  s    2       Mix::syncInc (15 bytes)
#     n 0       java.lang.System::arraycopy (native)   (static)
#       2      (method)   made zombie
#   !   4       Mix::parse (11 bytes)   COMPILE SKIPPED: out of nodes parsing method (retry at different tier)
_TAIL = re.compile(
    r"([% ])([s ])([! ])([b ])([n ]) (?:([0-4-]) )?     (?:"
    r" ([^\s(]\S*?::)(?:[0-9]+(?=[A-Za-z_$<]))?([^\s.;\[/(](?:[^.;\[/(]*?[^\s.;\[/(])??(?:\([A-Z,]*\)[A-Z])?)"
    r"(?: @ (-?[0-9]{1,6}))? \((?:([0-9]{1,6}) bytes|native)\)|\(method\))"
    r"(?:   (?:(made not entrant)(?:: ([^\n]+))?|(made zombie)|COMPILE SKIPPED: ([^\n]+)))?"
)
# The beginning of one, cut off:     534   81       3       java.lang.AbstractStr
_CUT_TAIL = re.compile(rf"{lines.MARKS}(?: [^\s(]\S*(?: @ -?[0-9]*)?(?: \([0-9]*[ byte]*)?|\(\w*)$")


@dataclass
class _Lines:
    """The understood lines, column by column; `codes` point into `understood`."""

    uptimes: "array[float]" = field(default_factory=lambda: array("d"))
    ids: "array[int]" = field(default_factory=lambda: array("i"))
    codes: "array[int]" = field(default_factory=lambda: array("i"))
    tails: dict[str, int] = field(default_factory=dict)
    understood: list[dict[str, Any]] = field(default_factory=list)

    def add(self, text: str) -> list[str]:
        """Take the compile lines out of whole lines of text; return the tails that do not parse."""
        columns = lines.compile_lines(text)
        if columns is None:
            return []
        odd = self._parse_new(columns.tails)
        codes = np.fromiter(map(self.tails.__getitem__, columns.tails), np.int32, len(columns.tails))
        keep = (codes >= 0) & ~columns.doubtful
        self.uptimes.frombytes(columns.uptimes[keep].tobytes())
        self.ids.frombytes(columns.ids[keep].tobytes())
        self.codes.frombytes(codes[keep].tobytes())
        return odd

    def _parse_new(self, tails: list[str]) -> list[str]:
        """Parse the tails not seen before; one that does not parse gets the code -1 and is returned."""
        odd = []
        for tail in dict.fromkeys(tails):
            if tail not in self.tails:
                parts = _parsed(tail)
                self.tails[tail] = len(self.understood) if parts else -1
                self.understood.extend([parts] if parts else [])
            if self.tails[tail] < 0:
                odd.append(tail)
        return odd


def read(source: Source, strict: bool = False, compact: bool = False) -> pd.DataFrame:
    """Read a compile log; with strict, stop at the first damaged line; with compact, texts are categories.

    Raises:
        DamagedLog, ForeignLog: when strict. UnreadableLog: the file cannot be opened.
    """
    count, printed, xml = Count(), _Lines(), tasks.Tasks()
    for block in blocks(source):
        text = trusted(block, count, MARK, strict)
        for tail in printed.add(text):
            if _CUT_TAIL.match(tail):
                count.damage(block, block.text.index(tail + "\n"), strict)
        xml.add(text)
    dtypes = COMPACT if compact else COLUMNS
    frame = _frame(printed, dtypes) if printed.codes else xml.frame(dtypes)
    return finished(frame, count, NAME, len(frame), strict)


def _parsed(tail: str) -> dict[str, Any] | None:
    match = _TAIL.match(html.unescape(tail) if "&" in tail else tail)
    if not match:
        return None
    marks, (tier, owner, name, bci, size) = match.groups()[:5], match.groups()[5:10]
    entrant, why, zombie, skipped = match.groups()[10:]
    known = None if owner is None else True  # for an unloaded method the VM prints blanks as marks
    row: dict[str, Any] = {name: mark != " " for name, mark in zip(MARKS, marks, strict=True)}
    row |= {name: known and row[name] for name in ("synchronized", "exception_handlers")}
    row |= {"tier": tier if tier != "-" else None, "method": owner and owner + name, "osr_bci": bci, "bytes": size}
    event = entrant or zombie or ("skipped" if skipped else "compiled")
    return row | {"event": event, "reason": why or skipped}


def _frame(lines: _Lines, dtypes: dict[str, str]) -> pd.DataFrame:
    uptimes, ids = unglued(np.frombuffer(lines.uptimes)), np.frombuffer(lines.ids, np.int32)
    codes = np.frombuffer(lines.codes, np.int32).astype(np.min_scalar_type(-len(lines.understood)))
    del lines.codes
    table = _table(lines.understood, dtypes)
    methods = pd.factorize(table["method"])[0].astype(np.int32)
    if (alien := contradicting(uptimes, ids, methods[codes])).any():
        uptimes, ids, codes = uptimes[~alien], ids[~alien], codes[~alien]
    columns: dict[str, Any] = {"uptime_ms": uptimes, "compile_id": ids}
    columns |= {str(name): _spread(table[name], codes) for name in table}
    return pd.DataFrame(columns, copy=False)


def _table(understood: Iterable[dict[str, Any]], dtypes: dict[str, str]) -> pd.DataFrame:
    """One row per distinct tail, in the columns' dtypes."""
    table = pd.DataFrame(understood, columns=list(COLUMNS)[2:], dtype=object)
    for name in table:
        values = pd.to_numeric(table[name]) if COLUMNS[str(name)].startswith("Int") else table[name]
        table[name] = values.astype(dtypes[str(name)])  # type: ignore[call-overload]
    return table


def _spread(values: "pd.Series[Any]", codes: Array) -> Any:
    """`values.take(codes)`, but piece by piece: in one go pandas would copy all codes to eight bytes each."""
    dtype, size = values.dtype, len(codes)
    if values.nunique(dropna=False) == 1:
        return repeated.column(values.array[:1] if isinstance(dtype, ExtensionDtype) else values.to_numpy()[:1], size)
    column: Any = dtype.empty((size,)) if isinstance(dtype, ExtensionDtype) else np.empty(size, dtype)
    for start in range(0, size, PIECE):
        column[start : start + PIECE] = values.array.take(codes[start : start + PIECE])
    return column
