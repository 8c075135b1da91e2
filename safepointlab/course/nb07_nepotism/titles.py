"""The tables of notebook 07 -> the titles of its pictures: which queue keeps its dead nodes, and how much they take.

A title is None where the table shows something else: then the picture says what it sees.
"""

import pandas as pd

from safepointlab.course.nb07_nepotism import experiments as nepotism
from safepointlab.course.nb07_nepotism.answers import TOO_MUCH_MIB

WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
NAMES = {"jctools-core": "JCTools", "agrona": "Agrona"}


def cures(table: pd.DataFrame) -> str | None:
    """Of `nepotism.cures`: what is promoted without a cure, and with the worst of the three."""
    kept, cured = _medians(table)
    if kept < TOO_MUCH_MIB or cured.max() > TOO_MUCH_MIB:
        return None
    where = "on each JDK" if table["jdk"].nunique() > 1 else f"on JDK {table['jdk'].iloc[0]}"
    rest = f"at most {cured.max():,.0f}" if cured.max() >= 0.5 else "none"
    return f"Serial: without a cure {kept:,.0f} MiB of dead nodes are promoted {where}, with any of the three {rest}"


def staying(table: pd.DataFrame) -> str | None:
    """Of `nepotism.cures` with elements that stay: which cure fails."""
    kept, cured = _medians(table)
    failing = cured[cured > TOO_MUCH_MIB]
    if len(failing) != 1:
        return None
    [(name, promoted)] = failing.items()
    return f"With an element that stays, {name} promotes {promoted:,.0f} MiB, a queue without a cure {kept:,.0f}"


def _medians(table: pd.DataFrame) -> tuple[float, "pd.Series[float]"]:
    """What is promoted, in MiB, where the links are kept, and with each cure."""
    medians = table.groupby("queue", sort=False)["promoted_mib"].median()
    return float(medians[nepotism.KEPT]), medians.drop(nepotism.KEPT)


def collectors(runs: pd.DataFrame) -> str | None:
    """Of `nepotism.by_collector`: whether it is the collectors with generations that make the program wait."""
    only = nepotism.waits_with_generations_only(runs)
    return "Collectors with generations make the program wait for dead nodes" if only else None


def libraries(table: pd.DataFrame) -> str | None:
    """Of `nepotism.libraries`: the one library whose queues keep their dead nodes."""
    keeping = table[table["promoted_mib"] > TOO_MUCH_MIB]
    if keeping["library"].nunique() != 1:
        return None
    queues, count = table["queue"].nunique(), keeping["queue"].nunique()
    name, _, version = str(keeping["library"].iloc[0]).partition(":")
    which = f"only the {WORDS[count]} of {NAMES.get(name, name)} {version}".rstrip()
    most = keeping["promoted_mib"].median()
    return f"Of {WORDS[queues]} linked queues {which} keep their dead nodes ({most:,.0f} MiB)"
