"""Collapsed stacks, as async-profiler writes them -> a frame, one row per line: a stack and its number of samples.

    java -agentpath:libasyncProfiler.so=start,event=ctimer,collapsed,file=async.collapsed Main      8 to 28

>>> lines = ["[main tid=18709];Stub.main;Stub.sysCopy;jbyte_disjoint_arraycopy 18", "[unknown_Java] 66"]
>>> read(lines)[["thread", "count", "depth", "leaf", "lost"]]
  thread  count  depth                      leaf          lost
0   main     18      3  jbyte_disjoint_arraycopy          <NA>
1   <NA>     66      1            [unknown_Java]  unknown_Java

thread, tid  of the stack; missing unless the profiler has the option `threads`
count        samples; with the option `total` their sum: nanoseconds, bytes
depth        frames, without the thread
frames       all of them, outermost first, separated by ";"; a library without symbols as its file's name
leaf         the innermost frame, which ran when the sample was taken
lost         why there is no Java stack, in AsyncGetCallTrace's words; missing if there is one

The profiler also separates stacks by bytecode index, which it does not print; `merged(stacks)` adds those that read the
same. `lost(stacks)` and `share(stacks, pattern)` give parts of a profile, `kind(frame)` the kind of a frame.
"""

import re

import pandas as pd

from safepointlab.logs.lines.source import Count, Source, blocks, with_counts, without_half_line

__all__ = ["COLUMNS", "MARK", "NAME", "kind", "lost", "merged", "plain", "read", "share"]

NAME = "stacks"
COLUMNS = {
    "thread": "string", "tid": "Int64", "count": "Int64", "depth": "Int64", "frames": "string", "leaf": "string",
    "lost": "string",
}  # fmt: skip

# [C-counted tid=18709];Marks$C.run;Marks$C.go;os::javaTimeNanos 3
# [unknown_Java] 66
# Stub.main;Stub.copy_[j];jbyte_disjoint_arraycopy_stub (stub gen) 69       28 names its stubs so
_THREAD = r"\[(?P<thread>[^\n]{0,300}?) tid=(?P<tid>[0-9]{1,18})\]"
_STACK = (
    r"[^\s;][^\n;]*;[^\n]*[^\s;]|[^\s;]+"  # several frames may hold blanks; a single one must not, or any text fits
)
_LINE = re.compile(rf"^(?:{_THREAD}(?:;|(?= )))?(?P<frames>{_STACK})?[ ](?P<count>[0-9]{{1,18}})$", re.MULTILINE)
MARK = re.compile(
    rf"^(?:{_THREAD};[^\n]+|\[\w+\]|(?=[^\s;,=]*[.:_\])])[^\s;,=]*;[^\n,=]*[^\s;,=](?: \(stub gen\))?)"
    r" [0-9]+$",
    re.MULTILINE,
)
_START = re.compile(r"^(?:\[[^\n]*? tid=\d+\]|[^\s;,]+);[^\s;]", re.MULTILINE)  # two frames, whatever follows

# The failures of AsyncGetCallTrace, GC and safepoint among them, then those of the walk by VMStructs
_LOST = re.compile(
    r"(?:^|;)\[(no_Java_frame|unknown_Java|not_walkable_Java|not_walkable_not_Java|GC_active|deoptimization|safepoint"
    r"|skipped|unknown_state|unexpected_state|truncated|storage_overflow|break_\w+|unknown_nmethod)\](?=;|$)"
)
_FOLDER = re.compile(r"(?<![^;])/[^;]*/(?=[^;/])")  # ;/usr/lib/x86_64-linux-gnu/libc.so.6; in place of a function
_ANNOTATION = re.compile(r"_\[[01ijk]\]$")
# LinuxFileSystem.<init>, LambdaForm$MH.0x00007f1c.invoke; but not finish_task_switch.isra.0 of a C compiler
_JAVA = re.compile(r"^[^\s:()\[\]]+\.(?:<init>|<clinit>|[^\W\d][\w$-]*)$")
_LIBRARY = re.compile(r"^[\w+-]+\.so(?:\.\d+)*\.")  # libc.so.6.__memset_avx512, as a recording has it
_CLONE = re.compile(r"\.(?:isra|constprop|part|cold|lto_priv|localalias)(?:\.\d+)*$")


