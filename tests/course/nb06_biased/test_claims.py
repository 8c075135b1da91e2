"""The four-second pause: its judges without any JVM; its samples, small, on every JDK that is here."""

import pandas as pd
import pytest

from safepointlab import jdks
from safepointlab.course.nb06_biased import experiments as biased
from safepointlab.jdks.jars import JOL
from safepointlab.run import launch

STALL = {
    "sleeper's longest delay, ms": 1060.0,
    "its usual delay, ms": 0.09,
    "longest stop within the call, ms": 1060.0,
    "for": "EnableBiasedLocking",
    "call of the adding thread, ms": 1310.0,
    "the same call again, ms": 1305.0,
    "adding thread without a CPU, ms": 0.4,
    "stop if switched on after 4 s, ms": 1060.0,
}
SHORT = {**STALL, "sleeper's longest delay, ms": 5.0, "longest stop within the call, ms": 0.1, "for": "none"}


@pytest.mark.parametrize("jdk, bug", [(11, "JDK-8180421"), (17, "JEP 374"), (21, "JDK-8256425")])
def test_the_pause_that_is_gone_names_what_took_it_away(judge, jdk, bug):
    switched = {"stop if switched on after 4 s, ms": 1060.0}
    evidence = {name: value for name, value in SHORT.items() if jdk < biased.REMOVED or name not in switched}
    ruling = judge("002-01", evidence, jdk)
    assert ruling.state == "changed" and bug in ruling.cause and "JDK-8186027" not in ruling.cause


def test_where_the_switch_itself_finds_a_poll_the_loops_polls_are_a_cause_as_well(judge):
    assert "JDK-8186027" in judge("002-01", {**SHORT, "stop if switched on after 4 s, ms": 0.3}, 17).cause


@pytest.mark.parametrize(
    "changed, state",
    [
        ({}, "holds"),
        ({"longest stop within the call, ms": 90.0}, "unclear"),  # the sleeper was late, and not by a stop
        ({"its usual delay, ms": 40.0}, "unclear"),  # and is as late without one
        ({"the same call again, ms": 300.0}, "never did"),
        ({"adding thread without a CPU, ms": 900.0}, "never did"),
    ],
)
def test_only_a_long_stop_that_held_the_sleeper_up_and_nobody_else_is_the_posts(judge, changed, state):
    assert judge("002-01", {**STALL, **changed}, 8).state == state


ANATOMY = {
    "stop, ms": [310.0, 305.0, 298.0],
    "of it waiting for threads, ms": [309.9, 304.9, 297.9],
    "sleeper's longest delay, ms": [310.2, 305.1, 298.1],
    "rest of the call when it begins, ms": [310.0, 305.0, 298.0],
    "threads waited for, if over 100 ms": [1, 1, 1],
    "collections in the stop": [0, 0, 0],
}


@pytest.mark.parametrize(
    "changed, jdk, state",
    [
        ({}, 8, "holds"),
        ({"rest of the call when it begins, ms": [310.0, 0.0, 298.0]}, 8, "unclear"),  # one run has no such stop
        ({"stop, ms": [0.2, 0.1, 0.3]}, 17, "changed"),
        ({"collections in the stop": [0, 1, 0]}, 8, "never did"),
        ({"threads waited for, if over 100 ms": [1, 2, 1]}, 8, "never did"),
        ({"of it waiting for threads, ms": [309.9, 104.9, 297.9]}, 8, "never did"),
        ({"sleeper's longest delay, ms": [310.2, 605.1, 298.1]}, 8, "never did"),
    ],
)
def test_the_log_explains_the_delay_if_each_part_of_its_row_does(judge, changed, jdk, state):
    assert judge("002-05", {**ANATOMY, **changed}, jdk).state == state


def test_a_reason_that_asks_one_thread_after_the_other_is_named(judge):
    evidence = {
        "stop all threads": ["collection"],
        "ask one thread after the other": ["a bias taken back"],
        "no operation in the log": [],
    }
    ruling = judge("002-12", evidence, 17)
    assert ruling.state == "changed" and "a bias taken back" in ruling.why
    all_stop = {
        **evidence,
        "stop all threads": ["collection", "a bias taken back"],
        "ask one thread after the other": [],
    }
    assert judge("002-12", all_stop, 17).state == "holds"
    assert judge("002-12", {**evidence, "no operation in the log": ["thread dump"]}, 17).state == "unclear"


