"""The pictures of lesson 20: whom profilers blame, as tiles; and a call whose samples slide to the next poll.

    blame(run)                                      each case, and where its time goes
    blame(sweep, case="farAway", rows="gc")         one case, for each collector and JDK
    sliding(sweep, interpreter)                     a drawing to be touched, of what the runs of polls.calls tell

Each tile holds the place that most samples of its runs name, and their share.

The moments of `sliding` are simulated: each moment of a call is as likely as any other, and one iteration of any line
takes as long as one of another. What they slide to is not: `expected(frame)` has the shares that follow from the polls
alone. Columns used: jdk, polls (which code), case, method, first and last (lines), text, iterations, every (iterations
between two polls; missing without a poll), named_method and named_line (what a look at that poll has on top of the
stack).
"""

import io
from base64 import b64encode
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from safepointlab.course.nb20_blame import experiments, output
from safepointlab.course.nb20_blame.polls import calls
from safepointlab.errors import BadInput
from safepointlab.phrases import listed
from safepointlab.plot import _spoken, _tiles, style
from safepointlab.plot._picture import picture
from safepointlab.plot.interactive import Alive

NOT_RUN = style.Look("no samples (–)", style.PAPER)
LOOKS = {True: style.Look("the hot loop", "#CDE7D8"), False: style.Look("another method", "#6B1414")}
TRUTH = "where\N{NO-BREAK SPACE}the time\N{NO-BREAK SPACE}goes"  # the name of a column, in two lines
SETTINGS = ("profiler", "jdk", "gc", "flags")

COLUMNS = ("jdk", "polls", "case", "method", "first", "last", "iterations", "every", "named_method", "named_line")
NOTHING = "No call to draw"
SEED = 1  # of the simulated moments
POLLED = style.Look("a part with a poll", "#9EC5E8", "")
UNPOLLED = style.Look("a part without a poll", "#E3A0A6", "///")
HOT_SHARE = 0.5  # from this share of a call on, a part is drawn as the wide one
WIDE, NARROW = 6.0, 1.0  # widths in the drawing
MOMENTS = (0.12, 0.42, 0.74)  # of the widest part, at which the still picture shows a sample
MOST_TICKS = 60  # polls of a part that can be told apart


def blame(*results: Any, case: str = "", rows: _tiles.Labels = "profiler") -> Axes:
    """Draw whom the profiler of each run blames.

    Args:
        results: runs of KnownAnswer, and frames of `lab.sweep`.
        case: the only case to draw, one column per JDK; without one the rows are the cases, and a column says where the
            time goes.
        rows: settings of the runs that name the rows, where one case is drawn: profiler, gc, flags.

    Raises:
        BadInput: there is no such case, or a result names no runs.
    """
    table = experiments.blamed(*results)
    if case and case not in set(table["case"]) and len(table):
        raise BadInput(f"These runs have no case {case!r}. They have {', '.join(table['case'].unique())}.")
    if case:
        return tiles(table[table["case"] == case], rows, "jdk")
    varying = [name for name in SETTINGS if table[name].nunique() > 1] or ["profiler"]
    return tiles(table, "case", varying, truth=True)


@picture("runs of KnownAnswer", *output.COLUMNS, labels=("columns", "rows"))
def tiles(table: pd.DataFrame, rows: _tiles.Labels, columns: _tiles.Labels, truth: bool = False) -> Axes:
    """Draw the table of `experiments.blamed`; `truth` adds where the time of each case goes."""
    names = table["method"].astype("string") + (":" + table["line"].astype("string")).fillna("")  # "setResult:62"
    places = _tiles.matrix(table, rows, columns, names).groupby(["row", "column", "word"], sort=False)
    counts = places.agg({"samples": "sum", "right": "first"}).reset_index()
    counts["share"] = counts["samples"] / counts.groupby(["row", "column"])["samples"].transform("sum")
    first = counts.sort_values("samples", ascending=False, kind="stable").drop_duplicates(["row", "column"])
    first = first.astype({"share": "float64"}).sort_index().reset_index(drop=True)
    drawn = first
    if truth:
        cases = [case for case in first["row"].unique() if case in output.HOT]
        words = [f"{output.HOT[case]}:{experiments.hot_line(output.HOT[case])}" for case in cases]
        known = {"row": cases, "column": TRUTH, "word": words, "right": True, "share": float("nan")}
        drawn = pd.concat([first, pd.DataFrame(known)], ignore_index=True)
    wide = min(12.0, 2.3 + 1.65 * max(drawn["column"].nunique(), 2 if truth else 3))  # a title needs room
    ax = style.canvas(None, wide, 2.2 + 0.62 * drawn["row"].nunique())
    if drawn.empty:
        return style.empty(ax, "No sample was taken")
    looks = {str(row["word"]): LOOKS[bool(row["right"])] for row in drawn.to_dict("records")}
    _tiles.draw(ax, drawn, looks, _share)
    looks_drawn = [look for right, look in LOOKS.items() if (drawn["right"] == right).any()]
    is_full = len(drawn) == drawn["row"].nunique() * drawn["column"].nunique()
    style.key(ax, looks_drawn if is_full else [*looks_drawn, NOT_RUN])
    if not truth:  # with it the title has their number
        sums = counts.groupby(["row", "column"])["samples"].sum()
        style.note(ax, f"{style.count_of(sums, 'sample')} per tile")
    style.finding(ax, _counts(table, first) if truth else _finders(table, first))
    return ax


