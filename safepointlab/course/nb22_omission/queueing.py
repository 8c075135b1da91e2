"""When requests are due and how long each takes -> when each began and ended, by arithmetic: no clock, no noise.

    due = schedule(rate=5_000, count=100_000)              seconds: n / rate
    requests = serve(due, service_s=0.001, servers=2, stalls=[(2.0, 0.5)])

One row per request: due_s, start_s, end_s, and from them the three times that a load generator can record:

    wait_ms       start - due        what a client waits before anybody attends to it
    service_ms    end - start        what a clock measures that starts when the request is sent
    response_ms   end - due          what the client waits in all: wait + service

A closed loop has no schedule (due_s is missing, and with it wait and response): each server takes its next request
when it is done with the last one. In a stall nothing begins and nothing ends, as when a JVM is stopped at a safepoint.
"""

import heapq
from collections.abc import Iterable, Iterator, Sequence
from itertools import repeat

import numpy as np
import pandas as pd

PERCENTS = (50, 90, 99, 99.9)
Stalls = Sequence[tuple[float, float]]  # (when it begins, how long it is), in seconds


def schedule(rate: float, count: int) -> np.ndarray:
    """When request n is due: n / rate, whatever became of those before it."""
    return np.arange(count) / rate


def serve(
    due_s: Iterable[float], service_s: float | Iterable[float], servers: int = 1, stalls: Stalls = ()
) -> pd.DataFrame:
    """Requests in the order in which they are due, each to the first server that is free."""
    free, rows = [0.0] * servers, []
    for due, takes in zip(due_s, repeat(service_s) if isinstance(service_s, int | float) else service_s, strict=False):
        start = _after(stalls, max(due, heapq.heappop(free)))
        end = _after(stalls, start + takes)
        heapq.heappush(free, end)
        rows.append((due, start, end))
    requests = pd.DataFrame(rows, columns=["due_s", "start_s", "end_s"], dtype="float64")
    spans = {"wait_ms": ("due_s", "start_s"), "service_ms": ("start_s", "end_s"), "response_ms": ("due_s", "end_s")}
    for name, (begin, finish) in spans.items():
        requests[name] = (1000 * (requests[finish] - requests[begin])).round(6)  # whole nanoseconds
    return requests


def _after(stalls: Stalls, at: float) -> float:
    """The same moment, or the end of the stall that it falls into."""
    return next((begin + length for begin, length in stalls if begin <= at < begin + length), at)


def wait_ms(percent: float, stall_s: float, period_s: float, load: float) -> float:
    """The wait that so many per cent of the requests do not exceed, if all else stops for stall_s in each period_s.

    A request due `a` seconds after the stall began waits for its end, and then for those before it, which take
    a * load: stall - a * (1 - load) in all. So waits above x befall those with a < (stall - x) / (1 - load).

    Args:
        load: the share of the capacity in use, 0 to 1: rate * service time / servers.

    >>> round(wait_ms(99, stall_s=1, period_s=10, load=0.5))
    950
    """
    return max(0.0, 1000 * (stall_s - (1 - percent / 100) * (1 - load) * period_s))


def stalled(
    rate: float, stall_ms: float, service_ms: float, servers: int, period_s: float, percents: Sequence[float] = PERCENTS
) -> pd.DataFrame:
    """What the formula says of one setting: what `lab.plot.stall` draws, and its sliders begin with.

    Args:
        rate: requests per second.
        service_ms: what one request takes on average.

    Returns:
        One row per percentile: the setting, load, percent, and wait_ms; missing where more comes than can be done.
    """
    load = rate * service_ms / 1000 / servers
    waits = [wait_ms(percent, stall_ms / 1000, period_s, load) if load < 1 else float("nan") for percent in percents]
    setting = {"rate": rate, "stall_ms": stall_ms, "service_ms": service_ms, "servers": servers, "period_s": period_s}
    return pd.DataFrame({**setting, "load": load, "percent": list(percents), "wait_ms": waits})


def services(read_s: float) -> Iterator[float]:
    """The LoadGenerator's mix: three reads, then a write that takes twice as long; on average 1.25 reads."""
    while True:
        yield from (read_s, read_s, read_s, 2 * read_s)


def capacity(threads: int, read_s: float) -> float:
    """Requests a second that so many threads can do at the most."""
    return threads / (1.25 * read_s)
