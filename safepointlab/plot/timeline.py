"""Several tables with an uptime -> panels above each other on one time axis: what happened at the same time.

    plot.timeline({"jitter": jitter, "safepoints": run.safepoints, "compilations": run.compilations})

The columns of a table decide how it is drawn: one with `ttsp_ms` as stops, with `tier` as compiles, with `pause_ms` as
collections; any other needs an uptime and one more column of numbers, whose name ends with the unit (jitter_ms). The
time is begin_s, else uptime_s or uptime_ms. A bar begins there and is as wide as its event was long; a grey band
through all panels is a long stop. (If a program notes the end of a delay, add a column begin_s.)
"""

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from safepointlab.phrases import counted
from safepointlab.plot import _alternative, style
from safepointlab.plot._picture import picture
from safepointlab.plot.compilations import lifetimes
from safepointlab.plot.safepoints import phases

COLUMNS = 600  # bars along the time axis that are distinguishable
FEW = 12  # compiles that are told in words beside their marks
GAP = 0.14  # of a panel's height, left free above it
LONG = 0.01  # of the visible time: a stop of at least that length is a band through all panels
SAME = (0.7, 1.3)  # a delay and a stop are the same event if their lengths have such a ratio


@picture("a mapping of tables with an uptime", "begin_s|uptime_s|uptime_ms|nanotime_ns")
def timeline(panels: Mapping[str, pd.DataFrame], ax: Axes | None = None, title: str | None = None) -> Axes:
    """Draw one panel per table, in that order."""
    ax = style.canvas(ax, height=1.6 + 1.15 * max(len(panels), 1))
    if not any(len(frame) for frame in panels.values()):
        return style.empty(ax, title or "Nothing was logged")
    ends = [_when(frame) + style.numbers(frame, "total_ms").fillna(0) / 1000 for frame in panels.values()]
    times = pd.concat([*map(_when, panels.values()), *ends]).dropna()
    first, last = float(times.min()), float(times.max())
    first, last = 0.0 if first < last / 2 else first, last + 0.05 * max(last - first, 0.1)
    ax.set(xlim=(first, last), yticks=[], ylim=(0, 1))
    ax.spines["left"].set_visible(False)
    for stops in (phases(frame) for frame in panels.values() if "ttsp_ms" in frame):
        long = stops[stops["total_ms"] / 1000 > LONG * (last - first)]
        for begin, length in zip(long["begin_s"], long["total_ms"], strict=True):
            ax.axvspan(begin, begin + length / 1000, color=style.LINE, lw=0)
    height = 1 / len(panels)
    for number, (name, frame) in enumerate(panels.items()):
        inner = style.canvas(ax.inset_axes((0, 1 - (number + 1) * height, 1, height * (1 - GAP))))
        inner.set(xlim=(first, last), xticks=[])
        _draw_panel(inner, name, frame)
    style.axis_names(ax, next(clock for _, clock in map(style.moments, panels.values())))
    style.finding(ax, title or _finding(panels))
    return ax


def _when(frame: pd.DataFrame) -> "pd.Series[float]":
    return style.moments(frame)[0]


def _draw_panel(ax: Axes, name: str, frame: pd.DataFrame) -> None:
    """Draw one table as its columns decide, into Axes inside the host, which keeps the title and the time axis."""
    ax.patch.set_alpha(0)  # lets the bands through
    ax.tick_params(labelsize=style.SMALL_PT - 1)
    ax.locator_params(axis="y", nbins=3)
    unit = ""
    if frame.empty:
        ax.set_yticks([])
        ax.text(0.01, 0.4, "none", transform=ax.transAxes, fontsize=style.SMALL_PT, color=style.MUTED)
    elif "ttsp_ms" in frame:
        _draw_stops(ax, phases(frame))
        unit = "ms (orange:\nreaching)"
    elif "tier" in frame:
        unit = _draw_compiles(ax, lifetimes(frame))
    else:
        column = _measured(frame)
        values = style.numbers(frame, column).dropna()  # of many, the bars are the highest of each place
        ends = " to ".join(map(_alternative.number, (values.min(), values.max())))
        said = f"{len(values):,} values, {ends}, median {_alternative.number(values.median())}"
        _alternative.own(ax, f"{name}, {column.rpartition('_')[2]}: {said}.")
        color = style.PHASES["operation_ms"].color if column == "pause_ms" else style.INK
        _draw_peaks(ax, _when(frame), style.numbers(frame, column), color)
        unit = column.rpartition("_")[2]
    look: dict[str, Any] = {"rotation": 0, "ha": "right", "va": "center", "fontsize": style.SMALL_PT}
    ax.set_ylabel(f"{name}\n{unit}".strip(), labelpad=8, **look)


def _measured(frame: pd.DataFrame) -> str:
    """The column of numbers to draw: a pause, else the first that is not a time."""
    names = ["pause_ms", *(str(name) for name in frame.columns)]
    numeric = (name for name in names if style.numbers(frame, name).notna().any())
    return next((name for name in numeric if not name.startswith(("uptime", "begin"))), names[0])


