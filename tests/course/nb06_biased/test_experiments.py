"""The four-second pause: its samples, small, on every JDK that is here; and its judges, without any."""

import pandas as pd
import pytest

from safepointlab import jdks
from safepointlab.course import verdicts as claims
from safepointlab.course.nb06_biased import code as biased_code
from safepointlab.course.nb06_biased import experiments as biased
from safepointlab.jdks.jars import JOL
from safepointlab.run import launch

JDKS = sorted({jdk.major for jdk in jdks.find()})
BIASED = [major for major in JDKS if major < biased.REMOVED]
SWITCHED_ON_IN_IT = biased.switched_on(biased.BRIEF_DELAY_MS)
LOCKED = ("locked", "unlocked", "other_unlocked", "contended")

each_jdk = pytest.mark.parametrize("jdk", JDKS or [8])
each_biased_jdk = pytest.mark.parametrize("jdk", BIASED or [8])


def in_time(jdk, flags):
    """A run in which the long call has begun before the switch: on a busy machine a JVM may take too long to start."""
    for run in (biased.brief(jdk, flags, repeat=n) for n in range(4)):
        if run.values["passes_from_s"] < biased.BRIEF_DELAY_MS / 1000:
            return run
    raise AssertionError("too busy to tell: each of four JVMs took 0.7 s to start")


def until_a_call_ends_ms(run):
    """From the end of the switch to the nearest end of a call; the two calls follow each other without a gap."""
    stop = biased.switches(run).iloc[-1]
    first = run.values["passes_from_s"] * 1000 + run.values["pass1_ms"]
    over = stop["begin_s"] * 1000 + stop["total_ms"]
    return min(abs(over - end) for end in (first, first + run.values["pass2_ms"]))


def named(id):
    [claim] = claims.named([id])
    return claim


def judged(id, measured, jdk):
    return named(id).judge(measured, jdk).state


@pytest.mark.live
@each_biased_jdk
def test_the_switch_is_over_when_a_call_is_and_at_once_where_the_loop_keeps_its_polls(jdk):
    deaf = in_time(jdk, SWITCHED_ON_IN_IT)
    polled = in_time(jdk, f"{SWITCHED_ON_IN_IT} -XX:+UseCountedLoopSafepoints")
    assert until_a_call_ends_ms(deaf) < 20 and not deaf.values["waited_ms"] > deaf.values["pass1_ms"] / 2
    assert biased.switches(polled)["ttsp_ms"].max() < deaf.values["pass1_ms"] / 4


@pytest.mark.live
@each_jdk
def test_the_summer_writes_down_every_sleep_and_tells_the_worst(jdk):
    run = biased.summer(jdk, begins_ms=200, lasts_ms=50, log="safepoint")
    jitter = pd.read_csv(run.folder / "jitter.csv")
    assert list(jitter) == ["begin_s", "overslept_ms"] and jitter["begin_s"].is_monotonic_increasing
    assert run.values["overslept_ms"] == pytest.approx(jitter["overslept_ms"].max(), abs=0.06)
    assert biased.switches(run)["ttsp_ms"].fillna(0).lt(20).all()


def locked(jdk, delay_ms):
    """MarkWords, which says in words what it reads; biased locks are switched on so many ms after the start."""
    flags = biased.switched_on(delay_ms) if jdk in BIASED else ""
    return launch.java("biased/MarkWords", jdk, flags, args=2 * delay_ms, jars=[JOL]).values


@pytest.mark.live
@each_jdk
def test_an_unlocked_object_keeps_its_owner_only_where_locks_are_biased(jdk):
    marks = locked(jdk, delay_ms=0)
    kept, thin = ["biased", "biased", "unlocked", "fat"], ["thin", "unlocked", "unlocked", "fat"]
    assert [marks[moment] for moment in LOCKED] == (kept if jdk in BIASED else thin)


@pytest.mark.live
@each_biased_jdk
def test_objects_made_before_the_switch_never_get_a_bias(jdk):
    marks = locked(jdk, delay_ms=500)
    assert (marks["early"], marks["early_later"], marks["fresh"]) == ("unlocked", "unlocked", "biasable")


@pytest.mark.parametrize("jdk, bug", [(11, "JDK-8180421"), (17, "JEP 374"), (21, "JDK-8256425")])
def test_the_pause_that_is_gone_names_what_took_it_away(jdk, bug):
    quiet = {"overslept_ms": 5.0, "longest stop, ms": 0.1, "for": "none"}
    judgement = named("002-01").judge(quiet, jdk)
    assert judgement.state == "changed" and bug in judgement.why


