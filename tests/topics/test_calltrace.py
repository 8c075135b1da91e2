"""Sampling by signals: what is lost, what is found, and whose time it is, on each JDK (notebook 21)."""

import pytest

import safepointlab as lab
from safepointlab import jdks
from safepointlab.claims import calltrace, calltrace_lost

FOUND = sorted({jdk.major for jdk in jdks.find()} & {8, 11, 17, 21, 25, 28})


@pytest.mark.live
@pytest.mark.parametrize("jdk", FOUND)
def test_a_copy_is_lost_to_async_get_call_trace_and_found_by_walking(jdk):
    lost, found = (
        calltrace.profiled("StubTime", jdk, "copy 500", f"ctimer,{how}") for how in ("cstack=no", "cstack=vm")
    )
    assert calltrace.share(lost, "unknown_Java", "lost", calltrace_lost.MAIN) > 0.5
    assert calltrace.share(found, "arraycopy", "leaf", calltrace_lost.MAIN) > 0.5
    assert calltrace.share(found, ".", "lost", calltrace_lost.MAIN) < 0.2


@pytest.mark.live
@pytest.mark.parametrize("jdk", FOUND)
def test_a_loop_in_java_is_found_either_way(jdk):
    found = calltrace.profiled("StubTime", jdk, "loop 500", "ctimer,cstack=no")
    assert calltrace.share(found, r"StubTime\.loop$", "leaf", calltrace_lost.MAIN) > 0.5


@pytest.mark.live
@pytest.mark.parametrize("jdk", FOUND[-1:])
def test_who_sleeps_has_no_samples_of_cpu_time(jdk):
    found = calltrace.profiled("OneAwake", jdk, "20 400", "ctimer,cstack=vm")
    asleep, awake = (calltrace.share(found, name, "thread") for name in ("^sleeper", "^worker"))
    assert asleep < 0.1 and awake > 3 * asleep


@pytest.mark.live
@pytest.mark.parametrize("what", ["calm", "gc", "compile", "deopt"])
def test_what_keeps_the_vm_busy_ends_by_itself(what):
    flags, gc = calltrace_lost.BUSY[what]
    run = lab.java("calltrace/VmTime", FOUND[0], flags, gc=gc, args=f"{what} 200")
    assert run.values["turns"] > 0


@pytest.mark.live
def test_the_division_costs_and_the_innocent_does_not():
    values = lab.java("calltrace/Neighbours", FOUND[-1], args="200 200").values
    assert values["both_ns"] > 1.2 * values["innocent_ns"]


@pytest.mark.parametrize(
    "named, state",
    [(0.0, "changed"), (0.9, "fails")],
)
def test_samples_that_are_there_but_elsewhere_are_a_change_of_25(named, state):
    measured = {"samples of loop": 60, "samples of copy": 60, "of these name copy": int(60 * named)}
    claim = next(claim for claim in calltrace_lost.CLAIMS if claim.id == "003b-04")
    assert claim.judge(measured, 25).state == state and claim.judge(measured, 17).state == "fails"


def test_too_few_samples_of_the_control_say_nothing():
    claim = next(claim for claim in calltrace_lost.CLAIMS if claim.id == "003b-04")
    assert claim.judge({"samples of loop": 3, "samples of copy": 0, "of these name copy": 0}, 17).state == "unclear"
