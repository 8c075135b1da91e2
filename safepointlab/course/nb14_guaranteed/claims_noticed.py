"""Who notices the stop that comes by itself: claims 001-06, -07, -10 and -13.

PingPong and the benchmark Maximum run with the stops and without them, in turn. Their threads are neither pinned to
cores nor alone there, and PingPong's park: what the machine does to them may be longer than a stop.
"""

from math import isnan, nan

from safepointlab.claims.base import Claim, Evidence, Judgement, fails, holds, not_asked, unclear
from safepointlab.course.nb14_guaranteed import experiments as guaranteed
from safepointlab.course.nb14_guaranteed.experiments import FORKS, OFTEN_MS
from safepointlab.run.load import load

NO_STOP = "this JDK made no such stop"
NONE = {"stops": 0, "pairs": 0, "a stop, us": nan}
LOWEST, HIGHEST = f"lowest of {FORKS}, us", f"highest of {FORKS}, us"
NAMES = [f"{stops}, {which}" for stops in ("with stops", "without") for which in (LOWEST, HIGHEST)]
ENOUGH = 10  # stops, for a share
ENOUGH_PAIRS = 4  # JVMs a side: chance puts one side above the other in one case of 70, with two in one of 6


def _longest(jdk: int) -> Evidence:
    """The longest round trips of PingPong; on a JDK without such stops one run shows that."""
    if guaranteed.stops(guaranteed.ping_pong(jdk)).empty:
        return {**NONE, **dict.fromkeys(NAMES, nan)}
    runs = guaranteed.ping_pongs(jdk)
    stops_ms = [ms for run in runs["with stops"] for ms in guaranteed.stops(run)["total_ms"]]
    longest = {name: [float(run.values["longest_us"]) for run in group] for name, group in runs.items()}
    return _compared(stops_ms, longest)


def _maximum(jdk: int) -> Evidence:
    """The longest operation by JMH, of some tens of microseconds, and the median of all."""
    rows = guaranteed.maxima(jdk)
    with_stops = rows.loc[rows["stops"] == "with stops", "run"].unique()
    stops_ms = [ms for run in with_stops for ms in guaranteed.stops(load(run))["total_ms"]]
    longest = rows[rows["metric"].str.endswith("p1.00")].groupby("stops")["score"].apply(list)
    usual = float(rows.loc[rows["metric"].str.endswith("p0.50"), "score"].median())
    return {**_compared(stops_ms, dict(longest)), "median operation, us": usual}


def _compared(stops_ms: list[float], longest_us: dict[str, list[float]]) -> Evidence:
    """The lowest and highest maximum of the JVMs with the stops and without."""
    middle_us = 1000 * sorted(stops_ms)[len(stops_ms) // 2] if stops_ms else nan
    ends = {
        f"{name}, {which}": float(end(longest_us[name]))
        for name in ("with stops", "without")
        for which, end in ((LOWEST, min), (HIGHEST, max))
    }
    pairs = min(map(len, longest_us.values()))
    return {"stops": len(stops_ms), "pairs": pairs, "a stop, us": float(middle_us), **ends}


def _halves(measured: Evidence, jdk: int) -> Judgement:
    return _decided(measured, least=1.5, usual_us=0.0)


def _lower(measured: Evidence, jdk: int) -> Judgement:
    return _decided(measured, least=1.05, usual_us=measured["median operation, us"])


def _decided(measured: Evidence, least: float, usual_us: float) -> Judgement:
    """Is each maximum with the stops at least so many times each one without, where a stop is long enough to show?"""
    if not measured["stops"]:
        return not_asked(NO_STOP)
    lowest, highest, without, worst = (measured[name] for name in NAMES)
    if not without - usual_us < 2 * measured["a stop, us"]:
        return unclear("not told apart: without the stops, too, the machine holds the threads up for longer than one")
    if measured["pairs"] < ENOUGH_PAIRS:
        return unclear("not told apart by this measurement: so few JVMs may differ as much by chance")
    if lowest > least * worst:
        return holds("in each pair of JVMs")
    return fails("no lower without the stops") if without >= highest else unclear("not told apart by this measurement")


def _machine(jdk: int) -> Evidence:
    beside = guaranteed.beside(guaranteed.ping_pong(jdk, OFTEN_MS))
    later = beside["at_us"] - beside["between_us"]
    share = 100 * float((later > 0).mean()) if len(beside) else nan
    medians = {str(name): float(us) for name, us in beside.median().items()}
    return {
        "stops": len(beside),
        **medians,
        "longer by_us": float(later.median()),
        "longer at the stop, percent": share,
    }


def _not_the_machine(measured: Evidence, jdk: int) -> Judgement:
    if not measured["stops"]:
        return not_asked(NO_STOP)
    stop, between, by = (measured[name] for name in ("stop_us", "between_us", "longer by_us"))
    share = measured["longer at the stop, percent"]
    if measured["stops"] < ENOUGH or isnan(share):
        return unclear("too few stops")
    if share >= 70 and by > stop / 2:
        return holds("round trips are longer at the logged stops than half an interval later; ftrace was not used")
    if between > 2 * stop:
        return unclear("the machine holds the threads up for longer than a stop, at any time")
    if measured["at_us"] < stop / 2 or share < 50:
        return fails("no round trip is as long as the stop that it should have met")
    return unclear("not told apart by this measurement")


def _evidence(stop: float, lowest: float, highest: float, without: float, worst: float) -> dict[str, float]:
    numbers = dict(zip(NAMES, (lowest, highest, without, worst), strict=True))
    return {"stops": 4, "pairs": ENOUGH_PAIRS, "a stop, us": stop, **numbers}


CLAIMS = [
    Claim(
        "001-06",
        "Without the stops the longest time from one thread to another is half as long",
        as_published="about 100 us, then about 50 us",
        measure=_longest,
        judge=_halves,
        refuted_by=(_evidence(90.0, 60.0, 62.0, 64.0, 66.0), 8),
    ),
    Claim(
        "001-07",
        "Without the stops the maximum of a microbenchmark is lower",
        as_published="a chart, without a number: “the reduction in the max execution time is clearly displayed”",
        measure=_maximum,
        judge=_lower,
        refuted_by=({**_evidence(90.0, 150.0, 155.0, 160.0, 165.0), "median operation, us": 70.0}, 8),
    ),
    Claim(
        "001-10",
        "It is not the operating system that holds the threads up at these moments",
        as_published="ftrace of the whole CPU: no jitter of the system that would explain 100 us",
        measure=_machine,
        judge=_not_the_machine,
        refuted_by=(
            {"stops": 39, "stop_us": 90.0, "at_us": 20.0, "between_us": 20.0}
            | {"longer by_us": 0.0, "longer at the stop, percent": 40.0},
            8,
        ),
    ),
    Claim(
        "001-13",
        "perf_events and ftrace find no jitter of the system above about 50 us",
        as_published="“could never detect any jitter at the system level greater than around 50us”",
        not_run="it is about the kernel and hardware of the author's machine; where perf_events may be read at all, "
        "they tell of yours, and no JVM decides it; what a JVM's log can decide is 001-10",
    ),
]
