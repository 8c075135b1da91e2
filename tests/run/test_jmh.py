"""JMH's results become a frame, and its benchmarks run on any JDK without Maven."""

import json
import math
import subprocess

import psutil
import pytest

import safepointlab as lab
from safepointlab import jdks
from safepointlab.errors import ForeignLog, RunFailed, SampleNotFound
from safepointlab.logs import jmh as results
from safepointlab.run import benchmarks, jmh
from safepointlab.run.jmh_run import BenchRun

GROUP = {
    "benchmark": "a.Group",
    "mode": "avgt",
    "threads": 2,
    "params": {"k": "10"},
    "primaryMetric": {
        "score": 3.0, "scoreError": 0.5, "scoreUnit": "us/op", "rawData": [[2.5, 3.5], [3.0]],
        "scoreConfidence": [2.5, 3.5], "rawDataHistogram": [[[[10.0, 3], [20.0, 1]]]],
    },
    "secondaryMetrics": {"one": {"score": 1.0, "scoreError": "NaN", "scoreUnit": "us/op", "rawData": [[1.0]]}},
}  # fmt: skip
MAJORS = sorted({jdk.major for jdk in jdks.find()} & {8, 17, 25})
SHORT = "-f 1 -wi 1 -w 50ms -i 2 -r 50ms"


def written(**changed):
    return [json.dumps([GROUP | changed])]


def test_a_group_gives_its_own_score_with_its_interval_and_one_for_each_method():
    frame = results.read(written())
    assert list(frame.metric) == ["score", "one"] and set(frame["method"]) == {"Group"}
    assert list(frame.score) == [3.0, 1.0] and list(frame["count"]) == [3, 1] and list(frame.k) == ["10", "10"]
    assert frame.iloc[0][["low", "high", "best"]].tolist() == [2.5, 3.5, 2.5]
    assert math.isnan(frame.error[1])  # an error that JMH cannot give is missing, not zero
    assert results.read(written(mode="thrpt")).best[0] == 3.5  # the best throughput is the largest


def test_raw_iterations_are_numbered_within_their_fork_and_a_histogram_gives_values_and_counts():
    scores = results.iterations(written()).query("metric == 'score'")
    assert scores[["fork", "iteration", "value"]].values.tolist() == [[1, 1, 2.5], [1, 2, 3.5], [2, 1, 3.0]]
    frame = results.histogram(written(mode="sample"))
    assert frame[["value", "count"]].values.tolist() == [[10.0, 3], [20.0, 1]]


@pytest.mark.each("text", ["{half a", '{"some": "other json"}', "[1, 2]", "[" * 30_000])
def test_what_jmh_did_not_write_is_foreign(text):
    with pytest.raises(ForeignLog, match="-rf json"):
        results.read([text])


def test_a_name_that_matches_nothing_lists_what_there_is():
    with pytest.raises(SampleNotFound, match=r"No matching benchmarks for 'no.such'.*osr.AddOne.addOne"):
        benchmarks.names("no.such")


@pytest.fixture
def launched(tmp_path, monkeypatch):
    """The launcher of a JDK whose java is this script."""
    monkeypatch.setenv("SAFEPOINTLAB_CACHE", str(tmp_path / "cache"))

    def launch(script):
        (java := tmp_path / "bin" / "java").parent.mkdir()
        java.write_text(f"#!/bin/sh\n{script}\n")
        java.chmod(0o755)
        return benchmarks.launcher(jdks.Jdk(tmp_path, 17, "17.0.1", "Test", "system"))

    return launch


def test_the_properties_of_a_jvm_are_asked_for_once_and_forks_are_started_each_time(tmp_path, launched):
    launcher = launched(f'echo "$1" >> {tmp_path}/calls; [ "$1" = fork ] || echo xml > "$2"')
    for answer in ("first", "second"):
        subprocess.run([launcher, "PrintPropertiesMain", tmp_path / answer], check=True)
    subprocess.run([launcher, "fork", "org.openjdk.jmh.runner.ForkedMain"], cwd=tmp_path, check=True)
    assert (tmp_path / "calls").read_text().split() == ["PrintPropertiesMain", "fork"]
    assert (tmp_path / "second").read_text() == "xml\n" and (tmp_path / "fork-1").is_dir()


