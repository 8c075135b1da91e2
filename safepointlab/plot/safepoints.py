"""Safepoints (a frame of `read.safepoint`, or a Run) -> a timeline: one bar a stop, split into its phases.

    plot.safepoints(run)

Columns used: uptime_s, kind, operation, total_ms, and of ttsp_ms, cleanup_ms, operation_ms, leaving_ms those that this
JDK logs. A phase that is not logged is not drawn, and time that no phase accounts for is drawn as such: a missing value
is never 0.
"""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from safepointlab.plot import style

PARTS = ("ttsp_ms", "cleanup_ms", "operation_ms", "leaving_ms")
SLICES = 250  # more bars than this cannot be told apart: then each is the longest stop of its slice of time
SPREAD = 30  # from this ratio of longest to typical on, a linear axis would show one bar and a flat line


def safepoints(subject: Any, ax: Axes | None = None, title: str | None = None, scale: str | None = None) -> Axes:
    """Draw the stops; `scale` is "linear" or "log" (height: the whole stop, colours: shares of it), else chosen."""
    frame, ax = style.table(subject, "safepoints"), style.canvas(ax)
    stops, handshakes = phases(frame), _handshakes(frame)
    waiting = _never_reached(subject, frame)
    if stops.empty and handshakes.empty and waiting is None:
        return style.empty(ax, title or "No safepoint was logged")
    log = _is_log(stops, scale)
    drawn = _longest_of_each_slice(stops)
    _bars(ax, drawn, log)
    _marks(ax, handshakes, log)
    _span(ax, stops, handshakes, waiting)
    _words(ax, drawn, log, len(stops))
    style.finding(ax, title or _finding(stops, handshakes, waiting))
    return ax


def phases(frame: pd.DataFrame) -> pd.DataFrame:
    """One row a completed safepoint: when, which operation, each phase in ms, and `rest_ms`, left open by the log."""
    rows = _of_kind(frame, handshake=False)
    table = pd.DataFrame({name: style.numbers(rows, name) for name in ("uptime_s", *PARTS, "total_ms")})
    table["operation"] = rows["operation"].astype("string") if "operation" in rows else pd.NA
    known = table[list(PARTS)].sum(axis=1, min_count=1)
    table["total_ms"] = table["total_ms"].fillna(known)
    unlogged = table[["ttsp_ms", "operation_ms"]].isna().any(axis=1)  # the whole is known, its main parts are not
    table["rest_ms"] = (table["total_ms"] - known.fillna(0)).clip(lower=0).where(unlogged)
    return table[table["total_ms"].notna()].reset_index(drop=True)  # frames that were joined repeat their indexes


def _of_kind(frame: pd.DataFrame, handshake: bool) -> pd.DataFrame:
    if "kind" not in frame:
        return frame.iloc[:0] if handshake else frame
    return frame[(frame["kind"] == "handshake").fillna(False).astype(bool) == handshake]


def _handshakes(frame: pd.DataFrame) -> pd.DataFrame:
    rows = _of_kind(frame, handshake=True)
    return pd.DataFrame({name: style.numbers(rows, name) for name in ("uptime_s", "total_ms")})


def _never_reached(subject: Any, frame: pd.DataFrame) -> tuple[float, float] | None:
    """From when to when a hung JVM waited for a safepoint that it never reached: (begun, deadline) in s of uptime."""
    begun = frame.attrs.get("begun_s")
    if getattr(subject, "outcome", "") != "hung" and begun is None:
        return None
    last = style.numbers(frame, "uptime_s").max()
    start = begun if begun is not None else (0.0 if np.isnan(last) else float(last))
    end = getattr(subject, "wall_ms", None)
    return float(start), max(float(start), end / 1000 if end else float(start) + 1)


def _is_log(stops: pd.DataFrame, scale: str | None) -> bool:
    if scale is not None:
        return scale == "log"
    lengths = stops["total_ms"][stops["total_ms"] > 0]
    return len(lengths) > 2 and lengths.max() > SPREAD * lengths.median()


def _longest_of_each_slice(stops: pd.DataFrame) -> pd.DataFrame:
    if len(stops) <= SLICES:
        return stops
    slices = pd.cut(stops["uptime_s"], SLICES, labels=False)
    return stops.loc[stops.groupby(slices)["total_ms"].idxmax()]


def _bars(ax: Axes, stops: pd.DataFrame, log: bool) -> None:
    """Stack each stop's phases; on a log axis they are shares of the bar, since lengths do not add up there."""
    low = _floor(stops) if log else 0.0
    foot, width, shown = np.full(len(stops), low), _width(stops), []
    heights = np.maximum(stops["total_ms"].to_numpy(), low)
    for name in (*PARTS, "rest_ms"):
        part = stops[name].fillna(0).to_numpy()
        if not (part > 0).any():
            continue
        top = _share_top(foot, part, heights, low, stops["total_ms"].to_numpy()) if log else foot + part
        look = style.PHASES[name]
        ax.bar(stops["uptime_s"], top - foot, width, foot, color=look.color, **_edges(look, len(stops)))
        foot = top
        shown.append(look)
    style.key(ax, shown)
    if log:
        style.log_axis(ax)
        ax.set_ylim(low, heights.max() * 3)


def _edges(look: style.Look, bars: int) -> dict[str, Any]:
    """Hatches are for bars wide enough to show them; on hairlines they would only blur and bloat the picture."""
    edge = {"hatch": look.hatch, "edgecolor": style.ink_on(look.color), "linewidth": 0.3}
    return edge if bars <= 100 else {"linewidth": 0}


