"""Table rows and "Total time" lines of 8 that do not stand next to each other -> the same rows, each stop once.

PrintSafepointStatistics prints its rows in batches of 300 (PrintSafepointStatisticsCount) and at exit, and to stdout
even if the "Total time" lines go to -Xloggc. Both are in the order of the stops, but either may lack some: the last
stop, in which the VM exits, has no "Total time"; with PrintSafepointStatisticsTimeout only slow stops have a row.
"""

import numpy as np

from safepointlab.read.lines.records import Array, Table, rows_of
from safepointlab.read.safepoint.rows import FROM_STOPPED, FROM_TABLE

LOOK_AHEAD = 10_000  # more stops than this are not without a row between two that have one
FROM_THE_TABLE = (
    *("operation", "cleanup_ms", "operation_ms", "threads_total", "threads_running", "threads_waiting"),
    *("page_trap_count", "spin_ms", "block_ms", "begin_s"),
)


def same_stop(table: Table, stopped: Table) -> Array:
    """Whether row and "Total time" line can be of one stop: the row's times are cut down to whole milliseconds."""
    reaching, total = stopped["ttsp"] / 1e4, stopped["total"] / 1e4
    fits = (stopped["ttsp"] < 0) | ((table["ttsp"] <= reaching + 1) & (reaching < table["ttsp"] + 2))
    return fits & (total > table["ttsp"] + table["cleanup"] + table["vmop"] - 3)


def without_twins(rows: Table) -> Table:
    """The rows, those from the table put into the rows of the "Total time" lines of the same stops."""
    tables, stops = (np.flatnonzero(rows["origin"] == origin) for origin in (FROM_TABLE, FROM_STOPPED))
    if not len(tables) or not len(stops):
        return rows
    rows = {name: np.array(column) for name, column in rows.items()}
    one, other = _pairs(rows, tables, stops)
    for name in FROM_THE_TABLE:
        rows[name][other] = rows[name][one]
    for name in ("uptime_s", "ttsp_ms"):
        rows[name][other] = np.where(np.isnan(rows[name][other]), rows[name][one], rows[name][other])
    kept = rows_of(rows, np.setdiff1d(np.arange(len(rows["origin"])), one))
    if len(one) and not np.isnan(kept["begin_s"]).any():  # table and "Total time" lines may be in two files
        return rows_of(kept, np.lexsort((kept["origin"] == FROM_TABLE, kept["begin_s"])))
    return kept


def _pairs(rows: Table, tables: Array, stops: Array) -> tuple[Array, Array]:
    """In the order of the log, each row with the next "Total time" line that fits."""
    pairs, free = [], 0
    for one in tables:
        ahead = stops[free : free + LOOK_AHEAD]
        fitting = np.flatnonzero(_fit(rows, one, ahead[:8]))
        if not len(fitting):
            fitting = np.flatnonzero(_fit(rows, one, ahead))
        if len(fitting):
            pairs.append((one, ahead[fitting[0]]))
            free += int(fitting[0]) + 1
    chosen = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return chosen[:, 0], chosen[:, 1]


def _fit(rows: Table, one: int, others: Array) -> Array:
    reaching, phases = rows["ttsp_ms"][one], rows["cleanup_ms"][one] + rows["operation_ms"][one]
    fits = np.isnan(rows["ttsp_ms"][others]) | (abs(rows["ttsp_ms"][others] - reaching - 0.5) < 1.5)
    fits &= rows["total_ms"][others] > reaching + phases - 3
    apart = abs(rows["begin_s"][others] - rows["begin_s"][one])
    near: Array = fits & ~(apart > 0.25)  # NaN, without stamps: nothing speaks against it
    return near
