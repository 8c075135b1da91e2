"""Sampling by signals: what is lost, what is found, and whose time it is, on each JDK (notebook 21)."""

import pandas as pd
import pytest

from safepointlab import jdks
from safepointlab.course import verdicts as claims
from safepointlab.course.nb21_calltrace import claims_cost, claims_vm, counts, experiments
from safepointlab.course.nb21_calltrace.experiments import AGCT, MAIN, WALKED

MS = 500  # shorter than the notebook's runs
JDKS = sorted({jdk.major for jdk in jdks.find()} & {8, 11, 17, 21, 25, 28})


@pytest.mark.live
@pytest.mark.parametrize("jdk", JDKS)
def test_a_copy_is_lost_to_async_get_call_trace_and_found_by_walking(jdk):
    lost, walked = (experiments.stub("copy", jdk, walker, ms=MS) for walker in (AGCT, WALKED))
    assert experiments.share(lost, "unknown_Java", "lost", MAIN) > 0.5
    assert experiments.share(walked, "arraycopy", "leaf", MAIN) > 0.5
    assert experiments.share(walked, ".", "lost", MAIN) < 0.2


@pytest.mark.live
@pytest.mark.parametrize("jdk", JDKS)
def test_a_loop_in_java_is_found_either_way(jdk):
    run = experiments.stub("loop", jdk, ms=MS)
    assert experiments.share(run, r"StubTime\.loop$", "leaf", MAIN) > 0.5


@pytest.mark.live
@pytest.mark.parametrize("jdk", JDKS[-1:])
def test_who_sleeps_has_no_samples_of_cpu_time(jdk):
    run = experiments.awake(jdk, ms=MS)
    asleep, awake = (experiments.share(run, name, "thread") for name in ("^sleeper", "^worker"))
    assert asleep < 0.1 and awake > 3 * asleep


@pytest.mark.live
@pytest.mark.parametrize("what", experiments.BUSY)
def test_what_keeps_the_vm_busy_ends_by_itself(what):
    assert experiments.busy(what, JDKS[0], ms=200).values["turns"] > 0


@pytest.mark.live
def test_the_division_costs_and_the_innocent_does_not():
    values = experiments.neighbours(JDKS[-1]).values
    assert values["both_ns"] > 1.2 * values["innocent_ns"]


def test_signals_are_fair_that_differ_by_no_more_than_chance():
    fair, unfair = ([96, 104, 91, 109], [56, 113, 75, 117])
    spreads = [counts.spread(samples, [1.0] * 4) for samples in (fair, unfair)]
    assert spreads[0] < claims_cost.FAIR < claims_cost.UNFAIR < spreads[1]


def test_a_faster_checksum_that_is_seen_no_better_is_a_change_of_17():
    [claim] = claims.named(["003b-05"])
    seen = {"crc32, percent": 90.0, "adler32, percent": 75.0, "loop, percent": 0.0}
    assert (claim.judge(seen, 11).state, claim.judge(seen, 17).state) == ("fails", "changed")
    assert claim.judge({**seen, "adler32, percent": 0.0}, 17).state == "holds"


@pytest.mark.parametrize(("lost", "more"), [(9.8, True), (0.8, False)])
def test_a_verdict_on_deoptimisation_says_whether_more_is_lost_under_other_names(lost, more):
    [claim] = claims.named(["003b-09"])
    counts = {claims_vm.DEOPT: 19, claims_vm.DEOPT_CALM: 0, "samples": 2412}
    judged = claim.judge({**counts, claims_vm.LOST: lost, claims_vm.LOST_CALM: 0.4}, 17)
    assert judged.state == "holds" and judged.why.startswith("under 1 % of the samples")
    assert ("more are lost" in judged.why) is more


@pytest.mark.live
@pytest.mark.parametrize("jdk", JDKS[:1])
def test_samples_have_lines_and_most_are_in_the_line_of_the_work(jdk):
    lines = counts.lines(jdk)
    assert (lines["line"] == counts.busy_line()).mean() > 0.5


@pytest.mark.live
def test_a_program_that_sleeps_has_few_of_the_samples_that_are_due():
    busy, idle = (counts.taken(JDKS[-1], percent) for percent in (100, 10))
    assert idle < busy


@pytest.mark.parametrize(
    "named, state",
    [(0.0, "changed"), (0.9, "fails")],
)
def test_samples_that_are_there_but_elsewhere_are_a_change_of_25(named, state):
    measured = {"samples of loop": 60, "samples of copy": 60, "of these name copy": int(60 * named)}
    [claim] = claims.named(["003b-04"])
    assert claim.judge(measured, 25).state == state and claim.judge(measured, 17).state == "fails"


def test_too_few_samples_of_the_control_say_nothing():
    [claim] = claims.named(["003b-04"])
    assert claim.judge({"samples of loop": 3, "samples of copy": 0, "of these name copy": 0}, 17).state == "unclear"


def test_what_jfr_shows_is_unclear_without_a_sample(monkeypatch):
    nothing = pd.DataFrame({"method": pd.Series([], dtype="string")})
    monkeypatch.setattr(counts, "left_over", lambda *_: nothing)
    claim = claims.named(["003b-18"])[0]
    assert claim.judge(claim.measure(17), 17).state == "unclear"
