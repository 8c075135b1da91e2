"""The compile log of one method (logs.compilation, or a Run) -> its way: interpreter, C1, C2, and back.

    plot.tiers(run, "WhenWillItExit::lambda$inLambda$0")

Log, drawn solid: a bar is a version of the code, from the line that logs its compile (%: to be entered by OSR, at that
bci) to the cross, the line that makes it not entrant: nobody may enter it any more, but who is inside may stay. Above
it is the reason where the JDK logs one (25 and later). A solid arrow to the interpreter is a reason "uncommon trap": a
thread has left the code there. Each line of the log is a step to the right, with its number and its time at the foot:
the log has whole milliseconds, and several lines within one.

Inference, drawn dashed: the way of a thread between these lines. The log does not say in which version a thread is, nor
when a compile was done. `path=False` leaves it out. Four rules:

an OSR compile            the interpreter or C1's code counted a loop's jumps back: a thread is in that loop, and
                          enters the version at its next jump back, if its tier is higher than that of the code it is
                          in (CompilationPolicy::event asks for the next tier at least)
C2's standard compile     with C2's OSR code and C1's standard version there before it, the method has been called again
                          (CompilationPolicy::call_event asks for it only then), so that the next call enters it
a standard compile        the next call enters it; a thread that is in a loop stays where it is, and so does one that a
                          trap has put into the interpreter, if an OSR compile follows: it's in a loop, too
made not entrant          with a better version of the same kind to enter, it was replaced; without one, a thread that
                          leaves it, or calls next, is in the interpreter. The reason "uncommon trap" (JDK 25 and later)
                          says that a thread has left it there; of C2's standard version without a logged reason it is
                          assumed. Where the thread was elsewhere by the rules above, a call has taken it there before

A version off that path may still be entered: the log doesn't say when a thread in a loop returns and calls again.

Columns used: uptime_ms, compile_id, osr, tier, method, osr_bci, event; of the newer JDKs also reason.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from textwrap import wrap
from typing import Any, NamedTuple

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from safepointlab.plot import _alternative, style
from safepointlab.plot._picture import picture
from safepointlab.plot.compilations import GONE

TRAP = "uncommon trap"
ENTERED = 0.4  # of a step: a version is entered some time after its compile began
BY_OSR, BY_CALL = "OSR entry", "next call"
Lane = tuple[int, int | None]  # tier, and the bci of OSR: versions of one tier that are entered at one place share it
INTERPRETER: Lane = (0, None)
C2 = 4  # the tier
COUNTING: Lane = (3, None)  # C1's standard version that counts calls

MOST_STEPS = 14  # lines of the log that fit side by side; of more the last are drawn
TALL, STEP_WIDTH, NAMES = 1.0, 0.78, 2.3  # inches: of a lane, of a step, of the lanes' names
BAR = 0.38  # of a lane's height
BETWEEN = 0.45  # of a lane's height: words beside an arrow, over the lower one of two lanes
ROOM = 2.3  # steps behind the last line of the log, for words and for what goes on
HALO = {"facecolor": style.PAPER, "edgecolor": "none", "pad": 0.8, "alpha": 0.9}
INTERPRETED = style.Look("interpreter", "#F2F2F2")
NOT_ENTRANT, OFF_PATH = "made not entrant", "not on this path"
CROSS: dict[str, Any] = {"marker": "X", "color": style.BAD, "mec": style.PAPER, "ls": "", "ms": 14}


@dataclass(frozen=True)
class Version:
    """Code of one compile; begin and end are steps, the numbers of lines of the method's own log."""

    number: int
    lane: Lane
    begin: int
    end: int | None = None
    reason: str = ""

    @property
    def tier(self) -> int:
        return self.lane[0]


class Move(NamedTuple):
    """The thread goes from one lane to another; `logged`: the log itself says so."""

    at: float
    start: Lane
    to: Lane
    word: str
    logged: bool = False


class Way(NamedTuple):
    """Stretches in a lane (lane, from, to) and the moves between them."""

    stretches: list[tuple[Lane, float, float]]
    moves: list[Move]


