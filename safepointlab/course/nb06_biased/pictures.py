"""Runs of ByteSummer on lanes of time: when its loop ran, when the JVM requested a stop and got it, and who was late.

pictures.who_waits(run)          the threads of one run: main, the VM thread, the sleeper
pictures.who_waits(ways)         the runs of a sweep, a lane each: its long calls, and the stops in them
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
AXES = ("jdk", "compiler", "gc", "flags", "args", "repeat")  # what may distinguish the runs of a sweep

Stretch: TypeAlias = tuple[str, str, float, float, str]


@picture("a Run or a sweep of biased/ByteSummer", "outcome", "overslept_ms", "run", kind="safepoints")
def who_waits(subject: Any) -> Axes:
    """Draw the threads of a run, or the runs of a sweep."""
    rows = _threads(subject) if not isinstance(subject, pd.DataFrame) else _runs(subject) if len(subject) else []
    drawn: Axes = plot.who_waits(pd.DataFrame(rows, columns=COLUMNS))
    return drawn


def _threads(run: Run) -> list[Stretch]:
    """One lane each for main, for the thread of the JVM that makes the stop, and for the sleeper."""
    begin_s, _, _ = biased.long_calls_s(run)
    rows = [("main", "short calls", 0.0, begin_s, ""), *_long_calls(run, "main"), *_stops(run, "the VM thread")]
    sleeps = run.csv(biased.SLEEPS)[["begin_s", "overslept_ms"]]
    for begin, late_ms in sleeps[sleeps["overslept_ms"] > biased.LATE_MS].itertuples(index=False):
        rows.append(("the sleeper", "late", begin, begin + late_ms / 1000, ""))
    return rows


def _runs(frame: pd.DataFrame) -> list[Stretch]:
    """One lane for each run of a sweep, named by what is not the same in all of them."""
    several = [name for name in AXES if name in frame and frame[name].nunique() > 1] or ["jdk"]
    names = [_tiles.short(name) for name in _tiles.matrix(frame, several, "jdk", frame["outcome"])["row"]]
    rows: list[Stretch] = []
    for name, row in zip(names, frame.to_dict("records"), strict=True):
        if pd.isna(row["overslept_ms"]):
            outcome = str(row["outcome"]).replace("not possible", "doesn't start")
            rows.append((name, "", float("nan"), float("nan"), outcome))
        else:
            run, late = load(row["run"]), f"worst sleep: {row['overslept_ms']:,.0f} ms late"
            rows += [*_long_calls(run, name, late), *_stops(run, name)]
    return rows


def _long_calls(run: Run, lane: str, text: str = "") -> list[Stretch]:
    """The two long calls, which follow each other without a gap."""
    begin, middle, end = biased.long_calls_s(run)
    return [(lane, "call", begin, middle, text), (lane, "call", middle, end, text)]


def _stops(run: Run, lane: str) -> list[Stretch]:
    rows = []
    for stop in biased.stops(run).to_dict("records"):
        reached = stop["begin_s"] + stop["ttsp_ms"] / 1000
        rows.append((lane, "reaching", stop["begin_s"], reached, str(stop["operation"])))
        rows.append((lane, "operation", reached, stop["begin_s"] + stop["total_ms"] / 1000, ""))
    return rows
