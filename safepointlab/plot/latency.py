"""HDR logs (of a Run, or rows of logs.hdr) -> latency over time with the JVM's stops, or the percentiles of all of it.

    plot.latency(run, tags=["read-st", "read-rt"])              one line per tag of the log that the program wrote
    plot.latency(hdr.split(log)["read-rt"], stops=stops)
    plot.hdr_percentiles({"limiter": first, "schedule": second}, tags=["read-st", "read-rt"])
    plot.hdr_percentiles({"service": parts["read-st"], "response": parts["read-rt"]})

Columns used: start_s, length_s and the one named by `value`; of percentiles the histogram, every count of it. An
interval is as wide as it was long: while the JVM is stopped no interval is written, and the next one is late. With
`ends` it is a point at its end. Of stops: begin_s and total_ms, on the log's own clock (logs.marks.stops). A Run that
logged its safepoints, and noted in marks.csv when its HDR log begins, has its stops drawn.

A tag that ends in -st, -wt or -rt, as cassandra-stress has them, is one of the three times of a request: its line is
named "service", "wait" or "response", with the operation before it where lines of several operations are drawn.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from safepointlab.errors import BadInput
from safepointlab.logs import hdr, marks
from safepointlab.phrases import counted
from safepointlab.plot import _alternative, style
from safepointlab.plot._picture import picture
from safepointlab.plot.percentiles import name_ends, tick_nines
from safepointlab.plot.style import MARKERS, STYLES

SOURCE = "a Run that wrote an HDR log, logs.hdr, or a mapping of these"
TIMES = {"st": "service", "wt": "wait", "rt": "response"}
WORDS = {"max": "maximum", "mean": "mean", "p50": "median"}
STOP = style.Look("the JVM is stopped", "#F2D7C4", "")
SHOWN = 0.5  # of a stop: a value that is this part of it shows it, in an interval that ends this part of it later
GROWN = 2  # times the first value is the last of a line that only grows
Parts = dict[str, pd.DataFrame]


@picture(SOURCE, "start_s", "length_s", labels=("value",), kind="hdr")
def latency(
    source: Any,
    ax: Axes | None = None,
    title: str | None = None,
    value: str = "max",
    stops: pd.DataFrame | None = None,
    linear: bool = False,
    ends: bool = False,
    tags: str | Iterable[str] = (),
) -> Axes:
    """Draw one line for each tag of a log, or for each named part of one; latencies are in ms.

    Args:
        value: "max", "mean", "p50", "p99", ... of each interval.
        stops: of the JVM; a Run's own are found by themselves.
        linear: draw the values on a linear axis, which shows a steady growth as it is.
        ends: draw each interval as a point at its end, where its requests have their answers.
        tags: those of a log to draw, such as "read-rt" or ["read-st", "read-rt"]; by default all.
    """
    lines = {name: part[style.numbers(part, value) > 0] for name, part in _lines(source, tags).items()}
    lines = {name: line for name, line in lines.items() if not line.empty}
    ax = style.canvas(ax)
    if not lines:
        return style.empty(ax, title or "Nothing was recorded")
    stops = _stops_of(source) if stops is None else stops
    for begin_s, total_ms in zip(stops["begin_s"], stops["total_ms"], strict=True):
        ax.axvspan(begin_s, begin_s + total_ms / 1000, color=STOP.color, lw=0, zorder=0)
    for number, (name, line) in enumerate(lines.items()):
        color, end_s = style.line_color(name, number), line["start_s"] + line["length_s"]
        if ends:
            filled = {"ms": 6, "mfc": style.PAPER} if number else {"ms": 9, "mfc": color}
            look: dict[str, Any] = {"marker": MARKERS[number % len(MARKERS)], "lw": 1.2, "mew": 2, **filled}
            ax.plot(*_parted(end_s, line[value], stops), STYLES[number % 4], color=color, **look)
        else:  # steps: level from an interval's begin to its end, then vertical to the next one
            times = np.stack([line["start_s"], end_s], axis=1).ravel()
            ax.plot(times, np.repeat(line[value], 2), STYLES[number % 4], color=color, lw=2.2)
        beside: dict[str, Any] = {"offset": (8, 0 if linear else 8 if number % 2 else -8), "fontweight": "bold"}
        style.label(ax, end_s.iloc[-1], line[value].iloc[-1], name, color=color, **beside)
    if linear:
        ax.set_ylim(0, 1.08 * ax.dataLim.ymax)
    else:
        style.log_axis(ax)
    ax.margins(x=0.01)
    style.axis_names(ax, "time, s", f"{_word(value)} of each\ninterval, ms{'' if linear else ' (log)'}")
    if len(stops):
        style.key(ax, [STOP])
    finding = _stops_shown(lines, value, stops) if len(stops) else _largest(lines, value)
    style.finding(ax, title or _condition(source) + finding)
    return ax


def _parted(at_s: "pd.Series[Any]", values: "pd.Series[Any]", stops: pd.DataFrame) -> list[Any]:
    """The points, with a gap where a stop lies between two of them, since no interval ends during a stop."""
    gaps = {int(np.searchsorted(at_s, begin_s)) for begin_s in stops["begin_s"]} & set(range(1, len(at_s)))
    return [np.insert(points.to_numpy(float), sorted(gaps), np.nan) for points in (at_s, values)]


@picture(SOURCE, "histogram", kind="hdr")
def hdr_percentiles(
    source: Any,
    ax: Axes | None = None,
    title: str | None = None,
    level: tuple[str, float] | None = None,
    tags: str | Iterable[str] = (),
) -> Axes:
    """Draw the percentiles on the axis of nines, one line for each tag of a log, or for each named part of one.

    Args:
        level: a name and a value in ms to hold the lines against.
        tags: those of a log to draw, such as "read-rt" or ["read-st", "read-rt"]; by default all.
    """
    lines = {name: hdr.values(part) for name, part in _lines(source, tags).items()}
    lines = {name: line for name, line in lines.items() if not line.empty}
    ax = style.canvas(ax)
    if not lines:
        return style.empty(ax, title or "Nothing was recorded")
    colors, ends = [style.line_color(name, number) for number, name in enumerate(lines)], []
    for number, (name, line) in enumerate(lines.items()):
        total, values = line["count"].sum(), line["value"]
        rarity = np.log10(total / (total - line["count"].cumsum() + 1))  # the percentile of the rarest of its requests
        look: dict[str, Any] = {"color": colors[number], "marker": MARKERS[number % len(MARKERS)], "label": str(name)}
        [drawn] = ax.plot(rarity, values, STYLES[number % 4], lw=2.5, markevery=[-1], ms=8, clip_on=False, **look)
        # the steps of the curve are unlike in their counts, so their median is no percentile
        said = {"median": _percentile(line, 50), "p99": _percentile(line, 99), "maximum": float(values.iloc[-1])}
        _alternative.series(drawn, ", ".join(f"{name} {_alternative.number(value)}" for name, value in said.items()))
        ends.append((float(rarity.iloc[-1]), float(values.iloc[-1])))
    style.log_axis(ax)
    rarest = max(x for x, _ in ends)
    tick_nines(ax, int(rarest))
    ax.set_xlim(0, rarest)
    if level:
        ax.axhline(level[1], color=style.INK, lw=1, ls=(0, (4, 3)))
        style.label(ax, 0, level[1], f"{level[0]}: {style.short(level[1])} ms", offset=(6, -12))
    counts = sorted(int(line["count"].sum()) for line in lines.values())
    of = " to ".join(dict.fromkeys(f"{count:,}" for count in (counts[0], counts[-1])))
    style.axis_names(ax, f"percentile of {of} requests", "latency, ms (log)")
    tails = {name: _percentile(line, 99) for name, line in lines.items()}
    least, most = min(tails, key=lambda name: tails[name]), max(tails, key=lambda name: tails[name])
    finding = f"{least} p99 is {_ms(tails[least])}, {most} p99 {_ms(tails[most])}"
    if len(lines) > 2:
        others = max(value for name, value in tails.items() if name != most)
        finding = f"p99 is {_ms(tails[most])} ({most}), and at most {_ms(others)} for the others"
    elif least == most:
        finding = f"{most} p99 is {_ms(tails[most])}, its maximum {_ms(float(lines[most]['value'].iloc[-1]))}"
    style.finding(ax, title or _condition(source) + finding)
    name_ends(ax, list(lines), [(rarest, y) for _, y in ends], colors)
    return ax


def _lines(source: Any, tags: str | Iterable[str]) -> Parts:
    """The rows of each line, by its name. In a mapping a table is one line, and a Run has one for each of its tags.

    Without tags every tag is drawn; one that a log does not have is left out.

    Raises:
        BadInput: there are tags, but not one of these.
    """
    wanted = [tags] if isinstance(tags, str) else list(tags)
    if not isinstance(source, Mapping):
        return _of_tags(source, wanted)
    parts: Parts = {}
    for who, part in source.items():
        whole = isinstance(part, pd.DataFrame)
        parts |= {who: part} if whole else {f"{who}, {name}": rows for name, rows in _of_tags(part, wanted).items()}
    return parts


def _of_tags(source: Any, wanted: list[str]) -> Parts:
    parts = hdr.split(style.table(source, "hdr"))
    drawn = [tag for tag in wanted or parts if tag in parts]
    if parts and not drawn:
        raise BadInput(f"no tag {' or '.join(wanted)} in this log. It has {', '.join(parts)}.")
    operations = {tag.rpartition("-")[0] for tag in drawn}
    return {_name(tag, len(operations) > 1): parts[tag] for tag in drawn}


def _name(tag: str, several: bool) -> str:
    """
    >>> _name("read-rt", False), _name("read-rt", True), _name("login", True)
    ('response', 'read response', 'login')
    """
    operation, _, ending = tag.rpartition("-")
    if ending not in TIMES:
        return tag
    return f"{operation} {TIMES[ending]}" if several else TIMES[ending]


def _condition(source: Any) -> str:
    """ "JDK 17, Serial: " if that is so of each run that is drawn; "" of tables."""
    runs = [run for run in (source.values() if isinstance(source, Mapping) else [source]) if hasattr(run, "request")]
    words = {", ".join(filter(None, [f"JDK {run.major}", run.request.gc])) for run in runs}
    return f"{words.pop()}: " if len(words) == 1 else ""


def _stops_of(source: Any) -> pd.DataFrame:
    """A Run's long stops on the clock of its HDR log; no row if it did not log or note them."""
    notes = source.folder / "marks.csv" if hasattr(source, "request") else None
    if notes is None or not notes.exists() or "safepoint" not in [log.kind for log in source.request.log]:
        return pd.DataFrame(columns=["begin_s", "total_ms"])
    return marks.stops(marks.read(notes), source.safepoints)


