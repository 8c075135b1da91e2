"""Safepoints (a frame of `logs.safepoint`, or a Run) -> a timeline: one bar per safepoint, split into its phases.

    plot.safepoints(run)

A bar begins where the stop began and is as wide as the stop was long, if that is wide enough to be seen. Where lengths
differ so much that the axis is logarithmic, a phase is a mark at its own length, as parts of a bar don't add up there.
Columns used:
begin_s (else uptime_s), kind, operation, total_ms, and of ttsp_ms, cleanup_ms, operation_ms, leaving_ms those that this
JDK logs. A phase that is not logged is not drawn, and time that no phase accounts for is drawn as such: a missing value
is never 0.
"""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from safepointlab.plot import style
from safepointlab.plot._picture import picture

PARTS = ("ttsp_ms", "cleanup_ms", "operation_ms", "leaving_ms")
MARKS = dict(zip((*PARTS, "rest_ms"), "o^sDX", strict=True))  # of a phase on a log axis
SLICES = 250  # more bars than this are not distinguishable; then a bar is the longest stop of its slice of time
LETTER = 0.0145  # the width of a letter of a name, as a share of the picture's
SPREAD = 30  # from this ratio of longest to typical on, a linear axis would show one bar and a flat line


class Wait(NamedTuple):
    """A JVM's wait for a safepoint that it never reached: when it began, in s of uptime, and its end, if known."""

    begin_s: float
    until_s: float | None
    certain: bool  # the log itself says that the safepoint was begun
    killed: bool  # at that end; else it waited on


@picture("logs.safepoint or a Run", "total_ms", kind="safepoints")
def safepoints(subject: Any, ax: Axes | None = None, title: str | None = None) -> Axes:
    """Draw the stops as bars split into phases, or, if their lengths differ much, as a mark per phase on a log axis."""
    frame, ax = style.table(subject, "safepoints"), style.canvas(ax)
    stops, shakes, wait = phases(frame), handshakes(frame), never_reached(subject, frame)
    if stops.empty and shakes.empty and wait is None:
        return style.empty(ax, title or "No safepoint was logged")
    lengths = stops["total_ms"][stops["total_ms"] > 0]
    log = len(lengths) > 2 and lengths.max() > SPREAD * lengths.median()
    drawn, clock = stops, style.moments(frame)[1]
    if len(stops) > SLICES:
        slices = pd.cut(stops["begin_s"], SLICES, labels=False)
        drawn = stops.loc[stops.groupby(slices)["total_ms"].idxmax()]
    first, last = _limits(stops, shakes, wait)
    ax.set_xlim(first, last)
    thinnest = (last - first) / min(SLICES, max(60, 2 * len(drawn)))
    _bars(ax, drawn, log, thinnest if clock == style.ORDER else np.maximum(drawn["total_ms"] / 1000, thinnest))
    if len(shakes):  # open diamonds and no bars: a handshake stops one thread at a time
        low, high = ax.get_ylim()
        heights = shakes["total_ms"].fillna(0).clip(lower=low if log else 0.0)
        ax.plot(shakes["begin_s"], heights, "D", mfc=style.PAPER, color=style.MUTED, ms=6, clip_on=False)
        ax.set_ylim(low, max(high, heights.max() * 1.3))
        style.label(ax, shakes["begin_s"].iloc[-1], heights.iloc[-1], "handshake", offset=(0, 13), ha="side")
    if wait is not None:
        look, end = style.PHASES["ttsp_ms"], last if wait.until_s is None else wait.until_s
        span: dict[str, Any] = {"facecolor": look.color, "alpha": 0.25, "hatch": look.hatch, "edgecolor": look.color}
        ax.axvspan(wait.begin_s, end, zorder=0, **span)
        sign = "begun,\nnever reached" if wait.certain else "no safepoint\nis reached"
        style.sign(ax, (wait.begin_s + end) / 2, 0.6, sign)
    _name_the_longest(ax, drawn, log)
    if len(drawn) < len(stops):
        clock += f" (each {'line' if log else 'bar'}: the longest of about {len(stops) // len(drawn)} stops)"
    height = "ms (log), line: from\nrequest to resume" if log else "from request\nto resume, ms"
    if stops.empty and shakes.empty:  # no stop has come to its end: the height says nothing
        ax.spines["left"].set_visible(False)
        height = ""
    style.axis_names(ax, clock, height)
    style.finding(ax, title or _finding(stops, shakes, wait))
    return ax


