"""Runs of `faster.requests` -> what their logs say of a request's time: the phases of its stops, and its handshakes."""

from collections.abc import Iterable

import pandas as pd

from safepointlab.course.nb15_faster import experiments as faster
from safepointlab.run.load import load


def bill(frame: pd.DataFrame) -> pd.DataFrame:
    """What the logs of `requests` say of where a request's time went: a row a JVM, on average over its requests.

    Returns:
        gc, jdk, gc_ms as in `requests`. ttsp_ms, operation_ms, leaving_ms: the phases of all of the collector's stops
        in a request. rest_ms: where a log has no leaving, all that comes after reaching. handshakes_ms: missing on
        JDKs that log none (11).
    """
    rows = [_bill(load(run).safepoints) | {"gc": gc, "jdk": jdk, "gc_ms": ms} for gc, jdk, ms, run in _named(frame)]
    return pd.DataFrame(rows)


def _named(frame: pd.DataFrame) -> Iterable[tuple[str, int, float, str]]:
    return zip(frame["gc"], frame["jdk"], frame["gc_ms"], frame["run"], strict=True)


def _bill(log: pd.DataFrame) -> dict[str, float]:
    own, shakes = faster.collector_stops(log), log[log["kind"] == "handshake"]
    sums = own[["ttsp_ms", "operation_ms", "leaving_ms", "total_ms"]].astype("float64").sum(min_count=1) / faster.CYCLES
    if sums.isna()["leaving_ms"]:
        sums["rest_ms"], sums["operation_ms"] = sums["total_ms"] - sums["ttsp_ms"], float("nan")
    handshakes = float(shakes["total_ms"].sum()) / faster.CYCLES if len(shakes) else float("nan")
    parts = {str(name): float(value) for name, value in sums.drop("total_ms").items()}
    return {**parts, "handshakes_ms": handshakes}
