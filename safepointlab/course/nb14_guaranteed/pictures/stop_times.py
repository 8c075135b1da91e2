"""A sweep of OnceASecond -> a lane per run, with a mark for each stop at its time: by the clock, or for a collection.

    stop_times(sweep)

A run without such a stop has a lane all the same, which says so. Where only one JDK was run, each case has a row of
its own.
"""

import pandas as pd
from matplotlib.axes import Axes

from safepointlab.course.nb14_guaranteed import experiments
from safepointlab.phrases import listed
from safepointlab.plot import _alternative, style
from safepointlab.plot._picture import picture

APART = 0.22  # of a lane: how far its cases are above each other
EACH_S = (0.9, 1.2)  # apart: one stop a second


@picture("lab.sweep of guaranteed/OnceASecond", "jdk", "gc", "flags", "args", "run")
def stop_times(frame: pd.DataFrame, ax: Axes | None = None, title: str | None = None) -> Axes:
    """Draw the lanes from the oldest JDK down, in each the cases in the order of the sweep."""
    table = experiments.moments(frame)
    jdks, cases = sorted(table["jdk"].unique()), list(dict.fromkeys(table["case"]))
    rows: list[object] = list(cases) if len(jdks) == 1 else list(jdks)
    ax = style.canvas(ax, height=1.7 + 0.62 * max(len(rows), 2))
    if table.empty:
        return style.empty(ax, title or "Nothing was run")
    until_s = float(table["until_s"].max())
    ax.vlines(range(int(until_s) + 1), -0.6, len(rows) - 0.4, color=style.LINE, lw=1, ls=":", zorder=0)
    for (jdk, case), stops in table.groupby(["jdk", "case"], sort=False):
        number = cases.index(case)
        beside = APART * (2 * number - len(cases) + 1) if len(jdks) > 1 else 0.0
        _lane(ax, rows.index(jdk if len(jdks) > 1 else case) + beside, stops.dropna(subset="begin_s"), until_s, number)
    ax.set(xlim=(0, 1.02 * until_s), ylim=(len(rows) - 0.4, -0.6))
    ax.set_yticks(range(len(rows)), [f"JDK {row}" for row in rows] if len(jdks) > 1 else cases)
    ax.tick_params(axis="y", length=0)
    style.axis_names(ax, "uptime, s")
    _key(ax, cases if len(jdks) > 1 else [], table)
    style.finding(ax, title or _finding(table, frame))
    _alternative.own(ax, _words(table))
    return ax


def _lane(ax: Axes, y: float, stops: pd.DataFrame, until_s: float, number: int) -> None:
    color, marker = style.COLORS[number % len(style.COLORS)], style.MARKERS[number % len(style.MARKERS)]
    ax.plot([0, until_s], [y, y], color=style.LINE, lw=1, zorder=0)
    clock, requested = stops[~stops["requested"]], stops[stops["requested"]]
    ax.plot(clock["begin_s"], [y] * len(clock), marker, ms=9, color=color)
    ax.plot(requested["begin_s"], [y] * len(requested), "x", ms=9, mew=2.5, color=color)
    if stops.empty:
        style.label(ax, 0.02 * until_s, y, "none", color=style.MUTED, fontsize=style.SMALL_PT - 2)


def _key(ax: Axes, cases: list[str], table: pd.DataFrame) -> None:
    for number, case in enumerate(cases):
        color, marker = style.COLORS[number % len(style.COLORS)], style.MARKERS[number % len(style.MARKERS)]
        ax.plot([], [], marker, ms=9, color=color, label=case)
    if table["requested"].any():
        if not cases:  # each lane has its own mark
            ax.plot([], [], "o", ms=9, color=style.INK, label="a stop by the clock")
        ax.plot([], [], "x", ms=9, mew=2.5, color=style.INK, label="the collection")
    names = ax.get_legend_handles_labels()[1]
    if names:
        ax.legend(ncols=len(names), fontsize=style.SMALL_PT, frameon=False, columnspacing=1.2, **style.KEY_PLACE)


def each_second(stops: "pd.Series[float]") -> bool:
    """Whether these are three stops or more, a second apart."""
    return len(stops) >= 3 and bool(EACH_S[0] <= float(stops.sort_values().diff().median()) <= EACH_S[1])


def _finding(table: pd.DataFrame, frame: pd.DataFrame) -> str:
    """Whether the stops moved, where each run has a collection among them; or where there is one each second."""
    places = experiments.places(frame)
    if len(places) and places.notna().all(axis=None):
        moved = experiments.apart_ms(places["after_ms"] - places["before_ms"]) >= experiments.NEAR_MS
        some = f"in {moved.sum()} of {len(moved)} runs at another place"
        where = "at another place" if moved.all() else some if moved.any() else "at the same place"
        return f"After a collection (x) the stops come\n{where} in the second"
    told = [_regular(lanes, str(case)) for case, lanes in table.groupby("case", sort=False)]
    return ";\n".join(filter(None, told)) or "No JDK makes a stop each second"


def _regular(lanes: pd.DataFrame, case: str) -> str:
    """On which JDKs there is a stop each second in this case, and on which none; "" if on no JDK."""
    clock = {jdk: stops.loc[~stops["requested"], "begin_s"].dropna() for jdk, stops in lanes.groupby("jdk")}
    regular = [jdk for jdk, stops in clock.items() if each_second(stops)]
    never = [jdk for jdk, stops in clock.items() if stops.empty]
    rest = f"; none on JDK {listed(never)}" if never else ""
    return f"{case}: a stop each second on JDK {listed(regular)}{rest}" if regular else ""


def _words(table: pd.DataFrame) -> str:
    """How many stops by the clock each run had."""
    clock = table["begin_s"].where(~table["requested"])
    counts = clock.groupby([table["case"], table["jdk"]], sort=False).count()
    by_case = (
        f"{case}: {', '.join(_count(n, jdk) for jdk, n in counts[case].items())}"
        for case in dict.fromkeys(table["case"])
    )
    asked = int(table["requested"].sum())
    return f"{'; '.join(by_case)}; in {table['until_s'].max():.0f} s. {asked} were requested by a collection."


def _count(stops: int, jdk: object) -> str:
    return f"{stops} stop{'s' * (stops != 1)} on {jdk}"