@picture("logs.compilation or a Run", "event", "method", "compile_id", "osr", "tier", "osr_bci", kind="compilations")
def tiers(subject: Any, method: str, ax: Axes | None = None, title: str | None = None, path: bool = True) -> Axes:
    """Draw the versions of one method (any part of `pkg.Class::name`), and the way of a thread through them.

    Args:
        path: whether to draw that way, which is inferred; without it, the title says how many versions were logged.
    """
    name, events = events_of(style.table(subject, "compilations"), method)
    versions = versions_of(events)
    lanes = sorted({INTERPRETER, *(version.lane for version in versions)}, key=lambda lane: (lane[0], lane[1] or -1))
    width = min(max(9.0, NAMES + STEP_WIDTH * (len(events) + ROOM)), 11.5)
    ax = style.canvas(ax, width, 1.9 + TALL * len(lanes))
    if not versions:
        return style.empty(ax, title or f"No compile was logged of {method}")
    way = way_of(versions, len(events)) if path else Way([], [])
    unused = [version for version in versions if path and not _has_entered(way, version)]
    _draw_frame(ax, lanes, events, path)
    for version in versions:
        _draw_version(ax, lanes.index(version.lane), version, version not in unused)
    _draw_way(ax, lanes, way)
    _draw_key(ax, versions)
    said = _finding(name, way, events) if path else f"{name.rpartition('::')[2]}: {len(versions)} compiled versions"
    style.finding(ax, title or _wrap_title(said, width))
    _alternative.own(ax, _words(versions, unused, way, events))
    return ax


def events_of(frame: pd.DataFrame, method: str) -> tuple[str, pd.DataFrame]:
    """The method's full name and its lines: of those whose name ends with `method`, else has it, the first."""
    names = [str(name) for name in frame["method"].dropna().unique()]
    wanted = method.replace("/", ".")
    fitting = [name for name in names if name.endswith(wanted)] + [name for name in names if wanted in name]
    name = fitting[0] if fitting and method else ""
    own = frame[frame["method"].eq(name).fillna(False) & frame["event"].isin(("compiled", *GONE))]
    return name, own.drop_duplicates(["compile_id", "osr", "event"]).reset_index(drop=True)


def versions_of(events: pd.DataFrame) -> list[Version]:
    """The versions in the order of their compiles; a line without one that begins it belongs to an earlier log."""
    versions: dict[tuple[int, bool], Version] = {}
    for step, row in enumerate(events.to_dict("records")):
        key = int(row["compile_id"]), bool(row["osr"])
        if row["event"] == "compiled":
            tier = C2 if pd.isna(row["tier"]) else int(row["tier"])
            bci = -1 if pd.isna(row["osr_bci"]) else int(row["osr_bci"])
            versions[key] = Version(key[0], (tier, bci if key[1] else None), step)
        elif key in versions and versions[key].end is None:
            reason = row.get("reason")  # JDK 8 forgets the bci of discarded code: the version stays in its lane
            versions[key] = replace(versions[key], end=step, reason="" if pd.isna(reason) else str(reason))
    return list(versions.values())


def _rank(tier: int) -> int:
    """How good the code of a tier is; tier 1 is the last word on a trivial method, as tier 4 is on others."""
    return C2 if tier == 1 else tier


def way_of(versions: Sequence[Version], steps: int) -> Way:
    """The thread's way from before the first line to behind the last, by the four rules above."""
    moves: list[Move] = []
    last_osr = max((version.begin for version in versions if version.lane[1] is not None), default=-1)
    for step in range(steps):
        for version in versions:
            where = moves[-1].to if moves else INTERPRETER
            by_osr, word = version.lane[1] is not None, BY_CALL if version.lane[1] is None else BY_OSR
            in_loop = where[1] is not None or (bool(moves) and moves[-1].logged and step < last_osr)
            better = _rank(version.tier) > _rank(where[0]) and (by_osr or not in_loop)
            if version.begin == step and (better or _is_called_again(version, where, versions)):
                moves.append(Move(step + ENTERED, where, version.lane, word))
            if version.end == step and not _is_replaced(version, step, versions):
                trapped = version.reason == TRAP
                left = version.lane == (C2, None) and not version.reason
                if where != version.lane and (trapped or left):
                    moves.append(Move(step - ENTERED, where, version.lane, word))
                    where = version.lane
                if where == version.lane:
                    moves.append(Move(float(step), where, INTERPRETER, version.reason or NOT_ENTRANT, trapped))
    begins, ends = [-1.0, *(move.at for move in moves)], [*(move.at for move in moves), steps - 1 + ROOM]
    lanes = [INTERPRETER, *(move.to for move in moves)]
    return Way(list(zip(lanes, begins, ends, strict=True)), moves)


