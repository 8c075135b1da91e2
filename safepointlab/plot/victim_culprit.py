"""What each thread of a benchmark pays for safepoints -> one axis: who causes the wait, and who loses time.

    plot.victim_culprit(scores)           rows of lab.jmh, once without and once with safepoint requests
    plot.victim_culprit(scores, by="idle", of="idle threads")

The two settings are those of the column `by`; all else must be the same in all rows. Each row of the picture is a
thread, the axis how many times as long its median call takes in the second setting. A thread that has no call in the
first one, because it is the one that requests, shows how long it waits for a safepoint, according to the log.
"""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from safepointlab.errors import BadInput
from safepointlab.logs import jmh
from safepointlab.plot import _alternative, style
from safepointlab.plot._picture import picture

ROLES = {
    "culprit": style.Look("makes long calls", style.COLORS[0], "", "s"),
    "victim": style.Look("makes short calls", style.COLORS[1], "", "o"),
    "bystander": style.Look("only sleeps", style.COLORS[3], "", "D"),
    "asker": style.Look("requests a safepoint", style.COLORS[4], "", "^"),
}
THREADS = {  # methods of the lab's two benchmarks with such threads, unfair.Contains and cost.BesideDumps
    "contains1ToK": "culprit",
    "contains1": "victim",
    "park": "bystander",
    "findDeadlocks": "asker",
    "dumpAll": "asker",
}
Thread = dict[Any, Any]  # thread, role, alone_us, asked_us, times; and of each JVM with requests the times


@picture("lab.jmh, with two settings", "metric", "median")
def victim_culprit(
    frame: pd.DataFrame, ax: Axes | None = None, title: str | None = None, by: str = "groups", of: str = ""
) -> Axes:
    """Draw one row per thread, from 1 (without safepoint requests) to what its call takes with them.

    Args:
        by: the column in which the two settings differ. The one with fewer threads, or the smaller number, is 1.
        of: what the numbers of that column count, such as "idle threads".

    Raises:
        BadInput: there are not two settings, or the rows differ in something else as well.
    """
    if frame.empty:
        return style.empty(style.canvas(ax, height=1.9 + 0.78 * 2), title or "No thread was measured")
    alone, asked = _settings(frame[frame["metric"].isin(THREADS)], by)
    rows = _threads(alone, asked)
    ttsp_ms = _ttsp_ms(asked) if any(np.isnan(row["alone_us"]) for row in rows) else float("nan")
    ax = style.canvas(ax, height=1.9 + 0.78 * max(len(rows), 2))
    most = max([2.0, *(row["times"] for row in rows if not np.isnan(row["times"]))])
    for place, row in enumerate(rows):
        if np.isnan(row["times"]):
            style.label(ax, 1 + 0.04 * most, -place, _waits(row, ttsp_ms))
        else:
            _draw_row(ax, -place, row)
    ax.axvline(1, color=style.MUTED, lw=1.2, ls=":")
    ax.set(ylim=(0.6 - len(rows), 0.6), xlim=(0, 1.75 * most))
    names = [f"{row['thread']}\n{ROLES[row['role']].label}" for row in rows]
    ax.set_yticks([-place for place in range(len(rows))], names)
    ax.set_xticks([tick for tick in ax.get_xticks() if tick <= most + 1])
    ax.spines["bottom"].set_bounds(0, max(ax.get_xticks()))  # what is on the right of it are words
    ax.tick_params(axis="y", length=0)
    than, loud, whose = "without requests", "with requests", f"JDK {frame['jdk'].iloc[0]}"
    finding = _finding(rows, whose)
    victim = next((row for row in rows if row["role"] == "victim"), None)
    if by != "groups":
        than, loud = (_with(of, part[by].iloc[0]) if of else f"with {by}={part[by].iloc[0]}" for part in (alone, asked))
        if victim and not np.isnan(victim["times"]):
            slower = f"{victim['thread']} takes {victim['times']:.1f} times as long"
            finding = f"{whose}: {slower}\n{loud} as {than}"
    style.axis_names(ax, f"duration of a call, as a multiple of that {than}")
    jvms = [group["repeat"].nunique() if "repeat" in group else 1 for group in (alone, asked)]
    if max(jvms) > 1:
        style.note(ax, f"{ax.get_xlabel()}\nlarge mark: the median of {style.count_of(jvms, 'JVM')} · bar: each JVM")
    style.finding(ax, title or finding)
    words = []
    for row in rows:
        both = f"{style.us(row['alone_us'])} {than}, {style.us(row['asked_us'])} {loud}"
        said = _waits(row, ttsp_ms) if np.isnan(row["times"]) else both
        words.append(f"{row['thread']} ({ROLES[row['role']].label}): {said}")
    _alternative.own(ax, "; ".join(words) + ".")
    return ax


