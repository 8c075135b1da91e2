"""Stops that came by themselves (nb14_guaranteed.when.moments) -> a lane per JDK, a mark for each stop at its time.

    plot.stop_lanes(guaranteed_when.moments(once))

Columns used: jdk, case (what the program did), begin_s and until_s. A run without a stop is one row whose begin_s is
missing: it has a lane all the same, which says so.
"""

import pandas as pd
from matplotlib.axes import Axes

from safepointlab.plot import _alternative, style
from safepointlab.plot._picture import picture

APART = 0.22  # of a lane: how far its cases are above each other
EACH_S = (0.9, 1.2)  # apart: one stop a second


@picture("nb14_guaranteed.when.moments", "jdk", "case", "begin_s", "until_s")
def stop_lanes(frame: pd.DataFrame, ax: Axes | None = None, title: str | None = None) -> Axes:
    """Draw the lanes from the oldest JDK down, in each the cases in the order of the frame."""
    jdks, cases = sorted(frame["jdk"].unique()), list(dict.fromkeys(frame["case"]))
    ax = style.canvas(ax, height=1.7 + 0.62 * max(len(jdks), 2))
    if not jdks:
        return style.empty(ax, title or "Nothing was run")
    until_s = float(frame["until_s"].max())
    for (jdk, case), stops in frame.groupby(["jdk", "case"], sort=False):
        number = cases.index(case)
        y = jdks.index(jdk) + APART * (2 * number - len(cases) + 1)
        _lane(ax, y, stops["begin_s"].dropna(), until_s, number, str(case))
    ax.set(xlim=(0, 1.02 * until_s), ylim=(len(jdks) - 0.4, -0.6))
    ax.set_yticks(range(len(jdks)), [f"JDK {jdk}" for jdk in jdks])
    ax.tick_params(axis="y", length=0)
    style.axis_names(ax, "uptime, s")
    handles, names = ax.get_legend_handles_labels()
    key = dict(zip(names, handles, strict=True))
    ax.legend(key.values(), key.keys(), ncols=len(key), fontsize=style.SMALL_PT, frameon=False, **style.KEY_PLACE)
    style.finding(ax, title or _finding(frame, cases))
    _alternative.own(ax, _words(frame))
    return ax


def _lane(ax: Axes, y: float, stops: "pd.Series[float]", until_s: float, number: int, case: str) -> None:
    color, marker = style.COLORS[number % len(style.COLORS)], style.MARKERS[number % len(style.MARKERS)]
    ax.plot([0, until_s], [y, y], color=style.LINE, lw=1, zorder=0)
    ax.plot(stops, [y] * len(stops), marker, ms=9, color=color, label=case)
    if stops.empty:
        style.label(ax, 0.02 * until_s, y, "none", color=style.MUTED, fontsize=style.SMALL_PT - 2)


def each_second(stops: "pd.Series[float]") -> bool:
    """Whether these are three stops or more, a second apart."""
    return len(stops) >= 3 and bool(EACH_S[0] <= float(stops.sort_values().diff().median()) <= EACH_S[1])


def _finding(frame: pd.DataFrame, cases: list[str]) -> str:
    """Where there is a stop each second: for each case the JDKs."""
    said = [f"JDK {', '.join(map(str, jdks))} ({case})" for case in cases if (jdks := _regular(frame, case))]
    return f"All threads are stopped each second on\n{'; '.join(said)}" if said else "No JDK makes a stop each second"


def _regular(frame: pd.DataFrame, case: str) -> list[int]:
    """The JDKs that make a stop each second in this case."""
    begins_s = frame[frame["case"] == case].groupby("jdk")["begin_s"]
    return [int(str(jdk)) for jdk, stops in begins_s if each_second(stops.dropna())]


def _words(frame: pd.DataFrame) -> str:
    counts = frame.groupby(["case", "jdk"], sort=False)["begin_s"].count()
    by_case = (
        f"{case}: {', '.join(_counted(n, jdk) for jdk, n in counts[case].items())}"
        for case in dict.fromkeys(frame["case"])
    )
    return "; ".join(by_case) + f"; in {frame['until_s'].max():.0f} s."


def _counted(stops: int, jdk: object) -> str:
    return f"{stops} stop{'s' * (stops != 1)} on {jdk}"
