"""A run of PingPong -> over time the longest round trip at each stop, and in as much time without one.

    round_trips(run)

The stops are shaded. A cross is the longest round trip that touches a stop; a dot is the longest in a span of time as
long as a stop that touches none.
"""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from safepointlab.course.nb14_guaranteed import experiments, spans
from safepointlab.plot import _alternative, style
from safepointlab.plot._picture import picture
from safepointlab.run.run import Run

MOST_DOTS = 900  # more cannot be told apart: of many spans some are drawn, at equal distances
IN_MS = 100_000  # µs: from here on the axis counts milliseconds
ROOM = 1.42  # of the time axis: at the right end the medians are written
STOP = style.Look("a stop", "#F2C29B")
LOOKS = {  # is it at a stop?
    True: style.Look("longest round trip under way during a stop", style.COLORS[1], "", "X"),
    False: style.Look("longest within an equally long time without a stop", style.COLORS[0], "", "o"),
}
WRITTEN = {True: "during a stop", False: "without a stop"}
Spans = dict[bool, "pd.Series[float]"]  # is it at a stop? -> µs


def round_trips(run: Run, ax: Axes | None = None, title: str | None = None) -> Axes:
    """Draw the longest round trips of a run of PingPong, and its stops.

    Raises:
        BadInput: the run is none of PingPong.
    """
    return trips(spans.longest(run), experiments.trip_stops(run), ax, title)


@picture("a run of guaranteed/PingPong", "begin_s", "trip_us", "at_stop")
def trips(frame: pd.DataFrame, stops: pd.DataFrame, ax: Axes | None = None, title: str | None = None) -> Axes:
    """Draw the longest round trips on a log axis; `stops` has begin_s and total_ms, on the clock of the trips."""
    ax = style.canvas(ax, height=4.9)
    if frame.empty:
        return style.empty(ax, title or "No round trip was noted")
    by_kind = {bool(at_stop): rows["trip_us"] for at_stop, rows in frame.groupby("at_stop")}
    scale = 1000 if frame["trip_us"].max() >= IN_MS else 1
    _draw(ax, frame, stops, scale)
    _write(ax, by_kind, scale, float((frame["begin_s"] + frame["trip_us"] / 1e6).max()))
    style.axis_names(ax, "since the first round trip, s", f"round trip, {'ms' if scale > 1 else 'µs'} (log)")
    style.note(ax, _thinned(by_kind))
    _key(ax, by_kind)
    style.finding(ax, title or _finding(by_kind, stops), key_rows=2)
    _alternative.own(ax, _words(by_kind, stops))
    return ax


def _draw(ax: Axes, frame: pd.DataFrame, stops: pd.DataFrame, scale: int) -> None:
    for begin_s, total_ms in zip(stops["begin_s"], stops["total_ms"], strict=True):
        ax.axvspan(begin_s, begin_s + total_ms / 1000, color=STOP.color, lw=1.5, zorder=0)
    for at_stop, rows in frame.groupby("at_stop"):
        look, shown = LOOKS[bool(at_stop)], rows if at_stop else rows.iloc[:: _step(len(rows))]
        size = 60 if at_stop else 9
        ax.scatter(shown["begin_s"], shown["trip_us"] / scale, s=size, color=look.color, marker=look.marker)
    style.log_axis(ax)
    ax.set_ylim(frame["trip_us"].min() * 0.6 / scale, frame["trip_us"].max() * 1.6 / scale)


def _step(spans: int) -> int:
    """Of how many spans one is drawn."""
    return 1 + spans // MOST_DOTS


def _thinned(kinds: Spans) -> str:
    """The name of the time axis, with the part of the spans that is drawn, and how many are as long as at a stop."""
    if not {True, False} <= set(kinds) or _step(len(kinds[False])) == 1:
        return ""
    drawn = f"drawn is one dot of {_step(len(kinds[False]))}; {_as_long(kinds)} of all {len(kinds[False]):,}"
    return f"since the first round trip, s\n({drawn} are as long as the median cross)"


def _as_long(kinds: Spans) -> str:
    """The part of the spans without a stop whose longest is as long as that at a stop."""
    return f"{100 * float((kinds[False] >= kinds[True].median()).mean()):.1f} %"


def _write(ax: Axes, kinds: Spans, scale: int, until_s: float) -> None:
    """Write the two medians at the right end, each at its height."""
    until_s = until_s or 1.0
    ax.set_xlim(-0.04 * until_s, ROOM * until_s)
    ax.set_xticks([tick for tick in ax.get_xticks() if 0 <= tick <= 1.01 * until_s])
    for at_stop, trips_us in kinds.items():
        median, color = float(trips_us.median()), LOOKS[at_stop].color
        said = f"{WRITTEN[at_stop]}:\n{_time(median)} (median)"
        ax.plot([0, until_s * 1.02], [median / scale] * 2, color=color, lw=1.2, ls="--", zorder=1)
        style.label(ax, until_s * 1.04, median / scale, said, color=color, fontweight="bold")


def _key(ax: Axes, kinds: Spans) -> None:
    """The crosses and the dots below each other, and the shade of the stops."""
    looks: dict[str, Any] = {"ncols": 2, "fontsize": style.SMALL_PT, "frameon": False, "columnspacing": 1.2}
    marks = [ax.scatter([], [], color=LOOKS[kind].color, marker=LOOKS[kind].marker) for kind in LOOKS if kind in kinds]
    labels = [LOOKS[kind].label for kind in LOOKS if kind in kinds]
    shade = ax.fill_between([], [], color=STOP.color)
    ax.legend([*marks, shade], [*labels, STOP.label], **looks, **style.KEY_PLACE)


def _time(us: float) -> str:
    return style.ms(us / 1000) if us >= 1000 else f"{us:,.0f}{style.MS[0]}µs"


def _finding(kinds: Spans, stops: pd.DataFrame) -> str:
    if True not in kinds:
        return "No round trip touches a stop" if len(stops) else "There was no stop; the round trips by themselves"
    takes = f"The longest round trip during a stop takes {_time(kinds[True].median())}\n(median of {len(kinds[True])})"
    if False not in kinds:
        return f"{takes}; there are no others"
    return f"{takes}, in as much time without one {_time(kinds[False].median())}"


def _words(kinds: Spans, stops: pd.DataFrame) -> str:
    """What the picture shows, in words: of each kind its own number and median."""
    total_ms = stops["total_ms"].astype("float64")
    lengths = f", {style.ms(total_ms.min())} to {style.ms(total_ms.max())} long" if len(stops) else ""
    said = [f"{len(stops)} stop{'s' * (len(stops) != 1)}{lengths}."]
    if True in kinds:
        met = f"Noted round trips touch {len(kinds[True])} of them"
        said.append(f"{met}; the longest at each takes {_time(kinds[True].median())} (median).")
    if False in kinds:
        typical = _time(kinds[False].median())
        said.append(f"In {len(kinds[False]):,} spans elsewhere, each as long as a stop, it is {typical} (median).")
    if len(kinds) == 2:
        said.append(f"{_as_long(kinds)} of these spans have one as long as that at a stop.")
    return " ".join(said)
