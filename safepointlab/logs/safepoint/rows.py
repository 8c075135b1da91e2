"""Tables of a safepoint log's lines, one per form (see forms.py) -> one row per safepoint, joined from all its lines.

The join works on arrays, block by block; `at` is where a line begins. The line that ends a safepoint ("Safepoint ..."
or "Total time ...") is joined with the last line of each other form since the end before. Lines behind the last end
wait for the next block. A column that a line does not have is missing, and takes no memory.
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from safepointlab.logs.lines.columns import Array, Names, missing, narrow, scaled
from safepointlab.logs.lines.records import Extractor, Form, Lines, Table, in_order, rows_of, stacked
from safepointlab.logs.lines.stamps import Clock
from safepointlab.logs.lines.store import Store
from safepointlab.logs.lines.store import frame as framed
from safepointlab.logs.safepoint import forms
from safepointlab.logs.safepoint.batch import FROM_BOTH, FROM_STOPPED, FROM_TABLE, same_stop, without_twins

FLOATS = (
    *("uptime_s", "begin_s", "ttsp_ms", "cleanup_ms", "operation_ms", "leaving_ms", "total_ms"),
    "time_since_last_ms",
)
WHOLES = (
    *("operation", "threads_running", "threads_total", "threads_waiting", "page_trap_count", "spin_ms", "block_ms"),
    *("targeted_threads", "executed_by_requester"),
)
KINDS = ["safepoint", "handshake"]

FORMS: dict[str, Form] = {
    "safepoint": forms.SAFEPOINT, "stopped": forms.STOPPED, "statistics": forms.STATISTICS, "table": forms.TABLE,
    "entering": forms.ENTERING, "cleanup": forms.CLEANUP, "application": forms.APPLICATION,
    "handshake": forms.HANDSHAKE, "initiated": forms.INITIATED, "timeout": forms.TIMEOUT,
}  # fmt: skip
ENDS = ("safepoint", "stopped")
COMPANIONS = {"statistics": "safepoint"} | dict.fromkeys(("table", "entering", "cleanup", "application"), "stopped")


class Journal:
    """Takes a log block by block and hands the frame back at the end."""

    def __init__(self, timeout_delay_ms: float = 0) -> None:
        self.timeout_delay_s = timeout_delay_ms / 1000
        self.names, clock = Names(), Clock()
        self.extractors = {name: Extractor(form, self.names, clock) for name, form in FORMS.items()}
        self.seen: set[str] = set()
        self.waiting: dict[str, Table] = {}
        self.last_end = dict.fromkeys(ENDS, -1)
        self.rows = Store()
        self.unreached: tuple[int, float, np.datetime64] | None = None  # its place, uptime and time of day
        self.silent = 0  # safepoints in a row that were begun, as a time-out says, and of which no line says the end
        self.counts = {"initiated": 0, "timeout": 0, "application": 0}

    def add(self, lines: Lines) -> None:
        new: dict[str, Table] = {}
        for name, extractor in self.extractors.items():
            if name in ("cleanup", "application") and not {"stopped", "entering"} & {*new, *self.seen}:
                continue  # a log of 13 or later: its "Safepoint" line has these times
            if (table := extractor.table(lines)) is not None:
                new[name] = table
        self.seen.update(new)
        self._watch_for_a_hang(new, lines.last(forms.REACHED))
        tables = new | {name: stacked([old, new[name]] if name in new else [old]) for name, old in self.waiting.items()}
        self.waiting = {}
        complete = [handshake_rows(tables["handshake"])] if "handshake" in tables else []
        if "safepoint" in tables:
            partners = [self._partner(tables, name, "safepoint") for name in ("statistics", "initiated")]
            complete.append(safepoint_rows(tables["safepoint"], *partners))
        if "stopped" in tables:
            names = ("table", "entering", "cleanup", "application", "initiated")
            partners = [self._partner(tables, name, "stopped") for name in names]
            complete.append(stopped_rows(tables["stopped"], *partners))
        self._keep([*complete, *self._rows_without_end(tables)])

    def _partner(self, tables: dict[str, Table], name: str, end: str) -> Table:
        """For each end the last line of that form since the end before; all fields are -1 if there is none."""
        if name not in tables:
            return {}
        table, end_lines = tables[name], tables[end]
        place = np.searchsorted(table["at"], end_lines["at"]) - 1
        chosen = rows_of(table, place)
        fits = (place >= 0) & (chosen["at"] > np.concatenate([[self.last_end[end]], end_lines["at"][:-1]]))
        if name == "statistics":
            apart = reaching_with_cleanup(end_lines, chosen)
            fits &= ((chosen["ttsp"] == end_lines["ttsp"]) | apart) & (chosen["total"] == end_lines["total"])
        elif name == "table":
            fits &= same_stop(chosen, end_lines)
        table["used"] = np.zeros(len(table["at"]), bool)
        table["used"][place[fits]] = True
        return {field: np.where(fits, column, -1) for field, column in chosen.items() if column.dtype.kind == "i"}

    def _rows_without_end(self, tables: dict[str, Table]) -> list[Table]:
        """Rows of the lines without an end of their own; the last line of each form may still get one, and waits."""
        self.last_end |= {end: int(tables[end]["at"][-1]) for end in ENDS if end in tables}
        alone = []
        for name in tables.keys() & {*COMPANIONS, "initiated"}:
            lines = tables[name]
            free = ~lines.pop("used", np.zeros(len(lines["at"]), bool))
            last_end = self.last_end[COMPANIONS[name]] if name in COMPANIONS else max(self.last_end.values())
            if free[-1] and lines["at"][-1] > last_end:
                self.waiting[name] = rows_of(lines, slice(-1, None))
                free[-1] = False
            if name in ALONE and free.any():
                alone.append(ALONE[name](rows_of(lines, free)))
        return alone

    def next_file(self, _text: str, continues: bool = False) -> None:
        """Start a file; make rows of the lines that wait for the end of their safepoint, unless it is in this file."""
        if continues:
            return
        waiting, self.waiting = self.waiting, {}
        alone = {name: rows_of_form(waiting[name]) for name, rows_of_form in ALONE.items() if name in waiting}
        if "entering" in alone:  # the safepoint in which 11's VM exits: entered, never left
            time_fields = {"application": ("since", "time_since_last_ms"), "cleanup": ("cleanup", "cleanup_ms")}
            for name in time_fields.keys() & waiting.keys():
                field, column = time_fields[name]
                alone["entering"][column] = scaled(waiting[name][field], 1e4)
        self._keep(list(alone.values()))

    def _keep(self, tables: list[Table]) -> None:
        for table in in_order(tables):
            del table["at"]
            self.rows.add(table)

    def _watch_for_a_hang(self, new: dict[str, Table], reached: int) -> None:
        """Remember the last safepoint that was begun, until a line proves that it was reached."""
        for name in self.counts.keys() & new.keys():
            self.counts[name] += len(new[name]["at"])
        signs = ("safepoint", "stopped", "statistics", "cleanup", "entering")
        reached = max([reached, *(int(new[name]["at"][-1]) for name in signs if name in new)])
        if self.unreached and reached > self.unreached[0]:
            self.unreached = None
        if reached >= 0:
            self.silent = 0
        if "timeout" in new:  # the JVM prints one for a safepoint
            self.silent += int((new["timeout"]["at"] > reached).sum())
        begun = {"initiated": 0.0, "timeout": self.timeout_delay_s}  # the second without the debug level
        for name, late_s in begun.items():
            if name in new and new[name]["at"][-1] > reached and self.unreached is None:
                last = rows_of(new[name], slice(-1, None))
                late = np.timedelta64(int(late_s * 1000), "ms")
                self.unreached = int(last["at"][0]), float(last["uptime_s"][0]) - late_s, last["time"][0] - late

    def frame(self, columns: Mapping[str, str]) -> pd.DataFrame:
        self.next_file("")
        self._keep([blank(np.zeros(0, np.int64), {})])  # so that a log without rows has its columns, too
        table = without_twins(self.rows.table())
        operations = table.pop("operation"), {"operation": [*self.names.texts, ""]}
        frame = framed(table, [operations, (table.pop("kind"), {"kind": KINDS})], columns)
        form_of_attr = {"initiated": "initiated", "timeouts": "timeout", "application_times": "application"}
        frame.attrs |= {name: self.counts[form] for name, form in form_of_attr.items()}
        logs_stops = self.counts["initiated"] or self.silent < 2  # else those before were reached, without a line
        if self.unreached and logs_stops:
            _, begun_s, time = self.unreached
            if np.isnan(begun_s) and not np.isnat(time):  # a log with times of day alone: since its first stop began
                begins = frame["time"] - pd.to_timedelta(frame["total_ms"].fillna(0), unit="ms")
                begun_s = (pd.Timestamp(time) - begins.min()).total_seconds() if len(frame) else 0.0
            if not np.isnan(begun_s):
                frame.attrs["begun_s"] = begun_s
        return frame


def blank(at: Array, columns: dict[str, Array]) -> Table:
    """Rows with these columns; all others are missing."""
    size = len(at)
    table: Table = {"at": at} | dict.fromkeys(FLOATS, missing(size))
    table |= dict.fromkeys(WHOLES, np.broadcast_to(np.int32(-1), size))
    table |= dict.fromkeys(("kind", "origin"), np.broadcast_to(np.int8(0), size))
    table["time"] = np.broadcast_to(np.datetime64("NaT", "ms"), size)
    table["nanotime_ns"] = np.broadcast_to(np.int64(-1), size)
    return table | {name: narrow(values) if name in WHOLES else values for name, values in columns.items()}


def reaching_with_cleanup(ends: Table, statistics: Table) -> Array:
    """Where "Reaching safepoint" counts the cleanup in, as the statistics of the same safepoint tell.

    So on 13 to 19 and 17's first updates: JDK-8297154. Without the statistics nothing tells, and ttsp_ms is too long.
    """
    apart: Array = (ends["cleanup"] < 0) & (statistics["ttsp"] + statistics["cleanup"] == ends["ttsp"])
    return apart


def safepoint_rows(ends: Table, statistics: Table, initiated: Table) -> Table:
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


def statistics_rows(table: Table) -> Table:
    """13 and later, without the "Safepoint" line: the operation's time includes leaving."""
    names = {"ttsp": "ttsp_ms", "cleanup": "cleanup_ms", "vmop": "operation_ms", "total": "total_ms"}
    times = {column: scaled(table[field], 1e6) for field, column in names.items()}
    counts = {"threads_running": table["running"], "threads_total": table["threads"], "page_trap_count": table["traps"]}
    return blank(table["at"], _stamps(table, times["total_ms"]) | times | counts | {"operation": table["operation"]})


