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
from safepointlab.run import benchmarks, jmh, jmh_command

GROUP = {
    "benchmark": "a.Group",
    "mode": "avgt",
    "threads": 2,
    "params": {"k": "10"},
    "primaryMetric": {"score": 3.0, "scoreError": 0.5, "scoreUnit": "us/op", "rawData": [[2.5, 3.5], [3.0]]},
    "secondaryMetrics": {"one": {"score": 1.0, "scoreError": "NaN", "scoreUnit": "us/op", "rawData": [[1.0]]}},
}


def test_a_group_gives_its_own_score_and_one_a_method():
    frame = results.read(json.dumps([GROUP]).splitlines())
    assert list(frame.metric) == ["score", "one"]
    assert list(frame.score) == [3.0, 1.0] and list(frame["count"]) == [3, 1] and list(frame.k) == ["10", "10"]


def test_a_benchmarks_method_has_a_column_of_its_own():
    assert set(results.read(json.dumps([GROUP]).splitlines())["method"]) == {"Group"}


def test_an_error_that_jmh_cannot_give_is_missing_and_not_zero():
    assert math.isnan(results.read(json.dumps([GROUP]).splitlines()).error[1])


@pytest.mark.parametrize("text", ["{half a", '{"some": "other json"}', "[1, 2]", "[" * 30_000])
def test_what_jmh_did_not_write_is_foreign(text):
    with pytest.raises(ForeignLog, match="-rf json"):
        results.read([text])


def test_an_interval_and_the_best_raw_value_stand_beside_the_score():
    text = json.dumps([GROUP | {"primaryMetric": GROUP["primaryMetric"] | {"scoreConfidence": [2.5, 3.5]}}])
    assert results.read([text]).iloc[0][["low", "high", "best"]].tolist() == [2.5, 3.5, 2.5]


def test_the_best_throughput_is_the_largest():
    assert results.read([json.dumps([GROUP | {"mode": "thrpt"}])]).best[0] == 3.5


def test_raw_iterations_are_numbered_within_their_fork():
    frame = results.iterations([json.dumps([GROUP])])
    assert frame.query("metric == 'score'")[["fork", "iteration", "value"]].values.tolist() == [
        [1, 1, 2.5],
        [1, 2, 3.5],
        [2, 1, 3.0],
    ]


def test_a_sample_times_histogram_gives_values_and_counts():
    metric = GROUP["primaryMetric"] | {"rawDataHistogram": [[[[10.0, 3], [20.0, 1]]]]}
    frame = results.histogram([json.dumps([GROUP | {"mode": "sample", "primaryMetric": metric}])])
    assert frame[["value", "count"]].values.tolist() == [[10.0, 3], [20.0, 1]]


def test_threads_of_a_group_go_to_jmh_in_the_alphabetical_order_of_its_methods():
    assert jmh_command.distribution({"stop": 1, "contains1": 2, "park": 0}) == "2,0,1"


def test_a_name_that_matches_nothing_lists_what_there_is():
    with pytest.raises(SampleNotFound, match=r"No matching benchmarks for 'no.such'.*osr.AddOne.addOne"):
        benchmarks.names("no.such")


MAJORS = sorted({jdk.major for jdk in jdks.find()} & {8, 17, 25})
SHORT = "-f 1 -wi 1 -w 50ms -i 2 -r 50ms"


@pytest.mark.gate
@pytest.mark.live
@pytest.mark.parametrize("jdk", MAJORS)
def test_a_benchmark_runs_on_each_jdk_and_scores(jdk):
    frame = jmh.jmh("osr.AddOne", jdk, options=SHORT)
    assert list(frame.benchmark) == ["osr.AddOne.addOne"] and frame.score[0] > 0 and frame["count"][0] == 2


@pytest.mark.live
@pytest.mark.parametrize("jdk", MAJORS)
def test_a_fork_is_a_whole_jvm_though_the_host_has_flags_to_start_in_less_time(jdk):
    frame = jmh.jmh("osr.AddOne", jdk, options=SHORT)
    [told] = [line for line in lab.load(frame.run[0]).output.splitlines() if line.startswith("# VM options:")]
    assert "TieredStopAtLevel" not in told and "UseSerialGC" not in told


@pytest.mark.live
@pytest.mark.parametrize("jdk", MAJORS)
def test_each_fork_keeps_its_own_safepoint_log(jdk):
    frame = jmh.jmh("osr.AddOne", jdk, options="-f 2 -gc true -wi 0 -i 2 -r 50ms", log="safepoint gc")
    run = lab.load(frame.run[0])
    assert len(run.forks) == 2 and set(run.safepoints.fork) == {1, 2}


@pytest.mark.live
def test_a_profilers_numbers_are_rows_beside_the_score():
    frame = jmh.jmh("osr.AddOne", MAJORS[-1], options=SHORT, prof="gc")
    assert frame.metric[0] == "score" and "gc.alloc.rate" in set(frame.metric)


@pytest.mark.live
def test_stacks_that_jmh_has_async_profiler_sample_are_a_table():
    asked = "async:event=ctimer;output=collapsed"
    frame = jmh.jmh("osr.AddOne", 17, options=SHORT.replace("-r 50ms", "-r 500ms"), prof=asked)
    stacks = lab.load(frame.run[0]).stacks
    assert stacks["count"].sum() > 20 and stacks["frames"].str.contains("AddOne").any()


@pytest.mark.live
def test_what_the_safepoint_profiler_cannot_read_on_25_is_missing_and_not_zero():
    frame = jmh.jmh("osr.AddOne", [17, 25], options=SHORT, prof="safepoints")
    pauses = frame[frame.metric == "safepoints.pause.count"].set_index("jdk").score
    assert pauses[17] >= 0 and math.isnan(pauses[25])


@pytest.mark.live
def test_a_combination_that_is_not_possible_costs_the_others_nothing():
    frame = jmh.jmh("osr.AddOne", [MAJORS[-1], 7], options=SHORT)
    assert list(frame.outcome) == ["measured", "no JDK"] and "no JDK 7" in frame.reason[1]


@pytest.mark.live
def test_a_benchmark_that_misses_its_deadline_keeps_its_row_and_leaves_no_fork():
    slow, fast = jmh.measure(request(SHORT.replace("-i 2", "-i 900")), deadline=4), jmh.measure(request(SHORT))
    assert slow.hung and slow.scores.empty and not fast.scores.empty
    assert not [p for p in psutil.process_iter(["cmdline"]) if str(slow.folder) in " ".join(p.info["cmdline"] or [])]


@pytest.mark.live
def test_if_nothing_could_be_measured_jmhs_own_words_are_raised():
    with pytest.raises(RunFailed, match="param1"):
        jmh.jmh("osr.AddOne", MAJORS[-1], options=SHORT + " -p size=param1")


def request(options: str):
    point = {"benchmark": "osr.AddOne.addOne", "jdk": MAJORS[-1], "gc": None, "flags": "", "threads": None}
    return jmh._request(
        {**point, "groups": None, "params": {}, "repeat": 0}, {"options": options, "prof": "", "log": ""}
    )


@pytest.fixture
def launched(tmp_path, monkeypatch):
    """The launcher of a JDK whose java is this script."""
    monkeypatch.setenv("SAFEPOINTLAB_CACHE", str(tmp_path / "cache"))

    def launch(script):
        (java := tmp_path / "bin" / "java").parent.mkdir()
        java.write_text(f"#!/bin/sh\n{script}\n")
        java.chmod(0o755)
        return jmh_command._launcher(jdks.Jdk(tmp_path, 17, "17.0.1", "Test", "system"))

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
