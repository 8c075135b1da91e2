"""Runs of ByteSummer on lanes of time: when its loop ran, when the JVM requested a stop and got it, and who was late.

pictures.who_waits(run)     the threads of one run: main, the VM thread, the sleeper
pictures.who_waits(ways)    the runs of a sweep, a lane each: its long calls, and the stops in them
"""

from typing import Any, TypeAlias

import pandas as pd
from matplotlib.axes import Axes

from safepointlab import plot
from safepointlab.course.nb06_biased import experiments as biased
from safepointlab.plot import _tiles
from safepointlab.plot._picture import picture
from safepointlab.run.load import load
from safepointlab.run.run import Run

COLUMNS = ["lane", "what", "begin_s", "end_s", "text"]
AXES = ("jdk", "compiler", "gc", "flags", "args", "repeat")  # what may tell the runs of a sweep apart
SILENT = {"not possible": "does not start"}

Stretch: TypeAlias = tuple[str, str, float, float, str]


@picture("a Run or a sweep of biased/ByteSummer", "outcome", "overslept_ms", "run", kind="safepoints")
def who_waits(subject: Any, ax: Axes | None = None, title: str | None = None) -> Axes:
    """Draw the threads of a run, or the runs of a sweep."""
    rows = threads(subject) if not isinstance(subject, pd.DataFrame) else runs(subject) if len(subject) else []
    drawn: Axes = plot.who_waits(pd.DataFrame(rows, columns=COLUMNS), ax, title)
    return drawn


def threads(run: Run) -> list[Stretch]:
    """A lane each for main, for the thread of the JVM that makes the stop, and for the sleeper."""
    return [*_calls(run, "main"), *_stops(run, "the VM thread"), *_late(run, "the sleeper")]


def runs(frame: pd.DataFrame) -> list[Stretch]:
    """A lane for each run of a sweep, named by what is not the same in all of them."""
    several = [name for name in AXES if name in frame and frame[name].nunique() > 1] or ["jdk"]
    names = [_tiles.short(name) for name in _tiles.matrix(frame, several, "jdk", frame["outcome"])["row"]]
    return [
        stretch for name, row in zip(names, frame.to_dict("records"), strict=True) for stretch in _of_run(name, row)
    ]


def _of_run(name: str, row: dict[Any, Any]) -> list[Stretch]:
    if pd.isna(row["overslept_ms"]):
        return [(name, "", float("nan"), float("nan"), SILENT.get(row["outcome"], str(row["outcome"])))]
    run, late = load(row["run"]), f"latest sleep: {row['overslept_ms']:,.0f} ms late"
    whole = [(name, what, begin, end, late) for _, what, begin, end, _ in _calls(run, name)[1:]]
    return [*whole, *_stops(run, name)]


def _calls(run: Run, lane: str) -> list[Stretch]:
    """The short calls, then the two long ones, which follow each other without a gap."""
    begin, middle, end = biased.long_calls_s(run)
    return [(lane, "short calls", 0.0, begin, ""), (lane, "call", begin, middle, ""), (lane, "call", middle, end, "")]


def _stops(run: Run, lane: str) -> list[Stretch]:
    rows = []
    for stop in biased.stops(run).to_dict("records"):
        reached = stop["begin_s"] + stop["ttsp_ms"] / 1000
        rows.append((lane, "reaching", stop["begin_s"], reached, str(stop["operation"])))
        rows.append((lane, "operation", reached, stop["begin_s"] + stop["total_ms"] / 1000, ""))
    return rows


def _late(run: Run, lane: str) -> list[Stretch]:
    sleeps = biased.sleeps(run)
    late = sleeps[sleeps["overslept_ms"] > biased.LATE_MS]
    ends = late["begin_s"] + late["overslept_ms"] / 1000
    return [(lane, "late", begin, end, "") for begin, end in zip(late["begin_s"], ends, strict=True)]
