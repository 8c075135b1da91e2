"""What a safepoint is: its samples, small, on every JDK that is here; and its judges, without any."""

from types import SimpleNamespace

import pandas as pd
import pytest

from safepointlab.course import verdicts
from safepointlab.course.nb01_safepoint import claims, claims_waits, polls
from safepointlab.course.nb01_safepoint import experiments as safepoint
from safepointlab.course.nb01_safepoint.claims_polls import RETURNS
from safepointlab.course.nb01_safepoint.claims_waits import ALONE, CROWDED, SHARE
from safepointlab.run import launch


@pytest.mark.live
@pytest.mark.timed
def test_the_thread_in_the_counted_loop_runs_on_and_the_polling_one_does_not(jdk):
    run = safepoint.stopping(jdk, stops=2, millions=30)
    longest = safepoint.ran_on(run).groupby("thread")["ran_on_ms"].max()
    assert longest["counted"] > longest["polling"] and {"asleep", "inNative"} < set(safepoint.notes(run)["thread"])


@pytest.mark.live
@pytest.mark.timed
def test_asking_for_the_stack_of_one_thread_costs_all_of_them_a_safepoint_or_that_one_a_handshake(jdk):
    calls = "findDeadlocks stackOfOne stackOfMine"
    run = launch.java(safepoint.CALLS, jdk, gc="Serial", args=calls, log="safepoint")
    kinds = safepoint.operations(run)["kind"].tolist()
    assert kinds == ["safepoint", "safepoint" if jdk <= 17 else "handshake", "nothing"]


@pytest.mark.live
def test_a_loop_polls_if_its_turns_cannot_be_counted_or_g1_cuts_it_into_strips(printing_jdk):
    polled = polls.by_code({gc: polls.listing(printing_jdk, gc) for gc in ("Serial", "G1")})
    polled = polled.set_index(["method", "code"])["polled"]
    assert [polled["byInt", "C2, Serial"], polled["byInt", "C2, G1"], polled["untilFound", "C2, Serial"]] == [0, 1, 1]


@pytest.mark.live
@pytest.mark.parametrize("doing", ["asleep", "native", "pinning", "running"])
def test_whatever_the_crowd_does_the_sample_reports_each_stop_and_ends_by_itself(doing):
    run = launch.java("safepoint/NativeAndBlocked", 17, gc="Serial", args=[doing, 2, 2, 10000], deadline=30)
    assert [line.partition(",")[0] for line in run.output.splitlines()] == ["stop", "1", "2"]


@pytest.mark.live
def test_each_call_of_the_sample_has_the_name_under_which_programs_know_it():
    assert set(safepoint.calls(17)["call"]) == set(safepoint.API)


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
def test_strips_explain_a_poll_from_10_on_and_nests_a_missing_one_from_16_on(judge, g1, nest, jdk, state):
    assert judge("000-02", {**POLLS, BY_G1: g1, LONG: nest}, jdk).state == state


def test_a_listing_without_instructions_makes_the_verdicts_on_polls_unclear(judge):
    assert judge("000-02", dict.fromkeys(POLLS, float("nan")), 8).state == "unclear"
    assert judge("000-03", dict.fromkeys(RETURNS.values(), 0), 8).state == "unclear"
    assert judge("000-04", {"loop poll": "", "return poll": "", "pages": 0}, 11).state == "unclear"


@pytest.mark.parametrize("bias, code, jdk, state", [
    ("safepoint RevokeBias", "safepoint Deoptimize", 11, "holds"),
    ("handshake RevokeOneBias", "handshake Deoptimize", 17, "changed"),
    ("nothing", "handshake Deoptimize", 21, "changed"),
    ("nothing", "handshake Deoptimize", 11, "fails"),
    ("nothing", "nothing", 21, "unclear"),
])  # fmt: skip
def test_deoptimisation_and_biased_locking_lost_their_safepoints_in_this_order(judge, bias, code, jdk, state):
    assert judge("000-41", {"taking the bias off": bias, "deoptimisation": code}, jdk).state == state


def test_what_a_crowd_adds_may_be_lost_in_noise_and_so_may_the_slowest_thread(judge):
    late = {SHARE: 98.0, ALONE: [0.8, 1.0, 1.1], CROWDED: [1.0, 1.2, 2.0]}
    assert judge("000-09", late).state == "unclear"
    assert judge("000-09", {**late, CROWDED: [8.0, 9.0, 9.5]}).state == "holds"
    assert judge("000-09", {**late, SHARE: float("nan"), CROWDED: [8.0, 9.0, 9.5]}).state == "unclear"


def test_a_call_with_a_handshake_is_told_by_the_name_that_programs_know(monkeypatch):
    made = pd.DataFrame({"call": ["stackOfOne", "fullCollection"], "kind": ["handshake", "safepoint"]})
    monkeypatch.setattr(safepoint, "calls", lambda _: made)
    [claim] = verdicts.find(["000-06"])
    assert claim.measure(21) == {"calls with a safepoint": 1, "handshake": "another.getStackTrace()"}


@pytest.mark.parametrize(("cpu_ms", "percent"), [(24.0, 70.0), (30.3, 100.0)])
def test_native_code_ran_for_no_more_than_the_whole_stop_whatever_two_clocks_say(cpu_ms, percent):
    calls = pd.DataFrame({"cpu_ms": [cpu_ms], "took_ms": [30.0], "stopped_ms": [20.0]})
    assert claims.percent_of_the_stop(calls) == percent


def test_a_request_takes_the_wait_of_the_stop_that_was_at_that_time():
    stops = pd.DataFrame({"begin_s": [1.0, 1.5, 2.0], "ttsp_ms": [7.0, 8.0, 9.0]})
    printed = pd.DataFrame({"core": ["alone", "crowded"], "asked_s": [1.499, 1.999], "answered_s": [1.52, 2.1]})
    run = SimpleNamespace(csv=lambda _: printed, safepoints=stops)
    assert claims_waits.with_ttsp(run)["ttsp_ms"].tolist() == [8.0, 9.0]


@pytest.mark.live
@pytest.mark.timed
@pytest.mark.parametrize("id", ["000-46", "000-54"])
def test_faults_are_waited_for_and_blocked_threads_are_not(measured, id):
    assert measured(id, 25).state in ("holds", "unclear")


@pytest.mark.live
def test_the_vm_uses_a_stop_for_more_until_it_lost_its_queue_and_its_clean_up(measured, jdk):
    assert measured("000-50", jdk).state == ("holds" if jdk <= 21 else "changed")


@pytest.mark.live
@pytest.mark.parametrize("id", ["000-02", "000-03", "000-04", "000-05"])
def test_what_the_listing_alone_decides_is_decided_on_each_jdk(measured, id, printing_jdk):
    assert measured(id, printing_jdk).state in {"holds", "changed"}


@pytest.mark.live
def test_the_flag_that_prints_stopped_times_is_known_to_8_alone(measured, jdk):
    assert measured("000-10", jdk).state == ("holds" if jdk == 8 else "not asked")
