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
    carries              Thread.threadId of the virtual thread that it carries (21 and later)
    state                runnable; from 21 on the JavaThread's state: _thread_in_Java, _thread_in_vm, ...
    cpu_ms               the CPU time that it has used so far (11 and later)
    checks               how often the VM saw it running; 1 in a trace is a thread that stopped at once

`arrivals` compares them with the safepoints: how late was each thread at each of them. In the lab the log for it is
log="safepoint=trace straggler=0". The looks are about 1 ms apart, on 11 at first closer: a thread has stopped between
the last look that found it running and the next. "Running" is the VM's word for "not stopped yet": a thread that waits
for a core is running, too. 8 has no such level: its SafepointTimeout names who was running at the first look and logs
no time, so 8 has no row there. A thread that had stopped before the first look has none on any JDK.

>>> late = pd.DataFrame({"uptime_s": [1.0], "until_s": [1.03], "told_by": "trace", "thread": "counted", "native_id": 9})
>>> stops = pd.DataFrame({"begin_s": [0.9999], "ttsp_ms": [31.0], "operation": ["GenCollectFull"]})
>>> arrivals(late, stops).round(1).values.tolist()
[[0, 'GenCollectFull', 'counted', 30.1, 31.0]]

    stop         the index of the safepoint's row
    operation    what the safepoint was for
    thread       its name, or "thread 4711" by its native id if no SafepointTimeout has named it
    running_ms   until then, after the VM had asked, the VM found it running
    ttsp_ms      time to safepoint of the stop: until the last thread had stopped
