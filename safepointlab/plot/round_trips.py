"""Round trips over time (topics.guaranteed.trips) -> a dot each, the stops of the same run shaded behind them.

    plot.round_trips(guaranteed.trips(run), guaranteed.trip_stops(run))

Columns used: begin_s and trip_us of the round trips, begin_s and total_ms of the stops, all on one clock. A round trip
that touches a stop has a colour and a marker of its own. Title and labels compare medians, of the longest round trip at
each stop and of all others: the longest of a whole run is one event, and says little about the stops.
"""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from safepointlab.plot import _alternative, style
from safepointlab.plot._picture import picture

BINS = 900  # of the time: in each of them the longest of both kinds is drawn, so that a saved page stays small
BLUR_S = 2e-5  # how exact the log's time is
STANDS_OUT = 1.5  # times the median of the others: a round trip at a stop is seen
ROOM = 1.42  # of the time axis: at the right end the medians are written
STOP = style.PHASES["ttsp_ms"]
LOOKS = {  # does it touch a stop?
    False: style.Look("at no stop", style.COLORS[0], "", "o"),
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
    met = [_touching(frame, stop, blur_s) for stop in stops.to_dict("records")]
    trips = frame.assign(touches=np.logical_or.reduce([np.zeros(len(frame), dtype=bool), *met]))
    medians = _medians(trips, met)
    for begin_s, total_ms in zip(stops["begin_s"], stops["total_ms"], strict=True):
        ax.axvspan(begin_s, begin_s + total_ms / 1000, color=STOP.color, alpha=0.35, lw=1.5, zorder=0)
    for touches, some in trips.groupby("touches"):
        look, shown = LOOKS[bool(touches)], _longest_of_bins(some, frame["begin_s"].max())
        ax.scatter(shown["begin_s"], shown["trip_us"], s=60 if touches else 9, color=look.color, marker=look.marker)
    style.log_axis(ax)
    ax.set_ylim(trips["trip_us"].min() * 0.8, trips["trip_us"].max() * 1.6)
    _write(ax, medians, float(frame["begin_s"].max()))
    style.axis_names(ax, "since the first round trip, s", "round trip, µs (log)")
    style.key(ax, [*(LOOKS[touches] for touches in sorted(medians)), style.Look("a stop", "#F2C29B")])
    style.finding(ax, title or _finding(medians, len(stops)))
    _alternative.own(ax, _words(trips, stops, medians))
    return ax


def _touching(frame: pd.DataFrame, stop: dict[Any, Any], blur_s: float) -> np.ndarray:
    """Whether each round trip was under way in this stop."""
    end_s, trips_end = stop["begin_s"] + stop["total_ms"] / 1000, frame["begin_s"] + frame["trip_us"] / 1e6
    return np.asarray((frame["begin_s"] <= end_s + blur_s) & (trips_end >= stop["begin_s"] - blur_s))


def _medians(trips: pd.DataFrame, met: list[np.ndarray]) -> dict[bool, float]:
    """In us: the median of the longest round trip at each stop (True), and that of the others (False)."""
    at = [float(trips.loc[mask, "trip_us"].max()) for mask in met if mask.any()]
    others = trips.loc[~trips["touches"], "trip_us"]
    kinds = {False: others, True: pd.Series(at, dtype="float64")}
    return {touches: float(some.median()) for touches, some in kinds.items() if len(some)}


def _longest_of_bins(trips: pd.DataFrame, until_s: float) -> pd.DataFrame:
    slots = (trips["begin_s"] / max(until_s, 1e-9) * BINS).astype(int)
    return trips.loc[trips.groupby(slots)["trip_us"].idxmax()]


def _write(ax: Axes, medians: dict[bool, float], until_s: float) -> None:
    """Write the two medians at the right end, each at its height."""
    until_s = until_s or 1.0
    ax.set_xlim(-0.04 * until_s, ROOM * until_s)
    ax.set_xticks([tick for tick in ax.get_xticks() if 0 <= tick <= until_s])
    for touches, median in medians.items():
        said = f"{'at a stop' if touches else 'the others'}:\n{_time(median)} (median)"
        ax.plot([0, until_s * 1.02], [median] * 2, color=LOOKS[touches].color, lw=1.2, ls="--", zorder=1)
        style.label(ax, until_s * 1.04, median, said, color=LOOKS[touches].color, fontweight="bold")


def _time(us: float) -> str:
    return style.ms(us / 1000) if us >= 1000 else f"{us:,.0f}{style.MS[0]}µs"


def _finding(medians: dict[bool, float], stops: int) -> str:
    if True not in medians:
        return "No round trip touches a stop" if stops else "There was no stop; the round trips by themselves"
    if False not in medians:
        return f"All noted round trips touch a stop; at each stop the longest takes {_time(medians[True])} (median)"
    at, others = _time(medians[True]), _time(medians[False])
    if medians[True] > STANDS_OUT * medians[False]:
        return f"A round trip at a stop takes {at},\nothers that were noted {others} (medians)"
    return f"A round trip at a stop, {at}, hardly differs from\nthe others that were noted, {others} (medians)"


def _words(trips: pd.DataFrame, stops: pd.DataFrame, medians: dict[bool, float]) -> str:
    """What the picture shows, in words: of each kind its own number and median."""
    counts, total_ms = trips["touches"].value_counts(), stops["total_ms"].astype("float64")
    lengths = f", {style.ms(total_ms.min())} to {style.ms(total_ms.max())} long" if len(stops) else ""
    said = [f"{len(stops)} stop{'s' * (len(stops) != 1)}{lengths}."]
    if True in medians:
        touch = f"{counts[True]:,} noted round trips touch one"
        said.append(f"{touch}; the median of the longest at each stop is {_time(medians[True])}.")
    if False in medians:
        said.append(f"{counts[False]:,} others were noted; their median is {_time(medians[False])}.")
    return " ".join(said)
