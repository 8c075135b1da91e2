"""Axes (or none) -> Axes in the lab's one look: the title is the finding, and every colour can be told apart in grey.

The colours are from the palette of Okabe and Ito, which people with any kind of colour blindness can tell apart. Their
lightness differs enough for a black-and-white print, and a hatch or a marker is a third difference. Sizes are chosen
for the back of a room and for a notebook shown at 60 %.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from textwrap import shorten, wrap
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter

INK, PAPER, MUTED, LINE = "#1A1A1A", "#FFFFFF", "#595959", "#D9D9D9"
MS = "\N{NO-BREAK SPACE}ms"  # no line break between a number and its unit
TITLE_PT, TEXT_PT, SMALL_PT = 16.0, 14.0, 12.0
DPI = 100  # 8 x 4.2 inches of bars and text are then 20 to 50 kB of PNG, so that a saved notebook stays small

# Lines, in the order in which they are drawn: each differs from the others in three ways.
STYLES = ["-", "--", "-.", ":"]
COLORS = ["#0B3C6F", "#D55E00", "#4F9BC7", "#8C6D00", "#6B1414", "#1A1A1A"]
MARKERS = "os^DvP"
KEY: dict[str, Any] = {"loc": "lower left", "bbox_to_anchor": (0, 1), "borderaxespad": 0.1, "fontsize": SMALL_PT}
KEY |= {"columnspacing": 1.2, "frameon": False}  # of a key: one row under the title


@dataclass(frozen=True)
class Look:
    """How one kind of thing is drawn everywhere: its name, its colour, and what marks it where there is no colour."""

    label: str
    color: str
    hatch: str = ""
    marker: str = "o"


# The phases of a stop, in their order in time. Reaching has the loudest colour: it is the subject of the lab.
PHASES = {
    "ttsp_ms": Look("reaching the safepoint", "#D55E00", "///"),
    "cleanup_ms": Look("cleanup", "#F5E663", ""),
    "operation_ms": Look("the operation", "#0B3C6F", ""),
    "leaving_ms": Look("leaving", "#7CC4EC", "..."),
    "rest_ms": Look("not split by this log", "#F2F2F2", "xx"),
}
# HotSpot's levels of code: the darker, the more optimised.
TIERS = {
    1: Look("C1, no profile", "#F5E663", "", "^"),
    2: Look("C1, counters", "#4795C2", "", "v"),
    3: Look("C1, full profile", "#E69F00", "", "o"),
    4: Look("C2", "#0B3C6F", "", "s"),
}
OUTCOMES = {
    "on time": Look("on time", "#CDE7D8", "", "o"),
    "late": Look("late", "#E69F00", "//", "^"),
    "still running": Look("still running", "#3B7EA1", "..", "D"),
    "hung": Look("HUNG", "#6B1414", "", "X"),
}
# A request's three times: one colour each, whatever else a line's name says ("limiter, service").
CLOCKS = {"service": COLORS[0], "wait": COLORS[3], "response": COLORS[1]}
BAD = "#B3261E"  # for the one thing in a picture that is wrong


def canvas(ax: Axes | None, width: float = 8.0, height: float = 4.2) -> Axes:
    """The given Axes, or those of a new small figure, with a quiet frame and large ticks."""
    if ax is None:
        _, ax = plt.subplots(figsize=(width, height), dpi=DPI, facecolor=PAPER, layout="constrained")
    ax.set_facecolor(PAPER)
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(MUTED)
    ax.tick_params(labelsize=TEXT_PT, colors=INK)
    ax.set_axisbelow(True)
    return ax


def finding(ax: Axes, text: str, key_rows: int = 1, lines_above: int = 0) -> None:
    """Draw the title, the finding, in two lines, or each of its own lines as wide as the Axes at most.

    To be called last: it leaves room for the rows of the key, and for lines of text above the Axes.
    """
    width = columns(ax)
    if "\n" in text:  # its lines are broken where they must be: most letters are narrower than columns() takes them for
        lines = [part for line in text.split("\n") for part in _wrap(line, int(1.15 * width))]
    elif len(lines := _wrap(text, width)) > 2:
        lines = [lines[0], shorten(" ".join(lines[1:]), width, placeholder=" …")]
    pad = 10 + 22 * ((key_rows if ax.get_legend() else 0) + lines_above)
    ax.set_title("\n".join(lines), loc="left", fontsize=TITLE_PT, fontweight="bold", color=INK, pad=pad)


def _wrap(text: str, width: int) -> list[str]:
    """The text in lines; two lines of like length read better than a full one and a single word."""
    lines, even = wrap(text, width), wrap(text, max(len(text) // 2 + 8, 24), break_long_words=False)
    return even if len(lines) == len(even) == 2 else lines


def columns(ax: Axes) -> int:
    """The characters of the title that fit above the Axes; one of DejaVu Sans Bold is about 0.65 of its size wide."""
    figure, spec = ax.get_figure(root=True), ax.get_subplotspec()
    share = 1.0 if spec is None else len(spec.colspan) / spec.get_gridspec().ncols  # of the figure's width
    width = figure.get_size_inches()[0] * 72 - 60 if figure else 480.0  # less what the labels of the y axis take
    return max(24, int(width * share / (TITLE_PT * 0.65)))


def line_color(name: str, number: int) -> str:
    """The colour of a line: that of the clock in its name, or the next one.

    >>> line_color("limiter, service", 2) == line_color("service", 0)
    True
    """
    return CLOCKS.get(str(name).rpartition(" ")[2], COLORS[number % len(COLORS)])


def axis_names(ax: Axes, x: str = "", y: str = "") -> None:
    """Draw the names of the axes, with the unit last: "uptime, s"."""
    ax.set_xlabel(x, fontsize=TEXT_PT, color=INK)
    ax.set_ylabel(y, fontsize=TEXT_PT, color=INK)


def note(ax: Axes, text: str) -> None:
    """Write below the x axis what the picture's signs are, in place of the axis' name; "" changes nothing."""
    if text:
        ax.set_xlabel(text, fontsize=SMALL_PT, color=INK)


def count_of(counts: Iterable[int], each: str) -> str:
    """How many there are, from the smallest of these numbers to the largest.

    >>> count_of([3, 3], "JVM"), count_of([12, 9], "pair of JVMs"), count_of([1, 1], "run")
    ('3 JVMs', '9 to 12 pairs of JVMs', '1 run')
    """
    ends = sorted(counts)
    first, _, rest = each.partition(" ")
    name = each if ends[-1] == 1 else " ".join(filter(None, [f"{first}s", rest]))
    return " to ".join(dict.fromkeys(f"{count:,}" for count in (ends[0], ends[-1]))) + f" {name}"


def marks_note(ax: Axes, counts: Iterable[int], each: str, x: str = "") -> None:
    """Write below the x axis, under its name, that a small mark is one of so many, and a large one their median."""
    numbers_of = list(counts)
    if max(numbers_of) > 1:
        said = f"small mark: one of {count_of(numbers_of, each)} · large mark: their median"
        note(ax, f"{x}\n{said}" if x else said)


def key(ax: Axes, looks: Iterable[Look]) -> None:
    """Draw the key of the colours, one row under the title; `looks` are those that the picture uses."""
    patches = [Patch(fc=look.color, ec=ink_on(look.color), hatch=look.hatch, label=look.label) for look in looks]
    if patches:
        ax.legend(handles=patches, ncols=len(patches), handlelength=1.6, **KEY)


def line_key(ax: Axes) -> None:
    """Draw the key of labelled lines; a single line needs none."""
    names = ax.get_legend_handles_labels()[1]
    if len(names) > 1:
        ax.legend(ncols=len(names), **KEY)


def label(ax: Axes, x: float, y: float, text: str, offset: tuple[float, float] = (0, 0), **more: Any) -> None:
    """Write a name next to the thing that it names, on a light patch; ha="side" keeps it inside the Axes."""
    looks: dict[str, Any] = {"fontsize": SMALL_PT, "color": INK, "ha": "left", "va": "center"} | more
    if looks["ha"] == "side":
        left, right = ax.get_xlim()
        place = (x - left) / (right - left)
        looks["ha"] = "left" if place < 0.25 else "right" if place > 0.75 else "center"
    paper = {"facecolor": PAPER, "edgecolor": "none", "pad": 1.0, "alpha": 0.85}
    ax.annotate(text, (x, y), xytext=offset, textcoords="offset points", annotation_clip=False, bbox=paper, **looks)


def fits(ax: Axes, x: float, text: str) -> bool:
    """Is there room for small text on the right of x? A character takes about 1.4 % of the lab's figures."""
    left, right = ax.get_xlim()
    return (x - left) / (right - left) + 0.014 * len(text) + 0.02 < 1


