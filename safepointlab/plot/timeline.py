"""Several tables with an uptime -> small panels above each other on one time axis: what happened at the same time.

    plot.timeline({"jitter": jitter, "safepoints": run.safepoints, "compilations": run.compilations})

A table is drawn by the columns that it has: `ttsp_ms` makes it stops, `tier` compiles, `pause_ms` collections; any
other needs an uptime and one more column of numbers, whose name ends with the unit (jitter_ms). The uptime is in
uptime_s or uptime_ms.
"""

from collections.abc import Mapping

import pandas as pd
from matplotlib.axes import Axes

from safepointlab.plot import style
from safepointlab.plot.compilations import lifetimes
from safepointlab.plot.safepoints import phases

COLUMNS = 600  # points along the time axis that can be told apart
GAP = 0.14  # of a panel's height, left free above it


def timeline(
    panels: Mapping[str, pd.DataFrame],
    ax: Axes | None = None,
    title: str | None = None,
    window: tuple[float, float] | None = None,
) -> Axes:
    """Draw one panel a table, in that order; `window` is the part of the uptime to show, in seconds."""
    ax = style.canvas(ax, height=1.6 + 1.15 * max(len(panels), 1))
    seen = {name: _within(frame, window) for name, frame in panels.items()}
    if not any(len(frame) for frame in seen.values()):
        return style.empty(ax, title or "Nothing was logged")
    limits = window or _limits(seen)
    ax.set(xlim=limits, yticks=[], ylim=(0, 1))
    ax.spines["left"].set_visible(False)
    height = 1 / len(panels)
    for number, (name, frame) in enumerate(seen.items()):
        _panel(ax, name, frame, 1 - (number + 1) * height, height * (1 - GAP), limits)
    style.axis_names(ax, "uptime, s")
    style.finding(ax, title or _finding(seen))
    return ax


def uptime(frame: pd.DataFrame) -> "pd.Series[float]":
    """When each row happened, in seconds since the JVM's start."""
    return style.numbers(frame, "uptime_s") if "uptime_s" in frame else style.numbers(frame, "uptime_ms") / 1000


def _within(frame: pd.DataFrame, window: tuple[float, float] | None) -> pd.DataFrame:
    return frame if window is None else frame[uptime(frame).between(*window)]


def _limits(panels: Mapping[str, pd.DataFrame]) -> tuple[float, float]:
    times = pd.concat([uptime(frame) for frame in panels.values()]).dropna()
    first, last = float(times.min()), float(times.max())
    return (0.0 if first < last / 2 else first, last + 0.05 * max(last - first, 0.1))


def _panel(ax: Axes, name: str, frame: pd.DataFrame, foot: float, height: float, limits: tuple[float, float]) -> None:
    """One small Axes inside the host, which keeps the title and the time axis for all of them."""
    inner = ax.inset_axes((0, foot, 1, height))
    style.canvas(inner)
    inner.set(xlim=limits, xticks=[])
    inner.tick_params(labelsize=style.SMALL_PT - 1)
    inner.locator_params(axis="y", nbins=3)
    unit = "" if frame.empty else _draw(inner, frame)
    inner.set_ylabel(f"{name}\n{unit}".strip(), rotation=0, ha="right", va="center", fontsize=style.SMALL_PT)
    if frame.empty:
        inner.set_yticks([])
        inner.text(0.01, 0.4, "none", transform=inner.transAxes, fontsize=style.SMALL_PT, color=style.MUTED)


def _draw(ax: Axes, frame: pd.DataFrame) -> str:
    """Draw the table by the columns it has; returns the unit of the panel's own axis."""
    if "ttsp_ms" in frame or "operation" in frame:
        return _stops(ax, frame)
    if "tier" in frame:
        return _compiles(ax, frame)
    column = "pause_ms" if "pause_ms" in frame else measured(frame)
    _peaks(ax, uptime(frame), style.numbers(frame, column), style.INK if column != "pause_ms" else "#0B3C6F")
    return column.rpartition("_")[2]


