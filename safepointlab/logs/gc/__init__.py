"""A garbage collector's log, 8 to 28 -> one row per pause, and one per concurrent cycle, or phase of Shenandoah's.

    8         -XX:+PrintGC or -XX:+PrintGCDetails, with PrintGCTimeStamps and/or PrintGCDateStamps [-Xloggc:file]
    9 to 28   -Xlog:gc*       (ZGC: its pauses have the tag gc+phases, so -Xlog:gc alone has only its cycles)

>>> line = "[0.251s][info][gc] GC(7) Pause Young (Mixed) (G1 Evacuation Pause) 61M->34M(64M) 5.101ms"
>>> read([line])[["uptime_s", "gc_id", "collector", "kind", "cause", "pause_ms", "after_mib"]]
   uptime_s  gc_id collector   kind                cause  pause_ms  after_mib
0     0.251      7        G1  mixed  G1 Evacuation Pause     5.101       34.0

Columns (see COLUMNS; what a log does not hold is NA):

    uptime_s      the line's stamp: the end of the pause, stall or cycle, but on 8 the begin of the pause
    gc_id         the number in GC(7), which a cycle's pauses share; on 8 only with PrintGCID
    collector     Serial, Parallel, CMS, G1, ZGC, Shenandoah; NA if neither the log's beginning nor a row names it
    kind          young, mixed, full; remark, cleanup, initial mark; ZGC: mark start, mark end, relocate start;
                  Shenandoah: init mark, final mark, init update refs, final update refs, final roots, degenerated.
                  Rows that are no pause: cycle, minor, major (ZGC), concurrent marking, concurrent cleanup and other
                  phases (Shenandoah), with pause_ms NA; and allocation stall, relocation stall (ZGC), where pause_ms is
                  how long a thread waited
    cause         System.gc(), Allocation Failure, G1 Evacuation Pause, ...
    before_mib, after_mib, heap_mib      in use before and after, and the heap's size. ZGC's line lacks the size; CMS'
                  initial mark and remark of 8 only have what is in use: after_mib
    detail        the rest of the line: Concurrent Start, Evacuation Failure: Allocation, Outside of Cycle, ...;
                  on 8 the generations: "[GC" is young by its name, even if "DefNew, Tenured" shows that it was full
    generation, cycle      of generational ZGC's pauses: young or old, of a minor or a major collection
    duration_ms   how long a cycle, or a phase of one, took
    thread        of a stall: its name
    promoted_mib  by how much a young collection enlarged the old generation; of G1 in whole regions
    time, nanotime_ns      see logs.safepoint
"""

import re

import pandas as pd

from safepointlab.logs.gc.rows import Ledger
from safepointlab.logs.lines.records import read_rows
from safepointlab.logs.lines.source import Source

NAME = "gc"
MARK = re.compile(
    r"\bGC\(\d+\) |\[(?:Full )?GC(?:--)? [(\[\d]|\[GC (?:pause|remark|cleanup)|\[gc[ ,\]]"
    r"|Using (?:G1|Serial|Parallel|Concurrent Mark Sweep|The Z Garbage Collector|Shenandoah)\b"
)
# 6 and 7, and 8 with -XX:-PrintGCCause
#   41.409: [GC [PSYoungGen: 229368K->32766K(170240K)] 245617K->63556K(956672K), 0.0984634 secs]
#   0.134: [GC pause (young), 0.0045556 secs]
WITHOUT_CAUSE = re.compile(
    r"\[(?:Full )?GC ?(?:\d+[.,]\d{3}: )?\[(?:PSYoungGen|ParNew|DefNew|Tenured|CMS|YG|1 CMS)"
    r"|\[(?:Full )?GC \d+[BKMG]->|\[GC pause \((?:young|partial|mixed)\)"
)
COLUMNS = {
    "uptime_s": "float64", "gc_id": "Int32", "collector": "string", "kind": "string", "cause": "string",
    "pause_ms": "float64", "before_mib": "float64", "after_mib": "float64", "heap_mib": "float64", "detail": "string",
    "generation": "string", "cycle": "string", "duration_ms": "float64", "thread": "string",
    "promoted_mib": "float64", "time": "datetime64[ms]", "nanotime_ns": "Int64",
}  # fmt: skip


def refused(sample: str) -> str:
    """Why such a log would be read in part only, by its beginning; "" if nothing speaks against it."""
    line = next((line for line in sample.splitlines() if WITHOUT_CAUSE.search(line)), "")
    if not line:
        return ""
    advice = "The lab reads 8 and later; on 8 leave -XX:-PrintGCCause out."
    return f"its pauses have no cause, as JDK 6 and 7 print them: {line.strip()[:120]!r}. {advice}"


def read(source: Source, strict: bool = False) -> pd.DataFrame:
    """Read one log, or several files of one run.

    Raises:
        DamagedLog: with strict, at the first line that is cut off or corrupted.
        ForeignLog: with strict, if there is text but not one line of a collector's log.
        UnreadableLog: the file cannot be read.
    """
    return read_rows(Ledger(), source, strict, NAME, MARK, COLUMNS)
