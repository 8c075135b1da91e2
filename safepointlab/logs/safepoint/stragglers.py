"""The VM's lines on threads that keep all others waiting -> one row per late thread and safepoint.

    8 to 28   -XX:+SafepointTimeout -XX:SafepointTimeoutDelay=200       names each late thread, once, after the delay
    9 to 28   -Xlog:safepoint*=trace                                    lists the running threads each time the VM looks

>>> line = '[4.634s][warning][safepoint] # "Thread-0" #16 [20887] daemon prio=5 os_prio=0 cpu=1386.66ms elapsed=4.51s '
>>> line += 'tid=0x00007f90a007fcc0 nid=20887 runnable  [0x0000000000000000]'
>>> stragglers([line])[["uptime_s", "told_by", "thread", "java_id", "native_id", "cpu_ms"]]
   uptime_s  told_by    thread  java_id  native_id   cpu_ms
0     4.634  timeout  Thread-0       16      20887  1386.66

    uptime_s, until_s    when the VM first, and last, saw it late; NA on 8 and 11, where SafepointTimeout has no stamp
    told_by              the source: timeout or trace
    thread               its name; a trace has none, so it comes from a SafepointTimeout of the same log
    java_id, native_id   Thread.getId; the id in `top -H` and /proc/<pid>/task
    address              of the VM's own JavaThread
    state                runnable; from 21 on the JavaThread's state: _thread_in_Java, _thread_in_vm, ...
    cpu_ms               the CPU time that it has used so far (11 and later)
    checks               how often the VM saw it running; 1 in a trace is a thread that stopped at once
"""

import html
from collections.abc import Iterator

import numpy as np
import pandas as pd

from safepointlab.logs.lines.columns import Names, integers, missing, scaled
from safepointlab.logs.lines.records import Array, Extractor, Form, Lines, Table, rows_of, stacked
from safepointlab.logs.lines.source import Count, Source, blocks, with_counts
from safepointlab.logs.lines.stamps import Clock
from safepointlab.logs.safepoint.forms import INITIATED

# 8, with numbers in hex; "cpu=" and "elapsed=" from 11 on; in 8's vm.log, which is XML, the quotes are &quot;
#   # "Thread-0" #8 daemon prio=5 os_prio=0 tid=0x00007f9f88129800 nid=0x31d7 runnable [0x0000000000000000]
# 21 and later
#   # "Thread-0" #16 [20887] daemon prio=5 os_prio=0 cpu=1386.66ms elapsed=4.51s tid=0x00007f90a007fcc0 nid=20887
#   runnable  [0x0000000000000000]
LATE = Form(
    marks=(" nid=",),
    head=r"# (?:\"|&quot;)",
    body=r"# (?:\"|&quot;)(.*)(?:\"|&quot;) #(\d{1,18}) .*?(?:cpu=(\d{1,12}\.\d\d)ms .*?)?tid=(0x[0-9a-f]{1,16}) "
    r"nid=(0x[0-9a-f]{1,8}|\d{1,10}) (\w[\w. ]*?) +\[0x.*",
    fields={"thread": "name", "java_id": "whole", "cpu": "decimals"}
    | dict.fromkeys(("address", "native_id", "state"), "name"),
)

# 9 to 27, each time that the VM looks; "_has_called_back" until 12
#   Thread: 0x00007fe3500cb3f0  [0x4170] State: _running _at_poll_safepoint 0
# 28
#   Thread 0x00007efc7c0a8a80 [21981] is still running
RUNNING = Form(
    marks=("] State: _running", " is still running"),
    head=r"Thread:? 0x",
    body=r"Thread:? (0x[0-9a-f]{1,16}) +\[(0x[0-9a-f]{1,8}|\d{1,10})\] (?:State: _running|is still running).*",
    fields={"address": "name", "native_id": "name"},
)

# 21 and later, below the line of the thread
#      JavaThread state: _thread_in_Java
STATE = Form(
    marks=("JavaThread state: ",),
    head=r" +JavaThread state: ",
    body=r" +JavaThread state: (_\w+)",
    fields={"state": "name"},
    stamped=False,
)

COLUMNS = {
    "uptime_s": "float64",
    "until_s": "float64",
    "told_by": "string",
    "thread": "string",
    "java_id": "Int64",
    "native_id": "Int64",
    "address": "string",
    "state": "string",
    "cpu_ms": "float64",
    "checks": "Int64",
}


def stragglers(source: Source, strict: bool = False) -> pd.DataFrame:
    """Read the late threads; only a log with SafepointTimeout, or of level trace, names them.

    Raises:
        DamagedLog: with strict, at the first line that is cut off or corrupted.
        UnreadableLog: the file cannot be read.
    """
    count, names = Count(), Names()
    blockwise = _tables(source, names, count, strict)
    late = [table for tables in blockwise for table in (_named(tables), _traced(tables)) if table]
    empty = pd.DataFrame({name: pd.Series(dtype=kind) for name, kind in COLUMNS.items()})
    return with_counts(_with_names(_frame(stacked(late), names) if late else empty), count)