def _share(_word: str, same: pd.DataFrame) -> str:
    share = same["share"].iloc[0]
    return "" if pd.isna(share) else f"\n{share:.0%}"


def _counts(table: pd.DataFrame, first: pd.DataFrame) -> str:
    """How many samples show the hot loop, and how many each tile has."""
    tiles_of = [name for name in ("case", *SETTINGS) if table[name].nunique() > 1] or ["case"]
    counts = table.groupby(tiles_of)["samples"].sum()
    seen, each = int(table.loc[table["right"], "samples"].sum()), sorted({int(counts.min()), int(counts.max())})
    of_dumps = set(table["profiler"]) == {experiments.DUMPS}
    head = ", ".join(_shared_settings(table, "jdk", "gc", *([] if of_dumps else ["profiler"])))
    per = f"{' to '.join(map(str, each))} per {'case' if first['column'].nunique() == 1 else 'tile'}"
    what = experiments.DUMPS if of_dumps else "samples"
    return f"{head}{': ' if head else ''}{seen} of {counts.sum()} {what}\nshow the hot loop ({per})"


def _finders(table: pd.DataFrame, first: pd.DataFrame) -> str:
    """Which rows find the hot loop of a case, and in which columns: "only with G1 on JDK 11, 17 and 21"."""
    settings = ", ".join(_shared_settings(table, "case", "profiler", "gc"))
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
    for row in some:
        names = [str(name) for name in first.loc[(first["row"] == row) & first["right"], "column"]]
        jdks = all(name.startswith("JDK ") for name in names)
        columns = f"JDK {listed(name.removeprefix('JDK ') for name in names)}" if jdks else listed(names)
        parts.append(f"{link} {row} on {columns}")
    return f"{head}found only {', '.join(parts)}"


def _shared_settings(table: pd.DataFrame, *names: str) -> list[str]:
    """The settings that all runs share, in words."""
    values = {name: str(table[name].iloc[0]) for name in names if table[name].nunique() == 1}
    words = {("gc", "default"): "the JDK's own collector"}
    return [f"JDK {value}" if name == "jdk" else words.get((name, value), value) for name, value in values.items()]


def sliding(*results: Any) -> Alive:
    """A drawing in which a timer fires at random moments and the sample slides to the next poll.

    Args:
        results: runs of KnownAnswer that list the machine code of its cases, and runs that list the interpreter's.

    Raises:
        BadInput: a result names no runs, or none of them lists KnownAnswer's code.
        RunFailed: C2 did not compile a case before the program ended.
    """
    return drawing(calls(*results))


@picture("runs that list the machine code of KnownAnswer", *COLUMNS, "text")
def drawing(frame: pd.DataFrame, case: str = "") -> Alive:
    """The same for the table of `polls.calls`; the first case of the table is shown first by default.

    Raises:
        BadInput: the table has no such case.
    """
    if frame.empty:
        return Alive("sliding", {"cases": {}, "none": NOTHING}, f"<p>{NOTHING}</p>", NOTHING)
    cases = {str(name): in_parts(rows) for name, rows in frame.groupby("case", sort=False)}
    first = case or next(iter(cases))
    if first not in cases:
        raise BadInput(f"There is no case {case!r} here. There are {', '.join(cases)}.")
    shown = frame[frame["case"] == first]
    most = expected(shown).drop_duplicates("polls")
    places = [f"{name} ({'; '.join(same['polls'])})" for name, same in most.groupby("method", sort=False)]
    finding = f"{first}: a sample slides to the next poll and names {' or '.join(places)}"
    each = (
        f"{row['polls']}: {100 * row['share']:.2f} % of all moments end up at {row['method']}:{row['line']}"
        for row in most.to_dict("records")
    )
    figure, file = still(shown), io.BytesIO()
    figure.savefig(file, format="png")
    plt.close(figure)
    image = _spoken.html(b64encode(file.getvalue()).decode(), f"{finding}. {'; '.join(each)}.")
    jdks = ", ".join(map(str, frame["jdk"].unique()))
    source = f"Lines, order and polls are those of a real compile by JDK {jdks}."
    data = {"cases": cases, "seed": SEED, "first": first, "source": source}
    return Alive("sliding", data, image + _table(frame), finding)


