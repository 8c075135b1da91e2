"""A collector's log, text by text -> by how much each young collection made the old generation larger, in MiB.

    growth = Growth()
    growth.add(text)              any number of times
    growth.of(frame)              the column promoted_mib for a frame of read.gc

What is known: from 9 on by the old generation's own line, which G1 gives in whole regions; on 8 by subtraction, since a
line there has the young generation and the whole heap. Mixed collections (G1) free old regions as well, so that the
difference would be neither the one nor the other: NA, as for full collections, ZGC and Shenandoah.
"""

import re
from collections import defaultdict
from typing import Any

import pandas as pd

# Serial, Parallel and CMS from 9 on; the size of the generation stands in brackets from 13 on
#   GC(1) Tenured: 450K(174784K)->61670K(174784K)
#   GC(2) ParOldGen: 492K->55476K(175104K)
OLD = re.compile(r"GC\((\d+)\) (?:Tenured|ParOldGen|CMS): (\d+)K(?:\(\d+K\))?->(\d+)K\(")

# G1 from 9 on. A region's size stands at the log's beginning
#   Heap Region Size: 1M
#   GC(1) Old regions: 2->13
REGIONS = re.compile(r"GC\((\d+)\) Old regions: (\d+)->(\d+)")
REGION_SIZE = re.compile(r"Heap [Rr]egion [Ss]ize: (\d+)M")

# 8 without G1. Where a second bracket follows, the old generation was collected, too
#   0.088: [GC (Allocation Failure) 0.088: [DefNew: 69952K->8703K(78656K), 0.0563037 secs] 70233K->68833K(253440K), ...
#   0.113: [GC (Allocation Failure) [PSYoungGen: 65536K->10752K(76288K)] 65817K->66081K(251392K), 0.1231744 secs]
YOUNG_8 = re.compile(r"\[(?:DefNew|ParNew|PSYoungGen): (\d+)K->(\d+)K\([^\[\]\n]*\] (\d+)K->(\d+)K\(")

# 8 with G1
#   [Eden: 12.0M(12.0M)->0.0B(10.0M) Survivors: 0.0B->2048.0K Heap: 12.3M(256.0M)->12.3M(256.0M)]
SIZE = r"(\d+\.\d)([BKMG])"
EDEN_8 = re.compile(
    rf"\[Eden: {SIZE}\([^)]*\)->{SIZE}\([^)]*\) Survivors: {SIZE}->{SIZE} Heap: {SIZE}\([^)]*\)->{SIZE}\("
)
MIB = {"B": 1 / 1024**2, "K": 1 / 1024, "M": 1.0, "G": 1024.0}


class Growth:
    """How the old generation grew: by collection number from 9 on, on 8 by the heap's size before and after."""

    def __init__(self) -> None:
        self.region_mib = 1
        self.by_id: dict[int, float] = {}
        self.by_size: dict[tuple[float, float], list[float]] = defaultdict(list)

    def add(self, text: str) -> None:
        """Take what this part of the log tells."""
        if size := REGION_SIZE.search(text):
            self.region_mib = int(size[1])
        for gc_id, before, after in OLD.findall(text):
            self.by_id[int(gc_id)] = (int(after) - int(before)) / 1024
        for gc_id, before, after in REGIONS.findall(text):
            self.by_id[int(gc_id)] = float((int(after) - int(before)) * self.region_mib)
        if " secs]" in text:
            self._add_8(text)

    def _add_8(self, text: str) -> None:
        for line in YOUNG_8.findall(text):
            young_before, young_after, before, after = (int(size) / 1024 for size in line)
            self.by_size[_key(before, after)].append(after - young_after - (before - young_before))
        for line in EDEN_8.findall(text):
            sizes = [float(size) * MIB[unit] for size, unit in zip(line[::2], line[1::2], strict=True)]
            eden, eden_after, survivors, survivors_after, before, after = sizes
            grown = (after - eden_after - survivors_after) - (before - eden - survivors)
            self.by_size[_key(before, after)].append(grown)

    def of(self, frame: pd.DataFrame) -> "pd.Series[float]":
        """The growth that belongs to each row; NA where the row is no young collection, or the log does not tell."""
        young = frame["kind"] == "young"
        grown = frame["gc_id"].map(self.by_id).astype("float64").where(young)
        if self.by_size:
            rows = frame.loc[young, ["before_mib", "after_mib"]].itertuples()
            grown = grown.fillna(pd.Series({row.Index: self._next(row) for row in rows}, dtype="float64"))
        return grown.clip(lower=0)

    def _next(self, row: Any) -> float:
        same = self.by_size.get(_key(row.before_mib, row.after_mib))  # in the order of the log, should it happen twice
        return same.pop(0) if same else float("nan")


def _key(before: float, after: float) -> tuple[float, float]:
    """Sizes as both readers of one line find them, but for the last digits."""
    return round(before, 3), round(after, 3)
