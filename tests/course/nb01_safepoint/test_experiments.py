"""What a safepoint is: its samples, small, on every JDK that is here; and its judges, without any."""

from types import SimpleNamespace

import pandas as pd
import pytest

from safepointlab.course import verdicts
from safepointlab.course.nb01_safepoint import claims, claims_polls, claims_waits, polls
from safepointlab.course.nb01_safepoint import experiments as safepoint
from safepointlab.course.nb01_safepoint.claims_waits import PAUSED, RAN_ON, TTSP
from safepointlab.errors import RunFailed
from safepointlab.run import launch


@pytest.mark.live
@pytest.mark.timed
def test_the_thread_in_the_counted_loop_runs_on_and_the_polling_one_does_not(jdk):
    run = safepoint.stopping(jdk, stops=2, millions=30)
    longest = safepoint.ran_on(run).groupby("thread")["ran_on_ms"].max()
    assert longest["counted"] > longest["polling"] and {"asleep", "inNative"} < set(safepoint.notes(run)["thread"])


@pytest.mark.live
@pytest.mark.parametrize("doing", ["asleep", "native", "pinning", "running"])
def test_whatever_the_crowd_does_the_sample_reports_each_stop_and_ends_by_itself(doing):
    run = launch.java("safepoint/NativeAndBlocked", 17, gc="Serial", args=[doing, 2, 2, 10000], deadline=30)
    assert [line.partition(",")[0] for line in run.output.splitlines()] == ["stop", "1", "2"]


BY_G1, LONG = "int index: loops that poll, percent", "long index: loops that poll, percent"
POLLS = {
    "no index: loops that poll, percent": 100.0,
    "no index, by C1: loops that poll, percent": 100.0,
    BY_G1: 0.0,
    LONG: 100.0,
    "int index: loops inside one another": 1,
    "long index: loops inside one another": 1,
    f"the same with {claims_polls.NO_SHORT_LOOPS}": None,
}
NEST = {LONG: 60.0, "long index: loops inside one another": 2}
SHORT_LOOP = {LONG: 0.0, f"the same with {claims_polls.NO_SHORT_LOOPS}": 2}


@pytest.mark.parametrize("change, jdk, state, cause", [
    ({}, 27, "holds", ""),
    ({BY_G1: 33.0}, 11, "changed", "JDK-8186027"),
    ({BY_G1: 33.0}, 8, "never did", ""),
    (NEST, 17, "changed", "JDK-8223051"),
    (NEST, 11, "never did", ""),
    (SHORT_LOOP, 27, "changed", "JDK-8342692"),
    ({LONG: 0.0}, 27, "unclear", ""),
])  # fmt: skip
def test_each_poll_that_came_or_went_has_its_own_cause(judge, change, jdk, state, cause):
    verdict = judge("000-02", {**POLLS, **change}, jdk)
    assert (verdict.state, verdict.cause.partition(" ")[0]) == (state, cause)


def test_without_instructions_in_the_listing_no_claim_on_polls_is_measured(monkeypatch):
    monkeypatch.setattr(polls, "listing", lambda *_: SimpleNamespace(loops=pd.DataFrame()))
    for id in ("000-03", "000-04", "000-05"):
        [claim] = verdicts.find([id])
        with pytest.raises(RunFailed, match="hsdis"):
            claim.measure(8)


@pytest.mark.parametrize("bias, code, biased, jdk, state", [
    ("safepoint RevokeBias", "safepoint Deoptimize", True, 11, "holds"),
    ("handshake RevokeOneBias", "handshake Deoptimize", True, 17, "changed"),
    ("nothing", "handshake Deoptimize", False, 21, "changed"),
    ("safepoint RevokeBias", "handshake Deoptimize", True, 11, "never did"),
    ("nothing", "handshake Deoptimize", True, 17, "unclear"),
    ("nothing", "nothing", False, 21, "unclear"),
])  # fmt: skip
def test_deoptimisation_and_biased_locking_lost_their_safepoints_in_this_order(judge, bias, code, biased, jdk, state):
    measured = {claims.BIAS: bias, claims.CODE: code, "this JDK has biased locking": biased}
    assert judge("000-41", measured, jdk).state == state


def test_a_stop_waits_for_the_thread_that_ran_on_until_it_was_reached(judge):
    late = {
        TTSP: [30.0, 60.0, 90.0],
        RAN_ON: {"polling": [0.1, 0.1, 0.0], "counted": [29.9, 59.0, 90.0]},
        PAUSED: {"polling": [35.0, 64.0, 95.0], "counted": [5.0, 5.0, 5.0]},
    }
    assert judge("000-09", late).state == "holds"
    assert judge("000-09", {**late, TTSP: [300.0, 600.0, 900.0]}).state == "never did"
    assert judge("000-09", {**late, PAUSED: {"polling": [5.0] * 3, "counted": [5.0] * 3}}).state == "unclear"


def test_a_call_with_a_handshake_is_told_by_the_name_that_programs_know(monkeypatch):
    made = pd.DataFrame({"call": ["stackOfOne", "fullCollection"], "kind": ["handshake", "safepoint"]})
    monkeypatch.setattr(safepoint, "calls", lambda _: made)
    monkeypatch.setattr(claims.start, "hello", lambda *_, **__: SimpleNamespace(output="Operation: ZMark"))
    [claim] = verdicts.find(["000-06"])
    assert list(claim.measure(21).values()) == [2, 1, 1, "another.getStackTrace()", 1]


@pytest.mark.parametrize(("cpu_ms", "percent"), [(24.0, 70.0), (30.3, 100.0), (9.0, 0.0)])
def test_native_code_ran_for_no_more_than_the_whole_stop_whatever_two_clocks_say(monkeypatch, cpu_ms, percent):
    requests = pd.DataFrame({"cpu_ms": [cpu_ms], "took_ms": [30.0]})
    stops = pd.DataFrame({"total_ms": [21.0], "ttsp_ms": [1.0]})
    monkeypatch.setattr(safepoint, "crowd", lambda *_: SimpleNamespace(csv=lambda _: requests))
    monkeypatch.setattr(safepoint, "collections", lambda _: stops)
    [claim] = verdicts.find(["000-07"])
    assert claim.measure(17)[claims.NATIVE] == [percent]


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
    assert measured("000-50", jdk).state == ("holds" if jdk <= 11 else "changed")


@pytest.mark.live
@pytest.mark.parametrize("id", ["000-02", "000-03", "000-04", "000-05"])
def test_what_the_listing_alone_decides_is_decided_on_each_jdk(measured, id, printing_jdk):
    assert measured(id, printing_jdk).state in {"holds", "changed"}


@pytest.mark.live
def test_the_flag_that_prints_stopped_times_is_known_to_8_alone(measured, jdk):
    assert measured("000-10", jdk).state == ("holds" if jdk == 8 else "not applicable")
