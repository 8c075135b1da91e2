"""The lab's own claims on yesterday's profile: what their judges make of evidence, and of what JDK 25 returns."""

import pytest

from safepointlab.course import verdicts
from safepointlab.course.nb17_yesterday import claims


def ends(without, with_cache):
    return {claims.WITHOUT: without, claims.WITH: with_cache}


def made(before, at, without):
    return {claims.BEFORE: before, claims.AT: at, claims.AT_WITHOUT: without}


@pytest.mark.parametrize(
    ("name", "evidence", "state"),
    [
        ("003e-21", ends(["exited"] * 3, ["hung"] * 3), "holds"),
        ("003e-21", ends(["exited"] * 3, ["exited"] * 3), "never did"),
        ("003e-21", ends(["exited"] * 3, ["hung", "exited", "hung"]), "unclear"),
        ("003e-21", ends(["hung"] * 3, ["exited"] * 3), "unclear"),
        ("003e-22", ends(["hung"] * 3, ["exited"] * 3), "holds"),
        ("003e-22", ends(["hung"] * 3, ["hung"] * 3), "never did"),
        ("003e-23", made(0, 1, 0), "holds"),
        ("003e-23", made(0, 0, 0), "never did"),
        ("003e-23", made(1, 1, 0), "never did"),
        ("003e-23", made(0, 1, 1), "unclear"),
    ],
)
def test_what_each_judge_makes_of_its_evidence(judge, name, evidence, state):
    assert judge(name, evidence, 25).state == state


@pytest.mark.live
@pytest.mark.parametrize("name", ["003e-21", "003e-22", "003e-23"])
def test_a_claim_holds_on_jdk_25_and_its_control_refutes_it(judge, name):
    [claim] = verdicts.find([name])
    assert judge(name, claim.measure(25), 25).state == "holds"
    assert judge(name, claim.refuted_by(25), 25).state == "never did"


@pytest.mark.gate
@pytest.mark.live
@pytest.mark.parametrize("name", ["003e-21", "003e-22", "003e-23"])
def test_on_an_old_jdk_a_claim_is_not_applicable(measured, name):
    verdict = measured(name, 8)
    assert verdict.state == "not applicable" and "does not know -XX:AOTCacheOutput" in verdict.why
