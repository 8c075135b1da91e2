"""The four-second pause: its samples, small, on every JDK that is here; and its judges, without any."""

import pandas as pd
import pytest

from safepointlab import claims, jdks
from safepointlab.topics import biased

JDKS = sorted({jdk.major for jdk in jdks.find()})
BIASED = [major for major in JDKS if major < biased.REMOVED]
SWITCHED_ON_IN_IT = biased.switched_on(biased.BRIEF_DELAY_MS)
LOCKED = ("locked", "unlocked", "other_unlocked", "contended")

each_jdk = pytest.mark.parametrize("jdk", JDKS or [8])
each_biased_jdk = pytest.mark.parametrize("jdk", BIASED or [8])


def in_time(jdk, flags):
    """A run in which the long pass has begun before the switch: on a busy machine a JVM may take too long to start."""
    for run in (biased.brief(jdk, flags, repeat=n) for n in range(4)):
        if run.values["passes_from_s"] < biased.BRIEF_DELAY_MS / 1000:
            return run
    pytest.skip("this machine is so busy that four JVMs took 0.7 s to start")


def until_a_pass_ends_ms(run):
    """From the end of the switch to the nearest end of a pass; the two passes follow each other without a gap."""
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
def test_the_switch_is_over_when_a_pass_is_and_at_once_where_the_loop_keeps_its_polls(jdk):
    deaf = in_time(jdk, SWITCHED_ON_IN_IT)
    polled = in_time(jdk, f"{SWITCHED_ON_IN_IT} -XX:+UseCountedLoopSafepoints")
    assert until_a_pass_ends_ms(deaf) < 20 and not deaf.values["waited_ms"] > deaf.values["pass1_ms"] / 2
    assert biased.switches(polled)["ttsp_ms"].max() < deaf.values["pass1_ms"] / 4


@pytest.mark.live
@each_jdk
def test_the_summer_writes_down_every_sleep_and_tells_the_worst(jdk):
    run = biased.summer(jdk, begins_ms=200, lasts_ms=50, log="safepoint")
    jitter = pd.read_csv(run.folder / "jitter.csv")
    assert list(jitter) == ["begin_s", "overslept_ms"] and jitter["begin_s"].is_monotonic_increasing
    assert run.values["overslept_ms"] == pytest.approx(jitter["overslept_ms"].max(), abs=0.06)
    assert biased.switches(run)["ttsp_ms"].fillna(0).lt(20).all()


@pytest.mark.live
@each_jdk
def test_an_unlocked_object_keeps_its_owner_only_where_locks_are_biased(jdk):
    marks = biased.mark_words(jdk, delay_ms=0).values
    kept, thin = ["biased", "biased", "unlocked", "fat"], ["thin", "unlocked", "unlocked", "fat"]
    assert [marks[moment] for moment in LOCKED] == (kept if jdk in BIASED else thin)


@pytest.mark.live
@each_biased_jdk
def test_objects_made_before_the_switch_never_get_a_bias(jdk):
    marks = biased.mark_words(jdk, delay_ms=500).values
    assert (marks["early"], marks["early_later"], marks["fresh"]) == ("unlocked", "unlocked", "biasable")


@pytest.mark.parametrize("jdk, bug", [(11, "JDK-8180421"), (17, "JEP 374"), (21, "JDK-8256425")])
def test_the_pause_that_is_gone_names_what_took_it_away(jdk, bug):
    quiet = {"overslept_ms": 5.0, "switch_ms": 0.1, "longest stop": "none"}
    judgement = named("002-01").judge(quiet, jdk)
    assert judgement.state == "changed" and bug in judgement.why


def test_a_pause_of_another_cause_is_not_the_posts():
    assert judged("002-01", {"overslept_ms": 900.0, "switch_ms": 300.0}, 8) == "fails"
    assert judged("002-01", {"overslept_ms": 305.0, "switch_ms": 300.0}, 8) == "holds"


@pytest.mark.parametrize("waited, state", [(9.0, "holds"), (690.0, "fails"), (float("nan"), "unclear")])
def test_the_adding_thread_was_held_up_if_it_was_neither_on_a_cpu_nor_ready_for_one(waited, state):
    assert judged("002-02", {"switch_ms": 700.0, "waited_ms": waited}, 8) == state


def test_nothing_is_run_where_biased_locking_is_unknown(monkeypatch):
    monkeypatch.setattr(biased, "default", lambda jdk, flag: "unknown")
    monkeypatch.setattr(biased, "as_then", lambda jdk: pytest.fail("it started a JVM"))
    claim = named("002-06")
    assert claim.judge(claim.measure(21), 21).state == "changed"


@pytest.mark.parametrize("rate, jdk, state", [(4.2, 8, "holds"), (16.3, 25, "changed"), (16.3, 8, "unclear")])
def test_a_rate_far_from_the_posts_is_another_compiler_or_another_processor(rate, jdk, state):
    assert judged("002-15", {"bytes_per_ns": rate}, jdk) == state
