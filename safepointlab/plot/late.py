"""A Late (safepoint late -- java ...) -> its stops over the run: how long each waited, and for which method.

    plot.late(lab.late("java -cp app.jar Main"))

A log scale keeps the harmless waits visible. A stop without a late thread is a grey dot, one that never
ended an arrow upwards; above the broken line a thread counts as late. Up to four short names stand above their dots,
more or longer ones in a key.
"""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from safepointlab.phrases import counted
from safepointlab.plot import style
from safepointlab.plot._picture import picture

# a colour and a marker for each place: the loudest for that with most stops; the triangle marks a stop that never ended
LOOKS = list(zip([style.COLORS[1], style.COLORS[0], *style.COLORS[2:4]], "osDv", strict=True))
REST, REST_LOOK = "another place", (style.COLORS[4], "P")
THREE_FIT, TWO_FIT = 22, 36  # characters of a name, with three or two of them in a row of the key
UNKNOWN = "thread unknown"
HARMLESS = "#9A9A9A"
LEAST_MS = 0.01  # 8 logs whole milliseconds: its zeroes are drawn here
MOST_MS = 1000  # so that two pictures, before and after, have one scale
FIRST_ROW, ROW = 3.0, 4.2  # the lowest row of names, and the next one, in times the top of the scale


@picture("what lab.late returns", kind="all_stops")
def late(found: Any, ax: Axes | None = None, title: str | None = None) -> Axes:
    """Draw all stops of a run, those that waited too long in the colour of the method that delayed them."""
    ax = style.canvas(ax)
    stops, after_ms = found.all_stops, found.plan.after_ms
    if stops.empty:
        return style.empty(ax, title or "No stop was logged")
    known = {(row["pid"], row["stop"]): _place(row) for row in found.stops.to_dict("records")}
    places = [known.get(key) for key in zip(stops["pid"], stops["stop"], strict=True)]
    placed = stops.assign(
        place=pd.Series(places, index=stops.index, dtype="object"),
        at_s=stops["at_s"].ffill().fillna(0.0),
        waited_ms=stops["waited_ms"].clip(lower=LEAST_MS),
    )
    names = list(placed["place"].value_counts().index)
    looks = dict(zip(names, [*LOOKS, *[REST_LOOK] * len(names)], strict=False))
    harmless = placed["place"].isna()
    _draw_dots(ax, placed[harmless], HARMLESS, "o", 25, f"less than {after_ms}{style.MS}")
    for name, (color, marker) in looks.items():
        _draw_dots(ax, placed[placed["place"] == name], color, marker, 90, name)
    style.log_axis(ax)
    top = max(MOST_MS, 2 * placed["waited_ms"].max())
    ax.set_ylim(LEAST_MS / 2, top)
    least = "≤ 0.01" if (stops["waited_ms"] < LEAST_MS).any() else "0.01"
    ax.set_yticks([LEAST_MS, 0.1, 1, 10, 100, 1000], [least, "0.1", "1", "10", "100", "1,000"])
    ax.set_xlim(left=0)
    style.axis_names(ax, "uptime, s", "waited, ms (log)")
    ax.axhline(after_ms, color=style.INK, linewidth=1, linestyle=(0, (4, 3)))
    border = f"late: {after_ms}{style.MS} or more"
    style.label(ax, ax.get_xlim()[1], after_ms, border, offset=(-4, 11), ha="right", zorder=2)
    if looks and len(looks) <= len(LOOKS) and max(map(len, looks)) <= THREE_FIT:
        _name_places(ax, placed[~harmless], top)
    elif looks:
        shown = dict(list(looks.items())[: len(LOOKS)]) | ({REST: REST_LOOK} if len(looks) > len(LOOKS) else {})
        _draw_key(ax, shown | ({f"less than {after_ms}{style.MS}": (HARMLESS, "o")} if harmless.any() else {}))
    style.finding(ax, title or _finding(found))
    return ax


