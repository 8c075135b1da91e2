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

from safepointlab.plot import style
from safepointlab.plot._picture import picture
from safepointlab.plot._stops import phases
from safepointlab.plot.compilations import lifetimes

COLUMNS = 600  # bars along the time axis that can be told apart
FEW = 12  # compiles that are told in words beside their marks
GAP = 0.14  # of a panel's height, left free above it
LONG = 0.01  # of the visible time: a stop of at least that length is a band through all panels
SAME = (0.7, 1.3)  # a delay and a stop are the same event if their lengths have such a ratio


@picture("a mapping of tables with an uptime", "begin_s|uptime_s|uptime_ms|nanotime_ns")
def timeline(
    panels: Mapping[str, pd.DataFrame],
    ax: Axes | None = None,
    title: str | None = None,
    window: tuple[float, float] | None = None,
) -> Axes:
    """Draw one panel per table, in that order; `window` is the part of the uptime to show, in seconds."""
    ax = style.canvas(ax, height=1.6 + 1.15 * max(len(panels), 1))
    in_window = {name: _within(frame, window) for name, frame in panels.items()}
    if not any(len(frame) for frame in in_window.values()):
        return style.empty(ax, title or "Nothing was logged")
    limits = window or _limits(in_window)
    ax.set(xlim=limits, yticks=[], ylim=(0, 1))
    ax.spines["left"].set_visible(False)
    _bands(ax, in_window, limits)
    height = 1 / len(panels)
    for number, (name, frame) in enumerate(in_window.items()):
        _panel(ax, name, frame, 1 - (number + 1) * height, height * (1 - GAP), limits)
    style.axis_names(ax, "uptime, s")
    style.finding(ax, title or _finding(in_window))
    return ax


def _when(frame: pd.DataFrame) -> "pd.Series[float]":
    return style.moments(frame)[0]


def _within(frame: pd.DataFrame, window: tuple[float, float] | None) -> pd.DataFrame:
    return frame if window is None else frame[_when(frame).between(*window)]


def _limits(panels: Mapping[str, pd.DataFrame]) -> tuple[float, float]:
    ends = [_when(frame) + style.numbers(frame, "total_ms").fillna(0) / 1000 for frame in panels.values()]
    times = pd.concat([*(_when(frame) for frame in panels.values()), *ends]).dropna()
    first, last = float(times.min()), float(times.max())
    return (0.0 if first < last / 2 else first, last + 0.05 * max(last - first, 0.1))


def _bands(ax: Axes, panels: Mapping[str, pd.DataFrame], limits: tuple[float, float]) -> None:
    for stops in (phases(frame) for frame in panels.values() if "ttsp_ms" in frame):
        long = stops[stops["total_ms"] / 1000 > LONG * (limits[1] - limits[0])]
        for begin, length in zip(long["begin_s"], long["total_ms"], strict=True):
            ax.axvspan(begin, begin + length / 1000, color=style.LINE, lw=0)


def _panel(ax: Axes, name: str, frame: pd.DataFrame, foot: float, height: float, limits: tuple[float, float]) -> None:
    """One small Axes inside the host, which keeps the title and the time axis for all of them."""
    inner = style.canvas(ax.inset_axes((0, foot, 1, height)))
    inner.patch.set_alpha(0)  # lets the bands through
    inner.set(xlim=limits, xticks=[])
    inner.tick_params(labelsize=style.SMALL_PT - 1)
    inner.locator_params(axis="y", nbins=3)
    unit = "" if frame.empty else _draw(inner, frame)
    look: dict[str, Any] = {"rotation": 0, "ha": "right", "va": "center", "fontsize": style.SMALL_PT}
    inner.set_ylabel(f"{name}\n{unit}".strip(), labelpad=8, **look)
    if frame.empty:
        inner.set_yticks([])
        inner.text(0.01, 0.4, "none", transform=inner.transAxes, fontsize=style.SMALL_PT, color=style.MUTED)


def _draw(ax: Axes, frame: pd.DataFrame) -> str:
    """Draw the table as its columns decide; returns the unit of the panel's own axis."""
    if "ttsp_ms" in frame:
        return _stops(ax, frame)
    if "tier" in frame:
        return _compiles(ax, frame)
    column = measured(frame)
    _peaks(ax, _when(frame), style.numbers(frame, column), style.INK if column != "pause_ms" else "#0B3C6F")
    return column.rpartition("_")[2]


def measured(frame: pd.DataFrame) -> str:
    """The column of numbers to draw: a pause, else the first that is not a time."""
    names = ["pause_ms", *(str(name) for name in frame.columns)]
    numeric = (name for name in names if style.numbers(frame, name).notna().any())
    return next((name for name in numeric if not name.startswith(("uptime", "begin"))), names[0])


def _peaks(ax: Axes, times: "pd.Series[float]", values: "pd.Series[float]", color: str) -> None:
    """Draw a bar up to each value, as wide as that many milliseconds; of many in one place the highest."""
    bars = pd.DataFrame({"time": times, "value": values}).dropna().reset_index(drop=True)
    if len(bars) > COLUMNS:
        bars = bars.loc[bars.groupby(pd.cut(bars["time"], COLUMNS, labels=False))["value"].idxmax()]
    first, last = ax.get_xlim()
    width = (bars["value"] / 1000).clip(lower=(last - first) / 250, upper=last - first)
    ax.bar(bars["time"], bars["value"], width, align="edge", color=color, linewidth=0)
    ax.set_ylim(0, max(float(bars["value"].max()) * 1.15, 1e-9))