def test_a_jvm_that_cannot_tell_its_properties_is_asked_again(tmp_path, launched):
    launcher = launched("exit 3")
    codes = [subprocess.run([launcher, "PrintPropertiesMain", tmp_path / "x"]).returncode for _ in range(2)]
    assert codes == [3, 3]


@pytest.mark.gate
@pytest.mark.live
@pytest.mark.parametrize("jdk", MAJORS)
def test_a_benchmark_scores_on_each_jdk_in_a_whole_jvm_though_the_host_starts_in_less_time(jdk):
    frame = jmh.jmh("osr.AddOne", jdk, options=SHORT)
    assert list(frame.benchmark) == ["osr.AddOne.addOne"] and frame.score[0] > 0 and frame["count"][0] == 2
    [told] = [line for line in lab.load(frame.run[0]).output.splitlines() if line.startswith("# VM options:")]
    assert "TieredStopAtLevel" not in told and "UseSerialGC" not in told


@pytest.mark.live
@pytest.mark.parametrize("jdk", MAJORS)
def test_each_fork_keeps_its_own_safepoint_log(jdk):
    frame = jmh.jmh("osr.AddOne", jdk, options="-f 2 -gc true -wi 0 -i 2 -r 50ms", log="safepoint gc")
    run = lab.load(frame.run[0])
    assert isinstance(run, BenchRun) and len(run.forks) == 2 and set(run.safepoints.fork) == {1, 2}


@pytest.mark.live
def test_profilers_numbers_are_rows_and_what_jmh_cannot_read_on_25_is_missing_and_not_zero():
    frame = jmh.jmh("osr.AddOne", [17, 25], options=SHORT, prof="gc safepoints")
    assert frame.metric[0] == "score" and "gc.alloc.rate" in set(frame.metric)
    pauses = frame[frame.metric == "safepoints.pause.count"].set_index("jdk").score
    assert pauses[17] >= 0 and math.isnan(pauses[25])


@pytest.mark.live
def test_stacks_that_jmh_has_async_profiler_sample_are_a_table():
    asked = "async:event=ctimer;output=collapsed"
    frame = jmh.jmh("osr.AddOne", 17, options=SHORT.replace("-r 50ms", "-r 500ms"), prof=asked)
    stacks = lab.load(frame.run[0]).stacks
    assert stacks["count"].sum() > 20 and stacks["frames"].str.contains("AddOne").any()


@pytest.mark.live
def test_a_combination_that_is_not_possible_costs_the_others_nothing():
    frame = jmh.jmh("osr.AddOne", [MAJORS[-1], 7], options=SHORT)
    assert list(frame.outcome) == ["measured", "no JDK"] and "no JDK 7" in frame.reason[1]
    with pytest.raises(RunFailed, match="param1"):  # if nothing could be measured, JMH's own words
        jmh.jmh("osr.AddOne", MAJORS[-1], options=SHORT + " -p size=param1")


@pytest.mark.live
def test_a_benchmark_that_misses_its_deadline_keeps_its_row_and_leaves_no_fork():
    point = {"benchmark": "osr.AddOne.addOne", "jdk": MAJORS[-1], "gc": None, "flags": "", "threads": None}
    point |= {"groups": None, "params": {}, "repeat": 0}
    slow = jmh.measure(jmh.request_of(point, SHORT.replace("-i 2", "-i 900")), deadline=4)
    assert slow.outcome == "still running" and slow.scores.empty
    assert not [p for p in psutil.process_iter(["cmdline"]) if str(slow.folder) in " ".join(p.info["cmdline"] or [])]