def _place(row: dict[Any, Any]) -> str:
    """The method that a late stop waited for; if no witness knows the method, the thread."""
    where = str(row["where"] or "")
    if not where or where.startswith("("):
        return f"{row['thread']}, no line known" if pd.notna(row["thread"]) else UNKNOWN
    return _short(where)


def _short(where: str) -> str:
    """The method without its package and line.

    >>> _short("jnt.scimark2.SOR::execute:35"), _short("java.lang.System::arraycopy in acl_CopyRight")
    ('SOR::execute', 'System::arraycopy')
    """
    owner, _, method = where.partition(" in ")[0].partition("::")
    return f"{owner.rpartition('.')[2]}::{method.partition(':')[0]}"


def _draw_dots(ax: Axes, stops: pd.DataFrame, color: str, marker: str, size: float, name: str) -> None:
    for over, shape, area in ((True, marker, size), (False, "^", 160)):
        rows = stops[stops["over"].astype(bool) == over]
        look: dict[str, Any] = {"c": color, "marker": shape, "edgecolors": style.INK, "label": name}
        ax.scatter(rows["at_s"], rows["waited_ms"], s=area, zorder=3, **look)


def _name_places(ax: Axes, late_stops: pd.DataFrame, top: float) -> None:
    """Write each place above its longest stop, the earliest in the highest row, so that no line crosses a name."""
    longest = late_stops.sort_values("waited_ms").groupby("place").tail(1).sort_values("at_s")
    rows = [top * FIRST_ROW * ROW**row for row in range(len(longest))][::-1]
    for height, row in zip(rows, longest.to_dict("records"), strict=True):
        ends: dict[str, Any] = {"xy": (row["at_s"], row["waited_ms"]), "xytext": (row["at_s"], height)}
        ax.annotate("", **ends, arrowprops={"arrowstyle": "-", "color": style.MUTED, "shrinkB": 5}, zorder=1)
        style.label(ax, row["at_s"], height, row["place"], offset=(-4, 0), fontweight="bold")
    ax.set_ylim(LEAST_MS / 2, rows[0] * 2.5)


def _draw_key(ax: Axes, looks: dict[str, tuple[str, str]]) -> None:
    mark: dict[str, Any] = {"linestyle": "", "markeredgecolor": style.INK, "markersize": 8}
    handles = []
    for name, (color, marker) in looks.items():
        label = name if len(name) <= TWO_FIT else f"{name[: TWO_FIT - 1]}…"
        handles.append(Line2D([], [], marker=marker, color=color, label=label, **mark))
    size: dict[str, Any] = {"frameon": False, "fontsize": style.SMALL_PT, "handletextpad": 0.2, "columnspacing": 1.2}
    columns = 3 if max(map(len, looks)) <= THREE_FIT else 2
    ax.legend(handles=handles, ncols=columns, loc="upper left", bbox_to_anchor=(-0.02, -0.2), **size)


def _finding(report: Any) -> str:
    late_stops, count = report.stops.to_dict("records"), len(report.all_stops)
    run = f"JDK {report.jdk.major}, {report.plan.gc}" if report.plan.gc else f"JDK {report.jdk.major}"
    if not late_stops:
        longest = report.all_stops["waited_ms"].max()
        none = f"{run}: no thread was late in {counted(count, 'stop')}"
        return f"{none};\nthe longest wait took {longest:.1f}{style.MS}"
    threads, worst = report.stops["thread"].dropna(), late_stops[0]
    who = str(threads.mode().iloc[0]) if len(threads) else "an unknown thread"
    if not worst["over"]:
        return f"One stop was never reached: all the other threads wait for {who}"
    where = f" in {_place(worst)}" if "::" in _place(worst) else ""
    waited = f"{run}: {len(late_stops)} of {count} stops waited {report.plan.after_ms} ms or more"
    return f"{waited}\nfor {who}, the longest {worst['waited_ms']:.0f}{style.MS}{where}"
