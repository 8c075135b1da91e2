"""Runs of ByteSummer on lanes of time: when its loop ran, when the JVM requested a stop and got it, and who was late.

pictures.who_waits(run)          the threads of one run: main, the VM thread, the sleeper
pictures.who_waits(ways)         the runs of a sweep, a lane each: its long calls, and the stops in them
pictures.longest_waits(later)    the runs of a sweep, a tile for each JDK and its flags: the longest time to safepoint
"""

from typing import Any, TypeAlias

import pandas as pd
from matplotlib.axes import Axes

from safepointlab import plot
from safepointlab.course.nb06_biased import experiments as biased
from safepointlab.phrases import listed
from safepointlab.plot import _tiles, style
from safepointlab.plot._picture import picture
from safepointlab.run.load import load
from safepointlab.run.run import Run

COLUMNS = ["lane", "what", "begin_s", "end_s", "text"]
AXES = ("jdk", "compiler", "gc", "flags", "args", "repeat")  # what may distinguish the runs of a sweep

WIDTH = 9.0  # inches: tiles wide enough for the title above them
WAITS = {  # the key of a tile's number; a run without a stop, or that didn't start, has no number
    True: style.Look(f"more than {biased.LATE_MS:.0f} ms", style.OUTCOMES["late"].color),
    False: style.Look(f"at most {biased.LATE_MS:.0f} ms", style.OUTCOMES["on time"].color),
}

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
            rows.append((name, "", float("nan"), float("nan"), _outcome(str(row["outcome"]))))
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


@picture("a sweep of biased/ByteSummer", "jdk", "flags", "outcome", "run")
def longest_waits(frame: pd.DataFrame) -> Axes:
    """Draw a tile for each JDK and its flags: the longest time to safepoint up to the end of the long calls."""
    waits = biased.reached_ms(frame)
    cells = _tiles.matrix(frame, "jdk", "flags", frame["outcome"]).assign(wait=waits)
    ax = style.canvas(None, WIDTH, 1.9 + 0.55 * max(cells["row"].nunique(), 2))
    if cells.empty:
        return style.empty(ax, "Nothing was run")

    def text_and_look(tile: pd.DataFrame) -> tuple[str, style.Look]:
        longest = tile["wait"].max()
        if pd.isna(longest):
            return _outcome(str(tile["outcome"].iloc[0])), _tiles.OTHER
        if not any(len(biased.stops(load(run))) for run in tile["run"].dropna()):
            return "no stop", _tiles.OTHER
        return style.ms(longest), WAITS[longest > biased.LATE_MS]

    _tiles.lay(ax, cells, text_and_look)
    alone = not cells.duplicated(["row", "column"]).any()
    style.axis_names(ax, f"longest time to safepoint{', one JVM for each tile' * alone}")
    style.key(ax, [look for late, look in WAITS.items() if ((waits > biased.LATE_MS) == late)[waits.notna()].any()])
    style.finding(ax, _places(frame.assign(late=waits > biased.LATE_MS)))
    return ax


def _places(frame: pd.DataFrame) -> str:
    """On which JDKs a stop waits for the loop, with the flags or without, and which JDKs don't start with the flags."""
    late = {
        given: f"{'with the flags' if given else 'without a flag'} on JDK {listed(own['jdk'].unique())}"
        for given, own in frame[frame["late"]].groupby(frame["flags"] != "")
    }
    where = " and ".join(late.values())
    if frame.loc[frame["flags"] != "", "flags"].nunique() > 1:  # then "the flags" doesn't say which
        where = f"in {frame['late'].sum()} of {len(frame)} runs" if late else ""
    refused = frame.loc[frame["outcome"] == "not possible", "jdk"].unique()
    verb = "doesn't" if len(refused) == 1 else "don't"
    rest = f";\nJDK {listed(refused)} {verb} start with them" if len(refused) else ""
    return f"A stop waits for the loop {where}{rest}" if where else f"No stop waits for the loop{rest}"


def _outcome(word: str) -> str:
    return "doesn't start" if word == "not possible" else word
