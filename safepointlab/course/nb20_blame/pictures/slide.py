"""Listings of KnownAnswer's code -> one call of a case whose samples slide to the next poll, to be touched.

    sliding(sweep, interpreter)     what the runs of polls.calls tell
    drawing(frame, "farAway")       the same of its table

Columns used: jdk, polls (which code), case, method, first and last (lines), text, iterations, every (iterations between
two polls; missing without a poll), named_method and named_line (what a look at that poll has on top of the stack).

The moments are simulated: each moment of a call is as likely as any other, and one iteration of any line takes as long
as one of another. What they slide to is not: `expected(frame)` has the shares that follow from the polls alone.
"""

import io
from base64 import b64encode
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from safepointlab.course.nb20_blame.polls import calls
from safepointlab.errors import BadInput
from safepointlab.plot import _spoken, style
from safepointlab.plot._picture import picture
from safepointlab.plot.interactive import Alive

COLUMNS = ("jdk", "polls", "case", "method", "first", "last", "iterations", "every", "named_method", "named_line")
NOTHING = "No call to draw"
SEED = 1  # of the simulated moments
POLLED = style.Look("a part with a poll", "#9EC5E8", "")
UNPOLLED = style.Look("a part without a poll", "#E3A0A6", "///")
HOT_SHARE = 0.5  # from this share of a call on, a part is drawn as the wide one
WIDE, NARROW = 6.0, 1.0  # widths in the drawing
MOMENTS = (0.12, 0.42, 0.74)  # of the widest part, at which the still picture shows a sample


def sliding(*results: Any, case: str = "") -> Alive:
    """A drawing in which a timer fires at random moments and the sample slides to the next poll.

    Args:
        results: runs of KnownAnswer that list the machine code of its cases, and runs that list the interpreter's.
        case: the one that is shown first.

    Raises:
        BadInput: a result names no runs, none of them lists KnownAnswer's code, or there is no such case.
        RunFailed: C2 did not compile a case before the program ended.
    """
    return drawing(calls(*results), case)


@picture("runs that list the machine code of KnownAnswer", *COLUMNS, "text")
def drawing(frame: pd.DataFrame, case: str = "") -> Alive:
    """The same for the table of `polls.calls`; the first case of the table is shown first by default.

    Raises:
        BadInput: the table has no such case.
    """
    if frame.empty:
        return Alive("sliding", {"cases": {}, "none": NOTHING}, f"<p>{NOTHING}</p>", NOTHING)
    cases = {str(name): _case(rows) for name, rows in frame.groupby("case", sort=False)}
    first = case or next(iter(cases))
    if first not in cases:
        raise BadInput(f"There is no case {case!r} here. There are {', '.join(cases)}.")
    finding = _finding(frame, first)
    shown = frame[frame["case"] == first]
    data = {"cases": cases, "seed": SEED, "first": first, "source": _source(frame)}
    still = _spoken.html(_png(shown, _headline(shown)), f"{finding}. {_words(shown)}") + _table(frame)
    return Alive("sliding", data, still, " ".join(finding.split()))


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


def parts(frame: pd.DataFrame) -> pd.DataFrame:
    """The stretches of one case, with those next to each other put together that nobody names and nothing polls.

    Returns:
        The rows of the frame for each kind of polls, with part: the number of the part that a stretch belongs to.
    """
    steps = frame.groupby("polls", sort=False).cumcount()
    loops = set(steps[frame["iterations"] > 1])
    alone = loops | {step for _, same in frame.groupby("polls", sort=False) for step in _apart(same)}
    number = pd.Series([step in alone or step - 1 in alone for step in range(steps.max() + 1)], dtype="int64").cumsum()
    return frame.assign(part=steps.map(number - int(number.iloc[0])))


def _apart(same: pd.DataFrame) -> set[int]:
    """The steps whose poll names another place, and the steps at such a place."""
    found: set[int] = set()
    for step, row in enumerate(same.to_dict("records")):
        if pd.notna(row["every"]) and not (row["method"] == row["named_method"] and row["first"] == row["named_line"]):
            found |= {step, _place(same, row["named_method"], row["named_line"], step)}
    return found


def _place(same: pd.DataFrame, method: str, line: int, step: int) -> int:
    """The step at that line: the first from here on, else the first of all."""
    holds = (same["method"] == method) & (same["first"] <= line) & (same["last"] >= line)
    steps = [number for number, held in enumerate(holds) if held]
    return next((number for number in steps if number >= step), steps[0])


