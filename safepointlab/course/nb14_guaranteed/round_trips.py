"""A run of PingPong, two threads that hand over a number and time it -> its slow round trips, and its stops.

    longest(run)             the longest round trip at each stop, and in each equally long time without one
    beside(run)              the same at each stop and half an interval later
    usually_longest_us(run)  the same in each window of 50 ms, half of them

Like is compared with like: the longest trip of a whole run is one event, and says little about the stops, and the
median of all trips is that of a single one.
"""

from typing import TYPE_CHECKING

import numpy as np

from safepointlab.course.nb14_guaranteed.experiments import is_periodic
from safepointlab.errors import BadInput
from safepointlab.run.run import Run

if TYPE_CHECKING:
    from pandas import DataFrame, Series

FLOOR_US = 20.0  # PingPong notes no round trip that was shorter
WINDOW_S = 0.05
MOST = 1_000_000  # spans; in more of them most would hold nothing


def trips(run: Run) -> "DataFrame":
    """The slow round trips of the run: begin_s since the first, trip_us; none below FLOOR_US.

    Raises:
        BadInput: the run is none of PingPong.
    """
    slow = _slow(run)
    begin_s = (slow["begin_ns"] - slow["begin_ns"].min()) / 1e9
    return slow.assign(begin_s=begin_s, trip_us=slow["length_ns"] / 1000)[["begin_s", "trip_us"]]


def trip_stops(run: Run) -> "DataFrame":
    """The periodic stops of that run while the ball was in play, on the clock of `trips`: begin_s, total_ms."""
    slow, stops = _slow(run), _stops(run)
    first_ns, last_ns = float(slow["begin_ns"].min()), float((slow["begin_ns"] + slow["length_ns"]).max())
    ends_ns: Series[float] = stops["begin_ns"] + 1e6 * stops["total_ms"]
    during = stops[(ends_ns >= first_ns) & (stops["begin_ns"] <= last_ns)].reset_index(drop=True)
    return during.assign(begin_s=(during["begin_ns"] - first_ns) / 1e9)[["begin_s", "total_ms"]]


