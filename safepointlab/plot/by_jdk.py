"""One duration per run, on several JDKs -> a dot for each JDK and group with its number: no line, as JDKs are names.

    plot.by_jdk(waits, y="ttsp_ms", by="gc", what="time to safepoint")

Columns used: jdk, or the one named by `x`, and those named by `y` (a duration) and `by` (the groups). Several rows of
one JDK and group are one dot, their median. The axis is logarithmic, for differences by orders of magnitude; with
log_scale=False it begins at 0, or below where a value is negative. A number stands where it covers no dot, no run and
no other number.
"""

from collections.abc import Sequence
from textwrap import wrap
from typing import Any, NamedTuple

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb
from matplotlib.transforms import Bbox

from safepointlab.plot import _alternative, style
from safepointlab.plot._picture import picture
from safepointlab.plot.style import COLORS, MARKERS

ASIDE = 0.17  # of the distance between two JDKs: half of that between two groups
MOST_ASIDE = 0.36  # of it: how far a group may stand from its JDK
BESIDE = 0.07  # of that distance: how far the runs stand from their median
LINE = 46  # characters of a line of the title, which has two
UNSEEN = 0.01  # of the largest number, on an axis that begins at 0: so small a number is 0.0, and none at all 0
CLOSE = 2.5  # times: numbers of one JDK that are closer than this stand above and below their dots in turn
DOT_PT, RUN_PT = 11.0, 6.0  # across
# Where a number may stand: how far from its dot, in points, and which part of the text is there.
RIGHT, ABOVE, BELOW, LEFT = ((10, 0), "left"), ((0, 15), "center"), ((0, -16), "center"), ((-10, 0), "right")
DIGIT, HIGH = 0.64, 1.1  # of the size of small text: how wide a digit is, and how high a line
PALE = 50.0  # the lightness from which small text in a dot's colour is too light to read: it's drawn darker
DARKER = 0.8
Place = tuple[tuple[int, int], str]
Dot = tuple[float, float, float]  # x and y, and how many points across


class Number(NamedTuple):
    """What is written at a dot, in the dot's colour, and where it may stand, the best place first."""

    x: float
    y: float
    text: str
    color: str
    choice: Sequence[Place]


