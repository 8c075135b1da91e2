"""A run's safepoint log -> the stops that nobody asked for; with PingPong's notes also what they cost a round trip.

    periodic.stops(run)      one row a periodic stop: uptime_s, phase_ms, ttsp_ms, total_ms
    periodic.beside(run)     the same stops, and the longest round trip at that time and at another one
    periodic.round_trips(run)   all round trips, as value (us) and count

8 logs them as `no vm operation`, which is also what it calls its exit; 11 to 21 as `Cleanup`, a JDK with
-XX:+SafepointALot as `SafepointALot`. From 23 on there are none by default (JDK-8322630, JDK-8325872).
"""

from typing import TYPE_CHECKING

from safepointlab.read.safepoint import PERIODIC
from safepointlab.run.run import Run

if TYPE_CHECKING:
    from pandas import DataFrame, Series

FLOOR_US = 20.0  # PingPong notes no round trip that was shorter
BLUR_NS = {8: 1e6}  # 8 logs the uptime in whole ms; later ones nanoseconds
LEAST_BLUR_NS = 2e4


def stops(run: Run) -> "DataFrame":
    """The stops that no operation asked for; the exit of 8, of which no end is logged, is none."""
    mine = run.safepoints[_unasked(run.safepoints)].reset_index(drop=True)
    begun = mine["begin_s"].astype("float64")
    kept = mine[["operation", "ttsp_ms", "total_ms"]].assign(uptime_s=begun, phase_ms=1000 * (begun % 1))
    return kept[["uptime_s", "phase_ms", "operation", "ttsp_ms", "total_ms"]]


def spacing(run: Run) -> "Series[float]":
    """Seconds from the end of each stop or handshake to the next stop, where that is a periodic one."""
    found = run.safepoints
    begun = found["begin_s"].astype("float64")
    ended = (begun + found["total_ms"].astype("float64") / 1000).shift(1)
    return (begun - ended)[_unasked(found) & (found["kind"] == "safepoint")].dropna()


def _unasked(found: "DataFrame") -> "Series[bool]":
    return found["operation"].isin(PERIODIC) & found["total_ms"].notna()


def round_trips(run: Run) -> "DataFrame":
    """All round trips of a PingPong run: how often each duration came about."""
    from pandas import read_csv

    found = read_csv(run.folder / "histogram.csv")
    return found.assign(value=found["value"] / 1000)


def beside(run: Run) -> "DataFrame":
    """One row a periodic stop of a PingPong run, while the ball was in play.

    Returns:
        stop_us: how long all stood still. at_us: the longest round trip that touched that time. between_us: the
        longest one half an interval later, over a time of equal length, for comparison. PingPong's floor of 20 us
        stands where there was none longer.
    """
    from pandas import DataFrame, read_csv

    slow = read_csv(run.folder / "slow.csv").sort_values("begin_ns")
    begun, lengths = _clocked(run), stops(run)["total_ms"] * 1e6
    half = begun.diff().median() / 2 if len(begun) > 1 else 5e8
    rows = [
        (length / 1000, _longest(slow, begin, length, blur(run)), _longest(slow, begin + half, length, blur(run)))
        for begin, length in zip(begun, lengths, strict=True)
        if len(slow) and slow["begin_ns"].iloc[0] <= begin <= slow["begin_ns"].iloc[-1]
    ]
    return DataFrame(rows, columns=["stop_us", "at_us", "between_us"], dtype="float64")


def blur(run: Run) -> float:
    """How exact the log's time is, in ns."""
    return BLUR_NS.get(run.major, LEAST_BLUR_NS)


def _clocked(run: Run) -> "Series[float]":
    """When each stop began, by System.nanoTime(): the log's own, or on 8 by the program's note of the JVM's start."""
    mine = run.safepoints[_unasked(run.safepoints)]
    if run.major < 9:
        return float(run.values["start_ns"]) + 1e9 * mine["begin_s"].astype("float64")
    return mine["nanotime_ns"].astype("float64") - 1e6 * mine["total_ms"].astype("float64")


def _longest(slow: "DataFrame", begin: float, length: float, margin: float) -> float:
    until = slow["begin_ns"] + slow["length_ns"]
    near = slow[(slow["begin_ns"] <= begin + length + margin) & (until >= begin - margin)]
    return float(near["length_ns"].max()) / 1000 if len(near) else FLOOR_US
