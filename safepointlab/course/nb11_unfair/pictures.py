"""The pictures that only page 11 needs: who waits when in a round of questions, and what each cure gives and costs."""

from collections.abc import Iterator
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from safepointlab.course.nb11_unfair import experiments as unfair
from safepointlab.plot import _alternative, _lanes, style
from safepointlab.plot._picture import picture

LOOKS = {
    "parks": style.Look("parks", "#F2F2F2"),
    "runs": style.Look("runs Java code", "#7CC4EC", "..."),
    "waits": style.Look("waits until all threads have stopped", style.PHASES["ttsp_ms"].color, "///"),
}
ROUNDS = 2
SHORT = 0.1  # of the wait without a cure
EDGE = 2.0  # what costs more than that has no bar, but a word


Stretch = tuple[str, str, float, float, str]  # lane, what its thread does (a key of LOOKS), from and to in ms, a text


@picture("lab.jmh for unfair.Contains, with the safepoint log", "run", "metric", "median", "jdk", "gc", "k")
def rounds(frame: pd.DataFrame, ax: Axes | None = None, title: str | None = None) -> Axes:
    """Draw two rounds of the thread that asks, a lane for it and for each of the two that search.

    Between two stops everybody runs for a while, and then waits for the last thread: both are medians of the log. A
    dotted line is the end of a stop. Rows of runs in which nobody asks are left out.

    Raises:
        BadInput: the rows are of several JDKs, collectors or Ks.
    """
    asked = frame[frame["run"].isin(frame.loc[frame["metric"] == "findDeadlocks", "run"])]
    ax = style.canvas(ax, width=9.0, height=1.7 + 0.75 * 3)
    if asked.empty:
        return style.empty(ax, title or "Nobody asked")
    unfair.demand_one(asked, "jdk", "gc", "k")
    medians = unfair.waits(asked)[["time_since_last_ms", "ttsp_ms"]].median()
    runs_ms, waits_ms = (float(ms) for ms in medians)
    call_ms = float(asked.loc[asked["metric"] == "contains1ToK", "median"].median()) / 1000
    stretches = list(_stretches(runs_ms, waits_ms, call_ms))
    lanes = list(dict.fromkeys(lane for lane, *_ in stretches))
    for lane, what, begin_ms, end_ms, text in stretches:
        _lanes.bar(ax, lanes.index(lane), begin_ms, end_ms, LOOKS[what])
        if text:
            style.label(ax, (begin_ms + end_ms) / 2, lanes.index(lane), text, ha="center")
    whole_ms = runs_ms + waits_ms
    _lanes.frame(ax, lanes, (0, ROUNDS * whole_ms), [whole_ms * (n + 1) for n in range(ROUNDS)])
    style.axis_names(ax, "ms since the end of a stop")
    style.key(ax, LOOKS.values())
    runs, waits = style.ms(runs_ms), style.ms(waits_ms)
    style.finding(
        ax, title or f"In each round contains1 runs for {runs},\nand then waits {waits} for the last thread to stop"
    )
    _alternative.own(ax, "; ".join(f"{' '.join(lane.split())}: {text}" for lane, *_, text in stretches if text) + ".")
    return ax


def _stretches(runs_ms: float, waits_ms: float, call_ms: float) -> Iterator[Stretch]:
    """What each thread does in each round; only the first round has texts."""
    whole_ms = runs_ms + waits_ms
    runs, waits = style.ms(runs_ms), style.ms(waits_ms)
    for begin_ms in (number * whole_ms for number in range(ROUNDS)):
        first, asks_ms, end_ms = begin_ms == 0, begin_ms + runs_ms, begin_ms + whole_ms
        yield "findDeadlocks\nasks", "parks", begin_ms, asks_ms, runs * first
        yield "findDeadlocks\nasks", "waits", asks_ms, end_ms, waits * first
        yield "contains1\nsearches once", "runs", begin_ms, asks_ms, runs * first
        yield "contains1\nsearches once", "waits", asks_ms, end_ms, f"stands still for {waits}" * first
        yield "contains1ToK\nsearches K times", "runs", begin_ms, end_ms, f"a call takes {style.ms(call_ms)}" * first


