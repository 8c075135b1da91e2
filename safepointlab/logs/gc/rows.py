"""Tables of a collector's lines, one per form -> rows of the frame.

`promoted_mib`, by how much a collection enlarged the old generation: from 9 on the old generation's own line has that
growth; of G1 in whole regions. On 8 it is a subtraction, since a line has the young generation and the whole heap. It
is kept for young collections only: mixed and full ones also free old objects, so their difference is neither the
promoted nor the freed part.
"""

import re
from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd

from safepointlab.logs.gc import forms
from safepointlab.logs.gc.generations import Generations
from safepointlab.logs.gc.names import GENERATIONS, Meaning, collector_of, find_collector, meaning
from safepointlab.logs.lines.columns import Array, Names, missing, narrow, repeats, scaled
from safepointlab.logs.lines.records import Extractor, Form, Lines, Table, in_order, rows_of, stacked
from safepointlab.logs.lines.stamps import Clock
from safepointlab.logs.lines.store import Store
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
MOVERS_8 = ("pause_8", "collection")  # those of G1 have their heap in a line below
BESIDE: dict[str, Form] = {"heap_8": forms.HEAP_8}  # lines that only add something to a row
ALL = [*UNIFIED, *OF_8]
LENGTH_UNIT = {"pause": 1e3, "cycle": 1e0, "concurrent": 1e3, "stall": 1e3}  # of the last place to ms; 8: 0.1 us
GENERATION = {"y": ("young", "minor"), "Y": ("young", "major"), "O": ("old", "major")}
CYCLES = {"Minor": "minor", "Major": "major", "Garbage": "cycle"}
NAMED = ("kind", "cause", "detail", "collector", "thread", "generation", "cycle")

# A JVM's first line
#   [0.010s][info][gc] Using G1
STARTED = re.compile(r"\] (Using (?:G1|Serial|Parallel|Concurrent Mark Sweep|The Z|Shenandoah)[ \w]*)$", re.MULTILINE)

# As a pause's line ends, with the heap:      61M->34M(64M) 5.101ms
END_OF_PAUSE = re.compile(r"->\d{1,12}[BKMG]\(\d{1,12}[BKMG]\) \d{1,9}[.,]\d{3}ms")

# G1, at the log's beginning
#   Heap Region Size: 1M
REGION_SIZE = re.compile(r"Heap [Rr]egion [Ss]ize: (\d{1,9})M")


