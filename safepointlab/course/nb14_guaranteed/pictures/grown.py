"""A sweep of OnceASecond with two intervals of the stops -> how much the process grew: two bars per JDK.

    grown(lab.sweep("guaranteed/OnceASecond", flags=[... "GuaranteedSafepointInterval=1000", ... "=0"]))

Columns used: jdk, flags (which set the interval in ms; 0 is none) and grown_mib, which the program prints. Several rows
of one JDK and interval are one bar, their median.
"""

import pandas as pd
from matplotlib.axes import Axes

from safepointlab.course.nb14_guaranteed import experiments
from safepointlab.plot import style
from safepointlab.plot._picture import picture

LOOKS = {  # may the VM make its stops?
    False: style.Look("interval 0", style.COLORS[1], "///"),
    True: style.Look("interval 1,000 ms", style.COLORS[2], ""),
}
HEIGHT = 0.36  # of the space of one JDK


@picture("lab.sweep of guaranteed/OnceASecond", "jdk", "flags", "grown_mib")
def grown(frame: pd.DataFrame, ax: Axes | None = None, title: str | None = None) -> Axes:
    """Draw the bars, the oldest JDK at the top."""
    ax = style.canvas(ax, height=1.7 + 0.7 * max(frame["jdk"].nunique(), 2))
    mib = experiments.growth_mib(frame)
    if mib.empty:
        return style.empty(ax, title or "Nothing was run with an interval of the stops")
    most = float(mib.max().max())
    for stops, look in LOOKS.items():
        for place, value in enumerate(mib.get(stops, pd.Series(float("nan"), index=mib.index))):
            if pd.notna(value):
                _bar(ax, place + HEIGHT * (stops - 0.5), float(value), look)
    ax.set_yticks(range(len(mib)), [f"JDK {jdk}" for jdk in mib.index])
    ax.tick_params(axis="y", length=0)
    ax.set(ylim=(len(mib) - 0.4, -0.6), xlim=(0, 1.15 * max(1.0, most)))
    style.axis_names(ax, "the process grew by, MiB")
    style.key(ax, list(LOOKS.values()))
    style.finding(ax, title or _finding(mib))
    return ax


def _bar(ax: Axes, y: float, value: float, look: style.Look) -> None:
    edge = style.ink_on(look.color)
    ax.barh(y, value, HEIGHT, color=look.color, hatch=look.hatch, edgecolor=edge, lw=0, label=look.label)
    style.label(ax, max(value, 0.0), y, f"{value:,.0f}", (4, 0))


def _finding(mib: pd.DataFrame) -> str:
    """On which JDKs it grows by much more without the stops."""
    if len(mib.columns) < len(LOOKS):
        return "What the process grew by"
    more = mib.index[experiments.grows_more(mib)]
    if more.empty:
        return "Without the stops the process grows by no more"
    on = f"JDK {' and '.join(map(str, more))}"
    return f"{on} grow{'' if len(more) > 1 else 's'} by far more without the stops{_rest(mib.drop(more))}"


def _rest(mib: pd.DataFrame) -> str:
    """Which JDKs grow as well, with the stops or without them, and by how much; of those that do not, nothing."""
    grows = mib[mib.min(axis=1) > experiments.LEAST_MIB]
    if grows.empty:
        return "; on the others it does not" if len(mib) else ""
    ends = dict.fromkeys(f"{end:.0f}" for end in (grows.to_numpy().min(), grows.to_numpy().max()))
    much = " to ".join(ends)
    return f",\n{' and '.join(map(str, grows.index))} by {much} MiB with or without them"
