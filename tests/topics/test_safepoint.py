"""What a safepoint is: its samples, small, on every JDK that is here; and its judges, without any."""

import pytest

from safepointlab import claims, jdks
from safepointlab.claims.safepoint import CROWD
from safepointlab.claims.safepoint_polls import RETURNS
from safepointlab.run import launch
from safepointlab.topics import safepoint, safepoint_polls

JDKS = sorted({jdk.major for jdk in jdks.find()})
PRINTING = [major for major in JDKS if major >= 17]  # print machine code without a disassembler

each_jdk = pytest.mark.parametrize("jdk", JDKS or [8])
each_printing_jdk = pytest.mark.parametrize("jdk", PRINTING or [17])


def judged(id, measured, jdk):
    return next(claim for claim in claims.topics()["safepoint"] if claim.id == id).judge(measured, jdk).state


@pytest.mark.live
@each_jdk
def test_the_thread_in_the_counted_loop_runs_on_and_the_polling_one_does_not(jdk):
    run = safepoint.stopping(jdk, stops=2, millions=30)
    longest = safepoint.ran_on(run).groupby("thread")["ran_on_ms"].max()
    assert longest["counted"] > longest["polling"] and {"asleep", "inNative"} < set(safepoint.notes(run)["thread"])


@pytest.mark.live
@each_jdk
def test_asking_for_the_stack_of_one_thread_costs_all_of_them_a_safepoint_or_that_one_a_handshake(jdk):
    kinds = safepoint.some_calls(jdk, ["findDeadlocks", "stackOfOne", "stackOfMine"])["kind"].tolist()
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


@pytest.mark.parametrize("g1, jdk, state", [("no poll", 8, "holds"), ("poll", 11, "changed"), ("no poll", 11, "fails")])
def test_strip_mining_is_why_a_counted_loop_polls_from_10_on(g1, jdk, state):
    serial = {"int index": "no poll", "long index": "poll", "no index": "poll"}
    assert judged("000-02", {**serial, "int index, G1": g1}, jdk) == state


def test_a_listing_without_instructions_makes_the_verdicts_on_polls_unclear():
    shapes = ("int index", "long index", "no index", "int index, G1")
    assert judged("000-02", dict.fromkeys(shapes, "unknown"), 8) == "unclear"
    assert judged("000-03", dict.fromkeys(RETURNS.values(), 0), 8) == "unclear"
    assert judged("000-04", {"loop poll": "", "return poll": "", "pages": 0}, 11) == "unclear"


@pytest.mark.parametrize("bias, code, jdk, state", [
    ("safepoint RevokeBias", "safepoint Deoptimize", 11, "holds"),
    ("handshake RevokeOneBias", "handshake Deoptimize", 17, "changed"),
    ("nothing", "handshake Deoptimize", 21, "changed"),
    ("nothing", "handshake Deoptimize", 11, "fails"),
    ("nothing", "nothing", 21, "fails"),
])  # fmt: skip
def test_deoptimisation_and_biased_locking_lost_their_safepoints_in_this_order(bias, code, jdk, state):
    assert judged("000-41", {"revokeBias": bias, "loadClass": code}, jdk) == state


def test_what_a_crowd_adds_may_be_lost_in_noise_but_not_who_is_waited_for():
    late = {"slowest thread's share": 0.98, "ttsp_ms, 1 thread": 1.0, CROWD: 1.2}
    assert judged("000-09", late, 17) == "unclear"
    assert judged("000-09", {**late, "slowest thread's share": float("nan"), CROWD: 9.0}, 17) == "fails"


@pytest.mark.live
@pytest.mark.parametrize("id", ["000-02", "000-03", "000-04", "000-05"])
def test_what_the_listing_alone_decides_is_decided_on_each_jdk(id):
    [claim] = claims.named([id])
    assert {claims.run(claim, jdk).state for jdk in PRINTING} <= {"holds", "changed"}


@pytest.mark.live
@each_jdk
def test_the_flag_that_prints_stopped_times_is_known_to_8_alone(jdk):
    [claim] = claims.named(["000-10"])
    assert claims.run(claim, jdk).state == ("holds" if jdk == 8 else "changed")
