"""What JMH's stack profiler (-prof stack) prints -> one row per stack, with its share of the samples.

Flag: -prof "stack:lines=3;detailLine=true" of jmh-core 1.37, on JDK 8 to 28. The profiler is a thread in the
benchmark's JVM that calls ThreadMXBean.dumpAllThreads every 10 ms, so all samples are taken at safepoints.

>>> text = '''Secondary result "blame.Loop.inlined:stack":
... Stack profiler:
...
... ....[Thread state: RUNNABLE]........................................................................
...  32.2%  48.5% blame.Loop.inlined:17
...               blame.jmh_generated.Loop_inlined_jmhTest.inlined_avgt_jmhStub:190
... '''
>>> print(read(text)[["benchmark", "state", "share", "share_of_state", "method", "line"]].to_string(index=False))
         benchmark    state  share  share_of_state              method  line
blame.Loop.inlined RUNNABLE   32.2            48.5 blame.Loop::inlined    17

Columns: benchmark, state, share and share_of_state (both in %), method and line of the topmost frame, frames and lines
(the root first, separated by ";", as in collapsed stacks). Rows without a method:
"<stack is empty, ...>" and "<other>". `damaged` counts the lines within a table that are no entry of it.
"""

import re
from collections.abc import Iterator
from typing import Any

import pandas as pd

from safepointlab.logs.lines.source import Block, Count, Source, whole_files, with_counts

NAME = "stack"
COLUMNS = {
    "benchmark": "string", "state": "string", "share": "float64", "share_of_state": "float64", "method": "string",
    "line": "Int64", "frames": "string", "lines": "string",
}  # fmt: skip
# ....[Thread state: RUNNABLE]........................................................................
MARK = re.compile(r"^\.\.\.\.\[Thread state", re.MULTILINE)
TABLE = re.compile(r"^\.{4}\[Thread state: (\w+)\]\.+\n((?:(?:[ \d].*)?\n)*)", re.MULTILINE)  # "100.0%" has no blank
RESULT = re.compile(r'^Secondary result "(.+):.?stack":$', re.MULTILINE)  # Secondary result "blame.Loop.inlined:stack":
#  32.2%  48.5% blame.Loop.inlined:17                                          in some locales 32,2%
#               blame.jmh_generated.Loop_inlined_jmhTest.inlined_avgt_jmhStub:190       its callers, up to lines=
ENTRY = re.compile(r"^ *([\d.,]+)% +([\d.,]+)% (\S.*)\n((?: {14}\S+\n)*)", re.MULTILINE)
LINE = re.compile(r"^.*\S.*$", re.MULTILINE)
FRAME = re.compile(r"^([\w.$/]+)\.([\w$<>]+)(?::(-?[0-9]{1,9}))?$")  # without detailLine there is no number
Row = dict[str, Any]


def read(source: Source, strict: bool = False) -> pd.DataFrame:
    """One row per stack, for each benchmark and thread state, in JMH's order: most samples first.

    Raises:
        DamagedLog: with strict, at a line within a table that is no entry of it.
        ForeignLog: with strict, of a text in which the stack profiler printed nothing.
    """
    count = Count()
    rows = [row for file in whole_files(source, count) for row in _rows(file, count, strict)]
    return with_counts(pd.DataFrame(rows, columns=list(COLUMNS)).astype(COLUMNS), count, NAME, strict)


def _rows(file: Block, count: Count, strict: bool) -> Iterator[Row]:
    count.own = count.own or bool(MARK.search(file.text))
    count.skipped += file.text.count("\n")
    for table in TABLE.finditer(file.text):
        benchmarks = [match[1] for match in RESULT.finditer(file.text, 0, table.start())]
        known = {"benchmark": benchmarks[-1] if benchmarks else None, "state": table[1]}
        begin, end = table.span(2)
        rest = ENTRY.sub(lambda entry: re.sub(r".", " ", entry[0]), file.text[begin:end])
        for line in LINE.finditer(rest):  # neither blank nor part of an entry
            count.skipped -= 1
            count.damage(file, begin + line.start(), strict)
        for entry in ENTRY.finditer(file.text, begin, end):
            count.skipped -= entry[0].count("\n")
            yield {**known, **_row(*entry.groups())}


def _row(share: str, of_state: str, top: str, callers: str) -> Row:
    row: Row = {"share": float(share.replace(",", ".")), "share_of_state": float(of_state.replace(",", "."))}
    frames = [match.groups() for frame in (top, *callers.split()) if (match := FRAME.match(frame))]
    if not frames:  # <stack is empty, everything is filtered?>, <other>
        return row
    names = [f"{owner}::{name}" for owner, name, _ in frames]
    lines = ["" if line is None or line.startswith("-") else line for *_, line in frames]
    row |= {"method": names[0], "line": int(lines[0]) if lines[0] else None}
    return row | {"frames": ";".join(names[::-1]), "lines": ";".join(lines[::-1])}
