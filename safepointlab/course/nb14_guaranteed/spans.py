"""A PingPong run -> the longest round trip at each of its stops, and in each equally long time without a stop.

    longest(run)          one row a stop or span

Like is compared with like: the longest trip of a whole run is one event, and says little about the stops, and the
median of all trips is that of a single one.
"""

from typing import TYPE_CHECKING

import numpy as np

from safepointlab.course.nb14_guaranteed import experiments
from safepointlab.run.run import Run

if TYPE_CHECKING:
    import pandas as pd

MOST = 1_000_000  # spans; in more of them most would hold nothing


def longest(run: Run) -> "pd.DataFrame":
    """The rows of `at_stops` (at_stop is True) and of `elsewhere`: begin_s since the first trip, trip_us, at_stop."""
    import pandas as pd

    trips, stops, blur_s = experiments.trips(run), experiments.trip_stops(run), experiments.blur(run) / 1e9
    kinds = {True: at_stops(trips, stops, blur_s), False: elsewhere(trips, stops, blur_s)}
    return pd.concat([rows.assign(at_stop=at_stop) for at_stop, rows in kinds.items()], ignore_index=True)


def at_stops(trips: "pd.DataFrame", stops: "pd.DataFrame", blur_s: float) -> "pd.DataFrame":
    """The longest round trip that was under way in each stop; no row for a stop that no noted one touches."""
    ends_s = trips["begin_s"] + trips["trip_us"] / 1e6
    limits = zip(stops["begin_s"] - blur_s, _ends(stops) + blur_s, strict=True)
    met = [trips.loc[(trips["begin_s"] <= end) & (ends_s >= begin), "trip_us"] for begin, end in limits]
    return trips.loc[[trips_us.idxmax() for trips_us in met if len(trips_us)]]


def elsewhere(trips: "pd.DataFrame", stops: "pd.DataFrame", blur_s: float) -> "pd.DataFrame":
    """The longest round trip in each span as long as the median stop, one after the other, but for those at a stop.

    A span in which none was noted gets the length of the shortest noted one: nothing longer can have been in it.
    Without stops a span is a millisecond.
    """
    import pandas as pd

    begins_s, ends_s = trips["begin_s"].to_numpy(), (trips["begin_s"] + trips["trip_us"] / 1e6).to_numpy()
    length_s = max(_length_s(stops, blur_s), ends_s.max() / MOST)
    longest_us = np.full(max(int(ends_s.max() / length_s), 1), trips["trip_us"].min(), dtype="float64")
    place, span = _spans(begins_s, ends_s, length_s, len(longest_us))
    np.maximum.at(longest_us, span, trips["trip_us"].to_numpy()[place])
    table = pd.DataFrame({"begin_s": np.arange(len(longest_us)) * length_s, "trip_us": longest_us})
    barred = _barred(begins_s, ends_s, stops, blur_s, length_s, len(longest_us))
    return table[~table.index.isin(barred)]


def _barred(
    begins_s: np.ndarray, ends_s: np.ndarray, stops: "pd.DataFrame", blur_s: float, length_s: float, count: int
) -> np.ndarray:
    """The spans that a stop touches, or a round trip that touches a stop."""
    first_s, last_s = np.array(stops["begin_s"] - blur_s), np.array(_ends(stops) + blur_s)
    for index in range(len(stops)):
        met = (begins_s <= last_s[index]) & (ends_s >= first_s[index])
        first_s[index] = min(first_s[index], begins_s[met].min(initial=np.inf))
        last_s[index] = max(last_s[index], ends_s[met].max(initial=-np.inf))
    return np.unique(_spans(first_s, last_s, length_s, count)[1])


def _ends(stops: "pd.DataFrame") -> "pd.Series[float]":
    return stops["begin_s"] + stops["total_ms"] / 1000


def _length_s(stops: "pd.DataFrame", blur_s: float) -> float:
    return float(stops["total_ms"].median()) / 1000 + 2 * blur_s if len(stops) else 1e-3


def _spans(first_s: np.ndarray, last_s: np.ndarray, length_s: float, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Which of `count` spans each time from first to last touches: its place, once for each span, and that span.

    >>> [part.tolist() for part in _spans(np.array([0.5, 2.2]), np.array([1.5, 2.3]), 1.0, 9)]
    [[0, 0, 1], [0, 1, 2]]
    """
    first, last = ((times / length_s).astype(int).clip(0, count - 1) for times in (first_s, last_s))
    many = last - first + 1
    place = np.repeat(np.arange(len(many)), many)
    return place, np.arange(many.sum()) - np.repeat(np.cumsum(many) - many, many) + first[place]
