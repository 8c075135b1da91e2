"""Sizes in a collector's log -> MiB before and after, and by how much a collection enlarged the old generation.

From 9 on the old generation's own line has that growth, `promoted_mib`; of G1 in whole regions. On 8 it is a
subtraction, since a line has the young generation and the whole heap. The reader keeps it for young collections only:
mixed and full ones also free old objects, so their difference is neither the promoted nor the freed part.
"""

import re
from collections.abc import Mapping
from itertools import pairwise

import numpy as np

from safepointlab.logs.gc.forms import PART
from safepointlab.logs.lines.columns import Names, whole
from safepointlab.logs.lines.records import Array, Table, rows_of, stacked

YOUNG_8 = ("DefNew", "ParNew", "PSYoungGen")

# G1, at the log's beginning
#   Heap Region Size: 1M
REGION_SIZE = re.compile(r"Heap [Rr]egion [Ss]ize: (\d{1,9})M")


def region_mib(text: str) -> int:
    """The size of G1's regions, from the log's beginning."""
    match = REGION_SIZE.search(text)
    return int(match[1]) if match else 1


def promoted(pauses: Table | None, before: Table | None, lines: Table | None, region: int) -> Table | None:
    """Add `promoted_mib` to the pauses of 9 and later; return the last of the lines, for the next block."""
    grown = stacked([table for table in (before, lines) if table]) if before or lines else None
    if grown is None:
        return None
    if pauses is not None:
        pauses["promoted_mib"] = _growth_before(pauses, grown, region)
    return rows_of(grown, slice(-1, None))


def _growth_before(pauses: Table, grown: Table, region: int) -> Array:
    place = np.searchsorted(grown["at"], pauses["at"]) - 1
    change = (grown["after"] - grown["before"]) * np.where(grown["unit"] < 0, region, 1 / 1024)  # regions have no unit
    fits = (place >= 0) & (grown["gc_id"][place] == pauses["gc_id"])
    return np.where(fits, np.maximum(change[place], 0), np.nan)


def generations_of_8(table: Table, names: Names) -> Table:
    """The generations' names for collections of 8, and the growth where only the young one was collected."""
    if not any(table["inner"]):  # -XX:+PrintGC
        return {}
    inner = "\n".join(table["inner"])
    parts = PART.split(inner)  # by turns what precedes, a generation's name, before, after
    row = np.cumsum([gap.count("\n") for gap in parts[:-1:4]], dtype=np.int64)  # the line that each generation is in
    begin = np.searchsorted(row, np.arange(len(table["inner"]) + 1))
    generations = parts[1::4]
    details = [", ".join(generations[start:end]) for start, end in pairwise(begin.tolist())]
    grown = _freed_by_young(row, np.diff(begin), parts) - (table["before"] - table["after"])
    what = _young_in_remark(table, names) if "[GC (" in inner else table["what"]
    return {"what": what, "detail": names.codes(details), "promoted_mib": np.maximum(grown, 0)}


def _freed_by_young(row: Array, times: Array, parts: list[str]) -> Array:
    """What the young collection of a line freed in its generation, in MiB; NaN where there is another, or none."""
    young = (times[row] == 1) & np.fromiter(map(YOUNG_8.__contains__, parts[1::4]), np.bool_, len(row))
    freed = np.full(len(times), np.nan)
    freed[row[young]] = (whole(parts[2::4]) - whole(parts[3::4]))[young] / 1024
    return freed


def _young_in_remark(table: Table, names: Names) -> Array:
    """The names; of a remark that was interrupted by a young collection, whose numbers these are, a young one's."""
    inside = np.array(["[GC (" in inner for inner in table["inner"]], bool)
    return np.where(inside, names.codes(["Young (CMS Final Remark)"])[0], table["what"])


def stamp_of_remark(remarks: Table | None, collections: Table) -> None:
    """Let a remark with a young collection in it begin where that began: its own line's stamp is of its second part."""
    if remarks is None:
        return
    place = np.searchsorted(collections["at"], remarks["at"]) - 1
    for stamp in ("uptime_s", "time", "nanotime_ns"):
        remarks[stamp] = np.where(place >= 0, collections[stamp][place], remarks[stamp])


def heap_of_g1(pauses: Mapping[str, Table], heaps: Table) -> None:
    """Add the heap to the pauses of 8's G1, which has it in a line of its own below the pause."""
    starts = np.sort(np.concatenate([table["at"] for table in pauses.values()])) if pauses else np.zeros(0, np.int64)
    old_after = heaps["after"] - heaps["eden_after"] - heaps["survivors_after"]
    old_before = heaps["before"] - heaps["eden"] - heaps["survivors"]
    heaps["promoted_mib"] = np.maximum(old_after - old_before, 0)
    for table in pauses.values():
        place = np.searchsorted(heaps["at"], table["at"])
        after = np.minimum(place, len(heaps["at"]) - 1)
        following = np.append(starts, np.iinfo(np.int64).max)[np.searchsorted(starts, table["at"]) + 1]
        fits = (place < len(heaps["at"])) & (heaps["at"][after] < following)
        for column in ("before", "after", "heap", "promoted_mib"):
            table[column] = np.where(fits, heaps[column][after], table.get(column, np.nan))
