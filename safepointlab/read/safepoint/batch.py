"""Table rows and "Total time" lines of 8 that are not next to each other -> the same rows, one per safepoint.

PrintSafepointStatistics prints its rows in batches of 300 (PrintSafepointStatisticsCount) and at exit, and to stdout
even if the "Total time" lines go to -Xloggc. Both are in the order of the safepoints, but either may lack some: the
last one, in which the VM exits, has no "Total time"; with PrintSafepointStatisticsTimeout only slow ones have a row.
"""

import numpy as np

from safepointlab.read.lines.records import Array, Table, rows_of
from safepointlab.read.safepoint.rows import FROM_STOPPED, FROM_TABLE

LOOK_AHEAD = 10_000  # between two safepoints with a row there are fewer than this many without one
FROM_THE_TABLE = (
    *("operation", "cleanup_ms", "operation_ms", "threads_total", "threads_running", "threads_waiting"),
    *("page_trap_count", "spin_ms", "block_ms", "begin_s"),
)


def same_stop(table: Table, stopped: Table) -> Array:
    """Whether a row and a "Total time" line can be of one safepoint; the row's times are truncated to whole ms."""
    reaching, total = stopped["ttsp"] / 1e4, stopped["total"] / 1e4
    fits = (stopped["ttsp"] < 0) | ((table["ttsp"] <= reaching + 1) & (reaching < table["ttsp"] + 2))
    return fits & (total > table["ttsp"] + table["cleanup"] + table["vmop"] - 3)


def without_twins(rows: Table) -> Table:
    """The rows; what a table row holds moves into the row of the same safepoint's "Total time" line."""
    table_rows, stop_rows = (np.flatnonzero(rows["origin"] == origin) for origin in (FROM_TABLE, FROM_STOPPED))
    if not len(table_rows) or not len(stop_rows):
        return rows
    rows = {name: np.array(column) for name, column in rows.items()}
    from_table, into_stop = _matching(rows, table_rows, stop_rows)
    for name in FROM_THE_TABLE:
        rows[name][into_stop] = rows[name][from_table]
    for name in ("uptime_s", "ttsp_ms"):
        rows[name][into_stop] = np.where(np.isnan(rows[name][into_stop]), rows[name][from_table], rows[name][into_stop])
    kept = rows_of(rows, np.setdiff1d(np.arange(len(rows["origin"])), from_table))
    if len(from_table) and not np.isnan(kept["begin_s"]).any():  # table and "Total time" lines may be in two files
        return rows_of(kept, np.lexsort((kept["origin"] == FROM_TABLE, kept["begin_s"])))
    return kept


def _matching(rows: Table, table_rows: Array, stop_rows: Array) -> tuple[Array, Array]:
    """Each table row with the next "Total time" line that fits, in the order of the log."""
    pairs, free = [], 0
    for table_row in table_rows:
        ahead = stop_rows[free : free + LOOK_AHEAD]
        fitting = np.flatnonzero(_near(rows, table_row, ahead[:8]))
        if not len(fitting):
            fitting = np.flatnonzero(_near(rows, table_row, ahead))
        if len(fitting):
            pairs.append((table_row, ahead[fitting[0]]))
            free += int(fitting[0]) + 1
    chosen = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return chosen[:, 0], chosen[:, 1]


def _near(rows: Table, table_row: int, stop_rows: Array) -> Array:
    reaching, phases = rows["ttsp_ms"][table_row], rows["cleanup_ms"][table_row] + rows["operation_ms"][table_row]
    fits = np.isnan(rows["ttsp_ms"][stop_rows]) | (abs(rows["ttsp_ms"][stop_rows] - reaching - 0.5) < 1.5)
    fits &= rows["total_ms"][stop_rows] > reaching + phases - 3
    distance_s = abs(rows["begin_s"][stop_rows] - rows["begin_s"][table_row])
    near: Array = fits & ~(distance_s > 0.25)  # NaN in a log without stamps counts as near
    return near