def _share_top(foot: np.ndarray, part: np.ndarray, heights: np.ndarray, low: float, total: np.ndarray) -> np.ndarray:
    share = np.divide(part, total, out=np.zeros_like(part), where=total > 0)
    return np.minimum(np.exp(np.log(foot) + share * np.log(heights / low)), heights)


def _floor(stops: pd.DataFrame) -> float:
    """The foot of a log axis: the decade below the shortest stop."""
    lengths = stops["total_ms"][stops["total_ms"] > 0]
    return float(10 ** np.floor(np.log10(lengths.min()) - 0.3)) if len(lengths) else 0.1


def _width(stops: pd.DataFrame) -> float:
    first, last = _limits(stops["uptime_s"])
    return (last - first) / min(SLICES, max(60, 2 * len(stops)))


def _limits(uptimes: "pd.Series[float]") -> tuple[float, float]:
    """From the JVM's start, or from the first event where that is long after it."""
    first, last = float(uptimes.min()), float(uptimes.max())
    return (0.0, last * 1.08 or 1.0) if first < last / 2 or first == last else (first, last + (last - first) * 0.08)


def _marks(ax: Axes, handshakes: pd.DataFrame, log: bool) -> None:
    """Handshakes stop one thread at a time, not the world: open diamonds, no bars."""
    if handshakes.empty:
        return
    heights = handshakes["total_ms"].fillna(0)
    low = ax.get_ylim()[0] if log else 0.0
    ax.plot(
        handshakes["uptime_s"], heights.clip(lower=low), "D", mfc=style.PAPER, color=style.MUTED, ms=6, clip_on=False
    )
    x, y = handshakes["uptime_s"].iloc[-1], max(heights.iloc[-1], low)
    style.label(ax, x, y, "handshake", offset=(8, 10), color=style.MUTED)


def _span(ax: Axes, stops: pd.DataFrame, handshakes: pd.DataFrame, waiting: tuple[float, float] | None) -> None:
    times = pd.concat([stops["uptime_s"], handshakes["uptime_s"], pd.Series(waiting or (), dtype="float64")]).dropna()
    ax.set_xlim(*_limits(times))
    if waiting is None:
        return
    look = style.PHASES["ttsp_ms"]
    ax.axvspan(*waiting, facecolor=look.color, alpha=0.25, hatch=look.hatch, edgecolor=look.color, zorder=0)
    style.sign(ax, sum(waiting) / 2, 0.6, "begun,\nnever reached")


def _words(ax: Axes, drawn: pd.DataFrame, log: bool, count: int) -> None:
    unit = "stopped, ms (log; colours are shares)" if log else "stopped, ms"
    slices = "" if len(drawn) == count else f" (each bar: the longest of about {count // len(drawn)} stops)"
    style.axis_names(ax, f"uptime, s{slices}", unit)
    if not log:
        ax.set_ylim(0, max(drawn["total_ms"].max() * 1.15 if len(drawn) else 0, 0.01))
    for _, stop in _tallest(ax, drawn).iterrows():
        text = f"{stop['operation']} {style.ms(stop['total_ms'])}"
        style.label(ax, stop["uptime_s"], stop["total_ms"], text, offset=(0, 9), ha="side", fontweight="bold")


def _tallest(ax: Axes, drawn: pd.DataFrame) -> pd.DataFrame:
    """Up to three of the longest stops that stand far enough from each other for their names to be read."""
    first, last = ax.get_xlim()
    chosen: list[Any] = []
    most = 3 if len(drawn) <= 100 else 1
    for index, stop in drawn.nlargest(12, "total_ms").iterrows():
        near = any(abs(stop["uptime_s"] - drawn["uptime_s"][other]) < (last - first) / 3 for other in chosen)
        if not near and stop["total_ms"] > 0.2 * drawn["total_ms"].max() and len(chosen) < most:
            chosen.append(index)
    return drawn.loc[chosen]


def _finding(stops: pd.DataFrame, handshakes: pd.DataFrame, waiting: tuple[float, float] | None) -> str:
    if waiting is not None:
        begun, killed = waiting
        return (
            f"A safepoint was begun at {begun:.1f} s and never reached: {killed - begun:.1f} s later the JVM was killed"
        )
    if stops.empty:
        return f"No safepoint, {len(handshakes):,} handshakes: the world was never stopped"
    worst = stops.nlargest(1, "total_ms").iloc[0]
    if worst["total_ms"] == 0:
        return f"{len(stops):,} safepoints, each shorter than the log can tell (0 ms)"
    return f"{worst['operation']} at {worst['uptime_s']:.1f} s: {_blame(worst)}"


def _blame(stop: "pd.Series[Any]") -> str:
    """Where the longest stop's time went."""
    total = style.ms(stop["total_ms"])
    parts = stop[list(PARTS)].dropna().astype(float)
    if parts.empty or parts.max() < stop["rest_ms"]:
        known = f", {style.ms(stop['ttsp_ms'])} of it to reach the safepoint" if pd.notna(stop["ttsp_ms"]) else ""
        return f"the world stood still for {total}{known}"
    most = str(parts.idxmax())
    phase = style.PHASES[most].label + (" itself" if most == "operation_ms" else "")
    return f"{style.ms(parts.max()).removesuffix(style.MS)} of {total} went into {phase}"