def sign(ax: Axes, x: float, height: float, text: str) -> None:
    """Write framed words that must not be missed; `height` is a share of the Axes."""
    frame = {"facecolor": PAPER, "edgecolor": INK}
    at: dict[str, Any] = {"transform": ax.get_xaxis_transform(), "ha": "center", "va": "center"}
    ax.text(x, height, text, fontsize=TEXT_PT, fontweight="bold", bbox=frame, **at)


def log_axis(ax: Axes, which: str = "y") -> None:
    """Steps of ten, written as plain numbers: 0.01, 1, 100, 10,000."""
    ax.set(**{f"{which}scale": "log"})
    axis = ax.yaxis if which == "y" else ax.xaxis
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}" if value >= 1 else f"{value:g}"))
    axis.set_minor_formatter(FuncFormatter(lambda value, _: _between_tens(value, *axis.get_view_interval())))
    axis.set_tick_params(which="minor", labelsize=TEXT_PT)


def _between_tens(value: float, low: float, high: float) -> str:
    """2 and 5 on an axis that is too short for several steps of ten.

    >>> [_between_tens(value, 0.8, 6.0) for value in (2.0, 3.0, 5.0)], _between_tens(2.0, 0.1, 100.0)
    (['2', '', '5'], '')
    """
    digit = f"{value:.0e}"[0]
    return f"{value:,g}" if high < 60 * low and digit in "25" else ""