def usually_longest_us(run: Run) -> float:
    """The longest round trip in each window of WINDOW_S, half of them; FLOOR_US where none was noted."""
    noted = trips(run)
    window = (noted["begin_s"] // WINDOW_S).astype(int)
    longest_us = noted.groupby(window)["trip_us"].max()
    return float(longest_us.reindex(range(max(window.max(), 1)), fill_value=FLOOR_US).median())


def beside(run: Run, later: float = 0.0) -> "DataFrame":
    """One row per periodic stop while the ball was in play.

    Args:
        later: by so much of an interval all moments are moved; with 0.25 no stop is at either of them, as a control.

    Returns:
        stop_us: how long all stood still. at_us: the longest round trip that touched that time. between_us: the
        longest one half an interval later, over a time of equal length, for comparison. FLOOR_US, if there was none.
    """
    from pandas import DataFrame

    slow, stops, blur_ns = _slow(run), _stops(run), _blur_ns(run)
    ends_ns = slow["begin_ns"] + slow["length_ns"]
    interval_ns = stops["begin_ns"].diff().median() if len(stops) > 1 else 1e9
    rows = []
    for begin_ns, total_ms in zip(stops["begin_ns"], stops["total_ms"], strict=True):
        if len(slow) and slow["begin_ns"].iloc[0] <= begin_ns <= slow["begin_ns"].iloc[-1]:
            longest_us = []
            for at_ns in (begin_ns + later * interval_ns, begin_ns + (later + 0.5) * interval_ns):
                met = (slow["begin_ns"] <= at_ns + total_ms * 1e6 + blur_ns) & (ends_ns >= at_ns - blur_ns)
                longest_us.append(float(slow.loc[met, "length_ns"].max()) / 1000 if met.any() else FLOOR_US)
            rows.append((total_ms * 1e6 / 1000, *longest_us))
    return DataFrame(rows, columns=["stop_us", "at_us", "between_us"], dtype="float64")


def _slow(run: Run) -> "DataFrame":
    """The round trips of FLOOR_US and more: begin_ns and length_ns, in the order in which they began."""
    from pandas import read_csv

    if not (file := run.folder / "slow.csv").is_file():
        raise BadInput(f"{run!r} has no round trips. Give a run of guaranteed/PingPong.")
    return read_csv(file).sort_values("begin_ns", ignore_index=True)


def _stops(run: Run) -> "DataFrame":
    """The periodic stops: total_ms, and begin_ns by System.nanoTime().

    That time is the log's own, or on 8 by the program's note of the JVM's start.
    """
    periodic = run.safepoints[is_periodic(run.safepoints)].reset_index(drop=True)
    total_ms = periodic["total_ms"].astype("float64")
    if run.major < 9:
        begin_ns = float(run.values["start_ns"]) + 1e9 * periodic["begin_s"].astype("float64")
    else:
        begin_ns = periodic["nanotime_ns"].astype("float64") - 1e6 * total_ms
    return periodic.assign(begin_ns=begin_ns, total_ms=total_ms)[["begin_ns", "total_ms"]]


def _blur_ns(run: Run) -> float:
    """How exact the log's time is: 8 logs the uptime in whole ms; later ones nanoseconds."""
    return 1e6 if run.major < 9 else 2e4


def longest(run: Run) -> "DataFrame":
    """The rows of `at_stops` (at_stop is True) and of `elsewhere`: begin_s since the first trip, trip_us, at_stop."""
    import pandas as pd

    those, stops, blur_s = trips(run), trip_stops(run), _blur_ns(run) / 1e9
    kinds = {True: at_stops(those, stops, blur_s), False: elsewhere(those, stops, blur_s)}
    return pd.concat([rows.assign(at_stop=at_stop) for at_stop, rows in kinds.items()], ignore_index=True)


def at_stops(trips: "DataFrame", stops: "DataFrame", blur_s: float) -> "DataFrame":
    """The longest round trip that was under way in each stop; no row for a stop that no noted one touches."""
    ends_s = trips["begin_s"] + trips["trip_us"] / 1e6
    limits = zip(stops["begin_s"] - blur_s, _ends_s(stops) + blur_s, strict=True)
    met = [trips.loc[(trips["begin_s"] <= end) & (ends_s >= begin), "trip_us"] for begin, end in limits]
    return trips.loc[[trips_us.idxmax() for trips_us in met if len(trips_us)]]


def elsewhere(trips: "DataFrame", stops: "DataFrame", blur_s: float) -> "DataFrame":
    """The longest round trip in each span as long as the median stop, one after the other, but for those at a stop.

    A span in which none was noted gets the length of the shortest noted one: nothing longer can have been in it.
    Without stops a span is a millisecond.
    """
    import pandas as pd

    begins_s, ends_s = trips["begin_s"].to_numpy(), (trips["begin_s"] + trips["trip_us"] / 1e6).to_numpy()
    stop_s = float(stops["total_ms"].median()) / 1000 + 2 * blur_s if len(stops) else 1e-3
    length_s = max(stop_s, ends_s.max() / MOST)
    longest_us = np.full(max(int(ends_s.max() / length_s), 1), trips["trip_us"].min(), dtype="float64")
    place, span = _spans(begins_s, ends_s, length_s, len(longest_us))
    np.maximum.at(longest_us, span, trips["trip_us"].to_numpy()[place])
    table = pd.DataFrame({"begin_s": np.arange(len(longest_us)) * length_s, "trip_us": longest_us})
    # out go the spans that a stop touches, or a round trip that touches a stop
    first_s, last_s = np.array(stops["begin_s"] - blur_s), np.array(_ends_s(stops) + blur_s)
    for index in range(len(stops)):
        met = (begins_s <= last_s[index]) & (ends_s >= first_s[index])
        first_s[index] = min(first_s[index], begins_s[met].min(initial=np.inf))
        last_s[index] = max(last_s[index], ends_s[met].max(initial=-np.inf))
    return table[~table.index.isin(_spans(first_s, last_s, length_s, len(longest_us))[1])]


def _ends_s(stops: "DataFrame") -> "Series[float]":
    return stops["begin_s"] + stops["total_ms"] / 1000


def _spans(first_s: np.ndarray, last_s: np.ndarray, length_s: float, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Which of `count` spans each time from first to last touches: its place, once for each span, and that span.

    >>> [part.tolist() for part in _spans(np.array([0.5, 2.2]), np.array([1.5, 2.3]), 1.0, 9)]
    [[0, 0, 1], [0, 1, 2]]
    """
    first, last = ((times / length_s).astype(int).clip(0, count - 1) for times in (first_s, last_s))
    many = last - first + 1
    place = np.repeat(np.arange(len(many)), many)
    return place, np.arange(many.sum()) - np.repeat(np.cumsum(many) - many, many) + first[place]
