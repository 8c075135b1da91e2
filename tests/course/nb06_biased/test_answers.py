"""Notebook 06: which outcomes a run shows; what solves its exercises, and what comes near it and does not."""

import re
from types import SimpleNamespace

import pandas as pd
import pytest

from safepointlab.course import lessons
from safepointlab.course.nb06_biased import answers
from safepointlab.course.nb06_biased import experiments as biased
from safepointlab.errors import BadInput
from safepointlab.process import home
from safepointlab.run import launch

SWITCH = ("EnableBiasedLocking", 4.05, 549.0, 550.0)
TIMER = ("no vm operation", 1.01, 0.2, 0.3)
OLD = "-XX:+UseBiasedLocking -XX:BiasedLockingStartupDelay=4000"
CURES = ("BiasedLockingStartupDelay=0", "-UseBiasedLocking", "+UseCountedLoopSafepoints")
TIMER_OFF = "GuaranteedSafepointInterval=0"


def classify(name, result):
    return lessons.prediction(name).classify(result)


def judge(name, answer):
    return lessons.exercise(name).judge(answer)


@pytest.mark.parametrize(
    ("late", "key"), [((0.1, 2.9), "prompt"), ((0.1, 50.0), "noise"), ((0.1, 550.0), "once"), ((300.0, 550.0), "often")]
)
def test_the_latest_sleep_is_prompt_noise_or_held_up(ran, late, key):
    assert classify("06-sleep", ran(*late, stops=(TIMER, SWITCH))).keys == {key}
    assert not classify("06-sleep", ran(0.1, 550.0)).keys  # no stop held that sleep up


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
    assert classify("06-suspect", ran(0.1, 0.1, 550.0, **evidence)).keys == {key}


def with_flags(swept, **waits):
    """The sweep over no flag and four flags on JDK 8, one of which cures nothing; a wait of None leaves one out."""
    given = {"": 550.0, TIMER_OFF: 540.0, **dict.fromkeys(CURES, 0.3), **waits}
    return swept(*((8, flag and f"-XX:{flag}", ms) for flag, ms in given.items() if ms is not None))


def test_a_flag_helps_if_no_stop_waits_for_long(swept):
    finding = classify("06-ways", with_flags(swept))
    assert finding.keys == set(CURES)
    assert finding.facts == "3 of 4 flags help; without a flag the longest stop is reached after 550 ms."
    assert classify("06-ways", with_flags(swept, **{CURES[2]: 300.0})).keys == set(CURES[:2])


def test_a_reader_who_drops_a_flag_or_takes_a_jdk_without_the_pause_is_told_what_is_missing(swept):
    with pytest.raises(BadInput, match="GuaranteedSafepointInterval"):
        classify("06-ways", with_flags(swept, **{TIMER_OFF: None}))
    with pytest.raises(BadInput, match="nothing to cure"):  # as on a JDK whose log has no stop at all
        classify("06-ways", with_flags(swept, **{"": 0.0}))
    assert classify("06-ways", with_flags(swept, **{"": None})).facts == "3 of 4 flags help."


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
    waits = {(jdk, flags): 550.0 if stalls(jdk, flags) else 0.0 for jdk in jdks for flags in ("", OLD)}
    runs = [(jdk, flags, "not possible" if flags and jdk >= 18 else ms) for (jdk, flags), ms in waits.items()]
    assert classify("06-later", swept(*runs)).keys == keys


def test_a_reader_who_drops_flags_or_takes_two_collectors_gets_facts_and_no_outcome(swept):
    finding = classify("06-later", swept((11, OLD, 550.0), (17, OLD, 540.0), (21, OLD, "no JDK")))
    assert not finding.keys
    assert finding.facts == "The switch waits for 100 ms or longer with -XX:+UseBiasedLocking on JDK 11 and 17."
    assert classify("06-later", swept((11, "", 0.0))).facts.endswith("in no run.")
    both = [swept((11, "", 0.0), (11, OLD, ms), gc=gc) for gc, ms in (("Parallel", 550.0), ("G1", 0.3))]
    finding = classify("06-later", pd.concat(both, ignore_index=True))
    assert not finding.keys and "on JDK 11" in finding.facts


@pytest.mark.parametrize(("ms", "holds"), [(300.0, True), (3.0, False), (None, False)])
def test_a_flag_must_make_the_switch_wait_for_the_long_call(monkeypatch, ms, holds):
    rows = [] if ms is None else [("EnableBiasedLocking", 0.7, ms)]
    log = pd.DataFrame(rows, columns=["operation", "begin_s", "ttsp_ms"])
    monkeypatch.setattr(biased, "brief", lambda *_, **__: SimpleNamespace(safepoints=log))
    monkeypatch.setattr(answers, "newest_with_bias", lambda: 17)
    assert judge("06-1", "-XX:Some=1").holds is judge("06-3", "-XX:-Some").holds is holds
    with pytest.raises(BadInput, match="G1 has to stay"):
        judge("06-3", "-XX:+UseParallelGC")


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({}, ""),
        ({"ttsp_ms": 480.0}, "the switch waits for 480 ms."),
        ({"right": 0.0}, "the sum is another one than before."),
        ({"hung": True}, "it does not end."),
        ({"ends_ms": 900.0}, "the long call was over when the switch came"),
    ],
)
def test_an_edited_sum_has_to_end_be_right_and_let_the_switch_in(monkeypatch, edited, changes, complaint):
    told = {"begins_ms": 710.0, "right": 1.0, "ends_ms": 1500.0, "ttsp_ms": 1.0, "hung": False, **changes}
    log = pd.DataFrame({"operation": ["EnableBiasedLocking"], "begin_s": 1.0, "ttsp_ms": told["ttsp_ms"]})
    outcome = {"outcome": "hung" if told["hung"] else "exited", "hung": told["hung"]}
    run = SimpleNamespace(values=told, safepoints=log, **outcome)
    monkeypatch.setattr(launch, "java", lambda *_, **__: run)
    monkeypatch.setattr(answers, "newest_with_bias", lambda: 17)
    judged = judge("06-2", edited("06-2", "pass++", "pass += 1"))
    assert judged.holds is not bool(complaint) and complaint in judged.does


def test_the_templates_loop_is_that_of_the_sample():
    texts = [home.SAMPLES / f"{biased.SUMMER}.java", lessons.exercise("06-2").template]
    own, sample = (re.search(r"static long sum\(.*?\n    \}\n", path.read_text(), re.DOTALL)[0] for path in texts)
    assert own == sample


STEP = ("    static long sum", "    static int step = 1;\n\n    static long sum")


@pytest.mark.live
@pytest.mark.timed
def test_a_step_that_is_no_constant_lets_the_switch_in_and_the_loop_as_it_was_holds_it_up(edited):
    judged = judge("06-2", edited("06-2", *STEP, "pass++", "pass += step"))
    assert judged.holds, judged.does
    assert "the switch waits" in judge("06-2", edited("06-2", *STEP)).does


@pytest.mark.live
def test_a_short_index_that_never_reaches_the_limit_is_no_cure(edited):
    assert not judge("06-2", edited("06-2", "int pass = 0", "short pass = 0")).holds
