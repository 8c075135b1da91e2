"""JMH's JSON results -> one row a score: each benchmark's primary one, and those of groups and profilers beside it.

`-rf json -rff FILE` of jmh-core 1.37 writes one object a benchmark; `read` takes such files, or their text.

>>> text = '''[{"benchmark": "osr.AddOne.addOne", "mode": "avgt", "threads": 1, "params": {"size": "1000"},
...     "primaryMetric": {"score": 61.5, "scoreError": "NaN", "scoreUnit": "ns/op", "rawData": [[61.0, 62.0]]}}]'''
>>> print(read(text.splitlines())[["metric", "score", "error", "unit", "count", "size"]].to_string(index=False))
metric  score  error  unit  count size
 score   61.5    NaN ns/op      2 1000

Columns: benchmark, mode, threads, metric, score, error, unit, count, then one a parameter. `error` is half of JMH's
99.9 % interval, and missing where JMH gives none (it writes the string "NaN"). `count` is the number of raw values.
"""

import json
from collections.abc import Iterator
from typing import Any

import pandas as pd

from safepointlab.errors import ForeignLog
from safepointlab.read.source import Source, blocks

NAME = "jmh"
COLUMNS = {
    "benchmark": "string",
    "mode": "string",
    "threads": "Int64",
    "metric": "string",
    "score": "float64",
    "error": "float64",
    "unit": "string",
    "count": "Int64",
}


def read(source: Source, strict: bool = False) -> pd.DataFrame:
    """One row a score; `strict` changes nothing, as JSON is either whole or not JSON.

    Raises:
        ForeignLog: the text is not what JMH's -rf json writes.
    """
    text = "".join(block.text for block in blocks(source))
    try:
        rows = [row for result in json.loads(text or "[]") for row in _scores(result)]
    except (ValueError, KeyError, TypeError, AttributeError) as cause:
        raise ForeignLog(f"not JMH's JSON ({cause!r}). Write it with: -rf json -rff FILE") from cause
    frame = pd.DataFrame(rows, columns=None if rows else list(COLUMNS)).astype(COLUMNS)
    frame.attrs.update(lines=text.count("\n"), rows=len(frame), skipped=0, damaged=0)
    return frame


def _scores(result: dict[str, Any]) -> Iterator[dict[str, Any]]:
    head = {"benchmark": result["benchmark"], "mode": result["mode"], "threads": result["threads"]}
    metrics = {"score": result["primaryMetric"], **result.get("secondaryMetrics", {})}
    for name, metric in metrics.items():
        score = {"score": float(metric["score"]), "error": float(metric["scoreError"]), "unit": metric["scoreUnit"]}
        count = sum(len(fork) for fork in metric.get("rawData") or [])
        yield {**head, "metric": name.lstrip("·"), **score, "count": count, **result.get("params", {})}
