"""JMH's results become a frame, and its benchmarks run on any JDK without Maven."""

import json
import math

import pytest

from safepointlab import bench, jdks
from safepointlab.errors import ForeignLog, RunFailed
from safepointlab.read import jmh

GROUP = {
    "benchmark": "a.Group",
    "mode": "avgt",
    "threads": 2,
    "params": {"k": "10"},
    "primaryMetric": {"score": 3.0, "scoreError": 0.5, "scoreUnit": "us/op", "rawData": [[2.5, 3.5], [3.0]]},
    "secondaryMetrics": {"one": {"score": 1.0, "scoreError": "NaN", "scoreUnit": "us/op", "rawData": [[1.0]]}},
}


def test_a_group_gives_its_own_score_and_one_a_method():
    frame = jmh.read(json.dumps([GROUP]).splitlines())
    assert list(frame.metric) == ["score", "one"]
    assert list(frame.score) == [3.0, 1.0] and list(frame["count"]) == [3, 1] and list(frame.k) == ["10", "10"]


def test_an_error_that_jmh_cannot_give_is_missing_and_not_zero():
    assert math.isnan(jmh.read(json.dumps([GROUP]).splitlines()).error[1])


@pytest.mark.parametrize("text", ["{half a", '{"some": "other json"}', "[1, 2]"])
def test_what_jmh_did_not_write_is_foreign(text):
    with pytest.raises(ForeignLog, match="-rf json"):
        jmh.read([text])


@pytest.mark.live
@pytest.mark.parametrize("jdk", sorted({jdk.major for jdk in jdks.find()} & {8, 17, 25}))
def test_a_benchmark_runs_on_each_jdk_and_scores(jdk):
    frame = bench.jmh("osr.AddOne", jdk, options="-f 1 -wi 1 -w 50ms -i 2 -r 50ms")
    assert list(frame.benchmark) == ["osr.AddOne.addOne"] and frame.score[0] > 0 and frame["count"][0] == 2


@pytest.mark.live
def test_a_pattern_that_matches_nothing_is_an_error_with_jmhs_words():
    with pytest.raises(RunFailed, match="No matching benchmarks"):
        bench.jmh("no.such.Benchmark", max(jdk.major for jdk in jdks.find() if jdk.major <= 25))
