"""Safepoints (a frame of `logs.safepoint`, or a Run) -> a timeline: one bar per safepoint, split into its phases.

    plot.safepoints(run)

A bar begins where the stop began and is as wide as the stop was long, if that is wide enough to be seen. Columns used:
begin_s (else uptime_s), kind, operation, total_ms, and of ttsp_ms, cleanup_ms, operation_ms, leaving_ms those that this
JDK logs. A phase that is not logged is not drawn, and time that no phase accounts for is drawn as such: a missing value
is never 0.
"""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from safepointlab.plot import style
from safepointlab.plot._picture import picture
from safepointlab.plot._stops import PARTS, Wait, handshakes, never_reached, phases

SLICES = 250  # more bars than this cannot be told apart; then a bar is the longest stop of its slice of time
LETTER = 0.0145  # the width of a letter of a name, as a share of the picture's
SPREAD = 30  # from this ratio of longest to typical on, a linear axis would show one bar and a flat line


@picture("logs.safepoint or a Run", "total_ms", kind="safepoints")
def safepoints(subject: Any, ax: Axes | None = None, title: str | None = None, scale: str | None = None) -> Axes:
    """Draw the stops. `scale` is "linear" or "log" (height: the whole stop, colours: shares of it); None chooses."""
    frame, ax = style.table(subject, "safepoints"), style.canvas(ax)
    stops, shakes, wait = phases(frame), handshakes(frame), never_reached(subject, frame)
    if stops.empty and shakes.empty and wait is None:
        return style.empty(ax, title or "No safepoint was logged")
    log = _is_log(stops, scale)
    drawn = _longest_of_each_slice(stops)
    clock = style.moments(frame)[1]
    first, last = _limits(stops, shakes, wait)
    ax.set_xlim(first, last)
    thinnest = (last - first) / min(SLICES, max(60, 2 * len(drawn)))
    _bars(ax, drawn, log, thinnest if clock == style.ORDER else np.maximum(drawn["total_ms"] / 1000, thinnest))
    _diamonds(ax, shakes, log)
    _never(ax, wait)
    _words(ax, drawn)
    style.axis_names(ax, clock + _slices(stops, drawn), _height(ax, stops.empty and shakes.empty, log))
    style.finding(ax, title or _finding(stops, shakes, wait))
    return ax


def _height(ax: Axes, nothing: bool, log: bool) -> str:
    """What the height says; nothing, and no axis for it, where no stop has come to its end."""
    if nothing:
        ax.spines["left"].set_visible(False)
        return ""
    return "stopped, ms (log)\ncolours: shares" if log else "stopped, ms"


def _is_log(stops: pd.DataFrame, scale: str | None) -> bool:
    if scale is not None:
        return scale == "log"
    lengths = stops["total_ms"][stops["total_ms"] > 0]
    return len(lengths) > 2 and lengths.max() > SPREAD * lengths.median()


def _longest_of_each_slice(stops: pd.DataFrame) -> pd.DataFrame:
    if len(stops) <= SLICES:
        return stops
    slices = pd.cut(stops["begin_s"], SLICES, labels=False)
    return stops.loc[stops.groupby(slices)["total_ms"].idxmax()]


def _limits(stops: pd.DataFrame, shakes: pd.DataFrame, wait: Wait | None) -> tuple[float, float]:
    """From the JVM's start, or from the first event if that is long after it, to the last stop's end."""
    waited = pd.Series([wait.begin_s, wait.until_s] if wait else [], dtype="float64").dropna()
    ends = stops["begin_s"] + stops["total_ms"] / 1000
    times = pd.concat([stops["begin_s"], ends, shakes["begin_s"], waited]).dropna()
    first, last = float(times.min()), float(times.max())
    first = first if first > last / 2 and len(stops) > 1 else min(0.0, first)
    return first, last + (0.06 * (last - first) or 1.0)


def _bars(ax: Axes, stops: pd.DataFrame, log: bool, width: Any) -> None:
    """Stack each stop's phases; on a log axis they are shares of the bar, since lengths do not add up on it."""
    low, total = (_floor(stops) if log else 0.0), stops["total_ms"].to_numpy()
    foot, heights, looks = np.full(len(stops), low), np.maximum(total, low), []
    for name in (*PARTS, "rest_ms"):
        part = stops[name].fillna(0).to_numpy()
        if not (part > 0).any():
            continue
        top, look = (_share_top(foot, part / heights, heights, low) if log else foot + part), style.PHASES[name]
        ax.bar(stops["begin_s"], top - foot, width, foot, align="edge", color=look.color, **_edges(look, len(stops)))
        foot = top
        looks.append(look)
    style.key(ax, looks)
    if log:
        style.log_axis(ax)
    ax.set_ylim(low, max(heights.max(initial=0.01) * (3 if log else 1.15), 0.01))
    if stops.empty:
        ax.set_yticks([])


def _edges(look: style.Look, bars: int) -> dict[str, Any]:
    """Hatched edges for bars wide enough to show them; on hairlines they would only blur and bloat the picture."""
    edge = {"hatch": look.hatch, "edgecolor": style.ink_on(look.color), "linewidth": 0.3}
    return edge if bars <= 100 else {"linewidth": 0}


def _share_top(foot: np.ndarray, share: np.ndarray, heights: np.ndarray, low: float) -> np.ndarray:
    tops: np.ndarray = np.minimum(np.exp(np.log(foot) + share * np.log(heights / low)), heights)
    return tops


