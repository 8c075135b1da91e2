"""A safepoint log of any HotSpot from 8 to 28 -> one row per safepoint or handshake.

The flags that write the log, and what it then holds:

    8         -XX:+PrintSafepointStatistics -XX:PrintSafepointStatisticsCount=1   operation, threads, phases in whole ms
              -XX:+PrintGCApplicationStoppedTime [-XX:+PrintGCTimeStamps]         ttsp and total to 0.1 us, no operation
    9 to 12   -Xlog:safepoint*            operation, ttsp, total, cleanup; with =debug the number of threads
    13 to 28  -Xlog:safepoint*            all of the columns, in ns
    11 to 28  -Xlog:handshake             handshakes: on 11 those of ZGC alone

>>> line = '[0.552s][info][safepoint] Safepoint "G1CollectFull", Time since last: 435972622 ns, '
>>> line += 'Reaching safepoint: 6379 ns, At safepoint: 15947693 ns, Leaving safepoint: 14222 ns, Total: 15968294 ns, '
>>> line += 'Threads: 1 runnable, 10 total'
>>> read([line])[["uptime_s", "operation", "ttsp_ms", "operation_ms", "leaving_ms", "total_ms"]]
   uptime_s      operation   ttsp_ms  operation_ms  leaving_ms   total_ms
0     0.552  G1CollectFull  0.006379     15.947693    0.014222  15.968294

Files of one log that was rolled are read as one, in the order in which they were written, so the lines of one safepoint
may be in two of them.

Several lines on one safepoint become one row: 8's table row and its "Total time" line (next to it, or in the same order
if the table comes in batches or in a file of its own), 11's lines from "Entering" to "Total time", a row of
safepoint+stats and the "Safepoint" line with the same times. A line without a partner is a row of its own, with the
other columns missing.

Columns (see COLUMNS; what a JDK does not log is NA):

    uptime_s      the line's stamp: the safepoint's end, but its begin in 8's table. NA in a log without uptime
    begin_s       when the VM began to stop the threads: uptime_s - total_ms, or the stamp of 8's table
    ttsp_ms       time to safepoint: until the last thread had stopped. On 13 to 19 and 17's first updates the log
                  counts the cleanup in (JDK-8297154); with safepoint+stats beside it, it is told apart
    cleanup_ms    the VM's cleanup tasks; until 21
    operation_ms  the operation itself; includes leaving if only safepoint+stats is logged
    leaving_ms    until all threads were released; from 21 on
    total_ms      the whole safepoint; of a handshake, until it is complete
    threads_running, threads_total            when the VM began to stop the threads
    time_since_last_ms                        how long the program had run since the safepoint before
    page_trap_count, spin_ms, block_ms, threads_waiting     the other columns of the statistics
    targeted_threads, executed_by_requester                 of a handshake
    time, nanotime_ns      the decorations time (or timemillis) in UTC, and timenanos, which is System.nanoTime()

The columns have these dtypes whatever the size of the log. A row takes at most 137 bytes; in a large frame a column of
one value, as of what the log lacks, takes none (with pandas 3).

`frame.attrs` has, beside the line counts, the number of lines that report the beginning of a safepoint (`initiated`), a
late thread (`timeouts`) and the time between safepoints (`application_times`). It has `begun_s` if the log ends in a
safepoint that was begun and never reached: the JVM hangs. Without the debug level's "initiated" only SafepointTimeout
tells, one SafepointTimeoutDelay after the begin. No line has that delay: `read` subtracts the one that it is given. On
8 to 16 these lines have no stamp, and so there is no `begun_s`. In a log with times of day alone it counts from the
begin of the first safepoint.
"""

import re

import pandas as pd

from safepointlab.logs.lines.records import read_rows
from safepointlab.logs.lines.source import Source
from safepointlab.logs.safepoint.rows import Journal
from safepointlab.logs.safepoint.stragglers import arrivals, stragglers

__all__ = ["COLUMNS", "MARK", "NAME", "arrivals", "read", "stragglers"]

NAME = "safepoint"
# a safepoint that no operation requested, as 8 names it, 11 to 22, and with SafepointALot
PERIODIC = ("no vm operation", "Cleanup", "SafepointALot")
MARK = re.compile(
    r'Safepoint "|Handshake "|safepoint region|application threads were stopped|\[safepoint[ ,\]]|initially_running'
    r"|initial_running|# SafepointSynchronize::begin|^ *[\d.]+: [\w ]+ \[ *\d+ +\d+ +\d+ *\] *\[",
    re.MULTILINE,
)
COLUMNS = {
    "uptime_s": "float64", "kind": "string", "operation": "string", "ttsp_ms": "float64", "cleanup_ms": "float64",
    "operation_ms": "float64", "leaving_ms": "float64", "total_ms": "float64", "threads_running": "Int32",
    "threads_total": "Int32", "begin_s": "float64", "time_since_last_ms": "float64", "targeted_threads": "Int32",
    "executed_by_requester": "Int32", "page_trap_count": "Int32", "spin_ms": "Int32", "block_ms": "Int32",
    "threads_waiting": "Int32", "time": "datetime64[ms]", "nanotime_ns": "Int64",
}  # fmt: skip


def read(source: Source, strict: bool = False, timeout_delay_ms: float = 0) -> pd.DataFrame:
    """Read one log, or several files of one run, e.g. 8's vm.log and gc.log.

    Args:
        timeout_delay_ms: the JVM's SafepointTimeoutDelay, by which the sign of a hang is later than its begin.

    Raises:
        DamagedLog: with strict, at the first line that is cut off or corrupted.
        ForeignLog: with strict, if there is text but not one line of a safepoint log.
        UnreadableLog: the file cannot be read.
    """
    return read_rows(Journal(timeout_delay_ms), source, strict, NAME, MARK, COLUMNS)
