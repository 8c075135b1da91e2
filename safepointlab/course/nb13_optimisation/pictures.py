"""The pictures of lesson 13: what C2 made of each loop, as tiles; and scores in pairs.

JMH scores in pairs -> for each pair and JDK both scores, and the ratio between them.

    ratios(frame, pair=("Int", "Long"), published={"copy": (76.9, 796.6)})

Columns used (see `logs.jmh`): method, score, median, best, unit, jdk. A pair are two methods whose names differ in
their endings, such as copyInt and copyLong; the first ending is the reference. Repetitions of one method are one mark.
On the logarithmic axis equal distances are equal ratios. A mark is the shortest iteration, which a busy machine
disturbs least, and the number above a pair is the ratio of its marks. A bar goes from the mark to the median of the
slowest fork. The number is bold where the bars do not overlap: elsewhere there is no measurable difference.
`published` holds pairs from a post: the first pair of their name, hollow.
"""

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from safepointlab.course.nb13_optimisation import experiments
from safepointlab.phrases import counted, listed
from safepointlab.plot import _tiles, style
from safepointlab.plot._picture import picture
from safepointlab.plot.scores import NOTE, in_two_groups, pooled

LOOKS = {
    "no loop": style.Look("no loop", "#F2F2F2"),
    "vector": style.Look("vector", "#0B3C6F"),
    "stub": style.Look("stub", "#4F9BC7"),
    "unrolled": style.Look("unrolled", "#E69F00"),
    "one by one": style.Look("one by one", "#F5E663"),
}
POLLS = {"each pass": "●", "around": "(●)"}
SIGNS = "×: elements per iteration of the compiled loop · ● a poll in every iteration · (●) in a loop around it"
VERBS = {  # of one loop, of several
    "no loop": ("has no loop", "have no loop"),
    "vector": ("uses vectors", "use vectors"),
    "stub": ("calls a routine of the JVM", "call a routine of the JVM"),
    "unrolled": ("is unrolled", "are unrolled"),
    "one by one": ("goes one by one", "go one by one"),
}


@picture("lab.jmh, with log='assembly=...'", "jdk", "gc", "flags", "method", "run")
def loop_work(frame: pd.DataFrame) -> Axes:
    """Draw one tile per loop and JDK, or, of a single JDK, per loop and index; of several runs the slowest kind.

    It reads the machine code of the runs. A dot is a poll in every iteration, (●) is one in a loop around it.
    """
    work = experiments.work(frame).dropna(subset="loop")
    rows, columns = ("loop", "index") if work["jdk"].nunique() == 1 else ("method", "jdk")
    cells = _tiles.matrix(work, rows, columns, work["work"])
    down, across = max(cells["row"].nunique(), 2), max(cells["column"].nunique(), 4)
    ax = style.canvas(None, 1.9 + 1.5 * across, 1.4 + 0.62 * down)
    if cells.empty:
        return style.empty(ax, "No machine code was logged")
    _tiles.draw(ax, cells, LOOKS, _detail)
    style.note(ax, SIGNS)
    style.finding(ax, _finding(work))
    return ax


def _detail(_word: str, same: pd.DataFrame) -> str:
    """How many elements at once; in the line below the range checks and polls on the way: " ×4", "8 checks (●)"."""
    row: Any = same.iloc[0]
    factor = f" ×{row['per_pass']}" if pd.notna(row["per_pass"]) and row["per_pass"] > 1 else ""
    checks = int(row["range_checks"])
    below = [counted(checks, "check") if checks else "", POLLS.get(row["poll"])]
    return factor + "\n" * any(below) + " ".join(filter(None, below))


def _finding(work: pd.DataFrame) -> str:
    """What the loops with a long index do on which JDKs; of int loops alone, on which they work on vectors."""
    index = "long" if (work["index"] == "long").any() else "int"
    indexed = work[work["index"] == index]
    several = int(indexed["loop"].nunique() > 1)
    ways: dict[str, list[object]] = {}
    for jdk, loops in indexed.groupby("jdk"):
        way = " or ".join(VERBS[word][several] if word in VERBS else word for word in dict.fromkeys(loops["work"]))
        ways.setdefault(way, []).append(jdk)
    told = f";\n{('it', 'they')[several]} ".join(f"{way} on JDK {listed(jdks)}" for way, jdks in ways.items())
    checks = "; always with range checks" if len(ways) > 1 else ", with range checks"
    checked = (indexed["range_checks"] > 0).all()
    article = "a" if index == "long" else "an"
    flags = set(work["flags"])
    given = f" and {_tiles.short(flags.pop())}\n" if len(flags) == 1 and "" not in flags else " "
    return f"With {article} {index} index{given}the loop{'s' * several} {told}{checks if checked else ''}"


PAIR_LOOKS = (style.Look("", "#0B3C6F", "", "o"), style.Look("", "#D55E00", "", "s"))
GAP = 1.0  # between the groups, in pairs
PUBLISHED = "post"
NAME, ENDING = "pair_name", "pair_ending"