def _floor(stops: pd.DataFrame) -> float:
    """The foot of a log axis: the decade below the shortest stop."""
    lengths = stops["total_ms"][stops["total_ms"] > 0]
    return float(10 ** np.floor(np.log10(lengths.min()) - 0.3)) if len(lengths) else 0.1


def _diamonds(ax: Axes, shakes: pd.DataFrame, log: bool) -> None:
    """Draw handshakes as open diamonds, not as bars: they stop one thread at a time."""
    if shakes.empty:
        return
    low, high = ax.get_ylim()
    heights = shakes["total_ms"].fillna(0).clip(lower=low if log else 0.0)
    ax.plot(shakes["begin_s"], heights, "D", mfc=style.PAPER, color=style.MUTED, ms=6, clip_on=False)
    ax.set_ylim(low, max(high, heights.max() * 1.3))
    style.label(ax, shakes["begin_s"].iloc[-1], heights.iloc[-1], "handshake", offset=(0, 13), ha="side")


def _never(ax: Axes, wait: Wait | None) -> None:
    if wait is None:
        return
    look = style.PHASES["ttsp_ms"]
    span: dict[str, Any] = {"facecolor": look.color, "alpha": 0.25, "hatch": look.hatch, "edgecolor": look.color}
    end = ax.get_xlim()[1] if wait.until_s is None else wait.until_s
    ax.axvspan(wait.begin_s, end, zorder=0, **span)
    sign = "begun,\nnever reached" if wait.certain else "no safepoint\nis reached"
    style.sign(ax, (wait.begin_s + end) / 2, 0.6, sign)


def _words(ax: Axes, drawn: pd.DataFrame) -> None:
    """Name the longest stops, each over its own bar: a name that would lie over another one is left out."""
    for _, stop in _tallest(ax, drawn).iterrows():
        text = f"{stop['operation']} {style.ms(stop['total_ms'])}"
        middle = stop["begin_s"] + stop["total_ms"] / 2000
        if side := _free_side(ax, middle, stop["total_ms"], len(text), drawn):
            style.label(ax, middle, stop["total_ms"], text, offset=(0, 9), ha=side, fontweight="bold")


def _free_side(ax: Axes, middle: float, top: float, letters: int, drawn: pd.DataFrame) -> str:
    """Where a text of so many bold letters crosses neither a taller bar nor the picture's edge; "" if nowhere.

    It is centered over its bar, or else begins or ends there.
    """
    first, last = ax.get_xlim()
    width, taller = LETTER * letters * (last - first), drawn.loc[drawn["total_ms"] > top, "begin_s"]
    for side, left in {"center": middle - width / 2, "left": middle, "right": middle - width}.items():
        if first <= left and left + width <= last and not taller.between(left, left + width).any():
            return side
    return ""


def _tallest(ax: Axes, drawn: pd.DataFrame) -> pd.DataFrame:
    """Up to three of the longest stops, each of another name, and far enough apart for their names to be read."""
    first, last = ax.get_xlim()
    chosen: list[Any] = []
    most = 3 if len(drawn) <= 100 else 1
    for index, stop in drawn.nlargest(12, "total_ms").iterrows():
        near = any(abs(stop["begin_s"] - drawn["begin_s"][other]) < (last - first) * 0.4 for other in chosen)
        named = stop["operation"] in set(drawn.loc[chosen, "operation"])
        if not near and not named and stop["total_ms"] > 0.2 * drawn["total_ms"].max() and len(chosen) < most:
            chosen.append(index)
    return drawn.loc[chosen]


def _slices(stops: pd.DataFrame, drawn: pd.DataFrame) -> str:
    many = len(stops) // max(len(drawn), 1)
    return "" if len(drawn) == len(stops) else f" (each bar: the longest of about {many} stops)"


def _finding(stops: pd.DataFrame, shakes: pd.DataFrame, wait: Wait | None) -> str:
    if wait is not None:
        return _hang(wait)
    if stops.empty:
        return f"No safepoint, {len(shakes):,} handshakes: the world was never stopped"
    worst = stops.nlargest(1, "total_ms").iloc[0]
    if worst["total_ms"] == 0:
        return f"{len(stops):,} safepoints, each shorter than the log can tell (0 ms)"
    times = f"{len(stops):,} times, for at most" if len(stops) > 1 else "once, for"
    return f"All threads were stopped {times} {style.ms(worst['total_ms'])}{_blame(worst)}"


def _hang(wait: Wait) -> str:
    end = "the log ends there" if wait.seconds is None else f"{style.at(wait.seconds)} later the JVM was killed"
    if wait.certain:
        return f"A safepoint was begun at {style.at(wait.begin_s)} and never reached: {end}"
    if wait.begin_s == 0:
        return f"No safepoint was ever reached: {end.replace('later', 'after its start')}"
    return f"The last safepoint was reached at {style.at(wait.begin_s)} and none after it: {end}"


def _blame(stop: "pd.Series[Any]") -> str:
    """Where the longest stop's time went, as the end of a sentence."""
    parts = stop[list(PARTS)].dropna().astype(float)
    if parts.empty or parts.max() < stop["rest_ms"]:
        return f",\n{style.ms(stop['ttsp_ms'])} of it to reach the safepoint" if pd.notna(stop["ttsp_ms"]) else ""
    most = str(parts.idxmax())
    phase = style.PHASES[most].label + (" itself" if most == "operation_ms" else "")
    return f":\n{style.ms(parts.max())} of that went into {phase}"