def stopped_rows(ends: Table, table: Table, entering: Table, cleanup: Table, since: Table, initiated: Table) -> Table:
    """8 to 12: "Total time", with what the lines before it hold on the same safepoint."""
    total, reaching = scaled(ends["total"], 1e4), scaled(ends["ttsp"], 1e4)
    stamps = _stamps(ends, total)
    rows = blank(ends["at"], stamps | _table_columns(table) | {"total_ms": total})
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


def table_rows(table: Table) -> Table:
    """8: a row of PrintSafepointStatistics by itself. Its stamp is the safepoint's begin."""
    origin = np.full(len(table["at"]), FROM_TABLE, np.int8)
    return blank(table["at"], _table_columns(table) | {"uptime_s": scaled(table["stamp"], 1e3), "origin": origin})


def entering_rows(table: Table) -> Table:
    """9 to 12: a safepoint that this log never leaves: the one in which the VM exits, or the end of a cut file."""
    return blank(table["at"], _stamps(table, missing(len(table["at"]))) | {"operation": table["operation"]})


def handshake_rows(table: Table) -> Table:
    """A handshake; `total_ms` runs until its last thread was done."""
    total, kind = scaled(table["total"], 1e6), np.full(len(table["at"]), KINDS.index("handshake"), np.int8)
    values = {"kind": kind, "operation": table["operation"], "total_ms": total, "targeted_threads": table["targeted"]}
    by_others = np.where(table["by_targeted"] < 0, -1, table["targeted"] - table["by_targeted"])  # 11
    values |= {"executed_by_requester": first_known(table["by_requester"], by_others)}
    return blank(table["at"], _stamps(table, total) | values)


ALONE = {"statistics": statistics_rows, "table": table_rows, "entering": entering_rows}


def _table_columns(table: Table) -> Table:
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
