"""Table rows and "Total time" lines of 8 that are not next to each other -> the same rows, one per safepoint.

PrintSafepointStatistics prints its rows in batches of 300 (PrintSafepointStatisticsCount) and at exit, and to stdout
even if the "Total time" lines go to -Xloggc. Both are in the order of the safepoints, but either may lack some: the
last one, in which the VM exits, has no "Total time"; with PrintSafepointStatisticsTimeout only slow ones have a row.
"""

import numpy as np

from safepointlab.logs.lines.columns import Array
from safepointlab.logs.lines.records import Table, rows_of

OTHER, FROM_TABLE, FROM_STOPPED, FROM_BOTH = range(4)  # the lines of 8 that a row comes from
AT_FIRST = 64  # rows that are compared at once; as long as all of them fit, more and more
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
    from_table, into_stop = _matching(rows, table_rows, stop_rows)
    for name in FROM_THE_TABLE:
        rows[name] = np.array(rows[name])
        rows[name][into_stop] = rows[name][from_table]
    for name in ("uptime_s", "ttsp_ms"):
        rows[name] = np.array(rows[name])
        rows[name][into_stop] = np.where(np.isnan(rows[name][into_stop]), rows[name][from_table], rows[name][into_stop])
    stay = np.ones(len(rows["origin"]), np.bool_)
    stay[from_table] = False
    kept: Table = {}
    for name in list(rows):  # one by one, so that only one is in memory twice
        kept |= rows_of({name: rows.pop(name)}, stay)
    if len(from_table) and not np.isnan(kept["begin_s"]).any():  # table and "Total time" lines may be in two files
        return rows_of(kept, np.lexsort((kept["origin"] == FROM_TABLE, kept["begin_s"])))
    return kept


def _matching(rows: Table, table_rows: Array, stop_rows: Array) -> tuple[Array, Array]:
    """Each table row with the next "Total time" line that fits, in the order of the log."""
    reaching, begin = rows["ttsp_ms"], rows["begin_s"]
    least = reaching + rows["cleanup_ms"] + rows["operation_ms"] - 3
    table = np.stack([reaching[table_rows], begin[table_rows], least[table_rows]])
    stops = np.stack([reaching[stop_rows], begin[stop_rows], rows["total_ms"][stop_rows]])
    from_table, into_stop, row, free = list[Array](), list[Array](), 0, 0
    while row < len(table_rows):
        together = _fitting_in_turn(table[:, row:], stops[:, free:])
        from_table.append(table_rows[row : row + together])
        into_stop.append(stop_rows[free : free + together])
        row, free = row + together, free + together
        found = _next_fitting(table[:, row : row + 1], stops[:, free : free + LOOK_AHEAD])
        if found >= 0:
            from_table.append(table_rows[row : row + 1])
            into_stop.append(stop_rows[free + found : free + found + 1])
            free += found + 1
        row += 1
    return np.concatenate(from_table), np.concatenate(into_stop)


def _fitting_in_turn(table: Array, stops: Array) -> int:
    """How many of the table rows fit the lines at the same places, until the first that does not."""
    done, size = 0, AT_FIRST
    while part := min(size, table.shape[1] - done, stops.shape[1] - done):
        fits = _near(table[:, done : done + part], stops[:, done : done + part])
        if not fits.all():
            return done + int(np.argmin(fits))
        done, size = done + part, min(2 * size, LOOK_AHEAD)
    return done


def _next_fitting(table_row: Array, ahead: Array) -> int:
    """The place of the first line that fits; -1 if none does, or if there is no row."""
    for size in (AT_FIRST, LOOK_AHEAD) if table_row.size else ():
        at_that_time = np.flatnonzero(_begin_together(table_row, ahead[:, :size]))
        fitting = at_that_time[_near(table_row, ahead[:, at_that_time])]
        if len(fitting):
            return int(fitting[0])
    return -1


def _near(table: Array, stops: Array) -> Array:
    """Of each: time to safepoint, begin, and the total time, of a table row the least that it can be."""
    reaching, _, beyond = stops - table
    fits = np.isnan(reaching) | (abs(reaching - 0.5) < 1.5)
    near: Array = fits & (beyond > 0) & _begin_together(table, stops)
    return near


def _begin_together(table: Array, stops: Array) -> Array:
    apart: Array = abs(stops[1] - table[1]) > 0.25
    return ~apart  # NaN in a log without stamps counts as near
