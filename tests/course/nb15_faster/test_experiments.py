"""Faster safepoints: what is compared, and when a machine may not decide."""

from math import nan
from types import SimpleNamespace

import pandas as pd
import pytest

import safepointlab as lab
from safepointlab import jdks
from safepointlab.course import verdicts as claims
from safepointlab.course.nb15_faster import experiments as faster
from safepointlab.course.nb15_faster.claims import ALONE, ANOTHER, REST, SIDES

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


def test_gross_and_net_pauses_are_read_apart(tmp_path):
    (log := tmp_path / "gc.log").write_text(STATISTICS)
    run = SimpleNamespace(logs=lambda _: [log])
    assert [list(faster.pauses(run, kind)) for kind in (faster.GROSS, faster.NET)] == [[97981.0], [49.0]]


def judged(name, *ends, jdk=17, **more):
    """The verdict on these lowest and highest values of 11 and of another build, in the one change alone, 16 cores."""
    [claim] = claims.find([name])
    names = [key for key in claim.refuted_by[0] if key.startswith(SIDES)]
    assert len(names) == len(ends)
    return claim.judge({"cores": 16, ANOTHER: True, ALONE: True, **dict(zip(names, ends, strict=True)), **more}, jdk)


def test_a_machine_of_few_cores_gives_no_verdict_on_a_queue_of_sixteen_threads_whatever_it_measured():
    assert judged("004-05", 0.8, 0.9, 0.01, 0.02).state == "holds"
    assert judged("004-05", 0.8, 0.9, 0.01, 0.02, cores=2).state == "unclear"
    assert judged("004-03", 900.0, 1000.0, 2400.0, 2600.0, cores=2).why.startswith("2.6 times as long as on 11;")


@pytest.mark.parametrize(
    ("ends", "state", "why"),
    [
        ((100.0, 110.0, 120.0, 130.0), "holds", "no JVM loses more than 5 % against those of 11"),
        ((100.0, 130.0, 90.0, 120.0), "unclear", "not told apart: the scores of the JVMs overlap"),
        ((16954.0, 17193.0, 13280.0, 14114.0), "unclear", "each JVM is slower, by 17 to 23 %"),
        ((100.0, 110.0, 60.0, 70.0), "fails", "each JVM is slower, by 30 to 45 %"),
    ],
)
def test_scores_that_overlap_say_nothing_of_throughput_and_others_the_loss(ends, state, why):
    found = judged("004-01", *ends)
    assert (found.state, found.why) == (state, why)


@pytest.mark.parametrize(
    ("least", "most", "state", "why"),
    [
        (135.0, 181.0, "fails", "shorter than on 11"),
        (435.0, 450.0, "holds", "the work in the pause is the same"),
        (284.0, 292.0, "unclear", "shorter in each JVM, by 33 % or more"),
        (460.0, 900.0, "unclear", "longer in each JVM; 11's are 3 % shorter or more"),
        (200.0, 440.0, "unclear", "overlap"),
    ],
)
def test_pauses_near_the_limit_are_not_called_the_same_as_those_that_overlap(least, most, state, why):
    found = judged("004-04", 437.0, 447.0, least, most)
    assert found.state == state and why in found.why


@pytest.mark.parametrize("name", ["004-01", "004-04"])
def test_builds_that_differ_in_more_than_the_change_decide_nothing_about_it_and_11_is_not_compared(name):
    same = (100.0, 110.0, 106.0, 112.0)
    assert judged(name, *same).state == "holds"
    other = judged(name, *same, **{ALONE: False})
    assert other.state == "unclear" and other.why.endswith("; no two builds differ in this change alone")
    assert judged(name, *same, jdk=11, **{ANOTHER: False}).state == "not asked"


@pytest.mark.parametrize(
    ("leaving_us", "state", "why"),
    [
        (nan, "not asked", "does not tell how long it takes"),
        (150.0, "holds", "94 % of the rest"),
        (74.0, "unclear", "46 % of the rest: about half"),
        (480.0, "unclear", "300 % of the rest: more"),
    ],
)
def test_a_leaving_is_the_rest_of_the_pause_or_told_by_its_share(leaving_us, state, why):
    [claim] = claims.find(["004-09"])
    found = claim.judge({REST: 160.0, "leaving_us": leaving_us}, 25)
    assert found.state == state and why in found.why


@pytest.mark.live
@pytest.mark.timed
@pytest.mark.skipif(25 not in JDKS, reason="needs JDK 25")
def test_jmhs_own_profiler_reads_nothing_on_25_and_the_lab_does_not_call_that_zero():
    brief = "-f 1 -wi 0 -i 2 -r 300ms"  # long enough for some collections; of throughput it says nothing
    settings = {"gc": "Z", "flags": "-Xmx300m", "threads": 2, "log": "safepoint gc", "prof": "safepoints"}
    scores = lab.jmh("faster.Serialise", jdk=25, options=brief, **settings)
    profiled = scores[scores["metric"].str.startswith("safepoints.")]
    assert len(profiled) and profiled["score"].isna().all()
    assert len(faster.collector_stops(lab.load(scores["run"].iloc[0]).safepoints))