def phases(frame: pd.DataFrame) -> pd.DataFrame:
    """One row per completed safepoint: begin_s, operation, each phase, total_ms, and rest_ms, which no phase covers."""
    rows = frame[~_are_handshakes(frame)]
    stops = pd.DataFrame({name: style.numbers(rows, name) for name in (*PARTS, "total_ms")})
    stops["begin_s"] = style.moments(rows)[0]
    stops["operation"] = rows["operation"].astype("string").fillna("a stop") if "operation" in rows else "a stop"
    known = stops[list(PARTS)].sum(axis=1, min_count=1)
    stops["total_ms"] = stops["total_ms"].fillna(known)
    unlogged = stops[["ttsp_ms", "operation_ms"]].isna().any(axis=1)  # the whole is known, its main parts are not
    stops["rest_ms"] = (stops["total_ms"] - known.fillna(0)).clip(lower=0).where(unlogged)
    return stops.dropna(subset=["total_ms", "begin_s"]).reset_index(drop=True)  # joined frames repeat their indexes


def handshakes(frame: pd.DataFrame) -> pd.DataFrame:
    """One row per handshake: begin_s and total_ms."""
    rows = frame[_are_handshakes(frame)]
    return pd.DataFrame({"begin_s": style.moments(rows)[0], "total_ms": style.numbers(rows, "total_ms")})


def _are_handshakes(frame: pd.DataFrame) -> "pd.Series[bool]":
    kind = frame["kind"] if "kind" in frame else pd.Series("", index=frame.index)
    return (kind == "handshake").fillna(False).astype(bool)


def never_reached(subject: Any, frame: pd.DataFrame) -> Wait | None:
    """The wait of a hung JVM, by its log (`attrs["begun_s"]`, set by the reader) or by the Run's outcome.

    If somebody else knows how long it waited at least, that is in `attrs["waits_until_s"]`.
    """
    logged_s = frame.attrs.get("begun_s")
    if getattr(subject, "outcome", "") != "hung" and logged_s is None:
        return None
    last_s = style.moments(frame)[0].max()
    begin_s = float(logged_s if logged_s is not None else 0.0 if np.isnan(last_s) else last_s)
    wall_ms = getattr(subject, "wall_ms", None)
    until_s = wall_ms / 1000 if wall_ms else frame.attrs.get("waits_until_s")
    return Wait(begin_s, None if until_s is None else max(begin_s, until_s), logged_s is not None, bool(wall_ms))


def _limits(stops: pd.DataFrame, shakes: pd.DataFrame, wait: Wait | None) -> tuple[float, float]:
    """From the JVM's start, or from the first event if that is long after it, to the last stop's end."""
    waited = pd.Series([wait.begin_s, wait.until_s] if wait else [], dtype="float64").dropna()
    ends = stops["begin_s"] + stops["total_ms"] / 1000
    times = pd.concat([stops["begin_s"], ends, shakes["begin_s"], waited]).dropna()
    first, last = float(times.min()), float(times.max())
    first = first if first > last / 2 and len(stops) > 1 else min(0.0, first)
    return first, last + (0.06 * (last - first) or 1.0)


def _bars(ax: Axes, stops: pd.DataFrame, log: bool, width: Any) -> None:
    """Stack each stop's phases; on a log axis, where lengths do not add up, mark each phase at its own length."""
    total = stops["total_ms"].to_numpy()
    parts = {name: stops[name].fillna(0).to_numpy() for name in (*PARTS, "rest_ms")}
    parts = {name: part for name, part in parts.items() if (part > 0).any()}
    shortest = min(part[part > 0].min() for part in [total, *parts.values()]) if log else 0.0
    low = float(10 ** np.floor(np.log10(shortest) - 0.3)) if log else 0.0
    foot, heights, looks = np.full(len(stops), low), np.maximum(total, low), []
    if log:
        ax.vlines(stops["begin_s"], low, heights, color=style.MUTED, linewidth=1)
    for name, part in parts.items():
        look = style.PHASES[name]
        looks.append(look)
        if log:
            mark: dict[str, Any] = {"color": look.color, "mec": style.ink_on(look.color), "mew": 0.5, "ms": 8}
            ax.plot(stops["begin_s"][part > 0], part[part > 0], MARKS[name], label=look.label, **mark)
            continue
        top = foot + part
        # hatches only on bars wide enough to show them: on hairlines they would blur and bloat the picture
        hatched = {"hatch": look.hatch, "edgecolor": style.ink_on(look.color), "linewidth": 0.3}
        edge: dict[str, Any] = hatched if len(stops) <= 100 else {"linewidth": 0}
        ax.bar(stops["begin_s"], top - foot, width, foot, align="edge", color=look.color, **edge)
        foot = top
    style.key(ax, looks)
    if log:
        style.log_axis(ax)
    ax.set_ylim(low, max(heights.max(initial=0.01) * (5 if log else 1.15), 0.01))
    if stops.empty:
        ax.set_yticks([])