def expected(frame: pd.DataFrame) -> pd.DataFrame:
    """The share of all moments that a look at the next poll names, for each kind of polls, case and place.

    Returns:
        polls, case, method, line, and share (0 to 1); the most named place first.
    """
    keys = ["polls", "case"]
    filled = frame.groupby(keys, sort=False)[["named_method", "named_line"]].bfill()
    firsts = frame[keys].assign(**filled).groupby(keys, sort=False)[["named_method", "named_line"]].transform("first")
    places = filled.fillna(firsts).rename(columns={"named_method": "method", "named_line": "line"})
    rows = pd.concat([frame[keys], places, frame["iterations"]], axis=1)
    sums = rows.groupby([*keys, "method", "line"], sort=False)["iterations"].sum().reset_index()
    sums["share"] = sums["iterations"] / sums.groupby(keys)["iterations"].transform("sum")
    order = sums.groupby(keys, sort=False).ngroup()
    sums = sums.assign(order=order).sort_values(["order", "share"], ascending=[True, False], kind="stable")
    return sums[[*keys, "method", "line", "share"]].reset_index(drop=True)


def in_parts(rows: pd.DataFrame) -> dict[str, Any]:
    """What the script draws of one case: its parts, and for each kind of polls those of each part.

    Stretches next to each other that nobody names and nothing polls are one part. Of each part the iterations between
    two polls, the part that is named there and the line; None without a poll.
    """
    steps = rows.groupby("polls", sort=False).cumcount()
    alone = set(steps[rows["iterations"] > 1])  # loops; steps whose poll names another place, and steps at such a place
    for _, same in rows.groupby("polls", sort=False):
        for step, row in enumerate(same.to_dict("records")):
            own = row["method"] == row["named_method"] and row["first"] == row["named_line"]
            if pd.notna(row["every"]) and not own:
                alone |= {step, _step_at(same, row["named_method"], row["named_line"], step)}
    begins = pd.Series([step in alone or step - 1 in alone for step in range(steps.max() + 1)], dtype="int64").cumsum()
    table = rows.assign(part=steps.map(begins - int(begins.iloc[0])))
    polls: dict[str, list[dict[str, Any] | None]] = {}
    parts: list[dict[str, Any]] = []
    for kind, same in table.groupby("polls", sort=False):
        by_part = [stretches for _, stretches in same.groupby("part", sort=True)]
        parts = parts or [_part(stretches) for stretches in by_part]
        polls[str(kind)] = [_poll(same, stretches) for stretches in by_part]
    return {"parts": parts, "polls": polls}


def _step_at(same: pd.DataFrame, method: str, line: int, step: int) -> int:
    """The step at that line: the first from here on, else the first of all."""
    holds = (same["method"] == method) & (same["first"] <= line) & (same["last"] >= line)
    steps = [number for number, held in enumerate(holds) if held]
    return next((number for number in steps if number >= step), steps[0])


def _part(stretches: pd.DataFrame) -> dict[str, Any]:
    first, last = stretches.iloc[0], stretches.iloc[-1]
    iterations = int(stretches["iterations"].sum())
    if len(stretches) == 1:
        lines = str(first["first"]) + (f"–{first['last']}" if first["last"] > first["first"] else "")
        return {"name": f"{first['method']}:{lines}", "text": str(first["text"]), "iterations": iterations}
    name = f"{first['method']}:{first['first']} to {last['method']}:{last['last']}"
    return {"name": name, "text": f"{len(stretches)} calls and returns", "iterations": iterations}


def _poll(same: pd.DataFrame, stretches: pd.DataFrame) -> dict[str, Any] | None:
    polled = stretches[stretches["every"].notna()]
    if polled.empty:
        return None
    last, alone = polled.iloc[-1], len(stretches) == 1
    place = f"{last['named_method']}:{last['named_line']}" if alone else _part(stretches)["name"]
    every = int(last["every"]) if alone else len(stretches)
    named = _step_at(same, last["named_method"], last["named_line"], list(same.index).index(last.name))
    return {"every": every, "names": int(same["part"].iloc[named]), "place": place}


def _table(frame: pd.DataFrame) -> str:
    """Whom the samples name, case by case, for those who read the page without the script."""
    most = expected(frame).drop_duplicates(["polls", "case"])
    shares = (100 * most["share"]).map("{:.1f} %)".format)
    most["place"] = most["method"] + ":" + most["line"].astype(str) + " (" + shares
    return most.pivot(index="case", columns="polls", values="place").rename_axis(None, axis=1).to_html(border=0)


