"""The tables of notebook 06 -> the titles of its pictures: who waits, for how long, on which JDKs.

A title is None where the table shows something else: then the picture says what it sees.
"""

import pandas as pd

from safepointlab.course.nb06_biased import lanes as biased_lanes
from safepointlab.course.nb06_biased.lanes import LATE_MS
from safepointlab.phrases import listed

MANY = ("no flag ends", "one flag ends", "two flags end", "three flags end", "four flags end")


def ways(table: pd.DataFrame) -> str | None:
    """Of `biased_lanes.ways_out`: how many flags end the wait, and which do not."""
    first, *others = table.to_dict("records")
    left = [row for row in others if row["longest_ms"] > LATE_MS]
    if first["longest_ms"] < LATE_MS or len(left) == len(others):
        return None
    ended = f"JDK {first['jdk']}: {MANY[len(others) - len(left)]} the wait of {first['longest_ms']:,.0f} ms"
    return "; ".join([ended, *(f"{row['name']} leaves it at {row['longest_ms']:,.0f} ms" for row in left)])


def later(table: pd.DataFrame) -> str | None:
    """Of `biased_lanes.later`: which JDKs wait again with the flags of 8, and which refuse these."""
    waits, refuses = table["switch_ms"] > LATE_MS, table["outcome"].eq("not possible")
    if not waits.any() or waits[table["flags"].eq(biased_lanes.OWN)].any():
        return None
    again, without = (listed(table.loc[rows, "jdk"].tolist()) for rows in (waits, refuses))
    waits_too = "waits" if waits.sum() == 1 else "wait"
    refusing = f"; {without} refuse{'s' * int(refuses.sum() == 1)} them" if without else ""
    return f"With the flags of 8 JDK {again} {waits_too} again{refusing}"
