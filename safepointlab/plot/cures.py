"""What each cure gives and costs -> one bar a cure: its price, and the wait beside it.

    plot.cures(unfair.cures_and_prices(cured, prices))

Columns used: cure, ttsp_ms (missing where it was not measured), smallest_price, largest_price: how many times as long
the loop takes with the cure, in the pairs of forks. The first row is the loop without a cure.
"""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from safepointlab.plot import _alternative, style
from safepointlab.plot._picture import picture

SHORT = 0.1  # of the wait without a cure
EDGE = 2.0  # what costs more than that has no bar, but a word


@picture("nb11_unfair.experiments.cures_and_prices", "cure", "ttsp_ms", "smallest_price", "largest_price")
def cures(frame: pd.DataFrame, ax: Axes | None = None, title: str | None = None) -> Axes:
    """Draw one bar a cure, from its smallest price to its largest; the grey band is the spread without a cure."""
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
    well = cured[cured["ttsp_ms"] < SHORT * ill["ttsp_ms"]]
    if well.empty:
        return f"None of {len(cured)} cures ends the wait of {style.ms(ill['ttsp_ms'])}"
    count = f"{len(well)}" if len(well) == len(cured) else f"{len(well)} of {len(cured)}"
    ended = f"{count} cures cut the wait from {style.ms(ill['ttsp_ms'])} to {style.ms(well['ttsp_ms'].max())}"
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
