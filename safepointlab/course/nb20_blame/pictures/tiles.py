"""Runs of KnownAnswer under profilers -> tiles: the place that each of them blames, right or wrong.

    blame(run)                                      each case, and where its time goes
    blame(sweep, case="farAway", rows="gc")         one case, for each collector and JDK

Each tile holds the place that most samples of its runs name, and their share.
"""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from safepointlab.course.nb20_blame import experiments, output
from safepointlab.errors import BadInput
from safepointlab.phrases import listed
from safepointlab.plot import _tiles, style
from safepointlab.plot._picture import picture

LOOKS = {True: style.Look("the hot loop", "#CDE7D8"), False: style.Look("another method", "#6B1414")}
TRUTH = "where\N{NO-BREAK SPACE}the time\N{NO-BREAK SPACE}goes"  # the name of a column, in two lines
SETTINGS = ("profiler", "jdk", "gc", "flags")


def blame(
    *results: Any,
    case: str = "",
    rows: _tiles.Labels = "",
    columns: _tiles.Labels = "",
    ax: Axes | None = None,
    title: str | None = None,
) -> Axes:
    """Draw whom the profiler of each run blames.

    Args:
        results: runs of KnownAnswer, and frames of `lab.sweep`.
        case: the only case to draw; without one the rows are the cases, and a column says where the time goes.
        rows, columns: settings of the runs: profiler, jdk, gc, flags. By default profiler and jdk, where one case is
            drawn.

    Raises:
        BadInput: there is no such case, or a result names no runs.
    """
    table = experiments.blamed(*results)
    if case and case not in set(table["case"]) and len(table):
        raise BadInput(f"These runs have no case {case!r}. They have {', '.join(table['case'].unique())}.")
    if case:
        return tiles(table[table["case"] == case], rows or "profiler", columns or "jdk", ax, title or "")
    varying = [name for name in SETTINGS if table[name].nunique() > 1] or ["profiler"]
    return tiles(table, rows or "case", columns or varying, ax, title or "", truth=True)


@picture("runs of KnownAnswer", *output.COLUMNS, labels=("columns", "rows"))
def tiles(
    table: pd.DataFrame,
    rows: _tiles.Labels,
    columns: _tiles.Labels,
    ax: Axes | None = None,
    title: str = "",
    truth: bool = False,
) -> Axes:
    """Draw the table of `experiments.blamed`; `truth` adds where the time of each case goes."""
    first = _most(_tiles.matrix(table, rows, columns, _places(table)))
    drawn = pd.concat([first, _known(first)], ignore_index=True) if truth else first
    wide = min(12.0, 2.3 + 1.65 * max(drawn["column"].nunique(), 2 if truth else 3))  # a title needs room
    ax = style.canvas(ax, wide, 2.2 + 0.62 * drawn["row"].nunique())
    if drawn.empty:
        return style.empty(ax, title or "No sample was taken")
    looks = {str(row["word"]): LOOKS[bool(row["right"])] for row in drawn.to_dict("records")}
    _tiles.draw(ax, drawn, looks, _share)
    style.key(ax, [look for right, look in LOOKS.items() if (drawn["right"] == right).any()])
    style.finding(ax, title or (_counts(table, first) if truth else _finding(table, first)))
    return ax


def _places(table: pd.DataFrame) -> "pd.Series[Any]":
    """The method, with its line where the profiler tells it: "setResult:62"."""
    line = (":" + table["line"].astype("string")).fillna("")
    return table["method"].astype("string") + line


def _most(cells: pd.DataFrame) -> pd.DataFrame:
    """Of each tile the place with the most samples of all its runs, and its share of them."""
    places = cells.groupby(["row", "column", "word"], sort=False).agg({"samples": "sum", "right": "first"})
    share = places["samples"] / places.groupby(["row", "column"], sort=False)["samples"].transform("sum")
    order = places.assign(share=share.astype("float64")).reset_index()
    most = order.sort_values("samples", ascending=False, kind="stable").drop_duplicates(["row", "column"])
    return most.sort_index().reset_index(drop=True)


def _known(first: pd.DataFrame) -> pd.DataFrame:
    """The place in which all of the time of each case goes, without samples or a share."""
    cases = [case for case in first["row"].unique() if case in output.HOT]
    places = [f"{output.HOT[case]}:{experiments.hot_line(output.HOT[case])}" for case in cases]
    return pd.DataFrame({"row": cases, "column": TRUTH, "word": places, "right": True, "share": float("nan")})


def _share(_word: str, same: pd.DataFrame) -> str:
    share = same["share"].iloc[0]
    return "" if pd.isna(share) else f"\n{share:.0%}"


def _counts(table: pd.DataFrame, first: pd.DataFrame) -> str:
    """How many samples show the hot loop, and how many each tile has."""
    tiles_of = [name for name in ("case", *SETTINGS) if table[name].nunique() > 1] or ["case"]
    counts = table.groupby(tiles_of)["samples"].sum()
    seen, each = int(table.loc[table["right"], "samples"].sum()), sorted({int(counts.min()), int(counts.max())})
    profiler = set(table["profiler"])
    what = experiments.DUMPS if profiler == {experiments.DUMPS} else "samples"
    head = ", ".join(_constants(table, ("jdk", "gc", *(() if what == experiments.DUMPS else ("profiler",)))))
    per = f"{' to '.join(map(str, each))} per {'case' if first['column'].nunique() == 1 else 'tile'}"
    return f"{head}{': ' if head else ''}{seen} of {counts.sum()} {what}\nshow the hot loop ({per})"


def _finding(table: pd.DataFrame, first: pd.DataFrame) -> str:
    """Which rows find the hot loop of a case, and in which columns: "only with G1 on JDK 11, 17 and 21"."""
    settings = ", ".join(_constants(table, ("case", "profiler", "gc")))
    head = f"{settings}: the hot loop is "
    right = {str(row): list(same["right"].astype(bool)) for row, same in first.groupby("row", sort=False)}
    if all(map(all, right.values())):
        return f"{head}found everywhere"
    if not any(map(any, right.values())):
        return f"{head}never found"
    link = "by" if table["profiler"].nunique() > 1 else "with"
    whole = [row for row, found in right.items() if all(found)]
    some = [row for row, found in right.items() if any(found) and not all(found)]
    if link == "by" and not some:
        return f"{settings}: only {listed(whole)} find{'s' * (len(whole) == 1)} the hot loop"
    parts = [f"{link} {listed(whole)}"] if whole else []
    parts += [f"{link} {row} on {_columns(first[(first['row'] == row) & first['right']])}" for row in some]
    return f"{head}found only {', '.join(parts)}"


def _columns(found: pd.DataFrame) -> str:
    """The columns of these tiles: "JDK 11 and 17"."""
    names = [str(name) for name in found["column"]]
    jdks = all(name.startswith("JDK ") for name in names)
    return f"JDK {listed(name.removeprefix('JDK ') for name in names)}" if jdks else listed(names)


def _constants(table: pd.DataFrame, names: tuple[str, ...]) -> list[str]:
    """The settings that all runs share, in words."""
    values = {name: str(table[name].iloc[0]) for name in names if table[name].nunique() == 1}
    words = {("gc", "default"): "the JDK's own collector"}
    return [f"JDK {value}" if name == "jdk" else words.get((name, value), value) for name, value in values.items()]