@picture("lab.jmh", "method", "score", "median", "best", "unit", "jdk")
def ratios(
    frame: pd.DataFrame,
    pair: tuple[str, str] = ("Int", "Long"),
    published: Mapping[str, tuple[float, float]] | None = None,
) -> Axes:
    """Draw the pairs; a score that is missing (the run failed or hung) leaves a gap.

    Args:
        pair: the endings of the two methods of a pair.
        published: a pair's name -> its two scores in the same unit, as a post has them.
    """
    measured = _pairs(frame[frame["score"].notna()], pair)
    names, jdks = list(dict.fromkeys(measured[NAME])), list(dict.fromkeys(measured["jdk"]))
    columns = ([PUBLISHED] if published else []) + [str(jdk) for jdk in jdks]
    width = len(columns) + GAP
    ax = style.canvas(None, min(12.0, max(9.5, 2.0 + 0.52 * len(names) * width)), 5.0)
    if measured.empty:
        return style.empty(ax, "Nothing was measured")
    style.log_axis(ax)
    spots = {
        (name, column): group * width + step for group, name in enumerate(names) for step, column in enumerate(columns)
    }
    for (name, jdk), group in measured.groupby([NAME, "jdk"], sort=False):
        rows = [group[group[ENDING] == ending].to_dict("records") for ending in pair]
        _draw_pair(ax, spots[name, str(jdk)], [row for found in rows for row in found[:1]])
    for name, values in (published or {}).items():
        if (name, PUBLISHED) in spots:
            x = spots[name, PUBLISHED]
            _draw_ratio(ax, x, *values, "normal")
            for value, look in zip(values, PAIR_LOOKS, strict=True):
                ax.plot(x, value, look.marker, ms=8, mfc=style.PAPER, mec=style.MUTED, mew=2, zorder=3)
    ax.set_ylim(measured["best"].min() / 2, measured["best"].max() * 5)  # with room for the row of ratios above
    ax.set_xlim(-0.8, max(spots.values()) + 0.8)
    ax.set_xticks(list(spots.values()), [column for _, column in spots], fontsize=style.SMALL_PT)
    for name in names:
        places = [x for (other, _), x in spots.items() if other == name]
        at: dict[str, Any] = {"transform": ax.get_xaxis_transform(), "ha": "center", "va": "top"}
        ax.text(sum(places) / len(places), -0.1, str(name), fontsize=style.TEXT_PT, fontweight="bold", **at)
    style.axis_names(ax, "", f"time, {measured['unit'].iloc[0]} (log)")
    style.note(ax, f"\n\nJDK   ({NOTE})")
    for ending, look in zip(pair, PAIR_LOOKS, strict=True):
        ax.plot([], [], look.marker, color=look.color, ms=8, label=f"…{ending}")
    said = f"{pair[1]} ÷ {pair[0]}: the number above, bold where whiskers don't overlap"
    ax.plot([], [], "s", color=style.LINE, ms=9, label=said)
    ax.legend(ncols=3, **style.KEY)
    style.finding(ax, _ratios_finding(measured, pair))
    return ax


def _pairs(measured: pd.DataFrame, pair: tuple[str, str]) -> pd.DataFrame:
    """The rows of methods with one of the endings: one row each, with the name of its pair and its ending."""
    method = measured["method"].astype("string")
    ending = pd.Series(pd.NA, index=measured.index, dtype="string")
    for end in pair:
        ending = ending.mask(method.str.endswith(end).fillna(False), end)
    rows = measured.assign(pair_name=method, pair_ending=ending).dropna(subset=ENDING)
    rows[NAME] = [name.removesuffix(end) for name, end in zip(rows[NAME], rows[ENDING], strict=True)]
    return pooled(rows, [NAME, "jdk", ENDING])


def _draw_pair(ax: Axes, x: float, rows: list[dict[Any, Any]]) -> None:
    """A mark with its bar for each row; of two rows also their distance and ratio."""
    for row, look in zip(rows, PAIR_LOOKS, strict=False):
        mark: dict[str, Any] = {"fmt": look.marker, "color": look.color, "ms": 8, "capsize": 4, "zorder": 3}
        ax.errorbar(x, row["best"], yerr=[[0.0], [row["high"] - row["best"]]], elinewidth=1.8, **mark)
    if len(rows) == 2:
        first, second = rows
        sure = second["best"] > first["high"] or first["best"] > second["high"]
        _draw_ratio(ax, x, first["best"], second["best"], "bold" if sure else "normal")


def _draw_ratio(ax: Axes, x: float, first: float, second: float, weight: str) -> None:
    """Draw the distance as a bar, and the ratio in the row above all pairs."""
    ax.plot([x, x], [first, second], color=style.LINE, lw=5, solid_capstyle="butt", zorder=1)
    at: dict[str, Any] = {"transform": ax.get_xaxis_transform(), "ha": "center", "va": "top", "fontweight": weight}
    ax.text(x, 0.99, _number(second / first), fontsize=style.SMALL_PT, color=style.INK, **at)


def _number(ratio: float) -> str:
    """Two digits, or three of a number near 1.

    >>> _number(15.3), _number(2.74), _number(1.04)
    ('15', '2.7', '1.04')
    """
    return f"{ratio:.0f}" if ratio >= 9.5 else f"{ratio:.1f}" if ratio >= 1.2 else f"{ratio:.2f}"


def _ratios_finding(measured: pd.DataFrame, pair: tuple[str, str]) -> str:
    """The pair with the largest ratio, and its ratios by JDK; in two groups, if they differ much."""
    best = measured.pivot(index=[NAME, "jdk"], columns=ENDING, values="best").reindex(columns=list(pair))
    ratio = (best[pair[1]] / best[pair[0]]).dropna()
    if ratio.empty:
        return f"No {pair[0]} and {pair[1]} of one name were measured"
    name = str(ratio.groupby(level=NAME).max().idxmax())
    told = []
    for part in in_two_groups(ratio[name]):
        times = " to ".join(dict.fromkeys(_number(end) for end in (part.min(), part.max())))
        told.append((times, f"on JDK {listed(part.index)}"))
    times, where = told[0]
    rest = "".join(f"; {others} times {there}" for others, there in told[1:])
    return f"{name}{pair[1]} takes {times} times as long as {name}{pair[0]}\n{where}{rest}"
