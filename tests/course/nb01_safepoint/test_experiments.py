"""What a safepoint is: its samples, small, on every JDK that is here; and its judges, without any."""

from types import SimpleNamespace

import pandas as pd
import pytest

from safepointlab import jdks
from safepointlab.course import verdicts as claims
from safepointlab.course.nb01_safepoint import claims as safepoint_claims
from safepointlab.course.nb01_safepoint import experiments as safepoint
from safepointlab.course.nb01_safepoint import polls as safepoint_polls
from safepointlab.course.nb01_safepoint import waits as safepoint_waits
from safepointlab.course.nb01_safepoint.claims_polls import RETURNS
from safepointlab.course.nb01_safepoint.claims_waits import ALONE, CROWDED, SHARE
from safepointlab.run import launch

JDKS = sorted({jdk.major for jdk in jdks.find()})
PRINTING = [major for major in JDKS if major >= 17]  # print machine code without a disassembler

each_jdk = pytest.mark.parametrize("jdk", JDKS or [8])
each_printing_jdk = pytest.mark.parametrize("jdk", PRINTING or [17])


def judged(id, measured, jdk):
    return next(claim for claim in claims.topics()["safepoint"] if claim.id == id).judge(measured, jdk).state


@pytest.mark.live
@pytest.mark.timed
@each_jdk
def test_the_thread_in_the_counted_loop_runs_on_and_the_polling_one_does_not(jdk):
    run = safepoint.stopping(jdk, stops=2, millions=30)
    longest = safepoint.ran_on(run).groupby("thread")["ran_on_ms"].max()
    assert longest["counted"] > longest["polling"] and {"asleep", "inNative"} < set(safepoint.notes(run)["thread"])


@pytest.mark.live
@pytest.mark.timed
@each_jdk
def test_asking_for_the_stack_of_one_thread_costs_all_of_them_a_safepoint_or_that_one_a_handshake(jdk):
    calls = "findDeadlocks stackOfOne stackOfMine"
    run = launch.java(safepoint.CALLS, jdk, gc="Serial", args=calls, log="safepoint")
    kinds = safepoint.operations(run)["kind"].tolist()
    assert kinds == ["safepoint", "safepoint" if jdk <= 17 else "handshake", "nothing"]


@pytest.mark.live
@each_printing_jdk
def test_a_loop_polls_if_its_turns_cannot_be_counted_or_g1_cuts_it_into_strips(jdk):
    serial, g1 = (safepoint_polls.listing(jdk, gc).loops for gc in ("Serial", "G1"))
    counted = [bool(safepoint_polls.by_c2(loops, "byInt")["polled"].any()) for loops in (serial, g1)]
    assert counted == [False, True] and safepoint_polls.by_c2(serial, "untilFound")["polled"].all()


@pytest.mark.live
@pytest.mark.parametrize("doing", ["asleep", "native", "pinning", "running"])
def test_whatever_the_crowd_does_the_sample_reports_each_stop_and_ends_by_itself(doing):
    run = launch.java("safepoint/NativeAndBlocked", 17, gc="Serial", args=[doing, 2, 2, 10000], deadline=30)
    assert [line.partition(",")[0] for line in run.output.splitlines()] == ["stop", "1", "2"]


POLLS = {
    "int index: loops that poll, percent": 0.0,
    "long index: loops that poll, percent": 100.0,
    "no index: loops that poll, percent": 100.0,
    "int index with G1: loops that poll, percent": 0.0,
    "no index by C1: loops that poll, percent": 100.0,
}
LONG, BY_G1 = list(POLLS)[1], list(POLLS)[3]


@pytest.mark.parametrize("g1, nest, jdk, state", [
    (0.0, 100.0, 28, "holds"),
    (33.0, 100.0, 11, "changed"),
    (33.0, 60.0, 17, "changed"),
    (33.0, 60.0, 11, "fails"),
    (33.0, 100.0, 8, "fails"),
])  # fmt: skip
def test_strips_explain_a_poll_from_10_on_and_nests_a_missing_one_from_16_on(g1, nest, jdk, state):
    assert judged("000-02", {**POLLS, BY_G1: g1, LONG: nest}, jdk) == state


