"""What each thread of a benchmark pays for safepoints -> one axis: who causes the wait, and who loses time.

    plot.victim_culprit(scores)           rows of lab.jmh, once with nobody asking, once with a thread that asks
    plot.victim_culprit(scores, by="idle")

The two settings are those of the column `by`; all else must be the same in all rows. Each row of the picture is a
thread, the axis how many times as long its median call takes in the second setting. A thread that has no call in the
first one (nobody asks) shows how long it waits for a safepoint, by the log.

The table that is drawn may also be given itself: thread, role ("culprit", "victim", "bystander", "asker"), alone_us,
asked_us, times; and ttsp_ms, if there is one, for the asker's row.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from safepointlab.errors import BadInput
from safepointlab.logs import jmh
from safepointlab.plot import _alternative, style
from safepointlab.plot._picture import picture

TIMES = "duration of a call, times that when nobody asks"
ROLES = {
    "culprit": style.Look("makes long calls", style.COLORS[0], "", "s"),
    "victim": style.Look("makes short calls", style.COLORS[1], "", "o"),
    "bystander": style.Look("only sleeps", style.COLORS[3], "", "D"),
    "asker": style.Look("asks", style.COLORS[4], "", "^"),
}


THREADS = {  # methods of the lab's two benchmarks with such threads, unfair.Contains and cost.BesideDumps
    "contains1ToK": "culprit",
    "contains1": "victim",
    "park": "bystander",
    "findDeadlocks": "asker",
    "dumpAll": "asker",
}


@picture("lab.jmh, with two settings", "metric|thread", "median|times")
def victim_culprit(
    frame: pd.DataFrame,
    ax: Axes | None = None,
    title: str | None = None,
    axis: str = "",
    by: str = "groups",
    roles: Mapping[str, str] = THREADS,
) -> Axes:
    """Draw one row a thread, from 1 (nobody asks) to what it takes when somebody does.

    Args:
        axis: what 1 is; by default that follows from `by`.
        by: the column in which the two settings differ. "Nobody asks" is the one with fewer threads, or the smaller
            number.
        roles: a method's name -> the role of its thread.

    Raises:
        BadInput: there are not two settings, or the rows differ in something else as well.
    """
    than, finding = TIMES, ""
    if not ("role" in frame or frame.empty):
        measured, frame = frame, _table(frame, by, roles)
        if by != "groups":
            than, finding = _by_setting(measured, frame, by)
    rows = frame.to_dict("records")
    ax = style.canvas(ax, height=1.9 + 0.78 * max(len(rows), 2))
    if not rows:
        return style.empty(ax, title or "No thread was measured")
    most = max(2.0, float(np.nanmax(frame["times"].fillna(1.0))))
    for place, row in enumerate(rows):
        _row(ax, -place, row, most)
    ax.axvline(1, color=style.MUTED, lw=1.2, ls=":")
    ax.set(ylim=(0.6 - len(rows), 0.6), xlim=(0, 1.75 * most))
    ax.set_yticks([-place for place in range(len(rows))], [_name(row) for row in rows])
    ax.set_xticks([tick for tick in ax.get_xticks() if tick <= 1.75 * most])
    ax.tick_params(axis="y", length=0)
    style.axis_names(ax, axis or than)
    style.finding(ax, title or finding or _finding(frame))
    _alternative.own(ax, _words(rows))
    return ax


def _table(frame: pd.DataFrame, by: str, roles: Mapping[str, str]) -> pd.DataFrame:
    """The picture's rows, one a thread."""
    alone, asked = _settings(frame[frame["metric"].isin(roles)], by)
    threads = [name for name in roles if (asked["metric"] == name).any()]
    rows = [(name, roles[name], _median_us(alone, name), _median_us(asked, name)) for name in threads]
    table = pd.DataFrame(rows, columns=["thread", "role", "alone_us", "asked_us"])
    wait = {"ttsp_ms": _ttsp_ms(asked)} if table["alone_us"].isna().any() else {}
    return table.assign(times=table["asked_us"] / table["alone_us"], **wait)


def _by_setting(measured: pd.DataFrame, table: pd.DataFrame, by: str) -> tuple[str, str]:
    """The name of the axis, and what the thread that asks for nothing pays, where the settings are values of `by`."""
    quiet, asked = (f"{by}={value}" for value in sorted(measured[by].unique()))
    early, victim = _of(table, "victim")
    slower = f"JDK {measured['jdk'].iloc[0]}: {early} takes {victim:.1f} times as long\nwith {asked} as with {quiet}"
    return f"duration of a call, times that with {quiet}", "" if np.isnan(victim) else slower


