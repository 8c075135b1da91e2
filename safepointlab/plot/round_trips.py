"""Round trips over time (topics.guaranteed.trips) -> a dot each, the stops of the same run shaded behind them.

    plot.round_trips(guaranteed.trips(run), guaranteed.trip_stops(run))

Columns used: begin_s and trip_us of the round trips, begin_s and total_ms of the stops, all on one clock. A round trip
that touches a stop has a colour and a marker of its own; the longest of both kinds are labelled.
"""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from safepointlab.plot import _alternative, style
from safepointlab.plot._picture import picture

BINS = 900  # of the time: in each of them the longest of both kinds is drawn, so that a saved page stays small
BLUR_S = 2e-5  # how exact the log's time is
STOP = style.PHASES["ttsp_ms"]
LOOKS = {  # does it touch a stop?
    False: style.Look("between the stops", style.COLORS[0], "", "o"),
    True: style.Look("touches a stop", style.COLORS[1], "", "X"),
}


@picture("topics.guaranteed.trips", "begin_s", "trip_us")
def round_trips(
    frame: pd.DataFrame, stops: pd.DataFrame, ax: Axes | None = None, title: str | None = None, blur_s: float = BLUR_S
) -> Axes:
    """Draw the round trips on a log axis.

    Args:
        stops: begin_s and total_ms, on the clock of the round trips.
        blur_s: how exact that clock is: a round trip so close to a stop touches it.
    """
    ax = style.canvas(ax, height=4.6)
    if frame.empty:
        return style.empty(ax, title or "No round trip was noted")
    trips = frame.assign(touches=_touches(frame, stops, blur_s))
    for begin_s, total_ms in zip(stops["begin_s"], stops["total_ms"], strict=True):
        ax.axvspan(begin_s, begin_s + total_ms / 1000, color=STOP.color, alpha=0.35, lw=1.5, zorder=0)
    for touches, some in trips.groupby("touches"):
        look, shown = LOOKS[bool(touches)], _longest_of_bins(some, frame["begin_s"].max())
        ax.scatter(shown["begin_s"], shown["trip_us"], s=60 if touches else 9, color=look.color, marker=look.marker)
    style.log_axis(ax)
    ax.set_ylim(trips["trip_us"].min() * 0.8, trips["trip_us"].max() * 4)
    for touches, some in trips.groupby("touches"):
        _label(ax, some, LOOKS[bool(touches)])
    style.axis_names(ax, "since the first round trip, s", "round trip, µs (log)")
    present = [LOOKS[touches] for touches in (False, True) if (trips["touches"] == touches).any()]
    style.key(ax, [*present, style.Look("a stop", "#F2C29B")])
    style.finding(ax, title or _finding(trips))
    _alternative.own(ax, _words(trips, stops))
    return ax


def _touches(frame: pd.DataFrame, stops: pd.DataFrame, blur_s: float) -> np.ndarray:
    """Whether each round trip was under way in a stop."""
    begins, ends = frame["begin_s"].to_numpy(), (frame["begin_s"] + frame["trip_us"] / 1e6).to_numpy()
    found = np.zeros(len(frame), dtype=bool)
    for begin_s, total_ms in zip(stops["begin_s"], stops["total_ms"], strict=True):
        found |= (begins <= begin_s + total_ms / 1000 + blur_s) & (ends >= begin_s - blur_s)
    return found


def _longest_of_bins(trips: pd.DataFrame, until_s: float) -> pd.DataFrame:
    slots = (trips["begin_s"] / max(until_s, 1e-9) * BINS).astype(int)
    return trips.loc[trips.groupby(slots)["trip_us"].idxmax()]


def _label(ax: Axes, trips: pd.DataFrame, look: style.Look) -> None:
    """Write at the longest one how long it was."""
    longest = trips.sort_values("trip_us").iloc[-1]
    text = f"longest that {look.label}" if look.marker == "X" else "longest between them"
    said = f"{text}: {_time(longest['trip_us'])}"
    style.label(ax, longest["begin_s"], longest["trip_us"], said, (0, 14), ha="side", fontweight="bold")


def _time(us: float) -> str:
    return style.ms(us / 1000) if us >= 1000 else f"{us:,.0f}{style.MS[0]}µs"


def _maxima(trips: pd.DataFrame) -> dict[Any, float]:
    return {bool(touches): float(longest) for touches, longest in trips.groupby("touches")["trip_us"].max().items()}


def _finding(trips: pd.DataFrame) -> str:
    longest = _maxima(trips)
    if True not in longest:
        return f"No round trip touches a stop; the longest takes {_time(longest[False])}"
    if False not in longest:
        return f"All noted round trips touch a stop; the longest takes {_time(longest[True])}"
    at, between = _time(longest[True]), _time(longest[False])
    if longest[True] > longest[False]:
        return f"The longest round trip, {at}, touches a stop; between stops it is {between}"
    return f"The longest round trip, {between}, is no stop's: at a stop it is {at}"


def _words(trips: pd.DataFrame, stops: pd.DataFrame) -> str:
    """What the picture shows, in words."""
    counts = trips["touches"].value_counts()
    worst = f", the longest of {style.ms(float(stops['total_ms'].max()))}" if len(stops) else ""
    return (
        f"{len(stops)} stops{worst}; {counts.get(True, 0):,} of {len(trips):,} noted round trips touch one; "
        f"the median of all noted is {_time(float(trips['trip_us'].median()))}."
    )
