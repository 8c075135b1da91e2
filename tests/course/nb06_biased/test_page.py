"""Page 06: which outcomes a run shows, what solves its exercises and what does not, and its lanes of time."""

import re
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest

from safepointlab import plot
from safepointlab.course import lessons
from safepointlab.course.nb06_biased import answers, pictures
from safepointlab.course.nb06_biased import experiments as biased
from safepointlab.errors import BadInput
from safepointlab.plot import _alternative
from safepointlab.process import home
from safepointlab.run import launch
from tests.course.conftest import classify, graded

TIMER = ("no vm operation", 1.01, 0.2, 0.3)
SWITCH = ("EnableBiasedLocking", 4.05, 549.0, 550.0)


def ran(*late, stops=(TIMER,), gc=(), compiled=()):
    """A run with sleeps that begin at 4.05 s, 4.15 s, ... and are so late, in ms."""
    sleeps = pd.DataFrame({"begin_s": [4.05 + 0.1 * n for n in range(len(late))], "overslept_ms": late})
    log = pd.DataFrame(stops, columns=["operation", "begin_s", "ttsp_ms", "total_ms"])
    return SimpleNamespace(
        csv=lambda name: sleeps,
        safepoints=log.assign(kind="safepoint"),
        gc=pd.DataFrame({"uptime_s": list(gc)}, dtype=float),
        compilations=pd.DataFrame({"uptime_ms": list(compiled), "method": "ByteSummer::sum"}),
        values={"passes_from_s": 3.8, "pass1_ms": 800.0, "pass2_ms": 800.0, "overslept_ms": max(late)},
    )


@pytest.fixture
def swept(monkeypatch):
    """swept(rows): a sweep's frame of rows (jdk, flags, how long the switch waits in ms, or the outcome of no run)."""
    runs = {}
    monkeypatch.setattr(biased, "load", runs.__getitem__)
    monkeypatch.setattr(pictures, "load", runs.__getitem__)

    def make(*rows, gc="Parallel"):
        return pd.DataFrame([_row(*row) for row in rows]).assign(gc=gc)

    def _row(jdk, flags, waited):
        row = {"jdk": jdk, "flags": flags, "outcome": waited, "overslept_ms": float("nan")}
        if isinstance(waited, str):
            return row
        name = f"run {len(runs)}"
        switch = ("EnableBiasedLocking", 4.05, waited, waited + 0.1)
        runs[name] = ran(max(waited, 5.0), stops=(TIMER, switch) if waited else ())
        return {**row, "outcome": "exited", "overslept_ms": max(waited, 5.0), "run": name}

    return make


OLD = "-XX:+UseBiasedLocking -XX:BiasedLockingStartupDelay=4000"
CURES = ("BiasedLockingStartupDelay=0", "-UseBiasedLocking", "+UseCountedLoopSafepoints")
TIMER_OFF = "GuaranteedSafepointInterval=0"


@pytest.mark.parametrize(
    ("name", "run", "keys"),
    [
        ("06-sleep", ran(0.1, 2.9), {"prompt"}),
        ("06-sleep", ran(0.1, 50.0), {"noise"}),
        ("06-sleep", ran(0.1, 550.0, stops=(TIMER, SWITCH)), {"once"}),
        ("06-sleep", ran(300.0, 550.0, stops=(TIMER, SWITCH)), {"often"}),
        ("06-sleep", ran(0.1, 550.0), set()),  # no stop held that sleep up
        ("06-suspect", ran(0.1, 0.1, 550.0, stops=(TIMER, SWITCH)), {"stop"}),
        ("06-suspect", ran(0.1, 0.1, 550.0, stops=(TIMER, SWITCH), gc=(4.3,)), {"gc"}),
        ("06-suspect", ran(0.1, 0.1, 550.0, compiled=(4_300.0,)), {"compiler"}),
        ("06-suspect", ran(0.1, 0.1, 550.0, compiled=(130.0,)), {"nothing"}),
    ],
)
def test_a_run_shows_its_outcome(name, run, keys):
    finding = classify(name, run)
    assert finding.facts and finding.keys == keys


def with_flags(swept, **waits):
    """The sweep over no flag and four flags on JDK 8, one of which cures nothing; a wait of None leaves one out."""
    given = {"": 550.0, TIMER_OFF: 540.0, **dict.fromkeys(CURES, 0.3), **waits}
    return swept(*((8, flag and f"-XX:{flag}", ms) for flag, ms in given.items() if ms is not None))


