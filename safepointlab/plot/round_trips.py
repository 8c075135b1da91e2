"""Round trips over time (topics.guaranteed.trips) -> the longest at each stop, and in as much time elsewhere.

    plot.round_trips(guaranteed.trips(run), guaranteed.trip_stops(run))

Columns used: begin_s and trip_us of the round trips, begin_s and total_ms of the stops, all on one clock. The stops are
shaded. A cross is the longest round trip that touches a stop; a dot is the longest in a span of time as long as a stop
that touches none. So title and labels compare like with like: the longest of a whole run is one event, and says little
about the stops, and the median of all round trips is that of a single one.
"""

import pandas as pd
from matplotlib.axes import Axes

from safepointlab.plot import _alternative, _spans, style
from safepointlab.plot._picture import picture

MOST_DOTS = 900  # more cannot be told apart: of many spans some are drawn, at equal distances
BLUR_S = 2e-5  # how exact the log's time is
STANDS_OUT = 1.5  # times the median of the other spans: the stops are noticed
ROOM = 1.42  # of the time axis: at the right end the medians are written
STOP = style.PHASES["ttsp_ms"]
LOOKS = {  # is it at a stop?
    False: style.Look("in as much time elsewhere", style.COLORS[0], "", "o"),
    True: style.Look("at a stop", style.COLORS[1], "", "X"),
}
WRITTEN = {False: "elsewhere", True: "at a stop"}


@picture("topics.guaranteed.trips", "begin_s", "trip_us")
def round_trips(
    frame: pd.DataFrame, stops: pd.DataFrame, ax: Axes | None = None, title: str | None = None, blur_s: float = BLUR_S
) -> Axes:
    """Draw the longest round trips on a log axis.

    Args:
        stops: begin_s and total_ms, on the clock of the round trips.
        blur_s: how exact that clock is: a round trip so close to a stop touches it.
    """
    ax = style.canvas(ax, height=4.6)
    if frame.empty:
        return style.empty(ax, title or "No round trip was noted")
    kinds = {False: _spans.elsewhere(frame, stops, blur_s), True: _spans.at_stops(frame, stops, blur_s)}
    medians = {at_stop: float(longest["trip_us"].median()) for at_stop, longest in kinds.items() if len(longest)}
    _draw(ax, kinds, stops)
    _write(ax, medians, float((frame["begin_s"] + frame["trip_us"] / 1e6).max()))
    style.axis_names(ax, "since the first round trip, s", "longest round trip, µs (log)")
    style.key(ax, [*(LOOKS[at_stop] for at_stop in sorted(medians)), style.Look("a stop", "#F2C29B")])
    style.finding(ax, title or _finding(medians, stops, float(frame["trip_us"].min())))
    _alternative.own(ax, _words(kinds, stops, medians))
    return ax


def _draw(ax: Axes, kinds: dict[bool, pd.DataFrame], stops: pd.DataFrame) -> None:
    for begin_s, total_ms in zip(stops["begin_s"], stops["total_ms"], strict=True):
        ax.axvspan(begin_s, begin_s + total_ms / 1000, color=STOP.color, alpha=0.35, lw=1.5, zorder=0)
    for at_stop, longest in kinds.items():
        look, shown = LOOKS[at_stop], longest if at_stop else longest.iloc[:: 1 + len(longest) // MOST_DOTS]
        ax.scatter(shown["begin_s"], shown["trip_us"], s=60 if at_stop else 9, color=look.color, marker=look.marker)
    style.log_axis(ax)
    drawn_us = pd.concat([longest["trip_us"] for longest in kinds.values()])
    ax.set_ylim(drawn_us.min() * 0.6, drawn_us.max() * 1.6)


def _write(ax: Axes, medians: dict[bool, float], until_s: float) -> None:
    """Write the two medians at the right end, each at its height."""
    until_s = until_s or 1.0
    ax.set_xlim(-0.04 * until_s, ROOM * until_s)
    ax.set_xticks([tick for tick in ax.get_xticks() if 0 <= tick <= until_s])
    for at_stop, median in medians.items():
        said = f"{WRITTEN[at_stop]}:\n{_time(median)} (median)"
        ax.plot([0, until_s * 1.02], [median] * 2, color=LOOKS[at_stop].color, lw=1.2, ls="--", zorder=1)
        style.label(ax, until_s * 1.04, median, said, color=LOOKS[at_stop].color, fontweight="bold")


def _time(us: float) -> str:
    return style.ms(us / 1000) if us >= 1000 else f"{us:,.0f}{style.MS[0]}µs"


def _finding(medians: dict[bool, float], stops: pd.DataFrame, least_us: float) -> str:
    if True not in medians:
        return "No round trip touches a stop" if len(stops) else "There was no stop; the round trips by themselves"
    length = style.ms(stops["total_ms"].median())
    if False not in medians:
        return f"One stop follows another; the longest round trip\nat each takes {_time(medians[True])} (median)"
    make = "make" if medians[True] > STANDS_OUT * medians[False] else "hardly make"
    others = _time(medians[False]) + (" or less" if medians[False] <= least_us else "")
    at_each = f"at each {_time(medians[True])} in the median"
    return f"Stops of {length} {make} round trips longer:\n{at_each}, elsewhere {others}"


def _words(kinds: dict[bool, pd.DataFrame], stops: pd.DataFrame, medians: dict[bool, float]) -> str:
    """What the picture shows, in words: of each kind its own number and median."""
    total_ms = stops["total_ms"].astype("float64")
    lengths = f", {style.ms(total_ms.min())} to {style.ms(total_ms.max())} long" if len(stops) else ""
    said = [f"{len(stops)} stop{'s' * (len(stops) != 1)}{lengths}."]
    if True in medians:
        met = f"Noted round trips touch {len(kinds[True])} of them"
        said.append(f"{met}; the longest at each takes {_time(medians[True])} (median).")
    if False in medians:
        spans, typical = kinds[False]["trip_us"], _time(medians[False])
        said.append(f"In {len(spans):,} spans elsewhere, each as long as a stop, it is {typical} (median).")
    if len(medians) == 2:
        said.append(f"{(spans >= medians[True]).mean():.1%} of these spans have one as long as that at a stop.")
    return " ".join(said)