def _draw_peaks(ax: Axes, times: "pd.Series[float]", values: "pd.Series[float]", color: str) -> None:
    """Draw a bar up to each value, as wide as that many milliseconds; of many in one place the highest."""
    bars = pd.DataFrame({"time": times, "value": values}).dropna().reset_index(drop=True)
    if len(bars) > COLUMNS:
        bars = bars.loc[bars.groupby(pd.cut(bars["time"], COLUMNS, labels=False))["value"].idxmax()]
    first, last = ax.get_xlim()
    width = (bars["value"] / 1000).clip(lower=(last - first) / 250, upper=last - first)
    ax.bar(bars["time"], bars["value"], width, align="edge", color=color, linewidth=0)
    ax.set_ylim(0, max(float(bars["value"].max()) * 1.15, 1e-9))


def _draw_stops(ax: Axes, stops: pd.DataFrame) -> None:
    _draw_peaks(ax, stops["begin_s"], stops["total_ms"], style.PHASES["operation_ms"].color)
    high = ax.get_ylim()
    _draw_peaks(ax, stops["begin_s"], stops["ttsp_ms"], style.PHASES["ttsp_ms"].color)
    ax.set_ylim(high)
    if len(stops) and stops["total_ms"].max() > 0:
        worst = stops.nlargest(1, "total_ms").iloc[0]
        begin, length, name = worst["begin_s"], worst["total_ms"], str(worst["operation"])
        right = style.fits(ax, begin + length / 1000, name)
        x, offset, side = (begin + length / 1000, 6, "left") if right else (begin, -6, "right")
        style.label(ax, x, length, name, offset=(offset, -2), ha=side, va="top")


def _draw_compiles(ax: Axes, lives: pd.DataFrame) -> str:
    """Draw one mark per compile, OSR compiles as diamonds, discarded ones as crosses; returns the meaning of the marks.

    A few compiles have a row for each compiler, discarded ones below, and how many there are in words beside them.
    """
    tiers = lives["tier"].fillna(4)
    edge: dict[str, Any] = {"color": style.BAD, "ms": 8, "mec": style.PAPER}
    if len(lives) > FEW:
        for tier, look in style.TIERS.items():
            for osr, marker, size in ((False, look.marker, 5), (True, "D", 8)):
                own = lives[(tiers == tier) & (lives["osr"] == osr)]
                ax.plot(own["begin_s"], [tier] * len(own), marker, color=look.color, ms=size, mec=style.INK, mew=0.4)
        discarded = lives[lives["end_s"].notna()]
        ax.plot(discarded["end_s"], tiers[discarded.index], "X", **edge)
        ax.set(ylim=(0.3, 4.7))
        ax.set_yticks([1, 4], ["C1", "C2"])
        return "◆ OSR  ✖ gone"
    compilers = tiers.map(lambda tier: "C2" if tier == 4 else "C1")
    names = sorted(set(compilers))
    for height, name in enumerate(names, 1):
        own = lives[compilers == name]
        for osr, marker in ((False, "s"), (True, "D")):
            begun = own.loc[own["osr"] == osr, "begin_s"]
            ax.plot(begun, [height + 0.16] * len(begun), marker, color=style.TIERS[4].color, ms=7, mec=style.PAPER)
        gone = own["end_s"].dropna()
        ax.plot(gone, [height - 0.2] * len(gone), "X", **edge)
        count = f"{counted(len(own), 'compile')} ({own['osr'].sum()} OSR), {len(gone)} not entrant"
        last = float(own[["begin_s", "end_s"]].max().max())
        style.label(ax, last, height, f"{count}, by {last:.2f} s", offset=(14, 0))
    ax.set(ylim=(0.4, len(names) + 0.6))
    ax.set_yticks(range(1, len(names) + 1), names)
    return "◆ OSR  ■ rest\n✖ not entrant"


def _finding(panels: Mapping[str, pd.DataFrame]) -> str:
    """Whether the longest measured delay is a logged stop; of a panel alone, its largest value."""
    stops = next((phases(frame) for frame in panels.values() if "ttsp_ms" in frame), None)
    measured = {
        name: frame
        for name, frame in panels.items()
        if len(frame) and not {"ttsp_ms", "tier", "pause_ms"} & set(frame.columns)
    }
    if not measured or (stops is None and len(panels) > 1):
        return f"{', '.join(panels)} on one time axis"
    name, frame = next(iter(measured.items()))
    values = style.numbers(frame, column := _measured(frame))
    worst = values.to_numpy().argmax()
    length, at_s = float(values.iloc[worst]), float(_when(frame).iloc[worst])
    when = f"at {at_s:.2f}{style.MS[0]}s"
    if stops is None:
        unit = f"{style.MS[0]}{column.rpartition('_')[2]}"
        half, largest = (f"{style.short(value)}{unit}" for value in (values.median(), length))
        return f"The largest {name} is {largest}, {when}; half of the {len(frame):,} values are at most {half}"
    near = stops[(stops["begin_s"] - at_s).abs() <= (stops["total_ms"] + length) / 1000 + 0.05]
    cause = near[(near["total_ms"] / length).between(*SAME)].nlargest(1, "total_ms")
    what = f"The longest {name}, {style.ms(length)} {when},"
    if cause.empty:
        return f"{what} comes with no safepoint of that length"
    return f"{what} comes with\nthe safepoint for {cause.iloc[0]['operation']}, {style.ms(cause.iloc[0]['total_ms'])}"