def _with(of: str, count: int) -> str:
    """
    >>> _with("idle threads", 0), _with("idle threads", 1000)
    ('without idle threads', 'with 1,000 idle threads')
    """
    return f"with {count:,} {of}" if count else f"without {of}"


def _threads(alone: pd.DataFrame, asked: pd.DataFrame) -> list[Thread]:
    """The threads of the second setting, each with its median calls; NaN of one that has none in the first."""
    rows = []
    for thread, role in THREADS.items():
        medians = [part.loc[part["metric"] == thread, "median"].median() for part in (alone, asked)]
        if (asked["metric"] == thread).any():
            alone_us, asked_us = map(float, medians)
            times = asked_us / alone_us
            each = (asked.loc[asked["metric"] == thread, "median"].dropna() / alone_us).tolist()
            row = {"thread": thread, "role": role, "alone_us": alone_us, "asked_us": asked_us}
            rows.append({**row, "times": times, "each": each})
    return rows


def _draw_row(ax: Axes, y: float, row: Thread) -> None:
    """The thread's two ends and what its call took."""
    look, weight = ROLES[row["role"]], "bold" if row["role"] == "victim" else "normal"
    ax.plot([1, row["times"]], [y, y], color=look.color, lw=5, solid_capstyle="butt")
    ax.plot(1, y, marker=look.marker, ms=9, mfc=style.PAPER, mec=look.color, mew=2)
    ax.plot(row["times"], y, marker=look.marker, ms=11, color=look.color)
    if len(row["each"]) > 1:
        ax.plot(row["each"], [y] * len(row["each"]), ls="", marker="|", ms=20, mew=2, color=look.color)
    text = f"×{row['times']:.1f}: {style.us(row['alone_us'])} → {style.us(row['asked_us'])}"
    style.label(ax, max(1.0, row["times"], *row["each"]), y, text, (14, 0), fontweight=weight)


def _settings(rows: pd.DataFrame, by: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The rows of the two settings, the quiet one first."""
    params = [name for name in rows if name not in {*jmh.COLUMNS, "repeat", "outcome", "reason", "run"}]
    for name in params:
        found = list(rows[name].unique())
        if len(found) != (2 if name == by else 1):
            other = f'Choose one, as in frame.query("{name} == ...").'
            raise BadInput(
                f"plot.victim_culprit compares two settings of `{by}` with all else equal, and this table has "
                f"{name}: {', '.join(map(str, found)) or 'nothing'}. "
                + (f"Measure two values of `{by}`." if name == by else other)
            )
    first, second = sorted((group for _, group in rows.groupby(by)), key=lambda group: group["metric"].nunique())
    return first, second


def _ttsp_ms(rows: pd.DataFrame) -> float:
    """The median wait for the operation that was requested most often; NaN where no safepoints were logged."""
    from safepointlab.run.load import load
    from safepointlab.run.stops import stops

    if not all(any(log.kind == "safepoint" for log in load(run).request.log) for run in rows["run"].unique()):
        return float("nan")
    found = stops(rows).dropna(subset="ttsp_ms")
    return float(found.loc[found["operation"] == found["operation"].mode().max(), "ttsp_ms"].median())


def _waits(asker: Thread, ttsp_ms: float) -> str:
    if np.isnan(ttsp_ms):
        return f"a call takes {style.us(asker['asked_us'])}"
    return f"waits {style.ms(ttsp_ms)} per request (median) until all have stopped"


def _finding(rows: list[Thread], whose: str) -> str:
    """What the victim and the culprit pay."""
    of_role = {row["role"]: row for row in rows if not np.isnan(row["times"])}
    if not {"victim", "culprit"} <= set(of_role):
        return "What each thread pays for safepoint requests"
    victim, culprit = of_role["victim"], of_role["culprit"]
    if victim["times"] < 1.2 and culprit["times"] < 1.2:
        return "Safepoints are requested, and neither search pays much"
    asked = f"{whose}: with requests {victim['thread']} takes {victim['times']:.1f} times as long"
    times = f"{culprit['times']:.1f}"
    takes = "takes no longer" if times == "1.0" else f"takes {times} times as long"
    return f"{asked};\n{culprit['thread']}, which it waits for, {takes}"