@picture("lab.sweep, with a column of durations", labels=("x", "y", "by"))
def by_jdk(
    frame: pd.DataFrame,
    y: str = "ttsp_ms",
    by: str = "gc",
    ax: Axes | None = None,
    title: str | None = None,
    what: str = "time to safepoint",
    unit: str = "ms",
    log_scale: bool = True,
    runs: bool = False,
    each: str = "",
    skip: int = 0,
    x: str = "jdk",
) -> Axes:
    """Draw the medians, with `runs` each row next to them; a group without a value on a JDK leaves a gap.

    Args:
        each: what a row is. By default a "stop" in a table of stops, a "JVM" in one of lab.sweep, and else a "run".
        skip: colours and marks to leave out, so that a group looks as it does in another picture of the page.
        x: a column of names to draw in place of the JDKs, in their order; the picture then needs a title.
    """
    rows = pd.DataFrame({"jdk": frame[x], "group": frame[by], "value": style.numbers(frame, y)})
    medians = rows.groupby(["group", "jdk"], sort=False)["value"].median().dropna()
    ax = style.canvas(ax, height=4.6)
    if medians.empty:
        return style.empty(ax, title or "Nothing was measured")
    jdks, groups = (list(medians.index.unique(level)) for level in ("jdk", "group"))
    if x == "jdk":
        jdks.sort()
    names = {jdk: f"JDK {jdk}" if x == "jdk" else str(jdk) for jdk in jdks}
    if log_scale:
        style.log_axis(ax)
    aside = min(ASIDE, MOST_ASIDE / max(1, len(groups) - 1))
    least = 0.0 if log_scale else UNSEEN * float(medians.abs().max())
    close = log_scale and _are_close(medians)
    dots, numbers = list[Dot](), list[Number]()
    for number, group in enumerate(groups):
        shift = aside * (2 * number - len(groups) + 1)
        marker, color = MARKERS[(number + skip) % len(MARKERS)], COLORS[(number + skip) % len(COLORS)]
        if runs:
            own = rows[rows["group"] == group].dropna(subset="value")
            own = own[own.groupby("jdk")["value"].transform("size") > 1]  # a single one is the median itself
            if len(own):  # an empty line that isn't clipped would stand in the figure's corner
                places = [jdks.index(jdk) + shift - BESIDE for jdk in own["jdk"]]
                ring: dict[str, Any] = {"ls": "", "ms": RUN_PT, "mfc": "none", "color": color, "clip_on": False}
                [rings] = ax.plot(places, own["value"], marker, **ring)
                dots += [(place, value, RUN_PT) for place, value in zip(places, own["value"], strict=True)]
                ends = own.groupby("jdk")["value"].agg(["min", "max"]).reindex(jdks).dropna().itertuples()
                said = ", ".join(f"{names[jdk]} {_number(low)} to {_number(high)}" for jdk, low, high in ends)
                _alternative.series(rings, f"each {each or 'run'} of {group}, {said}")
        places = [jdks.index(jdk) + shift for jdk in medians[group].index]
        look: dict[str, Any] = {"ls": "", "ms": DOT_PT, "color": color, "clip_on": False}
        ax.plot(places, medians[group], marker, label=str(group), **look)
        choice = [BELOW, ABOVE, RIGHT, LEFT] if close and number % 2 == 1 else [ABOVE, BELOW, RIGHT, LEFT]
        if runs:  # they are on the left
            choice = [RIGHT, ABOVE, BELOW]
        for place, value in zip(places, medians[group], strict=True):
            text = _number(value) if abs(value) >= least else "0.0" if value else "0"
            dots.append((place, value, DOT_PT))
            numbers.append(Number(place, value, text, color, choice))
    ax.set_xticks(range(len(jdks)), list(names.values()))
    ax.set_xlim(-0.6, len(jdks) - 0.4)
    ax.margins(y=0.18)
    if not log_scale:
        shown = rows["value"] if runs else medians
        ax.set_ylim(min(0.0, 1.18 * float(shown.min())), 1.18 * float(shown.max()))
        ax.yaxis.set_major_formatter(lambda value, _: f"{value:,g}")
        ax.tick_params(axis="x", pad=8)  # below the dots of what is 0
    _write_numbers(ax, numbers, dots)
    ax.grid(axis="y", color=style.LINE)
    style.axis_names(ax, "", f"{what}, {unit}{' (log)' * log_scale}")
    counts = rows.dropna(subset="value").groupby(["group", "jdk"]).size()
    row = each or ("stop" if {"operation", "ttsp_ms"} <= set(frame) else "JVM" if "outcome" in frame else "")
    if runs:
        style.marks_note(ax, counts[counts > 1] if (counts > 1).any() else counts, row or "run")
    elif row:
        mark = f"median of {style.count_of(counts, row)}" if counts.max() > 1 else f"one {row}"
        style.note(ax, f"each mark: {mark}")
    if ax.get_xlabel() and (gc := style.collector(frame)):
        style.note(ax, f"{gc} · {ax.get_xlabel()}")
    style.line_key(ax)
    said = f"median {what}" if runs and not what.startswith(("median", "average")) else what
    style.finding(ax, title or _compared(medians, said, unit, log_scale) or _finding(medians, said, unit))
    return ax


