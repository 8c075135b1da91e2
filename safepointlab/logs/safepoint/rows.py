"""Tables of safepoint lines (see forms.py) -> rows of the frame, still as arrays; one function per form.

A column that a line does not have is missing, and takes no memory until the frame is made.
"""

import numpy as np

from safepointlab.logs.lines.columns import missing, scaled
from safepointlab.logs.lines.records import Array, Table, stack

FLOATS = (
    *("uptime_s", "begin_s", "ttsp_ms", "cleanup_ms", "operation_ms", "leaving_ms", "total_ms"),
    "time_since_last_ms",
)
WHOLES = (
    *("operation", "threads_running", "threads_total", "threads_waiting", "page_trap_count", "spin_ms", "block_ms"),
    *("targeted_threads", "executed_by_requester"),
)
KINDS = ["safepoint", "handshake"]
OTHER, FROM_TABLE, FROM_STOPPED, FROM_BOTH = range(4)  # the lines of 8 that a row comes from


def blank(at: Array, columns: dict[str, Array]) -> Table:
    """Rows with these columns; all others are missing."""
    size = len(at)
    table: Table = {"at": at} | dict.fromkeys(FLOATS, missing(size))
    table |= dict.fromkeys(WHOLES, np.broadcast_to(np.int32(-1), size))
    table |= dict.fromkeys(("kind", "origin"), np.broadcast_to(np.int8(0), size))
    table["time"] = np.broadcast_to(np.datetime64("NaT", "ms"), size)
    table["nanotime_ns"] = np.broadcast_to(np.int64(-1), size)
    return table | {name: _small(values) if name in WHOLES else values for name, values in columns.items()}


def _small(values: Array) -> Array:
    return values if values.dtype == np.int32 else stack([values]).astype(np.int32)


def reaching_with_cleanup(ends: Table, statistics: Table) -> Array:
    """Where "Reaching safepoint" counts the cleanup in, as the statistics of the same safepoint tell.

    So on 13 to 19 and 17's first updates: JDK-8297154. Without the statistics nothing tells, and ttsp_ms is too long.
    """
    apart: Array = (ends["cleanup"] < 0) & (statistics["ttsp"] + statistics["cleanup"] == ends["ttsp"])
    return apart


def of_safepoint(ends: Table, statistics: Table, initiated: Table) -> Table:
    """13 and later: the "Safepoint" line, with what the statistics and the debug level add."""
    if statistics:
        apart = reaching_with_cleanup(ends, statistics)
        better = {name: np.where(apart, statistics[name], ends[name]) for name in ("ttsp", "cleanup")}
        ends = ends | better
    names = {"ttsp": "ttsp_ms", "cleanup": "cleanup_ms", "at_safepoint": "operation_ms", "leaving": "leaving_ms"}
    names |= {"total": "total_ms", "since": "time_since_last_ms"}
    times = {column: scaled(ends[field], 1e6) for field, column in names.items()}
    threads = first_known(ends["threads"], statistics.get("threads"), initiated.get("threads"))
    counts = {"threads_running": first_known(ends["running"], statistics.get("running")), "threads_total": threads}
    traps = {"page_trap_count": statistics["traps"]} if statistics else {}
    columns = times | counts | traps | {"operation": ends["operation"]}
    return blank(ends["at"], _stamps(ends, times["total_ms"]) | columns)


def of_statistics(table: Table) -> Table:
    """13 and later, without the "Safepoint" line: the operation's time includes leaving."""
    names = {"ttsp": "ttsp_ms", "cleanup": "cleanup_ms", "vmop": "operation_ms", "total": "total_ms"}
    times = {column: scaled(table[field], 1e6) for field, column in names.items()}
    counts = {"threads_running": table["running"], "threads_total": table["threads"], "page_trap_count": table["traps"]}
    return blank(table["at"], _stamps(table, times["total_ms"]) | times | counts | {"operation": table["operation"]})


def of_stopped(ends: Table, table: Table, entering: Table, cleanup: Table, since: Table, initiated: Table) -> Table:
    """8 to 12: "Total time", with what the lines before it hold on the same safepoint."""
    total, reaching = scaled(ends["total"], 1e4), scaled(ends["ttsp"], 1e4)
    stamps = _stamps(ends, total)
    rows = blank(ends["at"], stamps | _of_table(table) | {"total_ms": total})
    rows["ttsp_ms"] = _first_real(reaching, rows["ttsp_ms"])
    rows["begin_s"] = _first_real(rows["begin_s"], stamps["begin_s"])
    rows["uptime_s"] = _first_real(ends["uptime_s"], scaled(table["stamp"], 1e3)) if table else ends["uptime_s"]
    rows["operation"] = first_known(rows["operation"], entering.get("operation"))
    rows["threads_total"] = first_known(rows["threads_total"], initiated.get("threads"))
    if cleanup:
        rows["cleanup_ms"] = _first_real(scaled(cleanup["cleanup"], 1e4), rows["cleanup_ms"])
    if since:
        rows["time_since_last_ms"] = scaled(since["since"], 1e4)
    rows["origin"] = np.where(rows["operation"] < 0, FROM_STOPPED, FROM_BOTH).astype(np.int8)
    return rows


def of_table(table: Table) -> Table:
    """8: a row of PrintSafepointStatistics by itself. Its stamp is the safepoint's begin."""
    origin = np.full(len(table["at"]), FROM_TABLE, np.int8)
    return blank(table["at"], _of_table(table) | {"uptime_s": scaled(table["stamp"], 1e3), "origin": origin})


def of_entering(table: Table) -> Table:
    """9 to 12: a safepoint that this log never leaves: the one in which the VM exits, or the end of a cut file."""
    return blank(table["at"], _stamps(table, missing(len(table["at"]))) | {"operation": table["operation"]})


def of_handshake(table: Table) -> Table:
    """A handshake; `total_ms` runs until its last thread was done."""
    total, kind = scaled(table["total"], 1e6), np.full(len(table["at"]), KINDS.index("handshake"), np.int8)
    values = {"kind": kind, "operation": table["operation"], "total_ms": total, "targeted_threads": table["targeted"]}
    values |= {"executed_by_requester": table["by_requester"]}
    return blank(table["at"], _stamps(table, total) | values)


def _of_table(table: Table) -> Table:
    """The columns that only the table of 8 has; its times are whole milliseconds."""
    if not table:
        return {}
    times = {"ttsp": "ttsp_ms", "cleanup": "cleanup_ms", "vmop": "operation_ms"}
    counts = {"threads": "threads_total", "running": "threads_running", "waiting": "threads_waiting"}
    counts |= {"traps": "page_trap_count", "spin": "spin_ms", "block": "block_ms", "operation": "operation"}
    values = {column: scaled(table[field], 1) for field, column in times.items()}
    values |= {column: table[field] for field, column in counts.items()}
    return values | {"begin_s": scaled(table["stamp"], 1e3)}


def _stamps(table: Table, total_ms: Array) -> Table:
    stamps = {name: table[name] for name in ("uptime_s", "time", "nanotime_ns")}
    return stamps | {"begin_s": np.round(table["uptime_s"] - total_ms / 1e3, 9)}


def first_known(first: Array, *others: Array | None) -> Array:
    """In each row the first value that is not -1."""
    for other in others:
        if other is not None:
            first = np.where(first < 0, other, first)
    return first


def _first_real(first: Array, second: Array) -> Array:
    return np.where(np.isnan(first), second, first)