def measured(frame: pd.DataFrame) -> str:
    """The column of numbers that is not the time."""
    return next(
        name for name in frame.columns if not name.startswith("uptime") and style.numbers(frame, name).notna().any()
    )


def _peaks(ax: Axes, times: "pd.Series[float]", values: "pd.Series[float]", color: str) -> None:
    """Thin lines up to each value; of many in one pixel the highest."""
    slots = (
        pd.cut(times, COLUMNS, labels=False)
        if len(times) > COLUMNS
        else pd.Series(range(len(times)), index=times.index)
    )
    top = values.groupby(slots).idxmax().dropna()
    ax.vlines(times[top], 0, values[top], color=color, lw=2)
    ax.set_ylim(0, max(float(values.max()) * 1.15, 1e-9))


def _stops(ax: Axes, frame: pd.DataFrame) -> str:
    stops = phases(frame)
    _peaks(ax, stops["uptime_s"], stops["total_ms"], style.PHASES["operation_ms"].color)
    reaching = stops[stops["ttsp_ms"] > 0]
    ax.vlines(reaching["uptime_s"], 0, reaching["ttsp_ms"], color=style.PHASES["ttsp_ms"].color, lw=5)
    if len(stops) and stops["total_ms"].max() > 0:
        worst = stops.nlargest(1, "total_ms").iloc[0]
        _beside(ax, worst["uptime_s"], worst["total_ms"], str(worst["operation"]))
    return "ms (thick:\nreaching)"


def _beside(ax: Axes, x: float, y: float, text: str) -> None:
    left = x < sum(ax.get_xlim()) * 0.6
    style.label(ax, x, y, text, offset=(6 if left else -6, -2), ha="left" if left else "right", va="top")


def _compiles(ax: Axes, frame: pd.DataFrame) -> str:
    """A mark a compile, higher for the higher tier; by OSR a diamond, thrown away a cross."""
    lives = lifetimes(frame)
    tiers = lives["tier"].fillna(4)
    for tier, look in style.TIERS.items():
        for osr, marker, size in ((False, look.marker, 5), (True, "D", 8)):
            mine = lives[(tiers == tier) & (lives["osr"] == osr)]
            ax.plot(mine["begin_s"], [tier] * len(mine), marker, color=look.color, ms=size, mec=style.INK, mew=0.4)
    gone = lives[lives["end_s"].notna()]
    ax.plot(gone["end_s"], tiers[gone.index], "X", color=style.BAD, ms=8, mec=style.PAPER)
    ax.set(ylim=(0.3, 4.7))
    ax.set_yticks([1, 4], ["C1", "C2"])
    return "◆ OSR  ✖ gone"


def _finding(panels: Mapping[str, pd.DataFrame]) -> str:
    """Whether the longest delay that was measured is a stop that was logged."""
    stops = next((phases(frame) for frame in panels.values() if "ttsp_ms" in frame and len(frame)), None)
    other = next(((name, frame) for name, frame in panels.items() if _is_measured(frame)), None)
    if stops is None or not len(stops) or other is None:
        return f"{', '.join(panels)} on one time axis"
    return _explained(other[0], other[1], stops)


def _is_measured(frame: pd.DataFrame) -> bool:
    return len(frame) > 0 and not {"ttsp_ms", "tier", "pause_ms"} & set(frame.columns)


def _explained(name: str, frame: pd.DataFrame, stops: pd.DataFrame) -> str:
    column = measured(frame)
    worst = style.numbers(frame, column).to_numpy().argmax()
    length, when = float(style.numbers(frame, column).iloc[worst]), float(uptime(frame).iloc[worst])
    near = stops[(stops["uptime_s"] - when).abs() <= (stops["total_ms"] + length) / 1000 + 0.05]
    cause = near[near["total_ms"].between(0.7 * length, 1.3 * length)].nlargest(1, "total_ms")
    what = f"The longest {name}, {style.ms(length)} at {when:.1f} s,"
    if cause.empty:
        return f"{what} is no safepoint: none of that length was logged then"
    return f"{what} is the safepoint {cause.iloc[0]['operation']} of {style.ms(cause.iloc[0]['total_ms'])}"