def still(frame: pd.DataFrame) -> Figure:
    """One case without the script: a lane for each kind of polls, and three moments that slide to the next poll."""
    kinds, shown = list(frame["polls"].unique()), in_parts(frame)
    parts, edges = shown["parts"], [0.0]
    total = sum(part["iterations"] for part in parts)
    for part in parts:
        edges.append(edges[-1] + (WIDE if part["iterations"] > HOT_SHARE * total else NARROW))
    figure, ax = plt.subplots(figsize=(8.0, 1.8 + 1.2 * len(kinds)), dpi=style.DPI, layout="constrained")
    for lane, kind in enumerate(kinds):
        _lane(ax, -lane, edges, parts, shown["polls"][kind])
    for marker, word, drop in (("o", "poll", 0), ("v", "timer", -12)):  # beside the first of each sign
        if sign := next((line for line in ax.lines if line.get_marker() == marker), None):
            x, y = np.asarray(sign.get_xydata()).ravel()
            style.label(ax, float(x), float(y), word, offset=(-6, drop), ha="right")
    most = expected(frame).drop_duplicates("polls").to_dict("records")
    labels = [f"{row['polls']}\nnames {row['method']}:{row['line']}" for row in most]
    style.canvas(ax)
    ax.spines[["left", "bottom"]].set_visible(False)
    ax.tick_params(length=0, labelsize=style.SMALL_PT)
    ax.set_yticks([-lane for lane in range(len(kinds))], labels)
    ax.set_xticks([(a + b) / 2 for a, b in zip(edges, edges[1:], strict=False)], [part["name"] for part in parts])
    for label in ax.get_xticklabels():
        label.set(rotation=30, ha="right", rotation_mode="anchor")
    ax.set_ylim(0.45 - len(kinds), 0.45)
    jdks = listed(map(str, frame["jdk"].unique()))
    style.axis_names(ax, f"one call on JDK {jdks}, in the order in which its lines run; widths are not to scale")
    ax.xaxis.label.set_fontsize(style.SMALL_PT)
    style.key(ax, [UNPOLLED, POLLED])
    style.finding(ax, _headline(frame, most))
    return figure


def _headline(frame: pd.DataFrame, most: list[dict[Any, Any]]) -> str:
    """Whom the first kind of polls names, and with which the loop is named."""
    first, hot = most[0], frame.sort_values("iterations")["method"].iloc[-1]
    right = [row["polls"] for row in most if row["method"] == hot]
    if first["method"] != hot and right:
        slides, stays = (kind.partition(", ")[2] or kind for kind in (first["polls"], right[0]))
        begin = f"{first['case']}: with {slides} a sample slides to the next poll"
        return f"{begin}\nand names {first['method']}; with {stays} it stays in {hot}"
    return f"{first['case']}: a sample slides to the next poll\nand names {first['method']} ({first['polls']})"


def _lane(ax: Axes, y: float, edges: list[float], parts: list[dict[str, Any]], polls: list[Any]) -> None:
    """The parts with their polls, and three moments in the widest one, each with the way that its sample slides."""
    ticks: list[float] = []
    for part, (start, end, poll) in enumerate(zip(edges, edges[1:], polls, strict=False)):
        look = POLLED if poll else UNPOLLED
        ax.barh(y, end - start, left=start, height=0.3, color=look.color, hatch=look.hatch, edgecolor=style.INK, lw=0.8)
        if poll:
            count = -(-parts[part]["iterations"] // poll["every"])
            step = poll["every"] / parts[part]["iterations"] if count <= MOST_TICKS else 1 / MOST_TICKS
            ticks += [start + min((n + 1) * step, 1.0) * (end - start) for n in range(min(count, MOST_TICKS))]
    for at in ticks:
        ax.plot([at, at], [y - 0.15, y + 0.28], color=style.INK, lw=1.4)
        ax.plot(at, y + 0.28, "o", color=style.INK, ms=4)
    hot = max(range(len(parts)), key=lambda part: parts[part]["iterations"])
    for moment in MOMENTS:
        at = edges[hot] + moment * (edges[hot + 1] - edges[hot])
        to = next(tick for tick in ticks if tick >= at - 1e-9)
        bow = {"arrowstyle": "-|>", "color": style.BAD, "lw": 1.6, "connectionstyle": "arc3,rad=0.25"}
        ax.annotate("", (to, y - 0.16), (at, y - 0.16), arrowprops={**bow, "shrinkA": 0, "shrinkB": 0})
        ax.plot(at, y - 0.16, "v", color=style.BAD, ms=7)