"""

import html

import numpy as np
import pandas as pd

from safepointlab.logs.lines.columns import Array, Names, missing, scaled
from safepointlab.logs.lines.records import Extractor, Form, Lines, Table, rows_of, stacked
from safepointlab.logs.lines.source import Count, Source, blocks, with_counts
from safepointlab.logs.lines.stamps import Clock
from safepointlab.logs.lines.store import integers, text_array
from safepointlab.logs.safepoint.forms import INITIATED

# 8, with numbers in hex; "cpu=" and "elapsed=" from 11 on; in 8's vm.log, which is XML, the quotes are &quot;
#   # "Thread-0" #8 daemon prio=5 os_prio=0 tid=0x00007f9f88129800 nid=0x31d7 runnable [0x0000000000000000]
# 21 and later
#   # "Thread-0" #16 [20887] daemon prio=5 os_prio=0 cpu=1386.66ms elapsed=4.51s tid=0x00007f90a007fcc0 nid=20887
#   runnable  [0x0000000000000000]
# 21 and later, a thread that carries a virtual one: without nid and state (JavaThread::print_on), in 2 lines
#   # "ForkJoinPool-1-worker-1" #14 [629] daemon prio=5 os_prio=0 cpu=283.42ms elapsed=0.33s tid=0x00007f2b7c08d9c0
#   [0x0000000000000000]
#      Carrying virtual thread #13
LATE = Form(
    marks=(" tid=0x",),
    head=r"# (?:\"|&quot;)",
    body=r"# (?:\"|&quot;)(.*)(?:\"|&quot;) #(\d{1,18}) (?:\[(\d{1,10})\] )?.*?(?:cpu=(\d{1,12}\.\d\d)ms .*?)?"
    r"tid=(0x[0-9a-f]{1,16}) (?:nid=(0x[0-9a-f]{1,8}|\d{1,10}) (\w[\w. ]*?))? *\[0x.*",
    fields={"thread": "name", "java_id": "whole", "bracketed_id": "name", "cpu": "decimals"}
    | dict.fromkeys(("address", "native_id", "state"), "name"),
)
CARRYING = Form(
    marks=("Carrying virtual thread #",),
    head=r" +Carrying virtual thread #",
    body=r" +Carrying virtual thread #(\d{1,18})",
    fields={"carries": "whole"},
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
    "uptime_s": "float64", "until_s": "float64", "told_by": "string", "thread": "string", "java_id": "Int64",
    "native_id": "Int64", "address": "string", "carries": "Int64", "state": "string", "cpu_ms": "float64",
    "checks": "Int64",
}  # fmt: skip
ARRIVALS = {"stop": "int64", "operation": "string", "thread": "string", "running_ms": "float64", "ttsp_ms": "float64"}
SLACK_S = 0.0005  # the line of the safepoint is written a moment after its end


def stragglers(source: Source, strict: bool = False) -> pd.DataFrame:
    """Read the late threads; only a log with SafepointTimeout, or of level trace, names them.

    Raises:
        DamagedLog: with strict, at the first line that is cut off or corrupted.
        UnreadableLog: the file cannot be read.
    """
    count, names, clock, safepoints, late = Count(), Names(), Clock(), 0, list[Table]()
    forms = {"late": LATE, "carrying": CARRYING, "running": RUNNING, "state": STATE, "initiated": INITIATED}
    extractors = {name: Extractor(form, names, clock) for name, form in forms.items()}
    for block in blocks(source):
        lines = Lines(block, count, strict)
        extracted = ((name, extractor.table(lines)) for name, extractor in extractors.items())
        tables = {name: table for name, table in extracted if table is not None}
        count.skipped += lines.number - lines.understood
        starts = tables["initiated"]["at"] if "initiated" in tables else np.zeros(0, np.int64)
        if "late" in tables:
            late.append(_named(tables["late"], tables.get("carrying")))
        if "running" in tables:
            stop = safepoints + np.searchsorted(starts, tables["running"]["at"])  # the safepoint's number in the log
            late.append(_traced(tables["running"] | {"stop": stop}, tables.get("state")))
        safepoints += len(starts)
    if late:
        frame = _frame(stacked(late), names)
    else:
        frame = pd.DataFrame({name: pd.Series(dtype=kind) for name, kind in COLUMNS.items()})
    frame["thread"] = frame["thread"].map(html.unescape, na_action="ignore").astype("string")
    known = frame.dropna(subset=["thread"]).drop_duplicates("address").set_index("address")["thread"]
    frame["thread"] = frame["thread"].fillna(frame["address"].map(known).astype("string"))
    return with_counts(frame, count)


def _named(table: Table, carrying: Table | None) -> Table:
    """The threads that SafepointTimeout names, each line of another safepoint: the VM names a thread once in each."""
    size = len(table["at"])
    table["native_id"] = np.where(table["native_id"] < 0, table["bracketed_id"], table["native_id"])
    kept = {name: table[name] for name in ("at", "uptime_s", "thread", "java_id", "native_id", "address", "state")}
    kept |= {"until_s": table["uptime_s"], "cpu_ms": scaled(table["cpu"], 1e2), "stop": table["at"]}
    kept["carries"] = _below(table["at"], carrying, "carries")
    return kept | {"source": np.zeros(size, np.int8), "checks": np.ones(size, np.int64)}


def _below(at: Array, table: Table | None, field: str) -> Array:
    """What a line between each thread's line and the next thread's holds; -1 if there is no such line."""
    if table is None:
        return np.full(len(at), -1, np.int64)
    place = np.minimum(np.searchsorted(table["at"], at), len(table["at"]) - 1)
    below, following = table["at"][place], np.append(at[1:], np.iinfo(np.int64).max)
    return np.where((below > at) & (below < following), table[field][place], -1)


def _traced(table: Table, states: Table | None) -> Table:
    size = len(table["at"])
    kept = {name: table[name] for name in ("at", "stop", "uptime_s", "native_id", "address")}
    kept |= {"until_s": table["uptime_s"], "cpu_ms": missing(size)} | {"state": _below(table["at"], states, "state")}
    kept |= dict.fromkeys(("thread", "java_id", "carries"), np.full(size, -1, np.int64))
    return _grouped(kept | {"source": np.ones(size, np.int8), "checks": np.ones(size, np.int64)})


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
    table, texts = _grouped(table), text_array([*names.texts, ""])
    native = [int(text, 16 if text.startswith("0x") else 10) for text in texts.take(table["native_id"])]
    values = {name: texts.take(table[name]) for name in ("thread", "address", "state")}
    values |= {name: table[name] for name in ("uptime_s", "until_s", "cpu_ms")}
    values |= {name: integers(table[name], "Int64") for name in ("java_id", "carries")}
    values |= {"native_id": pd.array(native, dtype="Int64")}
    values |= {"checks": integers(table["checks"], "Int64"), "told_by": np.array(["timeout", "trace"])[table["source"]]}
    return pd.DataFrame(values).astype(COLUMNS)[list(COLUMNS)]


def arrivals(stragglers: pd.DataFrame, safepoints: pd.DataFrame) -> pd.DataFrame:
    """One row per safepoint and thread that the VM found running, the last to stop first."""
    looks = stragglers[stragglers["told_by"] == "trace"]
    names = looks["thread"].astype("object").fillna("thread " + looks["native_id"].astype("string").astype("object"))
    looks, rows = looks.assign(thread=names), []
    for place, stop in safepoints.iterrows():
        begin, wait = float(stop["begin_s"]), float(stop["ttsp_ms"])
        own = looks[looks["uptime_s"].between(begin - SLACK_S, begin + wait / 1e3 + SLACK_S)]
        running = ((own["until_s"] - begin) * 1e3).clip(lower=0.0, upper=wait)
        for name, ms in zip(own["thread"], running, strict=True):
            rows.append((place, stop["operation"], name, ms, wait))
    frame = pd.DataFrame(rows, columns=list(ARRIVALS)).astype(ARRIVALS)
    return frame.sort_values(["stop", "running_ms"], ascending=[True, False], ignore_index=True)
