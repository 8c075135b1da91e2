"""JMH's JSON results -> one row per score: each benchmark's primary score, and those of its groups and profilers.

`-rf json -rff FILE` of jmh-core 1.37 writes one object per benchmark; `read` takes such files, or their text.

>>> text = '''[{"benchmark": "osr.AddOne.addOne", "mode": "avgt", "threads": 1, "params": {"size": "1000"},
...     "primaryMetric": {"score": 61.5, "scoreError": "NaN", "scoreUnit": "ns/op", "rawData": [[61.0, 62.0]]}}]'''
>>> print(read(text.splitlines())[["metric", "score", "error", "median", "best", "count"]].to_string(index=False))
metric  score  error  median  best  count
 score   61.5    NaN    61.5  61.0      2

Columns: benchmark, method, mode, threads, metric, score, error, low, high, median, best, unit, count, then one per
parameter. `method` is the last part of the benchmark's name.
`error` is half of JMH's 99.9 % interval, which reaches from `low` to `high`; all three are missing where JMH writes
"NaN". `count` is the number of raw values, one per iteration. `median` is the typical one, which a few disturbed
iterations do not move, and `best` the best: on a busy machine the least disturbed.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from statistics import median
from typing import Any

import pandas as pd

from safepointlab.errors import ForeignLog
from safepointlab.logs.lines.source import Source, blocks

NAME = "jmh"
COLUMNS = {
    "benchmark": "string", "method": "string", "mode": "string", "threads": "Int64", "metric": "string",
    "score": "float64", "error": "float64", "low": "float64", "high": "float64", "median": "float64",
    "best": "float64", "unit": "string", "count": "Int64",
}  # fmt: skip


def read(source: Source, strict: bool = False) -> pd.DataFrame:  # noqa: ARG001 - every reader takes it
    """One row per score; `strict` changes nothing, as JSON is either whole or not JSON.

    Raises:
        ForeignLog: the text is not what JMH's -rf json writes.
    """
    frame = _frame(source, _scores, COLUMNS)
    return frame.astype({name: kind for name, kind in COLUMNS.items() if name in frame})


def iterations(source: Source) -> pd.DataFrame:
    """One row per raw value: benchmark, metric, fork and iteration (from 1), value, unit."""
    return _frame(source, _raw_values, dict.fromkeys(["benchmark", "metric", "fork", "iteration", "value", "unit"], ""))


def histogram(source: Source) -> pd.DataFrame:
    """Mode SampleTime: benchmark, fork, iteration, value, count, unit; one row per distinct value and its count."""
    columns = ["benchmark", "fork", "iteration", "value", "count", "unit"]
    return _frame(source, _histogram, dict.fromkeys(columns, ""))


def _frame(
    source: Source, rows_of: Callable[[Any], Iterator[dict[str, Any]]], columns: Mapping[str, str]
) -> pd.DataFrame:
    text = "".join(block.text for block in blocks(source))
    try:
        rows = [row for result in json.loads(text or "[]") for row in rows_of(result)]
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as cause:
        raise ForeignLog(f"not JMH's JSON ({cause!r}). Write it with: -rf json -rff FILE") from cause
    frame = pd.DataFrame(rows, columns=None if rows else list(columns))
    frame.attrs.update(lines=text.count("\n"), rows=len(frame), skipped=0, damaged=0)
    return frame


def _metrics(result: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The benchmark's own score first; JMH marks some profilers' names with a dot, on some terminals only."""
    yield "score", result["primaryMetric"]
    for name, metric in result.get("secondaryMetrics", {}).items():
        yield name.lstrip("·"), metric


def _scores(result: dict[str, Any]) -> Iterator[dict[str, Any]]:
    name = result["benchmark"]
    head = {"benchmark": name, "method": name.rpartition(".")[2], "mode": result["mode"], "threads": result["threads"]}
    for kind, metric in _metrics(result):
        values = [value for fork in metric.get("rawData") or [] for value in fork]
        low, high = metric.get("scoreConfidence", ["NaN", "NaN"])
        best = max if result["mode"] == "thrpt" else min  # the most operations per time, or the least time per one
        yield {
            **head, "metric": kind, "score": float(metric["score"]), "error": float(metric["scoreError"]),
            "low": float(low), "high": float(high), "median": median(map(float, values)) if values else float("nan"),
            "best": best(values, default=float("nan")), "unit": metric["scoreUnit"], "count": len(values),
            **result.get("params", {}),
        }  # fmt: skip


def _raw_values(result: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for name, metric in _metrics(result):
        for fork, values in enumerate(metric.get("rawData") or [], 1):
            for iteration, value in enumerate(values, 1):
                place = {"benchmark": result["benchmark"], "metric": name, "fork": fork, "iteration": iteration}
                yield {**place, "value": float(value), "unit": metric["scoreUnit"]}


def _histogram(result: dict[str, Any]) -> Iterator[dict[str, Any]]:
    metric = result["primaryMetric"]
    unit = metric["scoreUnit"]
    for fork, runs in enumerate(metric.get("rawDataHistogram") or [], 1):
        for iteration, pairs in enumerate(runs, 1):
            place = {"benchmark": result["benchmark"], "fork": fork, "iteration": iteration}
            yield from ({**place, "value": float(value), "count": int(count), "unit": unit} for value, count in pairs)
