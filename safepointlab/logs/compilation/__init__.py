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

`frame.attrs` has, beside the line counts, `code_cache_full`: how often the VM said that the code cache is full and it
has disabled the compiler; and `code_cache_full_ms`, the uptime of the first such line, or of the line of a compile
before it. It compiles again once it has made room, unless -XX:-UseCodeCacheFlushing is set.

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
the program's own if it contradicts the VM's: its compile id is another method's.
"""

import html
import re
from typing import Any

import numpy as np
import pandas as pd

from safepointlab.logs.compilation import lines, tasks
from safepointlab.logs.compilation.inlines import read as inlining
from safepointlab.logs.lines.source import Count, Source, blocks, with_counts, without_half_line
from safepointlab.logs.lines.stamps import first_stamp
from safepointlab.logs.lines.store import Store, column, spread, text_array

__all__ = ["COLUMNS", "NAME", "inlining", "read"]

NAME = "compilation"
COLUMNS = {
    "uptime_ms": "float64", "compile_id": "int32", "osr": "bool", "synchronized": "boolean",
    "exception_handlers": "boolean", "blocking": "bool", "native": "bool", "tier": "Int8", "method": "string",
    "osr_bci": "Int32", "bytes": "Int32", "event": "string", "reason": "string",
}  # fmt: skip
MARKS = ("osr", "synchronized", "exception_handlers", "blocking", "native")  # % s ! b n
# What CodeCache::report_codemem_full prints, in 8 CompileBroker::handle_full_code_cache; in a segment of it from 9 on
#   OpenJDK 64-Bit Server VM warning: CodeCache is full. Compiler has been disabled.
#   [2.105s][warning][codecache] CodeHeap 'non-profiled nmethods' is full. Compiler has been disabled.
DISABLED = "is full. Compiler has been disabled"
MARK = re.compile(rf"{lines.LINE_START}|^<(?:task|nmethod|make_not_entrant) |{re.escape(DISABLED)}", re.MULTILINE)

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


def read(source: Source, strict: bool = False) -> pd.DataFrame:
    """Read a compile log; with strict, stop at the first damaged line.

    Raises:
        DamagedLog, ForeignLog: when strict. UnreadableLog: the file cannot be opened.
    """
    count, printed, xml = Count(), _Lines(), tasks.Tasks()
    full, full_ms = 0, np.nan
    for block in blocks(source):
        text = without_half_line(block, count, MARK, strict)
        if DISABLED in text:
            full, full_ms = full + text.count(DISABLED), full_ms if full else _uptime_ms(text)
        for tail in printed.add(text):
            if _CUT_TAIL.match(tail):
                count.damage(block, block.text.index(tail + "\n"), strict)
        xml.add(text)
    frame = printed.frame() if printed.rows.size else xml.frame(COLUMNS)
    if full:
        frame.attrs |= {"code_cache_full": full, "code_cache_full_ms": full_ms}
    return with_counts(frame, count, NAME, strict, own_lines=len(frame) + full)


def _uptime_ms(text: str) -> float:
    """When the code cache was full, by the line that says so, or by the last compile in front of it; NaN if unknown."""
    before, _, _ = text.partition(DISABLED)
    line = before.rpartition("\n")[2]
    if line.startswith("["):  # decorated
        _, uptime_s = first_stamp(line)
        return np.nan if uptime_s is None else uptime_s * 1000
    compiled = lines.compile_lines(before.rpartition("\n")[0] + "\n")
    return float(compiled.uptimes[-1]) if compiled else np.nan


class _Lines:
    """The understood lines. The many lines with one tail share one row in `understood`, to which a code points."""

    def __init__(self) -> None:
        self.rows = Store()
        self.codes: dict[str, int] = {}  # the tail's place in `understood`; -1 if it does not parse
        self.understood = list[dict[str, Any]]()

    def add(self, text: str) -> list[str]:
        """Take the compile lines out of whole lines of text; return the tails that do not parse."""
        columns = lines.compile_lines(text)
        if columns is None:
            return []
        tails = dict.fromkeys(columns.tails)
        for tail in tails:
            if tail not in self.codes:
                parts = _parsed(tail)
                self.codes[tail] = len(self.understood) if parts else -1
                self.understood.extend([parts] if parts else [])
        codes = np.fromiter(map(self.codes.__getitem__, columns.tails), np.int32, len(columns.tails))
        keep = (codes >= 0) & ~columns.doubtful
        self.rows.add({"uptime_ms": columns.uptimes[keep], "compile_id": columns.ids[keep], "code": codes[keep]})
        return [tail for tail in tails if self.codes[tail] < 0]

    def frame(self) -> pd.DataFrame:
        table, names = self.rows.table(), list(COLUMNS)[2:]
        uptimes, ids, codes = lines.unglued(table["uptime_ms"]), table["compile_id"], table["code"]
        of_codes = {name: [parts[name] for parts in self.understood] for name in names}
        methods = pd.factorize(np.array(of_codes["method"], dtype=object))[0].astype(np.int32)
        del table
        osr = np.array(of_codes["osr"], dtype=np.bool_)
        if (alien := lines.contradicting(uptimes, ids, methods[codes], osr[codes])).any():
            uptimes, ids, codes = uptimes[~alien], ids[~alien], codes[~alien]
        values = {name: _array(values, COLUMNS[name]) for name, values in of_codes.items()}
        columns = {"uptime_ms": column(uptimes, "float64"), "compile_id": column(ids, "int32")} | spread(values, codes)
        return pd.DataFrame(columns, copy=False)


def _array(values: list[Any], dtype: str) -> Any:
    if dtype == "string":
        return text_array(values)
    return np.array(values, bool) if dtype == "bool" else pd.Series(values, dtype=dtype).array


def _parsed(tail: str) -> dict[str, Any] | None:
    match = _TAIL.match(html.unescape(tail) if "&" in tail else tail)
    if not match:
        return None
    marks, (tier, owner, name, bci, size) = match.groups()[:5], match.groups()[5:10]
    entrant, why, zombie, skipped = match.groups()[10:]
    known = None if owner is None else True  # for an unloaded method the VM prints blanks as marks
    row: dict[str, Any] = {name: mark != " " for name, mark in zip(MARKS, marks, strict=True)}
    row |= {name: known and row[name] for name in ("synchronized", "exception_handlers")}
    row |= {"tier": int(tier) if tier and tier != "-" else None, "method": owner and owner + name}
    row |= {"osr_bci": int(bci) if bci else None, "bytes": int(size) if size else None}
    event = entrant or zombie or ("skipped" if skipped else "compiled")
    return row | {"event": event, "reason": why or skipped}