def _write_numbers(ax: Axes, numbers: Sequence[Number], dots: Sequence[Dot]) -> None:
    """Write each number in the first of its places where it covers no dot and no number, and is inside the Axes.

    The layout comes later: Axes with the usual share of the figure are as good.
    """
    figure = ax.get_figure(root=True)
    per_point = (figure.dpi if figure else style.DPI) / 72
    floor, ceiling = ax.bbox.y0 / per_point, ax.bbox.y1 / per_point
    ax.get_ylim()  # an automatic scale is final only when it's asked for
    taken = []
    for x, y, size in dots:
        across, up = ax.transData.transform((x, y)) / per_point
        taken.append(Bbox.from_bounds(across - size / 2, up - size / 2, size, size))
    for x, y, text, color, choice in numbers:
        across, up = ax.transData.transform((x, y)) / per_point
        wide, high = DIGIT * style.SMALL_PT * len(text), HIGH * style.SMALL_PT
        boxes = []
        for (right, above), side in choice:
            begin = across + right - wide * {"left": 0.0, "center": 0.5, "right": 1.0}[side]
            boxes.append(Bbox.from_bounds(begin, up + above - high / 2, wide, high))
        covered = [box.count_overlaps(taken) + 0.5 * (box.y0 < floor or box.y1 > ceiling) for box in boxes]
        best = covered.index(min(covered))
        taken.append(boxes[best])
        offset, side = choice[best]
        style.label(ax, x, y, text, offset=offset, ha=side, color=_readable(color))


def _readable(color: str) -> str:
    """The colour, darker if small text in it would be pale on white."""
    red, green, blue = (part * DARKER for part in to_rgb(color))
    return to_hex((red, green, blue)) if style.lightness(color) > PALE else color


def _are_close(medians: "pd.Series[Any]") -> bool:
    """Whether two groups of some JDK are so close that their numbers would overlap."""
    of_jdk = medians.sort_values().groupby("jdk")
    return bool(((of_jdk.shift(-1) / medians) < CLOSE).any()) if (medians > 0).all() else True


def _number(value: float) -> str:
    """Two digits of a small number, whole ones of a large.

    >>> _number(0.0773), _number(4.0), _number(1198.5)
    ('0.077', '4.0', '1,198')
    """
    return f"{value:,.0f}" if value >= 9.95 else f"{value:.1f}" if value >= 1 else f"{value:.2g}"


def _compared(medians: "pd.Series[Any]", what: str, unit: str, as_ratio: bool) -> str:
    """By how much one of two groups is above the other; "" if it isn't on each JDK, or if that takes too many words."""
    table = medians.unstack("group")
    if table.shape[1] != 2 or len(table) < 2 or table.isna().any(axis=None):
        return ""
    low, high = sorted(table, key=lambda group: table[group].sum())
    if not (table[low] < table[high]).all() or (as_ratio and table[low].min() <= 0):
        return ""
    apart = table[high] / table[low] if as_ratio else table[high] - table[low]
    ends = " to ".join(dict.fromkeys(_number(end) for end in (apart.min(), apart.max())))
    said = f"{ends} times that" if as_ratio else f"{ends}{style.MS[0]}{unit} more than"
    told = f"With {high}, the {what} is {said} with {low}"
    return told if _fits(told) else ""


def _way(medians: "pd.Series[Any]") -> str:
    """Whether one group's medians fall, or rise, from the first JDK to the last, and these are the ends; else ""."""
    values = medians.droplevel("group").sort_index()
    ends = values.iloc[0], values.iloc[-1]
    return {(values.max(), values.min()): "falls from", (values.min(), values.max()): "rises from"}.get(ends, "")


def _fits(title: str) -> bool:
    """Whether it takes two lines at most."""
    return len(wrap(title, min(LINE, len(title) // 2 + 8))) <= 2


def _finding(medians: "pd.Series[Any]", what: str, unit: str) -> str:
    """Between which ends the medians are, or the upper one if both are too long; a group is named if it has others."""
    rows = medians.sort_values().reset_index().to_numpy().tolist()  # group, JDK, value
    several = len({group for group, _, _ in rows}) > 1
    ends = [
        f"{_number(value)}{style.MS[0]}{unit} " + (f"({group}, JDK {jdk})" if several else f"on JDK {jdk}")
        for group, jdk, value in (rows[0], rows[-1])
    ]
    if ends[0] == ends[1]:
        return f"The {what} is {ends[0]}"
    if not several and (way := _way(medians)):
        told = f"The {what} {way} {' to '.join(ends if way == 'rises from' else ends[::-1])}"
        if _fits(told):
            return told
    both = f"The {what} is between {ends[0]} and {ends[1]}"
    return both if _fits(both) else f"The {what} is at most {ends[1]}"
