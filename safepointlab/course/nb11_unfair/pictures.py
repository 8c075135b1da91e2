"""The pictures that only page 11 needs: who waits when in a round of requests, and what each cure gives and costs."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from safepointlab.course.nb11_unfair import experiments as unfair
from safepointlab.plot import _alternative, _lanes, style
from safepointlab.plot._picture import picture
from safepointlab.run.stops import stops

LOOKS = {
    "parks": style.Look("parks", "#F2F2F2"),
    "runs": style.Look("runs Java code", "#7CC4EC", "..."),
    "waits": style.Look("waits until all threads have stopped", style.PHASES["ttsp_ms"].color, "///"),
}
ROUNDS = 2
SHORT = 0.1  # of the wait without a cure
EDGE = 2.0  # times as long: what costs more has no bar, but a word


@picture("lab.jmh for unfair.Contains, with the safepoint log", "run", "metric", "median", "jdk", "gc", "k")
def rounds(frame: pd.DataFrame) -> Axes:
    """Draw two rounds of the thread that requests safepoints, with a lane for it and for each of the two that search.

    Between two pauses the threads run for a while, and then wait for the last one: both are medians of the log. A
    dotted line marks the end of a pause. Rows of runs without requests are left out.

    Raises:
        BadInput: the rows are of several JDKs, collectors or Ks.
    """
    asked = frame[frame["run"].isin(frame.loc[frame["metric"] == "findDeadlocks", "run"])]
    ax = style.canvas(None, width=9.0, height=1.7 + 0.75 * 3)
    if asked.empty:
        return style.empty(ax, "No safepoint was requested")
    unfair.demand_one(asked, "jdk", "gc", "k")
    logged = stops(asked, unfair.DEADLOCKS)
    runs_ms, waits_ms = (float(ms) for ms in logged[["time_since_last_ms", "ttsp_ms"]].median())
    whole_ms = runs_ms + waits_ms
    call_ms = float(asked.loc[asked["metric"] == "contains1ToK", "median"].median()) / 1000
    runs, waits, call = map(style.ms, (runs_ms, waits_ms, call_ms))
    lanes = {  # what each thread does in a round, from and to when, and what is written on it
        "findDeadlocks\nrequests": [("parks", 0.0, runs_ms, runs), ("waits", runs_ms, whole_ms, waits)],
        "contains1\nsearches once": [("runs", 0.0, runs_ms, runs), ("waits", runs_ms, whole_ms, f"waits for {waits}")],
        "contains1ToK\nsearches K times": [("runs", 0.0, whole_ms, f"a call takes {call}")],
    }
    for lane, stretches in enumerate(lanes.values()):
        for what, begin_ms, end_ms, text in stretches:
            for start_ms in (number * whole_ms for number in range(ROUNDS)):
                _lanes.bar(ax, lane, start_ms + begin_ms, start_ms + end_ms, LOOKS[what])
            style.label(ax, (begin_ms + end_ms) / 2, lane, text, ha="center")
    _lanes.frame(ax, list(lanes), (0, ROUNDS * whole_ms), [whole_ms * (number + 1) for number in range(ROUNDS)])
    style.axis_names(ax, "ms since the end of a pause")
    style.note(ax, f"ms since the end of a pause\neach length: the median of {style.count_of([len(logged)], 'stop')}")
    style.key(ax, LOOKS.values())
    style.finding(ax, f"In a typical round contains1 runs for {runs},\nthen waits {waits} for the last thread to stop")
    said = (f"{' '.join(lane.split())}: {text}" for lane, stretches in lanes.items() for *_, text in stretches)
    _alternative.own(ax, "; ".join(said) + ".")
    return ax


@picture("lab.jmh for unfair.Contains, with the safepoint log", "run", "flags", "metric")
def cures(cured: pd.DataFrame, prices: pd.DataFrame) -> Axes:
    """Draw one bar per cure, from its smallest price to its largest, with the wait written next to it.

    The price is how many times as long the loop takes with the cure, in the pairs of JVMs; the grey band is the spread
    without a cure.

    Args:
        cured, prices: see `experiments.cures_and_prices`.

    Raises:
        BadInput: see there.
    """
    frame = unfair.cures_and_prices(cured, prices) if len(cured) and len(prices) else cured.iloc[:0]
    rows = frame.to_dict("records")
    ax = style.canvas(None, height=1.6 + 0.62 * max(len(rows), 2))
    if not rows:
        return style.empty(ax, "No cure was measured")
    lengths = frame["largest_price"][frame["largest_price"] <= EDGE]  # longer bars would press all others together
    right = max(1.3, float(lengths.max())) if len(lengths) else EDGE
    for place, row in enumerate(rows):
        low, high, color = row["smallest_price"], row["largest_price"], style.COLORS[0] if place else style.MUTED
        if high > right:
            style.label(ax, 1, -place, f"off the scale: {_words(row)}", (12, 0))
        else:
            ax.plot([low, high], [-place, -place], color=color, lw=6, solid_capstyle="butt")
            ax.plot([low, high], [-place, -place], ls="", marker="|", ms=13, mew=3, color=color)
            style.label(ax, high, -place, _words(row), (12, 0))
    ax.axvspan(rows[0]["smallest_price"], rows[0]["largest_price"], color=style.LINE, alpha=0.6, lw=0, zorder=0)
    ax.axvline(1, color=style.MUTED, lw=1.2, ls=":")
    ax.set(ylim=(0.6 - len(rows), 0.6), xlim=(0.9 - 0.1 * (right - 1), 1 + 2 * (right - 1)))
    ax.set_xticks([tick for tick in ax.get_xticks() if 0.9 <= tick <= right])
    ax.spines["bottom"].set_bounds(ax.get_xlim()[0], right)  # what is on the right of it are words
    ax.set_yticks([-place for place in range(len(rows))], [row["cure"] for row in rows])
    ax.tick_params(axis="y", length=0)
    style.axis_names(ax)
    style.note(ax, "price: time of the loop with the cure ÷ without (32 KiB)\nbar: its range over the fastest JVMs")
    style.finding(ax, _finding(frame))
    _alternative.own(ax, "; ".join(f"{row['cure']}: {_words(row)}" for row in rows) + ".")
    return ax


def _words(row: Any) -> str:
    """The range of the price, and the wait that is left."""
    wait_ms = row["ttsp_ms"]
    if pd.isna(wait_ms):
        return f"{_price(row)}; time to safepoint not measured"
    return f"{_price(row)}; time to safepoint {style.ms(round(wait_ms, 1) if wait_ms >= 0.05 else wait_ms)}"


def _price(row: Any) -> str:
    ends = (row["smallest_price"], row["largest_price"])
    return " to ".join(dict.fromkeys(f"×{price:.2f}" if price < 9.5 else f"×{price:.0f}" for price in ends))


def _finding(frame: pd.DataFrame) -> str:
    """How many cures end the wait, and which of those certainly costs most, or what each costs at most."""
    ill, cured = frame.iloc[0], frame.iloc[1:].dropna(subset="ttsp_ms")
    if pd.isna(ill["ttsp_ms"]) or cured.empty:
        return "What each cure costs: the wait wasn't measured both with and without a cure"
    well = cured[cured["ttsp_ms"] < SHORT * ill["ttsp_ms"]]
    if well.empty:
        return f"None of the {len(cured)} cures ends the wait of {style.ms(ill['ttsp_ms'])}"
    count = f"{len(well)}" if len(well) == len(cured) else f"{len(well)} of {len(cured)}"
    cures_cut = "cure cuts" if count == "1" else "cures cut"
    ended = f"{count} {cures_cut} the wait from {style.ms(ill['ttsp_ms'])} to {style.ms(well['ttsp_ms'].max())}"
    row = well.sort_values("smallest_price").iloc[-1]
    if row["smallest_price"] > max(ill["largest_price"], *well.drop(row.name)["largest_price"]):
        return f"{ended};\nof these, “{row['cure']}” costs most: {_price(row)}"
    percent = max(0.0, 100 * (float(well["largest_price"].max()) - 1))
    too_slow = frame[frame["ttsp_ms"].isna() & (frame["smallest_price"] > EDGE)]  # to time a stop with
    others = "".join(f";\n“{row['cure']}” costs {_price(row)}" for row in too_slow.to_dict("records"))
    return f"{ended},\nat a price of at most {percent:.0f} % here{others}"
