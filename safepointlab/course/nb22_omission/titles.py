"""What the runs of notebook 22 measured -> its pictures' titles, each with numbers of the run that is drawn.

omission_titles.late_by_clock(clocks)         how many reads were late, by either clock
omission_titles.stops_seen(clocks, stops)     which of the stops each measure shows
"""

from collections.abc import Mapping

import pandas as pd

from safepointlab.course.nb22_omission import experiments as omission
from safepointlab.read import hdr
from safepointlab.run.run import Run

NAMES = {1: "the stop", 2: "both stops"}
SOON = 0.5  # of a stop: an interval that ends so long after it still tells of it
Clocks = Mapping[str, pd.DataFrame]


def late_by_clock(clocks: Clocks, over_ms: int = 100) -> str:
    """How many reads were answered later than that, by either clock."""
    lines = {name: hdr.values(part) for name, part in clocks.items()}
    late = {name: int(line.loc[line["value"] > over_ms, "count"].sum()) for name, line in lines.items()}
    every = int(lines["response"]["count"].sum())
    sent = f"{late['service']:,} over {over_ms} ms after they were sent"
    few = {0: f"none over {over_ms} ms after it was sent", 1: f"one over {over_ms} ms after it was sent"}
    return (
        f"{late['response']:,} of {every:,} reads were answered over {over_ms} ms\n"
        f"after they were due, {few.get(late['service'], sent)}"
    )


def stops_seen(clocks: Clocks, stops: pd.DataFrame) -> str:
    """How high p99 of the response is after each stop, and how many of them p99 of the service shows."""
    peaks = {name: _peaks(part, stops) for name, part in clocks.items()}
    halves = [total / 2 for total in stops["total_ms"]]
    seen = sum(peak > half for peak, half in zip(peaks["service"], halves, strict=True))
    length_s = f"{stops['total_ms'].median() / 1000:.1f} s"
    every = NAMES.get(len(stops), f"all {len(stops)} stops")
    return (
        f"Response p99 is {min(peaks['response']):,.0f} ms or more after {every} of {length_s};\n"
        f"service p99 shows {_of_them(seen, len(stops))}"
    )


def _of_them(seen: int, stops: int) -> str:
    """How many of the stops, in words."""
    if seen == stops:
        return "the same"
    return {0: "none of them", 1: "only one of them"}.get(seen, f"only {seen} of them")


def _peaks(part: pd.DataFrame, stops: pd.DataFrame) -> list[float]:
    """For each stop the highest p99 of the intervals that end soon after it."""
    ends_s = part["start_s"] + part["length_s"]
    spans = zip(stops["begin_s"], stops["total_ms"] / 1000, strict=True)
    return [
        float(part.loc[ends_s.between(begin + 0.9 * total, begin + (1 + SOON) * total), "p99"].max())
        for begin, total in spans
    ]


def closed(run: Run) -> str:
    """What nearly all reads of a closed loop took, and the few that were under way in a stop."""
    reads = _whole(omission.clocks(run)["service"])
    return (
        f"A closed loop: 99 % of the reads took {reads['p99']:.1f} ms at most,\n"
        f"the few under way in a stop up to {reads['max']:,.0f} ms"
    )


def overload(clocks: Clocks) -> str:
    """Which measure of an overload is long in the median, and how short the others are."""
    medians = {name: float(_whole(part)["p50"]) for name, part in clocks.items()}
    response = medians.pop(next(name for name in medians if name.endswith("response")))
    return (
        "Only the schedule's response time shows the overload:\n"
        f"median {response:,.0f} ms, the other two {max(medians.values()):.0f} ms"
    )


def growing(response: pd.DataFrame) -> str:
    """From which median to which the response time of an overload grows."""
    medians = response["p50"].dropna()
    end_s = float((response["start_s"] + response["length_s"]).max())
    return (
        "A third too many requests: the median response\n"
        f"grows from {medians.iloc[0]:,.0f} to {medians.iloc[-1]:,.0f} ms in {end_s:.0f} s"
    )


def _whole(part: pd.DataFrame) -> "pd.Series[float]":
    """All intervals of one tag as one row."""
    return hdr.unite(part, by=None).iloc[0]