def _tables(source: Source, names: Names, count: Count, strict: bool) -> Iterator[dict[str, Table]]:
    """For each block the lines of each form; a running thread's also with its safepoint's number in the log."""
    clock, safepoints = Clock(), 0
    forms = {"late": LATE, "running": RUNNING, "state": STATE, "initiated": INITIATED}
    extractors = {name: Extractor(form, names, clock) for name, form in forms.items()}
    for block in blocks(source):
        lines = Lines(block, count, strict)
        extracted = ((name, extractor.table(lines)) for name, extractor in extractors.items())
        tables = {name: table for name, table in extracted if table is not None}
        count.skipped += lines.number - lines.understood
        starts = tables["initiated"]["at"] if "initiated" in tables else np.zeros(0, np.int64)
        if "running" in tables:
            tables["running"]["stop"] = safepoints + np.searchsorted(starts, tables["running"]["at"])
        safepoints += len(starts)
        yield tables


def _named(tables: dict[str, Table]) -> Table | None:
    table = tables.get("late")
    if table is None:
        return None
    size = len(table["at"])
    same = {"until_s": table["uptime_s"], "cpu_ms": scaled(table["cpu"], 1e2), "source": np.zeros(size, np.int8)}
    same |= {"stop": table["at"]}  # each line is of another safepoint: the VM names a thread once in each
    kept = ("at", "uptime_s", "thread", "java_id", "native_id", "address", "state")
    return {name: table[name] for name in kept} | same | {"checks": np.ones(size, np.int64)}


def _traced(tables: dict[str, Table]) -> Table | None:
    """One row per thread and safepoint; two if a block ends within it, which `_frame` joins."""
    table = tables.get("running")
    if table is None:
        return None
    size = len(table["at"])
    kept = {name: table[name] for name in ("at", "stop", "uptime_s", "native_id", "address")}
    kept |= {"until_s": table["uptime_s"], "state": _state_below(table, tables.get("state")), "cpu_ms": missing(size)}
    kept |= dict.fromkeys(("thread", "java_id"), np.full(size, -1, np.int64))
    return _grouped(kept | {"source": np.ones(size, np.int8), "checks": np.ones(size, np.int64)})


def _state_below(table: Table, states: Table | None) -> Array:
    if states is None:
        return np.full(len(table["at"]), -1)
    place = np.minimum(np.searchsorted(states["at"], table["at"]), len(states["at"]) - 1)
    below, following = states["at"][place], np.append(table["at"][1:], np.iinfo(np.int64).max)
    return np.where((below > table["at"]) & (below < following), states["state"][place], -1)


def _grouped(table: Table) -> Table:
    """The rows of one thread in one safepoint as one: first and last time, last state, number of checks."""
    key = np.stack([table["source"].astype(np.int64), table["stop"], table["address"].astype(np.int64)])
    _, first, group = np.unique(key, axis=1, return_index=True, return_inverse=True)
    last = np.zeros(len(first), np.int64)
    np.maximum.at(last, group.ravel(), np.arange(len(table["at"])))
    checks = np.bincount(group.ravel(), weights=table["checks"]).astype(np.int64)
    rows = rows_of(table, first) | {"checks": checks, "until_s": table["until_s"][last], "state": table["state"][last]}
    return rows_of(rows, np.argsort(rows["at"], kind="stable"))


def _frame(table: Table, names: Names) -> pd.DataFrame:
    table = _grouped(table)
    texts = {name: names.strings(table[name]) for name in ("thread", "address", "state", "native_id")}
    native = [int(text, 16 if text.startswith("0x") else 10) for text in texts.pop("native_id")]
    values = texts | {name: table[name] for name in ("uptime_s", "until_s", "cpu_ms")}
    values |= {"java_id": integers(table["java_id"], "Int64"), "native_id": pd.array(native, dtype="Int64")}
    values |= {"checks": integers(table["checks"], "Int64"), "told_by": np.array(["timeout", "trace"])[table["source"]]}
    return pd.DataFrame(values).astype(COLUMNS)[list(COLUMNS)]


def _with_names(frame: pd.DataFrame) -> pd.DataFrame:
    frame["thread"] = frame["thread"].map(html.unescape, na_action="ignore").astype("string")
    known = frame.dropna(subset=["thread"]).drop_duplicates("address").set_index("address")["thread"]
    frame["thread"] = frame["thread"].fillna(frame["address"].map(known).astype("string"))
    return frame
