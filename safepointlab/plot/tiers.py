"""The compile log of one method (logs.compilation, or a Run) -> its way: interpreter, C1, C2, and back.

    plot.tiers(run, "WhenWillItExit::lambda$inLambda$0")

Log, drawn solid: a bar is a version of the code, from the line that logs its compile (%: to be entered by OSR, at that
bci) to the cross, the line that makes it not entrant; above it the reason where the JDK logs one (25 and later). A
solid arrow to the interpreter is a reason "uncommon trap": a thread has left the code there.

Inference, drawn dashed: the way of a thread between these lines, by the rules of _thread_way.py. The log does not say
in which version a thread is, nor when a compile was done. Each line of the log is a step to the right, with its number
and its time at the foot: the log has whole milliseconds, and several lines within one.

Columns used: uptime_ms, compile_id, osr, tier, method, osr_bci, event; of the newer JDKs also reason.
"""

from textwrap import wrap
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from safepointlab.plot import _alternative, style
from safepointlab.plot._picture import picture
from safepointlab.plot._thread_way import BY_OSR, INTERPRETER, Lane, Move, Version, Way, events_of, versions_of, way_of

MOST_STEPS = 14  # lines of the log that fit side by side; of more the last are drawn
TALL, STEP_WIDTH, NAMES = 1.0, 0.68, 2.3  # inches: of a lane, of a step, of the lanes' names
BAR = 0.38  # of a lane's height
BETWEEN = 0.45  # of a lane's height: words beside an arrow, over the lower one of two lanes
ROOM = 2.3  # steps behind the last line of the log, for words and for what goes on
HALO = {"facecolor": style.PAPER, "edgecolor": "none", "pad": 0.8, "alpha": 0.9}
INTERPRETED = style.Look("interpreter", "#F2F2F2")
NOT_ENTRANT, NOBODY = "made not entrant", "nobody enters it"
CROSS: dict[str, Any] = {"marker": "X", "color": style.BAD, "mec": style.PAPER, "ls": "", "ms": 14}


@picture("logs.compilation or a Run", "event", "method", "compile_id", "osr", "tier", "osr_bci", kind="compilations")
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
    unused = [version for version in versions if not way.has_entered(version)]
    _frame(ax, lanes, events, f"dashed{f', and “{NOBODY}”' if unused else ''}: inferred, not logged")
    for version in versions:
        _bar(ax, lanes.index(version.lane), version, version not in unused)
    _way(ax, lanes, way)
    _key(ax, versions)
    style.finding(ax, title or _wrapped(_finding(name, way, events), width))
    _alternative.own(ax, _spoken(versions, way, events))
    return ax


def _frame(ax: Axes, lanes: list[Lane], events: pd.DataFrame, inferred: str) -> None:
    """The lanes with their names, the number and time of each line of the log, and what is inferred."""
    first = max(len(events) - MOST_STEPS, 0)
    ax.set(xlim=(first - 1.2, len(events) - 1 + ROOM), ylim=(-0.55, len(lanes) - 0.35))
    ax.set_yticks(range(len(lanes)), [_name(lane) for lane in lanes])
    times = enumerate(events["uptime_ms"], 1)
    ax.set_xticks(range(first, len(events)), [f"{line}\n{_ms(time)}" for line, time in times][first:])
    ax.tick_params(axis="y", length=0, labelsize=style.SMALL_PT)
    ax.tick_params(axis="x", labelsize=style.SMALL_PT)
    ax.axhspan(-BAR / 2, BAR / 2, color=INTERPRETED.color, lw=0)
    hidden = f"; {first} earlier ones left out" if first else ""
    style.axis_names(ax, f"line of the log, and its uptime in ms (not to scale){hidden}\n{inferred}")


def _ms(time: float) -> str:
    return f"{time:,.0f}"


def _name(lane: Lane) -> str:
    tier, bci = lane
    if lane == INTERPRETER:
        return "interpreter (0)"
    compiler = "C2" if tier == 4 else "C1"
    return f"{compiler} ({tier})" if bci is None else f"{compiler} ({tier}), OSR @ {bci}"


def _key(ax: Axes, versions: list[Version]) -> None:
    """One row under the title: the tiers, and how OSR and a cross are drawn where the picture has them."""
    looks = [style.TIERS[tier] for tier in sorted({version.tier for version in versions})]
    looks += [style.Look("entered by OSR", style.PAPER, "///")] * any(one.bci is not None for one in versions)
    handles: list[Any] = [
        Patch(fc=look.color, ec=style.ink_on(look.color), hatch=look.hatch, label=look.label) for look in looks
    ]
    if any(version.end is not None for version in versions):
        handles.append(Line2D([], [], **CROSS, label=NOT_ENTRANT))
    size: dict[str, Any] = {"fontsize": style.SMALL_PT, "handlelength": 1.4, "columnspacing": 1.0, "frameon": False}
    ax.legend(handles=handles, ncols=len(handles), **size, **style.KEY_PLACE)