def _settings(rows: pd.DataFrame, by: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The rows of the two settings, the quiet one first."""
    params = [name for name in rows if name not in {*jmh.COLUMNS, "repeat", "outcome", "reason", "run"}]
    for name in params:
        found = list(rows[name].unique())
        if len(found) != (2 if name == by else 1):
            raise BadInput(
                f"plot.victim_culprit compares two settings of `{by}` with all else equal, and this table has "
                f"{name}: {', '.join(map(str, found)) or 'nothing'}. "
                + (
                    f"Measure two values of `{by}`."
                    if name == by
                    else f'Choose one, as in frame.query("{name} == ...").'
                )
            )
    first, second = sorted((group for _, group in rows.groupby(by)), key=lambda group: group["metric"].nunique())
    return first, second


def _median_us(rows: pd.DataFrame, thread: str) -> float:
    return float(rows.loc[rows["metric"] == thread, "median"].median())


def _ttsp_ms(rows: pd.DataFrame) -> float:
    """The median wait for the operation that was requested most often; NaN where no safepoints were logged."""
    from safepointlab.run.load import load
    from safepointlab.run.stops import stops

    if not all(any(log.kind == "safepoint" for log in load(run).request.log) for run in rows["run"].unique()):
        return float("nan")
    found = stops(rows).dropna(subset="ttsp_ms")
    return float(found.loc[found["operation"] == found["operation"].mode().max(), "ttsp_ms"].median())


def _name(row: dict[Any, Any]) -> str:
    return f"{row['thread']}\n{ROLES[row['role']].label}"


def _row(ax: Axes, y: float, row: dict[Any, Any], most: float) -> None:
    """The thread's two ends and what its call took; the asker's row is its wait in words."""
    look = ROLES[row["role"]]
    if pd.isna(row["times"]):
        style.label(ax, 1 + 0.04 * most, y, _waits(row))
        return
    ax.plot([1, row["times"]], [y, y], color=look.color, lw=5, solid_capstyle="butt")
    ax.plot(1, y, marker=look.marker, ms=9, mfc=style.PAPER, mec=look.color, mew=2)
    ax.plot(row["times"], y, marker=look.marker, ms=11, color=look.color)
    said = f"×{row['times']:.1f}: {_time(row['alone_us'])} → {_time(row['asked_us'])}"
    style.label(
        ax, max(1.0, row["times"]), y, said, (14, 0), fontweight="bold" if row["role"] == "victim" else "normal"
    )


def _waits(row: dict[Any, Any]) -> str:
    if pd.notna(row.get("ttsp_ms")):
        return f"waits {style.ms(row['ttsp_ms'])} for each of its questions, until all have stopped"
    return f"a call takes {_time(row['asked_us'])}"


def _time(us: float) -> str:
    digits = 1 if us < 10 else 0  # the factor beside two of these is to be checked in the head
    return style.ms(us / 1000) if us >= 1000 else f"{us:,.{digits}f}{style.MS[0]}µs"


def _of(frame: pd.DataFrame, role: str) -> tuple[str, float]:
    """The thread's name, and how many times as long its call takes."""
    rows = frame[frame["role"] == role]
    return (str(rows["thread"].iloc[0]), float(rows["times"].iloc[0])) if len(rows) else ("", float("nan"))


def _finding(frame: pd.DataFrame) -> str:
    (late, culprit), (early, victim) = _of(frame, "culprit"), _of(frame, "victim")
    if np.isnan(culprit) or np.isnan(victim):
        return "What each thread pays when somebody asks"
    if victim < 1.2 and culprit < 1.2:
        return "Somebody asks, and nobody pays much"
    asked = f"{early} takes {victim:.1f} times as long while somebody asks"
    return f"{asked},\n{late}, for which all wait, {culprit:.1f} times"


def _words(rows: list[dict[Any, Any]]) -> str:
    """What the picture shows, in words."""
    said = [
        f"{row['thread']} ({ROLES[row['role']].label}): "
        + (_waits(row) if pd.isna(row["times"]) else f"{_time(row['alone_us'])} alone, {_time(row['asked_us'])} asked")
        for row in rows
    ]
    return "; ".join(said) + "."
