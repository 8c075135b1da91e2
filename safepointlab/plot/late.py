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

from safepointlab.plot import style
from safepointlab.plot._picture import picture

COLORS = [style.COLORS[1], style.COLORS[0], *style.COLORS[2:4]]  # the loudest for the place with most stops
MARKERS = "osDv"  # without the triangle, which marks a stop that never ended
REST = ("another place", style.COLORS[4], "P")
THREE_FIT, TWO_FIT = 22, 36  # characters of a name, with three or two of them in a row of the key
UNKNOWN = "nobody knows for whom"
NOBODY = "#9A9A9A"
LEAST_MS = 0.01  # 8 logs whole milliseconds: its zeroes are drawn here
MOST_MS = 1000  # so that two pictures, before and after, have one scale
FIRST_ROW, ROW = 3.0, 4.2  # the lowest row of names, and the next one, in times the top of the scale


@picture("what lab.late returns", kind="all_stops")
def late(found: Any, ax: Axes | None = None, title: str | None = None) -> Axes:
    """Draw all stops of a run, those that waited too long in the colour of the method that delayed them."""
    ax = style.canvas(ax)
    stops = found.all_stops
    if stops.empty:
        return style.empty(ax, title or "No stop was logged")
    placed = _with_places(stops, found.stops)
    _dots(ax, placed[placed["place"].isna()], NOBODY, "o", 25, f"less than {found.plan.after_ms}{style.MS}")
    looks = _looks(placed["place"].dropna())
    for place, (color, marker) in looks.items():
        _dots(ax, placed[placed["place"] == place], color, marker, 90, place)
    style.log_axis(ax)
    top = max(MOST_MS, 2 * placed["waited_ms"].max())
    ax.set_ylim(LEAST_MS / 2, top)
    least = "≤ 0.01" if (stops["waited_ms"] < LEAST_MS).any() else "0.01"
    ax.set_yticks([LEAST_MS, 0.1, 1, 10, 100, 1000], [least, "0.1", "1", "10", "100", "1,000"])
    ax.set_xlim(left=0)
    style.axis_names(ax, "uptime, s", "waited, ms (log)")
    _border(ax, found.plan.after_ms)
    if looks and len(looks) <= len(COLORS) and max(map(len, looks)) <= THREE_FIT:
        _names(ax, placed.dropna(subset="place"), top)
    else:
        _key(ax, looks, bool(placed["place"].isna().any()), found.plan.after_ms)
    style.finding(ax, title or _finding(found))
    return ax


def _border(ax: Axes, after_ms: int) -> None:
    """Draw the wait from which on a thread counts as late."""
    ax.axhline(after_ms, color=style.INK, linewidth=1, linestyle=(0, (4, 3)))
    style.label(
        ax, ax.get_xlim()[1], after_ms, f"late: from {after_ms}{style.MS} on", offset=(-4, 11), ha="right", zorder=2
    )


def _with_places(stops: pd.DataFrame, late_stops: pd.DataFrame) -> pd.DataFrame:
    """Every stop, a late one with the method that it waited for; if no witness knows the method, with the thread."""
    places = {(row["pid"], row["stop"]): _place(row) for row in late_stops.to_dict("records")}
    keys = zip(stops["pid"], stops["stop"], strict=True)
    placed = stops.assign(place=pd.Series([places.get(key) for key in keys], index=stops.index, dtype="object"))
    uptime_s = placed["at_s"].ffill().fillna(0.0)
    return placed.assign(at_s=uptime_s, waited_ms=placed["waited_ms"].clip(lower=LEAST_MS))


def _place(row: dict[Any, Any]) -> str:
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


def _looks(places: "pd.Series[Any]") -> dict[str, tuple[str, str]]:
    """Colour and marker of each place, those with most stops first; all places beyond four share one."""
    names = list(places.value_counts().index)
    known = dict(zip(names, zip(COLORS, MARKERS, strict=True), strict=False))
    return known | dict.fromkeys(names[len(COLORS) :], REST[1:])


def _dots(ax: Axes, stops: pd.DataFrame, color: str, marker: str, size: float, name: str) -> None:
    for over, shape, area in ((True, marker, size), (False, "^", 160)):
        rows = stops[stops["over"].astype(bool) == over]
        look: dict[str, Any] = {"c": color, "marker": shape, "edgecolors": style.INK, "label": name}
        ax.scatter(rows["at_s"], rows["waited_ms"], s=area, zorder=3, **look)


def _names(ax: Axes, late_stops: pd.DataFrame, top: float) -> None:
    """Write each place above its longest stop, the earliest in the highest row, so that no line crosses a name."""
    longest = late_stops.sort_values("waited_ms").groupby("place").tail(1).sort_values("at_s")
    rows = [top * FIRST_ROW * ROW**row for row in range(len(longest))][::-1]
    for height, row in zip(rows, longest.to_dict("records"), strict=True):
        ends: dict[str, Any] = {"xy": (row["at_s"], row["waited_ms"]), "xytext": (row["at_s"], height)}
        ax.annotate("", **ends, arrowprops={"arrowstyle": "-", "color": style.MUTED, "shrinkB": 5}, zorder=1)
        style.label(ax, row["at_s"], height, row["place"], offset=(-4, 0), fontweight="bold")
    ax.set_ylim(LEAST_MS / 2, rows[0] * 2.5)


def _key(ax: Axes, looks: dict[str, tuple[str, str]], others: bool, after_ms: int) -> None:
    kept = dict(list(looks.items())[: len(COLORS)])
    if len(looks) > len(COLORS):
        kept[REST[0]] = REST[1:]
    rows = [(name, color, marker) for name, (color, marker) in kept.items()]
    rows += [(f"less than {after_ms}{style.MS}", NOBODY, "o")] if others and rows else []
    if not rows:
        return
    handles = [
        Line2D(
            [],
            [],
            linestyle="",
            marker=marker,
            color=color,
            markeredgecolor=style.INK,
            markersize=8,
            label=name if len(name) <= TWO_FIT else f"{name[: TWO_FIT - 1]}…",
        )
        for name, color, marker in rows
    ]
    widest = max((len(name) for name, _, _ in rows), default=0)
    size = {
        "ncols": 3 if widest <= THREE_FIT else 2,
        "frameon": False,
        "fontsize": style.SMALL_PT,
        "handletextpad": 0.2,
        "columnspacing": 1.2,
    }
    ax.legend(handles=handles, loc="upper left", bbox_to_anchor=(-0.02, -0.2), **size)


def _finding(report: Any) -> str:
    late_stops, count = report.stops.to_dict("records"), len(report.all_stops)
    run = f"JDK {report.jdk.major}, {report.plan.gc}" if report.plan.gc else f"JDK {report.jdk.major}"
    if not late_stops:
        longest = report.all_stops["waited_ms"].max()
        return f"{run}: nobody was late in {count} stop{'s' * (count > 1)},\nthe longest wait {longest:.1f}{style.MS}"
    threads = report.stops["thread"].dropna()
    who, worst = str(threads.mode().iloc[0]) if len(threads) else "somebody", late_stops[0]
    if not worst["over"]:
        return f"The stop that never came about: all wait for {who}"
    where = f" in {_place(worst)}" if "::" in _place(worst) else ""
    waited = f"{run}: {len(late_stops)} of {count} stops waited {report.plan.after_ms} ms or more"
    return f"{waited}\nfor {who}, the longest {worst['waited_ms']:.0f}{style.MS}{where}"
