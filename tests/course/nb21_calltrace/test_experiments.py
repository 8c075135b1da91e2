"""Sampling by signals: what is lost, what is found, and whose time it is, on each JDK (notebook 21)."""

import pytest

from safepointlab import jdks
from safepointlab.course.nb21_calltrace import claims as told
from safepointlab.course.nb21_calltrace import claims_lost, experiments
from safepointlab.course.nb21_calltrace.experiments import MAIN, WALKED

JDKS = sorted({jdk.major for jdk in jdks.find()} & {8, 11, 17, 21, 25, 28})
COPIES = (claims_lost.OF_LOOP, claims_lost.OF_COPY, claims_lost.NAME_COPY, claims_lost.TOLD)


@pytest.mark.live
@pytest.mark.parametrize("jdk", JDKS)
def test_a_copy_is_lost_to_async_get_call_trace_and_found_by_walking_and_a_loop_in_java_is_found(jdk):
    lost, walked, loop = (experiments.stub(*each) for each in (("copy", jdk), ("copy", jdk, WALKED), ("loop", jdk)))
    assert claims_lost.lost(lost) > 50
    assert experiments.share(walked, "arraycopy", "leaf", MAIN) > 0.5
    assert experiments.share(walked, ".", "lost", MAIN) < 0.2
    assert experiments.share(loop, r"StubTime\.loop$", "leaf", MAIN) > 0.5


@pytest.mark.live
@pytest.mark.timed
@pytest.mark.parametrize("name", ["003b-10", "003b-11", "003b-16"])
def test_sleep_is_unseen_a_neighbour_is_blamed_and_missing_samples_are_time_off_the_cpu(measured, name):
    assert measured(name, JDKS[-1]).state == "holds"


@pytest.mark.live
@pytest.mark.parametrize("what", ["calm", "gc", "compile", "deopt"])
def test_what_keeps_the_vm_busy_ends_by_itself(what):
    assert claims_lost.busy(what, JDKS[0], ms=200).values["turns"] > 0


@pytest.mark.live
def test_samples_have_lines_and_most_are_in_the_line_of_the_work(measured):
    by_collector = measured("003b-01", JDKS[0]).measured
    assert all(evidence[told.LINE] > 50 for evidence in by_collector.values())


def test_a_faster_checksum_that_is_seen_no_better_is_a_change_of_17(judge):
    seen = {"crc32, percent": 90.0, "adler32, percent": 75.0, "loop, percent": 0.0}
    assert (judge("003b-05", seen, 11).state, judge("003b-05", seen).state) == ("never did", "changed")
    assert judge("003b-05", {**seen, "adler32, percent": 0.0}).state == "holds"


@pytest.mark.parametrize(
    ("deopt", "samples", "state"), [(19, 2412, "holds"), (1, 2412, "never did"), (1, 300, "unclear")]
)
def test_a_rare_moment_is_denied_only_by_many_samples(judge, deopt, samples, state):
    counts = {claims_lost.DEOPT: deopt, claims_lost.DEOPT_CALM: 0, "samples": samples}
    assert judge("003b-09", {**counts, claims_lost.LOST: 9.8, claims_lost.LOST_CALM: 0.4}).state == state


@pytest.mark.parametrize(
    ("samples", "on_17", "on_25"),
    [
        ((60, 0, 0, 0), "holds", "holds"),
        ((60, 0, 0, 3), "never did", "never did"),
        ((60, 60, 0, 0), "never did", "changed"),
        ((3, 0, 0, 0), "unclear", "unclear"),
    ],
)
def test_samples_that_are_there_but_elsewhere_are_a_change_of_25_and_too_few_say_nothing(judge, samples, on_17, on_25):
    seen = dict(zip(COPIES, samples, strict=True))
    assert (judge("003b-04", seen).state, judge("003b-04", seen, 25).state) == (on_17, on_25)
