"""The safepoint log's lines, form by form -> one row a stop: the lines that tell about the same stop are joined here.

All is done on arrays, block by block; `at` is where a line begins. A line that ends a stop ("Safepoint ..." or "Total
time ...") takes up the last line of each other form since the stop before. What stands behind the last end waits for
the next block.
"""

import numpy as np
import pandas as pd

from safepointlab.read.lines.columns import Names, scaled
from safepointlab.read.lines.records import Extractor, Form, Lines, Table, in_order, rows_of, stacked
from safepointlab.read.lines.stamps import Clock
from safepointlab.read.lines.store import Coded, Store
from safepointlab.read.lines.store import frame as framed
from safepointlab.read.safepoint import forms as forms
from safepointlab.read.safepoint import rows as rows
from safepointlab.read.safepoint.batch import same_stop, without_twins

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

    def __init__(self) -> None:
        self.names, clock = Names(), Clock()
        self.extractors = {name: Extractor(form, self.names, clock) for name, form in FORMS.items()}
        self.seen: set[str] = set()
        self.waiting: dict[str, Table] = {}
        self.ended = dict.fromkeys(ENDS, -1)
        self.rows = Store()
        self.begun: tuple[int, float] | None = None
        self.counts = {"initiated": 0, "timeout": 0, "application": 0}

    def add(self, lines: Lines) -> None:
        """The next block."""
        new = self._extracted(lines)
        self._watch_for_a_hang(new, lines.last(forms.REACHED))
        found = new | {name: stacked([old, new[name]] if name in new else [old]) for name, old in self.waiting.items()}
        self.waiting = {}
        complete = self._completed(found)
        self._keep([*complete, *self._left_over(found)])

    def _extracted(self, lines: Lines) -> dict[str, Table]:
        new: dict[str, Table] = {}
        for name, extractor in self.extractors.items():
            if name in ("cleanup", "application") and not {"stopped", "entering"} & {*new, *self.seen}:
                continue  # a log of 13 or later: its safepoint line says it too
            if (table := extractor.table(lines)) is not None:
                new[name] = table
        self.seen.update(new)
        return new

    def _completed(self, found: dict[str, Table]) -> list[Table]:
        complete = [rows.of_handshake(found["handshake"])] if "handshake" in found else []
        if "safepoint" in found:
            partners = [self._partner(found, name, "safepoint") for name in ("statistics", "initiated")]
            complete.append(rows.of_safepoint(found["safepoint"], *partners))
        if "stopped" in found:
            names = ("table", "entering", "cleanup", "application", "initiated")
            partners = [self._partner(found, name, "stopped") for name in names]
            complete.append(rows.of_stopped(found["stopped"], *partners))
        return complete

    def _partner(self, found: dict[str, Table], name: str, end: str) -> Table:
        """Of each end the last line of that form since the end before; -1 in all fields where there is none."""
        if name not in found:
            return {}
        table, ends = found[name], found[end]
        place = np.searchsorted(table["at"], ends["at"]) - 1
        chosen = rows_of(table, place)
        fits = (place >= 0) & (chosen["at"] > np.concatenate([[self.ended[end]], ends["at"][:-1]]))
        if name == "statistics":
            fits &= (chosen["ttsp"] == ends["ttsp"]) & (chosen["total"] == ends["total"])
        elif name == "table":
            fits &= same_stop(chosen, ends)
        table["used"] = np.zeros(len(table["at"]), bool)
        table["used"][place[fits]] = True
        return {field: np.where(fits, column, -1) for field, column in chosen.items() if column.dtype.kind == "i"}

    def _left_over(self, found: dict[str, Table]) -> list[Table]:
        """Lines without the end of their stop: the last one may still get it, the others are rows of their own."""
        self.ended |= {end: int(found[end]["at"][-1]) for end in ENDS if end in found}
        alone = []
        for name in found.keys() & {*COMPANIONS, "initiated"}:
            table = found[name]
            free = ~table.pop("used", np.zeros(len(table["at"]), bool))
            ended = self.ended[COMPANIONS[name]] if name in COMPANIONS else max(self.ended.values())
            if free[-1] and table["at"][-1] > ended:
                self.waiting[name] = rows_of(table, slice(-1, None))
                free[-1] = False
            if name in ALONE and free.any():
                alone.append(ALONE[name](rows_of(table, free)))
        return alone

    def end_of_file(self) -> None:
        """What still waits for the end of its stop will not get it: a line in another file is none of its own."""
        left, self.waiting = self.waiting, {}
        alone = {name: make(left[name]) for name, make in ALONE.items() if name in left}
        if "entering" in alone:  # the stop in which 11's VM exits: entered, never left
            told = {"application": ("since", "time_since_last_ms"), "cleanup": ("cleanup", "cleanup_ms")}
            times = {column: scaled(left[name][field], 1e4) for name, (field, column) in told.items() if name in left}
            alone["entering"] |= times
        self._keep(list(alone.values()))

    def _keep(self, tables: list[Table]) -> None:
        for table in in_order(tables):
            del table["at"]
            self.rows.add(table)

    def _watch_for_a_hang(self, new: dict[str, Table], reached: int) -> None:
        """Remember the last safepoint that was begun, as long as nothing shows that it was reached."""
        for name in self.counts.keys() & new.keys():
            self.counts[name] += len(new[name]["at"])
        signs = ("safepoint", "stopped", "statistics", "cleanup", "entering")
        reached = max([reached, *(int(new[name]["at"][-1]) for name in signs if name in new)])
        if self.begun and reached > self.begun[0]:
            self.begun = None
        for name in ("initiated", "timeout"):  # the latter tells only that it was begun earlier, for want of the former
            if name in new and new[name]["at"][-1] > reached and self.begun is None:
                self.begun = int(new[name]["at"][-1]), float(new[name]["uptime_s"][-1])

    def frame(self, columns: dict[str, str]) -> pd.DataFrame:
        """All rows, in the order of the log."""
        self.end_of_file()
        self._keep([rows.blank(np.zeros(0, np.int64), {})])  # so that there are columns even if there are no rows
        table = without_twins(self.rows.table())
        texts = {"operation": self.names.texts(), "kind": rows.KINDS}
        frame = framed(table, {name: Coded(table.pop(name), texts[name]) for name in texts}, columns)
        told = {"initiated": "initiated", "timeouts": "timeout", "application_times": "application"}
        frame.attrs |= {name: self.counts[form] for name, form in told.items()}
        if self.begun and not np.isnan(self.begun[1]):
            frame.attrs["begun_s"] = self.begun[1]
        return frame