def _bar(ax: Axes, lane: int, version: Version, entered: bool) -> None:
    """The version from its compile to the cross, its number below, and above the cross the reason if there is one."""
    look, end = style.TIERS[version.tier], ax.get_xlim()[1] if version.end is None else version.end
    ink = style.ink_on(look.color)
    hatch = "///" if version.bci is not None else ""
    ax.barh(lane, end - version.begin, BAR, version.begin, color=look.color, hatch=hatch, edgecolor=ink, linewidth=0)
    small: dict[str, Any] = {"fontsize": style.SMALL_PT, "clip_on": True, "linespacing": 1.0}
    number = f"{version.number}" if entered else f"{version.number}: {NOBODY}"
    ax.text(version.begin, lane - BAR / 2 - 0.04, number, va="top", zorder=7, bbox=HALO, **small)
    if version.end is not None:
        ax.plot(end, lane, **CROSS, zorder=8)
        reason = "\n".join(wrap(version.reason, 16))
        ax.text(end - 0.1, lane + BAR / 2 + 0.04, reason, color=style.BAD, va="bottom", bbox=HALO, zorder=7, **small)


def _way(ax: Axes, lanes: list[Lane], way: Way) -> None:
    for lane, start, end in way.stretches:
        for color, wide in ((style.PAPER, 5.0), (style.INK, 2.4)):
            ax.plot([start, end], [lanes.index(lane)] * 2, "--", color=color, lw=wide, zorder=6)
    for move in way.moves:
        _move(ax, lanes, move)


def _move(ax: Axes, lanes: list[Lane], move: Move) -> None:
    """An arrow from lane to lane; its words stand on the left of it, between the first lane and the next."""
    start, end = lanes.index(move.start), lanes.index(move.to)
    color = style.BAD if move.to == INTERPRETER else style.INK
    look: dict[str, Any] = {"arrowstyle": "-|>,head_width=0.35,head_length=0.7", "color": color, "lw": 2.4}
    look |= {"linestyle": "-" if move.logged else "--", "shrinkA": 0, "shrinkB": 0}
    ax.annotate("", (move.at, end), (move.at, start), arrowprops=look, zorder=6.5)
    if move.to != INTERPRETER:
        font: dict[str, Any] = {"fontsize": style.SMALL_PT, "ha": "right", "va": "center", "zorder": 8, "bbox": HALO}
        lower = start if end > start else start - 1
        ax.text(move.at - 0.1, lower + BETWEEN, move.word, clip_on=True, **font)


def _finding(name: str, way: Way, events: pd.DataFrame) -> str:
    """ "count falls back to the interpreter at 47 ms, then OSR enters C2's code"."""
    method = name.rpartition("::")[2]
    if not way.moves:
        return f"{method} stays in the interpreter"
    falls = [number for number, move in enumerate(way.moves) if move.to == INTERPRETER]
    if not falls:
        last = way.moves[-1]
        return f"{method}: {_told(last)}{' in mid-loop' if last.word == BY_OSR else ''}"
    first, later = way.moves[falls[0]], way.moves[falls[0] + 1 :]
    time = f"{_ms(events['uptime_ms'].iloc[int(first.at)])}{style.MS}"
    ups = [move for move in later if move.to != INTERPRETER]
    return f"{method} falls back to the interpreter at {time}{f', then {_told(ups[-1])}' if ups else ''}"


def _told(move: Move) -> str:
    """ "OSR enters C2's code"."""
    compiler = "C2" if move.to[0] == 4 else "C1"
    return f"OSR enters {compiler}'s code" if move.word == BY_OSR else f"a call enters {compiler}'s standard version"


def _wrapped(text: str, width: float) -> str:
    """The title in lines of like length, at most as wide as the Axes, which the names of the lanes make narrow.

    `width` is in inches.
    """
    letters = int((width - NAMES) * 72 / (style.TITLE_PT * 0.65))
    even = min(letters, len(text) // 2 + 8) if len(text) > letters else letters
    return "\n".join(wrap(text, even, max_lines=2, placeholder=" …", break_on_hyphens=False))


def _spoken(versions: list[Version], way: Way, events: pd.DataFrame) -> str:
    times = [f"{_ms(time)} ms" for time in events["uptime_ms"]]
    logged = [
        f"compile {one.number}, {_name(one.lane)}, from {times[one.begin]} {_ended(one, times)}" for one in versions
    ]
    moves = [f"from {_name(move.start)} to {_name(move.to)} ({move.word})" for move in way.moves]
    unused = [f" Nobody enters {one.number}." for one in versions if not way.has_entered(one)]
    return f"Logged: {'; '.join(logged)}. Inferred way of a thread: {'; '.join(moves)}.{''.join(unused)}"


def _ended(version: Version, times: list[str]) -> str:
    if version.end is None:
        return "to the end"
    return f"to {times[version.end]}, {version.reason or NOT_ENTRANT}"
