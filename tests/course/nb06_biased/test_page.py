"""Notebook 06's questions: by what a run shows, which of the outcomes came."""

import pandas as pd
import pytest

from safepointlab.course import lessons
from safepointlab.errors import BadInput

SWITCH = ("EnableBiasedLocking", 4.05, 549.0, 550.0)
TIMER = ("no vm operation", 1.01, 0.2, 0.3)
DELAY, OFF = "-XX:BiasedLockingStartupDelay=0", "-XX:-UseBiasedLocking"
POLLS, NO_TIMER = "-XX:+UseCountedLoopSafepoints", "-XX:GuaranteedSafepointInterval=0"
OLD = "-XX:+UseBiasedLocking -XX:BiasedLockingStartupDelay=4000"


@pytest.mark.parametrize(
    ("late", "key"), [((0.1, 2.9), "prompt"), ((0.1, 50.0), "noise"), ((0.1, 550.0), "once"), ((300.0, 550.0), "often")]
)
def test_the_latest_sleep_is_prompt_noise_or_held_up(ran, late, key):
    assert lessons.prediction("06-sleep").classify(ran(*late, stops=(TIMER, SWITCH))).keys == {key}


def test_a_sleep_that_no_stop_held_up_is_not_the_jvms(ran):
    came = lessons.prediction("06-sleep").classify(ran(0.1, 550.0))
    assert came.keys == frozenset() and came.facts.endswith("The JVM's log has no stop of that length at that moment.")


@pytest.mark.parametrize(
    ("evidence", "key"),
    [
        ({"stops": (TIMER, SWITCH)}, "stop"),
        ({"stops": (TIMER, SWITCH), "gc": (4.3,)}, "gc"),
        ({"compiled": (4_300.0,)}, "compiler"),
        ({"compiled": (130.0,)}, "nothing"),
    ],
)
def test_the_culprit_is_what_was_logged_at_that_moment(ran, evidence, key):
    assert lessons.prediction("06-suspect").classify(ran(0.1, 0.1, 550.0, **evidence)).keys == {key}


def with_flags(swept, **waits):
    """The sweep over four flags on JDK 8, of which one cures nothing."""
    given = {"none": 550.0, "delay": 0.0, "off": 0.0, "polls": 0.3, "timer": 540.0} | waits
    flags = {"none": "", "delay": DELAY, "off": OFF, "polls": POLLS, "timer": NO_TIMER}
    return swept(*((8, flags[name], ms) for name, ms in given.items() if ms is not None))


def keys(*flags):
    return {flag.removeprefix("-XX:") for flag in flags}


def test_a_flag_helps_if_no_stop_waits_for_long(swept):
    came = lessons.prediction("06-ways").classify(with_flags(swept))
    assert came.keys == keys(DELAY, OFF, POLLS)
    assert came.facts == "3 of 4 flags help; without a flag the longest stop is reached after 550 ms."
    assert lessons.prediction("06-ways").classify(with_flags(swept, polls=300.0)).keys == keys(DELAY, OFF)


def test_a_reader_who_drops_a_flag_or_takes_a_jdk_without_the_pause_is_told_what_is_missing(swept):
    classify = lessons.prediction("06-ways").classify
    with pytest.raises(BadInput, match="GuaranteedSafepointInterval"):
        classify(with_flags(swept, timer=None))
    with pytest.raises(BadInput, match="nothing to cure"):  # as on a JDK whose log has no stop at all
        classify(with_flags(swept, none=0.0))
    assert classify(with_flags(swept, none=None)).facts == "3 of 4 flags help."


def on_later(swept, stalls, jdks=(11, 17, 25)):
    return swept(
        *(
            (jdk, flags, "not possible" if flags and jdk >= 18 else 550.0 if stalls(jdk, flags) else 0.0)
            for jdk in jdks
            for flags in ("", OLD)
        )
    )


@pytest.mark.parametrize(
    ("stalls", "jdks", "keys"),
    [
        (lambda jdk, flags: flags == OLD, (11, 17, 25), {"known"}),
        (lambda jdk, flags: flags == OLD, (11, 17), {"flags"}),
        (lambda jdk, flags: True, (11, 17, 25), {"everywhere"}),
        (lambda jdk, flags: False, (11, 17), {"nowhere"}),
        (lambda jdk, flags: jdk == 11, (11, 17, 25), set()),
    ],
)
def test_where_it_stalls_tells_who_still_knows_the_flags(swept, stalls, jdks, keys):
    assert lessons.prediction("06-later").classify(on_later(swept, stalls, jdks)).keys == keys


def test_a_reader_who_drops_the_flags_of_8_gets_facts_and_no_outcome(swept):
    came = lessons.prediction("06-later").classify(swept((11, OLD, 550.0), (17, OLD, 540.0), (21, OLD, "no JDK")))
    assert came.keys == frozenset()
    assert came.facts == "The switch waits for 100 ms or longer with -XX:+UseBiasedLocking on JDK 11 and 17."
    assert lessons.prediction("06-later").classify(swept((11, "", 0.0))).facts.endswith("in no run.")


def test_with_another_collector_the_runs_of_both_are_told(swept):
    both = [swept((11, "", 0.0), (11, OLD, ms), gc=gc) for gc, ms in (("Parallel", 550.0), ("G1", 0.3))]
    came = lessons.prediction("06-later").classify(pd.concat(both, ignore_index=True))
    assert came.keys == frozenset() and "on JDK 11" in came.facts
