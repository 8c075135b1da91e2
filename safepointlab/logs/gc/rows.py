"""Tables of a collector's lines, one per form -> rows of the frame."""

import numpy as np
import pandas as pd

from safepointlab.logs.gc import forms
from safepointlab.logs.gc.heap import generations_of_8, heap_of_g1, promoted, region_mib, stamp_of_remark
from safepointlab.logs.gc.names import GENERATIONS, Meaning, collector_of, collector_said, meaning
from safepointlab.logs.lines.columns import Names, missing, scaled
from safepointlab.logs.lines.records import Array, Extractor, Form, Lines, Table, in_order, rows_of
from safepointlab.logs.lines.stamps import Clock
from safepointlab.logs.lines.store import Coded, Store, without_memory
from safepointlab.logs.lines.store import frame as framed

UNIFIED: dict[str, Form] = {
    "pause": forms.PAUSE,
    "cycle": forms.CYCLE,
    "concurrent": forms.CONCURRENT,
    "stall": forms.STALL,
}
OF_8: dict[str, Form] = {
    "collection": forms.COLLECTION_8,
    "remark_8": forms.REMARK_8,
    "phase_8": forms.PHASE_8,
    "pause_8": forms.PAUSE_8,
}
BESIDE: dict[str, Form] = {"heap_8": forms.HEAP_8}  # lines that only add something to a row
ALL = [*UNIFIED, *OF_8]
LENGTH_UNIT = {"pause": 1e3, "cycle": 1e0, "concurrent": 1e3, "stall": 1e3}  # of the last place to ms; 8: 0.1 us
GENERATION = {"y": ("young", "minor"), "Y": ("young", "major"), "O": ("old", "major")}
CYCLES = {"Minor": "minor", "Major": "major", "Garbage": "cycle"}
NAMED = ("kind", "cause", "detail", "collector", "thread", "generation", "cycle")


