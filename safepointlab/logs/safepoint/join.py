"""Tables of a safepoint log's lines, one per form -> one row per safepoint, joined from all of its lines.

The join works on arrays, block by block; `at` is where a line begins. The line that ends a safepoint ("Safepoint ..."
or "Total time ...") is joined with the last line of each other form since the end before. Lines behind the last end
wait for the next block.
"""

import numpy as np
import pandas as pd

from safepointlab.logs.lines.columns import Names, scaled
from safepointlab.logs.lines.records import Extractor, Form, Lines, Table, in_order, rows_of, stacked
from safepointlab.logs.lines.stamps import Clock
from safepointlab.logs.lines.store import Coded, Store
from safepointlab.logs.lines.store import frame as framed
from safepointlab.logs.safepoint import forms, rows
from safepointlab.logs.safepoint.batch import same_stop, without_twins

FORMS: dict[str, Form] = {
    "safepoint": forms.SAFEPOINT,
    "stopped": forms.STOPPED,
    "statistics": forms.STATISTICS,
    "table": forms.TABLE,
    "entering": forms.ENTERING,
    "cleanup": forms.CLEANUP,
    "application": forms.APPLICATION,
    "handshake": forms.HANDSHAKE,
    "initiated": forms.INITIATED,
    "timeout": forms.TIMEOUT,
}
ENDS = ("safepoint", "stopped")
COMPANIONS = {"statistics": "safepoint"} | dict.fromkeys(("table", "entering", "cleanup", "application"), "stopped")
ALONE = {"statistics": rows.of_statistics, "table": rows.of_table, "entering": rows.of_entering}


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
        self.unreached: tuple[int, float] | None = None
        self.counts = {"initiated": 0, "timeout": 0, "application": 0}

    def add(self, lines: Lines) -> None:
        """The next block."""
        new = self._tables_of(lines)
        self._watch_for_a_hang(new, lines.last(forms.REACHED))
        tables = new | {name: stacked([old, new[name]] if name in new else [old]) for name, old in self.waiting.items()}
        self.waiting = {}
        complete = self._joined_rows(tables)
        self._keep([*complete, *self._rows_without_end(tables)])

    def _tables_of(self, lines: Lines) -> dict[str, Table]:
        new: dict[str, Table] = {}
        for name, extractor in self.extractors.items():
            if name in ("cleanup", "application") and not {"stopped", "entering"} & {*new, *self.seen}:
                continue  # a log of 13 or later: its "Safepoint" line has these times
            if (table := extractor.table(lines)) is not None:
                new[name] = table
        self.seen.update(new)
        return new

    def _joined_rows(self, tables: dict[str, Table]) -> list[Table]:
        complete = [rows.of_handshake(tables["handshake"])] if "handshake" in tables else []
        if "safepoint" in tables:
            partners = [self._partner(tables, name, "safepoint") for name in ("statistics", "initiated")]
            complete.append(rows.of_safepoint(tables["safepoint"], *partners))
        if "stopped" in tables:
            names = ("table", "entering", "cleanup", "application", "initiated")
            partners = [self._partner(tables, name, "stopped") for name in names]
            complete.append(rows.of_stopped(tables["stopped"], *partners))
        return complete

    def _partner(self, tables: dict[str, Table], name: str, end: str) -> Table:
        """For each end the last line of that form since the end before; all fields are -1 if there is none."""
        if name not in tables:
            return {}
        table, end_lines = tables[name], tables[end]
        place = np.searchsorted(table["at"], end_lines["at"]) - 1
        chosen = rows_of(table, place)
        fits = (place >= 0) & (chosen["at"] > np.concatenate([[self.last_end[end]], end_lines["at"][:-1]]))
        if name == "statistics":
            apart = rows.reaching_with_cleanup(end_lines, chosen)
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

    def end_of_file(self) -> None:
        """Make rows of the lines that still wait for their safepoint's end: no line of another file is that end."""
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
        for name, late_s in (
            ("initiated", 0.0),
            ("timeout", self.timeout_delay_s),
        ):  # the second without the debug level
            if name in new and new[name]["at"][-1] > reached and self.unreached is None:
                self.unreached = int(new[name]["at"][-1]), float(new[name]["uptime_s"][-1]) - late_s

    def frame(self, columns: dict[str, str], compact: bool) -> pd.DataFrame:
        """All rows, in the order of the log."""
        self.end_of_file()
        self._keep([rows.blank(np.zeros(0, np.int64), {})])  # so that a log without rows has its columns, too
        table = without_twins(self.rows.table())
        texts = {"operation": self.names.texts(), "kind": rows.KINDS}
        frame = framed(table, {name: Coded(table.pop(name), texts[name]) for name in texts}, columns, compact)
        form_of_attr = {"initiated": "initiated", "timeouts": "timeout", "application_times": "application"}
        frame.attrs |= {name: self.counts[form] for name, form in form_of_attr.items()}
        if self.unreached and not np.isnan(self.unreached[1]):
            frame.attrs["begun_s"] = self.unreached[1]
        return frame