def test_old_code_that_collections_take_is_no_zombie(judge):
    evidence = {"versions compiled": 3000, "made zombie": 0, "collections for the code cache": 5}
    assert [judge("002-20", evidence, jdk).state for jdk in (8, 25)] == ["never did", "changed"]
    assert judge("002-20", {**evidence, "collections for the code cache": 0}, 25).state == "unclear"


@pytest.mark.live
@pytest.mark.parametrize("jdk", sorted({jdk.major for jdk in jdks.find()} & {8, 11, 17}))
def test_the_switch_is_over_when_a_call_is_and_at_once_where_the_loop_keeps_its_polls(jdk):
    flags = biased.switched_on(biased.THEN_DELAY_MS)
    polls = "-XX:+UseCountedLoopSafepoints"
    unpolled, polled = (biased.summer(jdk, f"{flags} {more}", log="safepoint") for more in ("", polls))
    stop = biased.switches(unpolled).iloc[-1]
    over_s = stop["begin_s"] + stop["total_ms"] / 1000
    assert min(abs(over_s - end_s) for end_s in biased.long_calls_s(unpolled)[1:]) < 0.02
    assert not unpolled.values["waited_ms"] > unpolled.values["pass1_ms"] / 2
    assert biased.switches(polled)["ttsp_ms"].max() < unpolled.values["pass1_ms"] / 4


@pytest.mark.live
def test_the_summer_writes_down_every_sleep_and_tells_the_worst(jdk):
    run = biased.summer(jdk, begins_ms=200, lasts_ms=50, log="safepoint")
    jitter = pd.read_csv(run.folder / "jitter.csv")
    assert list(jitter) == ["begin_s", "overslept_ms"] and jitter["begin_s"].is_monotonic_increasing
    assert run.values["overslept_ms"] == pytest.approx(jitter["overslept_ms"].max(), abs=0.06)
    assert biased.switches(run)["ttsp_ms"].fillna(0).lt(20).all()


@pytest.mark.live
def test_an_unlocked_object_keeps_its_owner_only_where_locks_are_biased_and_not_if_it_is_older(jdk):
    moments = ("locked", "unlocked", "other_unlocked", "contended")
    has_bias = jdk < biased.REMOVED
    marks = launch.java(
        "biased/MarkWords", jdk, biased.switched_on(500) if has_bias else "", args=1000, jars=[JOL]
    ).values
    kept = ["biased", "biased"] if has_bias else ["thin", "unlocked"]
    assert [marks[moment] for moment in moments] == [*kept, "unlocked", "fat"]
    early = [marks[moment] for moment in ("early", "early_later", "fresh")]
    assert not has_bias or early == ["unlocked", "unlocked", "biasable"]


@pytest.mark.live
def test_a_stop_waits_for_a_loop_and_not_for_native_code(jdk, measured):
    _, shares, loop = measured("002-16", jdk).measured.values()
    assert sorted(shares)[1] < loop / 2


@pytest.mark.live
def test_calls_and_jumps_back_add_up_without_tiers_up_to_11(jdk, measured):
    verdict = measured("002-13", jdk)
    without = verdict.measured["with -XX:-TieredCompilation"]
    assert verdict.state == "changed" and (without["150 calls of 100 iterations"] > 0) == (jdk <= 11)


@pytest.mark.live
def test_a_redefined_class_stops_all_threads(jdk, measured):
    assert "class redefinition" in measured("002-12", jdk).measured["stop all threads"]


@pytest.mark.live
def test_a_trap_stops_nobody(jdk, measured):
    assert measured("002-24", jdk).state == "never did"


@pytest.mark.live
def test_a_thread_that_allocates_waits_for_the_end_of_a_critical_region_with_serial(jdk):
    values = launch.java("biased/CriticalCall", jdk, "-Xms64m -Xmx64m", gc="Serial").values
    assert values["allocation_ms"] > values["call_ms"] / 4