def _stops(ax: Axes, frame: pd.DataFrame) -> str:
    stops = phases(frame)
    _peaks(ax, stops["begin_s"], stops["total_ms"], style.PHASES["operation_ms"].color)
    high = ax.get_ylim()
    _peaks(ax, stops["begin_s"], stops["ttsp_ms"], style.PHASES["ttsp_ms"].color)
    ax.set_ylim(high)
    if len(stops) and stops["total_ms"].max() > 0:
        worst = stops.nlargest(1, "total_ms").iloc[0]
        _beside(ax, worst["begin_s"], worst["total_ms"], str(worst["operation"]))
    return "ms (orange:\nreaching)"


def _beside(ax: Axes, begin: float, length: float, text: str) -> None:
    end = begin + length / 1000
    x, side = (end, 1) if style.fits(ax, end, text) else (begin, -1)
    style.label(ax, x, length, text, offset=(6 * side, -2), ha="left" if side == 1 else "right", va="top")


def _compiles(ax: Axes, frame: pd.DataFrame) -> str:
    """Draw one mark per compile, higher for a higher tier: an OSR compile a diamond, a discarded one a cross."""
    lives = lifetimes(frame)
    tiers = lives["tier"].fillna(4)
    if len(lives) <= FEW:
        return _few_compiles(ax, lives, tiers.map(lambda tier: "C2" if tier == 4 else "C1"))
    for tier, look in style.TIERS.items():
        for osr, marker, size in ((False, look.marker, 5), (True, "D", 8)):
            marked = lives[(tiers == tier) & (lives["osr"] == osr)]
            ax.plot(marked["begin_s"], [tier] * len(marked), marker, color=look.color, ms=size, mec=style.INK, mew=0.4)
    discarded = lives[lives["end_s"].notna()]
    ax.plot(discarded["end_s"], tiers[discarded.index], "X", color=style.BAD, ms=8, mec=style.PAPER)
    ax.set(ylim=(0.3, 4.7))
    ax.set_yticks([1, 4], ["C1", "C2"])
    return "◆ OSR  ✖ gone"


def _few_compiles(ax: Axes, lives: pd.DataFrame, by: "pd.Series[str]") -> str:
    """A row for each compiler: compiles above, discarded ones below, and how many of each in words beside them."""
    rows = {name: 1.0 + number for number, name in enumerate(sorted(set(by)))}
    for name, height in rows.items():
        own = lives[by == name]
        for osr, marker in ((False, "s"), (True, "D")):
            begun = own.loc[own["osr"] == osr, "begin_s"]
            ax.plot(begun, [height + 0.16] * len(begun), marker, color=style.TIERS[4].color, ms=7, mec=style.PAPER)
        gone = own["end_s"].dropna()
        ax.plot(gone, [height - 0.2] * len(gone), "X", color=style.BAD, ms=8, mec=style.PAPER)
        last = float(own[["begin_s", "end_s"]].max().max())
        style.label(ax, last, height, f"{_counted(own)}, by {last:.2f} s", offset=(14, 0))
    ax.set(ylim=(0.4, len(rows) + 0.6))
    ax.set_yticks(list(rows.values()), list(rows))
    return "◆ OSR  ■ rest\n✖ not entrant"


def _counted(lives: pd.DataFrame) -> str:
    """
    >>> _counted(pd.DataFrame({"osr": [True, False], "end_s": [0.1, None]}))
    '2 compiles (1 OSR), 1 not entrant'
    """
    many = f"{len(lives)} compile{'s' * (len(lives) > 1)} ({lives['osr'].sum()} OSR)"
    return f"{many}, {lives['end_s'].notna().sum()} not entrant"


def _finding(panels: Mapping[str, pd.DataFrame]) -> str:
    """Whether the longest measured delay is a logged stop."""
    stops = next((phases(frame) for frame in panels.values() if "ttsp_ms" in frame), None)
    other = next(((name, frame) for name, frame in panels.items() if _is_measured(frame)), None)
    if stops is None and other is not None and len(panels) == 1:
        return _largest(*other)
    if stops is None or other is None:
        return f"{', '.join(panels)} on one time axis"
    return _explained(other[0], other[1], stops)


def _is_measured(frame: pd.DataFrame) -> bool:
    return len(frame) > 0 and not {"ttsp_ms", "tier", "pause_ms"} & set(frame.columns)


def _largest(name: str, frame: pd.DataFrame) -> str:
    """The highest value of a panel that stands alone, and when it came."""
    values = style.numbers(frame, column := measured(frame))
    worst = values.to_numpy().argmax()
    unit = column.rpartition("_")[2]
    when = f"{float(_when(frame).iloc[worst]):.2f}{style.MS[0]}s"
    value = float(values.iloc[worst])
    largest = f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
    return f"The largest of {len(frame):,} values of {name} is {largest}{style.MS[0]}{unit}, at {when}"


def _explained(name: str, frame: pd.DataFrame, stops: pd.DataFrame) -> str:
    values = style.numbers(frame, measured(frame))
    worst = values.to_numpy().argmax()
    length, when = float(values.iloc[worst]), float(_when(frame).iloc[worst])
    near = stops[(stops["begin_s"] - when).abs() <= (stops["total_ms"] + length) / 1000 + 0.05]
    cause = near[(near["total_ms"] / length).between(*SAME)].nlargest(1, "total_ms")
    what = f"The longest {name}, {style.ms(length)} at {when:.2f}{style.MS[0]}s,"
    if cause.empty:
        return f"{what} is no safepoint: none of that length was logged then"
    return f"{what} is the safepoint {cause.iloc[0]['operation']} of {style.ms(cause.iloc[0]['total_ms'])}"