def empty(ax: Axes, text: str) -> Axes:
    """Axes that say why there is nothing to draw."""
    finding(ax, text)
    ax.set(xticks=[], yticks=[])
    ax.set_xlim(0, 1)
    sign(ax, 0.5, 0.5, "nothing to draw")
    return ax


def lightness(color: str) -> float:
    """How light a colour looks, from 0 (black) to 100 (white): L* of CIELAB, which a grey print keeps."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(color)]
    luminance = float(np.dot(linear, (0.2126, 0.7152, 0.0722)))
    return 116 * luminance ** (1 / 3) - 16 if luminance > 0.008856 else 903.3 * luminance


def ink_on(color: str) -> str:
    """Black or white, whichever can be read on this colour."""
    return INK if lightness(color) > 55 else PAPER


def ms(value: float) -> str:
    """A duration in words, with two or three digits where it is short."""
    if value >= 10:
        return f"{value:,.0f}{MS}"
    return (f"{value:.1f}" if value >= 1 else f"{value:.2g}") + MS


def us(value: float) -> str:
    """A duration in µs in words, with a digit behind the point where it is short; in ms where it is long."""
    return ms(value / 1000) if value >= 1000 else f"{value:,.{1 if value < 10 else 0}f}{MS[0]}µs"


def short(value: float) -> str:
    """A number with two digits where it is small."""
    return f"{value:,.0f}" if value >= 10 else f"{value:.2g}"


def at(seconds: float) -> str:
    """A time in words: to a tenth of a second, in the first second to two digits."""
    return f"{seconds:.1f}{MS[0]}s" if seconds >= 1 else f"{seconds:.2g}{MS[0]}s"


def numbers(frame: pd.DataFrame, column: str) -> "pd.Series[float]":
    """A column as floats, NaN if the JDK logged nothing: a missing value is never 0."""
    if column not in frame:
        return pd.Series(np.nan, index=frame.index, dtype="float64")
    return pd.to_numeric(frame[column], errors="coerce").astype("float64")


UPTIME, SINCE, ORDER = "uptime, s", "since the first line, s", "line of the log (it has no time stamps)"


def moments(frame: pd.DataFrame) -> tuple["pd.Series[float]", str]:
    """The time of each row, and its clock: uptime, else nanoTime, else the time of day, else the order of lines."""
    begin_s = numbers(frame, "begin_s").fillna(numbers(frame, "uptime_s"))
    begin_s = begin_s.fillna(numbers(frame, "uptime_ms") / 1000)
    if begin_s.notna().any() or frame.empty:
        return begin_s, UPTIME
    nanotime_s = numbers(frame, "nanotime_ns") / 1e9
    if nanotime_s.notna().any():
        return nanotime_s - nanotime_s.min(), SINCE
    if "time" in frame and frame["time"].notna().any():  # of the line, which comes at the end of a stop
        begin = frame["time"] - pd.to_timedelta(numbers(frame, "total_ms").fillna(0), unit="ms")
        return (begin - begin.min()).dt.total_seconds(), f"since {begin.min():%Y-%m-%d %H:%M:%S} UTC, s"
    return pd.Series(np.arange(1.0, len(frame) + 1), index=frame.index), ORDER


def collector(frame: pd.DataFrame) -> str:
    """The collector that all runs were told to use, by its name; "" if they differ, or chose it themselves."""
    names = {"ZGC" if gc == "Z" else str(gc) for gc in frame.get("gc", ())}
    return names.pop() if len(names) == 1 and not names & {"default", ""} else ""


def table(subject: Any, kind: str) -> pd.DataFrame:
    """The frame itself, or the table of that kind that a Run holds."""
    return subject if isinstance(subject, pd.DataFrame) else getattr(subject, kind)
