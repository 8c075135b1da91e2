"""The four-second pause: its judges without any JVM; its samples, small, on every JDK that is here."""

import pandas as pd
import pytest

from safepointlab import jdks
from safepointlab.course import verdicts
from safepointlab.course.nb06_biased import experiments as biased
from safepointlab.jdks.jars import JOL
from safepointlab.run import launch


@pytest.mark.parametrize("jdk, bug", [(11, "JDK-8180421"), (17, "JEP 374"), (21, "JDK-8256425")])
def test_the_pause_that_is_gone_names_what_took_it_away(judge, jdk, bug):
    judgement = judge("002-01", {"overslept_ms": 5.0, "longest stop, ms": 0.1, "for": "none"}, jdk)
    assert judgement.state == "changed" and bug in judgement.why


@pytest.mark.parametrize("stop, told", [(1.8, True), (12.0, False)])
def test_only_a_short_stop_is_said_to_make_no_sleeper_late(judge, stop, told):
    judgement = judge("002-01", {"overslept_ms": 14.0, "longest stop, ms": stop, "for": "x"}, 11)
    assert ("no sleeper is late because of one" in judgement.why) == told


@pytest.mark.parametrize(
    "late, stop, state", [(2500.0, 90.0, "fails"), (2405.0, 2400.0, "holds"), (700.0, 690.0, "unclear")]
)
def test_only_a_stop_of_seconds_that_held_the_sleeper_up_is_the_posts(judge, late, stop, state):
    assert judge("002-01", {"overslept_ms": late, "longest stop, ms": stop, "for": "x"}, 8).state == state


@pytest.mark.parametrize(
    "first, still, state", [(2750.0, 9.0, "holds"), (5100.0, 9.0, "fails"), (2750.0, 2300.0, "fails")]
)
def test_the_adding_thread_was_held_up_if_its_call_took_longer_or_it_stood_still(judge, first, still, state):
    names = ("call with the stop, ms", "the same call again, ms", "stopped for, ms", "stood still for, ms")
    assert judge("002-02", dict(zip(names, (first, 2700.0, 2400.0, still), strict=True)), 8).state == state


def test_nothing_is_run_where_biased_locking_is_unknown(monkeypatch):
    monkeypatch.setattr(biased, "default", lambda jdk, flag: "unknown")
    monkeypatch.setattr(launch, "java", lambda *_, **__: pytest.fail("it started a JVM"))
    [claim] = verdicts.find(["002-06"])
    assert claim.judge(claim.measure(21), 21).state == "not asked"


@pytest.mark.parametrize("rate, plain, state", [(4.2, 4.0, "holds"), (16.3, 4.0, "no"), (16.3, 15.0, "unclear")])
def test_a_rate_far_from_the_posts_is_that_of_vectors_or_of_another_processor(judge, rate, plain, state):
    evidence = {"rate, bytes_per_ns": rate, "without vectors, bytes_per_ns": plain}
    old, new = (judge("002-15", evidence, jdk).state for jdk in (8, 25))
    assert (old, new) == (("fails", "changed") if state == "no" else (state, state))


def test_a_reason_that_stops_one_thread_after_the_other_is_named(judge):
    evidence = {"stop all": 7, "stop one by one": 1, "ask for no stop": 0, "not a stop of all": "deoptimisation"}
    judgement = judge("002-12", evidence, 17)
    assert judgement.state == "changed" and "deoptimisation" in judgement.why
    assert judge("002-12", {**evidence, "stop one by one": 0}, 17).state == "holds"


def test_old_code_that_collections_take_is_no_zombie(judge):
    evidence = {"made zombie": 0, "collections for the code cache": 5}
    assert [judge("002-20", evidence, jdk).state for jdk in (8, 25)] == ["fails", "changed"]
    assert judge("002-20", {**evidence, "collections for the code cache": 0}, 25).state == "unclear"


def in_time(jdk, flags):
    """A run in which the long call has begun before the switch: on a busy machine a JVM may take too long to start."""
    for run in (biased.brief(jdk, flags, repeat=n) for n in range(4)):
        if run.values["passes_from_s"] < biased.BRIEF_DELAY_MS / 1000:
            return run
    raise AssertionError("too busy to tell: each of four JVMs took 0.7 s to start")


@pytest.mark.live
@pytest.mark.parametrize("jdk", sorted({jdk.major for jdk in jdks.find()} & {8, 11, 17}))
def test_the_switch_is_over_when_a_call_is_and_at_once_where_the_loop_keeps_its_polls(jdk):
    flags = biased.switched_on(biased.BRIEF_DELAY_MS)
    unpolled, polled = in_time(jdk, flags), in_time(jdk, f"{flags} -XX:+UseCountedLoopSafepoints")
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
    assert measured("002-16", jdk).state == "fails"


@pytest.mark.live
def test_calls_and_jumps_back_add_up(jdk, measured):
    assert measured("002-13", jdk).state == "holds"


@pytest.mark.live
def test_a_redefined_class_stops_all_threads(jdk, measured):
    assert "class redefinition" not in measured("002-12", jdk).measured["not a stop of all"]