@pytest.mark.parametrize("stop, told", [(1.8, True), (12.0, False)])
def test_only_a_short_stop_is_said_to_make_no_sleeper_late(stop, told):
    judgement = named("002-01").judge({"overslept_ms": 14.0, "longest stop, ms": stop, "for": "x"}, 11)
    assert ("no sleeper is late because of one" in judgement.why) == told


@pytest.mark.parametrize(
    "late, stop, state", [(2500.0, 90.0, "fails"), (2405.0, 2400.0, "holds"), (700.0, 690.0, "unclear")]
)
def test_only_a_stop_of_seconds_that_held_the_sleeper_up_is_the_posts(late, stop, state):
    assert judged("002-01", {"overslept_ms": late, "longest stop, ms": stop, "for": "x"}, 8) == state


@pytest.mark.parametrize(
    "first, still, state", [(2750.0, 9.0, "holds"), (5100.0, 9.0, "fails"), (2750.0, 2300.0, "fails")]
)
def test_the_adding_thread_was_held_up_if_its_call_took_longer_or_it_stood_still(first, still, state):
    names = ("call with the stop, ms", "the same call again, ms", "stopped for, ms", "stood still for, ms")
    assert judged("002-02", dict(zip(names, (first, 2700.0, 2400.0, still), strict=True)), 8) == state


def test_nothing_is_run_where_biased_locking_is_unknown(monkeypatch):
    monkeypatch.setattr(biased, "default", lambda jdk, flag: "unknown")
    monkeypatch.setattr(biased, "as_then", lambda jdk: pytest.fail("it started a JVM"))
    claim = named("002-06")
    assert claim.judge(claim.measure(21), 21).state == "not asked"


@pytest.mark.parametrize("rate, plain, state", [(4.2, 4.0, "holds"), (16.3, 4.0, "no"), (16.3, 15.0, "unclear")])
def test_a_rate_far_from_the_posts_is_that_of_vectors_or_of_another_processor(rate, plain, state):
    measured = {"rate, bytes_per_ns": rate, "without vectors, bytes_per_ns": plain}
    old, new = (judged("002-15", measured, jdk) for jdk in (8, 25))
    assert (old, new) == (("fails", "changed") if state == "no" else (state, state))


def test_a_reason_that_stops_one_thread_after_the_other_is_named():
    measured = {"stop all": 7, "stop one by one": 1, "ask for no stop": 0, "not a stop of all": "deoptimisation"}
    judgement = named("002-12").judge(measured, 17)
    assert judgement.state == "changed" and "deoptimisation" in judgement.why
    assert judged("002-12", {**measured, "stop one by one": 0}, 17) == "holds"


@pytest.mark.parametrize("jdk", [8, 25])
def test_old_code_that_collections_take_is_no_zombie(jdk):
    collected = {"made zombie": 0, "collections for the code cache": 5}
    assert judged("002-20", collected, jdk) == ("changed" if jdk > 8 else "fails")
    assert judged("002-20", {**collected, "collections for the code cache": 0}, jdk) == "unclear"


@pytest.mark.live
@each_jdk
def test_a_stop_waits_for_a_loop_and_not_for_native_code(jdk):
    values = biased_code.native(jdk).values
    assert values["loop_stop_ms"] > values["loop_ms"] / 2
    assert min(values[f"{name}_stop_ms"] / values[f"{name}_ms"] for name in biased_code.NATIVE_CALLS) < 0.25


@pytest.mark.live
@each_jdk
def test_calls_and_jumps_back_add_up(jdk):
    run = biased_code.counted(jdk)
    versions = {name: biased_code.compiles(run, name) for name in ("fewCalls", "manyCalls", "theSum", "oneLoop")}
    assert versions["fewCalls"] == (0, 0) and versions["oneLoop"][1] > 0
    assert versions["manyCalls"][0] > 0 and versions["theSum"][0] > 0


@pytest.mark.live
@each_jdk
def test_a_redefined_class_stops_all_threads(jdk):
    stops = biased_code.redefined(jdk).safepoints
    assert stops.loc[stops["operation"].eq("RedefineClasses"), "kind"].eq("safepoint").any()
