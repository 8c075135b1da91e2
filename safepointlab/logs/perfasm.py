"""The tables that JMH's `-prof perfasm` prints at its end -> a frame, one row per line: which code got the samples.

    safepoint bench osr.AddOne --prof perfasm:events=cpu-clock        8 to 28; needs Linux' perf, and no root

`events=cpu-clock` is a timer; it works without hardware counters, which most containers and clouds lack.

>>> text = '''....[Hottest Regions]..................
...   66.28%         c2, level 4  osr.AddOne::addOne, version 2, compile id 484
...    0.43%           libc.so.6  syscall
... ...................................
...   99.92%  <totals>'''
>>> print(read(text)[["table", "percent", "source", "name", "compile_id"]].to_string(index=False))
  table  percent      source               name  compile_id
regions    66.28 c2, level 4 osr.AddOne::addOne         484
regions     0.43   libc.so.6            syscall        <NA>

table        regions (a piece of code), methods (all regions of a method; inlined ones count as their caller), sources
percent      of all samples
source       "c2, level 4", "interpreter", "runtime stub", a library of the process, or [kernel.kallsyms]
name         the method, stub or function; missing in `sources`, and for an address that perf cannot name
compile_id   of compiled code, as in the compile log
"""

import re
from typing import Any

import pandas as pd

from safepointlab.logs.lines.source import Count, Source, blocks, with_counts

NAME = "perfasm"
COLUMNS = {"table": "string", "percent": "float64", "source": "string", "name": "string", "compile_id": "Int64"}
TABLES = {
    "Hottest Regions": "regions",
    "Hottest Methods (after inlining)": "methods",
    "Distribution by Source": "sources",
}

# ....[Hottest Methods (after inlining)]..............................................................
MARK = re.compile(
    r"^\.{4}\[(Hottest Regions|Hottest Methods \(after inlining\)|Distribution by Source)\]\.+$", re.MULTILINE
)
#   66.28%         c2, level 4  osr.AddOne::addOne, version 2, compile id 484
#    0.43%   [kernel.kallsyms]  finish_task_switch.isra.0
#    0.15%                      <unknown>
#    0.92%  <...other 12 warm regions...>           (no row: it sums up what the table leaves out)
_ROW = re.compile(r"^ {1,3}(\d{1,3}\.\d\d)% {2,}(\S(?:.*?\S)?)?(?: {2}(\S.*?))? *$")
_ID = re.compile(r", version \d+, compile id ([0-9]{1,9})$")


def read(source: Source, strict: bool = False) -> pd.DataFrame:
    """Read JMH's console text; with strict, stop at the first line of a table that makes no sense.

    Raises:
        DamagedLog, ForeignLog: when strict. UnreadableLog: the file cannot be opened.
    """
    count, rows, table = Count(), list[dict[str, Any]](), ""
    for block in blocks(source):
        count.remember_sample(block)
        for number, line in enumerate(block.text.splitlines(), block.first_line):
            count.lines += 1
            if head := MARK.match(line):
                count.own, table = True, TABLES[head[1]]
            elif line.endswith("<totals>"):
                table = ""
            elif table and not line.startswith("....") and "<...other" not in line and line.strip():
                match = _ROW.match(line)
                name = (match[3] or match[2] or "") if match else ""
                if match and (name == "<unknown>" or not name.startswith("<")):  # else it is "<totals>", cut off
                    rows.append(_row(table, match))
                    continue
                count.damage_line(block.name, number, line, strict)
                table = ""
                continue
            count.skipped += 1
    return with_counts(pd.DataFrame(rows, columns=list(COLUMNS)).astype(COLUMNS), count, NAME, strict)


def _row(table: str, match: re.Match[str]) -> dict[str, Any]:
    source, name = match[2] or "", match[3]
    if name is None and table != "sources":  # an address that perf cannot name
        source, name = "", source
    compiled = _ID.search(name or "")
    return {
        "table": table,
        "percent": float(match[1]),
        "source": source or pd.NA,
        "name": _ID.sub("", name).strip() if name and name != "<unknown>" else pd.NA,
        "compile_id": int(compiled[1]) if compiled else pd.NA,
    }