def test_a_flag_helps_if_no_stop_waits_for_long(swept):
    finding = classify("06-ways", with_flags(swept))
    assert finding.keys == set(CURES)
    assert finding.facts == "3 of 4 flags help; without a flag the longest time to safepoint is 550 ms."
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
    assert graded("06-1", "-XX:Some=1").holds is graded("06-3", "-XX:-Some").holds is holds
    with pytest.raises(BadInput, match="has chosen one: G1"):
        graded("06-3", "-XX:+UseParallelGC")


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({}, ""),
        ({"ttsp_ms": 480.0}, "the switch waits for 480 ms."),
        ({"right": 0.0}, "the sum isn't what it was."),
        ({"hung": True}, "it doesn't end."),
        ({"ends_ms": 900.0}, "the long call was over when the switch came"),
    ],
)
def test_an_edited_sum_has_to_end_be_right_and_let_the_switch_in(monkeypatch, edited, changes, complaint):
    told = {"begins_ms": 710.0, "right": 1.0, "ends_ms": 1500.0, "ttsp_ms": 1.0, "hung": False, **changes}
    log = pd.DataFrame({"operation": ["EnableBiasedLocking"], "begin_s": 1.0, "ttsp_ms": told["ttsp_ms"]})
    outcome = {"outcome": "hung" if told["hung"] else "exited", "overdue": told["hung"]}
    run = SimpleNamespace(values=told, safepoints=log, **outcome)
    monkeypatch.setattr(launch, "java", lambda *_, **__: run)
    monkeypatch.setattr(answers, "newest_with_bias", lambda: 17)
    judged = graded("06-2", edited("06-2", "pass++", "pass += 1"))
    assert judged.holds is not bool(complaint) and complaint in judged.does


def test_the_templates_loop_is_that_of_the_sample():
    texts = [home.SAMPLES / f"{biased.SUMMER}.java", lessons.exercise("06-2").template]
    own, sample = (re.search(r"static long sum\(.*?\n    \}\n", path.read_text(), re.DOTALL)[0] for path in texts)
    assert own == sample


STEP = ("    static long sum", "    static int step = 1;\n\n    static long sum")


@pytest.mark.live
@pytest.mark.timed
def test_a_step_that_is_no_constant_lets_the_switch_in_and_the_loop_as_it_was_holds_it_up(edited):
    judged = graded("06-2", edited("06-2", *STEP, "pass++", "pass += step"))
    assert judged.holds, judged.does
    assert "the switch waits" in graded("06-2", edited("06-2", *STEP)).does


@pytest.mark.live
def test_a_short_index_that_never_reaches_the_limit_is_no_cure(edited):
    assert not graded("06-2", edited("06-2", "int pass = 0", "short pass = 0")).holds


def lanes(ax):
    return [text.get_text() for text in ax.get_yticklabels()]


def test_the_threads_of_a_run_say_who_waited_for_how_long_and_for_what(title):
    ax = pictures.who_waits(ran(0.1, 550.0, stops=(SWITCH,)))
    assert lanes(ax) == ["main", "the VM thread", "the sleeper"]
    assert title(ax) == "The safepoint requested at 4.05 s is reached 549 ms later, when a long call ends"
    assert "the sleeper: late from 4.15 to 4.70 s" in _alternative.of(ax.figure)
    bars: list[Any] = list(ax.patches)
    assert ax.get_xlim()[1] < 1.1 * max(bar.get_x() + bar.get_width() for bar in bars)  # the text fits


def test_the_runs_of_a_sweep_are_named_by_what_tells_them_apart(swept, title):
    ax = pictures.who_waits(swept((8, "", 550.0), (8, "-XX:-UseBiasedLocking", 0.0)))
    assert lanes(ax) == ["no flag", "-UseBiasedLocking"]
    assert title(ax) == "The JVM waits for the loop in 1 of 2 runs: no flag"


def test_a_run_that_did_not_start_has_a_lane_that_says_so(swept):
    ax = pictures.who_waits(swept((17, OLD, 550.0), (25, OLD, "not possible"), (26, OLD, "no JDK")))
    assert lanes(ax) == ["JDK 17", "JDK 25", "JDK 26"]
    assert {"doesn't start", "no JDK"} <= {text.get_text() for text in ax.texts}


def test_a_stop_too_short_to_be_seen_has_its_length_beside_it_and_the_operation_is_in_the_key(swept, title):
    ax = pictures.who_waits(swept((8, "", 0.2)))
    assert f"reached in 0{plot.style.MS}" in [text.get_text() for text in ax.texts]
    assert "the operation" in [text.get_text() for text in ax.get_legend().get_texts()]
    assert title(ax) == "The JVM doesn't wait for the long call"
