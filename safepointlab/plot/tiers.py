"""The compile log of one method (read.compilation, or a Run) -> its way: interpreter, C1, C2, and back.

    plot.tiers(run, "WhenWillItExit::lambda$inLambda$0")

Log, drawn solid: a bar is a version of the code, from the line that logs its compile (%: to be entered by OSR, at that
bci) to the cross, the line that makes it not entrant, with the reason where the JDK logs one (25 and later). A solid
arrow to the interpreter is a reason "uncommon trap": a thread has left the code there.

Inference, drawn dashed: the way of a thread between these lines, by the rules of _thread_way.py. The log does not say
in which version a thread is, nor when a compile was done. Each line of the log is a step to the right, so that what
happens within a millisecond can be told apart; the time is at the foot.

Columns used: uptime_ms, compile_id, osr, tier, method, osr_bci, event; of the newer JDKs also reason.
"""

from textwrap import wrap
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from safepointlab.plot import _alternative, style
from safepointlab.plot._picture import picture
from safepointlab.plot._thread_way import INTERPRETER, Lane, Move, Version, Way, events_of, versions_of, way_of

MOST_STEPS = 14  # lines of the log that fit side by side; of more the last are drawn
TALL, STEP_WIDTH, NAMES = 0.9, 0.68, 2.3  # inches: of a lane, of a step, of the lanes' names
BAR = 0.42  # of a lane's height
ABOVE, BELOW = 0.36, 0.33  # of a lane's height: words over a bar's lane, and under a bar
ROOM = 2.3  # steps behind the last line of the log, for words and for what goes on
HALO = {"facecolor": style.PAPER, "edgecolor": "none", "pad": 0.8, "alpha": 0.9}
INTERPRETED = style.Look("interpreter", "#F2F2F2")


@picture("read.compilation or a Run", "event", "method", "compile_id", "osr", "tier", "osr_bci", kind="compilations")
def tiers(subject: Any, method: str, ax: Axes | None = None, title: str | None = None) -> Axes:
    """Draw the versions of one method (any part of `pkg.Class::name`), and the way of a thread through them."""
    name, events = events_of(style.table(subject, "compilations"), method)
    versions = versions_of(events)
    lanes = sorted({INTERPRETER, *(version.lane for version in versions)}, key=lambda lane: (lane[0], lane[1] or -1))
    width = min(max(9.0, NAMES + STEP_WIDTH * (len(events) + ROOM)), 11.5)
    ax = style.canvas(ax, width, 1.9 + TALL * len(lanes))
    if not versions:
        return style.empty(ax, title or f"No compile was logged of {method}")
    way = way_of(versions, len(events))
    way.stretches[-1] = (*way.stretches[-1][:2], len(events) - 1 + ROOM)
    _frame(ax, lanes, events)
    for version in versions:
        _bar(ax, lanes.index(version.lane), version)
    _way(ax, lanes, way)
    looks = {version.tier: style.TIERS[version.tier] for version in versions}
    osr = [style.Look("entered by OSR", style.PAPER, "///")] if any(one.bci is not None for one in versions) else []
    style.key(ax, [*(looks[tier] for tier in sorted(looks)), *osr])
    style.finding(ax, title or _wrapped(_finding(name, way, events), width))
    _alternative.own(ax, _spoken(versions, way, events))
    return ax


def _frame(ax: Axes, lanes: list[Lane], events: pd.DataFrame) -> None:
    """The lanes with their names, and the time of each line of the log."""
    first = max(len(events) - MOST_STEPS, 0)
    ax.set(xlim=(first - 0.9, len(events) - 1 + ROOM), ylim=(-0.55, len(lanes) - 0.35))
    ax.set_yticks(range(len(lanes)), [_name(lane) for lane in lanes])
    ax.set_xticks(range(first, len(events)), [_ms(time) for time in events["uptime_ms"][first:]])
    ax.tick_params(axis="y", length=0, labelsize=style.SMALL_PT)
    ax.tick_params(axis="x", labelsize=style.SMALL_PT)
    ax.axhspan(-BAR / 2, BAR / 2, color=INTERPRETED.color, lw=0)
    hidden = f"; {first} earlier ones left out" if first else ""
    style.axis_names(ax, f"uptime, ms, a step for each line of the log{hidden}\ndashed: inferred, not logged")


def _ms(time: float) -> str:
    return f"{time:,.0f}"