def _name_the_longest(ax: Axes, drawn: pd.DataFrame, log: bool) -> None:
    """Name up to three of the longest stops, of different names and far apart, each over its own bar.

    A name is centered over its bar, or else begins or ends there; one that would cross a taller bar or the picture's
    edge is left out.
    """
    first, last = ax.get_xlim()
    chosen: list[Any] = []
    for index, stop in drawn.nlargest(12, "total_ms").iterrows():
        near = any(abs(stop["begin_s"] - drawn["begin_s"][other]) < (last - first) * 0.4 for other in chosen)
        named = stop["operation"] in set(drawn.loc[chosen, "operation"])
        large = stop["total_ms"] > 0.2 * drawn["total_ms"].max()
        if not near and not named and large and len(chosen) < (3 if len(drawn) <= 100 else 1):
            chosen.append(index)
    for _, stop in drawn.loc[chosen].iterrows():
        top, middle = stop["total_ms"], stop["begin_s"] + (0 if log else stop["total_ms"] / 2000)
        text = f"{stop['operation']} {style.ms(top)}"
        width, taller = LETTER * len(text) * (last - first), drawn.loc[drawn["total_ms"] > top, "begin_s"]
        for side, left in {"center": middle - width / 2, "left": middle, "right": middle - width}.items():
            if first <= left and left + width <= last and not taller.between(left, left + width).any():
                above = 13 if log else 9  # points: a mark needs more room than the top of a bar
                style.label(ax, middle, top, text, offset=(0, above), ha=side, fontweight="bold")
                break


def _finding(stops: pd.DataFrame, shakes: pd.DataFrame, wait: Wait | None) -> str:
    """The wait that never ended; else how long the longest stop was, and where its time went."""
    if wait is not None:
        then = "the JVM was killed" if wait.killed else "the JVM still waited"
        waited = None if wait.until_s is None else f"{style.at(wait.until_s - wait.begin_s)} later {then}"
        end = waited or "the log ends there"
        if wait.certain:
            return f"A safepoint was begun at {style.at(wait.begin_s)} and never reached: {end}"
        if wait.begin_s == 0:
            return f"No safepoint was ever reached: {end.replace('later', 'after its start')}"
        return f"The last safepoint was reached at {style.at(wait.begin_s)} and none after it: {end}"
    if stops.empty:
        return f"No safepoint, {len(shakes):,} handshakes: the world was never stopped"
    worst = stops.nlargest(1, "total_ms").iloc[0]
    if worst["total_ms"] == 0:
        return f"{len(stops):,} safepoints, each shorter than the log can tell (0 ms)"
    which = f"The longest of {len(stops):,} safepoints" if len(stops) > 1 else "The only safepoint"
    stopped = f"{which} took {style.ms(worst['total_ms'])}"
    parts = worst[list(PARTS)].dropna().astype(float)
    if parts.empty or parts.max() < worst["rest_ms"]:
        reaching = f",\n{style.ms(worst['ttsp_ms'])} of it to reach the safepoint"
        return stopped + (reaching if pd.notna(worst["ttsp_ms"]) else "")
    most = str(parts.idxmax())
    phase = {"ttsp_ms": "reaching it", "operation_ms": "the operation itself"}.get(most, style.PHASES[most].label)
    return f"{stopped}:\n{style.ms(parts.max())} of that went into {phase}"