def test_a_listing_without_instructions_makes_the_verdicts_on_polls_unclear():
    assert judged("000-02", dict.fromkeys(POLLS, float("nan")), 8) == "unclear"
    assert judged("000-03", dict.fromkeys(RETURNS.values(), 0), 8) == "unclear"
    assert judged("000-04", {"loop poll": "", "return poll": "", "pages": 0}, 11) == "unclear"


@pytest.mark.parametrize("bias, code, jdk, state", [
    ("safepoint RevokeBias", "safepoint Deoptimize", 11, "holds"),
    ("handshake RevokeOneBias", "handshake Deoptimize", 17, "changed"),
    ("nothing", "handshake Deoptimize", 21, "changed"),
    ("nothing", "handshake Deoptimize", 11, "fails"),
    ("nothing", "nothing", 21, "unclear"),
])  # fmt: skip
def test_deoptimisation_and_biased_locking_lost_their_safepoints_in_this_order(bias, code, jdk, state):
    assert judged("000-41", {"taking the bias off": bias, "deoptimisation": code}, jdk) == state


def test_what_a_crowd_adds_may_be_lost_in_noise_and_so_may_the_slowest_thread():
    late = {SHARE: 98.0, ALONE: [0.8, 1.0, 1.1], CROWDED: [1.0, 1.2, 2.0]}
    assert judged("000-09", late, 17) == "unclear"
    assert judged("000-09", {**late, CROWDED: [8.0, 9.0, 9.5]}, 17) == "holds"
    assert judged("000-09", {**late, SHARE: float("nan"), CROWDED: [8.0, 9.0, 9.5]}, 17) == "unclear"


def test_a_call_with_a_handshake_is_told_by_the_name_that_programs_know(monkeypatch):
    made = pd.DataFrame({"call": ["stackOfOne", "fullCollection"], "kind": ["handshake", "safepoint"]})
    monkeypatch.setattr(safepoint, "calls", lambda _: made)
    [claim] = claims.named(["000-06"])
    assert claim.measure(21) == {"calls with a safepoint": 1, "handshake": "another.getStackTrace()"}


@pytest.mark.parametrize(("cpu_ms", "percent"), [(24.0, 70.0), (30.3, 100.0)])
def test_native_code_ran_for_no_more_than_the_whole_stop_whatever_two_clocks_say(cpu_ms, percent):
    calls = pd.DataFrame({"cpu_ms": [cpu_ms], "took_ms": [30.0], "stopped_ms": [20.0]})
    assert safepoint_claims.percent_of_the_stop(calls) == percent


def test_a_request_takes_the_wait_of_the_stop_that_was_at_that_time():
    stops = pd.DataFrame({"begin_s": [1.0, 1.5, 2.0], "ttsp_ms": [7.0, 8.0, 9.0]})
    run = SimpleNamespace(output="core,asked_s,answered_s\nalone,1.499,1.52\ncrowded,1.999,2.1\n", safepoints=stops)
    assert safepoint_waits._with_ttsp(run)["ttsp_ms"].tolist() == [8.0, 9.0]


@pytest.mark.live
@pytest.mark.timed
@pytest.mark.parametrize("id", ["000-46", "000-54"])
def test_faults_are_waited_for_and_blocked_threads_are_not(id):
    [claim] = claims.named([id])
    assert claims.run(claim, JDKS[-1]).state in ("holds", "unclear")


@pytest.mark.live
@pytest.mark.parametrize("jdk, state", [(8, "holds"), (11, "holds"), (17, "holds"), (25, "changed"), (28, "changed")])
def test_the_vm_uses_a_stop_for_more_until_it_lost_its_queue_and_its_clean_up(jdk, state):
    [claim] = claims.named(["000-50"])
    assert jdk not in JDKS or claims.run(claim, jdk).state == state


@pytest.mark.live
@pytest.mark.parametrize("id", ["000-02", "000-03", "000-04", "000-05"])
def test_what_the_listing_alone_decides_is_decided_on_each_jdk(id):
    [claim] = claims.named([id])
    assert {claims.run(claim, jdk).state for jdk in PRINTING} <= {"holds", "changed"}


@pytest.mark.live
@each_jdk
def test_the_flag_that_prints_stopped_times_is_known_to_8_alone(jdk):
    [claim] = claims.named(["000-10"])
    assert claims.run(claim, jdk).state == ("holds" if jdk == 8 else "not asked")