def _case(rows: pd.DataFrame) -> dict[str, Any]:
    """What the script draws of one case: its parts, and for each kind of polls those of each part."""
    table = parts(rows)
    one = table[table["polls"] == table["polls"].iloc[0]]
    names = [_part(stretches) for _, stretches in one.groupby("part", sort=True)]
    polls = {str(kind): _polls(same) for kind, same in table.groupby("polls", sort=False)}
    return {"parts": names, "polls": polls}


def _part(stretches: pd.DataFrame) -> dict[str, Any]:
    first, last = stretches.iloc[0], stretches.iloc[-1]
    own = {"text": str(first["text"]), "iterations": int(stretches["iterations"].sum())}
    if len(stretches) == 1:
        lines = str(first["first"]) + (f"–{first['last']}" if first["last"] > first["first"] else "")
        return {"name": f"{first['method']}:{lines}", **own}
    between = f"{first['method']}:{first['first']} to {last['method']}:{last['last']}"
    return {"name": between, **own, "text": f"{len(stretches)} calls and returns"}


def _polls(same: pd.DataFrame) -> list[dict[str, Any] | None]:
    """For each part the iterations between two polls, the part that is named there and the line; None without one."""
    return [_poll(same, stretches) for _, stretches in same.groupby("part", sort=True)]


def _poll(same: pd.DataFrame, stretches: pd.DataFrame) -> dict[str, Any] | None:
    polled = stretches[stretches["every"].notna()]
    if polled.empty:
        return None
    last = polled.iloc[-1]
    place = f"{last['named_method']}:{last['named_line']}" if len(stretches) == 1 else _part(stretches)["name"]
    every = int(last["every"]) if len(stretches) == 1 else len(stretches)
    named = _place(same, last["named_method"], last["named_line"], list(same.index).index(last.name))
    return {"every": every, "names": int(same["part"].iloc[named]), "place": place}


def _finding(frame: pd.DataFrame, case: str) -> str:
    most = expected(frame[frame["case"] == case]).drop_duplicates("polls")
    places = [f"{name} ({'; '.join(same['polls'])})" for name, same in most.groupby("method", sort=False)]
    return f"{case}: a sample slides to the next poll,\nand names {', '.join(places)}"


def _source(frame: pd.DataFrame) -> str:
    """Where the lines and polls come from."""
    jdks = ", ".join(map(str, frame["jdk"].unique()))
    return f"Lines, order and polls are those of a real compile by JDK {jdks}."


def _headline(frame: pd.DataFrame) -> str:
    """The finding of the still picture: whom the first kind of polls names, and with which the loop is named."""
    most = expected(frame).drop_duplicates("polls")
    first, hot = most.iloc[0], frame.sort_values("iterations")["method"].iloc[-1]
    right = most.loc[most["method"] == hot, "polls"].tolist()
    if first["method"] != hot and right:
        slides, stays = (kind.partition(", ")[2] or kind for kind in (first["polls"], right[0]))
        begin = f"{first['case']}: with {slides} a sample slides to the next poll"
        return f"{begin}\nand names {first['method']}, with {stays} it stays in {hot}"
    return f"{first['case']}: a sample slides to the next poll,\nand names {first['method']} ({first['polls']})"


def _words(frame: pd.DataFrame) -> str:
    """What the picture shows, in words: whom the samples name with each kind of polls, and how often."""
    most = expected(frame).drop_duplicates("polls").to_dict("records")
    each = (
        f"{row['polls']}: {row['method']}:{row['line']} is named by {100 * row['share']:.2f} % of all moments"
        for row in most
    )
    return "; ".join(each) + "."


def _table(frame: pd.DataFrame) -> str:
    """Whom the samples name, case by case, for those who read the page without the script."""
    most = expected(frame).drop_duplicates(["polls", "case"])
    most["place"] = (
        most["method"] + ":" + most["line"].astype(str) + " (" + (100 * most["share"]).map("{:.1f} %)".format)
    )
    cells = most.pivot(index="case", columns="polls", values="place")
    return cells.rename_axis(None, axis=1).to_html(border=0)


def _png(frame: pd.DataFrame, title: str) -> str:
    """The still picture in base64."""
    figure = _still(frame, title)
    file = io.BytesIO()
    figure.savefig(file, format="png")
    plt.close(figure)
    return b64encode(file.getvalue()).decode()