def read(source: Source, strict: bool = False) -> pd.DataFrame:
    """Read collapsed stacks.

    Raises:
        DamagedLog, ForeignLog: when strict. UnreadableLog: the file cannot be opened.
    """
    count, rows = Count(), list[tuple[str, ...]]()
    for block in blocks(source):
        text = without_half_line(block, count, _START, strict)
        rows += [match.group("thread", "tid", "frames", "count") for match in _LINE.finditer(text)]
        for start in _START.finditer(text):
            if not _LINE.match(text, start.start()):
                count.damage(block, start.start(), strict)
    return with_counts(_frame(rows), count, NAME, strict, own_lines=len(rows))


def _frame(rows: list[tuple[str, ...]]) -> pd.DataFrame:
    raw = pd.DataFrame(rows, columns=["thread", "tid", "frames", "count"]).astype("string")
    frames = raw["frames"].fillna("").str.replace(_FOLDER, "", regex=True)
    parts = {
        "thread": raw["thread"],
        "tid": pd.to_numeric(raw["tid"]),
        "count": pd.to_numeric(raw["count"]),
        "depth": frames.str.count(";") + (frames != ""),
        "frames": frames,
        "leaf": frames.str.rpartition(";")[2] if len(raw) else frames,
        "lost": frames.str.extract(_LOST, expand=False),
    }
    return pd.DataFrame(parts).astype(COLUMNS)


def merged(stacks: pd.DataFrame) -> pd.DataFrame:
    """One row for all lines with the same frames and thread, in the order of first appearance."""
    same = ["thread", "tid", "frames"]
    total = stacks["count"].groupby([stacks[name] for name in same], dropna=False, sort=False).transform("sum")
    return stacks.assign(count=total).drop_duplicates(same, ignore_index=True)


def kind(frame: str) -> str:
    """What a frame is: "java", "native" (C, C++ or a stub that the VM generated), "kernel" or "lost".

    >>> [kind(frame) for frame in ("Stub.main_[j]", "os::javaTimeNanos", "crc32_avx", "do_futex_[k]", "[unknown_Java]")]
    ['java', 'native', 'native', 'kernel', 'lost']
    >>> kind("libjvm.so.arm_safepoint"), kind("com/Reader.read")
    ('native', 'java')
    """
    if _LOST.search(frame):
        return "lost"
    if frame.endswith("_[k]"):
        return "kernel"
    name = plain(frame)
    return "java" if _JAVA.match(name) and not _CLONE.search(name) and not _LIBRARY.match(name) else "native"


def plain(frame: str) -> str:
    """A frame without the mark that the option `ann` puts on it: _[j] compiled, _[i] inlined, _[0] interpreted, ...

    >>> plain("java/lang/String.equals_[i]")
    'java/lang/String.equals'
    """
    return _ANNOTATION.sub("", frame)


def lost(stacks: pd.DataFrame) -> pd.DataFrame:
    """The samples by outcome: one row per reason, and one ("walked") for those with a stack; most samples first."""
    reason = stacks["lost"].fillna("walked")
    count = stacks["count"].groupby(reason).sum().sort_values(ascending=False)
    table = count.rename_axis("outcome").rename("samples").reset_index()
    return table.assign(share=table["samples"].astype(float) / max(1, int(table["samples"].sum())))


def share(stacks: pd.DataFrame, pattern: str, column: str = "frames") -> float:
    """The part of all samples whose stack (or "leaf", "thread", "lost") matches the regular expression; NaN of none."""
    total = int(stacks["count"].sum())
    hits = stacks[column].str.contains(pattern, regex=True).fillna(False).astype(bool)
    return float(stacks.loc[hits, "count"].sum()) / total if total else float("nan")
