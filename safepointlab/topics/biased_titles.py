"""The tables of notebook 06 -> the titles of its pictures: who waits, for how long, on which JDKs.

A title is None where the table shows something else: then the picture says what it sees.
"""

import pandas as pd

from safepointlab.topics import biased_lanes, marks
from safepointlab.topics.biased_lanes import LATE_MS
from safepointlab.topics.enumeration import listed

MANY = ("no flag ends", "one flag ends", "two flags end", "three flags end", "four flags end")


def seconds(table: pd.DataFrame) -> str | None:
    """Of `biased_lanes.each_second`: nobody requests a stop while the loop runs, and a forced one waits for it."""
    own, forced = table.to_dict("records")
    if len(biased_lanes.in_the_calls(own["run"])) or forced["longest_ms"] < LATE_MS:
        return None
    flag = str(forced["flags"]).replace("-XX:", "")
    asks = f"JDK {own['jdk']} requests no stop while the loop runs"
    return f"{asks}; forced to by {flag}, it waits {forced['longest_ms']:,.0f} ms"


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
    return f"With the flags of 8 JDK {again} wait again" + (f"; {without} refuse them" if without else "")


def revoked(table: pd.DataFrame) -> str:
    """Of `marks.revocations`: what the first lock by another thread costs, with a bias to take away and without."""
    medians = table.groupby(["lock", "jdk"])["other_us"].median()
    each = ", ".join(f"{_us(us)} on {jdk}" for jdk, us in medians[marks.TAKEN].items())
    plain = _us(float(medians[marks.NEVER].median()))
    return f"Taking another thread's bias costs {each}; a plain lock {plain}"


def _us(value: float) -> str:
    """
    >>> [_us(value).split() for value in (68.7, 0.649, 0.0537)]
    [['69', 'µs'], ['0.65', 'µs'], ['0.05', 'µs']]
    """
    return (f"{value:,.0f}" if value >= 10 else f"{value:.2f}") + "\N{NO-BREAK SPACE}µs"