def _is_called_again(version: Version, where: Lane, versions: Sequence[Version]) -> bool:
    """Whether it's C2's standard version, made for a method whose thread is in C2's OSR code, after C1's with counters.

    C2 gets that version to compile only if C1's has been called, see CompilationPolicy::call_event.
    """
    in_osr = where[0] == C2 and where[1] is not None
    counted = any(other.lane == COUNTING and other.begin < version.begin for other in versions)
    return version.lane == (C2, None) and in_osr and counted


def _is_replaced(version: Version, step: int, versions: Sequence[Version]) -> bool:
    """Whether a better version can be entered at the same place behind that line."""
    return any(
        other.lane[1] == version.lane[1]
        and _rank(other.tier) > _rank(version.tier)
        and other.begin <= step
        and (other.end is None or other.end > step)
        for other in versions
    )


def _has_entered(way: Way, version: Version) -> bool:
    """Whether the thread was in the version's lane while that lived."""
    end = float("inf") if version.end is None else version.end
    return any(lane == version.lane and start < end and stop > version.begin for lane, start, stop in way.stretches)


def _draw_frame(ax: Axes, lanes: list[Lane], events: pd.DataFrame, path: bool) -> None:
    """The lanes with their names, the number and time of each line of the log, and what the dashes of a path are."""
    first = max(len(events) - MOST_STEPS, 0)
    ax.set(xlim=(first - 1.2, len(events) - 1 + ROOM), ylim=(-0.55, len(lanes) - 0.35))
    ax.set_yticks(range(len(lanes)), [_name(lane) for lane in lanes])
    ticks = [f"{line}\n{time:,.0f}" for line, time in enumerate(events["uptime_ms"], 1)]
    ax.set_xticks(range(first, len(events)), ticks[first:])
    ax.tick_params(axis="y", length=0, labelsize=style.SMALL_PT)
    ax.tick_params(axis="x", labelsize=style.SMALL_PT)
    ax.axhspan(-BAR / 2, BAR / 2, color=INTERPRETED.color, lw=0)
    hidden = f"; {first} earlier ones left out" if first else ""
    dashed = "\ndashed: the likely path of a thread, inferred from the log" if path else ""
    style.axis_names(ax, f"line of the log, and its uptime in ms (not to scale){hidden}{dashed}")


def _name(lane: Lane) -> str:
    if lane == INTERPRETER:
        return "interpreter (0)"
    tier, bci = lane
    return f"{'C2' if tier == C2 else 'C1'} ({tier})" + ("" if bci is None else f", OSR @ {bci}")


def _draw_key(ax: Axes, versions: list[Version]) -> None:
    """One row under the title: the tiers, and how OSR and a cross are drawn where the picture has them."""
    looks = [style.TIERS[tier] for tier in sorted({version.tier for version in versions})]
    looks += [style.Look("entered by OSR", style.PAPER, "///")] * any(one.lane[1] is not None for one in versions)
    handles: list[Any] = [
        Patch(fc=look.color, ec=style.ink_on(look.color), hatch=look.hatch, label=look.label) for look in looks
    ]
    if any(version.end is not None for version in versions):
        handles.append(Line2D([], [], **CROSS, label=NOT_ENTRANT))
    ax.legend(handles=handles, ncols=len(handles), handlelength=1.4, **style.KEY | {"columnspacing": 1.0})


def _draw_version(ax: Axes, lane: int, version: Version, entered: bool) -> None:
    """The version from its compile to the cross, its number below, and above the cross the reason if there is one."""
    look, end = style.TIERS[version.tier], ax.get_xlim()[1] if version.end is None else version.end
    hatch = "" if version.lane[1] is None else "///"
    edge: dict[str, Any] = {"hatch": hatch, "edgecolor": style.ink_on(look.color), "linewidth": 0}
    ax.barh(lane, end - version.begin, BAR, version.begin, color=look.color, **edge)
    small: dict[str, Any] = {"fontsize": style.SMALL_PT, "clip_on": True, "linespacing": 1.0}
    number = f"{version.number}" if entered else f"{version.number}: {OFF_PATH}"
    ax.text(version.begin, lane - BAR / 2 - 0.04, number, va="top", zorder=7, bbox=HALO, **small)
    if version.end is not None:
        ax.plot(end, lane, **CROSS, zorder=8)
        reason = "\n".join(wrap(version.reason, 16))
        ax.text(end - 0.1, lane + BAR / 2 + 0.04, reason, color=style.BAD, va="bottom", bbox=HALO, zorder=7, **small)