@picture("lab.jmh for unfair.Contains, with the safepoint log", "run", "flags", "metric")
def cures(cured: pd.DataFrame, prices: pd.DataFrame, ax: Axes | None = None, title: str | None = None) -> Axes:
    """Draw one bar a cure, from its smallest price to its largest, and the wait beside it.

    The price is how many times as long the loop takes with the cure, in the pairs of JVMs; the grey band is the spread
    without a cure.

    Args:
        cured, prices: see `experiments.cures_and_prices`.

    Raises:
        BadInput: see there.
    """
    frame = unfair.cures_and_prices(cured, prices) if len(cured) and len(prices) else cured.iloc[:0]
    rows = frame.to_dict("records")
    ax = style.canvas(ax, height=1.6 + 0.62 * max(len(rows), 2))
    if not rows:
        return style.empty(ax, title or "No cure was measured")
    right = _right(frame)
    for place, row in enumerate(rows):
        _row(ax, -place, row, style.COLORS[0] if place else style.MUTED, right)
    ax.axvspan(rows[0]["smallest_price"], rows[0]["largest_price"], color=style.LINE, alpha=0.6, lw=0, zorder=0)
    ax.axvline(1, color=style.MUTED, lw=1.2, ls=":")
    ax.set(ylim=(0.6 - len(rows), 0.6), xlim=(0.9 - 0.1 * (right - 1), 1 + 2 * (right - 1)))
    ax.set_xticks([tick for tick in ax.get_xticks() if 0.9 <= tick <= right])
    ax.spines["bottom"].set_bounds(ax.get_xlim()[0], right)  # what is on the right of it are words
    ax.set_yticks([-place for place in range(len(rows))], [row["cure"] for row in rows])
    ax.tick_params(axis="y", length=0)
    style.axis_names(ax, "price: the loop takes so many times as long as without a cure")
    style.finding(ax, title or _finding(frame))
    _alternative.own(ax, "; ".join(f"{row['cure']}: {_says(row)}" for row in rows) + ".")
    return ax


def _right(frame: pd.DataFrame) -> float:
    """Where the bars end: what costs more than EDGE times would press all others together."""
    largest = frame["largest_price"][frame["largest_price"] <= EDGE]
    return max(1.3, float(largest.max())) if len(largest) else EDGE


def _row(ax: Axes, y: float, row: dict[Any, Any], color: str, right: float) -> None:
    low, high = row["smallest_price"], row["largest_price"]
    if high > right:
        style.label(ax, 1, y, f"far beyond this axis: {_says(row)}", (12, 0))
        return
    ax.plot([low, high], [y, y], color=color, lw=6, solid_capstyle="butt")
    ax.plot([low, high], [y, y], ls="", marker="|", ms=13, mew=3, color=color)
    style.label(ax, high, y, _says(row), (12, 0))


def _says(row: dict[Any, Any]) -> str:
    """The range of the price, and the wait that is left."""
    price = _price(row)
    left = "wait not measured" if pd.isna(row["ttsp_ms"]) else f"a stop waits {_wait(row['ttsp_ms'])}"
    return f"{price}; {left}"


def _wait(ms: float) -> str:
    return style.ms(round(ms, 1)) if ms >= 0.05 else style.ms(ms)


def _price(row: Any) -> str:
    return " to ".join(dict.fromkeys(_times(row[f"{end}_price"]) for end in ("smallest", "largest")))


def _times(price: float) -> str:
    return f"×{price:.2f}" if price < 9.5 else f"×{price:.0f}"


def _finding(frame: pd.DataFrame) -> str:
    """How many cures end the wait, and which of those takes most from the loop."""
    ill, cured = frame.iloc[0], frame.iloc[1:].dropna(subset="ttsp_ms")
    if pd.isna(ill["ttsp_ms"]) or cured.empty:
        return "What each cure costs: the wait was not measured both with a cure and without"
    well = cured[cured["ttsp_ms"] < SHORT * ill["ttsp_ms"]]
    if well.empty:
        return f"None of {len(cured)} cures ends the wait of {style.ms(ill['ttsp_ms'])}"
    count = f"{len(well)}" if len(well) == len(cured) else f"{len(well)} of {len(cured)}"
    cures_cut = "cure cuts" if count == "1" else "cures cut"
    ended = f"{count} {cures_cut} the wait from {style.ms(ill['ttsp_ms'])} to {style.ms(well['ttsp_ms'].max())}"
    visible = well[well["smallest_price"] > ill["largest_price"]]
    if visible.empty:
        return f"{ended},\nat a price of {_percent(well)} at most{_expensive(frame.iloc[1:])}"
    row = visible.sort_values("smallest_price").iloc[-1]
    return f"{ended};\n“{row['cure']}” costs most: {_price(row)}"


def _percent(cures: pd.DataFrame) -> str:
    """The end of the longest bar, as a share of the loop: "3 %"."""
    return f"{max(0.0, 100 * (float(cures['largest_price'].max()) - 1)):.0f} %"


def _expensive(cures: pd.DataFrame) -> str:
    """What the cures cost that are too slow to time a stop with."""
    slow = cures[cures["ttsp_ms"].isna() & (cures["smallest_price"] > EDGE)]
    return "".join(f"; “{row['cure']}” costs {_price(row)}" for row in slow.to_dict("records"))
