"""The picture of lesson 13: what C2 made of each loop, as tiles."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from safepointlab.course.nb13_optimisation import experiments
from safepointlab.phrases import listed
from safepointlab.plot import _tiles, style
from safepointlab.plot._picture import picture

LOOKS = {
    "no loop": style.Look("no loop", "#F2F2F2"),
    "vector": style.Look("vector", "#0B3C6F"),
    "stub": style.Look("stub", "#4F9BC7"),
    "unrolled": style.Look("unrolled", "#E69F00"),
    "one by one": style.Look("one by one", "#F5E663"),
}
POLLS = {"each pass": "●", "around": "(●)"}
NOTE = "×: elements in one pass of the compiled loop · ● a poll in every pass · (●) in a loop around it"
VERBS = {  # of one loop, of several
    "no loop": ("has no loop", "have no loop"),
    "vector": ("works on vectors", "work on vectors"),
    "stub": ("calls a routine", "call a routine"),
    "unrolled": ("is unrolled", "are unrolled"),
    "one by one": ("goes one by one", "go one by one"),
}


@picture("lab.jmh, with log='assembly=...'", "jdk", "gc", "flags", "method", "run")
def loop_work(frame: pd.DataFrame, ax: Axes | None = None, title: str | None = None) -> Axes:
    """Draw one tile per loop and JDK, or, of a single JDK, per loop and index; of several runs the slowest kind.

    The machine code of the runs is read. A dot is a poll in every pass, a dot in brackets one in a loop around it.
    """
    work = experiments.work(frame).dropna(subset="loop")
    rows, columns = ("loop", "index") if work["jdk"].nunique() == 1 else ("method", "jdk")
    cells = _tiles.matrix(work, rows, columns, work["work"])
    down, across = max(cells["row"].nunique(), 2), max(cells["column"].nunique(), 4)
    ax = style.canvas(ax, 1.9 + 1.5 * across, 1.4 + 0.62 * down)
    if cells.empty:
        return style.empty(ax, title or "No loop was looked at")
    _tiles.draw(ax, cells, LOOKS, _detail)
    style.note(ax, NOTE)
    style.finding(ax, title or _finding(work))
    return ax


def _detail(_word: str, same: pd.DataFrame) -> str:
    """How many elements at once; in the line below the range checks and polls on the way: " ×4", "8 checks (●)"."""
    row: Any = same.iloc[0]
    factor = f" ×{row['per_pass']}" if pd.notna(row["per_pass"]) and row["per_pass"] > 1 else ""
    checks = int(row["range_checks"])
    below = [f"{checks} check{'s' * (checks > 1)}" if checks else "", POLLS.get(row["poll"])]
    return factor + "\n" * any(below) + " ".join(filter(None, below))


def _finding(work: pd.DataFrame) -> str:
    """What the loops with a long index do on which JDKs; of int loops alone, on which they work on vectors."""
    index = "long" if (work["index"] == "long").any() else "int"
    indexed = work[work["index"] == index]
    several = int(indexed["loop"].nunique() > 1)
    ways: dict[str, list[object]] = {}
    for jdk, loops in indexed.groupby("jdk"):
        way = " or ".join(VERBS[word][several] if word in VERBS else word for word in dict.fromkeys(loops["work"]))
        ways.setdefault(way, []).append(jdk)
    told = f";\n{('it', 'they')[several]} ".join(f"{way} on JDK {listed(jdks)}" for way, jdks in ways.items())
    checks = "; always with range checks" if len(ways) > 1 else ", with range checks"
    checked = (indexed["range_checks"] > 0).all()
    article = "a" if index == "long" else "an"
    return f"With {article} {index} index the loop{'s' * several} {told}{checks if checked else ''}"