def _draw_way(ax: Axes, lanes: list[Lane], way: Way) -> None:
    """Dashed lines in the lanes, arrows between them; the words of an arrow are on the left of it."""
    for lane, begin, stop in way.stretches:
        for color, wide in ((style.PAPER, 5.0), (style.INK, 2.4)):
            ax.plot([begin, stop], [lanes.index(lane)] * 2, "--", color=color, lw=wide, zorder=6)
    for move in way.moves:
        start, end = lanes.index(move.start), lanes.index(move.to)
        color = style.BAD if move.to == INTERPRETER else style.INK
        look: dict[str, Any] = {"arrowstyle": "-|>,head_width=0.35,head_length=0.7", "color": color, "lw": 2.4}
        look |= {"linestyle": "-" if move.logged else "--", "shrinkA": 0, "shrinkB": 0}
        ax.annotate("", (move.at, end), (move.at, start), arrowprops=look, zorder=6.5)
        if move.to != INTERPRETER:
            font: dict[str, Any] = {"fontsize": style.SMALL_PT, "ha": "right", "va": "center", "zorder": 8}
            lower = start if end > start else start - 1
            ax.text(move.at - 0.1, lower + BETWEEN, move.word, clip_on=True, bbox=HALO, **font)


def _finding(name: str, way: Way, events: pd.DataFrame) -> str:
    """ "count falls back to the interpreter at 47 ms, then enters C2's code by OSR"."""
    method = name.rpartition("::")[2]
    if not way.moves:
        return f"{method} stays in the interpreter"
    falls = [number for number, move in enumerate(way.moves) if move.to == INTERPRETER]
    if not falls:
        last = way.moves[-1]
        return f"{method}: {_entry(last)}{' in mid-loop' if last.word == BY_OSR else ''}"
    first, later = way.moves[falls[0]], way.moves[falls[0] + 1 :]
    time = f"{events['uptime_ms'].iloc[int(first.at)]:,.0f}{style.MS}"
    ups = [move for move in later if move.to != INTERPRETER]
    again = f", then {_entry(ups[-1])}" if ups else ""
    if ups and ups[-1].word == BY_OSR:  # the subject is still the method
        again = f", then enters {_compiler(ups[-1])}'s code by OSR"
    return f"{method} falls back to the interpreter at {time}{again}"


def _entry(move: Move) -> str:
    """ "OSR enters C2's code"."""
    compiler = _compiler(move)
    return f"OSR enters {compiler}'s code" if move.word == BY_OSR else f"a call enters {compiler}'s standard version"


def _compiler(move: Move) -> str:
    return "C2" if move.to[0] == C2 else "C1"


def _wrap_title(text: str, width: float) -> str:
    """The title in lines of like length, at most as wide as the Axes, which the names of the lanes make narrow.

    `width` is in inches.
    """
    letters = int((width - NAMES) * 72 / (style.TITLE_PT * 0.65))
    even = min(letters, len(text) // 2 + 8) if len(text) > letters else letters
    return "\n".join(wrap(text, even, max_lines=2, placeholder=" …", break_on_hyphens=False))


def _words(versions: list[Version], unused: list[Version], way: Way, events: pd.DataFrame) -> str:
    """What the log says and what is inferred, apart from each other."""
    times, logged = [f"{time:,.0f} ms" for time in events["uptime_ms"]], []
    for one in versions:
        end = "the end" if one.end is None else f"{times[one.end]}, {one.reason or NOT_ENTRANT}"
        logged.append(f"compile {one.number}, {_name(one.lane)}, from {times[one.begin]} to {end}")
    moves = [f"from {_name(move.start)} to {_name(move.to)} ({move.word})" for move in way.moves]
    unentered = "".join(f" It doesn't lead through {one.number}." for one in unused)
    if not way.stretches:
        return f"Logged: {'; '.join(logged)}."
    return f"Logged: {'; '.join(logged)}. Inferred path of a thread: {'; '.join(moves)}.{unentered}"