def _largest(lines: Parts, value: str) -> str:
    """The line with the largest value: when that was, or that the line only grows."""
    name = max(lines, key=lambda name: lines[name][value].max())
    values = lines[name][value]
    worst = lines[name].iloc[int(values.to_numpy().argmax())]
    when = style.at(worst["start_s"] + worst["length_s"])
    if len(values) > 3 and values.is_monotonic_increasing and values.iloc[-1] > GROWN * values.iloc[0]:
        first, last = (f"{values.iloc[place]:,.0f}{style.MS}" for place in (0, -1))
        return f"{name} {_word(value)} grows from {first} to {last} in {when}"
    top = f"{worst[value]:,.0f}{style.MS}"
    return f"{name} {_word(value)} is {values.median():.2g}{style.MS} most of the time, {top} around {when}"


def _stops_shown(lines: Parts, value: str, stops: pd.DataFrame) -> str:
    """How many of the stops each line shows: by an interval that ends with the stop or soon after it, and is long."""
    counts = dict.fromkeys(lines, 0)
    for name, line in lines.items():
        ends_s = line["start_s"] + line["length_s"]
        for begin_s, total_ms in zip(stops["begin_s"], stops["total_ms"], strict=True):
            length_s = total_ms / 1000
            soon = ends_s.between(begin_s + 0.9 * length_s, begin_s + (1 + SHOWN) * length_s)
            counts[name] += bool((line.loc[soon, value] > SHOWN * total_ms).any())
    how_many = {0: "none", len(stops): "both" if len(stops) == 2 else f"all {len(stops)}"}
    (first, count), *others = ((name, how_many.get(shown, str(shown))) for name, shown in counts.items())
    rest = "".join(f", {name} {_word(value)} {shown}" for name, shown in others)
    length = f"{stops['total_ms'].median() / 1000:.1f}{style.MS[0]}s"
    stopped = f"{counted(len(stops), 'stop')} of {length}"
    return f"of {stopped}, {first} {_word(value)} shows {count}{rest}"


def _word(value: str) -> str:
    """
    >>> _word("max"), _word("p99_9")
    ('maximum', 'p99.9')
    """
    return WORDS.get(value, value.replace("_", "."))


def _ms(value: float) -> str:
    return f"{style.short(value)}{style.MS}"


def _percentile(line: pd.DataFrame, percent: float) -> float:
    """A percentile in ms."""
    rank = np.ceil(percent / 100 * line["count"].sum())
    return float(line["value"].iloc[int(np.searchsorted(line["count"].cumsum(), rank))])