def _still(frame: pd.DataFrame, title: str) -> Figure:
    kinds = list(frame["polls"].unique())
    figure, ax = plt.subplots(figsize=(8.0, 1.8 + 1.2 * len(kinds)), dpi=style.DPI, layout="constrained")
    shown = _case(frame)
    edges = _edges(shown["parts"])
    for lane, kind in enumerate(kinds):
        _lane(ax, -lane, edges, shown["parts"], shown["polls"][kind])
    _name_the_signs(ax)
    most = expected(frame).drop_duplicates("polls")
    names = dict(zip(most["polls"], most["method"] + ":" + most["line"].astype(str), strict=True))
    _frame(ax, [f"{kind}\nnames {names[kind]}" for kind in kinds], edges, shown["parts"], title)
    return figure


def _edges(names: list[dict[str, Any]]) -> list[float]:
    total, at, edges = sum(part["iterations"] for part in names), 0.0, [0.0]
    for part in names:
        at += WIDE if part["iterations"] > HOT_SHARE * total else NARROW
        edges.append(at)
    return edges


def _lane(ax: Axes, y: float, edges: list[float], names: list[dict[str, Any]], polls: list[Any]) -> None:
    for part, (start, end, poll) in enumerate(zip(edges, edges[1:], polls, strict=False)):
        look = POLLED if poll else UNPOLLED
        ax.barh(y, end - start, left=start, height=0.3, color=look.color, hatch=look.hatch, edgecolor=style.INK, lw=0.8)
        for place in _ticks(poll, names[part]["iterations"]):
            at = start + place * (end - start)
            ax.plot([at, at], [y - 0.15, y + 0.28], color=style.INK, lw=1.4)
            ax.plot(at, y + 0.28, "o", color=style.INK, ms=4)
    _samples(ax, y, edges, names, polls)


def _name_the_signs(ax: Axes) -> None:
    """A word beside the first pin and beside the first moment of the first lane."""
    for marker, word, drop in (("o", "poll", 0), ("v", "timer", -12)):
        sign = next((line for line in ax.lines if line.get_marker() == marker), None)
        if sign is not None:
            x, y = np.asarray(sign.get_xydata()).ravel()
            style.label(ax, float(x), float(y), word, offset=(-6, drop), ha="right")


def _ticks(poll: dict[str, Any] | None, iterations: int) -> list[float]:
    """Where the polls are within their part, from 0 to 1; as many as can be told apart."""
    if poll is None:
        return []
    count = -(-iterations // poll["every"])
    return (
        [min((n + 1) * poll["every"] / iterations, 1.0) for n in range(count)]
        if count <= 60
        else [(n + 1) / 60 for n in range(60)]
    )


def _samples(ax: Axes, y: float, edges: list[float], names: list[dict[str, Any]], polls: list[Any]) -> None:
    """Three moments in the wide part, each with the way that its sample slides."""
    hot = max(range(len(names)), key=lambda part: names[part]["iterations"])
    start, width = edges[hot], edges[hot + 1] - edges[hot]
    for moment in MOMENTS:
        at = start + moment * width
        to = _next(at, edges, names, polls, hot)
        bow = {"arrowstyle": "-|>", "color": style.BAD, "lw": 1.6, "connectionstyle": "arc3,rad=0.25"}
        ax.annotate("", (to, y - 0.16), (at, y - 0.16), arrowprops={**bow, "shrinkA": 0, "shrinkB": 0})
        ax.plot(at, y - 0.16, "v", color=style.BAD, ms=7)


def _next(at: float, edges: list[float], names: list[dict[str, Any]], polls: list[Any], part: int) -> float:
    start, width = edges[part], edges[part + 1] - edges[part]
    own = [start + tick * width for tick in _ticks(polls[part], names[part]["iterations"])]
    after = [tick for tick in own if tick >= at - 1e-9]
    if after:
        return after[0]
    later = next(number for number in range(part + 1, len(names)) if polls[number])
    place = _ticks(polls[later], names[later]["iterations"])[0]
    return edges[later] + place * (edges[later + 1] - edges[later])


def _frame(ax: Axes, kinds: list[str], edges: list[float], names: list[dict[str, Any]], title: str) -> None:
    style.canvas(ax)
    ax.spines[["left", "bottom"]].set_visible(False)
    ax.tick_params(length=0, labelsize=style.SMALL_PT)
    ax.set_yticks([-lane for lane in range(len(kinds))], kinds)
    ax.set_xticks([(a + b) / 2 for a, b in zip(edges, edges[1:], strict=False)], [part["name"] for part in names])
    for label in ax.get_xticklabels():
        label.set(rotation=30, ha="right", rotation_mode="anchor")
    ax.set_ylim(0.45 - len(kinds), 0.45)
    style.axis_names(ax, "one call, in the order in which its lines run; widths are not to scale")
    ax.xaxis.label.set_fontsize(style.SMALL_PT)
    style.key(ax, [UNPOLLED, POLLED])
    style.finding(ax, title)
