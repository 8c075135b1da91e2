"""The collector's lines, form by form -> rows of the frame."""

from typing import Any

import numpy as np
import pandas as pd

from safepointlab.read import gc_forms as forms
from safepointlab.read.columns import Names, integers, missing, scaled
from safepointlab.read.gc_names import GENERATIONS, Meaning, collector_of, collector_said, meaning
from safepointlab.read.records import Array, Extractor, Form, Lines, Table, in_order, rows_of, stack
from safepointlab.read.stamps import Clock

UNIFIED: dict[str, Form] = {
    "pause": forms.PAUSE,
    "cycle": forms.CYCLE,
    "concurrent": forms.CONCURRENT,
    "stall": forms.STALL,
}
OF_8: dict[str, Form] = {
    "collection": forms.COLLECTION_8,
    "phase_8": forms.PHASE_8,
    "pause_8": forms.PAUSE_8,
    "heap_8": forms.HEAP_8,
}
MIB = {"B": 1 / 1024**2, "K": 1 / 1024, "M": 1.0, "G": 1024.0}
GENERATION = {"y": ("young", "minor"), "Y": ("young", "major"), "O": ("old", "major")}
CYCLES = {"Minor": "minor", "Major": "major", "Garbage": "cycle"}


class Ledger:
    """Takes a log block by block and hands the frame back at the end."""

    def __init__(self) -> None:
        self.names, clock = Names(), Clock()
        self.extractors = {name: Extractor(form, self.names, clock) for name, form in (UNIFIED | OF_8).items()}
        self.rows: list[Table] = []
        self.collector = ""

    def next_file(self, text: str) -> None:
        """The beginning of a file tells the collector of all of it."""
        self.collector = collector_said(text)

    def add(self, lines: Lines) -> None:
        """The next block."""
        old = " secs]" in lines.block.text
        names = [*UNIFIED, *(OF_8 if old else ())]
        found = {name: table for name in names if (table := self.extractors[name].table(lines)) is not None}
        heaps = found.pop("heap_8", None)
        if heaps is not None:
            self._fill_heap(found, heaps)
        for name, column in {"cycle": "what", "concurrent": "heap"}.items():  # no generation's share, none without heap
            if name in found:
                found[name] = rows_of(found[name], found[name][column] >= 0)
        self.rows += in_order([self._row(name, table) for name, table in found.items() if len(table["at"])])

    def _row(self, name: str, table: Table) -> Table:
        size, place = len(table["at"]), {"pause": 1e3, "cycle": 1e0, "concurrent": 1e3, "stall": 1e3}
        length = scaled(table["length"], place.get(name, 1e4))
        row: Table = {"at": table["at"], "gc_id": table.get("gc_id", np.broadcast_to(np.int64(-1), size))}
        row |= {stamp: table[stamp] for stamp in ("uptime_s", "time", "nanotime_ns")}
        row["begin_s"] = table["uptime_s"] if name in OF_8 else np.round(table["uptime_s"] - length / 1e3, 9)
        row["pause_ms"] = length if name in ("pause", "stall", *OF_8) else missing(size)
        row["duration_ms"] = missing(size) if name in ("pause", "stall", *OF_8) else length
        row |= {f"{column}_mib": self._mib(table, column, size) for column in ("before", "after", "heap")}
        return row | self._texts(name, table, size)

    def _mib(self, table: Table, column: str, size: int) -> Array:
        if f"{column}_mib" in table:
            return table[f"{column}_mib"]
        if column not in table:
            return missing(size)
        units = np.array([MIB.get(name, np.nan) for name in self.names.numbers], dtype=float)  # the first is ""
        return table[column] * units[table[f"{column}_unit"] + 1]

    def _texts(self, name: str, table: Table, size: int) -> Table:
        absent = np.broadcast_to(np.int32(-1), size)
        collector = np.full(size, self.names.codes([self.collector])[0])
        texts = {"what": table["what"], "collector": collector, "detail": table.get("detail", absent)}
        texts |= {name: table.get(name, absent) for name in ("letter", "cause", "thread")}
        return texts | {"form": np.full(size, [*UNIFIED, *OF_8].index(name), np.int8)}

    def _fill_heap(self, found: dict[str, Table], heaps: Table) -> None:
        """G1 of 8 tells the heap in a line of its own: it belongs to the last pause above it."""
        movers = found.keys() & {"pause_8", "collection"}
        for name in movers:
            table = found[name]
            place = np.searchsorted(heaps["at"], table["at"])
            after = np.minimum(place, len(heaps["at"]) - 1)
            starts = np.sort(np.concatenate([found[other]["at"] for other in movers]))
            following = np.append(starts, np.iinfo(np.int64).max)[np.searchsorted(starts, table["at"]) + 1]
            fits = (place < len(heaps["at"])) & (heaps["at"][after] < following)
            for column in ("before", "after", "heap"):
                precise = self._mib(heaps, column, 0)[after] / 10
                table[f"{column}_mib"] = np.where(fits, precise, self._mib(table, column, 0))

    def frame(self, columns: dict[str, str]) -> pd.DataFrame:
        """All rows, in the order of the log."""
        if not self.rows:
            return pd.DataFrame({name: pd.Series(dtype=dtype) for name, dtype in columns.items()})
        table = {name: stack([part.pop(name) for part in self.rows]) for name in list(self.rows[0])}
        table |= self._named(table)
        return pd.DataFrame({name: _column(table[name], dtype) for name, dtype in columns.items()}, copy=False)

    def _named(self, table: Table) -> dict[str, Any]:
        """Kind, cause and the like: worked out once for each different combination of names."""
        parts = ("form", "what", "detail", "letter", "cause", "collector", "thread")
        which, first = np.zeros(len(table["at"]), np.int64), np.zeros(1, np.int64)
        for part in parts:
            which, first = _numbered(which * (len(self.names.numbers) + 1) + table[part] + 1)
        names = list(self.names.numbers)
        codes = [[int(table[part][row]) for part in parts] for row in first]
        told = [self._columns_of(form, [names[code + 1] for code in rest]) for form, *rest in codes]
        return {name: np.array([row[name] or pd.NA for row in told], dtype=object)[which] for name in told[0]}

    def _columns_of(self, form: int, texts: list[str]) -> dict[str, str]:
        what, detail, letter, cause, collector, thread = texts
        name = [*UNIFIED, *OF_8][form]
        if name == "cycle":
            said = Meaning(CYCLES[what], cause)
        elif name == "stall":
            said = Meaning(f"{what.lower()} stall")
        else:
            said = meaning(what)
        generation, cycle = GENERATION.get(letter, ("", said.kind if said.kind in ("minor", "major") else ""))
        if said.detail.split(", ")[0] in GENERATIONS:
            generation = said.detail.split(", ")[0].lower()
        details = ", ".join(filter(None, [detail, said.detail]))
        collector = collector or collector_of(said.kind, said.cause, details)
        row = {"kind": said.kind, "cause": said.cause, "detail": details, "collector": collector, "thread": thread}
        return row | {"generation": generation, "cycle": cycle}


def _numbered(keys: Array) -> tuple[Array, Array]:
    """Different keys numbered from 0, and where each stands first."""
    which, different = pd.factorize(keys)
    first = np.full(len(different), len(keys))
    np.minimum.at(first, which, np.arange(len(keys)))
    return which, first


def _column(values: Any, dtype: str) -> Any:
    if dtype == "string":
        return pd.array(values, dtype="string[python]")
    return integers(values, dtype) if dtype.startswith("Int") else np.ascontiguousarray(values)