class Ledger:
    """Takes a log block by block and hands the frame back at the end."""

    def __init__(self) -> None:
        self.names, self.words, self.clock = Names(), Names(), Clock()
        self.generations = Generations(self.names)
        self.extractors = {name: self._extractor(form) for name, form in (UNIFIED | OF_8 | BESIDE).items()}
        self.rows = Store()
        self.places: dict[tuple[int, ...], int] = {}  # the codes of a line's names -> the place of their meaning
        self.meanings: list[Array] = []
        self.waiting: dict[str, Table] = {}
        self.seen_heap_of_8 = False
        self.started = set[str]()  # the collectors that JVMs said they use
        self.next_file("")

    def _extractor(self, form: Form) -> Extractor:
        return Extractor(form, self.names, self.clock)

    def next_file(self, text: str, continues: bool = False) -> None:
        """Start a file; its beginning names the collector, and the size of G1's regions, unless it continues a log."""
        if not continues:
            self._keep(self.waiting)
            self.waiting = {}
        elif not find_collector(text):
            return
        before_rows, region = text.partition(" GC(")[0], REGION_SIZE.search(text)
        self.collector = find_collector(before_rows) or ("" if STARTED.search(text) else find_collector(text))
        self.region_mib = int(region[1]) if region else 1
        has_its_lines = self.collector in (*forms.OLD_GENERATION, "")
        self.old_generation = self._extractor(forms.old_generation(self.collector)) if has_its_lines else None
        self.last_growth: Table | None = None

    def add(self, lines: Lines) -> None:
        of_8 = " secs]" in lines.text or lines.block.cut
        tables = self._tables(OF_8 | BESIDE, lines) if of_8 else {}
        lines_of_starts = STARTED.findall(lines.block.text) if "] Using " in lines.rest else []
        collectors = {line: find_collector(line) for line in set(lines_of_starts)}
        self.started |= set(collectors.values())
        if set(collectors.values()) - {self.collector}:
            self.collector = ""  # of JVMs with different collectors only a row itself tells which it was
        if "GC(" in lines.rest or " Stall (" in lines.rest:  # saves searching for each form's marks
            has_phases = self.collector in ("Shenandoah", "")  # others' phases have names of another kind
            tables |= self._tables([name for name in UNIFIED if has_phases or name != "concurrent"], lines)
            if self.old_generation:
                self._add_promotion(tables.get("pause"), self.old_generation.table(lines))
            self._count_torn(tables, lines)
        if "collection" in tables and not self._add_generations(tables["collection"], lines):
            del tables["collection"]
        self._keep(self._with_heap_below(tables) if of_8 or self.waiting else tables)
        self.collector = collectors[lines_of_starts[-1]] if collectors else self.collector

    def _tables(self, names: Iterable[str], lines: Lines) -> dict[str, Table]:
        return {name: table for name in names if (table := self.extractors[name].table(lines)) is not None}

    def _count_torn(self, tables: dict[str, Table], lines: Lines) -> None:
        """Count the lines that end as those of a pause do, and do not begin so."""
        whole = [table["at"][~np.isnan(table["heap"])] - lines.first for table in tables.values() if "heap" in table]
        rows = sum(map(len, whole))
        if lines.text.count(">") <= rows:  # a single letter is counted far faster than the pattern
            return
        ends = [*map(re.Match.start, END_OF_PAUSE.finditer(lines.text))]
        if len(ends) <= rows:
            return
        known, line_end = set(np.concatenate([[-1], *whole]).tolist()), -1
        for end in ends:
            if end < line_end:
                continue
            place, line_end = lines.text.rfind("\n", 0, end) + 1, lines.text.find("\n", end)
            if place not in known:
                lines.damaged(place)

    def _add_generations(self, table: Table, lines: Lines) -> bool:
        """Add `detail` and `promoted_mib` to 8's collections; return whether a row is left.

        Lines with two collections are damaged, unless CMS collected in its remark, and are taken out.
        """
        inner, size = table.pop("inner"), len(table["at"])
        table |= {"detail": np.broadcast_to(np.int64(-1), size), "promoted_mib": missing(size)}
        if not repeats(inner):  # -XX:+PrintGCDetails
            found = self.generations.table(inner.tolist())
            grown = found["freed_mib"] - (table["before"] - table["after"])
            table |= {"detail": found["detail"], "promoted_mib": np.maximum(grown, 0), "what": np.array(table["what"])}
            for row in np.flatnonzero(found["is_mixed"]):
                if "CMS Final Remark" not in self.names.text(table["what"][row]):
                    lines.damaged(int(table["at"][row]) - lines.first)
                elif "[GC (" in inner[row]:  # its line has the numbers of the young collection
                    table["what"][row] = self.names.codes(["Young (CMS Final Remark)"])[0]
        if damaged := [place + lines.first for place in lines.told]:
            table |= rows_of(table, ~np.isin(table["at"], damaged))
        return len(table["at"]) > 0

    def _with_heap_below(self, tables: dict[str, Table]) -> dict[str, Table]:
        """8's G1 has the heap some 30 lines below a pause: the block's last pause waits until that line has come."""
        for name, table in self.waiting.items():
            tables[name] = stacked([table, tables[name]] if name in tables else [table])
        ends = {name: int(tables[name]["at"][-1]) for name in MOVERS_8 if name in tables}
        last, heaps = max(ends, key=ends.__getitem__, default=""), tables.get("heap_8")
        self.seen_heap_of_8 |= heaps is not None
        if last and self.collector in ("G1", "") and (heaps is None or heaps["at"][-1] < ends[last]):
            pauses = tables[last]
            if self.seen_heap_of_8 or np.isnan(pauses["heap"][-1]):
                tables[last] = rows_of(pauses, slice(-1))
                self.waiting = {last: rows_of(pauses, slice(-1, None))}
                return {name: table for name, table in tables.items() if len(table["at"])}
        self.waiting = {}
        return tables

    def _keep(self, tables: dict[str, Table]) -> None:
        if "collection" in tables:
            collections = tables["collection"]
            if "remark_8" in tables:  # its own line's stamp is of its second part: it began where its collection did
                remarks = tables["remark_8"]
                place = np.searchsorted(collections["at"], remarks["at"]) - 1
                for stamp in ("uptime_s", "time", "nanotime_ns"):
                    remarks[stamp] = np.where(place >= 0, collections[stamp][place], remarks[stamp])
        if "heap_8" in tables:
            movers = [tables[name] for name in MOVERS_8 if name in tables]
            add_heap_of_g1(movers, tables.pop("heap_8"))
        if "cycle" in tables:  # not a generation's part of it
            tables["cycle"] = rows_of(tables["cycle"], tables["cycle"]["what"] >= 0)
        for table in in_order([self._row(name, table) for name, table in tables.items() if len(table["at"])]):
            del table["at"]
            self.rows.add(table)

    def _add_promotion(self, pauses: Table | None, lines: Table | None) -> None:
        """Add `promoted_mib` to the pauses of 9 and later, from the last line on the old generation before each."""
        known = [table for table in (self.last_growth, lines) if table]
        if not known:
            return
        growth = stacked(known)
        if pauses is not None:
            place = np.searchsorted(growth["at"], pauses["at"]) - 1
            unit = np.where(growth["unit"] < 0, self.region_mib, 1 / 1024)  # regions have no unit
            change = (growth["after"] - growth["before"]) * unit
            fits = (place >= 0) & (growth["gc_id"][place] == pauses["gc_id"])
            pauses["promoted_mib"] = np.where(fits, np.maximum(change[place], 0), np.nan)
        self.last_growth = rows_of(growth, slice(-1, None))

    def _row(self, name: str, table: Table) -> Table:
        size = len(table["at"])
        length, nothing = scaled(table["length"], LENGTH_UNIT.get(name, 1e4)), missing(size)
        is_pause = name not in ("cycle", "concurrent")
        row: Table = {stamp: table[stamp] for stamp in ("at", "uptime_s", "time", "nanotime_ns")}
        row["gc_id"] = narrow(table.get("gc_id", np.broadcast_to(np.int64(-1), size)))
        row["pause_ms"], row["duration_ms"] = (length, nothing) if is_pause else (nothing, length)
        row |= {f"{column}_mib": table.get(column, nothing) for column in ("before", "after", "heap")}
        row["meaning"] = self._meanings(name, table, size)
        promoted = table.get("promoted_mib", nothing)
        if not repeats(promoted):
            young = self.words.numbers.get("young", -1)
            is_young = np.array(self.meanings)[row["meaning"], NAMED.index("kind")] == young
            promoted = np.where(is_young, promoted, np.nan)
        return row | {"promoted_mib": promoted}

    def _meanings(self, name: str, table: Table, size: int) -> Array:
        """For each row the place of its kind, cause and so on in `self.meanings`; each combination is parsed once."""
        parts = [part for part in ("what", "detail", "letter", "cause", "thread") if part in table]
        number, first = np.zeros(size, np.int64), np.zeros(1, np.int64)
        for part in (part for part in parts if not repeats(table[part])):
            number, first = numbered(number * (len(self.names.numbers) + 1) + table[part] + 1)
        collector, places = int(self.names.codes([self.collector])[0]), list[int]()
        for row in first:
            codes = {"collector": collector} | {part: int(table[part][row]) for part in parts}
            key = (ALL.index(name), *codes.values())
            if key not in self.places:
                columns = _columns_of(name, **{part: self.names.text(code) for part, code in codes.items()})
                self.places[key] = len(self.meanings)
                self.meanings.append(self.words.codes([columns[column] for column in NAMED]))
            places.append(self.places[key])
        return np.array(places, np.int16 if len(self.meanings) < 1 << 15 else np.int32)[number]

    def frame(self, columns: Mapping[str, str]) -> pd.DataFrame:
        self._keep(self.waiting)
        if not self.rows.size:
            return pd.DataFrame({name: pd.Series(dtype=dtype) for name, dtype in columns.items()})
        table = self.rows.table()
        texts = list(zip(*([self.words.text(code) for code in codes] for codes in self.meanings), strict=True))
        place = NAMED.index("collector")
        named = set(texts[place]) - {""}
        if len(named) == 1 and self.started <= named:  # where neither the beginning nor the row says it, other rows do
            texts[place] = tuple(named) * len(self.meanings)
        return framed(table, [(table.pop("meaning"), dict(zip(NAMED, texts, strict=True)))], columns)


def add_heap_of_g1(pauses: list[Table], heaps: Table) -> None:
    """Add the heap to the pauses of 8's G1, which has it in a line of its own below the pause."""
    starts = np.sort(np.concatenate([table["at"] for table in pauses])) if pauses else np.zeros(0, np.int64)
    old_after = heaps["after"] - heaps["eden_after"] - heaps["survivors_after"]
    old_before = heaps["before"] - heaps["eden"] - heaps["survivors"]
    heaps["promoted_mib"] = np.maximum(old_after - old_before, 0)
    for table in pauses:
        place = np.searchsorted(heaps["at"], table["at"])
        after = np.minimum(place, len(heaps["at"]) - 1)
        following = np.append(starts, np.iinfo(np.int64).max)[np.searchsorted(starts, table["at"]) + 1]
        fits = (place < len(heaps["at"])) & (heaps["at"][after] < following)
        for column in ("before", "after", "heap", "promoted_mib"):
            table[column] = np.where(fits, heaps[column][after], table.get(column, np.nan))


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
    row["collector"] = collector_of(parsed.kind, parsed.cause, details) or collector
    return row | {"generation": generation, "cycle": cycle}