class Ledger:
    """Takes a log block by block and hands the frame back at the end."""

    def __init__(self) -> None:
        self.names, self.words, self.clock = Names(), Names(), Clock()
        self.extractors = {name: self._extractor(form) for name, form in (UNIFIED | OF_8 | BESIDE).items()}
        self.rows = Store()
        self.places: dict[tuple[int, ...], int] = {}  # the codes of a line's names -> the place of their meaning
        self.meanings: list[Array] = []
        self.next_file("")

    def _extractor(self, form: Form) -> Extractor:
        return Extractor(form, self.names, self.clock)

    def next_file(self, text: str) -> None:
        """Start a file; its beginning names the collector, and the size of G1's regions."""
        self.collector, self.region_mib = collector_said(text), region_mib(text)
        has_its_lines = self.collector in (*forms.OLD_GENERATION, "")
        self.old_generation = self._extractor(forms.old_generation(self.collector)) if has_its_lines else None
        self.grown: Table | None = None

    def add(self, lines: Lines) -> None:
        """The next block."""
        text = lines.block.text
        unified = "GC(" in text or " Stall (" in text  # saves searching for the others' marks
        of_8 = " secs]" in text or lines.block.cut
        names = [*(UNIFIED if unified else ()), *(OF_8 | BESIDE if of_8 else ())]
        tables = {name: table for name in names if (table := self.extractors[name].table(lines)) is not None}
        if "collection" in tables:
            tables["collection"] |= generations_of_8(tables["collection"], self.names)
            stamp_of_remark(tables.get("remark_8"), tables["collection"])
        if "heap_8" in tables:
            movers = {name: tables[name] for name in ("pause_8", "collection") if name in tables}
            heap_of_g1(movers, tables.pop("heap_8"))
        if self.old_generation and unified:
            self.grown = promoted(tables.get("pause"), self.grown, self.old_generation.table(lines), self.region_mib)
        for name, column in {"cycle": "what", "concurrent": "heap"}.items():  # no generation's share, none without heap
            if name in tables:
                tables[name] = rows_of(tables[name], tables[name][column] >= 0)  # neither -1 nor NaN
        for table in in_order([self._row(name, table) for name, table in tables.items() if len(table["at"])]):
            del table["at"]
            self.rows.add(table)

    def _row(self, name: str, table: Table) -> Table:
        size = len(table["at"])
        length = scaled(table["length"], LENGTH_UNIT.get(name, 1e4))
        is_pause = name not in ("cycle", "concurrent")
        row: Table = {stamp: table[stamp] for stamp in ("at", "uptime_s", "time", "nanotime_ns")}
        row["gc_id"] = table.get("gc_id", np.broadcast_to(np.int64(-1), size)).astype(np.int32)
        row["pause_ms"], row["duration_ms"] = (length, missing(size)) if is_pause else (missing(size), length)
        row |= {f"{column}_mib": table.get(column, missing(size)) for column in ("before", "after", "heap")}
        row["meaning"] = self._meanings(name, table, size)
        return row | {"promoted_mib": self._of_young(table.get("promoted_mib", missing(size)), row["meaning"])}

    def _meanings(self, name: str, table: Table, size: int) -> Array:
        """For each row the place of its kind, cause and so on in `self.meanings`; each combination is parsed once."""
        parts = [part for part in ("what", "detail", "letter", "cause", "thread") if part in table]
        number, first = np.zeros(size, np.int64), np.zeros(1, np.int64)
        for part in parts:
            number, first = numbered(number * (len(self.names.numbers) + 1) + table[part] + 1)
        form, collector = ALL.index(name), int(self.names.codes([self.collector])[0])
        codes = [{"collector": collector} | {part: int(table[part][row]) for part in parts} for row in first]
        places = [self._meaning(form, code) for code in codes]
        return np.array(places, np.min_scalar_type(-len(self.meanings)))[number]

    def _meaning(self, form: int, codes: dict[str, int]) -> int:
        key = (form, *codes.values())
        if key not in self.places:
            row = _columns_of(ALL[form], **{part: self.names.text(code) for part, code in codes.items()})
            self.places[key] = len(self.meanings)
            self.meanings.append(self.words.codes([row[name] for name in NAMED]))
        return self.places[key]

    def _of_young(self, values: Array, meanings: Array) -> Array:
        """The values of young collections; mixed and full ones change the old generation by more than the promotion."""
        if without_memory(values):
            return values
        young = self.words.numbers.get("young", -1)
        return np.where(np.array(self.meanings)[meanings, NAMED.index("kind")] == young, values, np.nan)

    def frame(self, columns: dict[str, str], compact: bool) -> pd.DataFrame:
        """All rows, in the order of the log."""
        if not self.rows.size:
            return pd.DataFrame({name: pd.Series(dtype=dtype) for name, dtype in columns.items()})
        table, meanings, words = self.rows.table(), np.array(self.meanings), self.words.texts()
        places = table.pop("meaning")
        coded = {name: Coded(places, words, meanings[:, place]) for place, name in enumerate(NAMED)}
        del places  # it leaves with the last column that is made of it
        return framed(table, coded, columns, compact)


def numbered(keys: Array) -> tuple[Array, Array]:
    """Each key's number, counted from 0 in the order of first appearance, and where each number appears first."""
    which, different = pd.factorize(keys)
    first = np.full(len(different), len(keys))
    np.minimum.at(first, which, np.arange(len(keys)))
    return which, first


def _columns_of(
    form: str, collector: str, what: str, detail: str = "", letter: str = "", cause: str = "", thread: str = ""
) -> dict[str, str]:
    """The columns of a row from the names in its line; empty where the line has none."""
    if form == "cycle":
        parsed = Meaning(CYCLES[what], cause)
    elif form == "stall":
        parsed = Meaning(f"{what.lower()} stall")
    else:
        parsed = meaning("GC (CMS Final Remark)" if form == "remark_8" else what)
    generation, cycle = GENERATION.get(letter, ("", parsed.kind if parsed.kind in ("minor", "major") else ""))
    if parsed.detail.split(", ")[0] in GENERATIONS:
        generation = parsed.detail.split(", ")[0].lower()
    details = ", ".join(filter(None, [detail, parsed.detail]))
    row = {"kind": parsed.kind, "cause": parsed.cause, "detail": details, "thread": thread}
    row["collector"] = collector or collector_of(parsed.kind, parsed.cause, details)
    return row | {"generation": generation, "cycle": cycle}
