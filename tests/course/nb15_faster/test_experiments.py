"""Faster safepoints: what is compared, and when a machine may not decide."""

import pandas as pd
import pytest

import safepointlab as lab
from safepointlab import jdks
from safepointlab.course.nb15_faster import claims
from safepointlab.course.nb15_faster import claims_leaving as faster_leaving
from safepointlab.course.nb15_faster import experiments as faster

JDKS = sorted({jdk.major for jdk in jdks.find()} & {11, 17, 25})
STOPS = pd.DataFrame(
    {
        "kind": ["safepoint", "safepoint", "handshake", "safepoint", "safepoint"],
        "operation": ["ZMarkStart", "RevokeBias", "ZRendezvous", "XMarkEnd", None],
    }
)
STATISTICS = """[1.0s][info][gc,stats    ] Concurrent Reset                   6899 us
[1.0s][info][gc,stats    ] Pause Init Mark (G)               97981 us
[1.0s][info][gc,stats    ] Pause Init Mark (N)                  49 us
[1.0s][info][gc,stats    ]   Update Region States               12 us"""


def test_only_safepoints_that_the_collector_asked_for_are_compared():
    assert list(faster.collector_stops(STOPS)["operation"]) == ["ZMarkStart", "XMarkEnd"]


def test_gross_and_net_pauses_are_read_apart():
    assert list(faster.pauses(STATISTICS, "G")) == [97981.0] and list(faster.pauses(STATISTICS, "N")) == [49.0]


def of(what, *ends, **more):
    return claims._no(what, *ends, cores=None) | {claims.ALONE: True} | more


def test_a_machine_of_few_cores_gives_no_verdict_on_a_queue_of_sixteen_threads_whatever_it_measured():
    judge, evidence = claims._times_shorter(5, "ms"), of("ms", 0.8, 0.9, 0.01, 0.02)
    assert judge({**evidence, "cores": 2}, 17).state == "unclear"
    assert judge({**evidence, "cores": 16}, 17).state == "holds"


def test_a_pause_that_grew_is_not_called_short():
    few = claims._times_shorter(1.7, "us")({**of("us", 900.0, 1000.0, 2400.0, 2600.0), "cores": 2}, 17)
    assert few.why.startswith("2.6 times as long as on 11;")


def test_scores_of_jvms_that_overlap_say_nothing_about_throughput():
    scores = {
        "no loss": (100.0, 110.0, 120.0, 130.0),
        "overlap": (100.0, 130.0, 90.0, 120.0),
        "loss": (100, 110, 60, 70),
    }
    judged = {name: claims._no_loss(of("score, per_s", *ends), 17).state for name, ends in scores.items()}
    assert judged == {"no loss": "holds", "overlap": "unclear", "loss": "fails"}


def test_scores_that_do_not_overlap_are_told_apart_with_the_loss():
    near = claims._no_loss(of("score, per_s", 16954.0, 17193.0, 13280.0, 14114.0), 25)
    assert (near.state, near.why) == ("unclear", "each JVM is slower, by 17 to 23 %")
    assert "overlap" in claims._no_loss(of("score, per_s", 100.0, 130.0, 90.0, 120.0), 25).why
    assert claims._no_loss(of("score, per_s", 100, 110, 60, 70), 17).why.startswith("each JVM is slower, by 30 to 45 %")


@pytest.mark.parametrize(
    ("judge", "evidence"),
    [
        (claims._no_loss, of("score, per_s", 100.0, 110.0, 120.0, 130.0)),
        (claims._no_loss, of("score, per_s", 100.0, 110.0, 60.0, 70.0)),
        (claims._unchanged, of("us", 437.0, 447.0, 135.0, 181.0)),
        (claims._unchanged, of("us", 437.0, 447.0, 435.0, 450.0)),
    ],
)
def test_builds_that_differ_in_more_than_the_change_decide_nothing_about_it(judge, evidence):
    assert judge(evidence, 13).state in {"holds", "fails"}
    judged = judge(evidence | {claims.ALONE: False}, 17)
    assert judged.state == "unclear" and judged.why.endswith("; no two builds differ in this change alone")


@pytest.mark.parametrize(
    ("least", "most", "words"),
    [
        (284.0, 292.0, "shorter in each JVM, by 33 % or more"),
        (460.0, 900.0, "longer in each JVM; 11's are 3 % shorter or more"),
        (200.0, 440.0, "overlap"),
    ],
)
def test_pauses_near_the_limit_are_not_called_the_same_as_those_that_overlap(least, most, words):
    judged = claims._unchanged(of("us", 437.0, 447.0, least, most), 17)
    assert judged.state == "unclear" and words in judged.why


def test_the_jdk_before_is_not_compared_with_itself():
    itself = of("score, per_s", 100.0, 110.0, 100.0, 110.0) | {claims.ANOTHER: False}
    assert claims._no_loss(itself, 11).state == "not asked"


def test_where_the_log_has_no_leaving_its_share_is_not_asked():
    evidence = {"gross less net less TTSP, us": 160.0, "leaving_us": float("nan")}
    assert faster_leaving._is_leaving(evidence, 17).state == "not asked"
    assert faster_leaving._is_leaving({**evidence, "leaving_us": 150.0}, 25).state == "holds"


@pytest.mark.parametrize(
    ("leaving", "words"), [(74.0, "46 % of the rest: about half"), (480.0, "300 % of the rest: more")]
)
def test_a_leaving_that_is_neither_the_rest_nor_little_of_it_is_told_by_its_share(leaving, words):
    judged = faster_leaving._is_leaving({"gross less net less TTSP, us": 160.0, "leaving_us": leaving}, 25)
    assert judged.state == "unclear" and words in judged.why


@pytest.mark.live
@pytest.mark.parametrize("gc", ["Z", "Shenandoah"])
@pytest.mark.parametrize("jdk", JDKS)
def test_a_concurrent_collector_stops_the_threads_several_times_a_cycle(jdk, gc):
    stops = faster.collector_stops(faster.scan(jdk, threads=2, gc=gc, cycles=2).safepoints)
    assert len(stops) >= 4 and stops["ttsp_ms"].notna().all()


@pytest.mark.live
@pytest.mark.timed
@pytest.mark.skipif(25 not in JDKS, reason="needs JDK 25")
def test_jmhs_own_profiler_reads_nothing_on_25_and_the_lab_does_not_call_that_zero():
    brief = "-f 1 -wi 0 -i 2 -r 300ms"  # long enough for some collections; of throughput it says nothing
    settings = {"gc": "Z", "flags": faster.HEAP, "threads": 2, "log": faster.LOG, "prof": "safepoints"}
    scores = lab.jmh(faster.BENCHMARK, jdk=25, options=brief, **settings)
    profiled = scores[scores["metric"].str.startswith("safepoints.")]
    assert len(profiled) and profiled["score"].isna().all()
    assert len(faster.collector_stops(lab.load(scores["run"].iloc[0]).safepoints))