def _name(lane: Lane) -> str:
    tier, bci = lane
    if lane == INTERPRETER:
        return "interpreter (0)"
    compiler = "C2" if tier == 4 else "C1"
    return f"{compiler} ({tier})" if bci is None else f"{compiler} ({tier}), OSR @ {bci}"


def _bar(ax: Axes, lane: int, version: Version) -> None:
    look, end = style.TIERS[version.tier], ax.get_xlim()[1] if version.end is None else version.end
    ink = style.ink_on(look.color)
    hatch = "///" if version.bci is not None else ""
    ax.barh(lane, end - version.begin, BAR, version.begin, color=look.color, hatch=hatch, edgecolor=ink, linewidth=0)
    small: dict[str, Any] = {"fontsize": style.SMALL_PT, "va": "center", "clip_on": True}
    ax.text(version.begin, lane - BELOW, str(version.number), **small)
    if version.end is not None:
        ax.plot(end, lane, "X", color=style.BAD, mec=style.PAPER, ms=14, zorder=8)
        reason = "\n".join(wrap(version.reason or "made not entrant", 16))
        ax.text(end + 0.2, lane, reason, color=style.BAD, bbox=HALO, zorder=7, linespacing=1.0, **small)


def _way(ax: Axes, lanes: list[Lane], way: Way) -> None:
    for lane, start, end in way.stretches:
        for color, wide in ((style.PAPER, 5.0), (style.INK, 2.4)):
            ax.plot([start, end], [lanes.index(lane)] * 2, "--", color=color, lw=wide, zorder=6)
    for move in way.moves:
        _move(ax, lanes, move)


def _move(ax: Axes, lanes: list[Lane], move: Move) -> None:
    """An arrow from lane to lane; its words stand beside its begin."""
    start, end = lanes.index(move.start), lanes.index(move.to)
    color = style.BAD if move.to == INTERPRETER else style.INK
    look: dict[str, Any] = {"arrowstyle": "-|>,head_width=0.35,head_length=0.7", "color": color, "lw": 2.4}
    look |= {"linestyle": "-" if move.logged else "--", "shrinkA": 0, "shrinkB": 0}
    ax.annotate("", (move.at, end), (move.at, start), arrowprops=look, zorder=6.5)
    if move.to != INTERPRETER:
        font: dict[str, Any] = {"fontsize": style.SMALL_PT, "va": "center", "zorder": 8, "bbox": HALO, "clip_on": True}
        ax.text(move.at + 0.1, start + ABOVE, move.word, **font)


def _finding(name: str, way: Way, events: pd.DataFrame) -> str:
    """ "lambda$0: C2 by OSR at 60 ms, interpreter at 1,545 ms, C2 by OSR at 1,547 ms"."""
    best = max((move.to[0] for move in way.moves), default=0)
    told = [_told(move, events) for move in way.moves if move.to[0] in (0, best)]
    more = ", …" if len(told) > 3 else ""
    return f"{name.rpartition('::')[2]}: {', '.join(told[:3]) or 'always the interpreter'}{more}"


def _told(move: Move, events: pd.DataFrame) -> str:
    compiler = f"{'C2' if move.to[0] == 4 else 'C1'}{' by OSR' if move.to[1] is not None else ''}"
    lane = "interpreter" if move.to == INTERPRETER else compiler
    return f"{lane} at {_ms(events['uptime_ms'].iloc[int(move.at)])}{style.MS}"


def _wrapped(text: str, width: float) -> str:
    """The title in lines as wide as the Axes, which the names of the lanes make narrow; `width` is in inches."""
    return "\n".join(wrap(text, int((width - NAMES) * 72 / (style.TITLE_PT * 0.65)), max_lines=2, placeholder=" …"))


def _spoken(versions: list[Version], way: Way, events: pd.DataFrame) -> str:
    times = [f"{_ms(time)} ms" for time in events["uptime_ms"]]
    logged = [
        f"compile {one.number}, {_name(one.lane)}, from {times[one.begin]} {_ended(one, times)}" for one in versions
    ]
    moves = [f"from {_name(move.start)} to {_name(move.to)} ({move.word})" for move in way.moves]
    return f"Logged: {'; '.join(logged)}. Inferred way of a thread: {'; '.join(moves)}."


def _ended(version: Version, times: list[str]) -> str:
    if version.end is None:
        return "to the end"
    return f"to {times[version.end]}, {version.reason or 'made not entrant'}"
