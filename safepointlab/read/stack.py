"""What JMH's stack profiler (-prof stack) prints -> one row a stack that it saw, with its share of the samples.

Flag: -prof "stack:lines=3;detailLine=true" of jmh-core 1.37, on JDK 8 to 28. It is a thread within the benchmark's JVM
that asks ThreadMXBean.dumpAllThreads for all stacks, every 10 ms: all samples are taken at safepoints.

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
(the root first, parted by ";", as in collapsed stacks). Rows without a method: "<stack is empty, ...>" and "<other>".
`damaged` counts lines within a table that are none of its.
"""

import re
from collections.abc import Iterator
from typing import Any

import pandas as pd

from safepointlab.read.source import Count, Source, blocks, refuse_foreign, with_counts

NAME = "stack"
COLUMNS = {
    "benchmark": "string",
    "state": "string",
    "share": "float64",
    "share_of_state": "float64",
    "method": "string",
    "line": "Int64",
    "frames": "string",
    "lines": "string",
}
# ....[Thread state: RUNNABLE]........................................................................
MARK = re.compile(r"^\.\.\.\.\[Thread state", re.MULTILINE)
RESULT = re.compile(r'^Secondary result "(.+):.?stack":$')  # Secondary result "blame.Loop.inlined:stack":
HEAD = re.compile(r"^\.{4}\[Thread state(?:: (\w+)| distributions)\]\.+$")
TOP = re.compile(r"^ *([\d.,]+)% +([\d.,]+)% (\S.*)$")  # 32.2%  48.5% blame.Loop.inlined:17; in some locales 32,2%
BELOW = re.compile(r"^ {14}(\S+)$")  # the caller of the line above
SHARE = re.compile(r"^ *[\d.,]+% +[A-Z_]+$")  # 66.4%         RUNNABLE
FRAME = re.compile(r"^([\w.$/]+)\.([\w$<>]+)(?::(-?\d+))?$")  # without detailLine there is no number
Row = dict[str, Any]


def read(source: Source, strict: bool = False) -> pd.DataFrame:
    """One row a stack, for each benchmark and thread state, in JMH's order: most samples first.

    Raises:
        DamagedLog: with strict, at a line within a table that is none of its.
        ForeignLog: with strict, of a text in which the stack profiler printed nothing.
    """
    count = Count()
    rows = [_row(*found) for found in _stacks(source, count, strict)]
    if strict:
        refuse_foreign(count, NAME)
    return with_counts(pd.DataFrame(rows, columns=list(COLUMNS)).astype(COLUMNS), count)


def _stacks(source: Source, count: Count, strict: bool) -> Iterator[tuple[Row, list[str]]]:
    """Each stack's head and its frames, the topmost first; a line that begins with a letter ends the table."""
    benchmark, state, inside = None, None, False
    head: Row = {}
    frames: list[str] = []
    for name, number, line in _lines(source, count):
        if frames and not BELOW.match(line):
            yield head, frames
            frames = []
        if found := RESULT.match(line):
            benchmark = found[1]
        elif section := HEAD.match(line):
            state, inside, count.own = section[1], True, True
        elif inside and state and (top := TOP.match(line)):
            share, of_state = (float(part.replace(",", ".")) for part in top.groups()[:2])
            head = {"benchmark": benchmark, "state": state, "share": share, "share_of_state": of_state}
            frames = [top[3]]
        elif frames and (caller := BELOW.match(line)):
            frames.append(caller[1])
        elif inside and line.startswith(" ") and not SHARE.match(line):
            count.damage_line(name, number, line, strict)
        else:
            inside = inside and (not line or bool(SHARE.match(line)))
            count.skipped += 1
    if frames:
        yield head, frames


def _lines(source: Source, count: Count) -> Iterator[tuple[str, int, str]]:
    for block in blocks(source):
        count.taste(block)
        count.lines += block.lines
        for number, line in enumerate(block.text.splitlines(), block.first_line):
            yield block.name, number, line


def _row(head: Row, frames: list[str]) -> Row:
    found = [match.groups() for frame in frames if (match := FRAME.match(frame))]
    if not found:  # <stack is empty, everything is filtered?>, <other>
        return head
    names = [f"{owner}::{name}" for owner, name, _ in found]
    lines = ["" if line is None or line.startswith("-") else line for *_, line in found]
    top = {"method": names[0], "line": int(lines[0]) if lines[0] else None}
    return {**head, **top, "frames": ";".join(names[::-1]), "lines": ";".join(lines[::-1])}
